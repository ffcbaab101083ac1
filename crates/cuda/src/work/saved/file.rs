//! The bytes of an allocation in a file. What is zero takes no room on disk.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use ptxvm_memory::{Allocation, GlobalMemory};

/// So many bytes are copied at once.
const PIECE: u64 = 64 << 10;

/// Writes them.
pub fn write(memory: &GlobalMemory, allocation: &Allocation, path: &Path) -> io::Result<()> {
    let file = File::create_new(path)?;
    file.set_len(allocation.size)?;
    pieces(memory, allocation, |at, piece| {
        if piece.iter().any(|byte| *byte != 0) { file.write_all_at(piece, at) } else { Ok(()) }
    })
}

/// Shows the bytes of an allocation, piece by piece, with the distance of each from the start.
pub fn pieces(
    memory: &GlobalMemory,
    allocation: &Allocation,
    mut see: impl FnMut(u64, &[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut piece = Vec::new();
    let mut at = 0;
    while at < allocation.size {
        piece.resize(PIECE.min(allocation.size - at) as usize, 0);
        let read = memory.read(allocation.start + at, &mut piece);
        read.map_err(|_| io::Error::other("the program has freed memory that the launch uses"))?;
        see(at, &piece)?;
        at += piece.len() as u64;
    }
    Ok(())
}
