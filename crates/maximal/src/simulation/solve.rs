//! The equations of a step: velocities and impulses from momenta and rows.

use super::Simulation;
use crate::bond::Bonds;
use crate::error::Error;
use crate::options::Solver;
use crate::rows::{Block, POSITION, Rows, VELOCITY};
use crate::sweeps::{Outcome, is_random};
use saltus_sim::{Data, Model};

impl Simulation {
    /// Velocities of all lanes.
    pub(super) fn solve(&mut self, model: &Model, data: &Data) -> Result<Outcome, Error> {
        self.update_momenta(model.options.timestep);
        let exact = self.options.solver != Solver::Sweeps;
        let bonded = !is_random(&self.options);
        if exact {
            self.exact.prepare(&self.links, &self.inertias, &mut self.rows);
        } else {
            self.update_responses(if bonded { self.rows.end_joints } else { 0 });
        }
        let mut lanes = if self.options.split_impulse { VELOCITY..POSITION + 1 } else { POSITION..POSITION + 1 };
        let alike = lanes.len() > 1 && exact && self.has_equal_lanes();
        if alike {
            lanes.end = POSITION;
        }
        let outcome = if exact {
            self.exact
                .solve(&self.options, &mut self.sweeps, &self.p, lanes, &mut self.V, &mut self.rows)
                .map_err(|e| at_time(e, data))?
        } else {
            lanes.clone().for_each(|lane| self.start_lane(lane));
            let relaxation = self.options.relaxation;
            let bonds = Bonds { frames: &self.frames, bodies: &self.bodies, inertias: &self.inertias, relaxation };
            let bonds = bonded.then_some(bonds);
            self.sweeps.solve(&self.options, bonds, &mut self.rows, 0, lanes, &mut self.V)
        };
        if alike {
            self.copy_lane();
        }
        if !self.options.split_impulse {
            self.rows.rows.iter_mut().for_each(|row| row.force[VELOCITY] = row.force[POSITION]);
        }
        Ok(outcome)
    }

    /// Momenta that the links would have without rows.
    fn update_momenta(&mut self, h: f64) {
        for link in 1..self.links.len() {
            self.p[link] = self.inertias.mul(link, &self.bodies.V[link]);
            self.p[link].add_scaled(h, &self.E[link]);
        }
    }

    /// Velocities that the momenta and the impulses at the start of sweeps make.
    fn start_lane(&mut self, lane: usize) {
        let V = &mut self.V[lane];
        V.copy_from_slice(&self.p);
        self.rows.add_impulses(0, lane, V);
        for link in 1..self.links.len() {
            V[link] = self.inertias.solve(link, &V[link]);
        }
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

    /// Responses M⁻¹ Jᵀ and diagonals of the rows from `first` on.
    fn update_responses(&mut self, first: usize) {
        let Rows { rows, jacobian, response, .. } = &mut self.rows;
        response.clear();
        for row in &mut rows[first..] {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Options, Order};
    use crate::rows::Bound;
    use crate::six::Six;

    /// Rows one after the other as the equations say, without groups, wrenches and schedules.
    fn sweep(rows: &mut Rows, first: usize, lane: usize, smoothing: f64, V: &mut [Six]) {
        for i in first..rows.len() {
            let row = rows.rows[i];
            let free = row.force[lane]
                + row.inv_diag * (row.target[lane] - row.compliance * row.force[lane] - rows.velocity(i, V));
            let bounded = match row.bound {
                Bound::None => free,
                Bound::OneSided => free.max(0.0),
                Bound::Constant(most) => free.clamp(-most, most),
                Bound::Friction { mu, normal } => {
                    let most = mu * rows.rows[normal as usize].force[lane];
                    free.clamp(-most, most)
                }
            };
            let smoothing = if row.bound == Bound::None { 0.0 } else { smoothing };
            let next = bounded + smoothing * (row.last[lane] - bounded);
            for block in rows.responses(i) {
                V[block.link as usize].add_scaled(next - row.force[lane], &block.value);
            }
            rows.rows[i].force[lane] = next;
        }
    }

    /// What the simulation does in its next step, by `sweep`: velocities and rows.
    fn plainly(simulation: &mut Simulation, model: &Model, data: &mut Data) -> (Vec<Six>, Rows) {
        simulation.update_position(model, data);
        simulation.build_rows(model, data);
        simulation.update_momenta(model.options.timestep);
        simulation.update_responses(0);
        simulation.start_lane(POSITION);
        let (mut V, mut rows) = (simulation.V[POSITION].clone(), simulation.rows.clone());
        let (options, friction) = (simulation.options, rows.end_normals);
        for _ in 0..options.iterations {
            sweep(&mut rows, 0, POSITION, options.smoothing, &mut V);
        }
        for _ in 0..options.friction_sweeps {
            sweep(&mut rows, friction, POSITION, options.smoothing, &mut V);
        }
        (V, rows)
    }

    #[test]
    fn sweeps_are_those_of_single_rows() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/humanoid.xml");
        let model = saltus_sim::compile(&saltus_io::read_file(path).unwrap()).unwrap();
        let quick = Options { order: Order::Grouped, iterations: 20, ..Options::plain() };
        let published = Options { iterations: 20, ..Options::default() };
        for options in [quick, published] {
            let mut data = Data::new(&model);
            let mut simulation = Simulation::new(&model, options).unwrap();
            (0..300).for_each(|_| _ = simulation.step(&model, &mut data).unwrap());
            let (mut copy, mut same) = (simulation.clone(), data.clone());
            let (V, rows) = plainly(&mut copy, &model, &mut same);
            assert!(rows.len() > rows.end_normals, "the humanoid lies on the ground");
            simulation.step(&model, &mut data).unwrap();
            let largest = rows.rows.iter().map(|r| r.force[POSITION].abs()).fold(0.0, f64::max);
            for (a, b) in simulation.rows.rows.iter().zip(&rows.rows) {
                let (a, b) = (a.force[POSITION], b.force[POSITION]);
                assert!((a - b).abs() < 1e-11 * largest, "{a} instead of {b}");
            }
            for (a, b) in simulation.V[POSITION].iter().zip(&V) {
                a.0.iter().zip(b.0).for_each(|(a, b)| assert!((a - b).abs() < 1e-11, "{a} instead of {b}"));
            }
        }
    }
}
