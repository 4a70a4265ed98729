//! Triangulation of polygons. Quadrilaterals are split along the shorter diagonal, larger polygons
//! by ear clipping, starting at the first corner, so that a convex polygon becomes a fan around it.

/// Maximum number of point-in-triangle tests per file; polygons beyond it are triangulated as fans,
/// which bounds the time for a malicious file.
const WORK: usize = 200_000_000;

/// Triangulates the polygons of one file.
pub(super) struct Triangulator {
    work: usize,
    /// Projected corners of the current polygon, and the corners not yet clipped.
    points: Vec<[f64; 2]>,
    left: Vec<usize>,
}

impl Default for Triangulator {
    fn default() -> Self {
        Self { work: WORK, points: Vec::new(), left: Vec::new() }
    }
}

impl Triangulator {
    /// Appends the triangles of a polygon; fewer than three corners have none. Indices are valid.
    pub(super) fn cut(&mut self, vertices: &[[f32; 3]], polygon: &[u32], faces: &mut Vec<[u32; 3]>) {
        match *polygon {
            [] | [_] | [_, _] => {}
            [a, b, c] => faces.push([a, b, c]),
            [a, b, c, d] => {
                if distance2(vertices, a, c) < distance2(vertices, b, d) {
                    faces.extend([[a, b, c], [a, c, d]]);
                } else {
                    faces.extend([[a, b, d], [b, c, d]]);
                }
            }
            _ => self.clip_ears(vertices, polygon, faces),
        }
    }

    fn clip_ears(&mut self, vertices: &[[f32; 3]], polygon: &[u32], faces: &mut Vec<[u32; 3]>) {
        self.project(vertices, polygon);
        self.left.clear();
        self.left.extend(0..polygon.len());
        let mut at = 0;
        let mut failures = 0;
        while self.left.len() > 3 {
            let n = self.left.len();
            at %= n;
            let [a, b, c] = [0, 1, 2].map(|k| self.left[(at + k) % n]);
            // After a full round without an ear (self-intersecting or flat polygon) any corner is
            // clipped.
            if failures >= n || self.is_ear(at) {
                faces.push([polygon[a], polygon[b], polygon[c]]);
                self.left.remove((at + 1) % n);
                failures = 0;
            } else {
                at += 1;
                failures += 1;
            }
        }
        faces.push([0, 1, 2].map(|k| polygon[self.left[k]]));
    }

    /// Projects the corners along the largest component of the polygon's normal, so that the
    /// outline runs counter-clockwise. The normal is the sum of cross products around the outline.
    fn project(&mut self, vertices: &[[f32; 3]], polygon: &[u32]) {
        let point = |i: usize| vertices[polygon[i % polygon.len()] as usize].map(f64::from);
        let mut normal = [0.0; 3];
        let origin = point(0);
        for i in 0..polygon.len() {
            let [p, q] = [point(i), point(i + 1)].map(|x| [0, 1, 2].map(|k| x[k] - origin[k]));
            for k in 0..3 {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                normal[k] += p[i] * q[j] - p[j] * q[i];
            }
        }
        let axis = (0..3).fold(0, |best, k| if f64::abs(normal[k]) > f64::abs(normal[best]) { k } else { best });
        let (mut i, mut j) = ((axis + 1) % 3, (axis + 2) % 3);
        if normal[axis] < 0.0 {
            (i, j) = (j, i);
        }
        self.points.clear();
        self.points.extend((0..polygon.len()).map(|c| [point(c)[i], point(c)[j]]));
    }

    /// Whether the corner after position `at` is convex and its triangle holds no other corner.
    fn is_ear(&mut self, at: usize) -> bool {
        let n = self.left.len();
        let corner = |k: usize| self.points[self.left[(at + k) % n]];
        let [a, b, c] = [0, 1, 2].map(corner);
        if self.work < n {
            return true;
        }
        self.work -= n;
        if area(a, b, c) < 0.0 {
            return false;
        }
        // Points on the boundary count as inside, since otherwise a flat remainder could be left; a
        // repeated corner does not.
        let inside = |p: [f64; 2]| area(a, b, p) >= 0.0 && area(b, c, p) >= 0.0 && area(c, a, p) >= 0.0;
        !(3..n).map(corner).any(|p| p != a && p != b && p != c && inside(p))
    }
}

/// Twice the signed area of a triangle.
fn area(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Squared distance in single precision: ties between the diagonals must be resolved as in MuJoCo.
fn distance2(vertices: &[[f32; 3]], i: u32, j: u32) -> f32 {
    let (p, q) = (vertices[i as usize], vertices[j as usize]);
    let [x, y, z] = [0, 1, 2].map(|k| q[k] - p[k]);
    x * x + y * y + z * z
}
