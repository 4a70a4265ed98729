//! Models of the project: sensors, features, scenes in motion; memory and time.

use super::{active_set, anywhere, converge, difference, inverse_error, inverse_error_with, transition_error};
use crate::common::{from_text, load, model_file};
use saltus_math::Random;
use saltus_sim::derivative::{self, Inexact, Inverse, Report, Workspace};
use saltus_sim::finite_difference::Transition;
use saltus_sim::kinematics::coordinates;
use saltus_sim::options::Integrator;
use saltus_sim::{Data, Model};

/// Sensors of the humanoid and of a model with sensors of all kinds: C and D against differences.
#[test]
fn sensors() {
    for name in ["features/sensors.xml", "humanoid.xml"] {
        let mut model = load(model_file(name)).unwrap();
        converge(&mut model);
        model.options.integrator = Integrator::Euler;
        let (nv, na, nu, rows) = (model.size.nv, model.size.na, model.size.nu, model.size.nsensordata);
        let n = 2 * nv + na;
        let mut random = Random(5);
        for k in 0..3 {
            let mut base = Data::new(&model);
            anywhere(&model, &mut base, &mut random);
            saltus_sim::forward(&model, &mut base);
            let (mut C, mut D) = (vec![0.0; rows * n], vec![0.0; rows * nu]);
            let out = Transition { C: Some(&mut C), D: Some(&mut D), ..Default::default() };
            let mut work = Workspace::default();
            let report = derivative::transition(&model, &base, &mut work, out).unwrap();
            println!("{name} {k}: {rows} rows, {:?}", report.inexact);
            let other = |i: &Inexact| !matches!(i, Inexact::Sensor(_));
            if report.inexact.iter().any(other) {
                continue;
            }
            let exact: Vec<bool> = (0..rows)
                .map(|r| {
                    let of = |s: usize| {
                        let start = model.sensors.start[s] as usize;
                        (start..start + model.sensors.dim[s] as usize).contains(&r)
                    };
                    !report.inexact.iter().any(|i| matches!(i, Inexact::Sensor(s) if of(*s)))
                })
                .collect();
            let set = active_set(&model, &base);
            for c in 0..n + nu {
                let column = difference(if c < nv { 2e-5 } else { 1e-3 }, |h| {
                    let mut probe = base.clone();
                    if c < nv {
                        let mut unit = vec![0.0; nv];
                        unit[c] = 1.0;
                        coordinates::integrate(&model, &mut probe.state.q, &unit, h);
                    } else if c < 2 * nv {
                        probe.state.v[c - nv] += h;
                    } else if c < n {
                        probe.state.act[c - 2 * nv] += h;
                    } else {
                        probe.input.ctrl[c - n] += h;
                    }
                    saltus_sim::forward(&model, &mut probe);
                    (active_set(&model, &probe) == set).then(|| probe.sensor.clone())
                });
                let Some(column) = column else { continue };
                let scale = 1.0 + column.iter().fold(0.0f64, |s, x| s.max(x.abs()));
                for r in (0..rows).filter(|&r| exact[r]) {
                    let ours = if c < n { C[r * n + c] } else { D[r * nu + c - n] };
                    let error = (ours - column[r]).abs() / scale;
                    assert!(error < 1e-6, "{name} {k}: row {r}, column {c}: {ours} {} {error:e}", column[r]);
                }
            }
        }
    }
}

/// Random poses of the feature models that are in scope; what is reported as not exact is not
/// checked.
#[test]
fn feature_models() {
    for name in [
        "features/joints.xml",
        "features/actuators.xml",
        "features/tendons.xml",
        "features/constraints.xml",
        "features/fluid.xml",
        "features/contacts.xml",
        "features/contacts_elliptic.xml",
        "hand.xml",
    ] {
        let model = load(model_file(name)).unwrap();
        let mut random = Random(3);
        for k in 0..4 {
            let mut data = Data::new(&model);
            anywhere(&model, &mut data, &mut random);
            let mut report = Report::default();
            let errors = inverse_error(&model, &data, true, &mut report);
            if let (Some(errors), true) = (errors, report.exact()) {
                assert!(errors.iter().all(|e| *e <= 1e-8), "{name}, state {k}: {errors:?}");
            }
            println!("{name} {k}: {errors:?} {:?}", report.inexact);
        }
    }
}

/// Scenes in motion: everything that is said to be exact is.
#[test]
fn scenes() {
    for name in ["grasp.xml", "tower.xml", "cubes.xml", "dominoes.xml", "pile.xml", "humanoid.xml", "hand.xml"] {
        let mut model = load(model_file(name)).unwrap();
        converge(&mut model);
        let mut data = Data::new(&model);
        // Not at the border of the range.
        for (u, range) in data.input.ctrl.iter_mut().zip(&model.actuators.ctrl_range) {
            *u = 0.6 * range[0] + 0.4 * range[1];
        }
        let mut report = Report::default();
        if model.size.nv > 130 {
            println!("{name}: {} dofs", model.size.nv);
            continue;
        }
        for k in 0..3 {
            for _ in 0..70 {
                saltus_sim::step(&model, &mut data).unwrap();
            }
            let errors = transition_error(&model, &data, &mut report);
            println!("{name} {k}: step {errors:?}, {:?}", report.inexact);
            if let (Some(errors), true) = (errors, report.exact()) {
                assert!(errors.iter().all(|e| *e <= 1e-6), "{name}, state {k}: {errors:?}");
            }
            let mut probe = data.clone();
            saltus_sim::forward(&model, &mut probe);
            for (step, bound) in [(3e-5, 1e-8), (1e-6, 1e-6)] {
                let errors = inverse_error_with(&model, &probe, true, step, &mut report);
                let contacts = probe.contacts.len();
                println!("{name} {k}: {contacts} contacts, {errors:?}, {:?}", report.inexact);
                if let (Some(errors), true) = (errors, report.exact()) {
                    assert!(errors.iter().all(|e| *e <= bound), "{name}, state {k}: {errors:?}");
                }
            }
        }
    }
}

#[test]
fn derivatives_allocate_nothing_once_warm() {
    for name in ["humanoid.xml", "hand.xml", "features/constraints.xml"] {
        let mut model = load(model_file(name)).unwrap();
        model.options.integrator = Integrator::Implicit;
        let (nv, nu, n) = (model.size.nv, model.size.nu, 2 * model.size.nv + model.size.na);
        let mut data = Data::new(&model);
        for _ in 0..200 {
            saltus_sim::step(&model, &mut data).unwrap();
        }
        saltus_sim::forward(&model, &mut data);
        let mut work = Workspace::default();
        let (mut q, mut v, mut a) = (vec![0.0; nv * nv], vec![0.0; nv * nv], vec![0.0; nv * nv]);
        let (mut A, mut B) = (vec![0.0; n * n], vec![0.0; n * nu]);
        let mut run = || {
            let out = Inverse { dtau_dq: &mut q, dtau_dv: &mut v, dtau_da: &mut a };
            derivative::inverse(&model, &data, true, &mut work, out).unwrap();
            let out = Transition { A: Some(&mut A), B: Some(&mut B), ..Default::default() };
            derivative::transition(&model, &data, &mut work, out).unwrap();
        };
        run();
        assert_eq!(crate::counting::allocations(run), 0, "{name}");
    }
}

/// What a workspace holds of one model is nothing to another, even to one of the same sizes:
/// hinges, of which another has a child.
#[test]
fn a_workspace_serves_all_models() {
    let geom = r#"<geom size="0.05" mass="1"/>"#;
    let body = |axis: &str, inner: &str| {
        format!(r#"<body pos="0.3 0.1 0"><joint axis="{axis}" damping="0.1"/>{geom}{inner}</body>"#)
    };
    let first = body("0 1 0", &(body("1 0 0", &body("0 0 1", "")) + &body("0 1 1", "")));
    let second = body("0 1 0", &(body("1 0 0", "") + &body("0 0 1", &body("0 1 1", ""))));
    let mut shared = Workspace::default();
    for tree in [first, second] {
        let text = format!(r#"<mujoco><option integrator="implicit"/><worldbody>{tree}</worldbody></mujoco>"#);
        let model = from_text(&text);
        let mut data = Data::new(&model);
        data.state.v.copy_from_slice(&[0.5, -1.0, 2.0, 1.0]);
        saltus_sim::forward(&model, &mut data);
        let run = |work: &mut Workspace| {
            let mut found = [vec![0.0; 16], vec![0.0; 16], vec![0.0; 16], vec![0.0; 64]];
            let [q, v, a, A] = &mut found;
            derivative::inverse(&model, &data, false, work, Inverse { dtau_dq: q, dtau_dv: v, dtau_da: a }).unwrap();
            derivative::transition(&model, &data, work, Transition { A: Some(A), ..Default::default() }).unwrap();
            found
        };
        assert_eq!(run(&mut shared), run(&mut Workspace::default()));
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let mut model = load(model_file("humanoid.xml")).unwrap();
    let n = model.size.nv * model.size.nv;
    let (mut q, mut v, mut a) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut data = Data::new(&model);
    let mut work = Workspace::default();
    let mut run = |model: &Model, data: &Data, short: usize| {
        let out = Inverse { dtau_dq: &mut q[short..], dtau_dv: &mut v, dtau_da: &mut a };
        derivative::inverse(model, data, false, &mut work, out).map(|_| ())
    };
    assert_eq!(
        run(&model, &data, 0),
        Err(saltus_sim::data::Stale { needed: saltus_sim::Stage::Acceleration, have: data.stage() }.into())
    );
    saltus_sim::forward(&model, &mut data);
    assert!(matches!(run(&model, &data, 1), Err(derivative::DerivativeError::Size { name: "dtau_dq", .. })));
    assert_eq!(run(&model, &data, 0), Ok(()));
    model.options.integrator = Integrator::Interleaved;
    let mut work = Workspace::default();
    let error = derivative::transition(&model, &data, &mut work, Transition::default());
    assert!(error.unwrap_err().to_string().contains("interleaved"));
}

/// Times of derivatives and of what they replace, in µs:
/// `cargo test --release -- --ignored --nocapture timing`.
#[test]
#[ignore = "a measurement"]
fn timing() {
    let only = std::env::var("TIMING_MODEL").ok();
    for name in ["humanoid.xml", "hand.xml"].into_iter().filter(|n| only.as_deref().is_none_or(|o| o == *n)) {
        let model = load(model_file(name)).unwrap();
        let (nv, nu, n) = (model.size.nv, model.size.nu, 2 * model.size.nv + model.size.na);
        let mut data = Data::new(&model);
        for _ in 0..300 {
            saltus_sim::step(&model, &mut data).unwrap();
        }
        let time = |repeat: usize, f: &mut dyn FnMut()| {
            let mut best = f64::INFINITY;
            for _ in 0..5 {
                let start = std::time::Instant::now();
                for _ in 0..repeat {
                    f();
                }
                best = best.min(start.elapsed().as_secs_f64() * 1e6 / repeat as f64);
            }
            best
        };
        let mut stepping = data.clone();
        let step = time(500, &mut || saltus_sim::step(&model, &mut stepping).unwrap());
        saltus_sim::forward(&model, &mut data);
        let mut work = Workspace::default();
        let (mut q, mut v, mut a) = (vec![0.0; nv * nv], vec![0.0; nv * nv], vec![0.0; nv * nv]);
        let inverse = time(500, &mut || {
            let out = Inverse { dtau_dq: &mut q, dtau_dv: &mut v, dtau_da: &mut a };
            derivative::inverse(&model, &data, false, &mut work, out).unwrap();
        });
        let (mut A, mut B) = (vec![0.0; n * n], vec![0.0; n * nu]);
        let transition = time(500, &mut || {
            let out = Transition { A: Some(&mut A), B: Some(&mut B), ..Default::default() };
            derivative::transition(&model, &data, &mut work, out).unwrap();
        });
        let differences = time(5, &mut || {
            let out = Transition { A: Some(&mut A), B: Some(&mut B), ..Default::default() };
            saltus_sim::finite_difference::transition(&model, &data, 1e-6, true, out).unwrap();
        });
        let (contacts, rows) = (data.contacts.len(), data.constraints.len());
        println!(
            "{name}: nv {nv}, {contacts} contacts, {rows} rows; step {step:.1}, inverse {inverse:.1}, transition {transition:.1}, centered differences {differences:.0}"
        );
    }
}
