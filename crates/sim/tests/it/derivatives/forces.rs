//! Derivatives of the forces of contacts on chosen bodies.

use super::{active_set, converge, difference, on_the_floor};
use crate::common::{load, model_file};
use saltus_math::Random;
use saltus_math::Vec3;
use saltus_sim::constraint::contact_force;
use saltus_sim::derivative::{DerivativeError, Workspace, contact_force_slopes};
use saltus_sim::inverse;
use saltus_sim::kinematics::coordinates;
use saltus_sim::options::Cone;
use saltus_sim::options::law::Law;
use saltus_sim::{Data, Model};

/// Normal force and total force on bodies, from the forces of inverse dynamics.
fn forces(model: &Model, data: &mut Data, on: &[bool]) -> Vec<f64> {
    inverse(model, data).unwrap();
    let (mut normal, mut total) = (0.0, Vec3::ZERO);
    for contact in data.contacts.iter().filter(|c| c.first_row >= 0) {
        let sides = [contact.geom1, contact.geom2].map(|g| on[model.geoms.body[g.idx()].idx()]);
        if sides[0] != sides[1] {
            let f = contact_force(data, contact);
            normal += f[0];
            total += contact.frame.tmul(Vec3::from_slice(&f)) * if sides[1] { 1.0 } else { -1.0 };
        }
    }
    vec![normal, total.x, total.y, total.z]
}

/// Compares all derivatives with differences at states of the humanoid on the floor.
fn check(model: &Model, what: &str, step: f64) {
    let (nv, mut random) = (model.size.nv, Random(3));
    let mut work = Workspace::default();
    let (mut checked, mut worst) = (0, 0.0f64);
    for k in 0..60 {
        let mut data = Data::new(model);
        on_the_floor(model, &mut data, &mut random);
        // All bodies, or some of them, so that there are contacts between both kinds.
        let on: Vec<bool> = (0..model.nbody()).map(|b| b > 0 && (k % 2 == 0 || b % 2 == 0)).collect();
        let expected = forces(model, &mut data, &on);
        if expected[0] == 0.0 {
            continue;
        }
        let slopes = contact_force_slopes(model, &data, &on, &mut work).unwrap();
        if !slopes.report.exact() {
            continue;
        }
        let largest = expected.iter().fold(1.0, |m: f64, f| m.max(f.abs()));
        assert!(slopes.force.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9 * largest), "{what}");
        let set = active_set(model, &data);
        let mut errors = [0.0f64; 3];
        let mut is_smooth = true;
        for (kind, ours) in [slopes.by_q, slopes.by_v, slopes.by_a].into_iter().enumerate() {
            let (mut wrong, mut size) = (0.0, 0.0);
            for i in 0..nv {
                let column = difference([step, 33.0 * step, 333.0 * step][kind], |h| {
                    let mut probe = data.clone();
                    let mut unit = vec![0.0; nv];
                    unit[i] = 1.0;
                    match kind {
                        0 => coordinates::integrate(model, &mut probe.state.q, &unit, h),
                        1 => probe.state.v[i] += h,
                        _ => probe.acceleration.a[i] += h,
                    }
                    let f = forces(model, &mut probe, &on);
                    (active_set(model, &probe) == set).then_some(f)
                });
                let Some(column) = column else {
                    is_smooth = false;
                    break;
                };
                for (r, x) in column.iter().enumerate() {
                    wrong += (ours[r * nv + i] - x).powi(2);
                    size += x * x;
                }
            }
            errors[kind] = wrong.sqrt() / size.sqrt().max(1.0);
        }
        if is_smooth {
            assert!(errors.iter().all(|e| *e <= 1e-8), "{what}, state {k}: {errors:?}");
            worst = errors.iter().fold(worst, |w, e| w.max(*e));
            checked += 1;
        }
        if checked == 6 {
            break;
        }
    }
    println!("{what}: {checked} states, worst error {worst:e}");
    assert!(checked >= 4, "{what}: {checked}");
}

#[test]
fn contact_forces_on_bodies() {
    for (law, step) in [(Law::Soft, 3e-5), (Law::Impulse, 3e-6), (Law::Compliant, 3e-5), (Law::Invertible, 1e-5)] {
        for cone in [Cone::Elliptic, Cone::Pyramidal] {
            let mut model = load(model_file("humanoid.xml")).unwrap();
            model.options.laws.law = law;
            model.options.laws.invertible.walls = false;
            model.options.cone = cone;
            converge(&mut model);
            check(&model, &format!("{law:?}, {cone:?}"), step);
        }
    }
    // With walls forces depend on each other.
    let mut model = load(model_file("humanoid.xml")).unwrap();
    model.options.laws.law = Law::Invertible;
    let mut data = Data::new(&model);
    on_the_floor(&model, &mut data, &mut Random(3));
    inverse(&model, &mut data).unwrap();
    let on = vec![true; model.nbody()];
    let found = contact_force_slopes(&model, &data, &on, &mut Workspace::default()).map(|s| s.force);
    assert!(matches!(found, Err(DerivativeError::Unsupported(_))), "{found:?}");
}
