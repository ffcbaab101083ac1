//! Guest memory sixteen bytes at a time: what the copy engine moves rows of boxes in.
//!
//! A chunk is touched as [`crate::access`] touches words: on x86-64 by the processor's own moves of sixteen bytes,
//! which to the compiler are no accesses that could race, and whose aligned halves are whole in every race; elsewhere
//! as two words.
#![allow(unsafe_code)]

/// The bytes of a chunk.
pub const CHUNK: usize = 16;

/// Copies one chunk.
///
/// # Safety
/// As for [`crate::access::copy`], with sixteen bytes at multiples of eight that are the same or do not overlap.
#[inline(always)]
pub unsafe fn copy(to: *mut u8, from: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
    // SAFETY: the instructions touch what the caller says, and change one register that the compiler chose.
    unsafe {
        std::arch::asm!(
            "movdqu {chunk}, [{from}]",
            "movdqu [{to}], {chunk}",
            chunk = out(xmm_reg) _, from = in(reg) from, to = in(reg) to,
            options(nostack, preserves_flags),
        );
    }
    #[cfg(not(all(target_arch = "x86_64", not(any(miri, sanitized)))))]
    // SAFETY: the caller's promise, passed on.
    unsafe {
        crate::access::store(to, crate::access::load::<u128>(from));
    }
}

/// The bytes of a chunk of guest memory.
///
/// # Safety
/// As for [`crate::access::load`], for a chunk at a multiple of eight.
#[inline(always)]
#[must_use]
pub unsafe fn load(from: *const u8) -> [u8; CHUNK] {
    #[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
    // SAFETY: the instruction reads what the caller says into a register that the compiler chose, which has as many bytes.
    unsafe {
        let chunk: std::arch::x86_64::__m128i;
        std::arch::asm!(
            "movdqu {chunk}, [{from}]",
            chunk = out(xmm_reg) chunk, from = in(reg) from,
            options(nostack, preserves_flags, readonly),
        );
        std::mem::transmute::<_, [u8; CHUNK]>(chunk)
    }
    #[cfg(not(all(target_arch = "x86_64", not(any(miri, sanitized)))))]
    // SAFETY: the caller's promise, passed on.
    unsafe {
        crate::access::load::<u128>(from).to_le_bytes()
    }
}

/// Whether chunks of guest memory that follow one another are these.
///
/// # Safety
/// As for [`crate::access::load`], for as many chunks at a multiple of eight.
#[must_use]
pub unsafe fn are(at: *const u8, chunks: &[[u8; CHUNK]]) -> bool {
    #[cfg(all(target_arch = "x86_64", not(any(miri, sanitized, no_avx512))))]
    if std::arch::is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor has the instructions, and the caller promises the rest.
        return unsafe { are_by_lines(at, chunks) };
    }
    // SAFETY: the caller's promise, passed on.
    unsafe { are_one_by_one(at, chunks) }
}

/// The same, one after the other.
///
/// # Safety
/// As for [`are`].
unsafe fn are_one_by_one(at: *const u8, chunks: &[[u8; CHUNK]]) -> bool {
    let differences = chunks.iter().enumerate().fold(0, |differences, (k, chunk)| {
        // SAFETY: the chunk is one of the caller's.
        let found = unsafe { crate::access::load::<u128>(at.wrapping_add(CHUNK * k)) };
        differences | found ^ u128::from_le_bytes(*chunk)
    });
    differences == 0
}

/// The same, four at a time.
///
/// # Safety
/// As for [`are`].
#[cfg(all(target_arch = "x86_64", not(any(miri, sanitized, no_avx512))))]
#[target_feature(enable = "avx512f")]
unsafe fn are_by_lines(at: *const u8, chunks: &[[u8; CHUNK]]) -> bool {
    use std::arch::x86_64::{
        __m512i, _mm512_loadu_si512, _mm512_or_si512, _mm512_setzero_si512, _mm512_test_epi64_mask,
        _mm512_xor_si512,
    };
    let (lines, rest) = chunks.as_chunks::<4>();
    let mut differences = _mm512_setzero_si512();
    for (k, line) in lines.iter().enumerate() {
        let found: __m512i;
        // SAFETY: the instruction reads four of the caller's chunks into a register that the compiler chose; the other
        // load is of as many of our own.
        unsafe {
            std::arch::asm!(
                "vmovdqu64 {found}, [{at}]",
                found = out(zmm_reg) found, at = in(reg) at.wrapping_add(4 * CHUNK * k),
                options(nostack, preserves_flags, readonly),
            );
            let line = _mm512_loadu_si512(line.as_ptr().cast());
            differences = _mm512_or_si512(differences, _mm512_xor_si512(found, line));
        }
    }
    // SAFETY: the caller's promise, passed on for the rest.
    _mm512_test_epi64_mask(differences, differences) == 0
        && unsafe { are_one_by_one(at.wrapping_add(CHUNK * 4 * lines.len()), rest) }
}

/// Rows of chunks: how many, how many chunks each, and how far the next is.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// How many rows.
    pub count: u32,
    /// The chunks of each.
    pub chunks: u32,
    /// From a row to the next where they go.
    pub to_step: usize,
    /// From a row to the next where they come from.
    pub from_step: usize,
}

/// Copies rows of chunks that follow one another.
///
/// # Safety
/// As for [`copy`], for all of them.
pub unsafe fn copy_rows(to: *mut u8, from: *const u8, rows: Rows) {
    #[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
    if std::arch::is_x86_feature_detected!("avx") {
        // SAFETY: the processor has the instructions, and the caller promises the rest.
        return unsafe { copy_rows_by_pairs(to, from, rows) };
    }
    let (mut to, mut from) = (to, from);
    for _ in 0..rows.count {
        prefetch(from.wrapping_add(AHEAD.wrapping_mul(rows.from_step)), CHUNK * rows.chunks as usize);
        for k in 0..rows.chunks as usize {
            // SAFETY: the chunk is one of the caller's.
            unsafe { copy(to.wrapping_add(CHUNK * k), from.wrapping_add(CHUNK * k)) };
        }
        (to, from) = (to.wrapping_add(rows.to_step), from.wrapping_add(rows.from_step));
    }
}

/// The same, two chunks at a time.
///
/// # Safety
/// As for [`copy_rows`].
#[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
#[target_feature(enable = "avx")]
unsafe fn copy_rows_by_pairs(to: *mut u8, from: *const u8, rows: Rows) {
    let (mut to, mut from) = (to, from);
    for _ in 0..rows.count {
        prefetch(from.wrapping_add(AHEAD.wrapping_mul(rows.from_step)), CHUNK * rows.chunks as usize);
        let chunks = rows.chunks as usize;
        for k in 0..chunks / 8 {
            // SAFETY: the instructions touch eight of the caller's chunks, and change four registers that the compiler
            // chose.
            unsafe {
                std::arch::asm!(
                    "vmovdqu {a}, [{from}]",
                    "vmovdqu {b}, [{from} + 32]",
                    "vmovdqu {c}, [{from} + 64]",
                    "vmovdqu {d}, [{from} + 96]",
                    "vmovdqu [{to}], {a}",
                    "vmovdqu [{to} + 32], {b}",
                    "vmovdqu [{to} + 64], {c}",
                    "vmovdqu [{to} + 96], {d}",
                    a = out(ymm_reg) _, b = out(ymm_reg) _, c = out(ymm_reg) _, d = out(ymm_reg) _,
                    from = in(reg) from.wrapping_add(8 * CHUNK * k), to = in(reg) to.wrapping_add(8 * CHUNK * k),
                    options(nostack, preserves_flags),
                );
            }
        }
        for k in chunks / 8 * 8..chunks {
            // SAFETY: the chunk is one of the caller's.
            unsafe { copy(to.wrapping_add(CHUNK * k), from.wrapping_add(CHUNK * k)) };
        }
        (to, from) = (to.wrapping_add(rows.to_step), from.wrapping_add(rows.from_step));
    }
    // The halves that other instructions do not know of are left clean, which is faster for them.
    std::arch::x86_64::_mm256_zeroupper();
}

/// How many rows ahead of a copy the cache is asked for them: the processor does not foresee where the next row is.
pub const AHEAD: usize = 12;

/// Has the processor bring so many bytes into its cache, if it knows how. Nothing need be there.
#[inline(always)]
pub fn prefetch(from: *const u8, bytes: usize) {
    #[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
    for line in (0..bytes).step_by(64) {
        // SAFETY: every x86-64 has the instruction, and it touches nothing that could be seen.
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(
                from.wrapping_add(line).cast(),
            );
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(any(miri, sanitized)))))]
    let _ = (from, bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_that_differs_is_seen_wherever_it_is() {
        for count in 0..=9 {
            let chunks: Vec<[u8; CHUNK]> =
                (0..count).map(|k| std::array::from_fn(|i| (CHUNK * k + i) as u8)).collect();
            let mut words: Vec<u64> = chunks
                .as_flattened()
                .chunks_exact(8)
                .map(|bytes| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)))
                .collect();
            let same = |words: &mut [u64]| {
                // SAFETY: the words are there, and nobody else uses them.
                unsafe { are(words.as_mut_ptr().cast(), &chunks) }
            };
            assert!(same(&mut words), "{count}");
            for byte in 0..CHUNK * count {
                words[byte / 8] ^= 1 << (byte % 8 * 8);
                assert!(!same(&mut words), "{byte} of {count}");
                words[byte / 8] ^= 1 << (byte % 8 * 8);
            }
        }
    }
}
