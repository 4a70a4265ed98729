//! Unilateral rows by Lemke's pivoting: exact, dense, for small scenes. Friction is a pyramid.
//!
//! With x = J V₀ − c + (J K Jᵀ + R) f: a one-sided row is 0 ≤ f ⟂ x ≥ 0. A row with |f| ≤ bound is three unknowns, f = β₊ − β₋ and λ ≥ 0, with
//! w₊ = x + λ, w₋ = −x + λ, w_λ = bound − β₊ − β₋.

use crate::Error;
use crate::rows::{Bound, Rows};
use crate::six::Six;
use crate::sweeps::Outcome;
use saltus_sim::law::lcp::solve_lcp;

/// Impulses of the rows from `first` on for velocities V without them.
pub fn solve(rows: &mut Rows, first: usize, lane: usize, V: &[Six]) -> Result<Outcome, Error> {
    let count = rows.len() - first;
    // First unknown of each row.
    let mut unknown = Vec::with_capacity(count);
    let mut n = 0;
    for row in &rows.rows[first..] {
        unknown.push(n);
        n += if row.bound == Bound::OneSided { 1 } else { 3 };
    }
    let (mut M, mut q) = (vec![0.0; n * n], vec![0.0; n]);
    let mut response = vec![Six::ZERO; V.len()];
    for j in 0..count {
        // Column j of A = J K Jᵀ.
        response.iter_mut().for_each(|v| *v = Six::ZERO);
        for block in rows.responses(first + j) {
            response[block.link as usize] = block.value;
        }
        let of = unknown[j];
        let two_sided = rows.rows[first + j].bound != Bound::OneSided;
        for i in 0..count {
            let own = if i == j { rows.rows[first + i].compliance } else { 0.0 };
            let a = rows.velocity(first + i, &response) + own;
            let signs: &[f64] = if rows.rows[first + i].bound == Bound::OneSided { &[1.0] } else { &[1.0, -1.0] };
            for (r, sign) in signs.iter().enumerate() {
                M[(unknown[i] + r) * n + of] = sign * a;
                if two_sided {
                    M[(unknown[i] + r) * n + of + 1] = -sign * a;
                }
            }
        }
    }
    for i in 0..count {
        let (row, k) = (&rows.rows[first + i], unknown[i]);
        let x = rows.velocity(first + i, V) - row.target[lane];
        q[k] = x;
        if row.bound != Bound::OneSided {
            q[k + 1] = -x;
            (M[k * n + k + 2], M[(k + 1) * n + k + 2]) = (1.0, 1.0);
            (M[(k + 2) * n + k], M[(k + 2) * n + k + 1]) = (-1.0, -1.0);
            match row.bound {
                Bound::Constant(most) => q[k + 2] = most,
                Bound::Friction { mu, normal } => M[(k + 2) * n + unknown[normal as usize - first]] = mu,
                Bound::OneSided | Bound::None => {}
            }
        }
    }
    let solution = solve_lcp(&M, &q).ok_or(Error::Pivoting { rows: count, time: 0.0 })?;
    for i in 0..count {
        let (z, k) = (&solution.z, unknown[i]);
        let row = &mut rows.rows[first + i];
        row.force[lane] = if row.bound == Bound::OneSided { z[k] } else { z[k] - z[k + 1] };
    }
    Ok(Outcome { sweeps: solution.pivots, change: 0.0, converged: true })
}
