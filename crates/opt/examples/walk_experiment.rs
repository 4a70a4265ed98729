// Scratch: experiments with gaits.
use saltus_opt::{knot::Multipliers, layout::*, minimize::*, mirror::Mirror, multiplier::*, problem::*, term::*};
use saltus_sim::{Data, options::Disable};

fn arg(name: &str, default: f64) -> f64 {
    let args: Vec<String> = std::env::args().collect();
    args.iter().position(|a| a == name).and_then(|i| args.get(i + 1)).map_or(default, |v| v.parse().unwrap())
}

fn main() {
    let mut spec = saltus_io::read_file("models/humanoid.xml").unwrap();
    for body in &mut spec.bodies {
        for geom in &mut body.geoms {
            if !(geom.name.contains("foot") || geom.name == "floor") {
                geom.contype = 0;
                geom.conaffinity = 0;
            }
        }
    }
    let mut model = saltus_sim::compile(&spec).unwrap();
    let (nq, nv) = (model.size.nq, model.size.nv);
    let steps = arg("--steps", 20.0) as usize;
    let speed = arg("--speed", 1.2);
    let half = arg("--half", 0.5); // time of half a stride
    let h = half / steps as f64;
    model.options.timestep = h;
    model.options.disable.set(Disable::LIMIT, true);
    model.options.disable.set(Disable::ACTUATION, true);
    model.options.laws.set_word("law", "invertible").unwrap();
    let mirror = humanoid_mirror(&model);
    let g = 9.81;
    let mass: f64 = model.bodies.mass.iter().sum();
    let (weight, leg) = (mass * g, 0.9);
    // Nominal pose: knees bent.
    let mut nominal = model.q0.clone();
    let jq = |name: &str| model.joints.q_start[model.joint(name).unwrap().idx()] as usize;
    for side in ["left", "right"] {
        nominal[jq(&format!("{side}_hip_y"))] = -0.25;
        nominal[jq(&format!("{side}_knee"))] = 0.5;
        nominal[jq(&format!("{side}_ankle_y"))] = -0.25;
    }
    let mut data = Data::new(&model);
    data.state.q.copy_from_slice(&nominal);
    saltus_sim::forward(&model, &mut data);
    let mut lowest = f64::INFINITY;
    for (i, name) in model.geoms.name.iter().enumerate() {
        if name.contains("foot") {
            let axis = data.position.R_WG[i].col(2);
            let z = data.position.p_WG[i].z - (axis.z * model.geoms.size[i][1]).abs() - model.geoms.size[i][0];
            lowest = lowest.min(z);
        }
    }
    nominal[2] -= lowest;
    let stride = speed * half;
    let cycle = Cycle { mirror: Some(mirror), stride: vec![(0, 0, stride)] };
    let length = |i: usize| if i < 3 { 1.0 } else { leg };
    let mut posture = vec![arg("--posture", 0.1); nv];
    posture[0] = 0.0;
    let terms = vec![
        Entry::new(
            "unactuated",
            Role::Equality,
            Unactuated { rows: (0..6).map(|i| vec![(i, 1.0 / (weight * length(i)))]).collect() },
        ),
        Entry::new(
            "effort",
            Role::Cost,
            Effort { weights: (6..nv).map(|i| (i, arg("--effort", 0.3) / (weight * leg))).collect() },
        ),
        Entry::new("posture", Role::Cost, Posture { target: nominal.clone(), weights: posture }),
        Entry::new(
            "smooth",
            Role::Cost,
            Smoothness { weights: (6..nv).map(|i| (i, h * arg("--smooth", 0.02))).collect() },
        ),
    ];
    let scale = (0..nv).map(|i| if i < 3 { leg } else { 1.0 }).collect();
    let mut problem =
        Problem { model, steps, ends: Ends::Periodic(cycle), evaluation: Evaluation::Begin, terms, scale };
    // Guess.
    let mut q = Vec::new();
    let mut seed = arg("--seed", 1.0) as u64 * 7919 + 12345;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    };
    let waves: Vec<[f64; 2]> = (0..nq).map(|_| [random(), random()]).collect();
    let amplitude = arg("--amplitude", 0.1);
    for k in 0..steps + 2 {
        let mut node = nominal.clone();
        let phase = std::f64::consts::PI * (k as f64 - 1.0) / steps as f64;
        node[0] = stride * (k as f64 - 1.0) / steps as f64;
        for i in 7..nq {
            node[i] += amplitude * (waves[i][0] * phase.cos() + waves[i][1] * phase.sin()) + arg("--noise", 0.0) * random();
        }
        q.extend(node);
    }
    let threads = arg("--threads", 2.0) as usize;
    let mut opt = Optimizer::new(&problem, threads).unwrap();
    let layout = opt.layout.clone();
    layout.close(&problem.model, &problem.ends, h, &mut q);
    let mut multipliers = Multipliers::new(&problem, steps, 2.0);
    let start = std::time::Instant::now();
    let (mut s, mut ds) = (0.0f64, arg("--ds", 0.15));
    let ends = [(1.0, arg("--smoothing", 0.03)), (0.15, arg("--reach", 0.03)), (0.03, arg("--hover", 0.002))];
    let mut best = (q.clone(), multipliers.clone());
    let mut damping = arg("--damping", 1.0);
    let mut total = 0;
    loop {
        let at = ends.map(|(a, b): (f64, f64)| a * (b / a).powf(s));
        let laws = &mut problem.model.options.laws;
        laws.invertible.smoothing = at[0];
        laws.reach = at[1];
        laws.invertible.hover = at[2];
        let mut violation = 0.0;
        let inner = if s == 0.0 { 40 } else { arg("--inner", 15.0) as usize };
        let rounds = if s == 0.0 { 6 } else { 3 };
        for round in 0..rounds {
            let options = MinimizeOptions { iterations: inner, tolerance: 1e-5, damping };
            let mut accepted = 0;
            let (outcome, count) = opt.minimize(&problem, &multipliers, &mut q, &options, &mut |step| {
                accepted += step.accepted as usize;
                if arg("--verbose", 0.0) > 0.0 {
                    println!("      {step:?}");
                }
                true
            });
            total += count;
            violation = largest_violation(&problem.terms, &opt.knots);
            let merit: f64 = opt.knots.iter().map(|k| k.merit).sum();
            let cost: Vec<f64> = (0..4).map(|i| opt.knots.iter().map(|k| k.cost[i]).sum()).collect();
            println!(
                "  s {s:.3} round {round}: {outcome:?} {count} ({accepted}) merit {merit:.5} violation {violation:.2e} rho {:.0} cost {:.4} {:.4} {:.4} damping {:.1e}",
                multipliers.penalty, cost[1], cost[2], cost[3], opt.damping
            );
            damping = opt.damping.clamp(1e-6, 1.0);
            let before = multipliers.clone();
            multipliers.improve(&problem.terms, &opt.knots);
            let _ = before;
            if violation < 1e-3 {
                break;
            }
            multipliers.penalty = (multipliers.penalty * 3.0).min(arg("--rho", 1e4));
        }
        let ok = violation < 5e-3;
        if ok || s == 0.0 {
            println!(
                "s {s:.3} smoothing {:.4} reach {:.4} hover {:.4}: violation {violation:.2e} {:.1} s, {total} iterations",
                at[0], at[1], at[2], start.elapsed().as_secs_f64()
            );
            best = (q.clone(), multipliers.clone());
            if s >= 1.0 {
                break;
            }
            ds = (ds * 1.3).min(0.2);
            s = (s + ds).min(1.0);
        } else {
            println!("back from {s:.3}");
            q.clone_from(&best.0);
            multipliers = best.1.clone();
            s -= ds;
            ds *= 0.4;
            if ds < 0.002 {
                break;
            }
            s += ds;
            damping = 1.0;
        }
    }
    println!("{:?} total {:.2}", opt.times, start.elapsed().as_secs_f64());
    report(&problem, &q, &layout, weight);
    let own = saltus_sim::compile(&saltus_io::read_file("models/humanoid.xml").unwrap()).unwrap();
    let unactuated: Vec<Vec<(usize, f64)>> = (0..6).map(|i| vec![(i, 1.0 / (weight * length(i)))]).collect();
    for gap in [1e-3, 3e-3, 6e-3] {
        let verdicts = saltus_opt::certify::Certificate { model: &own, h, unactuated: &unactuated, gap }.judge(&q);
        let mut r: Vec<f64> = verdicts.iter().map(|v| v.residual).collect();
        r.sort_by(f64::total_cmp);
        println!("gap {gap}: median {:.4} max {:.4}", r[r.len() / 2], r[r.len() - 1]);
    }
}

fn report(problem: &Problem, q: &[f64], layout: &Layout, weight: f64) {
    let model = &problem.model;
    let nq = model.size.nq;
    let mut data = Data::new(model);
    let feet: Vec<usize> =
        ["left_foot", "right_foot"].iter().map(|n| model.body(n).unwrap().idx()).collect();
    let h = problem.h();
    for t in 0..layout.steps {
        let (a, b, c) = (&q[t * nq..][..nq], &q[(t + 1) * nq..][..nq], &q[(t + 2) * nq..][..nq]);
        let mut v = vec![0.0; model.size.nv];
        let mut w = v.clone();
        saltus_sim::kinematics::coordinates::difference(model, a, b, h, &mut v);
        saltus_sim::kinematics::coordinates::difference(model, b, c, h, &mut w);
        data.state.q.copy_from_slice(b);
        data.state.v.copy_from_slice(&v);
        for i in 0..v.len() {
            data.acceleration.a[i] = (w[i] - v[i]) / h;
        }
        data.stage = saltus_sim::Stage::None;
        saltus_sim::inverse::inverse(model, &mut data).unwrap();
        let mut force = [0.0; 2];
        let mut gap = [1.0f64; 2];
        for contact in &data.contacts {
            let body = model.geoms.body[contact.geom2.idx()].idx();
            if let Some(k) = feet.iter().position(|f| *f == body) {
                if contact.first_row >= 0 {
                    force[k] += data.constraints.force[contact.first_row as usize];
                }
                gap[k] = gap[k].min(contact.dist);
            }
        }
        let tau = data.acceleration.tau_inverse[6..].iter().fold(0.0f64, |m, t| m.max(t.abs()));
        println!(
            "{t:3} z {:.3} pitch {:.2} | left {:6.2} gap {:6.4} | right {:6.2} gap {:6.4} | torque {tau:.0}",
            b[2], 2.0 * b[5], force[0] / weight, gap[0], force[1] / weight, gap[1]
        );
    }
}

fn humanoid_mirror(model: &saltus_sim::Model) -> Mirror {
    let mut m = Mirror::identity(model.size.nq, model.size.nv);
    m.q[1].1 = -1.0;
    m.q[4].1 = -1.0;
    m.q[6].1 = -1.0;
    m.dof[1].1 = -1.0;
    m.dof[3].1 = -1.0;
    m.dof[5].1 = -1.0;
    for (j, name) in model.joints.name.iter().enumerate() {
        let (i, d) = (model.joints.q_start[j] as usize, model.joints.dof_start[j] as usize);
        if name == "abdomen_x" || name == "abdomen_z" {
            m.q[i].1 = -1.0;
            m.dof[d].1 = -1.0;
        }
        let other = if name.contains("left") { name.replace("left", "right") } else { name.replace("right", "left") };
        if other != *name {
            let o = model.joint(&other).unwrap().idx();
            m.q[i].0 = model.joints.q_start[o] as usize;
            m.dof[d].0 = model.joints.dof_start[o] as usize;
        }
    }
    assert!(m.is_involution());
    m
}
