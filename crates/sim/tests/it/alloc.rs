//! The pipeline allocates nothing: all memory is made with the data.

use crate::common::load;
use crate::counting::allocations;
use saltus_sim::dynamics::{update_momentum, update_post_constraint};
use saltus_sim::{Data, Model, forward_smooth};
use std::path::{Path, PathBuf};

/// All model files of the project.
fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let files = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
        entries.filter(|p| p.extension().is_some_and(|e| e == "xml")).collect()
    };
    let mut all = files(&root);
    all.extend(files(&root.join("features")));
    all
}

fn disturb(model: &Model, data: &mut Data, k: usize) {
    for (i, v) in data.state.v.iter_mut().enumerate() {
        *v = ((i + 3 * k) as f64).sin();
    }
    let v = data.state.v.clone();
    saltus_sim::kinematics::coordinates::integrate(model, &mut data.state.q, &v, 0.3);
    data.input.ctrl.iter_mut().enumerate().for_each(|(i, u)| *u = ((i + k) as f64).cos());
}

#[test]
fn forward_dynamics_allocates_nothing() {
    let files = models();
    assert!(files.len() >= 6, "{files:?}");
    for file in files {
        let model = load(&file).unwrap();
        let mut data = Data::new(&model);
        forward_smooth(&model, &mut data);
        for k in 0..5 {
            disturb(&model, &mut data, k);
            let n = allocations(|| forward_smooth(&model, &mut data));
            assert_eq!(n, 0, "{}: forward_smooth", file.display());
            let n = allocations(|| {
                update_momentum(&model, &mut data);
                update_post_constraint(&model, &mut data);
                data.reset(&model);
            });
            assert_eq!(n, 0, "{}: momentum, forces between bodies, reset", file.display());
        }
    }
}

#[test]
fn rows_and_sensors_of_constraints_allocate_nothing() {
    for file in models() {
        let model = load(&file).unwrap();
        let mut data = Data::new(&model);
        for k in 0..3 {
            disturb(&model, &mut data, k);
            saltus_sim::forward(&model, &mut data);
            saltus_sim::inverse(&model, &mut data).expect("the soft law has an inverse");
            let n = allocations(|| {
                saltus_sim::constraint::update_constraints(&model, &mut data);
                saltus_sim::constraint::update_reference(&model, &mut data);
                saltus_sim::inverse(&model, &mut data).expect("the soft law has an inverse");
                update_post_constraint(&model, &mut data);
            });
            assert_eq!(n, 0, "{}", file.display());
        }
    }
}

#[test]
fn reset_to_a_keyframe_allocates_nothing() {
    let xml = "<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody>
        <keyframe><key qpos='1 2 3 1 0 0 0' qvel='1 2 3 4 5 6'/></keyframe></mujoco>";
    let spec = saltus_io::mjcf::read_str(xml, &Default::default()).unwrap();
    let model = saltus_sim::compile(&spec).unwrap();
    let mut data = Data::new(&model);
    let key = saltus_sim::ids::KeyId::new(0);
    assert_eq!(allocations(|| data.reset_to_key(&model, key)), 0);
    assert_eq!(data.state.v, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn repeated_steps_allocate_nothing() {
    use saltus_sim::options::Integrator::*;
    for file in models() {
        let mut model = load(&file).unwrap();
        for integrator in [Euler, Rk4, Implicit, ImplicitFast, Discrete, Midpoint, Interleaved] {
            model.options.integrator = integrator;
            let mut data = Data::new(&model);
            let parts = saltus_sim::data::StateParts::INTEGRATION;
            let mut start = vec![0.0; parts.size(&model)];
            data.read_parts(&model, parts, &mut start).unwrap();
            let mut run = || {
                data.write_parts(&model, parts, &start).unwrap();
                // A model that diverges under an integrator that does not suit it stops there, both
                // times.
                (0..20).try_for_each(|_| saltus_sim::step(&model, &mut data)).is_ok()
            };
            if run() {
                let n = allocations(|| assert!(run()));
                assert_eq!(n, 0, "{}: {integrator:?}", file.display());
            }
        }
    }
}

#[test]
fn steps_under_all_laws_allocate_nothing() {
    use saltus_sim::options::Solver;
    use saltus_sim::options::law::{Law, LcpSolver};
    for file in ["humanoid.xml", "grasp.xml", "features/constraints.xml"] {
        let mut model = load(crate::common::model_file(file)).unwrap();
        for (law, solver, lcp) in [
            (Law::Invertible, Solver::Newton, LcpSolver::Pgs),
            (Law::Impulse, Solver::Newton, LcpSolver::Pgs),
            (Law::Impulse, Solver::Pgs, LcpSolver::Pgs),
            (Law::Lcp, Solver::Newton, LcpSolver::Pgs),
            (Law::Lcp, Solver::Newton, LcpSolver::Lemke),
            (Law::Compliant, Solver::Newton, LcpSolver::Pgs),
        ] {
            let laws = &mut model.options.laws;
            (laws.law, laws.impulse.solver, laws.lcp.solver) = (law, solver, lcp);
            if law == Law::Compliant {
                // Explicit: equalities that contradict each other need short steps.
                model.options.timestep = 0.001;
            }
            let parts = saltus_sim::data::StateParts::INTEGRATION;
            let mut data = Data::new(&model);
            let mut start = vec![0.0; parts.size(&model)];
            data.read_parts(&model, parts, &mut start).unwrap();
            let mut run = || {
                data.write_parts(&model, parts, &start).unwrap();
                (0..120).for_each(|_| saltus_sim::step(&model, &mut data).unwrap());
                data.constraints.len()
            };
            assert!(run() > 0, "{file} {law:?}: no contact");
            let n = allocations(|| assert!(run() > 0));
            assert_eq!(n, 0, "{file}: {law:?} {solver:?} {lcp:?}");
        }
    }
}
