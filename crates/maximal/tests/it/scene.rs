//! Models of the tests.

use saltus_maximal::{Options, Simulation};
use saltus_sim::{Data, Model, compile};

pub fn model(xml: &str) -> Model {
    compile(&saltus_io::mjcf::read_str(xml, &Default::default()).unwrap()).unwrap()
}

/// A model, its data and a simulation of it.
pub struct Scene {
    pub model: Model,
    pub data: Data,
    pub simulation: Simulation,
}

pub fn scene(xml: &str, options: Options) -> Scene {
    let model = model(xml);
    let simulation = Simulation::new(&model, options).unwrap();
    Scene { data: Data::new(&model), model, simulation }
}

impl Scene {
    pub fn run(&mut self, steps: usize) -> saltus_maximal::Report {
        let mut report = Default::default();
        for _ in 0..steps {
            report = self.simulation.step(&self.model, &mut self.data).unwrap();
        }
        report
    }
}

/// Every kind of joint: a floating base, a ball, a universal joint of two hinges, a hinge and a
/// slide on one body, a fixed body, with springs, dampers and rotors on some.
pub const ZOO: &str = r#"<mujoco>
  <compiler angle="radian"/>
  <option timestep="0.001"><flag contact="disable"/></option>
  <worldbody>
    <body name="base" pos="0 0 1">
      <freejoint/>
      <geom type="box" size="0.2 0.1 0.05" density="800"/>
      <body name="arm" pos="0.25 0 0">
        <joint name="ball" type="ball" pos="-0.05 0 0" damping="0.01"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0.05" size="0.03"/>
        <body name="tool" pos="0.3 0 0.05" euler="0.2 0.1 0">
          <geom type="box" size="0.02 0.05 0.03"/>
          <body name="finger" pos="0.05 0 0">
            <joint name="hinge" axis="0 1 1" ref="0.3" damping="0.02" armature="0.001"/>
            <geom type="capsule" fromto="0 0 0 0.1 0.02 0" size="0.015"/>
          </body>
        </body>
      </body>
      <body name="leg" pos="-0.2 0 -0.05">
        <joint name="u1" axis="1 0 0"/>
        <joint name="u2" axis="0 1 0" stiffness="2" springref="0.2"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.025"/>
        <body name="shin" pos="0 0 -0.3">
          <joint name="turn" axis="0 1 0" pos="0 0 0.02"/>
          <joint name="way" type="slide" axis="0 0.2 1" stiffness="50" damping="1"/>
          <geom type="capsule" fromto="0 0 0 0.05 0 -0.25" size="0.02"/>
        </body>
      </body>
    </body>
    <body name="cart" pos="1 0 1">
      <joint name="rail" type="slide" axis="1 0 0"/>
      <geom type="box" size="0.1 0.05 0.05"/>
      <body name="pole"><joint name="pole" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0.05 -0.4" size="0.02"/></body>
    </body>
  </worldbody>
  <actuator><motor name="m" joint="hinge" gear="0.5"/><motor name="r" joint="rail" gear="3"/></actuator>
</mujoco>"#;

/// Some velocity and control, the same for all.
pub fn disturb(data: &mut Data) {
    data.state.v.iter_mut().enumerate().for_each(|(i, v)| *v = 0.8 * (1.7 * i as f64 + 0.3).sin());
    data.input.ctrl.iter_mut().enumerate().for_each(|(i, u)| *u = 0.4 + 0.2 * i as f64);
}
