//! Loops over short rows of numbers, in blocks of four: longer unrolling would leave most of them
//! to the tail.

/// target −= Σ sᵣ · sourceᵣ, in blocks of four.
#[inline]
pub(crate) fn subtract_rows<const W: usize>(target: &mut [f64], s: [f64; W], source: [&[f64]; W]) {
    let n = target.len();
    let (blocks, tail) = target.as_chunks_mut::<4>();
    let parts = source.map(|row| row[..n].as_chunks::<4>());
    for (c, t) in blocks.iter_mut().enumerate() {
        let mut sum = parts[0].0[c].map(|x| s[0] * x);
        for r in 1..W {
            let x = &parts[r].0[c];
            for k in 0..4 {
                sum[k] += s[r] * x[k];
            }
        }
        for k in 0..4 {
            t[k] -= sum[k];
        }
    }
    for (k, t) in tail.iter_mut().enumerate() {
        let mut sum = s[0] * parts[0].1[k];
        for r in 1..W {
            sum += s[r] * parts[r].1[k];
        }
        *t -= sum;
    }
}

/// Scalar product in four parallel sums: one alone would wait for each addition.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (x, y) = (a.chunks_exact(4), b.chunks_exact(4));
    let tail: f64 = x.remainder().iter().zip(y.remainder()).map(|(a, b)| a * b).sum();
    let mut sum = [0.0; 4];
    for (a, b) in x.zip(y) {
        for k in 0..4 {
            sum[k] += a[k] * b[k];
        }
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3]) + tail
}
