//! The floating-point environment: the rounding mode and the treatment of subnormal numbers. It
//! belongs to the thread. A plugin that changes it would therefore change the numbers of other
//! plugins and of the runner. A plugin changes it by `fesetround`, or when a library built with
//! `-ffast-math` is loaded. The environment is restored after each call; the check takes a few
//! instructions.

#[cfg(target_arch = "x86_64")]
mod registers {
    use std::arch::asm;

    /// Default MXCSR of every program: rounding mode, flush to zero and masked exceptions, with all
    /// exception flags clear (Intel SDM, volume 1, section 10.2.3).
    const MXCSR: u32 = 0x1f80;
    const CONTROL: u32 = 0xffc0;
    /// Default control word of the x87 unit (section 8.1.5), which C uses for `long double`.
    const X87: u16 = 0x037f;

    #[inline]
    pub(crate) fn restore() {
        let (mut mxcsr, mut x87) = (0u32, 0u16);
        // SAFETY: stores two registers to variables of the right size.
        unsafe {
            asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack, preserves_flags));
            asm!("fnstcw [{}]", in(reg) &raw mut x87, options(nostack, preserves_flags));
        }
        if mxcsr & CONTROL != MXCSR || x87 != X87 {
            load();
        }
    }

    #[cold]
    fn load() {
        let (mxcsr, x87) = (MXCSR, X87);
        // SAFETY: loads the values that Rust code may rely on.
        unsafe {
            asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr, options(nostack, preserves_flags));
            asm!("fldcw [{}]", in(reg) &raw const x87, options(nostack, preserves_flags));
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod registers {
    use std::arch::asm;

    #[inline]
    pub(crate) fn restore() {
        let mut fpcr: u64;
        // SAFETY: reads a register.
        unsafe { asm!("mrs {}, fpcr", out(reg) fpcr, options(nomem, nostack, preserves_flags)) };
        if fpcr != 0 {
            // SAFETY: loads the value that Rust code may rely on: round to nearest, no flushing, no
            // traps (Arm ARM, FPCR).
            unsafe { asm!("msr fpcr, {}", in(reg) 0u64, options(nomem, nostack, preserves_flags)) };
        }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod registers {
    pub(crate) fn restore() {}
}

pub(super) use registers::restore;

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use std::arch::asm;
    use std::hint::black_box;

    #[test]
    fn rounding_and_small_numbers_are_put_back() {
        let third = || black_box(black_box(1.0) / black_box(3.0));
        let small = || black_box(black_box(f64::MIN_POSITIVE) / black_box(4.0));
        let (nearest, subnormal) = (third(), small());
        // Rounds up and flushes small numbers to zero.
        let (changed, x87) = (0x1f80u32 | 0x4000 | 0x8000 | 0x40, 0x0b7fu16);
        // SAFETY: the environment is restored below.
        unsafe {
            asm!("ldmxcsr [{}]", in(reg) &raw const changed, options(nostack, preserves_flags));
            asm!("fldcw [{}]", in(reg) &raw const x87, options(nostack, preserves_flags));
        }
        let (up, zero) = (third(), small());
        super::restore();
        assert!(up > nearest && zero == 0.0, "the change had no effect: {up} {zero}");
        assert_eq!((third(), small()), (nearest, subnormal));
        let mut control = 0u16;
        // SAFETY: stores a register to a variable of the right size.
        unsafe { asm!("fnstcw [{}]", in(reg) &raw mut control, options(nostack, preserves_flags)) };
        assert_eq!(control, 0x037f);
    }
}
