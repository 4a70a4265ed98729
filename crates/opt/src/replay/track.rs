//! Whole-body control that does not depend on a contact law: desired accelerations, and the torques
//! that produce them.
//!
//! The trunk (the unactuated dofs), swing feet and joints are controlled to follow the plan; stance
//! feet are held still. With desired accelerations a_d, weights Q, and rows J_i a + c_i of feet
//! with weights W_i,
//!   min over a, f of ½ |a − a_d|²_Q + Σ ½ |J_i a + c_i|²_{W_i} + ½ ρ |f|²   so that   U (M a + b − Jᵀ f) = 0,      (1)
//! with the unactuated combinations U and the forces f of contacts that are loaded in the plan,
//! inside their friction cones. For given f, with H = Q + Σ JᵀWJ, P = U M and S = P H⁻¹ Pᵀ,
//!   a = a₀ − H⁻¹Pᵀ S⁻¹ r,   r = U b + P a₀ − U Jᵀ f,   cost ½ rᵀS⁻¹r:                                            (2)
//! a problem of forces in cones (`cone`). Torques are M a + b − Jᵀ f.
//!
//! A foot that has just touched down does not carry its full load yet: the ground yields first, and
//! a light leg that pushes against nothing accelerates away within a millisecond. The force of a
//! contact is therefore limited to twice that of the last step plus a little.

use crate::problem::actuation::Actuation;
use crate::problem::cone::{Cone, balance, friction, unit_force_rates, unit_forces};
use crate::problem::physics::Units;
use crate::problem::physics::is_linear;
use crate::replay::reference::{Moment, Reference};
use crate::result::plan::Motion;
use saltus_math::{Vec3, cholesky, dot, ldl};
use saltus_sim::constraint::contact_force;
use saltus_sim::data::Contact;
use saltus_sim::ids::BodyId;
use saltus_sim::kinematics::coordinates::difference;
use saltus_sim::kinematics::jacobian::{calc_point, calc_point_dot};
use saltus_sim::{Callbacks, Data, Model, forward_smooth};

/// Rates at which errors decay, in units of √(g/L): of joints, of the trunk, of swing feet and of
/// stance feet.
const JOINTS: f64 = 10.0;
const TRUNK: f64 = 3.0;
const SWING: f64 = 10.0;
const STANCE: f64 = 6.0;
/// Weights of accelerations in units of g and g/L: of joints, where the trunk has 1; of feet; of
/// the turning of feet.
const JOINT_WEIGHT: f64 = 0.01;
const SWING_WEIGHT: f64 = 1.0;
const SWING_TURN: f64 = 0.1;
const STANCE_WEIGHT: f64 = 100.0;
/// Weight of forces in units of the weight of the robot.
const FORCE_WEIGHT: f64 = 0.03;
/// Relative accuracy of the forces' cost.
const ACCURACY: f64 = 1e-8;
/// Share of the friction coefficient that is used.
const FRICTION: f64 = 0.6;
/// Share of the weight above which a contact of the plan counts as loaded.
const LOADED: f64 = 0.02;
/// Distances in units of L: from which on a contact may push, how deep feet shall stand, how far a
/// foot goes on down that should stand and does not.
pub const NEAR: f64 = 3e-3;
const DEPTH: f64 = 1e-3;
const DOWN: f64 = 1e-2;
/// How early a foot may touch down, in units of √(L/g).
const AHEAD: f64 = 0.3;
/// Largest normal force: this times the present one, plus this share of the weight.
const GROWTH: f64 = 2.0;
const FIRST: f64 = 0.05;

/// Two bodies, the lower id first.
type Pair = [usize; 2];

/// Whole-body control that follows a motion. As callbacks of a step it sets the applied forces.
#[derive(Debug)]
pub struct Tracker<'a> {
    reference: Reference<'a>,
    actuation: &'a Actuation,
    units: Units,
    gravity: Vec3,
    /// √(g/L).
    rate: f64,
    /// Pairs of bodies with a loaded contact in the plan, by step.
    loaded: Vec<Vec<Pair>>,
    /// Bodies that stand on the environment at some time.
    feet: Vec<usize>,
    /// The planned state.
    planned: Data,
    /// Normal force between bodies in the last step, N.
    pressed: Vec<(Pair, f64)>,
    is_actuated: Vec<bool>,
}

impl<'a> Tracker<'a> {
    /// For a motion of a model.
    pub fn new(model: &'a Model, actuation: &'a Actuation, motion: &'a Motion, units: Units) -> Self {
        let gravity = model.options.gravity;
        let g = if gravity.length() > 0.0 { gravity.length() } else { 9.81 };
        let loaded: Vec<Vec<Pair>> = motion
            .contacts
            .iter()
            .map(|contacts| {
                let mut pushes: Vec<(Pair, f64)> = Vec::new();
                for c in contacts {
                    add(&mut pushes, pair(c.body, c.other), Vec3::from(c.force).length());
                }
                pushes.into_iter().filter(|(_, push)| *push > LOADED * units.weight).map(|(pair, _)| pair).collect()
            })
            .collect();
        let moves = |b: usize| model.bodies.tree[b].is_some();
        let mut feet: Vec<usize> = loaded
            .iter()
            .flatten()
            .filter(|[a, b]| moves(*a) != moves(*b))
            .map(|&[a, b]| if moves(b) { b } else { a })
            .collect();
        feet.sort_unstable();
        feet.dedup();
        // Bodies without actuators cannot be controlled.
        feet.retain(|&b| saltus_sim::kinematics::jacobian::dofs_of(model, b).any(|i| actuation.actuated.contains(&i)));
        let mut is_actuated = vec![false; model.size.nv];
        actuation.actuated.iter().for_each(|&i| is_actuated[i] = true);
        Self {
            reference: Reference { model, motion },
            actuation,
            units,
            gravity: gravity / g,
            rate: (g / units.length).sqrt(),
            loaded,
            feet,
            planned: Data::new(model),
            pressed: Vec::new(),
            is_actuated,
        }
    }

    /// Records the contact forces between bodies after a step.
    pub fn measure(&mut self, data: &Data) {
        self.pressed.clear();
        // In a scene other bodies may come after the robot's own.
        let known = self.reference.model.ngeom();
        for contact in data.contacts.iter().filter(|c| c.geom1.idx() < known && c.geom2.idx() < known) {
            let push = contact_force(data, contact)[0];
            let bodies = self.bodies(contact);
            add(&mut self.pressed, bodies, push);
        }
    }

    /// Contacts that are loaded in the plan now, and those that will be soon and have touched down
    /// early.
    fn may_push(&self, contact: &Contact, step: usize) -> bool {
        let (bodies, motion) = (self.bodies(contact), self.reference.motion);
        let later = (AHEAD / (self.rate * motion.h)) as usize;
        let soon = || {
            (1..=later)
                .any(|k| self.loaded_at(self.reference.nearest_step((step + k) as f64 * motion.h)).contains(&bodies))
        };
        contact.dist <= NEAR * self.units.length && self.loaded_at(step).contains(&bodies)
            || contact.dist <= 0.0 && soon()
    }

    /// Nothing where a plan says nothing.
    fn loaded_at(&self, step: usize) -> &[Pair] {
        self.loaded.get(step).map_or(&[], Vec::as_slice)
    }

    fn bodies(&self, contact: &Contact) -> Pair {
        let [a, b] = [contact.geom1, contact.geom2].map(|g| self.reference.model.geoms.body[g.idx()].idx());
        pair(a, b)
    }

    /// Generalized forces that follow the plan from the present state; `data` has everything that
    /// depends on q and v.
    fn forces(&mut self, data: &Data) -> Vec<f64> {
        let (model, nv) = (self.reference.model, self.reference.model.size.nv);
        let wanted = self.reference.at(data.state.time);
        let step = self.reference.nearest_step(data.state.time);
        let touching: Vec<&Contact> = data.contacts.iter().filter(|c| c.dim > 0 && self.may_push(c, step)).collect();
        let mut task = Task { nv, H: vec![0.0; nv * nv], h: vec![0.0; nv] };
        self.pull_joints(data, &wanted, &mut task);
        self.hold_feet(data, &touching, &mut task);
        self.move_feet(data, &wanted, step, &touching, &mut task);
        let mut M = vec![0.0; nv * nv];
        ldl::to_dense(&model.mass_pattern, &data.inertia.M, &mut M);
        let b: Vec<f64> = (0..nv).map(|i| data.velocity.bias[i] - data.velocity.passive[i]).collect();
        let pushes: Vec<[Vec<f64>; 3]> = touching.iter().map(|c| unit_forces(model, data, c)).collect();
        let most = |c: &Contact| {
            let present = self.pressed.iter().find(|(pair, _)| *pair == self.bodies(c)).map_or(0.0, |(_, push)| *push);
            GROWTH * present.max(0.0) + FIRST * self.units.weight
        };
        let bounds: Vec<(f64, f64)> = touching.iter().map(|c| (FRICTION * friction(c), most(c))).collect();
        task.solve(&self.actuation.unactuated, &M, &b, &pushes, &bounds, (FORCE_WEIGHT / self.units.weight).powi(2))
    }

    /// Q and a_d: the trunk with weight one, joints as far as they are free.
    fn pull_joints(&self, data: &Data, wanted: &Moment, task: &mut Task) {
        let model = self.reference.model;
        let mut error = vec![0.0; task.nv];
        difference(model, &data.state.q, &wanted.q, 1.0, &mut error);
        let g = self.rate * self.rate * self.units.length;
        for i in 0..task.nv {
            let (rate, weight) = if self.is_actuated[i] { (JOINTS, JOINT_WEIGHT) } else { (TRUNK, 1.0) };
            let a = self.pull(rate, wanted.a[i], error[i], wanted.v[i] - data.state.v[i]);
            let unit = if is_linear(model, i) { g } else { g / self.units.length };
            let weight = weight / (unit * unit);
            task.H[i * task.nv + i] += weight;
            task.h[i] += weight * a;
        }
    }

    /// Acceleration that brings errors to zero without overshoot.
    fn pull(&self, rate: f64, a: f64, error: f64, error_rate: f64) -> f64 {
        let rate = rate * self.rate;
        a + rate * rate * error + 2.0 * rate * error_rate
    }

    /// Points of stance feet do not move and keep the depth at which feet stand.
    fn hold_feet(&self, data: &Data, touching: &[&Contact], task: &mut Task) {
        let model = self.reference.model;
        let stands = |c: &&&Contact| self.feet.iter().any(|f| self.bodies(c).contains(f));
        let g = self.rate * self.rate * self.units.length;
        let weight = STANCE_WEIGHT / (g * g * touching.iter().filter(stands).count().max(1) as f64);
        for contact in touching.iter().filter(stands) {
            let (rows, rates) = (unit_forces(model, data, contact), unit_force_rates(model, data, contact));
            for (k, (row, rate)) in rows.iter().zip(&rates).enumerate() {
                let away = if k == 0 { -(contact.dist + DEPTH * self.units.length) } else { 0.0 };
                let goal = self.pull(0.5 * STANCE, 0.0, away, -dot(row, &data.state.v)) - dot(rate, &data.state.v);
                task.add(row, goal, weight);
            }
        }
    }

    /// Swing feet follow the plan, and go further down if they should be in stance.
    fn move_feet(&mut self, data: &Data, wanted: &Moment, step: usize, touching: &[&Contact], task: &mut Task) {
        let (model, nv) = (self.reference.model, task.nv);
        self.planned.state.q.copy_from_slice(&wanted.q);
        self.planned.state.v.copy_from_slice(&wanted.v);
        forward_smooth(model, &mut self.planned);
        let g = self.rate * self.rate * self.units.length;
        let jacobians = |data: &Data, b: usize| {
            let (mut J, mut rate) = (vec![0.0; 6 * nv], vec![0.0; 6 * nv]);
            let point = data.position.p_WB[b];
            let ((linear, angular), (linear_rate, angular_rate)) = (J.split_at_mut(3 * nv), rate.split_at_mut(3 * nv));
            calc_point(model, data, BodyId::new(b), point, Some(linear), Some(angular));
            calc_point_dot(model, data, BodyId::new(b), point, Some(linear_rate), Some(angular_rate));
            (J, rate)
        };
        for &foot in self.feet.iter().filter(|f| !touching.iter().any(|c| self.bodies(c).contains(f))) {
            let is_late = self.loaded_at(step).iter().any(|pair| pair.contains(&foot));
            let (J, rate) = jacobians(data, foot);
            let (J_planned, rate_planned) = jacobians(&self.planned, foot);
            let (here, there) = (&data.position, &self.planned.position);
            let down = if is_late { self.gravity * (DOWN * self.units.length) } else { Vec3::ZERO };
            let linear = there.p_WB[foot] - here.p_WB[foot] + down;
            let angular = (there.quat_WB[foot] * here.quat_WB[foot].conj()).log();
            let error = [linear.to_array(), angular.to_array()].concat();
            for k in 0..6 {
                let own = k * nv..(k + 1) * nv;
                let (row, planned) = (&J[own.clone()], &J_planned[own.clone()]);
                let a = dot(planned, &wanted.a) + dot(&rate_planned[own.clone()], &wanted.v);
                let error_rate = dot(planned, &wanted.v) - dot(row, &data.state.v);
                let goal = self.pull(SWING, a, error[k], error_rate) - dot(&rate[own], &data.state.v);
                let unit = if k < 3 { 1.0 / g } else { SWING_TURN * self.units.length / g };
                task.add(row, goal, SWING_WEIGHT * unit * unit);
            }
        }
    }
}

impl Callbacks for Tracker<'_> {
    fn control(&mut self, _model: &Model, data: &mut Data) {
        let mut tau = self.forces(data);
        self.actuation.restrict(&mut tau);
        data.input.tau_applied.copy_from_slice(&tau);
    }
}

fn pair(a: usize, b: usize) -> Pair {
    [a.min(b), a.max(b)]
}

fn add(sums: &mut Vec<(Pair, f64)>, pair: Pair, value: f64) {
    match sums.iter_mut().find(|(known, _)| *known == pair) {
        Some((_, sum)) => *sum += value,
        None => sums.push((pair, value)),
    }
}

/// The quadratic cost of accelerations: ½ aᵀ H a − hᵀ a.
struct Task {
    nv: usize,
    H: Vec<f64>,
    h: Vec<f64>,
}

impl Task {
    /// Adds ½ weight (row a − goal)².
    fn add(&mut self, row: &[f64], goal: f64, weight: f64) {
        let moved: Vec<usize> = (0..self.nv).filter(|&i| row[i] != 0.0).collect();
        for &i in &moved {
            self.h[i] += weight * row[i] * goal;
            for &j in &moved {
                self.H[i * self.nv + j] += weight * row[i] * row[j];
            }
        }
    }

    /// Forces on the dofs by (1) and (2).
    fn solve(
        mut self,
        unactuated: &[Vec<(usize, f64)>],
        M: &[f64],
        b: &[f64],
        pushes: &[[Vec<f64>; 3]],
        bounds: &[(f64, f64)],
        ridge: f64,
    ) -> Vec<f64> {
        let (n, k) = (self.nv, unactuated.len());
        cholesky::factor(n, n, &mut self.H, f64::MIN_POSITIVE);
        let mut a = self.h.clone();
        cholesky::solve(n, n, &self.H, &mut a);
        let combine =
            |x: &[f64]| -> Vec<f64> { unactuated.iter().map(|u| u.iter().map(|&(i, c)| c * x[i]).sum()).collect() };
        let P: Vec<Vec<f64>> = unactuated
            .iter()
            .map(|u| (0..n).map(|j| u.iter().map(|&(i, c)| c * M[i * n + j]).sum()).collect())
            .collect();
        let X: Vec<Vec<f64>> = P
            .iter()
            .map(|row| {
                let mut x = row.clone();
                cholesky::solve(n, n, &self.H, &mut x);
                x
            })
            .collect();
        let mut S: Vec<f64> = (0..k * k).map(|e| dot(&P[e / k], &X[e % k])).collect();
        cholesky::factor(k, k, &mut S, f64::MIN_POSITIVE);
        let mut r = combine(b);
        r.iter_mut().zip(&P).for_each(|(r, row)| *r += dot(row, &a));
        let whiten = |x: &[f64]| {
            let mut x = x.to_vec();
            for i in 0..k {
                x[i] = (x[i] - dot(&S[i * k..i * k + i], &x[..i])) / S[i * k + i];
            }
            x
        };
        let cones: Vec<Cone> = pushes
            .iter()
            .zip(bounds)
            .map(|(axes, &(mu, most))| Cone { axes: axes.each_ref().map(|axis| whiten(&combine(axis))), mu, most })
            .collect();
        let (f, _) = balance(&cones, &whiten(&r), ridge, ACCURACY);
        let mut pushed = vec![0.0; n];
        for (axes, f) in pushes.iter().zip(&f) {
            for (axis, f) in axes.iter().zip(f) {
                pushed.iter_mut().zip(axis).for_each(|(p, a)| *p += f * a);
            }
        }
        r.iter_mut().zip(combine(&pushed)).for_each(|(r, p)| *r -= p);
        cholesky::solve(k, k, &S, &mut r);
        for (x, r) in X.iter().zip(&r) {
            a.iter_mut().zip(x).for_each(|(a, x)| *a -= r * x);
        }
        (0..n).map(|i| dot(&M[i * n..(i + 1) * n], &a) + b[i] - pushed[i]).collect()
    }
}
