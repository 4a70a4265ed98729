//! Vectors of `f32`. Every operation is written out, so that the bits do not depend on the machine:
//! vector libraries sum in another order where they use other instructions.

use saltus_math::{Mat3, Vec3};

pub type V3 = [f32; 3];

pub fn from(v: Vec3) -> V3 {
    [v.x as f32, v.y as f32, v.z as f32]
}

#[inline(always)]
pub fn add(a: V3, b: V3) -> V3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub fn sub(a: V3, b: V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub fn scale(a: V3, s: f32) -> V3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

#[inline(always)]
pub fn times(a: V3, b: V3) -> V3 {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

#[inline(always)]
pub fn dot(a: V3, b: V3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub fn cross(a: V3, b: V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The vector with length 1; the z axis if it is zero.
#[inline(always)]
pub fn unit(a: V3) -> V3 {
    let n = dot(a, a);
    if n > 1e-30 { scale(a, 1.0 / n.sqrt()) } else { [0.0, 0.0, 1.0] }
}

/// A linear map, by rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct M3(pub [V3; 3]);

impl M3 {
    pub fn from(m: &Mat3) -> Self {
        let (x, y, z) = (m.col(0), m.col(1), m.col(2));
        Self([
            [x.x as f32, y.x as f32, z.x as f32],
            [x.y as f32, y.y as f32, z.y as f32],
            [x.z as f32, y.z as f32, z.z as f32],
        ])
    }

    #[inline(always)]
    pub fn apply(&self, v: V3) -> V3 {
        [dot(self.0[0], v), dot(self.0[1], v), dot(self.0[2], v)]
    }

    /// With each column multiplied by a number.
    pub fn scaled(&self, s: V3) -> Self {
        Self(self.0.map(|row| times(row, s)))
    }
}

/// `x` to the power `y` for x in [0, 1], to about 1e-4: for highlights.
#[inline(always)]
pub fn power(x: f32, y: f32) -> f32 {
    if x <= 1e-12 {
        return 0.0;
    }
    exp2((y * log2(x)).max(-126.0))
}

#[inline(always)]
fn log2(x: f32) -> f32 {
    let bits = x.to_bits();
    let exponent = ((bits >> 23) as i32 - 127) as f32;
    let m = f32::from_bits((bits & 0x007f_ffff) | 0x3f80_0000);
    // Through (m − 1)/(m + 1), a series in odd powers.
    let t = (m - 1.0) / (m + 1.0);
    let t2 = t * t;
    exponent
        + t * (2.0 * core::f32::consts::LOG2_E
            + t2 * (0.961_796_7 + t2 * (0.577_078_04 + t2 * (0.412_198_6 + t2 * 0.320_598_9))))
}

#[inline(always)]
fn exp2(x: f32) -> f32 {
    let whole = x.floor();
    let f = x - whole;
    let m = 1.0
        + f * (core::f32::consts::LN_2
            + f * (0.240_226_5 + f * (0.055_504_11 + f * (0.009_618_129 + f * 0.001_333_355_8))));
    f32::from_bits((((whole as i32) + 127) as u32) << 23) * m
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_agree_with_the_library() {
        for k in 1..=100 {
            for y in [0.5f32, 1.0, 8.0, 64.0, 128.0] {
                let x = k as f32 / 100.0;
                assert!((power(x, y) - x.powf(y)).abs() < 2e-4, "{x}^{y}: {} {}", power(x, y), x.powf(y));
            }
        }
        assert_eq!(power(0.0, 3.0), 0.0);
    }
}
