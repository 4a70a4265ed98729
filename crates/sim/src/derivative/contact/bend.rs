//! Second derivatives of the power −f · c(W) of a contact under a fixed motion W, c and f as in the
//! parent module.
//!
//! For a body whose point c (a corner, or the centre of a sphere of radius r) is above a fixed
//! plane. In the frame of the body c is fixed and the axes e of the contact rotate: with motion
//! fields taken at c,
//!   c_i(W) = e_i · W_lin + ρ b_i · W_ang   (forces),     e_i · W_ang   (moments),
//!   ρ = r + dist/2,   b_i = e_i × n,
//! and under a twist ξ of the body
//!   ∂(e · x) = e · (ξ_ang × x),     ∂dist = n · ξ_lin.                                       (1)
//! Forces are functions of c(Z) and the distance. The first and second derivatives of −f · c(W)
//! with respect to (ξ, ∂Z, ∂W) follow; of two successive twists, the second is fixed in the body
//! that the first moves.

use super::feature::{Feature, Features, Slide};
use super::local;
use crate::data::{Block, Contact, Data};
use crate::derivative::response::{Answers, Bend};
use crate::law::invertible::Distance;
use crate::model::Model;
use crate::options::Disable;
use saltus_math::{Force, Mat6, Motion, Vec3};

/// Derivatives of −f · c(W) with respect to the twist X, Z and W, in the c-frame of the body.
/// Second derivatives have rows by the second twist.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::derivative) struct Curve {
    pub by_Z: Force,
    pub by_W: Force,
    pub XX: Mat6,
    pub ZX: Mat6,
    pub WX: Mat6,
    pub ZZ: Mat6,
    pub WZ: Mat6,
}

impl Curve {
    pub fn add(&mut self, other: &Curve) {
        self.by_Z += other.by_Z;
        self.by_W += other.by_W;
        let own = [&mut self.XX, &mut self.ZX, &mut self.WX, &mut self.ZZ, &mut self.WZ];
        for (own, other) in own.into_iter().zip([&other.XX, &other.ZX, &other.WX, &other.ZZ, &other.WZ]) {
            for (own, other) in own.0.as_flattened_mut().iter_mut().zip(other.0.as_flattened()) {
                *own += other;
            }
        }
    }
}

/// The moving side of a contact.
#[derive(Clone, Copy, Debug)]
pub(in crate::derivative) struct Side {
    pub body: usize,
    /// 1 for the second body, −1 for the first.
    sign: f64,
    radius: f64,
}

/// The moving side, if this is a contact of the kind described above.
pub(in crate::derivative) fn find_side(model: &Model, data: &Data, contact: &Contact) -> Option<Side> {
    let geoms = [contact.geom1, contact.geom2].map(|geom| geom.idx());
    let bodies = geoms.map(|geom| model.geoms.body[geom].idx());
    let k = match bodies.map(|b| model.bodies.tree[b].is_some()) {
        [false, true] => 1,
        [true, false] => 0,
        _ => return None,
    };
    let features = Features::of(model, data, contact);
    let (own, other) = (features.sides[k], features.sides[1 - k]);
    let plain = features.exact && own.feature == Feature::Point && other.feature == Feature::Plane;
    let still = own.slide == Slide::None && geoms.iter().all(|&g| model.geoms.surface_velocity[g] == [0.0; 6]);
    // A rotation of the tangents about the normal matters only if the coefficients differ.
    let mu = &contact.friction;
    let round = (contact.dim < 3 || mu[0] == mu[1]) && (contact.dim < 6 || mu[3] == mu[4]);
    let passive = !(model.options.disable.has(Disable::SPRING) && model.options.disable.has(Disable::DAMPER));
    let dry = contact.adhesion <= 0.0 || !passive;
    let sign = if k == 1 { 1.0 } else { -1.0 };
    (plain && still && round && dry && other.radius == 0.0).then_some(Side {
        body: bodies[k],
        sign,
        radius: own.radius,
    })
}

/// A motion field at c in contact axes.
#[derive(Clone, Copy)]
struct Field {
    lin: Vec3,
    ang: Vec3,
}

/// Linear functions of (ξ, ∂field), linear parts first.
#[derive(Clone, Copy)]
struct Line {
    by_twist: [f64; 6],
    by_field: [f64; 6],
}

/// The geometry of (1) in contact axes: e_i is `sign` times an axis.
#[derive(Clone, Copy)]
struct Arm {
    sign: f64,
    rho: f64,
}

fn axis(i: usize) -> Vec3 {
    [Vec3::X, Vec3::Y, Vec3::Z][i]
}

/// b_i of forces.
fn lever(i: usize) -> Vec3 {
    [Vec3::ZERO, -Vec3::Z, Vec3::Y][i]
}

fn joined(a: Vec3, b: Vec3) -> [f64; 6] {
    [a.x, a.y, a.z, b.x, b.y, b.z]
}

impl Arm {
    /// c_i of a motion field.
    fn component(&self, i: usize, field: &Field) -> f64 {
        if i < 3 { self.sign * field.lin[i] + self.rho * lever(i).dot(field.ang) } else { self.sign * field.ang[i - 3] }
    }

    /// ∂c_i.
    fn line(&self, i: usize, field: &Field) -> Line {
        if i >= 3 {
            let e = axis(i - 3) * self.sign;
            return Line { by_twist: joined(Vec3::ZERO, field.ang.cross(e)), by_field: joined(Vec3::ZERO, e) };
        }
        let (e, b) = (axis(i) * self.sign, lever(i));
        let turned = field.lin.cross(e) + field.ang.cross(b) * self.rho;
        let lower = Vec3::X * (0.5 * self.sign * b.dot(field.ang));
        Line { by_twist: joined(lower, turned), by_field: joined(e, b * self.rho) }
    }

    /// Σ x_i c_i as a function of the field: x · lin + y · ang, and Σ x_i b_i.
    fn weigh(&self, x: &[f64; 6]) -> (Vec3, Vec3, Vec3) {
        let (mut lin, mut ang, mut b) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        for i in 0..3 {
            lin[i] = self.sign * x[i];
            ang[i] = self.sign * x[3 + i];
            b += lever(i) * x[i];
        }
        (lin, ang + b * self.rho, b)
    }
}

type Map = [[f64; 6]; 6];

fn add_outer(map: &mut Map, scale: f64, row: &[f64; 6], col: &[f64; 6]) {
    for (line, r) in map.iter_mut().zip(row).filter(|(_, r)| **r != 0.0) {
        let r = scale * r;
        line.iter_mut().zip(col).for_each(|(x, c)| *x += r * c);
    }
}

/// Adds the matrix of the linear map y ↦ f(y) to the 3×3 block at (i, j).
fn add_block(map: &mut Map, i: usize, j: usize, f: impl Fn(Vec3) -> Vec3) {
    for c in 0..3 {
        let column = f(axis(c));
        for r in 0..3 {
            map[i + r][j + c] += column[r];
        }
    }
}

/// The derivatives of one contact for the motions `Z` and `W` of its body.
pub(in crate::derivative) fn curve(
    model: &Model,
    data: &Data,
    answers: &Answers<'_>,
    distance: &Distance,
    block: &Block,
    side: &Side,
    [Z, W]: [Motion; 2],
) -> Curve {
    let contact = &data.contacts[block.id as usize];
    let (frame, s) = (&contact.frame, side.sign);
    let arm = Arm { sign: s, rho: side.radius + 0.5 * contact.dist };
    let com = data.position.com[model.bodies.root[side.body].idx()];
    let r = contact.pos + frame.r0 * (s * arm.rho) - com;
    let field = |m: Motion| {
        let m = m.shifted(r);
        Field { lin: *frame * m.lin, ang: *frame * m.ang }
    };
    let (z, w) = (field(Z), field(W));
    let response = answers.contact(block);
    let dim = response.dim;
    let mut weights = [0.0; 6];
    (0..dim).for_each(|i| weights[i] = arm.component(i, &w));
    let bend: Bend = answers.bend(distance, block, &weights);
    // Hᵀ c(W) and −f: the derivatives with respect to c(Z) and c(W).
    let mut by_c = [[0.0; 6]; 2];
    for i in 0..dim {
        by_c[0][i] = (0..dim).map(|j| response.H[j][i] * weights[j]).sum();
        by_c[1][i] = -response.force[i];
    }
    let by_dist = -(0..dim).map(|i| response.e[i] * weights[i]).sum::<f64>();
    let (mut XX, mut ZX, mut WX, mut ZZ, mut WZ) =
        ([[0.0; 6]; 6], [[0.0; 6]; 6], [[0.0; 6]; 6], [[0.0; 6]; 6], [[0.0; 6]; 6]);
    // Second derivatives of c and of the distance by (1).
    let n = Vec3::X * s;
    let (mut across, mut lowered) = (Vec3::ZERO, by_dist);
    let mut ends = [Force::ZERO; 2];
    for ((x, field), (own, end)) in by_c.iter().zip([&z, &w]).zip([&mut ZX, &mut WX].into_iter().zip(&mut ends)) {
        let (lin, ang, b) = arm.weigh(x);
        for (x, y) in [(lin, field.lin), (ang, field.ang)] {
            // x · (ξ' × (ξ × y)) = (x · ξ)(y · ξ') − (x · y)(ξ · ξ').
            add_block(&mut XX, 3, 3, |turn| x * y.dot(turn) - turn * x.dot(y));
        }
        across += field.ang.cross(b) * 0.5;
        lowered += 0.5 * b.dot(field.ang);
        add_block(own, 0, 3, |turn| lin.cross(turn));
        add_block(own, 3, 3, |turn| ang.cross(turn));
        add_block(own, 3, 0, |shift| b * (0.5 * n.dot(shift)));
        *end = local::wrench(&joined(lin, ang), frame, r, 1.0);
    }
    add_block(&mut XX, 0, 3, |turn| n * across.dot(turn) + n.cross(turn) * lowered);
    add_block(&mut XX, 3, 0, |shift| across * n.dot(shift));
    // Second derivatives of the law, and of f by Z with c by W.
    let of_z: [Line; 6] = core::array::from_fn(|i| arm.line(i, &z));
    let dist = joined(n, Vec3::ZERO);
    for i in 0..dim {
        // Row i of ∂²(−f·c(W)) and ∂f_i, with respect to c(Z) and the distance.
        let (mut row, mut force) = (scaled(&dist, bend.by_dist[i]), scaled(&dist, response.e[i]));
        let (mut row_Z, mut force_Z) = ([0.0; 6], [0.0; 6]);
        for (j, line) in of_z[..dim].iter().enumerate() {
            add(&mut row, bend.by_motion[i][j], &line.by_twist);
            add(&mut row_Z, bend.by_motion[i][j], &line.by_field);
            add(&mut force, -response.H[i][j], &line.by_twist);
            add(&mut force_Z, -response.H[i][j], &line.by_field);
        }
        let line = &of_z[i];
        add_outer(&mut XX, 1.0, &line.by_twist, &row);
        add_outer(&mut ZX, 1.0, &line.by_field, &row);
        add_outer(&mut ZZ, 1.0, &line.by_field, &row_Z);
        let of_w = arm.line(i, &w);
        add_outer(&mut XX, -1.0, &of_w.by_twist, &force);
        add_outer(&mut XX, -1.0, &force, &of_w.by_twist);
        add_outer(&mut ZX, -1.0, &force_Z, &of_w.by_twist);
        add_outer(&mut WX, -1.0, &of_w.by_field, &force);
        add_outer(&mut WZ, -1.0, &of_w.by_field, &force_Z);
    }
    let mut by_dist_row = scaled(&dist, bend.by_dist_twice);
    (0..dim).for_each(|j| add(&mut by_dist_row, bend.by_dist[j], &of_z[j].by_twist));
    add_outer(&mut XX, 1.0, &dist, &by_dist_row);
    let map = |Q: &Map| local::to_bodies(Q, frame, r, r, 1.0, true);
    let [by_Z, by_W] = ends;
    Curve { by_Z, by_W, XX: map(&XX), ZX: map(&ZX), WX: map(&WX), ZZ: map(&ZZ), WZ: map(&WZ) }
}

fn scaled(x: &[f64; 6], scale: f64) -> [f64; 6] {
    x.map(|x| scale * x)
}

fn add(target: &mut [f64; 6], scale: f64, x: &[f64; 6]) {
    target.iter_mut().zip(x).for_each(|(t, x)| *t += scale * x);
}
