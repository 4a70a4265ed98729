//! Faces of hulls: polygons of all triangles in one plane.

use super::hull::Hull;
use saltus_math::{Vec3, normalize};

/// Most corners of a face that are looked at.
const MAX_CORNERS: usize = 128;
/// Distance from a plane, relative to the hull's size, below which a corner is in it: vertices are
/// single precision.
const COPLANAR: f64 = 1e-6;
/// Numbers kept for a triangle, on average: hulls with many triangles in one plane find their faces
/// when asked.
const MAX_KEPT: usize = 32;

/// The face of each triangle of a hull: its corners, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outlines {
    /// Where the corners of a triangle's face begin · triangles + 1, or empty.
    start: Vec<u32>,
    corner: Vec<u32>,
}

impl Outlines {
    pub fn new(hull: &Hull) -> Self {
        let mut outlines = Self { start: vec![0], corner: Vec::new() };
        for triangle in 0..hull.faces.len() {
            let (ids, count) = find(hull, triangle as u32);
            outlines.corner.extend(&ids[..count]);
            outlines.start.push(outlines.corner.len() as u32);
            if outlines.corner.len() > MAX_KEPT * hull.faces.len() {
                return Self::default();
            }
        }
        outlines
    }

    fn of(&self, triangle: u32) -> Option<&[u32]> {
        let (start, end) = (self.start.get(triangle as usize)?, self.start.get(triangle as usize + 1)?);
        self.corner.get(*start as usize..*end as usize)
    }
}

impl Hull<'_> {
    /// Appends the corners of the face of a triangle, counterclockwise from outside.
    pub(crate) fn collect_face(&self, triangle: u32, corners: &mut Vec<Vec3>) {
        match self.usable_graph().and_then(|g| g.outlines.of(triangle)) {
            Some(ids) => corners.extend(ids.iter().map(|i| self.point(*i))),
            None => {
                let (ids, count) = find(self, triangle);
                corners.extend(ids[..count].iter().map(|i| self.point(*i)));
            }
        }
    }
}

/// Spreads from a triangle over its plane, corner by corner.
fn find(hull: &Hull, triangle: u32) -> ([u32; MAX_CORNERS], usize) {
    let (normal, first) = (hull.normal(triangle), hull.faces[triangle as usize]);
    let on_face = hull.point(first[0]);
    let tolerance = COPLANAR * on_face.length();
    let mut ids = [0; MAX_CORNERS];
    ids[..3].copy_from_slice(&first);
    let (mut count, mut done) = (3, 0);
    while done < count {
        hull.for_triangles_at(ids[done], |k| {
            let f = hull.faces[k as usize];
            if f.iter().any(|i| normal.dot(hull.point(*i) - on_face).abs() > tolerance) {
                return;
            }
            for i in f {
                if count < MAX_CORNERS && !ids[..count].contains(&i) {
                    ids[count] = i;
                    count += 1;
                }
            }
        });
        done += 1;
    }
    // A convex polygon's corners go round its centre in order of angle.
    let centre = ids[..count].iter().map(|i| hull.point(*i)).sum::<Vec3>() / count as f64;
    let (u, _) = normalize(on_face - centre);
    let v = normal.cross(u);
    let angle = |i: u32| {
        let arm = hull.point(i) - centre;
        turn(u.dot(arm), v.dot(arm))
    };
    ids[..count].sort_unstable_by(|p, q| angle(*p).total_cmp(&angle(*q)));
    (ids, count)
}

/// A number from −2 to 2 that rises with the angle of a vector, as atan2 does.
fn turn(x: f64, y: f64) -> f64 {
    let part = y / (x.abs() + y.abs());
    if x >= 0.0 {
        part
    } else if y >= 0.0 {
        2.0 - part
    } else {
        -2.0 - part
    }
}
