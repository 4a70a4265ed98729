//! Which configurations of a trajectory are unknown, and where they stand among the unknowns.
//!
//! A trajectory has nodes q₋₁ … q_T; step t = 0 … T−1 sees the nodes t−1, t, t+1. Node t is stored
//! at t + 1.
//! - Fixed start: q₋₁ and q₀ follow from the initial state; q₁ … q_T are unknown.
//! - Free start: all are unknown.
//! - Periodic: q₀ … q_{T−1} are unknown, q_T = P q₀ + stride and q₋₁ = P (q_{T−1} − stride).

use crate::problem::mirror::Mirror;
use saltus_sim::Model;
use saltus_sim::kinematics::coordinates::integrate;

/// What is known of the beginning and the end.
#[derive(Clone, Debug, PartialEq)]
pub enum Ends {
    /// The motion begins in this state. Only terms constrain its end.
    Fixed {
        /// Coordinates.
        q: Vec<f64>,
        /// Velocities.
        v: Vec<f64>,
    },
    /// The motion may begin in any state.
    Free,
    /// A limit cycle.
    Periodic(Cycle),
}

/// What is added to one coordinate from one repetition of a limit cycle to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advance {
    /// The coordinate.
    pub coordinate: usize,
    /// Its degree of freedom.
    pub dof: usize,
    /// How much is added, m or rad.
    pub amount: f64,
}

/// How a limit cycle repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct Cycle {
    /// The repetition is the mirror image.
    pub mirror: Option<Mirror>,
    /// What is added to coordinates from one repetition to the next. Must not be changed by the
    /// mirror.
    pub stride: Vec<Advance>,
    /// Whether the period is optimized as well; strides are then proportional to it.
    pub is_free: bool,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    /// Which of the unknown configurations; none if it is fixed.
    pub unknown: Option<usize>,
    /// Whether it is its mirror image.
    pub mirrored: bool,
}

/// Where the unknowns of a step are, and how nodes follow from them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unknowns<'a> {
    /// Nodes and unknowns.
    pub layout: &'a Layout,
    /// What is known of the ends.
    pub ends: &'a Ends,
}

/// Nodes and unknowns of a problem.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Number of steps.
    pub steps: usize,
    /// Unknowns of a node.
    pub n: usize,
    /// Coordinates.
    pub nq: usize,
    /// One per node · steps + 2.
    pub slots: Vec<Slot>,
    /// Number of unknown configurations.
    pub unknowns: usize,
    /// Number of those that form the border of the Hessian.
    pub in_border: usize,
}

impl Layout {
    /// For a motion of `steps` steps.
    pub fn new(model: &Model, steps: usize, ends: &Ends) -> Self {
        let fixed = Slot { unknown: None, mirrored: false };
        let slot = |k: usize| Slot { unknown: Some(k), mirrored: false };
        let (slots, unknowns, in_border): (Vec<Slot>, _, _) = match ends {
            Ends::Fixed { .. } => ((0..steps + 2).map(|k| if k < 2 { fixed } else { slot(k - 2) }).collect(), steps, 0),
            Ends::Free => ((0..steps + 2).map(slot).collect(), steps + 2, 0),
            Ends::Periodic(cycle) => {
                let wrapped = |k| Slot { unknown: Some(k), mirrored: cycle.mirror.is_some() };
                let own = (0..steps).map(slot);
                let slots = [wrapped(steps - 1)].into_iter().chain(own).chain([wrapped(0)]).collect();
                (slots, steps, steps.min(2))
            }
        };
        Self { steps, n: model.size.nv, nq: model.size.nq, slots, unknowns, in_border }
    }

    /// Number of scalar unknowns.
    pub fn dim(&self) -> usize {
        self.unknowns * self.n
    }

    /// Updates the nodes in `q` · (steps + 2) × nq that follow from others.
    pub fn close(&self, model: &Model, ends: &Ends, h: f64, q: &mut [f64]) {
        let nq = self.nq;
        match ends {
            Ends::Free => {}
            Ends::Fixed { q: q0, v } => {
                q[nq..2 * nq].copy_from_slice(q0);
                q[..nq].copy_from_slice(q0);
                integrate(model, &mut q[..nq], v, -h);
            }
            Ends::Periodic(cycle) => {
                let (mut first, mut last) = (vec![0.0; nq], q[nq..2 * nq].to_vec());
                first.copy_from_slice(&q[self.steps * nq..(self.steps + 1) * nq]);
                for &Advance { coordinate: i, amount, .. } in &cycle.stride {
                    first[i] -= amount;
                }
                if let Some(mirror) = &cycle.mirror {
                    let (before, after) = (first.clone(), last.clone());
                    mirror.apply(&before, &mut first);
                    mirror.apply(&after, &mut last);
                }
                for &Advance { coordinate: i, amount, .. } in &cycle.stride {
                    last[i] += amount;
                }
                q[..nq].copy_from_slice(&first);
                q[(self.steps + 1) * nq..].copy_from_slice(&last);
            }
        }
    }

    /// q ⊕ x for the unknown nodes; the others are updated.
    pub fn advance(&self, model: &Model, ends: &Ends, h: f64, x: &[f64], q: &mut [f64]) {
        for (k, slot) in self.slots.iter().enumerate() {
            if let Slot { unknown: Some(u), mirrored: false } = *slot
                && self.owns(k)
            {
                let node = &mut q[k * self.nq..(k + 1) * self.nq];
                integrate(model, node, &x[u * self.n..(u + 1) * self.n], 1.0);
            }
        }
        self.close(model, ends, h, q);
    }

    /// The node that unknown `u` is itself.
    pub fn node(&self, u: usize) -> usize {
        u + if self.in_border > 0 { 1 } else { self.slots.len() - self.unknowns }
    }

    /// Whether the node is an unknown itself.
    pub fn is_unknown(&self, k: usize) -> bool {
        self.slots.get(k).is_some_and(|slot| slot.unknown.is_some()) && self.owns(k)
    }

    /// Whether the node is the unknown itself and not its repetition.
    fn owns(&self, k: usize) -> bool {
        self.in_border == 0 || (k > 0 && k <= self.steps)
    }
}
