//! Convex hulls of meshes as graphs: the farthest corner in a direction by walking uphill.
//!
//! On a convex polytope a corner that no neighbour surpasses is the farthest of all, so a walk from a good start needs
//! few steps where looking at all corners needs n. Where to start is found in a table of directions, a cube whose faces are
//! divided into squares, each with the corner that is farthest in the direction of its centre.

use super::shape::Hull;
use saltus_math::{Vec3, normalize};

/// Neighbours and triangles of each vertex of a mesh's hull.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HullGraph {
    /// Where the lists of a vertex begin · vertices + 1. Vertices off the hull have empty lists.
    start: Vec<u32>,
    /// Each triangle at a vertex: its index, and the corner that follows the vertex.
    triangle: Vec<u32>,
    neighbour: Vec<u32>,
    /// Unit normals of the triangles.
    normal: Vec<Vec3>,
    /// Where those corners are: a walk reads them in a row.
    place: Vec<[f32; 3]>,
    /// Corners that are farthest along the axes, from which walks start.
    seeds: Vec<u32>,
    /// Corners from which walks start by direction · 6 · `squares`².
    table: Vec<u32>,
    /// Squares along an edge of the table's cube.
    squares: usize,
    /// Coordinates of the corners of small hulls, one axis after the other, each with `SMALL` numbers.
    small: Vec<f64>,
}

impl HullGraph {
    /// The graph of a hull with these triangles and corners.
    pub(crate) fn new(vertex: &[[f32; 3]], faces: &[[u32; 3]], corners: &[u32]) -> Self {
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
        graph.normal = faces.iter().map(|f| normal(f.map(|i| point(vertex[i as usize])))).collect();
        graph.place = graph.neighbour.iter().map(|i| vertex[*i as usize]).collect();
        for axis in 0..3 {
            let along = |i: &&u32| vertex[**i as usize][axis];
            let corners = || faces.iter().flatten();
            graph.seeds.extend(corners().max_by(|a, b| along(a).total_cmp(&along(b))));
            graph.seeds.extend(corners().min_by(|a, b| along(a).total_cmp(&along(b))));
        }
        if corners.len() <= SMALL {
            graph.small = vec![0.0; 3 * SMALL];
            for (k, i) in corners.iter().enumerate() {
                for axis in 0..3 {
                    graph.small[axis * SMALL + k] = vertex[*i as usize][axis].into();
                }
            }
        } else if !graph.seeds.is_empty() {
            graph.build_table(vertex, corners.len());
        }
        graph
    }

    /// About as many squares as corners.
    fn build_table(&mut self, vertex: &[[f32; 3]], corners: usize) {
        self.squares = (2..MAX_SQUARES).find(|k| 6 * k * k >= corners).unwrap_or(MAX_SQUARES);
        let mut from = self.seeds[0];
        for face in 0..6 {
            for i in 0..self.squares {
                for j in 0..self.squares {
                    let middle = |k: usize| (2 * k + 1) as f64 / self.squares as f64 - 1.0;
                    let (axis, mut direction) = (face / 2, Vec3::ZERO);
                    direction[axis] = if face % 2 == 0 { 1.0 } else { -1.0 };
                    direction[(axis + 1) % 3] = middle(i);
                    direction[(axis + 2) % 3] = middle(j);
                    from = self.climb((point(vertex[from as usize]).dot(direction), from), direction).1;
                    self.table.push(from);
                }
            }
        }
    }

    /// The square of the table in which a direction lies.
    fn square(&self, direction: Vec3) -> usize {
        let size = direction.abs();
        let axis = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let face = 2 * axis + usize::from(direction[axis] < 0.0);
        let scale = 0.5 * self.squares as f64 / size[axis];
        let index = |x: f64| ((x * scale + 0.5 * self.squares as f64) as usize).min(self.squares - 1);
        let (i, j) = (index(direction[(axis + 1) % 3]), index(direction[(axis + 2) % 3]));
        (face * self.squares + i) * self.squares + j
    }

    /// Walks uphill from a corner (with how far it is along the direction).
    fn climb(&self, mut here: (f64, u32), direction: Vec3) -> (f64, u32) {
        loop {
            let list = self.list(here.1);
            let mut best = (f64::NEG_INFINITY, 0);
            for (p, i) in self.place[list.clone()].iter().zip(&self.neighbour[list]) {
                let along = point(*p).dot(direction);
                if along > best.0 {
                    best = (along, *i);
                }
            }
            if best.0 <= here.0 || best.0.is_nan() {
                return here;
            }
            here = best;
        }
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
/// Most squares along an edge of the table's cube.
const MAX_SQUARES: usize = 16;

fn point([x, y, z]: [f32; 3]) -> Vec3 {
    Vec3::new(x.into(), y.into(), z.into())
}

fn normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    normalize((b - a).cross(c - a)).0
}

impl<'a> Hull<'a> {
    fn usable_graph(&self) -> Option<&'a HullGraph> {
        self.graph.filter(|g| g.fits(self))
    }

    /// The corner farthest in `direction`; of several the one that a walk from the corners along the axes finds.
    pub(super) fn farthest(&self, direction: Vec3) -> u32 {
        let best = |list: &[u32]| {
            let mut best = (f64::NEG_INFINITY, 0);
            for i in list {
                let x = self.point(*i).dot(direction);
                if x > best.0 {
                    best = (x, *i);
                }
            }
            best
        };
        match self.usable_graph().filter(|_| self.corners.len() > SMALL) {
            Some(graph) => graph.climb(best(&graph.seeds), direction).1,
            None => best(self.corners).1,
        }
    }

    /// The point farthest in `direction`.
    pub(super) fn support(&self, direction: Vec3) -> Vec3 {
        let Some(graph) = self.usable_graph() else { return self.point(self.farthest(direction)) };
        if graph.squares > 0 {
            let corner = graph.table[graph.square(direction)];
            return self.point(graph.climb((self.point(corner).dot(direction), corner), direction).1);
        }
        match graph.small.as_chunks::<SMALL>().0 {
            [x, y, z] => {
                let mut along = [0.0; SMALL];
                for k in 0..SMALL {
                    along[k] = x[k] * direction.x + y[k] * direction.y + z[k] * direction.z;
                }
                let mut best = 0;
                for k in 1..self.corners.len().min(SMALL) {
                    if along[k] > along[best] {
                        best = k;
                    }
                }
                Vec3::new(x[best], y[best], z[best])
            }
            _ => self.point(self.farthest(direction)),
        }
    }

    /// Calls `f` with every triangle at a corner.
    pub(super) fn for_triangles_at(&self, corner: u32, mut f: impl FnMut(u32)) {
        match self.usable_graph() {
            Some(graph) => graph.triangle[graph.list(corner)].iter().for_each(|k| f(*k)),
            None => (0..self.faces.len() as u32).filter(|k| self.faces[*k as usize].contains(&corner)).for_each(f),
        }
    }

    /// Unit normal of a triangle.
    pub(super) fn normal(&self, triangle: u32) -> Vec3 {
        match self.usable_graph() {
            Some(graph) => graph.normal[triangle as usize],
            None => normal(self.faces[triangle as usize].map(|i| self.point(i))),
        }
    }
}
