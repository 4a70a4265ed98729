use crate::common::{from_text, model_file};
use saltus::sim::inverse::inverse;
use saltus::sim::law::options::{Law, Profile};
use saltus::{Data, Model, forward, step};
fn size(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}
fn diff(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}
#[test]
fn dbg_steps() {
    let name = std::env::var("M").unwrap_or("tower.xml".into());
    let mut model = saltus::load(model_file(&name)).unwrap();
    model.options.laws.law = Law::Invertible;
    let mut data = Data::new(&model);
    let n: usize = std::env::var("N").ok().and_then(|s| s.parse().ok()).unwrap_or(100);
    for k in 0..n {
        forward(&model, &mut data);
        let r = data.constraints.report.clone();
        let forces = data.constraints.force.clone();
        let mut applied = data.acceleration.tau_actuator.clone();
        applied.iter_mut().zip(&data.input.tau_applied).for_each(|(x, t)| *x += t);
        let scale = size(&data.acceleration.tau_constraint).max(size(&applied)).max(1.0);
        let mut back = data.clone();
        inverse(&model, &mut back).unwrap();
        let row = (0..forces.len()).max_by(|&i, &j| {
            (forces[i] - back.constraints.force[i]).abs().total_cmp(&(forces[j] - back.constraints.force[j]).abs())
        });
        let t = diff(&applied, &back.acceleration.tau_inverse) / scale;
        println!(
            "{k} rows {} {} it {} tot {} res {:.1e} | {:?} f {:.3e} vs {:.3e} largest {:.3e} tau {t:.1e} of {scale:.1e}",
            data.constraints.len(),
            r.status.name(),
            r.iterations,
            r.total_iterations,
            r.residual,
            row.map(|i| (i, data.constraints.kind[i])),
            row.map_or(0.0, |i| forces[i]),
            row.map_or(0.0, |i| back.constraints.force[i]),
            size(&forces)
        );
        if let Err(e) = step(&model, &mut data) {
            println!("{k} {e}");
            break;
        }
    }
}
fn boxes(h: f64, hover: f64, smoothing: f64, profile: Profile, tilt: f64) -> Model {
    let mut model = from_text(&format!("<mujoco><option timestep='{h}' gravity='{} 0 -9.81'/><worldbody><geom type='plane' size='5 5 1'/>
            <body pos='0 0 0.12'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='3'/></body></worldbody></mujoco>", tilt * 9.81));
    model.options.laws.law = Law::Invertible;
    let own = &mut model.options.laws.invertible;
    (own.hover, own.smoothing, own.profile) = (hover, smoothing, profile);
    model
}
#[test]
fn dbg_rest() {
    for h in [0.001, 0.002, 0.005] {
        for (hover, smoothing, profile) in [
            (1e-3, 1e-3, Profile::Exponential),
            (1e-3, 1e-3, Profile::Power),
            (1e-3, 1e-2, Profile::Power),
            (1e-3, 2e-2, Profile::Power),
            (1e-3, 5e-2, Profile::Power),
            (2e-4, 1e-3, Profile::Power),
            (2e-4, 5e-3, Profile::Power),
            (2e-4, 1e-2, Profile::Power),
            (1e-4, 1e-3, Profile::Power),
            (1e-4, 3e-3, Profile::Power),
            (1e-4, 5e-3, Profile::Power),
            (1e-4, 1e-2, Profile::Power),
            (1e-3, 1e-2, Profile::Linear),
            (1e-4, 3e-3, Profile::Linear),
        ] {
            let model = boxes(h, hover, smoothing, profile, 0.0);
            let mut data = Data::new(&model);
            let mut path = Vec::new();
            let (mut its, mut worst) = (0, 0.0_f64);
            let n = (6.0 / h) as usize;
            for _ in 0..n {
                step(&model, &mut data).unwrap();
                path.push(data.state.q[2] - 0.1);
                its += data.constraints.report.iterations;
                let f = data.constraints.force.clone();
                let mut back = data.clone();
                forward(&model, &mut back);
                let f = {
                    let _ = f;
                    back.constraints.force.clone()
                };
                inverse(&model, &mut back).unwrap();
                if !f.is_empty() {
                    worst = worst.max(diff(&f, &back.constraints.force) / size(&f));
                }
            }
            let rest = *path.last().unwrap();
            let settle = path.iter().rposition(|w| (w - rest).abs() > 0.1 * rest).map_or(0.0, |k| k as f64 * h);
            let low = path.iter().fold(1.0, |m: f64, w| m.min(*w));
            let model = boxes(h, hover, smoothing, profile, 0.5);
            let mut data = Data::new(&model);
            for _ in 0..n {
                step(&model, &mut data).unwrap();
            }
            println!(
                "h {h} hover {hover:.0e} smoothing {smoothing:.0e} {profile:?}: rest {:.2} hover, settled after {settle:.3} s, v {:.1e}, lowest {:.3} mm, creep {:.2e} m/s at gap {:.2}; iterations {:.1}, mismatch {worst:.1e}",
                rest / hover,
                size(&data.state.v),
                low * 1e3,
                data.state.v[0],
                (data.state.q[2] - 0.1) / hover,
                its as f64 / n as f64
            );
        }
    }
}
