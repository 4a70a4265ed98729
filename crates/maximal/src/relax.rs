//! The inner loop of sweeps: one group of rows, (1) to (3) of [`packed`](crate::packed), in `L` lanes at once.

use crate::options::FrictionBound;
use crate::packed::{Form, Group, MOST_ROWS, Packed, Quad};
use crate::six::Six;
use core::array::from_fn;

/// Velocities of the lanes.
pub type Velocities<'a, const L: usize> = [&'a mut [Six]; L];

/// What a group is relaxed with.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// First lane.
    pub lane: usize,
    /// ε: the weight of the last step's impulse in rows with bounds.
    pub smoothing: f64,
    pub friction_bound: FrictionBound,
}

/// Change of each row's impulse, in one lane and in all.
type Change = [f64; MOST_ROWS];
type Changes<const L: usize> = [Change; L];

/// Relaxes one group. Each kind of group is a function of its own, in which the numbers that rows hand on stay in registers.
#[inline]
pub fn relax<const L: usize>(how: How, packed: &mut Packed, g: usize, V: &mut Velocities<'_, L>) {
    let group = packed.groups[g];
    match (group.form, group.quads()) {
        _ if group.is_single() => single::<L>(how, packed, &group, V),
        (Form::Linear, 1) => linear::<1, L>(how, packed, &group, V),
        (Form::Linear, _) => linear::<2, L>(how, packed, &group, V),
        (Form::Cone, 1) => cone::<1, L>(how, packed, &group, V),
        (Form::Cone, _) => cone::<2, L>(how, packed, &group, V),
        (Form::Bounded | Form::Pyramid, 1) => several::<1, L>(how, packed, &group, V),
        (Form::Bounded | Form::Pyramid, _) => several::<2, L>(how, packed, &group, V),
    }
}

#[inline(always)]
fn linear<const Q: usize, const L: usize>(how: How, packed: &mut Packed, group: &Group, V: &mut Velocities<'_, L>) {
    let mut change = [[0.0; MOST_ROWS]; L];
    for l in 0..L {
        let u = free::<Q>(packed, how.lane + l, group, V[l]);
        accept(packed, how.lane + l, group, &u, &mut change[l]);
    }
    respond(packed, group, &change, V);
}

#[inline(never)]
fn cone<const Q: usize, const L: usize>(how: How, packed: &mut Packed, group: &Group, V: &mut Velocities<'_, L>) {
    let mut change = [[0.0; MOST_ROWS]; L];
    for l in 0..L {
        let u = free::<Q>(packed, how.lane + l, group, V[l]);
        project(how, packed, how.lane + l, group, &u, &mut change[l]);
    }
    respond(packed, group, &change, V);
}

#[inline(never)]
fn single<const L: usize>(how: How, packed: &mut Packed, group: &Group, V: &mut Velocities<'_, L>) {
    let mut change = [[0.0; MOST_ROWS]; L];
    for l in 0..L {
        let u = free_one(packed, how.lane + l, group, V[l]);
        bound_one(how, packed, how.lane + l, group, u, &mut change[l]);
    }
    respond(packed, group, &change, V);
}

#[inline(never)]
fn several<const Q: usize, const L: usize>(how: How, packed: &mut Packed, group: &Group, V: &mut Velocities<'_, L>) {
    let mut change = [[0.0; MOST_ROWS]; L];
    for l in 0..L {
        let u = free::<Q>(packed, how.lane + l, group, V[l]);
        bound(how, packed, how.lane + l, group, u, &mut change[l]);
    }
    respond(packed, group, &change, V);
}

/// b − C f − P V, or with R instead of C for rows with bounds.
#[inline(always)]
fn free<const Q: usize>(packed: &Packed, lane: usize, group: &Group, V: &[Six]) -> [[f64; 4]; Q] {
    let at = group.quad..group.quad + Q;
    let (b, f) = (&packed.b[lane][at.clone()], &packed.f[lane][at.clone()]);
    let mut u = [[0.0; 4]; Q];
    if group.form == Form::Linear {
        let (columns, _) = packed.C[group.C..group.C + group.rows * Q].as_chunks::<Q>();
        for (c, column) in columns.iter().enumerate() {
            add_column(f[c / 4].0[c % 4], column, &mut u);
        }
    } else {
        for (q, R) in packed.R[at].iter().enumerate() {
            for k in 0..4 {
                u[q][k] = R.0[k] * f[q].0[k];
            }
        }
    }
    // A second chain of sums: both are shorter.
    let mut w = [[0.0; 4]; Q];
    let (columns, _) = packed.P[group.P..group.P + group.slots * 6 * Q].as_chunks::<Q>();
    for (columns, link) in columns.chunks_exact(6).zip(group.links) {
        let v = &V[link as usize].0;
        for k in 0..3 {
            add_column(v[k], &columns[k], &mut u);
            add_column(v[k + 3], &columns[k + 3], &mut w);
        }
    }
    for q in 0..Q {
        for k in 0..4 {
            u[q][k] = b[q].0[k] - (u[q][k] + w[q][k]);
        }
    }
    u
}

/// The same for a single row, whose P lies along the coordinates of links.
#[inline(always)]
fn free_one(packed: &Packed, lane: usize, group: &Group, V: &[Six]) -> f64 {
    let mut sum = [0.0; 4];
    let (rows, _) = packed.P[group.P..group.P + group.slots * 2].as_chunks::<2>();
    for (P, link) in rows.iter().zip(group.links) {
        let v = &V[link as usize].0;
        for k in 0..4 {
            sum[k] = P[0].0[k].mul_add(v[k], P[1].0[k].mul_add(v[k + 4], sum[k]));
        }
    }
    let at = group.quad;
    let offset = packed.b[lane][at].0[0] - packed.R[at].0[0] * packed.f[lane][at].0[0];
    offset - ((sum[0] + sum[1]) + (sum[2] + sum[3]))
}

/// sum += s column.
#[inline(always)]
fn add_column<const Q: usize>(s: f64, column: &[Quad; Q], sum: &mut [[f64; 4]; Q]) {
    for q in 0..Q {
        for k in 0..4 {
            sum[q][k] = s.mul_add(column[q].0[k], sum[q][k]);
        }
    }
}

/// f += Δf.
#[inline(always)]
fn accept<const Q: usize>(packed: &mut Packed, lane: usize, group: &Group, u: &[[f64; 4]; Q], change: &mut Change) {
    let f = &mut packed.f[lane][group.quad..group.quad + Q];
    for q in 0..Q {
        for k in 0..4 {
            f[q].0[k] += u[q][k];
        }
        change[4 * q..4 * q + 4].copy_from_slice(&u[q]);
    }
}

/// An impulse within its bounds, smoothed.
#[inline(always)]
fn bounded(how: How, free: f64, [low, high]: [f64; 2], last: f64) -> f64 {
    let above = if free > low { free } else { low };
    let next = if above < high { above } else { high };
    if how.smoothing > 0.0 { next + how.smoothing * (last - next) } else { next }
}

/// (2) for a single row.
#[inline(always)]
fn bound_one(how: How, packed: &mut Packed, lane: usize, group: &Group, u: f64, change: &mut Change) {
    let (at, f) = (group.quad, packed.f[lane][group.quad].0[0]);
    let bounds = if group.form == Form::Pyramid {
        let normal = packed.normal[at][0] as usize;
        let most = packed.mu[at].0[0] * packed.f[lane][normal / 4].0[normal % 4];
        [-most, most]
    } else {
        [packed.low[lane][at].0[0], packed.high[lane][at].0[0]]
    };
    let next = match group.form {
        Form::Linear => f + u,
        _ => bounded(how, f + u, bounds, packed.last[lane][at].0[0]),
    };
    packed.f[lane][at].0[0] = next;
    change[0] = next - f;
}

/// (2) for several rows with bounds of their own. All numbers that a row hands on to the next stay in registers: indices are constants once the
/// loops are unrolled.
#[inline(always)]
fn bound<const Q: usize>(
    how: How,
    packed: &mut Packed,
    lane: usize,
    group: &Group,
    u: [[f64; 4]; Q],
    change: &mut Change,
) {
    let at = group.quad;
    let [low, high] = bounds::<Q>(packed, lane, group);
    let (columns, _) = packed.C[group.C..group.C + group.rows * Q].as_chunks::<Q>();
    let (f, last) = (&mut packed.f[lane][at..at + Q], &packed.last[lane][at..at + Q]);
    let mut free = u;
    for q in 0..Q {
        for k in 0..4 {
            free[q][k] += f[q].0[k];
        }
    }
    for q in 0..Q {
        for k in 0..4 {
            let Some(column) = columns.get(4 * q + k) else { return };
            let next = bounded(how, free[q][k], [low[q][k], high[q][k]], last[q].0[k]);
            let changed = next - f[q].0[k];
            f[q].0[k] = next;
            change[4 * q + k] = changed;
            for p in q..Q {
                for j in 0..4 {
                    free[p][j] = (-changed).mul_add(column[p].0[j], free[p][j]);
                }
            }
        }
    }
}

/// Bounds of a group's rows.
#[inline(always)]
fn bounds<const Q: usize>(packed: &Packed, lane: usize, group: &Group) -> [[[f64; 4]; Q]; 2] {
    let mut low = [[0.0; 4]; Q];
    let mut high = [[0.0; 4]; Q];
    for q in 0..Q {
        let at = group.quad + q;
        if group.form == Form::Pyramid {
            for k in 0..4 {
                let normal = packed.normal[at][k] as usize;
                high[q][k] = packed.mu[at].0[k] * packed.f[lane][normal / 4].0[normal % 4];
                low[q][k] = -high[q][k];
            }
        } else {
            (low[q], high[q]) = (packed.low[lane][at].0, packed.high[lane][at].0);
        }
    }
    [low, high]
}

/// One projected gradient step of the friction of a contact: its fixed points are those of maximum dissipation.
#[inline(always)]
fn project<const Q: usize>(
    how: How,
    packed: &mut Packed,
    lane: usize,
    group: &Group,
    u: &[[f64; 4]; Q],
    change: &mut Change,
) {
    let normal = packed.normal[group.quad][0] as usize;
    let most = match how.friction_bound {
        FrictionBound::Present => packed.f[lane][normal / 4].0[normal % 4],
        FrictionBound::LastStep => packed.high[lane][group.quad].0[0],
    };
    let mut size = 0.0;
    for r in 0..group.rows {
        let (q, k) = (group.quad + r / 4, r % 4);
        let mu = packed.mu[q].0[k];
        if mu > 0.0 {
            let g = (packed.f[lane][q].0[k] + u[r / 4][k]) / mu;
            size += g * g;
        }
    }
    let scale = if size > most * most { most / size.sqrt() } else { 1.0 };
    for r in 0..group.rows {
        let (q, k) = (group.quad + r / 4, r % 4);
        let f = packed.f[lane][q].0[k];
        let mut next = if packed.mu[q].0[k] > 0.0 { scale * (f + u[r / 4][k]) } else { 0.0 };
        if how.smoothing > 0.0 {
            next += how.smoothing * (packed.last[lane][q].0[k] - next);
        }
        packed.f[lane][q].0[k] = next;
        change[r] = next - f;
    }
}

/// (3).
#[inline(always)]
fn respond<const L: usize>(packed: &Packed, group: &Group, change: &Changes<L>, V: &mut Velocities<'_, L>) {
    match group.reach.1 {
        1 => respond_on::<L, 1>(packed, group, change, V),
        2 => respond_on::<L, 2>(packed, group, change, V),
        _ => respond_far(packed, group, change, V),
    }
}

/// (3) on S links.
#[inline(always)]
fn respond_on<const L: usize, const S: usize>(
    packed: &Packed,
    group: &Group,
    change: &Changes<L>,
    V: &mut Velocities<'_, L>,
) {
    let links: [usize; S] = from_fn(|s| packed.reach[group.reach.0 + s] as usize);
    let mut v = [[Six::ZERO; S]; L];
    for l in 0..L {
        for s in 0..S {
            v[l][s] = V[l][links[s]];
        }
    }
    let Y = &packed.Y[group.Y..group.Y + group.rows * S];
    for (r, Y) in Y.chunks_exact(S).enumerate() {
        for l in 0..L {
            for s in 0..S {
                for k in 0..8 {
                    v[l][s].0[k] = change[l][r].mul_add(Y[s].0[k], v[l][s].0[k]);
                }
            }
        }
    }
    for l in 0..L {
        for s in 0..S {
            V[l][links[s]] = v[l][s];
        }
    }
}

/// (3) on all links that joints carry it to.
fn respond_far<const L: usize>(packed: &Packed, group: &Group, change: &Changes<L>, V: &mut Velocities<'_, L>) {
    let (first, count) = group.reach;
    let reach = &packed.reach[first..first + count];
    let Y = &packed.Y[group.Y..group.Y + group.rows * count];
    for (slot, &link) in reach.iter().enumerate() {
        for l in 0..L {
            let mut v = V[l][link as usize];
            for r in 0..group.rows {
                let (s, y) = (change[l][r], &Y[r * count + slot]);
                for k in 0..8 {
                    v.0[k] = s.mul_add(y.0[k], v.0[k]);
                }
            }
            V[l][link as usize] = v;
        }
    }
}
