//! Moves between registers, and packing and unpacking of vectors: the manual's 9.7.9.3 and 9.7.9.4.
//!
//! Addresses of variables and functions and special registers arrive here as plain sources.

use ptxvm_ir::operation::compute::Movement;

use super::logic::mask;
use super::permute;
use crate::vector::lanes::{self, Op};

/// The operation of a move.
pub fn executor(movement: Movement) -> Option<Op> {
    match movement {
        Movement::Copy { bits: 1 } => Some(mask(|a| a)),
        Movement::Copy { bits } => scalar(bits),
        Movement::CopyVector { count, bits } => copy_each(count, bits),
        Movement::Spread { count, bits } => spread(count, bits),
        Movement::Pack { count, part, kept } => match kept == u128::MAX >> (128 - count * part) {
            true => pack(count, part),
            false => pack_some(count, part, kept as u32),
        },
        Movement::Unpack { count, part } => unpack(count, part),
        Movement::Prmt { selector } => Some(permute::bytes(selector)),
        Movement::PrmtMode(mode) => Some(permute::with_mode(mode)),
    }
}

fn copy_each(count: u32, bits: u32) -> Option<Op> {
    Some(match (count, bits) {
        (2, 16) => lanes::map2(|a: u16, b: u16| (a, b)),
        (2, 32) => lanes::map2(|a: u32, b: u32| (a, b)),
        (2, 64) => lanes::map2(|a: u64, b: u64| (a, b)),
        (4, 16) => lanes::map4(|a: u16, b: u16, c: u16, d: u16| (a, b, c, d)),
        (4, 32) => lanes::map4(|a: u32, b: u32, c: u32, d: u32| (a, b, c, d)),
        _ => return None,
    })
}

fn spread(count: u32, bits: u32) -> Option<Op> {
    Some(match (count, bits) {
        (2, 16) => lanes::map1(|a: u16| (a, a)),
        (2, 32) => lanes::map1(|a: u32| (a, a)),
        (2, 64) => lanes::map1(|a: u64| (a, a)),
        (4, 16) => lanes::map1(|a: u16| (a, a, a, a)),
        (4, 32) => lanes::map1(|a: u32| (a, a, a, a)),
        _ => return None,
    })
}

fn scalar(bits: u32) -> Option<Op> {
    Some(match bits {
        8 => lanes::simd1(|a: u8| a),
        16 => lanes::simd1(|a: u16| a),
        32 => lanes::simd1(|a: u32| a),
        64 => lanes::simd1(|a: u64| a),
        128 => lanes::map1(|a: u128| a),
        _ => return None,
    })
}

/// The first element is the lowest.
fn pack(count: u32, part: u32) -> Option<Op> {
    Some(match (count, part) {
        (2, 8) => lanes::map2(|a: u8, b: u8| u16::from_le_bytes([a, b])),
        (4, 8) => lanes::map4(|a: u8, b: u8, c: u8, d: u8| u32::from_le_bytes([a, b, c, d])),
        (2, 16) => lanes::simd2(|a: u16, b: u16| u32::from(a) | u32::from(b) << 16),
        (4, 16) => lanes::map4(|a: u16, b: u16, c: u16, d: u16| {
            u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48
        }),
        (2, 32) => lanes::simd2(|a: u32, b: u32| u64::from(a) | u64::from(b) << 32),
        (4, 32) => lanes::map4(|a: u32, b: u32, c: u32, d: u32| {
            u128::from(a) | u128::from(b) << 32 | u128::from(c) << 64 | u128::from(d) << 96
        }),
        (2, 64) => lanes::map2(|a: u64, b: u64| u128::from(a) | u128::from(b) << 64),
        _ => return None,
    })
}

/// A sink among the elements leaves zeros in its place.
fn pack_some(count: u32, part: u32, kept: u32) -> Option<Op> {
    Some(match (count, part) {
        (4, 8) => lanes::map4(move |a: u8, b: u8, c: u8, d: u8| u32::from_le_bytes([a, b, c, d]) & kept),
        (2, 16) => lanes::map2(move |a: u16, b: u16| (u32::from(a) | u32::from(b) << 16) & kept),
        _ => return None,
    })
}

/// The lowest goes to the first element.
fn unpack(count: u32, part: u32) -> Option<Op> {
    Some(match (count, part) {
        (2, 8) => lanes::map1(|a: u16| (a as u8, (a >> 8) as u8)),
        (4, 8) => lanes::map1(|a: u32| (a as u8, (a >> 8) as u8, (a >> 16) as u8, (a >> 24) as u8)),
        (2, 16) => lanes::simd1(|a: u32| (a as u16, (a >> 16) as u16)),
        (4, 16) => lanes::map1(|a: u64| (a as u16, (a >> 16) as u16, (a >> 32) as u16, (a >> 48) as u16)),
        (2, 32) => lanes::simd1(|a: u64| (a as u32, (a >> 32) as u32)),
        (4, 32) => lanes::map1(|a: u128| (a as u32, (a >> 32) as u32, (a >> 64) as u32, (a >> 96) as u32)),
        (2, 64) => lanes::map1(|a: u128| (a as u64, (a >> 64) as u64)),
        _ => return None,
    })
}
