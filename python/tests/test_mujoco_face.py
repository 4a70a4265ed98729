"""What programs written for MuJoCo expect of its objects and functions, compared with the reference where it has it."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
import time

import mujoco
import numpy as np
import pytest
from conftest import MODELS, XML, disturb
from saltus import mujoco as sm

BOX = """<mujoco><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body pos="0 0 0.099"><freejoint/><geom name="box" type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>"""


def both(xml: str):
    """Model and data of the reference and of Saltus after a forward pass from the same disturbed state."""
    for package in (mujoco, sm):
        m = package.MjModel.from_xml_string(xml)
        d = package.MjData(m)
        disturb(m, d)
        package.mj_forward(m, d)
        yield m, d


def box() -> tuple[sm.MjModel, sm.MjData]:
    m = sm.MjModel.from_xml_string(BOX)
    d = sm.MjData(m)
    sm.mj_forward(m, d)
    return m, d


def test_contacts_know_their_geoms_and_follow_the_data():
    m, d = box()
    contacts = d.contact
    assert [(c.geom1, c.geom2) for c in contacts] == [(0, 1)] * 4
    assert np.array_equal(contacts.geom1, [0] * 4) and contacts[-1].dim == 3
    d.qpos[2] = 1
    sm.mj_forward(m, d)
    assert len(contacts) == d.ncon == 0
    with pytest.raises(IndexError, match="there are 0"):
        contacts[0]


def test_contacts_can_be_sliced_as_in_the_reference():
    m, d = box()
    reference = mujoco.MjModel.from_xml_string(BOX)
    other = mujoco.MjData(reference)
    mujoco.mj_forward(reference, other)
    for part in (slice(1, None), slice(None, None, -1), slice(0, 4, 2), slice(9, 12), slice(0, 0), slice(-2, None)):
        ours, theirs = d.contact[part], other.contact[part]
        assert len(ours) == len(theirs) == len(list(ours))
        assert type(ours) is type(d.contact)
        for name in "dist pos frame geom geom1 dim friction efc_address".split():
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-12, err_msg=name)
        assert [c.geom2 for c in ours] == [c.geom2 for c in theirs]
        assert ours == d.contact[part] and len(ours[1:]) == len(theirs[1:])
    for bad in ("a", 1.0, None, ...):
        with pytest.raises(TypeError):
            d.contact[bad]
    kept = d.contact[1:]
    kept.dist[0] = 7
    assert d.contact[1].dist == 7
    d.qpos[2] = 1
    sm.mj_forward(m, d)
    assert len(d.contact) == 0 and len(kept) == 3 and kept[0].dist == 7


def test_viewer_classes_can_be_subclassed():
    """As dm_control does: read-only properties in the place of fields, and more attributes."""

    class Scene(sm.MjvScene):
        @property
        def geoms(self):
            return super().geoms[: super().ngeom]

        @property
        def lights(self):
            return ()

        flags = property(lambda self: 0)

    m, _ = box()
    scene = Scene(m, 10)
    assert scene.geoms == () and scene.lights == () and scene.maxgeom == 10 and scene.flags == 0
    scene.ngeom = 3
    assert len(scene.geoms) == 3
    for name in ("geoms", "lights", "camera"):
        with pytest.raises(AttributeError):
            setattr(sm.MjvScene(m, 1), name, ())
    kinds = (sm.MjvCamera, sm.MjvGLCamera, sm.MjvPerturb, sm.MjvOption, sm.MjvGeom, sm.MjvLight, sm.MjvFigure)
    for kind in (*kinds, sm.MjvScene, sm.MjrRect, sm.MjrContext, sm.MjLROpt):
        fields = kind()._names()
        replaced = type("Own", (kind,), {name: property(lambda self: 5) for name in fields})()
        replaced.more = 1
        assert replaced.more == 1 and all(getattr(replaced, name) == 5 for name in fields)
        with pytest.raises(AttributeError, match="has no 'more'"):
            kind().more = 1


@pytest.mark.parametrize("name", ["MjvScene", "MjvFigure", "MjvOption", "MjvGeom", "MjvCamera", "MjvPerturb"])
def test_viewer_classes_have_the_fields_of_the_reference(name):
    ours, theirs = getattr(sm, name)(), getattr(mujoco, name)()
    for field in [field for field in dir(theirs) if not field.startswith("_")]:
        expected, found = getattr(theirs, field), getattr(ours, field)
        if isinstance(expected, np.ndarray):
            assert found.dtype == expected.dtype and found.shape == expected.shape, field
        else:
            assert type(found) is type(expected), field


def test_the_engine_sees_what_is_written_to_contacts():
    m, d = box()
    reference = mujoco.MjModel.from_xml_string(BOX)
    other = mujoco.MjData(reference)
    mujoco.mj_forward(reference, other)
    for package, model, data in ((sm, m, d), (mujoco, reference, other)):
        for contact in data.contact:
            contact.friction[:2] = 0.1
            contact.dist = -0.01
        package.mj_makeConstraint(model, data)
    np.testing.assert_allclose(d.efc_pos, other.efc_pos, atol=1e-12)
    np.testing.assert_allclose(d.efc_J.reshape(-1), other.efc_J.reshape(-1), atol=1e-12)


def test_contacts_options_and_statistics_are_copied_and_pickled():
    m, d = box()
    contact = d.contact[0]
    for again in (copy.copy(contact), pickle.loads(pickle.dumps(contact))):
        assert again == contact
        again.pos[0] = 7
        assert again != contact and contact.pos[0] != 7
    option = m.opt
    for again in (copy.copy(option), pickle.loads(pickle.dumps(option))):
        assert again == option
        again.timestep, again.gravity = 0.5, 1
        assert m.opt.timestep == 0.002 and m.opt.gravity[2] == -9.81
    assert copy.deepcopy(m.stat) == m.stat


def test_pickled_data_keeps_contacts_and_constraints():
    m, d = box()
    sm.mj_step(m, d, 3)
    again = pickle.loads(pickle.dumps(d))
    assert again.contact == d.contact and np.array_equal(again.efc_force, d.efc_force) and d.nefc == 16
    result = np.zeros((2, 6))
    sm.mj_contactForce(m, d, 2, result[0])
    sm.mj_contactForce(again.model, again, 2, result[1])
    assert np.array_equal(result[0], result[1]) and result[0, 0] > 0
    saved = d._core.rest_to_bytes()
    with pytest.raises(ValueError, match="do not belong to this model"):
        again._core.rest_from_bytes(again.model._core, saved[:-9])


def test_statistics_are_written():
    m, _ = box()
    m.stat.extent = 7
    m.stat.center[:] = 1, 2, 3
    assert m.stat.extent == 7 and copy.copy(m).stat.extent == 7
    assert np.array_equal(m.stat.center, [1, 2, 3])
    with pytest.raises(AttributeError, match="no 'size'"):
        m.stat.size = 1


def test_choices_and_references_are_written():
    """Motors become servos, as programs do it that change actuators of a loaded model."""
    xml = """<mujoco><asset><material name="a"/><material name="b"/></asset><worldbody><body><joint name="j"/>
    <geom size="0.1" material="a"/></body></worldbody><actuator><motor joint="j"/></actuator></mujoco>"""
    forces = []
    for package in (sm, mujoco):
        m = package.MjModel.from_xml_string(xml)
        d = package.MjData(m)
        package.mj_forward(m, d)
        m.actuator_biastype[0] = package.mjtBias.mjBIAS_AFFINE
        m.actuator_gainprm[0, 0], m.actuator_biasprm[0, 1] = 5, -5
        m.geom_matid[0] = 1
        d.qpos[0], d.ctrl[0] = 0.3, 1.0
        package.mj_forward(m, d)
        forces.append(d.actuator_force[0])
    assert forces[0] == forces[1] == pytest.approx(3.5)
    m = sm.MjModel.from_xml_string(xml)
    for field, value in (("actuator_biastype", 99), ("geom_matid", 2), ("geom_type", 7)):
        getattr(m, field)[0], old = value, int(getattr(m, field)[0])
        with pytest.raises(ValueError, match=field):
            sm.mj_forward(m, sm.MjData(m))
        getattr(m, field)[0] = old


def test_names_are_those_of_the_reference():
    ours, theirs = sm.MjModel.from_xml_string(XML), mujoco.MjModel.from_xml_string(XML)
    assert ours.names == theirs.names and ours.nnames == theirs.nnames
    for name in (n for n in dir(theirs) if n.startswith("name_")):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name


def test_dir_lists_the_fields():
    m, d = box()
    assert {"nq", "body_mass", "geom_type", "names"} <= {*dir(sm.MjModel)} and {"qpos", "efc_J"} <= {*dir(sm.MjData)}
    assert {"nq", "names", "body_parentid", "geom_size", "name_geomadr", "flex_vert", "opt"} <= {*dir(m)}
    assert {"contact", "ncon", "qpos", "efc_J", "qM", "timer"} <= {*dir(d)}
    for thing in (m, d, m.opt, m.stat, m.vis, d.contact, m.geom(0), d.joint(0)):
        for name in dir(thing):
            getattr(thing, name)


def test_bytes_are_strings_too():
    m, _ = box()
    assert sm.mju_str2Type(b"body") == mujoco.mju_str2Type("body") == 1
    assert sm.mj_name2id(m, sm.mjtObj.mjOBJ_GEOM, b"box") == 1
    assert sm.MjModel.from_xml_string(BOX.encode()).nq == 7


def test_empty_tables_keep_their_shape():
    xml = "<mujoco><size nkey='2'/><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
    ours, theirs = sm.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    for name in "key_act key_ctrl key_mpos key_mquat key_qpos body_user geom_user sensor_user".split():
        assert getattr(ours, name).shape == getattr(theirs, name).shape, name
    d = sm.MjData(ours)
    d.qpos[0] = 0.5
    sm.mj_setKeyframe(ours, d, 1)
    assert ours.key_qpos[1, 0] == 0.5


def test_files_beside_assets_are_read(tmp_path, monkeypatch):
    (tmp_path / "parts").mkdir()
    part = "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
    (tmp_path / "parts" / "on_disk.xml").write_text(part)
    whole = "<mujoco><include file='parts/on_disk.xml'/><include file='given.xml'/></mujoco>"
    (tmp_path / "whole.xml").write_text(whole)
    given = {"given.xml": part.encode()}
    assert sm.MjModel.from_xml_path(tmp_path / "whole.xml", given).nv == 2
    monkeypatch.chdir(tmp_path)
    assert sm.MjModel.from_xml_string(whole, given).nv == 2
    with pytest.raises(ValueError, match="given.xml"):
        sm.MjModel.from_xml_string(whole)
    with pytest.raises(ValueError, match="Repeated file name"):
        sm.MjModel.from_xml_string(whole, {"a/given.xml": b"", "given.xml": b""})


def test_arguments_have_the_names_of_the_reference():
    for name in sm.__all__:
        if not name.startswith(("mj_", "mju_", "mjd_")):
            continue
        signature = getattr(mujoco, name).__doc__.split("\n")[0]
        # Types in brackets hold commas of their own.
        flat = signature[signature.index("(") + 1 : signature.rindex(")")]
        while "[" in flat:
            flat = re.sub(r"\[[^][]*\]", "", flat)
        theirs = [part.split(":")[0].strip() for part in flat.split(",") if part.strip()]
        assert list(inspect.signature(getattr(sm, name)).parameters) == theirs, name


def test_sparse_rows_get_the_inertia_added():
    (theirs, td), (ours, d) = both(XML)
    results = []
    for package, m, data in ((mujoco, theirs, td), (sm, ours, d)):
        values = np.ones(len(m.M_colind))
        package.mj_addM(m, data, values, m.M_rownnz, m.M_rowadr, m.M_colind)
        results.append(values)
    np.testing.assert_allclose(results[1], results[0], atol=1e-12)


def test_enumerations_print_their_names():
    assert str(sm.mjtJoint.mjJNT_BALL) == str(mujoco.mjtJoint.mjJNT_BALL) == f"{sm.mjtJoint.mjJNT_BALL}"
    assert repr(sm.mjtEq.mjEQ_WELD) == repr(mujoco.mjtEq.mjEQ_WELD)
    flags = sm.mjtDisableBit.mjDSBL_LIMIT | sm.mjtDisableBit.mjDSBL_SPRING
    assert str(flags) == "40" and f"{sm.mjtJoint.mjJNT_HINGE:02d}" == "03"
    for name, ours in vars(sm).items():
        if name.startswith("mjt"):
            theirs = getattr(mujoco, name).__members__
            assert {k: int(v) for k, v in ours.__members__.items()} == {k: int(v) for k, v in theirs.items()}, name


def test_inertia_in_the_order_of_older_versions():
    (theirs, td), (ours, d) = both(XML)
    full = np.zeros((ours.nv, ours.nv))
    sm.mj_fullM(ours, full, d.qM)
    expected = np.zeros_like(full)
    mujoco.mj_fullM(theirs, td, expected)
    np.testing.assert_allclose(full, expected, atol=1e-12)
    assert np.array_equal(ours.dof_Madr, theirs.dof_Madr)
    assert np.array_equal(d.qM[ours.dof_Madr], np.diag(full))


def test_products_with_halves_of_the_inertia_and_momentum():
    (theirs, td), (ours, d) = both(XML)
    rng = np.random.default_rng(1)
    y, scale = rng.normal(size=(2, ours.nv)), 1 / np.sqrt(rng.uniform(1, 2, size=ours.nv))
    results = []
    for package, m, data in ((mujoco, theirs, td), (sm, ours, d)):
        half, product, momentum = np.zeros_like(y), np.zeros(m.nv), np.zeros((3, m.nv))
        package.mj_solveM2(m, data, half, y, scale.reshape(1, -1) if package is mujoco else scale)
        package.mj_mulM2(m, data, product, y[0])
        package.mj_angmomMat(m, data, momentum, 1)
        results.append((half, product, momentum))
    for ours_, theirs_ in zip(results[1], results[0]):
        np.testing.assert_allclose(ours_, theirs_, atol=1e-10)


def test_dual_rows_are_those_of_the_reference():
    xml = BOX.replace("<option ", '<option solver="PGS" jacobian="dense" ')
    (theirs, td), (ours, d) = ((p.MjModel.from_xml_string(xml), None) for p in (mujoco, sm))
    td, d = mujoco.MjData(theirs), sm.MjData(ours)
    mujoco.mj_forward(theirs, td)
    sm.mj_forward(ours, d)
    np.testing.assert_allclose(d.efc_AR, td.efc_AR.reshape(-1), atol=1e-10)
    np.testing.assert_allclose(d.efc_b, td.efc_b, atol=1e-10)


def test_states_are_extracted():
    (theirs, td), (ours, d) = both(XML)
    whole, part = int(sm.mjtState.mjSTATE_INTEGRATION), int(sm.mjtState.mjSTATE_QVEL | sm.mjtState.mjSTATE_CTRL)
    results = []
    for package, m, data in ((mujoco, theirs, td), (sm, ours, d)):
        source = np.zeros(package.mj_stateSize(m, whole))
        package.mj_getState(m, data, source, whole)
        result = np.zeros(package.mj_stateSize(m, part))
        package.mj_extractState(m, source, whole, result, part)
        results.append(result)
    assert np.array_equal(*results)
    with pytest.raises(sm.FatalError, match="subset"):
        sm.mj_extractState(ours, np.zeros(1), int(sm.mjtState.mjSTATE_TIME), source, whole)


def test_the_last_model_is_saved_as_text(tmp_path):
    m = sm.MjModel.from_xml_string(XML)
    sm.mj_saveLastXML(tmp_path / "again.xml", m)
    again = sm.MjModel.from_xml_path(tmp_path / "again.xml")
    assert again.names == m.names
    np.testing.assert_allclose(again.body_mass, m.body_mass, rtol=1e-6)


def test_stand_ins_say_what_to_use_instead():
    import saltus.mujoco.renderer
    import saltus.mujoco.viewer

    m, _ = box()
    for call in (sm.Renderer, sm.GLContext, saltus.mujoco.viewer.launch, sm.mjr_render):
        with pytest.raises(NotImplementedError, match="Saltus draws nothing. Plot a recording"):
            call(m)
    camera = sm.MjvCamera()
    sm.mjv_defaultFreeCamera(m, camera)
    assert np.array_equal(camera.lookat, m.stat.center) and sm.MjvScene(m, 10).maxgeom == 10


def test_visual_settings_are_those_of_the_file():
    xml = "<mujoco><visual><rgba fog='0.1 0.2 0.3 0.4'/><scale com='0.7'/><headlight active='0'/></visual></mujoco>"
    ours, theirs = sm.MjModel.from_xml_string(xml).vis, mujoco.MjModel.from_xml_string(xml).vis
    for section in ("global_", "quality", "headlight", "map", "scale", "rgba"):
        mine, reference = getattr(ours, section), getattr(theirs, section)
        for name in mine._names():
            if getattr(reference, name) is not None and np.size(getattr(reference, name)):
                np.testing.assert_allclose(getattr(mine, name), getattr(reference, name), rtol=1e-6, err_msg=name)


def test_counting_contacts_is_fast():
    m, d = box()

    def seconds(call, n=20000):
        start = time.perf_counter()
        for _ in range(n):
            call()
        return (time.perf_counter() - start) / n

    assert min(seconds(lambda: d.ncon) for _ in range(5)) < 1e-6
    assert min(seconds(lambda: [c.geom1 for c in d.contact], 2000) for _ in range(5)) < 2e-5


def test_timers_count_steps():
    m, d = box()
    sm.mj_step(m, d, 5)
    timer = d.timer[sm.mjtTimer.mjTIMER_STEP]
    assert timer.number == 5 and timer.duration > 0
    sm.mj_resetData(m, d)
    assert timer.number == 0


def test_visual_fields_of_lights_and_materials():
    xml = """<mujoco><asset><material name="m" specular="0.3" texuniform="true"/></asset>
    <worldbody><light attenuation="1 2 3" cutoff="30"/><geom size="1" material="m"/></worldbody></mujoco>"""
    ours, theirs = sm.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    fields = [n for n in dir(theirs) if n.startswith(("mat_", "light_")) and n not in ("mat_texid",)]
    for name in fields:
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name


@pytest.mark.parametrize("file", ["humanoid.xml", "hand.xml", "features/joints.xml"])
def test_what_is_awake(file):
    ours, theirs = (p.MjData(p.MjModel.from_xml_path(str(MODELS / file))) for p in (sm, mujoco))
    sm.mj_forward(ours.model, ours)
    mujoco.mj_forward(theirs.model, theirs)
    for name in (n for n in dir(theirs) if "awake" in n or "asleep" in n):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name


def test_humanoid_fields_that_no_model_has():
    ours = sm.MjModel.from_xml_path(MODELS / "humanoid.xml")
    theirs = mujoco.MjModel.from_xml_path(str(MODELS / "humanoid.xml"))
    from saltus.mujoco.absent import EMPTY, NONE, ZERO_SIZES
    from saltus.mujoco.patterns import PATTERNS

    for name in (*EMPTY, *NONE, "key_plastic", *PATTERNS):
        if isinstance(getattr(ours, name), (int, bytes)):
            assert getattr(ours, name) == getattr(theirs, name), name
            continue
        mine, reference = getattr(ours, name), getattr(theirs, name)
        assert mine.shape == reference.shape and mine.dtype == reference.dtype, name
        assert np.array_equal(mine, reference), name
    assert all(getattr(theirs, name) == getattr(ours, name) == 0 for name in ZERO_SIZES - {"nemax"})
