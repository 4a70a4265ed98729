//! What is fixed to bodies: geoms, sites, cameras, lights.

use crate::ids::{BodyId, MaterialId, MeshId, TextureId};
use crate::model::kinds::{GeomShape, SameFrame, TrackMode};
use saltus_math::{Mat3, Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Geoms, in the order of their bodies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GeomTable {
    pub name: Vec<String>,
    pub shape: Vec<GeomShape>,
    pub contype: Vec<i32>,
    pub conaffinity: Vec<i32>,
    pub condim: Vec<i32>,
    pub body: Vec<BodyId>,
    /// Mesh or height field that gives the shape, by the shape's kind.
    pub data: Vec<Option<u32>>,
    pub material: Vec<Option<MaterialId>>,
    pub group: Vec<i32>,
    pub priority: Vec<i32>,
    /// Whether the frame is that of the body or of its inertia.
    pub same_frame: Vec<SameFrame>,
    pub solmix: Vec<f64>,
    pub solref: Vec<[f64; 2]>,
    pub solimp: Vec<[f64; 5]>,
    pub size: Vec<[f64; 3]>,
    /// Bounding box in the geom frame: centre, half sizes.
    pub aabb: Vec<[f64; 6]>,
    /// Radius of the bounding sphere about the geom's origin; 0 for planes.
    pub bound_radius: Vec<f64>,
    pub pos: Vec<Vec3>,
    pub quat: Vec<Quat>,
    pub friction: Vec<[f64; 3]>,
    pub margin: Vec<f64>,
    pub gap: Vec<f64>,
    pub surface_velocity: Vec<[f64; 6]>,
    pub adhesion: Vec<f64>,
    /// Ellipsoid fluid model: on/off, five coefficients, virtual mass (3), virtual inertia (3).
    pub fluid: Vec<[f64; 12]>,
    pub rgba: Vec<[f32; 4]>,
    pub cast_shadow: Vec<bool>,
    pub user: Vec<f64>,
    pub user_len: usize,
}

/// Sites, in the order of their bodies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SiteTable {
    pub name: Vec<String>,
    pub shape: Vec<GeomShape>,
    pub body: Vec<BodyId>,
    pub mesh: Vec<Option<MeshId>>,
    pub material: Vec<Option<MaterialId>>,
    pub group: Vec<i32>,
    pub same_frame: Vec<SameFrame>,
    pub size: Vec<[f64; 3]>,
    pub pos: Vec<Vec3>,
    pub quat: Vec<Quat>,
    pub rgba: Vec<[f32; 4]>,
    pub user: Vec<f64>,
    pub user_len: usize,
}

/// Cameras.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CameraTable {
    pub name: Vec<String>,
    pub mode: Vec<TrackMode>,
    pub body: Vec<BodyId>,
    pub target: Vec<Option<BodyId>>,
    pub pos: Vec<Vec3>,
    pub quat: Vec<Quat>,
    /// At the reference pose: position relative to the subtree's centre of mass and to the body; orientation.
    pub pos_com0: Vec<Vec3>,
    pub pos0: Vec<Vec3>,
    pub mat0: Vec<Mat3>,
    pub orthographic: Vec<bool>,
    pub fovy: Vec<f64>,
    pub ipd: Vec<f64>,
    pub resolution: Vec<[i32; 2]>,
    pub output: Vec<i32>,
    pub sensor_size: Vec<[f32; 2]>,
    pub intrinsic: Vec<[f32; 4]>,
    pub user: Vec<f64>,
    pub user_len: usize,
}

/// Lights.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LightTable {
    pub name: Vec<String>,
    pub mode: Vec<TrackMode>,
    pub body: Vec<BodyId>,
    pub target: Vec<Option<BodyId>>,
    pub kind: Vec<i32>,
    pub texture: Vec<Option<TextureId>>,
    pub cast_shadow: Vec<bool>,
    pub active: Vec<bool>,
    pub pos: Vec<Vec3>,
    pub dir: Vec<Vec3>,
    pub pos_com0: Vec<Vec3>,
    pub pos0: Vec<Vec3>,
    pub dir0: Vec<Vec3>,
    pub bulb_radius: Vec<f32>,
    pub intensity: Vec<f32>,
    pub range: Vec<f32>,
    pub attenuation: Vec<[f32; 3]>,
    pub cutoff: Vec<f32>,
    pub softness: Vec<f32>,
    pub exponent: Vec<f32>,
    pub ambient: Vec<[f32; 3]>,
    pub diffuse: Vec<[f32; 3]>,
    pub specular: Vec<[f32; 3]>,
}
