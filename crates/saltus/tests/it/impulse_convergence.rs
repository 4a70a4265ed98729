//! What the impulse law's solvers report as converged is so, in scenes that leave little to solve for: a box on a joint, deep in
//! the floor, with contacts that nothing can move or that the approximate diagonal of A takes for immovable.

use crate::common::from_text;
use saltus::sim::data::SolverStatus;
use saltus::sim::inverse::compare;
use saltus::sim::law::options::Law;
use saltus::sim::options::Solver;
use saltus::{Data, Model, forward, step};

fn boxed(joint: &str, depth: f64, condim: u32, equality: &str, solver: Solver) -> Model {
    let mut model = from_text(&format!(
        "<mujoco><default><geom condim='{condim}'/></default>
          <worldbody><geom type='plane' size='5 5 .1'/>
            <body name='b' pos='0 0 {}'><joint {joint}/><geom type='box' size='.1 .1 .1' mass='1'/></body>
          </worldbody>{equality}</mujoco>",
        0.1 - depth
    ));
    model.options.laws.law = Law::Impulse;
    model.options.solver = solver;
    model
}

/// Calls `f` for five steps of each scene.
fn for_each_state(solver: Solver, mut f: impl FnMut(&Data, [f64; 2], &str)) {
    let axes = ["0 0 1", "1 0 0", "1 1 0", "1 0 1e-9", ".3 .2 .1"];
    let anchors = ["0 0 0", "1e-9 0 0", "0 0 .1", ".2 .1 .1"];
    let equalities = ["", "<equality><weld body1='b'/></equality>"];
    for (kind, axis) in [("hinge", &axes[..]), ("slide", &axes), ("ball", &axes[..1])]
        .iter()
        .flat_map(|(kind, axes)| axes.iter().map(move |axis| (kind, axis)))
    {
        for (anchor, condim) in anchors.iter().flat_map(|a| [1, 3, 6].map(|c| (a, c))) {
            for (depth, equality) in [0.0, 0.1, 0.5].iter().flat_map(|d| equalities.map(|e| (d, e))) {
                let joint = format!("type='{kind}' axis='{axis}' pos='{anchor}'");
                let model = boxed(&joint, *depth, condim, equality, solver);
                let mut data = Data::new(&model);
                data.state.q[0] = if *kind == "hinge" { 0.3 } else { data.state.q[0] };
                for k in 0..5 {
                    forward(&model, &mut data);
                    let what = format!("{solver:?} {joint} depth {depth} condim {condim} {equality} step {k}");
                    f(&data, compare(&model, &data), &what);
                    step(&model, &mut data).expect(&what);
                }
            }
        }
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(1.0, |m: f64, x| m.max(x.abs()))
}

/// The duality gap bounds the error of a force by √(2 gap / R), with R = 1e-9 and more here, where forces reach 1e10 N.
#[test]
fn what_is_reported_as_converged_is_so() {
    for (solver, least) in [(Solver::Newton, 0.8), (Solver::Cg, 0.8), (Solver::Pgs, 0.4)] {
        let (mut proven, mut count) = (0, 0);
        for_each_state(solver, |data, gap, what| {
            let gap = gap[0].max(gap[1]) / largest(&data.acceleration.tau_constraint);
            let report = data.constraints.report;
            (proven, count) = (proven + usize::from(report.status == SolverStatus::Converged), count + 1);
            assert!(gap < 1e-3 || report.status != SolverStatus::Converged, "{what}: {gap:.1e} {report:?}");
            // Whatever the status: forces of rows that nothing moves do not drown the others.
            assert!(gap < 1e-3 || solver != Solver::Newton, "{what}: {gap:.1e} {report:?}");
        });
        println!("{solver:?}: {proven} of {count} converged");
        assert!(proven as f64 > least * f64::from(count), "{solver:?}: {proven} of {count}");
    }
}
