"""What an object with named views keeps for them."""

from __future__ import annotations

import weakref
from typing import Any


class Kept:
    """Ids by what was asked for, views that are in use by their ids, and the arrays that views have given.

    Arrays hold on to the engine's memory, views to their owner: none of them keeps the owner alive by being kept here."""

    __slots__ = ("ids", "views", "arrays")

    def __init__(self) -> None:
        self.ids: dict[tuple[str, int | str], tuple[int, str]] = {}
        # Plain references, of which there are no more than objects: a dictionary that forgets them takes ten times as long.
        self.views: dict[tuple[str, int], weakref.ref[Any]] = {}
        self.arrays: dict[tuple[str, int, str], Any] = {}


def kept(owner: Any) -> Kept:
    """What an owner of views keeps."""
    own = owner.__dict__
    found = own.get("_kept")
    if found is None:
        found = own["_kept"] = Kept()
    return found  # type: ignore[no-any-return]
