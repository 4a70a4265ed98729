"""Terms that are functions, and terms about sensors."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import saltus
from conftest import MODELS
from plan_models import push


def slow(knot):
    """Ends at rest."""
    return knot.v, {"v": np.eye(knot.model.nv)}


def test_a_function_does_what_the_same_kind_does():
    by_kind, by_function = push(), push()
    by_kind.add_term("velocity", weight=0.3, window="end", name="slow")
    by_function.add_term(slow, weight=0.3, window="end")
    a, b = saltus.optimize(by_kind), saltus.optimize(by_function)
    assert a.converged and b.converged and b.costs["slow"] > 0.0
    np.testing.assert_array_equal(a.q, b.q)
    assert by_function.functions == ["slow"]
    with pytest.raises(ValueError, match="a task file cannot contain Python functions: slow"):
        by_function.to_toml()


@pytest.mark.parametrize("role", ["equality", "inequality"])
def test_functions_can_be_constraints(role):
    task = push()
    # No faster than 1.2 m/s: without it the largest speed is 1.5.
    sign = {"equality": 0.0, "inequality": 1.0}[role]
    window = (0.0, 1.0) if sign else "end"
    task.add_term(lambda knot: (knot.v - 1.2 * sign, {"v": np.eye(1)}), name="speed", role=role, window=window)
    plan = saltus.optimize(task)
    assert plan.converged, plan.message
    if sign:
        assert 1.19 < plan.v.max() <= 1.2 + 1e-3
    else:
        assert abs(plan.v[-1, 0]) < 1e-4


def test_functions_see_the_state_and_its_bodies():
    seen = []

    def tip(knot):
        data = knot.data
        site = data.p_WS[knot.model.id("site", "tip")]
        seen.append((knot.t, knot.steps, knot.h, knot.time, knot.has_force, site[0], knot.q[0] + 0.1))
        return site - [1.1, 0.0, 0.0], {"q": data.jacobian("cart", site)[0]}

    task = push()
    task.add_term(tip, weight=[0.1, 0.0, 0.0])
    plan = saltus.optimize(task, threads=1)
    assert plan.converged, plan.message
    assert {one[0] for one in seen} == set(range(11)) and all(one[1:3] == (10, 0.1) for one in seen)
    assert all(one[3] == pytest.approx(0.1 * one[0]) and one[5] == pytest.approx(one[6]) for one in seen)
    assert all(one[4] == (one[0] < 10) for one in seen)


def test_the_same_bits_with_threads():
    plans = []
    for threads in (1, 2):
        task = saltus.Task("spin", iterations=20, threads=threads)
        task.add_term(slow, weight=0.1)
        plans.append(saltus.optimize(task))
    np.testing.assert_array_equal(plans[0].q, plans[1].q)
    assert plans[0].costs["slow"] > 0.0


@pytest.mark.parametrize("threads", [1, 2])
def test_what_functions_raise_is_raised(threads):
    calls = []

    def fail(knot):
        calls.append(knot.t)
        if len(calls) > 300:
            raise ZeroDivisionError("in a term")
        return slow(knot)

    task = saltus.Task("spin", threads=threads)
    task.add_term(fail)
    with pytest.raises(ZeroDivisionError, match="in a term"):
        saltus.optimize(task)
    # The others that were under way may have failed as well, but no more were called.
    assert len(calls) <= 300 + threads


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda knot: knot.v, r"expected \(residual, .*found ndarray"),
        (lambda knot: None, "found NoneType"),
        (lambda knot: (knot.v, {"x": np.eye(1)}), "derivatives are with respect to q, v, a, tau; found 'x'"),
        (
            lambda knot: (knot.v, {"v": np.eye(2)}),
            r"the derivative with respect to v: expected 1 residuals × 1 dofs, found \(2, 2\)",
        ),
        (lambda knot: (np.eye(2), {}), r"expected a vector of residuals, found an array of shape \(2, 2\)"),
        (lambda knot: (np.ones(1 + int(knot.q[0] > 0.1)), {}), "had 1 residuals before and now has 2"),
        (lambda knot: ("slow", {}), "could not convert"),
        (lambda knot: (np.ones(1, dtype=complex), {}), "mine: residual: expected real numbers, found complex ones"),
    ],
)
def test_wrong_answers_are_explained(answer, message):
    task = push()
    task.add_term(answer, name="mine")
    with pytest.raises(ValueError, match=message):
        saltus.optimize(task)


@pytest.mark.parametrize("role", ["cost", "equality", "inequality"])
def test_what_is_not_a_number_does_not_hold(role):
    task = push()
    task.add_term(lambda knot: (knot.v * np.nan, {}), role=role)
    plan = saltus.optimize(task)
    assert plan.status == "invalid" and "is not a finite number at state 0" in plan.message


@pytest.mark.parametrize("role", ["cost", "equality", "inequality"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_derivative_that_is_not_finite_is_named(role, bad):
    def flawed(knot):
        slope = 0.01 * np.eye(3)
        if knot.t == 5:
            slope[1, 1] *= bad
        return 0.01 * (knot.q - 0.1), {"q": slope}

    task = saltus.Task("spin")
    task.add_term(flawed, role=role)
    plan = saltus.optimize(task)
    assert plan.status == "invalid" and not plan.converged and len(plan.gains) == 0
    assert "residual 1 with respect to q of dof 1 of flawed is not a finite number at state 5 (0.250 s)" in plan.message


def test_a_norm_at_rest_does_not_pass():
    """The derivative of the length of v is 0/0 at rest, where the motion begins."""

    def speed(knot):
        with np.errstate(invalid="ignore"):
            return [np.linalg.norm(knot.v)], {"v": knot.v / np.linalg.norm(knot.v)}

    task = saltus.Task("spin")
    task.add_term(speed, weight=0.01)
    plan = saltus.optimize(task)
    assert plan.status == "invalid" and "of speed is not a finite number at state 0" in plan.message


@pytest.mark.parametrize("seed", range(60))
def test_anything_that_functions_return_is_a_plan_or_an_exception(seed):
    random = np.random.default_rng(seed)
    numbers = [0.0, 1.0, -0.3, 1e-300, 1e300, np.nan, np.inf, -np.inf]
    likely = random.dirichlet(np.r_[np.full(3, 2.0), np.full(5, 0.02)])
    odd = [None, "x", [], {}, np.zeros((2, 2, 2)), np.ones(3, dtype=complex), object(), 10**400]
    rows = int(random.integers(0, 4))

    def anything(knot):
        if random.random() < 0.002:
            raise LookupError("no reason")
        if random.random() < 0.002:
            return odd[random.integers(len(odd))]
        slopes = {
            part: random.choice(numbers, size=(rows, 3), p=likely) if random.random() < 0.998 else odd[4]
            for part in ("q", "v", "a", "tau")
            if random.random() < 0.5
        }
        return random.choice(numbers, size=rows, p=likely), slopes

    task = saltus.Task("spin")
    role = ["cost", "equality", "inequality"][seed % 3]
    task.add_term(anything, role=role, weight=0.1)
    try:
        plan = saltus.optimize(task, iterations=8, threads=1 + seed % 2, method=["rounds", "sqp"][seed // 3 % 2])
    except (ValueError, TypeError, OverflowError, LookupError):
        return
    assert np.isfinite(plan.q).all()
    if plan.converged:
        numbers = [plan.v, plan.tau, plan.gains, plan.cost, list(plan.violations.values())]
        assert all(np.isfinite(one).all() for one in numbers)


def test_functions_may_plan_themselves():
    def nested(knot):
        if knot.t == 3 and not inner:
            inner.append(saltus.optimize(push()).converged)
        return slow(knot)

    inner = []
    task = push()
    task.add_term(nested, weight=0.1)
    assert saltus.optimize(task).converged and inner == [True]


def test_many_plans_at_once():
    """Tasks with functions in several Python threads, each with threads of its own."""
    task = saltus.Task("spin", iterations=20, threads=2)
    task.add_term(slow, weight=0.1)
    alone = saltus.optimize(task).q
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda _: saltus.optimize(task).q, range(8)))
    assert all(np.array_equal(alone, q) for q in together)


def test_wrong_keys_are_explained():
    task = push()
    for keys, message in [
        ({"role": "goal"}, "role: expected one of cost, equality, inequality; found 'goal'"),
        ({"window": [1.0, 0.5]}, r'window: expected \[from, to\] in s, "always" or "end"'),
        ({"site": "tip"}, "a function has no key 'site'; there are name"),
        ({"slack": -1.0}, "slack: expected a positive number"),
        ({"weight": float("nan")}, "weight: expected finite numbers"),
    ]:
        with pytest.raises(ValueError, match=message):
            task.add_term(slow, **keys)
    task.add_term(slow, weight=[1.0, 2.0])
    with pytest.raises(ValueError, match="expected one weight, or one for each of 1 residuals; found 2"):
        saltus.optimize(task)


def test_derivatives_are_checked_by_differences():
    model = saltus.Model.load(MODELS / "humanoid.xml")

    def foot(knot):
        jac, _ = knot.data.jacobian("left_foot")
        return knot.data.p_WB[knot.model.id("body", "left_foot")].copy(), {"q": jac}

    def power(knot):
        return knot.tau * knot.v, {"tau": np.diag(knot.v), "v": np.diag(knot.tau)}

    def forgotten(knot):
        return knot.tau * knot.v, {"tau": np.diag(knot.v)}

    saltus.check_term(model, foot)
    saltus.check_term(model, power, seed=5)
    with pytest.raises(
        ValueError, match="row 0: the derivative with respect to V of dof 0 is -?0, finite differences give"
    ):
        saltus.check_term(model, forgotten)
    with pytest.raises(ZeroDivisionError):
        saltus.check_term(model, lambda knot: 1 / 0)


def test_sensor_terms_are_those_of_what_they_measure():
    by_site, by_sensor = push(), push()
    by_site.add_term("site", site="tip", position=[0.6, 0.0, 0.0], weight=0.3, name="tip")
    by_sensor.add_sensor_term("tip place", [0.6, 0.0, 0.0], 0.3, name="tip")
    a, b = saltus.optimize(by_site), saltus.optimize(by_sensor)
    assert a.converged and b.converged
    np.testing.assert_allclose(a.q, b.q, atol=1e-7)
    assert b.costs["tip"] == pytest.approx(a.costs["tip"])


def test_sensors_of_acceleration_are_smoothness():
    task = push()
    task.add_sensor_term("shake", weight=[0.5, 0.0, 0.0], name="shake")
    plan = saltus.optimize(task)
    assert plan.converged
    expected = 0.5 * np.sum((0.5 * plan.a[:-1, 0]) ** 2) / 10
    assert plan.costs["shake"] == pytest.approx(expected)


def test_functions_of_sensors_have_exact_derivatives(native):
    """A residual that is no linear function of what sensors read, in a model with free and ball joints."""

    def mixed(knot):
        spin, of_spin = knot.sensor("spin")
        shake, of_shake = knot.sensor("shake")
        slopes = {part: spin @ of_shake[part] + shake @ of_spin[part] for part in ("q", "v", "a")}
        return spin @ shake, slopes

    def wrong(knot):
        residual, slopes = mixed(knot)
        return residual, {**slopes, "a": 0.0 * slopes["a"]}

    saltus.check_term(native, mixed)
    with pytest.raises(ValueError, match="the derivative with respect to A of dof"):
        saltus.check_term(native, wrong)
    with pytest.raises(ValueError, match='no sensor "nose"; there are'):
        saltus.check_term(native, lambda knot: knot.sensor("nose"))


def test_functions_of_sensors_do_what_sensor_terms_do():
    def place(knot):
        reading, slopes = knot.sensor("tip place")
        return reading - [0.6, 0.0, 0.0], slopes

    by_kind, by_function = push(), push()
    by_kind.add_sensor_term("tip place", [0.6, 0.0, 0.0], 0.3)
    by_function.add_term(place, weight=0.3)
    a, b = saltus.optimize(by_kind), saltus.optimize(by_function)
    assert a.converged and b.converged
    np.testing.assert_allclose(a.q, b.q, atol=1e-9)
    task = push()
    task.add_term(lambda knot: knot.sensor("push"))
    with pytest.raises(ValueError, match="sensor 'push': forces of actuators are unknowns of a plan"):
        saltus.optimize(task)


def test_sensors_that_cannot_be_are_refused():
    for name, message in [
        ("nose", 'there is no sensor "nose"; there are "place", "tip place", "shake", "push"'),
        ("push", "forces of actuators are unknowns of a plan"),
    ]:
        task = push()
        task.add_sensor_term(name)
        with pytest.raises(ValueError, match=rf"\[\[term\]\] sensor: .*{message}"):
            saltus.optimize(task)
    task = push()
    task.add_sensor_term("place", [1.0, 2.0])
    with pytest.raises(ValueError, match=r"\[\[term\]\] target: expected 1 numbers, as the sensor reads"):
        saltus.optimize(task)
