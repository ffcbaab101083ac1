//! Reading the guest's memory for a function of the device: checked like every access of the guest's own.
#![allow(unsafe_code)]

use ptxvm_memory::access;

use crate::context::Context;
use crate::door::address::{AddressSpace, Wants};
use crate::registers::LANES;
use crate::vector::lanes::Flow;

/// Bytes of a string after which the reader looks whether the launch is to end.
const PIECE: usize = 1 << 14;

/// Reads bytes at a lane's generic address; a finding if they are not all there.
pub fn read(context: &mut Context<'_>, lane: usize, address: u64, to: &mut [u8]) -> Result<(), Flow> {
    let bytes = to.len() as u64;
    let pointers =
        context.resolve(AddressSpace::Generic, &[address; LANES], 1 << lane, bytes, 1, Wants::Read)?;
    // SAFETY: `resolve` has checked the bytes of this lane.
    unsafe { access::copy_out(pointers.lane(lane, 0), to) };
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
