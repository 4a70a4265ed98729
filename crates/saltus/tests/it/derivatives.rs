//! Analytic derivatives of inverse dynamics and of steps, against extrapolated differences.

use crate::common::{from_text, model_file};
use saltus::sim::derivative::{self, Inverse, Report, Workspace};
use saltus::sim::inverse::inverse;
use saltus::sim::kinematics::coordinates;
use saltus::sim::options::{Cone, Disable};
use saltus::{Data, Model};

/// Small deterministic generator (SplitMix64).
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64) * 2.0 - 1.0
    }
    fn fill(&mut self, x: &mut [f64], size: f64) {
        x.iter_mut().for_each(|x| *x = size * self.next());
    }
}

/// Kinds of rows, their states and the pieces of contacts: what must not change over a stencil.
fn active_set(data: &Data) -> Vec<(i32, u32, i32)> {
    let rows = &data.constraints;
    (0..rows.len()).map(|i| (rows.kind[i] as i32, rows.id[i], rows.state[i] as i32)).collect()
}

/// Derivative at 0 of a function of one number by central differences, extrapolated to order eight. None if the active
/// set changes.
fn difference(step: f64, mut f: impl FnMut(f64) -> Option<Vec<f64>>) -> Option<Vec<f64>> {
    // The last row of Neville's table: orders 2, 4, …
    let mut table: Vec<Vec<f64>> = vec![];
    for level in 0..4 {
        let h = step / f64::from(1 << level);
        let (above, below) = (f(h)?, f(-h)?);
        let mut row = vec![above.iter().zip(&below).map(|(a, b)| (a - b) / (2.0 * h)).collect::<Vec<f64>>()];
        let mut factor = 4.0;
        for coarse in &table {
            let fine = &row[row.len() - 1];
            let next = fine.iter().zip(coarse).map(|(f, c)| f + (f - c) / (factor - 1.0)).collect();
            row.push(next);
            factor *= 4.0;
        }
        table = row;
    }
    table.pop()
}

/// Largest relative error (Frobenius) of ∂τ/∂q, ∂τ/∂v, ∂τ/∂a against differences of inverse dynamics at the present
/// state; None if the active set is not constant nearby.
fn inverse_error(model: &Model, data: &Data, report: &mut Report) -> Option<[f64; 3]> {
    let nv = model.size.nv;
    let mut base = data.clone();
    inverse(model, &mut base);
    let mut work = Workspace::default();
    let mut ours = [vec![0.0; nv * nv], vec![0.0; nv * nv], vec![0.0; nv * nv]];
    let [dq, dv, da] = &mut ours;
    let out = Inverse { dtau_dq: dq, dtau_dv: dv, dtau_da: da };
    *report = derivative::inverse(model, &base, false, &mut work, out).unwrap().clone();
    let set = active_set(&base);
    let mut errors = [0.0; 3];
    for kind in 0..3 {
        let (mut wrong, mut size) = (0.0, 0.0);
        let step = [3e-5, 1e-3, 1e-2][kind];
        for i in 0..nv {
            let column = difference(step, |h| {
                let mut probe = base.clone();
                match kind {
                    0 => {
                        let mut unit = vec![0.0; nv];
                        unit[i] = 1.0;
                        coordinates::integrate(model, &mut probe.state.q, &unit, h);
                    }
                    1 => probe.state.v[i] += h,
                    _ => probe.acceleration.a[i] += h,
                }
                inverse(model, &mut probe);
                (active_set(&probe) == set).then(|| probe.acceleration.tau_inverse.clone())
            })?;
            for j in 0..nv {
                wrong += (ours[kind][j * nv + i] - column[j]).powi(2);
                size += column[j].powi(2);
            }
        }
        errors[kind] = wrong.sqrt() / size.sqrt().max(1e-12);
    }
    Some(errors)
}

/// Checks many states; returns how many had a constant active set, and the largest errors.
fn check_inverse(
    model: &Model,
    states: usize,
    bound: f64,
    what: &str,
    mut place: impl FnMut(&mut Data, &mut Rng),
) -> usize {
    let mut rng = Rng(7);
    let mut tested = 0;
    let mut worst = [0.0f64; 3];
    for k in 0..states {
        let mut data = Data::new(model);
        place(&mut data, &mut rng);
        let mut report = Report::default();
        let Some(errors) = inverse_error(model, &data, &mut report) else { continue };
        assert!(report.exact(), "{what}, state {k}: {report:?}");
        for (w, e) in worst.iter_mut().zip(errors) {
            *w = w.max(e);
        }
        assert!(errors.iter().all(|e| *e <= bound), "{what}, state {k}: {errors:?}");
        tested += 1;
    }
    println!("{what}: {tested} of {states} states, worst errors {worst:?}");
    tested
}

/// A humanoid in a random pose, on the floor.
fn on_the_floor(model: &Model, data: &mut Data, rng: &mut Rng) {
    let nv = model.size.nv;
    let mut move_by = vec![0.0; nv];
    rng.fill(&mut move_by, 0.3);
    move_by[2] = 0.0;
    let mut q = data.state.q.clone();
    coordinates::integrate(model, &mut q, &move_by, 1.0);
    data.state.q.copy_from_slice(&q);
    rng.fill(&mut data.state.v, 1.0);
    rng.fill(&mut data.acceleration.a, 10.0);
    // Down until something touches, then a little deeper.
    for depth in [0.1, 0.01, 0.001, 0.0001] {
        for _ in 0..40 {
            saltus::sim::forward(model, data);
            if data.contacts.iter().any(|c| c.dist < -0.0003) {
                data.state.q[2] += depth;
                break;
            }
            data.state.q[2] -= depth;
        }
    }
    data.state.q[2] -= 0.0012 + 0.001 * rng.next();
    data.acceleration.a.fill(0.0);
    rng.fill(&mut data.acceleration.a, 10.0);
}

#[test]
fn bare_humanoid_on_the_floor() {
    for (cone, name) in [(Cone::Pyramidal, "pyramidal"), (Cone::Elliptic, "elliptic")] {
        let mut model = saltus::load(model_file("humanoid.xml")).unwrap();
        model.options.cone = cone;
        for off in [Disable::LIMIT, Disable::SPRING, Disable::DAMPER] {
            model.options.disable.set(off, true);
        }
        let tested = check_inverse(&model, 12, 1e-8, &format!("bare humanoid, {name}"), |data, rng| {
            on_the_floor(&model, data, rng);
        });
        assert!(tested > 5, "{tested}");
    }
    let _ = from_text;
}
