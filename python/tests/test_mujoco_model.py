"""`saltus.mujoco`: models, options, named access, copy on write."""

import copy
import pickle

import numpy as np
import pytest
import saltus
from conftest import XML
from saltus import mujoco as sm


def acceleration(m):
    d = sm.MjData(m)
    sm.mj_forward(m, d)
    return d.qacc.copy()


def test_changed_mass_changes_the_dynamics(m):
    before = acceleration(m)
    m.joint("elbow").stiffness = 5.0
    m.qpos_spring[11] = 0.3
    m.body_mass[1] = 20.0
    assert not np.allclose(acceleration(m), before)
    heavy = sm.MjModel.from_xml_string(XML.replace('name="ball" size="0.1"', 'name="ball" size="0.1" mass="20"'))
    assert heavy.body_mass[1] == m.body_mass[1]


def test_the_model_it_was_copied_from_stays_unchanged(native):
    m = sm.MjModel.from_model(native)
    before = native.to_bytes()
    m.body_mass[:] *= 2
    m.opt.gravity[:] = 0
    m.opt.timestep = 0.5
    assert not np.allclose(acceleration(m), acceleration(sm.MjModel.from_model(native)))
    assert native.to_bytes() == before and m.to_bytes() != before
    data = native.data()
    data.forward()
    assert data.a[2] == pytest.approx(-9.81, abs=1.0)


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_keep_changes_and_are_independent(m, clone):
    m.body_mass[1] = 3.0
    other = clone(m)
    assert type(other) is sm.MjModel and other.body_mass[1] == 3.0
    other.body_mass[1] = 4.0
    assert m.body_mass[1] == 3.0


def test_set_const_follows_the_masses(m):
    d = sm.MjData(m)
    weights, subtree = m.body_invweight0, m.body_subtreemass
    # Rotors would not follow the mass of the bodies.
    m.dof_armature = 0
    sm.mj_setConst(m, d)
    before = weights.copy()
    sm.mj_setTotalmass(m, 2 * sm.mj_getTotalmass(m))
    sm.mj_setConst(m, d)
    np.testing.assert_allclose(weights[1, 0], before[1, 0] / 2, rtol=1e-9)
    assert subtree[0] == pytest.approx(sm.mj_getTotalmass(m))


def test_compiled_structure_is_read_only(m):
    with pytest.raises(ValueError, match="read-only"):
        m.body_parentid[1] = 0
    with pytest.raises(AttributeError, match="nq"):
        m.nq = 3
    with pytest.raises(ValueError, match="broadcast"):
        m.body_mass = [1, 2]


def test_options(m):
    m.opt.timestep = 0.01
    m.opt.integrator = sm.mjtIntegrator.mjINT_RK4
    m.opt.disableflags |= sm.mjtDisableBit.mjDSBL_GRAVITY
    assert (m.opt.timestep, m.opt.integrator) == (0.01, 1)
    # The free flight of the cart and the whole starts at rest and stays there.
    d = sm.MjData(m)
    sm.mj_forward(m, d)
    np.testing.assert_allclose(d.qfrc_bias, 0, atol=1e-14)
    m.opt.disableflags = 1
    m.opt.gravity = [0, 0, -1]
    sm.mj_forward(m, d)
    assert d.qfrc_bias[2] == pytest.approx(m.body_subtreemass[1])
    m.opt.gravity[2] = -2
    sm.mj_forward(m, d)
    assert d.qfrc_bias[2] == pytest.approx(2 * m.body_subtreemass[1])
    for name, value in (("timestep", -1.0), ("solver", 17), ("cone", 9)):
        with pytest.raises(ValueError, match=name):
            setattr(m.opt, name, value)
    with pytest.raises(AttributeError, match="gravitas"):
        m.opt.gravitas = 1
    with pytest.raises(AttributeError, match="gravitas"):
        m.opt.gravitas  # noqa: B018
    assert "timestep: 0.01" in repr(m.opt) and "gravity" in dir(m.opt)


def test_options_have_the_reference_names():
    mujoco = pytest.importorskip("mujoco")
    reference = mujoco.MjModel.from_xml_string(XML)
    ours = sm.MjModel.from_xml_string(XML)
    names = [n for n in dir(reference.opt) if not n.startswith("_")]
    for name in names:
        np.testing.assert_array_equal(getattr(ours.opt, name), getattr(reference.opt, name), err_msg=name)


def test_named_access_agrees_with_the_reference(m):
    mujoco = pytest.importorskip("mujoco")
    r = mujoco.MjModel.from_xml_string(XML)
    d, e = sm.MjData(m), mujoco.MjData(r)
    sm.mj_forward(m, d)
    mujoco.mj_forward(r, e)
    skipped = {"id", "name", "Madr", "plasticadr", "springyield", "plastic", "moment", "bvh", "polygon"}
    compared = 0
    for kind, names in {
        "body": ["floater", "hand", "target"],
        "joint": ["root", "shoulder", "elbow", "rail"],
        "geom": ["ball", "upper"],
        "site": ["tip"],
        "camera": ["eye"],
        "light": ["lamp"],
        "tendon": ["coupling"],
        "actuator": ["push", "slow"],
        "sensor": ["spin"],
        "numeric": ["gains"],
        "key": ["raised"],
        "equality": ["hook"],
    }.items():
        for owner, reference in ((m, r), (d, e)):
            for name in names if hasattr(reference, kind) else ():
                ours, theirs = getattr(owner, kind)(name), getattr(reference, kind)(name)
                assert (ours.id, ours.name) == (theirs.id, theirs.name)
                for attribute in (a for a in dir(theirs) if not a.startswith("_") and a not in skipped):
                    try:
                        value = getattr(ours, attribute)
                    except AttributeError as error:
                        assert "does not support" in str(error) or "has no" in str(error)
                        continue
                    expected = getattr(theirs, attribute)
                    np.testing.assert_allclose(value, expected, atol=1e-12, err_msg=f"{kind} {name} {attribute}")
                    assert np.shape(value) == np.shape(expected), f"{kind} {name} {attribute}"
                    compared += 1
    assert compared > 250


def test_named_access_writes(m):
    m.body("hand").mass = 3.0
    assert m.body_mass[m.body("hand").id] == 3.0
    m.joint("elbow").damping[0] = 0.7
    assert m.dof_damping[9] == 0.7
    assert m.jnt("elbow").id == m.joint(2).id == 2
    assert m.eq("hook").id == 0 and m.keyframe("raised").id == 0
    d = sm.MjData(m)
    d.joint("root").qvel[:3] = 1.0
    assert list(d.qvel[:4]) == [1, 1, 1, 0]
    d.actuator("slow").ctrl = 0.5
    assert d.ctrl[1] == 0.5
    with pytest.raises(AttributeError, match="name"):
        m.body("hand").name = "foot"


def test_unknown_names_are_refused(m, d):
    with pytest.raises(KeyError, match="Invalid name 'foot'. Valid names: .*'hand'"):
        m.body("foot")
    with pytest.raises(IndexError, match="Invalid index 17. Valid indices from 0 to 5"):
        d.body(17)
    with pytest.raises(IndexError):
        m.body(-1)
    with pytest.raises(AttributeError, match="MjModel does not support the field 'body_colour'"):
        m.body_colour  # noqa: B018
    with pytest.raises(AttributeError, match="MjData does not support the field 'efm_active'"):
        d.efm_active  # noqa: B018
    with pytest.raises(AttributeError, match="does not support setting 'anything'"):
        d.anything = 1
    with pytest.raises(AttributeError, match="no 'colour'"):
        d.body(1).colour  # noqa: B018
    with pytest.raises(NotImplementedError, match="mjv_updateScene is not supported: Saltus draws nothing"):
        sm.mjv_updateScene()
    assert "body_mass" in dir(m) and "qpos" in dir(d)


def test_files(m, tmp_path):
    sm.mj_saveModel(m, tmp_path / "thing.mjb")
    again = sm.MjModel.from_binary_path(tmp_path / "thing.mjb")
    assert np.array_equal(again.body_mass, m.body_mass) and again.names == m.names
    (tmp_path / "thing.xml").write_text(XML)
    assert sm.MjModel.from_xml_path(str(tmp_path / "thing.xml")).nq == m.nq
    part = b"<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
    (tmp_path / "whole.xml").write_text("<mujoco><include file='part.xml'/></mujoco>")
    assert sm.MjModel.from_xml_path(tmp_path / "whole.xml", {"part.xml": part}).nv == 1
    for path in ("nowhere.xml", "nowhere.mjb"):
        with pytest.raises((ValueError, OSError), match="nowhere"):
            (sm.MjModel.from_xml_path if path.endswith("xml") else sm.MjModel.from_binary_path)(path)


def test_a_model_is_accepted_wherever_a_native_one_is(m):
    assert isinstance(m, saltus.Model) and isinstance(sm.MjData(m), saltus.Data)
    assert saltus.Data(m).q.shape == (13,)
    with pytest.raises(TypeError, match="MjData is made for an MjModel, not for Model"):
        sm.MjData(saltus.Model.from_xml(XML))


MESH = """<mujoco><asset><mesh name="ball" builtin="sphere" params="3"/></asset><worldbody>
  <geom type="plane" size="5 5 1"/><geom type="ellipsoid" size="0.5 0.4 0.3" pos="3 0 1"/>
  <body pos="0 0 0.9"><freejoint/><geom type="mesh" mesh="ball"/></body>
  <body pos="3 0 1.9"><freejoint/><geom type="mesh" mesh="ball"/></body></worldbody></mujoco>"""


def test_moved_corners_of_a_mesh_are_those_that_touch():
    """Hulls are searched by tables with copies of their corners, which must follow."""
    m = sm.MjModel.from_xml_string(MESH)
    assert m.nmeshvert > 100
    for size in (1.0, 0.7, 1.2):
        # Another corner is the lowest one.
        m.mesh_vert[:] = size * np.roll(m.mesh_vert, 1, axis=1)
        d, radius = sm.MjData(m), np.abs(m.mesh_vert).max()
        d.qpos[2], d.qpos[9] = 0.99 * radius, 1.3 + 0.99 * radius
        sm.mj_forward(m, d)
        depths = [min(c.dist for c in d.contact if c.geom[0] == g) for g in (0, 1)]
        np.testing.assert_allclose(depths, -0.01 * radius, rtol=0.1)
