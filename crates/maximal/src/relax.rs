//! The inner loop of sweeps: one group of rows, (1) to (3) of [`packed`](crate::packed), in `L`
//! lanes at once.

use crate::bond;
use crate::four::{Four, Quad, Twist};
use crate::options::FrictionBound;
use crate::packed::{Form, Group, Packed, Parts};
use crate::rows::{Impulses, LANES};

/// Velocities of the lanes.
pub type Velocities<'a, const L: usize> = [&'a mut [Twist]; L];

/// What a group is relaxed with.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// First lane.
    pub lane: usize,
    /// ε: the weight of the last step's impulse in rows with bounds.
    pub smoothing: f64,
    pub friction_bound: FrictionBound,
}

/// One group of those of a sweep.
#[derive(Clone, Copy)]
struct One<'a> {
    how: How,
    packed: &'a Packed,
    group: &'a Group,
    /// Rows, and links of J and of the response.
    rows: usize,
    links: &'a [u32],
    reach: &'a [u32],
}

/// Relaxes one group. Groups of the usual sizes are functions of their own, in which loops are
/// unrolled and the numbers that rows hand on stay in registers.
#[inline(always)]
pub fn relax<const L: usize>(how: How, packed: &Packed, g: usize, f: &mut Impulses, V: &mut Velocities<'_, L>) {
    let group = &packed.groups[g];
    let near = |rows: usize, slots: usize| {
        let links = &group.links[..slots];
        One { how, packed, group, rows, links, reach: links }
    };
    match (group.form, group.rows, if group.near { group.slots } else { 0 }) {
        (Form::Joint, _, slots) => {
            let numbers = &packed.numbers[group.at..];
            let [a, b, ..] = group.links.map(|l| l as usize);
            match slots {
                1 => bond::relax(numbers, [a], how.lane, group.quad, f, V),
                _ => bond::relax(numbers, [a, b], how.lane, group.quad, f, V),
            }
        }
        (Form::Linear | Form::Bounded | Form::Pyramid, 1, 2) => single::<L>(near(1, 2), f, V),
        (Form::Linear | Form::Bounded | Form::Pyramid, 1, 1) => single::<L>(near(1, 1), f, V),
        (Form::Bounded | Form::Pyramid, 2..=4, 1) => several::<1, L>(near(group.rows, 1), f, V),
        (Form::Bounded | Form::Pyramid, 2..=4, 2) => several::<1, L>(near(group.rows, 2), f, V),
        (Form::Bounded | Form::Pyramid, 5.., 1) => several::<2, L>(near(group.rows, 1), f, V),
        (Form::Bounded | Form::Pyramid, 5.., 2) => several::<2, L>(near(group.rows, 2), f, V),
        (Form::Cone, 1..=4, 1) => cone::<1, L>(near(group.rows, 1), f, V),
        (Form::Cone, 1..=4, 2) => cone::<1, L>(near(group.rows, 2), f, V),
        _ => any(how, packed, g, f, V),
    }
}

/// A group of any size.
#[inline(never)]
fn any<const L: usize>(how: How, packed: &Packed, g: usize, f: &mut Impulses, V: &mut Velocities<'_, L>) {
    let group = &packed.groups[g];
    let (links, reach) = (&group.links[..group.slots], packed.reach(g));
    let one = One { how, packed, group, rows: group.rows, links, reach };
    match (group.form, group.quads()) {
        _ if group.is_single() => single::<L>(one, f, V),
        (Form::Linear | Form::Joint, 1) => linear::<1, L>(one, f, V),
        (Form::Linear | Form::Joint, _) => linear::<2, L>(one, f, V),
        (Form::Cone, 1) => cone::<1, L>(one, f, V),
        (Form::Cone, _) => cone::<2, L>(one, f, V),
        (Form::Bounded | Form::Pyramid, 1) => several::<1, L>(one, f, V),
        (Form::Bounded | Form::Pyramid, _) => several::<2, L>(one, f, V),
    }
}

#[inline(always)]
fn linear<const Q: usize, const L: usize>(one: One<'_>, f: &mut Impulses, V: &mut Velocities<'_, L>) {
    let parts = Parts::of_several(Form::Linear, one.rows, one.links.len(), one.reach.len());
    let [b, C, P, Y] = parts.split(&one.packed.numbers, one.group.at);
    let mut change = [[Quad::default(); Q]; L];
    for l in 0..L {
        let lane = one.how.lane + l;
        let f = &mut f[lane][one.group.quad..one.group.quad + Q];
        let mut u = [Four::zero(); Q];
        for (c, column) in C.chunks_exact(Q).enumerate() {
            add_column(f[c / 4].0[c % 4], column, &mut u);
        }
        let u = free(u, &b[lane * Q..lane * Q + Q], P, one.links, V[l]);
        for q in 0..Q {
            (Four::load(&f[q]) + u[q]).store(&mut f[q]);
            u[q].store(&mut change[l][q]);
        }
    }
    respond(one, Y, &change, V);
}

/// Parts of the head of several rows with bounds.
struct Head<'a> {
    b: &'a [Quad],
    last: &'a [Quad],
    low: &'a [Quad],
    high: &'a [Quad],
    R: &'a [Quad],
    mu: &'a [Quad],
}

impl<'a> Head<'a> {
    #[inline(always)]
    fn new<const Q: usize>(head: &'a [Quad], lane: usize) -> Self {
        let part = |k: usize| &head[k * Q..(k + 1) * Q];
        let first = 4 * lane;
        Head {
            b: part(first),
            last: part(first + 1),
            low: part(first + 2),
            high: part(first + 3),
            R: part(4 * LANES),
            mu: part(4 * LANES + 1),
        }
    }

    /// R f.
    #[inline(always)]
    fn resistance<const Q: usize>(&self, f: &[Quad]) -> [Four; Q] {
        each(|q| Four::load(&self.R[q]) * Four::load(&f[q]))
    }
}

#[inline(always)]
fn cone<const Q: usize, const L: usize>(one: One<'_>, f: &mut Impulses, V: &mut Velocities<'_, L>) {
    let parts = Parts::of_several(Form::Cone, one.rows, one.links.len(), one.reach.len());
    let [head, _, P, Y] = parts.split(&one.packed.numbers, one.group.at);
    let mut change = [[Quad::default(); Q]; L];
    for l in 0..L {
        let lane = one.how.lane + l;
        let head = Head::new::<Q>(head, lane);
        let own = head.resistance::<Q>(&f[lane][one.group.quad..one.group.quad + Q]);
        let u = free(own, head.b, P, one.links, V[l]);
        project(one, &head, &mut f[lane], u, &mut change[l]);
    }
    respond(one, Y, &change, V);
}

#[inline(always)]
fn several<const Q: usize, const L: usize>(one: One<'_>, f: &mut Impulses, V: &mut Velocities<'_, L>) {
    let parts = Parts::of_several(Form::Bounded, one.rows, one.links.len(), one.reach.len());
    let [head, C, P, Y] = parts.split(&one.packed.numbers, one.group.at);
    let mut change = [[Quad::default(); Q]; L];
    for l in 0..L {
        let lane = one.how.lane + l;
        let head = Head::new::<Q>(head, lane);
        let own = head.resistance::<Q>(&f[lane][one.group.quad..one.group.quad + Q]);
        let u = free(own, head.b, P, one.links, V[l]);
        bound(one, &head, C, &mut f[lane], u, &mut change[l]);
    }
    respond(one, Y, &change, V);
}

/// A single row, whose P lies along the coordinates of links.
#[inline(always)]
fn single<const L: usize>(one: One<'_>, f: &mut Impulses, V: &mut Velocities<'_, L>) {
    let parts = Parts::of_single(one.links.len(), one.reach.len());
    let [head, _, P, Y] = parts.split(&one.packed.numbers, one.group.at);
    let [R, mu, ..] = head[LANES].0;
    let (at, form) = (one.group.quad, one.group.form);
    let mut change = [[Quad::default()]; L];
    for l in 0..L {
        let lane = one.how.lane + l;
        let [b, last, low, high] = head[lane].0;
        let mut sum = [Four::zero(); 2];
        for (P, link) in P.chunks_exact(2).zip(one.links) {
            let V = &V[l][*link as usize];
            for k in 0..2 {
                sum[k] = Four::load(&P[k]).mul_add(Four::load(&V[k]), sum[k]);
            }
        }
        let [x, y, z, _] = (sum[0] + sum[1]).to_array();
        let old = f[lane][at].0[0];
        let free = old + (b - R * old - ((x + y) + z));
        let within = |low: f64, high: f64| {
            let above = if free > low { free } else { low };
            let next = if above < high { above } else { high };
            one.how.smoothing.mul_add(last - next, next)
        };
        let next = match form {
            Form::Linear => free,
            Form::Pyramid => {
                let most = mu * impulse(&f[lane], one.packed.normal[at][0]);
                within(-most, most)
            }
            _ => within(low, high),
        };
        f[lane][at].0[0] = next;
        change[l][0].0[0] = next - old;
    }
    respond(one, Y, &change, V);
}

/// b − own − P V.
#[inline(always)]
fn free<const Q: usize>(own: [Four; Q], b: &[Quad], P: &[Quad], links: &[u32], V: &[Twist]) -> [Four; Q] {
    // A second chain of sums: both are shorter.
    let (mut u, mut w) = (own, [Four::zero(); Q]);
    for (columns, link) in P.chunks_exact(6 * Q).zip(links) {
        let [ang, lin] = &V[*link as usize];
        for k in 0..3 {
            add_column(ang.0[k], &columns[k * Q..(k + 1) * Q], &mut u);
            add_column(lin.0[k], &columns[(k + 3) * Q..(k + 4) * Q], &mut w);
        }
    }
    each(|q| Four::load(&b[q]) - (u[q] + w[q]))
}

/// sum += s column.
#[inline(always)]
fn add_column<const Q: usize>(s: f64, column: &[Quad], sum: &mut [Four; Q]) {
    let s = Four::splat(s);
    for q in 0..Q {
        sum[q] = s.mul_add(Four::load(&column[q]), sum[q]);
    }
}

/// The impulse at a place.
#[inline(always)]
fn impulse(f: &[Quad], place: u32) -> f64 {
    f[place as usize / 4].0[place as usize % 4]
}

/// What belongs to each quad. (`core::array::from_fn` and `for_each` are not always inlined: loops
/// are.)
#[inline(always)]
fn each<const Q: usize>(of: impl Fn(usize) -> Four) -> [Four; Q] {
    let mut all = [Four::zero(); Q];
    for q in 0..Q {
        all[q] = of(q);
    }
    all
}

/// (2). A row's column changes only the rows after it, so that all are within their bounds after
/// the last. Smoothing (1 − ε) f + ε f_last is that of free impulse and bounds; C contains 1 − ε.
#[inline(always)]
fn bound<const Q: usize>(
    one: One<'_>,
    head: &Head<'_>,
    C: &[Quad],
    f: &mut [Quad],
    u: [Four; Q],
    change: &mut [Quad; Q],
) {
    let [low, high] = bounds::<Q>(one, head, f);
    let f = &mut f[one.group.quad..one.group.quad + Q];
    let old = each::<Q>(|q| Four::load(&f[q]));
    let kept = Four::splat(1.0 - one.how.smoothing);
    let last = each::<Q>(|q| Four::splat(one.how.smoothing) * Four::load(&head.last[q]));
    let low = each::<Q>(|q| kept.mul_add(low[q], last[q]));
    let high = each::<Q>(|q| kept.mul_add(high[q], last[q]));
    let mut free = each::<Q>(|q| kept.mul_add(u[q] + old[q], last[q]));
    let mut columns = C.chunks_exact(Q);
    'rows: for q in 0..Q {
        for k in 0..4 {
            let Some(column) = columns.next() else { break 'rows };
            let changed = (free[q].clamped(low[q], high[q]) - old[q]).each(k);
            for p in q..Q {
                free[p] = changed.neg_mul_add(Four::load(&column[p]), free[p]);
            }
        }
    }
    for q in 0..Q {
        let next = free[q].clamped(low[q], high[q]);
        next.store(&mut f[q]);
        (next - old[q]).store(&mut change[q]);
    }
}

/// Bounds of a group's rows.
#[inline(always)]
fn bounds<const Q: usize>(one: One<'_>, head: &Head<'_>, f: &[Quad]) -> [[Four; Q]; 2] {
    if one.group.form == Form::Pyramid {
        let most = each::<Q>(|q| {
            let [a, b, c, d] = one.packed.normal[one.group.quad + q];
            let normal = Quad([impulse(f, a), impulse(f, b), impulse(f, c), impulse(f, d)]);
            Four::load(&head.mu[q]) * Four::load(&normal)
        });
        return [each(|q| Four::zero() - most[q]), most];
    }
    [each(|q| Four::load(&head.low[q])), each(|q| Four::load(&head.high[q]))]
}

/// One projected gradient step of the friction of a contact: its fixed points are those of maximum
/// dissipation. `head.mu` are 1/μ.
#[inline(always)]
fn project<const Q: usize>(one: One<'_>, head: &Head<'_>, f: &mut [Quad], u: [Four; Q], change: &mut [Quad; Q]) {
    let most = match one.how.friction_bound {
        FrictionBound::Present => impulse(f, one.packed.normal[one.group.quad][0]),
        FrictionBound::LastStep => head.high[0].0[0],
    };
    let f = &mut f[one.group.quad..one.group.quad + Q];
    let old = each::<Q>(|q| Four::load(&f[q]));
    let free = each::<Q>(|q| old[q] + u[q]);
    let mut squares = Four::zero();
    for q in 0..Q {
        let g = free[q] * Four::load(&head.mu[q]);
        squares = g.mul_add(g, squares);
    }
    let [a, b, c, d] = squares.to_array();
    let size = (a + b) + (c + d);
    let scale = if size > most * most { most / size.sqrt() } else { 1.0 };
    let (scale, smoothing) = (Four::splat(scale), Four::splat(one.how.smoothing));
    for q in 0..Q {
        let next = scale * free[q];
        let next = smoothing.mul_add(Four::load(&head.last[q]) - next, next);
        next.store(&mut f[q]);
        (next - old[q]).store(&mut change[q]);
    }
}

/// (3), link by link.
#[inline(always)]
fn respond<const Q: usize, const L: usize>(
    one: One<'_>,
    Y: &[Quad],
    change: &[[Quad; Q]; L],
    V: &mut Velocities<'_, L>,
) {
    let stride = 2 * one.reach.len();
    for (slot, &link) in one.reach.iter().enumerate() {
        for l in 0..L {
            let V = &mut V[l][link as usize];
            let mut v = [Four::load(&V[0]), Four::load(&V[1])];
            for r in 0..one.rows {
                let y = &Y[r * stride + 2 * slot..r * stride + 2 * slot + 2];
                add_column(change[l][r / 4].0[r % 4], y, &mut v);
            }
            v[0].store(&mut V[0]);
            v[1].store(&mut V[1]);
        }
    }
}
