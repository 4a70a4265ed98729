//! User data and keyframes.

use super::limits::MAX_NUMBERS;
use super::names::{Element, Names, Outcome};
use crate::ids::Span;
use crate::model::Model;
use crate::model::kinds::JointKind;
use crate::model::spec::{KeySpec, ModelSpec};
use crate::options::Integrator;
use crate::options::law::LawOptions;
use saltus_math::Quat;

/// Fills the tables of numerics and texts.
pub(super) fn fill_data(spec: &ModelSpec, model: &mut Model) -> Outcome {
    for (id, numeric) in spec.numerics.iter().enumerate() {
        let element = Element::new("numeric", &numeric.name, id, "");
        element.check(numeric.size < MAX_NUMBERS, || format!("size {} is too large", numeric.size))?;
        let size = numeric.size.max(numeric.data.len());
        let table = &mut model.numerics;
        table.name.push(numeric.name.clone());
        table.span.push(Span::new(table.data.len(), size));
        table.data.extend_from_slice(&numeric.data);
        table.data.extend(std::iter::repeat_n(0.0, size - numeric.data.len()));
        if let Some(name) = numeric.name.strip_prefix(LawOptions::PREFIX) {
            element.check(size == 1, || format!("a setting has one number, not {size}"))?;
            let value = numeric.data.first().copied().unwrap_or(0.0);
            let outcome = model.options.laws.set_number(name, value);
            element.check(outcome.is_ok(), || outcome.err().unwrap_or_default())?;
        }
    }
    for (id, text) in spec.texts.iter().enumerate() {
        model.texts.name.push(text.name.clone());
        model.texts.data.push(text.data.clone());
        let element = Element::new("text", &text.name, id, "");
        if text.name == Integrator::TEXT {
            let chosen = Integrator::OWN.iter().find(|(name, _)| *name == text.data);
            let names = || Integrator::OWN.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            element.check(chosen.is_some(), || {
                format!("unknown integrator \"{}\": one of {} is expected", text.data, names())
            })?;
            model.options.integrator = chosen.map_or(model.options.integrator, |(_, integrator)| *integrator);
        } else if let Some(name) = text.name.strip_prefix(LawOptions::PREFIX) {
            let outcome = model.options.laws.set_word(name, &text.data);
            element.check(outcome.is_ok(), || outcome.err().unwrap_or_default())?;
        }
    }
    Ok(())
}

/// Fills the table of tuples, which may refer to any named object.
pub(super) fn fill_tuples(spec: &ModelSpec, names: &Names, model: &mut Model) -> Outcome {
    for (id, tuple) in spec.tuples.iter().enumerate() {
        let element = Element::new("tuple", &tuple.name, id, &tuple.place);
        let table = &mut model.tuples;
        table.name.push(tuple.name.clone());
        table.span.push(Span::new(table.kind.len(), tuple.elements.len()));
        for member in &tuple.elements {
            let id = names.require(member.kind, &member.name, &element)?;
            element.check_finite("prm", &[member.prm])?;
            table.kind.push(member.kind);
            table.object.push(id);
            table.prm.push(member.prm);
        }
    }
    Ok(())
}

/// Fills the table of keyframes; values that a key does not give are those of the reference state.
pub(super) fn fill_keys(spec: &ModelSpec, model: &mut Model) -> Outcome {
    let count = spec.keys.len().max(spec.size.keys);
    let width = model.size.nq + model.size.nv + model.size.na + model.size.nu + 7 * model.size.nmocap + 1;
    let element = Element::new("size", "nkey", 0, "");
    element.check(count.saturating_mul(width) < MAX_NUMBERS, || format!("{count} keyframes are too many"))?;
    let blank = KeySpec::default();
    for id in 0..count {
        push_key(spec.keys.get(id).unwrap_or(&blank), id, model)?;
    }
    Ok(())
}

fn push_key(key: &KeySpec, id: usize, model: &mut Model) -> Outcome {
    let element = Element::new("key", &key.name, id, &key.place);
    let size = model.size;
    let row = |what: &str, given: &[f64], n: usize, default: &dyn Fn(usize) -> f64| -> Outcome<Vec<f64>> {
        element.check(given.is_empty() || given.len() == n, || {
            format!("{what} must have {n} number(s), got {}", given.len())
        })?;
        element.check_finite(what, given)?;
        Ok(if given.is_empty() { (0..n).map(default).collect() } else { given.to_vec() })
    };
    element.check_finite("time", &[key.time])?;
    let mut q = row("qpos", &key.qpos, size.nq, &|i| model.q0[i])?;
    normalize_quats(&mut q, model);
    let v = row("qvel", &key.qvel, size.nv, &|_| 0.0)?;
    let act = row("act", &key.act, size.na, &|_| 0.0)?;
    let ctrl = row("ctrl", &key.ctrl, size.nu, &|_| 0.0)?;
    let mocap_given = |what: &str, n: usize| {
        element.check(n == 0 || n == size.nmocap, || {
            format!("{what} must have one entry per mocap body ({}), got {n}", size.nmocap)
        })
    };
    mocap_given("mpos", key.mocap_pos.len())?;
    mocap_given("mquat", key.mocap_quat.len())?;
    for p in &key.mocap_pos {
        element.check_finite("mpos", &p.to_array())?;
    }
    for q in &key.mocap_quat {
        element.check_finite("mquat", &q.to_array())?;
    }
    let table = &mut model.keys;
    for (body, mocap) in model.bodies.mocap.iter().enumerate() {
        if let Some(m) = mocap.map(|m| m as usize) {
            table.mocap_pos.push(key.mocap_pos.get(m).copied().unwrap_or(model.bodies.pos[body]));
            let quat = key.mocap_quat.get(m).copied().unwrap_or(model.bodies.quat[body]);
            table.mocap_quat.push(quat.normalized());
        }
    }
    table.name.push(key.name.clone());
    table.time.push(key.time);
    table.q.extend(q);
    table.v.extend(v);
    table.act.extend(act);
    table.ctrl.extend(ctrl);
    Ok(())
}

fn normalize_quats(q: &mut [f64], model: &Model) {
    for (joint, kind) in model.joints.kind.iter().enumerate() {
        let start = model.joints.q_start[joint] as usize;
        let start = match kind {
            JointKind::Free => start + 3,
            JointKind::Ball => start,
            _ => continue,
        };
        let quat = Quat::from_slice(&q[start..start + 4]).normalized();
        q[start..start + 4].copy_from_slice(&quat.to_array());
    }
}
