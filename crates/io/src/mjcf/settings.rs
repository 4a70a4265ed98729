//! Sections for the model as a whole: compiler, option, size, statistic, visual.

use super::names;
use super::number::{BOOL, TRISTATE};
use crate::error::ReadError;
use crate::xml::Element;
use saltus_sim::ModelSpec;
use saltus_sim::model::spec::{CompilerSpec, SizeSpec, StatisticSpec};
use saltus_sim::options::{Disable, Enable, Options};

/// Settings of `<compiler>` that are used by readers only.
#[derive(Clone, Debug)]
pub struct Notation {
    pub degrees: bool,
    /// Axes of Euler rotations: lower case for rotating axes, upper case for fixed ones.
    pub euler: [u8; 3],
    pub strip_path: bool,
    pub mesh_dir: String,
    pub texture_dir: String,
}

impl Default for Notation {
    fn default() -> Self {
        Self { degrees: true, euler: *b"xyz", strip_path: false, mesh_dir: String::new(), texture_dir: String::new() }
    }
}

impl Notation {
    /// An angle of the file, in radians.
    pub fn angle(&self, value: f64) -> f64 {
        if self.degrees { value * (saltus_math::real::PI / 180.0) } else { value }
    }
}

/// Reads one `<compiler>`; later ones override earlier ones.
pub fn compiler(e: Element, spec: &mut CompilerSpec, notation: &mut Notation) -> Result<(), ReadError> {
    if e.text("coordinate").is_some_and(|c| c == "global") {
        return Err(
            e.attribute_error("coordinate", "global coordinates were removed from MJCF; only local is supported")
        );
    }
    e.keyword("coordinate", &[("local", ())], &mut ())?;
    e.keyword("angle", &[("degree", true), ("radian", false)], &mut notation.degrees)?;
    if let Some(text) = e.text("eulerseq") {
        notation.euler =
            text.as_bytes().try_into().ok().filter(|s: &[u8; 3]| s.iter().all(|c| b"xyzXYZ".contains(c))).ok_or_else(
                || e.attribute_error("eulerseq", format!("expected three letters of xyzXYZ, found {text:?}")),
            )?;
    }
    if let Some(dir) = e.text("assetdir") {
        notation.mesh_dir = dir.to_owned();
        notation.texture_dir = dir.to_owned();
    }
    e.string("meshdir", &mut notation.mesh_dir);
    e.string("texturedir", &mut notation.texture_dir);
    e.flag("strippath", &mut notation.strip_path)?;
    e.flag("autolimits", &mut spec.auto_limits)?;
    e.real("boundmass", &mut spec.bound_mass)?;
    e.real("boundinertia", &mut spec.bound_inertia)?;
    e.real("settotalmass", &mut spec.set_total_mass)?;
    e.flag("balanceinertia", &mut spec.balance_inertia)?;
    e.flag("fitaabb", &mut spec.fit_aabb)?;
    e.flag("fusestatic", &mut spec.fuse_static)?;
    e.flag("discardvisual", &mut spec.discard_visual)?;
    e.flag("alignfree", &mut spec.align_free)?;
    for unused in ["usethread", "saveinertial", "savecompiled", "savecanonical", "passthrough"] {
        e.keyword(unused, BOOL, &mut false)?;
    }
    e.keyword("inertiafromgeom", names::INERTIA, &mut spec.inertia_from_geom)?;
    if let Some(range) = e.integers("inertiagrouprange")? {
        spec.inertia_group_range = range[..].try_into().map_err(|_| {
            e.attribute_error("inertiagrouprange", format!("expected two integers, found {}", range.len()))
        })?;
    }
    e.all("lengthrange").try_for_each(|e| length_range(e, spec))
}

fn length_range(e: Element, spec: &mut CompilerSpec) -> Result<(), ReadError> {
    let range = &mut spec.length_range;
    e.keyword("mode", names::LENGTH_RANGE_MODES, &mut range.mode)?;
    e.flag("useexisting", &mut range.use_existing)?;
    e.flag("uselimit", &mut range.use_limit)?;
    e.real("accel", &mut range.accel)?;
    e.real("maxforce", &mut range.max_force)?;
    e.real("timeconst", &mut range.time_const)?;
    e.real("timestep", &mut range.time_step)?;
    e.real("inttotal", &mut range.total_time)?;
    e.real("interval", &mut range.interval)?;
    e.real("tolrange", &mut range.tol_range)?;
    Ok(())
}

/// Reads one `<option>`.
pub fn option(e: Element, o: &mut Options) -> Result<(), ReadError> {
    for (name, value) in [
        ("timestep", &mut o.timestep),
        ("impratio", &mut o.impratio),
        ("tolerance", &mut o.tolerance),
        ("ls_tolerance", &mut o.ls_tolerance),
        ("noslip_tolerance", &mut o.noslip_tolerance),
        ("ccd_tolerance", &mut o.ccd_tolerance),
        ("sleep_tolerance", &mut o.sleep_tolerance),
        ("density", &mut o.density),
        ("viscosity", &mut o.viscosity),
        ("o_margin", &mut o.override_margin),
    ] {
        e.real(name, value)?;
    }
    e.vec3("gravity", &mut o.gravity)?;
    e.vec3("wind", &mut o.wind)?;
    e.vec3("magnetic", &mut o.magnetic)?;
    e.some("o_solref", &mut o.override_solref)?;
    e.some("o_solimp", &mut o.override_solimp)?;
    e.some("o_friction", &mut o.override_friction)?;
    for (name, value) in [
        ("iterations", &mut o.iterations),
        ("ls_iterations", &mut o.ls_iterations),
        ("noslip_iterations", &mut o.noslip_iterations),
        ("ccd_iterations", &mut o.ccd_iterations),
        ("sdf_iterations", &mut o.sdf_iterations),
        ("sdf_initpoints", &mut o.sdf_init_points),
    ] {
        e.integer(name, value)?;
    }
    e.keyword("integrator", names::INTEGRATORS, &mut o.integrator)?;
    e.keyword("cone", names::CONES, &mut o.cone)?;
    e.keyword("jacobian", names::STORAGE, &mut o.jacobian)?;
    e.keyword("solver", names::SOLVERS, &mut o.solver)?;
    for group in e.integers("actuatorgroupdisable")?.unwrap_or_default() {
        if !(0..=30).contains(&group) {
            return Err(e.attribute_error("actuatorgroupdisable", format!("groups are 0 to 30, found {group}")));
        }
        o.disable_actuator_groups |= 1 << group;
    }
    e.all("flag").try_for_each(|e| flags(e, o))
}

fn flags(e: Element, o: &mut Options) -> Result<(), ReadError> {
    const SWITCH: &[(&str, bool)] = &[("disable", false), ("enable", true)];
    for (name, flag) in Disable::NAMES {
        let mut on = true;
        if e.keyword(name, SWITCH, &mut on)? {
            o.disable.set(*flag, !on);
        }
    }
    for (name, flag) in Enable::NAMES {
        let mut on = false;
        if e.keyword(name, SWITCH, &mut on)? {
            if let Some(problem) = flag.unsupported().filter(|_| on) {
                return Err(e.attribute_error(name, problem));
            }
            o.enable.set(*flag, on);
        }
    }
    Ok(())
}

/// Reads one `<size>`. Memory sizes are ignored: memory is allocated as needed.
pub fn size(e: Element, s: &mut SizeSpec) -> Result<(), ReadError> {
    const MOST: i32 = 100_000_000;
    for (name, value) in [
        ("nuser_body", &mut s.user_body),
        ("nuser_jnt", &mut s.user_joint),
        ("nuser_geom", &mut s.user_geom),
        ("nuser_site", &mut s.user_site),
        ("nuser_cam", &mut s.user_camera),
        ("nuser_tendon", &mut s.user_tendon),
        ("nuser_actuator", &mut s.user_actuator),
        ("nuser_sensor", &mut s.user_sensor),
    ] {
        if e.integer(name, value)? && !(-1..=1_000_000).contains(value) {
            return Err(e.attribute_error(name, format!("expected −1 to 1000000, found {value}")));
        }
    }
    for (name, value) in [("nuserdata", &mut s.user_data), ("nkey", &mut s.keys)] {
        if e.count(name, value)? && *value > MOST as usize {
            return Err(e.attribute_error(name, format!("expected at most {MOST}, found {value}")));
        }
    }
    for legacy in ["njmax", "nconmax", "nstack"] {
        e.integer(legacy, &mut 0)?;
    }
    if let Some(text) = e.text("memory") {
        let digits = text.trim_end_matches(['K', 'M', 'G', 'T', 'P', 'E', 'k', 'm', 'g', 't', 'p', 'e']);
        if text != "-1" && (digits.parse::<u64>().is_err() || text.len() > digits.len() + 1) {
            return Err(e.attribute_error("memory", format!("expected a size such as 10M, found {text:?}")));
        }
    }
    Ok(())
}

/// Reads one `<statistic>`.
pub fn statistic(e: Element, s: &mut StatisticSpec) -> Result<(), ReadError> {
    e.real_option("meaninertia", &mut s.mean_inertia)?;
    e.real_option("meanmass", &mut s.mean_mass)?;
    e.real_option("meansize", &mut s.mean_size)?;
    if e.real_option("extent", &mut s.extent)? && s.extent.is_some_and(|x| x <= 0.0) {
        return Err(e.attribute_error("extent", "must be positive"));
    }
    let mut center = saltus_math::Vec3::ZERO;
    if e.vec3("center", &mut center)? {
        s.center = Some(center);
    }
    Ok(())
}

/// Keeps one `<visual>` as text, for viewers.
pub fn visual(e: Element, spec: &mut ModelSpec) {
    for section in e.children() {
        let kept = spec.visual.entry(section.tag().to_owned()).or_default();
        kept.extend(section.attributes().map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}

/// Reads `limited`-like attributes.
pub fn limited(e: Element, name: &str, out: &mut Option<bool>) -> Result<(), ReadError> {
    e.keyword(name, TRISTATE, out).map(|_| ())
}
