"""What an object with named views keeps for them."""

from __future__ import annotations

import weakref
from typing import Any, cast

_Views = weakref.WeakValueDictionary[tuple[str, int | str], Any]
_Arrays = dict[tuple[str, int, str], Any]


class ViewCache:
    """Views that are in use, by what they were asked for with, and the arrays that views have given.

    Arrays hold on to the engine's memory, views to their owner: none of them keeps the owner alive by being kept here."""

    __slots__ = ()

    @property
    def _views_by_key(self) -> _Views:
        if "_views_kept" not in self.__dict__:
            self.__dict__["_views_kept"] = weakref.WeakValueDictionary()
        return cast(_Views, self.__dict__["_views_kept"])

    @property
    def _view_arrays(self) -> _Arrays:
        return cast(_Arrays, self.__dict__.setdefault("_arrays_kept", {}))
