//! Left and right: the reflection of a robot in the plane y = 0, as a signed permutation of its
//! coordinates.
//!
//! A gait that is its own mirror image after half a stride is found from that half: q_{t+T} = P q_t
//! ⊕ stride. P is its own inverse. On tangent vectors it is the signed permutation P̂: translations
//! along y change sign, rotations (which are pseudo-vectors) those about x and z, and joints of the
//! left take the values of the right.

/// Where each coordinate and each dof comes from, and its sign.
#[derive(Clone, Debug, PartialEq)]
pub struct Mirror {
    /// Entry i of P q is `sign · q[source]`.
    pub q: Vec<(usize, f64)>,
    /// The same for tangent vectors.
    pub dof: Vec<(usize, f64)>,
}

impl Mirror {
    /// The identity: no reflection.
    pub fn identity(nq: usize, nv: usize) -> Self {
        Self { q: (0..nq).map(|i| (i, 1.0)).collect(), dof: (0..nv).map(|i| (i, 1.0)).collect() }
    }
    /// P q.
    pub fn apply(&self, q: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(&self.q).for_each(|(out, &(i, sign))| *out = sign * q[i]);
    }
    /// P̂ v.
    pub fn apply_tangent(&self, v: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(&self.dof).for_each(|(out, &(i, sign))| *out = sign * v[i]);
    }
    /// Whether applying it twice changes nothing.
    pub fn is_involution(&self) -> bool {
        let twice = |map: &[(usize, f64)]| {
            map.iter().enumerate().all(|(i, &(j, s))| map.get(j).is_some_and(|&(k, r)| k == i && r == s))
        };
        twice(&self.q) && twice(&self.dof)
    }
}
