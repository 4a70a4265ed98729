//! Collects the dofs that move given bodies: those of their ancestors.

use crate::model::Model;

/// Collects the dofs that move a set of bodies. Reused, so that the cost of a query is proportional
/// to its result.
#[derive(Debug)]
pub(super) struct DofSet {
    marked: Vec<bool>,
    found: Vec<u32>,
}

impl DofSet {
    pub fn new(model: &Model) -> Self {
        Self { marked: vec![false; model.size.nv], found: Vec::new() }
    }

    /// Adds one dof.
    pub fn add(&mut self, dof: usize) {
        if !self.marked[dof] {
            self.marked[dof] = true;
            self.found.push(dof as u32);
        }
    }

    /// Adds the dofs that move `body`. Stops at a dof that is already in the set: its ancestors are
    /// too, if all dofs were added by this function.
    pub fn add_body(&mut self, model: &Model, body: usize) {
        let mut body = body;
        while body != 0 && model.bodies.dofs[body].is_empty() {
            body = model.bodies.parent[body].idx();
        }
        let span = model.bodies.dofs[body];
        let mut next = (!span.is_empty()).then(|| span.range().end - 1);
        while let Some(dof) = next {
            if self.marked[dof] {
                break;
            }
            self.add(dof);
            next = model.dofs.parent[dof].map(|d| d.idx());
        }
    }

    /// The collected dofs, ascending; clears the set.
    pub fn take(&mut self) -> Vec<u32> {
        for &d in &self.found {
            self.marked[d as usize] = false;
        }
        let mut found = std::mem::take(&mut self.found);
        found.sort_unstable();
        found
    }
}
