"""Contact laws from Python: chosen, checked, simulated, inverted."""

import pathlib

import numpy as np
import pytest
import saltus

ROOT = pathlib.Path(__file__).resolve().parents[2]
HUMANOID = ROOT / "models/humanoid.xml"


@pytest.mark.parametrize("law", ["soft", "invertible", "impulse", "lcp"])
def test_laws_hold_the_humanoid(law: str) -> None:
    model = saltus.Model.load(HUMANOID).with_law(law)
    assert model.law == law
    data = model.data()
    data.step(200)
    data.forward()
    assert data.solver.status in ("converged", "stalled", "unconstrained")
    assert min((contact.dist for contact in data.contacts), default=0.0) > -0.02
    weight = 9.81 * model._core.field("body_mass").sum()
    force = sum(contact.force[0] * contact.frame[0, 2] for contact in data.contacts)
    assert 0.0 < force < 20 * weight


@pytest.mark.parametrize("law", ["soft", "invertible", "impulse", "compliant"])
def test_inverse_dynamics_returns_the_forces(law: str) -> None:
    model = saltus.Model.load(HUMANOID).with_law(law)
    data = model.data()
    data.step(150)
    data.forward()
    applied = data.tau_actuator.copy()
    scale = max(1.0, np.abs(data.tau_constraint).max())
    assert np.abs(data.inverse() - applied).max() < 1e-6 * scale


def test_the_compliant_law_solves_nothing() -> None:
    model = saltus.Model.load(HUMANOID).with_law("compliant", compliant_stiffness=8000.0, compliant_friction=0.9)
    data = model.data()
    data.step(200)
    data.forward()
    assert data.solver.status == "converged" and data.solver.iterations == 0
    pushing = [contact for contact in data.contacts if contact.force[0] > 1.0]
    assert pushing
    for contact in pushing:
        assert np.hypot(*contact.force[1:3]) <= 0.9 * contact.force[0]


def test_settings_are_checked() -> None:
    model = saltus.Model.load(HUMANOID)
    assert model.law == "soft" and model.settings["reach"] == 0.01
    other = model.with_law("impulse", reach=0.03, impulse_stabilizer="published")
    assert other.settings["reach"] == 0.03 and model.settings["reach"] == 0.01
    with pytest.raises(ValueError, match="soft, invertible, impulse, lcp, compliant"):
        model.with_law("hard")
    with pytest.raises(ValueError, match="at least 0"):
        model.with_law(reach=-1.0)
    with pytest.raises(ValueError, match="unknown setting"):
        model.with_law(rech=1.0)


def test_model_files_choose_laws() -> None:
    xml = """<mujoco><custom><text name="saltus_law" data="impulse"/><numeric name="saltus_reach" data="0.05"/></custom>
        <worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
    model = saltus.Model.from_xml(xml)
    assert model.law == "impulse" and model.settings["reach"] == 0.05
    again = saltus.Model.from_bytes(model.to_bytes())
    assert again.law == "impulse" and again.settings == model.settings
    with pytest.raises(ValueError, match="saltus_reach.*at least 0"):
        saltus.Model.from_xml(xml.replace("0.05", "-1"))
    with pytest.raises(ValueError, match="unknown setting"):
        saltus.Model.from_xml(xml.replace("saltus_reach", "saltus_rich"))


def test_laws_without_an_inverse_say_so() -> None:
    data = saltus.Model.load(HUMANOID).with_law("lcp").data()
    with pytest.raises(ValueError, match="lcp law has no inverse"):
        data.inverse()


def test_rollouts_run_under_every_law() -> None:
    model = saltus.Model.load(HUMANOID).with_law("impulse")
    result = saltus.rollout(model, model.data(), np.zeros((2, 100, model.nu)))
    data = model.data()
    data.step(100)
    assert np.array_equal(result.states[0, -1, 1 : 1 + model.nq], data.q)


def test_a_call_may_have_a_law_of_its_own() -> None:
    model = saltus.Model.load(HUMANOID)
    hard = model.with_law("impulse")
    data, own = model.data(), hard.data()
    for call in (data.step, data.forward):
        call(law="impulse")
    own.step()
    own.forward()
    assert np.array_equal(data.q, own.q) and np.array_equal(data.a, own.a)
    assert np.array_equal(data.inverse(law=hard), own.inverse())
    data.step()
    own.step()
    assert not np.array_equal(data.v, own.v), "the next call is under the model's own law"
    with pytest.raises(ValueError, match="law"):
        data.step(law="hard")
