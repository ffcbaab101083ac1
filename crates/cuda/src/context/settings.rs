//! What a program sets on a context: flags, limits and preferences. Most have no effect on a CPU; we store and return them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ptxvm_profile::Profile;

use super::flags::Flags;
use super::limits::Limits;

/// The settings of a context.
pub struct ContextSettings(Mutex<Values>);

/// Their values.
#[derive(Clone)]
pub struct Values {
    /// `CU_CTX_*`
    pub flags: Flags,
    /// `CU_LIMIT_*`
    pub limits: Limits,
    /// `CU_FUNC_CACHE_*`
    pub cache: u32,
    /// The version of the API that the context was made by.
    pub api_version: u32,
}

impl ContextSettings {
    /// The settings of a new context.
    pub fn new(profile: &Profile) -> Self {
        let limits = Limits::new(profile);
        Self(Mutex::new(Values { flags: Flags::default(), limits, cache: 0, api_version: 3020 }))
    }

    /// For looking at and changing them.
    pub fn lock(&self) -> MutexGuard<'_, Values> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As if the context were new.
    pub fn reset(&self, profile: &Profile) {
        *self.lock() = Self::new(profile).0.into_inner().unwrap_or_else(PoisonError::into_inner);
    }
}
