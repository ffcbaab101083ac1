//! Guest memory sixteen bytes at a time: what the copy engine moves rows of boxes in.
//!
//! A chunk is touched as [`crate::access`] touches words: on x86-64 by the processor's own moves of sixteen bytes,
//! which to the compiler are no accesses that could race, and whose aligned halves are whole in every race; elsewhere
//! as two words.

/// The bytes of a chunk.
pub const CHUNK: usize = 16;

/// Copies one chunk.
///
/// # Safety
/// As for [`crate::access::copy`], with sixteen bytes at multiples of eight that are the same or do not overlap.
#[inline(always)]
pub unsafe fn copy(to: *mut u8, from: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: the instructions touch what the caller says, and change one register that the compiler chose.
    unsafe {
        std::arch::asm!(
            "movdqu {chunk}, [{from}]",
            "movdqu [{to}], {chunk}",
            chunk = out(xmm_reg) _, from = in(reg) from, to = in(reg) to,
            options(nostack, preserves_flags),
        );
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    // SAFETY: the caller's promise, passed on.
    unsafe {
        crate::access::store(to, crate::access::load::<u128>(from));
    }
}

/// Copies so many chunks that follow one another.
///
/// # Safety
/// As for [`copy`], for all of them.
#[inline(always)]
pub unsafe fn copy_many(to: *mut u8, from: *const u8, chunks: usize) {
    let mut done = 0;
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    while chunks - done >= 4 {
        // SAFETY: as in `copy`; four chunks are left.
        unsafe {
            std::arch::asm!(
                "movdqu {a}, [{from}]",
                "movdqu {b}, [{from} + 16]",
                "movdqu {c}, [{from} + 32]",
                "movdqu {d}, [{from} + 48]",
                "movdqu [{to}], {a}",
                "movdqu [{to} + 16], {b}",
                "movdqu [{to} + 32], {c}",
                "movdqu [{to} + 48], {d}",
                a = out(xmm_reg) _, b = out(xmm_reg) _, c = out(xmm_reg) _, d = out(xmm_reg) _,
                from = in(reg) from.add(CHUNK * done), to = in(reg) to.add(CHUNK * done),
                options(nostack, preserves_flags),
            );
        }
        done += 4;
    }
    while done < chunks {
        // SAFETY: a chunk is left.
        unsafe { copy(to.add(CHUNK * done), from.add(CHUNK * done)) };
        done += 1;
    }
}
