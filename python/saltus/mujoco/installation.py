"""`saltus.mujoco` as a replacement of `mujoco`."""

from __future__ import annotations

import importlib
import sys
import types
import warnings

_PACKAGE = "mujoco"
# Submodules that Saltus provides too.
_MODULES = ("rollout", "viewer", "renderer")
# Private submodules of the original package that programs use nevertheless.
_PARTS = ("_structs", "_functions", "_enums", "_callbacks", "_constants", "_errors", "_render")
# Modules of the replaced package, to be restored.
_replaced: dict[str, types.ModuleType] | None = None


def install() -> None:
    """Makes `import mujoco` import `saltus.mujoco`, for programs that were written for MuJoCo.

    Call it before anything imports `mujoco`: modules that have imported it already keep the
    original, and a warning is issued. For example, `gymnasium`'s MuJoCo environments then run on
    Saltus, without rendering:

        import saltus.mujoco
        saltus.mujoco.install()
        import gymnasium
        env = gymnasium.make("Ant-v5")

    `uninstall` undoes it. Installing twice changes nothing.
    """
    global _replaced
    if _replaced is not None:
        return
    loaded = [name for name in sys.modules if name == _PACKAGE or name.startswith(f"{_PACKAGE}.")]
    if loaded:
        warnings.warn(
            "mujoco was imported before saltus.mujoco.install(); modules that imported it keep using it", stacklevel=2
        )
    _replaced = {name: sys.modules.pop(name) for name in loaded}
    sys.modules[_PACKAGE] = importlib.import_module("saltus.mujoco")
    for name in _MODULES:
        sys.modules[f"{_PACKAGE}.{name}"] = importlib.import_module(f"saltus.mujoco.{name}")
    for name in _PARTS:
        sys.modules[f"{_PACKAGE}.{name}"] = sys.modules[_PACKAGE]


def uninstall() -> None:
    """Undoes `install`: the next `import mujoco` imports the real package. Does nothing without
    `install`."""
    global _replaced
    if _replaced is None:
        return
    for name in [name for name in sys.modules if name == _PACKAGE or name.startswith(f"{_PACKAGE}.")]:
        del sys.modules[name]
    sys.modules.update(_replaced)
    _replaced = None
