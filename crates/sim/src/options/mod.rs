//! Physics options: plain numbers and closed choices, with the defaults and numbering of MJCF.

mod implicit;
pub mod law;

pub use implicit::{Implicit, ImplicitBias};
use law::{Law, LawOptions};
use saltus_math::Vec3;
use serde::{Deserialize, Serialize};

macro_rules! choices {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $value:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[repr(i32)]
        pub enum $name { $($(#[$vdoc])* $variant = $value),+ }
        impl $name {
            /// From its number in MuJoCo; `None` if there is no such.
            pub fn from_i32(value: i32) -> Option<Self> {
                match value { $($value => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}
choices! {
    /// How a step advances the state. The first five are MJCF's; model files choose the others by a custom text
    /// `saltus_integrator`.
    Integrator {
        Euler = 0,
        Rk4 = 1,
        Implicit = 2,
        ImplicitFast = 3,
        Discrete = 4,
        /// q moves by the old velocity.
        Explicit = 100,
        /// q moves by the mean of old and new velocity.
        Midpoint = 101,
        /// q moves by the new velocity; damping is explicit.
        SemiImplicit = 102,
        /// Runge–Kutta for the smooth dynamics, constraints once per step.
        Interleaved = 103,
    }
}

impl Integrator {
    /// All integrators with their names. MJCF has names of its own for those that it knows.
    pub const NAMES: [(&'static str, Integrator); 9] = [
        ("euler", Integrator::Euler),
        ("rk4", Integrator::Rk4),
        ("implicit", Integrator::Implicit),
        ("implicitfast", Integrator::ImplicitFast),
        ("discrete", Integrator::Discrete),
        ("explicit", Integrator::Explicit),
        ("midpoint", Integrator::Midpoint),
        ("semi-implicit", Integrator::SemiImplicit),
        ("interleaved", Integrator::Interleaved),
    ];
    /// Name of the custom text by which a model file chooses one of [`OWN`](Self::OWN).
    pub const TEXT: &'static str = "saltus_integrator";
    /// The integrators that MJCF does not know, by their names in model files.
    pub const OWN: &'static [(&'static str, Integrator)] = Self::NAMES.split_at(5).1;
}
choices! {
    /// Friction cone.
    Cone { Pyramidal = 0, Elliptic = 1 }
}

impl Cone {
    /// All cones with their names.
    pub const NAMES: [(&'static str, Cone); 2] = [("pyramidal", Cone::Pyramidal), ("elliptic", Cone::Elliptic)];
}
choices! {
    /// Storage of the constraint Jacobian.
    JacobianStorage { Dense = 0, Sparse = 1, Auto = 2 }
}
choices! {
    /// Algorithm of the constraint solver.
    Solver { Pgs = 0, Cg = 1, Newton = 2 }
}

impl Solver {
    /// All solvers with their names. MJCF has names of its own for them.
    pub const NAMES: [(&'static str, Solver); 3] =
        [("pgs", Solver::Pgs), ("cg", Solver::Cg), ("newton", Solver::Newton)];
}

/// Features that are on unless their bit is set. Bits are MJCF's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Disable(pub u32);

/// Features that are off unless their bit is set. Bits are MJCF's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Enable(pub u32);

macro_rules! flags {
    ($t:ident { $($name:ident = $bit:literal : $text:literal),+ $(,)? }) => {
        impl $t {
            $(#[doc = concat!("`", $text, "` in model files.")] pub const $name: $t = $t(1 << $bit);)+
            /// Name in model files and bit, in order.
            pub const NAMES: &'static [(&'static str, $t)] = &[$(($text, $t::$name)),+];
            /// Whether a flag is set.
            #[inline]
            pub fn has(self, flag: $t) -> bool {
                self.0 & flag.0 != 0
            }
            /// Sets or clears a flag.
            #[inline]
            pub fn set(&mut self, flag: $t, on: bool) {
                if on { self.0 |= flag.0 } else { self.0 &= !flag.0 }
            }
        }
    };
}
flags!(Disable {
    CONSTRAINT = 0: "constraint", EQUALITY = 1: "equality", FRICTIONLOSS = 2: "frictionloss", LIMIT = 3: "limit",
    CONTACT = 4: "contact", SPRING = 5: "spring", DAMPER = 6: "damper", GRAVITY = 7: "gravity",
    CLAMPCTRL = 8: "clampctrl", WARMSTART = 9: "warmstart", FILTERPARENT = 10: "filterparent",
    ACTUATION = 11: "actuation", REFSAFE = 12: "refsafe", SENSOR = 13: "sensor", MIDPHASE = 14: "midphase",
    EULERDAMP = 15: "eulerdamp", AUTORESET = 16: "autoreset", NATIVECCD = 17: "nativeccd", ISLAND = 18: "island",
    MULTICCD = 19: "multiccd",
});
flags!(Enable {
    OVERRIDE = 0: "override", ENERGY = 1: "energy", FWDINV = 2: "fwdinv", INVDISCRETE = 3: "invdiscrete",
    SLEEP = 4: "sleep", DIAGEXACT = 5: "diagexact", IPC = 6: "ipc", SPECULATIVE = 7: "speculative",
});

impl Enable {
    /// What is switched on here and not supported, in words.
    pub fn unsupported(self) -> Option<&'static str> {
        if self.has(Enable::IPC) {
            Some("incremental potential contact is not supported")
        } else if self.has(Enable::SPECULATIVE) {
            Some("speculative contacts are not supported")
        } else {
            None
        }
    }
}

/// Options of the simulation. SI units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Time step, s; > 0.
    pub timestep: f64,
    /// Ratio of friction to normal impedance of elliptic contacts; > 0.
    pub impratio: f64,
    /// Relative improvement below which the solver stops.
    pub tolerance: f64,
    /// Tolerance of the line search of the soft law's solvers.
    pub ls_tolerance: f64,
    /// Tolerance of the noslip pass.
    pub noslip_tolerance: f64,
    /// Tolerance of collision detection between convex shapes, m.
    pub ccd_tolerance: f64,
    /// Kept for the file; nothing sleeps.
    pub sleep_tolerance: f64,
    /// Gravitational acceleration, m/s².
    pub gravity: Vec3,
    /// Velocity of the medium, m/s.
    pub wind: Vec3,
    /// Magnetic flux, for magnetometers.
    pub magnetic: Vec3,
    /// Density and viscosity of the medium; 0: no fluid forces of that kind.
    pub density: f64,
    /// Viscosity of the medium, Pa s.
    pub viscosity: f64,
    /// Contact parameters that replace all others under [`Enable::OVERRIDE`].
    pub override_margin: f64,
    /// `solref` of all contacts where overriding is enabled.
    pub override_solref: [f64; 2],
    /// `solimp` of all contacts where overriding is enabled.
    pub override_solimp: [f64; 5],
    /// Friction of all contacts where overriding is enabled.
    pub override_friction: [f64; 5],
    /// How steps advance the state; [`Options::scheme`] is what is in force under the law.
    pub integrator: Integrator,
    /// Friction cones of the soft law.
    pub cone: Cone,
    /// Kept for the file: rows are always sparse.
    pub jacobian: JacobianStorage,
    /// Solver of the soft law.
    pub solver: Solver,
    /// Most iterations of the soft law's solver.
    pub iterations: i32,
    /// Most iterations of its line search.
    pub ls_iterations: i32,
    /// Iterations of the noslip pass; 0 for none.
    pub noslip_iterations: i32,
    /// Most iterations of collision detection between convex shapes.
    pub ccd_iterations: i32,
    /// What is switched off.
    pub disable: Disable,
    /// What is switched on.
    pub enable: Enable,
    /// Actuator groups that are switched off, one bit each.
    pub disable_actuator_groups: u32,
    /// Kept for files that set them; signed-distance geoms are not supported.
    pub sdf_init_points: i32,
    /// Kept for the file; there are no signed distance fields.
    pub sdf_iterations: i32,
    /// The contact law and its parameters; model files set them by custom elements.
    pub laws: LawOptions,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            timestep: 0.002,
            impratio: 1.0,
            tolerance: 1e-8,
            ls_tolerance: 0.01,
            noslip_tolerance: 1e-6,
            ccd_tolerance: 1e-6,
            sleep_tolerance: 1e-3,
            gravity: Vec3::new(0.0, 0.0, -9.81),
            wind: Vec3::ZERO,
            magnetic: Vec3::new(0.0, -0.5, 0.0),
            density: 0.0,
            viscosity: 0.0,
            override_margin: 0.0,
            override_solref: [0.02, 1.0],
            override_solimp: [0.9, 0.95, 0.001, 0.5, 2.0],
            override_friction: [1.0, 1.0, 0.005, 0.0001, 0.0001],
            integrator: Integrator::Euler,
            cone: Cone::Pyramidal,
            jacobian: JacobianStorage::Auto,
            solver: Solver::Newton,
            iterations: 100,
            ls_iterations: 50,
            noslip_iterations: 0,
            ccd_iterations: 35,
            disable: Disable::default(),
            enable: Enable::default(),
            disable_actuator_groups: 0,
            sdf_init_points: 40,
            sdf_iterations: 10,
            laws: LawOptions::default(),
        }
    }
}

impl Options {
    /// The integrator that steps. Laws that step velocities find v⁺ themselves, with what is implicit in velocity inside
    /// their metric: under them Euler and the implicit integrators step as the discrete one does.
    pub fn scheme(&self) -> Integrator {
        match self.integrator {
            Integrator::Euler | Integrator::Implicit | Integrator::ImplicitFast if self.laws.law.steps_velocity() => {
                Integrator::Discrete
            }
            integrator => integrator,
        }
    }

    /// Whether the noslip pass changes forces. It belongs to the soft law, whose friction creeps; laws that step velocities hold
    /// without it and ignore it.
    pub fn noslip_acts(&self) -> bool {
        self.noslip_iterations > 0 && self.laws.law == Law::Soft
    }

    /// The cone of contact rows: only the soft law knows pyramidal ones.
    pub fn row_cone(&self) -> Cone {
        if self.laws.law == Law::Soft { self.cone } else { Cone::Elliptic }
    }
}
