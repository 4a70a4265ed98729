//! Joints and loops put together again after a step with exact velocities: semi-implicit Euler
//! leaves errors of O(h²).
//!
//! Newton's method on the position errors in the metric of the inertias, min ½ dxᵀ M dx with J dx =
//! −e, which moves no centre of mass of a free tree; two iterations reach round-off. The second has
//! the factors of the first, whose J differs as little as the first has moved the links.

use crate::attachment::Attached;
use crate::exact::Exact;
use crate::inertia::Inertias;
use crate::joint::Frame;
use crate::links::Links;
use crate::report::JointError;
use crate::rows::{At, Kind, POSITION, Rows, push_attachments, push_equalities, push_joints};
use crate::six::Six;
use crate::state::Bodies;
use crate::{Error, coordinates};
use saltus_sim::{Data, Model};

/// Errors that are left, m or rad.
const TOLERANCE: f64 = 1e-13;
/// A contradiction between equalities that is an error, m or rad.
const CONTRADICTION: f64 = 1e-6;
const MOST_ITERATIONS: usize = 8;
/// Share of an error that an iteration leaves from which on factors are made anew.
const SLOW: f64 = 0.01;

/// What projection needs besides the model.
#[derive(Debug)]
pub struct Projection<'a> {
    pub links: &'a Links,
    pub exact: &'a mut Exact,
    pub inertias: &'a mut Inertias,
    pub rows: &'a mut Rows,
    pub attachments: &'a [Option<Attached>],
    pub p: &'a mut [Six],
    pub dx: &'a mut [Six],
}

impl Projection<'_> {
    /// Moves the links to where joints and equalities hold, and writes q and v to `data`.
    pub fn run(
        &mut self,
        model: &Model,
        bodies: &mut Bodies,
        frames: &mut [Frame],
        data: &mut Data,
    ) -> Result<JointError, Error> {
        self.p.fill(Six::ZERO);
        let mut error = JointError::default();
        // Error and rows for which there are factors.
        let (mut last, mut factored) = (0.0, 0);
        for iteration in 0..=MOST_ITERATIONS {
            error = coordinates::export(model, self.links, bodies, frames, data);
            self.build(model, bodies, frames, data);
            let worst = self.rows.rows.iter().map(|row| row.target[POSITION].abs()).fold(0.0, f64::max);
            if worst <= TOLERANCE || iteration == MOST_ITERATIONS {
                break;
            }
            if worst > SLOW * last || self.rows.len() != factored {
                factored = self.rows.len();
                self.inertias.update(self.links, bodies, frames, 0.0);
                self.exact.prepare(self.links, self.inertias, self.rows);
            }
            last = worst;
            self.exact.bilateral(self.p, POSITION, self.dx, self.rows);
            self.check(model, data)?;
            for link in 1..self.links.len() {
                bodies.advance(link, &self.dx[link], 1.0);
            }
        }
        Ok(error)
    }

    /// Rows J dx = −e.
    fn build(&mut self, model: &Model, bodies: &Bodies, frames: &[Frame], data: &Data) {
        let at = At { links: self.links, bodies, frames, correction: 1.0, mixing: 0.0, h: 1.0, split: false };
        self.rows.clear();
        push_joints(&at, self.rows);
        self.rows.end_joints = self.rows.len();
        self.rows.end_soft = self.rows.len();
        push_equalities(&at, model, data, self.rows);
        push_attachments(&at, self.attachments, self.rows);
        self.rows.end_bilateral = self.rows.len();
        self.rows.end_normals = self.rows.len();
    }

    fn check(&self, model: &Model, data: &Data) -> Result<(), Error> {
        match self.exact.loops.contradiction(POSITION, self.dx, self.rows) {
            Some((row, residual)) if residual > CONTRADICTION => {
                let constraint = match self.rows.rows[row].kind {
                    Kind::Equality { id } => format!("equality {:?}", model.equalities.name[id as usize]),
                    Kind::Attachment { id } => format!("attachment {id}"),
                    _ => return Ok(()),
                };
                Err(Error::OverDetermined { constraint, time: data.state.time, residual })
            }
            _ => Ok(()),
        }
    }
}
