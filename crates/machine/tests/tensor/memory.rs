//! Memory for the tests' tensors and boxes: aligned, and larger than anything that is copied.
#![allow(unsafe_code)]

/// The byte that the H200's buffers held at an index.
pub fn golden_byte(index: u64) -> u8 {
    (index.wrapping_mul(2_654_435_761) >> 11) as u8
}

/// Bytes at a multiple of 128.
pub struct Aligned {
    lines: Vec<Line>,
}

/// A whole line, for its alignment.
#[derive(Clone, Copy)]
#[repr(C, align(128))]
struct Line([u8; 128]);

impl Aligned {
    pub fn filled(bytes: usize, byte: u8) -> Self {
        Self { lines: vec![Line([byte; 128]); bytes.div_ceil(128)] }
    }

    /// The tensor that the H200 was given.
    pub fn golden_tensor(bytes: usize) -> Self {
        let mut memory = Self::filled(bytes, 0);
        for (i, byte) in memory.bytes_mut().iter_mut().enumerate() {
            *byte = golden_byte(i as u64);
        }
        memory
    }

    pub fn pointer(&mut self) -> *mut u8 {
        self.lines.as_mut_ptr().cast()
    }

    /// The address of the first byte, which tensor maps may name.
    pub fn address(&mut self) -> u64 {
        self.pointer().expose_provenance() as u64
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: a line is 128 bytes and nothing else.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), 128 * self.lines.len()) }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), 128 * self.lines.len()) }
    }
}
