//! Bodies and the elements fixed to them.

use super::{CompilerSpec, SOLIMP, SOLREF};
use saltus_math::{MIN_VAL, Quat, Vec3};

use crate::model::kinds::JointKind;
pub use crate::model::kinds::{GeomShape, TrackMode};
use serde::{Deserialize, Serialize};

/// Handle of a body in a [`ModelSpec`](super::ModelSpec): its position in `bodies`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SpecBody(pub usize);

/// A rigid body. Its frame is given relative to that of the parent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BodySpec {
    /// Name; empty if it has none.
    pub name: String,
    /// Parent body; that of the world is the world.
    pub parent: SpecBody,
    /// Position in the frame of the parent.
    pub pos: Vec3,
    /// Orientation in the frame of the parent.
    pub quat: Quat,
    /// Explicit inertia; `None` infers it from the geoms.
    pub inertial: Option<InertialSpec>,
    /// Joints.
    pub joints: Vec<JointSpec>,
    /// Geoms.
    pub geoms: Vec<GeomSpec>,
    /// Sites.
    pub sites: Vec<SiteSpec>,
    /// Cameras.
    pub cameras: Vec<CameraSpec>,
    /// Lights.
    pub lights: Vec<LightSpec>,
    /// Whether the body is a mocap body, which the user moves: a child of the world without joints.
    pub mocap: bool,
    /// Gravity compensation: upward force relative to the body weight.
    pub gravcomp: f64,
    /// User data, which the engine does not use.
    pub user: Vec<f64>,
    /// Compiler settings that its inertia follows if it was attached from another model; `None` for
    /// those of this model.
    pub compiler: Option<Box<CompilerSpec>>,
    /// Place of definition for error messages; empty for bodies created by a program.
    pub place: String,
}

/// Mass and inertia of a body about its centre of mass.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InertialSpec {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in the frame of the body.
    pub pos: Vec3,
    /// Orientation of the principal axes in the frame of the body.
    pub quat: Quat,
    /// Principal moments in the frame `quat`. Ignored if `full` is given.
    pub diag: Vec3,
    /// Ixx, Iyy, Izz, Ixy, Ixz, Iyz in the body frame's orientation; diagonalized by the compiler.
    pub full: Option<[f64; 6]>,
}

/// A joint between a body and its parent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JointSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// Its kind.
    pub kind: JointKind,
    /// Anchor in the frame of the body.
    pub pos: Vec3,
    /// Axis in the frame of the body.
    pub axis: Vec3,
    /// Joint coordinate in the reference configuration of the model (hinge and slide).
    pub reference: f64,
    /// Joint coordinate at which the spring is at rest (hinge and slide).
    pub spring_reference: f64,
    /// Stiffness: linear, quadratic and cubic coefficients of force in |displacement|.
    pub stiffness: [f64; 3],
    /// Damping: linear, quadratic and cubic coefficients of force in |speed|.
    pub damping: [f64; 3],
    /// Time constant and damping ratio; if positive, the compiler computes stiffness and damping
    /// from them.
    pub spring_damper: [f64; 2],
    /// Whether it is limited; `None` infers it from the range.
    pub limited: Option<bool>,
    /// Lower and upper limits.
    pub range: [f64; 2],
    /// Distance below which the constraint is active, m or rad.
    pub margin: f64,
    /// `solref` of the limits.
    pub solref_limit: [f64; 2],
    /// `solimp` of the limits.
    pub solimp_limit: [f64; 5],
    /// Whether the total actuator force on it is limited.
    pub actuator_force_limited: Option<bool>,
    /// Limits of the total actuator force on it.
    pub actuator_force_range: [f64; 2],
    /// Velocity limit of its drive, m/s or rad/s, if the file has one. Simulation ignores it;
    /// [`add_motors`](super::ModelSpec::add_motors) keeps it.
    pub velocity_limit: Option<f64>,
    /// Whether gravity compensation counts as an actuator force.
    pub actuator_gravcomp: bool,
    /// Armature: the reflected inertia of rotors.
    pub armature: f64,
    /// Dry friction, N or N m.
    pub friction_loss: f64,
    /// `solref` of dry friction.
    pub solref_friction: [f64; 2],
    /// `solimp` of dry friction.
    pub solimp_friction: [f64; 5],
    /// Free joints: move the body frame to the inertial frame. `None` follows the compiler's
    /// `alignfree`.
    pub align: Option<bool>,
    /// Group, for viewers and ray filters.
    pub group: i32,
    /// User data, which the engine does not use.
    pub user: Vec<f64>,
    /// Place of definition for error messages; empty for elements created by a program.
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
            velocity_limit: None,
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
    /// Name; empty if it has none.
    pub name: String,
    /// Its shape.
    pub shape: GeomShape,
    /// Position in the frame of the body.
    pub pos: Vec3,
    /// Orientation in the frame of the body.
    pub quat: Quat,
    /// Shape-specific half sizes. Sizes that are not given are `NaN`, which is an error if the
    /// shape needs them.
    pub size: [f64; 3],
    /// End points of the axis of a capsule, cylinder, box or ellipsoid; replaces pos, quat and one
    /// size.
    pub from_to: Option<[f64; 6]>,
    /// Bits that are compared with the other shape's `conaffinity`.
    pub contype: i32,
    /// Bits that are compared with the other shape's `contype`.
    pub conaffinity: i32,
    /// Dimension of contacts: 1 frictionless, 3 sliding, 4 sliding and torsional, 6 sliding,
    /// torsional and rolling friction.
    pub condim: i32,
    /// Of two geoms in contact, the one with the higher priority determines the contact parameters.
    pub priority: i32,
    /// Friction coefficients.
    pub friction: [f64; 3],
    /// Weight of this geom's parameters when contact parameters are mixed.
    pub solmix: f64,
    /// `solref`: time constant and damping ratio of the constraint, or negative stiffness and
    /// damping.
    pub solref: [f64; 2],
    /// `solimp`: impedance of the constraint at zero and at the width, width, midpoint, power.
    pub solimp: [f64; 5],
    /// Distance below which the constraint is active, m or rad.
    pub margin: f64,
    /// Part of the margin in which contacts are detected but exert no force, m.
    pub gap: f64,
    /// Surface velocity in the geom frame: linear, angular.
    pub surface_velocity: [f64; 6],
    /// Adhesive force, N.
    pub adhesion: f64,
    /// Mass, kg; replaces the density if given.
    pub mass: Option<f64>,
    /// Density, kg/m³.
    pub density: f64,
    /// Whether the inertia is that of a shell instead of a solid.
    pub shell_inertia: bool,
    /// Whether fluid forces use the ellipsoid model instead of the inertia box of the body.
    pub fluid_ellipsoid: bool,
    /// Fluid coefficients: blunt drag, slender drag, angular drag, Kutta lift, Magnus lift.
    pub fluid_coefs: [f64; 5],
    /// Height field that gives the shape.
    pub hfield: Option<String>,
    /// Mesh that gives the shape.
    pub mesh: Option<String>,
    /// Scale of a primitive fitted to a mesh.
    pub fit_scale: f64,
    /// Material for drawing.
    pub material: Option<String>,
    /// Colour: red, green, blue, opacity.
    pub rgba: [f32; 4],
    /// Whether it casts a shadow.
    pub cast_shadow: bool,
    /// Group, for viewers and ray filters.
    pub group: i32,
    /// User data, which the engine does not use.
    pub user: Vec<f64>,
    /// Place of definition for error messages; empty for elements created by a program.
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

/// A frame fixed to a body, with a shape for drawing, tendon wrapping and touch sensors.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SiteSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// Its shape.
    pub shape: GeomShape,
    /// Position in the frame of the body.
    pub pos: Vec3,
    /// Orientation in the frame of the body.
    pub quat: Quat,
    /// Half sizes; which ones depends on the shape.
    pub size: [f64; 3],
    /// End points of the axis; replaces position, orientation and one size.
    pub from_to: Option<[f64; 6]>,
    /// Mesh that gives the shape.
    pub mesh: Option<String>,
    /// Material for drawing.
    pub material: Option<String>,
    /// Colour: red, green, blue, opacity.
    pub rgba: [f32; 4],
    /// Group, for viewers and ray filters.
    pub group: i32,
    /// User data, which the engine does not use.
    pub user: Vec<f64>,
    /// Place of definition for error messages; empty for elements created by a program.
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

/// A camera. The engine computes its pose; other fields are stored for viewers and the
/// camera-projection sensor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CameraSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// Position in the frame of the body.
    pub pos: Vec3,
    /// Orientation in the frame of the body.
    pub quat: Quat,
    /// How its pose follows the motion of bodies.
    pub mode: TrackMode,
    /// Body that it looks at, by name.
    pub target: Option<String>,
    /// Whether the projection is orthographic.
    pub orthographic: bool,
    /// Vertical field of view: degrees, or length if orthographic.
    pub fovy: f64,
    /// Distance between the eyes, m.
    pub ipd: f64,
    /// Width and height of the picture, pixels.
    pub resolution: [i32; 2],
    /// Output image types, as bits.
    pub output: i32,
    /// Width and height of the camera's sensor, m.
    pub sensor_size: [f32; 2],
    /// Focal length, m.
    pub focal_length: [f32; 2],
    /// Focal length, pixels.
    pub focal_pixel: [f32; 2],
    /// Principal point, m.
    pub principal_length: [f32; 2],
    /// Principal point, pixels.
    pub principal_pixel: [f32; 2],
    /// User data, which the engine does not use.
    pub user: Vec<f64>,
    /// Place of definition for error messages; empty for elements created by a program.
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

/// A light. The engine computes its pose; other fields are stored for viewers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LightSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// Position in the frame of the body.
    pub pos: Vec3,
    /// Direction in the frame of the body.
    pub dir: Vec3,
    /// How its pose follows the motion of bodies.
    pub mode: TrackMode,
    /// Body that it shines at, by name.
    pub target: Option<String>,
    /// 0 spot, 1 directional, 2 point, 3 image.
    pub kind: i32,
    /// Whether it is on.
    pub active: bool,
    /// Whether it casts a shadow.
    pub cast_shadow: bool,
    /// Texture for drawing.
    pub texture: Option<String>,
    /// Radius of the bulb, m: how soft shadows are.
    pub bulb_radius: f32,
    /// Intensity, candela.
    pub intensity: f32,
    /// Range of the light, m.
    pub range: f32,
    /// Attenuation: constant, linear, quadratic.
    pub attenuation: [f32; 3],
    /// Half angle of a spot, degrees.
    pub cutoff: f32,
    /// Softness of the edge of a spot.
    pub softness: f32,
    /// Exponent of a spot.
    pub exponent: f32,
    /// Ambient colour.
    pub ambient: [f32; 3],
    /// Diffuse colour.
    pub diffuse: [f32; 3],
    /// Specular colour.
    pub specular: [f32; 3],
    /// Place of definition for error messages; empty for elements created by a program.
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

/// Frame and sizes of a shape given by the end points of its axis; `None` if the points coincide or
/// the shape has no axis. The z axis points from the second end to the first, turned from z by the
/// shortest way.
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
