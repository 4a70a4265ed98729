//! Check that the processor supports the instructions of this build.

/// Checks that the processor has the vector instructions that this build uses. Call it first in a
/// program.
pub fn check_cpu() -> Result<(), String> {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma"))]
    {
        // `is_x86_feature_detected!` is constant under the enabled features, so ask the processor
        // itself.
        if !has_avx2_and_fma() {
            return Err("this build of Saltus needs a processor with AVX2 and FMA (x86-64-v3); build it without \
                        `target-cpu=x86-64-v3` in .cargo/config.toml to run here"
                .into());
        }
    }
    Ok(())
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma"))]
fn has_avx2_and_fma() -> bool {
    use core::arch::x86_64::{__cpuid, __cpuid_count};
    let fma = __cpuid(1).ecx >> 12 & 1 == 1;
    let leaves = __cpuid(0).eax;
    let avx2 = leaves >= 7 && __cpuid_count(7, 0).ebx >> 5 & 1 == 1;
    fma && avx2
}
