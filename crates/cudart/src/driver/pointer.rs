//! Questions about an address, whose answers have different types.
#![allow(unsafe_code)]

use ptxvm_abi::{Host, OutAny};

use super::functions::cuPointerGetAttribute;
use crate::error::Answer;

/// Numbers that answers are, of at most eight bytes.
pub trait Number: Default {}
impl Number for u32 {}
impl Number for u64 {}

/// What is known of an address.
///
/// # Errors
/// The driver does not know it.
pub fn pointer_attribute<T: Number>(attribute: u32, address: Host) -> Answer<T> {
    // Every answer fits into eight bytes, whatever is asked for.
    let mut room = [T::default(), T::default()];
    // SAFETY: the place is there for the call, and a type's answer is no longer than two of the numbers.
    let place = unsafe { OutAny::new((&raw mut room).cast()) };
    cuPointerGetAttribute(place, attribute, address)?;
    let [answer, _] = room;
    Ok(answer)
}
