//! Writes the tree of bodies, with the objects fixed to them.

use super::word;
use super::xml::Xml;
use crate::mjcf::body_parts::{MODES, SHAPES};
use crate::mjcf::names::{CAMERA_OUTPUTS, JOINTS, LIGHTS};
use saltus_math::{Quat, Vec3};
use saltus_sim::ModelSpec;
use saltus_sim::model::kinds::{GeomShape, JointKind, TrackMode};
use saltus_sim::model::spec::{
    BodySpec, CameraSpec, GeomSpec, InertialSpec, JointSpec, LightSpec, SOLIMP, SOLREF, SiteSpec,
};

/// Writes bodies in order, without recursion, because the tree may be deep.
pub(super) fn write(x: &mut Xml, spec: &ModelSpec) {
    let mut open: Vec<usize> = Vec::new();
    for body in spec.preorder() {
        while open.last().is_some_and(|last| *last != spec.bodies[body.0].parent.0) {
            open.pop();
            x.close("body");
        }
        open.push(body.0);
        let b = &spec.bodies[body.0];
        if body == spec.world() {
            x.element("worldbody").open();
        } else {
            head(x, b);
        }
        parts(x, b);
    }
    (1..open.len()).for_each(|_| x.close("body"));
    x.close("worldbody");
}

fn head(x: &mut Xml, b: &BodySpec) {
    x.element("body")
        .string("name", &b.name)
        .vec3("pos", b.pos, Vec3::ZERO)
        .quat("quat", b.quat)
        .flag("mocap", b.mocap, false)
        .real("gravcomp", b.gravcomp, 0.0)
        .numbers("user", &b.user)
        .open();
    if let Some(i) = &b.inertial {
        inertial(x, i);
    }
    b.joints.iter().for_each(|j| joint(x, j));
}

fn parts(x: &mut Xml, b: &BodySpec) {
    b.geoms.iter().for_each(|g| geom(x, g));
    b.sites.iter().for_each(|s| site(x, s));
    b.cameras.iter().for_each(|c| camera(x, c));
    b.lights.iter().for_each(|l| light(x, l));
}

fn inertial(x: &mut Xml, i: &InertialSpec) {
    x.element("inertial").numbers("pos", i.pos.to_array()).numbers("mass", [i.mass]);
    match i.full {
        Some(full) => x.numbers("fullinertia", full),
        None => x.quat("quat", i.quat).numbers("diaginertia", i.diag.to_array()),
    };
    x.leaf();
}

fn joint(x: &mut Xml, j: &JointSpec) {
    if j.kind == JointKind::Free && j.align.is_some() {
        x.element("freejoint").string("name", &j.name).integer("group", j.group, 0).tristate("align", j.align).leaf();
        return;
    }
    x.element("joint").string("name", &j.name).string("type", word(JOINTS, j.kind)).integer("group", j.group, 0);
    if matches!(j.kind, JointKind::Slide | JointKind::Hinge) {
        x.numbers("axis", j.axis.to_array());
    }
    x.vec3("pos", j.pos, Vec3::ZERO)
        .real("ref", j.reference, 0.0)
        .real("springref", j.spring_reference, 0.0)
        .leading("stiffness", &j.stiffness, &[0.0; 3])
        .leading("damping", &j.damping, &[0.0; 3])
        .differing("springdamper", &j.spring_damper, &[0.0; 2])
        .tristate("limited", j.limited)
        .differing("range", &j.range, &[0.0; 2])
        .real("margin", j.margin, 0.0)
        .differing("solreflimit", &j.solref_limit, &SOLREF)
        .differing("solimplimit", &j.solimp_limit, &SOLIMP)
        .tristate("actuatorfrclimited", j.actuator_force_limited)
        .differing("actuatorfrcrange", &j.actuator_force_range, &[0.0; 2])
        .flag("actuatorgravcomp", j.actuator_gravcomp, false)
        .real("armature", j.armature, 0.0)
        .real("frictionloss", j.friction_loss, 0.0)
        .differing("solreffriction", &j.solref_friction, &SOLREF)
        .differing("solimpfriction", &j.solimp_friction, &SOLIMP)
        .numbers("user", &j.user)
        .leaf();
}

/// The sizes that were given: others are NaN; a shape without sizes has zeros only.
fn size(x: &mut Xml, size: &[f64; 3], default: &[f64; 3]) {
    if size != default {
        x.numbers("size", size.iter().take_while(|s| !s.is_nan()));
    }
}

/// A pose, or the end points that replace it.
fn pose(x: &mut Xml, pos: Vec3, quat: Quat, from_to: Option<[f64; 6]>) {
    match from_to {
        Some(ends) => x.numbers("fromto", ends),
        None => x.vec3("pos", pos, Vec3::ZERO).quat("quat", quat),
    };
}

fn geom(x: &mut Xml, g: &GeomSpec) {
    let d = GeomSpec::default();
    x.element("geom").string("name", &g.name);
    if g.shape != GeomShape::Sphere {
        x.string("type", word(SHAPES, g.shape));
    }
    size(x, &g.size, &d.size);
    pose(x, g.pos, g.quat, g.from_to);
    x.option("mesh", &g.mesh)
        .option("hfield", &g.hfield)
        .integer("contype", g.contype, d.contype)
        .integer("conaffinity", g.conaffinity, d.conaffinity)
        .integer("condim", g.condim, d.condim)
        .integer("group", g.group, d.group)
        .integer("priority", g.priority, d.priority)
        .differing("friction", &g.friction, &d.friction)
        .numbers("mass", g.mass)
        .real("density", g.density, d.density)
        .flag("shellinertia", g.shell_inertia, d.shell_inertia)
        .real("solmix", g.solmix, d.solmix)
        .differing("solref", &g.solref, &SOLREF)
        .differing("solimp", &g.solimp, &SOLIMP)
        .real("margin", g.margin, d.margin)
        .real("gap", g.gap, d.gap)
        .differing("surfacevel", &g.surface_velocity, &d.surface_velocity)
        .real("adhesion", g.adhesion, d.adhesion)
        .real("fitscale", g.fit_scale, d.fit_scale)
        .string("fluidshape", if g.fluid_ellipsoid { "ellipsoid" } else { "" })
        .differing("fluidcoef", &g.fluid_coefs, &d.fluid_coefs)
        .option("material", &g.material)
        .differing("rgba", &g.rgba, &d.rgba)
        .flag("castshadow", g.cast_shadow, d.cast_shadow)
        .numbers("user", &g.user)
        .leaf();
}

fn site(x: &mut Xml, s: &SiteSpec) {
    let d = SiteSpec::default();
    x.element("site").string("name", &s.name);
    if s.shape != GeomShape::Sphere {
        x.string("type", word(SHAPES, s.shape));
    }
    size(x, &s.size, &d.size);
    pose(x, s.pos, s.quat, s.from_to);
    x.option("mesh", &s.mesh)
        .integer("group", s.group, 0)
        .option("material", &s.material)
        .differing("rgba", &s.rgba, &d.rgba)
        .numbers("user", &s.user)
        .leaf();
}

fn tracking(x: &mut Xml, mode: TrackMode, target: &Option<String>) {
    if mode != TrackMode::Fixed {
        x.string("mode", word(MODES, mode));
    }
    x.option("target", target);
}

fn camera(x: &mut Xml, c: &CameraSpec) {
    let d = CameraSpec::default();
    x.element("camera").string("name", &c.name);
    pose(x, c.pos, c.quat, None);
    tracking(x, c.mode, &c.target);
    if c.output != d.output {
        let set: Vec<_> = CAMERA_OUTPUTS.iter().filter(|(_, bit)| c.output & bit != 0).map(|(w, _)| *w).collect();
        x.string("output", &set.join(" "));
    }
    // The field of view of a camera with a sensor size follows from that size.
    if c.sensor_size == d.sensor_size {
        x.real("fovy", c.fovy, d.fovy);
    }
    x.string("projection", if c.orthographic { "orthographic" } else { "" })
        .real("ipd", c.ipd, d.ipd)
        .differing("resolution", &c.resolution, &d.resolution)
        .differing("sensorsize", &c.sensor_size, &[0.0; 2])
        .differing("focal", &c.focal_length, &[0.0; 2])
        .differing("focalpixel", &c.focal_pixel, &[0.0; 2])
        .differing("principal", &c.principal_length, &[0.0; 2])
        .differing("principalpixel", &c.principal_pixel, &[0.0; 2])
        .numbers("user", &c.user)
        .leaf();
}

fn light(x: &mut Xml, l: &LightSpec) {
    let d = LightSpec::default();
    x.element("light").string("name", &l.name).vec3("pos", l.pos, Vec3::ZERO).vec3("dir", l.dir, d.dir);
    tracking(x, l.mode, &l.target);
    if l.kind != d.kind {
        x.string("type", word(LIGHTS, l.kind));
    }
    x.flag("active", l.active, d.active)
        .flag("castshadow", l.cast_shadow, d.cast_shadow)
        .option("texture", &l.texture)
        .single("bulbradius", l.bulb_radius, d.bulb_radius)
        .single("intensity", l.intensity, d.intensity)
        .single("range", l.range, d.range)
        .differing("attenuation", &l.attenuation, &d.attenuation)
        .single("cutoff", l.cutoff, d.cutoff)
        .single("softness", l.softness, d.softness)
        .single("exponent", l.exponent, d.exponent)
        .differing("ambient", &l.ambient, &d.ambient)
        .differing("diffuse", &l.diffuse, &d.diffuse)
        .differing("specular", &l.specular, &d.specular)
        .leaf();
}
