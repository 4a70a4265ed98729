//! Which law, and its parameters. Model files choose them by custom elements that MuJoCo ignores:
//! `<text name="saltus_law" data="impulse"/>`, `<numeric name="saltus_reach" data="0.01"/>`. Every setting has a name, by
//! which the command line and Python set it too.

use crate::options::Solver;
use saltus_math::real;
use serde::{Deserialize, Serialize};

/// What answers the constraint problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Law {
    /// MuJoCo's: convex, at the level of accelerations.
    #[default]
    Soft,
    /// Interior point with smoothing \[Todorov2011\]: forward and inverse undo each other.
    Invertible,
    /// Velocity stepping with critically damped recommendations \[MuJoCo2013\].
    Impulse,
    /// Linear complementarity with a friction pyramid \[StewartTrinkle1996\].
    Lcp,
    /// Springs with dissipation and regularized friction \[Kurtz2023\]: forces follow from q and v.
    Compliant,
}

impl Law {
    /// Names of the laws.
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

    /// Whether the law finds the velocity at the end of a step, rather than a force at its beginning.
    pub fn steps_velocity(self) -> bool {
        matches!(self, Law::Invertible | Law::Impulse | Law::Lcp)
    }
}

/// How the invertible law scales its parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scaling {
    /// By the effective mass of each contact, the time step and gravity.
    #[default]
    Dimensionless,
    /// As published: κ and R are numbers.
    Raw,
}

impl Scaling {
    const NAMES: [(&'static str, Scaling); 2] = [("dimensionless", Scaling::Dimensionless), ("raw", Scaling::Raw)];
}

/// How the regularizer of the invertible law grows with distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Profile {
    /// Exponentially: contacts out of reach feel nothing.
    Exponential,
    /// As published.
    Linear,
    /// With the fourth power: what carries more than its share is hardly nearer.
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
    /// How the parameters are scaled.
    pub scaling: Scaling,
    /// How the regularizer grows with distance.
    pub profile: Profile,
    /// Dimensionless κ̂.
    pub smoothing: f64,
    /// Distance at which a body rests, m.
    pub hover: f64,
    /// How far below the surfaces of shapes their contacts are, m.
    pub inset: f64,
    /// Whether barriers keep velocities above those that would close a gap. They couple all rows through A: feet push each other
    /// along the floor. Planners have constraints for that instead. Only with them points of the same bodies share their load.
    pub walls: bool,
    /// κ, as published: with raw scaling only.
    pub kappa: f64,
    /// Slope q at which the barrier of velocities becomes elastic.
    pub slope: f64,
    /// R in contact, as published: with raw scaling only.
    pub r_min: f64,
    /// R at the reach, as published: with raw scaling only.
    pub r_max: f64,
    /// Coefficient of restitution, by Poisson's hypothesis. Positive: no inverse.
    pub restitution: f64,
}

/// What the impulse law's stabilizer recommends for inequalities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stabilizer {
    /// Errors that grow are stopped at once; sliding does not lift.
    #[default]
    Guarded,
    /// As published: errors that grow are damped, sliding lifts by h μ |v_t|.
    Published,
}

impl Stabilizer {
    const NAMES: [(&'static str, Stabilizer); 2] =
        [("guarded", Stabilizer::Guarded), ("published", Stabilizer::Published)];
}

/// Parameters of the impulse law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImpulseOptions {
    /// What is recommended for inequalities.
    pub stabilizer: Stabilizer,
    /// Method; `Pgs` is the manual's Gauss–Seidel.
    pub solver: Solver,
    /// Most iterations of the method, a whole number. That of MJCF is meant for the soft law.
    pub iterations: f64,
    /// Most iterations of the method's line search, a whole number.
    pub ls_iterations: f64,
    /// R relative to the diagonal of A.
    pub softness: f64,
    /// The same for equalities; 0: hard.
    pub equality_softness: f64,
    /// Weight λ of equalities, in the manual's units, instead of `equality_softness`; 0: not used.
    pub lambda: f64,
    /// Time constant 1/ω of the correction of errors of equalities, s; 0: in one step.
    pub equality_time: f64,
    /// Time constant of the correction of penetration and of errors of limits, s; 0: in one step.
    pub error_time: f64,
}

/// How the lcp law is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LcpSolver {
    /// Projected Gauss–Seidel.
    #[default]
    Pgs,
    /// Direct pivoting, for small problems.
    Lemke,
}

impl LcpSolver {
    const NAMES: [(&'static str, LcpSolver); 2] = [("pgs", LcpSolver::Pgs), ("lemke", LcpSolver::Lemke)];
}

/// Parameters of the lcp law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LcpOptions {
    /// Sweeps or pivoting.
    pub solver: LcpSolver,
    /// Most sweeps of Gauss–Seidel: a whole number.
    pub iterations: f64,
    /// Share of an error that a step corrects.
    pub erp: f64,
    /// What is added to the diagonal of A, relative to it.
    pub cfm: f64,
}

/// Parameters of the compliant law; see there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompliantOptions {
    /// k of contacts, N/m.
    pub stiffness: f64,
    /// Distance σ over which the spring begins, m or rad.
    pub smoothing: f64,
    /// Speed v_d at which what comes in feels twice the spring; what leaves at twice this speed feels none; m/s or rad/s.
    pub dissipation: f64,
    /// Speed v_s that friction needs, m/s or rad/s.
    pub stiction: f64,
    /// Sliding friction of all contacts; 0: that of each.
    pub friction: f64,
}

impl CompliantOptions {
    /// Force below which a contact is not seen, N.
    const LEAST_FORCE: f64 = 1.5e-8;

    /// Distance at which the spring of a contact has that force.
    pub fn reach(&self) -> f64 {
        let share = Self::LEAST_FORCE / (self.smoothing * self.stiffness);
        (-self.smoothing * real::ln(real::exp_m1(share))).max(0.0)
    }
}

/// The law of a model and the parameters of all laws.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LawOptions {
    /// The contact law.
    pub law: Law,
    /// Distance beyond their margins at which laws that step velocities see contacts and limits, m or rad.
    pub reach: f64,
    /// Of the invertible law.
    pub invertible: InvertibleOptions,
    /// Of the impulse law.
    pub impulse: ImpulseOptions,
    /// Of the lcp law.
    pub lcp: LcpOptions,
    /// Of the compliant law.
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

/// A setting that is a number.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// Its name in files and on the command line.
    pub name: &'static str,
    /// What it means.
    pub doc: &'static str,
    least: f64,
    most: f64,
    field: fn(&mut LawOptions) -> &mut f64,
}

/// A setting that is one of a few words.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// Its name in files and on the command line.
    pub name: &'static str,
    /// What it means.
    pub doc: &'static str,
    /// The values that it may have.
    pub words: &'static [&'static str],
    read: fn(&LawOptions) -> usize,
    write: fn(&mut LawOptions, usize),
}

/// Smallest number that counts as positive.
const TINY: f64 = f64::MIN_POSITIVE;
/// Largest limit of iterations: what fits the counters of reports.
const MOST_ITERATIONS: f64 = 1e9;

macro_rules! numbers {
    ($($name:literal = $($field:ident).+ in $least:expr, $most:expr; $doc:literal)+) => {
        &[$(Number { name: $name, doc: $doc, least: $least, most: $most, field: |o| &mut o.$($field).+ }),+]
    };
}

/// The words of a table of choices.
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

/// Choices of what is on or off.
const SWITCH: [(&str, bool); 2] = [("on", true), ("off", false)];

impl LawOptions {
    /// What stands before the names in model files.
    pub const PREFIX: &'static str = "saltus_";

    /// All numbers, with their names and meanings.
    pub const NUMBERS: &'static [Number] = numbers! {
        "reach" = reach in 0.0, f64::MAX;
            "distance beyond margins at which velocity-stepping laws see contacts (m) and limits (m, rad)"
        "invertible_smoothing" = invertible.smoothing in TINY, f64::MAX; "dimensionless smoothing"
        "invertible_hover" = invertible.hover in TINY, f64::MAX; "distance at which a body rests (m)"
        "invertible_inset" = invertible.inset in 0.0, f64::MAX; "depth below the shapes' surfaces at which they touch (m)"
        "invertible_kappa" = invertible.kappa in TINY, f64::MAX; "smoothing as published (with raw scaling)"
        "invertible_slope" = invertible.slope in TINY, f64::MAX; "slope q at which the barrier becomes elastic"
        "invertible_r_min" = invertible.r_min in TINY, f64::MAX; "regularizer in contact (with raw scaling)"
        "invertible_r_max" = invertible.r_max in TINY, f64::MAX; "regularizer at the reach (with raw scaling)"
        "invertible_restitution" = invertible.restitution in 0.0, 1.0; "coefficient of restitution"
        "impulse_softness" = impulse.softness in TINY, f64::MAX; "softness of contacts, limits and friction"
        "impulse_equality_softness" = impulse.equality_softness in 0.0, f64::MAX; "softness of equalities; 0: hard"
        "impulse_lambda" = impulse.lambda in 0.0, f64::MAX; "weight of equalities instead of their softness; 0: not used"
        "impulse_equality_time" = impulse.equality_time in 0.0, f64::MAX; "time constant of equality errors (s)"
        "impulse_error_time" = impulse.error_time in 0.0, f64::MAX; "time constant of penetration and limit errors (s)"
        "impulse_iterations" = impulse.iterations in 0.0, MOST_ITERATIONS; "most iterations of the impulse law's solver"
        "impulse_ls_iterations" = impulse.ls_iterations in 0.0, MOST_ITERATIONS;
            "most iterations of the line search of the impulse law's solver"
        "lcp_iterations" = lcp.iterations in 0.0, MOST_ITERATIONS; "most sweeps of the lcp law's Gauss–Seidel"
        "lcp_erp" = lcp.erp in 0.0, 1.0; "share of an error that a step corrects"
        "lcp_cfm" = lcp.cfm in 0.0, f64::MAX; "constraint force mixing, relative to the diagonal"
        "compliant_stiffness" = compliant.stiffness in TINY, f64::MAX; "stiffness of contacts (N/m)"
        "compliant_smoothing" = compliant.smoothing in TINY, f64::MAX; "distance over which springs begin (m, rad)"
        "compliant_dissipation" = compliant.dissipation in TINY, f64::MAX; "speed at which springs push twice (m/s, rad/s)"
        "compliant_stiction" = compliant.stiction in TINY, f64::MAX; "speed that friction needs (m/s, rad/s)"
        "compliant_friction" = compliant.friction in 0.0, f64::MAX; "sliding friction of all contacts; 0: that of each"
    };

    /// All choices, with their names and meanings.
    pub const WORDS: &'static [Word] = words! {
        "law" = law in Law::NAMES; "contact law"
        "invertible_scaling" = invertible.scaling in Scaling::NAMES; "scaling of the invertible law's parameters"
        "invertible_profile" = invertible.profile in Profile::NAMES;
            "growth of the invertible law's regularizer with distance"
        "invertible_walls" = invertible.walls in SWITCH;
            "barriers of velocities, which couple all rows; with them a body rests at the hover on any number of points"
        "impulse_stabilizer" = impulse.stabilizer in Stabilizer::NAMES;
            "what the impulse law recommends for inequalities"
        "impulse_solver" = impulse.solver in Solver::NAMES; "solver of the impulse law"
        "lcp_solver" = lcp.solver in LcpSolver::NAMES; "solver of the lcp law"
    };

    /// Sets a number by its name (without prefix); the error says what is expected.
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

    /// Sets a word by its name (without prefix); the error says what is expected.
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

    /// Value of a number by its name.
    pub fn number(&self, name: &str) -> Option<f64> {
        let setting = Self::NUMBERS.iter().find(|s| s.name == name)?;
        let mut copy = *self;
        Some(*(setting.field)(&mut copy))
    }

    /// Value of a word by its name.
    pub fn word(&self, name: &str) -> Option<&'static str> {
        let setting = Self::WORDS.iter().find(|s| s.name == name)?;
        setting.words.get((setting.read)(self)).copied()
    }

    /// The first setting that is out of its bounds, in words.
    pub fn invalid(&self) -> Option<String> {
        Self::NUMBERS.iter().find_map(|s| {
            let mut copy = *self;
            copy.set_number(s.name, self.number(s.name)?).err()
        })
    }

    /// What the solver's tolerance is multiplied by. It bounds an error of the cost, ½ R f², so that for the same error of
    /// the forces it shrinks with R; under the soft law R is about a tenth of the diagonal of A.
    pub fn tolerance_scale(&self) -> f64 {
        match self.law {
            Law::Impulse => (10.0 * self.impulse.softness).min(1.0),
            _ => 1.0,
        }
    }

    /// How far beyond their margins limits are seen.
    pub fn limit_reach(&self) -> f64 {
        match self.law {
            Law::Soft => 0.0,
            Law::Invertible | Law::Impulse | Law::Lcp => self.reach,
            Law::Compliant => self.compliant.reach(),
        }
    }

    /// How far beyond their margins contacts are seen.
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
    format!("unknown setting {name:?}; there are {}", known.join(", "))
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
