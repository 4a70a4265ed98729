//! §2.5.2: "in the limit λ → ∞ the solution to the soft constraint converges to the solution of the
//! hard constraint, at a rate λ⁻¹". A four-bar linkage, closed by an equality, in motion.

use super::super::{Reproduction, column, power_law};
use super::model;
use crate::plot::{Axis, Mark, Panel};
use anyhow::Result;
use saltus::Data;
use saltus::sim::options::Solver;
use std::fmt::Write;

const LINKAGE: &str = "<mujoco><option timestep='0.001'/><worldbody>
  <body><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .4 0 0' size='.02' mass='1'/>
    <body pos='.4 0 0'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .3 0 .3' size='.02' mass='.7'/>
      <body name='rocker' pos='.3 0 .3'><joint axis='0 1 0'/>
        <geom type='capsule' fromto='0 0 0 .2 0 -.1' size='.02' mass='.5'/></body>
    </body>
  </body></worldbody>
  <equality><connect body1='rocker' body2='world' anchor='.2 0 -.1'/></equality></mujoco>";

pub fn run() -> Result<Reproduction> {
    let mut model = model(LINKAGE)?;
    model.options.laws.impulse.solver = Solver::Pgs;
    let mut data = Data::new(&model);
    data.state.v.copy_from_slice(&[1.0, -2.0, 0.5]);
    let mut next = |lambda: f64| {
        (model.options.laws.impulse.lambda, model.options.laws.impulse.equality_softness) = (lambda, 0.0);
        saltus::forward(&model, &mut data);
        let h = model.options.timestep;
        data.state.v.iter().zip(&data.acceleration.a).map(|(v, a)| v + h * a).collect::<Vec<f64>>()
    };
    let hard = next(0.0);
    let lambda: Vec<f64> = (2..=24).map(|k| 10f64.powf(0.25 * f64::from(k) + 1.0)).collect();
    let error: Vec<f64> =
        lambda.iter().map(|&l| next(l).iter().zip(&hard).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()).collect();
    // The rate is that of large weights.
    let tail = lambda.len() / 2;
    let rate = power_law(&lambda[tail..], &error[tail..]);
    let mut text = format!("  {:>10} {:>14}\n", "λ", "|v' − v' hard|");
    for (l, e) in lambda.iter().zip(&error).step_by(2) {
        _ = writeln!(text, "  {l:>10.1e} {e:>14.3e}");
    }
    _ = writeln!(text, "  rate: λ^{rate:.3} (published: λ^-1)");
    let rows: Vec<_> = lambda.iter().zip(&error).map(|(l, e)| serde_json::json!({ "lambda": l, "error": e })).collect();
    let (at, level) = (lambda[tail], error[tail]);
    let inverse = lambda.iter().map(|l| [*l, level * at / l]).collect();
    Ok(Reproduction {
        title: "Soft equalities become hard".into(),
        text,
        json: serde_json::json!({ "rows": rows, "rate": rate, "published_rate": -1.0 }),
        panels: vec![
            Panel {
                title: "distance of the next velocity from that under hard equalities (rad/s), against λ".into(),
                array: "error",
                lines: vec![(0, String::new())],
                x: Axis { array: "lambda", unit: "", log: true },
                log: true,
                published: Vec::new(),
            }
            .beside("proportional to 1/λ", Mark::Curve(inverse)),
        ],
        arrays: vec![column("lambda", lambda), column("error", error)],
    })
}
