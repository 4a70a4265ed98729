"""Views, lifetimes, threads."""

import gc
import resource
import threading
import time
import weakref

import numpy as np
import pytest
import saltus
from conftest import MODELS, XML, disturb
from saltus import mujoco as sm


def test_arrays_are_views_of_one_memory(m, d):
    a, b = d.qpos, d.qpos
    a[0] = 4.0
    assert b[0] == 4.0 and np.shares_memory(a, b)
    sm.mj_forward(m, d)
    position = d.xpos
    before = position.copy()
    d.qpos[0] += 1.0
    sm.mj_forward(m, d)
    assert position[1, 0] == pytest.approx(before[1, 0] + 1.0)
    assert not d.qpos.flags.owndata


def test_views_outlive_the_data(m):
    d = sm.MjData(m)
    d.qpos[:] = np.arange(m.nq)
    view, part = d.qpos, d.body("arm").xpos
    gone = weakref.ref(d)
    del d
    gc.collect()
    assert gone() is None
    # Overwrite whatever could have been freed.
    others = [sm.MjData(m) for _ in range(50)]
    assert np.array_equal(view, np.arange(m.nq)) and part.shape == (3,)
    assert len(others) == 50


def test_model_arrays_outlive_the_model():
    model = sm.MjModel.from_xml_string(XML)
    mass = model.body_mass
    expected = mass.copy()
    del model
    gc.collect()
    assert np.array_equal(mass, expected)


def test_assignment_writes_through(m, d):
    view = d.qvel
    d.qvel = np.ones(m.nv)
    assert view[0] == 1.0
    d.qvel = 2.0
    assert (view == 2.0).all()
    with pytest.raises(ValueError, match="broadcast"):
        d.qvel = [1, 2]
    d.joint("rail").qpos = 0.25
    assert d.qpos[-1] == 0.25


def test_nothing_leaks():
    def work():
        for _ in range(300):
            model = sm.MjModel.from_xml_string(XML)
            data = sm.MjData(model)
            model.body_mass[1] = 2.0
            sm.mj_forward(model, data)
            data.body("arm").xpos.sum()
            native = saltus.Model.from_xml(XML).data()
            native.forward()
            native.a.sum()

    work()
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(5):
        work()
    gc.collect()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 4096, f"{grown} KiB after making and dropping 3,000 models"


def test_threads_with_their_own_data(m):
    def trajectory(seed):
        data = sm.MjData(m)
        disturb(m, data, seed)
        for _ in range(200):
            sm.mj_forward(m, data)
            data.qvel[:] += 1e-3 * data.qacc
            sm.mj_integratePos(m, data.qpos, data.qvel, 1e-3)
        return data.qpos.copy()

    expected = [trajectory(seed) for seed in range(8)]
    results = [None] * 8

    def run(seed):
        results[seed] = trajectory(seed)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert all(np.array_equal(a, b) for a, b in zip(expected, results))


def test_forward_lets_other_threads_run():
    """While one thread computes, another one goes on: the interpreter is not held."""
    bodies = "".join("<body pos='1 0 0'><joint axis='0 1 0'/><geom size='0.1'/>" for _ in range(3000))
    xml = f"<mujoco><worldbody>{bodies}{'</body>' * 3000}</worldbody></mujoco>"
    data = saltus.Model.from_xml(xml).data()
    data.forward()
    ticks, done = [], threading.Event()

    def work():
        data.forward()
        done.set()

    start = time.perf_counter()
    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        ticks.append(time.perf_counter())
    thread.join()
    inside = [t for t in ticks if t - start > 1e-3]
    assert len(inside) > 100, "the computation blocked the interpreter"


def test_humanoid_fits_in_little_memory():
    model = sm.MjModel.from_xml_path(MODELS / "humanoid.xml")
    assert len(model.to_bytes()) < 1 << 20
