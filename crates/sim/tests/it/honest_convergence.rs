//! What the solvers of the impulse and lcp laws report as converged is so, in scenes that leave
//! little to solve for: a box on a joint, deep in the floor, with contacts that nothing can move or
//! that the approximate diagonal of A takes for immovable.

use crate::common::from_text;
use saltus_sim::compare_with_inverse;
use saltus_sim::data::{RowKind, SolverStatus};
use saltus_sim::options::Solver;
use saltus_sim::options::law::{Law, LcpSolver};
use saltus_sim::{Data, Model, forward, step};

fn boxed(joint: &str, depth: f64, condim: u32, equality: &str) -> Model {
    from_text(&format!(
        "<mujoco><default><geom condim='{condim}'/></default>
          <worldbody><geom type='plane' size='5 5 .1'/>
            <body name='b' pos='0 0 {}'><joint {joint}/><geom type='box' size='.1 .1 .1' mass='1'/></body>
          </worldbody>{equality}</mujoco>",
        0.1 - depth
    ))
}

/// Calls `f` for five steps of each scene.
fn for_each_state(choose: impl Fn(&mut Model), mut f: impl FnMut(&Model, &Data, &str)) {
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
                let mut model = boxed(&joint, *depth, condim, equality);
                choose(&mut model);
                let mut data = Data::new(&model);
                data.state.q[0] = if *kind == "hinge" { 0.3 } else { data.state.q[0] };
                for k in 0..5 {
                    forward(&model, &mut data);
                    let what = format!("{joint} depth {depth} condim {condim} {equality} step {k}");
                    f(&model, &data, &what);
                    step(&model, &mut data).expect(&what);
                }
            }
        }
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(1.0, |m: f64, x| m.max(x.abs()))
}

/// The duality gap bounds the error of a force by √(2 gap / R), with R = 1e-9 and more here, where
/// forces reach 1e10 N.
#[test]
fn what_is_reported_as_converged_is_so() {
    for (solver, least) in [(Solver::Newton, 0.8), (Solver::Cg, 0.8), (Solver::Pgs, 0.4)] {
        let (mut proven, mut count) = (0, 0);
        let choose = |model: &mut Model| {
            (model.options.laws.law, model.options.laws.impulse.solver) = (Law::Impulse, solver);
        };
        for_each_state(choose, |model, data, what| {
            let gap = compare_with_inverse(model, data);
            let gap = gap[0].max(gap[1]) / largest(&data.acceleration.tau_constraint);
            let report = data.constraints.report;
            (proven, count) = (proven + usize::from(report.status == SolverStatus::Converged), count + 1);
            assert!(gap < 1e-3 || report.status != SolverStatus::Converged, "{solver:?} {what}: {gap:.1e} {report:?}");
            // Whatever the status: forces of rows that nothing moves do not drown the others.
            assert!(gap < 1e-3 || solver != Solver::Newton, "{solver:?} {what}: {gap:.1e} {report:?}");
        });
        println!("{solver:?}: {proven} of {count} converged");
        assert!(proven as f64 > least * f64::from(count), "{solver:?}: {proven} of {count}");
    }
}

/// Normals of contacts and limits: 0 ≤ f ⟂ x + R f ≥ 0 wherever something can be moved.
#[test]
fn what_the_lcp_law_reports_as_converged_is_so() {
    for solver in [LcpSolver::Pgs, LcpSolver::Lemke] {
        let (mut proven, mut count) = (0, 0);
        let choose = |model: &mut Model| (model.options.laws.law, model.options.laws.lcp.solver) = (Law::Lcp, solver);
        for_each_state(choose, |_, data, what| {
            let (rows, report) = (&data.constraints, data.constraints.report);
            assert!(rows.force.iter().all(|f| f.is_finite()), "{solver:?} {what}");
            count += 1;
            if report.status != SolverStatus::Converged {
                return;
            }
            proven += 1;
            let mut x = vec![0.0; rows.len()];
            rows.mul(&data.acceleration.a, &mut x);
            let (fastest, strongest) = (largest(&rows.a_ref), largest(&rows.force[rows.n_equality..]));
            for block in rows.blocks.iter().filter(|b| b.kind as i32 >= RowKind::ContactFrictionless as i32) {
                let i = block.rows.start as usize;
                // Where a weld holds everything, what is left to move is round-off.
                if rows.n_equality > 0 || rows.J[block.row_values(0)].iter().all(|j| j.abs() < 1e-6) {
                    continue;
                }
                let (f, x) = (rows.force[i], x[i] - rows.a_ref[i] + rows.R[i] * rows.force[i]);
                assert!(f >= 0.0 && x > -1e-5 * fastest, "{solver:?} {what}: {f} {x} {report:?}");
                assert!(f < 1e-5 * strongest || x < 1e-5 * fastest, "{solver:?} {what}: {f} {x} {report:?}");
            }
        });
        println!("{solver:?}: {proven} of {count} converged");
        assert!(2 * proven > count, "{solver:?}: {proven} of {count}");
    }
}
