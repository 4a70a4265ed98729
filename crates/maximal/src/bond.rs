//! The rows of one joint as one group: a wrench at the joint's origin O in place of an impulse for
//! each row.
//!
//! The rows are Nᵀ e + R f = c with the relative velocity e of the two links at O and an
//! orthonormal basis N of what the joint holds, so that the wrench F = N f says as much as f = Nᵀ
//! F. With K the sum of X M⁻¹ Xᵀ over both links (X carries wrenches from O to a centre of mass), A
//! = Nᵀ K N and T = (diag(A + R)/ω + lower(A))⁻¹, relaxing one row after the other, (1) and (3) of
//! [`packed`](crate::packed), is (1) ΔF = b − N T Nᵀ (e + R F) with b = N T c, (2) V ← V ± M⁻¹ Xᵀ
//! ΔF: two thirds of the multiplications and less than half of the numbers.

use crate::four::{Four, Quad, Twist};
use crate::inertia::Inertias;
use crate::joint::Frame;
use crate::rows::{Impulses, LANES, Row, Rows};
use crate::state::Bodies;
use saltus_math::{Motion, Vec3};

/// Where joints are, and what their links weigh.
#[derive(Clone, Copy, Debug)]
pub struct Bonds<'a> {
    pub frames: &'a [Frame],
    pub bodies: &'a Bodies,
    pub inertias: &'a Inertias,
    /// ω.
    pub relaxation: f64,
}

/// Quads of a joint's wrench: moment and force.
pub const WRENCH: usize = 2;
/// Places of the numbers of a joint: b of each lane, masses and compliance, arms r, N T Nᵀ by
/// columns, inverse inertias by columns.
const MASSES: usize = WRENCH * LANES;
const ARMS: usize = MASSES + 1;
const T: usize = ARMS + 2;
const INERTIAS: usize = T + 6 * WRENCH;
/// Quads of numbers of a joint.
pub const SIZE: usize = INERTIAS + 6;

/// Angular and linear part, each of three numbers and a zero.
type Pair = [Four; 2];

impl Bonds<'_> {
    /// The numbers of the joint whose rows begin at `first`; `links` are its link and, if that
    /// moves, the parent.
    pub fn fill(&self, links: &[u32], rows: &Rows, first: usize, out: &mut [Quad]) {
        let frame = &self.frames[links[0] as usize];
        let (m, zero) = (frame.rows, [Four::zero(); 2]);
        let compliance = rows.rows[first].compliance;
        let mut N = [zero; 6];
        (0..m).for_each(|r| N[r] = pair(&frame.N[r]));
        let mut masses = [0.0, 0.0, compliance, 0.0];
        let mut KN = [zero; 6];
        for (s, &l) in links.iter().enumerate() {
            let (arm, inverse) = (four(frame.origin - self.bodies.x[l as usize]), &self.inertias.inv[l as usize]);
            masses[s] = self.inertias.inv_mass[l as usize];
            arm.store(&mut out[ARMS + s]);
            let columns = [four(inverse.r0), four(inverse.r1), four(inverse.r2)];
            columns.iter().enumerate().for_each(|(k, c)| c.store(&mut out[INERTIAS + 3 * s + k]));
            for (KN, N) in KN.iter_mut().zip(&N).take(m) {
                add_mobility(&columns, masses[s], arm, N, KN);
            }
        }
        out[MASSES].0 = masses;
        let mut A = [[0.0; 6]; 6];
        let mut step = [0.0; 6];
        for r in 0..m {
            (0..=r).for_each(|c| A[r][c] = dot(&N[r], &KN[c]));
            let diagonal = A[r][r] + compliance;
            step[r] = if diagonal > 0.0 { self.relaxation / diagonal } else { 0.0 };
        }
        // Columns of N T, by forward substitution.
        let mut U = [zero; 6];
        let mut b = [zero; LANES];
        for c in 0..m {
            let mut t = [0.0; 6];
            for r in c..m {
                let sum: f64 = (c..r).map(|s| A[r][s] * t[s]).sum();
                t[r] = if r == c { step[r] } else { -sum * step[r] };
                add_pair(t[r], &N[r], &mut U[c]);
            }
            (0..LANES).for_each(|lane| add_pair(rows.rows[first + c].target[lane], &U[c], &mut b[lane]));
        }
        for (lane, b) in b.iter().enumerate() {
            write(&mut out[WRENCH * lane..], b);
        }
        let mut columns = [zero; 6];
        for (N, U) in N.iter().zip(&U).take(m) {
            for k in 0..3 {
                for (half, N) in N.iter().enumerate() {
                    let s = N.each(k);
                    let column = &mut columns[3 * half + k];
                    *column = [s.mul_add(U[0], column[0]), s.mul_add(U[1], column[1])];
                }
            }
        }
        for (column, out) in columns.iter().zip(out[T..].chunks_exact_mut(WRENCH)) {
            write(out, column);
        }
    }

    /// F = N f of each lane.
    pub fn read(&self, link: usize, rows: &Rows, first: usize, quad: usize, F: &mut Impulses) {
        let frame = &self.frames[link];
        for lane in 0..LANES {
            let mut sum = [Four::zero(); 2];
            for (r, N) in frame.N[..frame.rows].iter().enumerate() {
                add_pair(rows.rows[first + r].force[lane], &pair(N), &mut sum);
            }
            write(&mut F[lane][quad..], &sum);
        }
    }

    /// f = Nᵀ F of a lane.
    pub fn write(&self, link: usize, F: &[Quad], lane: usize, rows: &mut [Row]) {
        let (frame, F) = (&self.frames[link], [Four::load(&F[0]), Four::load(&F[1])]);
        for (row, N) in rows.iter_mut().zip(&frame.N[..frame.rows]) {
            row.force[lane] = dot(&pair(N), &F);
        }
    }
}

/// (1) and (2) of a joint between S links, in `L` lanes from `lane` on.
#[inline(always)]
pub fn relax<const S: usize, const L: usize>(
    numbers: &[Quad],
    links: [usize; S],
    lane: usize,
    quad: usize,
    F: &mut Impulses,
    V: &mut [&mut [Twist]; L],
) {
    let numbers = &numbers[..SIZE];
    let at = |k: usize| Four::load(&numbers[k]);
    let masses = &numbers[MASSES].0;
    for l in 0..L {
        let out = &mut F[lane + l][quad..quad + WRENCH];
        let F = [Four::load(&out[0]), Four::load(&out[1])];
        let b = WRENCH * (lane + l);
        let mut v = [[Four::zero(); 2]; S];
        for s in 0..S {
            v[s] = load(&V[l][links[s]]);
        }
        let compliance = Four::splat(masses[2]);
        let mut e = [v[0][0], v[0][1] + v[0][0].cross(at(ARMS))];
        if S > 1 {
            let [w, v] = v[1];
            e = [e[0] - w, e[1] - (v + w.cross(at(ARMS + 1)))];
        }
        e = [compliance.mul_add(F[0], e[0]), compliance.mul_add(F[1], e[1])];
        // Chains of their own for what comes from the angular and from the linear part.
        let (mut u, mut w) = ([at(b), at(b + 1)], [Four::zero(); 2]);
        for k in 0..3 {
            let (ang, lin) = (e[0].each(k), e[1].each(k));
            for part in 0..WRENCH {
                u[part] = ang.neg_mul_add(at(T + WRENCH * k + part), u[part]);
                w[part] = lin.mul_add(at(T + WRENCH * (k + 3) + part), w[part]);
            }
        }
        let u = [u[0] - w[0], u[1] - w[1]];
        (F[0] + u[0]).store(&mut out[0]);
        (F[1] + u[1]).store(&mut out[1]);
        for s in 0..S {
            let moment = u[0] + at(ARMS + s).cross(u[1]);
            let inv_mass = Four::splat(masses[s]);
            let [mut w, mut v] = v[s];
            for k in 0..3 {
                let column = at(INERTIAS + 3 * s + k);
                w = if s == 0 { moment.each(k).mul_add(column, w) } else { moment.each(k).neg_mul_add(column, w) };
            }
            v = if s == 0 { inv_mass.mul_add(u[1], v) } else { inv_mass.neg_mul_add(u[1], v) };
            let out = &mut V[l][links[s]];
            w.store(&mut out[0]);
            v.store(&mut out[1]);
        }
    }
}

/// out += X M⁻¹ Xᵀ N of one link.
#[inline(always)]
fn add_mobility(inverse: &[Four; 3], inv_mass: f64, arm: Four, N: &Pair, out: &mut Pair) {
    let moment = N[0] + arm.cross(N[1]);
    let mut w = Four::zero();
    (0..3).for_each(|k| w = moment.each(k).mul_add(inverse[k], w));
    let v = Four::splat(inv_mass).mul_add(N[1], w.cross(arm));
    *out = [out[0] + w, out[1] + v];
}

#[inline(always)]
fn load(a: &Twist) -> Pair {
    [Four::load(&a[0]), Four::load(&a[1])]
}

#[inline(always)]
fn four(a: Vec3) -> Four {
    Four::load(&Quad([a.x, a.y, a.z, 0.0]))
}

#[inline(always)]
fn pair(N: &Motion) -> Pair {
    [four(N.ang), four(N.lin)]
}

fn write(out: &mut [Quad], a: &Pair) {
    a[0].store(&mut out[0]);
    a[1].store(&mut out[1]);
}

#[inline(always)]
fn dot(a: &Pair, b: &Pair) -> f64 {
    let [x, y, z, _] = a[0].mul_add(b[0], a[1] * b[1]).to_array();
    (x + y) + z
}

#[inline(always)]
fn add_pair(s: f64, a: &Pair, out: &mut Pair) {
    let s = Four::splat(s);
    *out = [s.mul_add(a[0], out[0]), s.mul_add(a[1], out[1])];
}
