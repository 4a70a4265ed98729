//! Objects fixed to bodies: geoms, sites, cameras, lights.

use crate::ids::{BodyId, MaterialId, MeshId, TextureId};
use crate::model::kinds::{GeomShape, SameFrame, TrackMode};
use saltus_math::{Mat3, Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Geoms, in the order of their bodies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GeomTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// Kind of shape.
    pub shape: Vec<GeomShape>,
    /// Bits that are compared with the other shape's `conaffinity`.
    pub contype: Vec<i32>,
    /// Bits that are compared with the other shape's `contype`.
    pub conaffinity: Vec<i32>,
    /// Dimension of contacts: 1 frictionless, 3 sliding, 4 sliding and torsional, 6 sliding,
    /// torsional and rolling friction.
    pub condim: Vec<i32>,
    /// Body that the geom is fixed to.
    pub body: Vec<BodyId>,
    /// Index of the mesh or height field, for shapes of these kinds.
    pub data: Vec<Option<u32>>,
    /// Material for rendering.
    pub material: Vec<Option<MaterialId>>,
    /// Group, for viewers and ray filters.
    pub group: Vec<i32>,
    /// Contact priority: of two geoms in contact, the one with the higher priority determines the
    /// parameters.
    pub priority: Vec<i32>,
    /// Whether the frame coincides with the body frame or the inertial frame.
    pub same_frame: Vec<SameFrame>,
    /// Weight of this geom's parameters when they are mixed with another's.
    pub solmix: Vec<f64>,
    /// `solref`: time constant and damping ratio of the constraint, or negative stiffness and
    /// damping.
    pub solref: Vec<[f64; 2]>,
    /// `solimp`: impedance of the constraint at zero and at the width, width, midpoint, power.
    pub solimp: Vec<[f64; 5]>,
    /// Half sizes; their meaning depends on the shape.
    pub size: Vec<[f64; 3]>,
    /// Bounding box in the geom frame: centre, half sizes.
    pub aabb: Vec<[f64; 6]>,
    /// Radius of the bounding sphere about the geom's origin; 0 for planes.
    pub bound_radius: Vec<f64>,
    /// Position in the frame of the body.
    pub pos: Vec<Vec3>,
    /// Orientation in the frame of the body.
    pub quat: Vec<Quat>,
    /// Friction coefficients: sliding, torsional, rolling.
    pub friction: Vec<[f64; 3]>,
    /// Distance below which the constraint is active, m or rad.
    pub margin: Vec<f64>,
    /// Part of the margin in which contacts are detected but exert no force, m.
    pub gap: Vec<f64>,
    /// Surface velocity in the geom frame: linear, angular.
    pub surface_velocity: Vec<[f64; 6]>,
    /// Adhesive force, N.
    pub adhesion: Vec<f64>,
    /// Ellipsoid fluid model: on/off, five coefficients, virtual mass (3), virtual inertia (3).
    pub fluid: Vec<[f64; 12]>,
    /// Colour: red, green, blue, opacity.
    pub rgba: Vec<[f32; 4]>,
    /// Whether it casts a shadow.
    pub cast_shadow: Vec<bool>,
    /// User data, not used by the engine.
    pub user: Vec<f64>,
    /// Length of the user data of each geom.
    pub user_len: usize,
}

/// Sites, in the order of their bodies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SiteTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// Kind of shape.
    pub shape: Vec<GeomShape>,
    /// Body that the site is fixed to.
    pub body: Vec<BodyId>,
    /// Mesh that gives the shape.
    pub mesh: Vec<Option<MeshId>>,
    /// Material for rendering.
    pub material: Vec<Option<MaterialId>>,
    /// Group, for viewers and ray filters.
    pub group: Vec<i32>,
    /// Whether the frame coincides with the body frame or the inertial frame.
    pub same_frame: Vec<SameFrame>,
    /// Half sizes; their meaning depends on the shape.
    pub size: Vec<[f64; 3]>,
    /// Position in the frame of the body.
    pub pos: Vec<Vec3>,
    /// Orientation in the frame of the body.
    pub quat: Vec<Quat>,
    /// Colour: red, green, blue, opacity.
    pub rgba: Vec<[f32; 4]>,
    /// User data, not used by the engine.
    pub user: Vec<f64>,
    /// Length of the user data of each site.
    pub user_len: usize,
}

/// Cameras.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CameraTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// How the pose follows the motion of bodies.
    pub mode: Vec<TrackMode>,
    /// Body that the camera is fixed to.
    pub body: Vec<BodyId>,
    /// Body that the camera points at.
    pub target: Vec<Option<BodyId>>,
    /// Position in the frame of the body.
    pub pos: Vec<Vec3>,
    /// Orientation in the frame of the body.
    pub quat: Vec<Quat>,
    /// Position relative to the centre of mass of the subtree in the reference pose.
    pub pos_com0: Vec<Vec3>,
    /// Position relative to the body in the reference pose.
    pub pos0: Vec<Vec3>,
    /// Orientation in the reference pose.
    pub mat0: Vec<Mat3>,
    /// Whether the projection is orthographic.
    pub orthographic: Vec<bool>,
    /// Vertical field of view, degrees.
    pub fovy: Vec<f64>,
    /// Distance between the eyes, m.
    pub ipd: Vec<f64>,
    /// Width and height of the image, pixels.
    pub resolution: Vec<[i32; 2]>,
    /// Output image types, as bits.
    pub output: Vec<i32>,
    /// Width and height of the camera's sensor, m.
    pub sensor_size: Vec<[f32; 2]>,
    /// Focal length and principal point, m.
    pub intrinsic: Vec<[f32; 4]>,
    /// User data, not used by the engine.
    pub user: Vec<f64>,
    /// Length of the user data of each camera.
    pub user_len: usize,
}

/// Lights.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LightTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// How the pose follows the motion of bodies.
    pub mode: Vec<TrackMode>,
    /// Body that the light is fixed to.
    pub body: Vec<BodyId>,
    /// Body that the light points at.
    pub target: Vec<Option<BodyId>>,
    /// Kind of light, numbered as in MJCF.
    pub kind: Vec<i32>,
    /// Texture for rendering.
    pub texture: Vec<Option<TextureId>>,
    /// Whether it casts a shadow.
    pub cast_shadow: Vec<bool>,
    /// Whether the light is on.
    pub active: Vec<bool>,
    /// Position in the frame of the body.
    pub pos: Vec<Vec3>,
    /// Direction in the frame of the body.
    pub dir: Vec<Vec3>,
    /// Position relative to the centre of mass of the subtree in the reference pose.
    pub pos_com0: Vec<Vec3>,
    /// Position relative to the body in the reference pose.
    pub pos0: Vec<Vec3>,
    /// Direction in the reference pose.
    pub dir0: Vec<Vec3>,
    /// Radius of the bulb, m, which determines the softness of shadows.
    pub bulb_radius: Vec<f32>,
    /// Intensity, candela.
    pub intensity: Vec<f32>,
    /// Range of the light, m.
    pub range: Vec<f32>,
    /// Attenuation: constant, linear, quadratic.
    pub attenuation: Vec<[f32; 3]>,
    /// Half angle of a spot, degrees.
    pub cutoff: Vec<f32>,
    /// Softness of the edge of a spot.
    pub softness: Vec<f32>,
    /// Exponent of a spot.
    pub exponent: Vec<f32>,
    /// Ambient colour.
    pub ambient: Vec<[f32; 3]>,
    /// Diffuse colour.
    pub diffuse: Vec<[f32; 3]>,
    /// Specular colour.
    pub specular: Vec<[f32; 3]>,
}
