//! Responses of rows under the law of a model: their forces at the current state, and the
//! derivatives of these.
//!
//! One file per law. The rest of `derivative` accesses rows through [`Answers`] only and does not
//! depend on the law.

mod compliant;
mod impulse;
mod invertible;
mod soft;

use super::DerivativeError;
use super::outer::Stiffness;
use crate::constraint::Settings;
use crate::data::{Block, Data};
use crate::law::compliant::Compliant;
use crate::law::invertible::{Distance, Linear, WIDTH};
use crate::model::Model;
use crate::options::law::Law;
use compliant::Springs;
use impulse::Impulse;
use invertible::Invertible;
use saltus_math::Vec3;

/// Maps between the six directions of a contact: normal, two tangential, one torsional, two
/// rolling.
pub(super) type Map = [[f64; 6]; 6];

/// Force of a contact, with
///   ∂f = −H (∂c(a) + b ∘ ∂c(v) + (s · ∂c(v), 0, …)) + e ∂dist,
/// c(y) the relative motion of the bodies, in its six directions, for the generalized velocity y.
/// Without ∂c(a) if the law does not depend on accelerations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    pub force: [f64; 6],
    pub H: Map,
    /// Damping of each direction, and the effect of all velocities on the normal.
    pub b: [f64; 6],
    pub s: [f64; 6],
    pub e: [f64; 6],
    /// Effect of ∂dist on other contacts of the same bodies, as a wrench at this one.
    pub shared: [f64; 6],
    pub sees_acceleration: bool,
    /// Number of directions that can have force.
    pub dim: usize,
}

impl Contact {
    /// Zero, for a contact with `dim` directions.
    pub fn new(dim: u8) -> Self {
        let dim = usize::from(dim).clamp(1, 6);
        let none = [0.0; 6];
        Self { force: none, H: [none; 6], b: none, s: none, e: none, shared: none, sees_acceleration: true, dim }
    }

    /// Whether all derivatives are zero.
    pub fn is_idle(&self) -> bool {
        self.force == [0.0; 6] && self.shared == [0.0; 6]
    }

    /// Derivative of −f with respect to c(v); None if it is b₀ H.
    pub fn damping(&self) -> Option<Map> {
        let uniform = self.b[..self.dim].iter().all(|b| *b == self.b[0]) && self.s == [0.0; 6];
        (!uniform).then(|| self.H.map(|row| core::array::from_fn(|j| row[j] * self.b[j] + row[0] * self.s[j])))
    }
}

/// Second derivatives of −Σ weights f of a contact, with respect to c(a) + b ∘ c(v) and the
/// distance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bend {
    pub by_motion: Map,
    pub by_dist: [f64; 6],
    pub by_dist_twice: f64,
}

/// Forces of a connect or weld, on its linear and angular rows, with
///   −∂f = acceleration ∘ ∂z + velocity ∘ ∂ṙ + length ∘ ∂r + norm ∂|r|,
/// row by row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frames {
    pub force: [Vec3; 2],
    pub acceleration: [Vec3; 2],
    pub velocity: [Vec3; 2],
    pub length: [Vec3; 2],
    pub norm: [Vec3; 2],
    /// Whether z is r̈; otherwise it is J a, without the velocity terms of the rotating bodies.
    pub is_true_acceleration: bool,
}

impl Frames {
    /// Zero, for a law whose z is J a.
    pub fn at_velocities() -> Self {
        let none = [Vec3::ZERO; 2];
        Self {
            force: [Vec3::ZERO; 2],
            acceleration: none,
            velocity: none,
            length: none,
            norm: [Vec3::ZERO; 2],
            is_true_acceleration: false,
        }
    }
}

/// The law that determines the responses, with its data.
#[derive(Clone, Copy, Debug)]
enum Source<'a> {
    Soft(Settings),
    Impulse(Impulse<'a>),
    Invertible(Invertible<'a>),
    Compliant(Springs<'a>),
    /// Velocity barriers in the place of forces.
    Barrier(Invertible<'a>),
}

/// Rejects laws without derivatives.
pub(super) fn check(model: &Model, data: &Data) -> Result<(), DerivativeError> {
    let (laws, no) = (&model.options.laws, |why| Err(DerivativeError::Unsupported(why)));
    let hard = laws.impulse.equality_softness == 0.0 && laws.impulse.lambda == 0.0;
    match laws.law {
        Law::Impulse if hard && data.constraints.n_equality > 0 => {
            no("with hard equalities; impulse_equality_softness must be positive")
        }
        Law::Soft | Law::Impulse | Law::Invertible | Law::Compliant => Ok(()),
        Law::Lcp => no("under the lcp law; all others have them"),
    }
}

/// Responses of the rows under the law of a model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answers<'a> {
    data: &'a Data,
    source: Source<'a>,
    /// J a − a_ref; empty under the invertible law.
    pub x: &'a [f64],
    /// The acceleration that the rows depend on.
    pub a: &'a [f64],
}

impl<'a> Answers<'a> {
    /// Responses at `x` = J a − a_ref of the rows.
    pub fn new(model: &'a Model, data: &'a Data, x: &'a [f64]) -> Self {
        let (laws, h) = (&model.options.laws, model.options.timestep);
        let source = match laws.law {
            Law::Impulse => Source::Impulse(Impulse { settings: &laws.impulse, h }),
            Law::Compliant => Source::Compliant(Springs { model, law: Compliant::new(&model.options) }),
            _ => Source::Soft(Settings::new(model)),
        };
        Self { data, source, x, a: &data.acceleration.a }
    }

    /// Responses under the invertible law `law`, at the acceleration `a` that its impulses depend
    /// on.
    pub fn of_invertible(model: &'a Model, data: &'a Data, law: &'a Linear, a: &'a [f64]) -> Self {
        Self { data, source: Source::Invertible(Invertible { law, h: model.options.timestep }), x: &[], a }
    }

    /// Responses of the barriers of that law.
    pub fn of_barriers(model: &'a Model, data: &'a Data, law: &'a Linear) -> Self {
        Self {
            data,
            source: Source::Barrier(Invertible { law, h: model.options.timestep }),
            x: &[],
            a: &data.acceleration.a,
        }
    }

    /// Whether these are barriers: other forces at contacts then are not part of the equation.
    pub fn is_barrier(&self) -> bool {
        matches!(self.source, Source::Barrier(_))
    }

    /// Response of a contact.
    pub fn contact(&self, block: &Block) -> Contact {
        let (rows, contact) = (&self.data.constraints, &self.data.contacts[block.id as usize]);
        match &self.source {
            Source::Soft(settings) => soft::contact(settings, rows, contact, block, self.x),
            Source::Impulse(law) => law.contact(rows, contact, block, self.x),
            Source::Invertible(law) => law.contact(contact, block),
            Source::Compliant(law) => law.contact(rows, contact, block),
            Source::Barrier(law) => law.contact_barrier(block),
        }
    }

    /// The damping b of all contacts, if [`bend`](Self::bend) is available.
    pub fn bent_damping(&self) -> Option<f64> {
        match &self.source {
            Source::Invertible(law) => Some(1.0 / law.h),
            _ => None,
        }
    }

    /// Second derivatives of a contact's force.
    pub fn bend(&self, distance: &Distance, block: &Block, weights: &[f64; 6]) -> Bend {
        let mut out = Bend { by_motion: [[0.0; 6]; 6], by_dist: [0.0; 6], by_dist_twice: 0.0 };
        if let Source::Invertible(Invertible { law, h }) = &self.source {
            let (bend, last) = (law.bend(distance, self.data, block, weights), WIDTH - 1);
            for i in 0..last {
                (0..last).for_each(|j| out.by_motion[i][j] = -h * bend[i][j]);
                out.by_dist[i] = -bend[i][last];
            }
            out.by_dist_twice = -bend[last][last] / h;
        }
        out
    }

    /// Derivative of f of a contact with respect to its friction coefficients, in the direction
    /// `d`, if the law provides it.
    pub fn by_friction(&self, block: &Block, d: [f64; 5]) -> Option<[f64; 6]> {
        match &self.source {
            Source::Invertible(law) => Some(law.by_friction(block, d)),
            Source::Compliant(law) => {
                let contact = &self.data.contacts[block.id as usize];
                Some(law.law.by_friction(&self.data.constraints, contact, block, d))
            }
            Source::Barrier(_) => Some([0.0; 6]),
            Source::Soft(_) | Source::Impulse(_) => None,
        }
    }

    /// Derivative of x of a contact's normal with respect to its friction coefficients, in the
    /// direction `d`; for the soft and the impulse law.
    pub fn normal_by_friction(&self, block: &Block, d: [f64; 5]) -> f64 {
        match &self.source {
            Source::Impulse(law) => {
                law.normal_by_friction(&self.data.constraints, &self.data.contacts[block.id as usize], block, d)
            }
            _ => 0.0,
        }
    }

    /// Derivative of the force of dry friction with respect to the friction loss.
    pub fn by_loss(&self, model: &Model, block: &Block) -> f64 {
        match &self.source {
            Source::Soft(_) | Source::Impulse(_) => {
                soft::by_loss(&self.data.constraints, block, self.x[block.rows.start as usize])
            }
            Source::Invertible(law) => law.by_loss(model, self.data, block),
            Source::Compliant(law) => law.by_loss(&self.data.constraints, block),
            Source::Barrier(_) => 0.0,
        }
    }

    /// Derivatives of all rows with respect to the magnitude of gravity, if the law is scaled by
    /// it: of forces, or of the barriers' slopes.
    pub fn by_gravity(&self, model: &Model) -> Option<Vec<f64>> {
        match &self.source {
            Source::Soft(_) | Source::Impulse(_) | Source::Compliant(_) => None,
            Source::Invertible(Invertible { law, h }) => {
                let [f, _] = law.by_gravity(model, self.data);
                Some(f.into_iter().map(|f| f / h).collect())
            }
            Source::Barrier(Invertible { law, .. }) => {
                let [_, p] = law.by_gravity(model, self.data);
                Some(p)
            }
        }
    }

    /// Force of a scalar row, and the derivatives of −f with respect to its residual, J v and J a.
    pub fn row(&self, block: &Block) -> (f64, Stiffness) {
        let (rows, row) = (&self.data.constraints, block.rows.start as usize);
        match &self.source {
            Source::Soft(settings) => soft::row(settings, rows, block, self.x[row]),
            Source::Impulse(law) => law.row(rows, block, self.x[row]),
            Source::Invertible(law) => law.row(block),
            Source::Compliant(law) => law.row(self.data, block),
            Source::Barrier(law) => law.row_barrier(block),
        }
    }

    /// Response of a connect or weld, and a second part with another z, if there is one.
    pub fn frames(&self, block: &Block) -> (Frames, Option<Frames>) {
        match &self.source {
            Source::Soft(settings) => soft::frames(settings, &self.data.constraints, block, self.x),
            _ => (self.frames_at_velocities(block), None),
        }
    }

    fn frames_at_velocities(&self, block: &Block) -> Frames {
        let rows = &self.data.constraints;
        match &self.source {
            Source::Soft(_) => Frames::at_velocities(),
            Source::Impulse(law) => law.frames(rows, block, self.x),
            Source::Invertible(law) => law.frames(block),
            Source::Compliant(law) => law.frames(self.data, block),
            Source::Barrier(_) => Frames::at_velocities(),
        }
    }
}

/// Linear and angular rows of the vectors of a connect or weld.
fn pair(block: &Block, x: &[f64]) -> [Vec3; 2] {
    let x = &x[block.rows.range()];
    [Vec3::from_slice(x), if x.len() == 6 { Vec3::from_slice(&x[3..]) } else { Vec3::ZERO }]
}
