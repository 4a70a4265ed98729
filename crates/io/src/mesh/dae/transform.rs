//! Transforms of nodes: `matrix`, `translate`, `rotate` and `scale`, the first in the file being
//! the outermost.

use super::{Fault, fault};
use crate::xml::Element;
use saltus_math::{Quat, Vec3};

/// x ↦ A x + b, the rows of (A b).
#[derive(Clone, Copy, Debug)]
pub(super) struct Affine([[f64; 4]; 3]);

impl Affine {
    pub(super) fn scaled([x, y, z]: [f64; 3]) -> Self {
        Self([[x, 0.0, 0.0, 0.0], [0.0, y, 0.0, 0.0], [0.0, 0.0, z, 0.0]])
    }

    fn translated([x, y, z]: [f64; 3]) -> Self {
        Self([[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]])
    }

    fn rotated([x, y, z, degrees]: [f64; 4]) -> Self {
        let r = Quat::from_axis_angle(Vec3::new(x, y, z), degrees.to_radians()).to_mat3();
        Self([r.r0, r.r1, r.r2].map(|row| [row.x, row.y, row.z, 0.0]))
    }

    /// Composition with an outer transform: x ↦ outer(self(x)).
    pub(super) fn after(&self, outer: &Affine) -> Affine {
        let mut rows = [[0.0; 4]; 3];
        for (row, o) in rows.iter_mut().zip(&outer.0) {
            for (k, entry) in row.iter_mut().enumerate() {
                *entry = o[0] * self.0[0][k] + o[1] * self.0[1][k] + o[2] * self.0[2][k];
            }
            row[3] += o[3];
        }
        Affine(rows)
    }

    pub(super) fn apply(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        self.0.map(|r| r[0] * x + r[1] * y + r[2] * z + r[3])
    }

    pub(super) fn determinant(&self) -> f64 {
        let [a, b, c] = self.0.map(|r| Vec3::new(r[0], r[1], r[2]));
        a.dot(b.cross(c))
    }
}

/// The transform from a node's own coordinates to those of its parent.
pub(super) fn of_node(node: Element) -> Result<Affine, Fault> {
    let mut whole = Affine::scaled([1.0; 3]);
    for e in node.children() {
        let inner = match e.tag() {
            "matrix" => {
                let m: [f64; 16] = numbers(e)?;
                Affine([0, 1, 2].map(|r| [0, 1, 2, 3].map(|c| m[4 * r + c])))
            }
            "translate" => Affine::translated(numbers(e)?),
            "rotate" => Affine::rotated(numbers(e)?),
            "scale" => Affine::scaled(numbers(e)?),
            "skew" | "lookat" => return Err(fault(e, format!("the transform {} is not supported", e.tag()))),
            _ => continue,
        };
        whole = inner.after(&whole);
    }
    Ok(whole)
}

/// The numbers inside an element, of which there must be exactly `N`.
fn numbers<const N: usize>(e: Element) -> Result<[f64; N], Fault> {
    let values = e.content_numbers()?;
    let found = values.len();
    values.try_into().map_err(|_| fault(e, format!("{} needs {N} numbers, found {found}", e.tag())))
}
