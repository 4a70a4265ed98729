"""`mujoco.viewer`: stands for the viewer, which Saltus does not have."""

from saltus.mujoco.view import refusing

launch = refusing("viewer.launch")
launch_passive = refusing("viewer.launch_passive")
launch_from_path = refusing("viewer.launch_from_path")
