//! The kernels in which simulations and plans spend their time, each from a fixed state.
//!
//! `cargo bench -p saltus` prints the time of each in µs, and with `-- --count` its number of
//! instructions, which `scripts/instructions` compares with stored counts. Kernels are small,
//! because counting is slow.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod count;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod count {
    pub fn instructions(_: &mut dyn FnMut()) -> Result<u64, std::io::Error> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
}

use saltus::math::Random;
use saltus::math::block_arrow::{BlockArrow, BlockArrowFactor, sequential};
use saltus::maximal::{self, Simulation};
use saltus::sim::collide::update_contacts;
use saltus::sim::data::State;
use saltus::sim::derivative::{self, Inverse, Workspace};
use saltus::sim::dynamics::{update_bias, update_factor, update_inertia};
use saltus::sim::finite_difference::Transition;
use saltus::sim::kinematics::{update_com, update_kinematics};
use saltus::sim::options::law::Law;
use saltus::{Data, Model};
use std::time::Instant;

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let count = std::env::args().any(|argument| argument == "--count");
    let bench = |name: &str, kernel: &mut dyn FnMut()| -> Result<(), Error> {
        // The first run allocates.
        kernel();
        if count {
            println!("{:12} {name}", count::instructions(kernel)?);
        } else {
            println!("{:12.1} µs  {name}", 1e6 * shortest(kernel));
        }
        Ok(())
    };

    let (model, mut data) = standing(Law::Soft)?;
    bench("kinematics", &mut || {
        update_kinematics(&model, &mut data);
        update_com(&model, &mut data);
    })?;
    bench("inertia", &mut || {
        update_inertia(&model, &mut data);
        update_factor(&model, &mut data);
    })?;
    bench("bias", &mut || update_bias(&model, &mut data))?;
    bench("inverse", &mut || saltus::inverse(&model, &mut data).expect("the soft law has an inverse"))?;

    let (model, mut data) = pressed_pile()?;
    bench("collision", &mut || update_contacts(&model, &mut data))?;

    for law in [Law::Soft, Law::Impulse, Law::Invertible] {
        let (model, mut data) = standing(law)?;
        let start = data.state.clone();
        bench(&format!("step, {}", law.name()), &mut || repeat_step(&model, &mut data, &start))?;
    }

    let (model, mut data) = standing(Law::Soft)?;
    saltus::forward(&model, &mut data);
    let (n, nv, nu) = (2 * model.size.nv + model.size.na, model.size.nv, model.size.nu);
    let [mut dx, mut du] = [n, nu].map(|columns| vec![0.0; n * columns]);
    let mut work = Workspace::default();
    bench("derivatives of a step, soft", &mut || {
        let out = Transition { A: Some(&mut dx), B: Some(&mut du), C: None, D: None };
        derivative::transition(&model, &data, &mut work, out).expect("steps have derivatives");
    })?;

    let (model, mut data) = standing(Law::Invertible)?;
    bench("inverse, invertible", &mut || saltus::inverse(&model, &mut data).expect("the law has an inverse"))?;
    let mut slopes: [_; 3] = std::array::from_fn(|_| vec![0.0; nv * nv]);
    bench("derivatives of the inverse, invertible", &mut || {
        let [dtau_dq, dtau_dv, dtau_da] = &mut slopes;
        let out = Inverse { dtau_dq, dtau_dv, dtau_da };
        derivative::inverse(&model, &data, false, &mut work, out).expect("the inverse has derivatives");
    })?;

    // Knots as those of the humanoid, but fewer than plans have.
    let matrix = positive(27, 6, 14);
    let (shift, mut factor) = (vec![0.0; matrix.dim()], BlockArrowFactor::new(27, 6, 14));
    bench("factors of a block arrow", &mut || factor.factor(&matrix, &shift, sequential).expect("it is positive"))?;

    let few_sweeps = maximal::Options { iterations: 10, ..maximal::Options::default() };
    for (name, options) in [("sweeps", few_sweeps), ("tree", maximal::Options::tree())] {
        let (model, mut data) = standing(Law::Soft)?;
        let mut simulation = Simulation::new(&model, options)?;
        let start = data.state.clone();
        bench(&format!("step, maximal {name}"), &mut || {
            data.state.copy_from(&start);
            simulation.step(&model, &mut data).expect("it can step");
        })?;
    }
    Ok(())
}

/// The shortest of a hundred runs, s.
fn shortest(kernel: &mut dyn FnMut()) -> f64 {
    let mut run = || {
        let start = Instant::now();
        kernel();
        start.elapsed().as_secs_f64()
    };
    (0..100).map(|_| run()).fold(f64::INFINITY, f64::min)
}

fn load(name: &str) -> Result<Model, saltus::LoadError> {
    saltus::load(format!("{}/models/{name}.xml", env!("CARGO_MANIFEST_DIR")))
}

/// The humanoid in a squat, with both feet on the floor, that starts to move.
fn standing(law: Law) -> Result<(Model, Data), Error> {
    let mut model = load("humanoid")?;
    model.options.laws.law = law;
    let mut data = Data::new(&model);
    data.reset_to_key(&model, model.key("squat")?);
    data.state.v.copy_from_slice(&Random(1).vector(model.size.nv, 0.1));
    saltus::forward(&model, &mut data);
    Ok((model, data))
}

/// A hundred bodies of all primitive shapes, pressed into each other.
fn pressed_pile() -> Result<(Model, Data), Error> {
    let model = load("pile")?;
    let mut data = Data::new(&model);
    for body in data.state.q.chunks_exact_mut(7) {
        body[2] = 0.05 + 0.2 * body[2];
    }
    saltus::forward(&model, &mut data);
    Ok((model, data))
}

fn repeat_step(model: &Model, data: &mut Data, start: &State) {
    data.state.copy_from(start);
    saltus::step(model, data).expect("it can step");
}

/// Random numbers below a dominant diagonal.
fn positive(n: usize, count: usize, border: usize) -> BlockArrow {
    let (mut matrix, mut random) = (BlockArrow::new(n, count, border), Random(1));
    let (stride, dim) = (matrix.stride(), matrix.dim() as f64);
    for knot in matrix.knots_mut() {
        for block in [knot.diag, knot.lower1, knot.lower2, knot.border] {
            block.chunks_exact_mut(stride).for_each(|row| row[..n].copy_from_slice(&random.vector(n, 1.0)));
        }
    }
    for t in 0..count {
        (0..n).for_each(|i| matrix.block_mut(t, t)[i * stride + i] = dim);
    }
    (0..border).for_each(|i| matrix.corner_mut()[i * border + i] = dim);
    matrix
}
