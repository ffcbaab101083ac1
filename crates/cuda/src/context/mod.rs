//! Contexts: each owns a program's work and memory, and becomes unusable when a guest faults.

mod anew;
mod api;
mod current;
mod flags;
mod life;
mod limits;
mod primary;
mod settings;
mod unsupported;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptxvm_vm::Device;

pub use api::*;
pub use current::{current, current_even_if_broken, pop, push, set, top};
pub use life::*;
pub use primary::*;
pub use settings::ContextSettings;
pub use unsupported::*;

use crate::abi::{Answer, CUresult};
use crate::handles::{Handle, Object};
use crate::stream::{Stream, Streams};
use crate::{array, memory, module, texture};

/// A handle of a context.
pub type CUcontext = Handle<Context>;

/// A context.
pub struct Context {
    /// Its own handle.
    pub handle: CUcontext,
    /// A number that no other context of the process has.
    pub id: u64,
    /// The device that it is on.
    pub device: Device,
    /// Whether it is the device's primary context.
    pub primary: bool,
    /// Whether it can be used: a primary context that nobody retains cannot.
    pub active: AtomicBool,
    /// How often it has given up everything: what was made in an earlier life is of no use any more.
    lives: AtomicU64,
    /// How often it is attached to or, if it is the primary one, retained.
    pub users: Mutex<u32>,
    /// What the program has set on it.
    pub settings: ContextSettings,
    /// The error that a guest's fault left, or 0. Every later call gets it too.
    fault: AtomicU32,
    /// Held while work is given to streams, so that "all work so far" has a meaning.
    order: Mutex<()>,
    /// Its streams, the legacy default stream among them.
    pub streams: Streams,
    /// Its arrays.
    pub arrays: array::ArrayHoldings,
    /// Its memory.
    pub memory: memory::MemoryHoldings,
    /// Its modules.
    pub modules: module::ModuleHoldings,
}

impl Object for Context {
    const STALE: CUresult = CUresult::INVALID_CONTEXT;
}

/// Numbers the contexts of the process.
static IDS: AtomicU64 = AtomicU64::new(1);

impl Context {
    /// A context without anything in it.
    pub fn new(handle: CUcontext, device: Device, primary: bool) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            handle,
            id: IDS.fetch_add(1, Ordering::Relaxed),
            settings: ContextSettings::new(device.profile()),
            device,
            primary,
            active: AtomicBool::new(!primary),
            lives: AtomicU64::new(0),
            users: Mutex::new(u32::from(!primary)),
            fault: AtomicU32::new(0),
            order: Mutex::new(()),
            streams: Streams::new(this.clone()),
            arrays: array::ArrayHoldings::default(),
            memory: memory::MemoryHoldings::default(),
            modules: module::ModuleHoldings::default(),
        })
    }

    /// Whether it can be used.
    ///
    /// # Errors
    /// The error that a guest's fault left, or that nobody retains it.
    pub fn check(&self) -> Answer {
        match self.fault.load(Ordering::Acquire) {
            _ if !self.is_active() => Err(CUresult::CONTEXT_IS_DESTROYED),
            0 => Ok(()),
            fault => Err(CUresult(fault)),
        }
    }

    /// Whether it has not ended.
    pub fn is_active(&self) -> bool {
        self.active.load(Ordering::Acquire)
    }

    /// Makes it unusable: the guest did something that real hardware does not survive either. The first stays.
    pub fn break_with(&self, fault: CUresult) {
        let _ = self.fault.compare_exchange(0, fault.0, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Makes it usable again after a guest's fault. Its memory is as the guest left it.
    fn mend(&self) {
        self.streams.forget_interrupt();
        self.fault.store(0, Ordering::Release);
    }

    /// Keeps others from giving work to its streams meanwhile.
    pub fn ordered(&self) -> MutexGuard<'_, ()> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The stream that stands for no stream.
    pub fn legacy(&self) -> &Arc<Stream> {
        self.streams.legacy()
    }

    /// Waits for all its work.
    ///
    /// # Errors
    /// A fault of the guest's.
    pub fn synchronize(&self) -> Answer {
        self.streams.synchronize()?;
        self.check()
    }

    /// How often it has given up everything.
    pub fn life(&self) -> u64 {
        self.lives.load(Ordering::Acquire)
    }

    /// Gives up everything it holds, after its work has been done: it is as if new.
    pub fn release(&self) {
        // Only a host function that destroys its own context is refused, and then its work is not waited for.
        let _ = self.streams.synchronize();
        self.lives.fetch_add(1, Ordering::AcqRel);
        self.streams.release();
        self.modules.release();
        texture::release(self);
        self.arrays.release();
        self.memory.release(self);
        self.fault.store(0, Ordering::Release);
    }
}
