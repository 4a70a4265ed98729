//! Which residuals are bent, by which dofs, and how few differences tell how.
//!
//! Most residuals are linear in all that they depend on: where everything is changed a little at
//! once, their derivatives stay the same to the last bit. The others name the dofs that they depend
//! on by the derivatives that they write there. Dofs of which no row names two are changed at the
//! same time, as those of the two legs are.

use super::state::{Base, PARTS, Pass, State};
use crate::problem::rows::Rows;

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
    rows: Rows,
    line: Vec<f64>,
}

/// Numbers between ½ and 1 without pattern.
fn uneven(i: usize) -> f64 {
    0.5 + 0.5 * ((i + 1) as f64 * 0.618_033_988_749_895).fract()
}

impl Bent {
    /// Finds everything among the `active` terms, whose derivatives at the present state are
    /// `base`; false where a changed state has no results. Results of the data are those of another
    /// state afterwards.
    pub fn update(&mut self, state: &mut State<'_>, here: &Base, active: &[usize], base: &[Rows]) -> bool {
        let n = state.input.problem.model.size.nv;
        self.words = n.div_ceil(64);
        self.terms.clear();
        self.masks.clear();
        (0..PARTS).for_each(|part| self.probe(state, part));
        let known = state.refresh(Pass::Everything);
        for &k in active.iter().filter(|_| known) {
            state.evaluate(k, &mut self.rows);
            if self.rows.entries == base[k].entries {
                continue;
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
        state.restore(here);
        self.color(n);
        known
    }

    /// What of the data the terms need, after [`update`](Self::update): where positions and
    /// velocities are those of the state again and all else is not, whoever sees more writes
    /// something else. The data has what they need afterwards; nothing if there is no way.
    pub fn find_pass(&mut self, state: &mut State<'_>, base: &[Rows]) -> Option<Pass> {
        state.refresh(Pass::Kinematics);
        let mut alike = true;
        for &(k, _) in &self.terms {
            state.evaluate(k, &mut self.rows);
            alike &= self.rows.entries == base[k].entries;
        }
        if alike {
            return Some(Pass::Kinematics);
        }
        state.refresh(Pass::Everything).then_some(Pass::Everything)
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
