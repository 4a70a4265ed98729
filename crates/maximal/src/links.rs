//! Links: bodies that move rigidly together, each with six degrees of freedom. Link 0 is everything
//! that cannot move.

use crate::{Error, FixedBodies};
use core::ops::Range;
use saltus_math::{MIN_VAL, Mat3, Vec3};
use saltus_sim::Model;

/// Constant properties of links. A parent's index is below its children's.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// The body that carries the link's frame; 0 for link 0.
    pub main: Vec<usize>,
    /// Link of each body.
    pub of_body: Vec<usize>,
    /// Link that the joints connect to.
    pub parent: Vec<usize>,
    /// Joints of the link's main body.
    pub joints: Vec<Range<usize>>,
    /// Dofs of these joints.
    pub dofs: Vec<Range<usize>>,
    pub mass: Vec<f64>,
    /// Centre of mass in the main body's frame.
    pub com: Vec<Vec3>,
    /// Inertia about the centre of mass, axes of the main body.
    pub inertia: Vec<Mat3>,
}

impl Links {
    pub(crate) fn new(model: &Model, fixed: FixedBodies) -> Result<Self, Error> {
        let bodies = &model.bodies;
        let mut links = Links { of_body: vec![0; model.nbody()], ..Links::default() };
        links.push(model, 0, 0);
        for b in 1..model.nbody() {
            let parent = links.of_body[bodies.parent[b].idx()];
            let moves = bodies.tree[b].is_some();
            let own = moves && (!bodies.joints[b].is_empty() || fixed == FixedBodies::Rows);
            links.of_body[b] = match (moves, own) {
                (false, _) => 0,
                (true, false) => parent,
                (true, true) => links.push(model, b, parent),
            };
        }
        links.sum_inertias(model)?;
        Ok(links)
    }

    /// Number of links, the immovable one among them.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.main.len()
    }

    fn push(&mut self, model: &Model, body: usize, parent: usize) -> usize {
        self.main.push(body);
        self.parent.push(parent);
        self.joints.push(model.bodies.joints[body].range());
        self.dofs.push(model.bodies.dofs[body].range());
        self.main.len() - 1
    }

    /// Mass, centre and inertia of all bodies of a link together.
    fn sum_inertias(&mut self, model: &Model) -> Result<(), Error> {
        let (n, bodies) = (self.len(), &model.bodies);
        self.mass = vec![0.0; n];
        self.com = vec![Vec3::ZERO; n];
        self.inertia = vec![Mat3::ZERO; n];
        // Frame of each body in its link.
        let mut frame = vec![(Vec3::ZERO, Mat3::IDENTITY); model.nbody()];
        for b in 1..model.nbody() {
            let link = self.of_body[b];
            if self.main[link] != b {
                let (p, R) = frame[bodies.parent[b].idx()];
                frame[b] = (p + R * bodies.pos[b], R * bodies.quat[b].to_mat3());
            }
            let (p, R) = frame[b];
            self.mass[link] += bodies.mass[b];
            self.com[link] += (p + R * bodies.inertial_pos[b]) * bodies.mass[b];
        }
        for link in 1..n {
            self.com[link] /= self.mass[link].max(MIN_VAL);
        }
        for b in 1..model.nbody() {
            let (link, (p, R)) = (self.of_body[b], frame[b]);
            let axes = R * bodies.inertial_quat[b].to_mat3();
            let r = p + R * bodies.inertial_pos[b] - self.com[link];
            let own = axes * Mat3::diag(bodies.inertia[b]) * axes.transpose();
            self.inertia[link] = self.inertia[link] + own + parallel(r, bodies.mass[b]);
        }
        let heavy = |link: &usize| self.mass[*link] > MIN_VAL && is_positive(&self.inertia[*link]);
        match (1..n).find(|link| !heavy(link)) {
            Some(link) => Err(Error::Massless { body: bodies.name[self.main[link]].clone() }),
            None => Ok(()),
        }
    }
}

/// m (r·r 1 − r rᵀ).
fn parallel(r: Vec3, m: f64) -> Mat3 {
    let K = Mat3::skew(r);
    K.transpose() * K * m
}

/// Whether a symmetric matrix is positive definite, by its leading minors.
pub fn is_positive(A: &Mat3) -> bool {
    let minor = A.r0.x * A.r1.y - A.r0.y * A.r1.x;
    A.r0.x > 0.0 && minor > 0.0 && A.det() > 0.0
}

/// Inverse of a symmetric matrix.
pub fn inverse(A: &Mat3) -> Mat3 {
    let (a, b, c) = (A.r1.cross(A.r2), A.r2.cross(A.r0), A.r0.cross(A.r1));
    Mat3::from_cols(a, b, c) * (1.0 / A.r0.dot(a))
}
