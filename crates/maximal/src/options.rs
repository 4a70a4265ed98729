//! Options of the engine. [`Options::default`] includes the modifications of [HsuPeters2014, §5] as
//! published, [`Options::plain`] is the engine without them, and [`Options::tree`] solves joints
//! exactly.

use crate::Error;

/// Solver of the constraint rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// Projected Gauss–Seidel over all rows.
    #[default]
    Sweeps,
    /// Lemke's pivoting on dense matrices: a reference for small scenes. Pyramidal cones only.
    /// Allocates.
    Direct,
    /// Exact solution of joints in O(n), with a Schur complement for loops, and projected
    /// Gauss–Seidel over contacts, limits and dry friction.
    Tree,
}

/// Order in which a sweep visits the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Bilateral rows, then normals and limits, then friction (§5.4).
    #[default]
    Grouped,
    /// Bilateral rows, then contact by contact.
    AsMade,
    /// Random order, shuffled in every eighth sweep.
    Random { seed: u64 },
}

/// The normal impulse that bounds friction (15).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionBound {
    /// The normal impulse of the current sweep.
    #[default]
    Present,
    /// The normal impulse of the last step: cheaper and less accurate.
    LastStep,
}

/// Friction cone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cone {
    /// A box: each direction is bounded separately (14–15).
    #[default]
    Pyramidal,
    /// An elliptic cone: Σ (f_k/μ_k)² ≤ f_n².
    Elliptic,
}

/// Treatment of bodies without joints that are fixed to moving bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FixedBodies {
    /// They form one link with their parent.
    #[default]
    Merged,
    /// They are separate links, held by six rows.
    Rows,
}

/// Options of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    pub solver: Solver,
    /// Number of sweeps per step, ≥ 1; the maximum number if there is a tolerance.
    pub iterations: u32,
    /// Sweeps end if no impulse changes by more than this fraction of the largest one; 0 does all
    /// sweeps, as published.
    pub tolerance: f64,
    /// Over-relaxation of sweeps, 0 < ω < 2.
    pub relaxation: f64,
    /// Error reduction parameter: the fraction of a position error that is corrected per step (9),
    /// 0 to 1.
    pub erp: f64,
    /// Constraint force mixing (11), s/kg; ≥ 0.
    pub cfm: f64,
    /// Penetration that is not corrected, m; ≥ 0.
    pub surface_layer: f64,
    pub cone: Cone,
    pub friction_bound: FrictionBound,
    pub fixed_bodies: FixedBodies,
    /// Whether gyroscopic torques ω × I ω act.
    pub gyroscopic: bool,
    /// §5.1: split impulses: velocities that correct position errors move positions only and are
    /// not kept.
    pub split_impulse: bool,
    /// §5.2: inertia ratio reduction: the fraction α of the difference of inertias across a joint
    /// that is moved, 0 to 1; 0 is off.
    pub inertia_reduction: f64,
    /// §5.3: whether joint springs and dampers are implicit, as rows (12), or explicit forces.
    pub implicit_damping: bool,
    /// §5.4: order of the rows.
    pub order: Order,
    /// §5.4: number of additional sweeps over friction rows.
    pub friction_sweeps: u32,
    /// §5.4: ε, the weight of the last step's impulse in unilateral rows, 0 to 1.
    pub smoothing: f64,
    /// §5.5: warm start: the fraction β of the last step's impulses from which sweeps start, 0 to
    /// 1.
    pub warm_start: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            solver: Solver::Sweeps,
            iterations: 50,
            tolerance: 0.0,
            relaxation: 1.0,
            erp: 0.2,
            cfm: 1e-10,
            surface_layer: 1e-4,
            cone: Cone::Pyramidal,
            friction_bound: FrictionBound::Present,
            fixed_bodies: FixedBodies::Merged,
            gyroscopic: true,
            split_impulse: true,
            inertia_reduction: 0.5,
            implicit_damping: true,
            order: Order::Grouped,
            friction_sweeps: 10,
            smoothing: 0.01,
            warm_start: 0.5,
        }
    }
}

impl Options {
    /// Gauss–Seidel without the modifications of §5.
    pub fn plain() -> Self {
        Self {
            split_impulse: false,
            inertia_reduction: 0.0,
            implicit_damping: false,
            order: Order::Random { seed: 1 },
            friction_sweeps: 0,
            smoothing: 0.0,
            warm_start: 0.0,
            ..Self::default()
        }
    }

    /// Exact joints and elliptic cones, with sweeps over contacts until convergence.
    pub fn tree() -> Self {
        Self {
            solver: Solver::Tree,
            iterations: 100,
            tolerance: 1e-8,
            cone: Cone::Elliptic,
            cfm: 0.0,
            inertia_reduction: 0.0,
            friction_sweeps: 0,
            smoothing: 0.0,
            warm_start: 1.0,
            ..Self::default()
        }
    }

    /// Pivoting, exact but for small scenes only.
    pub fn direct() -> Self {
        Self { solver: Solver::Direct, inertia_reduction: 0.0, ..Self::default() }
    }

    /// Checks that every option is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        let check = |name, value: f64, ok: bool, expected| {
            if ok && value.is_finite() { Ok(()) } else { Err(Error::Option { name, value, expected }) }
        };
        let share = |name, value: f64| check(name, value, (0.0..=1.0).contains(&value), "between 0 and 1");
        let positive = |name, value: f64| check(name, value, value >= 0.0, "≥ 0");
        check("iterations", f64::from(self.iterations), self.iterations > 0, "at least 1")?;
        check("relaxation", self.relaxation, self.relaxation > 0.0 && self.relaxation < 2.0, "between 0 and 2")?;
        positive("tolerance", self.tolerance)?;
        positive("cfm", self.cfm)?;
        positive("surface_layer", self.surface_layer)?;
        share("erp", self.erp)?;
        share("inertia_reduction", self.inertia_reduction)?;
        share("smoothing", self.smoothing)?;
        share("warm_start", self.warm_start)
    }

    /// ERP and CFM of a spring k_p, N/m, and damper k_d, N·s/m, at time step h (12).
    pub fn spring_damper(kp: f64, kd: f64, h: f64) -> [f64; 2] {
        let sum = kp * h + kd;
        [kp * h / sum, 1.0 / sum]
    }
}
