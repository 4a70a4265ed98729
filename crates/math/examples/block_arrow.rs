//! Times of block-arrow factors: against the plain loops of a band matrix, a dense Cholesky
//! factorization, and the rate of additions and multiplications that this core can reach in
//! registers.
//!
//! `cargo run --release -p saltus-math --example block_arrow [n …]`: all sizes, or those with the
//! given n.

use saltus_math::block_arrow::{BlockArrow, BlockArrowFactor, sequential};
use saltus_math::cholesky;
use saltus_math::gram::{Gram, Weighted};
use std::hint::black_box;
use std::time::Instant;

const SHAPES: [(usize, usize, usize); 14] = [
    (2, 50, 0),
    (6, 50, 0),
    (7, 50, 3),
    (12, 30, 0),
    (18, 20, 0),
    (18, 30, 0),
    (18, 30, 38),
    (27, 40, 0),
    (27, 100, 0),
    (27, 40, 56),
    (33, 100, 0),
    (48, 60, 0),
    (64, 40, 0),
    (100, 20, 0),
];

/// Shortest time of one call in seconds, over about a second: the best of many calls is steady on a
/// machine that does other work.
fn time(mut f: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < 1.0 || best == f64::INFINITY {
        let one = Instant::now();
        f();
        best = best.min(one.elapsed().as_secs_f64());
    }
    best
}

/// Diagonally dominant, with all entries that may be there.
fn matrix(n: usize, count: usize, border: usize) -> BlockArrow {
    let mut a = BlockArrow::new(n, count, border);
    let stride = a.stride();
    let entry = |i: usize, j: usize| ((i * 7919 + j * 104729) % 101) as f64 / 101.0 - 0.5;
    for t in 0..count {
        for s in t.saturating_sub(2)..=t {
            let block = a.block_mut(t, s);
            for i in 0..n {
                for j in 0..n {
                    let own = if t == s && i == j { (5 * n + border) as f64 } else { 0.0 };
                    block[i * stride + j] = entry(t * n + i, s * n + j) + own;
                }
            }
        }
        let block = a.border_block_mut(t);
        for i in 0..border {
            for j in 0..n {
                block[i * stride + j] = entry(n * count + i, t * n + j);
            }
        }
    }
    for i in 0..border {
        for j in 0..border {
            a.corner_mut()[i * border + j] = entry(i, j) + if i == j { (n * count + border) as f64 } else { 0.0 };
        }
    }
    a
}

/// Operations of a factorization: multiplications and additions.
fn flops(n: usize, count: usize, border: usize) -> f64 {
    let [n, count, p] = [n, count, border].map(|x| x as f64);
    count * (19.0 / 3.0 * n * n * n + 5.0 * p * n * n + p * p * n) + p * p * p / 3.0
}

/// The lower triangle as a band of `width` entries to the left of the diagonal; row i starts with
/// column i − width.
fn band(a: &BlockArrow) -> (usize, Vec<f64>) {
    let (n, stride) = (a.n(), a.stride());
    let width = 3 * n - 1;
    let mut out = vec![0.0; n * a.count() * (width + 1)];
    for t in 0..a.count() {
        for s in t.saturating_sub(2)..=t {
            for i in 0..n {
                for j in 0..if s == t { i + 1 } else { n } {
                    let (row, column) = (t * n + i, s * n + j);
                    out[row * (width + 1) + column + width - row] = a.block(t, s)[i * stride + j];
                }
            }
        }
    }
    (width, out)
}

/// Textbook: each entry of L is a scalar product of two rows of the band.
fn factor_band(width: usize, l: &mut [f64]) {
    let rows = l.len() / (width + 1);
    for i in 0..rows {
        for j in i.saturating_sub(width)..=i {
            let first = i.saturating_sub(width);
            let mut sum = l[i * (width + 1) + j + width - i];
            for k in first..j {
                sum -= l[i * (width + 1) + k + width - i] * l[j * (width + 1) + k + width - j];
            }
            let own = if i == j { sum.sqrt() } else { sum / l[j * (width + 1) + width] };
            l[i * (width + 1) + j + width - i] = own;
        }
    }
}

/// The dense lower triangle, by columns of the identity.
fn dense(a: &BlockArrow) -> Vec<f64> {
    let dim = a.dim();
    let (mut out, mut x, mut y) = (vec![0.0; dim * dim], vec![0.0; dim], vec![0.0; dim]);
    for j in 0..dim {
        x[j] = 1.0;
        a.mul(&x, &mut y);
        x[j] = 0.0;
        (0..dim).for_each(|i| out[i * dim + j] = y[i]);
    }
    out
}

/// Additions and multiplications per second of a product that stays in registers and first-level
/// cache.
fn peak() -> f64 {
    let (m, k, n) = (4, 16, 12);
    let (a, b, mut c) = (vec![1e-3; m * k], vec![1e-3; k * n], [[0.0; 12]; 4]);
    let rounds = 2000;
    let seconds = time(|| {
        for _ in 0..rounds {
            let (a, b) = (black_box(&a), black_box(&b));
            let mut sum = c;
            for (a, b) in a.as_chunks::<4>().0.iter().zip(b.as_chunks::<12>().0) {
                for r in 0..4 {
                    for l in 0..12 {
                        sum[r][l] += a[r] * b[l];
                    }
                }
            }
            c = black_box(sum);
        }
    });
    (2 * m * k * n * rounds) as f64 / seconds
}

fn main() {
    let peak = peak();
    println!("registers alone: {:.1} GFlop/s\n", peak * 1e-9);
    println!("   n count border  factor ms   solve ms  GFlop/s  of peak  threads ms  band ms  dense ms");
    let chosen: Vec<usize> = std::env::args().skip(1).filter_map(|n| n.parse().ok()).collect();
    for (n, count, border) in SHAPES {
        if !chosen.is_empty() && !chosen.contains(&n) {
            continue;
        }
        let a = matrix(n, count, border);
        let (dim, mut factor) = (a.dim(), BlockArrowFactor::new(n, count, border));
        let (shift, mut x) = (vec![0.0; dim], vec![1.0; dim]);
        let factored = time(|| factor.factor(&a, &shift, sequential).unwrap());
        let threaded = time(|| {
            let join = |a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)| {
                std::thread::scope(|scope| {
                    scope.spawn(a);
                    b();
                });
            };
            factor.factor(&a, &shift, join).unwrap();
        });
        let solved = time(|| {
            x.fill(1.0);
            factor.solve(&mut x, sequential);
        });
        let plain = (border == 0).then(|| {
            let (width, entries) = band(&a);
            let mut l = entries.clone();
            time(|| {
                l.copy_from_slice(&entries);
                factor_band(width, &mut l);
            })
        });
        let full = (dim <= 700).then(|| {
            let entries = dense(&a);
            let mut l = entries.clone();
            time(|| {
                l.copy_from_slice(&entries);
                cholesky::factor(dim, dim, &mut l, 0.0);
            })
        });
        let ms = |seconds: Option<f64>| seconds.map_or("-".to_string(), |s| format!("{:.3}", s * 1e3));
        let rate = flops(n, count, border) / factored;
        println!(
            "{n:4} {count:5} {border:6} {:>10} {:>10} {:8.1} {:7.0}% {:>11} {:>8} {:>9}",
            ms(Some(factored)),
            ms(Some(solved)),
            rate * 1e-9,
            100.0 * rate / peak,
            ms(Some(threaded)),
            ms(plain),
            ms(full)
        );
    }
    products();
}

/// Times of the kernel of assembly.
fn products() {
    println!("\nGram      rows cols        µs  GFlop/s");
    let mut gram = Gram::default();
    for (rows, cols) in [(6, 54), (18, 54), (24, 81), (33, 99), (40, 120)] {
        let (a, w, mut c) = (vec![0.5; rows * cols], vec![1.0; rows], vec![0.0; cols * cols]);
        let factor = Weighted { rows, cols, a: &a, stride: cols, w: &w };
        let seconds = time(|| (0..100).for_each(|_| gram.add(factor, &mut c, cols))) / 100.0;
        let flops = (rows * cols * (cols + 1)) as f64;
        println!("          {rows:4} {cols:4} {:9.2} {:8.1}", seconds * 1e6, flops / seconds * 1e-9);
    }
}
