//! Which context a call of the runtime works in: the one that the program has made current through the driver API, else the
//! device's primary one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::driver::{
    cuCtxGetCurrent, cuCtxSetCurrent, cuDevicePrimaryCtxReset, cuDevicePrimaryCtxRetain, cuInit,
};
use crate::error::Answer;

/// The one device that there is.
pub const DEVICE: i32 = 0;

/// The primary context, if the runtime retains it.
static PRIMARY: Mutex<Option<u64>> = Mutex::new(None);
/// The handle of a primary context that was reset: threads may have it still.
static STALE: AtomicU64 = AtomicU64::new(0);

/// Makes the driver, if nobody has.
///
/// # Errors
/// There is none, or it cannot work in this process.
pub fn driver() -> Answer {
    cuInit(0u32)
}

/// Sees to it that a context is current.
///
/// # Errors
/// There is no driver.
pub fn ready() -> Answer {
    let mut current = 0u64;
    // A driver that is not initialised answers with an error, and so does a process that was forked from one that had it.
    if cuCtxGetCurrent(&mut current).is_err() {
        driver()?;
    }
    if current != 0 && current != STALE.load(Ordering::Relaxed) {
        Ok(())
    } else {
        cuCtxSetCurrent(primary()?)
    }
}

/// Makes the primary context current, whatever is now.
///
/// # Errors
/// There is no driver.
pub fn use_primary() -> Answer {
    driver()?;
    cuCtxSetCurrent(primary()?)
}

/// The primary context, retained.
///
/// # Errors
/// There is no driver.
pub fn primary() -> Answer<u64> {
    driver()?;
    let mut primary = PRIMARY.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(context) = *primary {
        return Ok(context);
    }
    let mut context = 0u64;
    cuDevicePrimaryCtxRetain(&mut context, DEVICE)?;
    *primary = Some(context);
    STALE.store(0, Ordering::Relaxed);
    Ok(context)
}

/// Gives back everything that the device's primary context has; the next call makes it anew.
///
/// # Errors
/// There is no driver.
pub fn reset() -> Answer {
    driver()?;
    let mut primary = PRIMARY.lock().unwrap_or_else(PoisonError::into_inner);
    cuDevicePrimaryCtxReset(DEVICE)?;
    if let Some(context) = primary.take() {
        STALE.store(context, Ordering::Relaxed);
    }
    Ok(())
}
