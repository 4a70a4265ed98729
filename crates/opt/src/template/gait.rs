//! Gaits: limit cycles at a commanded speed for any robot with feet. No contact schedule is given.
//! No weight is tuned per robot: all weights are dimensionless, in units of the robot's weight, the
//! height of its centre of mass and gravity.

use super::ground::clear_way;
use super::robot::{Forward, Robot, RobotError, RobotOptions};
use crate::planning::PlanningProblem;
use crate::problem::actuation::Actuation;
use crate::problem::continuation::{Continuation, Hardness};
use crate::problem::identity::TermId;
use crate::problem::layout::{Advance, Cycle, Ends};
use crate::problem::mirror::Mirror;
use crate::problem::physics::{Units, apart, limits, own_weight, prepare, unactuated_rows};
use crate::problem::term::{AboveGround, Effort, LevelSoles, Posture, Slip, Smoothness, Symmetry, Unactuated};
use crate::problem::{Entry, Evaluation, Problem, Role};
use crate::solve::optimize::OptimizeOptions;
use saltus_math::{Random, real};
use saltus_sim::ModelSpec;
use saltus_sim::model::kinds::JointKind;
use saltus_sim::options::law::Law;
use serde::{Deserialize, Serialize};

/// Settings of a gait. Numbers without unit are relative to √(g L), √(L/g) and so on, with the
/// height L of the centre of mass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gait {
    /// Commanded speed along x, m/s; `None`: 0.3 √(g L).
    pub speed: Option<f64>,
    /// Time of a whole stride, s; `None`: by speed and size.
    pub period: Option<f64>,
    /// Whether the period of least cost is searched for, beginning with `period`.
    pub free_period: bool,
    /// Number of time steps of half a stride.
    pub steps: usize,
    /// The relation of left and right; `None`: in turns if the robot is symmetric.
    pub mirror: Option<Sides>,
    /// Weights of the terms.
    pub weights: GaitWeights,
    /// Size of the random motion in the guess, rad.
    pub noise: f64,
    /// Seed of that random motion.
    pub seed: u64,
}

/// The relation of left and right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sides {
    /// The second half of a stride is the mirror image of the first: walking, running, trotting.
    Turns,
    /// Both do the same at the same time: bounding, hopping on two legs.
    Together,
    /// There is no relation.
    Free,
}

impl Sides {
    /// Their names in task files.
    pub const WORDS: [(&str, Sides); 3] =
        [("turns", Sides::Turns), ("together", Sides::Together), ("free", Sides::Free)];

    /// Its name in task files.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, sides)| *sides == self).map_or("free", |(word, _)| word)
    }
}

/// Weights, dimensionless.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GaitWeights {
    /// Torques in units of weight times length.
    pub effort: f64,
    /// Distance from the nominal pose, rad.
    pub posture: f64,
    /// Distance of the unactuated dofs (the trunk) from the nominal pose, rad and L.
    pub upright: f64,
    /// Accelerations of joints in units of g/L.
    pub smoothness: f64,
    /// Accelerations of the unactuated dofs (the trunk) in units of g and g/L, since hard
    /// touch-downs make robots fall.
    pub steadiness: f64,
    /// Velocities of feet near the ground in units of √(g L).
    pub slip: f64,
    /// Height over which the weight of these velocities decays, in units of L.
    pub fade: f64,
    /// Height differences within the sole of a stance foot, in units of L.
    pub soles: f64,
}

impl Default for GaitWeights {
    fn default() -> Self {
        Self {
            effort: 0.3,
            posture: 0.1,
            upright: 0.5,
            smoothness: 0.025,
            steadiness: 0.3,
            slip: 5.0,
            fade: 0.01,
            soles: 60.0,
        }
    }
}

impl Default for Gait {
    fn default() -> Self {
        Self {
            speed: None,
            period: None,
            free_period: false,
            steps: 20,
            mirror: None,
            weights: GaitWeights::default(),
            noise: 0.1,
            seed: 1,
        }
    }
}

/// Height over which the weight of level soles decays, in units of L.
const SOLE_FADE: f64 = 0.03;

/// A gait for a robot, ready to be optimized.
pub fn gait(
    name: &str,
    spec: &ModelSpec,
    robot: &RobotOptions,
    gait: &Gait,
    options: &OptimizeOptions,
) -> Result<PlanningProblem, RobotError> {
    let mut spec = spec.clone();
    let cleared = clear_way(&mut spec);
    let robot = Robot::new(&spec, robot)?;
    let actuation = Actuation::new(&robot.own)?;
    let (g, length) = (robot.gravity(), robot.length);
    let speed = gait.speed.unwrap_or(0.3 * (g * length).sqrt());
    let sides = gait.mirror.unwrap_or(Sides::Turns);
    let mut notes = robot.notes.clone();
    if !cleared.is_empty() {
        notes.push(format!("a gait goes on for ever, on the ground alone: nothing touches {}", cleared.join(", ")));
    }
    let mirror = match (&robot.mirror, sides) {
        (Ok(mirror), Sides::Turns) => Some(mirror.clone()),
        (Err(why), Sides::Turns) => {
            notes.push(format!("a whole stride is optimized: {why}"));
            None
        }
        (_, Sides::Together | Sides::Free) => None,
    };
    let together = match (&robot.mirror, sides) {
        (Ok(mirror), Sides::Together) => Some(mirror),
        (Err(why), Sides::Together) => return Err(RobotError::NotTogether(why.clone())),
        (_, Sides::Turns | Sides::Free) => None,
    };
    let parts = if mirror.is_some() { 1.0 } else { 2.0 };
    // Half a stride of a walking human takes about 1.4 √(L/g).
    let half = gait.period.map_or(1.4 * (length / g).sqrt(), |period| 0.5 * period);
    let duration = parts * half;
    let steps = (gait.steps as f64 * parts) as usize;
    let h = duration / steps as f64;
    let stride = speed * duration;
    let Forward { coordinate, dof } = robot.forward;
    let mut terms = terms(&robot, &actuation, &gait.weights, dof);
    if let Some(mirror) = together {
        let weights = (0..robot.model.size.nv).map(|i| 1.0 / robot.unit(i)).collect();
        let term = Symmetry { mirror: mirror.clone(), rotations: robot.rotations.clone(), weights };
        terms.push(Entry::new(TermId::BothSides, Role::Equality, term));
    }
    let mut model = robot.model.clone();
    prepare(&mut model, h, Law::Invertible);
    let guess = guess(&robot, gait, together, Span { steps, stride });
    let scale = (0..model.size.nv).map(|i| robot.unit(i)).collect();
    notes.push(format!("speed {speed:.3} m/s, period {:.3} s, length {length:.3} m", 2.0 * half));
    let ends = Ends::Periodic(Cycle {
        mirror,
        stride: vec![Advance { coordinate, dof, amount: stride }],
        is_free: gait.free_period,
    });
    Ok(PlanningProblem {
        name: name.to_owned(),
        spec: robot.spec,
        own: robot.own,
        problem: Problem { model, steps, ends, evaluation: Evaluation::Begin, terms, scale },
        geometry: robot.planning.report,
        actuation,
        continuation: continuation(length),
        guess,
        units: Units { weight: robot.weight, length },
        options: *options,
        notes,
    })
}

/// From contact at a distance to contact that is almost hard, for a robot of length `length`.
pub fn continuation(length: f64) -> Continuation {
    let at = |smoothing: f64, hover: f64, reach: f64| Hardness {
        smoothing,
        hover: hover * length,
        inset: 0.7 * hover * length,
        reach: reach * length,
    };
    Continuation { from: at(1.0, 0.03, 0.15), to: at(0.05, 2.5e-3, 0.05), beyond: 0.8 }
}

fn terms(robot: &Robot, actuation: &Actuation, weights: &GaitWeights, forward: usize) -> Vec<Entry> {
    let (g, length) = (robot.gravity(), robot.length);
    let nv = robot.model.size.nv;
    // Parts without feet, such as a tail or a ball, have forces of their own weight: in units of
    // the robot's weight they would be held loosely.
    let unit = |i: usize| if robot.bears(i) { robot.force_unit(i) } else { own_weight(&robot.model, i, g) };
    let rows = unactuated_rows(actuation, unit);
    let actuated = &actuation.actuated;
    let effort = actuated.iter().map(|&i| (i, weights.effort / robot.effort_unit(i))).collect();
    let acceleration = |i: usize| if robot.is_linear(i) { g } else { g / length };
    let smooth = actuated.iter().map(|&i| (i, weights.smoothness / acceleration(i))).collect();
    let trunk = (0..nv).filter(|i| !actuated.contains(i)).map(|i| (i, weights.steadiness / acceleration(i))).collect();
    let hold = |i: usize| if actuated.contains(&i) { weights.posture } else { weights.upright };
    let mut posture: Vec<f64> = (0..nv).map(|i| hold(i) / robot.unit(i)).collect();
    posture[forward] = 0.0;
    let per_foot = robot.points.len() as f64 / robot.feet.len() as f64;
    let slip = Slip {
        rotations: robot.rotations.clone(),
        points: robot.points.clone(),
        ground: robot.ground,
        fade: weights.fade * length,
        weight: weights.slip / ((g * length).sqrt() * per_foot.sqrt()),
    };
    let level = weights.soles / (length * per_foot.sqrt());
    let soles = LevelSoles::new(&robot.points, robot.ground, SOLE_FADE * length, level);
    let mut terms = vec![
        Entry::new(TermId::Unactuated, Role::Equality, Unactuated { rows }),
        Entry::new(TermId::Effort, Role::Cost, Effort { weights: effort }),
        Entry::new(TermId::Posture, Role::Cost, Posture { target: robot.nominal.clone(), weights: posture }),
        Entry::new(TermId::Smoothness, Role::Cost, Smoothness { weights: smooth }),
        Entry::new(TermId::Steadiness, Role::Cost, Smoothness { weights: trunk }),
        Entry::new(TermId::Slip, Role::Cost, slip),
        Entry::new(TermId::Soles, Role::Cost, soles),
        Entry::new(
            TermId::Penetration,
            Role::Inequality,
            AboveGround { points: robot.points.clone(), ground: robot.ground, allowed: 5e-4 * length, unit: length },
        )
        .with_slack(10.0),
    ];
    let units = Units { weight: robot.weight, length };
    terms.extend(limits(&robot.model, actuation, units));
    terms.extend(apart(&robot.model, &robot.planning.capsule_pairs, &robot.nominal, units));
    terms
}

/// What is optimized of a gait: its number of steps of time, and how far it goes, m.
#[derive(Clone, Copy)]
struct Span {
    steps: usize,
    stride: f64,
}

/// The nominal pose moved at constant speed, with a slow random motion of the joints. Without this
/// motion the guess would be its own mirror image, and nothing would decide which foot is lifted
/// first. If both sides move together, they also do so in the guess.
fn guess(robot: &Robot, gait: &Gait, together: Option<&Mirror>, Span { steps, stride }: Span) -> Vec<f64> {
    let model = &robot.model;
    let mut random = Random(gait.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x1234_5678_9ABC_DEF1));
    let hinges: Vec<usize> = (0..model.njoint())
        .filter(|&j| model.joints.kind[j] == JointKind::Hinge)
        .map(|j| model.joints.q_start[j] as usize)
        .collect();
    let mut waves = vec![[0.0; 2]; model.size.nq];
    for &i in &hinges {
        waves[i] = [random.signed(), random.signed()];
        let (partner, sign) = together.map_or((i, 1.0), |mirror| mirror.q[i]);
        if partner < i {
            waves[i] = waves[partner].map(|w| sign * w);
        } else if partner == i && sign < 0.0 {
            waves[i] = [0.0; 2];
        }
    }
    // One sign of the wave is half of a stride of both sides in turns, and a whole stride returns
    // to where it was.
    let turn = if together.is_some() { 2.0 } else { 1.0 } * core::f64::consts::PI;
    let mut q = Vec::with_capacity((steps + 2) * model.size.nq);
    for k in 0..steps + 2 {
        let share = (k as f64 - 1.0) / steps as f64;
        let (sin, cos) = real::sin_cos(turn * share);
        let mut node = robot.nominal.clone();
        node[robot.forward.coordinate] += stride * share;
        for &i in &hinges {
            node[i] += gait.noise * (waves[i][0] * cos + waves[i][1] * sin);
        }
        q.extend(node);
    }
    q
}
