//! Elements fixed to bodies: joints, geoms, sites, cameras, lights, inertials.
//!
//! Each function overwrites the attributes that the element gives and keeps the rest, so that
//! default classes and elements are read by the same code, in sequence.

use super::names;
use super::pose::pose;
use super::settings::{Notation, limited};
use crate::error::ReadError;
use crate::xml::Element;
use saltus_math::{Quat, Vec3};
use saltus_sim::model::kinds::JointKind;
use saltus_sim::model::spec::{
    CameraSpec, GeomShape, GeomSpec, InertialSpec, JointSpec, LightSpec, SiteSpec, TrackMode,
};

/// Reads a joint. Angles stay in the units of the file until [`to_radians`], because the kind may
/// still change.
pub fn joint(e: Element, j: &mut JointSpec) -> Result<(), ReadError> {
    e.string("name", &mut j.name);
    e.keyword("type", names::JOINTS, &mut j.kind)?;
    e.integer("group", &mut j.group)?;
    e.vec3("pos", &mut j.pos)?;
    e.vec3("axis", &mut j.axis)?;
    e.real("ref", &mut j.reference)?;
    e.real("springref", &mut j.spring_reference)?;
    e.some("stiffness", &mut j.stiffness)?;
    e.some("damping", &mut j.damping)?;
    e.exact("springdamper", &mut j.spring_damper)?;
    limited(e, "limited", &mut j.limited)?;
    e.exact("range", &mut j.range)?;
    e.real("margin", &mut j.margin)?;
    e.some("solreflimit", &mut j.solref_limit)?;
    e.some("solimplimit", &mut j.solimp_limit)?;
    limited(e, "actuatorfrclimited", &mut j.actuator_force_limited)?;
    e.exact("actuatorfrcrange", &mut j.actuator_force_range)?;
    e.flag("actuatorgravcomp", &mut j.actuator_gravcomp)?;
    e.real("armature", &mut j.armature)?;
    e.real("frictionloss", &mut j.friction_loss)?;
    e.some("solreffriction", &mut j.solref_friction)?;
    e.some("solimpfriction", &mut j.solimp_friction)?;
    refuse_nonzero(e, "springyield", "plastic springs are not supported")?;
    e.user(&mut j.user)
}

/// Converts angles of a joint from the file's unit to radians. The range of a joint without limits
/// is kept unconverted.
pub fn to_radians(j: &mut JointSpec, notation: &Notation) {
    if matches!(j.kind, JointKind::Hinge | JointKind::Ball) && j.limited != Some(false) {
        j.range = j.range.map(|x| notation.angle(x));
    }
    if j.kind == JointKind::Hinge {
        j.reference = notation.angle(j.reference);
        j.spring_reference = notation.angle(j.spring_reference);
    }
}

/// Reads a freejoint, which inherits nothing from default classes.
pub fn free_joint(e: Element) -> Result<JointSpec, ReadError> {
    let mut j = JointSpec { kind: JointKind::Free, ..JointSpec::default() };
    e.string("name", &mut j.name);
    e.integer("group", &mut j.group)?;
    limited(e, "align", &mut j.align)?;
    Ok(j)
}

/// Fails if an attribute enables an unsupported feature.
pub fn refuse_nonzero(e: Element, name: &str, why: &str) -> Result<(), ReadError> {
    match e.list(name)? {
        Some(values) if values.iter().any(|v| *v != 0.0) => Err(e.attribute_error(name, why)),
        _ => Ok(()),
    }
}

pub const SHAPES: &[(&str, GeomShape)] = &[
    ("plane", GeomShape::Plane),
    ("hfield", GeomShape::Hfield),
    ("sphere", GeomShape::Sphere),
    ("capsule", GeomShape::Capsule),
    ("ellipsoid", GeomShape::Ellipsoid),
    ("cylinder", GeomShape::Cylinder),
    ("box", GeomShape::Box),
    ("mesh", GeomShape::Mesh),
];

/// Reads a geom.
pub fn geom(e: Element, notation: &Notation, g: &mut GeomSpec) -> Result<(), ReadError> {
    if e.text("type") == Some("sdf") {
        return Err(e.attribute_error("type", "signed-distance geoms are not supported"));
    }
    e.string("name", &mut g.name);
    e.keyword("type", SHAPES, &mut g.shape)?;
    e.some("size", &mut g.size)?;
    for (name, value) in [
        ("contype", &mut g.contype),
        ("conaffinity", &mut g.conaffinity),
        ("condim", &mut g.condim),
        ("group", &mut g.group),
        ("priority", &mut g.priority),
    ] {
        e.integer(name, value)?;
    }
    e.some("friction", &mut g.friction)?;
    e.real("solmix", &mut g.solmix)?;
    e.some("solref", &mut g.solref)?;
    e.some("solimp", &mut g.solimp)?;
    e.real("margin", &mut g.margin)?;
    e.real("gap", &mut g.gap)?;
    e.some("surfacevel", &mut g.surface_velocity)?;
    e.real("adhesion", &mut g.adhesion)?;
    e.real_option("mass", &mut g.mass)?;
    e.real("density", &mut g.density)?;
    e.flag("shellinertia", &mut g.shell_inertia)?;
    e.keyword("fluidshape", &[("none", false), ("ellipsoid", true)], &mut g.fluid_ellipsoid)?;
    e.some("fluidcoef", &mut g.fluid_coefs)?;
    from_to(e, &mut g.from_to)?;
    pose(e, notation, &mut g.pos, &mut g.quat)?;
    e.string_option("hfield", &mut g.hfield);
    e.string_option("mesh", &mut g.mesh);
    e.real("fitscale", &mut g.fit_scale)?;
    e.string_option("material", &mut g.material);
    e.single("rgba", &mut g.rgba)?;
    e.flag("castshadow", &mut g.cast_shadow)?;
    e.user(&mut g.user)
}

fn from_to(e: Element, out: &mut Option<[f64; 6]>) -> Result<(), ReadError> {
    let mut ends = [0.0; 6];
    if e.exact("fromto", &mut ends)? {
        *out = Some(ends);
    }
    Ok(())
}

/// Reads a site.
pub fn site(e: Element, notation: &Notation, s: &mut SiteSpec) -> Result<(), ReadError> {
    e.string("name", &mut s.name);
    e.keyword("type", SHAPES, &mut s.shape)?;
    if matches!(s.shape, GeomShape::Plane | GeomShape::Hfield) {
        return Err(e.attribute_error("type", "a site is a sphere, capsule, ellipsoid, cylinder, box or mesh"));
    }
    e.integer("group", &mut s.group)?;
    pose(e, notation, &mut s.pos, &mut s.quat)?;
    e.some("size", &mut s.size)?;
    from_to(e, &mut s.from_to)?;
    e.string_option("mesh", &mut s.mesh);
    e.string_option("material", &mut s.material);
    e.single("rgba", &mut s.rgba)?;
    e.user(&mut s.user)
}

pub const MODES: &[(&str, TrackMode)] = &[
    ("fixed", TrackMode::Fixed),
    ("track", TrackMode::Track),
    ("trackcom", TrackMode::TrackCom),
    ("targetbody", TrackMode::TargetBody),
    ("targetbodycom", TrackMode::TargetBodyCom),
];

/// Reads a camera. The field of view is always in degrees, independent of the compiler's setting.
pub fn camera(e: Element, notation: &Notation, c: &mut CameraSpec) -> Result<(), ReadError> {
    e.string("name", &mut c.name);
    pose(e, notation, &mut c.pos, &mut c.quat)?;
    e.keyword("mode", MODES, &mut c.mode)?;
    e.string_option("target", &mut c.target);
    e.keyword("projection", &[("perspective", false), ("orthographic", true)], &mut c.orthographic)?;
    e.real("fovy", &mut c.fovy)?;
    e.real("ipd", &mut c.ipd)?;
    if let Some(values) = e.integers("resolution")? {
        c.resolution = values[..]
            .try_into()
            .map_err(|_| e.attribute_error("resolution", format!("expected two integers, found {}", values.len())))?;
    }
    if let Some(text) = e.text("output") {
        c.output = 0;
        for word in text.split_ascii_whitespace() {
            c.output |= e.word("output", word, names::CAMERA_OUTPUTS)?;
        }
    }
    e.single("sensorsize", &mut c.sensor_size)?;
    e.single("focal", &mut c.focal_length)?;
    e.single("focalpixel", &mut c.focal_pixel)?;
    e.single("principal", &mut c.principal_length)?;
    e.single("principalpixel", &mut c.principal_pixel)?;
    e.user(&mut c.user)
}

/// Reads a light.
pub fn light(e: Element, l: &mut LightSpec) -> Result<(), ReadError> {
    e.string("name", &mut l.name);
    e.vec3("pos", &mut l.pos)?;
    e.vec3("dir", &mut l.dir)?;
    e.keyword("mode", MODES, &mut l.mode)?;
    e.string_option("target", &mut l.target);
    e.keyword("directional", &[("false", 0), ("true", 1)], &mut l.kind)?;
    e.keyword("type", names::LIGHTS, &mut l.kind)?;
    e.flag("active", &mut l.active)?;
    e.flag("castshadow", &mut l.cast_shadow)?;
    e.string_option("texture", &mut l.texture);
    for (name, value) in [
        ("bulbradius", &mut l.bulb_radius),
        ("intensity", &mut l.intensity),
        ("range", &mut l.range),
        ("cutoff", &mut l.cutoff),
        ("softness", &mut l.softness),
        ("exponent", &mut l.exponent),
    ] {
        e.single(name, std::slice::from_mut(value))?;
    }
    e.single("attenuation", &mut l.attenuation)?;
    e.single("ambient", &mut l.ambient)?;
    e.single("diffuse", &mut l.diffuse)?;
    e.single("specular", &mut l.specular)?;
    Ok(())
}

/// Reads an inertial.
pub fn inertial(e: Element, notation: &Notation) -> Result<InertialSpec, ReadError> {
    let mut i = InertialSpec { mass: 0.0, pos: Vec3::ZERO, quat: Quat::IDENTITY, diag: Vec3::ZERO, full: None };
    e.required("pos")?;
    e.required("mass")?;
    e.real("mass", &mut i.mass)?;
    let mut full = [0.0; 6];
    pose(e, notation, &mut i.pos, &mut i.quat)?;
    if e.exact("fullinertia", &mut full)? {
        let rival = ["diaginertia", "quat", "axisangle", "xyaxes", "zaxis", "euler"];
        if let Some(other) = rival.iter().find(|r| e.text(r).is_some()) {
            return Err(e.attribute_error(other, "cannot be given together with fullinertia"));
        }
        i.full = Some(full);
    }
    e.vec3("diaginertia", &mut i.diag)?;
    Ok(i)
}
