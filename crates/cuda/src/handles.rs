//! Handles: the numbers by which programs name contexts, modules, streams and all other objects.
//!
//! A handle is a key of one table, never a pointer. A null, stale or invented one finds nothing, and one of another kind
//! finds something else; both return an error and can do no harm.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use slotmap::{DefaultKey, Key, KeyData, SlotMap};

use crate::abi::{Answer, CUresult};

/// Something that programs have handles of.
pub trait Object: Any + Send + Sync {
    /// What a handle is answered that names no such object.
    const STALE: CUresult = CUresult::INVALID_HANDLE;
}

type Slots = SlotMap<DefaultKey, Arc<dyn Any + Send + Sync>>;

static SLOTS: LazyLock<RwLock<Slots>> = LazyLock::new(RwLock::default);

/// A handle of a `T`, as it stands in signatures.
#[repr(transparent)]
pub struct Handle<T>(u64, PhantomData<fn() -> T>);

impl<T> Handle<T> {
    /// The handle that names nothing.
    pub const NULL: Self = Self::new(0);

    /// A handle with this number.
    pub const fn new(number: u64) -> Self {
        Self(number, PhantomData)
    }

    /// Its number.
    pub const fn number(self) -> u64 {
        self.0
    }

    /// Whether it names nothing by intent.
    pub const fn is_null(self) -> bool {
        self.0 == 0
    }
}

impl<T: Object> Handle<T> {
    /// Gives an object a handle.
    pub fn insert(object: Arc<T>) -> Self {
        let key = SLOTS.write().unwrap_or_else(PoisonError::into_inner).insert(object);
        Self::new(key.data().as_ffi())
    }

    /// Gives an object a handle that it knows itself.
    pub fn insert_with(make: impl FnOnce(Self) -> Arc<T>) -> Self {
        let mut slots = SLOTS.write().unwrap_or_else(PoisonError::into_inner);
        let key = slots.insert_with_key(|key| make(Self::new(key.data().as_ffi())) as _);
        Self::new(key.data().as_ffi())
    }

    /// The object.
    ///
    /// # Errors
    /// The handle names no `T`.
    pub fn get(self) -> Answer<Arc<T>> {
        self.find().ok_or(T::STALE)
    }

    /// The object, if the handle names one.
    pub fn find(self) -> Option<Arc<T>> {
        let slots = SLOTS.read().unwrap_or_else(PoisonError::into_inner);
        let object = Arc::clone(slots.get(self.key()?)?);
        drop(slots);
        object.downcast().ok()
    }

    /// Takes the object away: the handle is stale from now on.
    ///
    /// # Errors
    /// The handle names no `T`.
    pub fn remove(self) -> Answer<Arc<T>> {
        let mut slots = SLOTS.write().unwrap_or_else(PoisonError::into_inner);
        let key = self.key().ok_or(T::STALE)?;
        let of_this_kind = slots.get(key).is_some_and(|object| (**object).is::<T>());
        let object = if of_this_kind { slots.remove(key) } else { None };
        drop(slots);
        object.and_then(|object| object.downcast().ok()).ok_or(T::STALE)
    }

    /// All objects of this kind.
    pub fn all() -> Vec<Arc<T>> {
        let slots = SLOTS.read().unwrap_or_else(PoisonError::into_inner);
        slots.values().filter_map(|object| Arc::clone(object).downcast().ok()).collect()
    }

    /// How many objects of this kind have a handle.
    pub fn count() -> usize {
        let slots = SLOTS.read().unwrap_or_else(PoisonError::into_inner);
        slots.values().filter(|object| (***object).is::<T>()).count()
    }

    /// The key that has this number. Small numbers, such as those of the default streams, look like keys but are none.
    fn key(self) -> Option<DefaultKey> {
        let key = KeyData::from_ffi(self.0);
        (key.as_ffi() == self.0).then(|| key.into())
    }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Handle<T> {}

impl<T> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl<T> Eq for Handle<T> {}

impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}
