//! The driver's table of the memory that it gave to programs: the owner, the kind, and the attributes.
//!
//! The table of `ptxvm_memory` says what the guest may access; this one says what programs may free and query.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use ptxvm_memory::{AllocationKind, GlobalMemory};

use super::managed::Advice;
use super::physical::Physical;
use super::pool::Pool;
use crate::context::CUcontext;
use crate::driver;
use crate::report::leak;
use crate::work::memory_is_new;

/// One allocation, registration or mapping.
pub struct Record {
    /// Its first address.
    pub start: u64,
    /// Its bytes.
    pub size: u64,
    /// How it came to be.
    pub kind: MemoryKind,
    /// The context that it is freed with; null if it belongs to none.
    pub context: CUcontext,
    /// A number that no other one ever has.
    pub id: u64,
    /// `CU_POINTER_ATTRIBUTE_SYNC_MEMOPS`
    pub sync: AtomicBool,
    /// Which function of the program took it, if leaks are looked for.
    pub taker: Option<String>,
    /// Whether the memory has been given back.
    released: AtomicBool,
}

/// How memory came to be.
pub enum MemoryKind {
    /// `cuMemAlloc`
    Device,
    /// `cuMemHostAlloc`, with its flags.
    Pinned(u32),
    /// `cuMemHostRegister`, with its flags.
    Registered(u32),
    /// `cuMemAllocManaged`, with what was advised.
    Managed(Mutex<Advice>),
    /// From a pool.
    Pool(Arc<Pool>),
    /// A node of a graph, which gives it back itself.
    Graph(AllocationKind),
    /// `cuMemMap`
    Mapped(Arc<Physical>),
    /// `cuIpcOpenMemHandle`
    Imported,
    /// The texels of an array, which programs have no pointer to.
    Array,
}

impl MemoryKind {
    /// Whether it is memory of the host's.
    pub fn on_host(&self) -> bool {
        matches!(self, MemoryKind::Pinned(_) | MemoryKind::Registered(_))
    }
}

static RECORDS: RwLock<BTreeMap<u64, Arc<Record>>> = RwLock::new(BTreeMap::new());
static IDS: AtomicU64 = AtomicU64::new(1);

impl Record {
    /// The address after the last.
    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.size)
    }

    /// Gives the memory back, once.
    pub fn release(&self, memory: &GlobalMemory) {
        if self.released.swap(true, Ordering::AcqRel) {
            return;
        }
        match &self.kind {
            MemoryKind::Registered(_) | MemoryKind::Imported => {
                // Nothing else releases what was lent, and the memory itself is the program's, or another one's.
                let _ = memory.release(std::ptr::without_provenance(self.start as usize));
            }
            MemoryKind::Mapped(_) | MemoryKind::Graph(_) => {}
            kind => {
                // Nothing else frees what the driver gave.
                let _ = memory.free(self.start);
                if let MemoryKind::Pool(pool) = kind {
                    pool.returned(self.size);
                }
            }
        }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        // Nobody can name the memory any more: a free that a fault of the context left undone is done now.
        if let Ok(driver) = driver::get() {
            self.release(driver.device.memory());
        }
    }
}

/// Enters memory.
pub fn insert(start: u64, size: u64, kind: MemoryKind, context: CUcontext) {
    memory_is_new(start, size);
    let sync = AtomicBool::new(!kind.on_host());
    let id = IDS.fetch_add(1, Ordering::Relaxed);
    let released = AtomicBool::new(false);
    let taker = leak::taker();
    let record = Arc::new(Record { start, size, kind, context, id, sync, taker, released });
    RECORDS.write().unwrap_or_else(PoisonError::into_inner).insert(start, record);
}

/// Enters memory again that was taken out.
pub fn restore(record: Arc<Record>) {
    RECORDS.write().unwrap_or_else(PoisonError::into_inner).insert(record.start, record);
}

/// Enters memory of a node of a graph.
pub fn insert_graph(start: u64, size: u64, kind: AllocationKind) {
    insert(start, size, MemoryKind::Graph(kind), CUcontext::NULL);
}

/// Forgets memory of a node of a graph.
pub fn forget_graph(start: u64) {
    let _ = take(start, |record| matches!(record.kind, MemoryKind::Graph(_)));
}

/// All of it.
pub fn all() -> Vec<Arc<Record>> {
    RECORDS.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
}

/// What holds an address.
pub fn at(address: u64) -> Option<Arc<Record>> {
    let records = RECORDS.read().unwrap_or_else(PoisonError::into_inner);
    let (_, record) = records.range(..=address).next_back()?;
    (address < record.end()).then(|| Arc::clone(record))
}

/// What shares an address with a range.
pub fn overlapping(start: u64, end: u64) -> Option<Arc<Record>> {
    let records = RECORDS.read().unwrap_or_else(PoisonError::into_inner);
    let (_, record) = records.range(..end).next_back()?;
    (record.end() > start).then(|| Arc::clone(record))
}

/// Takes out what starts at an address, if it may be: whoever gets it gives the memory back, and nobody else can.
pub fn take(start: u64, may: impl FnOnce(&Record) -> bool) -> Option<Arc<Record>> {
    let mut records = RECORDS.write().unwrap_or_else(PoisonError::into_inner);
    records.get(&start).is_some_and(|record| may(record)).then(|| records.remove(&start))?
}
