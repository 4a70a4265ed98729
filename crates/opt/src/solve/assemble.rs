//! Gradient and Hessian of a trajectory from the local ones of its steps.
//!
//! Step t sees nodes t−1, t, t+1, so that block (t, s) of the Hessian has at most three
//! contributions, which are added in the order of the steps. Repetitions of nodes in limit cycles
//! are mapped back by P̂ (`mirror`).

use crate::problem::layout::{Ends, Layout, Slot};
use crate::problem::mirror::Mirror;
use crate::solve::knot::{KnotResult, stride};
use crate::solve::pool::Pool;
use saltus_math::block_arrow::{BlockArrow, KnotBlocks};

/// The quadratic model of the merit.
#[derive(Debug)]
pub(crate) struct Quadratic {
    /// Gradient of the merit.
    pub gradient: Vec<f64>,
    /// Its Hessian, or an approximation.
    pub hessian: BlockArrow,
}

impl Quadratic {
    /// Zero, for a layout.
    pub fn new(layout: &Layout) -> Self {
        let (n, border) = (layout.n, layout.in_border * layout.n);
        Self {
            gradient: vec![0.0; layout.dim()],
            hessian: BlockArrow::new(n, layout.unknowns - layout.in_border, border),
        }
    }

    /// Sums up the local models.
    pub fn update<M: Send>(&mut self, pool: &Pool<M>, layout: &Layout, ends: &Ends, knots: &[KnotResult]) {
        let mut own: Vec<_> = self.hessian.knots_mut().collect();
        pool.each(&mut own, |u, blocks, _| set_own(layout, knots, u, blocks));
        self.add_rest(layout, ends, knots);
    }

    /// The gradient, the border, and what nodes that repeat others add to the blocks of unknowns.
    fn add_rest(&mut self, layout: &Layout, ends: &Ends, knots: &[KnotResult]) {
        self.gradient.fill(0.0);
        self.hessian.corner_mut().fill(0.0);
        let (mirror, interior) = (mirror_of(ends), layout.unknowns - layout.in_border);
        for (t, knot) in knots.iter().enumerate() {
            let slots = slots(layout, t);
            scatter(layout, ends, t, &knot.gradient, &mut self.gradient);
            for (i, row) in slots.iter().enumerate() {
                let Some(u) = row.unknown else { continue };
                for (j, col) in slots.iter().enumerate().take(i + 1) {
                    let Some(w) = col.unknown else { continue };
                    if u < interior && layout.is_unknown(t + i) && layout.is_unknown(t + j) {
                        continue;
                    }
                    let block = Block { hessian: &knot.hessian, n: layout.n, i, j };
                    self.add_block(layout, (u, map(row, mirror)), (w, map(col, mirror)), block);
                }
            }
        }
    }

    /// The ends of limit cycles: entry by entry.
    fn add_block(
        &mut self,
        layout: &Layout,
        (u, map_u): (usize, Option<&Mirror>),
        (w, map_w): (usize, Option<&Mirror>),
        block: Block<'_>,
    ) {
        let (n, same) = (layout.n, u == w);
        let turned = u < w;
        let (target, ld) = self.target(layout, u.max(w), u.min(w));
        let mut add = |r: usize, c: usize, value: f64| {
            // Of one unknown the lower triangle.
            if !same || c <= r {
                target[r * ld + c] += value;
            }
        };
        for r in 0..n {
            let (gr, sr) = map_u.map_or((r, 1.0), |m| m.dof[r]);
            for c in 0..n {
                // A block on the local diagonal has its lower triangle only.
                let value = if block.i == block.j && c > r { block.row(c)[r] } else { block.row(r)[c] };
                let (gc, sc) = map_w.map_or((c, 1.0), |m| m.dof[c]);
                let value = sr * sc * value;
                if turned {
                    add(gc, gr, value);
                } else {
                    add(gr, gc, value);
                }
                if same && block.i != block.j {
                    // Two nodes of the step are the same unknown: the transposed block is part of
                    // it too.
                    add(gc, gr, value);
                }
            }
        }
    }

    /// The block of unknowns u ≥ w and its stride.
    fn target(&mut self, layout: &Layout, u: usize, w: usize) -> (&mut [f64], usize) {
        let (n, interior) = (layout.n, layout.unknowns - layout.in_border);
        let ld = self.hessian.stride();
        if u < interior {
            (self.hessian.block_mut(u, w), ld)
        } else if w < interior {
            (&mut self.hessian.border_block_mut(w)[(u - interior) * n * ld..], ld)
        } else {
            let border = layout.in_border * n;
            (&mut self.hessian.corner_mut()[(u - interior) * n * border + (w - interior) * n..], border)
        }
    }
}

/// Sums up the blocks of unknown `u` and earlier ones, of the nodes that are unknowns themselves,
/// in the order of the steps.
fn set_own(layout: &Layout, knots: &[KnotResult], u: usize, blocks: &mut KnotBlocks<'_>) {
    let (n, ld, node) = (layout.n, layout.n.next_multiple_of(4), layout.node(u));
    let mut targets = [&mut *blocks.diag, &mut *blocks.lower1, &mut *blocks.lower2];
    targets.iter_mut().for_each(|block| block.fill(0.0));
    blocks.border.fill(0.0);
    for i in (0..3.min(node + 1)).rev() {
        let Some(knot) = knots.get(node - i) else { continue };
        for j in (0..=i).filter(|j| layout.is_unknown(node - i + j)) {
            let block = Block { hessian: &knot.hessian, n, i, j };
            let target = &mut targets[i - j];
            for r in 0..n {
                let from = &block.row(r)[..if i == j { r + 1 } else { n }];
                target[r * ld..r * ld + from.len()].iter_mut().zip(from).for_each(|(t, f)| *t += f);
            }
        }
    }
}

/// The part of `x` that step `t` sees: changes of its three nodes.
pub fn gather(layout: &Layout, ends: &Ends, t: usize, x: &[f64], local: &mut [f64]) {
    let n = layout.n;
    for (slot, local) in slots(layout, t).iter().zip(local.chunks_exact_mut(n)) {
        let Some(u) = slot.unknown else {
            local.fill(0.0);
            continue;
        };
        let own = &x[u * n..(u + 1) * n];
        match map(slot, mirror_of(ends)) {
            None => local.copy_from_slice(own),
            Some(mirror) => local.iter_mut().zip(&mirror.dof).for_each(|(l, &(i, sign))| *l = sign * own[i]),
        }
    }
}

/// Adds what step `t` has for the changes of its three nodes to `x`.
pub fn scatter(layout: &Layout, ends: &Ends, t: usize, local: &[f64], x: &mut [f64]) {
    let n = layout.n;
    for (slot, local) in slots(layout, t).iter().zip(local.chunks_exact(n)) {
        let Some(u) = slot.unknown else { continue };
        let own = &mut x[u * n..(u + 1) * n];
        match map(slot, mirror_of(ends)) {
            None => own.iter_mut().zip(local).for_each(|(o, l)| *o += l),
            Some(mirror) => mirror.dof.iter().zip(local).for_each(|(&(i, sign), l)| own[i] += sign * l),
        }
    }
}

fn mirror_of(ends: &Ends) -> Option<&Mirror> {
    match ends {
        Ends::Periodic(cycle) => cycle.mirror.as_ref(),
        _ => None,
    }
}

const FIXED: Slot = Slot { unknown: None, mirrored: false };

fn slots(layout: &Layout, t: usize) -> [Slot; 3] {
    [layout.slots[t], layout.slots[t + 1], layout.slots.get(t + 2).copied().unwrap_or(FIXED)]
}

/// The mirror through which a node is seen.
fn map<'a>(slot: &Slot, mirror: Option<&'a Mirror>) -> Option<&'a Mirror> {
    mirror.filter(|_| slot.mirrored)
}

/// Block (i, j) of a step's Hessian.
#[derive(Clone, Copy)]
struct Block<'a> {
    hessian: &'a [f64],
    n: usize,
    i: usize,
    j: usize,
}

impl Block<'_> {
    fn row(&self, r: usize) -> &[f64] {
        let start = (self.i * self.n + r) * stride(self.n) + self.j * self.n;
        &self.hessian[start..start + self.n]
    }
}
