//! Sensors.

use super::body_parts::refuse_nonzero;
use super::custom::OBJECTS;
use super::names;
use crate::error::ReadError;
use crate::xml::Element;
use saltus_sim::model::spec::{ObjectKind, SensorKind, SensorSpec};

use ObjectKind as O;
use SensorKind as K;

/// Outputs of contact sensors, by number of the bit.
pub(super) const CONTACT_DATA: &[(&str, i32)] = &[
    ("found", 0),
    ("force", 1),
    ("torque", 2),
    ("dist", 3),
    ("pos", 4),
    ("normal", 5),
    ("tangent", 6),
    ("linvel", 7),
    ("angvel", 8),
];

/// Outputs of rangefinders, by number of the bit.
pub(super) const RANGEFINDER_DATA: &[(&str, i32)] =
    &[("dist", 0), ("dir", 1), ("origin", 2), ("point", 3), ("normal", 4), ("depth", 5)];

pub const KINDS: &[(&str, SensorKind)] = &[
    ("touch", K::Touch),
    ("accelerometer", K::Accelerometer),
    ("velocimeter", K::Velocimeter),
    ("gyro", K::Gyro),
    ("force", K::Force),
    ("torque", K::Torque),
    ("magnetometer", K::Magnetometer),
    ("rangefinder", K::Rangefinder),
    ("camprojection", K::CamProjection),
    ("jointpos", K::JointPos),
    ("jointvel", K::JointVel),
    ("tendonpos", K::TendonPos),
    ("tendonvel", K::TendonVel),
    ("actuatorpos", K::ActuatorPos),
    ("actuatorvel", K::ActuatorVel),
    ("actuatorfrc", K::ActuatorFrc),
    ("jointactuatorfrc", K::JointActFrc),
    ("tendonactuatorfrc", K::TendonActFrc),
    ("ballquat", K::BallQuat),
    ("ballangvel", K::BallAngVel),
    ("jointlimitpos", K::JointLimitPos),
    ("jointlimitvel", K::JointLimitVel),
    ("jointlimitfrc", K::JointLimitFrc),
    ("tendonlimitpos", K::TendonLimitPos),
    ("tendonlimitvel", K::TendonLimitVel),
    ("tendonlimitfrc", K::TendonLimitFrc),
    ("framepos", K::FramePos),
    ("framequat", K::FrameQuat),
    ("framexaxis", K::FrameXAxis),
    ("frameyaxis", K::FrameYAxis),
    ("framezaxis", K::FrameZAxis),
    ("framelinvel", K::FrameLinVel),
    ("frameangvel", K::FrameAngVel),
    ("framelinacc", K::FrameLinAcc),
    ("frameangacc", K::FrameAngAcc),
    ("subtreecom", K::SubtreeCom),
    ("subtreelinvel", K::SubtreeLinVel),
    ("subtreeangmom", K::SubtreeAngMom),
    ("insidesite", K::InsideSite),
    ("distance", K::GeomDist),
    ("normal", K::GeomNormal),
    ("fromto", K::GeomFromTo),
    ("contact", K::Contact),
    ("e_potential", K::EPotential),
    ("e_kinetic", K::EKinetic),
    ("clock", K::Clock),
    ("user", K::User),
];

/// Kinds of objects that have a frame.
const FRAMES: &[(&str, ObjectKind)] =
    &[("body", O::Body), ("xbody", O::XBody), ("geom", O::Geom), ("site", O::Site), ("camera", O::Camera)];

/// Reads a sensor.
pub fn sensor(e: Element) -> Result<SensorSpec, ReadError> {
    let kind = e.word("", e.tag(), KINDS)?;
    let mut s = SensorSpec::new(kind, O::Unknown, "");
    match kind {
        K::Contact => contact(e, &mut s)?,
        K::Rangefinder => rangefinder(e, &mut s)?,
        K::GeomDist | K::GeomNormal | K::GeomFromTo => {
            s.object =
                one_of(e, &[("geom1", O::Geom), ("body1", O::Body)])?.ok_or_else(|| e.error("needs geom1 or body1"))?;
            s.reference = one_of(e, &[("geom2", O::Geom), ("body2", O::Body)])?;
            if s.reference.is_none() {
                return Err(e.error("needs geom2 or body2"));
            }
        }
        K::CamProjection => {
            s.object = (O::Site, e.required("site")?);
            s.reference = Some((O::Camera, e.required("camera")?));
        }
        K::InsideSite => {
            s.object = frame(e, "objtype", "objname")?;
            s.reference = Some((O::Site, e.required("site")?));
            e.keyword("enclosed", &[("false", 0), ("true", 1)], &mut s.int_prm[0])?;
        }
        K::User => user(e, &mut s)?,
        K::EPotential | K::EKinetic | K::Clock => {}
        _ if (K::FramePos..=K::FrameAngAcc).contains(&kind) => {
            s.object = frame(e, "objtype", "objname")?;
            if e.text("reftype").is_some() || e.text("refname").is_some() {
                s.reference = Some(frame(e, "reftype", "refname")?);
            }
        }
        _ => {
            let attributes = [
                ("site", O::Site),
                ("joint", O::Joint),
                ("tendon", O::Tendon),
                ("actuator", O::Actuator),
                ("body", O::Body),
            ];
            s.object = one_of(e, &attributes)?.ok_or_else(|| e.error(format!("needs {}", target(kind))))?;
        }
    }
    e.string("name", &mut s.name);
    e.real("cutoff", &mut s.cutoff)?;
    e.real("noise", &mut s.noise)?;
    e.user(&mut s.user)?;
    history(e)?;
    s.place = e.place();
    Ok(s)
}

/// The attribute that names the object measured by a simple sensor.
fn target(kind: SensorKind) -> &'static str {
    match kind {
        K::JointPos | K::JointVel | K::JointActFrc | K::BallQuat | K::BallAngVel => "a joint",
        K::JointLimitPos | K::JointLimitVel | K::JointLimitFrc => "a joint",
        K::ActuatorPos | K::ActuatorVel | K::ActuatorFrc => "an actuator",
        K::SubtreeCom | K::SubtreeLinVel | K::SubtreeAngMom => "a body",
        K::TendonPos | K::TendonVel | K::TendonActFrc => "a tendon",
        K::TendonLimitPos | K::TendonLimitVel | K::TendonLimitFrc => "a tendon",
        _ => "a site",
    }
}

/// The object named by one of these attributes; more than one is an error.
fn one_of(e: Element, attributes: &[(&str, ObjectKind)]) -> Result<Option<(ObjectKind, String)>, ReadError> {
    let mut given = attributes.iter().filter_map(|(a, kind)| e.text(a).map(|name| (*a, *kind, name)));
    let Some((first, kind, name)) = given.next() else { return Ok(None) };
    match given.next() {
        Some((second, ..)) => Err(e.attribute_error(second, format!("cannot be given together with {first}"))),
        None => Ok(Some((kind, name.to_owned()))),
    }
}

fn frame(e: Element, kind: &str, name: &str) -> Result<(ObjectKind, String), ReadError> {
    Ok((e.word(kind, &e.required(kind)?, FRAMES)?, e.required(name)?))
}

/// Keywords that stand for bits, in order.
fn bits(e: Element, name: &str, words: &[(&str, i32)]) -> Result<Option<i32>, ReadError> {
    let Some(text) = e.text(name) else { return Ok(None) };
    let mut all = 0;
    for word in text.split_ascii_whitespace() {
        let bit = 1 << e.word(name, word, words)?;
        if bit <= all {
            let order: Vec<_> = words.iter().map(|(w, _)| *w).collect();
            return Err(e.attribute_error(name, format!("words must come once, in the order: {}", order.join(", "))));
        }
        all |= bit;
    }
    Ok(Some(all))
}

fn contact(e: Element, s: &mut SensorSpec) -> Result<(), ReadError> {
    let first = [("geom1", O::Geom), ("body1", O::Body), ("subtree1", O::XBody), ("site", O::Site)];
    if let Some(object) = one_of(e, &first)? {
        s.object = object;
    }
    s.reference = one_of(e, &[("geom2", O::Geom), ("body2", O::Body), ("subtree2", O::XBody)])?;
    s.int_prm = [1, 0, 1];
    if let Some(bits) = bits(e, "data", CONTACT_DATA)? {
        s.int_prm[0] = bits;
    }
    e.keyword("reduce", names::REDUCTIONS, &mut s.int_prm[1])?;
    if s.int_prm[1] == 3 && s.int_prm[0] & 0b1_1000_0000 != 0 {
        return Err(e.attribute_error("reduce", "netforce has no linvel or angvel"));
    }
    if e.integer("num", &mut s.int_prm[2])? && !(1..=1_000_000).contains(&s.int_prm[2]) {
        return Err(e.attribute_error("num", format!("expected 1 to 1000000, found {}", s.int_prm[2])));
    }
    Ok(())
}

fn rangefinder(e: Element, s: &mut SensorSpec) -> Result<(), ReadError> {
    s.object =
        one_of(e, &[("site", O::Site), ("camera", O::Camera)])?.ok_or_else(|| e.error("needs site or camera"))?;
    s.int_prm[0] = bits(e, "data", RANGEFINDER_DATA)?.unwrap_or(1);
    Ok(())
}

fn user(e: Element, s: &mut SensorSpec) -> Result<(), ReadError> {
    if e.text("objtype").is_some() || e.text("objname").is_some() {
        s.object = (e.word("objtype", &e.required("objtype")?, OBJECTS)?, e.required("objname")?);
    }
    e.required("dim")?;
    e.count("dim", &mut s.user_dim)?;
    if !(1..=10_000_000).contains(&s.user_dim) {
        return Err(e.attribute_error("dim", format!("expected 1 to 10000000, found {}", s.user_dim)));
    }
    s.user_stage = 3;
    e.keyword("needstage", names::STAGES, &mut s.user_stage)?;
    e.keyword("datatype", names::DATA_TYPES, &mut s.user_datatype)?;
    Ok(())
}

/// Delays and histories are not simulated; attributes are accepted if they do not enable them.
pub fn history(e: Element) -> Result<(), ReadError> {
    e.keyword("interp", &[("zoh", ()), ("linear", ()), ("cubic", ())], &mut ())?;
    for name in ["nsample", "delay", "interval"] {
        refuse_nonzero(e, name, "delays and histories are not supported")?;
    }
    Ok(())
}
