"""Enumerations and constants of MuJoCo."""

from saltus.mujoco.enums.constants import *  # noqa: F403
from saltus.mujoco.enums.physics import *  # noqa: F403
from saltus.mujoco.enums.spec import *  # noqa: F403
from saltus.mujoco.enums.view import *  # noqa: F403
