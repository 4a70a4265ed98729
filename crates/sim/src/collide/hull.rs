//! Convex hulls of meshes as graphs: the farthest corner in a direction by walking uphill.
//!
//! On a convex polytope a corner that no neighbour surpasses is the farthest of all, so a walk from a good start needs
//! about √n steps where looking at all corners needs n.

use super::shape::Hull;
use saltus_math::Vec3;

/// Neighbours and triangles of each vertex of a mesh's hull.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HullGraph {
    /// Where the lists of a vertex begin · vertices + 1. Vertices off the hull have empty lists.
    start: Vec<u32>,
    /// Each triangle at a vertex: its index, and the corner that follows the vertex.
    triangle: Vec<u32>,
    neighbour: Vec<u32>,
    /// Corners that are farthest along the axes, from which walks start.
    seeds: Vec<u32>,
}

impl HullGraph {
    /// The graph of a hull with these triangles.
    pub(crate) fn new(vertex: &[[f32; 3]], faces: &[[u32; 3]]) -> Self {
        let mut start = vec![0u32; vertex.len() + 1];
        for i in faces.iter().flatten() {
            start[*i as usize + 1] += 1;
        }
        for i in 1..start.len() {
            start[i] += start[i - 1];
        }
        let mut next = start.clone();
        let mut graph =
            Self { triangle: vec![0; 3 * faces.len()], neighbour: vec![0; 3 * faces.len()], ..Self::default() };
        for (k, f) in faces.iter().enumerate() {
            for c in 0..3 {
                // Every edge belongs to two triangles, in opposite senses: the corner that follows is enough.
                let slot = &mut next[f[c] as usize];
                graph.triangle[*slot as usize] = k as u32;
                graph.neighbour[*slot as usize] = f[(c + 1) % 3];
                *slot += 1;
            }
        }
        graph.start = start;
        for axis in 0..3 {
            let along = |i: &&u32| vertex[**i as usize][axis];
            let corners = || faces.iter().flatten();
            graph.seeds.extend(corners().max_by(|a, b| along(a).total_cmp(&along(b))));
            graph.seeds.extend(corners().min_by(|a, b| along(a).total_cmp(&along(b))));
        }
        graph
    }

    fn list(&self, vertex: u32) -> core::ops::Range<usize> {
        self.start[vertex as usize] as usize..self.start[vertex as usize + 1] as usize
    }

    fn fits(&self, hull: &Hull) -> bool {
        self.start.len() == hull.vertex.len() + 1 && self.triangle.len() == 3 * hull.faces.len()
    }
}

/// Hulls with fewer corners are searched in full.
const SMALL: usize = 24;

impl<'a> Hull<'a> {
    fn usable_graph(&self) -> Option<&'a HullGraph> {
        self.graph.filter(|g| g.fits(self))
    }

    /// The corner farthest in `direction`.
    pub(super) fn farthest(&self, direction: Vec3) -> u32 {
        let along = |i: u32| self.point(i).dot(direction);
        let best = |list: &mut dyn Iterator<Item = u32>| {
            let mut best = (f64::NEG_INFINITY, 0);
            for i in list {
                let x = along(i);
                if x > best.0 {
                    best = (x, i);
                }
            }
            best
        };
        let Some(graph) = self.usable_graph().filter(|_| self.corners.len() > SMALL) else {
            return best(&mut self.corners.iter().copied()).1;
        };
        let mut here = best(&mut graph.seeds.iter().copied());
        loop {
            let there = best(&mut graph.neighbour[graph.list(here.1)].iter().copied());
            if there.0 <= here.0 || there.0.is_nan() {
                return here.1;
            }
            here = there;
        }
    }

    /// Calls `f` with every triangle at a corner.
    pub(super) fn for_triangles_at(&self, corner: u32, mut f: impl FnMut([u32; 3])) {
        match self.usable_graph() {
            Some(graph) => graph.triangle[graph.list(corner)].iter().for_each(|k| f(self.faces[*k as usize])),
            None => self.faces.iter().filter(|t| t.contains(&corner)).for_each(|t| f(*t)),
        }
    }
}
