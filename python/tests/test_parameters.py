"""Exact derivatives by parameters: names, differences of models that are really changed, batches, errors."""

import numpy as np
import pytest
import saltus
import saltus.mujoco as mj
from conftest import MODELS
from saltus import derivatives
from test_derivatives import SCENE, close, scene, states_of

NAMES = ["body/2/mass", "geom/floor/friction/0", "geom/ball/size/0", "joint/lift/damping", "actuator/slow/gainprm/0"]
NAMES += ["actuator/slow/biasprm/2", "option/gravity/2"]


def test_names_are_those_of_the_model():
    model, _ = scene()
    names = derivatives.parameters(model)
    assert set(NAMES) <= set(names) and len(set(names)) == len(names)
    values = derivatives.parameter_values(model, names)
    assert values.shape == (len(names),)
    assert values[names.index("geom/ball/size/0")] == 0.1
    assert values[names.index("actuator/slow/biasprm/1")] == -2
    # A ball joint has a damping for each dof, a free body no place in its parent.
    assert "joint/0/damping/5" in names and "body/1/pos/0" not in names and "body/2/pos/0" in names


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wheel/left/mass", "unknown kind of element; available: body, geom,"),
        ("body/2/weight", "available: mass, inertia, ipos, pos"),
        ("geom/ceiling/friction/0", 'there is no geom "ceiling"; available: floor, ball'),
        ("geom/ball/size/1", "this geom has 1 of size"),
        ("geom/floor/friction", "give a number from 0 to 2"),
        ("body/2/mass/0", "one mass, without a number"),
        ("geom/floor/size/0", "this geom has no size"),
    ],
)
def test_names_that_do_not_exist_are_errors(name, words):
    model, data = scene()
    for call in (derivatives.inverse_by, derivatives.transition_by):
        with pytest.raises(ValueError, match="^.*" + words):
            call(model, data, ["body/2/mass", name])
    with pytest.raises(TypeError, match="list of names"):
        derivatives.inverse_by(model, data, "body/2/mass")


def changed(field: str, index: tuple[int, ...], step: float) -> mj.MjModel:
    model = mj.MjModel.from_xml_string(SCENE)
    owner = model.opt if field == "gravity" else model
    getattr(owner, field)[index] += step
    return model


FIELDS = [("body_mass", (2,)), ("geom_friction", (0, 0)), ("geom_size", (1, 0)), ("dof_damping", (6,))]
FIELDS += [("actuator_gainprm", (1, 0)), ("actuator_biasprm", (1, 2)), ("gravity", (2,))]


def test_steps_and_forces_have_the_derivatives_of_changed_models():
    model, data = scene()
    by = derivatives.transition_by(model, data, NAMES)
    data.forward()
    force = derivatives.inverse_by(model, data, NAMES)
    assert by.exact and force.exact and by.dx.shape == (2 * model.nv + model.na, len(NAMES))

    def run(field, index, step):
        m = changed(field, index, step)
        d = mj.MjData(m)
        d.qpos[:], d.qvel[:], d.act[:], d.ctrl[:] = data.q, data.v, data.act, data.ctrl
        d.qacc[:] = data.a
        mj.mj_inverse(m, d)
        tau = np.array(d.qfrc_inverse)
        mj.mj_step(m, d)
        return tau, np.array(d.qvel)

    for k, (field, index) in enumerate(FIELDS):
        # Friction of the floor and of the bodies is the same: the derivative is that of an increase.
        low = 0.0 if field == "geom_friction" else -1e-6
        (tau1, v1), (tau0, v0) = run(field, index, 1e-6), run(field, index, low)
        assert close(force.dtau[:, k], (tau1 - tau0) / (1e-6 - low), 1e-4), NAMES[k]
        assert close(by.dx[model.nv : 2 * model.nv, k], (v1 - v0) / (1e-6 - low), 1e-4), NAMES[k]


def test_batches_are_the_same_as_single_states():
    model, data = scene()
    states = states_of(model, data, 5)
    ctrl = np.linspace(-0.3, 0.3, 5 * model.nu).reshape(5, model.nu)
    a = np.random.default_rng(2).normal(size=(5, model.nv))
    steps = derivatives.transition_by_batch(model, states, NAMES, ctrl, threads=2)
    forces = derivatives.inverse_by_batch(model, states, a, NAMES, ctrl, actuation=True, threads=1)
    sensors = derivatives.sensors_batch(model, states, ctrl)
    assert steps.exact.all() and forces.exact.all() and sensors.exact.all() and not steps.failures
    one = model.data()
    for k, row in enumerate(states):
        one.time, one.q[:], one.v[:], one.act[:] = row[0], row[1 : 1 + model.nq], row[1 + model.nq : -1], row[-1:]
        one.ctrl[:], one.a[:] = ctrl[k], a[k]
        assert np.array_equal(forces.dtau[k], derivatives.inverse_by(model, one, NAMES, actuation=True).dtau)
        single = derivatives.transition_by(model, one, NAMES)
        assert close(steps.dx[k], single.dx, 1e-9) and close(steps.da[k], single.da, 1e-9)
        assert close(sensors.C[k], derivatives.sensors(model, one).C, 1e-9)
    states[2, 3] = np.nan
    result = derivatives.transition_by_batch(model, states, NAMES, ctrl, errors="nan")
    assert list(result.failures) == [2] and np.isnan(result.dx[2]).all() and np.isfinite(result.dx[[0, 1, 3, 4]]).all()


def test_what_is_not_exact_is_named():
    model = saltus.Model.from_xml(
        '<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.0495"><freejoint/>'
        '<geom name="egg" type="ellipsoid" size="0.1 0.07 0.05"/></body></worldbody></mujoco>'
    )
    data = model.data()
    data.forward()
    assert derivatives.inverse_by(model, data, ["geom/egg/pos/2", "geom/egg/friction/0"]).exact
    result = derivatives.inverse_by(model, data, ["geom/egg/size/2"])
    assert not result.exact and "geom egg" in result.inexact[0]


def test_laws_without_derivatives_are_errors():
    model = saltus.Model.load(MODELS / "humanoid.xml")
    data = model.data()
    data.reset("squat")
    names = ["body/torso/mass", "joint/left_knee/damping", "option/gravity/2", "body/left_shin/pos/0"]
    for law in ("impulse", "invertible", "compliant"):
        model._core.set_setting("law", law)
        assert np.abs(derivatives.transition_by(model, data, names).dx).max(axis=0).all()
    model._core.set_setting("law", "lcp")
    with pytest.raises(ValueError, match="by parameters under the lcp law"):
        derivatives.transition_by(model, data, names)
