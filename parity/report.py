"""Common parts of the comparisons: options, output lines, summary and exit code."""

from __future__ import annotations

import argparse
import json
import pathlib
from collections.abc import Iterable, Iterator, Mapping

Chosen = Iterable[tuple[str, pathlib.Path]]


def parser(doc: str | None, *, files: bool = True, states: int | None = None) -> argparse.ArgumentParser:
    """The common options; `doc` is the description of the script."""
    options = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    if files:
        options.add_argument("files", nargs="*", help="model files (default: all known models)")
    options.add_argument("--filter", default="", help="only models whose name contains this")
    if states is not None:
        options.add_argument("--states", type=int, default=states, help="states per model")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--verbose", action="store_true", help="list all differences and skipped cases")
    options.add_argument("--json", action="store_true")
    return options


class Report:
    """Collects and prints the results."""

    def __init__(self, options: argparse.Namespace, width: int = 45):
        self.options, self.width = options, width
        self.table: dict[str, dict] = {}

    def chosen(self, known: Chosen) -> Iterator[tuple[str, pathlib.Path]]:
        """The files of the command line, or all known ones."""
        for name, path in [(file, pathlib.Path(file)) for file in self.options.files] or known:
            if self.options.filter in name:
                yield name, path

    def add(self, name: str, text: str, good: bool, details: Iterable[str] = (), **found) -> None:
        """Records one comparison: its line, the details for `--verbose`, and the data for
        `--json`."""
        self.table[name] = {**found, "good": good}
        if not self.options.json:
            print(f"{name:{self.width}s} {'ok ' if good else 'BAD'} {text}", flush=True)
            if self.options.verbose:
                for line in details:
                    print(f"    {line}")

    def add_error(self, name: str, problem: Exception) -> None:
        """Records a comparison that failed with an exception, so that the others continue."""
        self.add(name, f"ERROR {type(problem).__name__}: {problem}", False)

    def finish(self, more: str = "") -> int:
        """Prints the summary and returns the exit code."""
        failed = sum(not entry["good"] for entry in self.table.values())
        if self.options.json:
            print(json.dumps({"models": self.table, "failed": failed}))
        else:
            print(f"{len(self.table) - failed} passed, {failed} failed{more}")
        return 1 if failed or not self.table else 0


def worst_first(errors: Mapping[str, float]) -> list[str]:
    """Fields and their errors, the largest first."""
    return [f"{field:30s} {error:.3e}" for field, error in sorted(errors.items(), key=lambda item: -item[1])]
