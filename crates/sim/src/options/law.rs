//! The contact law and its parameters. Model files set them with custom elements that MuJoCo
//! ignores: `<text name="saltus_law" data="impulse"/>`,
//! `<numeric name="saltus_reach" data="0.01"/>`. The command line and Python set them by the same
//! names.

use crate::options::Solver;
use saltus_math::real;
use serde::{Deserialize, Serialize};

/// Contact law: how constraint forces follow from the constraint problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Law {
    /// MuJoCo's law: a convex optimization over accelerations.
    #[default]
    Soft,
    /// Smoothed law solved by an interior-point method \[Todorov2011\]; inverse dynamics inverts
    /// forward dynamics exactly.
    Invertible,
    /// Velocity stepping with critically damped stabilization \[MuJoCo2013\].
    Impulse,
    /// Linear complementarity problem with friction pyramids \[StewartTrinkle1996\].
    Lcp,
    /// Compliant contact with dissipation and regularized friction \[Kurtz2023\]: forces are
    /// functions of q and v.
    Compliant,
}

impl Law {
    /// All laws with their names.
    pub const NAMES: [(&'static str, Law); 5] = [
        ("soft", Law::Soft),
        ("invertible", Law::Invertible),
        ("impulse", Law::Impulse),
        ("lcp", Law::Lcp),
        ("compliant", Law::Compliant),
    ];

    /// Name in model files.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, law)| *law == self).map_or("", |(name, _)| name)
    }

    /// Whether the law solves for the velocity at the end of a step rather than for forces at its
    /// beginning.
    pub fn steps_velocity(self) -> bool {
        matches!(self, Law::Invertible | Law::Impulse | Law::Lcp)
    }
}

/// Scaling of the parameters of the invertible law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scaling {
    /// Parameters are dimensionless: they are scaled by the effective mass of each contact, the
    /// time step and gravity.
    #[default]
    Dimensionless,
    /// κ and R are given directly, as published.
    Raw,
}

impl Scaling {
    const NAMES: [(&'static str, Scaling); 2] = [("dimensionless", Scaling::Dimensionless), ("raw", Scaling::Raw)];
}

/// Growth of the regularizer of the invertible law with distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Profile {
    /// Exponential growth: contacts beyond the reach have no force.
    Exponential,
    /// Linear growth, as published.
    Linear,
    /// Growth with the fourth power: the distance at rest depends little on the load.
    #[default]
    Power,
}

impl Profile {
    const NAMES: [(&'static str, Profile); 3] =
        [("exponential", Profile::Exponential), ("linear", Profile::Linear), ("power", Profile::Power)];
}

/// Parameters of the invertible law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct InvertibleOptions {
    /// Scaling of the parameters.
    pub scaling: Scaling,
    /// Growth of the regularizer with distance.
    pub profile: Profile,
    /// Dimensionless smoothing parameter κ̂.
    pub smoothing: f64,
    /// Distance above a surface at which a body rests, m.
    pub hover: f64,
    /// Depth below the surfaces of shapes at which they make contact, m.
    pub inset: f64,
    /// Whether velocity barriers prevent velocities that would close a gap within a step. The
    /// barriers couple all rows through A, so that two feet on the floor push each other sideways;
    /// planners use constraints instead. The contact points of a body share its load only with
    /// barriers.
    pub walls: bool,
    /// Smoothing parameter κ as published; used with raw scaling only.
    pub kappa: f64,
    /// Slope q at which the velocity barrier becomes elastic.
    pub slope: f64,
    /// Regularizer R in contact as published; used with raw scaling only.
    pub r_min: f64,
    /// Regularizer R at the reach as published; used with raw scaling only.
    pub r_max: f64,
    /// Coefficient of restitution by Poisson's hypothesis. With a positive one the law has no
    /// inverse.
    pub restitution: f64,
}

/// Stabilization of inequalities by the impulse law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stabilizer {
    /// Growing errors are stopped within one step; sliding adds no normal velocity.
    #[default]
    Guarded,
    /// As published: growing errors are damped, and sliding adds a separation of h μ |v_t|.
    Published,
}

impl Stabilizer {
    const NAMES: [(&'static str, Stabilizer); 2] =
        [("guarded", Stabilizer::Guarded), ("published", Stabilizer::Published)];
}

/// Parameters of the impulse law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImpulseOptions {
    /// Stabilization of inequalities.
    pub stabilizer: Stabilizer,
    /// Solver; `Pgs` is the Gauss–Seidel method of the 2013 manual.
    pub solver: Solver,
    /// Maximum number of solver iterations (an integer). The limit in MJCF applies to the soft law
    /// only.
    pub iterations: f64,
    /// Maximum number of line search iterations (an integer).
    pub ls_iterations: f64,
    /// Regularizer R of inequalities relative to the diagonal of A.
    pub softness: f64,
    /// Regularizer R of equalities relative to the diagonal of A; 0 for hard equalities.
    pub equality_softness: f64,
    /// Weight λ of equalities in the units of the 2013 manual, which replaces `equality_softness`;
    /// 0 if unused.
    pub lambda: f64,
    /// Time constant 1/ω of the correction of equality errors, s; 0 corrects them in one step.
    pub equality_time: f64,
    /// Time constant of the correction of penetration and limit errors, s; 0 corrects them in one
    /// step.
    pub error_time: f64,
}

/// Solver of the lcp law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LcpSolver {
    /// Projected Gauss–Seidel iteration.
    #[default]
    Pgs,
    /// Lemke's pivoting method, for small problems.
    Lemke,
}

impl LcpSolver {
    const NAMES: [(&'static str, LcpSolver); 2] = [("pgs", LcpSolver::Pgs), ("lemke", LcpSolver::Lemke)];
}

/// Parameters of the lcp law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LcpOptions {
    /// Solver.
    pub solver: LcpSolver,
    /// Maximum number of Gauss–Seidel sweeps (an integer).
    pub iterations: f64,
    /// Error reduction parameter: the fraction of an error that one step corrects.
    pub erp: f64,
    /// Constraint force mixing: addition to the diagonal of A, relative to it.
    pub cfm: f64,
}

/// Parameters of the compliant law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompliantOptions {
    /// Stiffness k of contacts, N/m.
    pub stiffness: f64,
    /// Distance σ over which the spring force is smoothed at the onset of contact, m or rad.
    pub smoothing: f64,
    /// Dissipation velocity v_d, m/s or rad/s: the spring force doubles at this approach velocity
    /// and vanishes at twice this separation velocity.
    pub dissipation: f64,
    /// Stiction velocity v_s, m/s or rad/s: the sliding velocity scale of the regularized friction.
    pub stiction: f64,
    /// Sliding friction coefficient of all contacts; 0 uses the coefficient of each contact.
    pub friction: f64,
}

impl CompliantOptions {
    /// Force below which a contact is ignored, N.
    const LEAST_FORCE: f64 = 1.5e-8;

    /// Distance beyond which the spring force of a contact is negligible.
    pub fn reach(&self) -> f64 {
        let share = Self::LEAST_FORCE / (self.smoothing * self.stiffness);
        (-self.smoothing * real::ln(real::exp_m1(share))).max(0.0)
    }
}

/// The contact law of a model and the parameters of all laws.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LawOptions {
    /// The contact law.
    pub law: Law,
    /// Distance beyond their margins at which velocity-stepping laws detect contacts and limits, m
    /// or rad.
    pub reach: f64,
    /// Parameters of the invertible law.
    pub invertible: InvertibleOptions,
    /// Parameters of the impulse law.
    pub impulse: ImpulseOptions,
    /// Parameters of the lcp law.
    pub lcp: LcpOptions,
    /// Parameters of the compliant law.
    pub compliant: CompliantOptions,
}

impl Default for LawOptions {
    fn default() -> Self {
        Self {
            law: Law::Soft,
            reach: 0.01,
            invertible: InvertibleOptions {
                scaling: Scaling::Dimensionless,
                profile: Profile::Power,
                smoothing: 1e-2,
                hover: 1e-3,
                inset: 0.0,
                walls: true,
                kappa: 0.1,
                slope: 10.0,
                r_min: 0.01,
                r_max: 100.0,
                restitution: 0.0,
            },
            impulse: ImpulseOptions {
                stabilizer: Stabilizer::Guarded,
                solver: Solver::Newton,
                iterations: 100.0,
                ls_iterations: 50.0,
                softness: 1e-5,
                equality_softness: 1e-5,
                lambda: 0.0,
                equality_time: 0.02,
                error_time: 0.02,
            },
            lcp: LcpOptions { solver: LcpSolver::Pgs, iterations: 1000.0, erp: 0.2, cfm: 1e-9 },
            compliant: CompliantOptions {
                stiffness: 5000.0,
                smoothing: 1e-3,
                dissipation: 1.0,
                stiction: 0.05,
                friction: 0.0,
            },
        }
    }
}

/// A numeric parameter.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// Name in model files (after [`LawOptions::PREFIX`]) and on the command line.
    pub name: &'static str,
    /// Description.
    pub doc: &'static str,
    least: f64,
    most: f64,
    field: fn(&mut LawOptions) -> &mut f64,
}

/// A parameter with a fixed set of values.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// Name in model files (after [`LawOptions::PREFIX`]) and on the command line.
    pub name: &'static str,
    /// Description.
    pub doc: &'static str,
    /// Names of the values.
    pub words: &'static [&'static str],
    read: fn(&LawOptions) -> usize,
    write: fn(&mut LawOptions, usize),
}

/// Smallest positive number.
const TINY: f64 = f64::MIN_POSITIVE;
/// Largest iteration limit, which fits the counters of reports.
const MOST_ITERATIONS: f64 = 1e9;

macro_rules! numbers {
    ($($name:literal = $($field:ident).+ in $least:expr, $most:expr; $doc:literal)+) => {
        &[$(Number { name: $name, doc: $doc, least: $least, most: $most, field: |o| &mut o.$($field).+ }),+]
    };
}

/// The names in a table of choices.
const fn words<T: Copy, const N: usize>(table: &[(&'static str, T); N]) -> [&'static str; N] {
    let (mut words, mut k) = ([""; N], 0);
    while k < N {
        words[k] = table[k].0;
        k += 1;
    }
    words
}

macro_rules! words {
    ($($name:literal = $($field:ident).+ in $table:expr; $doc:literal)+) => {
        &[$(Word {
            name: $name,
            doc: $doc,
            words: &words(&$table),
            read: |o| $table.iter().position(|(_, choice)| *choice == o.$($field).+).unwrap_or(0),
            write: |o, k| o.$($field).+ = $table[k].1,
        }),+]
    };
}

/// Values of switches.
const SWITCH: [(&str, bool); 2] = [("on", true), ("off", false)];

impl LawOptions {
    /// Prefix of the names in model files.
    pub const PREFIX: &'static str = "saltus_";

    /// All numeric parameters.
    pub const NUMBERS: &'static [Number] = numbers! {
        "reach" = reach in 0.0, f64::MAX;
            "distance beyond margins at which velocity-stepping laws detect contacts (m) and limits (m, rad)"
        "invertible_smoothing" = invertible.smoothing in TINY, f64::MAX; "dimensionless smoothing parameter"
        "invertible_hover" = invertible.hover in TINY, f64::MAX; "distance above a surface at which a body rests (m)"
        "invertible_inset" = invertible.inset in 0.0, f64::MAX; "depth below the surfaces of shapes at which they make contact (m)"
        "invertible_kappa" = invertible.kappa in TINY, f64::MAX; "smoothing parameter κ as published (raw scaling only)"
        "invertible_slope" = invertible.slope in TINY, f64::MAX; "slope q at which the velocity barrier becomes elastic"
        "invertible_r_min" = invertible.r_min in TINY, f64::MAX; "regularizer R in contact (raw scaling only)"
        "invertible_r_max" = invertible.r_max in TINY, f64::MAX; "regularizer R at the reach (raw scaling only)"
        "invertible_restitution" = invertible.restitution in 0.0, 1.0; "coefficient of restitution"
        "impulse_softness" = impulse.softness in TINY, f64::MAX; "regularizer of contacts, limits and friction, relative to the diagonal of A"
        "impulse_equality_softness" = impulse.equality_softness in 0.0, f64::MAX; "regularizer of equalities, relative to the diagonal of A; 0 for hard equalities"
        "impulse_lambda" = impulse.lambda in 0.0, f64::MAX; "weight of equalities, replaces their softness; 0 if unused"
        "impulse_equality_time" = impulse.equality_time in 0.0, f64::MAX; "time constant of the correction of equality errors (s)"
        "impulse_error_time" = impulse.error_time in 0.0, f64::MAX; "time constant of the correction of penetration and limit errors (s)"
        "impulse_iterations" = impulse.iterations in 0.0, MOST_ITERATIONS; "maximum number of iterations of the impulse law's solver"
        "impulse_ls_iterations" = impulse.ls_iterations in 0.0, MOST_ITERATIONS;
            "maximum number of line search iterations of the impulse law's solver"
        "lcp_iterations" = lcp.iterations in 0.0, MOST_ITERATIONS; "maximum number of Gauss–Seidel sweeps of the lcp law"
        "lcp_erp" = lcp.erp in 0.0, 1.0; "error reduction parameter: fraction of an error that one step corrects"
        "lcp_cfm" = lcp.cfm in 0.0, f64::MAX; "constraint force mixing, relative to the diagonal of A"
        "compliant_stiffness" = compliant.stiffness in TINY, f64::MAX; "stiffness of contacts (N/m)"
        "compliant_smoothing" = compliant.smoothing in TINY, f64::MAX; "distance over which the onset of spring forces is smoothed (m, rad)"
        "compliant_dissipation" = compliant.dissipation in TINY, f64::MAX; "approach velocity at which the spring force doubles (m/s, rad/s)"
        "compliant_stiction" = compliant.stiction in TINY, f64::MAX; "sliding velocity scale of the regularized friction (m/s, rad/s)"
        "compliant_friction" = compliant.friction in 0.0, f64::MAX; "sliding friction coefficient of all contacts; 0 uses that of each contact"
    };

    /// All parameters with a fixed set of values.
    pub const WORDS: &'static [Word] = words! {
        "law" = law in Law::NAMES; "contact law"
        "invertible_scaling" = invertible.scaling in Scaling::NAMES; "scaling of the invertible law's parameters"
        "invertible_profile" = invertible.profile in Profile::NAMES;
            "growth of the invertible law's regularizer with distance"
        "invertible_walls" = invertible.walls in SWITCH;
            "velocity barriers, which couple all rows; with them a body rests at the hover on any number of contact points"
        "impulse_stabilizer" = impulse.stabilizer in Stabilizer::NAMES;
            "stabilization of inequalities by the impulse law"
        "impulse_solver" = impulse.solver in Solver::NAMES; "solver of the impulse law"
        "lcp_solver" = lcp.solver in LcpSolver::NAMES; "solver of the lcp law"
    };

    /// Sets a numeric parameter by its name (without prefix). The error says what is expected.
    pub fn set_number(&mut self, name: &str, value: f64) -> Result<(), String> {
        let Some(setting) = Self::NUMBERS.iter().find(|s| s.name == name) else {
            return Err(match Self::WORDS.iter().find(|s| s.name == name) {
                Some(word) => format!("{name} is one of {}, not a number", word.words.join(", ")),
                None => unknown(name),
            });
        };
        if !(value >= setting.least && value <= setting.most) {
            let bound = match (setting.least, setting.most) {
                (TINY, _) => "a positive number".to_owned(),
                (least, f64::MAX) => format!("a number of at least {least}"),
                (least, most) => format!("a number from {least} to {most}"),
            };
            return Err(format!("{name} must be {bound}, not {value}"));
        }
        *(setting.field)(self) = value;
        Ok(())
    }

    /// Sets a parameter with a fixed set of values by its name (without prefix). The error says
    /// what is expected.
    pub fn set_word(&mut self, name: &str, value: &str) -> Result<(), String> {
        let Some(setting) = Self::WORDS.iter().find(|s| s.name == name) else {
            return Err(match Self::NUMBERS.iter().any(|s| s.name == name) {
                true => format!("{name} is a number, not {value:?}"),
                false => unknown(name),
            });
        };
        let Some(k) = setting.words.iter().position(|w| *w == value) else {
            return Err(format!("{name} must be one of {}, not {value:?}", setting.words.join(", ")));
        };
        (setting.write)(self, k);
        Ok(())
    }

    /// Value of a numeric parameter by its name.
    pub fn number(&self, name: &str) -> Option<f64> {
        let setting = Self::NUMBERS.iter().find(|s| s.name == name)?;
        let mut copy = *self;
        Some(*(setting.field)(&mut copy))
    }

    /// Value of a parameter with a fixed set of values by its name.
    pub fn word(&self, name: &str) -> Option<&'static str> {
        let setting = Self::WORDS.iter().find(|s| s.name == name)?;
        setting.words.get((setting.read)(self)).copied()
    }

    /// A message about the first numeric parameter that is out of bounds.
    pub fn invalid(&self) -> Option<String> {
        Self::NUMBERS.iter().find_map(|s| {
            let mut copy = *self;
            copy.set_number(s.name, self.number(s.name)?).err()
        })
    }

    /// Factor of the solver tolerance. The tolerance bounds an error of the cost, ½ R f², so that
    /// for the same error in the forces it must shrink with R; under the soft law R is about a
    /// tenth of the diagonal of A.
    pub fn tolerance_scale(&self) -> f64 {
        match self.law {
            Law::Impulse => (10.0 * self.impulse.softness).min(1.0),
            _ => 1.0,
        }
    }

    /// Distance beyond their margins at which limits are detected, m or rad.
    pub fn limit_reach(&self) -> f64 {
        match self.law {
            Law::Soft => 0.0,
            Law::Invertible | Law::Impulse | Law::Lcp => self.reach,
            Law::Compliant => self.compliant.reach(),
        }
    }

    /// Distance beyond their margins at which contacts are detected, m.
    pub fn contact_reach(&self) -> f64 {
        match self.law {
            Law::Invertible => (self.reach - self.invertible.inset).max(0.0),
            _ => self.limit_reach(),
        }
    }
}

fn unknown(name: &str) -> String {
    let words = LawOptions::WORDS.iter().map(|s| s.name);
    let known: Vec<&str> = words.chain(LawOptions::NUMBERS.iter().map(|s| s.name)).collect();
    format!("unknown setting {name:?}; available: {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_read_as_it_was_written() {
        let mut o = LawOptions::default();
        for s in LawOptions::NUMBERS {
            o.set_number(s.name, 0.5).expect(s.name);
            assert_eq!(o.number(s.name), Some(0.5), "{}", s.name);
        }
        for s in LawOptions::WORDS {
            for w in s.words {
                o.set_word(s.name, w).expect(w);
                assert_eq!(o.word(s.name), Some(*w));
            }
        }
        assert_eq!(o.law, Law::Compliant);
        assert!(o.invalid().is_none());
    }

    #[test]
    fn what_is_wrong_is_said() {
        let mut o = LawOptions::default();
        assert!(o.set_number("reach", -1.0).unwrap_err().contains("at least 0"));
        assert!(o.set_number("invertible_kappa", f64::NAN).unwrap_err().contains("positive"));
        assert!(o.set_number("law", 1.0).unwrap_err().contains("soft, invertible"));
        assert!(o.set_word("law", "hard").unwrap_err().contains("soft, invertible"));
        assert!(o.set_word("rech", "x").unwrap_err().contains("reach"));
        assert_eq!(o, LawOptions::default());
    }
}
