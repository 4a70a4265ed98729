//! Muscle force–length–velocity curves and activation dynamics (MuJoCo manual, "Muscles"; [Millard2013]).
//!
//! Parameters `prm`: operating range (2, in units of L₀), peak force (negative: scale / acc0), scale, l_min, l_max,
//! v_max, f_pmax, f_vmax.

use saltus_math::MIN_VAL;

fn peak_force(prm: &[f64; 10], acc0: f64) -> f64 {
    if prm[2] < 0.0 { prm[3] / acc0.max(MIN_VAL) } else { prm[2] }
}

/// Optimal length L₀ and length in units of it.
fn scaled_length(length: f64, length_range: [f64; 2], prm: &[f64; 10]) -> (f64, f64) {
    let l0 = (length_range[1] - length_range[0]) / (prm[1] - prm[0]).max(MIN_VAL);
    (l0, prm[0] + (length - length_range[0]) / l0.max(MIN_VAL))
}

/// Bump of piecewise quadratics: 0 at l_min, 1 at 1, 0 at l_max.
fn force_length(l: f64, lmin: f64, lmax: f64) -> f64 {
    if l < lmin || l > lmax {
        return 0.0;
    }
    let (a, b) = (0.5 * (lmin + 1.0), 0.5 * (1.0 + lmax));
    let ratio = |x: f64, w: f64| x / w.max(MIN_VAL);
    if l <= a {
        0.5 * ratio(l - lmin, a - lmin).powi(2)
    } else if l <= 1.0 {
        1.0 - 0.5 * ratio(1.0 - l, 1.0 - a).powi(2)
    } else if l <= b {
        1.0 - 0.5 * ratio(l - 1.0, b - 1.0).powi(2)
    } else {
        0.5 * ratio(lmax - l, lmax - b).powi(2)
    }
}

fn force_length_slope(l: f64, lmin: f64, lmax: f64) -> f64 {
    if l < lmin || l > lmax {
        return 0.0;
    }
    let (a, b) = (0.5 * (lmin + 1.0), 0.5 * (1.0 + lmax));
    let ratio = |x: f64, w: f64| x / (w * w).max(MIN_VAL);
    if l <= a {
        ratio(l - lmin, a - lmin)
    } else if l <= 1.0 {
        ratio(1.0 - l, 1.0 - a)
    } else if l <= b {
        -ratio(l - 1.0, b - 1.0)
    } else {
        -ratio(lmax - l, lmax - b)
    }
}

/// Second derivative of the force–length curve.
fn force_length_curvature(l: f64, lmin: f64, lmax: f64) -> f64 {
    if l < lmin || l > lmax {
        return 0.0;
    }
    let (a, b) = (0.5 * (lmin + 1.0), 0.5 * (1.0 + lmax));
    let (sign, width) = if l <= a {
        (1.0, a - lmin)
    } else if l <= 1.0 {
        (-1.0, 1.0 - a)
    } else if l <= b {
        (-1.0, b - 1.0)
    } else {
        (1.0, lmax - b)
    };
    sign / (width * width).max(MIN_VAL)
}

/// 0 at full shortening speed, 1 at rest, f_vmax when lengthening fast.
fn force_velocity(v: f64, fvmax: f64) -> f64 {
    let y = fvmax - 1.0;
    if v <= -1.0 {
        0.0
    } else if v <= 0.0 {
        (v + 1.0) * (v + 1.0)
    } else if v <= y {
        fvmax - (y - v) * (y - v) / y.max(MIN_VAL)
    } else {
        fvmax
    }
}

fn force_velocity_slope(v: f64, fvmax: f64) -> f64 {
    let y = fvmax - 1.0;
    if v <= -1.0 || v > y {
        0.0
    } else if v <= 0.0 {
        2.0 * (v + 1.0)
    } else {
        2.0 * (y - v) / y.max(MIN_VAL)
    }
}

/// Second derivative of the force–velocity curve.
fn force_velocity_curvature(v: f64, fvmax: f64) -> f64 {
    let y = fvmax - 1.0;
    if v <= -1.0 || v > y {
        0.0
    } else if v <= 0.0 {
        2.0
    } else {
        -2.0 / y.max(MIN_VAL)
    }
}

/// Active force per unit activation; negative because muscles pull.
pub(super) fn gain(length: f64, velocity: f64, length_range: [f64; 2], acc0: f64, prm: &[f64; 10]) -> f64 {
    let (l0, l) = scaled_length(length, length_range, prm);
    let v = velocity / (l0 * prm[6]).max(MIN_VAL);
    -peak_force(prm, acc0) * force_length(l, prm[4], prm[5]) * force_velocity(v, prm[8])
}

/// Derivative of [`gain`] with respect to velocity.
pub(super) fn gain_slope(length: f64, velocity: f64, length_range: [f64; 2], acc0: f64, prm: &[f64; 10]) -> f64 {
    let (l0, l) = scaled_length(length, length_range, prm);
    let v_max = (l0 * prm[6]).max(MIN_VAL);
    -peak_force(prm, acc0) * force_length(l, prm[4], prm[5]) * force_velocity_slope(velocity / v_max, prm[8]) / v_max
}

/// Derivative of [`gain`] with respect to length.
pub(super) fn gain_length_slope(length: f64, velocity: f64, length_range: [f64; 2], acc0: f64, prm: &[f64; 10]) -> f64 {
    let (l0, l) = scaled_length(length, length_range, prm);
    let v = velocity / (l0 * prm[6]).max(MIN_VAL);
    let slope = force_length_slope(l, prm[4], prm[5]) / l0.max(MIN_VAL);
    -peak_force(prm, acc0) * slope * force_velocity(v, prm[8])
}

/// Second derivatives of [`gain`]: by length twice, by length and velocity, by velocity twice.
pub(super) fn gain_curvatures(
    length: f64,
    velocity: f64,
    length_range: [f64; 2],
    acc0: f64,
    prm: &[f64; 10],
) -> [f64; 3] {
    let (l0, l) = scaled_length(length, length_range, prm);
    let (l0, v_max) = (l0.max(MIN_VAL), (l0 * prm[6]).max(MIN_VAL));
    let (v, peak) = (velocity / v_max, -peak_force(prm, acc0));
    [
        peak * force_length_curvature(l, prm[4], prm[5]) / (l0 * l0) * force_velocity(v, prm[8]),
        peak * force_length_slope(l, prm[4], prm[5]) / l0 * force_velocity_slope(v, prm[8]) / v_max,
        peak * force_length(l, prm[4], prm[5]) * force_velocity_curvature(v, prm[8]) / (v_max * v_max),
    ]
}

/// Derivative of [`bias`].
pub(super) fn bias_slope(length: f64, length_range: [f64; 2], acc0: f64, prm: &[f64; 10]) -> f64 {
    let (l0, l) = scaled_length(length, length_range, prm);
    let width = 0.5 * (1.0 + prm[5]) - 1.0;
    if l <= 1.0 {
        return 0.0;
    }
    let x = ((l - 1.0) / width.max(MIN_VAL)).min(1.0);
    -peak_force(prm, acc0) * prm[7] * x / (width.max(MIN_VAL) * l0.max(MIN_VAL))
}

/// Second derivative of [`bias`].
pub(super) fn bias_curvature(length: f64, length_range: [f64; 2], acc0: f64, prm: &[f64; 10]) -> f64 {
    let (l0, l) = scaled_length(length, length_range, prm);
    let width = (0.5 * (1.0 + prm[5]) - 1.0).max(MIN_VAL);
    if l <= 1.0 || l - 1.0 >= width {
        return 0.0;
    }
    let scale = width * l0.max(MIN_VAL);
    -peak_force(prm, acc0) * prm[7] / (scale * scale)
}

/// Passive force.
pub(super) fn bias(length: f64, length_range: [f64; 2], acc0: f64, prm: &[f64; 10]) -> f64 {
    let (_, l) = scaled_length(length, length_range, prm);
    let (lmax, fpmax) = (prm[5], prm[7]);
    let b = 0.5 * (1.0 + lmax);
    let force = peak_force(prm, acc0) * fpmax;
    if l <= 1.0 {
        0.0
    } else if l <= b {
        let x = (l - 1.0) / (b - 1.0).max(MIN_VAL);
        -force * 0.5 * x * x
    } else {
        let x = (l - b) / (b - 1.0).max(MIN_VAL);
        -force * (0.5 + x)
    }
}

/// Rate of activation: a first-order lag, slower to release than to contract. `prm`: τ_act, τ_deact, smoothing width.
pub(super) fn activation_rate(ctrl: f64, act: f64, prm: &[f64; 10]) -> f64 {
    let scale = 0.5 + 1.5 * act.clamp(0.0, 1.0);
    let (tau_act, tau_deact) = (prm[0] * scale, prm[1] / scale);
    let change = ctrl.clamp(0.0, 1.0) - act;
    let tau = if prm[2] < MIN_VAL {
        if change > 0.0 { tau_act } else { tau_deact }
    } else {
        tau_deact + (tau_act - tau_deact) * sigmoid(change / prm[2] + 0.5)
    };
    change / tau.max(MIN_VAL)
}

/// Quintic step from 0 at 0 to 1 at 1 with flat ends.
fn sigmoid(x: f64) -> f64 {
    if x <= 0.0 {
        0.0
    } else if x >= 1.0 {
        1.0
    } else {
        x * x * x * (3.0 * x * (2.0 * x - 5.0) + 10.0)
    }
}

/// Derivatives of [`activation_rate`] by control and activation.
pub(super) fn activation_rate_slope(ctrl: f64, act: f64, prm: &[f64; 10]) -> (f64, f64) {
    let scale = 0.5 + 1.5 * act.clamp(0.0, 1.0);
    let scale_slope = if act > 0.0 && act < 1.0 { 1.5 } else { 0.0 };
    let (tau_act, tau_deact) = (prm[0] * scale, prm[1] / scale);
    let (act_slope, deact_slope) = (prm[0] * scale_slope, -tau_deact / scale * scale_slope);
    let change = ctrl.clamp(0.0, 1.0) - act;
    let follows = if (0.0..=1.0).contains(&ctrl) { 1.0 } else { 0.0 };
    // τ and its derivatives by the change and, through the time constants, by the activation.
    let (tau, by_change, by_act) = if prm[2] < MIN_VAL {
        if change > 0.0 { (tau_act, 0.0, act_slope) } else { (tau_deact, 0.0, deact_slope) }
    } else {
        let x = change / prm[2] + 0.5;
        let s = sigmoid(x);
        let s_slope = if x > 0.0 && x < 1.0 { 30.0 * x * x * (1.0 - x) * (1.0 - x) } else { 0.0 };
        let tau = tau_deact + (tau_act - tau_deact) * s;
        (tau, (tau_act - tau_deact) * s_slope / prm[2], deact_slope + (act_slope - deact_slope) * s)
    };
    if tau < MIN_VAL {
        return (follows / MIN_VAL, -1.0 / MIN_VAL);
    }
    let per_change = 1.0 / tau - change / (tau * tau) * by_change;
    (follows * per_change, -per_change - change / (tau * tau) * by_act)
}
