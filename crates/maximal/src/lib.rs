//! Simulation of a compiled [`Model`](saltus_sim::Model) in maximal coordinates: six degrees of
//! freedom for each rigid link, joints as bilateral rows, and contacts from the collision detection
//! of saltus-sim \[HsuPeters2014\].
//!
//! With links' velocities V, inertias M, rows J and impulses f of one step h, semi-implicit Euler
//! solves (1) M (V⁺ − V) = h E + Jᵀ f, (2) J V⁺ + R f = c for bilateral rows, complementarity
//! within bounds for the others, (3) x⁺ = x ⊕ h V⁺. [`Solver::Sweeps`] solves (2) by projected
//! Gauss–Seidel with the published modifications, each of them an option; [`Solver::Direct`] by
//! pivoting; [`Solver::Tree`] solves the joints exactly in O(n) and sweeps over contacts only.
//!
//! Generalized coordinates go in and out: [`Simulation::step`] takes q and v from
//! [`Data`](saltus_sim::Data) and writes them back.
#![allow(non_snake_case)]

mod agreement;
mod attachment;
mod bond;
mod check;
mod coordinates;
mod dense;
mod direct;
mod error;
mod exact;
mod finish;
mod force;
mod four;
mod inertia;
mod islands;
mod joint;
mod links;
mod loops;
mod options;
mod packed;
mod pose;
mod project;
mod relax;
mod report;
mod rollout;
mod rows;
mod schedule;
mod simulation;
mod six;
mod state;
mod sweeps;
mod tree;
mod warm;

pub use attachment::{AttachmentId, AttachmentKind};
pub use error::Error;
pub use links::Links;
pub use options::{Cone, FixedBodies, FrictionBound, Options, Order, Solver};
pub use report::{JointError, Report};
pub use rollout::rollout;
pub use simulation::Simulation;
pub use state::Bodies;
