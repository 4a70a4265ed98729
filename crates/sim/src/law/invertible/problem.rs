//! Converts rows of `data.constraints` to rows of the law, with parameters that depend on q and v
//! at the beginning of the step.

use super::bend::Residual;
use super::distance::Distance;
use super::rows::{MAX_DIM, Rows, Smoothing};
use super::share::Shares;
use crate::data::{Block, Constraints, Contact, Data, RowKind};
use crate::model::Model;
use saltus_math::{MIN_VAL, real};

/// R of equalities and of dry friction relative to the row's inverse mass.
const EQUALITY_SOFTNESS: f64 = 1e-3;
const FRICTION_SOFTNESS: f64 = 1e-3;
/// Largest κ of dry friction relative to η² A.
const FRICTION_SHARE: f64 = 1e-2;
/// Time constant of error correction of equalities, s.
const EQUALITY_TIME: f64 = 0.02;

/// Parameters of all rows. The rows of a contact form one group; other rows are groups of their
/// own.
pub(super) fn update_rows(
    model: &Model,
    contacts: &[Contact],
    constraints: &Constraints,
    shares: &mut Shares,
    rows: &mut Rows,
) {
    let distance = Distance::of_model(model);
    let h = model.options.timestep;
    shares.update(model, contacts, constraints, &distance);
    rows.clear();
    rows.without_walls = !model.options.laws.invertible.walls;
    for (b, block) in constraints.blocks.iter().enumerate() {
        let own = block.rows.range();
        for (k, row) in own.clone().enumerate() {
            // The rows of a contact are added with the first one.
            let is_contact = block.kind as i32 >= RowKind::ContactFrictionless as i32;
            if is_contact && k > 0 {
                continue;
            }
            let distance = of_block(&distance, contacts, block, shares.count(b));
            let (A, w) = measure(&distance, constraints, block, row);
            let smoothing = distance.smoothing(A);
            match block.kind {
                RowKind::Equality => {
                    rows.push_equality(EQUALITY_SOFTNESS * A, equality_target(w, h), smoothing);
                }
                RowKind::FrictionDof | RowKind::FrictionTendon => {
                    let eta = h * constraints.friction_loss[row];
                    rows.push_friction(FRICTION_SOFTNESS * A, eta, friction_smoothing(smoothing, eta, A));
                }
                RowKind::LimitJoint | RowKind::LimitTendon => {
                    rows.push_limit(distance.regularizer(w, A), distance.least_velocity(w), smoothing);
                }
                _ => {
                    let R = [distance.regularizer(w, A); MAX_DIM];
                    let mu = &contacts[block.id as usize].friction;
                    let dim = own.len();
                    rows.push_contact(&R[..dim], &mu[..dim - 1], distance.least_velocity(w), smoothing);
                }
            }
        }
    }
}

/// Parameters of a block's rows: contacts have their own reach and share loads with `count` − 1
/// others.
fn of_block(distance: &Distance, contacts: &[Contact], block: &Block, count: f64) -> Distance {
    match block.kind as i32 >= RowKind::ContactFrictionless as i32 {
        true => distance.within(contacts[block.id as usize].reach).shared_by(count),
        false => *distance,
    }
}

/// Parameters of a single contact, and its distance.
pub(super) fn contact_distance(
    distance: &Distance,
    contacts: &[Contact],
    constraints: &Constraints,
    block: &Block,
) -> (Distance, f64) {
    let (distance, row) = (of_block(distance, contacts, block, 1.0), block.rows.start as usize);
    (distance, constraints.pos[row] - constraints.margin[row] + distance.inset)
}

/// The inverse mass of a row divided by its weight, and its distance.
fn measure(distance: &Distance, constraints: &Constraints, block: &Block, row: usize) -> (f64, f64) {
    let (A, w) = (constraints.diag[row].max(MIN_VAL), constraints.pos[row] - constraints.margin[row]);
    match block.kind {
        RowKind::Equality | RowKind::FrictionDof | RowKind::FrictionTendon => (A, w),
        RowKind::LimitJoint | RowKind::LimitTendon => (A / distance.weight(w), w),
        RowKind::ContactFrictionless | RowKind::ContactPyramidal | RowKind::ContactElliptic => {
            let w = w + distance.inset;
            (distance.contact_inverse_mass(A) / distance.weight(w), w)
        }
    }
}

/// Derivatives of a row's parameters with respect to its residual.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slopes {
    /// ∂R at constant weight.
    pub R: f64,
    /// Derivative of v_min, or of an equality's target.
    pub bound: f64,
    /// ∂β/β: derivative of the weight, with which 1/R, κ and q scale.
    pub weight: f64,
}

/// Slopes of each block's first row, stored at the index of that row.
pub(super) fn update_slopes(model: &Model, data: &Data, shares: &Shares, slopes: &mut Vec<Slopes>) {
    let (all, constraints) = (Distance::of_model(model), &data.constraints);
    slopes.clear();
    slopes.resize(constraints.len(), Slopes::default());
    for (b, block) in constraints.blocks.iter().enumerate() {
        let row = block.rows.start as usize;
        let distance = of_block(&all, &data.contacts, block, shares.count(b));
        let (A, w) = measure(&distance, constraints, block, row);
        slopes[row] = match block.kind {
            RowKind::Equality => Slopes { bound: equality_target(1.0, model.options.timestep), ..Slopes::default() },
            RowKind::FrictionDof | RowKind::FrictionTendon => Slopes::default(),
            _ => Slopes {
                R: distance.regularizer_slope(w, A),
                bound: distance.least_velocity_slope(w),
                weight: distance.weight_slope(w),
            },
        };
    }
}

/// First and second derivatives of a contact's parameters with respect to its residual, without
/// load sharing. Second derivatives are finite differences of the first, which are scalar
/// functions.
pub(super) fn residual_slopes(distance: &Distance, data: &Data, block: &Block) -> Residual {
    let distance = of_block(distance, &data.contacts, block, 1.0);
    let (A, w) = measure(&distance, &data.constraints, block, block.rows.start as usize);
    let step = 1e-4 * distance.hover;
    let (R, weight) = (|w: f64| distance.regularizer_slope(w, A), |w: f64| distance.weight_slope(w));
    let bend = |f: &dyn Fn(f64) -> f64| (f(w + step) - f(w - step)) / (2.0 * step);
    // β''/β = (β'/β)' + (β'/β)².
    let relative = weight(w);
    Residual { R: [R(w), bend(&R)], weight: [relative, bend(&weight) + relative * relative] }
}

/// Changes of a row's parameters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Change {
    /// ∂R, ∂κ/κ and ∂q/q.
    pub R: f64,
    pub kappa: f64,
    pub slope: f64,
    /// ∂η.
    pub eta: f64,
}

/// Derivatives of the parameters of a block's rows with respect to the magnitude of gravity, if
/// `count` contacts share the load.
pub(super) fn change_by_gravity(distance: &Distance, data: &Data, block: &Block, count: f64) -> Change {
    let (row, constraints) = (block.rows.start as usize, &data.constraints);
    let distance = &of_block(distance, &data.contacts, block, count);
    let (A, w) = measure(distance, constraints, block, row);
    let [kappa, slope] = distance.smoothing_by_gravity();
    match block.kind {
        RowKind::Equality => Change::default(),
        RowKind::FrictionDof | RowKind::FrictionTendon => {
            let bound = is_bound(distance.smoothing(A), eta_of(distance, constraints, row), A);
            Change { kappa: if bound { 0.0 } else { kappa }, ..Change::default() }
        }
        _ => Change { R: distance.regularizer_by_gravity(w, A), kappa, slope, eta: 0.0 },
    }
}

/// Derivatives of the parameters of dry friction with respect to the friction loss.
pub(super) fn change_by_loss(distance: &Distance, constraints: &Constraints, block: &Block) -> Change {
    let row = block.rows.start as usize;
    let (A, eta) = (constraints.diag[row].max(MIN_VAL), eta_of(distance, constraints, row));
    let kappa = if is_bound(distance.smoothing(A), eta, A) { 2.0 * distance.h / eta } else { 0.0 };
    Change { kappa, eta: distance.h, ..Change::default() }
}

fn eta_of(distance: &Distance, constraints: &Constraints, row: usize) -> f64 {
    distance.h * constraints.friction_loss[row]
}

/// The target velocity of an equality with residual `w`; linear in it.
fn equality_target(w: f64, h: f64) -> f64 {
    -w * (1.0 - real::exp(-h / EQUALITY_TIME)) / h
}

/// κ of dry friction: limited to a small fraction of the energy η² A that friction can dissipate in
/// a step.
fn friction_smoothing(smoothing: Smoothing, eta: f64, A: f64) -> Smoothing {
    Smoothing { kappa: smoothing.kappa.min(FRICTION_SHARE * eta * eta * A).max(f64::MIN_POSITIVE), ..smoothing }
}

/// Whether that limit determines κ.
fn is_bound(smoothing: Smoothing, eta: f64, A: f64) -> bool {
    smoothing.kappa > FRICTION_SHARE * eta * eta * A
}
