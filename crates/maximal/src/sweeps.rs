//! Projected Gauss–Seidel on rows J V + R f = c with bounds: which groups of rows, in which order,
//! how often.
//!
//! Smoothing [HsuPeters2014, §5.4] mixes the last step's impulse into that of unilateral rows, f ←
//! (1 − ε) f + ε f_last.

use crate::bond::Bonds;
use crate::four::{Quad, Twist};
use crate::islands::Islands;
use crate::options::{Options, Order};
use crate::packed::{Grouping, Packed};
use crate::relax::{How, Velocities, relax};
use crate::rows::{Impulses, Kind, LANES, Rows};
use crate::schedule::Schedule;
use crate::six::Six;
use core::ops::Range;

/// Sweeps after which random rows are shuffled again.
const SHUFFLED_EVERY: u32 = 8;

/// Sweeps after which it is seen whether impulses still change.
const WATCHED_EVERY: u32 = 4;

/// Rows of islands that are swept together, at least: enough to work on several at a time, few
/// enough to stay in the nearest cache.
const TOGETHER: usize = 48;

/// Groups of rows, their order, and the state of its generator.
#[derive(Clone, Debug, Default)]
pub struct Sweeps {
    packed: Packed,
    f: Impulses,
    V: [Vec<Twist>; LANES],
    /// Groups in the order of a sweep, island by island; those of friction alone.
    order: Vec<u32>,
    friction: Vec<u32>,
    /// Of links, and the groups on them.
    islands: Islands,
    rows: Vec<u32>,
    before: Vec<Quad>,
    schedule: Schedule,
    random: u64,
}

/// How sweeps ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    pub sweeps: u32,
    /// Largest change of an impulse in the last sweep relative to the largest impulse.
    pub change: f64,
    pub converged: bool,
}

impl Outcome {
    /// That of no islands.
    pub const OF_NONE: Self = Self { sweeps: 0, change: 0.0, converged: true };

    /// What two islands have in common.
    pub fn worse(self, other: Self) -> Self {
        Self {
            sweeps: self.sweeps.max(other.sweeps),
            change: self.change.max(other.change),
            converged: self.converged && other.converged,
        }
    }
}

impl Sweeps {
    pub fn new(order: Order) -> Self {
        let random = if let Order::Random { seed } = order { seed.wrapping_mul(2).wrapping_add(1) } else { 1 };
        Self { random, ..Self::default() }
    }

    /// Sweeps over the rows from `first` on in the given lanes. V contains what their present
    /// forces make. The rows of joints, if there are any, need `bonds` or responses.
    pub fn solve(
        &mut self,
        options: &Options,
        bonds: Option<Bonds<'_>>,
        rows: &mut Rows,
        first: usize,
        lanes: Range<usize>,
        V: &mut [Vec<Six>; LANES],
    ) -> Outcome {
        let grouping = Grouping { options, merged: !is_random(options), bonds };
        self.arrange(&grouping, rows, first, V[0].len());
        for lane in lanes.clone() {
            self.V[lane].clear();
            self.V[lane].extend(V[lane].iter().map(|v| v.to_twist()));
        }
        let how = |lane| How { lane, smoothing: options.smoothing, friction_bound: options.friction_bound };
        let [mut a, mut b] = core::mem::take(&mut self.V);
        let outcome = match (lanes.start, lanes.len()) {
            (lane, 2) => self.run(options, how(lane), &mut [&mut a, &mut b]),
            (0, _) => self.run(options, how(0), &mut [&mut a]),
            (lane, _) => self.run(options, how(lane), &mut [&mut b]),
        };
        self.V = [a, b];
        for lane in lanes.clone() {
            V[lane].iter_mut().zip(&self.V[lane]).for_each(|(V, v)| *V = Six::from_twist(*v));
        }
        self.packed.write(&grouping, lanes, &self.f, rows);
        outcome
    }

    /// All sweeps over some islands, then over the next: their numbers stay near.
    fn run<const L: usize>(&mut self, options: &Options, how: How, V: &mut Velocities<'_, L>) -> Outcome {
        let mut outcome = Outcome::OF_NONE;
        let (mut order, friction) = (core::mem::take(&mut self.order), core::mem::take(&mut self.friction));
        // Islands converge each by itself.
        let together = if options.tolerance > 0.0 { 1 } else { TOGETHER };
        let (mut groups, mut rest) = (&mut order[..], &friction[..]);
        while !groups.is_empty() {
            let count = self.count_batch(groups, together);
            let (batch, others) = groups.split_at_mut(count);
            let last = self.islands.key(batch[count - 1]);
            let (own, after) = rest.split_at(rest.partition_point(|g| self.islands.key(*g) <= last));
            outcome = outcome.worse(self.run_batch(options, how, batch, own, V));
            (groups, rest) = (others, after);
        }
        (self.order, self.friction) = (order, friction);
        outcome
    }

    /// Groups of the first islands: whole ones, with at least `least` rows if there are as many.
    fn count_batch(&self, groups: &[u32], least: usize) -> usize {
        let mut rows = 0;
        let enough = |g: &&u32| {
            rows += self.packed.groups[**g as usize].rows;
            rows >= least
        };
        match groups.iter().find(enough) {
            Some(last) => groups.partition_point(|g| self.islands.key(*g) <= self.islands.key(*last)),
            None => groups.len(),
        }
    }

    fn run_batch<const L: usize>(
        &mut self,
        options: &Options,
        how: How,
        groups: &mut [u32],
        friction: &[u32],
        V: &mut Velocities<'_, L>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        self.schedule.arrange(&self.packed, groups, V[0].len());
        while outcome.sweeps < options.iterations && !outcome.converged {
            let done = outcome.sweeps;
            let mut end = options.iterations;
            if is_random(options) {
                if done % SHUFFLED_EVERY == 0 {
                    let islands = &self.islands;
                    for island in groups.chunk_by_mut(|a, b| islands.key(*a) == islands.key(*b)) {
                        shuffle(island, &mut self.random);
                    }
                    self.schedule.arrange(&self.packed, groups, V[0].len());
                }
                end = end.min((done / SHUFFLED_EVERY + 1) * SHUFFLED_EVERY);
            }
            if options.tolerance > 0.0 {
                end = end.min((done / WATCHED_EVERY + 1) * WATCHED_EVERY);
            }
            let watched = end == options.iterations || (options.tolerance > 0.0 && end.is_multiple_of(WATCHED_EVERY));
            self.sweep(how, end - done - u32::from(watched), V);
            if watched {
                self.remember::<L>(how.lane, groups);
                self.sweep(how, 1, V);
                outcome.change = self.change::<L>(how.lane, groups);
                outcome.converged = outcome.change <= options.tolerance;
            }
            outcome.sweeps = end;
        }
        if options.friction_sweeps > 0 {
            self.schedule.arrange(&self.packed, friction, V[0].len());
            self.sweep(how, options.friction_sweeps, V);
        }
        outcome
    }

    /// Sweeps over what is scheduled.
    fn sweep<const L: usize>(&mut self, how: How, sweeps: u32, V: &mut Velocities<'_, L>) {
        for groups in self.schedule.times(sweeps as usize) {
            for &g in groups {
                relax(how, &self.packed, g as usize, &mut self.f, V);
            }
        }
    }

    /// Makes the groups.
    fn arrange(&mut self, how: &Grouping<'_>, rows: &Rows, first: usize, links: usize) {
        let packed = &mut self.packed;
        packed.clear();
        self.friction.clear();
        if how.options.order == Order::AsMade {
            contact_by_contact(rows, first, &mut self.rows);
            packed.push(how, rows, self.rows.iter().map(|i| *i as usize));
        } else {
            packed.push(how, rows, first..rows.len());
        }
        packed.fill(how, rows, &mut self.f);
        self.islands.clear(links);
        for g in 0..packed.groups.len() {
            packed.reach(g).windows(2).for_each(|w| self.islands.join(w[0], w[1]));
        }
        self.islands.sort(0..packed.groups.len() as u32, |g| packed.groups[g as usize].links[0]);
        self.order.clear();
        self.order.extend_from_slice(self.islands.things());
        let first = |g: u32| packed.groups[g as usize].first;
        self.friction.extend(self.order.iter().copied().filter(|g| first(*g) >= rows.end_normals));
    }

    fn remember<const L: usize>(&mut self, lane: usize, groups: &[u32]) {
        let packed = &self.packed;
        self.before.clear();
        for g in groups.iter().map(|g| &packed.groups[*g as usize]) {
            (lane..lane + L).for_each(|l| self.before.extend_from_slice(&self.f[l][g.quad..g.quad + g.quads()]));
        }
    }

    /// The largest change of an impulse relative to the largest impulse of its island.
    fn change<const L: usize>(&self, lane: usize, groups: &[u32]) -> f64 {
        let mut before = self.before.iter();
        let mut worst = 0.0f64;
        for island in groups.chunk_by(|a, b| self.islands.key(*a) == self.islands.key(*b)) {
            let (mut change, mut largest) = (0.0f64, f64::MIN_POSITIVE);
            for g in island.iter().map(|g| &self.packed.groups[*g as usize]) {
                let now = (lane..lane + L).flat_map(|l| &self.f[l][g.quad..g.quad + g.quads()]);
                for (f, old) in now.zip(&mut before).flat_map(|(f, old)| f.0.into_iter().zip(old.0)) {
                    change = change.max((f - old).abs());
                    largest = largest.max(f.abs());
                }
            }
            worst = worst.max(change / largest);
        }
        worst
    }
}

/// Fisher–Yates with a xorshift generator.
fn shuffle(order: &mut [u32], random: &mut u64) {
    for i in (1..order.len()).rev() {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        order.swap(i, (*random % (i as u64 + 1)) as usize);
    }
}

/// All rows but friction, each normal followed by the friction of its contact.
fn contact_by_contact(rows: &Rows, first: usize, out: &mut Vec<u32>) {
    out.clear();
    let mut friction = rows.end_normals;
    for i in first..rows.end_normals {
        out.push(i as u32);
        let Kind::Normal { contact } = rows.rows[i].kind else { continue };
        while friction < rows.len() && rows.rows[friction].kind.friction_of() == Some(contact) {
            out.push(friction as u32);
            friction += 1;
        }
    }
}

/// Whether rows are shuffled, each by itself.
pub fn is_random(options: &Options) -> bool {
    matches!(options.order, Order::Random { .. })
}
