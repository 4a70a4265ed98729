//! The feature of a height field that a contact is on: the inside of a triangle, an edge, or a point of the grid.
//!
//! Contacts are made with the prism under each triangle, so the nearest point p and the normal n belong to one of the
//! triangles that contain p: n is the triangle's normal, or orthogonal to an edge on which p lies, or p is a corner.

use super::feature::{Feature, View};
use crate::collide::shape::{Field, Shape};
use saltus_math::{Vec3, normalize};

/// Tolerance for points on borders, in cells.
const ON: f64 = 1e-6;
/// Slope below which a direction is tangential.
const LEVEL: f64 = 1e-6;

/// Nothing on the sides and the base of the field.
pub(super) fn feature(view: &View<'_>) -> Option<Feature> {
    let shape = Shape::of_geom(view.model, &view.data.position, view.geom);
    let grid = Grid::of(shape.field.as_ref()?)?;
    let (p, n) = (view.core(0.0), view.local(view.outward()));
    let mut found = None;
    grid.for_triangles_at(p, |corners| {
        let away = corners.map(|c| c - p);
        let tolerance = ON * grid.cell.max_element();
        let at = away.map(|d| d.length() < tolerance);
        let level = |i: usize| at[i] || n.dot(away[i]).abs() < LEVEL * away[i].length();
        if (0..3).all(level) {
            found = Some(Feature::Plane);
            return;
        }
        for i in 0..3 {
            let j = (i + 1) % 3;
            let along = normalize(corners[j] - corners[i]).0;
            let on_edge = away[i].cross(along).length() < tolerance;
            if on_edge && !at[i] && !at[j] && level(i) && level(j) && found.is_none() {
                let world = view.data.position.R_WG[view.geom] * along;
                found = Some(Feature::Line(view.contact.frame * world));
            }
            if at[i] && found.is_none() {
                found = Some(Feature::Point);
            }
        }
    });
    found
}

struct Grid<'a> {
    field: &'a Field<'a>,
    /// Size of a cell in x and y, and 0.
    cell: Vec3,
}

impl<'a> Grid<'a> {
    fn of(field: &'a Field<'a>) -> Option<Self> {
        let [sx, sy, ..] = field.size;
        let count = |n: usize| (n > 1).then(|| (n - 1) as f64);
        let cell = Vec3::new(2.0 * sx / count(field.ncol)?, 2.0 * sy / count(field.nrow)?, 0.0);
        Some(Self { field, cell })
    }

    fn point(&self, row: usize, col: usize) -> Vec3 {
        let [sx, sy, height, _] = self.field.size;
        let z = height * f64::from(self.field.data[row * self.field.ncol + col]);
        Vec3::new(self.cell.x * col as f64 - sx, self.cell.y * row as f64 - sy, z)
    }

    /// Calls `f` with the corners of each triangle that contains `p`, up to six around a point of the grid.
    fn for_triangles_at(&self, p: Vec3, mut f: impl FnMut([Vec3; 3])) {
        let [sx, sy, ..] = self.field.size;
        let (u, v) = ((p.x + sx) / self.cell.x, (p.y + sy) / self.cell.y);
        let cells = |x: f64, count: usize| {
            let cell = |x: f64| (x.floor().max(0.0) as usize).min(count - 2);
            cell(x - ON)..=cell(x + ON)
        };
        for row in cells(v, self.field.nrow) {
            for col in cells(u, self.field.ncol) {
                let (x, y) = (u - col as f64, v - row as f64);
                let (a, d) = (self.point(row, col), self.point(row + 1, col + 1));
                // Cells are cut along the diagonal from low to high x and y.
                for (holds, corners) in [
                    (y >= x - ON, [a, d, self.point(row + 1, col)]),
                    (y <= x + ON, [a, self.point(row, col + 1), d]),
                ] {
                    let normal = normalize((corners[1] - corners[0]).cross(corners[2] - corners[0])).0;
                    if holds && normal.dot(p - a).abs() < ON * self.cell.max_element() {
                        f(corners);
                    }
                }
            }
        }
    }
}
