//! The C library's allocator, which C, C++ and most Rust plugins share with this program.

/// Returns the number of bytes that are allocated in this process and not freed. `None` if the C
/// library does not count them; glibc does, since 2.33.
///
/// Freed blocks that a thread keeps for its next allocations count as allocated, unless
/// `GLIBC_TUNABLES` has `glibc.malloc.tcache_count=0`. An allocator that is linked into a plugin is
/// not counted.
#[must_use]
pub fn allocated() -> Option<u64> {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        glibc::allocated()
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    {
        None
    }
}

/// Makes the allocator return freed blocks of 1 MiB or more to the system at once, from now on.
///
/// glibc maps such blocks individually at first. As they are freed, it raises its limit to up to 32
/// MiB. Holes of their size then stay in the heap. Call this function if large blocks come and go
/// while others stay, as when tables are written.
pub fn return_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        glibc::return_large_blocks();
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "asks the C library for its statistics, and sets its limit")]
mod glibc {
    use libloading::os::unix::Library;
    use nix::libc::{M_MMAP_THRESHOLD, mallopt};
    use std::sync::LazyLock;

    /// Statistics of glibc (`struct mallinfo2` in malloc.h): sums over all arenas.
    #[repr(C)]
    struct Statistics {
        arena: usize,
        free_chunks: usize,
        fast_chunks: usize,
        mapped_blocks: usize,
        /// Number of bytes in blocks that are mapped individually.
        mapped: usize,
        unused: usize,
        fast: usize,
        /// Number of bytes in all other blocks.
        used: usize,
        free: usize,
        top: usize,
    }

    type Ask = unsafe extern "C" fn() -> Statistics;

    /// Address of `mallinfo2`. It is looked up at run time because a release also runs on older
    /// versions, which lack it.
    static ASK: LazyLock<Option<Ask>> = LazyLock::new(|| {
        // SAFETY: glibc's malloc.h declares a function of this name and type.
        let symbol = unsafe { Library::this().get::<Ask>(b"mallinfo2\0") };
        symbol.ok().map(|ask| *ask)
    });

    pub(super) fn return_large_blocks() {
        // SAFETY: the function takes two integers, and locks the allocator while it sets one.
        _ = unsafe { mallopt(M_MMAP_THRESHOLD, 1 << 20) };
    }

    pub(super) fn allocated() -> Option<u64> {
        let ask = (*ASK)?;
        // SAFETY: the function has no preconditions, and locks each arena while it reads it.
        let statistics = unsafe { ask() };
        Some((statistics.used + statistics.mapped) as u64)
    }
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::allocated;

    /// Checks one block that is larger than all allocations of other tests, which run in other
    /// threads.
    #[test]
    fn a_large_block_is_counted_until_it_is_freed() {
        const BLOCK: u64 = 1 << 30;
        let Some(before) = allocated() else { return };
        // No page of the block is touched.
        let block = Vec::<u8>::with_capacity(BLOCK as usize);
        assert!(allocated().expect("a count") >= before.saturating_sub(BLOCK / 2) + BLOCK);
        drop(std::hint::black_box(block));
        assert!(allocated().expect("a count") < before + BLOCK / 2);
    }
}
