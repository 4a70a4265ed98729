//! Actuator shortcuts, reduced to gain, bias and activation dynamics.

use super::names;
use crate::error::ReadError;
use crate::xml::Element;
use saltus_math::real::PI;
use saltus_sim::model::kinds::{ActivationKind, BiasKind, GainKind};
use saltus_sim::model::spec::{ActuatorDefault, ActuatorSpec};

/// Range, force, scale, lmin, lmax, vmax, fpmax, fvmax of a muscle.
const MUSCLE: [f64; 10] = [0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2, 0.0];

/// Reads the attributes specific to one actuator element.
pub fn force_law(e: Element, prototype: &mut ActuatorDefault) -> Result<(), ReadError> {
    let same = prototype.element == e.tag();
    if e.tag() == "motor" {
        prototype.clear_force_law();
    }
    let a = &mut prototype.spec;
    match e.tag() {
        "general" => general(e, a),
        "motor" => Ok(()),
        "position" => position(e, a),
        "velocity" => {
            let mut kv = a.gain_prm[0];
            e.real("kv", &mut kv)?;
            set(a, ActivationKind::None, GainKind::Fixed, BiasKind::Affine);
            a.activation_prm = first(&[1.0]);
            a.gain_prm = first(&[kv]);
            a.bias_prm = first(&[0.0, 0.0, -kv]);
            Ok(())
        }
        "intvelocity" => {
            set(a, ActivationKind::Integrator, GainKind::Fixed, BiasKind::Affine);
            a.activation_prm = first(&[1.0]);
            servo(e, a)?;
            inherit_range(e, a, "actrange")
        }
        "damper" => damper(e, a),
        "cylinder" => cylinder(e, a),
        "muscle" => muscle(e, a, same),
        "adhesion" => {
            let mut gain = a.gain_prm[0];
            if e.real("gain", &mut gain)? && gain < 0.0 {
                return Err(e.attribute_error("gain", "must not be negative"));
            }
            set(a, ActivationKind::None, GainKind::Fixed, BiasKind::None);
            a.activation_prm = first(&[1.0]);
            a.gain_prm = first(&[gain]);
            a.bias_prm = first(&[]);
            a.ctrl_limited = Some(true);
            Ok(())
        }
        "pid" => pid(e, a),
        other => Err(e.error(format!("{other} actuators are not supported"))),
    }
}

/// The given numbers, followed by zeros.
fn first(values: &[f64]) -> [f64; 10] {
    let mut prm = [0.0; 10];
    prm.iter_mut().zip(values).for_each(|(p, v)| *p = *v);
    prm
}

fn set(a: &mut ActuatorSpec, activation: ActivationKind, gain: GainKind, bias: BiasKind) {
    a.activation = activation;
    a.gain = gain;
    a.bias = bias;
    a.activation_early = false;
    a.activation_dim = None;
    a.inputs = 0;
}

fn general(e: Element, a: &mut ActuatorSpec) -> Result<(), ReadError> {
    let dynamics = [
        ("none", ActivationKind::None),
        ("integrator", ActivationKind::Integrator),
        ("filter", ActivationKind::Filter),
        ("filterexact", ActivationKind::FilterExact),
        ("muscle", ActivationKind::Muscle),
        ("pid", ActivationKind::Pid),
        ("user", ActivationKind::User),
    ];
    let gains = [
        ("fixed", GainKind::Fixed),
        ("affine", GainKind::Affine),
        ("muscle", GainKind::Muscle),
        ("pid", GainKind::Pid),
        ("user", GainKind::User),
    ];
    let biases = [
        ("none", BiasKind::None),
        ("affine", BiasKind::Affine),
        ("muscle", BiasKind::Muscle),
        ("user", BiasKind::User),
    ];
    for name in ["dyntype", "gaintype", "biastype"] {
        match e.text(name) {
            Some("dcmotor") => return Err(e.attribute_error(name, "the DC motor model is not supported")),
            Some("so3") => return Err(e.attribute_error(name, "orientation servos are not supported")),
            _ => {}
        }
    }
    let gain_before = a.gain;
    e.keyword("dyntype", &dynamics, &mut a.activation)?;
    e.keyword("gaintype", &gains, &mut a.gain)?;
    e.keyword("biastype", &biases, &mut a.bias)?;
    e.some("dynprm", &mut a.activation_prm)?;
    e.some("gainprm", &mut a.gain_prm)?;
    e.some("biasprm", &mut a.bias_prm)?;
    let mut dim = 0;
    if e.integer("actdim", &mut dim)? {
        if dim > 1_000_000 {
            return Err(e.attribute_error("actdim", format!("expected at most 1000000, found {dim}")));
        }
        a.activation_dim = usize::try_from(dim).ok();
    }
    e.flag("actearly", &mut a.activation_early)?;
    e.real("inheritrange", &mut a.inherit_range)?;
    if a.gain != gain_before {
        a.inputs = 0;
    }
    inputs(e, a)
}

/// Declared inputs: bits 1 position, 2 velocity, 4 feed-forward. For kinds with one control they
/// are only documentation.
fn inputs(e: Element, a: &mut ActuatorSpec) -> Result<(), ReadError> {
    let Some(text) = e.text("input") else { return Ok(()) };
    let allowed = if a.gain == GainKind::Pid { &names::INPUTS[..3] } else { names::INPUTS };
    let mut all = 0;
    for word in text.split_ascii_whitespace() {
        let bit = e.word("input", word, allowed)?;
        if bit <= all {
            return Err(e.attribute_error("input", "inputs must come once, in the order pos, vel, ff"));
        }
        all |= bit;
    }
    a.inputs = all;
    Ok(())
}

/// kp, kv and dampratio of a servo: gain kp, bias (0, −kp, −kv), or (0, −kp, dampratio) until the
/// model is complete.
fn servo(e: Element, a: &mut ActuatorSpec) -> Result<(), ReadError> {
    let mut kp = a.gain_prm[0];
    let mut kv = a.bias_prm[2];
    e.real("kp", &mut kp)?;
    damping(e, &mut kv)?;
    a.gain_prm = first(&[kp]);
    a.bias_prm = first(&[0.0, -kp, kv]);
    Ok(())
}

fn damping(e: Element, coefficient: &mut f64) -> Result<(), ReadError> {
    let (mut kv, mut ratio) = (0.0, 0.0);
    let by_gain = e.real("kv", &mut kv)?;
    let by_ratio = e.real("dampratio", &mut ratio)?;
    if by_gain && by_ratio {
        return Err(e.attribute_error("dampratio", "kv and dampratio cannot both be given"));
    }
    for (name, value) in [("kv", kv), ("dampratio", ratio)] {
        if value < 0.0 {
            return Err(e.attribute_error(name, "must not be negative"));
        }
    }
    if by_gain {
        *coefficient = -kv;
    } else if by_ratio {
        *coefficient = ratio;
    }
    Ok(())
}

/// The range to copy from the target; it replaces a range inherited from a default class.
fn inherit_range(e: Element, a: &mut ActuatorSpec, range: &str) -> Result<(), ReadError> {
    if e.real("inheritrange", &mut a.inherit_range)? && a.inherit_range > 0.0 {
        if e.text(range).is_some() {
            return Err(e.attribute_error("inheritrange", format!("{range} and inheritrange cannot both be given")));
        }
        if range == "actrange" {
            a.activation_range = [0.0; 2];
        } else {
            a.ctrl_range = [0.0; 2];
        }
    }
    Ok(())
}

fn position(e: Element, a: &mut ActuatorSpec) -> Result<(), ReadError> {
    let filtered = a.activation == ActivationKind::FilterExact;
    let mut time_const = a.activation_prm[0];
    let given = e.real("timeconst", &mut time_const)?;
    if given && time_const < 0.0 {
        return Err(e.attribute_error("timeconst", "must not be negative"));
    }
    set(a, ActivationKind::None, GainKind::Fixed, BiasKind::Affine);
    a.activation_prm = first(&[1.0]);
    if given || filtered {
        a.activation_prm = first(&[time_const]);
        if time_const > 0.0 {
            a.activation = ActivationKind::FilterExact;
        }
    }
    servo(e, a)?;
    inherit_range(e, a, "ctrlrange")
}

fn damper(e: Element, a: &mut ActuatorSpec) -> Result<(), ReadError> {
    let mut kv = -a.gain_prm[2];
    if e.real("kv", &mut kv)? && kv < 0.0 {
        return Err(e.attribute_error("kv", "must not be negative"));
    }
    set(a, ActivationKind::None, GainKind::Affine, BiasKind::None);
    a.activation_prm = first(&[1.0]);
    a.gain_prm = first(&[0.0, 0.0, -kv]);
    a.bias_prm = first(&[]);
    a.ctrl_limited = Some(true);
    Ok(())
}

fn cylinder(e: Element, a: &mut ActuatorSpec) -> Result<(), ReadError> {
    let (mut time_const, mut area, mut diameter) = (a.activation_prm[0], a.gain_prm[0], 0.0);
    let mut bias = [a.bias_prm[0], a.bias_prm[1], a.bias_prm[2]];
    e.real("timeconst", &mut time_const)?;
    e.real("area", &mut area)?;
    if e.real("diameter", &mut diameter)? && diameter >= 0.0 {
        area = PI / 4.0 * diameter * diameter;
    }
    e.exact("bias", &mut bias)?;
    set(a, ActivationKind::Filter, GainKind::Fixed, BiasKind::Affine);
    a.activation_prm = first(&[time_const]);
    a.gain_prm = first(&[area]);
    a.bias_prm = first(&bias);
    Ok(())
}

fn muscle(e: Element, a: &mut ActuatorSpec, same: bool) -> Result<(), ReadError> {
    if !(same || a.gain == GainKind::Muscle) {
        a.gain_prm = MUSCLE;
        a.activation_prm = first(&[0.01, 0.04]);
    }
    set(a, ActivationKind::Muscle, GainKind::Muscle, BiasKind::Muscle);
    e.exact("timeconst", &mut a.activation_prm[..2])?;
    if e.real("tausmooth", &mut a.activation_prm[2])? && a.activation_prm[2] < 0.0 {
        return Err(e.attribute_error("tausmooth", "must not be negative"));
    }
    e.exact("range", &mut a.gain_prm[..2])?;
    for (i, name) in ["force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"].into_iter().enumerate() {
        e.real(name, &mut a.gain_prm[2 + i])?;
    }
    a.bias_prm = a.gain_prm;
    Ok(())
}

fn pid(e: Element, a: &mut ActuatorSpec) -> Result<(), ReadError> {
    if a.gain != GainKind::Pid {
        a.activation_prm = first(&[]);
        a.gain_prm = first(&[]);
        a.bias_prm = first(&[0.0, -1.0]);
        a.inputs = 0;
    }
    let mut kp = -a.bias_prm[1];
    e.real("kp", &mut kp)?;
    a.bias_prm[1] = -kp;
    damping(e, &mut a.bias_prm[2])?;
    e.real("ki", &mut a.gain_prm[0])?;
    e.real("imax", &mut a.activation_prm[0])?;
    e.real("slewmax", &mut a.activation_prm[1])?;
    let stateful = a.gain_prm[0] != 0.0 || a.activation_prm[1] > 0.0;
    let declared = a.inputs;
    set(a, if stateful { ActivationKind::Pid } else { ActivationKind::None }, GainKind::Pid, BiasKind::Affine);
    a.inputs = declared;
    inputs(e, a)?;
    if e.exact("posrange", &mut a.ctrl_range)? {
        a.inherit_range = 0.0;
    }
    let range = if e.text("posrange").is_some() { "posrange" } else { "ctrlrange" };
    inherit_range(e, a, range)
}
