"""Visual settings. Saltus stores them but does not render."""

from __future__ import annotations

from typing import Any

import numpy as np

from saltus import _saltus
from saltus.mujoco.struct import Record


def _colour(*numbers: float) -> np.ndarray:
    return np.array(numbers, dtype=np.float32)


class Global(Record):
    """The camera and the size of the window."""

    _DEFAULTS = {
        "cameraid": -1,
        "orthographic": 0,
        "fovy": 45.0,
        "ipd": 0.068,
        "azimuth": 90.0,
        "elevation": -45.0,
        "linewidth": 1.0,
        "glow": 0.3,
        "realtime": 1.0,
        "offwidth": 640,
        "offheight": 480,
        "ellipsoidinertia": 0,
        "bvactive": 0,
    }


class Quality(Record):
    """Rendering quality."""

    _DEFAULTS = {"shadowsize": 4096, "offsamples": 4, "numslices": 28, "numstacks": 16, "numquads": 4}


class Headlight(Record):
    """The light at the camera."""

    _DEFAULTS = {
        "ambient": _colour(0.1, 0.1, 0.1),
        "diffuse": _colour(0.4, 0.4, 0.4),
        "specular": _colour(0.5, 0.5, 0.5),
        "active": 1,
    }


class Map(Record):
    """Mapping from physical quantities to visual ones."""

    _DEFAULTS = {
        "stiffness": 100.0,
        "stiffnessrot": 500.0,
        "force": 0.005,
        "torque": 0.1,
        "alpha": 0.3,
        "fogstart": 3.0,
        "fogend": 10.0,
        "znear": 0.01,
        "zfar": 50.0,
        "haze": 0.3,
        "shadowclip": 1.0,
        "shadowscale": 0.6,
        "actuatortendon": 2.0,
    }


class Scale(Record):
    """Sizes of decorations, relative to the mean size of bodies."""

    _DEFAULTS = {
        "forcewidth": 0.1,
        "contactwidth": 0.3,
        "contactheight": 0.1,
        "connect": 0.2,
        "com": 0.4,
        "camera": 0.3,
        "light": 0.3,
        "selectpoint": 0.2,
        "jointlength": 1.0,
        "jointwidth": 0.1,
        "actuatorlength": 0.7,
        "actuatorwidth": 0.2,
        "framelength": 1.0,
        "framewidth": 0.1,
        "constraint": 0.1,
        "slidercrank": 0.2,
        "frustum": 10.0,
    }


class Rgba(Record):
    """Colours of decorations."""

    _DEFAULTS = {
        "fog": _colour(0, 0, 0, 1),
        "haze": _colour(1, 1, 1, 1),
        "force": _colour(1, 0.5, 0.5, 1),
        "inertia": _colour(0.8, 0.2, 0.2, 0.6),
        "joint": _colour(0.2, 0.6, 0.8, 1),
        "actuator": _colour(0.2, 0.25, 0.2, 1),
        "actuatornegative": _colour(0.2, 0.6, 0.9, 1),
        "actuatorpositive": _colour(0.9, 0.4, 0.2, 1),
        "com": _colour(0.9, 0.9, 0.9, 1),
        "camera": _colour(0.6, 0.9, 0.6, 1),
        "light": _colour(0.6, 0.6, 0.9, 1),
        "selectpoint": _colour(0.9, 0.9, 0.1, 1),
        "connect": _colour(0.2, 0.2, 0.8, 1),
        "contactpoint": _colour(0.9, 0.6, 0.2, 1),
        "contactforce": _colour(0.7, 0.9, 0.9, 1),
        "contactfriction": _colour(0.9, 0.8, 0.4, 1),
        "contacttorque": _colour(0.9, 0.7, 0.9, 1),
        "contactgap": _colour(0.5, 0.8, 0.9, 1),
        "rangefinder": _colour(1, 1, 0.1, 1),
        "constraint": _colour(0.9, 0, 0, 1),
        "slidercrank": _colour(0.5, 0.3, 0.8, 1),
        "crankbroken": _colour(0.9, 0, 0, 1),
        "frustum": _colour(1, 1, 0, 0.2),
        "bv": _colour(0, 1, 0, 0.5),
        "bvactive": _colour(1, 0, 0, 0.5),
    }


class MjVisual(Record):
    """Visual settings of a model."""

    Global, Quality, Headlight, Map, Scale, Rgba = Global, Quality, Headlight, Map, Scale, Rgba
    _DEFAULTS = {
        "global_": Global,
        "quality": Quality,
        "headlight": Headlight,
        "map": Map,
        "scale": Scale,
        "rgba": Rgba,
    }

    @classmethod
    def _of(cls, core: _saltus.ModelCore) -> MjVisual:
        """The settings in a model file."""
        visual = cls()
        for section, texts in core.visual().items():
            record = getattr(visual, "global_" if section == "global" else section, None)
            for name, text in texts.items():
                if record is not None and name in record._DEFAULTS:
                    setattr(record, name, _parsed(text, record._DEFAULTS[name]))
        return visual


def _parsed(text: str, default: Any) -> Any:
    """A setting of the model file, converted to the type of its default."""
    words = text.split()
    if isinstance(default, np.ndarray):
        return [float(word) for word in words]
    if isinstance(default, float):
        return float(words[0])
    return int(words[0] == "true") if words[0] in ("true", "false") else int(words[0])
