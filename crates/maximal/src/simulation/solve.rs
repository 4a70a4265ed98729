//! The equations of a step: velocities and impulses from momenta and rows.

use super::Simulation;
use crate::error::Error;
use crate::options::Solver;
use crate::rows::{Block, POSITION, Rows, VELOCITY};
use crate::sweeps::Outcome;
use saltus_sim::{Data, Model};

impl Simulation {
    /// Velocities of all lanes.
    pub(super) fn solve(&mut self, model: &Model, data: &Data) -> Result<Outcome, Error> {
        let h = model.options.timestep;
        for link in 1..self.links.len() {
            self.p[link] = self.inertias.mul(link, &self.bodies.V[link]);
            self.p[link].add_scaled(h, &self.E[link]);
        }
        let exact = self.options.solver != Solver::Sweeps;
        if exact {
            self.exact.prepare(&self.links, &self.inertias, &mut self.rows);
        } else {
            self.update_responses();
        }
        let mut lanes = if self.options.split_impulse { VELOCITY..POSITION + 1 } else { POSITION..POSITION + 1 };
        let alike = lanes.len() > 1 && exact && self.has_equal_lanes();
        if alike {
            lanes.end = POSITION;
        }
        let outcome = if exact {
            self.exact
                .solve(&self.options, &mut self.sweeps, (&self.p, lanes), &mut self.V, &mut self.rows)
                .map_err(|e| at_time(e, data))?
        } else {
            lanes.clone().for_each(|lane| self.start_lane(lane));
            self.sweeps.solve(&self.options, &mut self.rows, 0, lanes, &mut self.V)
        };
        if alike {
            self.copy_lane();
        }
        if !self.options.split_impulse {
            self.rows.rows.iter_mut().for_each(|row| row.force[VELOCITY] = row.force[POSITION]);
        }
        Ok(outcome)
    }

    /// Velocities that the momenta and the impulses at the start of sweeps make.
    fn start_lane(&mut self, lane: usize) {
        let V = &mut self.V[lane];
        for link in 1..self.links.len() {
            V[link] = self.inertias.solve(link, &self.p[link]);
        }
        self.rows.add_responses(0, lane, V);
    }

    /// Whether both lanes ask for the same: nothing is to be corrected.
    fn has_equal_lanes(&self) -> bool {
        self.rows.rows.iter().all(|row| row.target[VELOCITY] == row.target[POSITION])
    }

    fn copy_lane(&mut self) {
        let [velocity, position] = &mut self.V;
        position.copy_from_slice(velocity);
        self.rows.rows.iter_mut().for_each(|row| row.force[POSITION] = row.force[VELOCITY]);
    }

    /// Responses M⁻¹ Jᵀ and diagonals of all rows.
    fn update_responses(&mut self) {
        let Rows { rows, jacobian, response, .. } = &mut self.rows;
        response.clear();
        for row in rows {
            row.response_first = response.len() as u32;
            row.response_count = row.count;
            let mut mobility = 0.0;
            for block in &jacobian[row.first as usize..(row.first + row.count) as usize] {
                let value = self.inertias.solve(block.link as usize, &block.value);
                mobility += value.dot(&block.value);
                response.push(Block { value, link: block.link });
            }
            let diagonal = mobility + row.compliance;
            row.inv_diag = if diagonal > 0.0 { 1.0 / diagonal } else { 0.0 };
        }
    }

    /// Largest violation of a bilateral row by the velocities that are kept.
    pub(super) fn velocity_error(&self) -> f64 {
        let lane = if self.options.split_impulse { VELOCITY } else { POSITION };
        let violated = |i: usize| {
            let row = &self.rows.rows[i];
            (self.rows.velocity(i, &self.V[lane]) + row.compliance * row.force[lane] - row.target[lane]).abs()
        };
        self.rows.bilateral().map(violated).fold(0.0, f64::max)
    }
}

fn at_time(error: Error, data: &Data) -> Error {
    match error {
        Error::Pivoting { rows, .. } => Error::Pivoting { rows, time: data.state.time },
        other => other,
    }
}
