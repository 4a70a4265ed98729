//! Against the dense Cholesky factorization, on random matrices of all shapes.

use super::*;
use crate::{Random, cholesky};

const SHAPES: [(usize, usize, usize); 24] = [
    (1, 0, 0),
    (3, 0, 2),
    (1, 1, 0),
    (1, 1, 1),
    (5, 1, 3),
    (4, 2, 0),
    (3, 2, 5),
    (2, 3, 0),
    (7, 3, 1),
    (6, 4, 0),
    (6, 4, 9),
    (5, 5, 2),
    (1, 17, 0),
    (1, 17, 4),
    (2, 9, 7),
    (3, 8, 0),
    (4, 7, 8),
    (9, 6, 20),
    (13, 7, 0),
    (18, 10, 0),
    (18, 9, 38),
    (27, 8, 0),
    (27, 7, 56),
    (66, 5, 3),
];

/// A sum of squares of random rows, each over three neighbouring knots and the border; so the last
/// shift makes it definite.
fn random(shape: (usize, usize, usize), rng: &mut Random) -> BlockArrow {
    let (n, count, border) = shape;
    let mut a = BlockArrow::new(n, count, border);
    let stride = a.stride();
    let knots = n * count;
    for start in 0..count.max(1) {
        for _ in 0..n + border / count.max(1) + 1 {
            let end = (start + 3).min(count);
            let row = rng.vector(a.dim(), 1.0);
            for t in start..end {
                for s in start..=t {
                    let block = a.block_mut(t, s);
                    for i in 0..n {
                        // The upper triangle of diagonal blocks is never read.
                        for j in 0..n {
                            let own = if s == t && j > i { f64::NAN } else { row[t * n + i] * row[s * n + j] };
                            block[i * stride + j] += own;
                        }
                    }
                }
                let block = a.border_block_mut(t);
                for i in 0..border {
                    for j in 0..n {
                        block[i * stride + j] += row[knots + i] * row[t * n + j];
                    }
                }
            }
            for i in 0..border {
                for j in 0..=i {
                    a.corner_mut()[i * border + j] += row[knots + i] * row[knots + j];
                }
            }
        }
    }
    a
}

/// The lower triangle, dense.
fn dense(a: &BlockArrow, shift: &[f64]) -> Vec<f64> {
    let (n, dim, stride, border) = (a.n(), a.dim(), a.stride(), a.border());
    let knots = n * a.count();
    let mut out = vec![0.0; dim * dim];
    for t in 0..a.count() {
        for s in t.saturating_sub(2)..=t {
            for i in 0..n {
                for j in 0..if s == t { i + 1 } else { n } {
                    out[(t * n + i) * dim + s * n + j] = a.block(t, s)[i * stride + j];
                }
            }
        }
        for i in 0..border {
            for j in 0..n {
                out[(knots + i) * dim + t * n + j] = a.border_block(t)[i * stride + j];
            }
        }
    }
    for i in 0..border {
        for j in 0..=i {
            out[(knots + i) * dim + knots + j] = a.corner()[i * border + j];
        }
    }
    (0..dim).for_each(|i| out[i * dim + i] += shift[i]);
    out
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m: f64, x| if x.is_nan() { f64::NAN } else { m.max(x.abs()) })
}

type Join = fn(&mut (dyn FnMut() + Send), &mut (dyn FnMut() + Send));

/// A join with threads.
fn threads(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    std::thread::scope(|scope| {
        scope.spawn(a);
        b();
    });
}

#[test]
fn agrees_with_dense_cholesky() {
    let mut rng = Random(7);
    for shape in SHAPES {
        let a = random(shape, &mut rng);
        let dim = a.dim();
        let shift: Vec<f64> = (0..dim).map(|_| 1.5 + rng.signed()).collect();
        let b = rng.vector(dim, 1.0);
        let mut factor = BlockArrowFactor::new(shape.0, shape.1, shape.2);
        factor.factor(&a, &shift, sequential).unwrap();
        let mut x = b.clone();
        factor.solve(&mut x, sequential);

        let mut full = dense(&a, &shift);
        assert_eq!(cholesky::factor(dim, dim, &mut full, 0.0), None);
        let mut y = b.clone();
        cholesky::solve(dim, dim, &full, &mut y);
        let difference: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x - y).collect();
        assert!(largest(&difference) <= 1e-10 * largest(&y).max(1.0), "{shape:?}: {}", largest(&difference));

        let mut residual = vec![0.0; dim];
        a.mul(&x, &mut residual);
        (0..dim).for_each(|i| residual[i] += shift[i] * x[i] - b[i]);
        assert!(largest(&residual) <= 1e-10, "{shape:?}: {}", largest(&residual));
    }
}

#[test]
fn the_product_and_the_diagonal_are_those_of_the_dense_matrix() {
    let mut rng = Random(3);
    for shape in SHAPES {
        let a = random(shape, &mut rng);
        let dim = a.dim();
        let (full, x) = (dense(&a, &vec![0.0; dim]), rng.vector(dim, 1.0));
        let (mut y, mut d) = (vec![f64::NAN; dim], vec![f64::NAN; dim]);
        a.mul(&x, &mut y);
        a.diagonal(&mut d);
        for i in 0..dim {
            let entry = |j: usize| full[i.max(j) * dim + i.min(j)];
            let expected: f64 = (0..dim).map(|j| entry(j) * x[j]).sum();
            assert!((y[i] - expected).abs() < 1e-10, "{shape:?}");
            assert_eq!(d[i], entry(i));
        }
    }
}

#[test]
fn the_same_bits_with_threads_and_when_memory_is_used_again() {
    let mut rng = Random(11);
    for shape in SHAPES {
        let a = random(shape, &mut rng);
        let dim = a.dim();
        let (shift, b) = (vec![0.5; dim], rng.vector(dim, 1.0));
        let solve = |factor: &mut BlockArrowFactor, join: Join| {
            let mut x = b.clone();
            factor.solve(&mut x, join);
            x.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
        };
        let mut factor = BlockArrowFactor::new(shape.0, shape.1, shape.2);
        factor.factor(&a, &shift, sequential).unwrap();
        let first = solve(&mut factor, sequential);
        factor.factor(&a, &shift, |a, b| sequential(b, a)).unwrap();
        assert_eq!(first, solve(&mut factor, |a, b| sequential(b, a)), "{shape:?}");
        assert!(factor.factor(&a, &vec![f64::NAN; dim], threads).is_err() || dim == 0);
        factor.factor(&a, &shift, threads).unwrap();
        assert_eq!(first, solve(&mut factor, threads), "{shape:?}");
    }
}

#[test]
fn the_unknown_that_is_not_positive_is_named() {
    let mut rng = Random(13);
    for shape in SHAPES {
        let a = random(shape, &mut rng);
        let dim = a.dim();
        let mut factor = BlockArrowFactor::new(shape.0, shape.1, shape.2);
        for unknown in (0..dim).step_by(1 + dim / 40) {
            for bad in [-1e6, f64::NEG_INFINITY, f64::INFINITY, f64::NAN] {
                let mut shift = vec![1.0; dim];
                shift[unknown] = bad;
                assert_eq!(factor.factor(&a, &shift, sequential), Err(NotPositive { unknown }), "{shape:?} {bad}");
            }
        }
    }
}

#[test]
fn entries_that_are_nan_end_in_an_error() {
    let mut rng = Random(17);
    for shape in SHAPES {
        let (n, count, border) = shape;
        let mut factor = BlockArrowFactor::new(n, count, border);
        for t in 0..count {
            for s in t.saturating_sub(2)..=t {
                let mut a = random(shape, &mut rng);
                a.block_mut(t, s)[0] = f64::NAN;
                let shift = vec![1.0; a.dim()];
                assert!(factor.factor(&a, &shift, sequential).is_err(), "{shape:?} ({t}, {s})");
            }
        }
        if border > 0 {
            let mut a = random(shape, &mut rng);
            a.corner_mut()[(border - 1) * border] = f64::NAN;
            assert!(factor.factor(&a, &vec![1.0; a.dim()], sequential).is_err());
        }
    }
}

#[test]
fn knots_are_the_same_memory_as_blocks() {
    let mut a = BlockArrow::new(3, 4, 2);
    for (t, knot) in a.knots_mut().enumerate() {
        knot.diag.fill(t as f64);
        knot.lower1.fill(t as f64 + 0.25);
        knot.lower2.fill(t as f64 + 0.5);
        knot.border.fill(t as f64 + 0.75);
    }
    for t in 0..4usize {
        for s in t.saturating_sub(2)..=t {
            assert!(a.block(t, s).iter().all(|x| *x == t as f64 + 0.25 * (t - s) as f64));
        }
        assert!(a.border_block(t).iter().all(|x| *x == t as f64 + 0.75));
    }
    a.clear();
    assert!(a.knots_mut().all(|knot| knot.diag.iter().chain(&*knot.border).all(|x| *x == 0.0)));
}
