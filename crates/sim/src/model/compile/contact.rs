//! Explicit contact pairs and excluded body pairs.

use super::names::{Element, Names, Outcome};
use crate::ids::{BodyId, GeomId};
use crate::model::Model;
use crate::model::kinds::ObjectKind;
use crate::model::spec::{ModelSpec, PairSpec};

/// Key by which pairs are sorted and looked up: the two bodies, smaller id first.
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

/// Weight of the first of two geoms in mixing.
fn mix_weight(s1: f64, s2: f64) -> f64 {
    const MIN: f64 = 1e-15;
    match (s1 >= MIN, s2 >= MIN) {
        (true, true) => s1 / (s1 + s2),
        (false, false) => 0.5,
        (false, true) => 0.0,
        (true, false) => 1.0,
    }
}

/// Parameters that a pair does not give follow from its geoms, as they would without the pair.
fn push_pair(pair: &PairSpec, element: &Element, g1: usize, g2: usize, model: &mut Model) -> Outcome {
    let geoms = &model.geoms;
    let (p1, p2) = (geoms.priority[g1], geoms.priority[g2]);
    let weight = match p1.cmp(&p2) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => mix_weight(geoms.solmix[g1], geoms.solmix[g2]),
    };
    let equal = p1 == p2;
    let winner = if p1 > p2 { g1 } else { g2 };
    let condim = pair
        .condim
        .unwrap_or_else(|| if equal { geoms.condim[g1].max(geoms.condim[g2]) } else { geoms.condim[winner] });
    element.check(matches!(condim, 1 | 3 | 4 | 6), || format!("condim must be 1, 3, 4 or 6, got {condim}"))?;
    let mix = |a: f64, b: f64| weight * a + (1.0 - weight) * b;
    let solref = pair.solref.unwrap_or_else(|| {
        let (a, b) = (geoms.solref[g1], geoms.solref[g2]);
        // Direct stiffness and damping (negative) do not mix: take the softer number.
        if !equal {
            geoms.solref[winner]
        } else if a[0] > 0.0 && b[0] > 0.0 {
            [mix(a[0], b[0]), mix(a[1], b[1])]
        } else {
            [a[0].min(b[0]), a[1].min(b[1])]
        }
    });
    let solimp = pair.solimp.unwrap_or_else(|| {
        let (a, b) = (geoms.solimp[g1], geoms.solimp[g2]);
        core::array::from_fn(|k| mix(a[k], b[k]))
    });
    let friction = pair.friction.unwrap_or_else(|| {
        let (a, b) = (geoms.friction[g1], geoms.friction[g2]);
        let f: [f64; 3] = core::array::from_fn(|k| if equal { a[k].max(b[k]) } else { geoms.friction[winner][k] });
        [f[0], f[0], f[1], f[2], f[2]]
    });
    let margin = pair.margin.unwrap_or(geoms.margin[g1] + geoms.margin[g2]);
    let gap = pair.gap.unwrap_or(geoms.gap[g1] + geoms.gap[g2]);
    let adhesion = pair.adhesion.unwrap_or(geoms.adhesion[g1] + geoms.adhesion[g2]);
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
