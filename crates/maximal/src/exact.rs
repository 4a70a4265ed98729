//! Solvers with exact joints: trees and loops by factors, the unilateral rows by sweeps or by
//! pivoting.
//!
//! (1) V₀ = K (p, c) without unilateral rows; (2) responses K Jᵀ of these rows on the links that
//! they touch; (3) their impulses; (4) V = K (p + Jᵀ f, c).

use crate::Error;
use crate::dense::Dense;
use crate::direct::Direct;
use crate::inertia::Inertias;
use crate::links::Links;
use crate::loops::Loops;
use crate::options::{Options, Solver};
use crate::rows::{Block, LANES, Rows};
use crate::six::Six;
use crate::sweeps::{Outcome, Sweeps};
use crate::tree::Tree;
use core::ops::Range;

/// Factors and memory.
#[derive(Clone, Debug, Default)]
pub struct Exact {
    pub tree: Tree,
    pub loops: Loops,
    dense: Dense,
    direct: Direct,
    /// All links but the immovable one.
    all: Vec<u32>,
    /// Links with unilateral rows, and these with all their ancestors; ascending.
    touched: Vec<u32>,
    marked: Vec<u32>,
    /// Those of `marked` in the trees of one row.
    active: Vec<u32>,
    mark: Vec<u8>,
    /// First link of each link's tree.
    root: Vec<u32>,
    p: Vec<Six>,
    V: Vec<Six>,
}

impl Exact {
    pub fn new(links: &Links, nv: usize) -> Self {
        let n = links.len();
        let mut root = vec![0; n];
        for link in 1..n {
            root[link] = if links.parent[link] == 0 { link as u32 } else { root[links.parent[link]] };
        }
        Self {
            tree: Tree::new(links, nv),
            all: (1..n as u32).collect(),
            mark: vec![0; n],
            root,
            p: vec![Six::ZERO; n],
            V: vec![Six::ZERO; n],
            ..Self::default()
        }
    }

    /// Factors of the bilateral rows, and the responses of the others (2).
    pub fn prepare(&mut self, links: &Links, inertias: &Inertias, rows: &mut Rows) {
        self.tree.factor(inertias, rows);
        self.mark_links(links, rows);
        let coupled = rows.end_bilateral > rows.end_soft;
        self.tree.prepare_responses(if coupled { &self.all } else { &self.marked });
        self.loops.factor(&mut self.tree, rows, &self.all, links.len());
        for i in rows.end_bilateral..rows.len() {
            self.respond(rows, i);
        }
    }

    /// Marks the links of unilateral rows (2) and their ancestors (1).
    fn mark_links(&mut self, links: &Links, rows: &Rows) {
        self.mark.fill(0);
        for i in rows.end_bilateral..rows.len() {
            for block in rows.blocks(i) {
                self.mark[block.link as usize] = 2;
                let mut link = links.parent[block.link as usize];
                while link != 0 && self.mark[link] == 0 {
                    self.mark[link] = 1;
                    link = links.parent[link];
                }
            }
        }
        self.touched.clear();
        self.touched.extend(self.all.iter().filter(|l| self.mark[**l as usize] == 2));
        self.marked.clear();
        self.marked.extend(self.all.iter().filter(|l| self.mark[**l as usize] != 0));
    }

    fn respond(&mut self, rows: &mut Rows, i: usize) {
        let mut blocks = [Block::default(); 4];
        let n = rows.blocks(i).len().min(4);
        blocks[..n].copy_from_slice(&rows.blocks(i)[..n]);
        let blocks = &blocks[..n];
        let first = rows.response.len();
        let coupled = !self.loops.is_empty();
        if coupled {
            self.loops.respond(&mut self.tree, blocks, &self.all, &mut self.V, rows);
        } else {
            self.active.clear();
            for (k, block) in blocks.iter().enumerate() {
                let root = self.root[block.link as usize];
                if blocks[..k].iter().all(|b| self.root[b.link as usize] != root) {
                    let tree = (root..self.root.len() as u32).take_while(|l| self.root[*l as usize] == root);
                    self.active.extend(tree.filter(|l| self.mark[*l as usize] != 0));
                }
            }
            self.active.sort_unstable();
            self.tree.respond(blocks, &self.active, &mut self.V);
        }
        let reached = if coupled { &self.touched } else { &self.active };
        for &link in reached.iter().filter(|l| self.mark[**l as usize] == 2) {
            rows.response.push(Block { value: self.V[link as usize], link });
        }
        let mobility = rows.velocity(i, &self.V);
        let row = &mut rows.rows[i];
        (row.response_first, row.response_count) = (first as u32, (rows.response.len() - first) as u32);
        let diagonal = mobility + row.compliance;
        row.inv_diag = if diagonal > 1e-14 { 1.0 / diagonal } else { 0.0 };
    }

    /// V of the given lanes for momenta `p`.
    pub fn solve(
        &mut self,
        options: &Options,
        sweeps: &mut Sweeps,
        p: &[Six],
        lanes: Range<usize>,
        V: &mut [Vec<Six>; LANES],
        rows: &mut Rows,
    ) -> Result<Outcome, Error> {
        let first = rows.end_bilateral;
        lanes.clone().for_each(|lane| self.bilateral(p, lane, &mut V[lane], rows));
        if first == rows.len() {
            return Ok(Outcome::OF_NONE);
        }
        let outcome = if options.solver == Solver::Direct {
            let mut outcome = Outcome::default();
            for lane in lanes.clone() {
                outcome = self.direct.solve(rows, first, lane, &V[lane])?;
            }
            outcome
        } else {
            let small = self.dense.solve(options, &self.root, !self.loops.is_empty(), rows, lanes.clone(), V);
            small.unwrap_or_else(|| {
                lanes.clone().for_each(|lane| rows.add_responses(first, lane, &mut V[lane]));
                sweeps.solve(options, None, rows, first, lanes.clone(), V)
            })
        };
        let mut momenta = core::mem::take(&mut self.p);
        for lane in lanes {
            momenta.copy_from_slice(p);
            rows.add_impulses(first, lane, &mut momenta);
            self.bilateral(&momenta, lane, &mut V[lane], rows); // (4)
        }
        self.p = momenta;
        Ok(outcome)
    }

    /// K (p, c).
    pub fn bilateral(&mut self, p: &[Six], lane: usize, V: &mut [Six], rows: &mut Rows) {
        self.tree.solve(p, lane, V, rows);
        if !self.loops.is_empty() {
            self.loops.correct(lane, V, rows);
        }
    }
}
