//! A plan as arrays: for numpy by quantity, for spreadsheets one column per number.

use crate::table::Array;
use saltus::Model;
use saltus::opt::problem::forces::ContactForce;
use saltus::opt::result::names::{control_names, coordinate_names, dof_names};
use saltus::opt::result::plan::Plan;
use saltus::opt::solve::report::{Iteration, PathPoint};

fn filled(mut array: Array, values: &[f64]) -> Array {
    array.values = values.to_vec();
    array
}

/// Everything of the motion, T states; K contacts of all states one after the other, those of state t from
/// `contact_offset[t]` to `contact_offset[t + 1]`.
pub fn arrays(plan: &Plan) -> Vec<Array> {
    let m = &plan.motion;
    let mut arrays = vec![
        filled(Array::vector("time"), &m.time),
        filled(Array::matrix("q", m.nq), &m.q),
        filled(Array::matrix("v", m.nv), &m.v),
        filled(Array::matrix("a", m.nv), &m.a),
        filled(Array::matrix("u", m.nu), &m.u),
        filled(Array::matrix("tau", m.nv), &m.tau),
    ];
    if !m.gains.is_empty() {
        arrays.push(filled(Array::tensor("gains", [m.nv, 2 * m.nv]), &m.gains));
    }
    let all = || m.contacts.iter().enumerate().flat_map(|(t, list)| list.iter().map(move |c| (t, c)));
    let offsets = m.contacts.iter().scan(0, |sum, list| {
        *sum += list.len();
        Some(*sum)
    });
    let vectors = |name: &str, of: fn(&ContactForce) -> [f64; 3]| {
        filled(Array::matrix(name, 3), &all().flat_map(|(_, c)| of(c)).collect::<Vec<_>>())
    };
    arrays.extend([
        Array::indices("contact_offset", core::iter::once(0).chain(offsets)),
        Array::indices("contact_step", all().map(|(t, _)| t)),
        Array::indices("contact_body", all().map(|(_, c)| c.body)),
        Array::indices("contact_other", all().map(|(_, c)| c.other)),
        vectors("contact_point", |c| c.point),
        vectors("contact_force", |c| c.force),
        vectors("contact_normal", |c| c.normal),
        filled(Array::vector("contact_gap"), &all().map(|(_, c)| c.gap).collect::<Vec<_>>()),
        filled(Array::vector("verdict"), &plan.verdicts.iter().map(|v| v.residual).collect::<Vec<_>>()),
    ]);
    arrays
}

/// time, q, v, a, u and τ, a column per number, with the names of joints and actuators.
pub fn named(plan: &Plan, model: &Model) -> Vec<Array> {
    let m = &plan.motion;
    let mut columns = vec![filled(Array::vector("time"), &m.time)];
    let (q, dof, control) = (coordinate_names(model), dof_names(model), control_names(model));
    for (prefix, names, values) in
        [("q", &q, &m.q), ("v", &dof, &m.v), ("a", &dof, &m.a), ("u", &control, &m.u), ("tau", &dof, &m.tau)]
    {
        for (i, name) in names.iter().enumerate() {
            let column: Vec<f64> = values.iter().skip(i).step_by(names.len()).copied().collect();
            columns.push(filled(Array::vector(&format!("{prefix}:{}", name.replace([',', '\n'], "_"))), &column));
        }
    }
    columns
}

pub fn convergence(plan: &Plan) -> Vec<Array> {
    let column = |name: &str, of: &dyn Fn(&Iteration) -> f64| {
        filled(Array::vector(name), &plan.history.iter().map(of).collect::<Vec<_>>())
    };
    let mut columns = vec![
        column("iteration", &|i| i.number as f64),
        column("path", &|i| i.path),
        column("smoothing", &|i| i.smoothing),
        column("cost", &|i| i.cost),
        column("merit", &|i| i.merit),
        column("unactuated", &|i| i.unactuated),
        column("violation", &|i| i.violation),
        column("step", &|i| i.step),
        column("damping", &|i| i.damping),
        column("accepted", &|i| f64::from(u8::from(i.accepted))),
        column("seconds", &|i| i.seconds),
    ];
    for (k, term) in plan.terms.iter().enumerate() {
        columns.push(column(&format!("cost:{term}"), &|i| i.cost_by_term.get(k).copied().unwrap_or(0.0)));
    }
    columns
}

pub fn continuation(plan: &Plan) -> Vec<Array> {
    let column = |name: &str, of: fn(&PathPoint) -> f64| {
        filled(Array::vector(name), &plan.path.iter().map(of).collect::<Vec<_>>())
    };
    vec![
        column("path", |p| p.path),
        column("smoothing", |p| p.smoothing),
        column("hover", |p| p.hover),
        column("reach", |p| p.reach),
        column("cost", |p| p.cost),
        column("violation", |p| p.violation),
        column("force_at_distance", |p| p.force_at_distance),
        column("penetration", |p| p.penetration),
        column("iterations", |p| p.iterations as f64),
        column("seconds", |p| p.seconds),
    ]
}
