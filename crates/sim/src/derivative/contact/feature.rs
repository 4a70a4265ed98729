//! Which parts of two geoms touch: found after the fact from a contact's point, normal and distance.
//!
//! Each side of a contact is a point, a line or a plane that is fixed in its body, and a radius around it. The core point
//! of a side lies on the contact's normal, at radius + dist/2 from the contact point.

use crate::data::{Contact, Data};
use crate::model::Model;
use crate::model::kinds::GeomShape as G;
use saltus_math::Vec3;

/// What a side of a contact is; directions in the axes of the contact (normal, first and second tangent).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Feature {
    Point,
    Line(Vec3),
    Plane,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub feature: Feature,
    pub radius: f64,
}

/// Both sides, the direction that the first tangent follows, and whether all this is what the geoms really do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Features {
    pub sides: [Side; 2],
    pub hint: Hint,
    pub exact: bool,
}

/// What the first tangent is the projection of, in contact axes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hint {
    /// An axis of the world.
    World(Vec3),
    /// A direction fixed in the second body.
    Second(Vec3),
}

/// Components of unit normals below this count as zero.
const FLAT: f64 = 1e-9;

impl Features {
    pub fn of(model: &Model, data: &Data, contact: &Contact) -> Self {
        let geoms = [contact.geom1.idx(), contact.geom2.idx()];
        let kinds = geoms.map(|g| model.geoms.shape[g]);
        let normal = contact.frame.r0;
        let hint = match kinds {
            [G::Plane, G::Capsule] => capsule_hint(data, contact, geoms[1]),
            _ => Hint::World(contact.frame * if normal.y.abs() < 0.5 { Vec3::Y } else { Vec3::Z }),
        };
        let side = |k: usize| side(model, data, contact, k, geoms[k]);
        let found = match kinds {
            [G::Plane, G::Sphere | G::Capsule | G::Box | G::Mesh] => {
                let radius = match kinds[1] {
                    G::Sphere | G::Capsule => model.geoms.size[geoms[1]][0],
                    _ => 0.0,
                };
                Some([Side { feature: Feature::Plane, radius: 0.0 }, Side { feature: Feature::Point, radius }])
            }
            [G::Sphere | G::Capsule, G::Sphere | G::Capsule | G::Box] => {
                side(0).zip(side(1)).map(|(a, b)| [a, b]).filter(|sides| is_regular(sides, contact.dist))
            }
            _ => None,
        };
        let exact = found.is_some();
        // Otherwise the normal is taken to be fixed in the first body, the point in the second.
        let sides = found.unwrap_or([Feature::Plane, Feature::Point].map(|feature| Side { feature, radius: 0.0 }));
        Self { sides, hint, exact }
    }
}

/// The first tangent of a capsule on a plane is along the capsule; along x for an upright one.
fn capsule_hint(data: &Data, contact: &Contact, geom: usize) -> Hint {
    let axis = contact.frame * data.position.R_WG[geom].col(2);
    if axis.y * axis.y + axis.z * axis.z > FLAT * FLAT {
        Hint::Second(axis)
    } else {
        Hint::World(contact.frame * Vec3::X)
    }
}

/// Side `k` of a contact, where it is that of a sphere, a capsule or a box.
fn side(model: &Model, data: &Data, contact: &Contact, k: usize, geom: usize) -> Option<Side> {
    let (size, R) = (model.geoms.size[geom], &data.position.R_WG[geom]);
    let outward = if k == 0 { contact.frame.r0 } else { -contact.frame.r0 };
    match model.geoms.shape[geom] {
        G::Sphere => Some(Side { feature: Feature::Point, radius: size[0] }),
        G::Capsule => {
            let core = contact.pos - outward * (0.5 * contact.dist + size[0]);
            let axis = R.col(2);
            let along = axis.dot(core - data.position.p_WG[geom]);
            let inside = along.abs() < size[1] * (1.0 - FLAT);
            let feature = if inside { Feature::Line(contact.frame * axis) } else { Feature::Point };
            Some(Side { feature, radius: size[0] })
        }
        G::Box => {
            let local = R.tmul(outward).to_array();
            let mut faces = (0..3).filter(|&i| local[i].abs() > FLAT);
            let feature = match (faces.next(), faces.next(), faces.next()) {
                (Some(_), None, _) => Feature::Plane,
                (Some(i), Some(j), None) => Feature::Line(contact.frame * R.col(3 - i - j)),
                _ => Feature::Point,
            };
            Some(Side { feature, radius: 0.0 })
        }
        _ => None,
    }
}

/// Whether the nearest points of two features are unique and move smoothly.
fn is_regular(sides: &[Side; 2], dist: f64) -> bool {
    let apart = sides[0].radius + sides[1].radius + dist;
    match (sides[0].feature, sides[1].feature) {
        (Feature::Plane, Feature::Point) | (Feature::Point, Feature::Plane) => true,
        (Feature::Plane, _) | (_, Feature::Plane) => false,
        (Feature::Line(a), Feature::Line(b)) => apart > FLAT && a.cross(b).length_squared() > 1e-8,
        _ => apart > FLAT,
    }
}
