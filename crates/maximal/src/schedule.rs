//! Sweeps one after the other, with several groups of rows under way at a time.
//!
//! Groups without a common link do not see each other, so every order that keeps that of groups
//! with a common link gives the same bits. (1) The level of a group is one more than the highest of
//! the groups before it that share a link with it. (2) The period d is one more than the largest
//! difference of levels on a link. Sweep s relaxes level ℓ at time ℓ + s d: what shares a link
//! keeps its order from sweep to sweep, and the groups of one time are independent, so that the
//! processor goes on with others while the sums of one are being made.

use crate::packed::Packed;

/// Groups by time; keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// d, and the largest ℓ / d + 1.
    period: usize,
    turns: usize,
    /// Groups by ℓ mod d, then by ℓ / d, and the first of each pair; the pairs of one ℓ mod d are
    /// `turns + 1` apart.
    groups: Vec<u32>,
    first: Vec<u32>,
    /// ℓ of each group.
    level: Vec<u32>,
    /// Lowest level on each link, and one more than the highest.
    low: Vec<u32>,
    high: Vec<u32>,
}

impl Schedule {
    /// The schedule of sweeps over `groups` in their order.
    pub fn arrange(&mut self, packed: &Packed, groups: &[u32], links: usize) {
        self.low.resize(links, 0);
        self.high.resize(links, 0);
        for link in groups.iter().flat_map(|g| packed.reach(*g as usize)) {
            self.high[*link as usize] = 0;
        }
        let (mut period, mut levels) = (1, 1);
        self.level.clear();
        for &g in groups {
            let reach = packed.reach(g as usize);
            let level = reach.iter().map(|l| self.high[*l as usize]).max().unwrap_or(0); // (1)
            for &link in reach {
                let link = link as usize;
                if self.high[link] == 0 {
                    self.low[link] = level;
                }
                self.high[link] = level + 1;
                period = period.max(level + 1 - self.low[link]); // (2)
            }
            levels = levels.max(level + 1);
            self.level.push(level);
        }
        self.period = period as usize;
        self.turns = levels.div_ceil(period) as usize;
        self.sort(groups);
    }

    /// Counting sort of the groups.
    fn sort(&mut self, groups: &[u32]) {
        let (period, stride) = (self.period, self.turns + 1);
        let place = |level: u32| (level as usize % period) * stride + level as usize / period;
        self.first.clear();
        self.first.resize(period * stride + 1, 0);
        self.level.iter().for_each(|l| self.first[place(*l) + 1] += 1);
        for k in 1..self.first.len() {
            self.first[k] += self.first[k - 1];
        }
        self.groups.clear();
        self.groups.resize(groups.len(), 0);
        for (&g, &level) in groups.iter().zip(&self.level) {
            let at = &mut self.first[place(level)];
            self.groups[*at as usize] = g;
            *at += 1;
        }
        // Each first is now that of the next pair.
        self.first.rotate_right(1);
        self.first[0] = 0;
    }

    /// The groups of all times of so many sweeps, one time after the other.
    pub fn times(&self, sweeps: usize) -> impl Iterator<Item = &[u32]> {
        let rounds = if sweeps == 0 { 0 } else { sweeps + self.turns - 1 };
        (0..rounds).flat_map(move |round| {
            // ℓ / d = k is in sweep round − k.
            let (low, high) = ((round + 1).saturating_sub(sweeps), round.min(self.turns - 1));
            let pairs = self.first.chunks_exact(self.turns + 1);
            pairs.map(move |first| &self.groups[first[low] as usize..first[high + 1] as usize])
        })
    }
}
