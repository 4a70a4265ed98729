//! Lists of numbers one after the other, one for each term.

/// Memory of lists is one piece: dozens of small pieces for every step would lie between those of
/// other threads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lists {
    values: Vec<f64>,
    /// Where each list ends.
    end: Vec<usize>,
}

impl Lists {
    /// Room for `count` lists with `total` numbers in all.
    pub(super) fn with_room(count: usize, total: usize) -> Self {
        Self { values: Vec::with_capacity(total), end: Vec::with_capacity(count) }
    }

    pub(super) fn clear(&mut self) {
        self.values.clear();
        self.end.clear();
    }

    /// Ends the present list and begins the next.
    pub(super) fn end(&mut self) {
        self.end.push(self.values.len());
    }

    /// Adds a number to the present list.
    pub(super) fn push(&mut self, value: f64) {
        self.values.push(value);
    }

    /// Adds numbers to the present list.
    pub(super) fn extend(&mut self, values: &[f64]) {
        self.values.extend_from_slice(values);
    }

    /// Number of lists.
    pub(crate) fn len(&self) -> usize {
        self.end.len()
    }

    /// All lists in their order.
    pub fn iter(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.len()).map(|k| &self[k])
    }
}

impl core::ops::Index<usize> for Lists {
    type Output = [f64];

    fn index(&self, k: usize) -> &[f64] {
        let start = if k == 0 { 0 } else { self.end[k - 1] };
        &self.values[start..self.end[k]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_told_apart() {
        let mut lists = Lists::with_room(3, 4);
        lists.push(1.0);
        lists.extend(&[2.0, 3.0]);
        lists.end();
        lists.end();
        lists.push(4.0);
        lists.end();
        let all: Vec<&[f64]> = lists.iter().collect();
        assert_eq!(all, [&[1.0, 2.0, 3.0][..], &[], &[4.0]]);
    }
}
