//! Appending blocks of rows.

use super::impedance::Settings;
use crate::data::{Block, Constraints, RowKind, Spring};
use crate::ids::Span;

impl Constraints {
    /// Appends a block of `rows` rows on the columns from `first_col` to the end of `col`, with J
    /// and all else zero. None, with the columns removed, if there are no columns: such rows have
    /// no effect.
    pub(super) fn push_block(&mut self, kind: RowKind, id: usize, rows: usize, first_col: usize) -> Option<Block> {
        let cols = self.col.len() - first_col;
        if cols == 0 {
            return None;
        }
        let (row, value) = (self.kind.len(), self.J.len());
        let block = Block {
            kind,
            id: id as u32,
            rows: Span::new(row, rows),
            cols: Span::new(first_col, cols),
            values: value as u32,
        };
        self.blocks.push(block);
        self.J.resize(value + rows * cols, 0.0);
        self.resize_rows(row + rows);
        self.kind[row..].fill(kind);
        self.id[row..].fill(id as u32);
        Some(block)
    }

    /// Extends all vectors to `n` rows, with zeros.
    pub(super) fn resize_rows(&mut self, n: usize) {
        self.kind.resize(n, RowKind::default());
        self.id.resize(n, 0);
        self.spring.resize(n, Spring::default());
        for v in [&mut self.pos, &mut self.margin, &mut self.friction_loss, &mut self.diag, &mut self.R] {
            v.resize(n, 0.0);
        }
    }

    /// Sets the parameters common to all rows of a block: diagonal, spring, impedance, and the
    /// resulting regularizer.
    pub(super) fn set_softness(&mut self, settings: &Settings, block: &Block, diag: f64, spring: Spring) {
        let rows = block.rows.range();
        self.diag[rows.clone()].fill(diag);
        self.R[rows.clone()].fill(settings.regularizer(spring, diag));
        self.spring[rows].fill(spring);
    }

    /// Appends the one-row block of a single dof.
    pub(super) fn push_dof(&mut self, kind: RowKind, id: usize, dof: u32, value: f64) -> Option<Block> {
        let first = self.col.len();
        self.col.push(dof);
        let block = self.push_block(kind, id, 1, first)?;
        self.J[block.values as usize] = value;
        Some(block)
    }
}
