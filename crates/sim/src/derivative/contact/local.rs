//! Transforms maps between the six directions of a contact (or of any point and axes) and the
//! c-frames of bodies.
//!
//! A map Q from (linear, angular) motions to (force, moment) in axes F at the point r: in world
//! axes each of its four blocks is Fᵀ Q F, and about another origin motions are lin + ang × r,
//! moments moment + r × force.

use saltus_math::{Force, Mat3, Mat6, Vec3};

/// Fᵀ (block of Q that starts at row `i`, column `j`) F.
#[inline]
fn turned(Q: &[[f64; 6]; 6], i: usize, j: usize, F: &Mat3) -> Mat3 {
    let row = |r: usize| {
        let q = &Q[i + r];
        F.r0 * q[j] + F.r1 * q[j + 1] + F.r2 * q[j + 2]
    };
    let (a, b, c) = (row(0), row(1), row(2));
    let line = |k: usize| a * F.r0[k] + b * F.r1[k] + c * F.r2[k];
    Mat3::new(line(0), line(1), line(2))
}

/// Rows of m times [r], m [r] x = m (r × x): rows become row × r.
#[inline]
fn after_skew(m: &Mat3, r: Vec3) -> Mat3 {
    Mat3::new(m.r0.cross(r), m.r1.cross(r), m.r2.cross(r))
}

/// [r] m.
#[inline]
fn skew_after(r: Vec3, m: &Mat3) -> Mat3 {
    Mat3::new(m.r2 * r.y - m.r1 * r.z, m.r0 * r.z - m.r2 * r.x, m.r1 * r.x - m.r0 * r.y)
}

/// The map in c-frames, with the point at `r_in` from the origin of the body that moves and at
/// `r_out` from that of the body that the wrench acts on. `rotational`: whether Q has nonzero
/// blocks besides its force–linear one.
pub(super) fn to_bodies(Q: &[[f64; 6]; 6], F: &Mat3, r_out: Vec3, r_in: Vec3, scale: f64, rotational: bool) -> Mat6 {
    let ff = turned(Q, 0, 0, F);
    // Force with respect to angular motion, about the origin: f_ang − f_lin [r_in].
    let mut fa = after_skew(&ff, r_in) * -1.0;
    let mut ml = skew_after(r_out, &ff);
    let mut ma = skew_after(r_out, &fa);
    if rotational {
        let (f_ang, m_lin, m_ang) = (turned(Q, 0, 3, F), turned(Q, 3, 0, F), turned(Q, 3, 3, F));
        fa = fa + f_ang;
        ma = ma + skew_after(r_out, &f_ang) + m_ang - after_skew(&m_lin, r_in);
        ml = ml + m_lin;
    }
    let mut out = Mat6::ZERO;
    for (i, (a, l)) in [(ma, ml), (fa, ff)].into_iter().enumerate() {
        for (k, (a, l)) in [(a.r0, l.r0), (a.r1, l.r1), (a.r2, l.r2)].into_iter().enumerate() {
            out.0[3 * i + k] = [a.x, a.y, a.z, l.x, l.y, l.z].map(|x| x * scale);
        }
    }
    out
}

/// The wrench (force, moment) in axes F at the point `r`, about the origin.
pub(super) fn wrench(f: &[f64; 6], F: &Mat3, r: Vec3, scale: f64) -> Force {
    let force = F.tmul(Vec3::from_slice(f)) * scale;
    let moment = F.tmul(Vec3::from_slice(&f[3..])) * scale;
    Force::new(moment + r.cross(force), force)
}
