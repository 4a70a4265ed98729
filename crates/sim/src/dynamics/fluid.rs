//! Forces of a medium on bodies that move through it: phenomenological drag on the equivalent inertia box, and the
//! ellipsoid model with added mass, drag, Magnus and Kutta lift for geoms that ask for it.
//! Formulas: MuJoCo manual, chapter "Fluid forces".

use crate::data::Data;
use crate::kinematics::jacobian::apply_wrench;
use crate::kinematics::{Frame, calc_object_velocity, object_frame};
use crate::model::{
    Model,
    kinds::{GeomShape, ObjectKind},
};
use saltus_math::{Force, MIN_VAL, Motion, Vec3, real::PI};

/// Adds fluid forces of all bodies to `data.velocity.fluid`.
pub(super) fn update_fluid(model: &Model, data: &mut Data) {
    if model.options.density == 0.0 && model.options.viscosity == 0.0 {
        return;
    }
    let mut tau = core::mem::take(&mut data.velocity.fluid);
    for b in 1..model.nbody() {
        if model.bodies.mass[b] < MIN_VAL {
            continue;
        }
        let geoms = model.bodies.geoms[b].range();
        if geoms.clone().any(|g| model.geoms.fluid[g][0] > 0.0) {
            for g in geoms.filter(|&g| model.geoms.fluid[g][0] > 0.0) {
                apply(model, data, ObjectKind::Geom, g, |v| ellipsoid_force(model, g, v), &mut tau);
            }
        } else {
            apply(model, data, ObjectKind::Body, b, |v| box_force(model, b, v), &mut tau);
        }
    }
    data.velocity.fluid = tau;
}

/// Evaluates `force` on the object's velocity relative to the medium, in its own axes, and maps the result to dofs.
fn apply(model: &Model, data: &Data, kind: ObjectKind, id: usize, force: impl Fn(Motion) -> Force, tau: &mut [f64]) {
    let Some(object) = object_frame(model, data, kind, id) else { return };
    let mut v = calc_object_velocity(model, data, &object, Frame::Local);
    v.lin -= object.R.tmul(model.options.wind);
    let f = force(v);
    apply_wrench(model, data, object.body, object.p, object.R * f.lin, object.R * f.ang, tau);
}

/// Drag and viscous resistance of the equivalent inertia box.
fn box_force(model: &Model, b: usize, v: Motion) -> Force {
    let (I, mass) = (model.bodies.inertia[b], model.bodies.mass[b]);
    let side = |s: f64| (s.max(MIN_VAL) / mass * 6.0).sqrt();
    let size = Vec3::new(side(I.y + I.z - I.x), side(I.z + I.x - I.y), side(I.x + I.y - I.z));
    let mut f = Force::ZERO;
    let (rho, beta) = (model.options.density, model.options.viscosity);
    if beta > 0.0 {
        let diameter = (size.x + size.y + size.z) / 3.0;
        f.ang -= v.ang * (PI * diameter.powi(3) * beta);
        f.lin -= v.lin * (3.0 * PI * diameter * beta);
    }
    if rho > 0.0 {
        for i in 0..3 {
            let (a, c) = (size[(i + 1) % 3], size[(i + 2) % 3]);
            f.lin[i] -= 0.5 * rho * a * c * v.lin[i].abs() * v.lin[i];
            f.ang[i] -= rho * size[i] * (a.powi(4) + c.powi(4)) * v.ang[i].abs() * v.ang[i] / 64.0;
        }
    }
    f
}

/// Semi-axes of the ellipsoid that stands for a geom.
pub(crate) fn semi_axes(shape: GeomShape, size: [f64; 3]) -> Vec3 {
    match shape {
        GeomShape::Sphere => Vec3::splat(size[0]),
        GeomShape::Capsule => Vec3::new(size[0], size[0], size[1] + size[0]),
        GeomShape::Cylinder => Vec3::new(size[0], size[0], size[1]),
        _ => Vec3::from_array(size),
    }
}

/// The ellipsoid model.
fn ellipsoid_force(model: &Model, g: usize, v: Motion) -> Force {
    let (rho, beta) = (model.options.density, model.options.viscosity);
    let prm = model.geoms.fluid[g];
    let [active, blunt, slender, angular, kutta, magnus] = [prm[0], prm[1], prm[2], prm[3], prm[4], prm[5]];
    let (added_mass, added_inertia) = (Vec3::from_slice(&prm[6..9]) * rho, Vec3::from_slice(&prm[9..12]) * rho);
    let r = semi_axes(model.geoms.shape[g], model.geoms.size[g]);
    let (lin, ang) = (v.lin, v.ang);

    // Added mass, velocity terms only.
    let momentum = added_mass * lin;
    let mut f = Force::new(momentum.cross(lin) + (added_inertia * ang).cross(ang), momentum.cross(ang));

    // Magnus lift.
    let volume = 4.0 / 3.0 * PI * r.x * r.y * r.z;
    f.lin += ang.cross(lin) * (magnus * rho * volume);

    // Projected area, normal of the section that casts it, Kutta lift.
    let speed = lin.length();
    let yz = r.y * r.z;
    let zx = r.z * r.x;
    let xy = r.x * r.y;
    let fourth = Vec3::new(yz * yz, zx * zx, xy * xy);
    let v_sq = lin * lin;
    let denominator = (fourth * fourth).dot(v_sq);
    let numerator = fourth.dot(v_sq);
    let area = PI * (denominator / numerator.max(MIN_VAL)).sqrt();
    let normal = fourth * lin;
    let cos_alpha = numerator / (speed * denominator.sqrt()).max(MIN_VAL);
    let unit = normal / denominator.sqrt().max(MIN_VAL);
    f.lin += unit.cross(lin).cross(lin) * (kutta * rho * cos_alpha * area);

    // Drag and viscous resistance.
    let r_max = r.max_element();
    let r_min = r.min_element();
    let r_mid = r.x + r.y + r.z - r_max - r_min;
    let area_max = PI * r_max * r_mid;
    let swept = |i: usize| {
        let other = r[(i + 1) % 3].max(r[(i + 2) % 3]);
        8.0 / 15.0 * PI * r[i] * other.powi(4)
    };
    let moment = Vec3::new(swept(0), swept(1), swept(2));
    let moment_max = moment.max_element();
    let radius = (r.x + r.y + r.z) / 3.0;
    let drag = 6.0 * PI * radius * beta + rho * speed * (blunt * area + slender * (area_max - area));
    let weighted = ang * (moment * angular + (Vec3::splat(moment_max) - moment) * slender);
    let turn_drag = 8.0 * PI * radius.powi(3) * beta + rho * weighted.length();
    f.lin -= lin * drag;
    f.ang -= ang * turn_drag;
    f * active
}
