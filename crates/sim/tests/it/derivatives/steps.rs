//! Steps with all integrators that have derivatives; actuators, tendons, equalities.

use super::{anywhere, check_inverse, check_transition, converge, on_the_floor};
use crate::common::{from_text, load, model_file};
use saltus_math::Random;
use saltus_sim::options::{Cone, Disable, Integrator};
use saltus_sim::{Data, Model};

const INTEGRATORS: [Integrator; 7] = [
    Integrator::Euler,
    Integrator::ImplicitFast,
    Integrator::Implicit,
    Integrator::SemiImplicit,
    Integrator::Explicit,
    Integrator::Midpoint,
    Integrator::Rk4,
];

#[test]
fn steps_of_the_humanoid() {
    for (k, integrator) in INTEGRATORS.into_iter().enumerate() {
        let mut model = load(model_file("humanoid.xml")).unwrap();
        converge(&mut model);
        model.options.integrator = integrator;
        model.options.cone = if k % 2 == 0 { Cone::Pyramidal } else { Cone::Elliptic };
        if integrator == Integrator::Rk4 {
            // What touches must be the same in all stages, of which only the first and the last are
            // looked at.
            model.options.timestep = 2e-4;
        }
        let wanted = if integrator == Integrator::Rk4 { 8 } else { 3 };
        let name = format!("steps of the humanoid, {integrator:?}");
        let rows = check_transition(&model, wanted, 1e-7, &name, |data, random| {
            on_the_floor(&model, data, random);
            random.fill(&mut data.input.ctrl, 0.5);
        });
        assert!(rows > 5);
    }
}

pub(super) const DRIVEN: &str = r#"<mujoco><option timestep="0.004"/><worldbody>
    <body name="a"><joint name="ball" type="ball" pos="0 0 0.3" damping="0.3" stiffness="2"/>
      <geom type="capsule" size="0.05 0.2" contype="0" conaffinity="0"/><site name="s" pos="0.1 0 0.1" euler="10 20 30"/>
      <body pos="0.1 0 -0.3"><joint name="h1" axis="0 1 0" damping="0.2 0.1 0.05" stiffness="1 0.5 0.2"/>
        <joint name="h2" axis="1 0 0" pos="0 0 0.1" damping="0.1"/>
        <geom type="box" size="0.1 0.05 0.08" contype="0" conaffinity="0"/><site name="t" pos="0 0.1 -0.1"/>
        <body pos="0 0 -0.2"><joint name="sl" type="slide" axis="0 0.6 0.8" limited="true" range="-0.01 0.5"/>
          <geom type="sphere" size="0.07" contype="0" conaffinity="0"/><site name="u" pos="0.05 0 0"/></body></body></body>
    <body pos="1 0 1"><freejoint name="free"/><geom type="box" size="0.1 0.2 0.3" contype="0" conaffinity="0"/></body>
  </worldbody>
  <tendon><fixed name="fix" stiffness="1" damping="0.2" range="-0.2 0.3" limited="true"><joint joint="h1" coef="0.7"/><joint joint="h2" coef="-0.4"/></fixed>
    <spatial name="sp" stiffness="3" springlength="0.1" limited="true" range="0 0.2" damping="0.3 0.2 0.1"><site site="s"/><site site="t"/><site site="u"/></spatial></tendon>
  <actuator><position joint="h1" kp="20" kv="2"/><position joint="h2" kp="10" timeconst="0.03"/>
    <intvelocity joint="sl" kp="5" actrange="-1 1"/><general joint="ball" gear="1 -0.5 0.3" gainprm="3" biastype="affine" biasprm="0 -2 -0.3"/>
    <motor jointinparent="free" gear="1 2 3 0.4 0.5 0.6"/><motor site="u" gear="1 0.5 -0.3 0.1 0.2 0.3"/>
    <muscle joint="h1" lengthrange="-2 2" gear="2" tausmooth="0.2"/><motor tendon="fix" gear="3"/>
    <muscle tendon="sp" lengthrange="0.1 0.9"/><general tendon="sp" gaintype="affine" gainprm="1 0.5 -0.4" biastype="affine" biasprm="0 -1 -0.3"/>
    <general tendon="fix" dyntype="filterexact" dynprm="0.05" gainprm="2" biastype="affine" biasprm="0.1 -1 -0.1" actearly="true"/>
  </actuator></mujoco>"#;

/// The softness of contacts does not depend on the pose where nothing is damped. The softness of
/// rows follows the metric of the step: contacts of all cones, limits, dry friction, tendons,
/// equalities.
#[test]
fn discrete_steps() {
    for cone in [Cone::Pyramidal, Cone::Elliptic] {
        let mut model = load(model_file("humanoid.xml")).unwrap();
        converge(&mut model);
        model.options.integrator = Integrator::Discrete;
        model.options.cone = cone;
        let name = format!("discrete steps of the humanoid, {cone:?}");
        let place = |model: &Model, data: &mut Data, random: &mut Random| {
            on_the_floor(model, data, random);
            random.fill(&mut data.input.ctrl, 0.5);
        };
        let rows = check_transition(&model, 3, 1e-7, &name, |data, random| place(&model, data, random));
        assert!(rows > 5);
        check_inverse(&model, 6, &name, |data, random| place(&model, data, random));
        // Nothing is implicit.
        model.actuators.bias_prm.fill([0.0; 10]);
        model.options.disable.set(Disable::SPRING, true);
        model.options.disable.set(Disable::DAMPER, true);
        let rows = check_transition(&model, 3, 1e-7, &name, |data, random| place(&model, data, random));
        assert!(rows > 5);
    }
    for (text, name) in [(DRIVEN, "driven, discrete"), (JOINED, "joined, discrete"), (DAMPED, "damped, discrete")] {
        let mut model = from_text(text);
        converge(&mut model);
        model.options.integrator = Integrator::Discrete;
        check_inverse(&model, 6, name, |data, random| anywhere(&model, data, random));
        check_transition(&model, 3, 1e-7, name, |data, random| anywhere(&model, data, random));
    }
}

#[test]
fn actuators_tendons_and_their_steps() {
    let mut model = from_text(DRIVEN);
    check_inverse(&model, 6, "driven", |data, random| anywhere(&model, data, random));
    converge(&mut model);
    for integrator in INTEGRATORS {
        model.options.integrator = integrator;
        let name = format!("driven, {integrator:?}");
        check_transition(&model, 3, 1e-7, &name, |data, random| anywhere(&model, data, random));
    }
}

pub(super) const JOINED: &str = r#"<mujoco><option timestep="0.004"/><default><equality solimp="0.5 0.9 0.3 0.5 3"/></default><worldbody>
    <body name="a"><joint type="ball" pos="0 0 0.3"/><geom type="capsule" size="0.05 0.2" contype="0" conaffinity="0"/>
      <site name="s" pos="0.1 0 0.1" euler="10 20 30"/>
      <body name="b" pos="0.1 0 -0.3"><joint name="h1" axis="0 1 0" frictionloss="0.3"/><joint name="h2" axis="1 0 0" pos="0 0 0.1"/>
        <geom type="box" size="0.1 0.05 0.08" contype="0" conaffinity="0"/><site name="t" pos="0 0.1 -0.1"/></body></body>
    <body name="c" pos="0.3 0 0.1"><freejoint/><geom type="box" size="0.1 0.2 0.3" contype="0" conaffinity="0"/><site name="u"/></body>
    <body name="d" pos="-0.3 0 0.1"><joint name="lim" type="ball" limited="true" range="0 0.3"/><joint name="sl" type="slide" axis="1 0 0"/>
      <geom type="box" size="0.1 0.2 0.3" contype="0" conaffinity="0"/></body>
  </worldbody>
  <tendon><fixed name="f1"><joint joint="h1" coef="0.7"/><joint joint="h2" coef="-0.4"/></fixed>
    <spatial name="f2" frictionloss="0.2"><site site="s"/><site site="t"/><site site="u"/></spatial></tendon>
  <equality><connect body1="a" body2="c" anchor="0.1 0.1 0"/><weld body1="b" body2="c" torquescale="0.7"/>
    <weld site1="s" site2="u"/><connect body1="b" body2="a" anchor="0 0 0.1"/><weld body1="d"/>
    <joint joint1="h1" joint2="h2" polycoef="0.1 0.5 0.3 -0.2 0.1"/><joint joint1="sl" polycoef="0.1"/>
    <tendon tendon1="f1" tendon2="f2" polycoef="0.1 0.4 0.2 0.3 -0.1"/></equality></mujoco>"#;

/// The same with what is implicit in discrete steps, of all kinds and of strengths that change.
const DAMPED: &str = r#"<mujoco><option timestep="0.004"/><default><equality solimp="0.5 0.9 0.3 0.5 3"/></default><worldbody>
    <body name="a"><joint type="ball" pos="0 0 0.3" damping="0.4" stiffness="3 1 0.5"/><geom type="capsule" size="0.05 0.2" contype="0" conaffinity="0"/>
      <site name="s" pos="0.1 0 0.1" euler="10 20 30"/>
      <body name="b" pos="0.1 0 -0.3"><joint name="h1" axis="0 1 0" frictionloss="0.3" damping="0.5 0.3 0.2" stiffness="4 2 1"/>
        <joint name="h2" axis="1 0 0" pos="0 0 0.1" limited="true" range="-20 15" damping="0.3"/>
        <geom type="box" size="0.1 0.05 0.08" contype="0" conaffinity="0"/><site name="t" pos="0 0.1 -0.1"/></body></body>
    <body name="c" pos="0.3 0 0.1"><freejoint/><geom type="box" size="0.1 0.2 0.3" contype="0" conaffinity="0"/><site name="u"/></body>
    <body name="d" pos="-0.3 0 0.1"><joint name="lim" type="ball" limited="true" range="0 0.3" damping="0.7"/><joint name="sl" type="slide" axis="1 0 0" damping="3"/>
      <geom type="box" size="0.1 0.2 0.3" contype="0" conaffinity="0"/></body>
  </worldbody>
  <tendon><fixed name="f1" damping="0.4" stiffness="3"><joint joint="h1" coef="0.7"/><joint joint="h2" coef="-0.4"/></fixed>
    <spatial name="f2" frictionloss="0.2" damping="2 1 0.5" stiffness="20 10 5" springlength="0.1" limited="true" range="0 0.2"><site site="s"/><site site="t"/><site site="u"/></spatial></tendon>
  <actuator><general tendon="f2" gaintype="affine" gainprm="1 -0.5 -0.4" biastype="affine" biasprm="0 -1 -0.3" gear="1.5"/>
    <general joint="h1" gaintype="affine" gainprm="1 -2 -0.3" biastype="affine" biasprm="0 -1 -0.1" gear="0.8"/></actuator>
  <equality><connect body1="a" body2="c" anchor="0.1 0.1 0"/><weld body1="b" body2="c" torquescale="0.7"/>
    <weld site1="s" site2="u"/><connect body1="b" body2="a" anchor="0 0 0.1"/><weld body1="d"/>
    <joint joint1="h1" joint2="h2" polycoef="0.1 0.5 0.3 -0.2 0.1"/><joint joint1="sl" polycoef="0.1"/>
    <tendon tendon1="f1" tendon2="f2" polycoef="0.1 0.4 0.2 0.3 -0.1"/></equality></mujoco>"#;

#[test]
fn equalities() {
    let mut model = from_text(JOINED);
    check_inverse(&model, 8, "joined", |data, random| anywhere(&model, data, random));
    converge(&mut model);
    check_transition(&model, 3, 1e-7, "joined", |data, random| anywhere(&model, data, random));
}

/// Derivatives are those of the exact solution. Where the solver left too early they are not called
/// exact; where it only ran out of digits they are.
#[test]
fn steps_of_a_solver_that_left_too_early_are_not_exact() {
    use saltus_sim::data::SolverStatus;
    use saltus_sim::derivative::{self, Inexact, Workspace};
    use saltus_sim::finite_difference::Transition;
    use saltus_sim::options::Solver;
    let mut model = load(model_file("humanoid.xml")).unwrap();
    let n = 2 * model.size.nv + model.size.na;
    let mut is_exact = |data: &mut Data, solver: Solver, iterations: i32, tolerance: f64| {
        (model.options.solver, model.options.iterations, model.options.tolerance) = (solver, iterations, tolerance);
        model.options.cone = Cone::Elliptic;
        saltus_sim::forward(&model, data);
        let mut A = vec![0.0; n * n];
        let out = Transition { A: Some(&mut A), ..Transition::default() };
        let mut work = Workspace::default();
        let report = derivative::transition(&model, data, &mut work, out).unwrap();
        let told =
            report.inexact.iter().any(|what| matches!(what, Inexact::Model(words) if words.contains("converge")));
        let converged = data.constraints.report.status == SolverStatus::Converged;
        (report.exact(), told, converged)
    };
    let start = {
        let model = load(model_file("humanoid.xml")).unwrap();
        let mut data = Data::new(&model);
        (0..400).for_each(|_| saltus_sim::step(&model, &mut data).unwrap());
        data.state.a_warm.fill(0.0);
        data.state.v.iter_mut().enumerate().for_each(|(i, v)| *v = (i as f64).sin());
        data
    };
    for (solver, iterations, tolerance) in
        [(Solver::Newton, 1, 1e-8), (Solver::Cg, 2, 1e-8), (Solver::Pgs, 2, 1e-8), (Solver::Pgs, 2, 1.0)]
    {
        let (exact, told, _) = is_exact(&mut start.clone(), solver, iterations, tolerance);
        assert!(!exact && told, "{solver:?} after {iterations} iterations");
    }
    // With the tolerance 0 no solver says that it converged.
    for (iterations, tolerance) in [(100, 1e-8), (50, 0.0)] {
        let (exact, told, converged) = is_exact(&mut start.clone(), Solver::Newton, iterations, tolerance);
        assert!(exact && !told, "tolerance {tolerance}, converged: {converged}");
    }
}
