//! What the geometry for planning is asked to be, and what can be wrong with that.

use saltus_sim::CompileError;
use saltus_sim::model::NoSuchName;

/// Which bodies get contact candidates against the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Touch {
    /// All that the model's own filters let touch it.
    #[default]
    Environment,
    /// Only these and what is fixed to them without a joint: feet, say.
    Bodies(Vec<String>),
    /// None: all contacts are those of `between`.
    Nothing,
    /// No candidates: the model's own shapes touch each other as they do in simulation. Contacts of
    /// boxes and meshes flip.
    Shapes,
}

/// What a box or a mesh becomes on a body that is named in `between` and touched by the candidates
/// of the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Touched {
    /// Itself: the distance of a ball to a convex shape is smooth while the ball's centre is
    /// outside.
    #[default]
    Itself,
    /// The capsule around it: smooth also where the ball's centre is inside, at the cost of the
    /// reported error.
    Capsule,
}

/// How the geometry for planning is made. Lengths in m, for machines of 0.1 to 2 m.
#[derive(Clone, Debug, PartialEq)]
pub struct GeometryOptions {
    /// Which shapes are to touch something.
    pub touch: Touch,
    /// Pairs of bodies that touch each other, such as a fingertip and an object.
    pub between: Vec<(String, String)>,
    /// Which shapes are to be touched.
    pub touched: Touched,
    /// Largest radius with which corners are rounded. Balls are smooth to touch down to this depth;
    /// a corner of a box recedes by (√3 − 1) of it. Nominal 1e-3 to 1e-2.
    pub rounding: f64,
    /// Most candidates of one mesh, at least 4; the first four are corners of its largest flat
    /// side.
    pub per_mesh: usize,
    /// Most candidates of one body, at least 4.
    pub per_body: usize,
    /// Candidates on each rim of a cylinder, at least 3.
    pub per_rim: usize,
    /// A mesh gets no further candidate once its hull is this close to that of its candidates.
    /// Nominal 1e-4 to 1e-2.
    pub tolerance: f64,
    /// Keyframe of the nominal pose; `None` is the reference pose. Capsules that overlap in it are
    /// not checked.
    pub nominal: Option<String>,
    /// Joints between two links up to which an overlap in the nominal pose is by construction.
    pub near: usize,
}

impl Default for GeometryOptions {
    fn default() -> Self {
        Self {
            touch: Touch::Environment,
            between: Vec::new(),
            touched: Touched::Itself,
            rounding: 0.005,
            per_mesh: 8,
            per_body: 16,
            per_rim: 8,
            tolerance: 1e-3,
            nominal: None,
            near: 3,
        }
    }
}

impl GeometryOptions {
    /// The first setting that is out of its bounds.
    pub fn validate(&self) -> Result<(), GeometryError> {
        let bad = |name, expected, found: f64| Err(GeometryError::Option { name, expected, found });
        for (name, x) in [("rounding", self.rounding), ("tolerance", self.tolerance)] {
            if !(x > 0.0 && x.is_finite()) {
                return bad(name, "a positive length", x);
            }
        }
        for (name, n) in [("per_mesh", self.per_mesh), ("per_body", self.per_body)] {
            if n < 4 {
                return bad(name, "at least 4", n as f64);
            }
        }
        if self.per_rim < 3 {
            return bad("per_rim", "at least 3", self.per_rim as f64);
        }
        Ok(())
    }
}

/// Why there is no geometry for planning.
#[derive(Debug, thiserror::Error)]
pub enum GeometryError {
    /// An option is outside its range.
    #[error("the geometry option {name} must be {expected}, not {found}")]
    Option {
        /// Name of the option.
        name: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        found: f64,
    },
    /// No object of the model has this name.
    #[error(transparent)]
    Name(#[from] NoSuchName),
    /// A body that cannot move.
    #[error("body {name:?} cannot move: candidates belong to bodies with joints")]
    Fixed {
        /// Name of the body.
        name: String,
    },
    /// Two bodies that cannot touch.
    #[error("bodies {first:?} and {second:?} cannot touch: {why}")]
    Apart {
        /// Name of one body.
        first: String,
        /// Name of the other body.
        second: String,
        /// Why they cannot touch.
        why: &'static str,
    },
    /// The model does not compile.
    #[error(transparent)]
    Compile(#[from] CompileError),
}
