//! A plan as arrays: one per quantity for numpy, and one column per number for spreadsheets.

use crate::error::ensure;
use crate::table::Array;
use saltus_opt::problem::forces::ContactForce;
use saltus_opt::result::certify::Verdict;
use saltus_opt::result::names::{control_names, coordinate_names, dof_names};
use saltus_opt::result::plan::Plan;
use saltus_opt::solve::report::{Iteration, PathPoint};
use saltus_sim::Model;

fn filled(mut array: Array, values: &[f64]) -> Array {
    array.values = values.to_vec();
    array
}

/// All arrays of the motion, with T states. The K contacts of all states are concatenated; those of
/// state t are the entries from `contact_offset[t]` to `contact_offset[t + 1]`.
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
    let verdicts = |name: &str, of: fn(&Verdict) -> f64| {
        filled(Array::vector(name), &plan.verdicts.iter().map(of).collect::<Vec<_>>())
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
        verdicts("verdict", |v| v.residual),
        Array::indices("verdict_contacts", plan.verdicts.iter().map(|v| v.contacts)),
        verdicts("verdict_least_gap", |v| v.least_gap),
        filled(Array::vector("step_error"), &plan.step_errors),
    ]);
    arrays
}

/// time, q, v, a, u and τ, one column per number, with the names of joints and actuators.
pub fn named(plan: &Plan, model: &Model) -> Vec<Array> {
    let m = &plan.motion;
    let mut columns = vec![filled(Array::vector("time"), &m.time)];
    let (q, dof, control) = (coordinate_names(model), dof_names(model), control_names(model));
    for (prefix, names, values) in
        [("q", &q, &m.q), ("v", &dof, &m.v), ("a", &dof, &m.a), ("u", &control, &m.u), ("tau", &dof, &m.tau)]
    {
        for (i, name) in names.iter().enumerate() {
            let column: Vec<f64> = values.iter().skip(i).step_by(names.len()).copied().collect();
            columns.push(filled(Array::vector(&format!("{prefix}:{}", in_header(name))), &column));
        }
    }
    columns
}

/// A name without separators of columns and lines.
fn in_header(name: &str) -> String {
    name.replace([',', '\n', '\r'], "_")
}

/// Columns of the iterations; they are followed by those of the costs by term.
const ITERATION: [&str; 11] = [
    "iteration",
    "path",
    "smoothing",
    "cost",
    "merit",
    "unactuated",
    "violation",
    "step",
    "damping",
    "accepted",
    "seconds",
];
/// Prefix of the columns of costs.
const COST: &str = "cost:";
/// Columns of the continuation points.
const PATH_POINT: [&str; 10] = [
    "path",
    "smoothing",
    "hover",
    "reach",
    "cost",
    "violation",
    "force_at_distance",
    "penetration",
    "iterations",
    "seconds",
];

/// One column per name, from rows of numbers.
fn columns<const N: usize>(names: [&str; N], rows: impl Iterator<Item = [f64; N]>) -> Vec<Array> {
    let mut columns = names.map(Array::vector);
    for row in rows {
        columns.iter_mut().zip(row).for_each(|(column, number)| column.values.push(number));
    }
    columns.into()
}

/// The rows of a table whose first columns have these names.
fn rows<const N: usize>(columns: &[Array], names: [&str; N]) -> Result<Vec<[f64; N]>, String> {
    for (k, name) in names.iter().enumerate() {
        let found = columns.get(k).map_or("nothing", |column| &column.name);
        ensure(found == *name, || format!("column {}: expected {name}, found {found}", k + 1))?;
    }
    let count = columns.first().map_or(0, |column| column.values.len());
    Ok((0..count).map(|row| std::array::from_fn(|k| columns[k].values[row])).collect())
}

/// A nonnegative integer.
fn count(number: f64, what: &str) -> Result<usize, String> {
    let is_count = (0.0..=u32::MAX.into()).contains(&number) && number.fract() == 0.0;
    ensure(is_count, || format!("{what}: expected a whole number, found {number}"))?;
    Ok(number as usize)
}

/// The iterations, one row each.
pub fn convergence(plan: &Plan) -> Vec<Array> {
    let row = |i: &Iteration| {
        [
            i.number as f64,
            i.path,
            i.smoothing,
            i.cost,
            i.merit,
            i.unactuated,
            i.violation,
            i.step,
            i.damping,
            f64::from(u8::from(i.accepted)),
            i.seconds,
        ]
    };
    let mut columns = columns(ITERATION, plan.history.iter().map(row));
    for (k, term) in plan.terms.iter().enumerate() {
        let costs = plan.history.iter().map(|i| i.cost_by_term.get(k).copied().unwrap_or(0.0));
        let name = format!("{COST}{}", in_header(&term.to_string()));
        columns.push(filled(Array::vector(&name), &costs.collect::<Vec<_>>()));
    }
    columns
}

/// Names of the terms with costs in the table of the iterations.
pub fn cost_names(columns: &[Array]) -> Vec<&str> {
    columns.iter().filter_map(|column| column.name.strip_prefix(COST)).collect()
}

/// The iterations, from the columns that [`convergence`] makes.
pub fn history(columns: &[Array]) -> Result<Vec<Iteration>, String> {
    let rows = rows(columns, ITERATION)?;
    let costs = &columns[ITERATION.len()..];
    if let Some(other) = costs.iter().find(|column| !column.name.starts_with(COST)) {
        return Err(format!("expected columns {COST}…, found {}", other.name));
    }
    let iteration = |(k, row): (usize, [f64; 11])| -> Result<Iteration, String> {
        let [number, path, smoothing, cost, merit, unactuated, violation, step, damping, accepted, seconds] = row;
        let cost_by_term = costs.iter().map(|column| column.values[k]).collect();
        let number = count(number, "iteration")?;
        let accepted = accepted != 0.0;
        Ok(Iteration {
            number,
            path,
            smoothing,
            cost,
            cost_by_term,
            merit,
            unactuated,
            violation,
            step,
            damping,
            accepted,
            seconds,
        })
    };
    rows.into_iter().enumerate().map(iteration).collect()
}

/// The continuation points, one row each.
pub fn continuation(plan: &Plan) -> Vec<Array> {
    let row = |p: &PathPoint| {
        [
            p.path,
            p.smoothing,
            p.hover,
            p.reach,
            p.cost,
            p.violation,
            p.force_at_distance,
            p.penetration,
            p.iterations as f64,
            p.seconds,
        ]
    };
    columns(PATH_POINT, plan.path.iter().map(row))
}

/// The continuation points, from the columns that [`continuation`] makes.
pub fn path(columns: &[Array]) -> Result<Vec<PathPoint>, String> {
    let point = |row: [f64; 10]| -> Result<PathPoint, String> {
        let [path, smoothing, hover, reach, cost, violation, force_at_distance, penetration, iterations, seconds] = row;
        let iterations = count(iterations, "iterations")?;
        Ok(PathPoint {
            path,
            smoothing,
            hover,
            reach,
            cost,
            violation,
            force_at_distance,
            penetration,
            iterations,
            seconds,
        })
    };
    rows(columns, PATH_POINT)?.into_iter().map(point).collect()
}
