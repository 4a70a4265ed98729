"""The invertible contact law on plain arrays."""

import doctest

import numpy as np
import pytest
from saltus import contact


def problem(rng, limits, contacts, kappa=0.01):
    n = limits + 3 * contacts
    nv = int(rng.integers(3, 2 * n + 4))
    J = rng.normal(size=(n, nv)) / np.sqrt(nv)
    return dict(
        A=J @ J.T,
        R=10 ** rng.uniform(-2, 1, n),
        mu=rng.uniform(0, 2, contacts) * (rng.uniform(size=contacts) > 0.1),
        vmin=0.1 * rng.normal(size=limits + contacts),
        n_limits=limits,
        kappa=kappa,
        q=10.0,
    )


def normals(p):
    k = p["n_limits"]
    return np.r_[np.arange(k), np.arange(k + 2, len(p["R"]), 3)]


def test_docstring():
    result = doctest.testmod(contact)
    assert result.attempted > 0 and result.failed == 0


@pytest.mark.parametrize("kappa", [1e-3, 1e-2, 1e-1, 1.0])
def test_forward_and_inverse_undo_each_other(kappa):
    rng = np.random.default_rng(1)
    for _ in range(50):
        p = problem(rng, int(rng.integers(0, 11)), int(rng.integers(1, 12)), kappa)
        v = 0.1 * rng.normal(size=len(p["R"]))
        f, c, report = contact.invertible_inverse(v=v, **p)
        assert report.status == "converged"
        np.testing.assert_allclose(c, v - p["A"] @ f, rtol=0, atol=1e-12 * abs(c).max())
        f2, v2, report = contact.invertible_forward(c=c, **p)
        assert report.status == "converged" and report.residual < 1e-12
        assert abs(f2 - f).max() <= 1e-9 * abs(f).max()
        assert abs(v2 - v).max() <= 1e-9 * max(abs(v).max(), abs(c).max())


def test_the_impulse_satisfies_equation_22():
    rng = np.random.default_rng(2)
    for _ in range(20):
        p = problem(rng, 3, 4)
        c = 0.1 * rng.normal(size=len(p["R"]))
        f, v, _ = contact.invertible_forward(c=c, **p)
        n, k, kappa = normals(p), p["n_limits"], p["kappa"]
        s = v[n] - p["vmin"]
        s0 = kappa / p["q"]
        slope = np.zeros(len(f))
        slope[n] = np.where(s >= s0, -kappa / np.maximum(s, s0), p["q"] ** 2 / kappa * (s - s0) - p["q"])
        barrier = np.zeros(len(f))
        barrier[n] = -kappa / f[n]
        ft, fn = f[k:].reshape(-1, 3)[:, :2], f[k:].reshape(-1, 3)[:, 2]
        mu = p["mu"]
        touches = mu > 0
        inside = mu**2 * fn**2 - (ft**2).sum(axis=1)
        assert (inside[touches] > 0).all() and (f[n] > 0).all()
        cone = np.zeros((len(mu), 3))
        cone[touches, :2] = (2 * kappa * ft / inside[:, None])[touches]
        cone[:, 2] = np.where(touches, -2 * kappa * mu**2 * fn / np.where(touches, inside, 1), -2 * kappa / fn)
        barrier[k:] += cone.ravel()
        terms = [p["R"] * f, v, barrier, p["A"] @ slope]
        gradient = sum(terms)
        gradient[k:].reshape(-1, 3)[~touches, :2] = 0  # no tangential impulse without friction
        assert abs(gradient).max() <= 1e-8 * max(abs(t).max() for t in terms)


def test_as_published_keeps_velocities_feasible():
    rng = np.random.default_rng(3)
    p = problem(rng, 2, 3)
    p["A"] = p["A"] + np.eye(len(p["R"]))
    f, v, report = contact.invertible_forward(c=-np.ones(len(p["R"])), elastic=False, **p)
    assert report.status == "converged" and (v[normals(p)] > p["vmin"]).all()
    g, _, _ = contact.invertible_inverse(v=v, elastic=False, **p)
    np.testing.assert_allclose(f, g, rtol=1e-9)


def test_no_rows():
    f, v, report = contact.invertible_forward(np.zeros((0, 0)), [], [], [], [], 0, 0.1, 10.0)
    assert f.size == v.size == 0 and report.status == "unconstrained"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(R=[0.0, 1, 1]), "R of row"),
        (dict(kappa=0.0), "kappa"),
        (dict(q=-1.0), "q of row"),
        (dict(mu=[-0.1]), "friction"),
        (dict(c=[np.nan, 0, 0]), "c of row"),
        (dict(c=[0.0, 0]), "c should have 3"),
        (dict(A=np.diag([1.0, 1, -1])), "semidefinite"),
        (dict(A=np.eye(3) + np.eye(3, k=1)), "symmetric"),
        (dict(A=np.eye(2)), "3 × 3"),
        (dict(vmin=[0.0, 0.0]), "vmin should have 1"),
        (dict(n_limits=2), "R should have 5"),
    ],
)
def test_wrong_arguments(change, message):
    p = dict(A=np.eye(3), c=np.zeros(3), R=np.ones(3), mu=[0.5], vmin=[0.0], n_limits=0, kappa=0.1, q=10.0)
    with pytest.raises(ValueError, match=message):
        contact.invertible_forward(**{**p, **change})
