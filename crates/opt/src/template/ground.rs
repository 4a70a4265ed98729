//! The ground that robots stand on.
//!
//! Whether a body moves and where a fixed one is follows from the specification of the model:
//! nothing is compiled here.

use saltus_math::Quat;
use saltus_sim::model::kinds::GeomShape;
use saltus_sim::model::spec::{GeomSpec, SpecBody};
use saltus_sim::{Data, Model, ModelSpec, forward_smooth};

/// Name of the floor that models without ground get.
pub const GROUND: &str = "saltus_ground";

/// Cosine of the largest angle between the normal of a ground and the vertical.
const LEVEL: f64 = 0.99;

/// Gives a model without ground a floor at z = 0 that touches whatever can touch; says whether it
/// had none. Files of robots often have none, since it is in the scenes that include them.
pub fn add_ground(spec: &mut ModelSpec) -> bool {
    let has_ground = fixed_bodies(spec).iter().any(|(body, orientation)| {
        spec.bodies[body.0].geoms.iter().any(|geom| is_ground(geom, *orientation) && collides(geom))
    });
    if has_ground {
        return false;
    }
    let Some(world) = spec.bodies.first_mut() else { return false };
    world.geoms.push(GeomSpec {
        name: GROUND.to_owned(),
        shape: GeomShape::Plane,
        size: [0.0, 0.0, 0.05],
        contype: i32::MAX,
        conaffinity: i32::MAX,
        ..GeomSpec::default()
    });
    true
}

/// Height of the highest horizontal plane that does not move.
pub(super) fn find_ground(model: &Model) -> Option<f64> {
    let mut data = Data::new(model);
    forward_smooth(model, &mut data);
    let is_ground = |&g: &usize| {
        model.geoms.shape[g] == GeomShape::Plane
            && model.bodies.tree[model.geoms.body[g].idx()].is_none()
            && data.position.R_WG[g].col(2).z > LEVEL
            && (model.geoms.contype[g] != 0 || model.geoms.conaffinity[g] != 0)
    };
    (0..model.ngeom()).filter(is_ground).map(|g| data.position.p_WG[g].z).max_by(f64::total_cmp)
}

/// Takes contact away from everything that is fixed, except horizontal planes; says what that was.
/// A limit cycle is repeated for ever, so what is at one place only (steps, marks on the floor,
/// walls) is no part of it.
pub fn clear_way(spec: &mut ModelSpec) -> Vec<String> {
    let fixed = fixed_bodies(spec);
    let pairs = core::mem::take(&mut spec.pairs);
    let mut cleared = Vec::new();
    let mut number = 0;
    for body in spec.preorder() {
        let first = number;
        number += spec.bodies[body.0].geoms.len();
        let Some(&(_, orientation)) = fixed.iter().find(|(own, _)| *own == body) else { continue };
        for (k, geom) in spec.bodies[body.0].geoms.iter_mut().enumerate() {
            let named = |name: &str| !name.is_empty() && name == geom.name;
            let is_paired = pairs.iter().any(|pair| named(&pair.geom1) || named(&pair.geom2));
            if is_ground(geom, orientation) || !(is_paired || collides(geom)) {
                continue;
            }
            (geom.contype, geom.conaffinity) = (0, 0);
            cleared.push(if geom.name.is_empty() { format!("geom {}", first + k) } else { geom.name.clone() });
        }
    }
    spec.pairs = pairs;
    spec.pairs.retain(|pair| !cleared.contains(&pair.geom1) && !cleared.contains(&pair.geom2));
    cleared
}

/// The world and all bodies without a joint between them and the world, with their orientations.
fn fixed_bodies(spec: &ModelSpec) -> Vec<(SpecBody, Quat)> {
    let mut fixed: Vec<(SpecBody, Quat)> = Vec::new();
    // Parents come before their children.
    for body in spec.preorder() {
        let own = &spec.bodies[body.0];
        if body.0 == 0 {
            fixed.push((body, Quat::IDENTITY));
        } else if let Some(&(_, parent)) = fixed.iter().find(|(parent, _)| *parent == own.parent)
            && own.joints.is_empty()
        {
            fixed.push((body, parent * own.quat.normalized()));
        }
    }
    fixed
}

/// Whether a geom of a fixed body is a horizontal plane.
fn is_ground(geom: &GeomSpec, body: Quat) -> bool {
    let normal = (body * geom.quat.normalized()).rotate(saltus_math::Vec3::Z);
    geom.shape == GeomShape::Plane && normal.z > LEVEL
}

fn collides(geom: &GeomSpec) -> bool {
    geom.contype != 0 || geom.conaffinity != 0
}
