//! Copies of bytes that run on through the rows of an array, which CUDA has deprecated since 10.1.

use ptxvm_abi::Host;

use super::kind::{Kind, in_array};
use crate::array::row_bytes;
use crate::driver::{cuMemcpy3D, cuMemcpy3DAsync};
use crate::entry::entry;
use crate::error::{Answer, CudaError};
use crate::layout::{Array, Cuboid, Side, Stream};

/// A rectangle of an array, and where its bytes are among those that are copied.
struct Piece {
    x: usize,
    y: usize,
    width: usize,
    rows: usize,
    offset: usize,
}

/// A place in rows of as many bytes: what is beyond the end of a row is in the next.
fn place(row: usize, x: usize, y: usize) -> Answer<(usize, usize)> {
    let further = x.checked_div(row).and_then(|rows| y.checked_add(rows));
    further.map(|y| (x % row, y)).ok_or(CudaError::INVALID_VALUE)
}

/// The rectangles that bytes from a place of an array on fill: the end of a row, whole rows, the start of one.
fn pieces(row: usize, x: usize, y: usize, count: usize) -> Answer<Vec<Piece>> {
    let (x, y) = place(row, x, y)?;
    let mut pieces = Vec::new();
    let (mut x, mut y, mut offset) = (x, y, 0);
    while offset < count {
        let left = count - offset;
        let (width, rows) = if x == 0 && left >= row { (row, left / row) } else { (left.min(row - x), 1) };
        pieces.push(Piece { x, y, width, rows, offset });
        offset += width * rows;
        y += rows;
        x = 0;
    }
    Ok(pieces)
}

/// Copies the pieces between an array and memory.
fn run(
    array: Array,
    x: usize,
    y: usize,
    count: usize,
    sides: impl Fn(Side, &Piece, usize) -> (Side, Side),
    copy: impl Fn(&Cuboid) -> Answer,
) -> Answer {
    let row = row_bytes(array)?;
    for piece in pieces(row, x, y, count)? {
        let (from, to) = sides(in_array(array, piece.x, piece.y, 0), &piece, row);
        copy(&Cuboid { from, to, width_in_bytes: piece.width, height: piece.rows, depth: 1 })?;
    }
    Ok(())
}

/// Copies to an array.
fn fill(
    to: (Array, usize, usize),
    from: Host,
    count: usize,
    kind: u32,
    copy: impl Fn(&Cuboid) -> Answer,
) -> Answer {
    if count == 0 {
        return Ok(());
    }
    let kind = Kind::into_device(kind)?;
    let sides = |array, piece: &Piece, row| (kind.from(from.offset(piece.offset as u64), row, 0), array);
    run(to.0, to.1, to.2, count, sides, copy)
}

/// Copies from an array.
fn take(
    to: Host,
    from: (Array, usize, usize),
    count: usize,
    kind: u32,
    copy: impl Fn(&Cuboid) -> Answer,
) -> Answer {
    if count == 0 {
        return Ok(());
    }
    let kind = Kind::out_of_device(kind)?;
    let sides = |array, piece: &Piece, row| (array, kind.to(to.offset(piece.offset as u64), row, 0));
    run(from.0, from.1, from.2, count, sides, copy)
}

entry! {
    fn cudaMemcpyToArray[cudaMemcpyToArray_ptds](
        to: Array, x: usize, y: usize, from: Host, count: usize, kind: u32,
    ) {
        fill((to, x, y), from, count, kind, |copy| cuMemcpy3D(copy))
    }

    fn cudaMemcpyToArrayAsync[cudaMemcpyToArrayAsync_ptsz](
        to: Array, x: usize, y: usize, from: Host, count: usize, kind: u32, stream: Stream,
    ) {
        fill((to, x, y), from, count, kind, |copy| cuMemcpy3DAsync(copy, stream))
    }

    fn cudaMemcpyFromArray[cudaMemcpyFromArray_ptds](
        to: Host, from: Array, x: usize, y: usize, count: usize, kind: u32,
    ) {
        take(to, (from, x, y), count, kind, |copy| cuMemcpy3D(copy))
    }

    fn cudaMemcpyFromArrayAsync[cudaMemcpyFromArrayAsync_ptsz](
        to: Host, from: Array, x: usize, y: usize, count: usize, kind: u32, stream: Stream,
    ) {
        take(to, (from, x, y), count, kind, |copy| cuMemcpy3DAsync(copy, stream))
    }

    /// Arrays with rows of the same length: otherwise pieces of one are no rectangles of the other.
    fn cudaMemcpyArrayToArray[cudaMemcpyArrayToArray_ptds](
        to: Array, to_x: usize, to_y: usize, from: Array, from_x: usize, from_y: usize, count: usize, kind: u32,
    ) {
        if count == 0 {
            return Ok(());
        }
        Kind::within_device(kind)?;
        let row = row_bytes(to)?;
        let ((to_x, to_y), (from_x, from_y)) = (place(row, to_x, to_y)?, place(row, from_x, from_y)?);
        if row != row_bytes(from)? || to_x != from_x {
            return Err(CudaError::NOT_SUPPORTED);
        }
        let down = |piece: &Piece| piece.y - to_y + from_y;
        let sides = |array, piece: &Piece, _| (in_array(from, piece.x, down(piece), 0), array);
        run(to, to_x, to_y, count, sides, |copy| cuMemcpy3D(copy))
    }
}
