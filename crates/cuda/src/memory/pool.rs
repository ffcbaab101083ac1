//! Memory pools, from which stream-ordered allocations come, with the numbers that programs query and set.
//!
//! Every allocation is in the device's table, as all memory is, so its bounds are known and use after free is found. A pool
//! only counts what it has given out, and how much the driver would keep in reserve.

use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use ptxvm_memory::AllocationKind;

use super::location::{CUmemLocation, CUmemPoolProps, MANAGED, PINNED, READ_WRITE, Where};
use crate::abi::{Answer, CUresult};
use crate::handles::{Handle, Object};

/// A handle of a pool.
pub type CUmemoryPool = Handle<Pool>;

/// The driver reserves memory for a pool in steps of this.
pub const STEP: u64 = 32 << 20;

/// `CU_MEM_HANDLE_TYPE_NONE`, `_POSIX_FILE_DESCRIPTOR` and `_FABRIC`; the others are those of Windows.
const NO_HANDLES: u32 = 0;
const FILE_DESCRIPTOR: u32 = 1;
const FABRIC: u32 = 8;

/// A pool.
pub struct Pool {
    /// Its own handle.
    pub handle: CUmemoryPool,
    /// What it was made as.
    pub properties: CUmemPoolProps,
    /// Whether it is there from the beginning, and stays.
    pub is_default: bool,
    books: Mutex<Books>,
}

/// The numbers of a pool.
#[derive(Clone, Copy, Debug)]
pub struct Books {
    /// Which ways of using memory again are allowed: attributes 1, 2 and 3.
    pub reuse: [i32; 3],
    /// How much may be reserved without being used.
    pub threshold: u64,
    pub reserved: u64,
    pub reserved_high: u64,
    pub used: u64,
    pub used_high: u64,
    /// What the device may do with its memory.
    pub access: u32,
}

impl Object for Pool {
    const STALE: CUresult = CUresult::INVALID_VALUE;
}

impl Pool {
    /// Makes a pool with a handle.
    fn create(properties: CUmemPoolProps, is_default: bool) -> Arc<Self> {
        let make = |handle| {
            let (reuse, access) = ([1; 3], READ_WRITE);
            let (reserved, reserved_high, used, used_high) = (0, 0, 0, 0);
            let books = Books { reuse, threshold: 0, reserved, reserved_high, used, used_high, access };
            Arc::new(Self { handle, properties, is_default, books: Mutex::new(books) })
        };
        let mut made = None;
        Handle::insert_with(|handle| Arc::clone(made.insert(make(handle))));
        // The handle's object has been made by the call above.
        made.unwrap_or_else(|| make(CUmemoryPool::NULL))
    }

    /// Makes a pool for a program.
    ///
    /// # Errors
    /// There can be no such pool.
    pub fn new(properties: CUmemPoolProps) -> Answer<Arc<Self>> {
        match (properties.kind, properties.location.kind) {
            (PINNED, _) => drop(properties.location.place_of_pool()?),
            // A managed pool need not have a place that it prefers.
            (MANAGED, 0) => {}
            (MANAGED, _) => drop(properties.location.place_of_pool()?),
            _ => return Err(CUresult::INVALID_VALUE),
        }
        match properties.handle_types {
            NO_HANDLES | FILE_DESCRIPTOR => {}
            FABRIC => return Err(CUresult::NOT_SUPPORTED),
            _ => return Err(CUresult::INVALID_VALUE),
        }
        Ok(Self::create(properties, false))
    }

    /// The numbers.
    pub fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What its allocations are.
    pub fn allocation_kind(&self) -> AllocationKind {
        match (self.properties.kind, self.properties.location.place_of_pool()) {
            (MANAGED, _) => AllocationKind::Managed,
            (_, Ok(Where::Host)) => AllocationKind::Pinned,
            _ => AllocationKind::Device,
        }
    }

    /// Counts an allocation.
    ///
    /// # Errors
    /// The pool may not be as big.
    pub fn given(&self, bytes: u64) -> Answer {
        let mut books = self.books();
        let used = books.used.checked_add(bytes).ok_or(CUresult::OUT_OF_MEMORY)?;
        let most = self.properties.max_size as u64;
        if most > 0 && used > most.next_multiple_of(STEP) {
            return Err(CUresult::OUT_OF_MEMORY);
        }
        books.used = used;
        books.used_high = books.used_high.max(used);
        books.reserved = books.reserved.max(used.next_multiple_of(STEP));
        books.reserved_high = books.reserved_high.max(books.reserved);
        Ok(())
    }

    /// Counts a free.
    pub fn returned(&self, bytes: u64) {
        let mut books = self.books();
        books.used = books.used.saturating_sub(bytes);
        let keep = books.threshold;
        books.trim(keep);
    }
}

impl Books {
    /// Lets what is reserved and not used go, except for what is to be kept.
    pub fn trim(&mut self, keep: u64) {
        let needed = self.used.next_multiple_of(STEP);
        self.reserved = self.reserved.min(needed.max(keep)).max(needed);
    }
}

/// The pools that are there from the beginning, and those that programs have put in their place.
static DEFAULTS: LazyLock<[Arc<Pool>; 3]> = LazyLock::new(|| {
    [(PINNED, CUmemLocation::DEVICE), (PINNED, CUmemLocation::HOST), (MANAGED, CUmemLocation::default())].map(
        |(kind, location)| {
            let (handle_types, win32, max_size, usage, rdma) = (0, 0, 0, 0, 0);
            let reserved = [0; 53];
            let properties =
                CUmemPoolProps { kind, handle_types, location, win32, max_size, usage, rdma, reserved };
            Pool::create(properties, true)
        },
    )
});
static CHOSEN: Mutex<[CUmemoryPool; 3]> = Mutex::new([CUmemoryPool::NULL; 3]);

/// Which of the three a program means.
fn place(location: CUmemLocation, kind: u32) -> Answer<usize> {
    match (kind, location.kind) {
        (MANAGED, 0) => Ok(2),
        (MANAGED, _) => location.place_of_pool().map(|_| 2),
        (PINNED, _) => location.place_of_pool().map(|place| usize::from(place == Where::Host)),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// The pool that is there from the beginning.
///
/// # Errors
/// There is no such place.
pub fn default_pool(location: CUmemLocation, kind: u32) -> Answer<Arc<Pool>> {
    Ok(Arc::clone(&DEFAULTS[place(location, kind)?]))
}

/// The pool that allocations come from which name none.
///
/// # Errors
/// There is no such place.
pub fn current_pool(location: CUmemLocation, kind: u32) -> Answer<Arc<Pool>> {
    let place = place(location, kind)?;
    let chosen = CHOSEN.lock().unwrap_or_else(PoisonError::into_inner)[place];
    // A pool that has been destroyed leaves its place to the default one.
    Ok(chosen.find().unwrap_or_else(|| Arc::clone(&DEFAULTS[place])))
}

/// Chooses the pool that allocations come from which name none.
///
/// # Errors
/// There is no such place, or the pool is for another.
pub fn choose_pool(location: CUmemLocation, kind: u32, pool: CUmemoryPool) -> Answer {
    let index = place(location, kind)?;
    let properties = pool.get()?.properties;
    if place(properties.location, properties.kind)? != index {
        return Err(CUresult::INVALID_VALUE);
    }
    CHOSEN.lock().unwrap_or_else(PoisonError::into_inner)[index] = pool;
    Ok(())
}
