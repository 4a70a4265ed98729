//! Penetration depth by the expanding-polytope algorithm.
//!
//! If two shapes overlap, the origin is inside the Minkowski difference B − A; the point of its
//! surface nearest to the origin gives depth and direction. A polytope inside the difference is
//! expanded at its face nearest to the origin until the support point in that face's direction is
//! no farther.

use super::gjk::{Simplex, Vertex};
use super::support::Convex;
use saltus_math::{MIN_VAL, Vec3};

/// Overlap of two shapes: translating B by `depth` along `normal` makes them touch at `a` (and
/// `b`).
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
    /// Neighbours across the edges v₀v₁, v₁v₂ and v₂v₀.
    across: [u32; 3],
    /// Whether the face was removed from the surface.
    gone: bool,
}

/// An edge of the border of the hole that a new point makes, in the orientation of the hole, and
/// the remaining face beyond it.
#[derive(Clone, Copy, Debug)]
struct Border {
    from: u32,
    to: u32,
    face: u32,
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Polytope {
    vertices: Vec<Vertex>,
    faces: Vec<Face>,
    /// Distances of the faces from the origin; infinite for removed ones.
    dist: Vec<f64>,
    /// Faces removed by a new point, and the border of the hole.
    hole: Vec<u32>,
    border: Vec<Border>,
}

const MAX_ITERATIONS: usize = 150;
/// Relative tolerance of the depth, with respect to the size of the shapes.
const TOLERANCE: f64 = 1e-12;

impl Polytope {
    /// Penetration depth of two shapes, from a simplex that contains the origin. None if the
    /// difference is flat.
    pub fn penetration(&mut self, a: &Convex, b: &Convex, simplex: &Simplex) -> Option<Penetration> {
        self.start(a, b, simplex)?;
        let mut best: Option<(Face, f64)> = None;
        let mut reached = None;
        for _ in 0..MAX_ITERATIONS {
            let (k, face) = self.nearest_face()?;
            let w = Vertex::support(a, b, face.normal);
            let reach = w.w.dot(face.normal);
            // Bounds of the depth: the distance of the nearest face and the smallest support
            // distance so far.
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
        // The face with the smallest support distance may be inside the difference and have the
        // right normal by chance: the contact points are taken from the face that reached the
        // surface.
        let (pa, pb) = self.witness(&reached.unwrap_or(face));
        Some(Penetration { depth: reach, normal: -face.normal, a: pa, b: pb })
    }

    /// Points of A and B that correspond to the projection of the origin onto a face.
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

    /// Builds a tetrahedron that contains the origin.
    fn start(&mut self, a: &Convex, b: &Convex, simplex: &Simplex) -> Option<()> {
        self.vertices.clear();
        self.faces.clear();
        self.dist.clear();
        for v in &simplex.vertex[..simplex.len] {
            self.vertices.push(*v);
        }
        let directions = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
        for d in directions {
            if self.vertices.len() >= 4 {
                break;
            }
            // Directions outside the span of the points found so far.
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
            // In a tetrahedron the neighbour across an edge is the other face that contains both of
            // its vertices.
            let across = [0, 1, 2].map(|side| {
                let ends = [v[side], v[(side + 1) % 3]];
                let other = faces.iter().position(|f| *f != v && ends.iter().all(|i| f.contains(i)));
                other.unwrap_or_default() as u32
            });
            self.push(v, across);
        }
        Some(())
    }

    /// The first of the nearest faces; four interleaved minima, then the minimum of these and the
    /// rest.
    fn nearest_face(&self) -> Option<(usize, Face)> {
        let (fours, rest) = self.dist.as_chunks::<4>();
        let (mut least, mut block) = ([f64::INFINITY; 4], [0_u64; 4]);
        for (k, four) in (0..).zip(fours) {
            for i in 0..4 {
                let nearer = four[i] < least[i];
                least[i] = if nearer { four[i] } else { least[i] };
                block[i] = if nearer { k } else { block[i] };
            }
        }
        let mut nearest = (f64::INFINITY, 0);
        for i in 0..4 {
            let k = 4 * block[i] as usize + i;
            if least[i] < nearest.0 || (least[i] == nearest.0 && k < nearest.1) {
                nearest = (least[i], k);
            }
        }
        for (i, dist) in rest.iter().enumerate() {
            if *dist < nearest.0 {
                nearest = (*dist, 4 * fours.len() + i);
            }
        }
        nearest.0.is_finite().then(|| (nearest.1, self.faces[nearest.1]))
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

    /// Adds a face. A degenerate face is at infinite distance: it only provides adjacency.
    fn push(&mut self, v: [u32; 3], across: [u32; 3]) {
        let [x, y, z] = v.map(|i| self.vertices[i as usize].w);
        let n = (y - x).cross(z - x);
        let length = n.length();
        let size = (y - x).length_squared().max((z - x).length_squared());
        let (normal, dist) = if length <= 1e-14 * size || length.is_nan() {
            (Vec3::ZERO, f64::INFINITY)
        } else {
            let normal = n / length;
            (normal, normal.dot(x))
        };
        self.faces.push(Face { v, normal, dist, across, gone: false });
        self.dist.push(dist);
    }

    /// Replaces the faces visible from the new point, starting from face `k`. False if the new
    /// surface would not be closed.
    fn grow(&mut self, k: usize, w: Vertex) -> bool {
        self.open(k as u32, w.w);
        if self.border.len() < 3 {
            return false;
        }
        let new = self.vertices.len() as u32;
        self.vertices.push(w);
        let first = self.faces.len() as u32;
        for i in 0..self.border.len() {
            let Border { from, to, face } = self.border[i];
            // The border is a single loop: each edge has one predecessor and one successor.
            let follows = self.border.iter().position(|e| e.from == to);
            let leads = self.border.iter().position(|e| e.to == from);
            let (Some(follows), Some(leads)) = (follows, leads) else { return false };
            self.push([from, to, new], [face, first + follows as u32, first + leads as u32]);
            let outer = &mut self.faces[face as usize];
            let Some(side) = (0..3).find(|side| outer.v[*side] == to && outer.v[(side + 1) % 3] == from) else {
                return false;
            };
            outer.across[side] = first + i as u32;
        }
        true
    }

    /// Removes the faces that are visible from the point and connected to face `k`, and finds the
    /// border of the hole.
    fn open(&mut self, k: u32, w: Vec3) {
        // Faces coplanar with the new point are removed too: keeping them would create degenerate
        // faces.
        let tolerance = 1e-13 * w.length();
        self.hole.clear();
        self.hole.push(k);
        self.faces[k as usize].gone = true;
        let mut done = 0;
        while let Some(&hole) = self.hole.get(done) {
            self.dist[hole as usize] = f64::INFINITY;
            for i in self.faces[hole as usize].across {
                let face = &mut self.faces[i as usize];
                if !face.gone && (!face.dist.is_finite() || face.normal.dot(w) - face.dist > -tolerance) {
                    face.gone = true;
                    self.hole.push(i);
                }
            }
            done += 1;
        }
        self.border.clear();
        for &hole in &self.hole {
            let Face { v, across, .. } = self.faces[hole as usize];
            for side in (0..3).filter(|side| !self.faces[across[*side] as usize].gone) {
                self.border.push(Border { from: v[side], to: v[(side + 1) % 3], face: across[side] });
            }
        }
    }
}
