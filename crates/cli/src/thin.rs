//! Fewer points for a curve than samples, without losing its peaks.

/// Reduces samples to about `most` points: the minimum and the maximum of each interval, in order.
pub fn thinned(points: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    if points.len() <= most {
        return points.to_vec();
    }
    let run = (2 * points.len()).div_ceil(most.max(2));
    let mut kept = Vec::with_capacity(most + 2);
    for chunk in points.chunks(run) {
        let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let (Some(&low), Some(&high)) = (chunk.iter().min_by(by_value), chunk.iter().max_by(by_value)) else {
            continue;
        };
        kept.extend(if low.0 < high.0 { [low, high] } else { [high, low] });
    }
    kept.extend(points.last());
    kept
}

#[cfg(test)]
mod tests {
    use super::thinned;

    #[test]
    fn peaks_stay() {
        let mut points: Vec<(f64, f64)> = (0..10_000).map(|k| (f64::from(k), 0.0)).collect();
        points[5003].1 = 7.0;
        points[77].1 = -3.0;
        let few = thinned(&points, 100);
        assert!(few.len() <= 102 && few.contains(&(5003.0, 7.0)) && few.contains(&(77.0, -3.0)));
        assert!(few.is_sorted_by(|a, b| a.0 <= b.0) && few.last() == points.last());
        assert_eq!(thinned(&points[..50], 100), points[..50]);
    }
}
