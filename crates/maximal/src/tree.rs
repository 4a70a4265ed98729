//! Bilateral rows of trees, exactly, in O(n): block elimination of the saddle matrix from the
//! leaves to the roots [Baraff1996].
//!
//! For all links M V − Jᵀ f = p and J V + R f = c, each link's rows acting on the link (J_b) and
//! its parent (J_p): (1) H_b = M_b + Σ_children J_pᵀ W⁻¹ J_p, (2) W_b = J_b H_b⁻¹ J_bᵀ + R, then
//! inward (3) g_b = c_b − J_b H_b⁻¹ p_b, p_parent += J_pᵀ W_b⁻¹ g_b, and outward (4) f_b = W_b⁻¹
//! (g_b − J_p V_parent), V_b = H_b⁻¹ (p_b + J_bᵀ f_b). (1) adds positive semidefinite matrices
//! only: nothing cancels, whatever the ratio of inertias.
//!
//! With c = 0 both directions are one matrix each: inward (5) p_parent += Z_bᵀ p_b, outward (6) V_b
//! = K_b p_b + Z_b V_parent, with W = L Lᵀ, G = L⁻¹ J_b H_b⁻¹, K_b = H_b⁻¹ − Gᵀ G and Z_b = −Gᵀ L⁻¹
//! J_p. These are for the many responses of contacts; K_b loses digits where inertias differ, which
//! costs contacts some sweeps and joints nothing: they are solved by (3) and (4).

use crate::inertia::Inertias;
use crate::links::Links;
use crate::rows::{Block, Kind, Rows};
use crate::six::Six;

type Mat = [[f64; 6]; 6];

/// Factors of one link.
#[derive(Clone, Copy, Debug)]
struct Node {
    parent: usize,
    /// Rows in `Rows`, and how many.
    rows: [u32; 6],
    m: usize,
    J_b: Mat,
    J_p: Mat,
    /// H⁻¹ J_bᵀ by columns.
    Y: Mat,
    /// Cholesky factors of H and W, with the inverses of their diagonals in place of these.
    H: Mat,
    W: Mat,
    /// Columns of K, Z and Zᵀ.
    K: [Six; 6],
    Z: [Six; 6],
    Zt: [Six; 6],
}

/// Factors of all trees, and memory for solves.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    dof_link: Vec<u32>,
    p: Vec<[f64; 6]>,
    g: Vec<[f64; 6]>,
    momenta: Vec<Six>,
}

impl Tree {
    pub fn new(links: &Links, nv: usize) -> Self {
        let (zero, columns) = ([[0.0; 6]; 6], [Six::ZERO; 6]);
        let node = |&parent: &usize| Node {
            parent,
            rows: [0; 6],
            m: 0,
            J_b: zero,
            J_p: zero,
            Y: zero,
            H: zero,
            W: zero,
            K: columns,
            Z: columns,
            Zt: columns,
        };
        let mut dof_link = vec![0; nv];
        for link in 1..links.len() {
            links.dofs[link].clone().for_each(|i| dof_link[i] = link as u32);
        }
        let n = links.len();
        let nodes = links.parent.iter().map(node).collect();
        Self { nodes, dof_link, p: vec![[0.0; 6]; n], g: vec![[0.0; 6]; n], momenta: vec![Six::ZERO; n] }
    }

    /// Factors of the rows of joints and of their springs and dampers.
    pub fn factor(&mut self, inertias: &Inertias, rows: &Rows) {
        self.gather(rows);
        let n = self.nodes.len();
        for link in 1..n {
            self.nodes[link].H = spatial(inertias, link);
        }
        for link in (1..n).rev() {
            let node = &mut self.nodes[link];
            cholesky(6, &mut node.H);
            let m = node.m;
            for r in 0..m {
                node.Y[r] = node.J_b[r];
                solve(6, &node.H, &mut node.Y[r]);
            }
            for r in 0..m {
                for c in 0..=r {
                    node.W[r][c] = dot(&node.J_b[r], &node.Y[c]);
                }
                node.W[r][r] += rows.rows[node.rows[r] as usize].compliance; // (2)
            }
            cholesky(m, &mut node.W);
            let (parent, J_p, W) = (node.parent, node.J_p, node.W);
            if parent != 0 {
                add_apparent(m, &W, &J_p, &mut self.nodes[parent].H);
            }
        }
    }

    /// The rows of each link, and their blocks.
    fn gather(&mut self, rows: &Rows) {
        self.nodes.iter_mut().for_each(|node| node.m = 0);
        for i in 0..rows.end_soft {
            let link = match rows.rows[i].kind {
                Kind::Joint { link } => link,
                Kind::Soft { dof } => self.dof_link[dof as usize],
                _ => continue,
            } as usize;
            let node = &mut self.nodes[link];
            let m = node.m;
            node.rows[m] = i as u32;
            (node.J_b[m], node.J_p[m]) = ([0.0; 6], [0.0; 6]);
            for block in rows.blocks(i) {
                let side = if block.link as usize == link { &mut node.J_b[m] } else { &mut node.J_p[m] };
                *side = block.value.to_array();
            }
            node.m += 1;
        }
    }

    /// V for momenta p and the right-hand sides of a lane; the impulses of the rows into their
    /// forces.
    pub fn solve(&mut self, p: &[Six], lane: usize, V: &mut [Six], rows: &mut Rows) {
        for link in 1..self.nodes.len() {
            self.p[link] = p[link].to_array();
        }
        for link in (1..self.nodes.len()).rev() {
            let node = &self.nodes[link];
            let target = |r: usize| rows.rows[node.rows[r] as usize].target[lane];
            let mut g = [0.0; 6];
            (0..node.m).for_each(|r| g[r] = target(r) - dot(&node.Y[r], &self.p[link]));
            self.inward(link, g);
        }
        for link in 1..self.nodes.len() {
            let f = self.outward(link, V);
            let node = &self.nodes[link];
            (0..node.m).for_each(|r| rows.rows[node.rows[r] as usize].force[lane] = f[r]);
        }
    }

    /// K and Z of the given links. Needs their factors.
    pub fn prepare_responses(&mut self, links: &[u32]) {
        for &link in links {
            let node = &mut self.nodes[link as usize];
            let m = node.m;
            let (mut G, mut U) = (node.Y, node.J_p);
            forward(m, &node.W, &mut G);
            forward(m, &node.W, &mut U);
            // H⁻¹ = Eᵀ E with E the inverse of H's factor.
            let mut E = IDENTITY;
            forward(6, &node.H, &mut E);
            (node.K, node.Z, node.Zt) = ([Six::ZERO; 6], [Six::ZERO; 6], [Six::ZERO; 6]);
            for e in &E {
                (0..6).for_each(|j| add_to(e[j], e, &mut node.K[j]));
            }
            for (g, u) in G.iter().zip(&U).take(m) {
                for j in 0..6 {
                    add_to(-g[j], g, &mut node.K[j]);
                    add_to(-u[j], g, &mut node.Z[j]);
                    add_to(-g[j], u, &mut node.Zt[j]);
                }
            }
        }
    }

    /// V that unit impulses on `blocks` make, on the links of `active` (ascending, with all
    /// ancestors): (5) and (6). Others keep what they have.
    pub fn respond(&mut self, blocks: &[Block], active: &[u32], V: &mut [Six]) {
        for &link in active {
            self.momenta[link as usize] = Six::ZERO;
        }
        for block in blocks {
            self.momenta[block.link as usize] = block.value;
        }
        for &link in active.iter().rev() {
            let (node, p) = (&self.nodes[link as usize], self.momenta[link as usize]);
            if node.parent != 0 && p != Six::ZERO {
                let sum = &mut self.momenta[node.parent];
                (0..6).for_each(|k| sum.add_scaled(p.0[k], &node.Zt[k]));
            }
        }
        for &link in active {
            let (node, p) = (&self.nodes[link as usize], &self.momenta[link as usize]);
            let mut v = Six::ZERO;
            if *p != Six::ZERO {
                (0..6).for_each(|k| v.add_scaled(p.0[k], &node.K[k]));
            }
            if node.parent != 0 {
                let above = V[node.parent];
                (0..6).for_each(|k| v.add_scaled(above.0[k], &node.Z[k]));
            }
            V[link as usize] = v;
        }
    }

    /// (3).
    fn inward(&mut self, link: usize, g: [f64; 6]) {
        let node = &self.nodes[link];
        self.g[link] = g;
        if node.parent != 0 {
            let mut f = g;
            solve(node.m, &node.W, &mut f);
            for r in 0..node.m {
                axpy(f[r], &node.J_p[r], &mut self.p[node.parent]);
            }
        }
    }

    /// (4): the impulses of the link's rows.
    fn outward(&self, link: usize, V: &mut [Six]) -> [f64; 6] {
        let node = &self.nodes[link];
        let mut f = self.g[link];
        if node.parent != 0 {
            let above = V[node.parent].to_array();
            (0..node.m).for_each(|r| f[r] -= dot(&node.J_p[r], &above));
        }
        solve(node.m, &node.W, &mut f);
        let mut x = self.p[link];
        solve(6, &node.H, &mut x);
        (0..node.m).for_each(|r| axpy(f[r], &node.Y[r], &mut x));
        V[link] = Six::from_array(&x);
        f
    }
}

fn spatial(inertias: &Inertias, link: usize) -> Mat {
    let mut H = [[0.0; 6]; 6];
    let I = &inertias.I[link];
    for (k, row) in [I.r0, I.r1, I.r2].into_iter().enumerate() {
        H[k][..3].copy_from_slice(&row.to_array());
        H[k + 3][k + 3] = inertias.mass[link];
    }
    H
}

/// H += J_pᵀ W⁻¹ J_p (1), as BᵀB with B = L⁻¹ J_p: symmetric and positive semidefinite to the last
/// bit.
fn add_apparent(m: usize, W: &Mat, J_p: &Mat, H: &mut Mat) {
    let mut B = *J_p;
    forward(m, W, &mut B);
    for b in &B[..m] {
        for i in 0..6 {
            for j in 0..6 {
                H[i][j] += b[i] * b[j];
            }
        }
    }
}

const IDENTITY: Mat = {
    let mut one = [[0.0; 6]; 6];
    let mut k = 0;
    while k < 6 {
        one[k][k] = 1.0;
        k += 1;
    }
    one
};

/// The first m rows of B ← L⁻¹ B.
fn forward(m: usize, L: &Mat, B: &mut Mat) {
    match m {
        6 => forward_of(6, L, B),
        5 => forward_of(5, L, B),
        _ => forward_of(m, L, B),
    }
}

#[inline(always)]
fn forward_of(m: usize, L: &Mat, B: &mut Mat) {
    for r in 0..m {
        let (above, row) = B.split_at_mut(r);
        for c in 0..r {
            axpy(-L[r][c], &above[c], &mut row[0]);
        }
        row[0].iter_mut().for_each(|b| *b *= L[r][r]);
    }
}

/// column += s a.
#[inline]
fn add_to(s: f64, a: &[f64; 6], column: &mut Six) {
    (0..6).for_each(|k| column.0[k] += s * a[k]);
}

#[inline]
fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}

#[inline]
fn axpy(s: f64, a: &[f64; 6], b: &mut [f64; 6]) {
    (0..6).for_each(|k| b[k] += s * a[k]);
}

/// Factor of the leading n × n part in its lower triangle, the diagonal inverted. A pivot that is
/// not positive makes the numbers infinite: the step finds them at its end.
fn cholesky(n: usize, a: &mut Mat) {
    // Sizes that the compiler knows: its loops are unrolled.
    match n {
        6 => cholesky_of(6, a),
        5 => cholesky_of(5, a),
        _ => cholesky_of(n, a),
    }
}

#[inline(always)]
fn cholesky_of(n: usize, a: &mut Mat) {
    for i in 0..n {
        for j in 0..=i {
            let mut sum = a[i][j];
            for k in 0..j {
                sum -= a[i][k] * a[j][k];
            }
            a[i][j] = if i == j { sum.max(0.0).sqrt().recip() } else { sum * a[j][j] };
        }
    }
}

/// x ← A⁻¹ x with the factor of A.
fn solve(n: usize, l: &Mat, x: &mut [f64; 6]) {
    match n {
        6 => solve_of(6, l, x),
        5 => solve_of(5, l, x),
        _ => solve_of(n, l, x),
    }
}

#[inline(always)]
fn solve_of(n: usize, l: &Mat, x: &mut [f64; 6]) {
    for i in 0..n {
        let mut sum = x[i];
        for k in 0..i {
            sum -= l[i][k] * x[k];
        }
        x[i] = sum * l[i][i];
    }
    for i in (0..n).rev() {
        let mut sum = x[i];
        for k in i + 1..n {
            sum -= l[k][i] * x[k];
        }
        x[i] = sum * l[i][i];
    }
}
