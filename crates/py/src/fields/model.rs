//! Fields of the compiled model under MuJoCo's names.

use super::{Shape, Slice, SliceMut};
use bytemuck::{cast_slice, cast_slice_mut};
use saltus::sim::Model;

/// Fields that are plain memory in the engine: readable without a copy, writable.
macro_rules! plain_fields {
    ($($kind:ident $name:literal = $($path:ident).+ [$cols:expr];)+) => {
        /// Memory of a plain field.
        pub fn plain<'a>(m: &'a Model, name: &str) -> Option<Slice<'a>> {
            use core::slice::from_ref;
            Some(match name {
                "opt.gravity" => Slice::F64(cast_slice(from_ref(&m.options.gravity)), Shape::Vector),
                "opt.wind" => Slice::F64(cast_slice(from_ref(&m.options.wind)), Shape::Vector),
                "opt.magnetic" => Slice::F64(cast_slice(from_ref(&m.options.magnetic)), Shape::Vector),
                "stat.center" => Slice::F64(cast_slice(from_ref(&m.statistic.center)), Shape::Vector),
                $($name => plain_fields!(@read $kind m, $($path).+, $cols(m)),)+
                _ => return None,
            })
        }
        /// Memory of a plain field, to write.
        pub fn plain_mut<'a>(m: &'a mut Model, name: &str) -> Option<SliceMut<'a>> {
            use core::slice::from_mut;
            Some(match name {
                "opt.gravity" => SliceMut::F64(cast_slice_mut(from_mut(&mut m.options.gravity))),
                "opt.wind" => SliceMut::F64(cast_slice_mut(from_mut(&mut m.options.wind))),
                "opt.magnetic" => SliceMut::F64(cast_slice_mut(from_mut(&mut m.options.magnetic))),
                "stat.center" => SliceMut::F64(cast_slice_mut(from_mut(&mut m.statistic.center))),
                $($name => plain_fields!(@write $kind m, $($path).+),)+
                _ => return None,
            })
        }
        /// Names of all plain fields.
        pub const PLAIN: &[&str] = &["opt.gravity", "opt.wind", "opt.magnetic", "stat.center", $($name),+];
    };
    (@read f64 $m:ident, $($path:ident).+, $cols:expr) => { Slice::F64(cast_slice(&$m.$($path).+), $cols) };
    (@read f32 $m:ident, $($path:ident).+, $cols:expr) => { Slice::F32(cast_slice(&$m.$($path).+), $cols) };
    (@read i32 $m:ident, $($path:ident).+, $cols:expr) => { Slice::I32(cast_slice(&$m.$($path).+), $cols) };
    (@read bool $m:ident, $($path:ident).+, $cols:expr) => { Slice::Bool(&$m.$($path).+, $cols) };
    (@write f64 $m:ident, $($path:ident).+) => { SliceMut::F64(cast_slice_mut(&mut $m.$($path).+)) };
    (@write f32 $m:ident, $($path:ident).+) => { SliceMut::F32(cast_slice_mut(&mut $m.$($path).+)) };
    (@write i32 $m:ident, $($path:ident).+) => { SliceMut::I32(cast_slice_mut(&mut $m.$($path).+)) };
    (@write bool $m:ident, $($path:ident).+) => { SliceMut::Bool(&mut $m.$($path).+) };
}

const fn c<const N: usize>(_: &Model) -> Shape {
    Shape::columns(N)
}

plain_fields! {
    f64 "opt.o_solref" = options.override_solref [c::<0>];
    f64 "opt.o_solimp" = options.override_solimp [c::<0>];
    f64 "opt.o_friction" = options.override_friction [c::<0>];
    f64 "qpos0" = q0 [c::<0>];
    f64 "qpos_spring" = q_spring [c::<0>];
    f64 "body_pos" = bodies.pos [c::<3>];
    f64 "body_quat" = bodies.quat [c::<4>];
    f64 "body_ipos" = bodies.inertial_pos [c::<3>];
    f64 "body_iquat" = bodies.inertial_quat [c::<4>];
    f64 "body_mass" = bodies.mass [c::<0>];
    f64 "body_subtreemass" = bodies.subtree_mass [c::<0>];
    f64 "body_inertia" = bodies.inertia [c::<3>];
    f64 "body_invweight0" = bodies.inv_weight [c::<2>];
    f64 "body_gravcomp" = bodies.gravcomp [c::<0>];
    f64 "body_margin" = bodies.margin [c::<0>];
    i32 "body_contype" = bodies.contype [c::<0>];
    i32 "body_conaffinity" = bodies.conaffinity [c::<0>];
    f64 "body_user" = bodies.user [|m: &Model| Shape::Table(m.nbody(), m.bodies.user_len)];
    i32 "jnt_group" = joints.group [c::<0>];
    bool "jnt_limited" = joints.limited [c::<0>];
    bool "jnt_actfrclimited" = joints.actuator_force_limited [c::<0>];
    bool "jnt_actgravcomp" = joints.actuator_gravcomp [c::<0>];
    f64 "jnt_solref" = joints.solref [c::<2>];
    f64 "jnt_solimp" = joints.solimp [c::<5>];
    f64 "jnt_pos" = joints.pos [c::<3>];
    f64 "jnt_axis" = joints.axis [c::<3>];
    f64 "jnt_stiffness" = joints.stiffness [c::<0>];
    f64 "jnt_stiffnesspoly" = joints.stiffness_poly [c::<2>];
    f64 "jnt_range" = joints.range [c::<2>];
    f64 "jnt_actfrcrange" = joints.actuator_force_range [c::<2>];
    f64 "jnt_margin" = joints.margin [c::<0>];
    f64 "jnt_user" = joints.user [|m: &Model| Shape::Table(m.njoint(), m.joints.user_len)];
    f64 "dof_solref" = dofs.solref [c::<2>];
    f64 "dof_solimp" = dofs.solimp [c::<5>];
    f64 "dof_frictionloss" = dofs.friction_loss [c::<0>];
    f64 "dof_armature" = dofs.armature [c::<0>];
    f64 "dof_damping" = dofs.damping [c::<0>];
    f64 "dof_dampingpoly" = dofs.damping_poly [c::<2>];
    f64 "dof_invweight0" = dofs.inv_weight [c::<0>];
    f64 "dof_M0" = dofs.m0 [c::<0>];
    f64 "dof_length" = dofs.length [c::<0>];
    i32 "geom_contype" = geoms.contype [c::<0>];
    i32 "geom_conaffinity" = geoms.conaffinity [c::<0>];
    i32 "geom_condim" = geoms.condim [c::<0>];
    i32 "geom_group" = geoms.group [c::<0>];
    i32 "geom_priority" = geoms.priority [c::<0>];
    f64 "geom_solmix" = geoms.solmix [c::<0>];
    f64 "geom_solref" = geoms.solref [c::<2>];
    f64 "geom_solimp" = geoms.solimp [c::<5>];
    f64 "geom_size" = geoms.size [c::<3>];
    f64 "geom_aabb" = geoms.aabb [c::<6>];
    f64 "geom_rbound" = geoms.bound_radius [c::<0>];
    f64 "geom_pos" = geoms.pos [c::<3>];
    f64 "geom_quat" = geoms.quat [c::<4>];
    f64 "geom_friction" = geoms.friction [c::<3>];
    f64 "geom_margin" = geoms.margin [c::<0>];
    f64 "geom_gap" = geoms.gap [c::<0>];
    f64 "geom_surfacevel" = geoms.surface_velocity [c::<6>];
    f64 "geom_adhesion" = geoms.adhesion [c::<0>];
    f64 "geom_fluid" = geoms.fluid [c::<12>];
    f32 "geom_rgba" = geoms.rgba [c::<4>];
    bool "geom_castshadow" = geoms.cast_shadow [c::<0>];
    f64 "geom_user" = geoms.user [|m: &Model| Shape::Table(m.ngeom(), m.geoms.user_len)];
    i32 "site_group" = sites.group [c::<0>];
    f64 "site_size" = sites.size [c::<3>];
    f64 "site_pos" = sites.pos [c::<3>];
    f64 "site_quat" = sites.quat [c::<4>];
    f32 "site_rgba" = sites.rgba [c::<4>];
    f64 "site_user" = sites.user [|m: &Model| Shape::Table(m.nsite(), m.sites.user_len)];
    f64 "cam_pos" = cameras.pos [c::<3>];
    f64 "cam_quat" = cameras.quat [c::<4>];
    f64 "cam_poscom0" = cameras.pos_com0 [c::<3>];
    f64 "cam_pos0" = cameras.pos0 [c::<3>];
    f64 "cam_mat0" = cameras.mat0 [c::<9>];
    f64 "cam_fovy" = cameras.fovy [c::<0>];
    f64 "cam_ipd" = cameras.ipd [c::<0>];
    i32 "cam_resolution" = cameras.resolution [c::<2>];
    i32 "cam_output" = cameras.output [c::<0>];
    f32 "cam_sensorsize" = cameras.sensor_size [c::<2>];
    f32 "cam_intrinsic" = cameras.intrinsic [c::<4>];
    f64 "cam_user" = cameras.user [|m: &Model| Shape::Table(m.ncamera(), m.cameras.user_len)];
    f64 "light_pos" = lights.pos [c::<3>];
    f64 "light_dir" = lights.dir [c::<3>];
    f64 "light_poscom0" = lights.pos_com0 [c::<3>];
    f64 "light_pos0" = lights.pos0 [c::<3>];
    f64 "light_dir0" = lights.dir0 [c::<3>];
    i32 "light_type" = lights.kind [c::<0>];
    bool "light_castshadow" = lights.cast_shadow [c::<0>];
    bool "light_active" = lights.active [c::<0>];
    f32 "light_bulbradius" = lights.bulb_radius [c::<0>];
    f32 "light_intensity" = lights.intensity [c::<0>];
    f32 "light_range" = lights.range [c::<0>];
    f32 "light_attenuation" = lights.attenuation [c::<3>];
    f32 "light_cutoff" = lights.cutoff [c::<0>];
    f32 "light_softness" = lights.softness [c::<0>];
    f32 "light_exponent" = lights.exponent [c::<0>];
    f32 "light_ambient" = lights.ambient [c::<3>];
    f32 "light_diffuse" = lights.diffuse [c::<3>];
    f32 "light_specular" = lights.specular [c::<3>];
    f64 "mesh_scale" = meshes.scale [c::<3>];
    f64 "mesh_pos" = meshes.pos [c::<3>];
    f64 "mesh_quat" = meshes.quat [c::<4>];
    f32 "mesh_vert" = meshes.vertex [c::<3>];
    f64 "hfield_size" = hfields.size [c::<4>];
    f32 "hfield_data" = hfields.data [c::<0>];
    f32 "mat_rgba" = materials.rgba [c::<4>];
    f32 "mat_emission" = materials.emission [c::<0>];
    f32 "mat_specular" = materials.specular [c::<0>];
    f32 "mat_shininess" = materials.shininess [c::<0>];
    f32 "mat_reflectance" = materials.reflectance [c::<0>];
    f32 "mat_metallic" = materials.metallic [c::<0>];
    f32 "mat_roughness" = materials.roughness [c::<0>];
    f32 "mat_texrepeat" = materials.tex_repeat [c::<2>];
    bool "mat_texuniform" = materials.tex_uniform [c::<0>];
    f64 "pair_solref" = pairs.solref [c::<2>];
    f64 "pair_solreffriction" = pairs.solref_friction [c::<2>];
    f64 "pair_solimp" = pairs.solimp [c::<5>];
    f64 "pair_margin" = pairs.margin [c::<0>];
    f64 "pair_gap" = pairs.gap [c::<0>];
    f64 "pair_adhesion" = pairs.adhesion [c::<0>];
    f64 "pair_friction" = pairs.friction [c::<5>];
    i32 "pair_dim" = pairs.dim [c::<0>];
    i32 "pair_signature" = pairs.signature [c::<0>];
    i32 "exclude_signature" = excludes.signature [c::<0>];
    bool "eq_active0" = equalities.active [c::<0>];
    f64 "eq_solref" = equalities.solref [c::<2>];
    f64 "eq_solimp" = equalities.solimp [c::<5>];
    f64 "eq_data" = equalities.data [c::<12>];
    i32 "tendon_group" = tendons.group [c::<0>];
    bool "tendon_limited" = tendons.limited [c::<0>];
    bool "tendon_actfrclimited" = tendons.actuator_force_limited [c::<0>];
    f64 "tendon_width" = tendons.width [c::<0>];
    f64 "tendon_solref_lim" = tendons.solref_limit [c::<2>];
    f64 "tendon_solimp_lim" = tendons.solimp_limit [c::<5>];
    f64 "tendon_solref_fri" = tendons.solref_friction [c::<2>];
    f64 "tendon_solimp_fri" = tendons.solimp_friction [c::<5>];
    f64 "tendon_range" = tendons.range [c::<2>];
    f64 "tendon_actfrcrange" = tendons.actuator_force_range [c::<2>];
    f64 "tendon_margin" = tendons.margin [c::<0>];
    f64 "tendon_stiffness" = tendons.stiffness [c::<0>];
    f64 "tendon_stiffnesspoly" = tendons.stiffness_poly [c::<2>];
    f64 "tendon_damping" = tendons.damping [c::<0>];
    f64 "tendon_dampingpoly" = tendons.damping_poly [c::<2>];
    f64 "tendon_armature" = tendons.armature [c::<0>];
    f64 "tendon_frictionloss" = tendons.friction_loss [c::<0>];
    f64 "tendon_lengthspring" = tendons.length_spring [c::<2>];
    f64 "tendon_length0" = tendons.length0 [c::<0>];
    f64 "tendon_invweight0" = tendons.inv_weight [c::<0>];
    f32 "tendon_rgba" = tendons.rgba [c::<4>];
    f64 "tendon_user" = tendons.user [|m: &Model| Shape::Table(m.ntendon(), m.tendons.user_len)];
    f64 "wrap_prm" = wraps.prm [c::<0>];
    f64 "actuator_dynprm" = actuators.activation_prm [c::<10>];
    f64 "actuator_gainprm" = actuators.gain_prm [c::<10>];
    f64 "actuator_biasprm" = actuators.bias_prm [c::<10>];
    bool "actuator_actlimited" = actuators.activation_limited [c::<0>];
    f64 "actuator_actrange" = actuators.activation_range [c::<2>];
    bool "actuator_actearly" = actuators.activation_early [c::<0>];
    bool "actuator_forcelimited" = actuators.force_limited [c::<0>];
    f64 "actuator_forcerange" = actuators.force_range [c::<2>];
    bool "actuator_ctrllimited" = actuators.ctrl_limited [c::<0>];
    f64 "actuator_ctrlrange" = actuators.ctrl_range [c::<2>];
    i32 "actuator_ctrlspec" = actuators.inputs [c::<0>];
    f64 "actuator_gear" = actuators.gear [c::<6>];
    f64 "actuator_cranklength" = actuators.crank_length [c::<0>];
    f64 "actuator_damping" = actuators.damping [c::<0>];
    f64 "actuator_dampingpoly" = actuators.damping_poly [c::<2>];
    f64 "actuator_armature" = actuators.armature [c::<0>];
    f64 "actuator_acc0" = actuators.acc0 [c::<0>];
    f64 "actuator_length0" = actuators.length0 [c::<0>];
    f64 "actuator_lengthrange" = actuators.length_range [c::<2>];
    i32 "actuator_group" = actuators.group [c::<0>];
    f64 "actuator_user" = actuators.user [|m: &Model| Shape::Table(m.nactuator(), m.actuators.user_len)];
    i32 "sensor_datatype" = sensors.data_type [c::<0>];
    i32 "sensor_intprm" = sensors.int_prm [c::<3>];
    f64 "sensor_cutoff" = sensors.cutoff [c::<0>];
    f64 "sensor_noise" = sensors.noise [c::<0>];
    f64 "sensor_user" = sensors.user [|m: &Model| Shape::Table(m.nsensor(), m.sensors.user_len)];
    f64 "numeric_data" = numerics.data [c::<0>];
    f64 "tuple_objprm" = tuples.prm [c::<0>];
    f64 "key_time" = keys.time [c::<0>];
    f64 "key_qpos" = keys.q [|m: &Model| Shape::Table(m.nkey(), m.size.nq)];
    f64 "key_qvel" = keys.v [|m: &Model| Shape::Table(m.nkey(), m.size.nv)];
    f64 "key_act" = keys.act [|m: &Model| Shape::Table(m.nkey(), m.size.na)];
    f64 "key_ctrl" = keys.ctrl [|m: &Model| Shape::Table(m.nkey(), m.size.nu)];
    f64 "key_mpos" = keys.mocap_pos [|m: &Model| Shape::Table(m.nkey(), 3 * m.size.nmocap)];
    f64 "key_mquat" = keys.mocap_quat [|m: &Model| Shape::Table(m.nkey(), 4 * m.size.nmocap)];
}
