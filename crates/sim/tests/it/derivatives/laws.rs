//! Inverse dynamics and steps under the impulse, the invertible and the compliant law.

use super::contacts::{BOX, CAPSULE, SPHERE, pair_text, touching};
use super::steps::{DRIVEN, JOINED};
use super::{active_set, anywhere, converge, difference, inverse_error_with, on_the_floor, transition_error_with};
use crate::common::{from_text, load, model_file};
use saltus_math::Random;
use saltus_sim::derivative::{self, Inexact, Inverse, Report, Workspace};
use saltus_sim::finite_difference::{self, Transition};
use saltus_sim::inverse;
use saltus_sim::options::law::{Law, Stabilizer};
use saltus_sim::options::{Enable, Integrator};
use saltus_sim::{Data, Model};

fn under(mut model: Model, law: Law) -> Model {
    model.options.laws.law = law;
    converge(&mut model);
    model
}

fn file(name: &str, law: Law) -> Model {
    under(load(model_file(name)).unwrap(), law)
}

/// Sizes of steps in q, and what the differences are good for.
struct Probe {
    wanted: usize,
    step: f64,
    bound: f64,
}

/// Checks inverse dynamics at states until the active set of enough of them is constant nearby.
fn check(model: &Model, what: &str, probe: Probe, mut place: impl FnMut(&mut Data, &mut Random)) {
    let mut random = Random(7);
    let (mut states, mut rows, mut worst, mut inexact) = (0, 0, [0.0f64; 3], 0);
    for k in 0..12 * probe.wanted {
        let mut data = Data::new(model);
        place(&mut data, &mut random);
        let mut report = Report::default();
        let Some(errors) = inverse_error_with(model, &data, k % 2 == 1, probe.step, &mut report) else { continue };
        if !report.exact() {
            inexact += 1;
            continue;
        }
        inverse(model, &mut data).unwrap();
        let active = |i: &usize| data.constraints.kind[*i] as i32 >= 5 && data.constraints.force[*i] != 0.0;
        rows += (0..data.constraints.len()).filter(active).count();
        worst.iter_mut().zip(errors).for_each(|(w, e)| *w = w.max(e));
        assert!(errors.iter().all(|e| *e <= probe.bound), "{what}, state {k}: {errors:?}");
        states += 1;
        if states == probe.wanted {
            break;
        }
    }
    println!("{what}: {states} states, {rows} contact rows, {inexact} not exact, worst errors {worst:?}");
    assert_eq!(states, probe.wanted, "{what}");
}

/// The same for steps.
fn check_steps(model: &Model, what: &str, probe: Probe, mut place: impl FnMut(&mut Data, &mut Random)) {
    let mut random = Random(11);
    let (mut states, mut worst, mut inexact) = (0, [0.0f64; 4], 0);
    for k in 0..12 * probe.wanted {
        let mut data = Data::new(model);
        place(&mut data, &mut random);
        let mut report = Report::default();
        let Some(errors) = transition_error_with(model, &data, probe.step, &mut report) else { continue };
        if !report.exact() {
            inexact += 1;
            continue;
        }
        worst.iter_mut().zip(errors).for_each(|(w, e)| *w = w.max(e));
        assert!(errors.iter().all(|e| *e <= probe.bound), "{what}, state {k}: {errors:?}");
        states += 1;
        if states == probe.wanted {
            break;
        }
    }
    println!("{what}: steps from {states} states, {inexact} not exact, worst errors {worst:?}");
    assert_eq!(states, probe.wanted, "{what}");
}

#[test]
fn impulse_inverse_of_the_humanoid() {
    for stabilizer in [Stabilizer::Guarded, Stabilizer::Published] {
        let mut model = file("humanoid.xml", Law::Impulse);
        model.options.laws.impulse.stabilizer = stabilizer;
        check(&model, "humanoid", Probe { wanted: 6, step: 1e-6, bound: 1e-6 }, |data, random| {
            on_the_floor(&model, data, random);
            random.fill(&mut data.input.ctrl, 0.5);
        });
    }
}

#[test]
fn impulse_steps_of_the_humanoid() {
    let model = file("humanoid.xml", Law::Impulse);
    check_steps(&model, "humanoid", Probe { wanted: 4, step: 1e-6, bound: 1e-6 }, |data, random| {
        on_the_floor(&model, data, random);
        random.fill(&mut data.input.ctrl, 0.5);
    });
}

#[test]
fn impulse_equalities_and_actuators() {
    for (text, name) in [(JOINED, "joined"), (DRIVEN, "driven")] {
        let mut model = under(from_text(text), Law::Impulse);
        // Limits that are far violated: with the usual stiffness the solver's round-off is all that
        // small steps see.
        model.options.laws.impulse.softness = 1e-3;
        check(&model, name, Probe { wanted: 6, step: 1e-6, bound: 1e-6 }, |data, random| {
            anywhere(&model, data, random)
        });
        check_steps(&model, name, Probe { wanted: 3, step: 1e-4, bound: 1e-6 }, |data, random| {
            anywhere(&model, data, random)
        });
    }
}

#[test]
fn invertible_inverse_of_the_humanoid() {
    let model = file("humanoid.xml", Law::Invertible);
    check(&model, "humanoid", Probe { wanted: 6, step: 1e-7, bound: 1e-6 }, |data, random| {
        on_the_floor(&model, data, random);
        random.fill(&mut data.input.ctrl, 0.5);
    });
}

#[test]
fn invertible_steps_of_the_humanoid() {
    let model = file("humanoid.xml", Law::Invertible);
    check_steps(&model, "humanoid", Probe { wanted: 4, step: 1e-6, bound: 1e-6 }, |data, random| {
        on_the_floor(&model, data, random);
        random.fill(&mut data.input.ctrl, 0.5);
    });
}

#[test]
fn invertible_equalities_and_actuators() {
    for (text, name) in [(JOINED, "joined"), (DRIVEN, "driven")] {
        let model = under(from_text(text), Law::Invertible);
        check(&model, name, Probe { wanted: 6, step: 1e-6, bound: 1e-6 }, |data, random| {
            anywhere(&model, data, random)
        });
        check_steps(&model, name, Probe { wanted: 3, step: 1e-5, bound: 1e-6 }, |data, random| {
            anywhere(&model, data, random)
        });
    }
}

#[test]
fn compliant_humanoid_in_all_integrators() {
    for integrator in
        [Integrator::Euler, Integrator::ImplicitFast, Integrator::Implicit, Integrator::Discrete, Integrator::Rk4]
    {
        let mut model = file("humanoid.xml", Law::Compliant);
        model.options.integrator = integrator;
        if integrator == Integrator::Rk4 {
            // What touches must be the same in all stages.
            model.options.timestep = 2e-4;
        }
        let name = format!("humanoid, {integrator:?}");
        check(&model, &name, Probe { wanted: 3, step: 1e-6, bound: 1e-6 }, |data, random| {
            on_the_floor(&model, data, random);
            random.fill(&mut data.input.ctrl, 0.5);
        });
        check_steps(&model, &name, Probe { wanted: 2, step: 1e-6, bound: 1e-6 }, |data, random| {
            on_the_floor(&model, data, random);
            random.fill(&mut data.input.ctrl, 0.5);
        });
    }
}

#[test]
fn compliant_equalities_and_actuators() {
    for (text, name) in [(JOINED, "joined"), (DRIVEN, "driven")] {
        let model = under(from_text(text), Law::Compliant);
        check(&model, name, Probe { wanted: 6, step: 1e-6, bound: 1e-6 }, |data, random| {
            anywhere(&model, data, random)
        });
        check_steps(&model, name, Probe { wanted: 3, step: 1e-5, bound: 1e-6 }, |data, random| {
            anywhere(&model, data, random)
        });
    }
}

/// Errors of ∂τ/∂q, ∂τ/∂v and ∂τ/∂a at the best of several steps, where the active set is constant
/// over one of them: a wrong derivative agrees with no step. The invertible law has curvature at
/// very small scales (limits of light joints).
fn best_error(model: &Model, data: &Data, report: &mut Report) -> Option<[f64; 3]> {
    let mut best: Option<[f64; 3]> = None;
    let steps = [1e-6, 1e-7, 1e-8, 1e-9, 1e-10];
    let count = if model.options.laws.law == Law::Impulse { 3 } else { 5 };
    for step in steps.into_iter().take(count) {
        let Some(errors) = inverse_error_with(model, data, true, step, report) else { continue };
        let least = best.map_or(errors, |b| std::array::from_fn(|k| b[k].min(errors[k])));
        best = Some(least);
        if least.iter().all(|e| *e < 1e-7) || !report.exact() {
            break;
        }
    }
    best
}

/// Random poses of feature models; what is reported as not exact is not checked.
#[test]
fn feature_models() {
    let names = ["joints", "actuators", "tendons", "constraints", "contacts", "contacts_elliptic"];
    for law in [Law::Impulse, Law::Invertible, Law::Compliant] {
        let mut checked = 0;
        for name in names.map(|n| format!("features/{n}.xml")).iter().map(String::as_str).chain(["hand.xml"]) {
            let model = file(name, law);
            let mut random = Random(3);
            for k in 0..4 {
                let mut data = Data::new(&model);
                anywhere(&model, &mut data, &mut random);
                let mut report = Report::default();
                let errors = best_error(&model, &data, &mut report);
                println!("{law:?} {name} {k}: {errors:?} {:?}", report.inexact);
                if let (Some(errors), true) = (errors, report.exact()) {
                    assert!(errors.iter().all(|e| *e <= 1e-6), "{law:?}, {name}, state {k}: {errors:?}");
                    checked += 1;
                }
            }
        }
        assert!(checked >= 8, "{law:?}: {checked}");
    }
}

/// Contacts of one, three, four and six dimensions.
#[test]
fn pairs_of_shapes() {
    for law in [Law::Impulse, Law::Invertible, Law::Compliant] {
        for (dim, first, second) in [(1, SPHERE, CAPSULE), (3, CAPSULE, BOX), (4, SPHERE, BOX), (6, CAPSULE, CAPSULE)] {
            let model = under(from_text(&pair_text(first, second, dim)), law);
            let (mut random, mut checked) = (Random(9), 0);
            for k in 0..12 {
                let mut data = Data::new(&model);
                touching(&model, &mut data, &mut random);
                let mut report = Report::default();
                let errors = best_error(&model, &data, &mut report);
                if let (Some(errors), true) = (errors, report.exact()) {
                    assert!(errors.iter().all(|e| *e <= 1e-6), "{law:?}, {dim}, state {k}: {errors:?}");
                    checked += 1;
                }
            }
            println!("{law:?}: {first} on {second}, {dim}: {checked} states");
            assert!(checked >= 6, "{law:?}, {dim}: {checked}");
        }
    }
}

/// Two bodies of many points, of which some are near the floor and each other and some are at the
/// end of the reach; the second is before the first in one of their contacts with each other, and
/// behind it in the other.
const PLATES: &str = r#"<mujoco><worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 0.1" euler="0 1 0.4"><freejoint/>
      <geom type="box" size="0.2 0.2 0.02" mass="3"/>
      <geom size="0.02" pos="0.05 0.25 0.03"/><geom size="0.02" pos="0.07 0.3 0.031"/>
      <geom size="0.02" pos="-0.2 -0.2 -0.08"/><geom size="0.02" pos="0.2 -0.2 -0.08"/>
      <geom size="0.02" pos="-0.2 0.2 -0.08"/><geom size="0.02" pos="0.2 0.2 -0.08"/>
      <body pos="0 0 -0.05"><geom size="0.02" pos="0 0 -0.03" condim="6" friction="0.8 0.02 0.01"/></body></body>
    <body pos="0 0 0.169" euler="0 1 0.5"><freejoint/>
      <geom type="box" size="0.1 0.1 0.01" pos="0.05 0.25 -0.005" mass="2"/>
      <geom size="0.02" pos="-0.1 -0.1 -0.03"/><geom size="0.02" pos="0.1 -0.1 -0.03"/><geom size="0.02" pos="0 0.1 -0.03"/></body>
  </worldbody></mujoco>"#;

/// Under the invertible law with walls contacts of the same bodies share their load by their
/// distances.
#[test]
fn contacts_that_share_a_load() {
    let model = under(from_text(PLATES), Law::Invertible);
    let place = |data: &mut Data, random: &mut Random| {
        let mut shift = [0.0; 12];
        random.fill(&mut shift, 0.004);
        data.state.q[2] += shift[0];
        data.state.q[9] += shift[0] + 0.5 * shift[1];
        random.fill(&mut data.state.v, 0.3);
        random.fill(&mut data.acceleration.a, 10.0);
    };
    check(&model, "plates", Probe { wanted: 6, step: 1e-7, bound: 1e-6 }, place);
    check_steps(&model, "plates", Probe { wanted: 3, step: 1e-6, bound: 1e-6 }, place);
}

const BELT: &str = r#"<mujoco><worldbody>
    <geom type="plane" size="5 5 1" surfacevel="0.4 -0.2 0 0 0 0"/>
    <body pos="1 0 1"><joint axis="0 1 0.2"/><geom type="box" size="0.3 0.3 0.1" surfacevel="0.1 0 0 0 0 -1"/></body>
    <body pos="0 0 0.0995"><freejoint/><geom size="0.1" adhesion="4" condim="4"/></body>
    <body pos="1 0 1.199"><freejoint/><geom size="0.1" adhesion="3" condim="6" friction="0.8 0.02 0.01"/></body>
    <body pos="2 0 0.08"><freejoint/><geom type="capsule" size="0.08 0.2" euler="90 0 0" condim="1"/></body>
  </worldbody></mujoco>"#;

/// Moving surfaces, adhesion, contacts without friction.
#[test]
fn belts_and_adhesion() {
    for law in [Law::Impulse, Law::Invertible, Law::Compliant] {
        let model = under(from_text(BELT), law);
        let place = |data: &mut Data, random: &mut Random| {
            random.fill(&mut data.state.v, 0.5);
            random.fill(&mut data.acceleration.a, 20.0);
        };
        let name = format!("{law:?}, belts");
        check(&model, &name, Probe { wanted: 6, step: 1e-7, bound: 1e-6 }, place);
        check_steps(&model, &name, Probe { wanted: 2, step: 1e-6, bound: 1e-6 }, place);
    }
}

/// Integrators whose steps have nothing implicit.
#[test]
fn explicit_steps() {
    for law in [Law::Impulse, Law::Invertible, Law::Compliant] {
        for integrator in [Integrator::Explicit, Integrator::Midpoint, Integrator::SemiImplicit] {
            let mut model = file("humanoid.xml", law);
            model.options.integrator = integrator;
            let name = format!("{law:?}, {integrator:?}");
            check(&model, &name, Probe { wanted: 1, step: 1e-7, bound: 1e-6 }, |data, random| {
                on_the_floor(&model, data, random)
            });
            check_steps(&model, &name, Probe { wanted: 1, step: 1e-6, bound: 1e-6 }, |data, random| {
                on_the_floor(&model, data, random);
                hold(&model, data);
            });
        }
    }
}

/// Controls that are not at the border of their range.
fn hold(model: &Model, data: &mut Data) {
    for (u, range) in data.input.ctrl.iter_mut().zip(&model.actuators.ctrl_range) {
        *u = 0.6 * range[0] + 0.4 * range[1];
    }
}

/// Scenes in motion: everything that is said to be exact is.
#[test]
fn scenes() {
    let mut checked = 0;
    for law in [Law::Impulse, Law::Invertible, Law::Compliant] {
        for name in ["grasp.xml", "humanoid.xml", "hand.xml"] {
            let model = file(name, law);
            let mut data = Data::new(&model);
            hold(&model, &mut data);
            for k in 0..3 {
                for _ in 0..70 {
                    saltus_sim::step(&model, &mut data).unwrap();
                }
                let mut probe = data.clone();
                saltus_sim::forward(&model, &mut probe);
                let mut report = Report::default();
                let errors = best_error(&model, &probe, &mut report);
                println!("{law:?} {name} {k}: {} contacts, {errors:?} {:?}", probe.contacts.len(), report.inexact);
                if let (Some(errors), true) = (errors, report.exact()) {
                    assert!(errors.iter().all(|e| *e <= 1e-6), "{law:?}, {name}, state {k}: {errors:?}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked >= 11, "{checked}");
}

/// Sensors of the humanoid in contact: C and D against differences of forward dynamics.
#[test]
fn sensors() {
    for law in [Law::Impulse, Law::Invertible, Law::Compliant] {
        let model = file("humanoid.xml", law);
        let (nv, nu, rows) = (model.size.nv, model.size.nu, model.size.nsensordata);
        let n = 2 * nv + model.size.na;
        let (mut random, mut columns) = (Random(5), 0);
        for _ in 0..2 {
            let mut base = Data::new(&model);
            on_the_floor(&model, &mut base, &mut random);
            hold(&model, &mut base);
            saltus_sim::forward(&model, &mut base);
            let (mut C, mut D) = (vec![0.0; rows * n], vec![0.0; rows * nu]);
            let out = Transition { C: Some(&mut C), D: Some(&mut D), ..Default::default() };
            let mut work = Workspace::default();
            // Some sensors are differenced; everything else is exact.
            let mut exact = vec![true; rows];
            for what in &derivative::transition(&model, &base, &mut work, out).unwrap().inexact {
                let Inexact::Sensor(s) = what else { panic!("{law:?}: {what:?}") };
                let start = model.sensors.start[*s] as usize;
                exact[start..start + model.sensors.dim[*s] as usize].fill(false);
            }
            let set = active_set(&model, &base);
            for c in nv..n + nu {
                let column = difference(if c < n { 1e-5 } else { 1e-3 }, |h| {
                    let mut probe = base.clone();
                    if c < n {
                        probe.state.v[c - nv] += h
                    } else {
                        probe.input.ctrl[c - n] += h
                    }
                    saltus_sim::forward(&model, &mut probe);
                    (active_set(&model, &probe) == set).then(|| probe.sensor.clone())
                });
                let Some(column) = column else { continue };
                columns += 1;
                let scale = 1.0 + column.iter().fold(0.0f64, |s, x| s.max(x.abs()));
                for (r, x) in column.iter().enumerate().filter(|(r, _)| exact[*r]) {
                    let ours = if c < n { C[r * n + c] } else { D[r * nu + c - n] };
                    assert!((ours - x).abs() < 1e-6 * scale, "{law:?}: row {r}, column {c}: {ours} {x}");
                }
            }
        }
        assert!(rows > 0 && columns > 30, "{law:?}: {columns}");
    }
}

#[test]
fn derivatives_allocate_nothing_once_warm() {
    for law in [Law::Impulse, Law::Invertible, Law::Compliant] {
        let model = file("humanoid.xml", law);
        let (nv, nu, n) = (model.size.nv, model.size.nu, 2 * model.size.nv + model.size.na);
        let mut data = Data::new(&model);
        for _ in 0..100 {
            saltus_sim::step(&model, &mut data).unwrap();
        }
        saltus_sim::forward(&model, &mut data);
        assert!(!data.contacts.is_empty());
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
        assert_eq!(crate::counting::allocations(run), 0, "{law:?}");
    }
}

/// The flag invdiscrete changes nothing where the acceleration of the dynamics is that of the step.
#[test]
fn inverse_of_steps() {
    let mut model = file("humanoid.xml", Law::Invertible);
    let n = model.size.nv * model.size.nv;
    let run = |model: &Model| {
        let mut data = Data::new(model);
        on_the_floor(model, &mut data, &mut Random(3));
        inverse(model, &mut data).unwrap();
        let (mut q, mut v, mut a) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        let out = Inverse { dtau_dq: &mut q, dtau_dv: &mut v, dtau_da: &mut a };
        derivative::inverse(model, &data, false, &mut Workspace::default(), out).map(|_| ())?;
        Ok::<_, derivative::DerivativeError>((data.acceleration.tau_inverse, q, v, a))
    };
    let plain = run(&model).unwrap();
    model.options.enable.set(Enable::INVDISCRETE, true);
    assert!(run(&model).unwrap() == plain);
    model.options.laws.law = Law::Soft;
    assert!(run(&model).unwrap_err().to_string().contains("invdiscrete"));
}

#[test]
fn what_cannot_be_done_is_said() {
    let step = |model: &Model| {
        let mut data = Data::new(model);
        saltus_sim::forward(model, &mut data);
        let mut work = Workspace::default();
        derivative::transition(model, &data, &mut work, Transition::default()).map(|_| ()).unwrap_err().to_string()
    };
    let mut model = under(from_text(JOINED), Law::Impulse);
    model.options.laws.impulse.equality_softness = 0.0;
    assert!(step(&model).contains("hard equalities"));
    model.options.laws.law = Law::Lcp;
    assert!(step(&model).contains("lcp"));
    model.options.laws.law = Law::Invertible;
    model.options.laws.invertible.restitution = 0.5;
    assert!(step(&model).contains("restitution"));
}

/// At rest velocities are round-off: nothing may depend on their sign or direction.
#[test]
fn a_car_at_rest_on_its_wheels_under_the_impulse_law() {
    let wheel = |x: f64, y: f64| {
        format!(
            "<body pos='{x} {y} 0'><joint name='w{x}{y}' axis='0 1 0' damping='.01'/><geom size='.1' mass='.5'/></body>"
        )
    };
    let wheels: String = [(-0.3, -0.2), (-0.3, 0.2), (0.3, -0.2), (0.3, 0.2)].map(|(x, y)| wheel(x, y)).concat();
    let mut model = from_text(&format!(
        "<mujoco><worldbody><geom type='plane' size='5 5 .1'/><body pos='0 0 .1'><freejoint/>
           <geom type='box' size='.3 .15 .05' mass='5' contype='0' conaffinity='0'/>{wheels}</body></worldbody>
         <actuator><motor joint='w0.30.2'/><motor joint='w-0.3-0.2'/></actuator></mujoco>"
    ));
    model.options.laws.law = Law::Impulse;
    let mut data = Data::new(&model);
    for _ in 0..1000 {
        saltus_sim::step(&model, &mut data).unwrap();
    }
    saltus_sim::forward(&model, &mut data);
    assert!(data.contacts.len() == 4 && data.state.v.iter().all(|v| v.abs() < 1e-8), "{:?}", data.state.v);
    let (nv, nu, n) = (model.size.nv, model.size.nu, 2 * model.size.nv);
    let (mut A, mut B) = (vec![0.0; n * n], vec![0.0; n * nu]);
    let out = Transition { A: Some(&mut A), B: Some(&mut B), ..Transition::default() };
    let mut work = Workspace::default();
    assert!(derivative::transition(&model, &data, &mut work, out).unwrap().exact());
    for step in [1e-6, 1e-7, 1e-8] {
        let (mut by_x, mut by_u) = (vec![0.0; n * n], vec![0.0; n * nu]);
        let out = Transition { A: Some(&mut by_x), B: Some(&mut by_u), ..Transition::default() };
        finite_difference::transition(&model, &data, step, true, out).unwrap();
        let (mut wrong, mut size): (f64, f64) = (0.0, 0.0);
        // ∂v⁺/∂v: differences in q this large leave the contact.
        for i in (nv..n).flat_map(|row| (nv..n).map(move |col| row * n + col)) {
            (wrong, size) = (wrong + (A[i] - by_x[i]).powi(2), size + by_x[i].powi(2));
        }
        let (by_v, by_u) = ((wrong / size).sqrt(), crate::common::difference(&B, &by_u));
        assert!(by_v < 1e-4 && by_u < 1e-8, "{step}: {by_v:.1e} {by_u:.1e}");
    }
}
