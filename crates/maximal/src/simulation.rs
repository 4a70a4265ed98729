//! A simulation in maximal coordinates, and its step from top to bottom.

mod solve;

use crate::attachment::{Attached, AttachmentId, AttachmentKind};
use crate::error::Error;
use crate::exact::Exact;
use crate::force::{Wrenches, update_softness, update_stages};
use crate::inertia::Inertias;
use crate::joint::{Frame, Place};
use crate::links::Links;
use crate::options::{Options, Solver};
use crate::project::Projection;
use crate::report::{JointError, Report};
use crate::rows::{
    At, POSITION, Rows, Softness, VELOCITY, push_attachments, push_contacts, push_dry_friction, push_equalities,
    push_joints, push_limits, push_soft,
};
use crate::six::Six;
use crate::state::Bodies;
use crate::sweeps::Sweeps;
use crate::warm::Memory;
use crate::{agreement, check, coordinates, finish, pose};
use saltus_math::Vec3;
use saltus_sim::collide::update_contacts;
use saltus_sim::kinematics::update_kinematics;
use saltus_sim::law::agreement::Agreement;
use saltus_sim::{Data, Model};

/// State and memory of one simulation. The state is that of the links; q and v of [`Data`] follow
/// it. If they or the time are changed from outside, the links follow them.
#[derive(Clone, Debug)]
pub struct Simulation {
    options: Options,
    links: Links,
    bodies: Bodies,
    start: Bodies,
    frames: Vec<Frame>,
    /// Whether `frames` belong to the current poses.
    framed: bool,
    inertias: Inertias,
    softness: Softness,
    rows: Rows,
    projection: Rows,
    sweeps: Sweeps,
    exact: Exact,
    memory: Memory,
    /// Attachments; `None` if removed.
    attachments: Vec<Option<Attached>>,
    /// Root body of each body.
    roots: Vec<usize>,
    sizes: [usize; 5],
    /// Time after the last step, q and v at its ends: of its beginning while it is being made.
    seen: Option<f64>,
    seen_q: Vec<f64>,
    seen_v: Vec<f64>,
    /// The applied body forces, saved while sensors are read.
    user_force: Vec<[Vec3; 2]>,
    /// Forces of (1), momenta at the end of the step without rows.
    E: Vec<Six>,
    p: Vec<Six>,
    /// Velocities of both lanes.
    V: [Vec<Six>; 2],
}

impl Simulation {
    /// Creates a simulation of `model`. An error names the part of the model that cannot be
    /// expressed.
    pub fn new(model: &Model, options: Options) -> Result<Self, Error> {
        options.validate()?;
        check::check_model(model)?;
        let links = Links::new(model, options.fixed_bodies)?;
        let (n, nv) = (links.len(), model.size.nv);
        let mut softness = Softness::new(nv);
        softness.armature.copy_from_slice(&model.dofs.armature);
        let mut simulation = Self {
            options,
            bodies: Bodies::new(n),
            start: Bodies::new(n),
            frames: vec![Frame::default(); n],
            framed: false,
            inertias: Inertias::new(&links),
            softness,
            rows: Rows::default(),
            projection: Rows::default(),
            sweeps: Sweeps::new(options.order),
            exact: Exact::new(&links, nv),
            memory: Memory::default(),
            attachments: Vec::new(),
            roots: model.bodies.root.iter().map(|r| r.idx()).collect(),
            sizes: sizes(model),
            seen: None,
            seen_q: vec![0.0; model.size.nq],
            seen_v: vec![0.0; nv],
            user_force: Vec::new(),
            E: vec![Six::ZERO; n],
            p: vec![Six::ZERO; n],
            V: [vec![Six::ZERO; n], vec![Six::ZERO; n]],
            links,
        };
        let mut data = Data::new(model);
        simulation.import(model, &mut data);
        simulation.update_frames(model, &data);
        match (1..n).find(|&link| simulation.frames[link].dependent) {
            Some(link) => Err(Error::DependentAxes { body: check::body_name(model, simulation.links.main[link]) }),
            None => {
                simulation.seen = None;
                Ok(simulation)
            }
        }
    }

    pub fn options(&self) -> &Options {
        &self.options
    }
    /// Poses and velocities of the links.
    pub fn bodies(&self) -> &Bodies {
        &self.bodies
    }
    /// Masses, inertias and joints of the links.
    pub fn links(&self) -> &Links {
        &self.links
    }
    /// Link of a body; 0 for bodies that cannot move.
    pub fn link_of(&self, body: usize) -> Option<usize> {
        self.links.of_body.get(body).copied()
    }

    /// How closely the last step, whose contacts are in `data`, approximates rigid contact with
    /// Coulomb friction.
    pub fn agreement(&self, model: &Model, data: &Data) -> Agreement {
        agreement::measure(model.options.timestep, &data.contacts, &self.rows, &self.bodies.V)
    }

    /// Attaches two bodies (0 is the world) to each other at their current poses in `data`. They
    /// continue to collide.
    pub fn attach(
        &mut self,
        model: &Model,
        data: &mut Data,
        bodies: [usize; 2],
        kind: AttachmentKind,
    ) -> Result<AttachmentId, Error> {
        if self.sizes != sizes(model) || !data.fits(model) {
            return Err(Error::Mismatch);
        }
        let [Some(a), Some(b)] = bodies.map(|body| self.link_of(body)) else {
            return Err(Error::Attachment { reason: "there is no such body" });
        };
        if !self.is_own(data) {
            self.import(model, data);
            self.memory.clear();
            self.remember(data);
            self.update_frames(model, data);
        }
        self.attachments.push(Some(Attached::new(&self.bodies, [a, b], kind)?));
        Ok(AttachmentId(self.attachments.len() as u32 - 1))
    }

    /// Removes an attachment made by [`attach`](Self::attach).
    pub fn detach(&mut self, id: AttachmentId) -> Result<(), Error> {
        match self.attachments.get_mut(id.0 as usize).and_then(Option::take) {
            Some(_) => Ok(()),
            None => Err(Error::Attachment { reason: "there is no such attachment, or it was cut before" }),
        }
    }

    /// Advances `data` by one time step. If the step fails, the state is unchanged.
    pub fn step(&mut self, model: &Model, data: &mut Data) -> Result<Report, Error> {
        if self.sizes != sizes(model) || !data.fits(model) {
            return Err(Error::Mismatch);
        }
        check::check_input(data)?;
        let own = self.is_own(data);
        if !own {
            self.import(model, data);
            self.memory.clear();
        } else if model.size.nmocap > 0 {
            update_kinematics(model, data);
        }
        // The frames that the last step left are those of the links' present poses.
        self.framed = own && model.size.nmocap == 0;
        self.start.copy_from(&self.bodies);
        self.seen_q.copy_from_slice(&data.state.q);
        self.seen_v.copy_from_slice(&data.state.v);
        let outcome = self.try_step(model, data);
        if outcome.is_err() {
            self.bodies.copy_from(&self.start);
            data.state.q.copy_from_slice(&self.seen_q);
            data.state.v.copy_from_slice(&self.seen_v);
            self.seen = None;
        }
        outcome
    }

    fn try_step(&mut self, model: &Model, data: &mut Data) -> Result<Report, Error> {
        self.update_position(model, data);
        self.build_rows(model, data);
        let outcome = self.solve(model, data)?;
        let velocity_error = self.velocity_error();
        self.write_acceleration(model, data);
        finish::write_results(model, data, &self.bodies, &self.rows, &outcome);
        finish::update_all_sensors(model, data, &self.links, &self.bodies, &self.rows, &mut self.user_force);
        self.memory.store(model, &data.contacts, &self.rows);
        self.advance(model, data)?;
        let joints = self.leave(model, data)?;
        Ok(Report {
            status: data.constraints.report.status,
            iterations: outcome.sweeps,
            rows: self.rows.len(),
            change: outcome.change,
            velocity_error,
            joints,
        })
    }

    /// Whether `data` is unchanged since the last step.
    fn is_own(&self, data: &Data) -> bool {
        let state = &data.state;
        self.seen == Some(state.time) && self.seen_q == state.q && self.seen_v == state.v
    }

    fn import(&mut self, model: &Model, data: &mut Data) {
        coordinates::import(model, &self.links, &mut self.bodies, data, &self.roots);
    }

    fn update_frames(&mut self, model: &Model, data: &Data) -> JointError {
        let at = Place { model, links: &self.links, bodies: &self.bodies, data };
        coordinates::update_frames(&at, &data.state.q, &mut self.frames)
    }

    /// Poses, sim's stages up to forces, contacts, inertias.
    fn update_position(&mut self, model: &Model, data: &mut Data) {
        pose::write_poses(model, &self.links, &self.bodies, data);
        if !self.framed {
            self.update_frames(model, data);
        }
        pose::write_joints(&self.links, &self.frames, data);
        update_stages(model, data);
        update_contacts(model, data);
        finish::update_energy(model, data, &self.links, &self.bodies, &self.inertias);
        self.inertias.update(&self.links, &self.bodies, &self.frames, self.options.inertia_reduction);
        update_softness(model, data, self.options.implicit_damping, &mut self.softness);
        let wrenches = Wrenches {
            model,
            links: &self.links,
            bodies: &self.bodies,
            frames: &self.frames,
            inertia: &self.inertias.I,
            gyroscopic: self.options.gyroscopic,
        };
        wrenches.fill(data, &self.softness, &mut self.E);
    }

    fn build_rows(&mut self, model: &Model, data: &Data) {
        let (h, options) = (model.options.timestep, &self.options);
        let tree = options.solver == Solver::Tree;
        let at = At {
            links: &self.links,
            bodies: &self.bodies,
            frames: &self.frames,
            // Exact joints are projected after the step instead.
            correction: if tree { 0.0 } else { options.erp / h },
            mixing: options.cfm / h,
            h,
            split: options.split_impulse,
        };
        let rows = &mut self.rows;
        rows.clear();
        push_joints(&at, rows);
        rows.end_joints = rows.len();
        push_soft(&at, &self.softness, &data.state.v, rows);
        rows.end_soft = rows.len();
        push_equalities(&at, model, data, rows);
        push_attachments(&at, &self.attachments, rows);
        rows.end_bilateral = rows.len();
        let at = At { correction: options.erp / h, ..at };
        push_dry_friction(&at, model, rows);
        push_limits(&at, model, data, rows);
        push_contacts(&at, model, &data.contacts, options.surface_layer, rows);
        self.memory.recall(model, &data.contacts, options.warm_start, rows);
    }

    /// a = (v⁺ − v)/h.
    fn write_acceleration(&self, model: &Model, data: &mut Data) {
        let V = &self.V[if self.options.split_impulse { VELOCITY } else { POSITION }];
        let a = &mut data.acceleration.a;
        coordinates::calc_velocities(&self.links, &self.bodies, V, &self.frames, a);
        a.iter_mut().zip(&data.state.v).for_each(|(a, v)| *a = (*a - v) / model.options.timestep);
    }

    /// (3), with the velocities of the position lane; those of the other are kept.
    fn advance(&mut self, model: &Model, data: &Data) -> Result<(), Error> {
        let h = model.options.timestep;
        let kept = if self.options.split_impulse { VELOCITY } else { POSITION };
        for link in 1..self.links.len() {
            self.bodies.V[link] = self.V[kept][link];
            self.bodies.advance(link, &self.V[POSITION][link], h);
            check::check_link(model, &self.links, &self.bodies, link, data.state.time)?;
        }
        Ok(())
    }

    /// q, v, activations and time of the end of the step.
    fn leave(&mut self, model: &Model, data: &mut Data) -> Result<JointError, Error> {
        let error = if self.options.solver == Solver::Tree {
            let [p, dx] = &mut self.V;
            let (exact, inertias, rows) = (&mut self.exact, &mut self.inertias, &mut self.projection);
            let (links, attachments) = (&self.links, &self.attachments[..]);
            let mut projection = Projection { links, exact, inertias, rows, attachments, p, dx };
            projection.run(model, &mut self.bodies, &mut self.frames, data)?
        } else {
            coordinates::export(model, &self.links, &self.bodies, &mut self.frames, data)
        };
        self.attachments.iter_mut().flatten().for_each(|attached| attached.follow(&self.bodies));
        finish::advance_activations(model, data);
        data.state.time += model.options.timestep;
        self.remember(data);
        Ok(error)
    }

    /// Takes `data` for what the links are.
    fn remember(&mut self, data: &Data) {
        self.seen = Some(data.state.time);
        self.seen_q.copy_from_slice(&data.state.q);
        self.seen_v.copy_from_slice(&data.state.v);
    }
}

/// What tells models apart.
fn sizes(model: &Model) -> [usize; 5] {
    [model.nbody(), model.njoint(), model.ngeom(), model.size.nq, model.size.nv]
}
