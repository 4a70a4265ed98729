//! Rows of an invertible problem: the constraint on each impulse, and its parameters.

use thiserror::Error;

/// Kind of a group of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The velocity follows a target: R f + v = v*. No bounds.
    Equality,
    /// Dry friction: |f| < η.
    Friction,
    /// Unilateral: f > 0 and v above its minimum.
    Limit,
    /// Cone: f_n > 0, f_n² > Σ (f_i/μ_i)², and v_n above its minimum. Rows: normal, then tangents,
    /// torsion, rolling.
    Contact,
}

/// Rows that share a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Kind of constraint.
    pub kind: Kind,
    /// First row.
    pub start: u32,
    /// Number of rows: 1, for contacts up to 6.
    pub dim: u32,
}

impl Group {
    /// Its rows.
    #[inline]
    pub fn range(&self) -> core::ops::Range<usize> {
        self.start as usize..(self.start + self.dim) as usize
    }
    /// The row with a minimal velocity, if there is one.
    #[inline]
    pub fn normal(&self) -> Option<usize> {
        matches!(self.kind, Kind::Limit | Kind::Contact).then_some(self.start as usize)
    }
}

/// Maximum number of rows of a contact.
pub const MAX_DIM: usize = 6;

/// All rows, in the order in which groups were added. Vectors have one entry per row.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub(super) groups: Vec<Group>,
    /// Regularizer, an inverse mass; > 0.
    pub(super) R: Vec<f64>,
    /// Scale of each impulse: μ_i of tangents, η of dry friction, 1 elsewhere. f = scale · x, and
    /// the barriers d_F are functions of x, so that a coefficient of 0 needs no special case.
    pub(super) scale: Vec<f64>,
    /// Minimal velocity of normals and limits, target velocity of equalities, 0 elsewhere.
    pub(super) bound: Vec<f64>,
    /// Smoothing κ, an energy; > 0. Rows of a group have the same.
    pub(super) kappa: Vec<f64>,
    /// Slope q at which the elastic barrier becomes quadratic, an impulse; > 0.
    pub(super) slope: Vec<f64>,
    /// Rows with a minimal velocity.
    pub(super) normals: Vec<u32>,
    /// Whether minimal velocities are ignored.
    pub(super) without_walls: bool,
    /// Contacts whose tangents have equal parameters, or that have none; see `inverse`.
    pub(super) alike: Vec<Alike>,
    /// Number of rows of those contacts.
    pub(super) alike_rows: usize,
}

/// A contact with two tangents of the same R and μ, or with the normal only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alike {
    pub start: u32,
    pub is_single: bool,
    pub kappa: f64,
    pub R_n: f64,
    pub mu: f64,
    /// R μ² of the tangents.
    pub a: f64,
}

/// Parameters shared by the rows of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothing {
    /// κ: weight of the barrier.
    pub kappa: f64,
    /// q: slope at which the elastic barrier becomes quadratic.
    pub slope: f64,
}

impl Rows {
    /// Number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.R.len()
    }
    /// Whether there are no rows.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.R.is_empty()
    }
    /// Groups in order.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }
    /// R by rows.
    pub fn regularizer(&self) -> &[f64] {
        &self.R
    }
    /// μ_i of tangents, η of dry friction, 1 elsewhere, by rows.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }
    /// Minimal velocity of normals and limits, target of equalities, by rows.
    pub fn bound(&self) -> &[f64] {
        &self.bound
    }
    /// κ and q by rows.
    pub fn smoothing(&self) -> impl Iterator<Item = Smoothing> {
        self.kappa.iter().zip(&self.slope).map(|(&kappa, &slope)| Smoothing { kappa, slope })
    }
    /// Removes all rows, keeps the memory.
    pub fn clear(&mut self) {
        self.groups.clear();
        self.normals.clear();
        self.alike.clear();
        self.alike_rows = 0;
        for v in [&mut self.R, &mut self.scale, &mut self.bound, &mut self.kappa, &mut self.slope] {
            v.clear();
        }
    }
    /// Multiplies κ of all rows by a factor.
    pub(super) fn multiply_kappa(&mut self, factor: f64) {
        self.kappa.iter_mut().for_each(|kappa| *kappa *= factor);
        self.alike.iter_mut().for_each(|contact| contact.kappa *= factor);
    }
    /// Adds R f + v = `target`.
    pub fn push_equality(&mut self, R: f64, target: f64, smoothing: Smoothing) {
        self.push(Kind::Equality, &[R], &[], target, smoothing);
    }
    /// Adds |f| < `eta`.
    pub fn push_friction(&mut self, R: f64, eta: f64, smoothing: Smoothing) {
        self.push(Kind::Friction, &[R], &[], 0.0, smoothing);
        if let Some(scale) = self.scale.last_mut() {
            *scale = eta;
        }
    }
    /// Adds f > 0, v > `v_min`.
    pub fn push_limit(&mut self, R: f64, v_min: f64, smoothing: Smoothing) {
        self.push(Kind::Limit, &[R], &[], v_min, smoothing);
    }
    /// Adds a contact: R of the normal and of the other rows, and the coefficients of the others.
    pub fn push_contact(&mut self, R: &[f64], mu: &[f64], v_min: f64, smoothing: Smoothing) {
        self.push(Kind::Contact, R, mu, v_min, smoothing);
    }
    /// Appends a copy of a group of `from`.
    pub(super) fn push_group(&mut self, from: &Rows, group: usize) {
        self.without_walls = from.without_walls;
        let group = from.groups[group];
        let (own, i) = (group.range(), group.start as usize);
        let smoothing = Smoothing { kappa: from.kappa[i], slope: from.slope[i] };
        self.push(group.kind, &from.R[own.clone()], &from.scale[i + 1..own.end], from.bound[i], smoothing);
        let n = self.scale.len() - own.len();
        self.scale[n] = from.scale[i];
    }
    fn push(&mut self, kind: Kind, R: &[f64], mu: &[f64], bound: f64, smoothing: Smoothing) {
        let dim = R.len().min(1 + mu.len());
        let group = Group { kind, start: self.len() as u32, dim: dim as u32 };
        self.groups.push(group);
        if !self.without_walls {
            self.normals.extend(group.normal().map(|i| i as u32));
        }
        if kind == Kind::Contact && (dim == 1 || (dim == 3 && R[1] == R[2] && mu[0] == mu[1])) {
            let (mu, a) = if dim == 1 { (0.0, 1.0) } else { (mu[0], R[1] * mu[0] * mu[0]) };
            self.alike_rows += dim;
            let (start, is_single) = (group.start, dim == 1);
            self.alike.push(Alike { start, is_single, kappa: smoothing.kappa, R_n: R[0], mu, a });
        }
        self.R.extend_from_slice(&R[..dim]);
        self.scale.push(1.0);
        self.scale.extend_from_slice(&mu[..dim - 1]);
        self.bound.push(bound);
        self.bound.resize(self.R.len(), 0.0);
        self.kappa.resize(self.R.len(), smoothing.kappa);
        self.slope.resize(self.R.len(), smoothing.slope);
    }
    /// Checks that all parameters are admissible.
    pub fn check(&self) -> Result<(), Error> {
        let n = self.len();
        if [self.scale.len(), self.bound.len(), self.kappa.len(), self.slope.len()] != [n; 4]
            || self.groups.iter().map(|g| g.dim as usize).sum::<usize>() != n
        {
            return Err(Error::Size { what: "rows", expected: n, found: self.scale.len() });
        }
        let positive = |x: f64| x > 0.0 && x.is_finite();
        for i in 0..n {
            let wrong = |what, expected, found| Err(Error::Value { what, row: i, expected, found });
            if !positive(self.R[i]) {
                return wrong("R", "positive and finite", self.R[i]);
            }
            if !positive(self.kappa[i]) {
                return wrong("kappa", "positive and finite", self.kappa[i]);
            }
            if !positive(self.slope[i]) {
                return wrong("q", "positive and finite", self.slope[i]);
            }
            if !(self.scale[i] >= 0.0 && self.scale[i].is_finite()) {
                return wrong("friction", "0 or more, and finite", self.scale[i]);
            }
            if !self.bound[i].is_finite() {
                return wrong("v_min", "finite", self.bound[i]);
            }
        }
        Ok(())
    }
}

/// Error of an ill-posed problem.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Error {
    /// An array has the wrong size.
    #[error("{what}: expected {expected} numbers, found {found}")]
    Size { what: &'static str, expected: usize, found: usize },
    /// A number is out of its range.
    #[error("{what} of row {row} must be {expected}, not {found}")]
    Value { what: &'static str, row: usize, expected: &'static str, found: f64 },
    /// A is not symmetric.
    #[error("A must be symmetric: entries ({row}, {col}) and ({col}, {row}) are {upper} and {lower}")]
    NotSymmetric { row: usize, col: usize, upper: f64, lower: f64 },
    /// A is not positive semidefinite.
    #[error("A must be positive semidefinite: pivot {row} of its factorization is {pivot}")]
    NotSemidefinite { row: usize, pivot: f64 },
    /// Restitution has no inverse.
    #[error("restitution {0} has no inverse: impulses scaled by restitution do not determine velocities")]
    Restitution(f64),
}

/// Whether `values` are `n` finite numbers.
pub(super) fn check_values(what: &'static str, values: &[f64], n: usize) -> Result<(), Error> {
    if values.len() != n {
        return Err(Error::Size { what, expected: n, found: values.len() });
    }
    match values.iter().position(|x| !x.is_finite()) {
        Some(row) => Err(Error::Value { what, row, expected: "finite", found: values[row] }),
        None => Ok(()),
    }
}
