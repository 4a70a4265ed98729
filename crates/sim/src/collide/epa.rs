//! Penetration depth by the expanding-polytope algorithm.
//!
//! If two shapes overlap, the origin is inside the difference B − A; the nearest point of the difference's surface gives
//! depth and direction. A polytope inside the difference is grown at its face nearest to the origin until the support
//! point in that face's direction is no farther.

use super::gjk::{Simplex, Vertex};
use super::support::Convex;
use saltus_math::{MIN_VAL, Vec3};

/// How two shapes overlap: moving B by `depth` along `normal` makes them just touch at `a` (and `b`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Penetration {
    pub depth: f64,
    /// From A to B.
    pub normal: Vec3,
    pub a: Vec3,
    pub b: Vec3,
}

#[derive(Clone, Copy, Debug)]
struct Face {
    v: [u32; 3],
    normal: Vec3,
    dist: f64,
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Polytope {
    vertices: Vec<Vertex>,
    faces: Vec<Face>,
    /// Border of the hole that a new point makes, the faces in it, and faces that may join them.
    horizon: Vec<[u32; 2]>,
    hole: Vec<u32>,
    visible: Vec<u32>,
}

const MAX_ITERATIONS: usize = 150;
/// Depth is found to this fraction of the shapes' size.
const TOLERANCE: f64 = 1e-12;

impl Polytope {
    /// Depth of the overlap of two shapes, from a simplex that holds the origin. Nothing if the difference is flat.
    pub fn penetration(&mut self, a: &Convex, b: &Convex, simplex: &Simplex) -> Option<Penetration> {
        self.start(a, b, simplex)?;
        let mut best: Option<(Face, f64)> = None;
        let mut reached = None;
        for _ in 0..MAX_ITERATIONS {
            let (k, face) = self.nearest_face()?;
            let w = Vertex::support(a, b, face.normal);
            let reach = w.w.dot(face.normal);
            // The depth is at least the nearest face's distance and at most the smallest reach seen.
            if best.is_none_or(|(_, r)| reach < r) {
                best = Some((face, reach));
            }
            let upper = best.map_or(reach, |(_, r)| r);
            if upper - face.dist <= TOLERANCE * w.w.length() {
                reached = Some(face);
                break;
            }
            if !self.grow(k, w) {
                break;
            }
        }
        let (face, reach) = best?;
        // The face of the smallest reach may be one deep inside that happens to have the right normal: where the shapes touch
        // is known from the face that reached the surface.
        let (pa, pb) = self.witness(&reached.unwrap_or(face));
        Some(Penetration { depth: reach, normal: -face.normal, a: pa, b: pb })
    }

    /// Points of A and B at the projection of the origin onto a face.
    fn witness(&self, face: &Face) -> (Vec3, Vec3) {
        let [x, y, z] = face.v.map(|i| self.vertices[i as usize]);
        let p = face.normal * face.dist;
        let n = (y.w - x.w).cross(z.w - x.w);
        let square = n.length_squared().max(f64::MIN_POSITIVE);
        let u = n.dot((y.w - p).cross(z.w - p)) / square;
        let v = n.dot((z.w - p).cross(x.w - p)) / square;
        let t = 1.0 - u - v;
        (x.a * u + y.a * v + z.a * t, x.b * u + y.b * v + z.b * t)
    }

    /// A tetrahedron around the origin.
    fn start(&mut self, a: &Convex, b: &Convex, simplex: &Simplex) -> Option<()> {
        self.vertices.clear();
        self.faces.clear();
        for v in &simplex.vertex[..simplex.len] {
            self.vertices.push(*v);
        }
        let directions = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
        for d in directions {
            if self.vertices.len() >= 4 {
                break;
            }
            // Directions that leave the span of the points found so far.
            let outwards = match self.vertices.as_slice() {
                [] => d,
                [x] => d - x.w * (d.dot(x.w) / x.w.length_squared().max(MIN_VAL)),
                [x, y] => (y.w - x.w).cross(d),
                [x, y, z, ..] => (y.w - x.w).cross(z.w - x.w),
            };
            for sign in [1.0, -1.0] {
                let v = Vertex::support(a, b, outwards * sign);
                if self.vertices.len() < 4 && self.independent(&v) {
                    self.vertices.push(v);
                }
            }
        }
        let [p, q, r, s] = *self.vertices.as_slice() else { return None };
        let volume = (q.w - p.w).cross(r.w - p.w).dot(s.w - p.w);
        if volume == 0.0 {
            return None;
        }
        let faces = if volume < 0.0 {
            [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]
        } else {
            [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
        };
        for v in faces {
            let face = self.face(v);
            self.faces.push(face);
        }
        Some(())
    }

    fn nearest_face(&self) -> Option<(usize, Face)> {
        let nearest = self.faces.iter().enumerate().min_by(|x, y| x.1.dist.total_cmp(&y.1.dist))?;
        nearest.1.dist.is_finite().then_some((nearest.0, *nearest.1))
    }

    fn independent(&self, v: &Vertex) -> bool {
        let scale = v.w.length_squared().max(f64::MIN_POSITIVE);
        match self.vertices.as_slice() {
            [] => true,
            [x] => (v.w - x.w).length_squared() > 1e-18 * scale,
            [x, y] => {
                let area = (y.w - x.w).cross(v.w - x.w).length_squared();
                area > 1e-20 * scale * (y.w - x.w).length_squared()
            }
            [x, y, z, ..] => {
                let n = (y.w - x.w).cross(z.w - x.w);
                n.dot(v.w - x.w).abs() > 1e-10 * n.length() * scale.sqrt()
            }
        }
    }

    /// A face without area is infinitely far: it only holds its neighbours together.
    fn face(&self, v: [u32; 3]) -> Face {
        let [x, y, z] = v.map(|i| self.vertices[i as usize].w);
        let n = (y - x).cross(z - x);
        let length = n.length();
        let size = (y - x).length_squared().max((z - x).length_squared());
        if length <= 1e-14 * size || length.is_nan() {
            return Face { v, normal: Vec3::ZERO, dist: f64::INFINITY };
        }
        let normal = n / length;
        Face { v, normal, dist: normal.dot(x) }
    }

    /// Replaces the faces that see the new point, starting from face `k`. False if the new surface would not be closed.
    fn grow(&mut self, k: usize, w: Vertex) -> bool {
        // Faces in the plane of the new point go too: keeping them would make faces without area.
        let tolerance = 1e-13 * w.w.length();
        self.visible.clear();
        for (i, face) in self.faces.iter().enumerate() {
            if i != k && (!face.dist.is_finite() || face.normal.dot(w.w) - face.dist > -tolerance) {
                self.visible.push(i as u32);
            }
        }
        // Of the visible faces, those that hang together with face k.
        self.horizon.clear();
        self.hole.clear();
        self.open(k as u32);
        let mut again = true;
        while again {
            again = false;
            let mut i = 0;
            while i < self.visible.len() {
                let face = self.visible[i];
                if self.touches_horizon(face) {
                    self.visible.swap_remove(i);
                    self.open(face);
                    again = true;
                } else {
                    i += 1;
                }
            }
        }
        self.hole.sort_unstable();
        for face in self.hole.iter().rev() {
            self.faces.swap_remove(*face as usize);
        }
        let new = self.vertices.len() as u32;
        self.vertices.push(w);
        for i in 0..self.horizon.len() {
            let [x, y] = self.horizon[i];
            let face = self.face([x, y, new]);
            self.faces.push(face);
        }
        self.horizon.len() >= 3
    }

    fn touches_horizon(&self, face: u32) -> bool {
        let [x, y, z] = self.faces[face as usize].v;
        self.horizon.iter().any(|e| *e == [y, x] || *e == [z, y] || *e == [x, z])
    }

    /// Makes a face part of the hole; its edges become or stop being the hole's border.
    fn open(&mut self, face: u32) {
        self.hole.push(face);
        let [x, y, z] = self.faces[face as usize].v;
        for [p, q] in [[x, y], [y, z], [z, x]] {
            match self.horizon.iter().position(|e| *e == [q, p]) {
                Some(i) => {
                    self.horizon.swap_remove(i);
                }
                None => self.horizon.push([p, q]),
            }
        }
    }
}
