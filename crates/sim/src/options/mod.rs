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
            /// The choice with this number in MuJoCo; `None` if there is none.
            pub fn from_i32(value: i32) -> Option<Self> {
                match value { $($value => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}
choices! {
    /// Time integration scheme. The first five are MJCF's; model files select the others with a
    /// custom text `saltus_integrator`.
    Integrator {
        Euler = 0,
        Rk4 = 1,
        Implicit = 2,
        ImplicitFast = 3,
        Discrete = 4,
        /// Explicit Euler: positions are integrated with the old velocity.
        Explicit = 100,
        /// Positions are integrated with the mean of the old and the new velocity.
        Midpoint = 101,
        /// Semi-implicit Euler with explicit damping: positions are integrated with the new
        /// velocity.
        SemiImplicit = 102,
        /// Runge–Kutta for the smooth dynamics, with constraints solved once per step.
        Interleaved = 103,
    }
}

impl Integrator {
    /// All integrators with their names. MJCF uses other names for its integrators.
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
    /// Name of the custom text with which a model file selects one of [`OWN`](Self::OWN).
    pub const TEXT: &'static str = "saltus_integrator";
    /// The integrators that MJCF does not have, with their names in model files.
    pub const OWN: &'static [(&'static str, Integrator)] = Self::NAMES.split_at(5).1;
}
choices! {
    /// Shape of the friction cones.
    Cone { Pyramidal = 0, Elliptic = 1 }
}

impl Cone {
    /// All cones with their names.
    pub const NAMES: [(&'static str, Cone); 2] = [("pyramidal", Cone::Pyramidal), ("elliptic", Cone::Elliptic)];
}
choices! {
    /// Storage format of the constraint Jacobian.
    JacobianStorage { Dense = 0, Sparse = 1, Auto = 2 }
}
choices! {
    /// Algorithm of the constraint solver.
    Solver { Pgs = 0, Cg = 1, Newton = 2 }
}

impl Solver {
    /// All solvers with their names. MJCF uses other names for them.
    pub const NAMES: [(&'static str, Solver); 3] =
        [("pgs", Solver::Pgs), ("cg", Solver::Cg), ("newton", Solver::Newton)];
}

/// Flags that disable features which are on by default. The bits are MJCF's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Disable(pub u32);

/// Flags that enable features which are off by default. The bits are MJCF's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Enable(pub u32);

macro_rules! flags {
    ($t:ident { $($name:ident = $bit:literal : $text:literal),+ $(,)? }) => {
        impl $t {
            $(#[doc = concat!("`", $text, "` in model files.")] pub const $name: $t = $t(1 << $bit);)+
            /// All flags with their names in model files, in the order of their bits.
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
    /// A message about the first enabled flag that is not supported.
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
    /// Solver tolerance: the relative cost improvement below which the solver stops.
    pub tolerance: f64,
    /// Tolerance of the line search of the soft law's solvers.
    pub ls_tolerance: f64,
    /// Tolerance of the noslip pass.
    pub noslip_tolerance: f64,
    /// Tolerance of collision detection between convex shapes, m.
    pub ccd_tolerance: f64,
    /// Stored for model files only; sleeping is not supported.
    pub sleep_tolerance: f64,
    /// Gravitational acceleration, m/s².
    pub gravity: Vec3,
    /// Velocity of the medium, m/s.
    pub wind: Vec3,
    /// Magnetic flux density for magnetometers, T.
    pub magnetic: Vec3,
    /// Density of the medium, kg/m³; 0 disables the fluid forces that depend on it.
    pub density: f64,
    /// Viscosity of the medium, Pa s; 0 disables the fluid forces that depend on it.
    pub viscosity: f64,
    /// Margin of all contacts under [`Enable::OVERRIDE`], m.
    pub override_margin: f64,
    /// `solref` of all contacts under [`Enable::OVERRIDE`].
    pub override_solref: [f64; 2],
    /// `solimp` of all contacts under [`Enable::OVERRIDE`].
    pub override_solimp: [f64; 5],
    /// Friction of all contacts under [`Enable::OVERRIDE`].
    pub override_friction: [f64; 5],
    /// Time integration scheme. [`Options::scheme`] is the one that is used under the contact law.
    pub integrator: Integrator,
    /// Friction cones of the soft law; the other laws use elliptic cones.
    pub cone: Cone,
    /// Stored for model files only; the constraint Jacobian is always sparse.
    pub jacobian: JacobianStorage,
    /// Solver of the soft law.
    pub solver: Solver,
    /// Maximum number of iterations of the soft law's solver.
    pub iterations: i32,
    /// Maximum number of iterations of the line search of the soft law's solver.
    pub ls_iterations: i32,
    /// Number of iterations of the noslip pass; 0 disables it.
    pub noslip_iterations: i32,
    /// Maximum number of iterations of collision detection between convex shapes.
    pub ccd_iterations: i32,
    /// Disabled features.
    pub disable: Disable,
    /// Enabled features.
    pub enable: Enable,
    /// Disabled actuator groups, one bit per group.
    pub disable_actuator_groups: u32,
    /// Stored for model files only; signed-distance geoms are not supported.
    pub sdf_init_points: i32,
    /// Stored for model files only; signed-distance geoms are not supported.
    pub sdf_iterations: i32,
    /// The contact law and its parameters. Model files set them with custom elements.
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
    /// The integration scheme that is used under the contact law. Velocity-stepping laws solve for
    /// v⁺ themselves and include terms that are implicit in velocity in their metric. Under them
    /// Euler and the implicit integrators step like the discrete one.
    pub fn scheme(&self) -> Integrator {
        match self.integrator {
            Integrator::Euler | Integrator::Implicit | Integrator::ImplicitFast if self.laws.law.steps_velocity() => {
                Integrator::Discrete
            }
            integrator => integrator,
        }
    }

    /// Whether the noslip pass is applied. It reduces the creep of friction under the soft law; the
    /// other laws ignore it.
    pub fn noslip_acts(&self) -> bool {
        self.noslip_iterations > 0 && self.laws.law == Law::Soft
    }

    /// The friction cone of contact rows. Only the soft law supports pyramidal cones.
    pub fn row_cone(&self) -> Cone {
        if self.laws.law == Law::Soft { self.cone } else { Cone::Elliptic }
    }
}
