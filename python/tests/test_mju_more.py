"""Functions on matrices, muscles and rays against the reference, on random arguments."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from saltus import mujoco as sm

RNG = np.random.default_rng(0)


def compare(name: str, outputs: list[np.ndarray], *arguments: object, atol: float = 1e-10) -> None:
    """Both packages write the same into copies of the outputs and give the same number."""
    results = []
    for package in (mujoco, sm):
        arrays = [output.copy() for output in outputs]
        value = getattr(package, name)(*arrays, *arguments)
        results.append((arrays, value))
    (theirs, expected), (ours, value) = results
    for mine, reference in zip(ours, theirs):
        np.testing.assert_allclose(mine, reference, atol=atol, err_msg=name)
    assert value == pytest.approx(expected, abs=atol), name


def positive(n: int) -> np.ndarray:
    root = RNG.normal(size=(n, n))
    return root @ root.T + np.eye(n)


def test_cholesky_factors():
    matrix, vector = positive(5), RNG.normal(size=5)
    factor = matrix.copy()
    mujoco.mju_cholFactor(factor, 1e-15)
    compare("mju_cholFactor", [matrix], 1e-15)
    compare("mju_cholSolve", [np.zeros(5)], factor, vector)
    for sign, start in ((1, factor), (0, np.linalg.cholesky(matrix + np.outer(vector, vector)))):
        ours, theirs = np.tril(start), np.tril(start)
        assert sm.mju_cholUpdate(ours, vector.copy(), sign) == mujoco.mju_cholUpdate(theirs, vector.copy(), sign) == 5
        np.testing.assert_allclose(np.tril(ours), np.tril(theirs), atol=1e-10)


@pytest.mark.parametrize("ndense", [0, 2])
def test_band_matrices(ndense):
    ntotal, nband = 6, 3
    dense = np.tril(np.triu(positive(ntotal), -nband + 1))
    dense = dense + np.tril(dense, -1).T + 5 * np.eye(ntotal)
    size = nband * (ntotal - ndense) + ndense * ntotal
    shape = (ntotal, nband, ndense)
    band = np.zeros(size)
    mujoco.mju_dense2Band(band, dense, *shape)
    ours = np.zeros(size)
    sm.mju_dense2Band(ours, dense, *shape)
    back = np.zeros((2, ntotal, ntotal))
    for k, (package, values) in enumerate(((mujoco, band), (sm, ours))):
        package.mju_band2Dense(back[k], values, *shape, True)
    np.testing.assert_allclose(back[0], back[1], atol=1e-12)
    compare("mju_bandDiag", [], 3, *shape)
    vectors = RNG.normal(size=(1, ntotal))
    compare("mju_bandMulMatVec", [np.zeros((ntotal, 1))], band.reshape(1, -1), vectors.T.copy(), *shape, 1, True)
    results = []
    for package, values in ((mujoco, band), (sm, ours)):
        smallest = package.mju_cholFactorBand(values, *shape, 0.1, 0.2)
        solution = np.zeros(ntotal)
        package.mju_cholSolveBand(solution, values, vectors[0], *shape)
        results.append((smallest, solution))
    assert results[1][0] == pytest.approx(results[0][0])
    np.testing.assert_allclose(results[1][1], results[0][1], atol=1e-10)


def test_symmetric_sparse_rows():
    values, nnz, start, column = (
        np.array([1.0, 2, 3, 4]),
        *(np.array(x, np.int32) for x in ([1, 2, 1], [0, 1, 3], [0, 0, 1, 2])),
    )
    compare("mju_sym2dense", [np.zeros((3, 3))], values, nnz, start, column)


def test_eigenvalues_and_nearest_rotations():
    matrix = positive(3)
    values, vectors, turn = np.zeros(3), np.zeros(9), np.zeros(4)
    sm.mju_eig3(values, vectors, turn, matrix.reshape(-1))
    axes = vectors.reshape(3, 3)
    np.testing.assert_allclose(axes @ np.diag(values) @ axes.T, matrix, atol=1e-10)
    expected = np.zeros(3)
    mujoco.mju_eig3(expected, np.zeros(9), np.zeros(4), matrix.reshape(-1))
    np.testing.assert_allclose(values, expected, atol=1e-8)
    rotation = np.zeros(9)
    sm.mju_quat2Mat(rotation, turn)
    np.testing.assert_allclose(rotation, vectors, atol=1e-10)
    near = rotation + 0.1 * RNG.normal(size=9)
    ours, theirs = np.array([1.0, 0, 0, 0]), np.array([1.0, 0, 0, 0])
    sm.mju_mat2Rot(ours, near)
    mujoco.mju_mat2Rot(theirs, near)
    assert abs(abs(ours @ theirs) - 1) < 1e-6


def test_boxed_quadratic_programs():
    for _ in range(20):
        n = 6
        hessian, slope = positive(n), 5 * RNG.normal(size=n)
        low, high = -RNG.uniform(0, 1, n), RNG.uniform(0, 1, n)
        results = []
        for package in (mujoco, sm):
            x, factor, index = np.zeros(n), np.zeros((n, n + 7)), np.zeros(n, np.int32)
            free = package.mju_boxQP(x, factor, index, hessian, slope, low, high)
            results.append((free, x, index[:free]))
        assert results[0][0] == results[1][0] and np.array_equal(results[0][2], results[1][2])
        np.testing.assert_allclose(results[1][1], results[0][1], atol=1e-8)


def test_muscles():
    prm = np.array([0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2])
    span = np.array([0.2, 0.9])
    for length in np.linspace(-0.2, 2, 23):
        compare("mju_muscleBias", [], length, span, 3.0, prm)
        for velocity in np.linspace(-2, 2, 9):
            compare("mju_muscleGain", [], length, velocity, span, 3.0, prm)
    for ctrl in np.linspace(-0.5, 1.5, 9):
        for act in np.linspace(-0.2, 1.2, 8):
            for width in (0, 0.3):
                compare("mju_muscleDynamics", [], ctrl, act, np.array([0.01, 0.04, width]))


def test_springs_pyramids_and_sequences():
    for kp, kv in ((4.0, 1.0), (4.0, 4.0), (4.0, 9.0)):
        compare("mju_springDamper", [], 0.5, -2.0, kp, kv, 0.7)
    # The reference's binding of these two leaves the last axis out: each is held against the other.
    friction = RNG.uniform(0.1, 1, size=3)
    force, edges, again = np.array([3, 0.05, -0.02, 0.04]), np.zeros(6), np.zeros(4)
    sm.mju_encodePyramid(edges, force, friction)
    sm.mju_decodePyramid(again, edges, friction)
    np.testing.assert_allclose(again, force, atol=1e-12)
    assert edges.min() >= 0
    for index in range(20):
        compare("mju_Halton", [], index, 3)
    compare("mju_insertionSort", [RNG.normal(size=7)])


def test_derivatives_of_rotations():
    for size in (1e-6, 0.1, 2.0):
        first, second = RNG.normal(size=4), RNG.normal(size=4)
        first /= np.linalg.norm(first)
        second = first + size * second
        second /= np.linalg.norm(second)
        results, integrals = [], []
        for package in (mujoco, sm):
            by_first, by_second = np.zeros((3, 3)), np.zeros((3, 3))
            package.mjd_subQuat(first, second, by_first, by_second)
            results.append(np.stack([by_first, by_second]))
            velocity = size * np.array([0.3, -0.2, 0.5])
            parts = np.zeros(9), np.zeros(9), np.zeros(3)
            package.mjd_quatIntegrate(velocity, 0.7, *parts)
            integrals.append(np.concatenate(parts))
        np.testing.assert_allclose(results[1], results[0], atol=1e-9)
        np.testing.assert_allclose(integrals[1], integrals[0], atol=1e-9)


SHAPES = """<mujoco><asset><mesh name="tetra" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
<hfield name="hills" nrow="3" ncol="3" elevation="0 1 0 1 2 1 0 1 0" size="1 1 1 0.1"/></asset><worldbody>
<geom type="mesh" mesh="tetra" pos="0 0 3"/><geom type="hfield" hfield="hills"/><geom size="0.3" pos="2 0 0"/>
<site name="ball" type="sphere" size="0.5" pos="1 0 0"/><site name="block" type="box" size="0.5 0.2 0.3" euler="0 0 30"/>
<site name="tube" type="cylinder" size="0.3 0.5"/><site name="egg" type="ellipsoid" size="0.5 0.2 0.3"/>
</worldbody></mujoco>"""


def test_rays_and_insides():
    objects = []
    for package in (mujoco, sm):
        m = package.MjModel.from_xml_string(SHAPES)
        d = package.MjData(m)
        package.mj_forward(m, d)
        objects.append((package, m, d))
    for _ in range(100):
        point, direction = RNG.normal(size=3) * [1, 1, 3], RNG.normal(size=3)
        found = []
        for package, m, d in objects:
            normals = [np.zeros(3) for _ in range(3)]
            numbers = [package.mj_rayMesh(m, d, 0, point, direction, normals[0])]
            numbers += [package.mj_rayHfield(m, d, 1, point, direction, normals[1])]
            numbers += [package.mj_insideSite(m, d, site, point * 0.3) for site in range(m.nsite)]
            for kind in (2, 3, 4, 5, 6):
                size, axes = np.array([0.4, 0.5, 0.6]), np.eye(3).reshape(-1)
                numbers.append(package.mju_rayGeom(np.zeros(3), axes, size, point, direction, kind, normals[2]))
            found.append(np.concatenate([numbers, *normals]))
        # Corners of meshes have single precision.
        np.testing.assert_allclose(found[1], found[0], atol=1e-6)
    with pytest.raises(ValueError, match="geom 2 is not a mesh"):
        sm.mj_rayMesh(objects[1][1], objects[1][2], 2, [0, 0, 0], [0, 0, 1])


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_iterations_on_numbers_that_are_not_finite_end_as_in_the_reference(value):
    for i in range(9):
        mat = np.eye(3).reshape(-1)
        mat[i] = value
        for package in (sm, mujoco):
            quat, eigval, eigvec, turn = np.array([1.0, 0, 0, 0]), np.zeros(3), np.zeros(9), np.zeros(4)
            assert package.mju_mat2Rot(quat, mat) == 500 and np.isnan(quat).all()
        assert sm.mju_eig3(eigval, eigvec, turn, mat) == 500
        assert np.isnan(np.concatenate([eigval, eigvec, turn])).all()
    sm.mju_quatIntegrate(quat, np.array([value, 0, 0]), 1.0)
    assert np.isnan(quat).all()
    matrix = np.zeros(9)
    sm.mjd_quatIntegrate(np.array([value, 0, 0]), 1.0, matrix, None, None)
    assert np.isnan(matrix).any()


@pytest.mark.parametrize("base", [1, 0, -3])
def test_digits_have_a_base_of_two_or_more(base):
    with pytest.raises(ValueError, match=f"should be 2 or more, not {base}"):
        sm.mju_Halton(5, base)
