"""`mujoco.renderer`: placeholders, since Saltus does not render."""

from saltus.mujoco.view import Renderer

__all__ = ["Renderer"]
