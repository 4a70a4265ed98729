"""Settings for viewers: kept and changed, but nothing here draws."""

from __future__ import annotations

from typing import Any

from saltus import _saltus

_DEFAULTS: dict[str, dict[str, float | int | list[float]]] = {
    "global_": {
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
    },
    "quality": {"shadowsize": 4096, "offsamples": 4, "numslices": 28, "numstacks": 16, "numquads": 4},
    "headlight": {
        "ambient": [0.1, 0.1, 0.1],
        "diffuse": [0.4, 0.4, 0.4],
        "specular": [0.5, 0.5, 0.5],
        "active": 1,
    },
    "map": {
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
    },
}


class _Section:
    """One group of settings as attributes."""

    def __init__(self, name: str, texts: dict[str, str]):
        for key, default in _DEFAULTS[name].items():
            self.__dict__[key] = _parsed(texts[key], default) if key in texts else default

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dict__:
            raise AttributeError(f"no visual setting {name!r}; there are {', '.join(self.__dict__)}")
        self.__dict__[name] = value


def _parsed(text: str, default: float | int | list[float]) -> float | int | list[float]:
    """A setting from the model file, of the kind of its default."""
    words = text.split()
    if isinstance(default, list):
        return [float(word) for word in words]
    if isinstance(default, float):
        return float(words[0])
    return int(words[0] == "true") if words[0] in ("true", "false") else int(words[0])


class MjVisual:
    """Visual settings of a model: `global_`, `quality`, `headlight`, `map`."""

    def __init__(self, core: _saltus.ModelCore):
        texts = core.visual()
        for name in _DEFAULTS:
            self.__dict__[name] = _Section(name, texts.get(name.rstrip("_"), {}))
