"""Functions that take a model and data, or two data, refuse data of another model."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from saltus import mujoco as sm

XML = """<mujoco><option integrator="implicit"/><worldbody><geom type="plane" size="1 1 1"/>
<body><joint name="hinge"/><geom size="0.1"/><site name="tip"/><body><joint/><geom size="0.1"/></body></body></worldbody>
<actuator><motor joint="hinge"/></actuator><sensor><framepos objtype="site" objname="tip"/></sensor>
<keyframe><key qpos="0.1 0.2"/></keyframe></mujoco>"""
OTHER = "<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>"

NUMBERS = {"N": 4, "nray": 1, "sig": 1, "nstep": 1, "cutoff": 1.0, "eps": 1e-6, "distmax": 1.0, "float_format": "%g"}


def functions():
    """Functions with a model and data, and the names of their parameters that are data."""
    for name in sorted(sm.__all__):
        function = getattr(sm, name)
        if inspect.isfunction(function) and name.startswith(("mj_", "mjd_")):
            kinds = {p.name: str(p.annotation) for p in inspect.signature(function).parameters.values()}
            data = [name for name, kind in kinds.items() if kind.startswith("MjData")]
            if data and "MjModel" in kinds.values():
                yield from (pytest.param(function, kinds, wrong, id=f"{name}-{wrong}") for wrong in data)


@pytest.mark.parametrize("function, kinds, wrong", [*functions()])
def test_data_of_another_model_are_refused(function, kinds, wrong, tmp_path):
    m, stranger = sm.MjModel.from_xml_string(XML), sm.MjData(sm.MjModel.from_xml_string(OTHER))
    arguments = {}
    for name, kind in kinds.items():
        if kind == "MjModel":
            arguments[name] = m
        elif kind.startswith("MjData"):
            arguments[name] = stranger if name == wrong else sm.MjData(m)
        elif "PathLike" in kind:
            arguments[name] = tmp_path / "file.txt"
        else:
            arguments[name] = NUMBERS.get(name, 0 if kind in ("int", "bool") else np.ones(3))
    others = [value for name, value in arguments.items() if kinds[name].startswith("MjData")]
    before = [np.concatenate([[d.time], d.qpos, d.qvel, d.ctrl]) for d in others]
    weights = m.dof_invweight0.copy()
    with pytest.raises(ValueError, match="sizes of this data do not match the model"):
        function(**arguments)
    for d, old in zip(others, before):
        np.testing.assert_array_equal(np.concatenate([[d.time], d.qpos, d.qvel, d.ctrl]), old)
    np.testing.assert_array_equal(m.dof_invweight0, weights)
    assert not list(tmp_path.iterdir())


def test_there_are_many_such_functions():
    assert len(list(functions())) > 90


def test_the_core_refuses_to_copy_from_data_of_another_model():
    m, other = sm.MjModel.from_xml_string(XML), sm.MjModel.from_xml_string(OTHER)
    d, stranger = sm.MjData(m), sm.MjData(other)
    for pair in ((d, stranger), (stranger, d)):
        for model in (m, other):
            with pytest.raises(ValueError, match="do not match the model"):
                pair[0]._core.copy_rest_from(model._core, pair[1]._core)
    sm.mj_forward(m, d)


def test_data_can_be_copied_to_itself():
    m = sm.MjModel.from_xml_string(XML)
    d = sm.MjData(m)
    d.qpos[0] = 0.5
    assert sm.mj_copyData(d, m, d) is d and d.qpos[0] == 0.5
