//! Enumerations that both the editable and the compiled model use. Discriminants are those of
//! MJCF's enumerations, so that the compatibility layer can pass them on as integers.

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $value:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[repr(i32)]
        pub enum $name { $($(#[$vdoc])* $variant = $value),+ }
        impl $name {
            /// All kinds, in the order of their numbers.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];
            /// The kind with this number.
            pub fn from_i32(value: i32) -> Option<Self> {
                Self::ALL.iter().copied().find(|k| *k as i32 == value)
            }
        }
    };
}

kinds! {
    /// Kind of a joint.
    JointKind { Free = 0, Ball = 1, Slide = 2, Hinge = 3 }
}
impl JointKind {
    /// Number of coordinates in q.
    pub const fn nq(self) -> usize {
        match self {
            JointKind::Free => 7,
            JointKind::Ball => 4,
            JointKind::Slide | JointKind::Hinge => 1,
        }
    }
    /// Number of degrees of freedom in v.
    pub const fn nv(self) -> usize {
        match self {
            JointKind::Free => 6,
            JointKind::Ball => 3,
            JointKind::Slide | JointKind::Hinge => 1,
        }
    }
    /// Sizes of the groups of dofs whose axes rotate together, in order.
    pub const fn blocks(self) -> &'static [usize] {
        match self {
            JointKind::Free => &[3, 3],
            JointKind::Ball => &[3],
            JointKind::Slide | JointKind::Hinge => &[1],
        }
    }
}
kinds! {
    /// Shape of a geom or site.
    GeomShape { Plane = 0, Hfield = 1, Sphere = 2, Capsule = 3, Ellipsoid = 4, Cylinder = 5, Box = 6, Mesh = 7 }
}
kinds! {
    /// Whether a frame fixed to a body coincides with the body frame or the inertial frame, which
    /// saves computations.
    SameFrame { Own = 0, Body = 1, Inertia = 2, BodyRotation = 3, InertiaRotation = 4 }
}
kinds! {
    /// How the pose of a camera or light follows the motion of bodies.
    TrackMode { Fixed = 0, Track = 1, TrackCom = 2, TargetBody = 3, TargetBodyCom = 4 }
}
kinds! {
    /// How the volume and inertia of a mesh are computed.
    MeshInertia { Convex = 0, Exact = 1, Legacy = 2, Shell = 3 }
}
kinds! {
    /// Kind of an equality constraint.
    EqualityType { Connect = 0, Weld = 1, Joint = 2, Tendon = 3 }
}
kinds! {
    /// Kind of an element of a tendon path.
    WrapKind { Joint = 1, Pulley = 2, Site = 3, Sphere = 4, Cylinder = 5 }
}
kinds! {
    /// Kind of the transmission target of an actuator.
    TransmissionKind { Joint = 0, JointInParent = 1, SliderCrank = 2, Tendon = 3, Site = 4, Body = 5 }
}
kinds! {
    /// Activation dynamics.
    ActivationKind { None = 0, Integrator = 1, Filter = 2, FilterExact = 3, Muscle = 4, DcMotor = 5, Pid = 6, User = 7 }
}
kinds! {
    /// Actuator gain.
    GainKind { Fixed = 0, Affine = 1, Muscle = 2, DcMotor = 3, So3 = 4, Pid = 5, User = 6 }
}
kinds! {
    /// Actuator bias.
    BiasKind { None = 0, Affine = 1, Muscle = 2, DcMotor = 3, So3 = 4, User = 5 }
}
kinds! {
    /// Kind of a named object.
    ObjectKind {
        Unknown = 0, Body = 1, XBody = 2, Joint = 3, Dof = 4, Geom = 5, Site = 6, Camera = 7, Light = 8, Mesh = 10,
        Hfield = 12, Texture = 13, Material = 14, Pair = 15, Exclude = 16, Equality = 17, Tendon = 18, Actuator = 19,
        Sensor = 20, Numeric = 21, Text = 22, Tuple = 23, Key = 24,
    }
}
kinds! {
    /// Kind of a sensor.
    SensorKind {
        Touch = 0, Accelerometer = 1, Velocimeter = 2, Gyro = 3, Force = 4, Torque = 5, Magnetometer = 6,
        Rangefinder = 7, CamProjection = 8, JointPos = 9, JointVel = 10, TendonPos = 11, TendonVel = 12,
        ActuatorPos = 13, ActuatorVel = 14, ActuatorFrc = 15, JointActFrc = 16, TendonActFrc = 17, BallQuat = 18,
        BallAngVel = 19, JointLimitPos = 20, JointLimitVel = 21, JointLimitFrc = 22, TendonLimitPos = 23,
        TendonLimitVel = 24, TendonLimitFrc = 25, FramePos = 26, FrameQuat = 27, FrameXAxis = 28, FrameYAxis = 29,
        FrameZAxis = 30, FrameLinVel = 31, FrameAngVel = 32, FrameLinAcc = 33, FrameAngAcc = 34, SubtreeCom = 35,
        SubtreeLinVel = 36, SubtreeAngMom = 37, InsideSite = 38, GeomDist = 39, GeomNormal = 40, GeomFromTo = 41,
        Contact = 42, EPotential = 43, EKinetic = 44, Clock = 45, User = 48,
    }
}

/// Name of a kind of object in model files.
pub(crate) fn kind_name(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Unknown => "object",
        ObjectKind::Body => "body",
        ObjectKind::XBody => "xbody",
        ObjectKind::Joint => "joint",
        ObjectKind::Dof => "dof",
        ObjectKind::Geom => "geom",
        ObjectKind::Site => "site",
        ObjectKind::Camera => "camera",
        ObjectKind::Light => "light",
        ObjectKind::Mesh => "mesh",
        ObjectKind::Hfield => "hfield",
        ObjectKind::Texture => "texture",
        ObjectKind::Material => "material",
        ObjectKind::Pair => "pair",
        ObjectKind::Exclude => "exclude",
        ObjectKind::Equality => "equality",
        ObjectKind::Tendon => "tendon",
        ObjectKind::Actuator => "actuator",
        ObjectKind::Sensor => "sensor",
        ObjectKind::Numeric => "numeric",
        ObjectKind::Text => "text",
        ObjectKind::Tuple => "tuple",
        ObjectKind::Key => "key",
    }
}
