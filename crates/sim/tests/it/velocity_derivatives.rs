//! Analytic velocity derivatives of smooth forces, against differences.

use crate::calculus::{assert_close, derivative};
use crate::random_tree::{Recipe, random_data};
use saltus_math::{Random, Vec3};
use saltus_sim::dynamics::derivatives::Damping;
use saltus_sim::{Data, Model, compile, forward_smooth};

/// Columns of −∂τ/∂v by differences, and the same from the analytic matrix, inside its pattern.
fn check(model: &Model, data: &mut Data, what: &str) {
    let nv = model.size.nv;
    forward_smooth(model, data);
    let mut damping = Damping::default();
    damping.update(model, data, |_| true);
    let mut analytic = vec![vec![None; nv]; nv];
    for i in 0..nv {
        for k in damping.tree.range(i) {
            let j = damping.tree.col[k] as usize;
            analytic[j][i] = Some(damping.D.upper[k]);
            analytic[i][j] = Some(damping.D.lower[k]);
        }
    }
    for j in 0..nv {
        let column = derivative(|t| {
            let mut other = data.clone();
            other.state.v[j] += 0.1 * t;
            forward_smooth(model, &mut other);
            other.acceleration.tau_smooth.iter().map(|x| -10.0 * x).collect()
        });
        let (mut ours, mut theirs) = (vec![], vec![]);
        for i in 0..nv {
            if let Some(d) = analytic[i][j] {
                ours.push(d);
                theirs.push(column[i]);
            }
        }
        assert_close(&ours, &theirs, 1e-8, &format!("{what}: column {j}"));
    }
}

#[test]
fn bias_forces_of_random_trees() {
    for seed in 0..40 {
        let model = Recipe { floating: seed % 2 == 0, ..Recipe::PLAIN }.build(seed);
        let mut data = random_data(&model, &mut Random(seed));
        check(&model, &mut data, &format!("seed {seed}"));
    }
}

#[test]
fn joint_dampers_and_servos() {
    for seed in 0..20 {
        let model = Recipe { dampers: true, actuators: true, ..Recipe::PLAIN }.build(seed);
        let mut data = random_data(&model, &mut Random(seed));
        check(&model, &mut data, &format!("seed {seed}"));
    }
}

#[test]
fn the_inertia_box_in_a_medium() {
    for seed in 0..20 {
        let mut spec = Recipe::PLAIN.spec(seed);
        (spec.options.density, spec.options.viscosity) = (3.0, 0.5);
        spec.options.wind = Vec3::new(0.3, -0.4, 0.2);
        let model = compile(&spec).unwrap();
        let mut data = random_data(&model, &mut Random(seed));
        check(&model, &mut data, &format!("seed {seed}"));
    }
}

#[test]
fn ellipsoids_in_a_medium() {
    for seed in 0..20 {
        let mut model = Recipe::PLAIN.build(seed);
        (model.options.density, model.options.viscosity) = (3.0, 0.5);
        for g in 0..model.ngeom() {
            model.geoms.fluid[g][..12]
                .copy_from_slice(&[1.0, 0.5, 0.25, 1.5, 1.0, 1.0, 0.3, 0.2, 0.1, 0.05, 0.02, 0.03]);
        }
        let mut data = random_data(&model, &mut Random(seed));
        check(&model, &mut data, &format!("seed {seed}"));
    }
}
