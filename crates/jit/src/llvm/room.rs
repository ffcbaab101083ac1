//! Memory for a compilation: LLVM must not be the first to find that there is none.
//!
//! LLVM gives up when it finds no memory, and what it has taken until then stays taken; meanwhile other threads of the
//! process find none either. So a compilation begins only if there is as much as it is likely to take, and some memory
//! is kept back, for going on without LLVM if it gives up all the same.

use super::error::CompileError;

/// What LLVM takes for a byte of text. A kernel of 2,000 instructions with a hundred branches is a text of 1.3 MB, and
/// the process grows by 89 MB.
const OF_A_BYTE: usize = 100;

/// What it takes for any text: the stack of its thread, and its tables.
const OF_ANY: usize = 128 << 20;

/// How much is kept back. None of it is touched.
const RESERVE: usize = 16 << 20;

/// Whether a text can be compiled.
pub fn check(text: &str) -> Result<(), CompileError> {
    let bytes = text.len().saturating_mul(OF_A_BYTE).saturating_add(OF_ANY);
    if untouched(bytes).is_some() { Ok(()) } else { Err(CompileError::Memory(bytes)) }
}

/// Memory that is kept back, until this is dropped.
pub struct Reserve(#[expect(dead_code, reason = "it is held, not used")] Option<Vec<u8>>);

impl Reserve {
    pub fn new() -> Self {
        Self(untouched(RESERVE))
    }
}

/// So many bytes that nobody touches, if they are to be had.
fn untouched(bytes: usize) -> Option<Vec<u8>> {
    let mut room = Vec::new();
    room.try_reserve_exact(bytes).ok()?;
    // Memory that nobody looks at need not be asked for at all, the compiler thinks.
    Some(std::hint::black_box(room))
}
