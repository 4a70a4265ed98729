"""The names, signatures, array shapes and enumerations of the `mujoco` 4.0 package, for what Saltus supports.

>>> from saltus import mujoco
>>> m = mujoco.MjModel.from_xml_string("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
>>> d = mujoco.MjData(m)
>>> mujoco.mj_forward(m, d)
>>> float(d.qacc[2])
-9.81

A name that is not supported raises AttributeError and says so.
"""

from typing import Any

from saltus.mujoco import enums as _enums
from saltus.mujoco.arithmetic import *  # noqa: F403
from saltus.mujoco.callbacks import *  # noqa: F403
from saltus.mujoco.data import MjData
from saltus.mujoco.derivatives import *  # noqa: F403
from saltus.mujoco.enums import *  # noqa: F403
from saltus.mujoco.errors import FatalError, UnexpectedError
from saltus.mujoco.functions import *  # noqa: F403
from saltus.mujoco.installation import install, uninstall
from saltus.mujoco.model import MjModel, MjOption, MjStatistic
from saltus.mujoco.rotations import *  # noqa: F403
from saltus.mujoco.simulate import *  # noqa: F403
from saltus.mujoco.simulate import get_autoreset, set_autoreset
from saltus.mujoco.state import *  # noqa: F403

__version__ = "4.0.0"


def mj_versionString() -> str:
    """Version of the interface that is mirrored."""
    return __version__


def mj_version() -> int:
    """Number of the interface version that is mirrored."""
    return 4000000


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"saltus.mujoco does not support {name!r}: see the list of supported names in the README")


__all__ = ["get_autoreset", "set_autoreset", "install", "uninstall", "MjData", "MjModel", "MjOption", "MjStatistic", "FatalError", "UnexpectedError"]
__all__ += [name for name in dir(_enums) if name.startswith("mj")]
__all__ += [name for name in globals() if name.startswith(("mj_", "mjd_", "mju_", "set_mjcb_", "get_mjcb_"))]
