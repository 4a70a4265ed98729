"""Elements of `MjSpec`: wrappers of the elements of `saltus.Spec` with MuJoCo's names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from saltus._element import Element
from saltus.mujoco.enums import mjtDyn, mjtEq, mjtObj, mjtTrn
from saltus.mujoco.spec_names import ATTRIBUTES, OBJECTS, PARTIAL, TURNS, choice

if TYPE_CHECKING:
    from saltus.mujoco.spec import MjSpec

_OBJECT = choice("", mjtObj, OBJECTS)


class MjsElement:
    """An element of a spec, with MuJoCo's attributes."""

    __slots__ = ("_spec", "_element", "_attributes", "__weakref__")

    def __init__(self, spec: MjSpec, element: Element):
        object.__setattr__(self, "_spec", spec)
        object.__setattr__(self, "_element", element)
        object.__setattr__(self, "_attributes", ATTRIBUTES[element.kind])

    def __getattr__(self, name: str) -> Any:
        known = self._attributes.get(name)
        if known is None:
            raise AttributeError(f"saltus.mujoco: a {self._element.kind} of a spec has no {name!r}")
        return known.read(self._element.values[known.name])

    def __setattr__(self, name: str, value: Any) -> None:
        known = self._attributes.get(name)
        if known is not None:
            setattr(self._element, known.name, self._padded(name, known.write(value)))
        elif name in TURNS and "quat" in self._attributes:
            unit, given = math.pi / 180 if self._spec._degree else 1.0, np.asarray(value, dtype=float)
            sequence = (self._spec._eulerseq,) if name == "euler" else ()
            self.quat = TURNS[name](given, unit, *sequence)
        elif isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
        else:
            raise AttributeError(f"saltus.mujoco: a {self._element.kind} of a spec has no {name!r}")

    def _padded(self, name: str, value: Any) -> Any:
        """An array from its first values. The others are zero in sizes and otherwise unchanged."""
        if name not in PARTIAL or value is None:
            return value
        whole = np.zeros_like(getattr(self, name)) if name == "size" else getattr(self, name).copy()
        given = np.reshape(value, -1)
        if given.size > whole.size:
            raise ValueError(f"{name} has {whole.size} numbers, not {given.size}")
        whole[: given.size] = given
        return whole

    def _update(self, values: dict[str, Any]) -> None:
        for name, value in values.items():
            setattr(self, name, value)

    @property
    def id(self) -> int:
        """Number of the element in the order of the compiled model."""
        order = list(self._spec._native.elements(self._element.kind))
        return next(i for i, element in enumerate(order) if element is self._element)

    @property
    def parent(self) -> Any:
        """The body that the element belongs to."""
        native, where = self._spec._native, f"{self._element.kind}s"
        found = next(body for body in native.bodies if any(x is self._element for x in body.values.get(where, ())))
        return self._spec._wrap(found)

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *self._attributes]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._element.values.get('name', '')!r}>"


class MjsSensor(MjsElement):
    """A sensor: its kind, its object, and its reference object."""

    __slots__ = ()

    def _set(self, which: str, kind: Any = None, name: str | None = None) -> None:
        old = self._element.values[which] or ["Unknown", ""]
        word = old[0] if kind is None else _OBJECT.write(kind)
        self._element.values[which] = [word, old[1] if name is None else name]

    def _get(self, which: str, part: int) -> Any:
        value = self._element.values[which]
        if value is None:
            return "" if part else mjtObj.mjOBJ_UNKNOWN
        return value[1] if part else _OBJECT.read(value[0])

    objtype = property(lambda self: self._get("object", 0), lambda self, value: self._set("object", kind=value))
    objname = property(lambda self: self._get("object", 1), lambda self, value: self._set("object", name=value))
    reftype = property(lambda self: self._get("reference", 0), lambda self, value: self._set("reference", kind=value))
    refname = property(lambda self: self._get("reference", 1), lambda self, value: self._set("reference", name=value))


_TRANSMISSIONS = {
    mjtTrn.mjTRN_JOINT: "Joint",
    mjtTrn.mjTRN_JOINTINPARENT: "JointInParent",
    mjtTrn.mjTRN_TENDON: "Tendon",
    mjtTrn.mjTRN_BODY: "Body",
}


class MjsActuator(MjsElement):
    """An actuator: its transmission and its law."""

    __slots__ = ()

    def _transmission(self) -> tuple[int, str, str]:
        """Kind, target, and reference site."""
        ((word, what),) = self._element.values["transmission"].items()
        if word == "Site":
            return mjtTrn.mjTRN_SITE, what["site"], what["ref_site"] or ""
        if word == "SliderCrank":
            return mjtTrn.mjTRN_SLIDERCRANK, what["crank_site"], what["slider_site"]
        return next(kind for kind, name in _TRANSMISSIONS.items() if name == word), what, ""

    def _act_on(self, kind: int, target: str, other: str) -> None:
        if kind == mjtTrn.mjTRN_SITE:
            what: dict[str, Any] = {"Site": {"site": target, "ref_site": other or None}}
        elif kind == mjtTrn.mjTRN_SLIDERCRANK:
            what = {"SliderCrank": {"slider_site": other, "crank_site": target}}
        else:
            what = {_TRANSMISSIONS[mjtTrn(kind)]: target}
        self._element.values["transmission"] = what

    trntype = property(
        lambda self: self._transmission()[0], lambda self, value: self._act_on(int(value), *self._transmission()[1:])
    )
    target = property(
        lambda self: self._transmission()[1],
        lambda self, value: self._act_on(self._transmission()[0], value, self._transmission()[2]),
    )
    refsite = slidersite = property(
        lambda self: self._transmission()[2], lambda self, value: self._act_on(*self._transmission()[:2], value)
    )

    def _law(self, gain: float, bias: tuple[float, float, float]) -> None:
        prm = np.zeros(10)
        prm[0] = gain
        self.gainprm, self.biasprm = prm, np.array([*bias, *[0.0] * 7])
        self.dyntype, self.gaintype, self.biastype = 0, 0, int(any(bias))

    def set_to_motor(self) -> None:
        """The control is the force."""
        self._law(1.0, (0, 0, 0))

    def set_to_position(
        self,
        kp: float,
        kv: float | None = None,
        dampratio: float | None = None,
        timeconst: float | None = None,
        inheritrange: float = 0.0,
    ) -> None:
        """Position servo: the control is a target length. Damping is given by `kv` or a damping
        ratio; a time constant filters the control."""
        if kv is not None and dampratio is not None:
            raise ValueError("kv and dampratio are mutually exclusive")
        self._law(kp, (0.0, -kp, -(kv or 0.0)))
        self._element.values["damping_ratio"] = dampratio
        self._element.values["inherit_range"] = float(inheritrange)
        if timeconst:
            self.dyntype, self.dynprm = mjtDyn.mjDYN_FILTEREXACT, [timeconst]

    def set_to_velocity(self, kv: float) -> None:
        """Velocity servo: the control is a target velocity."""
        self._law(kv, (0.0, 0.0, -kv))


class MjsTendon(MjsElement):
    """A tendon, defined by joints or by a path."""

    __slots__ = ()

    def _path(self, kind: str) -> list[Any]:
        path = self._element.values["path"]
        if kind not in path:
            if any(len(items) for items in path.values()):
                raise ValueError("a tendon is defined by joints or by a path, not by both")
            path = self._element.values["path"] = {kind: []}
        return cast(list[Any], path[kind])

    def wrap_joint(self, joint: str, coef: float) -> None:
        """Adds a joint."""
        self._path("Fixed").append([joint, float(coef)])

    def wrap_site(self, site: str) -> None:
        """Continues the path to a site."""
        self._path("Spatial").append({"Site": site})

    def wrap_geom(self, geom: str, sidesite: str = "") -> None:
        """Wraps the path around a geom."""
        self._path("Spatial").append({"Geom": {"geom": geom, "side_site": sidesite or None}})

    def wrap_pulley(self, divisor: float) -> None:
        """Adds a pulley, which starts a new branch."""
        self._path("Spatial").append({"Pulley": float(divisor)})


class MjsEquality(MjsElement):
    """An equality constraint: kind, two objects (bodies, sites, joints or tendons), and
    parameters."""

    __slots__ = ()

    def _read(self) -> dict[str, Any]:
        ((word, what),) = self._element.values["kind"].items()
        data = np.zeros(12)
        data[10] = what.get("torque_scale", 1.0)
        if word in ("Joint", "Tendon"):
            data[:5] = what["poly"]
            kind = mjtEq.mjEQ_JOINT if word == "Joint" else mjtEq.mjEQ_TENDON
            return {"type": kind, "objtype": 0, "name1": what["first"], "name2": what["second"] or "", "data": data}
        data[:3] = what.get("anchor", np.zeros(3))
        if what.get("relative_pose"):
            data[3:6], data[6:10] = what["relative_pose"]
        kind = mjtEq.mjEQ_CONNECT if word.startswith("Connect") else mjtEq.mjEQ_WELD
        noun = "site" if word.endswith("Sites") else "body"
        objects = mjtObj.mjOBJ_SITE if noun == "site" else mjtObj.mjOBJ_BODY
        return {"type": kind, "objtype": objects, "name1": what[f"{noun}1"], "name2": what[f"{noun}2"], "data": data}

    def _write(self, **changes: Any) -> None:
        face = {**self._read(), **changes}
        kind, first, second = int(face["type"]), face["name1"], face["name2"]
        data = np.zeros(12)
        data[: np.size(face["data"])] = face["data"]
        if kind in (mjtEq.mjEQ_JOINT, mjtEq.mjEQ_TENDON):
            word = "Joint" if kind == mjtEq.mjEQ_JOINT else "Tendon"
            what = {word: {"first": first, "second": second or None, "poly": data[:5]}}
        elif kind in (mjtEq.mjEQ_CONNECT, mjtEq.mjEQ_WELD):
            sites = int(face["objtype"]) == mjtObj.mjOBJ_SITE
            word = ("Connect" if kind == mjtEq.mjEQ_CONNECT else "Weld") + ("Sites" if sites else "Bodies")
            objects = {"site1": first, "site2": second} if sites else {"body1": first, "body2": second or "world"}
            rest: dict[str, Any] = {} if sites else {"anchor": data[:3]}
            if kind == mjtEq.mjEQ_WELD:
                pose = None if sites or not data[6:10].any() else [data[3:6], dict(zip("wxyz", data[6:10].tolist()))]
                rest |= {"torque_scale": float(data[10])} | ({} if sites else {"relative_pose": pose})
            what = {word: {**objects, **rest}}
        else:
            raise ValueError("an equality of a spec is mjEQ_CONNECT, mjEQ_WELD, mjEQ_JOINT or mjEQ_TENDON")
        self._element.values["kind"] = what

    type = property(lambda self: self._read()["type"], lambda self, value: self._write(type=value))
    objtype = property(lambda self: self._read()["objtype"], lambda self, value: self._write(objtype=value))
    name1 = property(lambda self: self._read()["name1"], lambda self, value: self._write(name1=value))
    name2 = property(lambda self: self._read()["name2"], lambda self, value: self._write(name2=value))
    data = property(lambda self: self._read()["data"], lambda self, value: self._write(data=value))
