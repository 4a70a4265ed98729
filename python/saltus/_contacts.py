"""Where the numbers of a contact lie in the rows that the engine gives."""

from __future__ import annotations


def _places(widths: dict[str, int]) -> dict[str, slice]:
    places, start = {}, 0
    for name, width in widths.items():
        places[name] = slice(start, start + width)
        start += width
    return places


NUMBERS = _places(
    {
        "dist": 1,
        "pos": 3,
        "frame": 9,
        "includemargin": 1,
        "friction": 5,
        "solref": 2,
        "solreffriction": 2,
        "solimp": 5,
        "adhesion": 1,
        "surfacevel": 3,
        "mu": 1,
        "H": 36,
    }
)
WHOLE = _places({"dim": 1, "geom": 2, "flex": 2, "elem": 2, "vert": 2, "exclude": 1, "efc_address": 1})
