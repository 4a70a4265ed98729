"""Planning tasks: the goal of a motion, its costs and constraints, and the solver settings."""

from __future__ import annotations

import copy
import os
import pathlib
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, TypeVar

from saltus import _saltus
from saltus._term import Function, TermFunction

_Self = TypeVar("_Self", bound="Task")

# A text with the name of its file, for error messages.
_Source = tuple[str, str]
# Keys that all tasks share; the remaining key selects the kind of task.
_COMMON = ("name", "about", "model", "contact", "guess", "solver", "term")


class Task(MutableMapping[str, Any]):
    """A planning task: the tables of a task file, as dictionaries.

    A task is built in (`Task.names()`), read from a file or from text, or constructed in code:

    >>> walk = Task("walk")
    >>> walk["gait"]["speed"]
    1.2
    >>> slow = Task("walk", speed=0.8, iterations=500)
    >>> slow["gait"]["speed"], slow["solver"]
    (0.8, {'iterations': 500})

    >>> reach = Task(
    ...     name="reach",
    ...     model="finger",
    ...     motion={"steps": 30, "time": 1.0, "start": {"keyframe": "home"}},
    ...     contact={"touch": "nothing"},
    ... )
    >>> reach.add_term("posture", target=[0.3, 1.5, 0.0], window="end")
    >>> reach.add_term("effort", weight=0.1)
    >>> print(reach.to_toml())  # doctest: +ELLIPSIS
    name = "reach"
    model = "finger"
    <BLANKLINE>
    [motion]
    start = { keyframe = "home" }
    steps = 30
    time = 1.0
    ...

    `model` is the name of a built-in model, a file (relative to the task's file, or to the working
    directory for tasks constructed in code), or MJCF text. docs/TASKS.md lists all tables, keys and
    kinds of terms. Errors raise ValueError and name the line in the text, the key, and the expected
    value.
    """

    __slots__ = ("_tables", "_origin", "_functions")
    _tables: dict[str, Any]
    _origin: tuple[_Source, dict[str, Any]] | None
    _functions: list[Function]

    def __init__(self, source: str | os.PathLike[str] | None = None, /, **tables: Any):
        self._tables, self._origin, self._functions = {}, None, []
        if source is None:
            tables["term"] = [*tables.pop("term", []), *tables.pop("terms", [])]
            name = tables.pop("name", None) or _name_of(tables.get("model"))
            self._tables = {"name": name, **{key: value for key, value in tables.items() if value is not None}}
            return
        place = os.fspath(source)
        if place.lower().endswith(".toml"):
            self._read(_text_of(place), place)
        else:
            shipped = dict(_saltus.task_names())
            if place not in shipped:
                known = ", ".join(shipped)
                raise ValueError(f"unknown task {place!r}; expected one of {known}, or a file with the extension .toml")
            self._read(shipped[place], f"{place}.toml")
        self.set(**tables)

    def _read(self, text: str, file: str) -> None:
        self._tables = _saltus.task_tables(text, file)
        self._origin = ((text, file), copy.deepcopy(self._tables))

    @classmethod
    def load(cls: type[_Self], path: str | os.PathLike[str], **overrides: Any) -> _Self:
        """Loads a task file, such as the `task.toml` of a result folder.

        Its model is looked up in the same folder.
        """
        place = os.fspath(path)
        task = cls.parse(_text_of(place), place)
        task.set(**overrides)
        return task

    @classmethod
    def parse(cls: type[_Self], text: str, file: str = "task.toml") -> _Self:
        """Parses the text of a task file.

        `file` is its path, for error messages and for finding the model.
        """
        task = cls()
        task._read(text, os.fspath(file))
        return task

    @classmethod
    def gait(cls: type[_Self], model: str | os.PathLike[str], **settings: Any) -> _Self:
        """Walking or running as a limit cycle, for any MJCF or URDF robot with feet.

        Feet, size, symmetry and a standing pose are detected from the model. Settings are keys, as
        for `set`.

        >>> Task.gait("quadruped", speed=0.3, seed=2)["gait"]
        {'speed': 0.3, 'seed': 2}
        """
        task = cls(name=f"{_name_of(model)}-gait", model=os.fspath(model), gait={})
        task.set(**settings)
        return task

    @staticmethod
    def names() -> list[str]:
        """Names of the built-in tasks."""
        return [name for name, _ in _saltus.task_names()]

    def set(self, **keys: Any) -> None:
        """Sets keys of the task's tables by name; None removes a key.

        `speed=1.0` sets the key in the only table that has it. A dictionary for a whole table is
        merged into it; use this for keys that several tables have: `guess={"to": [...]}`.

        >>> task = Task("hop")
        >>> task.set(steps=40, threads=1, guess={"noise": 0.1})
        >>> task.set(stepps=40)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ValueError: there is no key 'stepps'; ...
        """
        if not keys:
            return
        known = dict(_saltus.task_keys(*self._source()))
        top = known.pop("")
        for key, value in keys.items():
            name = "term" if key == "terms" else key
            owners = [table for table, names in known.items() if name in names]
            if name in top:
                table: dict[str, Any] = self._tables
                if isinstance(value, Mapping) and isinstance(table.get(name), Mapping):
                    value = {**table[name], **value}
            elif len(owners) == 1:
                table = self._tables.setdefault(owners[0], {})
            elif owners:
                which = " and ".join(owners)
                raise ValueError(f"{key!r} is a key of {which}: name the table, as in {owners[0]}={{{key!r}: ...}}")
            else:
                listed = "; ".join(f"{table}: {', '.join(names)}" for table, names in {"task": top, **known}.items())
                raise ValueError(f"there is no key {key!r}; there are {listed}")
            if value is None:
                table.pop(name, None)
            else:
                table[name] = value

    def add_term(self, what: str | TermFunction, /, **keys: Any) -> None:
        """Adds a cost or constraint: a kind of term by name with its keys, or a Python function.

        >>> task = Task("spin")
        >>> task.add_term("site", site="tip", position=[0.2, 0.0, 0.1], weight=0.1, window=[0.5, 1.0])

        A function receives a `Knot` and returns its residual with a dictionary of its Jacobians
        (rows × dofs) with respect to q (in the tangent space), v, a and tau; omitted Jacobians are
        zero:

        >>> def slowly(knot):
        ...     return knot.v, {"v": np.eye(knot.model.nv)}
        >>> import numpy as np
        >>> task.add_term(slowly, weight=0.1, role="cost", window="end")

        Its keys are `name`, `role` ("cost", "equality" or "inequality": residual ≤ 0), `window`
        ("always", "end" or [from, to] in s), `weight`, `measure` and `slack`. `check_term` compares
        its derivatives with finite differences. The function must be deterministic and must always
        return the same number of residuals for a knot; then the plan is bitwise identical for any
        number of threads. A function holds the interpreter lock, so threads call it one at a time.
        A call costs about 10 µs, or 25 µs if it uses `knot.data`, once or twice per time step and
        iteration.
        """
        if callable(what):
            self._functions.append(Function(what, **keys))
        else:
            self._tables.setdefault("term", []).append({"kind": what, **keys})

    def add_sensor_term(
        self,
        sensor: str,
        target: Any = 0.0,
        weight: Any = 1.0,
        role: str = "cost",
        window: Any = "always",
        **keys: Any,
    ) -> None:
        """Adds a term on the reading of a sensor: weight · (reading − target), with exact
        derivatives.

        `target` and `weight` are scalars, or have one value per component of the reading. Supported
        are all sensors that depend only on q, v and a, except quaternions; others raise ValueError
        when the task is optimized.
        """
        self.add_term("sensor", sensor=sensor, target=target, weight=weight, role=role, window=window, **keys)

    @property
    def functions(self) -> list[str]:
        """Names of the terms that are Python functions."""
        return [function.name for function in self._functions]

    def to_toml(self) -> str:
        """The task as the text of a task file. Raises ValueError if a term is a Python function."""
        if self._functions:
            raise ValueError(f"a task file cannot contain Python functions: {', '.join(self.functions)}")
        return self._source()[0]

    def check(self) -> None:
        """Raises ValueError if the task is invalid. Names in the model are checked by
        `optimize`."""
        _saltus.task_tables(*self._source())

    def copy(self: _Self) -> _Self:
        """An independent copy; functions are shared."""
        other = type(self)()
        other._tables, other._origin = copy.deepcopy(self._tables), self._origin
        other._functions = list(self._functions)
        return other

    __copy__ = copy

    def _source(self) -> _Source:
        """The text and its path, for error messages and for finding the model."""
        if self._origin is None:
            return _saltus.task_text(self._tables), f"<task {str(self._tables.get('name')).replace('/', '_')}>"
        (text, file), tables = self._origin
        if self._tables == tables:
            return text, file
        return _saltus.task_text(self._tables), f"{file} (changed)"

    def __getitem__(self, key: str) -> Any:
        return self._tables[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._tables[key] = value

    def __delitem__(self, key: str) -> None:
        del self._tables[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __repr__(self) -> str:
        model = str(self._tables.get("model"))
        model = "MJCF text" if model.lstrip().startswith("<") else model
        terms = len(self._tables.get("term", [])) + len(self._functions)
        templates = (key for key in self._tables if key not in _COMMON)
        what = next(templates, "nothing")
        return f"<{type(self).__name__} {self._tables.get('name')!r}: {what} of {model}, {terms} terms of its own>"


def _text_of(file: str) -> str:
    try:
        return pathlib.Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot read {file}: {error}") from error


def _name_of(model: Any) -> str:
    """The name of a task, derived from its model."""
    return "task" if model is None else _saltus.model_name(os.fsdecode(model))
