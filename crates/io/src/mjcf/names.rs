//! Keywords of MJCF for enumerations.

use saltus_sim::model::kinds::{ActivationKind, BiasKind, GainKind, JointKind, MeshInertia};
use saltus_sim::model::spec::{InertiaFromGeom, LengthRangeMode};
use saltus_sim::options::{Cone, Integrator, JacobianStorage, Solver};

pub(super) const INERTIA: &[(&str, InertiaFromGeom)] =
    &[("false", InertiaFromGeom::Never), ("true", InertiaFromGeom::Always), ("auto", InertiaFromGeom::Auto)];

pub(super) const LENGTH_RANGE_MODES: &[(&str, LengthRangeMode)] = &[
    ("none", LengthRangeMode::None),
    ("muscle", LengthRangeMode::Muscle),
    ("muscleuser", LengthRangeMode::MuscleUser),
    ("all", LengthRangeMode::All),
];

pub(super) const INTEGRATORS: &[(&str, Integrator)] = &[
    ("Euler", Integrator::Euler),
    ("RK4", Integrator::Rk4),
    ("implicit", Integrator::Implicit),
    ("implicitfast", Integrator::ImplicitFast),
    ("discrete", Integrator::Discrete),
];

pub(super) const CONES: &[(&str, Cone)] = &[("pyramidal", Cone::Pyramidal), ("elliptic", Cone::Elliptic)];

pub(super) const STORAGE: &[(&str, JacobianStorage)] =
    &[("dense", JacobianStorage::Dense), ("sparse", JacobianStorage::Sparse), ("auto", JacobianStorage::Auto)];

pub(super) const SOLVERS: &[(&str, Solver)] = &[("PGS", Solver::Pgs), ("CG", Solver::Cg), ("Newton", Solver::Newton)];

pub(super) const MESH_INERTIA: &[(&str, MeshInertia)] = &[
    ("convex", MeshInertia::Convex),
    ("exact", MeshInertia::Exact),
    ("legacy", MeshInertia::Legacy),
    ("shell", MeshInertia::Shell),
];

pub(super) const JOINTS: &[(&str, JointKind)] =
    &[("free", JointKind::Free), ("ball", JointKind::Ball), ("slide", JointKind::Slide), ("hinge", JointKind::Hinge)];

pub(super) const CAMERA_OUTPUTS: &[(&str, i32)] =
    &[("rgb", 1), ("depth", 2), ("distance", 4), ("normal", 8), ("segmentation", 16)];

pub(super) const LIGHTS: &[(&str, i32)] = &[("spot", 0), ("directional", 1), ("point", 2), ("image", 3)];

pub(super) const ACTIVATIONS: &[(&str, ActivationKind)] = &[
    ("none", ActivationKind::None),
    ("integrator", ActivationKind::Integrator),
    ("filter", ActivationKind::Filter),
    ("filterexact", ActivationKind::FilterExact),
    ("muscle", ActivationKind::Muscle),
    ("dcmotor", ActivationKind::DcMotor),
    ("pid", ActivationKind::Pid),
    ("user", ActivationKind::User),
];

pub(super) const GAINS: &[(&str, GainKind)] = &[
    ("fixed", GainKind::Fixed),
    ("affine", GainKind::Affine),
    ("muscle", GainKind::Muscle),
    ("dcmotor", GainKind::DcMotor),
    ("so3", GainKind::So3),
    ("pid", GainKind::Pid),
    ("user", GainKind::User),
];

pub(super) const BIASES: &[(&str, BiasKind)] = &[
    ("none", BiasKind::None),
    ("affine", BiasKind::Affine),
    ("muscle", BiasKind::Muscle),
    ("dcmotor", BiasKind::DcMotor),
    ("so3", BiasKind::So3),
    ("user", BiasKind::User),
];

/// Inputs of servos, as bits.
pub(super) const INPUTS: &[(&str, i32)] = &[("pos", 1), ("vel", 2), ("ff", 4), ("pressure", 32)];

pub(super) const REDUCTIONS: &[(&str, i32)] = &[("none", 0), ("mindist", 1), ("maxforce", 2), ("netforce", 3)];

pub(super) const STAGES: &[(&str, i32)] = &[("pos", 1), ("vel", 2), ("acc", 3)];

pub(super) const DATA_TYPES: &[(&str, i32)] = &[("real", 0), ("positive", 1), ("axis", 2), ("quaternion", 3)];
