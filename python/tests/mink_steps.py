"""Inverse kinematics with `mink`; run by `test_mink.py`.

mink_steps.py reference|saltus FILE MODEL       coordinates after each iteration go into FILE
"""

from __future__ import annotations

import sys

import numpy as np


def main(engine: str, file: str, path: str) -> None:
    if engine == "saltus":
        import saltus.mujoco

        saltus.mujoco.install()
    import mink
    import mujoco

    model = mujoco.MjModel.from_xml_path(path)
    configuration = mink.Configuration(model)
    configuration.update_from_keyframe("squat")
    feet = [
        mink.FrameTask(frame_name=name, frame_type="body", position_cost=200.0, orientation_cost=10.0)
        for name in ("left_foot", "right_foot")
    ]
    hand = mink.FrameTask(frame_name="right_hand", frame_type="geom", position_cost=50.0, orientation_cost=0.0)
    com = mink.ComTask(cost=100.0)
    posture = mink.PostureTask(model, cost=1.0)
    damping = mink.DampingTask(model, cost=0.1)
    tasks = [*feet, hand, com, posture, damping]
    for task in (*feet, hand):
        task.set_target(configuration.get_transform_frame_to_world(task.frame_name, task.frame_type))
    hand.set_target(hand.transform_target_to_world @ mink.SE3.from_translation(np.array([0.1, 0.05, 0.2])))
    com.set_target(configuration.data.subtree_com[1] + np.array([0.0, 0.02, 0.05]))
    posture.set_target_from_configuration(configuration)
    feet_and_hands = [["left_hand", "right_hand"], ["floor"]]
    limits = [
        mink.ConfigurationLimit(model),
        mink.CollisionAvoidanceLimit(model, [(feet_and_hands[0], feet_and_hands[1])]),
    ]
    history = []
    for _ in range(50):
        velocity = mink.solve_ik(configuration, tasks, 0.02, "daqp", damping=1e-6, limits=limits)
        configuration.integrate_inplace(velocity, 0.02)
        history.append(configuration.q.copy())
    np.save(file, np.array(history))


if __name__ == "__main__":
    main(*sys.argv[1:])
