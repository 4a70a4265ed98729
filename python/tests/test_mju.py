"""Functions on vectors, matrices, quaternions and poses against the reference package."""

import numpy as np
import pytest
from saltus import mujoco as sm

mujoco = pytest.importorskip("mujoco")

# Shapes of the arguments; the first is the result where marked by a leading "=". f is a number.
CASES = {
    "mulQuat": "=4 q q",
    "mulQuatAxis": "=4 q 3",
    "negQuat": "=4 q",
    "rotVecQuat": "=3 3 q",
    "quat2Mat": "=9 q",
    "mat2Quat": "=4 R",
    "axisAngle2Quat": "=4 n f",
    "quat2Vel": "=3 q f",
    "subQuat": "=3 q q",
    "quatIntegrate": "=q 3 f",
    "derivQuat": "=4 q 3",
    "quatZ2Vec": "=4 3",
    "mulPose": "=3 =4 3 q 3 q",
    "negPose": "=3 =4 3 q",
    "trnVecPose": "=3 3 q 3",
    "normalize": "=5",
    "normalize3": "=3",
    "normalize4": "=4",
    "norm": "5",
    "norm3": "3",
    "cross": "=3 3 3",
    "dot": "5 5",
    "dot3": "3 3",
    "dist3": "3 3",
    "mulMatVec": "=3 3x5 5",
    "mulMatTVec": "=5 3x5 3",
    "mulMatMat": "=3x2 3x5 5x2",
    "mulMatMatT": "=3x2 3x5 2x5",
    "mulMatTMat": "=5x2 3x5 3x2",
    "mulMatVec3": "=3 9 3",
    "mulMatTVec3": "=3 9 3",
    "mulVecMatVec": "4 4x4 4",
    "sqrMatTD": "=5x5 3x5 3",
    "transpose": "=5x3 3x5",
    "symmetrize": "=4x4 4x4",
    "eye": "=4x4",
    "copy": "=5 5",
    "copy3": "=3 3",
    "copy4": "=4 4",
    "zero": "=5",
    "zero3": "=3",
    "zero4": "=4",
    "unit4": "=4",
    "fill": "=5 f",
    "add": "=5 5 5",
    "add3": "=3 3 3",
    "sub": "=5 5 5",
    "sub3": "=3 3 3",
    "addTo": "=5 5",
    "addTo3": "=3 3",
    "subFrom": "=5 5",
    "subFrom3": "=3 3",
    "scl": "=5 5 f",
    "scl3": "=3 3 f",
    "addScl": "=5 5 5 f",
    "addScl3": "=3 3 3 f",
    "addToScl": "=5 5 f",
    "addToScl3": "=3 3 f",
    "sum": "5",
    "L1": "5",
    "isZero": "5",
    "clip": "f f f",
    "sigmoid": "f",
    "sign": "f",
    "min": "f f",
    "max": "f f",
    "round": "f",
    "isBad": "f",
}


def argument(shape: str, rng: np.random.Generator):
    shape = shape.lstrip("=")
    if shape == "f":
        return float(rng.uniform(-1.5, 1.5))
    if shape in "qRn":
        unit = rng.normal(size=3 if shape == "n" else 4)
        unit /= np.linalg.norm(unit)
        if shape == "R":
            matrix = np.zeros(9)
            mujoco.mju_quat2Mat(matrix, unit)
            return matrix
        return unit
    return rng.normal(size=[int(n) for n in shape.split("x")])


@pytest.mark.parametrize("name", CASES)
def test_the_same_as_the_reference(name):
    rng = np.random.default_rng(len(name))
    for _ in range(30):
        shapes = CASES[name].split()
        ours = [argument(shape, rng) for shape in shapes]
        theirs = [x.copy() if isinstance(x, np.ndarray) else x for x in ours]
        value = getattr(sm, f"mju_{name}")(*ours)
        expected = getattr(mujoco, f"mju_{name}")(*theirs)
        if expected is None:
            assert value is None
        else:
            assert value == pytest.approx(expected, abs=1e-12)
        for a, b in zip(ours, theirs):
            np.testing.assert_allclose(a, b, atol=1e-12)


@pytest.mark.parametrize("seq", ["xyz", "XYZ", "zxZ", "yYx"])
def test_euler_angles(seq):
    ours, theirs = np.zeros(4), np.zeros(4)
    sm.mju_euler2Quat(ours, [0.3, -1, 2], seq)
    mujoco.mju_euler2Quat(theirs, np.array([0.3, -1, 2]), seq)
    np.testing.assert_allclose(ours, theirs, atol=1e-12)
    with pytest.raises(sm.FatalError, match="seq.2. is 'w'"):
        sm.mju_euler2Quat(ours, [0, 0, 0], "xyw")


@pytest.mark.parametrize("force", [0, 1])
def test_spatial_vectors(force):
    rng = np.random.default_rng(0)
    ours, theirs = np.zeros(6), np.zeros(6)
    arguments = rng.normal(size=6), force, rng.normal(size=3), rng.normal(size=3), argument("R", rng)
    sm.mju_transformSpatial(ours, *arguments)
    mujoco.mju_transformSpatial(theirs, *arguments)
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_kinds_of_objects():
    for kind in mujoco.mjtObj.__members__.values():
        text = mujoco.mju_type2Str(kind.value)
        if text and hasattr(sm.mjtObj, kind.name):
            assert sm.mju_type2Str(kind.value) == text and sm.mju_str2Type(text) == kind.value


def test_zero_vectors_and_special_turns():
    for name, size in (("normalize", 5), ("normalize3", 3), ("normalize4", 4)):
        ours, theirs = np.zeros(size), np.zeros(size)
        assert getattr(sm, f"mju_{name}")(ours) == getattr(mujoco, f"mju_{name}")(theirs)
        assert np.array_equal(ours, theirs)
    for vec in ([0, 0, 1], [0, 0, -1], [0, 0, 0], [0, 1e-14, 1], [1, 0, 0]):
        ours, theirs = np.zeros(4), np.zeros(4)
        sm.mju_quatZ2Vec(ours, vec)
        mujoco.mju_quatZ2Vec(theirs, np.array(vec, dtype=float))
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
