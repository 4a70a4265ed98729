//! Muscles (MuJoCo manual, "Muscles"; the curves are simplified forms of those of \[Millard2013\]).
//!
//! With the length l and the velocity v of the fibre, in units of its optimal length L₀ and of its
//! largest shortening speed:
//!   pull = peak · (activation · A(l) · V(v) + P(l)),                                         (1)
//!   A(l) = σ((l − l_min)/(1 − l_min)) up to l = 1, σ((l_max − l)/(l_max − 1)) beyond,        (2)
//!   V(v) = (1 + v)² for shortening, 1 + y (1 − (1 − v/y)²), y = f_vmax − 1, for lengthening, (3)
//!   P(l) = f_pmax p(2 (l − 1)/(l_max − 1)),  p(x) = x²/2, beyond x = 1 its tangent x − ½,    (4)
//! σ a smooth step of two parabolas. Every curve is returned with its first and second derivative.
//!
//! Parameters: range of l (2), peak force (negative: scale/acc0), scale,
//! l_min, l_max, v_max, f_pmax, f_vmax.

use crate::model::Model;
use saltus_math::MIN_VAL;

/// A value, its derivative and its second derivative.
type Jet = [f64; 3];

/// Smooth step from 0 at x = 0 to 1 at x = 1, with one parabola on each side of the midpoint.
fn parabolic_step(x: f64) -> Jet {
    match x {
        x if x <= 0.0 => [0.0; 3],
        x if x <= 0.5 => [2.0 * x * x, 4.0 * x, 4.0],
        x if x < 1.0 => [1.0 - 2.0 * (1.0 - x) * (1.0 - x), 4.0 * (1.0 - x), -4.0],
        _ => [1.0, 0.0, 0.0],
    }
}

/// f(k x + c) as a function of x.
fn stretched([value, slope, bend]: Jet, k: f64) -> Jet {
    [value, k * slope, k * k * bend]
}

/// A of (2).
fn active_by_length(l: f64, [l_min, l_max]: [f64; 2]) -> Jet {
    if l < l_min || l > l_max {
        return [0.0; 3];
    }
    if l <= 1.0 {
        let k = 1.0 / (1.0 - l_min).max(MIN_VAL);
        stretched(parabolic_step(k * (l - l_min)), k)
    } else {
        let k = 1.0 / (l_max - 1.0).max(MIN_VAL);
        stretched(parabolic_step(k * (l_max - l)), -k)
    }
}

/// V of (3).
fn active_by_velocity(v: f64, f_vmax: f64) -> Jet {
    let y = f_vmax - 1.0;
    if v <= -1.0 {
        [0.0; 3]
    } else if v <= 0.0 {
        [(1.0 + v) * (1.0 + v), 2.0 * (1.0 + v), 2.0]
    } else if v < y {
        let rest = 1.0 - v / y;
        [1.0 + y * (1.0 - rest * rest), 2.0 * rest, -2.0 / y]
    } else {
        [f_vmax, 0.0, 0.0]
    }
}

/// P of (4) without f_pmax.
fn passive_by_length(l: f64, l_max: f64) -> Jet {
    let k = 2.0 / (l_max - 1.0).max(MIN_VAL);
    let x = k * (l - 1.0);
    let p = match x {
        x if x <= 0.0 => [0.0; 3],
        x if x < 1.0 => [0.5 * x * x, x, 1.0],
        _ => [x - 0.5, 1.0, 0.0],
    };
    stretched(p, k)
}

/// Parameters of the muscle of an actuator.
#[derive(Clone, Copy, Debug)]
pub(super) struct Muscle<'a> {
    length_range: [f64; 2],
    /// Acceleration for a unit force in the reference configuration.
    acc0: f64,
    prm: &'a [f64; 10],
}

/// Force per activation and its derivatives with respect to length l and velocity v.
#[derive(Clone, Copy, Debug)]
pub(super) struct Active {
    pub force: f64,
    pub l: f64,
    pub v: f64,
    pub ll: f64,
    pub lv: f64,
    pub vv: f64,
}

impl<'a> Muscle<'a> {
    /// The muscle of actuator `a`, with the parameters of its gain or its bias.
    pub fn of(model: &Model, a: usize, prm: &'a [f64; 10]) -> Self {
        Self { length_range: model.actuators.length_range[a], acc0: model.actuators.acc0[a], prm }
    }

    /// Peak force, negative because muscles pull.
    fn peak(&self) -> f64 {
        let &[_, _, peak, scale, ..] = self.prm;
        -if peak < 0.0 { scale / self.acc0.max(MIN_VAL) } else { peak }
    }

    /// L₀: ratio of the range of lengths to the range of l.
    fn optimal_length(&self) -> f64 {
        let ([shortest, longest], &[low, high, ..]) = (self.length_range, self.prm);
        (longest - shortest) / (high - low).max(MIN_VAL)
    }

    /// l, and its derivative with respect to the length.
    fn fibre(&self, length: f64) -> [f64; 2] {
        let k = 1.0 / self.optimal_length().max(MIN_VAL);
        [self.prm[0] + (length - self.length_range[0]) * k, k]
    }

    /// The first term of (1), for an activation of one.
    pub fn active(&self, length: f64, velocity: f64) -> Active {
        let &[_, _, _, _, l_min, l_max, v_max, _, f_vmax, _] = self.prm;
        let ([l, k], rate) = (self.fibre(length), 1.0 / (self.optimal_length() * v_max).max(MIN_VAL));
        let [a, a1, a2] = stretched(active_by_length(l, [l_min, l_max]), k).map(|a| self.peak() * a);
        let [b, b1, b2] = stretched(active_by_velocity(velocity * rate, f_vmax), rate);
        Active { force: a * b, l: a1 * b, v: a * b1, ll: a2 * b, lv: a1 * b1, vv: a * b2 }
    }

    /// The second term of (1), and its derivatives with respect to the length.
    pub fn passive(&self, length: f64) -> Jet {
        let &[_, _, _, _, _, l_max, _, f_pmax, ..] = self.prm;
        let [l, k] = self.fibre(length);
        stretched(passive_by_length(l, l_max), k).map(|p| self.peak() * f_pmax * p)
    }
}

/// Time constant for an activation that differs from its target by `change`, and its derivatives
/// with respect to the change and the activation. It increases with the activation while that rises
/// and decreases with it while that falls; both are blended over the width `prm[2]` by a step with
/// two vanishing derivatives at both ends.
fn time_constant(change: f64, act: f64, prm: &[f64; 10]) -> [f64; 3] {
    let &[rise, fall, width, ..] = prm;
    let scale = 0.5 + 1.5 * act.clamp(0.0, 1.0);
    let by_act = if act > 0.0 && act < 1.0 { 1.5 } else { 0.0 };
    let (rise, fall) = ([rise * scale, rise * by_act], [fall / scale, -fall / (scale * scale) * by_act]);
    let (share, slope) = if width < MIN_VAL {
        (f64::from(change > 0.0), 0.0)
    } else {
        let x = (change / width + 0.5).clamp(0.0, 1.0);
        // The integral of 30 x² (1 − x)².
        (x * x * x * (10.0 - x * (15.0 - 6.0 * x)), 30.0 * (x * (1.0 - x)) * (x * (1.0 - x)) / width)
    };
    let mix = |k: usize| fall[k] + (rise[k] - fall[k]) * share;
    [mix(0), (rise[0] - fall[0]) * slope, mix(1)]
}

/// Rate of activation: a first-order lag. `prm`: time constants of rise and fall, width.
pub(super) fn activation_rate(ctrl: f64, act: f64, prm: &[f64; 10]) -> f64 {
    let change = ctrl.clamp(0.0, 1.0) - act;
    change / time_constant(change, act, prm)[0].max(MIN_VAL)
}

/// Derivatives of [`activation_rate`] with respect to control and activation.
pub(super) fn activation_rate_slope(ctrl: f64, act: f64, prm: &[f64; 10]) -> (f64, f64) {
    let change = ctrl.clamp(0.0, 1.0) - act;
    let follows = f64::from((0.0..=1.0).contains(&ctrl));
    let [tau, by_change, by_act] = time_constant(change, act, prm);
    if tau < MIN_VAL {
        return (follows / MIN_VAL, -1.0 / MIN_VAL);
    }
    let rate = change / tau;
    let per_change = (1.0 - rate * by_change) / tau;
    (follows * per_change, -per_change - rate * by_act / tau)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The manual's default parameters, with a peak force of 100 N.
    const PRM: [f64; 10] = [0.75, 1.05, 100.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2, 0.0];
    const MUSCLE: Muscle<'_> = Muscle { length_range: [0.2, 0.35], acc0: 1.0, prm: &PRM };

    #[test]
    fn the_fibre_pulls_with_its_peak_force_at_its_optimum() {
        // l = 1 at 0.2 + (1 − 0.75) L₀, L₀ = 0.5.
        let at = MUSCLE.active(0.325, 0.0);
        assert!((at.force + 100.0).abs() < 1e-12 && at.l.abs() < 1e-9, "{at:?}");
        // No force at full shortening speed; 1.2 times the isometric force for fast lengthening.
        assert_eq!(MUSCLE.active(0.325, -0.75).force, 0.0);
        assert!((MUSCLE.active(0.325, 1.0).force + 120.0).abs() < 1e-12);
        // Passive force: zero up to the optimum, half of 1.3 times the peak midway to l_max.
        assert_eq!(MUSCLE.passive(0.325)[0], 0.0);
        assert!((MUSCLE.passive(0.325 + 0.3 * 0.5)[0] + 65.0).abs() < 1e-9);
    }

    #[test]
    fn derivatives_are_those_of_differences() {
        let step = 1e-6;
        for k in 0..40 {
            let (length, velocity) = (0.1 + 0.0131 * f64::from(k), 0.05 * f64::from(k) - 1.0 + 1e-3);
            let at = |dl: f64, dv: f64| MUSCLE.active(length + dl, velocity + dv);
            let slope = |high: f64, low: f64| (high - low) / (2.0 * step);
            let (own, l, v) = (at(0.0, 0.0), [at(step, 0.0), at(-step, 0.0)], [at(0.0, step), at(0.0, -step)]);
            for (ours, found) in [
                (own.l, slope(l[0].force, l[1].force)),
                (own.v, slope(v[0].force, v[1].force)),
                (own.ll, slope(l[0].l, l[1].l)),
                (own.lv, slope(v[0].l, v[1].l)),
                (own.vv, slope(v[0].v, v[1].v)),
                (MUSCLE.passive(length)[1], slope(MUSCLE.passive(length + step)[0], MUSCLE.passive(length - step)[0])),
                (MUSCLE.passive(length)[2], slope(MUSCLE.passive(length + step)[1], MUSCLE.passive(length - step)[1])),
            ] {
                assert!((ours - found).abs() < 1e-4 * (1.0 + ours.abs()), "{length} {velocity}: {ours} {found}");
            }
            let (ctrl, act) = (0.025 * f64::from(k) + 1e-3, 0.9 - 0.02 * f64::from(k));
            for prm in [[0.01, 0.04, 0.0], [0.01, 0.04, 0.5]] {
                let prm = core::array::from_fn(|i| prm.get(i).copied().unwrap_or_default());
                let rate = |c: f64, a: f64| activation_rate(ctrl + c, act + a, &prm);
                let (by_ctrl, by_act) = activation_rate_slope(ctrl, act, &prm);
                for (ours, found) in [
                    (by_ctrl, slope(rate(step, 0.0), rate(-step, 0.0))),
                    (by_act, slope(rate(0.0, step), rate(0.0, -step))),
                ] {
                    assert!((ours - found).abs() < 1e-5 * (1.0 + ours.abs()), "{ctrl} {act}: {ours} {found}");
                }
            }
        }
    }
}
