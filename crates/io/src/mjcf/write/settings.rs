//! Writes the sections for the model as a whole.

use super::word;
use super::xml::Xml;
use crate::mjcf::names::{CONES, INERTIA, INTEGRATORS, LENGTH_RANGE_MODES, SOLVERS, STORAGE};
use saltus_sim::ModelSpec;
use saltus_sim::model::spec::{CompilerSpec, LengthRangeSpec, SizeSpec, StatisticSpec};
use saltus_sim::options::{Disable, Enable, Options};

pub(super) fn write(x: &mut Xml, spec: &ModelSpec) {
    compiler(x, &spec.compiler);
    option(x, &spec.options);
    size(x, &spec.size);
    statistic(x, &spec.statistic);
    x.section("visual", |x| {
        for (section, attributes) in &spec.visual {
            x.element(section);
            for (name, text) in attributes {
                x.string(name, text);
            }
            x.leaf();
        }
    });
}

fn compiler(x: &mut Xml, c: &CompilerSpec) {
    let d = CompilerSpec::default();
    x.element("compiler")
        .string("angle", "radian")
        .tristate("autolimits", Some(c.auto_limits))
        .real("boundmass", c.bound_mass, d.bound_mass)
        .real("boundinertia", c.bound_inertia, d.bound_inertia)
        .real("settotalmass", c.set_total_mass, d.set_total_mass)
        .flag("balanceinertia", c.balance_inertia, d.balance_inertia)
        .flag("fitaabb", c.fit_aabb, d.fit_aabb)
        .flag("fusestatic", c.fuse_static, d.fuse_static)
        .flag("discardvisual", c.discard_visual, d.discard_visual)
        .flag("alignfree", c.align_free, d.align_free)
        .differing("inertiagrouprange", &c.inertia_group_range, &d.inertia_group_range);
    if c.inertia_from_geom != d.inertia_from_geom {
        x.string("inertiafromgeom", word(INERTIA, c.inertia_from_geom));
    }
    x.open();
    length_range(x, &c.length_range);
    x.close("compiler");
}

fn length_range(x: &mut Xml, l: &LengthRangeSpec) {
    let d = LengthRangeSpec::default();
    x.element("lengthrange")
        .string("mode", word(LENGTH_RANGE_MODES, l.mode))
        .flag("useexisting", l.use_existing, d.use_existing)
        .flag("uselimit", l.use_limit, d.use_limit)
        .real("accel", l.accel, d.accel)
        .real("maxforce", l.max_force, d.max_force)
        .real("timeconst", l.time_const, d.time_const)
        .real("timestep", l.time_step, d.time_step)
        .real("inttotal", l.total_time, d.total_time)
        .real("interval", l.interval, d.interval)
        .real("tolrange", l.tol_range, d.tol_range)
        .leaf();
}

fn option(x: &mut Xml, o: &Options) {
    let d = Options::default();
    x.element("option")
        .numbers("timestep", [o.timestep])
        .real("impratio", o.impratio, d.impratio)
        .real("tolerance", o.tolerance, d.tolerance)
        .real("ls_tolerance", o.ls_tolerance, d.ls_tolerance)
        .real("noslip_tolerance", o.noslip_tolerance, d.noslip_tolerance)
        .real("ccd_tolerance", o.ccd_tolerance, d.ccd_tolerance)
        .real("sleep_tolerance", o.sleep_tolerance, d.sleep_tolerance)
        .vec3("gravity", o.gravity, d.gravity)
        .vec3("wind", o.wind, d.wind)
        .vec3("magnetic", o.magnetic, d.magnetic)
        .real("density", o.density, d.density)
        .real("viscosity", o.viscosity, d.viscosity)
        .real("o_margin", o.override_margin, d.override_margin)
        .differing("o_solref", &o.override_solref, &d.override_solref)
        .differing("o_solimp", &o.override_solimp, &d.override_solimp)
        .differing("o_friction", &o.override_friction, &d.override_friction)
        .string("integrator", word(INTEGRATORS, o.integrator))
        .string("cone", word(CONES, o.cone))
        .string("jacobian", word(STORAGE, o.jacobian))
        .string("solver", word(SOLVERS, o.solver))
        .integer("iterations", o.iterations, d.iterations)
        .integer("ls_iterations", o.ls_iterations, d.ls_iterations)
        .integer("noslip_iterations", o.noslip_iterations, d.noslip_iterations)
        .integer("ccd_iterations", o.ccd_iterations, d.ccd_iterations)
        .integer("sdf_iterations", o.sdf_iterations, d.sdf_iterations)
        .integer("sdf_initpoints", o.sdf_init_points, d.sdf_init_points)
        .numbers("actuatorgroupdisable", (0..31).filter(|g| o.disable_actuator_groups & (1 << g) != 0))
        .open();
    if o.disable.0 != 0 || o.enable.0 != 0 {
        x.element("flag");
        for (name, _) in Disable::NAMES.iter().filter(|(_, flag)| o.disable.has(*flag)) {
            x.string(name, "disable");
        }
        for (name, _) in Enable::NAMES.iter().filter(|(_, flag)| o.enable.has(*flag)) {
            x.string(name, "enable");
        }
        x.leaf();
    }
    x.close("option");
}

fn size(x: &mut Xml, s: &SizeSpec) {
    let count = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
    x.element("size")
        .integer("nuserdata", count(s.user_data), 0)
        .integer("nkey", count(s.keys), 0)
        .integer("nuser_body", s.user_body, -1)
        .integer("nuser_jnt", s.user_joint, -1)
        .integer("nuser_geom", s.user_geom, -1)
        .integer("nuser_site", s.user_site, -1)
        .integer("nuser_cam", s.user_camera, -1)
        .integer("nuser_tendon", s.user_tendon, -1)
        .integer("nuser_actuator", s.user_actuator, -1)
        .integer("nuser_sensor", s.user_sensor, -1)
        .leaf();
}

fn statistic(x: &mut Xml, s: &StatisticSpec) {
    x.element("statistic")
        .numbers("meaninertia", s.mean_inertia)
        .numbers("meanmass", s.mean_mass)
        .numbers("meansize", s.mean_size)
        .numbers("extent", s.extent)
        .numbers("center", s.center.map(|c| c.to_array()).into_iter().flatten())
        .leaf();
}
