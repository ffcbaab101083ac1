//! How often the library has been initialised, and which handle its device has.

use std::sync::{Mutex, PoisonError};

use crate::facts::facts;
use crate::result::{Answer, NvmlReturn};

/// How often it was initialised and not shut down.
static USERS: Mutex<u64> = Mutex::new(0);

/// `nvmlDevice_t`: an address of this library's, of the one device.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Device(usize);

/// What the handle points to.
static PLACE: u8 = 0;

impl Device {
    /// The device's handle.
    pub fn the_one() -> Self {
        Self((&raw const PLACE).addr())
    }

    /// Whether a program has handed over the handle of the device.
    ///
    /// # Errors
    /// It has not.
    pub fn check(self) -> Answer {
        if self == Self::the_one() { Ok(()) } else { Err(NvmlReturn::INVALID_ARGUMENT) }
    }
}

/// Initialises the library once more.
///
/// # Errors
/// There is no libcuda to ask.
pub fn begin() -> Answer {
    facts()?;
    *users() += 1;
    Ok(())
}

/// Takes one initialisation back.
///
/// # Errors
/// There is none.
pub fn end() -> Answer {
    let mut users = users();
    *users = users.checked_sub(1).ok_or(NvmlReturn::UNINITIALIZED)?;
    Ok(())
}

/// Whether the library may be asked.
///
/// # Errors
/// It has not been initialised.
pub fn ready() -> Answer {
    if *users() == 0 { Err(NvmlReturn::UNINITIALIZED) } else { Ok(()) }
}

fn users() -> std::sync::MutexGuard<'static, u64> {
    USERS.lock().unwrap_or_else(PoisonError::into_inner)
}
