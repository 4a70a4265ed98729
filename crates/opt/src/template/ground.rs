//! What robots stand on.

use saltus_sim::model::kinds::GeomShape;
use saltus_sim::model::spec::GeomSpec;
use saltus_sim::{CompileError, Data, Model, ModelSpec, compile, forward_smooth};

/// Name of the floor that models without ground get.
pub const GROUND: &str = "saltus_ground";

/// Gives a model without ground a floor at z = 0 that touches whatever can touch; whether it had none. Files of robots often
/// have none, since scenes that include them do.
pub fn add_ground(spec: &mut ModelSpec) -> Result<bool, CompileError> {
    if find_ground(&compile(spec)?).is_some() {
        return Ok(false);
    }
    let Some(world) = spec.bodies.first_mut() else { return Ok(false) };
    world.geoms.push(GeomSpec {
        name: GROUND.to_owned(),
        shape: GeomShape::Plane,
        size: [0.0, 0.0, 0.05],
        contype: i32::MAX,
        conaffinity: i32::MAX,
        ..GeomSpec::default()
    });
    Ok(true)
}

/// Height of the highest horizontal plane that does not move.
pub(super) fn find_ground(model: &Model) -> Option<f64> {
    let mut data = Data::new(model);
    forward_smooth(model, &mut data);
    let flat = |&g: &usize| is_ground(model, &data, g) && collides(model.geoms.contype[g], model.geoms.conaffinity[g]);
    (0..model.ngeom()).filter(flat).map(|g| data.position.p_WG[g].z).max_by(f64::total_cmp)
}

/// Whether a geom is a horizontal plane that does not move.
fn is_ground(model: &Model, data: &Data, geom: usize) -> bool {
    model.geoms.shape[geom] == GeomShape::Plane
        && model.bodies.tree[model.geoms.body[geom].idx()].is_none()
        && data.position.R_WG[geom].col(2).z > 0.99
}

fn collides(contype: i32, conaffinity: i32) -> bool {
    contype != 0 || conaffinity != 0
}

/// Makes everything fixed but horizontal planes a thing that does not touch; what that was. A limit cycle goes on for ever: what is
/// at one place only, steps, marks on the floor and walls, is no part of it, nor is it there again when the other foot comes.
pub fn clear_way(spec: &mut ModelSpec) -> Result<Vec<String>, CompileError> {
    let mut whole = spec.clone();
    // Bodies and geoms keep their places.
    (whole.compiler.fuse_static, whole.compiler.discard_visual) = (false, false);
    let model = compile(&whole)?;
    let mut data = Data::new(&model);
    forward_smooth(&model, &mut data);
    let mut cleared = Vec::new();
    for (body, place) in spec.preorder().into_iter().enumerate() {
        if model.bodies.tree[body].is_some() {
            continue;
        }
        for (k, geom) in model.bodies.geoms[body].range().enumerate() {
            let own = &mut spec.bodies[place.0].geoms[k];
            let named = |name: &str| !name.is_empty() && name == own.name;
            let is_paired = spec.pairs.iter().any(|pair| named(&pair.geom1) || named(&pair.geom2));
            if is_ground(&model, &data, geom) || !(is_paired || collides(own.contype, own.conaffinity)) {
                continue;
            }
            (own.contype, own.conaffinity) = (0, 0);
            cleared.push(if own.name.is_empty() { format!("geom {geom}") } else { own.name.clone() });
        }
    }
    spec.pairs.retain(|pair| !cleared.contains(&pair.geom1) && !cleared.contains(&pair.geom2));
    Ok(cleared)
}
