"""What the comparisons of this folder share: options, the line of each model, the summary and the exit code."""

from __future__ import annotations

import argparse
import json
import pathlib
from collections.abc import Iterable, Iterator, Mapping

Chosen = Iterable[tuple[str, pathlib.Path]]


def parser(doc: str | None, *, files: bool = True, states: int | None = None) -> argparse.ArgumentParser:
    """The options that all have; `doc` is the script's own text."""
    options = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    if files:
        options.add_argument("files", nargs="*", help="model files (default: all known models)")
    options.add_argument("--filter", default="", help="only what has this in its name")
    if states is not None:
        options.add_argument("--states", type=int, default=states, help="states per model")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--verbose", action="store_true", help="list everything that differs, or was skipped")
    options.add_argument("--json", action="store_true")
    return options


class Report:
    """Collects what was found and prints it."""

    def __init__(self, options: argparse.Namespace, width: int = 45):
        self.options, self.width = options, width
        self.table: dict[str, dict] = {}

    def chosen(self, known: Chosen) -> Iterator[tuple[str, pathlib.Path]]:
        """The files of the command line, or those that are known."""
        for name, path in [(file, pathlib.Path(file)) for file in self.options.files] or known:
            if self.options.filter in name:
                yield name, path

    def add(self, name: str, text: str, good: bool, details: Iterable[str] = (), **found) -> None:
        """One comparison: its line, what `--verbose` shows, and what `--json` has."""
        self.table[name] = {**found, "good": good}
        if not self.options.json:
            print(f"{name:{self.width}s} {'ok ' if good else 'BAD'} {text}", flush=True)
            if self.options.verbose:
                for line in details:
                    print(f"    {line}")

    def add_error(self, name: str, problem: Exception) -> None:
        """A comparison that could not be made: one bad model must not hide the others."""
        self.add(name, f"ERROR {type(problem).__name__}: {problem}", False)

    def finish(self, more: str = "") -> int:
        """The summary; the exit code."""
        failed = sum(not entry["good"] for entry in self.table.values())
        if self.options.json:
            print(json.dumps({"models": self.table, "failed": failed}))
        else:
            print(f"{len(self.table) - failed} passed, {failed} failed{more}")
        return 1 if failed or not self.table else 0


def worst_first(errors: Mapping[str, float]) -> list[str]:
    """Fields and their errors, the largest first."""
    return [f"{field:30s} {error:.3e}" for field, error in sorted(errors.items(), key=lambda item: -item[1])]
