"""Arrays of a model: what Python writes is seen by the next call, and having looked at them costs nothing."""

from __future__ import annotations

import copy
import pickle
import timeit

import numpy as np
import pytest
from saltus import mujoco as sm
from saltus.mujoco.large import LargeTable

XML = """<mujoco><size nuser_geom="2"/>
<asset><mesh name="ball" builtin="sphere" params="4"/>
  <hfield name="hills" nrow="60" ncol="60" size="2 2 1 0.1"/>
  <material name="red" rgba="1 0 0 1"/></asset>
<worldbody><geom type="hfield" hfield="hills"/>
  <body name="ball" pos="0 0 2"><freejoint/><geom type="mesh" mesh="ball" margin="0.01"/>
    <site name="tip"/><body><joint name="hinge" range="-1 1"/><geom size="0.1" pos="0.2 0 0"/></body></body></worldbody>
<equality><connect body1="ball" anchor="0 0 0" active="false"/></equality>
<tendon><fixed><joint joint="hinge" coef="1"/></fixed></tendon>
<actuator><motor joint="hinge"/></actuator>
<keyframe><key qpos="0 0 5 1 0 0 0 0"/></keyframe></mujoco>"""


@pytest.fixture
def m():
    return sm.MjModel.from_xml_string(XML)


def look_at_all(m):
    return [getattr(m, name) for name in dir(m) if not name.startswith("_")]


def duration(call):
    return min(timeit.repeat(call, number=20, repeat=30))


def test_arrays_that_were_looked_at_cost_nothing():
    columns = " ".join(["0"] * 40)
    keys = "".join(f'<key qpos="{columns}"/>' for _ in range(2000))
    bodies = "".join(f'<body pos="{i} 0 0"><joint/><geom size="0.1"/></body>' for i in range(40))
    m = sm.MjModel.from_xml_string(f"""<mujoco><asset><hfield name="hills" nrow="700" ncol="700" size="2 2 1 0.1"/></asset>
      <worldbody><geom type="hfield" hfield="hills" pos="0 0 -9"/>{bodies}</worldbody><keyframe>{keys}</keyframe></mujoco>""")
    d = sm.MjData(m)
    calls = (lambda: sm.mj_kinematics(m, d), lambda: m.opt.timestep, lambda: sm.mj_step(m, d))
    before = [duration(call) for call in calls]
    views = look_at_all(m)
    assert sum(view.nbytes for view in views if isinstance(view, np.ndarray)) > 2_000_000
    after = [duration(call) for call in calls]
    assert all(now < 2 * then for now, then in zip(after, before)), (before, after)


@pytest.mark.parametrize(
    "write",
    [
        lambda a: a.__setitem__(0, 0.5),
        lambda a: a[:3].__setitem__(0, 0.5),
        lambda a: a.reshape(60, 60).T[0:1, :1].__setitem__((0, 0), 0.5),
        lambda a: a[::-1].__setitem__(-1, 0.5),
        lambda a: a.fill(0.5),
        lambda a: a.__iadd__(0.5),
        lambda a: np.copyto(a[:2], 0.5),
        lambda a: np.add(a, 0.5, out=a),
    ],
)
def test_heights_written_in_any_way_are_seen(m, write):
    d = sm.MjData(m)
    sm.mj_forward(m, d)
    write(m.hfield_data)
    assert m.hfield_data[0] == 0.5
    changed = copy.copy(m)
    assert changed.hfield_data[0] == 0.5
    m.hfield_data[:] = 0.25
    assert copy.copy(m).hfield_data[7] == 0.25
    m.hfield_data = np.full(3600, 0.75)
    sm.mj_forward(m, d)
    height = sm.mj_ray(m, d, np.array([1.0, 1.0, 3.0]), np.array([0, 0, -1.0]), None, 1, -1, np.zeros(1, np.int32))
    assert height == pytest.approx(3 - 0.75)


def test_a_large_table_is_never_written_unseen(m):
    heights = np.asarray(m.hfield_data)
    assert type(heights) is np.ndarray
    with pytest.raises(ValueError, match="read-only"):
        heights[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        m.hfield_data.flags.writeable = True
    with pytest.raises(ValueError):
        m.hfield_data.sort()
    with pytest.raises(TypeError, match="read-only"):
        memoryview(m.mesh_vert)[0, 0] = 1
    assert m.mesh_vert is m.mesh_vert and m.mesh_vert.shape == (m.nmeshvert, 3)


def test_copies_and_results_of_large_tables_are_ordinary_arrays(m):
    assert all(type(x) is np.ndarray for x in (m.mesh_vert.copy(), m.mesh_vert + 1, m.mesh_vert @ np.eye(3)))
    copied = m.hfield_data.copy()
    copied[0] = 9
    assert m.hfield_data[0] == 0 and m.mesh_vert.max() == np.asarray(m.mesh_vert).max()


def test_fields_that_no_step_reads_are_seen_where_they_are_used(m):
    d = sm.MjData(m)
    m.key_qpos[0, 2], m.geom_rgba[1], m.geom_user[2] = 7, 0.25, 3
    sm.mj_step(m, d)
    sm.mj_resetDataKeyframe(m, d, 0)
    assert d.qpos[2] == 7
    for other in (copy.copy(m), sm.MjModel.from_bytes(m.to_bytes())):
        assert np.all(other.geom_rgba[1] == 0.25) and np.all(other.geom_user[2] == 3) and other.key_qpos[0, 2] == 7
    m.geom_rgba[1] = 0.75
    sm.mj_setConst(m, d)
    assert np.all(m.geom_rgba[1] == 0.75)


def test_arrays_follow_the_engine(m):
    d = sm.MjData(m)
    views = look_at_all(m)
    weights = m.dof_invweight0.copy()
    m.body_mass[1:] *= 2
    sm.mj_setConst(m, d)
    np.testing.assert_allclose(m.dof_invweight0[:3], weights[:3] / 2, rtol=1e-3)
    assert any(view is m.dof_invweight0 for view in views)


# No step reads these.
UNCHECKED = ("key_", "mat_", "mesh_pos", "mesh_quat", "mesh_scale", "numeric_", "tuple_")


def fields_of_numbers(m):
    for name in m.field_names():
        array = getattr(m, name)
        if array.dtype.kind == "f" and array.size:
            yield name, array


def test_numbers_that_are_none_are_refused_by_the_next_call(m):
    d, seen = sm.MjData(m), 0
    for name, array in fields_of_numbers(m):
        if name.startswith(UNCHECKED) or name.endswith(("_user", "_rgba")):
            continue
        last = tuple(n - 1 for n in array.shape)
        text = ", ".join(map(str, last))
        for value in (np.nan, np.inf):
            # An infinity is an open end of a range.
            if value == np.inf and name.endswith(("range", "_cutoff")):
                continue
            old = array[last]
            array[last] = value
            for call in (sm.mj_step, sm.mj_forward, sm.mj_inverse):
                with pytest.raises(ValueError, match=rf"(?i)^{name}: {value} at index \[?{text}\]? should be"):
                    call(m, d)
            array[last] = old
            sm.mj_forward(m, d)
            seen += 1
    assert seen > 100


@pytest.mark.parametrize("value", [-0.01, 0.0, np.nan, np.inf])
def test_the_time_step_is_positive(m, value):
    with pytest.raises(ValueError, match="option timestep must be"):
        m.opt.timestep = value
    assert m.opt.timestep == 0.002


@pytest.mark.parametrize("name", "gravity wind magnetic o_solref o_solimp o_friction".split())
def test_options_are_numbers(m, name):
    d = sm.MjData(m)
    getattr(m.opt, name)[1] = np.nan
    with pytest.raises(ValueError, match=rf"^opt.{name}: .* at index 1 should be finite"):
        sm.mj_step(m, d)
    getattr(m.opt, name)[1] = 0
    sm.mj_step(m, d)


@pytest.mark.parametrize("name", "meaninertia meanmass meansize extent".split())
def test_statistics_are_numbers(m, name):
    old = getattr(m.stat, name)
    with pytest.raises(ValueError, match=f"statistic {name} must be finite, not NaN"):
        setattr(m.stat, name, np.nan)
    assert getattr(m.stat, name) == old
    m.stat.center[2] = np.nan
    with pytest.raises(ValueError, match="^stat.center: NaN at index 2 should be finite"):
        sm.mj_forward(m, sm.MjData(m))


def test_large_tables_of_geoms_and_bodies_are_seen_and_follow():
    bodies = "".join(f'<body pos="{i} 0 0"><joint/><geom size="0.1" pos="0 0 0.1"/></body>' for i in range(1100))
    m = sm.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    d = sm.MjData(m)
    weights = m.dof_invweight0
    assert all(isinstance(x, LargeTable) for x in (weights, m.geom_pos, m.geom_size, m.body_mass, m.geom_type))
    old = weights.copy()
    m.body_mass *= 2
    m.body_inertia[:] *= 2
    m.geom_pos[7] = (0, 0, 3)
    m.geom_type[9] = 2
    m.geom(11).pos[1] = 0.5
    sm.mj_setConst(m, d)
    np.testing.assert_allclose(weights, old / 2)
    sm.mj_forward(m, d)
    assert d.geom_xpos[7, 2] == 3 and d.geom_xpos[11, 1] == 0.5
    m.geom_size[3, 0] = np.nan
    for _ in range(2):
        with pytest.raises(ValueError, match=r"geom_size: NaN at index \[3, 0\] should be zero or more"):
            sm.mj_step(m, d)
    m.geom_size[3, 0] = 0.2
    sm.mj_step(m, d)
    assert copy.deepcopy(m).geom_size[3, 0] == 0.2
    assert pickle.loads(pickle.dumps(m.geom_size)).tolist() == m.geom_size.tolist()
