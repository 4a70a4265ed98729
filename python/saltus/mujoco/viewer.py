"""`mujoco.viewer`: placeholders, since Saltus has no viewer."""

from saltus.mujoco.view import refusing

launch = refusing("viewer.launch")
launch_passive = refusing("viewer.launch_passive")
launch_from_path = refusing("viewer.launch_from_path")
