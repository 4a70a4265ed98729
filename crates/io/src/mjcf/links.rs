//! Elements that couple bodies: contact pairs and exclusions, equality constraints, tendons.

use super::body_parts::refuse_nonzero;
use super::settings::limited;
use crate::error::ReadError;
use crate::xml::Element;
use saltus_math::{MIN_VAL, Quat, Vec3};
use saltus_sim::model::spec::{
    EqualityKind, EqualitySpec, ExcludeSpec, PairSpec, SOLIMP, SOLREF, TendonPath, TendonSpec, WrapSpec,
};

/// Friction of a pair for which only the first coefficients are given.
const PAIR_FRICTION: [f64; 5] = [1.0, 1.0, 0.005, 0.0001, 0.0001];

/// Reads a contact pair.
pub fn pair(e: Element, p: &mut PairSpec) -> Result<(), ReadError> {
    e.string("name", &mut p.name);
    e.string("geom1", &mut p.geom1);
    e.string("geom2", &mut p.geom2);
    let mut condim = 0;
    if e.integer("condim", &mut condim)? {
        p.condim = Some(condim);
    }
    optional(e, "friction", PAIR_FRICTION, &mut p.friction)?;
    optional(e, "solref", SOLREF, &mut p.solref)?;
    optional(e, "solimp", SOLIMP, &mut p.solimp)?;
    e.some("solreffriction", &mut p.solref_friction)?;
    e.real_option("margin", &mut p.margin)?;
    e.real_option("gap", &mut p.gap)?;
    e.real_option("adhesion", &mut p.adhesion)?;
    Ok(())
}

/// Numbers that replace the first of those set before, or of `start`.
fn optional<const N: usize>(
    e: Element,
    name: &str,
    start: [f64; N],
    out: &mut Option<[f64; N]>,
) -> Result<(), ReadError> {
    let mut values = out.unwrap_or(start);
    if e.some(name, &mut values)? > 0 {
        *out = Some(values);
    }
    Ok(())
}

/// Reads an exclusion.
pub fn exclude(e: Element) -> Result<ExcludeSpec, ReadError> {
    Ok(ExcludeSpec {
        name: e.text("name").unwrap_or_default().to_owned(),
        body1: e.required("body1")?,
        body2: e.required("body2")?,
        place: e.place(),
    })
}

/// Reads the attributes common to all equality constraints; also used for defaults.
pub fn equality_common(e: Element, q: &mut EqualitySpec) -> Result<(), ReadError> {
    e.string("name", &mut q.name);
    e.flag("active", &mut q.active)?;
    e.some("solref", &mut q.solref)?;
    e.some("solimp", &mut q.solimp)?;
    Ok(())
}

/// Reads the objects that an equality constraint couples.
pub fn equality_kind(e: Element) -> Result<EqualityKind, ReadError> {
    match e.tag() {
        "connect" | "weld" => attachment(e),
        tag => {
            let mut poly = [0.0, 1.0, 0.0, 0.0, 0.0];
            e.some("polycoef", &mut poly)?;
            let first = e.required(&format!("{tag}1"))?;
            let second = e.text(&format!("{tag}2")).map(str::to_owned);
            Ok(match tag {
                "joint" => EqualityKind::Joint { first, second, poly },
                _ => EqualityKind::Tendon { first, second, poly },
            })
        }
    }
}

fn attachment(e: Element) -> Result<EqualityKind, ReadError> {
    let weld = e.tag() == "weld";
    let by_site = e.text("site1").is_some() || e.text("site2").is_some();
    let mut torque_scale = 1.0;
    e.real("torquescale", &mut torque_scale)?;
    if by_site {
        if let Some(other) = ["body1", "body2", "anchor", "relpose"].into_iter().find(|a| e.text(a).is_some()) {
            return Err(e.attribute_error(other, "cannot be given together with site1 and site2"));
        }
        let (site1, site2) = (e.required("site1")?, e.required("site2")?);
        return Ok(if weld {
            EqualityKind::WeldSites { site1, site2, torque_scale }
        } else {
            EqualityKind::ConnectSites { site1, site2 }
        });
    }
    let body1 = e
        .text("body1")
        .map(str::to_owned)
        .ok_or_else(|| e.attribute_error("body1", "required unless site1 and site2 are given"))?;
    let body2 = e.text("body2").unwrap_or_default().to_owned();
    let mut anchor = Vec3::ZERO;
    let anchored = e.vec3("anchor", &mut anchor)?;
    if !weld {
        if !anchored {
            return Err(e.attribute_error("anchor", "required for a connect between bodies"));
        }
        return Ok(EqualityKind::ConnectBodies { body1, body2, anchor });
    }
    let mut pose = [0.0; 7];
    e.exact("relpose", &mut pose)?;
    let quat = Quat::from_slice(&pose[3..]);
    // A zero quaternion requests the relative pose of the initial configuration.
    let relative_pose = (quat.norm() > MIN_VAL).then(|| (Vec3::new(pose[0], pose[1], pose[2]), quat.normalized()));
    Ok(EqualityKind::WeldBodies { body1, body2, anchor, relative_pose, torque_scale })
}

/// Reads the attributes common to spatial and fixed tendons; also used for defaults.
pub fn tendon(e: Element, t: &mut TendonSpec) -> Result<(), ReadError> {
    e.string("name", &mut t.name);
    e.integer("group", &mut t.group)?;
    limited(e, "limited", &mut t.limited)?;
    limited(e, "actuatorfrclimited", &mut t.actuator_force_limited)?;
    e.exact("range", &mut t.range)?;
    e.exact("actuatorfrcrange", &mut t.actuator_force_range)?;
    e.some("solreflimit", &mut t.solref_limit)?;
    e.some("solimplimit", &mut t.solimp_limit)?;
    e.some("solreffriction", &mut t.solref_friction)?;
    e.some("solimpfriction", &mut t.solimp_friction)?;
    e.real("frictionloss", &mut t.friction_loss)?;
    if e.some("springlength", &mut t.spring_length)? == 1 {
        t.spring_length[1] = t.spring_length[0];
    }
    refuse_nonzero(e, "springyield", "plastic springs are not supported")?;
    e.real("width", &mut t.width)?;
    e.string_option("material", &mut t.material);
    e.real("margin", &mut t.margin)?;
    e.some("stiffness", &mut t.stiffness)?;
    e.some("damping", &mut t.damping)?;
    e.real("armature", &mut t.armature)?;
    e.single("rgba", &mut t.rgba)?;
    e.user(&mut t.user)
}

/// Reads the path of a tendon.
pub fn tendon_path(e: Element) -> Result<TendonPath, ReadError> {
    if e.tag() == "fixed" {
        let term = |j: Element| {
            let mut coef = 0.0;
            j.required("coef")?;
            j.real("coef", &mut coef)?;
            Ok((j.required("joint")?, coef))
        };
        return e.children().map(term).collect::<Result<_, _>>().map(TendonPath::Fixed);
    }
    let wrap = |w: Element| {
        Ok(match w.tag() {
            "site" => WrapSpec::Site(w.required("site")?),
            "geom" => WrapSpec::Geom { geom: w.required("geom")?, side_site: w.text("sidesite").map(str::to_owned) },
            _ => {
                let mut divisor = 1.0;
                w.required("divisor")?;
                w.real("divisor", &mut divisor)?;
                WrapSpec::Pulley(divisor)
            }
        })
    };
    e.children().map(wrap).collect::<Result<_, _>>().map(TendonPath::Spatial)
}
