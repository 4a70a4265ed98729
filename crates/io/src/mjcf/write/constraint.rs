//! Writes contact pairs and exclusions, equality constraints, tendons.

use super::xml::Xml;
use saltus_math::Vec3;
use saltus_sim::ModelSpec;
use saltus_sim::model::spec::{EqualityKind, EqualitySpec, PairSpec, SOLIMP, SOLREF, TendonPath, TendonSpec, WrapSpec};

pub(super) fn write(x: &mut Xml, spec: &ModelSpec) {
    x.section("contact", |x| {
        spec.pairs.iter().for_each(|p| pair(x, p));
        for e in &spec.excludes {
            x.element("exclude").string("name", &e.name).string("body1", &e.body1).string("body2", &e.body2).leaf();
        }
    });
    x.section("tendon", |x| spec.tendons.iter().enumerate().for_each(|(i, t)| tendon(x, i, t)));
    x.section("equality", |x| spec.equalities.iter().for_each(|e| equality(x, e)));
}

fn pair(x: &mut Xml, p: &PairSpec) {
    x.element("pair")
        .string("name", &p.name)
        .string("geom1", &p.geom1)
        .string("geom2", &p.geom2)
        .numbers("condim", p.condim)
        .numbers("friction", p.friction.into_iter().flatten())
        .numbers("solref", p.solref.into_iter().flatten())
        .differing("solreffriction", &p.solref_friction, &[0.0; 2])
        .numbers("solimp", p.solimp.into_iter().flatten())
        .numbers("margin", p.margin)
        .numbers("gap", p.gap)
        .numbers("adhesion", p.adhesion)
        .leaf();
}

fn equality(x: &mut Xml, e: &EqualitySpec) {
    let tag = match e.kind {
        EqualityKind::ConnectBodies { .. } | EqualityKind::ConnectSites { .. } => "connect",
        EqualityKind::WeldBodies { .. } | EqualityKind::WeldSites { .. } => "weld",
        EqualityKind::Joint { .. } => "joint",
        EqualityKind::Tendon { .. } => "tendon",
    };
    x.element(tag).string("name", &e.name);
    match &e.kind {
        EqualityKind::ConnectBodies { body1, body2, anchor } => {
            x.string("body1", body1).string("body2", body2).numbers("anchor", anchor.to_array())
        }
        EqualityKind::ConnectSites { site1, site2 } => x.string("site1", site1).string("site2", site2),
        EqualityKind::WeldBodies { body1, body2, anchor, relative_pose, torque_scale } => {
            let pose = relative_pose.map(|(p, q)| p.to_array().into_iter().chain(q.to_array()));
            x.string("body1", body1)
                .string("body2", body2)
                .vec3("anchor", *anchor, Vec3::ZERO)
                .numbers("relpose", pose.into_iter().flatten())
                .real("torquescale", *torque_scale, 1.0)
        }
        EqualityKind::WeldSites { site1, site2, torque_scale } => {
            x.string("site1", site1).string("site2", site2).real("torquescale", *torque_scale, 1.0)
        }
        EqualityKind::Joint { first, second, poly } => {
            x.string("joint1", first).option("joint2", second).numbers("polycoef", poly)
        }
        EqualityKind::Tendon { first, second, poly } => {
            x.string("tendon1", first).option("tendon2", second).numbers("polycoef", poly)
        }
    };
    x.flag("active", e.active, true)
        .differing("solref", &e.solref, &SOLREF)
        .differing("solimp", &e.solimp, &SOLIMP)
        .leaf();
}

/// The appearance of fixed tendons can be set by default classes only: MJCF has no attributes for
/// it.
pub(super) fn write_classes(x: &mut Xml, spec: &ModelSpec) {
    x.section("default", |x| {
        for (i, t) in spec.tendons.iter().enumerate().filter(|(_, t)| needs_class(t)) {
            x.element("default").string("class", &class_name(i)).open();
            looks(x.element("tendon"), t);
            x.leaf();
            x.close("default");
        }
    });
}

fn class_name(tendon: usize) -> String {
    format!("tendon {tendon}")
}

fn needs_class(t: &TendonSpec) -> bool {
    let d = plain_tendon();
    let plain = t.width == d.width && t.rgba == d.rgba && t.material == d.material;
    matches!(t.path, TendonPath::Fixed(_)) && !plain
}

fn plain_tendon() -> TendonSpec {
    TendonSpec::new("", TendonPath::Fixed(Vec::new()))
}

fn looks(x: &mut Xml, t: &TendonSpec) {
    let d = plain_tendon();
    x.real("width", t.width, d.width).option("material", &t.material).differing("rgba", &t.rgba, &d.rgba);
}

fn tendon(x: &mut Xml, index: usize, t: &TendonSpec) {
    let d = plain_tendon();
    let tag = match t.path {
        TendonPath::Fixed(_) => "fixed",
        TendonPath::Spatial(_) => "spatial",
    };
    x.element(tag)
        .string("name", &t.name)
        .string("class", &if needs_class(t) { class_name(index) } else { String::new() })
        .integer("group", t.group, 0)
        .tristate("limited", t.limited)
        .differing("range", &t.range, &d.range)
        .real("margin", t.margin, 0.0)
        .differing("solreflimit", &t.solref_limit, &SOLREF)
        .differing("solimplimit", &t.solimp_limit, &SOLIMP)
        .tristate("actuatorfrclimited", t.actuator_force_limited)
        .differing("actuatorfrcrange", &t.actuator_force_range, &d.actuator_force_range)
        .leading("stiffness", &t.stiffness, &d.stiffness)
        .leading("damping", &t.damping, &d.damping)
        .differing("springlength", &t.spring_length, &d.spring_length)
        .real("armature", t.armature, 0.0)
        .real("frictionloss", t.friction_loss, 0.0)
        .differing("solreffriction", &t.solref_friction, &SOLREF)
        .differing("solimpfriction", &t.solimp_friction, &SOLIMP);
    if tag == "spatial" {
        looks(x, t);
    }
    x.numbers("user", &t.user).open();
    match &t.path {
        TendonPath::Fixed(terms) => {
            for (joint, coef) in terms {
                x.element("joint").string("joint", joint).numbers("coef", [coef]).leaf();
            }
        }
        TendonPath::Spatial(path) => path.iter().for_each(|w| wrap(x, w)),
    }
    x.close(tag);
}

fn wrap(x: &mut Xml, wrap: &WrapSpec) {
    match wrap {
        WrapSpec::Site(site) => x.element("site").string("site", site),
        WrapSpec::Geom { geom, side_site } => x.element("geom").string("geom", geom).option("sidesite", side_site),
        WrapSpec::Pulley(divisor) => x.element("pulley").numbers("divisor", [divisor]),
    }
    .leaf();
}
