//! Constraints, tendons, actuators, sensors, keyframes.

use super::same_len;
use super::{Verdict, check_finite, check_ids, check_span, check_unit, check_user, finite, require};
use crate::ids::{BodyId, GeomId};
use crate::model::Model;
use crate::model::kinds::{EqualityType, JointKind, ObjectKind, TransmissionKind, WrapKind};
use crate::model::measured::check_sensor;
use std::collections::BTreeSet;

/// Number of objects of a kind.
fn count(m: &Model, kind: ObjectKind) -> usize {
    match kind {
        ObjectKind::Unknown => 0,
        ObjectKind::Dof => m.size.nv,
        _ => m.names(kind).len(),
    }
}

pub(super) fn check_pairs(m: &Model) -> Verdict {
    let (t, n) = (&m.pairs, m.pairs.geom1.len());
    same_len!(
        t,
        "pairs",
        n,
        [name, dim, geom2, signature, solref, solref_friction, solimp, margin, gap, adhesion, friction,]
    );
    check_ids("pairs", t.geom1.iter().chain(&t.geom2).map(|g| g.0), m.ngeom())?;
    require(t.dim.iter().all(|d| matches!(d, 1 | 3 | 4 | 6)), || "a pair has a wrong condim".into())?;
    require(t.signature.is_sorted(), || "pairs are not sorted".into())?;
    finite!(t, "pair", &t.name, [solref, solref_friction, solimp, friction, margin, gap, adhesion]);
    for p in 0..n {
        let of = |g: GeomId| m.geoms.body[g.idx()];
        check_signature("pair", p, t.signature[p], [of(t.geom1[p]), of(t.geom2[p])])?;
    }
    let (t, n) = (&m.near, m.near.geoms.len());
    same_len!(t, "near", n, [distance]);
    check_ids("near", t.geoms.iter().flatten().copied(), m.ngeom())?;
    require(t.geoms.is_sorted(), || "pairs of near geoms are not sorted".into())?;
    check_finite("near", &t.distance)?;
    let (t, n) = (&m.excludes, m.excludes.body1.len());
    same_len!(t, "excludes", n, [name, body2, signature]);
    require(t.signature.is_sorted(), || "excludes are not sorted".into())?;
    check_ids("excludes", t.body1.iter().chain(&t.body2).map(|b| b.0), m.nbody())?;
    (0..n).try_for_each(|e| check_signature("exclude", e, t.signature[e], [t.body1[e], t.body2[e]]))
}

/// The signature, by which pairs are looked up, is that of the bodies.
fn check_signature(what: &str, i: usize, signature: i32, [a, b]: [BodyId; 2]) -> Verdict {
    let key = (a.0.min(b.0).wrapping_shl(16)).wrapping_add(a.0.max(b.0)) as i32;
    require(signature == key, || format!("{what} {i}: wrong signature"))
}

pub(super) fn check_equalities(m: &Model) -> Verdict {
    let (t, n) = (&m.equalities, m.nequality());
    same_len!(t, "equalities", n, [name, object_kind, object1, object2, active, solref, solimp, data]);
    for e in 0..n {
        let kind = t.object_kind[e];
        let (right, needs_second) = match t.kind[e] {
            EqualityType::Connect | EqualityType::Weld => (matches!(kind, ObjectKind::Body | ObjectKind::Site), true),
            EqualityType::Joint => (kind == ObjectKind::Joint, false),
            EqualityType::Tendon => (kind == ObjectKind::Tendon, false),
        };
        require(right && (t.object2[e].is_some() || !needs_second), || format!("equality {e}: wrong objects"))?;
        let objects = || [t.object1[e]].into_iter().chain(t.object2[e]);
        check_ids("equalities", objects(), count(m, kind))?;
        if kind == ObjectKind::Joint {
            let scalar = objects().all(|j| m.joints.kind[j as usize].nv() == 1);
            require(scalar, || format!("equality {e}: its joints must be hinge or slide joints"))?;
        }
    }
    finite!(t, "equality", &t.name, [data, solref, solimp]);
    Ok(())
}

pub(super) fn check_tendons(m: &Model) -> Verdict {
    let (t, n) = (&m.tendons, m.ntendon());
    same_len!(
        t,
        "tendons",
        n,
        [
            name,
            path,
            jac,
            material,
            actuator,
            group,
            tree_num,
            tree,
            limited,
            actuator_force_limited,
            width,
            solref_limit,
            solimp_limit,
            solref_friction,
            solimp_friction,
            range,
            actuator_force_range,
            margin,
            stiffness,
            stiffness_poly,
            damping,
            damping_poly,
            armature,
            friction_loss,
            length_spring,
            length0,
            inv_weight,
            rgba,
        ]
    );
    check_user("tendons", &t.user, n, t.user_len)?;
    same_len!(m.wraps, "wraps", m.wraps.kind.len(), [object, prm]);
    super::check_tiling("tendons.path", &t.path, m.wraps.kind.len())?;
    super::check_tiling("tendons.jac", &t.jac, t.jac_col.len())?;
    check_ids("tendons.material", t.material.iter().flatten().map(|x| x.0), m.materials.name.len())?;
    check_ids("tendons.actuator", t.actuator.iter().flatten().map(|x| x.0), m.nactuator())?;
    check_ids("tendons.tree", t.tree.iter().flatten().flatten().map(|x| x.0), m.trees.bodies.len())?;
    check_ids("tendons.jac_col", t.jac_col.iter().copied(), m.size.nv)?;
    for i in 0..n {
        require(t.jac_col[t.jac[i].range()].is_sorted_by(|a, b| a < b), || format!("tendon {i}: wrong dofs"))?;
        check_path(m, i)?;
        check_trees(m, i)?;
    }
    finite!(
        t,
        "tendon",
        &t.name,
        [
            width,
            margin,
            stiffness,
            damping,
            armature,
            friction_loss,
            length0,
            inv_weight,
            range,
            actuator_force_range,
            stiffness_poly,
            damping_poly,
            length_spring,
            solref_limit,
            solref_friction,
            solimp_limit,
            solimp_friction,
        ]
    );
    Ok(())
}

/// The trees that a tendon couples are those of its dofs; islands rely on it.
fn check_trees(m: &Model, tendon: usize) -> Verdict {
    let columns = &m.tendons.jac_col[m.tendons.jac[tendon].range()];
    let trees: BTreeSet<u32> = columns.iter().map(|c| m.dofs.tree[*c as usize].0).collect();
    // The first two in the order of the path.
    let listed: Vec<u32> = m.tendons.tree[tendon].iter().flatten().map(|t| t.0).collect();
    let distinct = listed.iter().all(|t| trees.contains(t)) && (listed.len() < 2 || listed[0] != listed[1]);
    let right = distinct && listed.len() == trees.len().min(2) && m.tendons.tree_num[tendon] as usize == trees.len();
    require(right, || format!("tendon {tendon}: wrong trees"))
}

/// The elements of a tendon's path exist, and its dofs are in its Jacobian row.
fn check_path(m: &Model, tendon: usize) -> Verdict {
    let (range, w) = (m.tendons.path[tendon].range(), &m.wraps);
    let columns = &m.tendons.jac_col[m.tendons.jac[tendon].range()];
    require(!range.is_empty(), || format!("tendon {tendon} has no path"))?;
    for i in range.clone() {
        let (object, prm) = (w.object[i], w.prm[i]);
        require(prm.is_finite(), || format!("tendon {tendon}: a number of its path is not finite"))?;
        let joint = w.kind[i] == WrapKind::Joint;
        require(joint != m.tendons.spatial[tendon], || format!("tendon {tendon}: fixed and spatial are mixed"))?;
        let body = match w.kind[i] {
            WrapKind::Joint => {
                check_ids("wraps.object", [object], m.njoint())?;
                let kind = m.joints.kind[object as usize];
                require(matches!(kind, JointKind::Hinge | JointKind::Slide), || {
                    format!("tendon {tendon}: wrong joint")
                })?;
                let listed = columns.binary_search(&m.joints.dof_start[object as usize]).is_ok();
                require(listed, || format!("tendon {tendon}: a dof of its path is not in its Jacobian"))?;
                continue;
            }
            WrapKind::Pulley => {
                require(prm > 0.0, || format!("tendon {tendon}: a pulley's divisor must be positive"))?;
                continue;
            }
            WrapKind::Site => {
                check_ids("wraps.object", [object], m.nsite())?;
                m.sites.body[object as usize]
            }
            WrapKind::Sphere | WrapKind::Cylinder => {
                check_ids("wraps.object", [object], m.ngeom())?;
                let side = prm == -1.0 || (prm >= 0.0 && prm.fract() == 0.0 && prm < m.nsite() as f64);
                require(side, || format!("tendon {tendon}: wrong side site"))?;
                let is_site =
                    |k: Option<usize>| k.filter(|k| range.contains(k)).map(|k| w.kind[k]) == Some(WrapKind::Site);
                require(is_site(i.checked_sub(1)) && is_site(Some(i + 1)), || {
                    format!("tendon {tendon}: a geom must be between two sites")
                })?;
                m.geoms.body[object as usize]
            }
        };
        require(moves_within(m, body.idx(), columns), || {
            format!("tendon {tendon}: a dof of its path is not in its Jacobian")
        })?;
    }
    Ok(())
}

/// Whether all dofs that move `body` are among the ascending `columns`.
fn moves_within(m: &Model, body: usize, columns: &[u32]) -> bool {
    let dofs = m.bodies.dofs[m.bodies.weld[body].idx()];
    let mut next = (dofs.len > 0).then(|| dofs.start + dofs.len - 1);
    while let Some(d) = next {
        if columns.binary_search(&d).is_err() {
            return false;
        }
        next = m.dofs.parent[d as usize].map(|p| p.0);
    }
    true
}

pub(super) fn check_actuators(m: &Model) -> Verdict {
    let (t, n) = (&m.actuators, m.nactuator());
    same_len!(
        t,
        "actuators",
        n,
        [
            name,
            transmission,
            activation,
            bias,
            target,
            ctrl,
            act,
            inputs,
            activation_prm,
            gain_prm,
            bias_prm,
            activation_limited,
            activation_range,
            activation_early,
            force_limited,
            force_range,
            gear,
            crank_length,
            damping,
            damping_poly,
            armature,
            acc0,
            length0,
            length_range,
            group,
            moment,
        ]
    );
    check_user("actuators", &t.user, n, t.user_len)?;
    same_len!(t, "actuators", m.size.nu, [ctrl_limited, ctrl_range]);
    super::check_tiling("actuators.ctrl", &t.ctrl, m.size.nu)?;
    super::check_tiling("actuators.act", &t.act, m.size.na)?;
    super::check_tiling("actuators.moment", &t.moment, t.moment_col.len())?;
    check_ids("actuators.moment_col", t.moment_col.iter().copied(), m.size.nv)?;
    for a in 0..n {
        let [first, second] = t.target[a];
        let (kind, two) = match t.transmission[a] {
            TransmissionKind::Joint | TransmissionKind::JointInParent => (ObjectKind::Joint, false),
            TransmissionKind::Tendon => (ObjectKind::Tendon, false),
            TransmissionKind::SliderCrank => (ObjectKind::Site, true),
            TransmissionKind::Site => (ObjectKind::Site, second.is_some()),
            TransmissionKind::Body => (ObjectKind::Body, false),
        };
        require(first.is_some() && second.is_some() == two, || format!("actuator {a}: wrong target"))?;
        check_ids("actuators.target", first.into_iter().chain(second), count(m, kind))?;
        require(t.ctrl[a].len > 0, || format!("actuator {a} has no control"))?;
        let columns = &t.moment_col[t.moment[a].range()];
        require(columns.is_sorted_by(|a, b| a < b), || format!("actuator {a}: wrong dofs"))?;
        let reach = first.into_iter().chain(second).all(|id| target_within(m, a, id as usize, columns));
        require(reach, || format!("actuator {a}: a dof that it moves is not in its moment"))?;
    }
    finite!(
        t,
        "actuator",
        &t.name,
        [
            crank_length,
            damping,
            armature,
            acc0,
            length0,
            activation_range,
            force_range,
            damping_poly,
            length_range,
            gear,
            activation_prm,
            gain_prm,
            bias_prm,
        ]
    );
    check_finite("actuators.ctrl_range", t.ctrl_range.as_flattened())
}

fn target_within(m: &Model, actuator: usize, id: usize, columns: &[u32]) -> bool {
    match m.actuators.transmission[actuator] {
        TransmissionKind::Joint | TransmissionKind::JointInParent => {
            let start = m.joints.dof_start[id];
            (start..start + m.joints.kind[id].nv() as u32).all(|d| columns.binary_search(&d).is_ok())
        }
        TransmissionKind::Tendon => *columns == m.tendons.jac_col[m.tendons.jac[id].range()],
        TransmissionKind::SliderCrank | TransmissionKind::Site => moves_within(m, m.sites.body[id].idx(), columns),
        TransmissionKind::Body => columns.len() == m.size.nv,
    }
}

pub(super) fn check_sensors(m: &Model) -> Verdict {
    let (t, n) = (&m.sensors, m.nsensor());
    same_len!(
        t,
        "sensors",
        n,
        [name, stage, data_type, object_kind, object, reference_kind, reference, int_prm, dim, start, cutoff, noise,]
    );
    check_user("sensors", &t.user, n, t.user_len)?;
    let mut next = 0usize;
    for s in 0..n {
        require(t.start[s] as usize == next, || format!("sensor {s}: wrong address"))?;
        next += t.dim[s] as usize;
        for (kind, id) in [(t.object_kind[s], t.object[s]), (t.reference_kind[s], t.reference[s])] {
            require(id.is_some() == (kind != ObjectKind::Unknown), || format!("sensor {s}: wrong object"))?;
            check_ids("sensors.object", id, count(m, kind))?;
        }
        check_sensor(m, s).map_err(|e| super::InvalidModel(format!("sensor {s}: {e}")))?;
    }
    require(next == m.size.nsensordata, || "sensors do not add up to nsensordata".into())?;
    finite!(t, "sensor", &t.name, [cutoff, noise]);
    Ok(())
}

pub(super) fn check_custom(m: &Model) -> Verdict {
    same_len!(m.numerics, "numerics", m.numerics.name.len(), [span]);
    for span in &m.numerics.span {
        check_span("numerics", *span, m.numerics.data.len())?;
    }
    same_len!(m.texts, "texts", m.texts.name.len(), [data]);
    let t = &m.tuples;
    same_len!(t, "tuples", t.name.len(), [span]);
    same_len!(t, "tuples", t.kind.len(), [object, prm]);
    for span in &t.span {
        check_span("tuples", *span, t.kind.len())?;
    }
    for (kind, id) in t.kind.iter().zip(&t.object) {
        check_ids("tuples.object", [*id], count(m, *kind))?;
    }
    Ok(())
}

pub(super) fn check_keys(m: &Model) -> Verdict {
    let (t, n, s) = (&m.keys, m.nkey(), &m.size);
    same_len!(t, "keys", n, [name]);
    for (what, len, per) in [
        ("q", t.q.len(), s.nq),
        ("v", t.v.len(), s.nv),
        ("act", t.act.len(), s.na),
        ("ctrl", t.ctrl.len(), s.nu),
        ("mocap_pos", t.mocap_pos.len(), s.nmocap),
        ("mocap_quat", t.mocap_quat.len(), s.nmocap),
    ] {
        require(n.checked_mul(per) == Some(len), || format!("keys.{what} has the wrong length"))?;
    }
    check_finite("keys", t.time.iter().chain(&t.q).chain(&t.v).chain(&t.act).chain(&t.ctrl))?;
    finite!(t, "number of key", &[], [mocap_pos]);
    check_unit("keys.mocap_quat", &t.mocap_quat)
}

/// Options that divide or count.
pub(super) fn check_options(m: &Model) -> Verdict {
    let o = &m.options;
    require(o.timestep > 0.0 && o.timestep.is_finite(), || {
        format!("option timestep: expected a positive number of seconds, found {}", o.timestep)
    })?;
    require(o.impratio > 0.0 && o.impratio.is_finite(), || {
        format!("option impratio: expected a positive number, found {}", o.impratio)
    })?;
    require(o.laws.invalid().is_none(), || o.laws.invalid().unwrap_or_default())?;
    require(o.enable.unsupported().is_none(), || o.enable.unsupported().unwrap_or_default().into())?;
    for (name, numbers) in [
        ("tolerance", &[o.tolerance][..]),
        ("ls_tolerance", &[o.ls_tolerance]),
        ("noslip_tolerance", &[o.noslip_tolerance]),
        ("ccd_tolerance", &[o.ccd_tolerance]),
        ("sleep_tolerance", &[o.sleep_tolerance]),
        ("density", &[o.density]),
        ("viscosity", &[o.viscosity]),
        ("gravity", &o.gravity.to_array()),
        ("wind", &o.wind.to_array()),
        ("magnetic", &o.magnetic.to_array()),
        ("o_margin", &[o.override_margin]),
        ("o_solref", &o.override_solref),
        ("o_solimp", &o.override_solimp),
        ("o_friction", &o.override_friction),
    ] {
        check_finite(&format!("option {name}"), numbers)?;
    }
    let s = &m.statistic;
    check_finite("statistic", &[s.mean_inertia, s.mean_mass, s.mean_size, s.extent])
}
