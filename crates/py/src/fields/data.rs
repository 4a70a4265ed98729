//! Fields of the data under MuJoCo's names: views, never copies.

use super::{Shape, Slice};
use bytemuck::cast_slice;
use saltus::sim::Data;

macro_rules! data_fields {
    ($($kind:ident $name:literal = $($path:ident).+ [$cols:literal];)+) => {
        /// Memory of a field.
        pub fn field<'a>(d: &'a Data, name: &str) -> Option<Slice<'a>> {
            Some(match name {
                $($name => data_fields!(@read $kind d, $($path).+, $cols),)+
                _ => return None,
            })
        }
        /// Names of all fields.
        pub const NAMES: &[&str] = &[$($name),+];
    };
    (@read f64 $d:ident, $($path:ident).+, $cols:expr) => { Slice::F64(cast_slice(&$d.$($path).+), Shape::columns($cols)) };
    (@read i32 $d:ident, $($path:ident).+, $cols:expr) => { Slice::I32(cast_slice(&$d.$($path).+), Shape::columns($cols)) };
    (@read bool $d:ident, $($path:ident).+, $cols:expr) => { Slice::Bool(&$d.$($path).+, Shape::columns($cols)) };
}

data_fields! {
    f64 "qpos" = state.q [0];
    f64 "qvel" = state.v [0];
    f64 "act" = state.act [0];
    f64 "qacc_warmstart" = state.a_warm [0];
    f64 "mocap_pos" = state.mocap_pos [3];
    f64 "mocap_quat" = state.mocap_quat [4];
    bool "eq_active" = state.equality_active [0];
    f64 "userdata" = state.user [0];
    f64 "ctrl" = input.ctrl [0];
    f64 "qfrc_applied" = input.tau_applied [0];
    f64 "xfrc_applied" = input.body_force [6];
    f64 "sensordata" = sensor [0];
    f64 "energy" = energy [0];
    f64 "xpos" = position.p_WB [3];
    f64 "xquat" = position.quat_WB [4];
    f64 "xmat" = position.R_WB [9];
    f64 "xipos" = position.p_WI [3];
    f64 "xiquat" = position.quat_WI [4];
    f64 "ximat" = position.R_WI [9];
    f64 "xanchor" = position.p_WJ [3];
    f64 "xaxis" = position.axis_W [3];
    f64 "geom_xpos" = position.p_WG [3];
    f64 "geom_xquat" = position.quat_WG [4];
    f64 "geom_xmat" = position.R_WG [9];
    f64 "site_xpos" = position.p_WS [3];
    f64 "site_xquat" = position.quat_WS [4];
    f64 "site_xmat" = position.R_WS [9];
    f64 "cam_xpos" = position.p_WC [3];
    f64 "cam_xmat" = position.R_WC [9];
    f64 "light_xpos" = position.light_pos [3];
    f64 "light_xdir" = position.light_dir [3];
    f64 "subtree_com" = position.com [3];
    f64 "cdof" = position.S [6];
    f64 "cinert" = position.I [10];
    f64 "crb" = position.I_composite [10];
    f64 "M" = inertia.M [0];
    f64 "qLD" = inertia.LD [0];
    f64 "qLDiagInv" = inertia.D_inv [0];
    f64 "ten_length" = position.tendon_length [0];
    f64 "ten_J" = position.tendon_jac [0];
    i32 "wrap_obj" = position.wrap_object [2];
    f64 "wrap_xpos" = position.wrap_point [6];
    f64 "actuator_length" = position.actuator_length [0];
    f64 "actuator_moment" = position.actuator_moment [0];
    f64 "cvel" = velocity.V [6];
    f64 "cdof_dot" = velocity.S_dot [6];
    f64 "ten_velocity" = velocity.tendon_velocity [0];
    f64 "actuator_velocity" = velocity.actuator_velocity [0];
    f64 "qfrc_bias" = velocity.bias [0];
    f64 "qfrc_spring" = velocity.spring [0];
    f64 "qfrc_damper" = velocity.damper [0];
    f64 "qfrc_gravcomp" = velocity.gravcomp [0];
    f64 "qfrc_fluid" = velocity.fluid [0];
    f64 "qfrc_adhesion" = velocity.adhesion [0];
    f64 "qfrc_passive" = velocity.passive [0];
    f64 "subtree_linvel" = velocity.com_velocity [3];
    f64 "subtree_angmom" = velocity.angular_momentum [3];
    f64 "actuator_force" = acceleration.actuator_force [0];
    f64 "act_dot" = acceleration.act_dot [0];
    f64 "qfrc_actuator" = acceleration.tau_actuator [0];
    f64 "qfrc_smooth" = acceleration.tau_smooth [0];
    f64 "qacc_smooth" = acceleration.a_smooth [0];
    f64 "qacc" = acceleration.a [0];
    f64 "qfrc_constraint" = acceleration.tau_constraint [0];
    f64 "qfrc_inverse" = acceleration.tau_inverse [0];
    f64 "cacc" = acceleration.A [6];
    f64 "cfrc_int" = acceleration.F_int [6];
    f64 "cfrc_ext" = acceleration.F_ext [6];
}
