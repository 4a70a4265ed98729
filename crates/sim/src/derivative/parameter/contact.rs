//! Friction coefficients, and places and sizes of geoms: what they do to contacts.

use super::{At, Parameter, Quantity};
use crate::actuation::is_disabled;
use crate::collide::{friction_follows, friction_follows_pair};
use crate::data::Block;
use crate::derivative::contact::{
    Perturbation, Setting, contacts_of, each_wrench_change, row_change as contact_row_change,
};
use crate::derivative::{Inexact, Report};
use crate::dynamics::fluid::{FluidShape, for_each_shape};
use crate::model::kinds::{TransmissionKind, WrapKind};
use saltus_math::Vec3;

pub(super) fn add(at: &At<'_>, parameter: Parameter, column: &mut [f64], report: &mut Report) {
    let Parameter { quantity, element, component: k } = parameter;
    match quantity {
        Quantity::PairFriction => {
            for c in 0..at.data.contacts.len() {
                let follows = friction_follows_pair(at.model, geoms(at, c), element, k);
                add_friction(at, c, follows, column, report);
            }
        }
        Quantity::GeomFriction => {
            for c in contacts_of(at.data, element) {
                let follows = friction_follows(at.model, geoms(at, c), element, k);
                add_friction(at, c, follows, column, report);
            }
        }
        Quantity::GeomPos => {
            let body = at.model.geoms.body[element].idx();
            add_displaced(at, element, at.data.position.R_WB[body].col(k), column, report);
            check_other_uses(at, element, report);
        }
        _ => {
            for c in contacts_of(at.data, element) {
                add_change(at, c, Perturbation::Grown { geom: element, size: k }, column, report);
            }
            check_other_uses(at, element, report);
        }
    }
}

/// ∂(J y) of the row by which the softness of a contact is measured, y that of the chain.
pub(super) fn row_change(at: &At<'_>, block: &Block, parameter: Parameter, report: &mut Report) -> f64 {
    let (Parameter { quantity, element, component: k }, c) = (parameter, block.id as usize);
    let friction = |follows: [f64; 5]| (follows != [0.0; 5]).then_some(Perturbation::Friction(follows));
    let touches = geoms(at, c).contains(&element);
    let perturbation = match quantity {
        Quantity::PairFriction => friction(friction_follows_pair(at.model, geoms(at, c), element, k)),
        Quantity::GeomFriction if touches => friction(friction_follows(at.model, geoms(at, c), element, k)),
        Quantity::GeomPos if touches => {
            let by = at.data.position.R_WB[at.model.geoms.body[element].idx()].col(k);
            Some(Perturbation::Displaced { geom: element, by })
        }
        Quantity::GeomSize if touches => Some(Perturbation::Grown { geom: element, size: k }),
        _ => None,
    };
    let setting = Setting { model: at.model, data: at.data, chain: at.chain, answers: &at.answers, x: at.x };
    perturbation.map_or(0.0, |change| contact_row_change(setting, (c, block), change, report))
}

fn geoms(at: &At<'_>, c: usize) -> [usize; 2] {
    let contact = &at.data.contacts[c];
    [contact.geom1.idx(), contact.geom2.idx()]
}

fn add_friction(at: &At<'_>, c: usize, follows: [f64; 5], column: &mut [f64], report: &mut Report) {
    if follows != [0.0; 5] {
        add_change(at, c, Perturbation::Friction(follows), column, report);
    }
}

/// A geom that moves by a world vector while its body stays.
pub(super) fn add_displaced(at: &At<'_>, geom: usize, by: Vec3, column: &mut [f64], report: &mut Report) {
    for c in contacts_of(at.data, geom) {
        add_change(at, c, Perturbation::Displaced { geom, by }, column, report);
    }
}

fn add_change(at: &At<'_>, c: usize, perturbation: Perturbation, column: &mut [f64], report: &mut Report) {
    let setting = Setting { model: at.model, data: at.data, chain: at.chain, answers: &at.answers, x: at.x };
    let pull = pull_of_actuators(at, c);
    each_wrench_change(setting, (c, pull), perturbation, report, |body, change| at.project(body, change, -1.0, column));
}

/// The force by which adhesion actuators pull at a contact.
fn pull_of_actuators(at: &At<'_>, c: usize) -> f64 {
    if !at.actuated() {
        return 0.0;
    }
    let (model, data) = (at.model, at.data);
    let touches = |c: usize, body: u32| geoms(at, c).iter().any(|&g| model.geoms.body[g].0 == body);
    let mut pull = 0.0;
    for a in (0..model.nactuator()).filter(|&a| model.actuators.transmission[a] == TransmissionKind::Body) {
        if let Some(body) = model.actuators.target[a][0].filter(|&b| touches(c, b) && !is_disabled(model, a)) {
            let count = (0..data.contacts.len()).filter(|&c| touches(c, body)).count();
            pull += data.acceleration.actuator_force[a] / count.max(1) as f64;
        }
    }
    pull
}

/// Geoms may also be in the way of tendons and of the medium.
fn check_other_uses(at: &At<'_>, geom: usize, report: &mut Report) {
    let (model, wraps) = (at.model, &at.model.wraps);
    let around =
        |w: usize| matches!(wraps.kind[w], WrapKind::Sphere | WrapKind::Cylinder) && wraps.object[w] as usize == geom;
    for t in (0..model.ntendon()).filter(|&t| model.tendons.spatial[t]) {
        if model.tendons.path[t].range().any(around) {
            report.add(Inexact::Tendon(t));
        }
    }
    if at.passive() {
        for_each_shape(model, |shape| {
            if shape == FluidShape::Ellipsoid(geom) {
                report.add(Inexact::Model("the medium sees the shapes that geoms have"));
            }
        });
    }
}
