//! Tendons, their paths, and the sparsity of their Jacobians.

use super::chain::DofSet;
use super::limits::{MAX_ENTRIES, limited, push_user, user_len};
use super::names::{Element, Names, Outcome};
use crate::ids::{MaterialId, Span, TreeId};
use crate::model::Model;
use crate::model::kinds::{GeomShape, JointKind, ObjectKind, WrapKind};
use crate::model::spec::{ModelSpec, TendonPath, TendonSpec, WrapSpec};
use std::collections::BTreeSet;

/// Fills the tables of tendons and wraps.
pub(super) fn fill_tendons(spec: &ModelSpec, names: &Names, model: &mut Model) -> Outcome {
    let users = spec.tendons.iter().map(|t| t.user.as_slice());
    model.tendons.user_len = user_len("tendon", spec.size.user_tendon, users)?;
    let mut dofs = DofSet::new(model);
    for (id, tendon) in spec.tendons.iter().enumerate() {
        let element = Element::new("tendon", &tendon.name, id, &tendon.place);
        check_numbers(tendon, &element)?;
        let path_start = model.wraps.kind.len();
        match &tendon.path {
            TendonPath::Fixed(joints) => push_fixed_path(joints, &element, names, model)?,
            TendonPath::Spatial(path) => {
                check_path(path, tendon.armature, &element)?;
                push_spatial_path(path, &element, names, model)?;
            }
        }
        let path = Span::new(path_start, model.wraps.kind.len() - path_start);
        let (columns, trees) = reach(path, model, &mut dofs);
        push_tendon(spec, tendon, &element, names, model)?;
        let table = &mut model.tendons;
        table.path.push(path);
        table.jac.push(Span::new(table.jac_col.len(), columns.len()));
        table.jac_col.extend(columns);
        element.check(table.jac_col.len() <= MAX_ENTRIES, || "the tendons' Jacobians are too large".into())?;
        let mut first = trees.iter().copied();
        table.tree_num.push(trees.len() as u32);
        table.tree.push([first.next(), first.next()]);
    }
    Ok(())
}

fn check_numbers(tendon: &TendonSpec, element: &Element) -> Outcome {
    element.check_finite("stiffness", &tendon.stiffness)?;
    element.check_finite("damping", &tendon.damping)?;
    element.check_finite("solref", &[tendon.solref_limit, tendon.solref_friction].concat())?;
    element.check_finite("solimp", &[tendon.solimp_limit, tendon.solimp_friction].concat())?;
    element.check_finite("margin or frictionloss", &[tendon.margin, tendon.friction_loss])?;
    element.check_finite("springlength", &tendon.spring_length)?;
    element.check_finite("user", &tendon.user)?;
    element.check(tendon.armature >= 0.0 && tendon.armature.is_finite(), || {
        format!("armature must not be negative, got {}", tendon.armature)
    })?;
    element.check(tendon.width > 0.0 && tendon.width.is_finite(), || "width must be positive".into())?;
    let [low, high] = tendon.spring_length;
    element.check(low == -1.0 || (0.0..=high).contains(&low), || {
        format!("springlength must be two increasing lengths or −1, got {low} {high}")
    })
}

fn push_fixed_path(joints: &[(String, f64)], element: &Element, names: &Names, model: &mut Model) -> Outcome {
    element.check(!joints.is_empty(), || "the path is empty".into())?;
    let mut seen = BTreeSet::new();
    for (name, coef) in joints {
        let joint = names.require(ObjectKind::Joint, name, element)?;
        let kind = model.joints.kind[joint as usize];
        element.check(matches!(kind, JointKind::Hinge | JointKind::Slide), || {
            format!("joint \"{name}\" must be a hinge or slide joint")
        })?;
        element.check(seen.insert(joint), || format!("joint \"{name}\" occurs twice"))?;
        element.check_finite("coef", &[*coef])?;
        push_wrap(model, WrapKind::Joint, joint, *coef);
    }
    Ok(())
}

fn push_wrap(model: &mut Model, kind: WrapKind, object: u32, prm: f64) {
    model.wraps.kind.push(kind);
    model.wraps.object.push(object);
    model.wraps.prm.push(prm);
}

/// A path consists of segments between sites, with geoms only between two sites and pulleys only
/// between segments.
fn check_path(path: &[WrapSpec], armature: f64, element: &Element) -> Outcome {
    element.check(path.len() >= 2, || "a spatial path needs at least two elements".into())?;
    let is_site = |i: Option<usize>| matches!(i.and_then(|i| path.get(i)), Some(WrapSpec::Site(_)));
    let is_pulley = |i: Option<usize>| matches!(i.and_then(|i| path.get(i)), None | Some(WrapSpec::Pulley(_)));
    for (i, wrap) in path.iter().enumerate() {
        let (before, after) = (i.checked_sub(1), Some(i + 1));
        match wrap {
            WrapSpec::Geom { .. } => {
                element.check(is_site(before) && is_site(after), || {
                    format!("path element {i}, a geom, must be between two sites")
                })?;
                element.check(armature == 0.0, || "a tendon with armature cannot wrap around geoms".into())?;
            }
            WrapSpec::Pulley(divisor) => {
                element.check(i + 1 < path.len(), || "the path must not end with a pulley".into())?;
                element.check(*divisor > 0.0 && divisor.is_finite(), || {
                    format!("the divisor of a pulley must be positive, got {divisor}")
                })?;
            }
            WrapSpec::Site(name) => {
                element.check(!(is_pulley(before) && is_pulley(after)), || {
                    format!("path element {i}, a site, has no neighbour that is not a pulley")
                })?;
                let repeated = matches!(before.and_then(|b| path.get(b)), Some(WrapSpec::Site(b)) if b == name);
                element.check(!repeated, || format!("site \"{name}\" occurs twice in a row"))?;
            }
        }
    }
    Ok(())
}

fn push_spatial_path(path: &[WrapSpec], element: &Element, names: &Names, model: &mut Model) -> Outcome {
    for wrap in path {
        match wrap {
            WrapSpec::Site(name) => {
                let site = names.require(ObjectKind::Site, name, element)?;
                push_wrap(model, WrapKind::Site, site, 0.0);
            }
            WrapSpec::Pulley(divisor) => push_wrap(model, WrapKind::Pulley, 0, *divisor),
            WrapSpec::Geom { geom: name, side_site } => {
                let geom = names.require(ObjectKind::Geom, name, element)?;
                let side = names.require_some(ObjectKind::Site, side_site.as_deref(), element)?;
                let kind = match model.geoms.shape[geom as usize] {
                    GeomShape::Sphere => WrapKind::Sphere,
                    GeomShape::Cylinder => WrapKind::Cylinder,
                    _ => return Err(element.error(format!("geom \"{name}\" must be a sphere or cylinder"))),
                };
                push_wrap(model, kind, geom, side.map_or(-1.0, f64::from));
            }
        }
    }
    Ok(())
}

/// Dofs that can change the length of a path, and its trees in the order of the path.
fn reach(path: Span, model: &Model, dofs: &mut DofSet) -> (Vec<u32>, Vec<TreeId>) {
    let mut trees: Vec<TreeId> = Vec::new();
    let mut seen = BTreeSet::new();
    for w in path.range() {
        let object = model.wraps.object[w] as usize;
        let body = match model.wraps.kind[w] {
            WrapKind::Joint => {
                dofs.add(model.joints.dof_start[object] as usize);
                model.joints.body[object].idx()
            }
            WrapKind::Pulley => continue,
            WrapKind::Site => model.sites.body[object].idx(),
            WrapKind::Sphere | WrapKind::Cylinder => model.geoms.body[object].idx(),
        };
        if model.wraps.kind[w] != WrapKind::Joint {
            dofs.add_body(model, body);
        }
        trees.extend(model.bodies.tree[body].filter(|tree| seen.insert(*tree)));
    }
    (dofs.take(), trees)
}

fn push_tendon(spec: &ModelSpec, tendon: &TendonSpec, element: &Element, names: &Names, model: &mut Model) -> Outcome {
    let auto = spec.compiler.auto_limits;
    let table = &mut model.tendons;
    table.name.push(tendon.name.clone());
    table.spatial.push(matches!(tendon.path, TendonPath::Spatial(_)));
    let material = names.require_some(ObjectKind::Material, tendon.material.as_deref(), element)?;
    table.material.push(material.map(MaterialId));
    table.actuator.push(None);
    table.group.push(tendon.group);
    table.limited.push(limited(element, "tendon", tendon.limited, tendon.range, auto)?);
    let force = limited(element, "actuatorfrc", tendon.actuator_force_limited, tendon.actuator_force_range, auto)?;
    table.actuator_force_limited.push(force);
    table.width.push(tendon.width);
    table.solref_limit.push(tendon.solref_limit);
    table.solimp_limit.push(tendon.solimp_limit);
    table.solref_friction.push(tendon.solref_friction);
    table.solimp_friction.push(tendon.solimp_friction);
    table.range.push(tendon.range);
    table.actuator_force_range.push(tendon.actuator_force_range);
    table.margin.push(tendon.margin);
    table.stiffness.push(tendon.stiffness[0]);
    table.stiffness_poly.push([tendon.stiffness[1], tendon.stiffness[2]]);
    table.damping.push(tendon.damping[0]);
    table.damping_poly.push([tendon.damping[1], tendon.damping[2]]);
    table.armature.push(tendon.armature);
    table.friction_loss.push(tendon.friction_loss);
    table.length_spring.push(tendon.spring_length);
    table.length0.push(0.0);
    table.inv_weight.push(0.0);
    table.rgba.push(tendon.rgba);
    push_user(&mut table.user, &tendon.user, table.user_len);
    Ok(())
}
