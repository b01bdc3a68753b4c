//! The C library's allocator, which C, C++ and most Rust plugins share with this program.

/// Returns the bytes that are allocated in this process and not freed; `None` if the C library does
/// not count them. glibc does, since 2.33.
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

/// From now on, gives freed blocks of 1 MiB or more back to the system at once.
///
/// glibc maps such blocks one by one at first, but raises its limit to up to 32 MiB as they are
/// freed: then holes of their size stay in the heap. To be called where large blocks come and go
/// and others stay, as when tables are written.
pub fn give_back_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        glibc::give_back_large_blocks();
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "asks the C library for its statistics, and sets its limit")]
mod glibc {
    use libloading::os::unix::Library;
    use nix::libc::{M_MMAP_THRESHOLD, mallopt};
    use std::sync::LazyLock;

    /// `struct mallinfo2` of glibc's malloc.h: sums over all arenas.
    #[repr(C)]
    struct Statistics {
        arena: usize,
        free_chunks: usize,
        fast_chunks: usize,
        mapped_blocks: usize,
        /// Bytes of blocks that are mapped one by one.
        mapped: usize,
        unused: usize,
        fast: usize,
        /// Bytes of all other blocks.
        used: usize,
        free: usize,
        top: usize,
    }

    type Ask = unsafe extern "C" fn() -> Statistics;

    /// Looked up at run time, because a release also runs on older versions, which lack it.
    static ASK: LazyLock<Option<Ask>> = LazyLock::new(|| {
        // SAFETY: glibc's malloc.h declares a function of this name and type.
        let symbol = unsafe { Library::this().get::<Ask>(b"mallinfo2\0") };
        symbol.ok().map(|ask| *ask)
    });

    pub(super) fn give_back_large_blocks() {
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

    /// Other tests allocate in other threads, so the block is larger than all that they have.
    #[test]
    fn a_large_block_is_counted_until_it_is_freed() {
        const BLOCK: u64 = 1 << 30;
        let Some(before) = allocated() else { return };
        // Not one page of it is touched.
        let block = Vec::<u8>::with_capacity(BLOCK as usize);
        assert!(allocated().expect("a count") >= before.saturating_sub(BLOCK / 2) + BLOCK);
        drop(std::hint::black_box(block));
        assert!(allocated().expect("a count") < before + BLOCK / 2);
    }
}
