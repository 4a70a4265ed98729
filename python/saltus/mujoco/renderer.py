"""`mujoco.renderer`: stands for what makes pictures, which Saltus does not have."""

from saltus.mujoco.view import Renderer

__all__ = ["Renderer"]
