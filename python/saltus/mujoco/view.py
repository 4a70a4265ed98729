"""Classes of MuJoCo's viewers, so that programs that name them can be imported. Saltus draws nothing.

Settings can be made and kept. What would draw raises `NotImplementedError` and says what to do instead: plot a recording
(`saltus plot`, `saltus sim --plot`), or save the states (`mj_getState`) and show them with MuJoCo's viewer in a program
without `install()`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from saltus.mujoco.model import MjModel
from saltus.mujoco.struct import Record

_INSTEAD = (
    "Saltus draws nothing. Plot a recording with `saltus sim --plot` or `saltus plot`, or save states with mj_getState and "
    "show them with MuJoCo's viewer in a program that does not call saltus.mujoco.install()"
)


def refuse(name: str) -> NoReturn:
    """Raises NotImplementedError with a message about alternatives."""
    raise NotImplementedError(f"saltus.mujoco.{name} is not supported: {_INSTEAD}")


def _singles(*numbers: float) -> np.ndarray:
    return np.array(numbers, dtype=np.float32)


def _groups() -> np.ndarray:
    return np.array([1, 1, 1, 0, 0, 0], dtype=np.uint8)


class MjvCamera(Record):
    """The camera of a viewer."""

    _DEFAULTS = {
        "type": 0,
        "fixedcamid": -1,
        "trackbodyid": -1,
        "lookat": np.zeros(3),
        "distance": 2.0,
        "azimuth": 90.0,
        "elevation": -45.0,
        "orthographic": 0,
    }


class MjvGLCamera(Record):
    """A camera in OpenGL form."""

    _DEFAULTS = {
        "pos": _singles(0, 0, 0),
        "forward": _singles(0, 0, 0),
        "up": _singles(0, 0, 0),
        "frustum_center": 0.0,
        "frustum_width": 0.0,
        "frustum_bottom": 0.0,
        "frustum_top": 0.0,
        "frustum_near": 0.0,
        "frustum_far": 0.0,
        "orthographic": 0,
    }


class MjvPerturb(Record):
    """The perturbation that the user of a viewer applies."""

    _DEFAULTS = {
        "select": 0,
        "flexselect": -1,
        "skinselect": -1,
        "active": 0,
        "active2": 0,
        "refpos": np.zeros(3),
        "refquat": np.array([1.0, 0, 0, 0]),
        "refselpos": np.zeros(3),
        "localpos": np.zeros(3),
        "localmass": 0.0,
        "scale": 1.0,
    }


class MjvOption(Record):
    """Visualization options of a viewer."""

    _DEFAULTS = {
        "label": 0,
        "frame": 0,
        "geomgroup": _groups(),
        "sitegroup": _groups(),
        "jointgroup": _groups(),
        "tendongroup": _groups(),
        "actuatorgroup": _groups(),
        "flexgroup": _groups(),
        "skingroup": _groups(),
        "flags": np.array([int(c) for c in "0100000110000100000000110101000"], dtype=np.uint8),
        "bvh_depth": 1,
        "flex_layer": 0,
    }


class MjvGeom(Record):
    """A shape to draw."""

    _DEFAULTS = {
        "type": 1001,
        "dataid": -1,
        "objtype": 0,
        "objid": 0,
        "category": 0,
        "matid": -1,
        "texid": -1,
        "texuniform": 0,
        "texcoord": 0,
        "segid": 0,
        "texrepeat": _singles(0, 0),
        "size": _singles(0.1, 0.1, 0.1),
        "pos": _singles(0, 0, 0),
        "mat": np.eye(3, dtype=np.float32),
        "rgba": _singles(0.5, 0.5, 0.5, 1),
        "emission": 0.0,
        "specular": 0.5,
        "shininess": 0.5,
        "reflectance": 0.0,
        "label": "",
        "camdist": 0.0,
        "modelrbound": 0.0,
        "transparent": 0,
        "castshadow": 1,
    }


class MjvLight(Record):
    """A light of a scene."""

    _DEFAULTS = {
        "id": 0,
        "pos": _singles(0, 0, 0),
        "dir": _singles(0, 0, 0),
        "type": 0,
        "texid": 0,
        "attenuation": _singles(0, 0, 0),
        "cutoff": 0.0,
        "exponent": 0.0,
        "ambient": _singles(0, 0, 0),
        "diffuse": _singles(0, 0, 0),
        "specular": _singles(0, 0, 0),
        "headlight": 0,
        "castshadow": 0,
        "bulbradius": 0.0,
        "intensity": 0.0,
        "range": 0.0,
        "softness": 0.0,
    }


class MjLROpt(Record):
    """Options for computing actuator length ranges; Saltus uses those of the model file."""

    _DEFAULTS = {
        "mode": 0,
        "useexisting": 0,
        "uselimit": 0,
        "accel": 0.0,
        "maxforce": 0.0,
        "timeconst": 0.0,
        "timestep": 0.0,
        "inttotal": 0.0,
        "interval": 0.0,
        "tolrange": 0.0,
    }


class MjrRect(Record):
    """A rectangle of pixels."""

    _DEFAULTS = {"left": 0, "bottom": 0, "width": 0, "height": 0}

    def __init__(self, left: int = 0, bottom: int = 0, width: int = 0, height: int = 0):
        super().__init__()
        self.__dict__.update(left=int(left), bottom=int(bottom), width=int(width), height=int(height))


class MjrContext(Record):
    """The rendering context. It can be made, and its buffer chosen; functions that draw refuse it."""

    _DEFAULTS = {
        "fontScale": 0,
        "currentBuffer": 0,
        "offWidth": 0,
        "offHeight": 0,
        "offSamples": 0,
        "windowAvailable": 0,
        "glInitialized": 0,
    }

    def __init__(self, model: MjModel | None = None, fontscale: int = 0):
        super().__init__()
        self.__dict__["fontScale"] = int(fontscale)
        if model is not None:
            window = model.vis.global_
            self.__dict__.update(offWidth=window.offwidth, offHeight=window.offheight)

    def free(self) -> None:
        """Nothing to do: no memory of a graphics card is used."""


class GLContext:
    """Placeholder for an OpenGL context."""

    def __init__(self, *args: Any, **kwargs: Any):
        refuse("GLContext")


class Renderer:
    """Placeholder for the renderer."""

    def __init__(self, *args: Any, **kwargs: Any):
        refuse("Renderer")


def mjv_defaultCamera(cam: MjvCamera) -> None:
    """Resets a camera to defaults."""
    cam._assign(MjvCamera())


def mjv_defaultFreeCamera(m: MjModel, cam: MjvCamera) -> None:
    """A camera that sees the whole model."""
    cam._assign(MjvCamera())
    cam.lookat = m.stat.center
    cam.distance = 1.5 * m.stat.extent
    cam.azimuth, cam.elevation = m.vis.global_.azimuth, m.vis.global_.elevation


def mjv_defaultOption(opt: MjvOption) -> None:
    """Resets options to defaults."""
    opt._assign(MjvOption())


def mjv_defaultPerturb(pert: MjvPerturb) -> None:
    """Resets a perturbation to defaults."""
    pert._assign(MjvPerturb())


def mjr_setBuffer(framebuffer: int, con: MjrContext) -> None:
    """Chooses the buffer that would be drawn to."""
    con.currentBuffer = int(framebuffer)


def mj_defaultLROpt(opt: MjLROpt) -> None:
    """Resets options of length ranges to defaults."""
    opt._assign(MjLROpt())
    opt.mode, opt.useexisting, opt.accel, opt.timeconst = 1, 1, 20.0, 1.0
    opt.timestep, opt.inttotal, opt.interval, opt.tolrange = 0.01, 10.0, 2.0, 0.05


def refusing(name: str) -> Callable[..., NoReturn]:
    """A placeholder for a function that draws."""

    def function(*args: Any, **kwargs: Any) -> NoReturn:
        refuse(name)

    function.__name__ = name
    function.__doc__ = "Not supported: Saltus draws nothing."
    return function


__all__ = [name for name in globals() if name.startswith(("Mjv", "Mjr", "mjv_", "mjr_", "MjLR", "mj_"))] + [
    "GLContext",
    "Renderer",
]
