//! The editable model, which a user or a file reader builds before [`compile`](crate::compile).
//!
//! Elements refer to each other by name, poses are relative to the parent body, angles are radians,
//! and every default class has been applied. Readers resolve everything that depends on notation
//! (degrees, Euler sequences, `fromto`, frames, default classes); the compiler resolves everything
//! that depends on the rest of the model (inertia from geoms, limits inferred from ranges, names to
//! ids).

mod actuator;
mod asset;
mod attach;
mod base;
mod body;
mod compiler;
mod constraint;
mod custom;
mod defaults;
mod delete;
mod keys;
mod motors;
mod names;
mod references;
mod sensor;
mod tendon;

pub use actuator::{ActuatorDefault, ActuatorSpec, TransmissionSpec};
pub use asset::{HfieldSpec, MaterialSpec, MeshInertia, MeshSpec, TextureSpec, TriMesh};
pub use attach::{
    AttachError, MAX_ELEMENTS, Pose, carry_settings, element_count, graft, replica_affixes, replica_poses, subtree,
};
pub use base::BASE_JOINT;
pub(crate) use body::along_axis;
pub use body::{
    BodySpec, CameraSpec, GeomShape, GeomSpec, InertialSpec, JointSpec, LightSpec, SiteSpec, SpecBody, TrackMode,
};
pub use compiler::{CompilerSpec, InertiaFromGeom, LengthRangeMode, LengthRangeSpec, SizeSpec, StatisticSpec};
pub use constraint::{EqualityKind, EqualitySpec, ExcludeSpec, PairSpec};
pub use custom::{KeySpec, NumericSpec, TextSpec, TupleElement, TupleSpec};
pub use defaults::{DefaultClass, Defaults};
pub use delete::Remaining;
pub use names::{Affix, NameSet};
pub use references::{Joining, References};
pub use sensor::{ObjectKind, SensorKind, SensorSpec};
pub use tendon::{TendonPath, TendonSpec, WrapSpec};

use crate::options::Options;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Default `solref`: time constant and damping ratio.
pub const SOLREF: [f64; 2] = [0.02, 1.0];
/// Default `solimp`: dmin, dmax, width, midpoint, power.
pub const SOLIMP: [f64; 5] = [0.9, 0.95, 0.001, 0.5, 2.0];

/// An editable model. `bodies[0]` is the world.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModelSpec {
    /// Name of the model.
    pub name: String,
    /// Settings of the compiler.
    pub compiler: CompilerSpec,
    /// Options of the simulation.
    pub options: Options,
    /// Sizes of user data.
    pub size: SizeSpec,
    /// Model statistics that replace the computed ones.
    pub statistic: StatisticSpec,
    /// Settings of `<visual>`, kept for viewers: section → attribute → text.
    pub visual: BTreeMap<String, BTreeMap<String, String>>,
    /// Default classes.
    pub defaults: Defaults,
    /// Bodies; 0 is the world.
    pub bodies: Vec<BodySpec>,
    /// Meshes.
    pub meshes: Vec<MeshSpec>,
    /// Height fields.
    pub hfields: Vec<HfieldSpec>,
    /// Textures, kept as text for viewers.
    pub textures: Vec<TextureSpec>,
    /// Materials, for viewers.
    pub materials: Vec<MaterialSpec>,
    /// Pairs of geoms with their own contact parameters.
    pub pairs: Vec<PairSpec>,
    /// Pairs of bodies that do not collide.
    pub excludes: Vec<ExcludeSpec>,
    /// Equality constraints.
    pub equalities: Vec<EqualitySpec>,
    /// Tendons.
    pub tendons: Vec<TendonSpec>,
    /// Actuators.
    pub actuators: Vec<ActuatorSpec>,
    /// Sensors.
    pub sensors: Vec<SensorSpec>,
    /// Custom numbers.
    pub numerics: Vec<NumericSpec>,
    /// Custom texts.
    pub texts: Vec<TextSpec>,
    /// Custom tuples.
    pub tuples: Vec<TupleSpec>,
    /// Keyframes.
    pub keys: Vec<KeySpec>,
    /// Warnings of the reader, e.g. about an ignored plugin.
    pub warnings: Vec<String>,
    /// What was added to the file on request, in sentences: see
    /// [`add_motors`](Self::add_motors).
    pub notes: Vec<String>,
}

impl Default for ModelSpec {
    fn default() -> Self {
        Self::new("saltus model")
    }
}

impl ModelSpec {
    /// Creates an empty model with a world body and default options.
    pub fn new(name: impl Into<String>) -> Self {
        let world = BodySpec { name: "world".into(), ..BodySpec::default() };
        Self {
            name: name.into(),
            compiler: CompilerSpec::default(),
            options: Options::default(),
            size: SizeSpec::default(),
            statistic: StatisticSpec::default(),
            visual: BTreeMap::new(),
            defaults: Defaults::default(),
            bodies: vec![world],
            meshes: Vec::new(),
            hfields: Vec::new(),
            textures: Vec::new(),
            materials: Vec::new(),
            pairs: Vec::new(),
            excludes: Vec::new(),
            equalities: Vec::new(),
            tendons: Vec::new(),
            actuators: Vec::new(),
            sensors: Vec::new(),
            numerics: Vec::new(),
            texts: Vec::new(),
            tuples: Vec::new(),
            keys: Vec::new(),
            warnings: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The world body.
    pub fn world(&self) -> SpecBody {
        SpecBody(0)
    }

    /// Appends a body under `parent` and returns its handle.
    pub fn add_body(&mut self, parent: SpecBody, body: BodySpec) -> SpecBody {
        let handle = SpecBody(self.bodies.len());
        self.bodies.push(BodySpec { parent, ..body });
        handle
    }

    /// The body with this handle.
    pub fn body_mut(&mut self, body: SpecBody) -> &mut BodySpec {
        &mut self.bodies[body.0]
    }

    /// Handle of the body with this name.
    pub fn find_body(&self, name: &str) -> Option<SpecBody> {
        self.bodies.iter().position(|b| b.name == name).map(SpecBody)
    }

    /// Bodies in depth-first order, children in the order in which they were added: the order of
    /// compiled ids.
    pub fn preorder(&self) -> Vec<SpecBody> {
        let mut children = vec![Vec::new(); self.bodies.len()];
        for (i, b) in self.bodies.iter().enumerate().skip(1) {
            children[b.parent.0].push(SpecBody(i));
        }
        let mut order = Vec::with_capacity(self.bodies.len());
        let mut stack = vec![SpecBody(0)];
        while let Some(b) = stack.pop() {
            order.push(b);
            stack.extend(children[b.0].iter().rev());
        }
        order
    }
}
