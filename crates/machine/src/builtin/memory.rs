//! Reading the guest's memory for a function of the device: checked like every access of the guest's own.

use crate::context::Context;
use crate::door::address::AddressSpace;
use crate::door::touch::Wants;
use crate::vector::lanes::Flow;

/// Bytes of a string after which the reader looks whether the launch is to end.
const PIECE: usize = 1 << 14;

/// Reads bytes at a lane's generic address; a finding if they are not all there.
pub fn read(context: &mut Context<'_>, lane: usize, address: u64, to: &mut [u8]) -> Result<(), Flow> {
    let bytes = to.len() as u64;
    context.resolve_lane(AddressSpace::Generic, lane, address, bytes, 1, Wants::Read)?.read(to);
    Ok(())
}

/// Reads a string up to its terminator, which is not part of it, or up to `most` bytes.
pub fn string(context: &mut Context<'_>, lane: usize, address: u64, most: usize) -> Result<Vec<u8>, Flow> {
    let mut text = Vec::new();
    while text.len() < most {
        let mut byte = [0];
        read(context, lane, address.wrapping_add(text.len() as u64), &mut byte)?;
        if byte == [0] {
            break;
        }
        text.push(byte[0]);
        if text.len() % PIECE == 0 {
            context.spend(PIECE as u64)?;
        }
    }
    context.spend((text.len() % PIECE) as u64)?;
    Ok(text)
}
