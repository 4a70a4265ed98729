//! Integer fields and sizes of the model that the engine holds in another form. Read-only except
//! those in `settable`.

use saltus::sim::Model;
use saltus::sim::ids::Span;
use saltus::sim::model::kinds::{ObjectKind, WrapKind};

fn ints<T>(items: &[T], f: impl Fn(&T) -> i32) -> Vec<i32> {
    items.iter().map(f).collect()
}
fn opt(x: Option<u32>) -> i32 {
    x.map_or(-1, |x| x as i32)
}
/// Start of a span, −1 where it is empty.
fn adr(s: &Span) -> i32 {
    if s.is_empty() { -1 } else { s.start as i32 }
}
fn start(s: &Span) -> i32 {
    s.start as i32
}
fn len(s: &Span) -> i32 {
    s.len as i32
}

/// Values and columns of a field.
pub fn field(m: &Model, name: &str) -> Option<(Vec<i32>, usize)> {
    let pattern = &m.mass_pattern;
    let values = match name {
        "body_parentid" => ints(&m.bodies.parent, |b| b.0 as i32),
        "body_rootid" => ints(&m.bodies.root, |b| b.0 as i32),
        "body_weldid" => ints(&m.bodies.weld, |b| b.0 as i32),
        "body_mocapid" => ints(&m.bodies.mocap, |x| opt(*x)),
        "body_jntnum" => ints(&m.bodies.joints, len),
        "body_jntadr" => ints(&m.bodies.joints, adr),
        "body_dofnum" => ints(&m.bodies.dofs, len),
        "body_dofadr" => ints(&m.bodies.dofs, adr),
        "body_geomnum" => ints(&m.bodies.geoms, len),
        "body_geomadr" => ints(&m.bodies.geoms, adr),
        "body_treeid" => ints(&m.bodies.tree, |t| opt(t.map(|t| t.0))),
        "body_simple" => ints(&m.bodies.simple, |&x| x as i32),
        "body_sameframe" => ints(&m.bodies.same_frame, |&x| x as i32),
        "tree_bodyadr" => ints(&m.trees.bodies, start),
        "tree_bodynum" => ints(&m.trees.bodies, len),
        "tree_dofadr" => ints(&m.trees.dofs, start),
        "tree_dofnum" => ints(&m.trees.dofs, len),
        "jnt_type" => ints(&m.joints.kind, |&k| k as i32),
        "jnt_qposadr" => ints(&m.joints.q_start, |&x| x as i32),
        "jnt_dofadr" => ints(&m.joints.dof_start, |&x| x as i32),
        "jnt_bodyid" => ints(&m.joints.body, |b| b.0 as i32),
        "jnt_actuatorid" => ints(&m.joints.actuator, |a| opt(a.map(|a| a.0))),
        "dof_bodyid" => ints(&m.dofs.body, |b| b.0 as i32),
        "dof_jntid" => ints(&m.dofs.joint, |j| j.0 as i32),
        "dof_parentid" => ints(&m.dofs.parent, |d| opt(d.map(|d| d.0))),
        "dof_treeid" => ints(&m.dofs.tree, |t| t.0 as i32),
        "dof_simplenum" => ints(&m.dofs.simple_num, |&x| x as i32),
        "geom_type" => ints(&m.geoms.shape, |&k| k as i32),
        "geom_bodyid" => ints(&m.geoms.body, |b| b.0 as i32),
        "geom_dataid" => ints(&m.geoms.data, |x| opt(*x)),
        "geom_matid" => ints(&m.geoms.material, |x| opt(x.map(|x| x.0))),
        "geom_sameframe" => ints(&m.geoms.same_frame, |&x| x as i32),
        "site_type" => ints(&m.sites.shape, |&k| k as i32),
        "site_bodyid" => ints(&m.sites.body, |b| b.0 as i32),
        "site_dataid" => ints(&m.sites.mesh, |x| opt(x.map(|x| x.0))),
        "site_matid" => ints(&m.sites.material, |x| opt(x.map(|x| x.0))),
        "site_sameframe" => ints(&m.sites.same_frame, |&x| x as i32),
        "cam_mode" => ints(&m.cameras.mode, |&k| k as i32),
        "cam_bodyid" => ints(&m.cameras.body, |b| b.0 as i32),
        "cam_targetbodyid" => ints(&m.cameras.target, |b| opt(b.map(|b| b.0))),
        "cam_projection" => ints(&m.cameras.orthographic, |&x| x as i32),
        "light_mode" => ints(&m.lights.mode, |&k| k as i32),
        "light_bodyid" => ints(&m.lights.body, |b| b.0 as i32),
        "light_targetbodyid" => ints(&m.lights.target, |b| opt(b.map(|b| b.0))),
        "mesh_vertadr" => ints(&m.meshes.vertices, start),
        "mesh_vertnum" => ints(&m.meshes.vertices, len),
        "mesh_faceadr" => ints(&m.meshes.faces, start),
        "mesh_facenum" => ints(&m.meshes.faces, len),
        "mesh_face" => return Some((m.meshes.face.iter().flatten().map(|&x| x as i32).collect(), 3)),
        "mat_texture" => ints(&m.materials.texture, |x| opt(x.map(|x| x.0))),
        "hfield_nrow" => ints(&m.hfields.nrow, |&x| x as i32),
        "hfield_ncol" => ints(&m.hfields.ncol, |&x| x as i32),
        "hfield_adr" => ints(&m.hfields.start, |&x| x as i32),
        "pair_geom1" => ints(&m.pairs.geom1, |g| g.0 as i32),
        "pair_geom2" => ints(&m.pairs.geom2, |g| g.0 as i32),
        "eq_type" => ints(&m.equalities.kind, |&k| k as i32),
        "eq_obj1id" => ints(&m.equalities.object1, |&x| x as i32),
        "eq_obj2id" => ints(&m.equalities.object2, |x| opt(*x)),
        "eq_objtype" => {
            // MuJoCo names the kind of object only where there is a choice.
            let kind = |k: &ObjectKind| match k {
                ObjectKind::Body | ObjectKind::Site => *k as i32,
                _ => ObjectKind::Unknown as i32,
            };
            ints(&m.equalities.object_kind, kind)
        }
        "tendon_type" => ints(&m.tendons.spatial, |&x| x as i32),
        "tendon_adr" => ints(&m.tendons.path, start),
        "tendon_num" => ints(&m.tendons.path, len),
        "tendon_matid" => ints(&m.tendons.material, |x| opt(x.map(|x| x.0))),
        "tendon_actuatorid" => ints(&m.tendons.actuator, |a| opt(a.map(|a| a.0))),
        "tendon_treenum" => ints(&m.tendons.tree_num, |&x| x as i32),
        "tendon_treeid" => return Some((m.tendons.tree.iter().flatten().map(|t| opt(t.map(|t| t.0))).collect(), 2)),
        "ten_J_rownnz" => ints(&m.tendons.jac, len),
        "ten_J_rowadr" => ints(&m.tendons.jac, start),
        "ten_J_colind" => ints(&m.tendons.jac_col, |&x| x as i32),
        "wrap_type" => ints(&m.wraps.kind, |&k| k as i32),
        "wrap_objid" => {
            let id = |(&k, &o): (&WrapKind, &u32)| if k == WrapKind::Pulley { -1 } else { o as i32 };
            m.wraps.kind.iter().zip(&m.wraps.object).map(id).collect()
        }
        "actuator_trntype" => ints(&m.actuators.transmission, |&k| k as i32),
        "actuator_dyntype" => ints(&m.actuators.activation, |&k| k as i32),
        "actuator_gaintype" => ints(&m.actuators.gain, |&k| k as i32),
        "actuator_biastype" => ints(&m.actuators.bias, |&k| k as i32),
        "actuator_ctrladr" => ints(&m.actuators.ctrl, start),
        "actuator_ctrlnum" => ints(&m.actuators.ctrl, len),
        "actuator_outadr" => (0..m.nactuator() as i32).collect(),
        "actuator_outnum" => vec![1; m.nactuator()],
        "actuator_actadr" => ints(&m.actuators.act, adr),
        "actuator_actnum" => ints(&m.actuators.act, len),
        "actuator_trnid" => return Some((m.actuators.target.iter().flatten().map(|x| opt(*x)).collect(), 2)),
        "sensor_type" => ints(&m.sensors.kind, |&k| k as i32),
        "sensor_needstage" => ints(&m.sensors.stage, |&k| k as i32),
        "sensor_objtype" => ints(&m.sensors.object_kind, |&k| k as i32),
        "sensor_objid" => ints(&m.sensors.object, |x| opt(*x)),
        "sensor_reftype" => ints(&m.sensors.reference_kind, |&k| k as i32),
        "sensor_refid" => ints(&m.sensors.reference, |x| opt(*x)),
        "sensor_dim" => ints(&m.sensors.dim, |&x| x as i32),
        "sensor_adr" => ints(&m.sensors.start, |&x| x as i32),
        "numeric_adr" => ints(&m.numerics.span, start),
        "numeric_size" => ints(&m.numerics.span, len),
        "tuple_adr" => ints(&m.tuples.span, start),
        "tuple_size" => ints(&m.tuples.span, len),
        "tuple_objtype" => ints(&m.tuples.kind, |&k| k as i32),
        "tuple_objid" => ints(&m.tuples.object, |&x| x as i32),
        "moment_rownnz" => ints(&m.actuators.moment, len),
        "moment_rowadr" => ints(&m.actuators.moment, start),
        "moment_colind" => ints(&m.actuators.moment_col, |&x| x as i32),
        "M_rownnz" => (0..m.size.nv).map(|i| pattern.range(i).len() as i32).collect(),
        "M_rowadr" => pattern.row_start.iter().take(m.size.nv).map(|&x| x as i32).collect(),
        "M_colind" => ints(&pattern.col, |&x| x as i32),
        _ => return None,
    };
    Some((values, 0))
}

/// Scalar sizes.
pub fn size(m: &Model, name: &str) -> Option<usize> {
    Some(match name {
        "nq" => m.size.nq,
        "nv" => m.size.nv,
        "nu" => m.size.nu,
        "na" => m.size.na,
        "nactuator" | "nout" => m.nactuator(),
        "nbody" => m.nbody(),
        "njnt" => m.njoint(),
        "ntree" => m.trees.dofs.len(),
        "nM" | "nC" => m.mass_pattern.nnz(),
        "ngeom" => m.ngeom(),
        "nsite" => m.nsite(),
        "ncam" => m.ncamera(),
        "nlight" => m.nlight(),
        "nmesh" => m.meshes.name.len(),
        "nmeshvert" => m.meshes.vertex.len(),
        "nmeshface" => m.meshes.face.len(),
        "nhfield" => m.hfields.name.len(),
        "nhfielddata" => m.hfields.data.len(),
        "ntex" => m.textures.name.len(),
        "nmat" => m.materials.name.len(),
        "npair" => m.pairs.name.len(),
        "nexclude" => m.excludes.name.len(),
        "neq" => m.nequality(),
        "ntendon" => m.ntendon(),
        "nJten" => m.tendons.jac_col.len(),
        "nJmom" => m.actuators.moment_col.len(),
        "nwrap" => m.wraps.kind.len(),
        "nsensor" => m.nsensor(),
        "nnumeric" => m.numerics.name.len(),
        "nnumericdata" => m.numerics.data.len(),
        "ntext" => m.texts.name.len(),
        "ntuple" => m.tuples.name.len(),
        "nkey" => m.nkey(),
        "nmocap" => m.size.nmocap,
        "nuserdata" => m.size.nuserdata,
        "nsensordata" => m.size.nsensordata,
        "nuser_body" => m.bodies.user_len,
        "nuser_jnt" => m.joints.user_len,
        "nuser_geom" => m.geoms.user_len,
        "nuser_site" => m.sites.user_len,
        "nuser_cam" => m.cameras.user_len,
        "nuser_tendon" => m.tendons.user_len,
        "nuser_actuator" => m.actuators.user_len,
        "nuser_sensor" => m.sensors.user_len,
        "ngravcomp" => m.bodies.gravcomp.iter().filter(|&&g| g != 0.0).count(),
        // Deformables, skins, plugins and delays are refused by the readers.
        "nflex" | "nflexvert" | "nskin" | "nplugin" | "npluginstate" | "nhistory" | "nplastic" => 0,
        _ => return None,
    })
}

/// Names of all fields.
pub const NAMES: &str = "\
    body_parentid body_rootid body_weldid body_mocapid body_jntnum body_jntadr body_dofnum body_dofadr body_geomnum \
    body_geomadr body_treeid body_simple body_sameframe tree_bodyadr tree_bodynum tree_dofadr tree_dofnum jnt_type \
    jnt_qposadr jnt_dofadr jnt_bodyid jnt_actuatorid dof_bodyid dof_jntid dof_parentid dof_treeid dof_simplenum \
    geom_type geom_bodyid geom_dataid geom_matid geom_sameframe site_type site_bodyid site_dataid site_matid \
    site_sameframe cam_mode cam_bodyid cam_targetbodyid cam_projection light_mode light_bodyid light_targetbodyid \
    mesh_vertadr mesh_vertnum mesh_faceadr mesh_facenum mesh_face hfield_nrow hfield_ncol hfield_adr pair_geom1 \
    pair_geom2 eq_type eq_obj1id eq_obj2id eq_objtype tendon_type tendon_adr tendon_num tendon_matid \
    tendon_actuatorid tendon_treenum tendon_treeid ten_J_rownnz ten_J_rowadr ten_J_colind wrap_type wrap_objid \
    actuator_trntype actuator_dyntype actuator_gaintype actuator_biastype actuator_ctrladr actuator_ctrlnum \
    actuator_outadr actuator_outnum actuator_actadr actuator_actnum actuator_trnid sensor_type sensor_needstage \
    sensor_objtype sensor_objid sensor_reftype sensor_refid sensor_dim sensor_adr numeric_adr numeric_size tuple_adr \
    tuple_size tuple_objtype tuple_objid moment_rownnz moment_rowadr moment_colind M_rownnz M_rowadr M_colind";

/// Names of all sizes.
pub const SIZES: &str = "\
    nq nv nu na nactuator nout nbody njnt ntree nM nC ngeom nsite ncam nlight nmesh nmeshvert nmeshface nhfield \
    nhfielddata ntex nmat npair nexclude neq ntendon nJten nJmom nwrap nsensor nnumeric nnumericdata ntext ntuple \
    nkey nmocap nuserdata nsensordata nuser_body nuser_jnt nuser_geom nuser_site nuser_cam nuser_tendon \
    nuser_actuator nuser_sensor ngravcomp nflex nflexvert nskin nplugin npluginstate nhistory nplastic";
