"""The cache of an object that has named views."""

from __future__ import annotations

import weakref
from typing import Any


class Kept:
    """Ids by the requested name, the views in use by their ids, and the arrays that views returned.

    Arrays reference the engine's memory and views reference their owner; caching them here does not
    keep the owner alive."""

    __slots__ = ("ids", "views", "arrays")

    def __init__(self) -> None:
        self.ids: dict[tuple[str, int | str], tuple[int, str]] = {}
        # Plain weak references, at most one per object: a WeakValueDictionary takes ten times as
        # long.
        self.views: dict[tuple[str, int], weakref.ref[Any]] = {}
        self.arrays: dict[tuple[str, int, str], Any] = {}


def kept(owner: Any) -> Kept:
    """The cache of an owner of views."""
    own = owner.__dict__
    found = own.get("_kept")
    if found is None:
        found = own["_kept"] = Kept()
    return found  # type: ignore[no-any-return]
