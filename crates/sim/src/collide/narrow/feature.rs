//! Contact features of convex shapes: corners, edges and faces.

use crate::collide::shape::Shape;
use crate::geometry::Hull;
use crate::model::kinds::GeomShape as G;
use core::f64::consts::FRAC_PI_8;
use saltus_math::{Vec3, normalize, real};

/// Corners of the polygon that stands for the end disc of a cylinder.
const DISC_CORNERS: usize = 16;
/// Maximum number of faces and edges considered at a corner of a hull: each is compared with each
/// of the other shape.
const MAX_AT_CORNER: usize = 64;

/// Slope below which an edge or a face counts as lying in the contact plane: normals are accurate
/// to 1e-7.
const LEVEL: f64 = 1e-6;

/// Contact feature: the corners, edges and faces at the support point in a direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Feature {
    /// Dimension: 1: a corner (or a point of a rim, or all of a disc), 2: an edge, 3: a face.
    pub rank: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A capsule's core.
    Core,
    /// Direction perpendicular to the axis, zero on a disc; which disc.
    Rim { across: Vec3, side: f64 },
    /// Signs of the corner; for each axis, whether it may be on either side because the box is
    /// level there.
    Corner { signs: Vec3, level: [bool; 3] },
    /// A corner, one of its neighbours in the contact plane, a triangle there.
    Hull { corner: u32, neighbour: Option<u32>, triangle: Option<u32> },
}

/// A face of a shape, in the shape's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub normal: Vec3,
    /// For a hull: index of one of its triangles.
    triangle: u32,
}

/// An edge of a shape, in world coordinates; for a capsule on its core.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub direction: Vec3,
    /// None for the side of a cylinder whose contact feature is a disc: MuJoCo uses a line of the
    /// side at an arbitrary position left by its search, mostly far from the other shape.
    pub ends: Option<[Vec3; 2]>,
}

impl Face {
    fn across(i: usize, side: f64) -> Self {
        Self { normal: Vec3::AXES[i] * side, triangle: 0 }
    }
}

impl Feature {
    /// None for shapes without faces and edges. `direction` is a unit vector, world.
    pub fn of(shape: &Shape, direction: Vec3) -> Option<Self> {
        let local = shape.R.tmul(direction);
        let level = |i: usize| local[i].abs() < LEVEL;
        Some(match shape.kind {
            G::Capsule => Self { rank: 1 + usize::from(level(2)), kind: Kind::Core },
            G::Cylinder => {
                let (across, length) = normalize(Vec3::new(local.x, local.y, 0.0));
                let across = if length < LEVEL { Vec3::ZERO } else { across };
                let side = if local.z < 0.0 { -1.0 } else { 1.0 };
                Self { rank: 1 + usize::from(level(2)), kind: Kind::Rim { across, side } }
            }
            G::Box => {
                let level = [level(0), level(1), level(2)];
                let rank = 1 + level.iter().filter(|l| **l).count();
                Self { rank, kind: Kind::Corner { signs: Vec3::ONE.copysign(local), level } }
            }
            G::Mesh => Self::of_hull(shape.mesh.as_ref()?, local)?,
            _ => return None,
        })
    }

    fn of_hull(hull: &Hull, direction: Vec3) -> Option<Self> {
        if hull.corners.is_empty() {
            return None;
        }
        let corner = hull.farthest(direction);
        let p = hull.point(corner);
        let level = |i: &u32| {
            let edge = hull.point(*i) - p;
            let along = edge.dot(direction);
            *i == corner || along * along < LEVEL * LEVEL * edge.length_squared()
        };
        let (mut neighbour, mut triangle) = (None, None);
        hull.for_triangles_at(corner, |k| {
            let f = &hull.faces[k as usize];
            let across = f.map(|i| level(&i));
            neighbour = (0..3).find(|c| f[*c] != corner && across[*c]).map(|c| f[c]).or(neighbour);
            if across == [true; 3] {
                triangle = Some(k);
            }
        });
        let rank = 1 + usize::from(neighbour.is_some()) + usize::from(triangle.is_some());
        Some(Self { rank, kind: Kind::Hull { corner, neighbour, triangle } })
    }

    /// Calls `each` with all faces that meet at the feature.
    pub fn for_faces(&self, shape: &Shape, mut each: impl FnMut(Face)) {
        match self.kind {
            Kind::Core => {}
            Kind::Rim { side, .. } if self.rank == 1 => each(Face::across(2, side)),
            Kind::Rim { .. } => {}
            Kind::Corner { signs, level } => {
                for i in (0..3).filter(|i| !level[*i]) {
                    each(Face::across(i, signs[i]));
                }
            }
            Kind::Hull { corner, neighbour, triangle } => {
                let Some(hull) = &shape.mesh else { return };
                let face = |k: u32| Face { normal: hull.normal(k), triangle: k };
                if let Some(k) = triangle {
                    return each(face(k));
                }
                let mut left = MAX_AT_CORNER;
                hull.for_triangles_at(corner, |k| {
                    if left > 0 && neighbour.is_none_or(|q| hull.faces[k as usize].contains(&q)) {
                        left -= 1;
                        each(face(k));
                    }
                });
            }
        }
    }

    /// Calls `each` with the edge of the feature or, at a corner, all edges that leave it.
    pub fn for_edges(&self, shape: &Shape, mut each: impl FnMut(Edge)) {
        let mut add = |p: Vec3, q: Vec3| {
            let ends = [shape.to_world(p), shape.to_world(q)];
            each(Edge { direction: normalize(ends[1] - ends[0]).0, ends: Some(ends) });
        };
        match self.kind {
            Kind::Core => add(Vec3::Z * shape.half_length(), Vec3::Z * -shape.half_length()),
            Kind::Rim { across, .. } if across == Vec3::ZERO => each(Edge { direction: shape.axis(), ends: None }),
            Kind::Rim { across, side } => {
                let (rim, half) = (across * shape.radius(), Vec3::Z * (side * shape.half_length()));
                add(rim + half, rim - half);
            }
            Kind::Corner { signs, level } => {
                let p = signs * shape.size;
                for i in (0..3).filter(|i| self.rank == 1 || level[*i]) {
                    let mut q = p;
                    q[i] = -q[i];
                    add(p, q);
                }
            }
            Kind::Hull { corner, neighbour, .. } => {
                let Some(hull) = &shape.mesh else { return };
                let p = hull.point(corner);
                if let Some(q) = neighbour {
                    return add(p, hull.point(q));
                }
                let mut left = MAX_AT_CORNER;
                hull.for_triangles_at(corner, |k| {
                    let [a, b, c] = hull.faces[k as usize];
                    // Each edge belongs to two triangles; its end follows the corner in one of
                    // them.
                    let end = if a == corner {
                        b
                    } else if b == corner {
                        c
                    } else {
                        a
                    };
                    if left > 0 {
                        left -= 1;
                        add(p, hull.point(end));
                    }
                });
            }
        }
    }
}

/// Dimension of the contact feature of a mesh's hull in a direction (unit vector, world): 1 a
/// corner, 2 an edge, 3 a face; and the edge's direction.
pub(crate) fn of_mesh(shape: &Shape, direction: Vec3) -> Option<(usize, Vec3)> {
    let (hull, feature) = (shape.mesh.as_ref()?, Feature::of(shape, direction)?);
    let Kind::Hull { corner, neighbour, .. } = feature.kind else { return None };
    let along = neighbour.map_or(Vec3::ZERO, |q| hull.point(q) - hull.point(corner));
    Some((feature.rank, shape.R * normalize(along).0))
}

/// Fills `corners` with those of a face, clockwise from outside (world). Which corner comes first
/// matters when a flat contact is reduced to four points: for boxes and discs the order is
/// MuJoCo's.
pub(crate) fn outline(shape: &Shape, face: &Face, corners: &mut Vec<Vec3>) {
    corners.clear();
    match shape.kind {
        G::Box => corners.extend(box_outline(shape.size, face.normal)),
        G::Cylinder => {
            let side = face.normal.z;
            for k in 0..DISC_CORNERS {
                let (s, c) = real::sin_cos(-side * k as f64 * FRAC_PI_8);
                corners.push(Vec3::new(shape.radius() * c, shape.radius() * s, side * shape.half_length()));
            }
        }
        _ => {
            let Some(hull) = &shape.mesh else { return };
            hull.collect_face(face.triangle, corners);
            corners.reverse();
        }
    }
    for c in corners.iter_mut() {
        *c = shape.to_world(*c);
    }
}

/// Corners of the face of a box with this normal (an axis or its opposite), clockwise from outside.
fn box_outline(size: Vec3, normal: Vec3) -> [Vec3; 4] {
    let s = normal.x + normal.y + normal.z;
    let signs = if normal.x != 0.0 {
        [[s, 1.0, s], [s, 1.0, -s], [s, -1.0, -s], [s, -1.0, s]]
    } else if normal.y != 0.0 {
        [[-1.0, s, -s], [1.0, s, -s], [1.0, s, s], [-1.0, s, s]]
    } else {
        [[-s, 1.0, s], [s, 1.0, s], [s, -1.0, s], [-s, -1.0, s]]
    };
    signs.map(|c| size * Vec3::from_array(c))
}

/// Corners, in order, of the face at a hull's corner most aligned with `direction`: the union of
/// all triangles in its plane.
pub(super) fn hull_face(hull: &Hull, corner: u32, direction: Vec3, corners: &mut Vec<Vec3>) -> Option<Vec3> {
    let mut best: Option<(f64, Vec3, u32)> = None;
    hull.for_triangles_at(corner, |k| {
        let n = hull.normal(k);
        if best.is_none_or(|(along, ..)| n.dot(direction) > along) {
            best = Some((n.dot(direction), n, k));
        }
    });
    let (_, normal, first) = best?;
    hull.collect_face(first, corners);
    Some(normal)
}
