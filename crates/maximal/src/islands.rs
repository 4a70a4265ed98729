//! Sets of what rows connect: union–find.

/// Parent of each element; roots are their own.
#[derive(Clone, Debug, Default)]
pub struct Islands {
    above: Vec<u32>,
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
}
