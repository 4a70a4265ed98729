//! What is kept of a simulation: one row per sample.

use anyhow::{Result, ensure};
use saltus::sim::constraint::contact_force;
use saltus::store::table::{Array, MAX_NUMBERS};
use saltus::{Data, Model};

/// Names of the recorded arrays, in this order.
pub const NAMES: [&str; 10] =
    ["time", "q", "v", "act", "ctrl", "sensor", "energy", "contacts", "contact_force", "iterations"];

/// The samples so far.
#[derive(Debug)]
pub struct Record {
    arrays: Vec<Array>,
}

impl Record {
    /// An empty record with capacity for `samples` samples; an error if they would not fit in
    /// memory.
    pub fn new(model: &Model, samples: usize) -> Result<Self> {
        let size = &model.size;
        let cols = [1, size.nq, size.nv, size.na, size.nu, size.nsensordata, 2, 1, 1, 1];
        let per_sample: usize = cols.iter().sum();
        ensure!(
            samples.saturating_mul(per_sample) <= MAX_NUMBERS,
            "{samples} samples of {per_sample} numbers are more than 1 GiB; record fewer with --every"
        );
        let array = |(name, cols): (&&str, usize)| match *name {
            "q" | "v" | "act" | "ctrl" | "sensor" | "energy" => Array::matrix(name, cols),
            _ => Array::vector(name),
        };
        Ok(Self { arrays: NAMES.iter().zip(cols).map(array).collect() })
    }

    /// Appends the current state and inputs. Call before a step.
    pub fn push_state(&mut self, data: &Data) {
        let state = &data.state;
        let parts: [&[f64]; 5] = [&[state.time], &state.q, &state.v, &state.act, &data.input.ctrl];
        for (array, part) in self.arrays.iter_mut().zip(parts) {
            array.values.extend_from_slice(part);
        }
    }

    /// Appends the results for the last appended state. Call after the step that computed them.
    pub fn push_results(&mut self, data: &Data) {
        let count = [data.contacts.len() as f64];
        let force = [normal_force(data)];
        let iterations = [f64::from(data.constraints.report.iterations)];
        let parts: [&[f64]; 5] = [&data.sensor, &data.energy, &count, &force, &iterations];
        for (array, part) in self.arrays.iter_mut().skip(5).zip(parts) {
            array.values.extend_from_slice(part);
        }
    }

    /// The nonempty arrays, truncated to complete samples.
    pub fn finish(mut self) -> Vec<Array> {
        let rows = self.arrays.iter().filter(|a| a.cols > 0).map(Array::rows).min().unwrap_or(0);
        for array in &mut self.arrays {
            array.values.truncate(rows * array.cols);
        }
        self.arrays.retain(|a| a.cols > 0);
        self.arrays
    }
}

/// Sum of the normal forces of all contacts, N.
fn normal_force(data: &Data) -> f64 {
    data.contacts.iter().map(|c| contact_force(data, c)[0]).sum()
}
