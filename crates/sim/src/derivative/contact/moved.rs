//! Derivatives of a contact when one of its geoms moves in its body, or its size or friction
//! changes.
//!
//! At constant motion of the bodies only the geometry changes: point, frame and distance by
//! `geometry`; only the motion of the geom's own surface is carried along. A size displaces the
//! contact feature like the geom itself, by δ, or adds to the radius around it: then the normal is
//! constant, the distance decreases by the same amount, and the point moves by half of it.

use super::feature::{Feature, Features, Side, Slide, View};
use super::geometry::{self, Change};
use super::{Body, Relative, friction, local, motion_change, softness, wrench_change};
use crate::data::{Block, Contact, Data, RowKind};
use crate::derivative::chain::At;
use crate::derivative::response::{self, Answers};
use crate::derivative::{Inexact, Report};
use crate::model::kinds::GeomShape;
use crate::options::Disable;
use saltus_math::{Force, Motion, Vec3};

/// Kind of change.
#[derive(Clone, Copy, Debug)]
pub(in crate::derivative) enum Perturbation {
    /// A geom is displaced by a world vector.
    Displaced { geom: usize, by: Vec3 },
    /// A size of a geom increases.
    Grown { geom: usize, size: usize },
    /// Friction coefficients of the contact change.
    Friction([f64; 5]),
}

/// The rows of contact `k`.
fn block_of(data: &Data, k: usize) -> Option<&Block> {
    let blocks = &data.constraints.blocks;
    let first = blocks.partition_point(|b| (b.kind as i32) < RowKind::ContactFrictionless as i32);
    let found = blocks[first..].binary_search_by_key(&(k as u32), |b| b.id).ok()?;
    blocks.get(first + found)
}

/// Calls `f(body, change)` with the change of contact `k`'s wrenches on its bodies, about the
/// origins of their c-frames; actuators pull the bodies together with the force `pull`.
pub(in crate::derivative) fn each_wrench_change(
    at: At<'_>,
    answers: &Answers<'_>,
    k: usize,
    pull: f64,
    perturbation: Perturbation,
    report: &mut Report,
    mut f: impl FnMut(usize, Force),
) {
    let At { model, data, .. } = at;
    let contact = &data.contacts[k];
    let block = block_of(data, k);
    let disable = model.options.disable;
    let passive = !(disable.has(Disable::SPRING) && disable.has(Disable::DAMPER));
    let mut response = block.map_or(response::Contact::new(1), |block| answers.contact(block));
    if !answers.is_barrier() {
        // Other forces along the normal.
        let adhesion = if block.is_some() && passive { contact.adhesion.max(0.0) } else { 0.0 };
        response.force[0] -= adhesion + pull;
    }
    if response.is_idle() && response.H == [[0.0; 6]; 6] {
        return;
    }
    let bodies = [0, 1].map(|k| Body::of(at, contact, k));
    let [one, two] = &bodies;
    let relative = Relative { a: two.Y - one.Y, v: two.V - one.V, surface: two.surface - one.surface };
    let w = match perturbation {
        Perturbation::Friction(change) => {
            let Some(block) = block else { return };
            answers.by_friction(block, change).unwrap_or_else(|| {
                let dx = answers.normal_by_friction(block, change);
                let own =
                    friction::change(&data.constraints, contact, block, answers.x, &relative, response.b[0], change);
                core::array::from_fn(|i| own[i] - response.H[i][0] * dx)
            })
        }
        Perturbation::Displaced { .. } | Perturbation::Grown { .. } => {
            let Some((side, change, twist)) = geometry_change(at, k, perturbation, report) else { return };
            let held = bodies[side].held(matches!(perturbation, Perturbation::Displaced { .. }));
            wrench_change(&response, &relative, &held, &change, twist)
        }
    };
    for body in bodies.iter().filter(|b| b.moves) {
        f(body.id, local::wrench(&w, &contact.frame, body.r, body.sign));
    }
}

/// The side of a contact that moves, the change of its geometry, and the twist of the moving part;
/// None if unknown, or if nothing moves.
fn geometry_change(
    at: At<'_>,
    k: usize,
    perturbation: Perturbation,
    report: &mut Report,
) -> Option<(usize, Change, Motion)> {
    let At { model, data, .. } = at;
    let contact = &data.contacts[k];
    match perturbation {
        Perturbation::Friction(_) => None,
        Perturbation::Displaced { geom, by } => {
            let side = usize::from(contact.geom2.idx() == geom);
            let twist = Motion::new(Vec3::ZERO, contact.frame * by);
            Some((side, geometry::change(&features(at, k, report), contact.dist, side, twist), twist))
        }
        Perturbation::Grown { geom, size } => {
            let side = usize::from(contact.geom2.idx() == geom);
            let features = features(at, k, report);
            let view = View { model, data, contact, k: side, geom };
            let Some((by, radius)) = growth(&view, &features.sides[side], size) else {
                report.add(Inexact::Contact(k));
                return None;
            };
            let mut change = geometry::change(&features, contact.dist, side, Motion::new(Vec3::ZERO, by));
            swell(&mut change, side, radius);
            Some((side, change, Motion::ZERO))
        }
    }
}

/// Derivative of J y for the row that determines the softness of a contact, y that of the chain.
pub(in crate::derivative) fn row_change(
    at: At<'_>,
    block: &Block,
    perturbation: Perturbation,
    report: &mut Report,
) -> f64 {
    let k = block.id as usize;
    let (contact, row) = (&at.data.contacts[k], softness::row(&at.data.contacts[k], block));
    let [one, two] = [0, 1].map(|k| Body::of(at, contact, k));
    let relative = two.Y - one.Y;
    if let Perturbation::Friction(change) = perturbation {
        return if row[1] != 0.0 { change[0] * relative.lin.y } else { 0.0 };
    }
    let Some((side, change, twist)) = geometry_change(at, k, perturbation, report) else { return 0.0 };
    let sign = if side == 0 { -1.0 } else { 1.0 };
    softness::dot(&row, &motion_change(relative, Motion::ZERO, sign, &change, twist))
}

fn features(at: At<'_>, k: usize, report: &mut Report) -> Features {
    let features = Features::of(at.model, at.data, &at.data.contacts[k]);
    if !features.exact {
        report.add(Inexact::Contact(k));
    }
    features
}

impl Body {
    /// The body at constant motion; with `surface` the motion of its surface is carried along with
    /// the geom.
    fn held(&self, surface: bool) -> Body {
        let surface = if surface { self.surface } else { Motion::ZERO };
        Body { V: Motion::ZERO, Y: Motion::ZERO, surface, ..*self }
    }
}

/// Increases the radius of a side.
fn swell(change: &mut Change, side: usize, radius: f64) {
    change.dist -= radius;
    change.point += Vec3::X * (0.5 * radius * if side == 0 { 1.0 } else { -1.0 });
}

/// Displacement of the contact feature by a size, in contact axes, and the change of the radius.
/// None if the shape changes in another way.
fn growth(view: &View<'_>, side: &Side, size: usize) -> Option<(Vec3, f64)> {
    let still = Some((Vec3::ZERO, 0.0));
    let along = |axis: usize, coordinate: f64| Some((view.axis(axis) * coordinate.signum(), 0.0));
    match (view.kind(), size) {
        (GeomShape::Sphere, _) | (GeomShape::Capsule, 0) => Some((Vec3::ZERO, 1.0)),
        (GeomShape::Capsule, _) => match (side.feature, side.slide) {
            (Feature::Point, Slide::None) => along(2, view.core(side.radius).z),
            _ => still,
        },
        (GeomShape::Box, i) => {
            let (x, half) = (view.core(0.0)[i], view.size()[i]);
            if (x.abs() - half).abs() < 1e-7 * half { along(i, x) } else { still }
        }
        (GeomShape::Cylinder, 0) => match side.feature {
            Feature::Line(_) => Some((Vec3::ZERO, side.radius / view.size()[0])),
            Feature::Plane => still,
            _ => {
                let core = view.core(0.0);
                let (radial, _) = saltus_math::normalize(Vec3::new(core.x, core.y, 0.0));
                Some((view.contact.frame * (view.data.position.R_WG[view.geom] * radial), 0.0))
            }
        },
        (GeomShape::Cylinder, _) => match side.feature {
            Feature::Line(_) => still,
            _ => along(2, view.core(0.0).z),
        },
        _ => None,
    }
}

/// Contacts of a geom.
pub(in crate::derivative) fn contacts_of(data: &Data, geom: usize) -> impl Iterator<Item = usize> + '_ {
    let of = move |c: &Contact| c.geom1.idx() == geom || c.geom2.idx() == geom;
    data.contacts.iter().enumerate().filter(move |(_, c)| of(c)).map(|(k, _)| k)
}
