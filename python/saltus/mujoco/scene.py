"""Scenes and diagrams of MuJoCo's viewers. They can be made and their settings kept; nothing draws them."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from saltus.mujoco.enums import mjMAXLIGHT, mjMAXLINE, mjMAXLINEPNT
from saltus.mujoco.model import MjModel
from saltus.mujoco.struct import Record
from saltus.mujoco.view import MjvGeom, MjvGLCamera, MjvLight

_Parts = dict[str, tuple[Record, ...]]


def _singles(*numbers: float) -> np.ndarray:
    return np.array(numbers, dtype=np.float32)


def _integers(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int32)


class MjvScene(Record):
    """The scene of a viewer. It contains only shapes that the program adds itself.

    `geoms`, `lights`, and `camera` are read-only: a subclass may replace them by properties."""

    _DEFAULTS = {
        "maxgeom": 0,
        "ngeom": 0,
        "geomorder": _integers(),
        "nlight": 0,
        "nskin": 0,
        "nflex": 0,
        "status": 0,
        "scale": 1.0,
        "rotate": _singles(1, 0, 0, 0),
        "translate": _singles(0, 0, 0),
        "flags": np.array([int(c) for c in "101010100011"], dtype=np.uint8),
        "stereo": 0,
        "enabletransform": 0,
        "framewidth": 0,
        "framergb": _singles(0, 0, 0),
        **{f"flex{part}opt": 0 for part in ("edge", "face", "skin", "vert")},
        **{f"flex{part}": _singles() for part in ("face", "normal", "texcoord", "vert")},
        **{
            f"flex{part}": _integers()
            for part in "edge edgeadr edgenum faceadr facenum faceused vertadr vertnum".split()
        },
        **{f"skin{part}": _singles() for part in ("normal", "vert")},
        **{f"skin{part}": _integers() for part in ("facenum", "vertadr", "vertnum")},
    }

    def __init__(self, model: MjModel | None = None, maxgeom: int = 0):
        super().__init__()
        self.__dict__["maxgeom"] = int(maxgeom)
        self.__dict__["geomorder"] = np.zeros(int(maxgeom), dtype=np.int32)
        self.__dict__["_parts"] = {
            "geoms": tuple(MjvGeom() for _ in range(int(maxgeom))),
            "lights": tuple(MjvLight() for _ in range(mjMAXLIGHT)),
            "camera": (MjvGLCamera(), MjvGLCamera()),
        }

    # A scene is not compared or copied by value.
    __eq__ = object.__eq__
    __hash__ = object.__hash__  # type: ignore[assignment]

    def __copy__(self) -> MjvScene:
        raise TypeError(f"cannot copy {type(self).__name__}")

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"cannot pickle {type(self).__name__}")

    @property
    def geoms(self) -> tuple[Record, ...]:
        """Shapes to draw, of which the first `ngeom` are used."""
        parts: _Parts = self.__dict__["_parts"]
        return parts["geoms"]

    @property
    def lights(self) -> tuple[Record, ...]:
        """Lights, of which the first `nlight` are used."""
        parts: _Parts = self.__dict__["_parts"]
        return parts["lights"]

    @property
    def camera(self) -> tuple[Record, ...]:
        """The cameras of the two eyes."""
        parts: _Parts = self.__dict__["_parts"]
        return parts["camera"]


class MjvFigure(Record):
    """A diagram in a viewer."""

    _DEFAULTS = {
        **dict.fromkeys("flg_barplot flg_selection flg_symmetric legendoffset subplot".split(), 0),
        **dict.fromkeys("flg_extend flg_legend".split(), 1),
        **dict.fromkeys("title xlabel".split(), ""),
        "minwidth": "XXX",
        "xformat": "%.0f",
        "yformat": "%.2g",
        "flg_ticklabel": _integers(1, 1),
        "gridsize": _integers(2, 2),
        "gridwidth": 1.0,
        "linewidth": 3.0,
        "gridrgb": _singles(0.4, 0.4, 0.4),
        "figurergba": _singles(0, 0, 0, 1),
        "panergba": _singles(0, 0, 0, 1),
        "legendrgba": _singles(0, 0, 0, 0.3),
        "textrgb": _singles(1, 1, 1),
        "linergb": np.ones((mjMAXLINE, 3), np.float32),
        "linedata": np.zeros((mjMAXLINE, 2 * mjMAXLINEPNT), np.float32),
        "linename": np.zeros(mjMAXLINE, "S100"),
        "linepnt": np.zeros(mjMAXLINE, np.int32),
        "range": np.array([[0, 1], [0, 1]], np.float32),
        "highlight": _integers(0, 0),
        "highlightid": -1,
        "selection": 0.0,
        "xaxisdata": _singles(0, 0),
        "yaxisdata": _singles(0, 0),
        "xaxispixel": _integers(0, 0),
        "yaxispixel": _integers(0, 0),
    }


__all__ = ["MjvFigure", "MjvScene"]
