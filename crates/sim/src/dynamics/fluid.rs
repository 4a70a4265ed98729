//! Fluid forces on moving bodies: phenomenological drag on the equivalent inertia box, and the
//! ellipsoid model with added mass, drag, Magnus and Kutta lift for geoms that enable it. Formulas:
//! MuJoCo manual, chapter "Fluid forces".

use crate::data::Data;
use crate::kinematics::jacobian::apply_wrench;
use crate::kinematics::{Frame, ObjectFrame, calc_object_velocity, object_frame};
use crate::model::{
    Model,
    kinds::{GeomShape, ObjectKind},
};
use saltus_math::{Force, MIN_VAL, Motion, Vec3, real::PI};

/// Adds fluid forces of all bodies to `data.velocity.fluid`.
pub(super) fn update_fluid(model: &Model, data: &mut Data) {
    let mut tau = core::mem::take(&mut data.velocity.fluid);
    for_each_shape(model, |shape| {
        let Some((object, v)) = relative_velocity(model, data, shape) else { return };
        let f = match shape {
            FluidShape::Box(b) => InertiaBox::of(model, b).force(v),
            FluidShape::Ellipsoid(g) => Ellipsoid::of(model, g).force(v),
        };
        apply_wrench(model, data, object.body, object.p, object.R * f.lin, object.R * f.ang, &mut tau);
    });
    data.velocity.fluid = tau;
}

/// Shape that fluid forces act on: the inertia box of a body, or the ellipsoid of a geom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FluidShape {
    Box(usize),
    Ellipsoid(usize),
}

/// Calls `f` with all shapes that fluid forces act on.
pub(crate) fn for_each_shape(model: &Model, mut f: impl FnMut(FluidShape)) {
    if model.options.density == 0.0 && model.options.viscosity == 0.0 {
        return;
    }
    for b in 1..model.nbody() {
        if model.bodies.mass[b] < MIN_VAL {
            continue;
        }
        let geoms = model.bodies.geoms[b].range();
        if geoms.clone().any(|g| model.geoms.fluid[g][0] > 0.0) {
            geoms.filter(|&g| model.geoms.fluid[g][0] > 0.0).for_each(|g| f(FluidShape::Ellipsoid(g)));
        } else {
            f(FluidShape::Box(b));
        }
    }
}

/// Frame of a shape and its velocity relative to the fluid, in the shape's axes.
pub(crate) fn relative_velocity(model: &Model, data: &Data, shape: FluidShape) -> Option<(ObjectFrame, Motion)> {
    let object = match shape {
        FluidShape::Box(b) => object_frame(model, data, ObjectKind::Body, b),
        FluidShape::Ellipsoid(g) => object_frame(model, data, ObjectKind::Geom, g),
    }?;
    let mut v = calc_object_velocity(model, data, &object, Frame::Local);
    v.lin -= object.R.tmul(model.options.wind);
    Some((object, v))
}

/// Drag and viscous resistance of the equivalent inertia box: f_i = −(viscous + quadratic_i
/// |v_i|) v_i.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InertiaBox {
    viscous: [f64; 2],
    quadratic: [Vec3; 2],
}

impl InertiaBox {
    pub fn of(model: &Model, b: usize) -> Self {
        let (I, mass) = (model.bodies.inertia[b], model.bodies.mass[b]);
        let side = |s: f64| (s.max(MIN_VAL) / mass * 6.0).sqrt();
        let size = Vec3::new(side(I.y + I.z - I.x), side(I.z + I.x - I.y), side(I.x + I.y - I.z));
        let (rho, beta) = (model.options.density.max(0.0), model.options.viscosity.max(0.0));
        let diameter = (size.x + size.y + size.z) / 3.0;
        let mut quadratic = [Vec3::ZERO; 2];
        for i in 0..3 {
            let (a, c) = (size[(i + 1) % 3], size[(i + 2) % 3]);
            quadratic[0][i] = rho * size[i] * (a.powi(4) + c.powi(4)) / 64.0;
            quadratic[1][i] = 0.5 * rho * a * c;
        }
        Self { viscous: [PI * diameter.powi(3) * beta, 3.0 * PI * diameter * beta], quadratic }
    }
    pub fn force(&self, v: Motion) -> Force {
        Force::new(
            -v.ang * (self.viscous[0] + self.quadratic[0] * v.ang.abs()),
            -v.lin * (self.viscous[1] + self.quadratic[1] * v.lin.abs()),
        )
    }
    /// −∂f/∂v, a diagonal: angular, linear.
    pub fn damping(&self, v: Motion) -> Motion {
        Motion::new(
            self.viscous[0] + 2.0 * self.quadratic[0] * v.ang.abs(),
            self.viscous[1] + 2.0 * self.quadratic[1] * v.lin.abs(),
        )
    }
}

/// Semi-axes of the ellipsoid that approximates a geom.
pub(crate) fn semi_axes(shape: GeomShape, size: [f64; 3]) -> Vec3 {
    match shape {
        GeomShape::Sphere => Vec3::splat(size[0]),
        GeomShape::Capsule => Vec3::new(size[0], size[0], size[1] + size[0]),
        GeomShape::Cylinder => Vec3::new(size[0], size[0], size[1]),
        _ => Vec3::from_array(size),
    }
}

/// The ellipsoid model of a geom. Its forces are homogeneous polynomials and roots of the velocity;
/// names follow MuJoCo's manual.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ellipsoid {
    active: f64,
    added_mass: Vec3,
    added_inertia: Vec3,
    magnus: f64,
    kutta: f64,
    /// Fourth powers of the geometric means of the other two semi-axes: (r_y r_z)², …
    fourth: Vec3,
    /// Linear and angular viscous resistance.
    viscous: f64,
    viscous_turn: f64,
    blunt: f64,
    slender: f64,
    area_max: f64,
    /// Weights of the angular velocity in the angular drag.
    turn_weight: Vec3,
}

/// Functions of the linear velocity used by several forces.
struct Section {
    speed: f64,
    /// Σ f_i v_i² and Σ f_i² v_i², f = `fourth`.
    numerator: f64,
    denominator: f64,
    /// Projected area.
    area: f64,
}

impl Ellipsoid {
    pub fn of(model: &Model, g: usize) -> Self {
        let (rho, beta) = (model.options.density, model.options.viscosity);
        let prm = model.geoms.fluid[g];
        let [active, blunt, slender, angular, kutta, magnus] = [prm[0], prm[1], prm[2], prm[3], prm[4], prm[5]];
        let r = semi_axes(model.geoms.shape[g], model.geoms.size[g]);
        let (r_max, r_min) = (r.max_element(), r.min_element());
        let r_mid = r.x + r.y + r.z - r_max - r_min;
        let swept = |i: usize| {
            let other = r[(i + 1) % 3].max(r[(i + 2) % 3]);
            8.0 / 15.0 * PI * r[i] * other.powi(4)
        };
        let moment = Vec3::new(swept(0), swept(1), swept(2));
        let radius = (r.x + r.y + r.z) / 3.0;
        let squared = |x: f64| x * x;
        Self {
            active,
            added_mass: Vec3::from_slice(&prm[6..9]) * rho,
            added_inertia: Vec3::from_slice(&prm[9..12]) * rho,
            magnus: magnus * rho * 4.0 / 3.0 * PI * r.x * r.y * r.z,
            kutta: kutta * rho,
            fourth: Vec3::new(squared(r.y * r.z), squared(r.z * r.x), squared(r.x * r.y)),
            viscous: 6.0 * PI * radius * beta,
            viscous_turn: 8.0 * PI * radius.powi(3) * beta,
            blunt: blunt * rho,
            slender: slender * rho,
            area_max: PI * r_max * r_mid,
            turn_weight: (moment * angular + (Vec3::splat(moment.max_element()) - moment) * slender) * rho,
        }
    }

    fn section(&self, lin: Vec3) -> Section {
        let v_sq = lin * lin;
        let denominator = (self.fourth * self.fourth).dot(v_sq);
        let numerator = self.fourth.dot(v_sq);
        let area = PI * (denominator / numerator.max(MIN_VAL)).sqrt();
        Section { speed: lin.length(), numerator, denominator, area }
    }

    pub fn force(&self, v: Motion) -> Force {
        let (lin, ang) = (v.lin, v.ang);
        // Added mass, velocity terms only.
        let momentum = self.added_mass * lin;
        let mut f = Force::new(momentum.cross(lin) + (self.added_inertia * ang).cross(ang), momentum.cross(ang));
        // Magnus lift.
        f.lin += ang.cross(lin) * self.magnus;
        // Kutta lift, along the normal of the section with the projected area.
        let s = self.section(lin);
        let cos_alpha = s.numerator / (s.speed * s.denominator.sqrt()).max(MIN_VAL);
        let normal = self.fourth * lin / s.denominator.sqrt().max(MIN_VAL);
        f.lin += normal.cross(lin).cross(lin) * (self.kutta * cos_alpha * s.area);
        // Drag and viscous resistance.
        let drag = self.viscous + s.speed * (self.blunt * s.area + self.slender * (self.area_max - s.area));
        let turn_drag = self.viscous_turn + (ang * self.turn_weight).length();
        f.lin -= lin * drag;
        f.ang -= ang * turn_drag;
        f * self.active
    }

    /// ∂f/∂v · `d`. Zero for terms that are not differentiable at rest.
    pub fn force_change(&self, v: Motion, d: Motion) -> Force {
        self.lift_change(v, d) + self.drag_change(v, d)
    }

    /// Contribution of added mass, Magnus and Kutta lift to [`force_change`](Self::force_change).
    fn lift_change(&self, v: Motion, d: Motion) -> Force {
        let (lin, ang) = (v.lin, v.ang);
        let (momentum, momentum_change) = (self.added_mass * lin, self.added_mass * d.lin);
        let mut f = Force::new(
            momentum_change.cross(lin)
                + momentum.cross(d.lin)
                + (self.added_inertia * d.ang).cross(ang)
                + (self.added_inertia * ang).cross(d.ang),
            momentum_change.cross(ang) + momentum.cross(d.ang),
        );
        f.lin += (d.ang.cross(lin) + ang.cross(d.lin)) * self.magnus;
        let s = self.section(lin);
        if let Some([speed, numerator, denominator]) = self.section_change(&s, lin, d.lin) {
            // Kutta lift is scale · (n × v) × v with n = fourth ∘ v.
            let scale = self.kutta * PI * s.numerator.sqrt() / (s.speed * s.denominator.sqrt());
            let (n, n_change) = (self.fourth * lin, self.fourth * d.lin);
            let lift = n.cross(lin).cross(lin);
            let lift_change = (n_change.cross(lin) + n.cross(d.lin)).cross(lin) + n.cross(lin).cross(d.lin);
            f.lin += lift_change * scale + lift * (scale * (0.5 * numerator - speed - 0.5 * denominator));
        }
        f * self.active
    }

    /// Contribution of drag and viscous resistance to [`force_change`](Self::force_change).
    pub fn drag_change(&self, v: Motion, d: Motion) -> Force {
        let (lin, ang) = (v.lin, v.ang);
        let mut f = Force::new(-d.ang * self.viscous_turn, -d.lin * self.viscous);
        let s = self.section(lin);
        if let Some([speed, numerator, denominator]) = self.section_change(&s, lin, d.lin) {
            let pressure = self.blunt * s.area + self.slender * (self.area_max - s.area);
            let area_change = 0.5 * s.area * (denominator - numerator);
            let drag_change = s.speed * (speed * pressure + (self.blunt - self.slender) * area_change);
            f.lin -= d.lin * (s.speed * pressure) + lin * drag_change;
        }
        let weighted = ang * self.turn_weight;
        let turn = weighted.length();
        if turn > MIN_VAL {
            f.ang -= d.ang * turn + ang * (weighted.dot(d.ang * self.turn_weight) / turn);
        }
        f * self.active
    }

    /// Relative derivatives of speed, numerator and denominator; `None` at rest.
    fn section_change(&self, s: &Section, lin: Vec3, d: Vec3) -> Option<[f64; 3]> {
        let moving = s.speed > MIN_VAL && s.numerator > MIN_VAL && s.denominator > MIN_VAL;
        moving.then(|| {
            let numerator = 2.0 * (self.fourth * lin).dot(d) / s.numerator;
            let denominator = 2.0 * (self.fourth * self.fourth * lin).dot(d) / s.denominator;
            [lin.dot(d) / (s.speed * s.speed), numerator, denominator]
        })
    }
}
