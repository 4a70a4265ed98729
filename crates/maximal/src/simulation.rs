//! A simulation in maximal coordinates, and its step from top to bottom.

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
    At, Block, POSITION, Rows, Softness, VELOCITY, push_attachments, push_contacts, push_dry_friction, push_equalities,
    push_joints, push_limits, push_soft,
};
use crate::six::Six;
use crate::state::Bodies;
use crate::sweeps::{Outcome, Sweeps};
use crate::warm::Memory;
use crate::{agreement, check, coordinates, finish, pose};
use saltus_math::Vec3;
use saltus_sim::collide::update_contacts;
use saltus_sim::kinematics::update_kinematics;
use saltus_sim::law::agreement::Agreement;
use saltus_sim::{Data, Model};

/// State and memory of one simulation. Its state is that of the links; q and v of [`Data`] follow it. Where these were changed from
/// outside, or time was, the links follow them.
#[derive(Clone, Debug)]
pub struct Simulation {
    options: Options,
    links: Links,
    bodies: Bodies,
    start: Bodies,
    frames: Vec<Frame>,
    /// Whether `frames` are those of the present poses.
    framed: bool,
    inertias: Inertias,
    softness: Softness,
    rows: Rows,
    projection: Rows,
    sweeps: Sweeps,
    exact: Exact,
    memory: Memory,
    /// Joints made while running; `None` where they were cut.
    attachments: Vec<Option<Attached>>,
    /// Root body of each body.
    roots: Vec<usize>,
    sizes: [usize; 5],
    /// Time after the last step, q and v at its ends: of its beginning while it is being made.
    seen: Option<f64>,
    seen_q: Vec<f64>,
    seen_v: Vec<f64>,
    /// What the user applies to bodies, while sensors are read.
    user_force: Vec<[Vec3; 2]>,
    /// Forces of (1), momenta at the end of the step without rows.
    E: Vec<Six>,
    p: Vec<Six>,
    /// Velocities of both lanes.
    V: [Vec<Six>; 2],
}

impl Simulation {
    /// A simulation of `model`. An error names what cannot be expressed.
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
    /// Link of a body; 0 for what cannot move.
    pub fn link_of(&self, body: usize) -> Option<usize> {
        self.links.of_body.get(body).copied()
    }

    /// How well the last step, of which `data` holds the contacts, agrees with rigid contact and Coulomb friction.
    pub fn agreement(&self, model: &Model, data: &Data) -> Agreement {
        agreement::measure(model.options.timestep, &data.contacts, &self.rows, &self.bodies.V)
    }

    /// Makes a joint between two bodies (0 is the world) as they are in `data`; they go on to collide. An error says what is wrong.
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

    /// Cuts a joint that [`attach`](Self::attach) made.
    pub fn detach(&mut self, id: AttachmentId) -> Result<(), Error> {
        match self.attachments.get_mut(id.0 as usize).and_then(Option::take) {
            Some(_) => Ok(()),
            None => Err(Error::Attachment { reason: "there is no such attachment, or it was cut before" }),
        }
    }

    /// Advances `data` by one time step. A step that fails is an error and leaves the state as it was.
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
        let here = (&self.links, &self.bodies);
        finish::update_all_sensors(model, data, here, &self.rows, &mut self.user_force);
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

    /// Whether `data` is as the last step left it.
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

    /// Velocities of all lanes.
    fn solve(&mut self, model: &Model, data: &Data) -> Result<Outcome, Error> {
        let h = model.options.timestep;
        for link in 1..self.links.len() {
            self.p[link] = self.inertias.mul(link, &self.bodies.V[link]);
            self.p[link].add_scaled(h, &self.E[link]);
        }
        let exact = self.options.solver != Solver::Sweeps;
        if exact {
            self.exact.prepare(&self.links, &self.inertias, &mut self.rows);
        } else {
            self.update_responses();
        }
        let mut lanes = if self.options.split_impulse { VELOCITY..POSITION + 1 } else { POSITION..POSITION + 1 };
        let alike = lanes.len() > 1 && exact && self.has_equal_lanes();
        if alike {
            lanes.end = POSITION;
        }
        let outcome = if exact {
            self.exact
                .solve(&self.options, &mut self.sweeps, (&self.p, lanes), &mut self.V, &mut self.rows)
                .map_err(|e| at_time(e, data))?
        } else {
            lanes.clone().for_each(|lane| self.start_lane(lane));
            self.sweeps.solve(&self.options, &mut self.rows, 0, lanes, &mut self.V)
        };
        if alike {
            self.copy_lane();
        }
        if !self.options.split_impulse {
            self.rows.rows.iter_mut().for_each(|row| row.force[VELOCITY] = row.force[POSITION]);
        }
        Ok(outcome)
    }

    /// Velocities that the momenta and the impulses at the start of sweeps make.
    fn start_lane(&mut self, lane: usize) {
        let V = &mut self.V[lane];
        for link in 1..self.links.len() {
            V[link] = self.inertias.solve(link, &self.p[link]);
        }
        self.rows.add_responses(0, lane, V);
    }

    /// Whether both lanes ask for the same: nothing is to be corrected.
    fn has_equal_lanes(&self) -> bool {
        self.rows.rows.iter().all(|row| row.target[VELOCITY] == row.target[POSITION])
    }

    fn copy_lane(&mut self) {
        let [velocity, position] = &mut self.V;
        position.copy_from_slice(velocity);
        self.rows.rows.iter_mut().for_each(|row| row.force[POSITION] = row.force[VELOCITY]);
    }

    /// Responses M⁻¹ Jᵀ and diagonals of all rows.
    fn update_responses(&mut self) {
        let Rows { rows, jacobian, response, .. } = &mut self.rows;
        response.clear();
        for row in rows {
            row.response_first = response.len() as u32;
            row.response_count = row.count;
            let mut mobility = 0.0;
            for block in &jacobian[row.first as usize..(row.first + row.count) as usize] {
                let value = self.inertias.solve(block.link as usize, &block.value);
                mobility += value.dot(&block.value);
                response.push(Block { value, link: block.link });
            }
            let diagonal = mobility + row.compliance;
            row.inv_diag = if diagonal > 0.0 { 1.0 / diagonal } else { 0.0 };
        }
    }

    /// Largest violation of a bilateral row by the velocities that are kept.
    fn velocity_error(&self) -> f64 {
        let lane = if self.options.split_impulse { VELOCITY } else { POSITION };
        let violated = |i: usize| {
            let row = &self.rows.rows[i];
            (self.rows.velocity(i, &self.V[lane]) + row.compliance * row.force[lane] - row.target[lane]).abs()
        };
        self.rows.bilateral().map(violated).fold(0.0, f64::max)
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

fn at_time(error: Error, data: &Data) -> Error {
    match error {
        Error::Pivoting { rows, .. } => Error::Pivoting { rows, time: data.state.time },
        other => other,
    }
}
