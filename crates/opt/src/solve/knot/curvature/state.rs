//! A step whose state is changed a little and restored, as terms see it.

use crate::problem::Evaluation;
use crate::problem::rows::{Knot, Part, Rows};
use crate::solve::knot::KnotInput;
use saltus_sim::data::Data;
use saltus_sim::inverse_forces_from;
use saltus_sim::kinematics::coordinates::integrate;
use saltus_sim::kinematics::{update_body_velocity, update_com, update_kinematics};
use saltus_sim::{NoCallbacks, Stage};

/// q, v, a, τ.
pub(super) const PARTS: usize = 4;
pub(super) const Q: usize = 0;
pub(super) const V: usize = 1;
pub(super) const A: usize = 2;
pub(super) const TAU: usize = 3;

pub(super) fn index(part: Part) -> usize {
    match part {
        Part::Q => Q,
        Part::V => V,
        Part::A => A,
        Part::Tau => TAU,
    }
}

/// How the data of a changed state is brought up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Positions and velocities of bodies.
    Kinematics,
    Everything,
}

/// The numbers of a state.
#[derive(Clone, Debug, Default)]
pub(super) struct Base {
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    tau: Vec<f64>,
}

pub(super) struct State<'a> {
    pub input: &'a KnotInput<'a>,
    pub data: &'a mut Data,
    pub a: &'a mut [f64],
    pub tau: &'a mut [f64],
}

impl State<'_> {
    pub fn save(&self, base: &mut Base) {
        base.q.clone_from(&self.data.state.q);
        base.v.clone_from(&self.data.state.v);
        base.a.clear();
        base.a.extend_from_slice(self.a);
        base.tau.clear();
        base.tau.extend_from_slice(self.tau);
    }

    pub fn restore(&mut self, base: &Base) {
        self.data.state.q.copy_from_slice(&base.q);
        self.data.state.v.copy_from_slice(&base.v);
        self.data.acceleration.a.copy_from_slice(&base.a);
        self.a.copy_from_slice(&base.a);
        self.tau.copy_from_slice(&base.tau);
    }

    /// What a change of q by 1 is for a part.
    pub fn unit(&self, part: usize) -> f64 {
        let h = self.input.problem.h();
        [1.0, 1.0 / h, 1.0 / (h * h), 1.0 / (h * h)][part]
    }

    pub fn change(&mut self, part: usize, by: &[f64]) {
        let add = |x: &mut [f64]| x.iter_mut().zip(by).for_each(|(x, by)| *x += by);
        match part {
            Q => integrate(&self.input.problem.model, &mut self.data.state.q, by, 1.0),
            V => add(&mut self.data.state.v),
            A => {
                add(self.a);
                add(&mut self.data.acceleration.a);
            }
            _ => add(self.tau),
        }
    }

    /// Brings data up to date after a change of q, v or a; false if there are no results.
    pub fn refresh(&mut self, pass: Pass) -> bool {
        let (model, data) = (&self.input.problem.model, &mut *self.data);
        match pass {
            Pass::Kinematics => {
                update_kinematics(model, data);
                update_com(model, data);
                update_body_velocity(model, data);
                true
            }
            Pass::Everything => inverse_forces_from(model, data, Stage::None, &mut NoCallbacks).is_ok(),
        }
    }

    /// What a term writes at the present state.
    pub fn evaluate(&self, term: usize, rows: &mut Rows) {
        let KnotInput { problem, t, q_next, .. } = *self.input;
        let end = problem.evaluation == Evaluation::End && q_next.is_some();
        let knot = Knot {
            model: &problem.model,
            data: self.data,
            t: if end { t + 1 } else { t },
            steps: problem.steps,
            h: problem.h(),
            has_force: q_next.is_some(),
            a: self.a,
            tau: self.tau,
        };
        rows.clear(true);
        problem.terms[term].term.evaluate(&knot, rows);
    }
}
