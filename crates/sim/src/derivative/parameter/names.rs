//! Parameters of a model: names and locations of their values.
//!
//! A name is `kind/element/attribute` or `kind/element/attribute/component`, with the words of
//! MJCF: "body/torso/mass", "geom/floor/friction/0", "actuator/knee/gainprm/0". Elements without a
//! name go by their index; gravity belongs to no element: "option/gravity/2". Joints with several
//! dofs have one damping, armature and frictionloss for each of them.

use crate::model::Model;
use crate::model::kinds::{BiasKind, GainKind, GeomShape, JointKind, ObjectKind, TransmissionKind};

/// Quantity that a parameter is a number of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    BodyMass,
    /// Principal moments of inertia.
    BodyInertia,
    /// Centre of mass in the body's frame.
    BodyInertialPos,
    /// Position of the body frame in the parent's frame.
    BodyPos,
    GeomFriction,
    /// In the body's frame.
    GeomPos,
    GeomSize,
    PairFriction,
    JointDamping,
    JointArmature,
    JointFrictionLoss,
    JointStiffness,
    JointSpringRef,
    JointRange,
    TendonStiffness,
    TendonDamping,
    TendonFrictionLoss,
    TendonSpringLength,
    TendonRange,
    ActuatorGain,
    ActuatorBias,
    ActuatorGear,
    Gravity,
}

use Quantity as Q;

/// One number of a compiled model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameter {
    pub quantity: Quantity,
    /// Index of the body, geom, pair, joint, tendon or actuator; 0 for gravity.
    pub element: usize,
    /// Index of the component; 0 for scalars.
    pub component: usize,
}

/// Why a name is not that of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    #[error("{name:?}: unknown kind of element; available: {known}")]
    Kind { name: String, known: String },
    #[error("{name:?}: a {kind} has no such parameter; available: {known}")]
    Attribute { name: String, kind: &'static str, known: String },
    #[error("{name:?}: there is no {kind} {element:?}; available: {known}")]
    Element { name: String, kind: &'static str, element: String, known: String },
    #[error("{name:?}: this {kind} has {known}")]
    Component { name: String, kind: &'static str, known: String },
    #[error("parameter {0:?} does not exist in this model")]
    Missing(Parameter),
}

/// All quantities: kind of element, attribute, and whether components are numbered even if there is
/// only one.
const TABLE: [(Quantity, &str, &str, bool); 23] = [
    (Q::BodyMass, "body", "mass", false),
    (Q::BodyInertia, "body", "inertia", true),
    (Q::BodyInertialPos, "body", "ipos", true),
    (Q::BodyPos, "body", "pos", true),
    (Q::GeomFriction, "geom", "friction", true),
    (Q::GeomPos, "geom", "pos", true),
    (Q::GeomSize, "geom", "size", true),
    (Q::PairFriction, "pair", "friction", true),
    (Q::JointDamping, "joint", "damping", false),
    (Q::JointArmature, "joint", "armature", false),
    (Q::JointFrictionLoss, "joint", "frictionloss", false),
    (Q::JointStiffness, "joint", "stiffness", false),
    (Q::JointSpringRef, "joint", "springref", false),
    (Q::JointRange, "joint", "range", true),
    (Q::TendonStiffness, "tendon", "stiffness", false),
    (Q::TendonDamping, "tendon", "damping", false),
    (Q::TendonFrictionLoss, "tendon", "frictionloss", false),
    (Q::TendonSpringLength, "tendon", "springlength", true),
    (Q::TendonRange, "tendon", "range", true),
    (Q::ActuatorGain, "actuator", "gainprm", true),
    (Q::ActuatorBias, "actuator", "biasprm", true),
    (Q::ActuatorGear, "actuator", "gear", true),
    (Q::Gravity, "option", "gravity", true),
];

/// The kind of element; None for gravity.
fn object(kind: &str) -> Option<ObjectKind> {
    Some(match kind {
        "body" => ObjectKind::Body,
        "geom" => ObjectKind::Geom,
        "pair" => ObjectKind::Pair,
        "joint" => ObjectKind::Joint,
        "tendon" => ObjectKind::Tendon,
        "actuator" => ObjectKind::Actuator,
        _ => return None,
    })
}

impl Quantity {
    fn row(self) -> (&'static str, &'static str, bool) {
        let found = TABLE.iter().find(|row| row.0 == self);
        found.map_or(("", "", false), |&(_, kind, attribute, numbered)| (kind, attribute, numbered))
    }

    /// Number of components of an element; zero if it does not have the quantity.
    pub fn count(self, model: &Model, element: usize) -> usize {
        let joint = |n: fn(JointKind) -> usize| model.joints.kind.get(element).map_or(0, |&k| n(k));
        let scalar = |k: JointKind| usize::from(k.nv() == 1);
        let actuators = &model.actuators;
        match self {
            Q::BodyMass | Q::BodyInertia | Q::BodyInertialPos if element == 0 => 0,
            Q::BodyMass => usize::from(element < model.nbody()),
            Q::BodyInertia | Q::BodyInertialPos => 3 * usize::from(element < model.nbody()),
            Q::BodyPos => 3 * usize::from(is_offset(model, element)),
            Q::GeomFriction | Q::GeomPos => 3 * usize::from(element < model.ngeom()),
            Q::GeomSize => match model.geoms.shape.get(element) {
                Some(GeomShape::Sphere) => 1,
                Some(GeomShape::Capsule | GeomShape::Cylinder) => 2,
                Some(GeomShape::Box | GeomShape::Ellipsoid) => 3,
                _ => 0,
            },
            Q::PairFriction => 5 * usize::from(element < model.pairs.dim.len()),
            Q::JointDamping | Q::JointArmature | Q::JointFrictionLoss => joint(|k| k.nv()),
            Q::JointStiffness => joint(|_| 1),
            Q::JointSpringRef => joint(scalar),
            Q::JointRange => 2 * joint(scalar),
            Q::TendonStiffness | Q::TendonDamping | Q::TendonFrictionLoss => usize::from(element < model.ntendon()),
            Q::TendonSpringLength | Q::TendonRange => 2 * usize::from(element < model.ntendon()),
            Q::ActuatorGain => match actuators.gain.get(element) {
                Some(GainKind::Fixed | GainKind::Pid) => 1,
                Some(GainKind::Affine) => 3,
                _ => 0,
            },
            Q::ActuatorBias => 3 * usize::from(actuators.bias.get(element) == Some(&BiasKind::Affine)),
            Q::ActuatorGear => gears(model, element),
            Q::Gravity => 3 * usize::from(element == 0),
        }
    }
}

/// Whether the body frame is at a constant offset from its parent: not for free and mocap bodies.
fn is_offset(model: &Model, b: usize) -> bool {
    let free =
        |b: usize| model.bodies.joints[b].range().next().is_some_and(|j| model.joints.kind[j] == JointKind::Free);
    (1..model.nbody()).contains(&b) && model.bodies.mocap[b].is_none() && !free(b)
}

/// Number of gear components that a transmission uses.
fn gears(model: &Model, a: usize) -> usize {
    let (Some(kind), Some(&[target, second])) = (model.actuators.transmission.get(a), model.actuators.target.get(a))
    else {
        return 0;
    };
    match (kind, target) {
        (TransmissionKind::Joint | TransmissionKind::JointInParent, Some(j)) => model.joints.kind[j as usize].nv(),
        (TransmissionKind::Tendon, Some(_)) => 1,
        (TransmissionKind::SliderCrank, Some(_)) => usize::from(second.is_some()),
        (TransmissionKind::Site, Some(_)) => 6,
        _ => 0,
    }
}

/// The location of a parameter's value, by `&` or `&mut`.
macro_rules! place {
    ($parameter:expr, $model:expr, $($by:tt)+) => {{
        if !$parameter.exists($model) {
            return Err(ParameterError::Missing(*$parameter));
        }
        let (i, k) = ($parameter.element, $parameter.component);
        let (dof, q) = $parameter.joint_starts($model);
        match $parameter.quantity {
            Q::BodyMass => $($by)+ $model.bodies.mass[i],
            Q::BodyInertia => $($by)+ $model.bodies.inertia[i][k],
            Q::BodyInertialPos => $($by)+ $model.bodies.inertial_pos[i][k],
            Q::BodyPos => $($by)+ $model.bodies.pos[i][k],
            Q::GeomFriction => $($by)+ $model.geoms.friction[i][k],
            Q::GeomPos => $($by)+ $model.geoms.pos[i][k],
            Q::GeomSize => $($by)+ $model.geoms.size[i][k],
            Q::PairFriction => $($by)+ $model.pairs.friction[i][k],
            Q::JointDamping => $($by)+ $model.dofs.damping[dof + k],
            Q::JointArmature => $($by)+ $model.dofs.armature[dof + k],
            Q::JointFrictionLoss => $($by)+ $model.dofs.friction_loss[dof + k],
            Q::JointStiffness => $($by)+ $model.joints.stiffness[i],
            Q::JointSpringRef => $($by)+ $model.q_spring[q],
            Q::JointRange => $($by)+ $model.joints.range[i][k],
            Q::TendonStiffness => $($by)+ $model.tendons.stiffness[i],
            Q::TendonDamping => $($by)+ $model.tendons.damping[i],
            Q::TendonFrictionLoss => $($by)+ $model.tendons.friction_loss[i],
            Q::TendonSpringLength => $($by)+ $model.tendons.length_spring[i][k],
            Q::TendonRange => $($by)+ $model.tendons.range[i][k],
            Q::ActuatorGain => $($by)+ $model.actuators.gain_prm[i][k],
            Q::ActuatorBias => $($by)+ $model.actuators.bias_prm[i][k],
            Q::ActuatorGear => $($by)+ $model.actuators.gear[i][k],
            Q::Gravity => $($by)+ $model.options.gravity[k],
        }
    }};
}

impl Parameter {
    /// All parameters of a model.
    pub fn all(model: &Model) -> Vec<Parameter> {
        let mut out = vec![];
        for &(quantity, kind, ..) in &TABLE {
            let elements = object(kind).map_or(1, |o| model.names(o).len());
            for element in 0..elements {
                let components = 0..quantity.count(model, element);
                out.extend(components.map(|component| Parameter { quantity, element, component }));
            }
        }
        out
    }

    /// The name of a parameter, as accepted by [`find`](Self::find).
    pub fn name(&self, model: &Model) -> String {
        let (kind, attribute, numbered) = self.quantity.row();
        let mut out = kind.to_owned();
        if let Some(object) = object(kind) {
            let name = model.names(object).get(self.element).filter(|n| !n.is_empty());
            out += "/";
            out += &name.cloned().unwrap_or_else(|| self.element.to_string());
        }
        out += "/";
        out += attribute;
        if numbered || self.quantity.count(model, self.element) > 1 {
            out += &format!("/{}", self.component);
        }
        out
    }

    /// Finds a parameter by name.
    pub fn find(model: &Model, name: &str) -> Result<Parameter, ParameterError> {
        let mut parts: Vec<&str> = name.split('/').collect();
        let kind = parts.remove(0);
        let own = || TABLE.iter().filter(|row| row.1 == kind);
        let Some(&(_, kind, ..)) = own().next() else {
            let mut known: Vec<&str> = TABLE.iter().map(|row| row.1).collect();
            known.dedup();
            return Err(ParameterError::Kind { name: name.into(), known: known.join(", ") });
        };
        // Attribute and component come last; names of elements may contain slashes too.
        let component = match parts.last().map(|last| last.parse::<usize>()) {
            Some(Ok(k)) if parts.len() > 1 => {
                parts.pop();
                Some(k)
            }
            _ => None,
        };
        let attribute = parts.pop().unwrap_or("");
        let Some(&(quantity, _, _, numbered)) = own().find(|row| row.2 == attribute) else {
            let known: Vec<&str> = own().map(|row| row.2).collect();
            return Err(ParameterError::Attribute { name: name.into(), kind, known: known.join(", ") });
        };
        let element = match object(kind) {
            None => 0,
            Some(object) => find_element(model, object, &parts.join("/")).ok_or_else(|| ParameterError::Element {
                name: name.into(),
                kind,
                element: parts.join("/"),
                known: elements(model, object),
            })?,
        };
        let count = quantity.count(model, element);
        let found = match component {
            None if count == 1 && !numbered => Some(0),
            Some(k) if k < count && (numbered || count > 1) => Some(k),
            _ => None,
        };
        found.map(|component| Parameter { quantity, element, component }).ok_or_else(|| {
            let known = match count {
                0 => format!("no {attribute}"),
                1 if !numbered => format!("one {attribute}, without a number"),
                _ => format!("{count} of {attribute}: give a number from 0 to {} at the end", count - 1),
            };
            ParameterError::Component { name: name.into(), kind, known }
        })
    }

    /// Whether the model has this parameter.
    pub fn exists(&self, model: &Model) -> bool {
        self.component < self.quantity.count(model, self.element)
    }

    /// The value.
    pub fn value(&self, model: &Model) -> Result<f64, ParameterError> {
        Ok(*place!(self, model, &))
    }

    /// Mutable access to the value. Changing it recomputes nothing, as assigning to a field of a
    /// compiled model in MuJoCo.
    pub fn number<'m>(&self, model: &'m mut Model) -> Result<&'m mut f64, ParameterError> {
        Ok(place!(self, model, &mut))
    }

    /// First dof and coordinate, if the element is a joint.
    fn joint_starts(&self, model: &Model) -> (usize, usize) {
        let start = |x: &[u32]| x.get(self.element).map_or(0, |&x| x as usize);
        (start(&model.joints.dof_start), start(&model.joints.q_start))
    }
}

/// By name, or by index if no name matches.
fn find_element(model: &Model, object: ObjectKind, name: &str) -> Option<usize> {
    model.find(object, name).or_else(|| name.parse().ok().filter(|&i: &usize| i < model.names(object).len()))
}

/// Some names of elements, for error messages.
fn elements(model: &Model, object: ObjectKind) -> String {
    const MOST: usize = 20;
    let names = model.names(object);
    let first = usize::from(object == ObjectKind::Body);
    let shown = names.iter().enumerate().skip(first).take(MOST);
    let mut out: Vec<String> = shown.map(|(i, n)| if n.is_empty() { i.to_string() } else { n.clone() }).collect();
    if names.len() > MOST + first {
        out.push(format!("… ({} in all)", names.len() - first));
    }
    if out.is_empty() { "none".to_owned() } else { out.join(", ") }
}
