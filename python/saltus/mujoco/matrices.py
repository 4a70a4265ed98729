"""MuJoCo's functions on matrices: factors, bands, sparse rows, boxes. Results are written to the
first argument."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from saltus.mujoco.arguments import floats, put, result
from saltus.mujoco.rotations import mju_mat2Quat

# What MuJoCo's iterations return that do not converge.
_MAX_ITERATIONS = 500
_MIN_DIAGONAL = 1e-15


def mju_cholFactor(mat: np.ndarray, mindiag: float) -> int:
    """Cholesky factorization mat = L Lᵀ, with L in the lower triangle of mat. Returns the rank.

    Diagonal entries below `mindiag` are replaced by it.
    """
    n = int(result(mat, "mat").shape[0])
    rank = n
    for j in range(n):
        pivot = mat[j, j] - mat[j, :j] @ mat[j, :j]
        if pivot < mindiag:
            pivot, rank = mindiag, rank - 1
        mat[j, j] = np.sqrt(pivot)
        mat[j + 1 :, j] = (mat[j + 1 :, j] - mat[j + 1 :, :j] @ mat[j, :j]) / mat[j, j]
    return rank


def mju_cholSolve(res: np.ndarray, mat: ArrayLike, vec: ArrayLike) -> None:
    """Solves L Lᵀ res = vec, L being the lower triangle of mat."""
    lower = np.tril(floats(mat))
    size = lower.shape[0]
    half = np.linalg.solve(lower, floats(vec, size, "vec"))
    put(res, np.linalg.solve(lower.T, half))


def mju_cholUpdate(mat: np.ndarray, x: np.ndarray, flg_plus: int) -> int:
    """Updates L in place to the factor of L Lᵀ ± x xᵀ. Returns the rank."""
    n = result(mat, "mat").shape[0]
    lower, v = np.tril(mat), floats(x, n, "x")
    full = lower @ lower.T + (1 if flg_plus else -1) * np.outer(v, v)
    full[np.triu_indices(n, 1)] = mat[np.triu_indices(n, 1)]
    mat[...] = full
    return mju_cholFactor(mat, _MIN_DIAGONAL)


def _band_rows(ntotal: int, nband: int, ndense: int) -> list[tuple[int, int, int]]:
    """First column, last column and address of each stored row."""
    sparse = ntotal - ndense
    rows = [(max(0, i - nband + 1), i, i * nband + nband - 1 - i) for i in range(sparse)]
    return rows + [(0, i, sparse * nband + (i - sparse) * ntotal) for i in range(sparse, ntotal)]


def mju_bandDiag(i: int, ntotal: int, nband: int, ndense: int) -> int:
    """Address of a diagonal entry of a band matrix with dense last rows."""
    return _band_rows(ntotal, nband, ndense)[i][2] + i


def mju_dense2Band(res: np.ndarray, mat: ArrayLike, ntotal: int, nband: int, ndense: int) -> None:
    """Converts the lower triangle of a dense matrix to a band matrix."""
    dense, band = floats(mat), result(res, "res", _band_size(ntotal, nband, ndense)).reshape(-1)
    band[...] = 0
    for i, (first, last, start) in enumerate(_band_rows(ntotal, nband, ndense)):
        band[start + first : start + last + 1] = dense[i, first : last + 1]


def mju_band2Dense(res: np.ndarray, mat: ArrayLike, ntotal: int, nband: int, ndense: int, flg_sym: bool) -> None:
    """Converts a band matrix to dense form, including the upper triangle if `flg_sym` is set."""
    put(res, _dense(mat, ntotal, nband, ndense, bool(flg_sym)))


def _band_size(ntotal: int, nband: int, ndense: int) -> int:
    return (ntotal - ndense) * nband + ndense * ntotal


def _dense(mat: ArrayLike, ntotal: int, nband: int, ndense: int, symmetric: bool) -> np.ndarray:
    band = floats(mat, _band_size(ntotal, nband, ndense), "mat")
    dense = np.zeros((ntotal, ntotal))
    for i, (first, last, start) in enumerate(_band_rows(ntotal, nband, ndense)):
        dense[i, first : last + 1] = band[start + first : start + last + 1]
    return dense + np.tril(dense, -1).T if symmetric else dense


def mju_bandMulMatVec(
    res: np.ndarray, mat: ArrayLike, vec: ArrayLike, ntotal: int, nband: int, ndense: int, nvec: int, flg_sym: bool
) -> None:
    """Products of a band matrix with `nvec` vectors."""
    vectors = floats(vec, ntotal * nvec, "vec").reshape(nvec, ntotal)
    products = vectors @ _dense(mat, ntotal, nband, ndense, bool(flg_sym)).T
    put(res, products)


def mju_cholFactorBand(mat: np.ndarray, ntotal: int, nband: int, ndense: int, diagadd: float, diagmul: float) -> float:
    """Cholesky factorization of a band matrix in place, with `diagadd` + `diagmul` · diagonal added
    to the diagonal. Returns the smallest diagonal entry of the factor, 0 if the matrix is not
    positive definite."""
    dense = _dense(mat, ntotal, nband, ndense, True)
    dense[np.diag_indices(ntotal)] += diagadd + diagmul * np.diag(dense)
    if mju_cholFactor(dense, _MIN_DIAGONAL) < ntotal:
        return 0.0
    mju_dense2Band(mat, dense, ntotal, nband, ndense)
    return float(np.diag(dense).min(initial=np.inf))


def mju_cholSolveBand(res: np.ndarray, mat: ArrayLike, vec: ArrayLike, ntotal: int, nband: int, ndense: int) -> None:
    """Solves a linear system with the factor from `mju_cholFactorBand`."""
    mju_cholSolve(res, _dense(mat, ntotal, nband, ndense, False), vec)


def mju_dense2sparse(
    res: np.ndarray, mat: ArrayLike, rownnz: np.ndarray, rowadr: np.ndarray, colind: np.ndarray
) -> int:
    """Converts a dense matrix to sparse rows. Returns 1 if the arrays are too small, else 0."""
    dense = floats(mat)
    rows, columns = np.nonzero(dense)
    if rows.size > res.size or rows.size > colind.size:
        return 1
    rownnz[...] = np.bincount(rows, minlength=dense.shape[0])
    rowadr[...] = np.concatenate([[0], np.cumsum(rownnz)[:-1]])
    res[: rows.size], colind[: rows.size] = dense[rows, columns], columns
    return 0


def mju_sparse2dense(res: np.ndarray, mat: ArrayLike, rownnz: ArrayLike, rowadr: ArrayLike, colind: ArrayLike) -> None:
    """Converts sparse rows to a dense matrix."""
    values, columns = floats(mat), np.asarray(colind)
    result(res, "res")[...] = 0
    for i, (start, size) in enumerate(zip(np.asarray(rowadr), np.asarray(rownnz))):
        res[i, columns[start : start + size]] = values[start : start + size]


def mju_sym2dense(res: np.ndarray, mat: ArrayLike, rownnz: ArrayLike, rowadr: ArrayLike, colind: ArrayLike) -> None:
    """Converts sparse rows of the lower triangle of a symmetric matrix to dense form."""
    mju_sparse2dense(res, mat, rownnz, rowadr, colind)
    res += np.tril(res, -1).T


def mju_eig3(eigval: np.ndarray, eigvec: np.ndarray, quat: np.ndarray, mat: ArrayLike) -> int:
    """Eigenvalues of a symmetric 3 × 3 matrix, largest first, with the eigenvectors as columns of a
    rotation and as a quaternion. Returns 0, the number of iterations; 500, with NaN as results, if a
    number of the matrix is not finite."""
    matrix = floats(mat, 9, "mat").reshape(3, 3)
    if not np.isfinite(matrix).all():
        for target, size in ((eigval, 3), (eigvec, 9), (quat, 4)):
            put(target, np.full(size, np.nan))
        return _MAX_ITERATIONS
    values, vectors = np.linalg.eigh(matrix)
    vectors = vectors[:, ::-1]
    if np.linalg.det(vectors) < 0:
        vectors[:, 2] *= -1
    turn = np.zeros(4)
    mju_mat2Quat(turn, vectors.reshape(-1))
    put(quat, turn)
    put(eigval, values[::-1])
    put(eigvec, vectors)
    return 0


def mju_mat2Rot(quat: np.ndarray, mat: ArrayLike) -> int:
    """The rotation nearest to a 3 × 3 matrix, as a quaternion. Returns 1, the number of
    iterations; 500, with NaN as the quaternion, if a number of the matrix is not finite."""
    matrix = floats(mat, 9, "mat").reshape(3, 3)
    if not np.isfinite(matrix).all():
        # LAPACK would search without end.
        put(quat, np.full(4, np.nan))
        return _MAX_ITERATIONS
    left, _, right = np.linalg.svd(matrix)
    sign = np.diag([1.0, 1.0, np.linalg.det(left @ right)])
    found = np.zeros(4)
    mju_mat2Quat(found, (left @ sign @ right).reshape(-1))
    given = floats(quat, 4, "quat")
    found = -found if found @ given < 0 else found
    put(quat, found)
    return 1


def mju_boxQP(
    res: np.ndarray,
    R: np.ndarray,
    index: np.ndarray | None,
    H: ArrayLike,
    g: ArrayLike,
    lower: ArrayLike | None,
    upper: ArrayLike | None,
) -> int:
    """Minimizes ½ xᵀHx + gᵀx subject to lower ≤ x ≤ upper by projected Newton steps from `res`.

    Returns the number of free coordinates, or −1 if H is not positive definite. Their indices are
    written to `index` and the Cholesky factor of their part of H to R."""
    n = result(res, "res").size
    result(R, "R", n * (n + 7))
    hessian, slope = floats(H, n * n, "H").reshape(n, n), floats(g, n, "g")
    low = np.full(n, -np.inf) if lower is None else floats(lower, n, "lower")
    high = np.full(n, np.inf) if upper is None else floats(upper, n, "upper")
    x = np.clip(floats(res, n, "res"), low, high)
    free = np.ones(n, dtype=bool)
    for _ in range(100):
        gradient = hessian @ x + slope
        free = ~(((x <= low) & (gradient > 0)) | ((x >= high) & (gradient < 0)))
        if not free.any() or np.abs(gradient[free]).max() < 1e-12 * max(1.0, np.abs(slope).max()):
            break
        try:
            step = -np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
        except np.linalg.LinAlgError:
            return -1
        x = _projected_step(x, step, free, (hessian, slope, low, high))
    part = hessian[np.ix_(free, free)].copy()
    if mju_cholFactor(part, _MIN_DIAGONAL) < part.shape[0]:
        return -1
    R.reshape(-1)[: part.size] = np.tril(part).reshape(-1)
    if index is not None:
        index[: part.shape[0]] = np.flatnonzero(free)
    res[...] = x.reshape(res.shape)
    return int(part.shape[0])


def _projected_step(x: np.ndarray, step: np.ndarray, free: np.ndarray, problem: tuple[np.ndarray, ...]) -> np.ndarray:
    """Line search along `step`, projected onto the box, with Armijo's rule."""
    hessian, slope, low, high = problem
    cost = 0.5 * x @ hessian @ x + slope @ x
    gradient = hessian @ x + slope
    length, trial = 1.0, x.copy()
    for _ in range(50):
        trial = x.copy()
        trial[free] += length * step
        trial = np.asarray(np.clip(trial, low, high))
        if 0.5 * trial @ hessian @ trial + slope @ trial <= cost + 0.1 * gradient @ (trial - x):
            return trial
        length *= 0.6
    return trial


__all__ = [name for name in globals() if name.startswith("mju_") and name != "mju_mat2Quat"]
