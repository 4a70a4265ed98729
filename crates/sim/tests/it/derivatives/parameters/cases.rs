//! Models under all laws and integrators, pairs of shapes, names.

use super::super::contacts::{BOX, CAPSULE, CYLINDER, SPHERE, pair_text, touching};
use super::super::{anywhere, on_the_floor};
use super::{check, check_some, plain};
use crate::common::{from_text, load, model_file};
use saltus_sim::derivative::Workspace;
use saltus_sim::derivative::parameter::{Parameter, Quantity as Q, StepBy, inverse_by, transition_by};
use saltus_sim::options::law::Law;
use saltus_sim::options::{Cone, Disable, Integrator};
use saltus_sim::{Data, Model};

/// Integrators, and laws: Euler's method is the discrete one under those that step velocities.
const CASES: [(Integrator, Law); 14] = [
    (Integrator::Euler, Law::Soft),
    (Integrator::ImplicitFast, Law::Soft),
    (Integrator::Implicit, Law::Soft),
    (Integrator::Midpoint, Law::Soft),
    (Integrator::Rk4, Law::Soft),
    (Integrator::Discrete, Law::Soft),
    (Integrator::Euler, Law::Impulse),
    (Integrator::SemiImplicit, Law::Impulse),
    (Integrator::Euler, Law::Invertible),
    (Integrator::SemiImplicit, Law::Invertible),
    (Integrator::Euler, Law::Compliant),
    (Integrator::ImplicitFast, Law::Compliant),
    (Integrator::Discrete, Law::Compliant),
    (Integrator::Rk4, Law::Compliant),
];

fn choose(model: &mut Model, (integrator, law): (Integrator, Law)) {
    model.options.integrator = integrator;
    model.options.laws.law = law;
}

#[test]
fn humanoid_on_the_floor() {
    for (k, case) in CASES.into_iter().enumerate() {
        let mut model = plain(load(model_file("humanoid.xml")).unwrap());
        choose(&mut model, case);
        model.options.cone = if k % 2 == 0 { Cone::Elliptic } else { Cone::Pyramidal };
        if case.0 == Integrator::Rk4 {
            // What touches must be the same in all stages.
            model.options.timestep = 2e-4;
        }
        let tally = check(
            &model,
            if case.0 == Integrator::Rk4 { 6 } else { 3 },
            &format!("humanoid, {case:?}"),
            |model, data, random| {
                on_the_floor(model, data, random);
                random.fill(&mut data.input.ctrl, 0.5);
            },
        );
        for quantity in ["BodyMass", "BodyInertia", "BodyInertialPos", "GeomSize", "JointDamping", "ActuatorGear"] {
            assert!(tally.contains_key(quantity), "{quantity}: {tally:?}");
        }
    }
}

/// How many states: the invertible law is slow.
fn states((_, law): (Integrator, Law)) -> usize {
    if law == Law::Invertible { 3 } else { 6 }
}

/// Springs, limits, dry friction, tendons, actuators of many kinds.
const DRIVEN: &str = r#"<mujoco><option timestep="0.004"/><worldbody>
    <body name="a" gravcomp="0.3"><joint name="ball" type="ball" pos="0 0 0.3" damping="0.3" stiffness="2" armature="0.1"/>
      <geom type="capsule" size="0.05 0.2" contype="0" conaffinity="0"/><site name="s" pos="0.1 0 0.1" euler="10 20 30"/>
      <body pos="0.1 0 -0.3" gravcomp="0.7"><joint name="h1" axis="0 1 0" damping="0.2 0.1 0.05" stiffness="1 0.5 0.2" frictionloss="0.2"/>
        <joint name="h2" axis="1 0 0" pos="0 0 0.1" damping="0.1" armature="0.02" actuatorgravcomp="true"/>
        <geom type="box" size="0.1 0.05 0.08" contype="0" conaffinity="0"/><site name="t" pos="0 0.1 -0.1"/>
        <body pos="0 0 -0.2"><joint name="sl" type="slide" axis="0 0.6 0.8" limited="true" range="-0.01 0.05"/>
          <geom type="sphere" size="0.07" contype="0" conaffinity="0"/><site name="u" pos="0.05 0 0"/></body></body></body>
    <body pos="1 0 1"><freejoint name="free"/><geom type="box" size="0.1 0.2 0.3" contype="0" conaffinity="0"/></body>
  </worldbody>
  <tendon><fixed name="fix" stiffness="1" damping="0.2" range="-0.1 0.1" limited="true" frictionloss="0.1"><joint joint="h1" coef="0.7"/><joint joint="h2" coef="-0.4"/></fixed>
    <spatial name="sp" stiffness="3" springlength="0.1" limited="true" range="0 0.2" damping="0.3 0.2 0.1" frictionloss="0.3"><site site="s"/><site site="t"/><site site="u"/></spatial></tendon>
  <actuator><position joint="h1" kp="20" kv="2"/><position joint="h2" kp="10" timeconst="0.03"/>
    <intvelocity joint="sl" kp="5" actrange="-1 1"/><general joint="ball" gear="1 -0.5 0.3" gainprm="3" biastype="affine" biasprm="0 -2 -0.3"/>
    <motor jointinparent="free" gear="1 2 3 0.4 0.5 0.6"/><motor site="u" gear="1 0.5 -0.3 0.1 0.2 0.3"/>
    <muscle joint="h1" lengthrange="-2 2" gear="2" tausmooth="0.2"/><motor tendon="fix" gear="3"/>
    <muscle tendon="sp" lengthrange="0.1 0.9"/><general tendon="sp" gaintype="affine" gainprm="1 0.5 -0.4" biastype="affine" biasprm="0 -1 -0.3"/>
    <general tendon="fix" dyntype="filterexact" dynprm="0.05" gainprm="2" biastype="affine" biasprm="0.1 -1 -0.1" actearly="true"/>
    <position joint="h1" kp="200" forcerange="-1 1"/><general site="u" refsite="s" gear="1 0.5 -0.3 0.1 0.2 0.3" gainprm="2" biastype="affine" biasprm="0.1 -1 -0.1"/>
    <pid joint="h2" kp="3" kv="0.2" ki="0.5" gear="1.5"/>
  </actuator></mujoco>"#;

#[test]
fn actuators_tendons_joints() {
    let mut model = plain(from_text(DRIVEN));
    for case in CASES {
        choose(&mut model, case);
        let tally = check_some(&model, states(case), false, &format!("driven, {case:?}"), anywhere);
        assert!(tally.len() >= 14, "{tally:?}");
    }
    choose(&mut model, (Integrator::Discrete, Law::Soft));
    model.options.disable.set(Disable::CONSTRAINT, true);
    let tally = check_some(&model, 6, false, "driven, discrete", anywhere);
    assert!(tally.len() == 14 && tally.values().all(|(count, _)| *count > 1), "{tally:?}");
}

/// Offsets of bodies that are joined, compensated, driven from a site, tied by tendons, and that
/// carry a table.
const OFFSET: &str = r#"<mujoco><worldbody><geom name="floor" type="plane" size="5 5 1" pos="0 0 -0.28"/>
    <body name="base" pos="0.1 0.2 0.3" euler="10 20 30"><body name="mount" pos="0.1 0.1 0.1"><geom type="box" size="0.2 0.2 0.01" pos="0 0 -0.4"/><site name="m" pos="0.1 0 0.1"/>
      <body name="a" pos="0 0 -0.1" gravcomp="0.3"><joint type="ball" pos="0 0 0.3" damping="0.3"/>
        <geom type="capsule" size="0.05 0.2"/><site name="s" pos="0.1 0 0.1" euler="10 20 30"/>
        <body name="b" pos="0.1 0 -0.3" gravcomp="0.7"><joint name="h1" axis="0 1 0" damping="0.2"/><joint axis="1 0 0" pos="0 0 0.1" actuatorgravcomp="true"/>
          <geom type="box" size="0.1 0.05 0.08"/><site name="t" pos="0 0.1 -0.1"/>
          <geom name="roll" type="cylinder" size="0.03 0.1" euler="90 0 0" contype="0" conaffinity="0"/>
          <body name="c" pos="0 0.05 -0.15"><joint type="slide" axis="0 0.6 0.8"/><geom type="sphere" size="0.07"/><site name="u" pos="0.05 0 0"/></body></body></body></body></body>
    <body name="d" pos="0.3 0 -0.2"><freejoint/><geom type="box" size="0.1 0.2 0.1"/></body>
  </worldbody>
  <tendon><spatial name="sp" stiffness="30" springlength="0.1" limited="true" range="0 0.2" damping="3 2 1" frictionloss="0.2">
      <site site="m"/><site site="s"/><site site="t"/><pulley divisor="2"/><site site="t"/><site site="u"/></spatial>
    <spatial name="line" stiffness="20" damping="1"><site site="s"/><geom geom="roll"/><site site="u"/></spatial>
    <fixed name="f"><joint joint="h1" coef="0.7"/></fixed></tendon>
  <actuator><motor site="u" gear="1 0.5 -0.3 0.1 0.2 0.3"/><position joint="h1" kp="20" kv="2"/>
    <general tendon="sp" gaintype="affine" gainprm="1 0.5 -0.4" biastype="affine" biasprm="0 -1 -0.3"/></actuator>
  <equality><tendon tendon1="f" tendon2="sp" polycoef="0.1 0.4 0.2 0.3 -0.1"/><connect body1="a" body2="d" anchor="0.1 0.1 0"/><weld body1="b" body2="d" torquescale="0.7"/></equality></mujoco>"#;

#[test]
fn offsets_of_bodies() {
    let mut model = plain(from_text(OFFSET));
    for case in CASES {
        choose(&mut model, case);
        let tally = check(&model, states(case), &format!("offsets, {case:?}"), anywhere);
        let enough = if case.1 == Law::Invertible { 10 } else { 30 };
        assert!(tally["BodyPos"].0 > enough, "{tally:?}");
    }
}

#[test]
fn friction_places_and_sizes_of_pairs() {
    let pairs = [
        (SPHERE, SPHERE),
        (SPHERE, CAPSULE),
        (SPHERE, BOX),
        (SPHERE, CYLINDER),
        (CAPSULE, CAPSULE),
        (CAPSULE, BOX),
        (BOX, BOX),
    ];
    for (first, second) in pairs {
        let (soft, impulse) = (Law::Soft, Law::Impulse);
        let cones = [(1, Cone::Elliptic, soft), (3, Cone::Pyramidal, soft), (4, Cone::Elliptic, soft)];
        for (dim, cone, law) in cones.into_iter().chain([
            (6, Cone::Pyramidal, soft),
            (4, Cone::Elliptic, impulse),
            (6, Cone::Elliptic, Law::Invertible),
            (6, Cone::Elliptic, Law::Compliant),
        ]) {
            let mut model = plain(from_text(&pair_text(first, second, dim)));
            (model.options.cone, model.options.laws.law) = (cone, law);
            let name = format!("{first} on {second}, {dim} {cone:?} {law:?}");
            let tally = check(&model, 9, &name, touching);
            for quantity in ["GeomPos", "GeomSize"] {
                assert!(tally.contains_key(quantity), "{quantity}: {tally:?}");
            }
            assert_eq!(tally.contains_key("GeomFriction"), dim > 1, "{tally:?}");
        }
    }
}

#[test]
fn friction_places_and_sizes_on_the_ground() {
    let field = r#"<asset><hfield name="f" nrow="7" ncol="7" size="2 2 0.4 0.1"
        elevation="0 1 2 3 2 1 0 1 3 2 4 5 6 1 2 4 3 2 1 5 3 3 2 1 0 4 2 1 6 5 4 2 1 0 3 2 1 4 3 2 5 1 0 2 1 3 4 2 5"/></asset>"#;
    for (ground, asset) in [(r#"type="plane" size="5 5 1""#, ""), (r#"type="hfield" hfield="f""#, field)] {
        for shape in [SPHERE, CAPSULE, BOX, CYLINDER] {
            if !asset.is_empty() && shape == CYLINDER {
                continue;
            }
            let model = plain(from_text(&format!(
                r#"<mujoco>{asset}<default><geom condim="4" friction="0.7 0.03 0.02" margin="0.0005"/></default>
                <worldbody><body pos="0.1 0 0" euler="10 5 0"><geom {ground}/></body>
                <body pos="0 0 1"><freejoint/><geom {shape} pos="0.01 0.02 0.03"/></body></worldbody></mujoco>"#
            )));
            let tally = check(&model, 9, &format!("{shape} on {ground}"), on_the_floor);
            for quantity in ["GeomPos", "GeomSize", "GeomFriction"] {
                assert!(tally.contains_key(quantity), "{quantity}: {tally:?}");
            }
        }
    }
}

#[test]
fn names_lead_back_to_parameters() {
    for name in ["humanoid.xml", "hand.xml", "features/actuators.xml", "features/constraints.xml"] {
        let mut model = load(model_file(name)).unwrap();
        let all = Parameter::all(&model);
        assert!(all.len() > 50);
        for parameter in all {
            let name = parameter.name(&model);
            assert_eq!(Parameter::find(&model, &name), Ok(parameter), "{name}");
            let value = parameter.value(&model).unwrap();
            *parameter.number(&mut model).unwrap() = value + 1.0;
            assert_eq!(parameter.value(&model), Ok(value + 1.0), "{name}");
        }
    }
    let model = load(model_file("humanoid.xml")).unwrap();
    let missing = Parameter { quantity: Q::BodyMass, element: 99, component: 0 };
    assert!(missing.value(&model).is_err());
    let (mut work, mut out) = (Workspace::default(), vec![0.0; model.size.nv]);
    let mut data = Data::new(&model);
    saltus_sim::forward(&model, &mut data);
    let error = inverse_by(&model, &data, false, &[missing], &mut work, &mut out).unwrap_err();
    assert!(error.to_string().contains("does not exist"), "{error}");
    for (name, words) in [("", "unknown kind"), ("body", "available: mass"), ("body//mass", "there is no body")] {
        let error = Parameter::find(&model, name).unwrap_err().to_string();
        assert!(error.contains(words), "{name}: {error}");
    }
}

/// Damping that is zero: the derivative of a step is that of an increase, which makes Euler's
/// method implicit.
#[test]
fn damping_grows_from_zero() {
    let model = plain(from_text(
        r#"<mujoco><worldbody><body><joint name="h" axis="0 1 0"/><geom type="capsule" size="0.05 0.2" pos="0.2 0 0.1"/>
        </body></worldbody></mujoco>"#,
    ));
    let mut base = Data::new(&model);
    base.state.v[0] = 0.7;
    let damping = Parameter::find(&model, "joint/h/damping").unwrap();
    saltus_sim::forward(&model, &mut base);
    let mut dx = [0.0; 2];
    let out = StepBy { dx: Some(&mut dx), da: None };
    assert!(transition_by(&model, &base, &[damping], &mut Workspace::default(), out).unwrap().exact());
    let at = |d: f64| {
        let (mut changed, mut data) = (model.clone(), base.clone());
        *damping.number(&mut changed).unwrap() = d;
        saltus_sim::step(&changed, &mut data).unwrap();
        data.state.v[0]
    };
    let h = 1e-4;
    let slope = (-3.0 * at(0.0) + 4.0 * at(h) - at(2.0 * h)) / (2.0 * h);
    assert!((dx[1] - slope).abs() < 1e-7 * slope.abs(), "{} {slope}", dx[1]);
}
