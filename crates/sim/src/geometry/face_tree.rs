//! A tree of boxes over the triangles of a mesh, so that a ray looks at about log n of them.

use saltus_math::Vec3;

/// Triangles in a leaf.
const LEAF: usize = 4;
/// Halving at most 2³² triangles, with room to spare.
const DEPTH: usize = 64;

/// Boxes over triangles, halved at the median of their centres. Each inner node is followed by its
/// first child.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaceTree {
    nodes: Vec<Node>,
    /// Triangles in the order of the leaves.
    order: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq)]
struct Node {
    low: [f32; 3],
    high: [f32; 3],
    /// Leaf: where its triangles begin in `order`. Inner node: its second child.
    first: u32,
    /// Number of triangles of a leaf; 0 for inner nodes.
    count: u32,
}

impl FaceTree {
    pub(crate) fn new(vertex: &[[f32; 3]], faces: &[[u32; 3]]) -> Self {
        let mut tree = Self { nodes: Vec::new(), order: (0..faces.len() as u32).collect() };
        // Range of triangles, and the node whose second child it is.
        let mut open = vec![(0, faces.len(), None::<usize>)];
        while let Some((start, end, parent)) = open.pop() {
            let node = tree.nodes.len();
            if let Some(parent) = parent {
                tree.nodes[parent].first = node as u32;
            }
            let (low, high) = bounds(vertex, faces, &tree.order[start..end]);
            let count = if end - start <= LEAF { (end - start) as u32 } else { 0 };
            tree.nodes.push(Node { low, high, first: start as u32, count });
            if count == 0 && end > start {
                let widest = |a: &usize, b: &usize| (high[*a] - low[*a]).total_cmp(&(high[*b] - low[*b]));
                let axis = (0..3).max_by(widest).unwrap_or(0);
                let centre = |f: &u32| faces[*f as usize].iter().map(|v| vertex[*v as usize][axis]).sum::<f32>();
                let middle = (end - start) / 2;
                tree.order[start..end]
                    .select_nth_unstable_by(middle, |a, b| centre(a).total_cmp(&centre(b)).then(a.cmp(b)));
                open.push((start + middle, end, Some(node)));
                open.push((start, start + middle, None));
            }
        }
        tree
    }

    /// Whether this is the tree of a mesh with so many triangles.
    pub(crate) fn fits(&self, faces: usize) -> bool {
        self.order.len() == faces && faces > 0
    }

    /// Calls `visit` with triangles near the ray p + t v that could be met before the ray parameter
    /// that it returns, nearer boxes first.
    pub(crate) fn walk(&self, p: Vec3, v: Vec3, mut visit: impl FnMut(u32) -> f64) {
        let mut nearest = f64::INFINITY;
        let mut stack = [(0u32, 0.0f64); DEPTH];
        let mut depth = match self.nodes.first().and_then(|root| root.enter(p, v)) {
            Some(t) => {
                stack[0] = (0, t);
                1
            }
            None => 0,
        };
        while depth > 0 {
            depth -= 1;
            let (index, t) = stack[depth];
            if t > nearest {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.count > 0 {
                for f in &self.order[node.first as usize..(node.first + node.count) as usize] {
                    nearest = visit(*f);
                }
                continue;
            }
            let mut children = [index + 1, node.first].map(|c| (c, self.nodes[c as usize].enter(p, v)));
            // The nearer child goes on top.
            if let [(_, Some(a)), (_, Some(b))] = children
                && a < b
            {
                children.swap(0, 1);
            }
            for (child, t) in children {
                if let Some(t) = t
                    && depth < DEPTH
                {
                    stack[depth] = (child, t);
                    depth += 1;
                }
            }
        }
    }
}

impl Node {
    /// Ray parameter at which a ray enters the box, 0 inside it.
    fn enter(&self, p: Vec3, v: Vec3) -> Option<f64> {
        let (mut from, mut to) = (0.0_f64, f64::INFINITY);
        for i in 0..3 {
            let (low, high) = (f64::from(self.low[i]), f64::from(self.high[i]));
            if v[i] == 0.0 {
                if p[i] < low || p[i] > high {
                    return None;
                }
                continue;
            }
            let (t0, t1) = ((low - p[i]) / v[i], (high - p[i]) / v[i]);
            from = from.max(t0.min(t1));
            to = to.min(t0.max(t1));
        }
        (from <= to).then_some(from)
    }
}

/// Box around triangles, grown a little so that round-off cannot lose a triangle on its border.
fn bounds(vertex: &[[f32; 3]], faces: &[[u32; 3]], chosen: &[u32]) -> ([f32; 3], [f32; 3]) {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    let mut largest = 0.0_f32;
    for corner in chosen.iter().flat_map(|f| faces[*f as usize]) {
        for (i, x) in vertex[corner as usize].into_iter().enumerate() {
            low[i] = low[i].min(x);
            high[i] = high[i].max(x);
            largest = largest.max(x.abs());
        }
    }
    (low.map(|x| x - 1e-6 * largest), high.map(|x| x + 1e-6 * largest))
}
