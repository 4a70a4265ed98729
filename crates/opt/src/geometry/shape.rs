//! Shapes of a compiled model as hulls of balls, in the frame of their body.

use super::ball::{Ball, directions};
use saltus_math::{Mat3, Vec3, normalize, real};
use saltus_sim::Model;
use saltus_sim::model::kinds::GeomShape;

/// Points by which rims and ellipsoids are sampled.
const RIM: usize = 32;
const ELLIPSOID: usize = 400;
/// By how much the sampled points of an ellipsoid are moved out, so that their hull holds all of
/// it.
const OUTSIDE: f64 = 1.01;

/// A geom in the frame of its body.
#[derive(Clone, Debug)]
pub(super) struct Placed<'a> {
    pub model: &'a Model,
    pub id: usize,
    pub kind: GeomShape,
    pub size: Vec3,
    p: Vec3,
    R: Mat3,
}

impl<'a> Placed<'a> {
    pub fn of(model: &'a Model, id: usize) -> Self {
        let geoms = &model.geoms;
        Self {
            model,
            id,
            kind: geoms.shape[id],
            size: Vec3::from_array(geoms.size[id]),
            p: geoms.pos[id],
            R: geoms.quat[id].to_mat3(),
        }
    }

    pub fn to_body(&self, local: Vec3) -> Vec3 {
        self.p + self.R * local
    }

    pub fn to_local(&self, p: Vec3) -> Vec3 {
        self.R.tmul(p - self.p)
    }

    /// Axes of the shape in the frame of the body.
    pub fn axes(&self) -> [Vec3; 3] {
        [0, 1, 2].map(|i| self.R.col(i))
    }

    /// Ends of the axis of a capsule or cylinder.
    pub fn ends(&self) -> [Vec3; 2] {
        [-1.0, 1.0].map(|side| self.to_body(Vec3::Z * (side * self.size.y)))
    }

    /// Balls whose hull is the shape, or holds it with an excess of about a percent of its radius.
    /// None for planes and height fields.
    pub fn hull(&self) -> Vec<Ball> {
        let s = self.size;
        let point = |local: Vec3| Ball::point(self.to_body(local));
        match self.kind {
            GeomShape::Sphere => vec![Ball { centre: self.p, radius: s.x }],
            GeomShape::Capsule => self.ends().map(|centre| Ball { centre, radius: s.x }).to_vec(),
            GeomShape::Box => corners().map(|sign| point(sign * s)).collect(),
            GeomShape::Cylinder => {
                let outer = s.x / real::cos(core::f64::consts::PI / RIM as f64);
                rims(RIM, outer, s.y).map(point).collect()
            }
            GeomShape::Ellipsoid => directions(ELLIPSOID).map(|u| point(u * s * OUTSIDE)).collect(),
            GeomShape::Mesh => self.mesh().map_or(Vec::new(), |m| m.corners().map(point).collect()),
            GeomShape::Plane | GeomShape::Hfield => Vec::new(),
        }
    }

    /// The convex hull of a mesh.
    pub fn mesh(&self) -> Option<MeshHull<'a>> {
        let (meshes, id) = (&self.model.meshes, self.model.geoms.data[self.id]? as usize);
        (self.kind == GeomShape::Mesh).then(|| MeshHull {
            vertex: &meshes.vertex[meshes.vertices[id].range()],
            corners: &meshes.hull_vertex[meshes.hull_vertices[id].range()],
            faces: &meshes.hull_face[meshes.hull_faces[id].range()],
        })
    }
}

/// Signs of the eight corners of a box.
pub(super) fn corners() -> impl Iterator<Item = Vec3> {
    let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
    (0..8).map(move |k| Vec3::new(sign(k, 0), sign(k, 1), sign(k, 2)))
}

/// Points on both rims of a cylinder.
pub(super) fn rims(count: usize, radius: f64, half: f64) -> impl Iterator<Item = Vec3> {
    (0..2 * count).map(move |k| {
        let (s, c) = real::sin_cos(core::f64::consts::TAU * (k / 2) as f64 / count as f64);
        Vec3::new(radius * c, radius * s, if k % 2 == 0 { -half } else { half })
    })
}

/// Convex hull of a mesh in the geom's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeshHull<'a> {
    vertex: &'a [[f32; 3]],
    corners: &'a [u32],
    faces: &'a [[u32; 3]],
}

impl MeshHull<'_> {
    fn point(&self, i: u32) -> Vec3 {
        let [x, y, z] = self.vertex[i as usize];
        Vec3::new(x.into(), y.into(), z.into())
    }

    pub fn corners(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.corners.iter().map(|i| self.point(*i))
    }

    /// Corners of the largest side that is flat to within `tolerance`; none if it is less than a
    /// tenth of the surface.
    pub fn flat_side(&self, planes: &[HalfSpace], tolerance: f64) -> Vec<Vec3> {
        let triangles: Vec<([Vec3; 3], Vec3)> = self
            .faces
            .iter()
            .map(|f| {
                let corners = f.map(|i| self.point(i));
                (corners, (corners[1] - corners[0]).cross(corners[2] - corners[0]))
            })
            .collect();
        let surface: f64 = triangles.iter().map(|t| t.1.length()).sum();
        let is_on = |h: &HalfSpace, p: Vec3| h.normal.dot(p) > h.offset - tolerance;
        let area = |h: &HalfSpace| -> f64 {
            let own = triangles.iter().filter(|(corners, _)| corners.iter().all(|p| is_on(h, *p)));
            own.map(|(_, n)| n.dot(h.normal).max(0.0)).sum()
        };
        let best = planes.iter().map(|h| (h, area(h))).max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((side, _)) = best.filter(|b| b.1 > 0.1 * surface) else { return Vec::new() };
        self.corners().filter(|p| is_on(side, *p)).collect()
    }

    /// The half-spaces of the faces. Offsets are those of the farthest corner, so that each holds
    /// the hull also where the face is a sliver whose normal is not reliable.
    pub fn half_spaces(&self) -> Vec<HalfSpace> {
        let points: Vec<Vec3> = self.corners().collect();
        let mut out: Vec<HalfSpace> = Vec::new();
        for f in self.faces {
            let [a, b, c] = f.map(|i| self.point(i));
            let (normal, length) = normalize((b - a).cross(c - a));
            let known = || out.iter().rev().take(64).any(|h| (h.normal - normal).length_squared() < 1e-10);
            if length == 0.0 || known() {
                continue;
            }
            let (mut least, mut offset) = (f64::INFINITY, f64::NEG_INFINITY);
            for p in &points {
                let x = normal.dot(*p);
                (least, offset) = (least.min(x), offset.max(x));
            }
            out.push(HalfSpace { normal, offset, least });
        }
        out
    }
}

/// normal · x ≤ offset, and how small the left side gets.
#[derive(Clone, Copy, Debug)]
pub(super) struct HalfSpace {
    pub normal: Vec3,
    pub offset: f64,
    pub least: f64,
}
