//! Sources of controls for a simulation.

use anyhow::{Result, bail, ensure};
use saltus::math::Random;
use saltus::store::table::{self, Array};
use saltus::{Data, Model};
use std::path::Path;

/// Time for which random controls are held, s.
const HOLD: f64 = 0.05;

/// A source of controls.
#[derive(Debug)]
pub enum Control {
    /// The controls of the keyframe, or zero without one.
    Fixed,
    /// All zero.
    Zero,
    /// Uniformly distributed in the control range ([−1, 1] for unlimited controls), held for 0.05
    /// s.
    Random { generator: Random, next: f64 },
    /// Rows of a file: one per step, or selected by time if the file has a column of times; the
    /// last row is held.
    Rows { time: Option<Vec<f64>>, rows: Vec<f64> },
}

impl Control {
    /// `zero`, `random` or a file name.
    pub fn parse(text: Option<&str>, seed: u64, model: &Model) -> Result<Self> {
        match text {
            None => Ok(Self::Fixed),
            Some("zero") => Ok(Self::Zero),
            Some("random") => Ok(Self::Random { generator: Random(seed), next: f64::NEG_INFINITY }),
            Some(file) => from_file(Path::new(file), model.size.nu),
        }
    }

    /// Sets the controls for step number `step`.
    pub fn apply(&mut self, step: usize, model: &Model, data: &mut Data) {
        let time = data.state.time;
        match self {
            Self::Fixed => {}
            Self::Zero => data.input.ctrl.fill(0.0),
            Self::Random { generator, next } => {
                if time >= *next {
                    *next = time + HOLD;
                    for (i, u) in data.input.ctrl.iter_mut().enumerate() {
                        let [low, high] = control_range(model, i);
                        *u = low + (high - low) * generator.unit();
                    }
                }
            }
            Self::Rows { time: times, rows } => {
                let nu = model.size.nu;
                let count = rows.len() / nu.max(1);
                let row = match times {
                    // The last row whose time has come. The tolerance allows for round-off in
                    // accumulated times.
                    Some(times) => times.partition_point(|&t| t <= time + 1e-9).saturating_sub(1),
                    None => step,
                };
                let start = row.min(count.saturating_sub(1)) * nu;
                data.input.ctrl.copy_from_slice(&rows[start..start + nu]);
            }
        }
    }
}

/// Range of control `i` of the model; [−1, 1] if it is unlimited.
fn control_range(model: &Model, i: usize) -> [f64; 2] {
    if model.actuators.ctrl_limited[i] { model.actuators.ctrl_range[i] } else { [-1.0, 1.0] }
}

fn from_file(path: &Path, nu: usize) -> Result<Control> {
    let arrays = table::read(path)?;
    let file = path.display();
    let time = arrays.iter().find(|a| a.name == "time");
    let named: Vec<&Array> = arrays.iter().filter(|a| a.name == "ctrl" || a.name.starts_with("ctrl[")).collect();
    // In a file without column names all columns are controls.
    let columns = if named.is_empty() { arrays.iter().filter(|a| a.name != "time").collect() } else { named };
    let width: usize = columns.iter().map(|a| a.cols).sum();
    if width != nu {
        let with_time = if time.is_some() { " beside the time" } else { "" };
        let found = format!("{width} columns of controls{with_time}");
        bail!("{file}: expected {nu} columns, one per control of the model (and optionally `time`), found {found}");
    }
    let count = columns.first().map_or(0, |a| a.rows());
    ensure!(nu > 0, "{file}: the model has no controls");
    ensure!(columns.iter().all(|a| a.rows() == count) && count > 0, "{file}: expected columns of the same length");
    let mut rows: Vec<f64> = Vec::with_capacity(count * nu);
    for k in 0..count {
        rows.extend(columns.iter().flat_map(|a| a.row(k)));
    }
    ensure!(rows.iter().all(|u| u.is_finite()), "{file}: expected finite controls");
    let time = time.map(|t| t.values.clone());
    if let Some(time) = &time {
        ensure!(time.len() == count, "{file}: {} times for {count} rows of controls", time.len());
        ensure!(time.is_sorted(), "{file}: expected times in ascending order");
    }
    Ok(Control::Rows { time, rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_has_its_own_range() {
        let xml = "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody><actuator>
            <pid joint='j' posrange='-2 2' velrange='-3 3'/><motor joint='j' ctrlrange='-5 5'/><motor joint='j'/></actuator></mujoco>";
        let model = saltus::compile(&saltus::io::read_str(xml, &Default::default()).unwrap()).unwrap();
        let ranges: Vec<_> = (0..model.size.nu).map(|i| control_range(&model, i)[1]).collect();
        assert_eq!(ranges, [2.0, 3.0, 5.0, 1.0]);
    }
}
