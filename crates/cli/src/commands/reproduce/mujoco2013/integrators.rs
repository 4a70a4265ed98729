//! §2.3: the five integrators. The manual says what to expect of them on smooth systems and leaves
//! contact open ("the advantages of RK4 are less clear and remain to be investigated"). Error of
//! the coordinates at the end against the time step: a double pendulum, and a box that is thrown
//! onto a plane, bounces off an edge and slides.

use super::super::{Reproduction, column, power_law};
use super::model;
use crate::plot::{Axis, Mark, Panel};
use anyhow::{Result, anyhow};
use saltus::sim::options::Integrator;
use saltus::store::table::Array;
use saltus::{Data, Model};
use std::fmt::Write;

const PENDULUM: &str = "<mujoco><worldbody>
  <body><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 -.5' size='.03' mass='1'/>
    <body pos='0 0 -.5'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 -.4' size='.03' mass='.6'/></body>
  </body></worldbody></mujoco>";

const THROWN: &str = "<mujoco><worldbody><geom type='plane' size='9 9 .1' friction='.5'/>
  <body pos='0 0 .4' euler='0 20 0'><freejoint/><geom type='box' size='.15 .1 .05' mass='1' friction='.5'/></body>
  </worldbody></mujoco>";

const SCHEMES: [(&str, Integrator, f64); 5] = [
    ("explicit", Integrator::Explicit, 1.0),
    ("midpoint", Integrator::Midpoint, 1.0),
    ("semi-implicit", Integrator::SemiImplicit, 1.0),
    ("RK4", Integrator::Rk4, 4.0),
    ("interleaved", Integrator::Interleaved, 4.0),
];

/// Time steps, largest first: halved each time, so that every one divides the time that is
/// simulated.
const STEPS: usize = 7;
const LARGEST: f64 = 0.02;

/// Coordinates at the end of `time` seconds.
fn end(model: &mut Model, start: &Data, scheme: Integrator, h: f64, time: f64) -> Result<Vec<f64>> {
    (model.options.integrator, model.options.timestep) = (scheme, h);
    let mut data = start.clone();
    for _ in 0..(time / h).round() as usize {
        saltus::step(model, &mut data).map_err(|e| anyhow!("{e}"))?;
    }
    Ok(data.state.q)
}

/// Errors of all schemes, rows by time step; the reference is the scheme's own limit.
fn errors(xml: &str, time: f64, reference: (Integrator, f64), start: impl Fn(&mut Data)) -> Result<Vec<Vec<f64>>> {
    let mut model = model(xml)?;
    (model.options.tolerance, model.options.laws.impulse.iterations) = (1e-14, 500.0);
    let mut data = Data::new(&model);
    start(&mut data);
    let exact = end(&mut model, &data, reference.0, reference.1, time)?;
    let mut rows = Vec::new();
    for k in 0..STEPS {
        let h = LARGEST / f64::from(1 << k);
        let mut row = Vec::new();
        for (_, scheme, _) in SCHEMES {
            let q = end(&mut model, &data, scheme, h, time)?;
            row.push(q.iter().zip(&exact).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt());
        }
        rows.push(row);
    }
    Ok(rows)
}

pub fn run() -> Result<Reproduction> {
    let h: Vec<f64> = (0..STEPS).map(|k| LARGEST / f64::from(1 << k)).collect();
    let smooth = errors(PENDULUM, 1.0, (Integrator::Rk4, LARGEST / 256.0), |d| d.state.q.copy_from_slice(&[1.0, 0.5]))?;
    let throw = |d: &mut Data| d.state.v[..6].copy_from_slice(&[1.5, 0.0, 0.0, 0.0, 3.0, 0.0]);
    let contact = errors(THROWN, 1.0, (Integrator::SemiImplicit, LARGEST / 2048.0), throw)?;
    // Orders from the middle of the range: large steps are not in the limit yet, small ones at
    // round-off.
    let order = |rows: &[Vec<f64>], k: usize| {
        let picked: Vec<(f64, f64)> = h.iter().zip(rows).map(|(h, r)| (*h, r[k])).filter(|(_, e)| *e > 1e-12).collect();
        let (x, y): (Vec<f64>, Vec<f64>) = picked.into_iter().unzip();
        power_law(&x, &y)
    };
    let mut text = format!(
        "  {:<14} {:>13} {:>13} {:>9} {:>15} {:>13}\n",
        "", "smooth: error", "order", "expected", "contact: error", "order"
    );
    let mut rows = Vec::new();
    for (k, (name, _, expected)) in SCHEMES.iter().enumerate() {
        let (o_smooth, o_contact) = (order(&smooth, k), order(&contact, k));
        let middle = STEPS / 2;
        _ = writeln!(
            text,
            "  {name:<14} {:>13.2e} {o_smooth:>13.2} {expected:>9} {:>15.2e} {o_contact:>13.2}",
            smooth[middle][k], contact[middle][k]
        );
        rows.push(serde_json::json!({
            "integrator": name, "smooth_order": o_smooth, "expected_order": expected, "contact_order": o_contact,
            "timestep": h, "smooth_error": smooth.iter().map(|r| r[k]).collect::<Vec<_>>(),
            "contact_error": contact.iter().map(|r| r[k]).collect::<Vec<_>>(),
        }));
    }
    _ = writeln!(
        text,
        "  errors at h = {} s after 1 s; in contact no scheme is of higher order than one",
        h[STEPS / 2]
    );
    let lines = || SCHEMES.iter().enumerate().map(|(k, (name, ..))| (k, (*name).to_owned())).collect::<Vec<_>>();
    let x = Axis { array: "h", unit: " s", log: true };
    let panel =
        |title: &str, array| Panel { title: title.into(), array, lines: lines(), x, log: true, published: Vec::new() };
    // A line of the order that the manual expects, a little below one of our curves.
    let power =
        |order: i32, from: f64| Mark::Curve(h.iter().map(|x| [*x, 0.2 * from * (x / h[0]).powi(order)]).collect());
    let matrix = |name: &str, rows: &[Vec<f64>]| Array { values: rows.concat(), ..Array::matrix(name, SCHEMES.len()) };
    Ok(Reproduction {
        title: "Five integrators under the impulse law".into(),
        text,
        json: serde_json::json!({ "rows": rows }),
        panels: vec![
            panel("double pendulum: error of the coordinates after 1 s, against the time step", "smooth")
                .beside("order 1", power(1, smooth[0][2]))
                .beside("order 4", power(4, smooth[0][3])),
            panel("thrown box: error of the coordinates after 1 s, against the time step", "contact")
                .beside("in words: gain of RK4 unclear", Mark::Words),
        ],
        arrays: vec![column("h", h.clone()), matrix("smooth", &smooth), matrix("contact", &contact)],
    })
}
