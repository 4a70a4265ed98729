"""Runs tests that come inside the `mujoco` package on `saltus.mujoco` and prints a verdict for each as JSON.

    python reference_suite.py FILE.py

It is a program of its own because `install` replaces a package for the whole process.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import unittest

import saltus.mujoco


class Verdicts(unittest.TestResult):
    """The last line of each failure by the name of the test; None where it passed."""

    def __init__(self) -> None:
        super().__init__()
        self.of: dict[str, str | None] = {}

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self.of[_name(test)] = None

    def _failed(self, test, error) -> None:
        self.of[_name(test)] = f"{error[0].__name__}: {error[1]}".strip().replace("\n", " ")[:200]

    def addError(self, test, error) -> None:
        self._failed(test, error)

    def addFailure(self, test, error) -> None:
        self._failed(test, error)

    def addSkip(self, test, reason) -> None:
        self.of.pop(_name(test), None)

    def addSubTest(self, test, subtest, error) -> None:
        if error is not None:
            self._failed(test, error)


def _name(test: unittest.TestCase) -> str:
    return test.id().rsplit(".", 1)[-1].split(" ")[0]


def main(path: str) -> None:
    saltus.mujoco.install()
    # The tests expect what MuJoCo does by default.
    saltus.mujoco.set_autoreset(True)
    spec = importlib.util.spec_from_file_location("reference_tests", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["reference_tests"] = module
    spec.loader.exec_module(module)
    verdicts = Verdicts()
    unittest.defaultTestLoader.loadTestsFromModule(module).run(verdicts)
    print(json.dumps(verdicts.of))


if __name__ == "__main__":
    main(sys.argv[1])
