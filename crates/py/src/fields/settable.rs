//! Choices and references of the model that Python may write.

use saltus::sim::Model;
use saltus::sim::ids::{BodyId, MaterialId};
use saltus::sim::model::kinds::{BiasKind, GainKind, GeomShape, TrackMode};

/// Sets a field that may be written; false if it may not, or a number is none of its choices.
/// Whether the model still holds together, [`Model::validate`] says.
pub fn set(m: &mut Model, name: &str, values: &[i32]) -> bool {
    fn choices<T: Copy>(to: &mut [T], values: &[i32], choice: fn(i32) -> Option<T>) -> bool {
        let chosen: Option<Vec<T>> = values.iter().map(|&x| choice(x)).collect();
        chosen.filter(|chosen| chosen.len() == to.len()).map(|chosen| to.copy_from_slice(&chosen)).is_some()
    }
    /// An index, or nothing if it is −1.
    fn index(x: i32) -> Option<Option<u32>> {
        if x == -1 { Some(None) } else { u32::try_from(x).ok().map(Some) }
    }
    match name {
        "geom_type" => choices(&mut m.geoms.shape, values, GeomShape::from_i32),
        "geom_dataid" => choices(&mut m.geoms.data, values, index),
        "geom_matid" => choices(&mut m.geoms.material, values, |x| index(x).map(|id| id.map(MaterialId))),
        "site_type" => choices(&mut m.sites.shape, values, GeomShape::from_i32),
        "site_matid" => choices(&mut m.sites.material, values, |x| index(x).map(|id| id.map(MaterialId))),
        "cam_mode" => choices(&mut m.cameras.mode, values, TrackMode::from_i32),
        "cam_targetbodyid" => choices(&mut m.cameras.target, values, |x| index(x).map(|id| id.map(BodyId))),
        "light_mode" => choices(&mut m.lights.mode, values, TrackMode::from_i32),
        "light_targetbodyid" => choices(&mut m.lights.target, values, |x| index(x).map(|id| id.map(BodyId))),
        "actuator_gaintype" => choices(&mut m.actuators.gain, values, GainKind::from_i32),
        "actuator_biastype" => choices(&mut m.actuators.bias, values, BiasKind::from_i32),
        "eq_obj1id" => choices(&mut m.equalities.object1, values, |x| u32::try_from(x).ok()),
        "eq_obj2id" => choices(&mut m.equalities.object2, values, index),
        "tendon_matid" => choices(&mut m.tendons.material, values, |x| index(x).map(|id| id.map(MaterialId))),
        _ => false,
    }
}

/// Fields that may be written.
pub const NAMES: &[&str] = &[
    "geom_type",
    "geom_dataid",
    "geom_matid",
    "site_type",
    "site_matid",
    "cam_mode",
    "cam_targetbodyid",
    "light_mode",
    "light_targetbodyid",
    "actuator_gaintype",
    "actuator_biastype",
    "eq_obj1id",
    "eq_obj2id",
    "tendon_matid",
];
