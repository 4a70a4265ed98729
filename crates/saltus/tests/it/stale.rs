//! Results of an old state are never read: every public query, after every kind of change.

use crate::common::model_file;
use saltus::sim::derivative::{self, DerivativeError, Workspace};
use saltus::sim::finite_difference::Transition;
use saltus::{Data, Model, Stage, Stale, Vec3};

/// What a query needs, and whether it answers.
type Query = (&'static str, Stage, fn(&Model, &Data) -> Result<(), Stale>);

/// All queries of results. `all_are_listed` holds that none is missing.
const QUERIES: &[Query] = &[
    ("sensor", Stage::Acceleration, |m, d| {
        (0..m.nsensor()).try_for_each(|k| d.sensor(m, saltus::SensorId::new(k)).map(drop))
    }),
    ("body_pose", Stage::Position, |m, d| d.body_pose(m, saltus::BodyId::new(1)).map(drop)),
    ("geom_pose", Stage::Position, |m, d| d.geom_pose(m, saltus::GeomId::new(1)).map(drop)),
    ("site_pose", Stage::Position, |m, d| d.site_pose(m, saltus::SiteId::new(0)).map(drop)),
    ("camera_pose", Stage::Position, |m, d| d.camera_pose(m, saltus::CameraId::new(0)).map(drop)),
    ("center_of_mass", Stage::Position, |m, d| d.center_of_mass(m, saltus::BodyId::new(1)).map(drop)),
    ("body_velocity", Stage::Velocity, |m, d| d.body_velocity(m, saltus::BodyId::new(1)).map(drop)),
    ("site_velocity", Stage::Velocity, |m, d| d.site_velocity(m, saltus::SiteId::new(0)).map(drop)),
    ("joint_a", Stage::Acceleration, |m, d| d.joint_a(m, saltus::JointId::new(0)).map(drop)),
    ("actuator_length", Stage::Position, |m, d| d.actuator_length(m, saltus::ActuatorId::new(0)).map(drop)),
    ("actuator_velocity", Stage::Velocity, |m, d| d.actuator_velocity(m, saltus::ActuatorId::new(0)).map(drop)),
    ("actuator_force", Stage::Acceleration, |m, d| d.actuator_force(m, saltus::ActuatorId::new(0)).map(drop)),
    ("tendon_length", Stage::Position, |m, d| d.tendon_length(m, saltus::TendonId::new(0)).map(drop)),
    ("tendon_velocity", Stage::Velocity, |m, d| d.tendon_velocity(m, saltus::TendonId::new(0)).map(drop)),
    ("contact_force", Stage::Acceleration, |m, d| d.contact_force(m, 0).map(drop)),
    ("contact_forces", Stage::Acceleration, |m, d| d.contact_forces(m).map(drop)),
    ("derivatives", Stage::Acceleration, |m, d| of_derivative(saltus::derivatives(m, d).map(drop))),
    ("inverse_derivatives", Stage::Acceleration, |m, d| of_derivative(saltus::inverse_derivatives(m, d).map(drop))),
    ("transition", Stage::Acceleration, |m, d| {
        of_derivative(derivative::transition(m, d, &mut Workspace::default(), Transition::default()).map(drop))
    }),
    ("inverse_product", Stage::Acceleration, |m, d| {
        let n = m.size.nv;
        let (y, mut q, mut v, mut a) = (vec![1.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        let out = derivative::Product { by_q: &mut q, by_v: &mut v, by_a: &mut a };
        of_derivative(derivative::inverse_product(m, d, false, &y, &mut Workspace::default(), out).map(drop))
    }),
    ("contact_force_slopes", Stage::Velocity, |m, d| {
        let on = vec![true; m.nbody()];
        of_derivative(derivative::contact_force_slopes(m, d, &on, &mut Workspace::default()).map(drop))
    }),
    ("sensor_slopes", Stage::Velocity, |m, d| derivative::sensor_slopes(m, d, 0, &mut Workspace::default()).map(drop)),
];

fn of_derivative(result: Result<(), DerivativeError>) -> Result<(), Stale> {
    match result {
        Err(DerivativeError::Stale(stale)) => Err(stale),
        Err(other) => panic!("{other}"),
        Ok(()) => Ok(()),
    }
}

/// What users can change, and how far results are good after it.
type Change = (&'static str, Stage, fn(&Model, &mut Data));

const CHANGES: &[Change] = &[
    ("nothing", Stage::Acceleration, |_, _| ()),
    ("q", Stage::None, |_, d| d.state.q[2] += 1e-9),
    ("v", Stage::Position, |_, d| d.state.v[0] -= 1.0),
    ("act", Stage::Velocity, |_, d| d.state.act[0] = 0.5),
    ("mocap_pos", Stage::None, |_, d| d.state.mocap_pos[0].x += 0.1),
    ("mocap_quat", Stage::None, |_, d| d.state.mocap_quat[0] = saltus::Quat::new(0.0, 1.0, 0.0, 0.0)),
    ("equality_active", Stage::None, |_, d| d.state.equality_active[0] ^= true),
    ("ctrl", Stage::Velocity, |_, d| d.input.ctrl[0] += 0.1),
    ("tau_applied", Stage::Velocity, |_, d| d.input.tau_applied[1] = 2.0),
    ("body_force", Stage::Velocity, |_, d| d.input.body_force[1][0] = Vec3::X),
    ("a", Stage::Velocity, |_, d| d.acceleration.a[0] += 1.0),
    ("step", Stage::None, |m, d| saltus::step(m, d).unwrap()),
    ("reset", Stage::None, |m, d| d.reset(m)),
    ("step1", Stage::Velocity, |m, d| {
        d.state.q[2] -= 1e-3;
        saltus::sim::step1(m, d, &mut saltus::NoCallbacks).unwrap();
    }),
];

const MODEL: &str = "<mujoco><option integrator='Euler'/>
  <worldbody><geom type='plane' size='1 1 1'/><camera pos='0 -3 1'/>
    <body name='hand' mocap='true' pos='0 0 2'/>
    <body name='ball' pos='0 0 .09'><freejoint/><geom size='.1'/><site name='s'/>
      <body pos='.2 0 .3'><joint name='j' axis='0 1 0'/><geom size='.05'/></body></body>
  </worldbody>
  <equality><weld body1='hand' body2='ball' active='false'/></equality>
  <tendon><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon>
  <actuator><general joint='j' dyntype='integrator' gainprm='1'/></actuator>
  <sensor><accelerometer site='s'/><jointpos joint='j'/></sensor></mujoco>";

#[test]
fn every_query_after_every_change() {
    let model = crate::common::from_text(MODEL);
    let mut fresh = Data::new(&model);
    saltus::forward(&model, &mut fresh);
    assert!(!fresh.contacts.is_empty());
    for (change, have, apply) in CHANGES {
        let mut data = fresh.clone();
        apply(&model, &mut data);
        assert_eq!(data.stage(), *have, "{change}");
        for (query, needed, ask) in QUERIES {
            let expected = if have >= needed { Ok(()) } else { Err(()) };
            assert_eq!(ask(&model, &data).map_err(drop), expected, "{query} after {change}");
        }
        // Computed again, all of them answer.
        saltus::forward(&model, &mut data);
        for (query, _, ask) in
            QUERIES.iter().filter(|(query, ..)| *query != "contact_force" || !data.contacts.is_empty())
        {
            assert_eq!(ask(&model, &data), Ok(()), "{query} after {change} and forward");
        }
    }
}

/// Sensors are good as soon as their own stage is.
#[test]
fn sensors_need_their_own_stage() {
    let model = crate::common::from_text(MODEL);
    let mut data = Data::new(&model);
    saltus::forward(&model, &mut data);
    data.input.ctrl[0] = 1.0;
    assert_eq!(data.sensor(&model, saltus::SensorId::new(1)).unwrap(), [0.0]);
    let stale = data.sensor(&model, saltus::SensorId::new(0)).unwrap_err();
    assert_eq!(stale, Stale { needed: Stage::Acceleration, have: Stage::Velocity });
}

/// A state that is put back has its results back.
#[test]
fn a_state_that_is_put_back_is_fresh() {
    let model = saltus::load(model_file("humanoid.xml")).unwrap();
    let mut data = Data::new(&model);
    saltus::forward(&model, &mut data);
    let saved = data.state.clone();
    data.state.q[0] += 1.0;
    assert_eq!(data.stage(), Stage::None);
    data.state.copy_from(&saved);
    assert_eq!(data.stage(), Stage::Acceleration);
}

#[test]
fn all_are_listed() {
    let sources = [
        include_str!("../../../sim/src/data/query/result.rs"),
        include_str!("../../../sim/src/data/query/contact_force.rs"),
    ];
    let queries = sources.iter().flat_map(|text| text.split("    pub fn ").skip(1)).filter(|f| {
        let head = f.split('{').next().unwrap_or_default();
        head.contains("Stale>")
    });
    let mut count = 0;
    for query in queries {
        let name = query.split(['(', '<']).next().unwrap_or_default();
        assert!(QUERIES.iter().any(|(listed, ..)| *listed == name), "{name} is not asked in this test");
        count += 1;
    }
    assert!(count >= 16, "{count}");
}
