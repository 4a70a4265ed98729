//! Everything that changes during simulation, allocated once. One struct per stage of the pipeline.

mod acceleration;
pub mod constraint;
mod contact;
mod freshness;
mod memory;
mod parts;
mod position;
mod query;
mod state;
mod velocity;

pub use acceleration::Acceleration;
pub use constraint::{Block, Constraints, RowKind, RowState, SolverReport, SolverStatus, Spring};
pub use contact::Contact;
pub use freshness::Stale;
pub use parts::{StateParts, StateSizeError};
pub use position::Position;
pub use query::{ContactForce, Pose, WrongLength, contact_force};
pub use state::{Input, State};
pub use velocity::Velocity;

use crate::inertia::Inertia;
use crate::model::Model;
use crate::stage::Stage;

/// State, inputs and results of one simulation of a [`Model`]. Clones are independent; sizes never
/// change.
#[derive(Clone, Debug)]
pub struct Data {
    /// The state: coordinates, velocities, activations.
    pub state: State,
    /// Inputs from the user: controls and applied forces.
    pub input: Input,
    /// Results that depend on q only.
    pub position: Position,
    /// The inertia matrix and the effective inertia of a step, with their factorizations · by
    /// `dynamics`.
    pub inertia: Inertia,
    /// Results that depend on q and v.
    pub velocity: Velocity,
    /// Results that depend on q, v, controls and applied forces.
    pub acceleration: Acceleration,
    /// Contacts in the order of body pairs · by `collide::update_contacts`.
    pub contacts: Vec<Contact>,
    /// Active constraints · by `constraint`; their forces by the contact law.
    pub constraints: Constraints,
    /// Outputs of all sensors · nsensordata · by `sensor`.
    pub sensor: Vec<f64>,
    /// Potential and kinetic energy · 2 · by `dynamics::energy`.
    pub energy: [f64; 2],
    /// Working memory of the pipeline.
    pub(crate) scratch: Scratch,
    /// Copies of the state and inputs that the results were computed from.
    basis: freshness::Basis,
}

/// Named working memory, which is meaningless between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Length nv.
    pub dof: Vec<f64>,
    /// Acceleration argument of discrete inverse dynamics · nv.
    pub given: Vec<f64>,
    /// Length: number of constraint rows.
    pub row: Vec<f64>,
    /// Factors of the discrete integrator's backbone metric · `mass_pattern`, nv.
    pub backbone: (Vec<f64>, Vec<f64>),
    /// Body accelerations and forces of Newton–Euler passes · nbody.
    pub body_motion: Vec<saltus_math::Motion>,
    pub body_force: Vec<saltus_math::Force>,
    /// Working memory of collision detection, laws and integrators, each under its own type.
    pub modules: memory::Memory,
}

impl Data {
    /// Creates data in the reference state of the model.
    pub fn new(model: &Model) -> Self {
        let mut data = Self {
            state: State::new(model),
            input: Input::new(model),
            position: Position::new(model),
            inertia: Inertia::new(model),
            velocity: Velocity::new(model),
            acceleration: Acceleration::new(model),
            contacts: Vec::new(),
            constraints: Constraints::default(),
            sensor: vec![0.0; model.size.nsensordata],
            energy: [0.0; 2],
            scratch: Scratch {
                dof: vec![0.0; model.size.nv],
                given: Vec::new(),
                row: Vec::new(),
                backbone: Default::default(),
                body_motion: vec![Default::default(); model.nbody()],
                body_force: vec![Default::default(); model.nbody()],
                modules: Default::default(),
            },
            basis: freshness::Basis::default(),
        };
        data.reset(model);
        data
    }

    /// Resets to the reference state: q₀, zero velocities and inputs.
    pub fn reset(&mut self, model: &Model) {
        self.state.reset(model);
        self.input.reset();
        self.contacts.clear();
        self.constraints.clear();
        self.set_stage(Stage::None);
    }

    /// Resets to the state and controls of keyframe `key`. Panics if the key does not exist; see
    /// [`Model::key`].
    pub fn reset_to_key(&mut self, model: &Model, key: crate::ids::KeyId) {
        self.reset(model);
        let k = key.idx();
        let (keys, size) = (&model.keys, &model.size);
        let row = |n: usize| k * n..(k + 1) * n;
        self.state.time = keys.time[k];
        self.state.q.copy_from_slice(&keys.q[row(size.nq)]);
        self.state.v.copy_from_slice(&keys.v[row(size.nv)]);
        self.state.act.copy_from_slice(&keys.act[row(size.na)]);
        self.input.ctrl.copy_from_slice(&keys.ctrl[row(size.nu)]);
        self.state.mocap_pos.copy_from_slice(&keys.mocap_pos[row(size.nmocap)]);
        self.state.mocap_quat.copy_from_slice(&keys.mocap_quat[row(size.nmocap)]);
    }
}

impl Data {
    /// Whether this data has the sizes of `model` and can be used with it.
    pub fn fits(&self, model: &Model) -> bool {
        let (size, x) = (&model.size, &self.position);
        [
            (self.state.q.len(), size.nq),
            (self.state.v.len(), size.nv),
            (self.state.act.len(), size.na),
            (self.state.mocap_pos.len(), size.nmocap),
            (self.state.equality_active.len(), model.nequality()),
            (self.state.user.len(), size.nuserdata),
            (self.input.ctrl.len(), size.nu),
            (self.sensor.len(), size.nsensordata),
            (x.p_WB.len(), model.nbody()),
            (x.p_WJ.len(), model.njoint()),
            (x.p_WG.len(), model.ngeom()),
            (x.p_WS.len(), model.nsite()),
            (x.p_WC.len(), model.ncamera()),
            (x.light_pos.len(), model.nlight()),
            (x.tendon_length.len(), model.ntendon()),
            (x.tendon_jac.len(), model.tendons.jac_col.len()),
            (x.wrap_object.len(), 2 * model.wraps.kind.len()),
            (x.actuator_length.len(), model.nactuator()),
            (x.actuator_moment.len(), model.actuators.moment_col.len()),
            (self.inertia.M.len(), model.mass_pattern.nnz()),
        ]
        .iter()
        .all(|(have, want)| have == want)
    }
}
