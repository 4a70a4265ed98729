"""Models built by program: the same program on MuJoCo's `MjSpec` and on ours gives the same model; `saltus.Spec` itself."""

from __future__ import annotations

import math
import random

import mujoco
import numpy as np
import pytest
import saltus
from conftest import MODELS, XML
from saltus import mujoco as sm

FIELDS = (
    "qpos0 body_pos body_quat body_mass body_inertia body_ipos body_iquat jnt_type jnt_range jnt_axis jnt_pos jnt_limited "
    "jnt_stiffness dof_damping dof_armature geom_type geom_size geom_pos geom_quat geom_friction geom_rgba geom_condim site_pos "
    "site_quat actuator_gainprm actuator_biasprm actuator_ctrlrange actuator_trnid actuator_gear sensor_type sensor_objid "
    "eq_type eq_obj1id eq_obj2id eq_data tendon_range wrap_prm wrap_type key_qpos cam_pos light_dir pair_geom1 exclude_signature"
).split()


def same(ours: sm.MjModel, theirs: mujoco.MjModel) -> None:
    assert ours.names == theirs.names
    for name in FIELDS:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-9, err_msg=name)


def robot(package, degree: bool = True):
    """A cart with an arm of all kinds of parts."""
    spec = package.MjSpec()
    spec.modelname = "robot"
    spec.compiler.degree = degree
    spec.option.timestep = 0.001
    spec.option.gravity = [0, 0, -5]
    turn = 1 if degree else np.pi / 180
    heavy = spec.add_default("heavy", spec.default)
    heavy.geom.density = 5000
    heavy.joint.armature = 0.1
    spec.worldbody.add_geom(name="floor", type=package.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1])
    spec.worldbody.add_light(name="sun", pos=[0, 0, 3], dir=[0, 0, -1])
    cart = spec.worldbody.add_body(name="cart", pos=[0, 0, 0.5])
    cart.add_joint(name="rail", type=package.mjtJoint.mjJNT_SLIDE, axis=[1, 0, 0], damping=[2, 0, 0])
    cart.add_geom(name="box", type=package.mjtGeom.mjGEOM_BOX, size=[0.2, 0.1, 0.1], rgba=[1, 0, 0, 1])
    arm = cart.add_body(name="arm", pos=[0, 0, 0.1], euler=[0, 30 * turn, 0])
    arm.add_joint(heavy, name="shoulder", axis=[0, 1, 0], range=[-90 * turn, 60 * turn], stiffness=[3, 0, 0])
    arm.add_geom(heavy, name="rod", type=package.mjtGeom.mjGEOM_CAPSULE, size=[0.04], fromto=[0, 0, 0, 0, 0, 0.5])
    arm.add_site(name="tip", pos=[0, 0, 0.5], size=[0.01])
    arm.add_camera(name="eye", pos=[0, 0, 0.6])
    ball = spec.worldbody.add_body(name="ball", pos=[1, 0, 1])
    ball.add_freejoint(name="free")
    ball.add_geom(name="sphere", size=[0.1], mass=2, friction=[0.5, 0.01, 0.001])
    motor = spec.add_actuator(name="push", target="rail", trntype=package.mjtTrn.mjTRN_JOINT, gear=[2, 0, 0, 0, 0, 0])
    motor.ctrlrange = [-1, 1]
    servo = spec.add_actuator(name="servo", target="shoulder", trntype=package.mjtTrn.mjTRN_JOINT)
    servo.set_to_position(kp=10)
    objects = package.mjtObj
    spec.add_sensor(name="spin", type=package.mjtSensor.mjSENS_GYRO, objtype=objects.mjOBJ_SITE, objname="tip")
    spec.add_sensor(
        name="angle", type=package.mjtSensor.mjSENS_JOINTPOS, objtype=objects.mjOBJ_JOINT, objname="shoulder"
    )
    coupling = spec.add_tendon(name="coupling", range=[-1, 1])
    coupling.wrap_joint("rail", 2)
    coupling.wrap_joint("shoulder", -1)
    spec.add_equality(
        name="tie",
        type=package.mjtEq.mjEQ_JOINT,
        name1="rail",
        name2="shoulder",
        data=[0.1, 1] + [0] * 8 + [1, 0],
        active=False,
    )
    spec.add_exclude(name="no", bodyname1="cart", bodyname2="ball")
    spec.add_pair(name="touch", geomname1="sphere", geomname2="floor")
    spec.add_key(name="home", qpos=[0.1, 0.2, 1, 0, 1, 1, 0, 0, 0])
    return spec


@pytest.mark.parametrize("degree", [True, False])
def test_the_same_program_gives_the_same_model(degree):
    theirs, ours = robot(mujoco, degree).compile(), robot(sm, degree).compile()
    same(ours, theirs)
    assert ours.opt.timestep == 0.001 and np.array_equal(ours.opt.gravity, theirs.opt.gravity)


def test_specs_are_written_and_read_again():
    spec = robot(sm)
    again = sm.MjSpec.from_string(spec.to_xml())
    assert not again.compiler.degree
    for name in FIELDS:
        mine, first = getattr(again.compile(), name), getattr(spec.compile(), name)
        np.testing.assert_allclose(mine, first, atol=1e-6, err_msg=name)


def test_models_that_were_read_are_changed():
    def change(package):
        spec = package.MjSpec.from_string(XML)
        spec.body("hand").pos = [0.4, 0, 0]
        spec.body("arm").add_geom(name="extra", size=[0.02], pos=[0, 0, 0.1])
        spec.joint("elbow").damping = [0.7, 0, 0]
        spec.delete(spec.camera("eye"))
        assert [body.name for body in spec.bodies][:3] == ["world", "floater", "arm"]
        assert spec.geom("nothing") is None and spec.body("arm") is spec.bodies[2]
        # Keyframes and limits depend on degrees, which files of ours are read without.
        return spec.compile()

    same(change(sm), change(mujoco))


def test_specs_are_attached():
    def build(package):
        base = robot(package)
        tool = package.MjSpec()
        tool.compiler.degree = False
        hand = tool.worldbody.add_body(name="hand", pos=[0, 0, 0.05])
        hand.add_joint(name="wrist", axis=[1, 0, 0], range=[-1, 1])
        hand.add_geom(name="palm", type=package.mjtGeom.mjGEOM_BOX, size=[0.03, 0.05, 0.01])
        tool.add_actuator(name="grip", target="wrist", trntype=package.mjtTrn.mjTRN_JOINT)
        base.attach(tool, prefix="right_", site="tip")
        return base.compile()

    ours, theirs = build(sm), build(mujoco)
    assert ours.joint("right_wrist").range.tolist() == [-1, 1] and ours.names == theirs.names
    np.testing.assert_allclose(ours.body("right_hand").pos, theirs.body("right_hand").pos, atol=1e-12)
    np.testing.assert_allclose(ours.body_mass, theirs.body_mass, rtol=1e-12)
    assert np.array_equal(ours.actuator_trnid, theirs.actuator_trnid)


TRUNK = """<mujoco model="trunk"><compiler balanceinertia="true"/><worldbody><site name="ws"/>
<body name="trunk" pos="0 0 1"><joint name="tj"/><geom name="tg" size=".1"/><site name="ts"/>
 <body name="arm" pos="0 1 0"><joint name="aj"/><geom name="ag" size=".1"/><site name="as"/>
  <body name="hand" pos="0 1 0"><joint name="hj"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 5"/><site name="hs"/></body></body>
 <body name="leg" pos="1 0 0"><joint name="lj"/><geom name="lg" size=".1"/><site name="ls"/></body></body></worldbody>
<tendon>
 <spatial name="t_in"><site site="as"/><site site="hs"/></spatial>
 <spatial name="t_out"><site site="ts"/><site site="as"/><site site="hs"/></spatial>
 <spatial name="t_wrap"><site site="as"/><geom geom="tg"/><site site="hs"/></spatial>
 <spatial name="t_leg"><site site="ls"/><site site="as"/></spatial>
 <spatial name="t_world"><site site="ws"/><site site="as"/></spatial>
 <fixed name="f_out"><joint joint="aj" coef="1"/><joint joint="tj" coef="1"/></fixed></tendon>
<actuator><motor name="m_in" joint="aj"/><motor name="m_trunk" joint="tj"/><motor name="m_leg" joint="lj"/>
 <motor name="m_tin" tendon="t_in"/><motor name="m_tout" tendon="t_out"/><motor name="m_tleg" tendon="t_leg"/>
 <general name="m_site" site="as" refsite="ts"/><adhesion name="m_adh" body="arm" ctrlrange="0 1"/></actuator>
<sensor><jointpos name="s_in" joint="aj"/><jointpos name="s_trunk" joint="tj"/><clock name="s_clock"/>
 <framepos name="s_ref" objtype="site" objname="as" reftype="site" refname="ts"/>
 <framepos name="s_ref2" objtype="body" objname="trunk" reftype="body" refname="arm"/>
 <tendonpos name="s_tout" tendon="t_out"/><actuatorpos name="s_am" actuator="m_tout"/><actuatorpos name="s_ao" actuator="m_leg"/>
 <framepos name="s_world" objtype="body" objname="world"/></sensor>
<equality><connect name="e_in" body1="arm" body2="hand" anchor="0 0 0"/><joint name="e_out" joint1="aj" joint2="tj"/>
 <connect name="e_world" body1="arm" anchor="0 0 0"/><tendon name="e_t" tendon1="t_out"/></equality>
<contact><exclude name="x_in" body1="arm" body2="hand"/><exclude name="x_out" body1="arm" body2="trunk"/>
 <exclude name="x_world" body1="arm" body2="world"/><pair name="p_out" geom1="ag" geom2="tg"/></contact>
<custom><tuple name="tu_in"><element objtype="body" objname="arm"/></tuple>
 <tuple name="tu_out"><element objtype="body" objname="arm"/><element objtype="body" objname="trunk"/></tuple></custom>
<keyframe><key name="k" qpos="1 2 3 4" ctrl="1 2 3 4 5 6 7 .5"/></keyframe></mujoco>"""

HOST = """<mujoco model="host"><worldbody><body name="base"><joint name="bj" ref="9"/><geom size=".1"/>{}</body></worldbody>
<actuator><motor name="b" joint="bj"/></actuator><keyframe><key name="k0" qpos="7" ctrl="5"/></keyframe></mujoco>"""


def assert_same_model(ours, theirs):
    """Names, transmissions, paths of tendons, keyframes and masses agree."""
    assert ours.names == theirs.names
    for name in "wrap_objid wrap_type tendon_num actuator_trnid sensor_objid sensor_refid eq_obj1id eq_obj2id".split():
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
    for name in "body_mass body_inertia body_pos jnt_range key_qpos key_ctrl tendon_length0".split():
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-9, err_msg=name)


@pytest.mark.filterwarnings("ignore:.* is not attached")
@pytest.mark.parametrize(
    ("extra", "parts"),
    [
        ("", ["arm"]),
        ("", ["arm", "leg"]),
        ('<site name="ts"/>', ["arm"]),
        ('<site name="p_ts"/>', ["arm"]),
        ('<body name="trunk"><joint name="tj"/><geom name="tg" size=".1"/><site name="ts"/></body>', ["arm", "leg"]),
        ('<body name="p_trunk"><joint name="p_tj"/><geom name="p_tg" size=".1"/><site name="p_ts"/></body>', ["arm"]),
        ("", [None]),
    ],
)
def test_what_reaches_out_of_an_attached_body_is_kept_as_in_the_reference(extra, parts):
    def build(package):
        host, trunk = package.MjSpec.from_string(HOST.format(extra)), package.MjSpec.from_string(TRUNK)
        if len(parts) > 1:
            trunk.delete(trunk.keys[0])
        if "joint" in extra:
            host.delete(host.keys[0])
        for part in parts:
            frame = host.body("base").add_frame(pos=[0, 0, 1])
            if part is None:
                host.attach(trunk, prefix="p_", frame=frame)
            else:
                frame.attach_body(trunk.body(part), "p_", "")
        return host.compile()

    assert_same_model(build(sm), build(mujoco))


def test_a_warning_names_what_is_not_attached():
    host, trunk = sm.MjSpec.from_string(HOST.format("")), sm.MjSpec.from_string(TRUNK)
    with pytest.warns(UserWarning, match="tendon 't_out' is not attached: it refers to 'ts'|tendon \"t_out\"") as found:
        host.body("base").add_frame().attach_body(trunk.body("arm"), "p_", "")
    texts = [str(one.message) for one in found]
    assert any('actuator "m_tout"' in text for text in texts) and not any("m_leg" in text for text in texts)


@pytest.mark.parametrize("name", ["arm", "leg", "hand"])
def test_a_body_is_deleted_with_what_depends_on_it_as_in_the_reference(name):
    def build(package):
        spec = package.MjSpec.from_string(TRUNK)
        spec.delete(spec.body(name))
        return spec.compile()

    assert_same_model(build(sm), build(mujoco))


def test_frames_sites_and_files_of_meshes(tmp_path):
    tetra = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (tmp_path / "tetra.obj").write_text(tetra)

    def build(package):
        spec = package.MjSpec()
        arm = spec.worldbody.add_body(name="arm", pos=[0, 0, 1])
        frame = arm.add_frame(pos=[0.1, 0.2, 0.3], quat=[np.cos(0.4), np.sin(0.4), 0, 0])
        frame.add_joint(name="hinge", axis=[0, 1, 0], pos=[0, 0, 0.1])
        frame.add_geom(
            name="box", type=package.mjtGeom.mjGEOM_BOX, size=[0.1, 0.2, 0.3], pos=[0, 0.5, 0], quat=[0.8, 0, 0.6, 0]
        )
        frame.add_site(name="place", pos=[0.1, 0, 0])
        spec.add_mesh(name="tetra", file=str(tmp_path / "tetra.obj"))
        arm.add_geom(name="mesh", type=package.mjtGeom.mjGEOM_MESH, meshname="tetra")
        other = package.MjSpec()
        hand = other.worldbody.add_body(name="hand", pos=[0, 0, 0.1])
        hand.add_geom(name="palm", size=[0.05])
        spec.site("place").attach_body(hand, "left_", "")
        return spec.compile()

    ours, theirs = build(sm), build(mujoco)
    for name in "jnt_axis jnt_pos geom_pos geom_quat geom_size site_pos site_quat body_pos body_quat body_mass".split():
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-7, err_msg=name)


def test_what_only_viewers_use_is_kept():
    def build(package):
        spec = package.MjSpec()
        spec.stat.extent = 3
        spec.visual.global_.fovy = 60
        spec.compiler.eulerseq = "zyx" if package is sm else ["z", "y", "x"]
        types, builtins = package.mjtTexture, package.mjtBuiltin
        spec.add_texture(
            name="grid",
            type=types.mjTEXTURE_2D,
            builtin=builtins.mjBUILTIN_CHECKER,
            width=64,
            height=64,
            rgb1=[0.1, 0.2, 0.3],
        )
        material = spec.add_material(name="floor", reflectance=0.2)
        material.textures = ["", "grid"] + [""] * 8
        body = spec.worldbody.add_body(euler=[30, 40, 50])
        body.add_geom(size=[0.1], material="floor", typeinertia=package.mjtGeomInertia.mjINERTIA_SHELL)
        spec.add_hfield(name="hill", size=[1, 1, 1, 0.1], nrow=2, ncol=2, userdata=[0, 1, 1, 0])
        spec.worldbody.add_geom(type=package.mjtGeom.mjGEOM_HFIELD, hfieldname="hill")
        return spec.compile()

    ours, theirs = build(sm), build(mujoco)
    for name in "mat_texid mat_reflectance body_quat body_inertia geom_matid hfield_data hfield_size".split():
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-7, err_msg=name)
    assert ours.stat.extent == 3 and ours.vis.global_.fovy == 60 and ours.names == theirs.names


def test_trees_are_walked():
    spec = robot(sm)
    names = [body.name for body in spec.worldbody.find_all("body")]
    assert names == ["cart", "arm", "ball"]
    assert [geom.name for geom in spec.body("cart").find_all("geom")] == ["box", "rod"]
    assert spec.worldbody.next_body(spec.worldbody.first_body()).name == "ball"
    assert spec.body("arm").parent is spec.body("cart") and spec.geom("rod").parent is spec.body("arm")
    assert not spec.body("ball").explicitinertial
    spec.body("ball").mass, spec.body("ball").inertia = 3, [1, 1, 1]
    assert spec.compile().body("ball").mass == 3


def test_recompiled_models_keep_their_state():
    spec = robot(sm)
    m = spec.compile()
    d = sm.MjData(m)
    d.qpos[:2], d.ctrl[1] = [0.3, 0.4], 0.5
    sm.mj_step(m, d, 3)
    spec.worldbody.add_body(name="first", pos=[3, 0, 0]).add_joint(type=sm.mjtJoint.mjJNT_BALL)
    spec.body("first").add_geom(size=[0.1])
    spec.delete(spec.keys[0])
    new, state = spec.recompile(m, d)
    assert new.nq == m.nq + 4 and state.time == d.time
    for joint in ("rail", "shoulder", "free"):
        assert np.array_equal(state.joint(joint).qpos, d.joint(joint).qpos), joint
        assert np.array_equal(state.joint(joint).qvel, d.joint(joint).qvel), joint
    assert state.actuator("servo").ctrl == 0.5


def test_mistakes_are_named():
    spec = sm.MjSpec()
    body = spec.worldbody.add_body(name="b")
    with pytest.raises(AttributeError, match="a geom of a spec has no 'colour'"):
        body.add_geom(colour=[1, 0, 0])
    with pytest.raises(ValueError, match="size has 3 numbers, not 4"):
        body.add_geom(size=[1, 1, 1, 1])
    with pytest.raises(ValueError, match="mjtGeom 100 is not supported"):
        body.add_geom(type=sm.mjtGeom.mjGEOM_ARROW)
    spec = sm.MjSpec()
    spec.add_actuator(name="a", target="nothing")
    with pytest.raises(ValueError, match='actuator "a": there is no joint "nothing"'):
        spec.compile()


@pytest.mark.parametrize(
    "path", sorted(MODELS.glob("*.xml")) + sorted((MODELS / "features").glob("*.xml")), ids=lambda p: p.stem
)
def test_a_spec_is_the_model_bit_for_bit(path):
    """Python's tree of a spec loses nothing of what the reader found."""
    ours, direct = saltus.Spec.load(path).compile(), saltus.Model.load(path)
    assert ours.to_bytes() == direct.to_bytes()


def test_native_specs():
    spec = saltus.Spec.load(MODELS / "humanoid.xml")
    torso = spec.find("body", "torso")
    torso.add("site", name="badge", pos=[0.1, 0, 0.2])
    spec.add("exclude", body1="torso", body2="pelvis")
    spec.keys.clear()
    twin = spec.copy()
    spec.attach(twin, prefix="second_", pos=[0, 1, 0])
    assert spec.find("body", "torso") is torso
    model = spec.compile()
    assert model.nbody == 2 * 13 - 1 and "second_badge" in model.names("site")
    spec.delete(spec.find("body", "second_torso"))
    assert not any(a.name.startswith("second_") for a in spec.actuators) and spec.compile().nbody == 13
    with pytest.raises(AttributeError, match="a body has no 'weight'; it has name"):
        torso.weight = 1
    tree = spec._core().tree()
    tree["bodies"][1]["parent"] = 99
    with pytest.raises(ValueError, match="parents must come before"):
        saltus._saltus.SpecCore.of(tree)
    torso.pos = "here"
    with pytest.raises(ValueError, match=r"bodies\[1\]\.pos: invalid type: string"):
        spec.compile()


def test_no_spec_makes_a_panic():
    """Hostile values in the tree of a spec: an error or a model, but never a panic, which is no `Exception`."""
    rng = random.Random(0)
    for path in sorted((MODELS / "features").glob("*.xml")):
        spec = saltus._saltus.SpecCore.load(str(path))
        for _ in range(30):
            tree = _lists(spec.tree())
            where, key = rng.choice(list(_places(tree)))
            old = where[key]
            choices = [None, 0, -1, 127, 2**31 - 1, 2**64, 1e308, math.nan, math.inf, "", "zz", [], {}, True, where]
            where[key] = rng.choice([*choices, old[:-1]] if isinstance(old, list) else choices)
            for function in (saltus._saltus.SpecCore.compile, saltus._saltus.SpecCore.to_xml):
                try:
                    function(saltus._saltus.SpecCore.of(tree))
                except Exception as error:
                    assert isinstance(error, ValueError), (path, key, error)


def _lists(value):
    """The same with lists in place of arrays."""
    if isinstance(value, dict):
        return {key: _lists(item) for key, item in value.items()}
    if isinstance(value, (list, np.ndarray)):
        return [_lists(item) for item in value]
    return value


def _places(tree):
    """All places in a tree that hold something: container and key."""
    for key in tree if isinstance(tree, dict) else range(len(tree)):
        yield tree, key
        if isinstance(tree[key], (dict, list)):
            yield from _places(tree[key])


def test_robot_files_get_motors_and_motors_are_added_by_their_mjcf_words(tmp_path):
    links = "".join(
        f'<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        for name in ("base", "shin")
    )
    limit = '<limit lower="-1" upper="1" effort="12" velocity="3"/>'
    joint = f'<joint name="knee" type="revolute"><parent link="base"/><child link="shin"/><axis xyz="0 1 0"/>{limit}</joint>'
    path = tmp_path / "leg.urdf"
    path.write_text(f'<robot name="leg">{links}{joint}</robot>')
    model = saltus.Model.load(path, floating_base=True, motors=True)
    assert (model.nv, model.nu) == (7, 1)
    assert saltus.mujoco.MjModel(model._core).actuator_forcerange.tolist() == [[-12, 12]]
    spec = saltus.Spec.load(path, motors=True)
    assert spec.actuators[0].user.tolist() == [3.0] and len(saltus.Spec.load(path).actuators) == 0

    spec = saltus.Spec.load(path)
    spec.add("motor", name="m", joint="knee", gear=2, ctrlrange=(-1, 1))
    spec.add("position", joint="knee", kp=50, force_range=(-3, 3))
    made = sm.MjModel(spec.compile()._core)
    xml = (
        '<mujoco><worldbody><body><joint name="knee"/><geom size=".1"/></body></worldbody><actuator>'
        '<motor name="m" joint="knee" gear="2" ctrlrange="-1 1"/><position joint="knee" kp="50" forcerange="-3 3"/></actuator></mujoco>'
    )
    theirs = mujoco.MjModel.from_xml_string(xml)
    for name in "gear gainprm biasprm ctrlrange ctrllimited forcerange forcelimited".split():
        np.testing.assert_array_equal(
            getattr(made, f"actuator_{name}"), getattr(theirs, f"actuator_{name}"), err_msg=name
        )
    with pytest.raises(ValueError, match="strength"):
        spec.add("motor", joint="knee", strength=3)
