//! Islands: sets of kinematic trees coupled by constraints. Each island is an independent problem.

use crate::data::{Constraints, constraint::NO_ISLAND};
use crate::inertia::Inertia;
use crate::model::Model;
use crate::options::Disable;

/// Assigns trees and blocks to islands and determines the elimination order of trees.
#[derive(Clone, Debug, Default)]
pub(in crate::law) struct Islands {
    /// Union-find forest over trees.
    parent: Vec<u32>,
    /// Trees and blocks sorted by islands, and the index of the first of each island
    /// (n_island + 1).
    pub trees: Vec<u32>,
    pub first_tree: Vec<u32>,
    pub blocks: Vec<u32>,
    pub first_block: Vec<u32>,
    block_island: Vec<u32>,
    order: EliminationOrder,
}

impl Islands {
    fn find(&mut self, mut t: u32) -> u32 {
        while self.parent[t as usize] != t {
            let up = self.parent[self.parent[t as usize] as usize];
            self.parent[t as usize] = up;
            t = up;
        }
        t
    }

    /// Joins two trees; the smaller index stays the root, so that islands come in the order of
    /// their first trees.
    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    /// Finds the islands of the current rows and records them in `constraints`.
    pub fn update(&mut self, model: &Model, constraints: &mut Constraints, inertia: &Inertia) {
        let ntree = model.trees.dofs.len();
        self.parent.clear();
        self.parent.extend(0..ntree as u32);
        let tree_of = |c: u32| model.dofs.tree[c as usize].0;
        let one = model.options.disable.has(Disable::ISLAND);
        let mut first = None;
        constraints.tree_island.clear();
        constraints.tree_island.resize(ntree, NO_ISLAND);
        for block in &constraints.blocks {
            let cols = &constraints.col[block.cols.range()];
            let Some(&c) = cols.first() else { continue };
            let t = tree_of(c);
            constraints.tree_island[t as usize] = 0;
            self.join_columns(model, cols, &mut constraints.tree_island);
            if one {
                self.join(*first.get_or_insert(t), t);
            }
        }
        for term in inertia.terms() {
            self.join_columns(model, term.cols, &mut constraints.tree_island);
        }
        self.number(constraints);
        self.collect_blocks(model, constraints);
        self.order.sort(model, constraints, &self.first_tree, &mut self.trees, &self.blocks, &self.first_block);
    }

    /// Joins the trees of a row's columns, which are ascending.
    fn join_columns(&mut self, model: &Model, cols: &[u32], active: &mut [u32]) {
        let Some((&first, &last)) = cols.first().zip(cols.last()) else { return };
        let tree = |c: u32| model.dofs.tree[c as usize].0;
        let (t0, t1) = (tree(first), tree(last));
        if t0 == t1 {
            return;
        }
        for &c in cols {
            if tree(c) != t0 {
                self.join(t0, tree(c));
                active[tree(c) as usize] = 0;
            }
        }
        active[t0 as usize] = 0;
    }

    /// Numbers the islands by their first trees and lists their trees.
    fn number(&mut self, constraints: &mut Constraints) {
        let ntree = self.parent.len();
        let mut n = 0;
        // A root is the smallest tree of its island, so it is numbered before the others are
        // visited.
        for t in 0..ntree {
            let root = self.find(t as u32) as usize;
            let touched = constraints.tree_island[t] != NO_ISLAND;
            if touched && root == t {
                constraints.tree_island[t] = n;
                n += 1;
            } else if touched {
                constraints.tree_island[t] = constraints.tree_island[root];
            }
        }
        constraints.n_island = n as usize;
        counting_sort(n as usize, &constraints.tree_island, &mut self.first_tree, &mut self.trees);
    }

    fn collect_blocks(&mut self, model: &Model, constraints: &mut Constraints) {
        self.block_island.clear();
        constraints.row_island.clear();
        for block in &constraints.blocks {
            let cols = &constraints.col[block.cols.range()];
            let island =
                cols.first().map_or(NO_ISLAND, |&c| constraints.tree_island[model.dofs.tree[c as usize].idx()]);
            self.block_island.push(island);
            constraints.row_island.extend((0..block.rows.len).map(|_| island));
        }
        counting_sort(constraints.n_island, &self.block_island, &mut self.first_block, &mut self.blocks);
    }

    pub fn trees_of(&self, island: usize) -> &[u32] {
        &self.trees[self.first_tree[island] as usize..self.first_tree[island + 1] as usize]
    }
    pub fn blocks_of(&self, island: usize) -> &[u32] {
        &self.blocks[self.first_block[island] as usize..self.first_block[island + 1] as usize]
    }
}

/// Sorts indices by `key`; skips `NO_ISLAND`. Stable.
fn counting_sort(n: usize, key: &[u32], first: &mut Vec<u32>, sorted: &mut Vec<u32>) {
    first.clear();
    first.resize(n + 1, 0);
    for &k in key.iter().filter(|&&k| k != NO_ISLAND) {
        first[k as usize + 1] += 1;
    }
    for k in 0..n {
        first[k + 1] += first[k];
    }
    sorted.clear();
    sorted.resize(first[n] as usize, 0);
    for (i, &k) in key.iter().enumerate().filter(|&(_, &k)| k != NO_ISLAND) {
        sorted[first[k as usize] as usize] = i as u32;
        first[k as usize] += 1;
    }
    first.rotate_right(1);
    first[0] = 0;
}

/// Largest island for which an order is computed; larger ones keep the order of the model.
const MAX_ORDERED: usize = 4096;

/// Minimum-degree ordering of the graph of trees, to reduce fill in the Hessian of piles.
#[derive(Clone, Debug, Default)]
struct EliminationOrder {
    local: Vec<u32>,
    /// Adjacency, one bit row per tree.
    bits: Vec<u64>,
    degree: Vec<u32>,
    sorted: Vec<u32>,
    pivot: Vec<u64>,
}

impl EliminationOrder {
    fn sort(
        &mut self,
        model: &Model,
        constraints: &Constraints,
        first_tree: &[u32],
        trees: &mut [u32],
        blocks: &[u32],
        first_block: &[u32],
    ) {
        self.local.resize(model.trees.dofs.len(), 0);
        for island in 0..first_tree.len() - 1 {
            let own = &mut trees[first_tree[island] as usize..first_tree[island + 1] as usize];
            if (3..=MAX_ORDERED).contains(&own.len()) {
                let blocks = &blocks[first_block[island] as usize..first_block[island + 1] as usize];
                self.connect(model, constraints, own, blocks);
                self.eliminate(model, own);
                own.copy_from_slice(&self.sorted);
            }
        }
    }

    fn connect(&mut self, model: &Model, constraints: &Constraints, trees: &[u32], blocks: &[u32]) {
        let (n, words) = (trees.len(), trees.len().div_ceil(64));
        for (k, &t) in trees.iter().enumerate() {
            self.local[t as usize] = k as u32;
        }
        self.bits.clear();
        self.bits.resize(n * words, 0);
        for &b in blocks {
            let cols = &constraints.col[constraints.blocks[b as usize].cols.range()];
            let tree = |c: u32| self.local[model.dofs.tree[c as usize].idx()] as usize;
            let Some((&first, &last)) = cols.first().zip(cols.last()) else { continue };
            // Rows of three or more trees (tendons) form a clique; two are enough for a good order.
            let (a, b) = (tree(first), tree(last));
            if a != b {
                self.bits[a * words + b / 64] |= 1 << (b % 64);
                self.bits[b * words + a / 64] |= 1 << (a % 64);
            }
        }
    }

    /// Fills `sorted`: the tree eliminated first comes last, because rows are eliminated from the
    /// end.
    fn eliminate(&mut self, model: &Model, trees: &[u32]) {
        let (n, words) = (trees.len(), trees.len().div_ceil(64));
        let weight = |row: &[u64]| -> u32 { bits_of(row).map(|k| model.trees.dofs[trees[k] as usize].len).sum() };
        self.degree.clear();
        for k in 0..n {
            self.degree.push(weight(&self.bits[k * words..(k + 1) * words]));
        }
        self.sorted.clear();
        for _ in 0..n {
            // Ties go to the larger index, which keeps the order of the model for equal degrees.
            let mut p = 0;
            for k in 1..n {
                if self.degree[k] <= self.degree[p] {
                    p = k;
                }
            }
            self.sorted.push(trees[p]);
            self.degree[p] = u32::MAX;
            self.pivot.clear();
            self.pivot.extend_from_slice(&self.bits[p * words..(p + 1) * words]);
            for k in bits_of(&self.pivot) {
                let row = &mut self.bits[k * words..(k + 1) * words];
                row.iter_mut().zip(&self.pivot).for_each(|(r, p)| *r |= p);
                row[k / 64] &= !(1 << (k % 64));
                row[p / 64] &= !(1 << (p % 64));
                self.degree[k] = weight(row);
            }
        }
        self.sorted.reverse();
    }
}

fn bits_of(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(w, &word)| {
        core::iter::successors((word != 0).then_some(word), |&x| Some(x & (x - 1)).filter(|&x| x != 0))
            .map(move |x| 64 * w + x.trailing_zeros() as usize)
    })
}
