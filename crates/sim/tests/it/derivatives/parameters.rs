//! Derivatives by parameters, against extrapolated differences of models whose numbers are really
//! changed.

mod cases;

use super::{active_set, converge, difference, run};
use saltus_math::Random;
use saltus_sim::derivative::parameter::{Parameter, Quantity as Q, StepBy, inverse_by, transition_by};
use saltus_sim::derivative::{Report, Workspace};
use saltus_sim::kinematics::coordinates;
use saltus_sim::model::kinds::{SameFrame, WrapKind};
use saltus_sim::options::Integrator;
use saltus_sim::options::law::Law;
use saltus_sim::{Data, Model};
use std::collections::BTreeMap;

/// The model without the compiler's shortcuts for offsets that are zero, and with frictions that
/// differ.
fn plain(mut model: Model) -> Model {
    model.bodies.same_frame.fill(SameFrame::Own);
    model.geoms.same_frame.fill(SameFrame::Own);
    let parents: Vec<Option<u32>> = model.dofs.parent.iter().map(|p| p.map(|d| d.0)).collect();
    model.mass_pattern.rebuild(parents.into_iter());
    for (g, friction) in model.geoms.friction.iter_mut().enumerate() {
        *friction = friction.map(|x| x * (1.0 + 0.02 * (g * 7 % 31) as f64));
    }
    converge(&mut model);
    model
}

/// Step of the differences: what moves surfaces changes stiff forces.
fn step_of(model: &Model, parameter: Parameter) -> f64 {
    match parameter.quantity {
        Q::BodyPos | Q::GeomPos | Q::GeomSize | Q::JointRange | Q::TendonRange => 1e-5,
        _ => 1e-2 * parameter.value(model).unwrap().abs().max(0.1),
    }
}

/// Whether differences on both sides make sense: what is zero may act on one side only.
fn is_two_sided(model: &Model, parameter: Parameter) -> bool {
    let zero = parameter.value(model).unwrap() == 0.0;
    let implicit = model.options.scheme() == Integrator::Discrete;
    !zero
        || match parameter.quantity {
            Q::JointDamping | Q::JointFrictionLoss | Q::TendonFrictionLoss => false,
            Q::JointStiffness | Q::TendonStiffness | Q::TendonDamping => !implicit,
            Q::ActuatorGain | Q::ActuatorBias => !implicit || parameter.component == 0,
            _ => true,
        }
}

/// The parameters that are compared, `offsets` of bodies among them or not.
fn chosen(model: &Model, offsets: bool) -> Vec<Parameter> {
    // Places and sizes of obstacles are not exact, and said not to be.
    let wraps = &model.wraps;
    let around = |g: usize, w: usize| {
        matches!(wraps.kind[w], WrapKind::Sphere | WrapKind::Cylinder) && wraps.object[w] as usize == g
    };
    let obstacle = |p: Parameter| {
        matches!(p.quantity, Q::GeomPos | Q::GeomSize) && (0..wraps.kind.len()).any(|w| around(p.element, w))
    };
    let mut parameters = Parameter::all(model);
    if model.options.laws.law == Law::Invertible && parameters.len() > 250 {
        // Some of each kind: the law is slow.
        parameters.retain(|p| (p.element + p.component).is_multiple_of(3));
    }
    parameters.retain(|&p| is_two_sided(model, p) && (offsets || p.quantity != Q::BodyPos) && !obstacle(p));
    parameters
}

/// Number of columns compared, and the largest relative error, by quantity.
type Tally = BTreeMap<String, (usize, f64)>;

fn compare(
    (model, base, parameter): (&Model, &Data, Parameter),
    (ours, scale): (&[f64], f64),
    f: impl Fn(&Model, &mut Data) -> Vec<f64>,
    what: &str,
    tally: &mut Tally,
) {
    let (set, largest) = (active_set(model, base), step_of(model, parameter));
    let invertible = model.options.laws.law == Law::Invertible;
    let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
    // What round-off leaves of differences.
    let floor = 1e-12 * scale / largest;
    let tolerance = if invertible { 1e-6 } else { 1e-7 };
    let (mut wrong, mut size, mut column) = (f64::INFINITY, 0.0, vec![]);
    // The invertible law has curvature at very small scales, and under the impulse law contacts are
    // so hard that what the solver leaves is seen; a wrong derivative agrees with no step.
    let factors: &[f64] = match model.options.laws.law {
        Law::Invertible => &[1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7],
        Law::Impulse => &[1.0, 10.0, 30.0, 0.1],
        _ => &[1.0],
    };
    for &factor in factors {
        let found = difference(factor * largest, |h| {
            let (mut changed, mut probe) = (model.clone(), base.clone());
            *parameter.number(&mut changed).unwrap() += h;
            let result = f(&changed, &mut probe);
            (active_set(&changed, &probe) == set).then_some(result)
        });
        let Some(found) = found else { continue };
        let error = norm(&mut ours.iter().zip(&found).map(|(a, b)| a - b));
        if error < wrong {
            (wrong, size, column) = (error, norm(&mut found.iter().copied()), found);
        }
        if wrong <= tolerance * size + floor {
            break;
        }
    }
    if wrong == f64::INFINITY {
        return;
    }
    let name = parameter.name(model);
    assert!(
        wrong <= tolerance * size + floor,
        "{what}, {name}: {wrong:e} of {size:e}, floor {floor:e}\n{ours:?}\n{column:?}"
    );
    if size > 10.0 * floor {
        let entry = tally.entry(format!("{:?}", parameter.quantity)).or_default();
        *entry = (entry.0 + 1, entry.1.max(wrong / size));
    }
}

fn check_inverse(
    (model, base): (&Model, &mut Data),
    actuation: bool,
    offsets: bool,
    what: &str,
    tally: &mut Tally,
) -> Report {
    let parameters = chosen(model, offsets);
    let (nv, np) = (model.size.nv, parameters.len());
    // Twice: which actuators are at their limits is seen by the second only.
    run(model, base);
    run(model, base);
    let mut ours = vec![f64::NAN; nv * np];
    let mut work = Workspace::default();
    let report = inverse_by(model, base, actuation, &parameters, &mut work, &mut ours).unwrap().clone();
    if !report.exact() {
        return report;
    }
    let force = |model: &Model, data: &mut Data| {
        run(model, data);
        let given = if actuation { 1.0 } else { 0.0 };
        let pairs = data.acceleration.tau_inverse.iter().zip(&data.acceleration.tau_actuator);
        pairs.map(|(f, u)| f - given * u).collect()
    };
    let scale = base.acceleration.tau_inverse.iter().fold(1.0f64, |s, x| s.max(x.abs()));
    for (p, &parameter) in parameters.iter().enumerate() {
        let column: Vec<f64> = (0..nv).map(|i| ours[i * np + p]).collect();
        compare((model, base, parameter), (&column, scale), force, what, tally);
    }
    report
}

fn check_step((model, base): (&Model, &mut Data), offsets: bool, what: &str, tally: &mut Tally) -> Report {
    let parameters = chosen(model, offsets);
    let (nv, na, np) = (model.size.nv, model.size.na, parameters.len());
    saltus_sim::forward(model, base);
    let n = 2 * nv + na;
    let (mut dx, mut da) = (vec![f64::NAN; n * np], vec![f64::NAN; nv * np]);
    let mut work = Workspace::default();
    let out = StepBy { dx: Some(&mut dx), da: Some(&mut da) };
    let report = transition_by(model, base, &parameters, &mut work, out).unwrap().clone();
    if !report.exact() {
        return report;
    }
    let mut after = base.clone();
    saltus_sim::step(model, &mut after).unwrap();
    let h = model.options.timestep;
    // The state after the step, velocities as what they are of the step, and the acceleration.
    let stages = model.options.integrator == Integrator::Rk4;
    let next = |model: &Model, data: &mut Data| {
        // Runge–Kutta steps report the mean acceleration, and leave the rows of their last stage.
        saltus_sim::forward(model, data);
        let a = data.acceleration.a.clone();
        let steady = !stages || active_set(model, data) == active_set(model, base);
        saltus_sim::step(model, data).unwrap();
        if !steady {
            data.constraints.clear();
        }
        let mut change = vec![0.0; nv];
        coordinates::difference(model, &after.state.q, &data.state.q, 1.0, &mut change);
        change.iter_mut().for_each(|x| *x /= h * h);
        change.extend(data.state.v.iter().zip(&after.state.v).map(|(a, b)| (a - b) / h));
        change.extend(data.state.act.iter().zip(&after.state.act).map(|(a, b)| (a - b) / h));
        change.extend(&a);
        change
    };
    let mut scale = base.acceleration.a.iter().fold(1.0f64, |s, x| s.max(x.abs())).max(4e-3 / (h * h));
    if model.options.laws.law != Law::Soft {
        // Contacts are nearly hard: the solver leaves some 1e-11 of their forces, which shakes
        // light bodies (the error of differences of steps by q falls with the step in the same
        // way). `parity/parameters.py` needs no differences.
        scale *= 3000.0;
    }
    for (p, &parameter) in parameters.iter().enumerate() {
        let weight = |i: usize| if i < nv { h * h } else { h };
        let mut column: Vec<f64> = (0..n).map(|i| dx[i * np + p] / weight(i)).collect();
        column.extend((0..nv).map(|i| da[i * np + p]));
        compare((model, base, parameter), (&column, scale), next, what, tally);
    }
    report
}

/// Checks random states; gives what was compared.
fn check(model: &Model, states: usize, what: &str, place: impl FnMut(&Model, &mut Data, &mut Random)) -> Tally {
    check_some(model, states, true, what, place)
}

fn check_some(
    model: &Model,
    states: usize,
    offsets: bool,
    what: &str,
    mut place: impl FnMut(&Model, &mut Data, &mut Random),
) -> Tally {
    let (mut random, mut tally) = (Random(7), Tally::new());
    for k in 0..states {
        let mut data = Data::new(model);
        place(model, &mut data, &mut random);
        let name = format!("{what}, state {k}");
        let report = match k % 3 {
            2 => check_step((model, &mut data), offsets, &name, &mut tally),
            actuation => check_inverse((model, &mut data), actuation == 1, offsets, &name, &mut tally),
        };
        if !report.exact() {
            println!("{name}: {:?}", report.inexact);
        }
    }
    println!("{what}: {tally:?}");
    tally
}
