//! Convex hulls of meshes as graphs: the farthest corner in a direction by walking uphill.
//!
//! On a convex polytope a corner that no neighbour surpasses is the farthest of all, so a walk from
//! a good start needs few steps where looking at all corners needs n. Where to start is found in a
//! table of directions: the surface of an octahedron, its lower half folded outwards, is a square
//! that is divided into small ones, each with the corner that is farthest in the direction of its
//! centre.

use super::outline::Outlines;
use saltus_math::{Vec3, normalize};

/// Convex hull of a mesh, in the geom's frame.
#[derive(Clone, Copy, Debug)]
pub struct Hull<'a> {
    /// Vertices of the mesh.
    pub vertex: &'a [[f32; 3]],
    /// Which vertices are on the hull.
    pub corners: &'a [u32],
    /// Triangles of the hull.
    pub faces: &'a [[u32; 3]],
    /// Neighbours of corners, if there are enough of them to walk along.
    pub graph: Option<&'a HullGraph>,
}

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
    /// Faces of the triangles.
    pub(crate) outlines: Outlines,
    /// Where those corners are: a walk reads them in a row.
    place: Vec<[f32; 3]>,
    /// Corners that are farthest along the axes, from which walks start.
    seeds: Vec<u32>,
    /// Corners from which walks start by direction · `squares`².
    table: Vec<u32>,
    /// Squares along an edge of the table.
    squares: usize,
    /// Coordinates of the corners of hulls that have no table: four x, four y, four z, and so on;
    /// the last ones are repeated.
    listed: Vec<[[f64; 4]; 3]>,
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
                // Every edge belongs to two triangles, in opposite senses: the corner that follows
                // is enough.
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
        if corners.len() <= LISTED {
            for four in corners.chunks(4) {
                let at = |k: usize| point(vertex[four[k.min(four.len() - 1)] as usize]);
                let points = [at(0), at(1), at(2), at(3)];
                graph.listed.push([0, 1, 2].map(|axis| points.map(|p| p[axis])));
            }
        } else if !graph.seeds.is_empty() {
            graph.build_table(vertex, corners.len());
        }
        graph.outlines = Outlines::new(&Hull { vertex, corners, faces, graph: Some(&graph) });
        graph
    }

    /// About four squares for a corner.
    fn build_table(&mut self, vertex: &[[f32; 3]], corners: usize) {
        self.squares = (8..MAX_SQUARES).find(|k| k * k >= 4 * corners).unwrap_or(MAX_SQUARES);
        let middle = |k: usize| (2 * k + 1) as f64 / self.squares as f64 - 1.0;
        let mut from = self.seeds[0];
        for i in 0..self.squares {
            for j in 0..self.squares {
                let (x, y) = (middle(i), middle(j));
                let z = 1.0 - x.abs() - y.abs();
                let direction = if z >= 0.0 {
                    Vec3::new(x, y, z)
                } else {
                    Vec3::new((1.0 - y.abs()).copysign(x), (1.0 - x.abs()).copysign(y), z)
                };
                from = self.climb((point(vertex[from as usize]).dot(direction), from), direction).1;
                self.table.push(from);
            }
        }
    }

    /// The square of the table in which a direction lies.
    fn square(&self, d: Vec3) -> usize {
        let scale = 1.0 / (d.x.abs() + d.y.abs() + d.z.abs());
        let (x, y) = (d.x * scale, d.y * scale);
        let (folded_x, folded_y) = ((1.0 - y.abs()).copysign(x), (1.0 - x.abs()).copysign(y));
        let (x, y) = if d.z < 0.0 { (folded_x, folded_y) } else { (x, y) };
        let half = 0.5 * self.squares as f64;
        let index = |x: f64| ((x * half + half) as usize).min(self.squares - 1);
        index(x) * self.squares + index(y)
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
/// Hulls with fewer corners are searched in full where only the point matters, four at a time.
const LISTED: usize = 64;
/// Most squares along an edge of the table.
const MAX_SQUARES: usize = 64;

fn point([x, y, z]: [f32; 3]) -> Vec3 {
    Vec3::new(x.into(), y.into(), z.into())
}

fn normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    normalize((b - a).cross(c - a)).0
}

impl<'a> Hull<'a> {
    pub(crate) fn usable_graph(&self) -> Option<&'a HullGraph> {
        self.graph.filter(|g| g.fits(self))
    }

    /// The corner farthest in `direction`; of several the one that a walk from the corners along
    /// the axes finds.
    pub(crate) fn farthest(&self, direction: Vec3) -> u32 {
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
    pub(crate) fn support(&self, direction: Vec3) -> Vec3 {
        let Some(graph) = self.usable_graph() else { return self.point(self.farthest(direction)) };
        if graph.squares > 0 {
            let corner = graph.table[graph.square(direction)];
            return self.point(graph.climb((self.point(corner).dot(direction), corner), direction).1);
        }
        if graph.listed.is_empty() {
            return self.point(self.farthest(direction));
        }
        // The best of every fourth corner, then the best of those four; the first of equals.
        let (mut best, mut block) = ([f64::NEG_INFINITY; 4], [0_u64; 4]);
        for (k, [x, y, z]) in (0..).zip(&graph.listed) {
            for i in 0..4 {
                let along = x[i] * direction.x + y[i] * direction.y + z[i] * direction.z;
                let better = along > best[i];
                best[i] = if better { along } else { best[i] };
                block[i] = if better { k } else { block[i] };
            }
        }
        let mut lane = 0;
        for i in 1..4 {
            if best[i] > best[lane] || (best[i] == best[lane] && block[i] < block[lane]) {
                lane = i;
            }
        }
        let [x, y, z] = graph.listed[block[lane] as usize].map(|four| four[lane]);
        Vec3::new(x, y, z)
    }

    /// Calls `f` with every triangle at a corner.
    pub(crate) fn for_triangles_at(&self, corner: u32, mut f: impl FnMut(u32)) {
        match self.usable_graph() {
            Some(graph) => graph.triangle[graph.list(corner)].iter().for_each(|k| f(*k)),
            None => (0..self.faces.len() as u32).filter(|k| self.faces[*k as usize].contains(&corner)).for_each(f),
        }
    }

    /// Unit normal of a triangle.
    pub(crate) fn normal(&self, triangle: u32) -> Vec3 {
        match self.usable_graph() {
            Some(graph) => graph.normal[triangle as usize],
            None => normal(self.faces[triangle as usize].map(|i| self.point(i))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of an ellipsoid, and a hull of triangles between rings of them.
    fn rings(n: u32) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
        let (mut vertex, mut faces) = (vec![[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]], Vec::new());
        for i in 1..n {
            let polar = core::f64::consts::PI * f64::from(i) / f64::from(n);
            for j in 0..n {
                let angle = core::f64::consts::TAU * f64::from(j) / f64::from(n);
                vertex
                    .push([polar.sin() * angle.cos(), 0.5 * polar.sin() * angle.sin(), polar.cos()].map(|x| x as f32));
            }
        }
        let at = |i: u32, j: u32| 2 + (i - 1) * n + j % n;
        for j in 0..n {
            faces.push([0, at(1, j), at(1, j + 1)]);
            faces.push([1, at(n - 1, j + 1), at(n - 1, j)]);
            for i in 1..n - 1 {
                faces.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
                faces.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
        (vertex, faces)
    }

    #[test]
    fn the_support_point_is_the_farthest_of_all_corners() {
        // Searched in full, listed, and with a table.
        for n in [3, 7, 20] {
            let (vertex, faces) = rings(n);
            let corners: Vec<u32> = (0..vertex.len() as u32).collect();
            let graph = HullGraph::new(&vertex, &faces, &corners);
            assert_eq!(graph.squares > 0, corners.len() > LISTED);
            let hull = Hull { vertex: &vertex, corners: &corners, faces: &faces, graph: Some(&graph) };
            for k in 0..2000 {
                let t = f64::from(k);
                let direction = Vec3::new((1.7 * t).sin(), (2.3 * t + 1.0).sin(), (3.1 * t + 2.0).sin());
                let most = corners.iter().map(|i| hull.point(*i).dot(direction)).fold(f64::NEG_INFINITY, f64::max);
                assert_eq!(hull.support(direction).dot(direction), most, "{n} {direction:?}");
                assert_eq!(hull.point(hull.farthest(direction)).dot(direction), most, "{n} {direction:?}");
            }
        }
    }
}
