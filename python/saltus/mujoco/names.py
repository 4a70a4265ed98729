"""Names of all objects in one string of bytes, for programs that read them directly."""

from __future__ import annotations

import numpy as np

from saltus import _saltus
from saltus._model import KINDS

# Prefix of the addresses and the kind, in the order of the string; kinds that Saltus does not have are None.
_ORDER: tuple[tuple[str, str | None], ...] = (
    ("body", "body"),
    ("jnt", "joint"),
    ("geom", "geom"),
    ("site", "site"),
    ("cam", "camera"),
    ("light", "light"),
    ("flex", None),
    ("mesh", "mesh"),
    ("skin", None),
    ("hfield", "hfield"),
    ("tex", "texture"),
    ("mat", "material"),
    ("pair", "pair"),
    ("exclude", "exclude"),
    ("eq", "equality"),
    ("tendon", "tendon"),
    ("actuator", "actuator"),
    ("sensor", "sensor"),
    ("numeric", "numeric"),
    ("text", "text"),
    ("tuple", "tuple"),
    ("key", "key"),
    ("plugin", None),
)
NAME_FIELDS = frozenset(f"name_{prefix}adr" for prefix, _ in _ORDER)


def name_table(core: _saltus.ModelCore) -> tuple[bytes, dict[str, np.ndarray]]:
    """All names, each terminated by a zero, starting with the model's; and the address of each
    name, by field."""
    table = bytearray(core.name.encode() + b"\0")
    fields = {}
    for prefix, kind in _ORDER:
        addresses = []
        for name in core.names(KINDS[kind]) if kind else ():
            addresses.append(len(table))
            table += name.encode() + b"\0"
        fields[f"name_{prefix}adr"] = np.array(addresses, dtype=np.int32)
    return bytes(table), fields
