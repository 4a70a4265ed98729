//! Checks the derivatives of a term against central differences.

use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};
use saltus_math::Random;
use saltus_sim::kinematics::coordinates::integrate;
use saltus_sim::model::kinds::JointKind;
use saltus_sim::{Data, Model, forward};

/// Largest difference, relative to the largest derivative of the row or to 1.
const TOLERANCE: f64 = 1e-6;
/// Half of the distance of two points of a difference.
const EPS: f64 = 1e-5;
/// Number of random states.
const STATES: usize = 4;
const PARTS: [Part; 4] = [Part::Q, Part::V, Part::A, Part::Tau];

/// Compares all derivatives of a term with central differences, at random configurations within the
/// limits of the joints and random velocities, accelerations and forces. Says which row and which
/// derivative is wrong.
pub fn check_term(model: &Model, term: &dyn Term, seed: u64) -> Result<(), String> {
    let mut random = Random(seed);
    let mut data = Data::new(model);
    for state in 0..STATES {
        let at = Numbers::random(model, &mut random);
        let rows = at.rows(model, term, &mut data, true);
        if rows.is_empty() && state == 0 {
            return Err("the term has no rows".to_owned());
        }
        let plain = at.rows(model, term, &mut data, false);
        if plain.values() != rows.values() {
            return Err("values depend on whether derivatives are asked for".to_owned());
        }
        for part in PARTS {
            for dof in 0..model.size.nv {
                let [low, high] =
                    [-EPS, EPS].map(|by| at.moved(model, part, dof, by).rows(model, term, &mut data, false));
                if low.len() != rows.len() || high.len() != rows.len() {
                    return Err(format!("the number of rows changes with {part:?} of dof {dof}"));
                }
                for row in 0..rows.len() {
                    let expected = (high.values()[row] - low.values()[row]) / (2.0 * EPS);
                    let found = |e: &&crate::problem::rows::Entry| e.part == part && e.dof as usize == dof;
                    let found: f64 = rows.entries(row).iter().filter(found).map(|e| e.value).sum();
                    let size = rows.entries(row).iter().fold(1.0, |m, e| f64::max(m, e.value.abs()));
                    let wrong = (found - expected).abs();
                    // NaN counts as wrong.
                    if wrong.is_nan() || wrong > TOLERANCE * size.max(rows.values()[row].abs()) {
                        return Err(format!(
                            "state {state}, row {row}: the derivative with respect to {part:?} of dof {dof} is {found}, finite differences give {expected}"
                        ));
                    }
                }
            }
        }
    }
    Ok(())
}

/// What a term is a function of.
#[derive(Clone)]
struct Numbers {
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    tau: Vec<f64>,
}

impl Numbers {
    fn random(model: &Model, random: &mut Random) -> Self {
        let joints = &model.joints;
        let mut q = model.q0.clone();
        let mut numbers = |_| (0..model.size.nv).map(|_| random.signed()).collect::<Vec<f64>>();
        let [by, v, a, tau] = [0, 1, 2, 3].map(&mut numbers);
        integrate(model, &mut q, &by, 1.0);
        for j in 0..model.njoint() {
            if joints.limited[j] && matches!(joints.kind[j], JointKind::Hinge | JointKind::Slide) {
                let ([low, high], share) = (joints.range[j], 0.5 + 0.5 * by[joints.dof_start[j] as usize]);
                q[joints.q_start[j] as usize] = low + share * (high - low);
            }
        }
        Self { q, v, a, tau }
    }

    fn moved(&self, model: &Model, part: Part, dof: usize, by: f64) -> Self {
        let mut moved = self.clone();
        match part {
            Part::Q => {
                let mut unit = vec![0.0; model.size.nv];
                unit[dof] = 1.0;
                integrate(model, &mut moved.q, &unit, by);
            }
            Part::V => moved.v[dof] += by,
            Part::A => moved.a[dof] += by,
            Part::Tau => moved.tau[dof] += by,
        }
        moved
    }

    fn rows(&self, model: &Model, term: &dyn Term, data: &mut Data, jacobian: bool) -> Rows {
        data.state.q.copy_from_slice(&self.q);
        data.state.v.copy_from_slice(&self.v);
        // With contacts, which some terms speak of.
        forward(model, data);
        let (a, tau) = (&self.a, &self.tau);
        let mut rows = Rows::default();
        rows.clear(jacobian);
        term.evaluate(&Knot { model, data, t: 1, steps: 3, h: 0.01, has_force: true, a, tau }, &mut rows);
        rows
    }
}
