//! Options of the engine. [`Options::default`] has the modifications of [HsuPeters2014, §5] as published,
//! [`Options::plain`] the engine before them, [`Options::tree`] exact joints.

use crate::Error;

/// What solves the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// Projected Gauss–Seidel over all rows.
    #[default]
    Sweeps,
    /// Lemke's pivoting on dense matrices: a reference for small scenes. Pyramidal cones only. Allocates.
    Direct,
    /// Joints exactly in O(n), loops by a Schur complement, projected Gauss–Seidel over contacts, limits and dry friction.
    Tree,
}

/// In which order a sweep visits rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Bilateral, then normals and limits, then friction (§5.4).
    #[default]
    Grouped,
    /// Bilateral, then contact by contact.
    AsMade,
    /// Shuffled anew every eighth sweep.
    Random { seed: u64 },
}

/// Which normal impulse bounds friction (15).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionBound {
    /// That of the present sweep.
    #[default]
    Present,
    /// That of the last step: cheaper and less exact.
    LastStep,
}

/// Friction cone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cone {
    /// Each direction by itself (14–15).
    #[default]
    Pyramidal,
    /// Σ (f_k/μ_k)² ≤ f_n².
    Elliptic,
}

/// Bodies without joints below moving ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FixedBodies {
    /// One link with their parent.
    #[default]
    Merged,
    /// A link of their own, held by six rows.
    Rows,
}

/// Options of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    pub solver: Solver,
    /// Sweeps per step, ≥ 1; with a tolerance the most of them.
    pub iterations: u32,
    /// Sweeps end where no impulse changes by more than this share of the largest; 0: all sweeps are done, as published.
    pub tolerance: f64,
    /// Over-relaxation of sweeps, 0 < ω < 2.
    pub relaxation: f64,
    /// Share of a position error that is corrected per step (9), 0 to 1.
    pub erp: f64,
    /// Constraint force mixing (11), s/kg; ≥ 0.
    pub cfm: f64,
    /// Penetration that is left alone, m; ≥ 0.
    pub surface_layer: f64,
    pub cone: Cone,
    pub friction_bound: FrictionBound,
    pub fixed_bodies: FixedBodies,
    /// Whether ω × I ω acts.
    pub gyroscopic: bool,
    /// §5.1: positions move by velocities that correct errors, velocities do not keep them.
    pub split_impulse: bool,
    /// §5.2: share α of the difference of inertias across a joint that is moved, 0 to 1; 0: off.
    pub inertia_reduction: f64,
    /// §5.3: springs and dampers of joints as rows by (12); else explicit forces.
    pub implicit_damping: bool,
    /// §5.4: order of rows.
    pub order: Order,
    /// §5.4: sweeps over friction alone at the end.
    pub friction_sweeps: u32,
    /// §5.4: ε, the weight of the last step's impulse in unilateral rows, 0 to 1.
    pub smoothing: f64,
    /// §5.5: β, the share of the last step's impulses from which sweeps start, 0 to 1.
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
    /// Gauss–Seidel before the modifications of §5.
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

    /// Exact joints, elliptic cones, contacts swept until they no longer change.
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

    /// Pivoting: exact for small scenes.
    pub fn direct() -> Self {
        Self { solver: Solver::Direct, inertia_reduction: 0.0, ..Self::default() }
    }

    /// Whether every option is in its range.
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
