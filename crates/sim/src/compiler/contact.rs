//! Explicit contact pairs and excluded body pairs.

use super::names::{Element, Names, Outcome};
use crate::ids::{BodyId, GeomId};
use crate::model::Model;
use crate::model::kinds::ObjectKind;
use crate::model::spec::{ModelSpec, PairSpec, SOLIMP, SOLREF};

/// Signature by which pairs are sorted and looked up: the two bodies, smaller id first.
fn signature(a: BodyId, b: BodyId) -> i32 {
    let (a, b) = (a.0.min(b.0), a.0.max(b.0));
    (a.wrapping_shl(16).wrapping_add(b)) as i32
}

/// Fills the table of pairs, sorted by signature.
pub(super) fn fill_pairs(spec: &ModelSpec, names: &Names, model: &mut Model) -> Outcome {
    let mut resolved = Vec::with_capacity(spec.pairs.len());
    for (id, pair) in spec.pairs.iter().enumerate() {
        let element = Element::new("pair", &pair.name, id, &pair.place);
        let g1 = names.require(ObjectKind::Geom, &pair.geom1, &element)?;
        let g2 = names.require(ObjectKind::Geom, &pair.geom2, &element)?;
        // The geom of the body with the smaller id comes first.
        let bodies = &model.geoms.body;
        let (b1, b2) = (bodies[g1 as usize], bodies[g2 as usize]);
        let (g1, g2) = if b1 > b2 { (g2, g1) } else { (g1, g2) };
        resolved.push((signature(b1, b2), id, g1, g2));
    }
    resolved.sort_by_key(|r| (r.0, r.1));
    for (key, id, g1, g2) in resolved {
        let pair = &spec.pairs[id];
        let element = Element::new("pair", &pair.name, id, &pair.place);
        push_pair(pair, &element, g1 as usize, g2 as usize, model)?;
        model.pairs.signature.push(key);
    }
    Ok(())
}

/// Default friction of pairs.
const FRICTION: [f64; 5] = [1.0, 1.0, 0.005, 0.0001, 0.0001];

/// Parameters that a pair does not give have fixed defaults, independent of its geoms.
fn push_pair(pair: &PairSpec, element: &Element, g1: usize, g2: usize, model: &mut Model) -> Outcome {
    let condim = pair.condim.unwrap_or(3);
    element.check(matches!(condim, 1 | 3 | 4 | 6), || format!("condim must be 1, 3, 4 or 6, got {condim}"))?;
    let solref = pair.solref.unwrap_or(SOLREF);
    let solimp = pair.solimp.unwrap_or(SOLIMP);
    let friction = pair.friction.unwrap_or(FRICTION);
    let margin = pair.margin.unwrap_or(0.0);
    let gap = pair.gap.unwrap_or(0.0);
    let adhesion = pair.adhesion.unwrap_or(0.0);
    element.check_finite("friction", &friction)?;
    element.check_finite("solref", &[solref, pair.solref_friction].concat())?;
    element.check_finite("solimp", &solimp)?;
    element.check_finite("margin, gap or adhesion", &[margin, gap, adhesion])?;
    let table = &mut model.pairs;
    table.name.push(pair.name.clone());
    table.dim.push(condim);
    table.geom1.push(GeomId::new(g1));
    table.geom2.push(GeomId::new(g2));
    table.solref.push(solref);
    table.solref_friction.push(pair.solref_friction);
    table.solimp.push(solimp);
    table.margin.push(margin);
    table.gap.push(gap);
    table.adhesion.push(adhesion);
    table.friction.push(friction);
    Ok(())
}

/// Fills the table of excluded body pairs, sorted by signature.
pub(super) fn fill_excludes(spec: &ModelSpec, names: &Names, model: &mut Model) -> Outcome {
    let mut rows = Vec::with_capacity(spec.excludes.len());
    for (id, exclude) in spec.excludes.iter().enumerate() {
        let element = Element::new("exclude", &exclude.name, id, &exclude.place);
        let b1 = BodyId(names.require(ObjectKind::Body, &exclude.body1, &element)?);
        let b2 = BodyId(names.require(ObjectKind::Body, &exclude.body2, &element)?);
        rows.push((signature(b1, b2), id, b1.min(b2), b1.max(b2)));
    }
    rows.sort_by_key(|r| (r.0, r.1));
    for (key, id, b1, b2) in rows {
        model.excludes.name.push(spec.excludes[id].name.clone());
        model.excludes.body1.push(b1);
        model.excludes.body2.push(b2);
        model.excludes.signature.push(key);
    }
    Ok(())
}
