//! Products of derivatives of inverse dynamics with a vector, and second derivatives, of all
//! models.

use saltus_io::read_file;
use saltus_math::Random;
use saltus_opt::problem::continuation::Hardness;
use saltus_opt::solve::optimize::OptimizeOptions;
use saltus_opt::template::gait::{Gait, gait};
use saltus_opt::template::robot::RobotOptions;
use saltus_sim::derivative::{
    Curvature, Inverse, Product, Workspace, inverse as matrices, inverse_curvature, inverse_product,
};
use saltus_sim::inverse;
use saltus_sim::kinematics::coordinates::integrate;
use saltus_sim::options::Disable;
use saltus_sim::options::law::Law;
use saltus_sim::{Data, Model, compile};
use std::path::PathBuf;

/// Models of this repository, of all folders.
fn models() -> Vec<(String, Model)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut found = Vec::new();
    for folder in [root.clone(), root.join("features"), root.join("idto")] {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(&folder).expect("models").map(|f| f.expect("file").path()).collect();
        files.sort();
        for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "xml")) {
            let Ok(model) = read_file(file).map_err(|_| ()).and_then(|spec| compile(&spec).map_err(|_| ())) else {
                continue;
            };
            // Second derivatives of larger ones take long.
            if (1..50).contains(&model.size.nv) {
                found.push((file.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default(), model));
            }
        }
    }
    assert!(found.len() > 10);
    found
}

/// The laws that the planner uses, and the invertible one with walls.
fn laws() -> [(&'static str, Law, bool); 4] {
    [
        ("soft", Law::Soft, true),
        ("walls", Law::Invertible, true),
        ("invertible", Law::Invertible, false),
        ("compliant", Law::Compliant, true),
    ]
}

fn with_law(model: &Model, law: Law, walls: bool) -> Model {
    let mut model = model.clone();
    let laws = &mut model.options.laws;
    (laws.law, laws.invertible.walls, laws.reach) = (law, walls, 0.05);
    model
}

/// A random state near the first one, with contacts if there are any about.
fn random_data(model: &Model, random: &mut Random) -> Data {
    let nv = model.size.nv;
    let mut data = Data::new(model);
    integrate(model, &mut data.state.q, &random.vector(nv, 0.05), 1.0);
    data.state.v = random.vector(nv, 0.5);
    data.acceleration.a = random.vector(nv, 2.0);
    data
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| f64::max(m, x.abs()))
}

#[test]
fn product_is_that_with_the_matrices() {
    let mut random = Random(11);
    let mut touching = 0;
    for (name, model) in models() {
        for (law_name, law, walls) in laws() {
            let model = with_law(&model, law, walls);
            let nv = model.size.nv;
            for _ in 0..2 {
                let mut data = random_data(&model, &mut random);
                inverse(&model, &mut data).expect("inverse");
                touching += data.contacts.len();
                let y = random.vector(nv, 1.0);
                let mut work = Workspace::default();
                let mut full = [vec![0.0; nv * nv], vec![0.0; nv * nv], vec![0.0; nv * nv]];
                let [dq, dv, da] = &mut full;
                let out = Inverse { dtau_dq: dq, dtau_dv: dv, dtau_da: da };
                if matrices(&model, &data, false, &mut work, out).is_err() {
                    continue;
                }
                let mut found = [vec![0.0; nv], vec![0.0; nv], vec![0.0; nv]];
                let [by_q, by_v, by_a] = &mut found;
                inverse_product(&model, &data, false, &y, &mut work, Product { by_q, by_v, by_a }).expect("product");
                for ((matrix, found), by) in full.iter().zip(&found).zip(["q", "v", "a"]) {
                    for j in 0..nv {
                        let terms = (0..nv).map(|i| y[i] * matrix[i * nv + j]);
                        let (expected, size) = (terms.clone().sum::<f64>(), terms.map(f64::abs).sum::<f64>());
                        // Sums over bodies may be larger than what is left of them in a column.
                        let size = size.max(1e-3 * largest(matrix)).max(1e-9);
                        assert!(
                            (found[j] - expected).abs() < 1e-11 * size,
                            "{name}, {law_name}, by {by} {j}: {} {expected} of {size}",
                            found[j]
                        );
                    }
                }
            }
        }
    }
    assert!(touching > 100, "{touching} contacts");
}

/// The gradient of yᵀτ at a changed state.
fn gradient(model: &Model, data: &Data, y: &[f64], (part, dof, by): (usize, usize, f64)) -> [Vec<f64>; 3] {
    let nv = model.size.nv;
    let mut data = data.clone();
    match part {
        0 => {
            let mut unit = vec![0.0; nv];
            unit[dof] = by;
            integrate(model, &mut data.state.q, &unit, 1.0);
        }
        1 => data.state.v[dof] += by,
        _ => data.acceleration.a[dof] += by,
    }
    inverse(model, &mut data).expect("inverse");
    let mut out = [vec![0.0; nv], vec![0.0; nv], vec![0.0; nv]];
    let [by_q, by_v, by_a] = &mut out;
    inverse_product(model, &data, false, y, &mut Workspace::default(), Product { by_q, by_v, by_a }).expect("product");
    out
}

/// ∂ of the gradient by a number of the state: differences of fourth order.
fn differences(model: &Model, data: &Data, y: &[f64], (part, dof): (usize, usize), step: f64) -> [Vec<f64>; 3] {
    let at = |by: f64| gradient(model, data, y, (part, dof, by * step));
    let (near, far) = ([at(1.0), at(-1.0)], [at(2.0), at(-2.0)]);
    core::array::from_fn(|p| {
        let of = |i: usize| 8.0 * (near[0][p][i] - near[1][p][i]) - (far[0][p][i] - far[1][p][i]);
        (0..y.len()).map(|i| of(i) / (12.0 * step)).collect()
    })
}

fn check_curvature(model: &Model, data: &Data, y: &[f64], tolerance: f64, name: &str) {
    let nv = model.size.nv;
    let mut copy = data.clone();
    inverse(model, &mut copy).expect("inverse");
    let mut found = Curvature::default();
    inverse_curvature(model, &mut copy, y, &mut Workspace::default(), &mut found).expect("curvature");
    assert_eq!(copy.state, data.state);
    let mut expected = Curvature { qq: vec![0.0; nv * nv], ..Curvature::default() };
    (expected.qv, expected.qa, expected.vv) = (expected.qq.clone(), expected.qq.clone(), expected.qq.clone());
    (expected.va, expected.aa) = (expected.qq.clone(), expected.qq.clone());
    let steps = [4e-6, 2e-4, 2e-3];
    for i in 0..nv {
        let [q, v, a] = differences(model, data, y, (0, i), steps[0]);
        for j in 0..nv {
            expected.qq[i * nv + j] += 0.5 * q[j];
            expected.qq[j * nv + i] += 0.5 * q[j];
            expected.qv[i * nv + j] = v[j];
            expected.qa[i * nv + j] = a[j];
        }
        let [_, v, a] = differences(model, data, y, (1, i), steps[1]);
        expected.vv[i * nv..(i + 1) * nv].copy_from_slice(&v);
        expected.va[i * nv..(i + 1) * nv].copy_from_slice(&a);
        let [_, _, a] = differences(model, data, y, (2, i), steps[2]);
        expected.aa[i * nv..(i + 1) * nv].copy_from_slice(&a);
    }
    let h = model.options.timestep;
    let blocks = [
        ("qq", &found.qq, &expected.qq, 1.0),
        ("qv", &found.qv, &expected.qv, h),
        ("qa", &found.qa, &expected.qa, h * h),
        ("vv", &found.vv, &expected.vv, h * h),
        ("va", &found.va, &expected.va, h * h * h),
        ("aa", &found.aa, &expected.aa, h * h * h * h),
    ];
    let rest = largest(&expected.qq).max(largest(&found.by_q));
    for (block, found, expected, unit) in blocks {
        let size = largest(expected).max(1e-2 * rest / unit).max(1e-6);
        for i in 0..nv * nv {
            let error = (found[i] - expected[i]).abs();
            assert!(
                error < tolerance * size,
                "{name}, {block} {} {}: {} {}, {size}",
                i / nv,
                i % nv,
                found[i],
                expected[i]
            );
        }
    }
}

/// Trees without contact, of hinges, slides, balls and free bodies.
#[test]
fn curvature_of_inertia_is_the_derivative_of_the_product() {
    let mut random = Random(3);
    for name in ["humanoid", "quadruped", "arm", "hopper"] {
        let file = format!("{}/../../models/{name}.xml", env!("CARGO_MANIFEST_DIR"));
        let mut model = compile(&read_file(file).expect("model")).expect("compiled");
        for off in [Disable::CONSTRAINT, Disable::ACTUATION] {
            model.options.disable.set(off, true);
        }
        let data = random_data(&model, &mut random);
        check_curvature(&model, &data, &random.vector(model.size.nv, 1.0), 1e-7, name);
    }
}

/// Contacts of gaits, soft and hard; forces that no closed form is known for are by differences
/// themselves.
#[test]
fn curvature_of_contacts_is_the_derivative_of_the_product() {
    let mut random = Random(5);
    for name in ["humanoid", "quadruped", "hopper"] {
        let spec = read_file(format!("{}/../../models/{name}.xml", env!("CARGO_MANIFEST_DIR"))).expect("model");
        let setup =
            gait(name, &spec, &RobotOptions::default(), &Gait::default(), &OptimizeOptions::default()).expect(name);
        let mut model = setup.problem.model;
        let nq = model.size.nq;
        for at in [setup.continuation.from, Hardness::between(&setup.continuation.from, &setup.continuation.to, 0.7)] {
            at.set(&mut model);
            for _ in 0..2 {
                let mut data = random_data(&model, &mut random);
                data.state.q.copy_from_slice(&setup.guess[nq..2 * nq]);
                integrate(&model, &mut data.state.q, &random.vector(model.size.nv, 0.01), 1.0);
                inverse(&model, &mut data).expect("inverse");
                assert!(!data.contacts.is_empty());
                let y = random.vector(model.size.nv, 1.0);
                check_curvature(&model, &data, &y, 1e-6, &format!("{name}, smoothing {}", at.smoothing));
            }
        }
    }
}

#[test]
fn curvature_of_other_forces_is_by_differences() {
    let mut random = Random(7);
    for (name, law) in [("hopper", Law::Compliant), ("hopper", Law::Soft), ("finger", Law::Invertible)] {
        let file = format!("{}/../../models/{name}.xml", env!("CARGO_MANIFEST_DIR"));
        let model = with_law(&compile(&read_file(file).expect("model")).expect("compiled"), law, false);
        let data = random_data(&model, &mut random);
        check_curvature(&model, &data, &random.vector(model.size.nv, 1.0), 1e-4, name);
    }
}
