//! Derivatives of inverse dynamics of random trees, against extrapolated differences.

use crate::calculus::{assert_close, derivative};
use crate::random_tree::{Recipe, fill, random_data};
use saltus_math::Random;
use saltus_sim::derivative::{Inverse, Workspace, inverse as derivatives};
use saltus_sim::inverse;
use saltus_sim::kinematics::coordinates;
use saltus_sim::model::kinds::BiasKind;
use saltus_sim::{Data, Model};

/// ∂τ/∂q, ∂τ/∂v and ∂τ/∂a at the present q, v and a.
fn check(model: &Model, data: &mut Data, tolerance: f64, what: &str) {
    check_with(model, data, false, tolerance, what);
}

/// Inverse dynamics and actuation.
fn run(model: &Model, data: &mut Data) {
    inverse(model, data).unwrap();
    saltus_sim::actuation::update_actuation(model, data, &mut saltus_sim::NoCallbacks);
}

/// The same, with `actuation` of the force without that of the actuators.
fn check_with(model: &Model, data: &mut Data, actuation: bool, tolerance: f64, what: &str) {
    let nv = model.size.nv;
    run(model, data);
    let mut work = Workspace::default();
    let mut ours = [vec![0.0; nv * nv], vec![0.0; nv * nv], vec![0.0; nv * nv]];
    let [dq, dv, da] = &mut ours;
    let out = Inverse { dtau_dq: dq, dtau_dv: dv, dtau_da: da };
    let report = derivatives(model, data, actuation, &mut work, out).unwrap();
    assert!(report.exact(), "{what}: {report:?}");
    for (kind, name) in ["q", "v", "a"].iter().enumerate() {
        for j in 0..nv {
            let column = derivative(|t| {
                let mut other = data.clone();
                match kind {
                    0 => {
                        let mut unit = vec![0.0; nv];
                        unit[j] = 1.0;
                        coordinates::integrate(model, &mut other.state.q, &unit, 0.1 * t);
                    }
                    1 => other.state.v[j] += 0.1 * t,
                    _ => other.acceleration.a[j] += 0.1 * t,
                }
                run(model, &mut other);
                let (tau, driven) = (&other.acceleration.tau_inverse, &other.acceleration.tau_actuator);
                let share = if actuation { 1.0 } else { 0.0 };
                tau.iter().zip(driven).map(|(x, u)| 10.0 * (x - share * u)).collect()
            });
            let ours: Vec<f64> = (0..nv).map(|i| ours[kind][i * nv + j]).collect();
            assert_close(&ours, &column, tolerance, &format!("{what}: column {j} of d/d{name}"));
        }
    }
}

fn check_recipe(recipe: Recipe, seeds: u64, what: &str) {
    for seed in 0..seeds {
        let mut model = Recipe { floating: seed % 2 == 0, ..recipe }.build(seed);
        model.options.disable.set(saltus_sim::options::Disable::CONTACT, true);
        let mut random = Random(seed);
        let mut data = random_data(&model, &mut random);
        fill(&mut data.acceleration.a, &mut random);
        check(&model, &mut data, 1e-8, &format!("{what}, seed {seed}"));
    }
}

#[test]
fn inertial_forces_of_random_trees() {
    check_recipe(Recipe::PLAIN, 40, "plain");
}

#[test]
fn springs_dampers_and_tendons_of_random_trees() {
    check_recipe(Recipe { wrapping: false, actuators: false, ..Recipe::FULL }, 40, "passive");
}

#[test]
fn a_medium_around_random_trees() {
    for seed in 0..12 {
        let mut model = Recipe { floating: seed % 2 == 0, ..Recipe::PLAIN }.build(seed);
        model.options.disable.set(saltus_sim::options::Disable::CONTACT, true);
        (model.options.density, model.options.viscosity) = (40.0, 3.0);
        model.options.wind = saltus_math::Vec3::new(1.3, -0.7, 0.4);
        if seed % 3 != 0 {
            for g in 0..model.ngeom() {
                model.geoms.fluid[g] = [1.0, 0.5, 0.25, 1.5, 1.0, 1.0, 0.02, 0.03, 0.04, 0.001, 0.002, 0.003];
            }
        }
        for b in 0..model.nbody() {
            model.bodies.gravcomp[b] = 0.3 * b as f64;
        }
        let mut random = Random(seed);
        let mut data = random_data(&model, &mut random);
        fill(&mut data.acceleration.a, &mut random);
        check(&model, &mut data, 1e-8, &format!("medium, seed {seed}"));
    }
}

#[test]
fn tendons_around_obstacles() {
    check_recipe(Recipe { actuators: false, ..Recipe::FULL }, 40, "wrapped");
}

#[test]
fn actuators_of_random_trees() {
    for seed in 0..20 {
        let mut model = Recipe { floating: seed % 2 == 0, ..Recipe::FULL }.build(seed);
        model.options.disable.set(saltus_sim::options::Disable::CONTACT, true);
        let mut random = Random(seed);
        for a in 0..model.nactuator() {
            model.actuators.bias[a] = BiasKind::Affine;
            model.actuators.bias_prm[a][1] = random.range(-1.0, 0.0);
            model.actuators.bias_prm[a][2] = random.range(-1.0, 0.0);
        }
        let mut data = random_data(&model, &mut random);
        fill(&mut data.acceleration.a, &mut random);
        check_with(&model, &mut data, true, 1e-8, &format!("driven, seed {seed}"));
    }
}

#[test]
fn tendons_with_inertia() {
    check_recipe(Recipe { wrapping: false, actuators: false, chain: true, ..Recipe::FULL }, 20, "armature");
}
