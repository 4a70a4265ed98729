//! Models: the editable [`spec`] and the immutable compiled [`Model`].

mod error;
mod features;
pub mod kinds;
pub(crate) mod measured;
mod named;
pub mod spec;
pub mod spelling;
pub mod tables;
mod validate;

pub use error::CompileError;
pub use features::constraint_sources;
pub use named::{NamedId, NoSuchName};
pub use validate::InvalidModel;

use crate::geometry::{FaceTree, HullGraph};
use crate::options::Options;
use kinds::ObjectKind;
use saltus_math::{Vec3, ldl::TreePattern};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tables::*;

/// A compiled model: validated, shared between threads, to be read. Made by [`compile`](crate::compile); [`Model::edited`] makes another
/// one with some numbers changed. Fields of a `mut` model can be assigned, but nothing checks that: stages may panic on what does not
/// belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    pub name: String,
    pub options: Options,
    pub statistic: Statistic,
    pub size: Sizes,
    /// Coordinates in the reference pose, and the pose in which joint springs are at rest (nq).
    pub q0: Vec<f64>,
    pub q_spring: Vec<f64>,
    pub bodies: BodyTable,
    pub trees: TreeTable,
    pub joints: JointTable,
    pub dofs: DofTable,
    pub geoms: GeomTable,
    pub sites: SiteTable,
    pub cameras: CameraTable,
    pub lights: LightTable,
    pub meshes: MeshTable,
    pub hfields: HfieldTable,
    pub textures: TextureTable,
    pub materials: MaterialTable,
    pub pairs: PairTable,
    pub excludes: ExcludeTable,
    pub near: NearTable,
    pub equalities: EqualityTable,
    pub tendons: TendonTable,
    pub wraps: WrapTable,
    pub actuators: ActuatorTable,
    pub sensors: SensorTable,
    pub numerics: NumericTable,
    pub texts: TextTable,
    pub tuples: TupleTable,
    pub keys: KeyTable,
    /// Sparsity of the inertia matrix.
    pub mass_pattern: TreePattern,
    /// Settings of `<visual>`, for viewers.
    pub visual: BTreeMap<String, BTreeMap<String, String>>,
}

/// Lengths that are not the length of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Coordinates, degrees of freedom, controls, activations.
    pub nq: usize,
    pub nv: usize,
    pub nu: usize,
    pub na: usize,
    pub nmocap: usize,
    pub nuserdata: usize,
    pub nsensordata: usize,
}

/// Scales of the model at the reference pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistic {
    pub mean_inertia: f64,
    pub mean_mass: f64,
    pub mean_size: f64,
    pub extent: f64,
    pub center: Vec3,
}

impl Model {
    /// Builds what collision detection and rays look up in meshes. For models that were read from a file; the
    /// model must be valid.
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

    pub fn nbody(&self) -> usize {
        self.bodies.parent.len()
    }
    pub fn njoint(&self) -> usize {
        self.joints.kind.len()
    }
    pub fn ngeom(&self) -> usize {
        self.geoms.shape.len()
    }
    pub fn nsite(&self) -> usize {
        self.sites.shape.len()
    }
    pub fn ncamera(&self) -> usize {
        self.cameras.mode.len()
    }
    pub fn nlight(&self) -> usize {
        self.lights.mode.len()
    }
    pub fn ntendon(&self) -> usize {
        self.tendons.spatial.len()
    }
    pub fn nactuator(&self) -> usize {
        self.actuators.gain.len()
    }
    pub fn nsensor(&self) -> usize {
        self.sensors.kind.len()
    }
    pub fn nequality(&self) -> usize {
        self.equalities.kind.len()
    }
    pub fn nkey(&self) -> usize {
        self.keys.time.len()
    }

    /// Names of all objects of a kind, in the order of their ids; empty strings where unnamed.
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
