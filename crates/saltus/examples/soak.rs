//! Long runs that must end without a crash, a leak, or a number that is not finite and not
//! reported.
//!
//! ```text
//! cargo run --release -p saltus --example soak -- --steps 10000000 --models 1000
//! ```
//!
//! First the humanoid under random controls, started again every 10,000 steps; then random models
//! (trees of all joints and shapes, masses over six decades; `--first` is the number of the first)
//! for 1,000 steps each. Prints what happened and what memory was used.

use saltus::math::Random;
use saltus::{Data, Model, step};

fn pick<T: Copy>(random: &mut Random, of: &[T]) -> T {
    of[random.below(of.len())]
}

/// Resident memory in MiB, where the system tells.
fn memory() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: f64 = text.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0.0);
    pages * 4096.0 / (1 << 20) as f64
}

fn is_finite(data: &Data) -> bool {
    let s = &data.state;
    [&s.q, &s.v, &s.act, &data.acceleration.a].into_iter().flatten().all(|x| x.is_finite())
        && data.sensor.iter().all(|x| x.is_finite())
}

fn set_controls(model: &Model, data: &mut Data, random: &mut Random) {
    for u in 0..model.size.nu {
        let [low, high] = if model.actuators.ctrl_limited[u] { model.actuators.ctrl_range[u] } else { [-1.0, 1.0] };
        data.input.ctrl[u] = random.range(low, high);
    }
}

/// Steps and divergences.
#[derive(Default)]
struct Tally {
    steps: usize,
    contacts: usize,
    diverged: Vec<String>,
}

fn run(model: &Model, data: &mut Data, steps: usize, random: &mut Random, tally: &mut Tally) {
    for k in 0..steps {
        if k % 20 == 0 {
            set_controls(model, data, random);
        }
        match step(model, data) {
            Ok(()) => assert!(is_finite(data), "a number that is not finite was not reported"),
            Err(error) => {
                assert!(is_finite_state(data), "the state was lost: {error}");
                tally.diverged.push(error.to_string());
                return;
            }
        }
        tally.steps += 1;
        tally.contacts += data.contacts.len();
    }
}

/// A step that fails leaves the state as it was.
fn is_finite_state(data: &Data) -> bool {
    data.state.q.iter().chain(&data.state.v).all(|x| x.is_finite())
}

fn humanoid(steps: usize) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let model = saltus::load(folder.join("humanoid.xml")).expect("the humanoid loads");
    let mut data = Data::new(&model);
    let (mut random, mut tally) = (Random(1), Tally::default());
    let start = std::time::Instant::now();
    let mut first_memory = 0.0;
    while tally.steps < steps {
        data.reset(&model);
        run(&model, &mut data, (steps - tally.steps).min(10_000), &mut random, &mut tally);
        if first_memory == 0.0 {
            first_memory = memory();
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "humanoid: {} steps in {seconds:.0} s ({:.0} per second), {:.1} contacts on average, {} reported divergences",
        tally.steps,
        tally.steps as f64 / seconds,
        tally.contacts as f64 / tally.steps as f64,
        tally.diverged.len()
    );
    tally.diverged.iter().take(3).for_each(|d| println!("  {d}"));
    println!("  memory {first_memory:.1} MiB after 10,000 steps, {:.1} MiB at the end", memory());
}

/// A random model as MJCF.
fn random_model(random: &mut Random) -> String {
    let mut bodies = String::new();
    let mut joints = 0;
    for _ in 0..1 + random.below(4) {
        let place = [random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(0.1, 2.0)];
        body(random, &mut bodies, place, 0, &mut joints);
    }
    let mut motors = String::new();
    for j in 0..joints {
        if random.unit() < 0.5 {
            let gear = exp(random, -3.0, 1.0);
            motors.push_str(&format!("<motor joint='j{j}' gear='{gear:.3e}' ctrlrange='-1 1' ctrllimited='true'/>"));
        }
    }
    format!(
        "<mujoco><compiler boundmass='1e-9' boundinertia='1e-12'/>
         <option timestep='{}' integrator='{}' cone='{}' solver='{}' impratio='{}'/><worldbody>
         <geom type='plane' size='9 9 .1'/>{bodies}</worldbody><actuator>{motors}</actuator></mujoco>",
        pick(random, &["0.001", "0.002", "0.005"]),
        pick(random, &["Euler", "implicit", "implicitfast", "RK4", "discrete"]),
        pick(random, &["pyramidal", "elliptic"]),
        pick(random, &["Newton", "Newton", "CG", "PGS"]),
        pick(random, &["1", "10", "100"]),
    )
}

/// 10^x, x uniform.
fn exp(random: &mut Random, low: f64, high: f64) -> f64 {
    saltus::math::real::exp(std::f64::consts::LN_10 * random.range(low, high))
}

fn body(random: &mut Random, out: &mut String, place: [f64; 3], depth: usize, joints: &mut usize) {
    let [x, y, z] = place;
    let angle = |r: &mut Random| r.range(-180.0, 180.0);
    out.push_str(&format!(
        "<body pos='{x:.4} {y:.4} {z:.4}' euler='{:.1} {:.1} {:.1}'>",
        angle(random),
        angle(random),
        angle(random)
    ));
    if depth == 0 && random.unit() < 0.6 {
        out.push_str("<freejoint/>");
    } else {
        let kind = pick(random, &["hinge", "hinge", "slide", "ball"]);
        let axis = if kind == "ball" { String::new() } else { format!(" axis='{:.2} 1 .5'", random.range(-1.0, 1.0)) };
        let limits = if random.unit() < 0.3 {
            if kind == "ball" { " limited='true' range='0 60'" } else { " limited='true' range='-.5 .7'" }
        } else {
            ""
        };
        let loss = if random.unit() < 0.2 { " frictionloss='0.01'" } else { "" };
        let name = if kind == "ball" { "ball" } else { "j" };
        let id = if kind == "ball" { format!("{depth}_{}", out.len()) } else { joints.to_string() };
        out.push_str(&format!(
            "<joint name='{name}{id}' type='{kind}'{axis}{limits}{loss} armature='1e-4' damping='.01'/>"
        ));
        *joints += usize::from(kind != "ball");
    }
    for _ in 0..1 + random.below(2) {
        let shape = pick(random, &["sphere", "capsule", "box", "cylinder", "ellipsoid"]);
        let size = |r: &mut Random| r.range(0.02, 0.15);
        out.push_str(&format!(
            "<geom type='{shape}' size='{:.3} {:.3} {:.3}' pos='{:.2} {:.2} 0' mass='{:.3e}' condim='{}'/>",
            size(random),
            size(random),
            size(random),
            random.range(-0.1, 0.1),
            random.range(-0.1, 0.1),
            exp(random, -3.0, 3.0),
            pick(random, &[1, 3, 4, 6])
        ));
    }
    let children = if depth < 4 { random.below(3) } else { 0 };
    for _ in 0..children {
        let place = [random.range(-0.3, 0.3), random.range(-0.3, 0.3), random.range(-0.3, 0.3)];
        body(random, out, place, depth + 1, joints);
    }
    out.push_str("</body>");
}

fn random_models(count: usize) {
    let mut tally = Tally::default();
    let mut longest = (0.0, 0);
    let first = number("--first", 0);
    for seed in first..first + count {
        let mut random = Random(1000 + seed as u64);
        let xml = random_model(&mut random);
        let spec =
            saltus::io::mjcf::read_str(&xml, &Default::default()).unwrap_or_else(|e| panic!("{seed}: {e}\n{xml}"));
        let model = saltus::compile(&spec).unwrap_or_else(|e| panic!("{seed}: {e}\n{xml}"));
        let mut data = Data::new(&model);
        let start = std::time::Instant::now();
        run(&model, &mut data, 1000, &mut random, &mut tally);
        let seconds = start.elapsed().as_secs_f64();
        if seconds > longest.0 {
            longest = (seconds, seed);
        }
    }
    println!(
        "random models: {count}, {} steps, {:.1} contacts on average, {} ended by a reported divergence; longest {:.1} s (model {})",
        tally.steps,
        tally.contacts as f64 / tally.steps.max(1) as f64,
        tally.diverged.len(),
        longest.0,
        longest.1
    );
    tally.diverged.iter().take(5).for_each(|d| println!("  {d}"));
    println!("  memory {:.1} MiB", memory());
}

/// The number after an option of the command line.
fn number(name: &str, default: usize) -> usize {
    let arguments: Vec<String> = std::env::args().collect();
    let place = arguments.iter().position(|a| a == name);
    place.and_then(|k| arguments.get(k + 1)).map_or(default, |n| n.parse().expect("a number"))
}

fn main() {
    humanoid(number("--steps", 100_000));
    random_models(number("--models", 20));
}
