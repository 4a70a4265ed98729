//! Goals: to stand, to bring a hand or a foot to a position, to jump. No weight is tuned per robot:
//! all are dimensionless, in units of the robot's weight, its length L (the height of the centre of
//! mass of those that stand) and gravity.
//!
//! Standing is a limit cycle without a stride. The others begin and end at rest.

use super::robot::{RobotError, RobotOptions};
use super::subject::{Feet, Subject, find_frame};
use crate::planning::PlanningProblem;
use crate::problem::actuation::Actuation;
use crate::problem::continuation::{Continuation, Hardness};
use crate::problem::identity::TermId;
use crate::problem::layout::{Cycle, Ends};
use crate::problem::physics::{apart, is_linear, limits, prepare, unactuated};
use crate::problem::tangent::Rotations;
use crate::problem::term::{
    AboveGround, CentreOfMass, Effort, Posture, SiteTarget, Slip, Smoothness, Velocity, moving_bodies,
};
use crate::problem::{Entry, Evaluation, Problem, Role, Window};
use crate::solve::optimize::OptimizeOptions;
use crate::template::pose::upward;
use core::ops::RangeInclusive;
use saltus_math::Vec3;
use saltus_sim::options::law::Law;
use saltus_sim::{Data, Model, ModelSpec, forward_smooth};

/// What is to be reached.
#[derive(Clone, Debug, PartialEq)]
pub enum Aim {
    /// To stand still.
    Stand,
    /// A site or body reaches a position.
    Reach {
        /// Name of the site or body.
        place: String,
        /// Its position at the end, world, m.
        position: [f64; 3],
    },
    /// The centre of mass rises by a height above its position when standing.
    Jump {
        /// Height, m.
        height: f64,
    },
}

impl Aim {
    /// Name of the template.
    pub fn word(&self) -> &'static str {
        match self {
            Aim::Stand => "stand",
            Aim::Reach { .. } => "reach",
            Aim::Jump { .. } => "jump",
        }
    }
}

/// A goal and its duration.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// What is to be reached.
    pub aim: Aim,
    /// Duration, s; `None`: by size.
    pub time: Option<f64>,
    /// Number of time steps; `None`: by time and size.
    pub steps: Option<usize>,
}

/// Weights, dimensionless: of torques, distance from the nominal pose, accelerations, sliding of
/// feet; of being at rest at the end and in the nominal pose at the beginning.
const EFFORT: f64 = 0.3;
const POSTURE: f64 = 0.1;
const SMOOTHNESS: f64 = 0.025;
const SLIP: f64 = 1.0;
const REST: f64 = 0.3;
const BEGIN: f64 = 3.0;
/// Weight of being at rest while standing.
const STILL: f64 = 10.0;
/// Height over which sliding counts less and less, in units of L.
const FADE: f64 = 0.02;
/// Times in units of √(L/g): of a step, of standing, of reaching, and of pushing off and of
/// landing.
const STEP: f64 = 0.08;
const STAND: f64 = 0.8;
const REACH: f64 = 4.0;
const PUSH: f64 = 2.0;

/// Numbers of time steps that a motion may have.
pub const STEPS: RangeInclusive<usize> = 5..=1000;

/// A goal for a robot, ready to be optimized.
pub fn goal(
    name: &str,
    spec: &ModelSpec,
    robot: &RobotOptions,
    goal: &Goal,
    options: &OptimizeOptions,
) -> Result<PlanningProblem, RobotError> {
    let subject = match &goal.aim {
        Aim::Stand | Aim::Jump { .. } => Subject::standing(spec, robot)?,
        Aim::Reach { place, .. } => Subject::of_place(spec, place, robot)?,
    };
    let actuation = Actuation::new(&subject.own)?;
    let clock = Clock::new(&subject, goal)?;
    let mut model = subject.model.clone();
    prepare(&mut model, clock.h, Law::Invertible);
    let scene = Scene { subject: &subject, model: &model, actuation: &actuation, clock };
    let mut terms = scene.usual();
    terms.extend(scene.rest(goal));
    match &goal.aim {
        Aim::Stand => {}
        Aim::Reach { place, position } => terms.push(scene.place(place, *position)?),
        Aim::Jump { height } => terms.push(scene.apex(*height)),
    }
    let ends = match &goal.aim {
        Aim::Stand => Ends::Periodic(Cycle { mirror: None, stride: Vec::new(), is_free: false }),
        _ if subject.touches() => Ends::Free,
        _ => Ends::Fixed { q: subject.nominal.clone(), v: vec![0.0; model.size.nv] },
    };
    let guess = scene.guess(goal);
    let length = subject.units.length;
    let scale = (0..model.size.nv).map(|i| if is_linear(&model, i) { length } else { 1.0 }).collect();
    let mut notes = subject.notes.clone();
    notes.push(format!("{} steps in {:.3} s, length {length:.3} m", clock.steps, clock.h * clock.steps as f64));
    let mut options = *options;
    options.rounds[0] = options.rounds[0].max(20);
    Ok(PlanningProblem {
        name: name.to_owned(),
        spec: subject.spec,
        own: subject.own,
        problem: Problem { model, steps: clock.steps, ends, evaluation: Evaluation::Begin, terms, scale },
        geometry: subject.geometry,
        actuation,
        continuation: continuation(length, clock.rate, if subject.feet.is_some() { 1.5e-3 } else { 5e-4 }),
        guess,
        units: subject.units,
        options,
        notes,
    })
}

/// From contact at a distance to contact that is almost hard. Bodies come to rest at the rate 12 κ̂
/// g h/hover: with more than one per step they would bounce. `hover` is that at the end, in units
/// of L.
fn continuation(length: f64, rate: f64, hover: f64) -> Continuation {
    let at = |smoothing: f64, hover: f64, reach: f64| {
        let smoothing = smoothing.min(hover / (12.0 * rate * rate));
        Hardness { smoothing, hover: hover * length, inset: 0.7 * hover * length, reach: reach * length }
    };
    Continuation { from: at(1.0, 0.03, 0.15), to: at(0.005, hover, 0.05), beyond: 0.0 }
}

/// The time grid.
#[derive(Clone, Copy, Debug)]
struct Clock {
    h: f64,
    steps: usize,
    /// h in units of √(L/g).
    rate: f64,
    /// Time in the air, s.
    flight: f64,
}

impl Clock {
    fn new(subject: &Subject, goal: &Goal) -> Result<Self, RobotError> {
        let unit = (subject.units.length / gravity(&subject.model)).sqrt();
        let (usual, flight) = match goal.aim {
            Aim::Stand => (STAND * unit, 0.0),
            Aim::Reach { .. } => (REACH * unit, 0.0),
            Aim::Jump { height } => {
                let flight = (8.0 * height.max(0.0) / gravity(&subject.model)).sqrt();
                (2.0 * PUSH * unit + flight, flight)
            }
        };
        let time = goal.time.unwrap_or(usual);
        let steps = match goal.steps {
            Some(steps) => steps,
            None => {
                let most = *STEPS.end();
                let wanted = (time / (STEP * unit)).ceil();
                // NaN is too many.
                let is_enough = wanted <= most as f64;
                if !is_enough {
                    let step = STEP * unit;
                    return Err(RobotError::TooLong { time, step, most, longest: most as f64 * step });
                }
                (wanted as usize).max(*STEPS.start())
            }
        };
        let h = time / steps as f64;
        Ok(Self { h, steps, rate: h / unit, flight })
    }
}

fn gravity(model: &Model) -> f64 {
    let g = model.options.gravity.length();
    if g > 0.0 { g } else { 9.81 }
}

/// What terms are made for.
struct Scene<'a> {
    subject: &'a Subject,
    model: &'a Model,
    actuation: &'a Actuation,
    clock: Clock,
}

impl Scene<'_> {
    /// Dynamics, limits, effort, posture, smoothness; stance feet do not slide and do not penetrate
    /// the ground.
    fn usual(&self) -> Vec<Entry> {
        let (model, units) = (self.model, self.subject.units);
        let (g, length) = (gravity(model), units.length);
        let linear = |i: usize| is_linear(model, i);
        let of = |unit: &dyn Fn(usize) -> f64, weight: f64| -> Vec<(usize, f64)> {
            self.actuation.actuated.iter().map(|&i| (i, weight / unit(i))).collect()
        };
        let torque = |i: usize| {
            let own = model.dofs.m0[i] * g;
            if linear(i) { units.weight + own } else { units.weight * length + own / length }
        };
        let acceleration = |i: usize| if linear(i) { g } else { g / length };
        let mut terms: Vec<Entry> = unactuated(model, self.actuation, units).into_iter().collect();
        terms.extend(limits(model, self.actuation, units));
        terms.extend(apart(model, &self.subject.links, &self.subject.nominal, units));
        terms.push(Entry::new(TermId::Effort, Role::Cost, Effort { weights: of(&torque, EFFORT) }));
        terms.push(Entry::new(TermId::Posture, Role::Cost, self.posture(POSTURE)));
        terms.push(Entry::new(TermId::Smoothness, Role::Cost, Smoothness { weights: of(&acceleration, SMOOTHNESS) }));
        if let Some(Feet { count, points, ground }) = &self.subject.feet {
            let per_foot = points.len() as f64 / *count as f64;
            let slip = Slip {
                rotations: Rotations::new(model),
                points: points.clone(),
                ground: *ground,
                fade: FADE * length,
                weight: SLIP / ((g * length).sqrt() * per_foot.sqrt()),
            };
            terms.push(Entry::new(TermId::Slip, Role::Cost, slip));
            let above = AboveGround { points: points.clone(), ground: *ground, allowed: 5e-4 * length, unit: length };
            terms.push(Entry::new(TermId::Penetration, Role::Inequality, above).with_slack(10.0));
        }
        terms
    }

    /// Terms for rest: all the time, or at the beginning (in the nominal pose) and at the end. The
    /// depth of stance feet depends on the law a little, so the robot begins where it can stand
    /// still.
    fn rest(&self, goal: &Goal) -> Vec<Entry> {
        let (model, length) = (self.model, self.subject.units.length);
        let speed = |i: usize| (gravity(model) * if is_linear(model, i) { length } else { 1.0 / length }).sqrt();
        let velocity = |w: f64| Velocity { dofs: (0..model.size.nv).map(|i| (i, w / speed(i), 0.0)).collect() };
        if goal.aim == Aim::Stand {
            // Without this term a robot may rattle: pressing the feet in turns takes less effort.
            return vec![Entry::new(TermId::AtRest, Role::Cost, velocity(STILL)).measured(1.0)];
        }
        let (first, last) = (Window { first: 0, last: 0 }, Window { first: self.clock.steps, last: self.clock.steps });
        let mut terms = vec![
            Entry::new(TermId::AtRestAtEnd, Role::Cost, velocity(REST)).within(last).measured(1.0),
            Entry::new(TermId::PostureAtEnd, Role::Cost, self.posture(REST)).within(last).measured(1.0),
        ];
        if matches!(goal.aim, Aim::Reach { .. }) {
            terms.pop();
        }
        if self.subject.touches() {
            terms.push(Entry::new(TermId::Start, Role::Cost, self.posture(BEGIN)).within(first).measured(1.0));
            terms.push(Entry::new(TermId::AtRestAtStart, Role::Equality, velocity(1.0)).within(first).measured(1.0));
        }
        terms
    }

    fn posture(&self, weight: f64) -> Posture {
        let unit = |i: usize| if is_linear(self.model, i) { self.subject.units.length } else { 1.0 };
        let weights = (0..self.model.size.nv).map(|i| weight / unit(i)).collect();
        Posture { target: self.subject.nominal.clone(), weights }
    }

    fn place(&self, place: &str, position: [f64; 3]) -> Result<Entry, RobotError> {
        let frame = find_frame(self.model, place)?;
        let weights = Vec3::ONE / self.subject.units.length;
        let term = SiteTarget { frame, target: Vec3::from(position), weights };
        let last = Window { first: self.clock.steps, last: self.clock.steps };
        Ok(Entry::new(TermId::AtPlace(place.to_owned()), Role::Equality, term).within(last).measured(1.0))
    }

    /// In the middle of the motion the centre of mass has the requested height.
    fn apex(&self, height: f64) -> Entry {
        let mut data = Data::new(self.model);
        data.state.q.copy_from_slice(&self.subject.nominal);
        forward_smooth(self.model, &mut data);
        let bodies = moving_bodies(self.model, None);
        let mass = |b: usize| self.model.bodies.mass[b];
        let total: f64 = bodies.iter().map(|b| mass(b.idx())).sum();
        let standing: f64 = bodies.iter().map(|b| mass(b.idx()) * data.position.p_WI[b.idx()].z).sum::<f64>() / total;
        let target = Vec3::new(0.0, 0.0, standing + height);
        let term = CentreOfMass { bodies, target, weights: Vec3::Z / self.subject.units.length };
        let middle = self.clock.steps / 2;
        Entry::new(TermId::JumpHeight, Role::Equality, term)
            .within(Window { first: middle, last: middle })
            .measured(1.0)
    }

    /// The nominal pose at all times, on a ballistic curve during the flight phase.
    fn guess(&self, goal: &Goal) -> Vec<f64> {
        let steps = self.clock.steps;
        let up = upward(self.model, self.subject.feet.as_ref().map(|feet| feet.points[0].body));
        let mut q = Vec::with_capacity((steps + 2) * self.model.size.nq);
        for k in 0..steps + 2 {
            let mut node = self.subject.nominal.clone();
            if let (Aim::Jump { height }, Some(up)) = (&goal.aim, up) {
                let from_apex = (k as f64 - 1.0 - (steps / 2) as f64) * self.clock.h;
                let share = 2.0 * from_apex / self.clock.flight.max(self.clock.h);
                node[up] += height * (1.0 - share * share).max(0.0);
            }
            q.extend(node);
        }
        q
    }
}
