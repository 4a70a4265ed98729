//! Contact features of height fields.
//!
//! Contacts are generated with the prism under each triangle: the closest point p of the prism and
//! a normal n that supports it there. The corners of the prism in the plane through p perpendicular
//! to n span the feature: a corner, an edge or a face. Of the prisms that contain p the one that
//! generated the contact is supported by n.

use super::feature::{Feature, View};
use crate::collide::shape::{Field, Shape};
use saltus_math::{Vec3, normalize};

/// Tolerance for points on borders, in cells.
const ON: f64 = 1e-6;
/// Slope below which a direction is tangential.
const LEVEL: f64 = 1e-6;

/// None if no prism is supported, as for contacts that were not found to full precision.
pub(super) fn feature(view: &View<'_>) -> Option<Feature> {
    let shape = Shape::of_geom(view.model, &view.data.position, view.geom);
    let grid = Grid::of(shape.field.as_ref()?)?;
    let (p, n) = (view.core(0.0), view.local(view.outward()));
    let tolerance = ON * grid.cell.max_element();
    let mut found = None;
    grid.for_prisms_at(p, |corners| {
        let away = corners.map(|c| c - p);
        let supports = away.iter().all(|d| n.dot(*d) < LEVEL * d.length() + tolerance * LEVEL);
        if found.is_some() || !supports {
            return;
        }
        let level = |d: &&Vec3| n.dot(**d).abs() < LEVEL * d.length() || d.length() < tolerance;
        let mut on = away.iter().filter(level);
        let Some(first) = on.next() else { return };
        let Some(second) = on.next() else {
            found = Some(Feature::Point);
            return;
        };
        let (along, length) = normalize(*second - *first);
        let flat = on.any(|d| (*d - *first).cross(along).length() > LEVEL * length);
        let world = || view.contact.frame * (view.data.position.R_WG[view.geom] * along);
        found = Some(if flat { Feature::Plane } else { Feature::Line(world()) });
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

    /// Calls `f` with the corners of the prism under each triangle over `p`, up to six around a
    /// point of the grid.
    fn for_prisms_at(&self, p: Vec3, mut f: impl FnMut([Vec3; 6])) {
        let [sx, sy, _, base] = self.field.size;
        let (u, v) = ((p.x + sx) / self.cell.x, (p.y + sy) / self.cell.y);
        let cells = |x: f64, count: usize| {
            let cell = |x: f64| (x.floor().max(0.0) as usize).min(count - 2);
            cell(x - ON)..=cell(x + ON)
        };
        let floor = |p: Vec3| Vec3::new(p.x, p.y, -base);
        for row in cells(v, self.field.nrow) {
            for col in cells(u, self.field.ncol) {
                let (x, y) = (u - col as f64, v - row as f64);
                let (a, d) = (self.point(row, col), self.point(row + 1, col + 1));
                // Cells are split along the diagonal from low to high x and y.
                for (holds, b) in [(y >= x - ON, self.point(row + 1, col)), (y <= x + ON, self.point(row, col + 1))] {
                    if holds {
                        f([a, b, d, floor(a), floor(b), floor(d)]);
                    }
                }
            }
        }
    }
}
