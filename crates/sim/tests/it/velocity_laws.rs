//! Laws that step velocities: impulse and lcp. Two solvers each, known solutions, inverse.

use crate::common::{difference, from_text, load, model_file};
use saltus_sim::data::SolverStatus;
use saltus_sim::inverse;
use saltus_sim::law::lcp::solve_lcp;
use saltus_sim::options::law::{Law, LawOptions, LcpSolver};
use saltus_sim::options::{Integrator, Solver};
use saltus_sim::{Data, Model, forward, step};

/// A simulation under a law, some time after its start, its solver asked for all the digits there
/// are.
fn scene(file: &str, steps: usize, law: Law) -> (Model, Data) {
    let mut model = load(model_file(file)).unwrap();
    model.options.laws.law = law;
    model.options.tolerance = 0.0;
    (model.options.laws.impulse.iterations, model.options.laws.lcp.iterations) = (500.0, 500.0);
    let mut data = Data::new(&model);
    data.input.ctrl.iter_mut().enumerate().for_each(|(i, u)| *u = -0.2 + 0.1 * (i as f64).sin());
    for _ in 0..steps {
        step(&model, &mut data).unwrap();
    }
    (model, data)
}

const SCENES: [(&str, usize); 4] =
    [("humanoid.xml", 400), ("cubes.xml", 60), ("features/contacts.xml", 100), ("features/constraints.xml", 40)];

#[test]
fn gauss_seidel_finds_the_optimum_of_the_impulse_law() {
    for (file, steps) in SCENES {
        let (mut model, mut data) = scene(file, steps, Law::Impulse);
        model.options.laws.impulse.softness = 1e-2;
        forward(&model, &mut data);
        assert!(data.constraints.len() > 4, "{file}: no contact");
        let mut other = data.clone();
        (model.options.laws.impulse.solver, model.options.laws.impulse.iterations) = (Solver::Pgs, 20_000.0);
        model.options.tolerance = 1e-20;
        forward(&model, &mut other);
        let gap = difference(&other.acceleration.a, &data.acceleration.a);
        assert!(gap < 1e-6, "{file}: {gap:.1e} after {:?}", other.constraints.report);
    }
}

#[test]
fn inverse_dynamics_returns_the_forces_of_the_impulse_law() {
    for (file, steps) in SCENES {
        for integrator in [Integrator::Euler, Integrator::ImplicitFast, Integrator::SemiImplicit] {
            let (mut model, mut data) = scene(file, steps, Law::Impulse);
            model.options.integrator = integrator;
            forward(&model, &mut data);
            let mut applied = data.acceleration.tau_actuator.clone();
            applied.iter_mut().zip(&data.input.tau_applied).for_each(|(x, t)| *x += t);
            inverse(&model, &mut data).unwrap();
            let largest = data.acceleration.tau_constraint.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
            let gap = difference(&data.acceleration.tau_inverse, &applied) / largest;
            assert!(gap < 1e-9, "{file} {integrator:?}: {gap:.1e} of {largest}");
        }
    }
}

/// A rod on a hinge whose tip is tied to a point: the equality takes all its freedom away.
const LOOP: &str = "<mujoco><option timestep='0.001'/>
  <worldbody>
    <body><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .4 0 0' size='.02' mass='1'/>
      <body pos='.4 0 0'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .3 0 .3' size='.02' mass='.7'/>
        <body name='end' pos='.3 0 .3'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .2 0 -.1' size='.02' mass='.5'/></body>
      </body>
    </body>
  </worldbody>
  <equality><connect body1='end' body2='world' anchor='.2 0 -.1'/></equality>
</mujoco>";

#[test]
fn soft_equalities_become_hard_at_the_rate_of_their_weight() {
    let mut model = from_text(LOOP);
    model.options.laws.law = Law::Impulse;
    model.options.laws.impulse.solver = Solver::Pgs;
    let mut data = Data::new(&model);
    data.state.v.copy_from_slice(&[1.0, -2.0, 0.5]);
    let mut accelerations = |softness: f64, lambda: f64| {
        let impulse = &mut model.options.laws.impulse;
        (impulse.equality_softness, impulse.lambda) = (softness, lambda);
        forward(&model, &mut data);
        (data.acceleration.a.clone(), data.constraints.clone())
    };
    let (hard, rows) = accelerations(0.0, 0.0);
    let mut reached = vec![0.0; rows.len()];
    rows.mul(&hard, &mut reached);
    assert!(rows.n_equality == 3);
    assert!(difference(&reached, &rows.a_ref) < 1e-9, "{reached:?} {:?}", rows.a_ref);
    let errors = [1e3, 1e4, 1e5].map(|lambda| difference(&accelerations(0.0, lambda).0, &hard));
    for pair in errors.windows(2) {
        assert!((pair[0] / pair[1] - 10.0).abs() < 0.5, "{errors:?}");
    }
}

#[test]
fn hard_equalities_and_complementarity_have_no_inverse() {
    let mut model = from_text(LOOP);
    model.options.laws.law = Law::Impulse;
    model.options.laws.impulse.equality_softness = 0.0;
    let mut data = Data::new(&model);
    assert!(inverse(&model, &mut data).unwrap_err().to_string().contains("hard equalities"));
    model.options.laws.law = Law::Lcp;
    assert!(inverse(&model, &mut data).unwrap_err().to_string().contains("lcp"));
}

/// A box of 1 kg on a plane, sliding along x at 1 m/s.
fn sliding_box(law: Law) -> (Model, Data) {
    let mut model = from_text(
        "<mujoco><option timestep='0.001' iterations='5000' tolerance='1e-14'/>
          <worldbody><geom type='plane' size='9 9 .1' friction='.4'/>
            <body pos='0 0 .05'><freejoint/><geom type='box' size='.1 .1 .05' mass='1' friction='.4'/></body>
          </worldbody></mujoco>",
    );
    model.options.laws.law = law;
    let mut data = Data::new(&model);
    data.state.v[0] = 1.0;
    (model, data)
}

#[test]
fn a_sliding_box_slows_down_by_friction_and_stops() {
    // The impulse law knows the slip of the step's beginning only: its friction is late by a step's
    // change of slip.
    for (law, late) in [(Law::Impulse, 2e-3), (Law::Lcp, 1e-6)] {
        let (model, mut data) = sliding_box(law);
        for k in 1..=200 {
            step(&model, &mut data).unwrap();
            let expected = 1.0 - 0.4 * 9.81 * f64::from(k) * 0.001;
            assert!((data.state.v[0] - expected).abs() < late, "{law:?} {k}: {} {expected}", data.state.v[0]);
        }
        for _ in 0..200 {
            step(&model, &mut data).unwrap();
        }
        assert!(data.state.v[0].abs() < 1e-6, "{law:?}: {}", data.state.v[0]);
        assert!((data.state.q[2] - 0.05).abs() < 1e-4, "{law:?}: {}", data.state.q[2]);
    }
}

#[test]
fn pivoting_and_sweeping_solve_the_same_complementarity_problem() {
    for (file, steps) in [("cubes.xml", 3), ("features/contacts.xml", 60), ("humanoid.xml", 300)] {
        let (mut model, mut data) = scene(file, steps, Law::Lcp);
        model.options.laws.lcp.cfm = 1e-3;
        (model.options.tolerance, model.options.laws.lcp.iterations) = (1e-14, 100_000.0);
        forward(&model, &mut data);
        assert!(data.constraints.len() > 4, "{file}: no contact");
        let mut other = data.clone();
        model.options.laws.lcp.solver = LcpSolver::Lemke;
        forward(&model, &mut other);
        assert!(other.constraints.report.residual < 1e-8, "{file}: {:?}", other.constraints.report);
        let gap = difference(&other.acceleration.a, &data.acceleration.a);
        assert!(gap < 1e-6, "{file}: {gap:.1e}; {:?} {:?}", data.constraints.report, other.constraints.report);
    }
}

#[test]
fn pivoting_solves_small_problems_and_says_when_it_cannot() {
    let solution = solve_lcp(&[2.0, 1.0, 1.0, 2.0], &[-5.0, -6.0]).unwrap();
    assert!((solution.z[0] - 4.0 / 3.0).abs() < 1e-12 && (solution.z[1] - 7.0 / 3.0).abs() < 1e-12);
    assert_eq!(solve_lcp(&[1.0], &[2.0]).unwrap().z, [0.0]);
    assert_eq!(solve_lcp(&[-1.0], &[-1.0]), None);
    assert_eq!(solve_lcp(&[1.0], &[f64::NAN]), None);
    assert_eq!(solve_lcp(&[1.0, 2.0], &[1.0]), None);
}

#[test]
fn a_fast_ball_is_caught_before_it_penetrates() {
    for law in [Law::Impulse, Law::Lcp] {
        let mut model = from_text(
            "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='9 9 .1'/>
              <body pos='0 0 1'><freejoint/><geom size='.05' mass='1'/></body></worldbody></mujoco>",
        );
        model.options.laws.law = law;
        model.options.laws.reach = 0.2;
        let mut data = Data::new(&model);
        data.state.v[2] = -10.0;
        let mut lowest = 1.0f64;
        for _ in 0..100 {
            step(&model, &mut data).unwrap();
            lowest = lowest.min(data.state.q[2]);
        }
        assert!(lowest > 0.05 - 1e-4, "{law:?}: {lowest}");
        assert!((data.state.q[2] - 0.05).abs() < 1e-3 && data.state.v[2].abs() < 1e-3, "{law:?}");
    }
}

/// What the soft law of MuJoCo cannot do: hold without creep, carry a thousand times the own
/// weight.
#[test]
fn stiction_holds_and_heavy_stacks_stand() {
    let mut model = from_text(
        "<mujoco><option timestep='.002' tolerance='1e-12'/><default><geom friction='.7'/></default>
          <worldbody>
            <body pos='-.06 0 0'><joint type='slide' axis='1 0 0'/><geom type='box' size='.02 .03 .03' mass='.2'/></body>
            <body pos='.06 0 0'><joint type='slide' axis='-1 0 0'/><geom type='box' size='.02 .03 .03' mass='.2'/></body>
            <body><freejoint/><geom type='box' size='.04 .02 .02' mass='.045'/></body>
          </worldbody></mujoco>",
    );
    model.options.laws.law = Law::Impulse;
    let mut data = Data::new(&model);
    data.input.tau_applied[..2].fill(20.0);
    let mut run = |seconds: f64| {
        for _ in 0..(seconds / model.options.timestep) as usize {
            step(&model, &mut data).unwrap();
        }
        data.state.q[4]
    };
    let (start, end) = (run(1.0), run(1.0));
    assert!((end - start).abs() < 1e-6, "slips by {} µm/s", (start - end) * 1e6);
    forward(&model, &mut data);
    inverse(&model, &mut data).unwrap();
    let gap = difference(&data.acceleration.tau_inverse, &data.input.tau_applied);
    assert!(gap * 20.0 < 1e-9, "forward/inverse gap {gap:.1e}");

    let boxes: String = (0..5)
        .map(|k| {
            let (z, mass) = (0.1 + 0.2 * f64::from(k), if k == 4 { 1000 } else { 1 });
            format!("<body pos='0 0 {z}'><freejoint/><geom type='box' size='.1 .1 .1' mass='{mass}'/></body>")
        })
        .collect();
    let mut model =
        from_text(&format!("<mujoco><worldbody><geom type='plane' size='5 5 .1'/>{boxes}</worldbody></mujoco>"));
    model.options.laws.law = Law::Impulse;
    let mut data = Data::new(&model);
    for _ in 0..2500 {
        step(&model, &mut data).unwrap();
    }
    let top = &data.state.q[28..31];
    assert!((top[2] - 0.9).abs() < 1e-3 && top[0].abs() < 1e-3 && top[1].abs() < 1e-3, "{top:?}");
}

#[test]
fn equalities_are_eliminated_as_their_regularizers_say() {
    // Equalities that contradict each other: the forces are those of R, 1e-5 and 1e-9 of the
    // diagonal.
    for (law, most) in [(Law::Impulse, 1e-8), (Law::Lcp, 1e-5)] {
        let (mut model, mut data) = scene("features/constraints.xml", 1, law);
        model.options.laws.impulse.solver = Solver::Pgs;
        forward(&model, &mut data);
        let rows = &data.constraints;
        let mut x = vec![0.0; rows.len()];
        rows.mul(&data.acceleration.a, &mut x);
        let largest = rows.a_ref[..rows.n_equality].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for i in 0..rows.n_equality {
            let error = (x[i] - rows.a_ref[i] + rows.R[i] * rows.force[i]).abs() / largest;
            assert!(error < most, "{law:?} {i}: {error:.1e}");
        }
    }
}

/// Boxes on the ground, two of them in one cluster by equalities, two linked by what a damped
/// tendon adds to the metric.
const CLUSTERS: &str = "<mujoco><option timestep='.002' integrator='implicitfast'/>
  <default><geom type='box' size='.05 .05 .05' mass='.5'/></default>
  <worldbody><geom type='plane' size='5 5 .1' mass='0'/>
    <body name='a' pos='0 0 .049'><freejoint/><geom/><site name='a'/></body>
    <body name='b' pos='0 0 .149'><freejoint/><geom/><site name='b'/></body>
    <body name='c' pos='.3 0 .049'><freejoint/><geom/><site name='c'/></body>
    <body name='d' pos='.6 0 .049'><freejoint/><geom/><site name='d'/></body>
    <body name='e' pos='.9 0 .049'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1' damping='3'/><geom/></body>
    <body name='f' pos='.9 0 .148'><freejoint/><geom/></body>
  </worldbody>
  <tendon><spatial damping='20'><site site='b'/><site site='c'/></spatial>
    <spatial name='t' damping='5'><site site='c'/><site site='d'/></spatial></tendon>
  <equality><connect body1='d' body2='e' anchor='.15 0 0'/><weld body1='a' body2='f'/></equality>
  <actuator><position tendon='t' kp='50' kv='10'/></actuator>
</mujoco>";

#[test]
fn equalities_and_metrics_that_link_trees_are_eliminated() {
    let mut model = from_text(CLUSTERS);
    model.options.laws.law = Law::Impulse;
    model.options.laws.impulse.softness = 1e-2;
    (model.options.tolerance, model.options.laws.impulse.iterations) = (1e-22, 20_000.0);
    let mut data = Data::new(&model);
    data.state.v.iter_mut().enumerate().for_each(|(i, v)| *v = (i as f64).sin());
    data.input.ctrl[0] = 0.2;
    for integrator in [Integrator::Euler, Integrator::ImplicitFast, Integrator::SemiImplicit] {
        (model.options.integrator, model.options.laws.impulse.solver) = (integrator, Solver::Newton);
        forward(&model, &mut data);
        assert!(data.contacts.len() >= 12 && data.constraints.n_equality == 9);
        assert!(integrator == Integrator::SemiImplicit || data.inertia.terms().count() > 0);
        let mut other = data.clone();
        model.options.laws.impulse.solver = Solver::Pgs;
        forward(&model, &mut other);
        // Sweeps end where the cost no longer falls, of which 1e-16 is known: accelerations to the
        // root of that.
        let gap = difference(&other.acceleration.a, &data.acceleration.a);
        assert!(gap < 2e-8, "{integrator:?}: {gap:.1e} {:?}", other.constraints.report);
        let gap = difference(&other.acceleration.tau_constraint, &data.acceleration.tau_constraint);
        assert!(gap < 2e-8, "{integrator:?}: {gap:.1e} {:?}", other.constraints.report);
    }
}

/// Work and memory grow with the number of bodies, not with its square: 300 boxes have 3600 rows.
#[test]
fn each_box_of_a_field_moves_as_one_alone_does() {
    let field = |n: usize| {
        let body = |k: usize| {
            format!(
                "<body pos='{} 0 .0999'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>",
                k as f64 * 0.25
            )
        };
        let bodies: String = (0..n).map(body).collect();
        from_text(&format!("<mujoco><worldbody><geom type='plane' size='9 9 .1'/>{bodies}</worldbody></mujoco>"))
    };
    for (law, solver) in [(Law::Impulse, Solver::Pgs), (Law::Lcp, Solver::Newton)] {
        let run = |n: usize| {
            let mut model = field(n);
            (model.options.laws.law, model.options.laws.impulse.solver) = (law, solver);
            let mut data = Data::new(&model);
            data.state.v.chunks_exact_mut(6).for_each(|v| v[0] = 0.5);
            for _ in 0..5 {
                step(&model, &mut data).unwrap();
            }
            assert_eq!((data.constraints.len(), data.constraints.n_island), (12 * n, n));
            data.state.v
        };
        let (one, all) = (run(1), run(300));
        for (k, v) in all.chunks_exact(6).enumerate() {
            let gap = difference(v, &one);
            assert!(gap < 1e-6, "{law:?} {k}: {v:?} {one:?}");
        }
    }
}

/// Limits of iterations, the method and the noslip pass of a model file are meant for the soft law.
#[test]
fn what_files_ask_of_the_soft_solver_does_not_concern_other_laws() {
    for law in [Law::Impulse, Law::Lcp, Law::Invertible] {
        let run = |asked: bool| {
            let mut model = load(model_file("quadruped.xml")).unwrap();
            model.options.laws.law = law;
            if asked {
                let options = &mut model.options;
                (options.iterations, options.ls_iterations, options.noslip_iterations) = (1, 1, 5);
                options.solver = Solver::Pgs;
            }
            let mut data = Data::new(&model);
            let mut proven = 0;
            for _ in 0..100 {
                step(&model, &mut data).unwrap();
                proven += usize::from(data.constraints.report.status == SolverStatus::Converged);
            }
            (data.state.q, proven)
        };
        let (plain, asked) = (run(false), run(true));
        assert_eq!(plain, asked, "{law:?}");
        assert!(law == Law::Lcp || plain.1 >= 99, "{law:?}: {}", plain.1);
    }
}

#[test]
fn limits_of_the_laws_own_are_obeyed() {
    let mut model = load(model_file("cubes.xml")).unwrap();
    for (law, name) in [(Law::Impulse, "impulse_iterations"), (Law::Lcp, "lcp_iterations")] {
        model.options.laws = LawOptions { law, ..LawOptions::default() };
        model.options.laws.set_number(name, 2.0).unwrap();
        let mut data = Data::new(&model);
        (0..60).for_each(|_| step(&model, &mut data).unwrap());
        assert_eq!(data.constraints.report.iterations, 2, "{law:?}");
    }
}

#[test]
fn height_fields_push_along_their_surface_only() {
    // A foot that is deep between two prisms would be pushed both ways through sides that are no
    // surface.
    let rows: Vec<String> = (0..400).map(|k| ((k * 37 % 11) as f64 / 10.0).to_string()).collect();
    for law in [Law::Impulse, Law::Lcp] {
        for (x, y) in [(0.0, 0.0), (0.013, 0.031), (0.05, 0.02)] {
            let mut model = from_text(&format!(
                "<mujoco><asset><hfield name='h' nrow='20' ncol='20' size='.4 .4 .03 .1' elevation='{}'/></asset>
                   <worldbody><geom type='hfield' hfield='h'/>
                   <body pos='{x} {y} .03'><freejoint/><geom size='.02' mass='.1'/></body></worldbody></mujoco>",
                rows.join(" ")
            ));
            model.options.laws.law = law;
            let mut data = Data::new(&model);
            for k in 0..500 {
                step(&model, &mut data).unwrap();
                for contact in &data.contacts {
                    let normal = contact.frame.r0;
                    assert!(normal.z > 0.1, "{law:?} {x} {y} step {k}: {normal:?}");
                }
                let most = data.constraints.force.iter().fold(0.0, |m: f64, f| m.max(f.abs()));
                assert!(most < 100.0, "{law:?} {x} {y} step {k}: {most} N");
            }
            assert!(
                data.state.q[2] > 0.0 && data.state.v[..3].iter().all(|v| v.abs() < 1.0),
                "{law:?} {x} {y}: {:?}",
                data.state
            );
        }
    }
}
