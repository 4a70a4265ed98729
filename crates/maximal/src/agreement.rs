//! What a step says about rigid contact and Coulomb friction, as for the laws of generalized
//! coordinates.

use crate::rows::{Kind, Rows, VELOCITY};
use crate::six::Six;
use saltus_sim::data::Contact;
use saltus_sim::law::agreement::{Agreement, Sample, summarize};

/// Measures the contacts of the last step: `rows` are its rows, V the velocities at its end.
pub fn measure(h: f64, contacts: &[Contact], rows: &Rows, V: &[Six]) -> Agreement {
    let mut friction = rows.end_normals;
    let normals = rows.end_bilateral..rows.end_normals;
    let samples = normals.filter_map(|i| {
        let Kind::Normal { contact } = rows.rows[i].kind else { return None };
        let inverse = rows.rows[i].inv_diag;
        let inverse_mass = if inverse > 0.0 { 1.0 / inverse - rows.rows[i].compliance } else { 0.0 };
        let (mut force, mut velocity) = ([0.0; 6], [0.0; 6]);
        let mut fill = |k: usize, i: usize| {
            force[k] = rows.rows[i].force[VELOCITY] / h;
            velocity[k] = rows.velocity(i, V);
            if k > 0 {
                // Relative to the moving surface.
                velocity[k] -= rows.rows[i].target[VELOCITY];
            }
        };
        fill(0, i);
        // Friction comes in the order of its normals.
        while let Some(Kind::Friction { contact: c, direction }) = rows.rows.get(friction).map(|r| r.kind) {
            if c != contact {
                break;
            }
            fill(usize::from(direction) + 1, friction);
            friction += 1;
        }
        Some(Sample { contact: &contacts[contact as usize], force, velocity, inverse_mass })
    });
    summarize(h, samples)
}
