//! Settings of the compiler itself.

use saltus_math::Vec3;
use serde::{Deserialize, Serialize};

/// When a body's inertia is inferred from its geoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum InertiaFromGeom {
    Never,
    Always,
    /// Where no inertia is given.
    #[default]
    Auto,
}

/// Settings that change what [`compile`](crate::compile) makes of a spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CompilerSpec {
    /// Infer `limited` from the presence of a range; otherwise a range without `limited` is an error.
    pub auto_limits: bool,
    /// Lower bounds on the mass and the principal moments of moving bodies.
    pub bound_mass: f64,
    pub bound_inertia: f64,
    /// Rescale all masses to this total; ignored unless positive.
    pub set_total_mass: f64,
    /// Repair inertias that violate A + B ≥ C by making them isotropic instead of refusing them.
    pub balance_inertia: bool,
    /// Take given inertias as they are, indefinite or breaking A + B ≥ C, and bodies without mass anywhere, as long as the
    /// inertia matrix of the whole model is positive definite in its reference pose.
    pub inertia_as_given: bool,
    /// Fit primitives to a mesh's bounding box instead of its inertia box.
    pub fit_aabb: bool,
    pub fuse_static: bool,
    pub discard_visual: bool,
    pub inertia_from_geom: InertiaFromGeom,
    /// Geom groups that contribute to inferred inertia.
    pub inertia_group_range: [i32; 2],
    pub align_free: bool,
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

/// Which actuators get their length range computed by simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum LengthRangeMode {
    None,
    #[default]
    Muscle,
    MuscleUser,
    All,
}

/// Computation of actuator length ranges at compile time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LengthRangeSpec {
    pub mode: LengthRangeMode,
    pub use_existing: bool,
    pub use_limit: bool,
    pub accel: f64,
    pub max_force: f64,
    pub time_const: f64,
    pub time_step: f64,
    pub total_time: f64,
    pub interval: f64,
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

/// Sizes of user data; −1 takes the largest that any element gives.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SizeSpec {
    pub user_data: usize,
    pub user_body: i32,
    pub user_joint: i32,
    pub user_geom: i32,
    pub user_site: i32,
    pub user_camera: i32,
    pub user_tendon: i32,
    pub user_actuator: i32,
    pub user_sensor: i32,
    /// Keyframes to reserve.
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

/// Model statistics given by the user instead of computed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StatisticSpec {
    pub mean_inertia: Option<f64>,
    pub mean_mass: Option<f64>,
    pub mean_size: Option<f64>,
    pub extent: Option<f64>,
    pub center: Option<Vec3>,
}
