//! Four numbers in a register. Compilers take loops over arrays of four for that most of the time;
//! in the inner loops of sweeps it has to be all of the time: written as arrays, the joints of a
//! robot take twice as long. Both implementations give the same bits.

use core::ops::{Add, Mul, Sub};

/// A number of each of four rows.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub struct Quad(pub [f64; 4]);

/// A velocity of a link or an impulse on it: angular and linear part.
pub type Twist = [Quad; 2];

#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma"))]
mod registers {
    use super::Quad;
    use core::arch::x86_64::*;

    pub type Register = __m256d;

    // SAFETY, for this whole module: the instructions are there, this is compiled only where AVX2
    // and FMA are enabled; a `Quad` is 32 bytes at a multiple of 32.

    #[inline(always)]
    pub fn load(a: &Quad) -> Register {
        unsafe { _mm256_load_pd(a.0.as_ptr()) }
    }
    #[inline(always)]
    pub fn store(a: Register, out: &mut Quad) {
        unsafe { _mm256_store_pd(out.0.as_mut_ptr(), a) }
    }
    #[inline(always)]
    pub fn splat(a: f64) -> Register {
        unsafe { _mm256_set1_pd(a) }
    }
    #[inline(always)]
    pub fn add(a: Register, b: Register) -> Register {
        unsafe { _mm256_add_pd(a, b) }
    }
    #[inline(always)]
    pub fn sub(a: Register, b: Register) -> Register {
        unsafe { _mm256_sub_pd(a, b) }
    }
    #[inline(always)]
    pub fn mul(a: Register, b: Register) -> Register {
        unsafe { _mm256_mul_pd(a, b) }
    }
    #[inline(always)]
    pub fn mul_add(a: Register, b: Register, c: Register) -> Register {
        unsafe { _mm256_fmadd_pd(a, b, c) }
    }
    #[inline(always)]
    pub fn neg_mul_add(a: Register, b: Register, c: Register) -> Register {
        unsafe { _mm256_fnmadd_pd(a, b, c) }
    }
    #[inline(always)]
    pub fn max(a: Register, b: Register) -> Register {
        unsafe { _mm256_max_pd(a, b) }
    }
    #[inline(always)]
    pub fn min(a: Register, b: Register) -> Register {
        unsafe { _mm256_min_pd(a, b) }
    }
    #[inline(always)]
    pub fn turned(a: Register) -> Register {
        unsafe { _mm256_permute4x64_pd::<0b11_00_10_01>(a) }
    }
    #[inline(always)]
    pub fn each(a: Register, k: usize) -> Register {
        unsafe {
            match k {
                0 => _mm256_permute4x64_pd::<0b00_00_00_00>(a),
                1 => _mm256_permute4x64_pd::<0b01_01_01_01>(a),
                2 => _mm256_permute4x64_pd::<0b10_10_10_10>(a),
                _ => _mm256_permute4x64_pd::<0b11_11_11_11>(a),
            }
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma")))]
mod registers {
    use super::Quad;
    use core::array::from_fn;

    pub type Register = [f64; 4];

    pub fn load(a: &Quad) -> Register {
        a.0
    }
    pub fn store(a: Register, out: &mut Quad) {
        out.0 = a;
    }
    pub fn splat(a: f64) -> Register {
        [a; 4]
    }
    pub fn add(a: Register, b: Register) -> Register {
        from_fn(|k| a[k] + b[k])
    }
    pub fn sub(a: Register, b: Register) -> Register {
        from_fn(|k| a[k] - b[k])
    }
    pub fn mul(a: Register, b: Register) -> Register {
        from_fn(|k| a[k] * b[k])
    }
    pub fn mul_add(a: Register, b: Register, c: Register) -> Register {
        from_fn(|k| a[k].mul_add(b[k], c[k]))
    }
    pub fn neg_mul_add(a: Register, b: Register, c: Register) -> Register {
        from_fn(|k| (-a[k]).mul_add(b[k], c[k]))
    }
    pub fn max(a: Register, b: Register) -> Register {
        from_fn(|k| if a[k] > b[k] { a[k] } else { b[k] })
    }
    pub fn min(a: Register, b: Register) -> Register {
        from_fn(|k| if a[k] < b[k] { a[k] } else { b[k] })
    }
    pub fn turned(a: Register) -> Register {
        [a[1], a[2], a[0], a[3]]
    }
    pub fn each(a: Register, k: usize) -> Register {
        [a[k]; 4]
    }
}

/// Four numbers.
#[derive(Clone, Copy, Debug)]
pub struct Four(registers::Register);

impl Four {
    #[inline(always)]
    pub fn zero() -> Self {
        Self::splat(0.0)
    }
    #[inline(always)]
    pub fn splat(a: f64) -> Self {
        Self(registers::splat(a))
    }
    #[inline(always)]
    pub fn load(a: &Quad) -> Self {
        Self(registers::load(a))
    }
    #[inline(always)]
    pub fn store(self, out: &mut Quad) {
        registers::store(self.0, out);
    }
    #[inline(always)]
    pub fn to_array(self) -> [f64; 4] {
        let mut out = Quad::default();
        self.store(&mut out);
        out.0
    }
    /// self a + b, rounded once.
    #[inline(always)]
    pub fn mul_add(self, a: Self, b: Self) -> Self {
        Self(registers::mul_add(self.0, a.0, b.0))
    }
    /// b − self a, rounded once.
    #[inline(always)]
    pub fn neg_mul_add(self, a: Self, b: Self) -> Self {
        Self(registers::neg_mul_add(self.0, a.0, b.0))
    }
    /// Number k in all four places.
    #[inline(always)]
    pub fn each(self, k: usize) -> Self {
        Self(registers::each(self.0, k))
    }
    /// Each at least `low` and at most `high`.
    #[inline(always)]
    pub fn clamped(self, low: Self, high: Self) -> Self {
        Self(registers::min(registers::max(self.0, low.0), high.0))
    }
    /// a × b of the first three numbers.
    #[inline(always)]
    pub fn cross(self, b: Self) -> Self {
        // (a b' − a' b)' with ' the next of x, y, z in place of each: one permutation less than by
        // the definition.
        let (next, next_b) = (registers::turned(self.0), registers::turned(b.0));
        Self(registers::turned(registers::neg_mul_add(next, b.0, registers::mul(self.0, next_b))))
    }
}

impl Add for Four {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self(registers::add(self.0, b.0))
    }
}

impl Sub for Four {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self(registers::sub(self.0, b.0))
    }
}

impl Mul for Four {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self(registers::mul(self.0, b.0))
    }
}
