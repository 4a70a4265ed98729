//! Derivatives with respect to friction coefficients, and to poses and sizes of geoms, through
//! contacts.

use super::{Parameter, Point, Quantity};
use crate::actuation::is_disabled;
use crate::collide::{friction_follows, friction_follows_pair};
use crate::data::Block;
use crate::derivative::contact::{Perturbation, contacts_of, each_wrench_change, row_change as contact_row_change};
use crate::derivative::{Inexact, Report};
use crate::dynamics::fluid::{FluidShape, for_each_shape};
use crate::model::kinds::{TransmissionKind, WrapKind};
use saltus_math::Vec3;

pub(super) fn add(point: &Point<'_>, parameter: Parameter, column: &mut [f64], report: &mut Report) {
    let Parameter { quantity, element, component: k } = parameter;
    match quantity {
        Quantity::PairFriction => {
            for c in 0..point.at.data.contacts.len() {
                let follows = friction_follows_pair(point.at.model, geoms(point, c), element, k);
                add_friction(point, c, follows, column, report);
            }
        }
        Quantity::GeomFriction => {
            for c in contacts_of(point.at.data, element) {
                let follows = friction_follows(point.at.model, geoms(point, c), element, k);
                add_friction(point, c, follows, column, report);
            }
        }
        Quantity::GeomPos => {
            let body = point.at.model.geoms.body[element].idx();
            add_displaced(point, element, point.at.data.position.R_WB[body].col(k), column, report);
            check_other_uses(point, element, report);
        }
        _ => {
            for c in contacts_of(point.at.data, element) {
                add_change(point, c, Perturbation::Grown { geom: element, size: k }, column, report);
            }
            check_other_uses(point, element, report);
        }
    }
}

/// Derivative of J y for the row that determines the softness of a contact, y that of the chain.
pub(super) fn row_change(point: &Point<'_>, block: &Block, parameter: Parameter, report: &mut Report) -> f64 {
    let (Parameter { quantity, element, component: k }, c) = (parameter, block.id as usize);
    let friction = |follows: [f64; 5]| (follows != [0.0; 5]).then_some(Perturbation::Friction(follows));
    let touches = geoms(point, c).contains(&element);
    let perturbation = match quantity {
        Quantity::PairFriction => friction(friction_follows_pair(point.at.model, geoms(point, c), element, k)),
        Quantity::GeomFriction if touches => friction(friction_follows(point.at.model, geoms(point, c), element, k)),
        Quantity::GeomPos if touches => {
            let by = point.at.data.position.R_WB[point.at.model.geoms.body[element].idx()].col(k);
            Some(Perturbation::Displaced { geom: element, by })
        }
        Quantity::GeomSize if touches => Some(Perturbation::Grown { geom: element, size: k }),
        _ => None,
    };
    perturbation.map_or(0.0, |change| contact_row_change(point.at, block, change, report))
}

fn geoms(point: &Point<'_>, c: usize) -> [usize; 2] {
    let contact = &point.at.data.contacts[c];
    [contact.geom1.idx(), contact.geom2.idx()]
}

fn add_friction(point: &Point<'_>, c: usize, follows: [f64; 5], column: &mut [f64], report: &mut Report) {
    if follows != [0.0; 5] {
        add_change(point, c, Perturbation::Friction(follows), column, report);
    }
}

/// A geom displaced by a world vector while its body is fixed.
pub(super) fn add_displaced(point: &Point<'_>, geom: usize, by: Vec3, column: &mut [f64], report: &mut Report) {
    for c in contacts_of(point.at.data, geom) {
        add_change(point, c, Perturbation::Displaced { geom, by }, column, report);
    }
}

fn add_change(point: &Point<'_>, c: usize, perturbation: Perturbation, column: &mut [f64], report: &mut Report) {
    let pull = pull_of_actuators(point, c);
    each_wrench_change(point.at, &point.answers, c, pull, perturbation, report, |body, change| {
        point.project(body, change, -1.0, column);
    });
}

/// The force with which adhesion actuators pull at a contact.
fn pull_of_actuators(point: &Point<'_>, c: usize) -> f64 {
    if !point.actuated() {
        return 0.0;
    }
    let (model, data) = (point.at.model, point.at.data);
    let touches = |c: usize, body: u32| geoms(point, c).iter().any(|&g| model.geoms.body[g].0 == body);
    let mut pull = 0.0;
    for a in (0..model.nactuator()).filter(|&a| model.actuators.transmission[a] == TransmissionKind::Body) {
        if let Some(body) = model.actuators.target[a][0].filter(|&b| touches(c, b) && !is_disabled(model, a)) {
            let count = (0..data.contacts.len()).filter(|&c| touches(c, body)).count();
            pull += data.acceleration.actuator_force[a] / count.max(1) as f64;
        }
    }
    pull
}

/// Reports other uses of the geom, in tendon paths and fluid forces.
fn check_other_uses(point: &Point<'_>, geom: usize, report: &mut Report) {
    let (model, wraps) = (point.at.model, &point.at.model.wraps);
    let around =
        |w: usize| matches!(wraps.kind[w], WrapKind::Sphere | WrapKind::Cylinder) && wraps.object[w] as usize == geom;
    for t in (0..model.ntendon()).filter(|&t| model.tendons.spatial[t]) {
        if model.tendons.path[t].range().any(around) {
            report.add(Inexact::Tendon(t));
        }
    }
    if point.passive() {
        for_each_shape(model, |shape| {
            if shape == FluidShape::Ellipsoid(geom) {
                report.add(Inexact::Model("the dependence of fluid forces on geom shapes is neglected"));
            }
        });
    }
}
