//! Which residuals are bent, by which dofs, and how few differences tell how.
//!
//! Most residuals are linear in all that they depend on: where everything is changed a little at once, their derivatives stay
//! the same to the last bit. The others name the dofs that they depend on by the derivatives that they write there. Dofs of which
//! no row names two are changed at the same time, as those of the two legs are.

use super::state::{PARTS, Pass, State};
use crate::rows::Rows;

/// Change of everything, in units of the scale of each dof.
const PROBE: f64 = 1e-4;

/// Results and working memory.
#[derive(Debug, Default)]
pub(super) struct Bent {
    /// Bent terms, and the first of the rows of each in `masks`.
    pub terms: Vec<(usize, usize)>,
    /// Dofs that a row names, by bits; none for rows that are linear · rows × words.
    masks: Vec<u64>,
    words: usize,
    /// Those that differ.
    unique: Vec<u64>,
    /// Dofs that are changed together, by bits.
    pub colors: Vec<Vec<u64>>,
    before: Vec<Rows>,
    rows: Rows,
    line: Vec<f64>,
}

/// Numbers between ½ and 1 without pattern.
fn uneven(i: usize) -> f64 {
    0.5 + 0.5 * ((i + 1) as f64 * 0.618_033_988_749_895).fract()
}

impl Bent {
    /// Finds everything among the `active` terms, whose derivatives at the present state are `base`, and what of the data
    /// they need. Nothing where the changed state has no results. The state is another afterwards.
    pub fn update(&mut self, state: &mut State<'_>, active: &[usize], base: &[Rows]) -> Option<Pass> {
        let n = state.input.problem.model.size.nv;
        self.words = n.div_ceil(64);
        self.terms.clear();
        self.masks.clear();
        (0..PARTS).for_each(|part| self.probe(state, part));
        // Data with positions and velocities only: whoever sees more writes something else when all is there.
        state.refresh(Pass::Kinematics);
        self.before.resize(active.len().max(self.before.len()), Rows::default());
        for (rows, &k) in self.before.iter_mut().zip(active) {
            state.evaluate(k, rows);
        }
        if !state.refresh(Pass::Everything) {
            return None;
        }
        let mut pass = Pass::Kinematics;
        for (seen, &k) in self.before.iter().zip(active) {
            state.evaluate(k, &mut self.rows);
            if self.rows.entries == base[k].entries {
                continue;
            }
            if self.rows.entries != seen.entries {
                pass = Pass::Everything;
            }
            self.terms.push((k, self.masks.len() / self.words));
            for i in 0..self.rows.len() {
                let first = self.masks.len();
                self.masks.resize(first + self.words, 0);
                let entries = self.rows.entries(i);
                if i < base[k].len() && entries == base[k].entries(i) {
                    continue;
                }
                for e in entries {
                    self.masks[first + e.dof as usize / 64] |= 1 << (e.dof % 64);
                }
            }
        }
        self.color(n);
        Some(pass)
    }

    /// Changes all numbers of a part.
    pub fn probe(&mut self, state: &mut State<'_>, part: usize) {
        let (unit, scale) = (PROBE * state.unit(part), &state.input.problem.scale);
        self.line.clear();
        self.line.extend(scale.iter().enumerate().map(|(i, s)| unit * uneven(i) * s));
        state.change(part, &self.line);
    }

    /// The dof of a color that a row depends on.
    pub fn dof(&self, row: usize, color: &[u64]) -> Option<usize> {
        let mask = self.masks.get(row * self.words..(row + 1) * self.words)?;
        let (word, bits) = mask.iter().zip(color).map(|(m, c)| m & c).enumerate().find(|(_, bits)| *bits != 0)?;
        Some(64 * word + bits.trailing_zeros() as usize)
    }

    /// Puts each dof into the first color with which no row sees another of its dofs.
    fn color(&mut self, n: usize) {
        let words = self.words;
        self.masks_seen();
        self.colors.clear();
        for dof in 0..n {
            let (word, bit) = (dof / 64, 1u64 << (dof % 64));
            let mut own = self.unique.chunks_exact(words).filter(|m| m[word] & bit != 0).peekable();
            if own.peek().is_none() {
                continue;
            }
            let rows: Vec<&[u64]> = own.collect();
            let free = |color: &&mut Vec<u64>| rows.iter().all(|m| m.iter().zip(color.iter()).all(|(m, c)| m & c == 0));
            match self.colors.iter_mut().find(free) {
                Some(color) => color[word] |= bit,
                None => {
                    let mut color = vec![0; words];
                    color[word] |= bit;
                    self.colors.push(color);
                }
            }
        }
    }

    /// Masks that differ.
    fn masks_seen(&mut self) {
        self.unique.clear();
        for mask in self.masks.chunks_exact(self.words) {
            let seen = self.unique.chunks_exact(self.words).any(|m| m == mask);
            if !seen && mask.iter().any(|m| *m != 0) {
                self.unique.extend_from_slice(mask);
            }
        }
    }
}
