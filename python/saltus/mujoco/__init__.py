"""The names, signatures, array shapes and enumerations of the `mujoco` 4.0 package, for what Saltus supports.

>>> from saltus import mujoco
>>> m = mujoco.MjModel.from_xml_string("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
>>> d = mujoco.MjData(m)
>>> mujoco.mj_forward(m, d)
>>> float(d.qacc[2])
-9.81

docs/MUJOCO.md says what is there, what is not, and what to use instead. A name that is not supported raises AttributeError
and says so.
"""

import sys as _sys
from typing import Any

from saltus.mujoco.arithmetic import *  # noqa: F403
from saltus.mujoco.callbacks import *  # noqa: F403
from saltus.mujoco.contact import MjContact
from saltus.mujoco.counters import MjSolverStat, MjTimerStat, MjWarningStat
from saltus.mujoco.data import MjData
from saltus.mujoco.derivatives import *  # noqa: F403
from saltus.mujoco.enums import *  # noqa: F403
from saltus.mujoco.errors import FatalError, UnexpectedError
from saltus.mujoco.files import *  # noqa: F403
from saltus.mujoco.functions import *  # noqa: F403
from saltus.mujoco.inertia import *  # noqa: F403
from saltus.mujoco.installation import install, uninstall
from saltus.mujoco.log import *  # noqa: F403
from saltus.mujoco.mathematics import *  # noqa: F403
from saltus.mujoco.matrices import *  # noqa: F403
from saltus.mujoco.model import MjModel
from saltus.mujoco.option import MjOption, MjStatistic
from saltus.mujoco.rays import *  # noqa: F403
from saltus.mujoco.rotations import *  # noqa: F403
from saltus.mujoco.scene import *  # noqa: F403
from saltus.mujoco.simulate import *  # noqa: F403
from saltus.mujoco.simulate import get_autoreset, set_autoreset
from saltus.mujoco.spec import MjSpec
from saltus.mujoco.spec_body import MjsBody, MjsFrame, MjsSite
from saltus.mujoco.spec_elements import MjsActuator, MjsElement, MjsEquality, MjsSensor, MjsTendon
from saltus.mujoco.spec_settings import MjsCompiler, MjsDefault, MjsMaterial, MjsTexture
from saltus.mujoco.state import *  # noqa: F403
from saltus.mujoco.view import *  # noqa: F403
from saltus.mujoco.view import refusing as _refusing
from saltus.mujoco.visual import MjVisual

__version__ = "4.0.0"

# Programs that name the parts of the reference's package find the same things here.
_structs = _functions = _enums = _callbacks = _constants = _errors = _render = _sys.modules[__name__]


def mj_versionString() -> str:
    """Version of the interface that is mirrored."""
    return __version__


def mj_version() -> int:
    """Number of the interface version that is mirrored."""
    return 4000000


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name.startswith(("mjv_", "mjr_")):
        return _refusing(name)
    raise AttributeError(f"saltus.mujoco does not support {name!r}: docs/MUJOCO.md says what to use instead")


__all__ = [
    "get_autoreset",
    "set_autoreset",
    "install",
    "uninstall",
    "FatalError",
    "UnexpectedError",
    "GLContext",
    "Renderer",
]
__all__ += [name for name in globals() if name.startswith(("mj", "Mj", "MJ", "set_mj", "get_mj"))]
