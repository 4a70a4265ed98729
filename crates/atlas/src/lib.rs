//! Scenes with the Atlas-like robot with Sandia-like hands (`models/atlas.xml`): standing, holding
//! a cylinder, walking.
//!
//! Motions are planned anew each time, with the defaults of the planner. A [`Follower`] tracks
//! them: it computes motor torques from the measured state, without knowledge of the engine.
//! Fingers have position servos with constant targets. Therefore the same scene runs under any
//! contact law and in maximal coordinates. `saltus reproduce hsu2014` and the example of this crate
//! run the scenes.

use saltus::math::{Quat, Vec3, real};
use saltus::maximal::{FixedBodies, JointError, Options, Simulation};
use saltus::opt::planning::PlanningProblem;
use saltus::opt::problem::actuation::ActuationError;
use saltus::opt::replay::follow::{Follower, Known};
use saltus::opt::result::plan::Plan;
use saltus::opt::solve::PoolError;
use saltus::opt::solve::optimize::OptimizeOptions;
use saltus::opt::solve::report::Status;
use saltus::opt::template::gait::{Gait, gait};
use saltus::opt::template::goal::{Aim, Goal, goal};
use saltus::opt::template::robot::{RobotError, RobotOptions};
use saltus::sim::model::NoSuchName;
use saltus::sim::model::kinds::{GeomShape, JointKind};
use saltus::sim::model::spec::{BodySpec, GeomSpec, InertialSpec, JointSpec};
use saltus::sim::options::law::Law;
use saltus::{CompileError, Data, Model, ModelSpec, StepError, compile, forward_smooth, shipped, step};

/// The grasped cylinder: mass, kg, radius and half length, m.
const CYLINDER: (f64, f64, f64) = (5.39, 0.05, 0.1);
/// Body of the hand that holds the cylinder.
const PALM: &str = "right_palm";
const GRASP_SITE: &str = "right_grasp";
/// Name of the grasped body.
pub const OBJECT: &str = "cylinder";

/// The reason why a scene cannot be created or simulated.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The MJCF of the robot cannot be read.
    #[error("the built-in robot: {0}")]
    Read(#[from] saltus::io::ReadError),
    /// The robot, or the robot with the cylinder, does not compile.
    #[error("the built-in robot: {0}")]
    Compile(#[from] CompileError),
    /// The robot lacks a part that the scene needs.
    #[error("the built-in robot has no {0}")]
    Missing(&'static str),
    /// No object of the robot has this name.
    #[error("the built-in robot: {0}")]
    Name(#[from] NoSuchName),
    /// The template of the motion does not fit the robot.
    #[error(transparent)]
    Robot(#[from] RobotError),
    /// The threads of the planner cannot be started.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The controller cannot use the motors of the robot.
    #[error(transparent)]
    Actuation(#[from] ActuationError),
    /// The planner ended without a motion.
    #[error("the planner did not find the motion: {0}")]
    Plan(Status),
    /// The simulation in maximal coordinates failed.
    #[error(transparent)]
    Maximal(#[from] saltus::maximal::Error),
    /// The simulation in generalized coordinates failed.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// The engine that takes the steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Engine {
    /// Generalized coordinates under a contact law.
    Law(Law),
    /// Maximal coordinates with these options.
    Maximal(Options),
}

/// Parameter α of inertia ratio reduction for this robot; the paper gives no value. With 0.1,
/// ratios of ten remain across the ankles. With 0.5, the inertias on both sides of a joint become
/// equal, and standing feet pitch until their heels lift off.
pub const ALPHA: f64 = 0.1;

/// Gauss–Seidel with all modifications as published \[HsuPeters2014\]. The pads of fingers are
/// separate links, so that forces reach the object through a mass of 0.01 kg.
pub fn published() -> Options {
    Options { inertia_reduction: ALPHA, fixed_bodies: FixedBodies::Rows, ..Options::default() }
}

/// Exact joints, with the same links.
pub fn tree() -> Options {
    Options { fixed_bodies: FixedBodies::Rows, ..Options::tree() }
}

/// A model, its initial state, and the data of its controller.
#[derive(Debug)]
pub struct Scene {
    /// The robot, and the cylinder if there is one.
    pub model: Model,
    /// The reference motion.
    pub plan: Plan,
    known: Known,
    q: Vec<f64>,
    v: Vec<f64>,
    ctrl: Vec<f64>,
}

impl Scene {
    /// Standing under balance control.
    pub fn standing() -> Result<Self, Error> {
        Self::new(&robot()?, stand("stand"))
    }

    /// Standing and holding a cylinder of 5.39 kg in the right hand. The contact normals are
    /// horizontal, so friction carries the weight.
    pub fn grasping() -> Result<Self, Error> {
        let mut spec = robot()?;
        load_palm(&mut spec)?;
        let mut scene = Self::new(&spec, stand("grasp"))?;
        scene.add_cylinder()?;
        Ok(scene)
    }

    /// Walking at a speed in m/s.
    pub fn walking(speed: f64) -> Result<Self, Error> {
        let wish = Gait { speed: Some(speed), ..Gait::default() };
        Self::new(&robot()?, |spec| gait("walk", spec, &RobotOptions::default(), &wish, &OptimizeOptions::default()))
    }

    fn new(
        spec: &ModelSpec,
        task: impl FnOnce(&ModelSpec) -> Result<PlanningProblem, RobotError>,
    ) -> Result<Self, Error> {
        let plan = task(spec)?.optimize(&mut |_| true)?;
        if !plan.status.converged() {
            return Err(Error::Plan(plan.status));
        }
        let model = compile(spec)?;
        let known = Known::new(&model, &plan)?;
        let (nq, nv, nu) = (model.size.nq, model.size.nv, model.size.nu);
        let (q, v) = (plan.motion.q[..nq].to_vec(), plan.motion.v[..nv].to_vec());
        Ok(Self { model, plan, known, q, v, ctrl: vec![0.0; nu] })
    }

    /// Adds the cylinder to the model, after the robot. The controller still treats it as a part of
    /// the palm.
    fn add_cylinder(&mut self) -> Result<(), Error> {
        let mut data = Data::new(&self.model);
        data.state.q.copy_from_slice(&self.q);
        forward_smooth(&self.model, &mut data);
        let palm = self.model.body(PALM)?.idx();
        // Its axis is the x axis of the palm.
        let quat = data.position.quat_WB[palm] * Quat::from_axis_angle(Vec3::Y, 0.5 * real::PI);
        let mut spec = robot()?;
        let mut sites = spec.bodies.iter().flat_map(|body| &body.sites);
        let site = sites.find(|site| site.name == GRASP_SITE).ok_or(Error::Missing(GRASP_SITE))?;
        let at = data.position.p_WB[palm] + data.position.quat_WB[palm].rotate(site.pos);
        let key = spec.keys.iter().find(|key| key.name == "grasp").ok_or(Error::Missing("keyframe grasp"))?;
        self.ctrl.clone_from(&key.ctrl);
        spec.keys.clear();
        let (mass, radius, half) = CYLINDER;
        spec.bodies.push(BodySpec {
            name: OBJECT.to_owned(),
            pos: at,
            quat,
            joints: vec![JointSpec { name: OBJECT.to_owned(), kind: JointKind::Free, ..JointSpec::default() }],
            geoms: vec![GeomSpec {
                name: OBJECT.to_owned(),
                shape: GeomShape::Cylinder,
                size: [radius, half, 0.0],
                mass: Some(mass),
                ..GeomSpec::default()
            }],
            ..BodySpec::default()
        });
        self.model = compile(&spec)?;
        self.q.extend_from_slice(&at.to_array());
        self.q.extend_from_slice(&[quat.w, quat.x, quat.y, quat.z]);
        self.v.extend_from_slice(&[0.0; 6]);
        Ok(())
    }

    /// A simulation of the scene from its initial state.
    pub fn start(&self, engine: Engine) -> Result<Run<'_>, Error> {
        let mut model = self.model.clone();
        let simulation = match engine {
            Engine::Maximal(options) => Some(Box::new(Simulation::new(&model, options)?)),
            Engine::Law(law) => {
                model.options.laws.law = law;
                None
            }
        };
        let mut data = Data::new(&model);
        data.state.q.copy_from_slice(&self.q);
        data.state.v.copy_from_slice(&self.v);
        data.input.ctrl.copy_from_slice(&self.ctrl);
        Ok(Run { model, data, simulation, follower: Follower::new(&self.known) })
    }
}

/// A running simulation of a scene.
#[derive(Debug)]
pub struct Run<'a> {
    /// The model of the scene, under the law of the engine.
    pub model: Model,
    /// The state of the scene, and the results of the last step.
    pub data: Data,
    /// None in generalized coordinates.
    pub simulation: Option<Box<Simulation>>,
    follower: Follower<'a>,
}

impl Run<'_> {
    /// Runs the controller, which sets the motor torques before each step.
    pub fn control(&mut self) {
        self.follower.control(&mut self.data);
    }

    /// Takes one step of the engine without control. Returns the joint error after it.
    pub fn advance(&mut self) -> Result<JointError, Error> {
        match &mut self.simulation {
            Some(simulation) => Ok(simulation.step(&self.model, &mut self.data)?.joints),
            None => {
                step(&self.model, &mut self.data)?;
                Ok(JointError::default())
            }
        }
    }

    /// Runs the controller and takes one step.
    pub fn step(&mut self) -> Result<JointError, Error> {
        self.control();
        self.advance()
    }

    /// Position of the cylinder in the frame of the palm.
    pub fn in_hand(&self) -> Result<Vec3, Error> {
        let [palm, object] = [PALM, OBJECT].map(|name| self.model.body(name));
        let (palm, position) = (palm?.idx(), &self.data.position);
        Ok(position.quat_WB[palm].conj().rotate(position.p_WI[object?.idx()] - position.p_WB[palm]))
    }

    /// Centre of mass of a body.
    pub fn centre(&self, body: &'static str) -> Result<Vec3, Error> {
        let body = self.model.body(body)?;
        Ok(self.data.position.p_WI[body.idx()])
    }
}

/// The robot.
fn robot() -> Result<ModelSpec, Error> {
    Ok(saltus::io::mjcf::read_str(shipped::ATLAS, &Default::default())?)
}

/// The task of standing near the pose of a keyframe.
fn stand(keyframe: &str) -> impl FnOnce(&ModelSpec) -> Result<PlanningProblem, RobotError> {
    let robot = RobotOptions { keyframe: Some(keyframe.to_owned()), ..RobotOptions::default() };
    let wish = Goal { aim: Aim::Stand, time: None, steps: None };
    move |spec| goal("stand", spec, &robot, &wish, &OptimizeOptions::default())
}

/// Adds the mass and inertia of the cylinder to those of the palm.
fn load_palm(spec: &mut ModelSpec) -> Result<(), Error> {
    let (mass, radius, half) = CYLINDER;
    let palm = spec.bodies.iter_mut().find(|body| body.name == PALM).ok_or(Error::Missing(PALM))?;
    let site = palm.sites.iter().find(|site| site.name == GRASP_SITE).ok_or(Error::Missing(GRASP_SITE))?;
    let across = mass * (3.0 * radius * radius + 4.0 * half * half) / 12.0;
    let own = palm.inertial.as_ref().ok_or(Error::Missing("inertia of the palm"))?;
    // Parallel axis theorem: about the common centre of mass, μ (d² 1 − d dᵀ) is added, with the
    // reduced mass μ and the distance d of the two centres of mass.
    let (d, sum) = (site.pos - own.pos, own.mass + mass);
    let reduced = own.mass * mass / sum;
    let of = |along: f64, diag: f64| diag + reduced * (d.length_squared() - along * along);
    let diag = own.diag + Vec3::new(0.5 * mass * radius * radius, across, across);
    palm.inertial = Some(InertialSpec {
        mass: sum,
        pos: (own.pos * own.mass + site.pos * mass) / sum,
        quat: Quat::IDENTITY,
        diag: Vec3::ZERO,
        full: Some([
            of(d.x, diag.x),
            of(d.y, diag.y),
            of(d.z, diag.z),
            -reduced * d.x * d.y,
            -reduced * d.x * d.z,
            -reduced * d.y * d.z,
        ]),
    });
    Ok(())
}
