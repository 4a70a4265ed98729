//! What actuators can do: the unactuated combinations of generalized forces, and the controls for
//! given forces.
//!
//! Generalized forces are τ = Bᵀ f, with the moment arms B (actuators × dofs) and the scalar
//! actuator forces f. The unactuated combinations are the orthogonal complement of the rows of B.
//! Moment arms are those of the reference pose; actuators whose moment arms change with the pose
//! are refused.

use saltus_sim::model::kinds::{ActivationKind, BiasKind, GainKind, TransmissionKind};
use saltus_sim::{Data, Model, forward_smooth};

/// Why a model's actuators cannot be planned with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActuationError {
    /// The model has no actuators.
    #[error(
        "the model has no actuators: nothing can move it; `--motors` (in a task file `motors = true`) adds a motor to each \
         joint"
    )]
    None,
    #[error(
        "the actuator {0} has moment arms that change with the pose; planning needs joint, fixed-tendon or position-independent ones"
    )]
    /// The moment arms of an actuator change with the pose.
    Changing(String),
}

/// Actuators of a model in matrix form.
#[derive(Clone, Debug, PartialEq)]
pub struct Actuation {
    /// Degrees of freedom.
    pub nv: usize,
    /// B · nactuator × nv.
    pub moment: Vec<f64>,
    /// An orthonormal basis of the unactuated combinations; single dofs where possible.
    pub unactuated: Vec<Vec<(usize, f64)>>,
    /// Degrees of freedom on which some actuator acts.
    pub actuated: Vec<usize>,
    /// Bounds of the forces of actuators that act on one dof each: dof, lower bound, upper bound.
    pub limits: Vec<(usize, f64, f64)>,
}

impl Actuation {
    /// The actuators of a model. Actuators whose moment arms change are refused.
    pub fn new(model: &Model) -> Result<Self, ActuationError> {
        let (nv, count) = (model.size.nv, model.nactuator());
        if count == 0 {
            return Err(ActuationError::None);
        }
        let mut data = Data::new(model);
        forward_smooth(model, &mut data);
        let mut moment = vec![0.0; count * nv];
        for a in 0..count {
            let fixed = match model.actuators.transmission[a] {
                TransmissionKind::Joint => true,
                TransmissionKind::Tendon => model.actuators.target[a][0].is_some_and(|t| is_fixed(model, t as usize)),
                _ => false,
            };
            if !fixed {
                return Err(ActuationError::Changing(model.actuators.name[a].clone()));
            }
            for k in model.actuators.moment[a].range() {
                moment[a * nv + model.actuators.moment_col[k] as usize] = data.position.actuator_moment[k];
            }
        }
        let actuated: Vec<usize> = (0..nv).filter(|&i| (0..count).any(|a| moment[a * nv + i] != 0.0)).collect();
        let unactuated = complement(nv, &moment, &actuated);
        let limits = limits(model, &moment);
        Ok(Self { nv, moment, unactuated, actuated, limits })
    }

    /// The part of a generalized force that actuators can produce: within their limits, and zero on
    /// other dofs.
    pub fn restrict(&self, tau: &mut [f64]) {
        for row in &self.unactuated {
            let along: f64 = row.iter().map(|&(i, c)| c * tau[i]).sum();
            row.iter().for_each(|&(i, c)| tau[i] -= c * along);
        }
        for &(i, low, high) in &self.limits {
            tau[i] = tau[i].clamp(low, high);
        }
    }

    /// Scalar actuator forces that produce τ as well as possible, by least squares · nactuator.
    pub fn forces(&self, tau: &[f64]) -> Vec<f64> {
        let (nv, count) = (self.nv, self.moment.len() / self.nv.max(1));
        let row = |a: usize| &self.moment[a * nv..(a + 1) * nv];
        // (B Bᵀ + ε) f = B τ; ε makes redundant actuators share the force.
        let mut gram = vec![0.0; count * count];
        let mut f = vec![0.0; count];
        for a in 0..count {
            for b in 0..=a {
                gram[a * count + b] = saltus_math::dot(row(a), row(b));
            }
            gram[a * count + a] *= 1.0 + 1e-10;
            gram[a * count + a] += 1e-14;
            f[a] = saltus_math::dot(row(a), tau);
        }
        saltus_math::cholesky::factor(count, count, &mut gram, 1e-14);
        saltus_math::cholesky::solve(count, count, &gram, &mut f);
        f
    }

    /// Controls that produce τ in the state of `data` · nu. Actuators with activations or muscles
    /// cannot be inverted by a formula; their controls are NaN.
    pub fn controls(&self, model: &Model, data: &Data, tau: &[f64]) -> Vec<f64> {
        let forces = self.forces(tau);
        let mut u = vec![0.0; model.size.nu];
        for (a, force) in forces.iter().enumerate() {
            let ctrl = model.actuators.ctrl[a].range();
            let length = data.position.actuator_length[a];
            let speed: f64 = model.actuators.moment[a]
                .range()
                .map(|k| data.position.actuator_moment[k] * data.state.v[model.actuators.moment_col[k] as usize])
                .sum();
            let affine = |prm: &[f64; 10]| prm[0] + prm[1] * length + prm[2] * speed;
            let gain = match model.actuators.gain[a] {
                GainKind::Fixed => model.actuators.gain_prm[a][0],
                GainKind::Affine => affine(&model.actuators.gain_prm[a]),
                _ => f64::NAN,
            };
            let bias = match model.actuators.bias[a] {
                BiasKind::None => 0.0,
                BiasKind::Affine => affine(&model.actuators.bias_prm[a]),
                _ => f64::NAN,
            };
            let own =
                if model.actuators.activation[a] == ActivationKind::None { (force - bias) / gain } else { f64::NAN };
            if ctrl.len() == 1 {
                u[ctrl.start] = own;
            } else {
                u[ctrl].fill(f64::NAN);
            }
        }
        u
    }
}

/// Whether the moment arms of a tendon are constant.
fn is_fixed(model: &Model, tendon: usize) -> bool {
    !model.tendons.spatial[tendon]
}

/// Orthonormal vectors that are orthogonal to the rows of B.
fn complement(nv: usize, moment: &[f64], actuated: &[usize]) -> Vec<Vec<(usize, f64)>> {
    let mut basis: Vec<Vec<(usize, f64)>> = (0..nv).filter(|i| !actuated.contains(i)).map(|i| vec![(i, 1.0)]).collect();
    // Gram–Schmidt: the rows of B first, then what unit vectors add to them.
    let mut known: Vec<Vec<f64>> = Vec::new();
    let reduce = |known: &[Vec<f64>], mut x: Vec<f64>| {
        for _ in 0..2 {
            for k in known {
                let along = saltus_math::dot(k, &x);
                x.iter_mut().zip(k).for_each(|(x, k)| *x -= along * k);
            }
        }
        let norm = saltus_math::dot(&x, &x).sqrt();
        (norm > 1e-6).then(|| x.iter().map(|x| x / norm).collect::<Vec<f64>>())
    };
    for row in moment.chunks_exact(nv) {
        let size = saltus_math::dot(row, row).sqrt();
        let unit = row.iter().map(|x| x / size.max(f64::MIN_POSITIVE)).collect();
        known.extend(reduce(&known, unit));
    }
    if known.len() < actuated.len() {
        for &i in actuated {
            let mut unit = vec![0.0; nv];
            unit[i] = 1.0;
            if let Some(new) = reduce(&known, unit) {
                basis.push(new.iter().enumerate().filter(|(_, x)| x.abs() > 1e-12).map(|(i, x)| (i, *x)).collect());
                known.push(new);
            }
        }
    }
    basis
}

/// Bounds of the forces on dofs with one actuator that acts on no other dof, from the ranges of
/// forces and of controls of plain motors.
fn limits(model: &Model, moment: &[f64]) -> Vec<(usize, f64, f64)> {
    let nv = model.size.nv;
    let mut found = Vec::new();
    for (a, row) in moment.chunks_exact(nv).enumerate() {
        let mut own = (0..nv).filter(|&i| row[i] != 0.0);
        let (Some(dof), None) = (own.next(), own.next()) else { continue };
        if moment.chunks_exact(nv).enumerate().any(|(b, other)| b != a && other[dof] != 0.0) {
            continue;
        }
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        if model.actuators.force_limited[a] {
            [low, high] = model.actuators.force_range[a];
        }
        let ctrl = model.actuators.ctrl[a].range();
        let is_motor = model.actuators.gain[a] == GainKind::Fixed && model.actuators.bias[a] == BiasKind::None;
        if is_motor && ctrl.len() == 1 && model.actuators.ctrl_limited[ctrl.start] {
            let gain = model.actuators.gain_prm[a][0];
            let [c0, c1] = model.actuators.ctrl_range[ctrl.start];
            low = low.max((gain * c0).min(gain * c1));
            high = high.min((gain * c0).max(gain * c1));
        }
        let ends = [row[dof] * low, row[dof] * high];
        let (mut low, mut high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let joint = model.dofs.joint[dof].idx();
        if model.joints.actuator_force_limited[joint] {
            low = low.max(model.joints.actuator_force_range[joint][0]);
            high = high.min(model.joints.actuator_force_range[joint][1]);
        }
        if low.is_finite() || high.is_finite() {
            found.push((dof, low, high));
        }
    }
    found
}
