//! Bodies and what is fixed to them.

use super::{SOLIMP, SOLREF};
use saltus_math::{MIN_VAL, Quat, Vec3};

use crate::model::kinds::JointKind;
pub use crate::model::kinds::{GeomShape, TrackMode};
use serde::{Deserialize, Serialize};

/// Handle of a body in a [`ModelSpec`](super::ModelSpec): its position in `bodies`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SpecBody(pub usize);

/// A rigid body, its frame given relative to the parent's.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BodySpec {
    pub name: String,
    pub parent: SpecBody,
    pub pos: Vec3,
    pub quat: Quat,
    /// Explicit inertia; `None` infers it from the geoms.
    pub inertial: Option<InertialSpec>,
    pub joints: Vec<JointSpec>,
    pub geoms: Vec<GeomSpec>,
    pub sites: Vec<SiteSpec>,
    pub cameras: Vec<CameraSpec>,
    pub lights: Vec<LightSpec>,
    /// Moved by the user, not by dynamics; only a child of the world without joints.
    pub mocap: bool,
    /// Upward force in units of body weight.
    pub gravcomp: f64,
    pub user: Vec<f64>,
    /// Where the body was defined, for error messages; empty for bodies made by program.
    pub place: String,
}

/// Mass and inertia of a body about its centre of mass.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InertialSpec {
    pub mass: f64,
    pub pos: Vec3,
    pub quat: Quat,
    /// Principal moments in the frame `quat`. Ignored where `full` is given.
    pub diag: Vec3,
    /// Ixx, Iyy, Izz, Ixy, Ixz, Iyz in the body frame's orientation; diagonalized by the compiler.
    pub full: Option<[f64; 6]>,
}

/// A joint between a body and its parent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JointSpec {
    pub name: String,
    pub kind: JointKind,
    pub pos: Vec3,
    pub axis: Vec3,
    /// Joint value in the configuration in which the model was drawn (hinge and slide).
    pub reference: f64,
    /// Joint value at which the spring is at rest (hinge and slide).
    pub spring_reference: f64,
    /// Stiffness: linear, quadratic and cubic coefficients of force in |displacement|.
    pub stiffness: [f64; 3],
    /// Damping: linear, quadratic and cubic coefficients of force in |speed|.
    pub damping: [f64; 3],
    /// Time constant and damping ratio; where positive they replace stiffness and damping at compile time.
    pub spring_damper: [f64; 2],
    pub limited: Option<bool>,
    pub range: [f64; 2],
    pub margin: f64,
    pub solref_limit: [f64; 2],
    pub solimp_limit: [f64; 5],
    pub actuator_force_limited: Option<bool>,
    pub actuator_force_range: [f64; 2],
    pub actuator_gravcomp: bool,
    pub armature: f64,
    pub friction_loss: f64,
    pub solref_friction: [f64; 2],
    pub solimp_friction: [f64; 5],
    /// Free joints: move the body frame to the inertial frame. `None` follows the compiler's `alignfree`.
    pub align: Option<bool>,
    pub group: i32,
    pub user: Vec<f64>,
    pub place: String,
}

impl Default for JointSpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            kind: JointKind::Hinge,
            pos: Vec3::ZERO,
            axis: Vec3::Z,
            reference: 0.0,
            spring_reference: 0.0,
            stiffness: [0.0; 3],
            damping: [0.0; 3],
            spring_damper: [0.0; 2],
            limited: None,
            range: [0.0; 2],
            margin: 0.0,
            solref_limit: SOLREF,
            solimp_limit: SOLIMP,
            actuator_force_limited: None,
            actuator_force_range: [0.0; 2],
            actuator_gravcomp: false,
            armature: 0.0,
            friction_loss: 0.0,
            solref_friction: SOLREF,
            solimp_friction: SOLIMP,
            align: None,
            group: 0,
            user: Vec::new(),
            place: String::new(),
        }
    }
}

/// A shape fixed to a body: collides, carries mass, is drawn.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GeomSpec {
    pub name: String,
    pub shape: GeomShape,
    pub pos: Vec3,
    pub quat: Quat,
    /// Shape-specific half sizes; what was not given is `NaN` in the reader's defaults and an error where needed.
    pub size: [f64; 3],
    /// End points of the axis of a capsule, cylinder, box or ellipsoid; replaces pos, quat and one size.
    pub from_to: Option<[f64; 6]>,
    pub contype: i32,
    pub conaffinity: i32,
    pub condim: i32,
    pub priority: i32,
    pub friction: [f64; 3],
    pub solmix: f64,
    pub solref: [f64; 2],
    pub solimp: [f64; 5],
    pub margin: f64,
    pub gap: f64,
    /// Surface velocity in the geom frame: linear, angular.
    pub surface_velocity: [f64; 6],
    pub adhesion: f64,
    /// Mass; replaces density where given.
    pub mass: Option<f64>,
    pub density: f64,
    /// Inertia of a shell instead of a solid.
    pub shell_inertia: bool,
    /// Fluid forces by the ellipsoid model instead of the body's inertia box.
    pub fluid_ellipsoid: bool,
    /// Blunt drag, slender drag, angular drag, Kutta lift, Magnus lift.
    pub fluid_coefs: [f64; 5],
    pub hfield: Option<String>,
    pub mesh: Option<String>,
    /// Scale of a primitive fitted to a mesh.
    pub fit_scale: f64,
    pub material: Option<String>,
    pub rgba: [f32; 4],
    pub cast_shadow: bool,
    pub group: i32,
    pub user: Vec<f64>,
    pub place: String,
}

impl Default for GeomSpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            shape: GeomShape::Sphere,
            pos: Vec3::ZERO,
            quat: Quat::IDENTITY,
            size: [0.0; 3],
            from_to: None,
            contype: 1,
            conaffinity: 1,
            condim: 3,
            priority: 0,
            friction: [1.0, 0.005, 0.0001],
            solmix: 1.0,
            solref: SOLREF,
            solimp: SOLIMP,
            margin: 0.0,
            gap: 0.0,
            surface_velocity: [0.0; 6],
            adhesion: 0.0,
            mass: None,
            density: 1000.0,
            shell_inertia: false,
            fluid_ellipsoid: false,
            fluid_coefs: [0.5, 0.25, 1.5, 1.0, 1.0],
            hfield: None,
            mesh: None,
            fit_scale: 1.0,
            material: None,
            rgba: [0.5, 0.5, 0.5, 1.0],
            cast_shadow: true,
            group: 0,
            user: Vec::new(),
            place: String::new(),
        }
    }
}

/// A named frame fixed to a body; has a shape for drawing, wrapping and touch zones.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SiteSpec {
    pub name: String,
    pub shape: GeomShape,
    pub pos: Vec3,
    pub quat: Quat,
    pub size: [f64; 3],
    pub from_to: Option<[f64; 6]>,
    pub mesh: Option<String>,
    pub material: Option<String>,
    pub rgba: [f32; 4],
    pub group: i32,
    pub user: Vec<f64>,
    pub place: String,
}

impl Default for SiteSpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            shape: GeomShape::Sphere,
            pos: Vec3::ZERO,
            quat: Quat::IDENTITY,
            size: [0.005; 3],
            from_to: None,
            mesh: None,
            material: None,
            rgba: [0.5, 0.5, 0.5, 1.0],
            group: 0,
            user: Vec::new(),
            place: String::new(),
        }
    }
}

/// A camera: its pose is computed, the rest is kept for viewers and the camera-projection sensor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CameraSpec {
    pub name: String,
    pub pos: Vec3,
    pub quat: Quat,
    pub mode: TrackMode,
    pub target: Option<String>,
    pub orthographic: bool,
    /// Vertical field of view: degrees, or length if orthographic.
    pub fovy: f64,
    pub ipd: f64,
    pub resolution: [i32; 2],
    pub output: i32,
    pub sensor_size: [f32; 2],
    pub focal_length: [f32; 2],
    pub focal_pixel: [f32; 2],
    pub principal_length: [f32; 2],
    pub principal_pixel: [f32; 2],
    pub user: Vec<f64>,
    pub place: String,
}

impl Default for CameraSpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            pos: Vec3::ZERO,
            quat: Quat::IDENTITY,
            mode: TrackMode::Fixed,
            target: None,
            orthographic: false,
            fovy: 45.0,
            ipd: 0.068,
            resolution: [1, 1],
            output: 1,
            sensor_size: [0.0; 2],
            focal_length: [0.0; 2],
            focal_pixel: [0.0; 2],
            principal_length: [0.0; 2],
            principal_pixel: [0.0; 2],
            user: Vec::new(),
            place: String::new(),
        }
    }
}

/// A light: its pose is computed, the rest is kept for viewers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LightSpec {
    pub name: String,
    pub pos: Vec3,
    pub dir: Vec3,
    pub mode: TrackMode,
    pub target: Option<String>,
    /// 0 spot, 1 directional, 2 point, 3 image.
    pub kind: i32,
    pub active: bool,
    pub cast_shadow: bool,
    pub texture: Option<String>,
    pub bulb_radius: f32,
    pub intensity: f32,
    pub range: f32,
    pub attenuation: [f32; 3],
    pub cutoff: f32,
    pub softness: f32,
    pub exponent: f32,
    pub ambient: [f32; 3],
    pub diffuse: [f32; 3],
    pub specular: [f32; 3],
    pub place: String,
}

impl Default for LightSpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            pos: Vec3::ZERO,
            dir: -Vec3::Z,
            mode: TrackMode::Fixed,
            target: None,
            kind: 0,
            active: true,
            cast_shadow: true,
            texture: None,
            bulb_radius: 0.02,
            intensity: 0.0,
            range: 10.0,
            attenuation: [1.0, 0.0, 0.0],
            cutoff: 45.0,
            softness: 0.2,
            exponent: 10.0,
            ambient: [0.0; 3],
            diffuse: [0.7; 3],
            specular: [0.3; 3],
            place: String::new(),
        }
    }
}

/// Frame and sizes of a shape given by the end points of its axis; `None` if the points coincide or the shape has no axis.
/// The z axis points from the second end to the first, turned from z by the shortest way.
pub(crate) fn along_axis(
    shape: GeomShape,
    [ax, ay, az, bx, by, bz]: [f64; 6],
    mut size: [f64; 3],
) -> Option<(Vec3, Quat, [f64; 3])> {
    let (a, b) = (Vec3::new(ax, ay, az), Vec3::new(bx, by, bz));
    let axis = a - b;
    let length = axis.length();
    match shape {
        GeomShape::Capsule | GeomShape::Cylinder => size[1] = length / 2.0,
        GeomShape::Box | GeomShape::Ellipsoid => {
            size[1] = size[0];
            size[2] = length / 2.0;
        }
        _ => return None,
    }
    (length >= MIN_VAL).then(|| ((a + b) * 0.5, Quat::from_z_to(axis), size))
}
