//! Pseudorandom numbers that are reproducible on all machines: SplitMix64 \[Steele2014\]. For
//! initial guesses, controls, checks and tests.

use crate::{Quat, Vec3};

/// A generator with its seed.
#[derive(Clone, Copy, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Uniform in [low, high).
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A uniform integer below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % (n as u64).max(1)) as usize
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Approximately standard normal: the sum of twelve uniform numbers.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// Uniform in [−size, size), each number.
    pub fn fill(&mut self, x: &mut [f64], size: f64) {
        x.iter_mut().for_each(|x| *x = size * self.signed());
    }

    /// `n` numbers in [−size, size).
    pub fn vector(&mut self, n: usize, size: f64) -> Vec<f64> {
        (0..n).map(|_| size * self.signed()).collect()
    }

    /// Uniform in a cube of edge 2 `half`.
    pub fn vec3(&mut self, half: f64) -> Vec3 {
        Vec3::new(self.range(-half, half), self.range(-half, half), self.range(-half, half))
    }

    /// A unit vector.
    pub fn axis(&mut self) -> Vec3 {
        loop {
            let v = self.vec3(1.0);
            if v.length() > 0.2 && v.length() < 1.0 {
                return v.normalize();
            }
        }
    }

    /// A rotation by up to 3 rad.
    pub fn quat(&mut self) -> Quat {
        Quat::from_axis_angle(self.axis(), self.range(-3.0, 3.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the published generator for seed 1234567.
    #[test]
    fn numbers_are_those_of_the_reference() {
        let mut random = Random(1_234_567);
        let found: [u64; 3] = core::array::from_fn(|_| random.bits());
        assert_eq!(found, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn numbers_are_where_they_should_be() {
        // 1,000 numbers of each of 300 seeds: bounds are four standard deviations of their means.
        let numbers: Vec<f64> = (0..300).flat_map(|seed| Random(7919 * seed).vector(1000, 1.0)).collect();
        assert!(numbers.iter().all(|x| (-1.0..1.0).contains(x)));
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        let square = numbers.iter().map(|x| x * x).sum::<f64>() / numbers.len() as f64;
        assert!(mean.abs() < 4.2e-3 && (square - 1.0 / 3.0).abs() < 2.2e-3, "{mean} {square}");
        let mut random = Random(1);
        assert!((0..100).all(|_| random.below(3) < 3 && (random.axis().length() - 1.0).abs() < 1e-12));
    }
}
