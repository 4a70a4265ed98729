//! Projected Gauss–Seidel on rows J V + R f = c with bounds.
//!
//! Row by row (1) f ← f + ω (c − J V − R f) / (J W Jᵀ + R), projected on its bounds, (2) V ← V + W Jᵀ Δf, with W the inverse inertia of
//! links, or that of links with their joints. Smoothing [HsuPeters2014, §5.4]: (3) f ← (1 − ε) f + ε f_last for unilateral rows.
//! Elliptic friction is one projected gradient step of a contact's friction rows together, in the coordinates f_k/μ_k, where the cone is a
//! ball: (4) its fixed points are those of maximum dissipation, for any step below 2/(largest eigenvalue).

use crate::options::{Cone, FrictionBound, Options, Order};
use crate::rows::{Bound, Kind, Row, Rows};
use crate::six::Six;

/// Sweeps after which random rows are shuffled again.
const SHUFFLED_EVERY: u32 = 8;

/// Order of rows and the state of its generator.
#[derive(Clone, Debug, Default)]
pub struct Sweeps {
    order: Vec<u32>,
    random: u64,
}

/// How sweeps over one lane ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    pub sweeps: u32,
    pub change: f64,
    pub converged: bool,
}

impl Sweeps {
    pub fn new(order: Order) -> Self {
        let random = if let Order::Random { seed } = order { seed.wrapping_mul(2).wrapping_add(1) } else { 1 };
        Self { order: Vec::new(), random }
    }

    /// Sweeps over the rows from `first` on. V contains what their present forces make.
    pub fn solve(&mut self, options: &Options, rows: &mut Rows, first: usize, lane: usize, V: &mut [Six]) -> Outcome {
        self.arrange(options.order, rows, first);
        let mut outcome = Outcome::default();
        while outcome.sweeps < options.iterations {
            if matches!(options.order, Order::Random { .. }) && outcome.sweeps % SHUFFLED_EVERY == 0 {
                self.shuffle();
            }
            outcome.change = sweep(options, rows, &self.order, lane, V);
            outcome.sweeps += 1;
            if options.tolerance > 0.0 && outcome.change <= options.tolerance {
                outcome.converged = true;
                break;
            }
        }
        self.order.clear();
        self.order.extend(rows.end_normals as u32..rows.len() as u32);
        for _ in 0..options.friction_sweeps {
            outcome.change = sweep(options, rows, &self.order, lane, V);
        }
        outcome
    }

    fn arrange(&mut self, order: Order, rows: &Rows, first: usize) {
        self.order.clear();
        if order != Order::AsMade {
            self.order.extend(first as u32..rows.len() as u32);
            return;
        }
        let mut friction = rows.end_normals;
        for i in first..rows.end_normals {
            self.order.push(i as u32);
            let Kind::Normal { contact } = rows.rows[i].kind else { continue };
            while friction < rows.len()
                && matches!(rows.rows[friction].kind, Kind::Friction { contact: c, .. } if c == contact)
            {
                self.order.push(friction as u32);
                friction += 1;
            }
        }
    }

    /// Fisher–Yates with a xorshift generator.
    fn shuffle(&mut self) {
        for i in (1..self.order.len()).rev() {
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            self.order.swap(i, (self.random % (i as u64 + 1)) as usize);
        }
    }
}

/// One sweep; the largest change of an impulse relative to the largest impulse.
fn sweep(options: &Options, rows: &mut Rows, order: &[u32], lane: usize, V: &mut [Six]) -> f64 {
    let (mut change, mut largest) = (0.0f64, f64::MIN_POSITIVE);
    for &i in order {
        let i = i as usize;
        let moved = match (options.cone, rows.rows[i].kind) {
            (Cone::Elliptic, Kind::Friction { direction: 0, .. }) => relax_cone(options, rows, i, lane, V),
            (Cone::Elliptic, Kind::Friction { .. }) => 0.0,
            _ => relax(options, rows, i, lane, V),
        };
        change = change.max(moved.abs());
        largest = largest.max(rows.rows[i].force[lane].abs());
    }
    change / largest
}

/// The normal impulse that bounds a friction row.
fn normal_of(options: &Options, rows: &[Row], normal: u32, lane: usize) -> f64 {
    let row = &rows[normal as usize];
    match options.friction_bound {
        FrictionBound::Present => row.force[lane],
        FrictionBound::LastStep => row.last[lane],
    }
}

/// (1)–(3) for one row; how much its impulse changed.
#[inline]
fn relax(options: &Options, rows: &mut Rows, i: usize, lane: usize, V: &mut [Six]) -> f64 {
    let row = rows.rows[i];
    let f = row.force[lane];
    let gap = row.target[lane] - row.compliance * f - rows.velocity(i, V);
    let free = f + options.relaxation * gap * row.inv_diag;
    let mut next = match row.bound {
        Bound::None => free,
        Bound::OneSided => free.max(0.0),
        Bound::Constant(most) => free.clamp(-most, most),
        Bound::Friction { mu, normal } => {
            let most = mu * normal_of(options, &rows.rows, normal, lane);
            free.max(-most).min(most)
        }
    };
    if options.smoothing > 0.0 && row.bound != Bound::None {
        next = (1.0 - options.smoothing) * next + options.smoothing * row.last[lane]; // (3)
    }
    apply(rows, i, lane, next, V)
}

/// (2).
#[inline]
fn apply(rows: &mut Rows, i: usize, lane: usize, next: f64, V: &mut [Six]) -> f64 {
    let row = &mut rows.rows[i];
    let change = next - row.force[lane];
    row.force[lane] = next;
    let (first, count) = (row.response_first as usize, row.response_count as usize);
    for block in &rows.response[first..first + count] {
        V[block.link as usize].add_scaled(change, &block.value);
    }
    change
}

/// (4) for the friction rows of a contact, of which `first` is the first; the largest change of an impulse.
fn relax_cone(options: &Options, rows: &mut Rows, first: usize, lane: usize, V: &mut [Six]) -> f64 {
    let Kind::Friction { contact, .. } = rows.rows[first].kind else { return 0.0 };
    let of_contact = |row: &Row| matches!(row.kind, Kind::Friction { contact: c, .. } if c == contact);
    let n = rows.rows[first..].iter().take_while(|row| of_contact(row)).count().min(5);
    let mut mu = [0.0; 5];
    let (mut stiffness, mut most) = (0.0, 0.0);
    for k in 0..n {
        let row = &rows.rows[first + k];
        if let Bound::Friction { mu: m, normal } = row.bound {
            most = normal_of(options, &rows.rows, normal, lane);
            mu[k] = m;
        }
        if row.inv_diag > 0.0 {
            stiffness += mu[k] * mu[k] / row.inv_diag;
        }
    }
    if stiffness <= 0.0 {
        return 0.0;
    }
    // g = f/μ; a step against μ (J V − c), then the ball |g| ≤ f_n. The trace bounds the largest eigenvalue.
    let step = 1.5 / stiffness;
    let mut g = [0.0; 5];
    let mut size = 0.0;
    for k in 0..n {
        let row = &rows.rows[first + k];
        let gap = row.target[lane] - row.compliance * row.force[lane] - rows.velocity(first + k, V);
        if mu[k] > 0.0 {
            g[k] = row.force[lane] / mu[k] + step * mu[k] * gap;
        }
        size += g[k] * g[k];
    }
    let scale = if size > most * most { most / size.sqrt() } else { 1.0 };
    let mut change = 0.0f64;
    for k in 0..n {
        let mut next = mu[k] * g[k] * scale;
        if options.smoothing > 0.0 {
            next = (1.0 - options.smoothing) * next + options.smoothing * rows.rows[first + k].last[lane];
        }
        change = change.max(apply(rows, first + k, lane, next, V).abs());
    }
    change
}
