"""The examples in the docstrings run."""

import doctest
import importlib
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ["saltus", "saltus._model", "saltus._data", "saltus.derivatives", "saltus._parameters"]
MODULES += ["saltus.maximal", "saltus._optimize", "saltus._plan", "saltus._task", "saltus._term"]
MODULES += ["saltus.mujoco", "saltus.mujoco.named", "saltus.mujoco.functions", "saltus._spec", "saltus.mujoco.spec"]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    found = [finder.find(importlib.import_module(name)) for name in ("saltus", "saltus.mujoco")]
    assert all(any(test.examples for test in tests) for tests in found)


def test_everything_public_is_documented():
    from saltus import mujoco as sm

    functions = [
        name for name in sm.__all__ if name.startswith(("mj_", "mjd_", "mju_", "set_", "get_", "install", "uninstall"))
    ]
    assert len(functions) > 40
    assert [name for name in functions if not getattr(sm, name).__doc__] == []
