"""Tasks: what a robot shall do."""

from __future__ import annotations

import copy
import os
import pathlib
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, TypeVar

from saltus import _saltus
from saltus._term import Function, TermFunction

_Self = TypeVar("_Self", bound="Task")

# A text with the name of its file, for messages.
_Source = tuple[str, str]
# Keys of all tasks; the other one says what is to be done.
_COMMON = ("name", "about", "model", "contact", "guess", "solver", "term")


class Task(MutableMapping[str, Any]):
    """What a robot shall do: the same tables as a task file, as dictionaries.

    A task comes with Saltus (`Task.names()`), from a file, from text, or is built by program:

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

    `model` is the name of a model that comes with Saltus, a file (relative to the task's file, or to the working directory
    for tasks built by program), or MJCF text. docs/TASKS.md lists all tables, keys and kinds of terms. Mistakes are
    ValueErrors that name the line in the text, the key, and what was expected.
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
                raise ValueError(f"unknown task {place!r}; expected one of {known}, or a file with the ending .toml")
            self._read(shipped[place], f"{place}.toml")
        self.set(**tables)

    def _read(self, text: str, file: str) -> None:
        self._tables = _saltus.task_tables(text, file)
        self._origin = ((text, file), copy.deepcopy(self._tables))

    @classmethod
    def load(cls: type[_Self], path: str | os.PathLike[str], **overrides: Any) -> _Self:
        """The task of a file, such as the `task.toml` of a result folder; its model is looked up beside it."""
        place = os.fspath(path)
        task = cls.parse(_text_of(place), place)
        task.set(**overrides)
        return task

    @classmethod
    def parse(cls: type[_Self], text: str, file: str = "task.toml") -> _Self:
        """The task of a text; `file` is for messages, and models are looked up beside it."""
        task = cls()
        task._read(text, os.fspath(file))
        return task

    @classmethod
    def gait(cls: type[_Self], model: str | os.PathLike[str], **settings: Any) -> _Self:
        """Walk or run: a limit cycle for any robot with feet, MJCF or URDF.

        Feet, size, symmetry and a pose to stand in are found from the model. Settings are those of `set`.

        >>> Task.gait("quadruped", speed=0.3, seed=2)["gait"]
        {'speed': 0.3, 'seed': 2}
        """
        task = cls(name=f"{_name_of(model)}-gait", model=os.fspath(model), gait={})
        task.set(**settings)
        return task

    @staticmethod
    def names() -> list[str]:
        """Names of the tasks that come with Saltus."""
        return [name for name, _ in _saltus.task_names()]

    def set(self, **keys: Any) -> None:
        """Sets keys of the task's tables by their names; None takes a key away.

        `speed=1.0` sets the key of the one table that has it. A dictionary for a whole table is merged into it, which is how
        keys that several tables have are set: `guess={"to": [...]}`.

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
                raise ValueError(f"{key!r} is a key of {which}: say of which, as {owners[0]}={{{key!r}: ...}}")
            else:
                listed = "; ".join(f"{table}: {', '.join(names)}" for table, names in {"task": top, **known}.items())
                raise ValueError(f"there is no key {key!r}; there are {listed}")
            if value is None:
                table.pop(name, None)
            else:
                table[name] = value

    def add_term(self, what: str | TermFunction, /, **keys: Any) -> None:
        """Adds a term: a kind by its name with its keys, or a function of your own.

        >>> task = Task("spin")
        >>> task.add_term("site", site="tip", position=[0.2, 0.0, 0.1], weight=0.1, window=[0.5, 1.0])

        A function gets a `Knot` and gives its residual and the derivatives of that, rows by dofs, by q (in its tangent
        space), v, a and tau; what is left out is zero:

        >>> def slowly(knot):
        ...     return knot.v, {"v": np.eye(knot.model.nv)}
        >>> import numpy as np
        >>> task.add_term(slowly, weight=0.1, role="cost", window="end")

        Its keys are `name`, `role` ("cost", "equality" or "inequality": residual ≤ 0), `window` ("always", "end" or
        [from, to] in s), `weight`, `measure` and `slack`. `check_term` compares its derivatives with differences. The same
        numbers must come out for the same knot, and as many of them at each: then plans are the same bits at any number of
        threads. A function holds the interpreter, so the threads take turns: a call costs about 10 µs, 25 µs if it uses
        `knot.data`, once or twice for each step of time and iteration.
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
        """Adds a term about what a sensor of the model reads: weight · (reading − target), with exact derivatives.

        `target` and `weight` are one number, or one for each number that the sensor reads. All sensors that depend on q, v and a
        alone can be used, but quaternions; others are ValueErrors when the task is optimized.
        """
        self.add_term("sensor", sensor=sensor, target=target, weight=weight, role=role, window=window, **keys)

    @property
    def functions(self) -> list[str]:
        """Names of the terms that are functions."""
        return [function.name for function in self._functions]

    def to_toml(self) -> str:
        """The task as the text of a task file. Functions cannot be written: ValueError."""
        if self._functions:
            raise ValueError(f"a task file cannot hold functions: {', '.join(self.functions)}")
        return self._source()[0]

    def check(self) -> None:
        """ValueError if the task is not one that could be read from a file. Names of the model are checked by `optimize`."""
        _saltus.task_tables(*self._source())

    def copy(self: _Self) -> _Self:
        """An independent copy; functions are shared."""
        other = type(self)()
        other._tables, other._origin = copy.deepcopy(self._tables), self._origin
        other._functions = list(self._functions)
        return other

    __copy__ = copy

    def _source(self) -> _Source:
        """The text, and where it is from: messages name it, and models are looked up beside it."""
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
    """A name for a task from its model."""
    text = "" if model is None else str(model)
    return pathlib.PurePath(text).stem if text and not text.lstrip().startswith("<") else "task"
