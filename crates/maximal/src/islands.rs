//! Sets of what rows connect: union–find, and things sorted by the set that they are in.

use core::ops::Range;

/// Parent of each element; roots are their own.
#[derive(Clone, Debug, Default)]
pub struct Islands {
    above: Vec<u32>,
    /// Things by set, and the set of each thing.
    things: Vec<u32>,
    keys: Vec<u32>,
    /// The first of all things.
    first: u32,
}

impl Islands {
    /// Each of `n` elements alone.
    pub fn clear(&mut self, n: usize) {
        self.above.clear();
        self.above.extend(0..n as u32);
    }

    /// Puts two sets together, under the smaller root.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.above[a.max(b) as usize] = a.min(b);
    }

    /// Root of a set, with paths cut in half on the way.
    pub fn find(&mut self, mut at: u32) -> u32 {
        while self.above[at as usize] != at {
            self.above[at as usize] = self.above[self.above[at as usize] as usize];
            at = self.above[at as usize];
        }
        at
    }

    /// Sorts things by the sets of their elements, in their own order within a set.
    pub fn sort(&mut self, things: Range<u32>, element: impl Fn(u32) -> u32) {
        self.first = things.start;
        self.keys.clear();
        for thing in things.clone() {
            let key = self.find(element(thing));
            self.keys.push(key);
        }
        self.things.clear();
        self.things.extend(things);
        let (keys, first) = (&self.keys, self.first);
        self.things.sort_unstable_by_key(|thing| (keys[(thing - first) as usize], *thing));
    }

    /// The set of a thing.
    pub fn key(&self, thing: u32) -> u32 {
        self.keys[(thing - self.first) as usize]
    }

    /// All things by set.
    pub fn things(&self) -> &[u32] {
        &self.things
    }

    /// The things of each set.
    pub fn each(&self) -> impl Iterator<Item = &[u32]> {
        self.things.chunk_by(|a, b| self.key(*a) == self.key(*b))
    }
}
