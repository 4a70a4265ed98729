//! Projected Gauss–Seidel on rows J V + R f = c with bounds: which groups of rows, in which order, how often.
//!
//! Smoothing [HsuPeters2014, §5.4] mixes the last step's impulse into that of unilateral rows, f ← (1 − ε) f + ε f_last.

use crate::islands::Islands;
use crate::options::{Options, Order};
use crate::packed::{Packed, Quad};
use crate::relax::{How, Velocities, relax};
use crate::rows::{Kind, LANES, Rows};
use crate::six::Six;
use core::ops::Range;

/// Sweeps after which random rows are shuffled again.
const SHUFFLED_EVERY: u32 = 8;

/// Sweeps after which it is seen whether impulses still change.
const WATCHED_EVERY: u32 = 4;

/// Groups of rows, their order, and the state of its generator.
#[derive(Clone, Debug, Default)]
pub struct Sweeps {
    packed: Packed,
    /// Groups in the order of a sweep, island by island; those of friction alone.
    order: Vec<u32>,
    friction: Vec<u32>,
    /// First link of each link's island, and that of each group.
    islands: Islands,
    keys: Vec<u32>,
    rows: Vec<u32>,
    before: Vec<Quad>,
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

impl Sweeps {
    pub fn new(order: Order) -> Self {
        let random = if let Order::Random { seed } = order { seed.wrapping_mul(2).wrapping_add(1) } else { 1 };
        Self { random, ..Self::default() }
    }

    /// Sweeps over the rows from `first` on in the given lanes. V contains what their present forces make.
    pub fn solve(
        &mut self,
        options: &Options,
        rows: &mut Rows,
        first: usize,
        lanes: Range<usize>,
        V: &mut [Vec<Six>; LANES],
    ) -> Outcome {
        self.arrange(options, rows, first, V[0].len());
        let how = |lane| How { lane, smoothing: options.smoothing, friction_bound: options.friction_bound };
        let [a, b] = V;
        let outcome = match (lanes.start, lanes.len()) {
            (lane, 2) => self.run(options, how(lane), &mut [a, b]),
            (0, _) => self.run(options, how(0), &mut [a]),
            (lane, _) => self.run(options, how(lane), &mut [b]),
        };
        self.packed.write(lanes, rows);
        outcome
    }

    /// All sweeps over one island, then the next: its numbers stay near.
    fn run<const L: usize>(&mut self, options: &Options, how: How, V: &mut Velocities<'_, L>) -> Outcome {
        let mut outcome = Outcome { converged: true, ..Outcome::default() };
        let (order, friction) = (core::mem::take(&mut self.order), core::mem::take(&mut self.friction));
        let mut rest = &friction[..];
        let mut parts = order;
        let mut first = 0;
        while first < parts.len() {
            let key = self.keys[parts[first] as usize];
            let count = parts[first..].iter().take_while(|g| self.keys[**g as usize] == key).count();
            let own = rest.iter().take_while(|g| self.keys[**g as usize] == key).count();
            let one = self.run_island(options, how, (&mut parts[first..first + count], &rest[..own]), V);
            outcome.sweeps = outcome.sweeps.max(one.sweeps);
            outcome.change = outcome.change.max(one.change);
            outcome.converged &= one.converged;
            (first, rest) = (first + count, &rest[own..]);
        }
        (self.order, self.friction) = (parts, friction);
        outcome
    }

    fn run_island<const L: usize>(
        &mut self,
        options: &Options,
        how: How,
        (groups, friction): (&mut [u32], &[u32]),
        V: &mut Velocities<'_, L>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        while outcome.sweeps < options.iterations && !outcome.converged {
            if matches!(options.order, Order::Random { .. }) && outcome.sweeps % SHUFFLED_EVERY == 0 {
                self.shuffle(groups);
            }
            let due = options.tolerance > 0.0 && (outcome.sweeps + 1) % WATCHED_EVERY == 0;
            let watched = due || outcome.sweeps + 1 == options.iterations;
            if watched {
                self.remember::<L>(how.lane, groups);
            }
            sweep(how, &mut self.packed, groups, V);
            outcome.sweeps += 1;
            if watched {
                outcome.change = self.change::<L>(how.lane, groups);
                outcome.converged = outcome.change <= options.tolerance;
            }
        }
        for _ in 0..options.friction_sweeps {
            sweep(how, &mut self.packed, friction, V);
        }
        outcome
    }

    /// Makes the groups.
    fn arrange(&mut self, options: &Options, rows: &Rows, first: usize, links: usize) {
        let packed = &mut self.packed;
        packed.clear();
        self.friction.clear();
        let merged = !matches!(options.order, Order::Random { .. });
        if options.order == Order::AsMade {
            contact_by_contact(rows, first, &mut self.rows);
            packed.push(options, rows, self.rows.iter().map(|i| *i as usize), merged);
        } else {
            packed.push(options, rows, first..rows.len(), merged);
        }
        packed.fill(options, rows);
        self.islands.clear(links);
        for group in &packed.groups {
            group.links[..group.slots].windows(2).for_each(|w| self.islands.join(w[0], w[1]));
        }
        self.keys.clear();
        self.keys.extend(packed.groups.iter().map(|g| self.islands.find(g.links[0])));
        self.order.clear();
        self.order.extend(0..packed.groups.len() as u32);
        let keys = &self.keys;
        self.order.sort_unstable_by_key(|g| (keys[*g as usize], *g));
        let row = |g: u32| packed.row[packed.groups[g as usize].quad * 4] as usize;
        self.friction.extend(self.order.iter().copied().filter(|g| row(*g) >= rows.end_normals));
    }

    fn remember<const L: usize>(&mut self, lane: usize, groups: &[u32]) {
        let packed = &self.packed;
        self.before.clear();
        for g in groups.iter().map(|g| &packed.groups[*g as usize]) {
            (lane..lane + L).for_each(|l| self.before.extend_from_slice(&packed.f[l][g.quad..g.quad + g.quads()]));
        }
    }

    fn change<const L: usize>(&self, lane: usize, groups: &[u32]) -> f64 {
        let mut before = self.before.iter();
        let (mut change, mut largest) = (0.0f64, f64::MIN_POSITIVE);
        for g in groups.iter().map(|g| &self.packed.groups[*g as usize]) {
            let now = (lane..lane + L).flat_map(|l| &self.packed.f[l][g.quad..g.quad + g.quads()]);
            for (f, old) in now.zip(&mut before).flat_map(|(f, old)| f.0.into_iter().zip(old.0)) {
                change = change.max((f - old).abs());
                largest = largest.max(f.abs());
            }
        }
        change / largest
    }

    /// Fisher–Yates with a xorshift generator.
    fn shuffle(&mut self, order: &mut [u32]) {
        for i in (1..order.len()).rev() {
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            order.swap(i, (self.random % (i as u64 + 1)) as usize);
        }
    }
}

/// All rows but friction, each normal followed by the friction of its contact.
fn contact_by_contact(rows: &Rows, first: usize, out: &mut Vec<u32>) {
    out.clear();
    let mut friction = rows.end_normals;
    for i in first..rows.end_normals {
        out.push(i as u32);
        let Kind::Normal { contact } = rows.rows[i].kind else { continue };
        while friction < rows.len()
            && matches!(rows.rows[friction].kind, Kind::Friction { contact: c, .. } if c == contact)
        {
            out.push(friction as u32);
            friction += 1;
        }
    }
}

fn sweep<const L: usize>(how: How, packed: &mut Packed, order: &[u32], V: &mut Velocities<'_, L>) {
    for &g in order {
        relax(how, packed, g as usize, V);
    }
}
