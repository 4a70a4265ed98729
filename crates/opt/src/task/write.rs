//! From a task to its text. Every setting is written, also where it has its default, so that the
//! text keeps its meaning if defaults change.

use super::parse::FORMAT;
use super::parse::{LAWS, METHODS};
use super::table::{At, ByDof};
use super::term::{Place, TermKind, TermTask, When};
use super::{ContactTask, EndsTask, MotionTask, Pose, Task, TaskKind};
use crate::geometry::Touch;
use crate::problem::continuation::Hardness;
use crate::problem::term::Pressure;
use crate::problem::{Evaluation, Role};
use crate::solve::optimize::OptimizeOptions;
use crate::template::gait::{Gait, GaitWeights};
use crate::template::goal::{Aim, Goal};
use crate::template::robot::RobotOptions;
use std::fmt::Write;

impl Task {
    /// The task as the text of a task file, which [`Task::parse`] reads back as the same task.
    pub fn to_text(&self) -> String {
        let mut out = Text(String::new());
        out.line("format", FORMAT);
        out.line("name", quoted(&self.name));
        out.line("about", quoted(&self.about));
        out.line("model", quoted(&self.model.value));
        out.line("floating_base", self.floating_base);
        out.line("motors", self.motors);
        match &self.kind {
            TaskKind::Gait { gait, robot, .. } => out.gait(gait, robot),
            TaskKind::Goal { goal, robot, .. } => out.goal(goal, robot),
            TaskKind::Motion(motion) => out.motion(motion),
        }
        out.contact(&self.contact, matches!(self.kind, TaskKind::Motion(_)));
        out.solver(&self.options);
        for term in &self.terms {
            out.term(term);
        }
        out.0
    }
}

/// A text in the making.
struct Text(String);

impl Text {
    fn title(&mut self, title: &str) {
        // Writing to a String cannot fail.
        _ = writeln!(self.0, "\n{title}");
    }

    fn line(&mut self, key: &str, value: impl core::fmt::Display) {
        _ = writeln!(self.0, "{key} = {value}");
    }

    fn number(&mut self, key: &str, value: f64) {
        self.line(key, number(value));
    }

    fn numbers<const N: usize>(&mut self, all: [(&str, f64); N]) {
        all.into_iter().for_each(|(key, value)| self.number(key, value));
    }

    fn axes(&mut self, all: &[(&str, &[f64; 3])]) {
        all.iter().for_each(|(key, value)| self.line(key, list(*value)));
    }

    fn weight(&mut self, weight: &ByDof) {
        self.line("weight", by_dof(weight));
    }

    fn gait(&mut self, gait: &Gait, robot: &RobotOptions) {
        self.title("[gait]");
        gait.speed.iter().for_each(|speed| self.number("speed", *speed));
        gait.period.iter().for_each(|period| self.number("period", *period));
        self.line("free_period", gait.free_period);
        self.line("steps", gait.steps);
        gait.mirror.iter().for_each(|mirror| self.line("mirror", quoted(mirror.word())));
        self.number("noise", gait.noise);
        self.line("seed", gait.seed);
        self.robot(robot);
        let GaitWeights { effort, posture, upright, smoothness, steadiness, slip, fade, soles } = gait.weights;
        let weights = [
            ("effort", effort),
            ("posture", posture),
            ("upright", upright),
            ("smoothness", smoothness),
            ("steadiness", steadiness),
            ("slip", slip),
            ("fade", fade),
            ("soles", soles),
        ];
        self.line("weights", table(&weights));
    }

    fn goal(&mut self, goal: &Goal, robot: &RobotOptions) {
        self.title(&format!("[{}]", goal.aim.word()));
        match &goal.aim {
            Aim::Stand => {}
            Aim::Reach { place, position } => {
                self.line("place", quoted(place));
                self.line("position", list(position));
            }
            Aim::Jump { height } => self.number("height", *height),
        }
        goal.time.iter().for_each(|time| self.number("time", *time));
        goal.steps.iter().for_each(|steps| self.line("steps", steps));
        self.robot(robot);
    }

    fn robot(&mut self, robot: &RobotOptions) {
        self.line("feet", quoted_list(&robot.feet));
        robot.keyframe.iter().for_each(|key| self.line("keyframe", quoted(key)));
        self.line("keep_pose", robot.keep_pose);
    }

    fn motion(&mut self, motion: &MotionTask) {
        self.title("[motion]");
        self.line("steps", motion.steps);
        self.number("time", motion.time);
        match &motion.ends {
            EndsTask::Fixed => self.line("ends", quoted("fixed")),
            EndsTask::Free => self.line("ends", quoted("free")),
            EndsTask::Cycle { stride, mirror, free_time, .. } => {
                self.line("ends", quoted("cycle"));
                self.line("stride", by_dof(&ByDof::Joints(stride.clone())));
                self.line("mirror", mirror);
                self.line("free_time", free_time);
            }
        }
        let mut start: Vec<String> = pose("q", &motion.start).into_iter().collect();
        if !motion.start_velocity.value.is_empty() {
            start.push(format!("v = {}", list(&motion.start_velocity.value)));
        }
        self.line("start", format_args!("{{ {} }}", start.join(", ")));
        let evaluate = match motion.evaluation {
            Evaluation::Begin => "begin",
            Evaluation::End => "end",
        };
        self.line("evaluate", quoted(evaluate));
        self.line("limits", motion.limits);
        motion.length.iter().for_each(|length| self.number("length", *length));
        self.title("[guess]");
        self.guess(motion);
    }

    fn guess(&mut self, motion: &MotionTask) {
        let is_named = |pose: &Pose| matches!(pose, Pose::Keyframe(_));
        if let Some((last, before)) = motion.guess.split_last() {
            self.line("kind", quoted("line"));
            // Keyframes on the way come before coordinates at the end.
            let named = if is_named(last) { &motion.guess[..] } else { before };
            let names = named.iter().filter_map(|pose| match pose {
                Pose::Keyframe(name) => Some(&name.value),
                _ => None,
            });
            self.line("keyframes", quoted_list(names));
            if !is_named(last) {
                self.pose("to", last);
            }
        } else {
            self.line("kind", quoted("still"));
        }
        self.number("noise", motion.noise);
        self.line("seed", motion.seed);
    }

    fn pose(&mut self, key: &str, value: &Pose) {
        pose(key, value).into_iter().for_each(|line| _ = writeln!(self.0, "{line}"));
    }

    fn contact(&mut self, contact: &ContactTask, is_motion: bool) {
        self.title("[contact]");
        // Templates choose these themselves. A task that says otherwise is refused when it is read.
        let usual = ContactTask { from: contact.from, to: contact.to, ..ContactTask::default() };
        if is_motion || *contact != usual {
            self.contact_of_motion(contact);
        }
        for (key, end) in [("from", contact.from), ("to", contact.to)] {
            if let Some(Hardness { smoothing, hover, inset, reach }) = end {
                let numbers = [("smoothing", smoothing), ("hover", hover), ("inset", inset), ("reach", reach)];
                self.line(key, table(&numbers));
            }
        }
    }

    fn contact_of_motion(&mut self, contact: &ContactTask) {
        self.line("law", quoted(word(&LAWS, contact.law)));
        match &contact.touch {
            Touch::Environment => self.line("touch", quoted("environment")),
            Touch::Nothing => self.line("touch", quoted("nothing")),
            Touch::Shapes => self.line("touch", quoted("shapes")),
            Touch::Bodies(names) => self.line("touch", quoted_list(names)),
        }
        let pairs = contact.between.iter().map(|pair| quoted_list(pair.iter().map(|name| &name.value)));
        self.line("between", format_args!("[{}]", pairs.collect::<Vec<_>>().join(", ")));
        let c = contact.compliant;
        let numbers = [
            ("stiffness", c.stiffness),
            ("smoothing", c.smoothing),
            ("dissipation", c.dissipation),
            ("stiction", c.stiction),
            ("friction", c.friction),
        ];
        self.line("compliant", table(&numbers));
    }

    fn solver(&mut self, options: &OptimizeOptions) {
        self.title("[solver]");
        self.line("threads", options.threads);
        self.line("iterations", options.iterations);
        self.numbers([
            ("feasibility", options.feasibility),
            ("restoration", options.restoration),
            ("tolerance", options.tolerance),
            ("settled", options.settled),
            ("penalty", options.penalty),
            ("penalty_growth", options.penalty_growth),
            ("penalty_limit", options.penalty_limit),
            ("path_goal", options.path_goal),
            ("path_limit", options.path_limit),
            ("path_step", options.path_step),
        ]);
        self.line("method", quoted(word(&METHODS, options.method)));
        self.numbers([("radius", options.radius), ("newton", options.newton)]);
        self.line("round_iterations", format_args!("{:?}", options.round_iterations));
        self.line("rounds", format_args!("{:?}", options.rounds));
    }

    fn term(&mut self, term: &TermTask) {
        self.title("[[term]]");
        self.line("name", quoted(&term.name));
        self.line("kind", quoted(term.kind.word()));
        let role = match term.role {
            Role::Cost => "cost",
            Role::Equality => "equality",
            Role::Inequality => "inequality",
        };
        self.line("role", quoted(role));
        match term.when {
            When::Always => self.line("window", quoted("always")),
            When::Start => self.line("window", quoted("start")),
            When::End => self.line("window", quoted("end")),
            When::Between(from, to) => self.line("window", list(&[from, to])),
            When::At(time) => self.number("at", time),
        }
        term.measure.iter().for_each(|measure| self.number("measure", *measure));
        self.number("slack", term.slack);
        self.kind(&term.kind);
    }

    fn kind(&mut self, kind: &TermKind) {
        match kind {
            TermKind::Site { .. }
            | TermKind::Orientation { .. }
            | TermKind::SiteVelocity { .. }
            | TermKind::CentreOfMass { .. }
            | TermKind::Momentum { .. }
            | TermKind::Sensor { .. } => self.place_kind(kind),
            TermKind::Slip { .. }
            | TermKind::Sliding { .. }
            | TermKind::Clearance { .. }
            | TermKind::AboveGround { .. }
            | TermKind::Penetration { .. }
            | TermKind::Separation { .. }
            | TermKind::ContactForce { .. } => self.contact_kind(kind),
            _ => self.motion_kind(kind),
        }
    }

    /// Terms about coordinates, velocities and torques.
    fn motion_kind(&mut self, kind: &TermKind) {
        match kind {
            TermKind::Posture { target, weight } => {
                self.pose("target", target);
                self.weight(weight);
            }
            TermKind::Track { from, to, weight, velocity_weight } => {
                self.pose("from", from);
                self.pose("to", to);
                self.weight(weight);
                self.line("velocity_weight", by_dof(velocity_weight));
            }
            TermKind::Coordinates { from, to, weight } => {
                self.pose("from", from);
                self.pose("to", to);
                self.line("weight", list(&weight.value));
            }
            TermKind::Transport { weight, speed } => {
                self.weight(weight);
                self.number("speed", *speed);
            }
            TermKind::Speed { velocity, weight } => self.axes(&[("velocity", velocity), ("weight", weight)]),
            TermKind::Velocity { weight, target } => {
                self.weight(weight);
                self.line("target", by_dof(target));
            }
            TermKind::Control { torque, weight } => {
                self.line("torque", list(&torque.value));
                self.weight(weight);
            }
            TermKind::Effort { weight }
            | TermKind::Smoothness { weight }
            | TermKind::Power { weight }
            | TermKind::Symmetry { weight } => self.weight(weight),
            _ => {}
        }
    }

    /// Terms about sites, bodies and sensors.
    fn place_kind(&mut self, kind: &TermKind) {
        match kind {
            TermKind::Site { at, position, weight } => {
                self.place(at);
                self.axes(&[("position", position), ("weight", weight)]);
            }
            TermKind::Orientation { at, quat, weight } => {
                self.place(at);
                self.line("quat", list(quat));
                self.axes(&[("weight", weight)]);
            }
            TermKind::SiteVelocity { at, velocity, weight, angular, angular_weight } => {
                self.place(at);
                self.axes(&[("velocity", velocity), ("weight", weight)]);
                self.axes(&[("angular", angular), ("angular_weight", angular_weight)]);
            }
            TermKind::CentreOfMass { body, position, weight } => {
                self.body(body.as_ref());
                self.axes(&[("position", position), ("weight", weight)]);
            }
            TermKind::Momentum { body, linear, weight, angular, angular_weight } => {
                self.body(body.as_ref());
                self.axes(&[("linear", linear), ("weight", weight)]);
                self.axes(&[("angular", angular), ("angular_weight", angular_weight)]);
            }
            TermKind::Sensor { sensor, target, weight } => {
                self.line("sensor", quoted(&sensor.value));
                self.line("target", by_dof(target));
                self.weight(weight);
            }
            _ => {}
        }
    }

    /// Terms about contact and distances.
    fn contact_kind(&mut self, kind: &TermKind) {
        match kind {
            TermKind::Slip { weight, fade, ground } => {
                self.numbers([("weight", *weight), ("fade", *fade), ("ground", *ground)]);
            }
            TermKind::Sliding { weight, fade } => self.numbers([("weight", *weight), ("fade", *fade)]),
            TermKind::Clearance { weight, height, ground } => {
                self.numbers([("weight", *weight), ("height", *height), ("ground", *ground)]);
            }
            TermKind::AboveGround { allowed, ground } => {
                self.numbers([("allowed", *allowed), ("ground", *ground)]);
            }
            TermKind::Penetration { allowed } => self.number("allowed", *allowed),
            TermKind::Separation { margin } => self.number("margin", *margin),
            TermKind::ContactForce { bodies, of, least, most, by_weight, weight } => {
                self.line("bodies", quoted_list(bodies.iter().map(|body| &body.value)));
                let force = match of {
                    Pressure::Normal => "normal",
                    Pressure::Total => "total",
                };
                self.line("force", quoted(force));
                least.iter().for_each(|force| self.number("least", *force));
                most.iter().for_each(|force| self.number("most", *force));
                self.line("unit", quoted(if *by_weight { "weight" } else { "N" }));
                self.number("weight", *weight);
            }
            _ => {}
        }
    }

    fn place(&mut self, place: &Place) {
        match place {
            Place::Site(name) => self.line("site", quoted(&name.value)),
            Place::Body(name) => self.line("body", quoted(&name.value)),
        }
    }

    fn body(&mut self, body: Option<&At<String>>) {
        body.iter().for_each(|body| self.line("body", quoted(&body.value)));
    }
}

/// A pose under `key`; nothing where files leave it out.
fn pose(key: &str, pose: &Pose) -> Option<String> {
    match pose {
        Pose::Reference | Pose::Start => None,
        Pose::Keyframe(name) => Some(format!("keyframe = {}", quoted(&name.value))),
        Pose::Coordinates(q) => Some(format!("{key} = {}", list(&q.value))),
    }
}

/// The shortest decimals that read back as the same number.
fn number(x: f64) -> String {
    if x.is_nan() { "nan".to_owned() } else { format!("{x:?}") }
}

fn list<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> String {
    let numbers: Vec<String> = numbers.into_iter().map(|x| number(*x)).collect();
    format!("[{}]", numbers.join(", "))
}

fn table(numbers: &[(&str, f64)]) -> String {
    let entries: Vec<String> = numbers.iter().map(|(key, x)| format!("{key} = {}", number(*x))).collect();
    format!("{{ {} }}", entries.join(", "))
}

fn by_dof(numbers: &ByDof) -> String {
    match numbers {
        ByDof::All(x) => number(*x),
        ByDof::List(all) => list(all),
        ByDof::Joints(joints) => {
            let entry = |(name, x): &(At<String>, f64)| format!("{} = {}", quoted(&name.value), number(*x));
            format!("{{ {} }}", joints.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}

fn quoted_list<'a>(texts: impl IntoIterator<Item = &'a String>) -> String {
    format!("[{}]", texts.into_iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
}

/// A basic string of TOML, which can be a key as well.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => _ = write!(out, "\\u{:04X}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn word<T: PartialEq>(words: &[(&'static str, T)], value: T) -> &'static str {
    // A law that planning cannot use has no word; the parser says so.
    words.iter().find(|(_, own)| *own == value).map_or("", |(word, _)| word)
}
