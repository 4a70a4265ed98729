//! Bodies, joints, dofs.

use super::{MAX_LEN, same_len};
use super::{Verdict, check_finite, check_ids, check_span, check_tiling, check_unit, check_user, finite, require};
use crate::model::Model;
use crate::model::kinds::JointKind;

/// Sizes are those of the tables, and small enough to allocate.
pub(super) fn check_sizes(m: &Model) -> Verdict {
    let s = &m.size;
    let all = [s.nq, s.nv, s.nu, s.na, s.nmocap, s.nuserdata, s.nsensordata];
    require(all.iter().all(|n| *n <= MAX_LEN), || "a size is too large".into())?;
    require(m.q0.len() == s.nq && m.q_spring.len() == s.nq, || "q0 does not have nq entries".into())?;
    require(m.dofs.body.len() == s.nv, || "the dof table does not have nv entries".into())?;
    check_finite("q0", &m.q0)?;
    check_finite("q_spring", &m.q_spring)
}

pub(super) fn check_bodies(m: &Model) -> Verdict {
    let (t, n) = (&m.bodies, m.nbody());
    require(n > 0, || "there is no world body".into())?;
    same_len!(
        t,
        "bodies",
        n,
        [
            name,
            parent,
            root,
            weld,
            mocap,
            joints,
            dofs,
            geoms,
            sites,
            tree,
            simple,
            same_frame,
            pos,
            quat,
            inertial_pos,
            inertial_quat,
            mass,
            subtree_mass,
            inertia,
            inv_weight,
            gravcomp,
            margin,
            contype,
            conaffinity,
        ]
    );
    check_user("bodies", &t.user, n, t.user_len)?;
    require(t.parent[0].0 == 0 && t.joints[0].len == 0 && t.tree[0].is_none(), || "the world must not move".into())?;
    let ntree = m.trees.bodies.len();
    same_len!(m.trees, "trees", ntree, [dofs]);
    let mut mocap = vec![false; m.size.nmocap];
    for b in 0..n {
        let parent = t.parent[b].idx();
        require(b == 0 || parent < b, || format!("body {b}: its parent does not come before it"))?;
        let root = if parent == 0 { b } else { t.root[parent].idx() };
        require(t.root[b].idx() == root, || format!("body {b}: wrong root"))?;
        let own = t.dofs[b].len > 0 || t.mocap[b].is_some() || b == 0;
        let weld = if own { b } else { t.weld[parent].idx() };
        require(t.weld[b].idx() == weld, || format!("body {b}: wrong weld group"))?;
        check_ids("bodies.tree", t.tree[b].map(|x| x.0), ntree)?;
        require(t.dofs[b].len == 0 || t.tree[b].is_some(), || format!("body {b}: it moves but is in no tree"))?;
        require(t.dofs[b].len == 0 || t.mocap[b].is_none(), || format!("body {b}: a mocap body cannot have joints"))?;
        let from_parent = b == 0 || t.tree[parent].is_none() || t.tree[b] == t.tree[parent];
        require(from_parent, || format!("body {b}: it is not in its parent's tree"))?;
        require(t.tree[b].is_none() || t.tree[parent].is_some() || t.dofs[b].len > 0, || {
            format!("body {b}: it does not move but is in a tree")
        })?;
        if let Some(i) = t.mocap[b] {
            check_ids("bodies.mocap", [i], m.size.nmocap)?;
            require(!core::mem::replace(&mut mocap[i as usize], true), || format!("body {b}: mocap index used twice"))?;
        }
    }
    require(mocap.iter().all(|used| *used), || "a mocap index has no body".into())?;
    check_tiling("bodies.joints", &t.joints, m.njoint())?;
    check_tiling("bodies.dofs", &t.dofs, m.size.nv)?;
    check_tiling("bodies.geoms", &t.geoms, m.ngeom())?;
    check_tiling("bodies.sites", &t.sites, m.nsite())?;
    check_trees(m)?;
    check_unit("bodies.quat", &t.quat)?;
    check_unit("bodies.inertial_quat", &t.inertial_quat)?;
    finite!(t, "body", &t.name, [pos, inertial_pos, inertia, inv_weight, mass, subtree_mass, gravcomp, margin]);
    // Moments may be negative where the compiler took an inertia as given; no stage takes their
    // roots.
    require(t.mass.iter().all(|x| *x >= 0.0), || "a body has negative mass".into())
}

/// Trees have exactly the bodies that name them, and their dofs: the stages find the dofs of a tree
/// by its span.
fn check_trees(m: &Model) -> Verdict {
    let (t, all) = (&m.bodies, &m.trees);
    check_tiling("trees.dofs", &all.dofs, m.size.nv)?;
    let mut last = None;
    for (i, (bodies, dofs)) in all.bodies.iter().zip(&all.dofs).enumerate() {
        check_span("trees.bodies", *bodies, t.tree.len())?;
        let own = |b: usize| t.tree[b].map(|x| x.idx()) == Some(i);
        require(bodies.len > 0 && bodies.range().all(own), || format!("tree {i}: wrong bodies"))?;
        require(last < Some(bodies.start), || format!("tree {i}: trees are not in order"))?;
        last = Some(bodies.start);
        let counted: u32 = bodies.range().map(|b| t.dofs[b].len).sum();
        let first = bodies.range().find(|b| t.dofs[*b].len > 0).map(|b| t.dofs[b].start);
        require(counted == dofs.len && first == Some(dofs.start), || format!("tree {i}: wrong dofs"))?;
    }
    let inside: usize = all.bodies.iter().map(|b| b.len as usize).sum();
    require(inside == t.tree.iter().flatten().count(), || "a body is not in the span of its tree".into())
}

pub(super) fn check_joints(m: &Model) -> Verdict {
    let (t, n) = (&m.joints, m.njoint());
    same_len!(
        t,
        "joints",
        n,
        [
            name,
            kind,
            q_start,
            dof_start,
            body,
            actuator,
            group,
            limited,
            actuator_force_limited,
            actuator_gravcomp,
            solref,
            solimp,
            pos,
            axis,
            stiffness,
            stiffness_poly,
            range,
            actuator_force_range,
            margin,
        ]
    );
    check_user("joints", &t.user, n, t.user_len)?;
    let (mut nq, mut nv) = (0, 0);
    for (b, span) in m.bodies.joints.iter().enumerate() {
        let first_dof = nv;
        for j in span.range() {
            require(t.body[j].idx() == b, || format!("joint {j}: wrong body"))?;
            require(t.q_start[j] as usize == nq && t.dof_start[j] as usize == nv, || {
                format!("joint {j}: wrong address")
            })?;
            nq += t.kind[j].nq();
            nv += t.kind[j].nv();
            require(t.kind[j] != JointKind::Free || (m.bodies.parent[b].0 == 0 && span.len == 1), || {
                format!("joint {j}: a free joint must be alone on a child of the world")
            })?;
        }
        let dofs = m.bodies.dofs[b];
        let same = dofs.len as usize == nv - first_dof && (dofs.len == 0 || dofs.start as usize == first_dof);
        require(same && dofs.len <= 6, || format!("body {b}: wrong dofs"))?;
    }
    require(nq == m.size.nq && nv == m.size.nv, || "joints do not add up to nq and nv".into())?;
    check_ids("joints.actuator", t.actuator.iter().flatten().map(|a| a.0), m.nactuator())?;
    require(t.axis.iter().all(|a| (a.length() - 1.0).abs() < 1e-6), || "a joint axis is not a unit vector".into())?;
    finite!(t, "joint", &t.name, [pos, solref, solimp, range, actuator_force_range, stiffness, stiffness_poly, margin]);
    Ok(())
}

pub(super) fn check_dofs(m: &Model) -> Verdict {
    let (t, n) = (&m.dofs, m.size.nv);
    same_len!(
        t,
        "dofs",
        n,
        [
            body,
            joint,
            parent,
            tree,
            simple_num,
            solref,
            solimp,
            friction_loss,
            armature,
            damping,
            damping_poly,
            inv_weight,
            m0,
            length,
        ]
    );
    check_ids("dofs.tree", t.tree.iter().map(|x| x.0), m.trees.bodies.len())?;
    let mut last = vec![None; m.nbody()];
    for b in 0..m.nbody() {
        last[b] = if b == 0 { None } else { last[m.bodies.parent[b].idx()] };
        for j in m.bodies.joints[b].range() {
            let start = m.joints.dof_start[j] as usize;
            for d in start..start + m.joints.kind[j].nv() {
                let right = t.body[d].idx() == b && t.joint[d].idx() == j && t.parent[d].map(|p| p.idx()) == last[b];
                require(right && Some(t.tree[d]) == m.bodies.tree[b], || {
                    format!("dof {d}: wrong body, joint or parent")
                })?;
                require(d + t.simple_num[d] as usize <= n, || format!("dof {d}: wrong run of simple dofs"))?;
                last[b] = Some(d);
            }
        }
    }
    for d in 0..n {
        let run = t.simple_num[d];
        let next = t.simple_num.get(d + 1).copied().unwrap_or(0);
        require(run <= 1 || next == run - 1, || format!("dof {d}: wrong run of simple dofs"))?;
    }
    let names: Vec<String> = t.joint.iter().map(|j| m.joints.name[j.idx()].clone()).collect();
    finite!(t, "dof", &names, [friction_loss, armature, damping, damping_poly, inv_weight, m0, length, solref, solimp]);
    Ok(())
}

/// The pattern of M is the one that the dofs imply.
pub(super) fn check_pattern(m: &Model) -> Verdict {
    let p = &m.mass_pattern;
    require(p.row_start.len() == m.size.nv + 1 && p.row_start[0] == 0, || {
        "the pattern of M has the wrong size".into()
    })?;
    let mut count = 0;
    for d in 0..m.size.nv {
        let (start, end) = (p.row_start[d] as usize, p.row_start[d + 1] as usize);
        require(start < end && end <= p.col.len(), || format!("row {d} of M is not in the pattern"))?;
        require(p.col[end - 1] as usize == d, || format!("row {d} of M does not end on its diagonal"))?;
        let row = &p.col[start..end - 1];
        require(m.dofs.simple_num[d] == 0 || row.is_empty(), || format!("row {d} of M is of a simple dof"))?;
        match m.dofs.parent[d].filter(|_| !row.is_empty()) {
            Some(parent) => {
                let above = p.range(parent.idx());
                require(*row == p.col[above], || format!("row {d} of M is not that of its parent"))?;
            }
            None => require(row.is_empty(), || format!("row {d} of M has entries but no parent"))?,
        }
        count = end;
    }
    require(count == p.col.len(), || "the pattern of M has too many entries".into())
}
