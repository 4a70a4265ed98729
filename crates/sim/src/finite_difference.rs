//! Derivatives of a step and of inverse dynamics by finite differences.
//!
//! The state x is (q, v, act); changes of q are in the tangent space, so that x has 2 nv + na
//! numbers of change. The definitions are MuJoCo's: sensors belong to the state before the step,
//! and controls are not moved out of their range. Stages whose inputs do not move are not computed
//! again.

use crate::actuation::update_actuation;
use crate::callbacks::NoCallbacks;
use crate::data::Data;
use crate::divergence::{StepError, check_acceleration, check_controls, check_state};
use crate::forward::forward_from;
use crate::integrate;
use crate::inverse::inverse_from;
use crate::kinematics::coordinates;
use crate::law::NoInverse;
use crate::model::Model;
use crate::options::Integrator;
use crate::stage::Stage;

/// Outputs for the derivatives of a step, row-major. Outputs that are `None` are not computed.
#[derive(Debug, Default)]
pub struct Transition<'a> {
    /// ∂x⁺/∂x · n × n, n = 2 nv + na.
    pub A: Option<&'a mut [f64]>,
    /// ∂x⁺/∂u · n × nu.
    pub B: Option<&'a mut [f64]>,
    /// ∂sensor/∂x · nsensordata × n.
    pub C: Option<&'a mut [f64]>,
    /// ∂sensor/∂u · nsensordata × nu.
    pub D: Option<&'a mut [f64]>,
}

/// The results of a step.
struct Next {
    q: Vec<f64>,
    v: Vec<f64>,
    act: Vec<f64>,
    sensor: Vec<f64>,
}

/// Two results and the distance between their inputs.
struct Difference {
    from: Next,
    to: Next,
    distance: f64,
}

/// The directions in which an input is perturbed.
#[derive(Clone, Copy)]
struct Sides {
    up: bool,
    down: bool,
}

/// The input that is perturbed.
#[derive(Clone, Copy)]
enum Input {
    Ctrl(usize),
    Act(usize),
    Velocity(usize),
    Coordinate(usize),
}

/// Takes steps from perturbed copies of one state.
struct Prober<'a> {
    model: &'a Model,
    base: &'a Data,
    probe: Data,
    eps: f64,
}

impl Prober<'_> {
    /// Takes a step with one input shifted by `shift`.
    fn step(&mut self, input: Option<Input>, shift: f64) -> Result<Next, StepError> {
        let (model, probe) = (self.model, &mut self.probe);
        probe.state.clone_from(&self.base.state);
        probe.input.ctrl.copy_from_slice(&self.base.input.ctrl);
        let valid = match input {
            None => Stage::None,
            Some(Input::Ctrl(i)) => {
                probe.input.ctrl[i] += shift;
                Stage::Velocity
            }
            Some(Input::Act(i)) => {
                probe.state.act[i] += shift;
                Stage::Velocity
            }
            Some(Input::Velocity(i)) => {
                probe.state.v[i] += shift;
                Stage::Position
            }
            Some(Input::Coordinate(i)) => {
                move_coordinate(model, probe, i, shift);
                Stage::None
            }
        };
        // The later stages of Runge–Kutta overwrite the results of the first one.
        let valid = if model.options.integrator == Integrator::Rk4 { Stage::None } else { valid };
        check_state(model, probe)?;
        check_controls(model, probe)?;
        forward_from(model, probe, valid, &mut NoCallbacks);
        check_acceleration(model, probe)?;
        integrate::advance(model, probe, &mut NoCallbacks)?;
        let state = &probe.state;
        Ok(Next { q: state.q.clone(), v: state.v.clone(), act: state.act.clone(), sensor: probe.sensor.clone() })
    }

    /// Writes (to − from) / distance to a column of `x_rows` and of `sensor_rows`.
    fn write(
        &self,
        &Difference { ref from, ref to, distance }: &Difference,
        column: usize,
        x_rows: &mut Option<&mut [f64]>,
        sensor_rows: &mut Option<&mut [f64]>,
        width: usize,
    ) {
        if let Some(rows) = x_rows {
            let nv = self.model.size.nv;
            let mut dq = vec![0.0; nv];
            coordinates::difference(self.model, &from.q, &to.q, distance, &mut dq);
            let rates =
                |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| (b - a) / distance).collect() };
            let all = dq.into_iter().chain(rates(&from.v, &to.v)).chain(rates(&from.act, &to.act));
            all.enumerate().for_each(|(row, value)| rows[row * width + column] = value);
        }
        if let Some(rows) = sensor_rows {
            for (row, (a, b)) in from.sensor.iter().zip(&to.sensor).enumerate() {
                rows[row * width + column] = (b - a) / distance;
            }
        }
    }
}

/// q_i ← q ⊕ shift e_i.
fn move_coordinate(model: &Model, data: &mut Data, i: usize, shift: f64) {
    let mut unit = vec![0.0; model.size.nv];
    unit[i] = 1.0;
    coordinates::integrate(model, &mut data.state.q, &unit, shift);
}

/// Derivatives of one step from the current state by finite differences of size `eps`, forward or
/// `centered`. The data is not changed. Panics if the size of an output is not that stated in
/// [`Transition`].
pub fn transition(
    model: &Model,
    data: &Data,
    eps: f64,
    centered: bool,
    mut out: Transition<'_>,
) -> Result<(), StepError> {
    let (nv, na, nu) = (model.size.nv, model.size.na, model.size.nu);
    let n = 2 * nv + na;
    let mut prober = Prober { model, base: data, probe: data.clone(), eps };
    let base = prober.step(None, 0.0)?;
    if out.B.is_some() || out.D.is_some() {
        for i in 0..nu {
            let sides = control_sides(model, i, data.input.ctrl[i], eps, centered);
            if let Some(difference) = prober.difference(&base, Input::Ctrl(i), sides)? {
                prober.write(&difference, i, &mut out.B, &mut out.D, nu);
            } else {
                clear_column(&mut out.B, i, nu);
                clear_column(&mut out.D, i, nu);
            }
        }
    }
    if out.A.is_some() || out.C.is_some() {
        let inputs = (0..na)
            .map(|i| (2 * nv + i, Input::Act(i)))
            .chain((0..nv).map(|i| (nv + i, Input::Velocity(i))))
            .chain((0..nv).map(|i| (i, Input::Coordinate(i))));
        for (column, input) in inputs {
            if let Some(difference) = prober.difference(&base, input, Sides { up: true, down: centered })? {
                prober.write(&difference, column, &mut out.A, &mut out.C, n);
            }
        }
    }
    Ok(())
}

fn clear_column(rows: &mut Option<&mut [f64]>, column: usize, width: usize) {
    if let Some(rows) = rows {
        rows.iter_mut().skip(column).step_by(width).for_each(|x| *x = 0.0);
    }
}

impl Prober<'_> {
    /// The difference between the upward and the downward perturbation, or between one of them and
    /// the base; `None` without either.
    fn difference(
        &mut self,
        base: &Next,
        input: Input,
        Sides { up, down }: Sides,
    ) -> Result<Option<Difference>, StepError> {
        let eps = self.eps;
        let above = if up { Some(self.step(Some(input), eps)?) } else { None };
        let below = if down { Some(self.step(Some(input), -eps)?) } else { None };
        Ok(match (below, above) {
            (Some(below), Some(above)) => Some(Difference { from: below, to: above, distance: 2.0 * eps }),
            (None, Some(above)) => Some(Difference { from: base.copy(), to: above, distance: eps }),
            (Some(below), None) => Some(Difference { from: below, to: base.copy(), distance: eps }),
            (None, None) => None,
        })
    }
}

impl Next {
    fn copy(&self) -> Self {
        Self { q: self.q.clone(), v: self.v.clone(), act: self.act.clone(), sensor: self.sensor.clone() }
    }
}

/// The directions in which control `i` can be perturbed within its range; downward only if
/// `centered` or if upward is impossible.
fn control_sides(model: &Model, i: usize, value: f64, eps: f64, centered: bool) -> Sides {
    let [low, high] = model.actuators.ctrl_range[i];
    let inside = |x: f64| !model.actuators.ctrl_limited[i] || (low..=high).contains(&x);
    let up = inside(value) && inside(value + eps);
    let down = (centered || !up) && inside(value - eps) && inside(value);
    Sides { up, down }
}

/// Outputs for the derivatives of inverse dynamics, one row per input. Outputs that are `None` are
/// not computed.
#[derive(Debug, Default)]
pub struct InverseDerivatives<'a> {
    /// ∂τ/∂q, ∂τ/∂v, ∂τ/∂a · nv × nv each.
    pub force: [Option<&'a mut [f64]>; 3],
    /// ∂sensor/∂q, ∂sensor/∂v, ∂sensor/∂a · nv × nsensordata each.
    pub sensor: [Option<&'a mut [f64]>; 3],
    /// ∂M/∂q · nv × number of entries of M.
    pub inertia: Option<&'a mut [f64]>,
}

/// Derivatives of inverse dynamics at the current q, v and a by forward differences of size `eps`.
/// If `actuation`, differentiates τ − τ_actuator. The data is not changed.
pub fn inverse_derivatives(
    model: &Model,
    data: &Data,
    eps: f64,
    actuation: bool,
    mut out: InverseDerivatives<'_>,
) -> Result<(), NoInverse> {
    let nv = model.size.nv;
    let mut probe = data.clone();
    let run = |probe: &mut Data, valid: Stage| -> Result<Vec<f64>, NoInverse> {
        inverse_from(model, probe, valid, &mut NoCallbacks)?;
        let mut force = probe.acceleration.tau_inverse.clone();
        if actuation {
            update_actuation(model, probe, &mut NoCallbacks);
            force.iter_mut().zip(&probe.acceleration.tau_actuator).for_each(|(f, u)| *f -= u);
        }
        Ok(force)
    };
    let force0 = run(&mut probe, Stage::None)?;
    let (sensor0, inertia0) = (probe.sensor.clone(), probe.inertia.M.clone());
    // The inputs of later stages come first, so that the results of earlier stages stay valid.
    for (kind, valid) in [(2, Stage::Velocity), (1, Stage::Position), (0, Stage::None)] {
        let inertia = kind == 0 && out.inertia.is_some();
        if out.force[kind].is_none() && out.sensor[kind].is_none() && !inertia {
            continue;
        }
        for i in 0..nv {
            probe.state.clone_from(&data.state);
            probe.acceleration.a.copy_from_slice(&data.acceleration.a);
            match kind {
                0 => move_coordinate(model, &mut probe, i, eps),
                1 => probe.state.v[i] += eps,
                _ => probe.acceleration.a[i] += eps,
            }
            let force = run(&mut probe, valid)?;
            write_row(&mut out.force[kind], i, &force0, &force, eps);
            write_row(&mut out.sensor[kind], i, &sensor0, &probe.sensor, eps);
            if kind == 0 {
                write_row(&mut out.inertia, i, &inertia0, &probe.inertia.M, eps);
            }
        }
        // The next inputs start from the results of the base state.
        probe.state.clone_from(&data.state);
        probe.acceleration.a.copy_from_slice(&data.acceleration.a);
        run(&mut probe, Stage::None)?;
    }
    Ok(())
}

fn write_row(out: &mut Option<&mut [f64]>, row: usize, from: &[f64], to: &[f64], eps: f64) {
    if let Some(out) = out {
        let n = from.len();
        for (x, (a, b)) in out[row * n..(row + 1) * n].iter_mut().zip(from.iter().zip(to)) {
            *x = (b - a) / eps;
        }
    }
}
