//! Settings of the compiler itself.

use saltus_math::Vec3;
use serde::{Deserialize, Serialize};

/// When the inertia of a body is inferred from its geoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum InertiaFromGeom {
    /// Never.
    Never,
    /// Always, even if it is given.
    Always,
    /// If it is not given.
    #[default]
    Auto,
}

/// Settings of [`compile`](crate::compile).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CompilerSpec {
    /// Infer `limited` from the presence of a range; otherwise a range without `limited` is an
    /// error.
    pub auto_limits: bool,
    /// Lower bound on the mass of moving bodies, kg.
    pub bound_mass: f64,
    /// Lower bound on the principal moments of inertia of moving bodies, kg m².
    pub bound_inertia: f64,
    /// Total mass to which all masses are scaled, kg; ignored unless positive.
    pub set_total_mass: f64,
    /// Whether inertias that violate A + B ≥ C are made isotropic instead of rejected.
    pub balance_inertia: bool,
    /// Whether given inertias are used even if they are indefinite or violate A + B ≥ C, and bodies
    /// may be massless, as long as the inertia matrix of the whole model is positive definite in
    /// the reference pose.
    pub inertia_as_given: bool,
    /// Whether primitives are fitted to the bounding box of a mesh instead of its inertia box.
    pub fit_aabb: bool,
    /// Whether bodies without joints are fused with their parents.
    pub fuse_static: bool,
    /// Whether geoms that do not collide are discarded.
    pub discard_visual: bool,
    /// When inertias are inferred from geoms.
    pub inertia_from_geom: InertiaFromGeom,
    /// Geom groups that contribute to inferred inertia.
    pub inertia_group_range: [i32; 2],
    /// Whether the frames of free bodies are aligned with their inertia.
    pub align_free: bool,
    /// Computation of actuator length ranges.
    pub length_range: LengthRangeSpec,
}

impl CompilerSpec {
    /// Name of the custom text by which an MJCF file sets `inertia_as_given`, and its word.
    pub const INERTIA_TEXT: (&'static str, &'static str) = ("saltus_inertia", "as_given");
}

impl Default for CompilerSpec {
    fn default() -> Self {
        Self {
            auto_limits: true,
            bound_mass: 0.0,
            bound_inertia: 0.0,
            set_total_mass: -1.0,
            balance_inertia: false,
            inertia_as_given: false,
            fit_aabb: false,
            fuse_static: false,
            discard_visual: false,
            inertia_from_geom: InertiaFromGeom::Auto,
            inertia_group_range: [0, 5],
            align_free: false,
            length_range: LengthRangeSpec::default(),
        }
    }
}

/// The actuators whose length ranges are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum LengthRangeMode {
    /// None.
    None,
    /// Muscles.
    #[default]
    Muscle,
    /// Muscles and user-defined actuators.
    MuscleUser,
    /// All actuators.
    All,
}

/// Computation of actuator length ranges at compile time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LengthRangeSpec {
    /// The actuators whose length ranges are computed.
    pub mode: LengthRangeMode,
    /// Whether given ranges are kept.
    pub use_existing: bool,
    /// Whether ranges are taken from the limits of joints and tendons.
    pub use_limit: bool,
    /// Target acceleration of the applied force.
    pub accel: f64,
    /// Maximum force, N; 0 for no limit.
    pub max_force: f64,
    /// Time constant of the damping, s.
    pub time_const: f64,
    /// Time step of the simulation, s.
    pub time_step: f64,
    /// Duration of the simulation, s.
    pub total_time: f64,
    /// Interval at the end of the simulation in which the length is measured, s.
    pub interval: f64,
    /// Tolerance of the convergence test, relative to the range.
    pub tol_range: f64,
}

impl Default for LengthRangeSpec {
    fn default() -> Self {
        Self {
            mode: LengthRangeMode::Muscle,
            use_existing: true,
            use_limit: false,
            accel: 20.0,
            max_force: 0.0,
            time_const: 1.0,
            time_step: 0.01,
            total_time: 10.0,
            interval: 2.0,
            tol_range: 0.05,
        }
    }
}

/// Sizes of user data; −1 takes the largest size of any element.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SizeSpec {
    /// Size of the user data in the state.
    pub user_data: usize,
    /// Size of the user data of bodies.
    pub user_body: i32,
    /// Size of the user data of joints.
    pub user_joint: i32,
    /// Size of the user data of geoms.
    pub user_geom: i32,
    /// Size of the user data of sites.
    pub user_site: i32,
    /// Size of the user data of cameras.
    pub user_camera: i32,
    /// Size of the user data of tendons.
    pub user_tendon: i32,
    /// Size of the user data of actuators.
    pub user_actuator: i32,
    /// Size of the user data of sensors.
    pub user_sensor: i32,
    /// Number of keyframes to reserve.
    pub keys: usize,
}

impl Default for SizeSpec {
    fn default() -> Self {
        Self {
            user_data: 0,
            user_body: -1,
            user_joint: -1,
            user_geom: -1,
            user_site: -1,
            user_camera: -1,
            user_tendon: -1,
            user_actuator: -1,
            user_sensor: -1,
            keys: 0,
        }
    }
}

/// Model statistics that replace the computed ones.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StatisticSpec {
    /// Mean diagonal of M.
    pub mean_inertia: Option<f64>,
    /// Mean mass of bodies, kg.
    pub mean_mass: Option<f64>,
    /// Mean size of geoms, m.
    pub mean_size: Option<f64>,
    /// Spatial extent of the model, m.
    pub extent: Option<f64>,
    /// Centre of the model.
    pub center: Option<Vec3>,
}
