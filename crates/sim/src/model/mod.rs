//! Models: the editable [`spec`] and the immutable compiled [`Model`].

mod error;
mod features;
pub mod kinds;
pub(crate) mod measured;
mod named;
mod shorten;
pub mod spec;
pub mod spelling;
pub mod tables;
mod validate;

pub use error::CompileError;
pub use features::constraint_sources;
pub use named::{NamedId, NoSuchName};
pub use shorten::shortened;
pub use validate::InvalidModel;

use crate::geometry::{FaceTree, HullGraph};
use crate::options::{Implicit, ImplicitBias, Options};
use kinds::ObjectKind;
use saltus_math::{Vec3, ldl::TreePattern};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tables::*;

/// A compiled model: validated, read-only, and shareable between threads.
/// [`compile`](crate::compile) creates it; [`Model::edited`] creates another one with changed
/// numbers. Fields of a `mut` model can be assigned, but this is not checked: the pipeline may
/// panic on inconsistent values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Name of the model.
    pub name: String,
    /// Options of the simulation; [`Options::laws`] selects the contact law.
    pub options: Options,
    /// Model statistics: typical masses and sizes.
    pub statistic: Statistic,
    /// Sizes: numbers of coordinates, dofs, controls and so on.
    pub size: Sizes,
    /// Coordinates in the reference configuration · nq.
    pub q0: Vec<f64>,
    /// Coordinates at which joint springs are at rest · nq.
    pub q_spring: Vec<f64>,
    /// Bodies; 0 is the world.
    pub bodies: BodyTable,
    /// Kinematic trees.
    pub trees: TreeTable,
    /// Joints.
    pub joints: JointTable,
    /// Degrees of freedom.
    pub dofs: DofTable,
    /// Geoms: shapes that collide, carry mass and are drawn.
    pub geoms: GeomTable,
    /// Sites: frames fixed to bodies.
    pub sites: SiteTable,
    /// Cameras.
    pub cameras: CameraTable,
    /// Lights.
    pub lights: LightTable,
    /// Meshes and their hulls.
    pub meshes: MeshTable,
    /// Height fields.
    pub hfields: HfieldTable,
    /// Textures, stored as text for viewers.
    pub textures: TextureTable,
    /// Materials, for viewers.
    pub materials: MaterialTable,
    /// Pairs of geoms with their own contact parameters.
    pub pairs: PairTable,
    /// Pairs of bodies that do not collide.
    pub excludes: ExcludeTable,
    /// Pairs of links that are always close to each other.
    pub near: NearTable,
    /// Equality constraints.
    pub equalities: EqualityTable,
    /// Tendons.
    pub tendons: TendonTable,
    /// Path elements of tendons.
    pub wraps: WrapTable,
    /// Actuators.
    pub actuators: ActuatorTable,
    /// Sensors.
    pub sensors: SensorTable,
    /// Custom numbers.
    pub numerics: NumericTable,
    /// Custom texts.
    pub texts: TextTable,
    /// Custom tuples.
    pub tuples: TupleTable,
    /// Keyframes.
    pub keys: KeyTable,
    /// Sparsity of the inertia matrix.
    pub mass_pattern: TreePattern,
    /// Settings of `<visual>`, for viewers.
    pub visual: BTreeMap<String, BTreeMap<String, String>>,
}

/// Sizes that are not the length of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Number of coordinates.
    pub nq: usize,
    /// Number of degrees of freedom.
    pub nv: usize,
    /// Number of controls.
    pub nu: usize,
    /// Number of activations.
    pub na: usize,
    /// Number of mocap bodies.
    pub nmocap: usize,
    /// Size of the user data in the state.
    pub nuserdata: usize,
    /// Total number of sensor outputs.
    pub nsensordata: usize,
}

/// Model statistics in the reference configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistic {
    /// Mean diagonal of M in the reference configuration.
    pub mean_inertia: f64,
    /// Mean mass of bodies, kg.
    pub mean_mass: f64,
    /// Mean size of geoms, m.
    pub mean_size: f64,
    /// Spatial extent of the model, m.
    pub extent: f64,
    /// Centre of the model.
    pub center: Vec3,
}

impl Model {
    /// Whether a tree is a free body without jointed descendants.
    pub(crate) fn stands_alone(&self, tree: usize) -> bool {
        let dofs = self.trees.dofs[tree];
        let joint = self.dofs.joint[dofs.start as usize].idx();
        dofs.len == 6 && self.joints.kind[joint] == kinds::JointKind::Free
    }

    /// Whether the bias of a tree is implicit in steps.
    pub(crate) fn has_implicit_bias(&self, tree: usize) -> bool {
        match self.options.implicit() {
            Implicit::Damping { bias: ImplicitBias::All } => true,
            Implicit::Damping { bias: ImplicitBias::FreeBodies } => self.stands_alone(tree),
            _ => false,
        }
    }

    /// Builds the lookup structures of meshes for collision detection and rays. For models that are
    /// read from a file; the model must be valid.
    pub fn index_hulls(&mut self) {
        let table = &mut self.meshes;
        let graph = |i: usize| {
            let (vertex, faces) = (table.vertices[i].range(), table.hull_faces[i].range());
            let corners = table.hull_vertices[i].range();
            HullGraph::new(&table.vertex[vertex], &table.hull_face[faces], &table.hull_vertex[corners])
        };
        table.hull_graph = (0..table.vertices.len()).map(graph).collect();
        let tree =
            |i: usize| FaceTree::new(&table.vertex[table.vertices[i].range()], &table.face[table.faces[i].range()]);
        table.face_tree = (0..table.vertices.len()).map(tree).collect();
    }

    /// Number of bodies, including the world.
    pub fn nbody(&self) -> usize {
        self.bodies.parent.len()
    }
    /// Number of joints.
    pub fn njoint(&self) -> usize {
        self.joints.kind.len()
    }
    /// Number of geoms.
    pub fn ngeom(&self) -> usize {
        self.geoms.shape.len()
    }
    /// Number of sites.
    pub fn nsite(&self) -> usize {
        self.sites.shape.len()
    }
    /// Number of cameras.
    pub fn ncamera(&self) -> usize {
        self.cameras.mode.len()
    }
    /// Number of lights.
    pub fn nlight(&self) -> usize {
        self.lights.mode.len()
    }
    /// Number of tendons.
    pub fn ntendon(&self) -> usize {
        self.tendons.spatial.len()
    }
    /// Number of actuators.
    pub fn nactuator(&self) -> usize {
        self.actuators.gain.len()
    }
    /// Number of sensors.
    pub fn nsensor(&self) -> usize {
        self.sensors.kind.len()
    }
    /// Number of equality constraints.
    pub fn nequality(&self) -> usize {
        self.equalities.kind.len()
    }
    /// Number of keyframes.
    pub fn nkey(&self) -> usize {
        self.keys.time.len()
    }

    /// Names of all objects of a kind, in the order of their ids; empty for unnamed objects.
    pub fn names(&self, kind: ObjectKind) -> &[String] {
        match kind {
            ObjectKind::Body | ObjectKind::XBody => &self.bodies.name,
            ObjectKind::Joint => &self.joints.name,
            ObjectKind::Geom => &self.geoms.name,
            ObjectKind::Site => &self.sites.name,
            ObjectKind::Camera => &self.cameras.name,
            ObjectKind::Light => &self.lights.name,
            ObjectKind::Mesh => &self.meshes.name,
            ObjectKind::Hfield => &self.hfields.name,
            ObjectKind::Texture => &self.textures.name,
            ObjectKind::Material => &self.materials.name,
            ObjectKind::Pair => &self.pairs.name,
            ObjectKind::Exclude => &self.excludes.name,
            ObjectKind::Equality => &self.equalities.name,
            ObjectKind::Tendon => &self.tendons.name,
            ObjectKind::Actuator => &self.actuators.name,
            ObjectKind::Sensor => &self.sensors.name,
            ObjectKind::Numeric => &self.numerics.name,
            ObjectKind::Text => &self.texts.name,
            ObjectKind::Tuple => &self.tuples.name,
            ObjectKind::Key => &self.keys.name,
            ObjectKind::Unknown | ObjectKind::Dof => &[],
        }
    }
}
