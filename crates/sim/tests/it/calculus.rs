//! Derivatives by differences, integration and comparison, for the tests of physical laws.

use saltus_math::{Quat, Vec3};
use saltus_sim::kinematics::coordinates;
use saltus_sim::model::kinds::JointKind;
use saltus_sim::{Data, Model, forward_smooth};

/// Derivative at 0 of a curve, by a five-point formula: error O(h⁴) ≈ 1e-12, round-off ≈ 1e-13.
pub fn derivative(mut curve: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    let h = 1e-3;
    let (a, b, c, d) = (curve(h), curve(-h), curve(2.0 * h), curve(-2.0 * h));
    (0..a.len()).map(|i| (8.0 * (a[i] - b[i]) - (c[i] - d[i])) / (12.0 * h)).collect()
}

/// Data at q ⊕ t v, with everything else as in `data`; nothing is computed.
pub fn moved(model: &Model, data: &Data, v: &[f64], t: f64) -> Data {
    let mut other = data.clone();
    coordinates::integrate(model, &mut other.state.q, v, t);
    other
}

/// Unit vector of dof `i`.
pub fn dof(model: &Model, i: usize) -> Vec<f64> {
    (0..model.size.nv).map(|k| f64::from(k == i)).collect()
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Asserts |a − b| ≤ tolerance · (1 + max |b|), elementwise.
#[track_caller]
pub fn assert_close(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}: lengths");
    let scale = 1.0 + b.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    for (i, (x, y)) in a.iter().zip(b).enumerate() {
        let error = (x - y).abs();
        assert!(error <= tolerance * scale, "{what}, entry {i}: {x} should be {y} (off by {error:e}, scale {scale:e})");
    }
}

/// Time derivative of q in its own coordinates: quaternions as four numbers, q̇ = ½ q ω.
fn q_dot(model: &Model, q: &[f64], v: &[f64]) -> Vec<f64> {
    let mut rate = vec![0.0; model.size.nq];
    for j in 0..model.njoint() {
        let (mut i, mut d) = (model.joints.q_start[j] as usize, model.joints.dof_start[j] as usize);
        match model.joints.kind[j] {
            JointKind::Slide | JointKind::Hinge => rate[i] = v[d],
            kind => {
                if kind == JointKind::Free {
                    rate[i..i + 3].copy_from_slice(&v[d..d + 3]);
                    (i, d) = (i + 3, d + 3);
                }
                let w = Vec3::from_slice(&v[d..]) * 0.5;
                let turn = Quat::from_slice(&q[i..]) * Quat::new(0.0, w.x, w.y, w.z);
                rate[i..i + 4].copy_from_slice(&turn.to_array());
            }
        }
    }
    rate
}

/// Advances (q, v, work) by classical Runge–Kutta steps of length `h`; `power` is integrated along.
pub fn simulate(model: &Model, data: &mut Data, (h, steps): (f64, usize), mut power: impl FnMut(&Data) -> f64) -> f64 {
    let (nq, nv) = (model.size.nq, model.size.nv);
    let mut work = 0.0;
    let mut rate = |data: &mut Data, x: &[f64]| {
        data.state.q.copy_from_slice(&x[..nq]);
        data.state.v.copy_from_slice(&x[nq..nq + nv]);
        forward_smooth(model, data);
        let mut rate = q_dot(model, &x[..nq], &x[nq..]);
        rate.extend_from_slice(&data.acceleration.a);
        rate.push(power(data));
        rate
    };
    for _ in 0..steps {
        let x: Vec<f64> = [&data.state.q[..], &data.state.v[..], &[work]].concat();
        let at = |k: &[f64], h: f64| -> Vec<f64> { x.iter().zip(k).map(|(x, k)| x + h * k).collect() };
        let k1 = rate(data, &x);
        let k2 = rate(data, &at(&k1, h / 2.0));
        let k3 = rate(data, &at(&k2, h / 2.0));
        let k4 = rate(data, &at(&k3, h));
        let mean: Vec<f64> = (0..x.len()).map(|i| (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0).collect();
        let next = at(&mean, h);
        data.state.q.copy_from_slice(&next[..nq]);
        data.state.v.copy_from_slice(&next[nq..nq + nv]);
        coordinates::normalize(model, &mut data.state.q);
        work = next[nq + nv];
    }
    work
}
