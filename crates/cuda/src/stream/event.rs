//! Events: points in streams that programs wait for, and between which they measure time.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Instant;

use super::capture::Moment;
use super::event_api::DISABLE_TIMING;
use crate::abi::{Answer, CUresult};
use crate::context::Context;
use crate::handles::{Handle, Object};
use crate::work::{Mark, SharedCount};

/// A handle of an event.
pub type CUevent = Handle<Event>;

/// An event.
pub struct Event {
    /// The context that it was made in.
    pub context: Weak<Context>,
    /// In which life of it: a primary context goes on after a reset, without its events.
    life: u64,
    /// `CU_EVENT_*`
    pub flags: u32,
    /// Its count, if other processes may know it.
    pub shared: Option<Arc<SharedCount>>,
    /// The last time that it was recorded; what waits for an earlier one goes on waiting for that.
    latest: Mutex<Option<Arc<Recording>>>,
}

/// One recording of an event.
#[derive(Default)]
pub struct Recording {
    /// When all work before it has been done.
    pub mark: Arc<Mark>,
    time: Arc<OnceLock<Instant>>,
    /// Where it is in a capture, if it is in one.
    pub(super) moment: Option<Moment>,
}

impl Object for Event {}

impl Event {
    /// An event that has not been recorded.
    pub fn new(context: &Arc<Context>, flags: u32, shared: Option<Arc<SharedCount>>) -> Self {
        Self {
            context: Arc::downgrade(context),
            life: context.life(),
            flags,
            shared,
            latest: Mutex::default(),
        }
    }

    /// Whether its context can be used.
    ///
    /// # Errors
    /// The error that a fault left, or that the context has been destroyed.
    pub fn check(&self) -> Answer {
        let context = self.context.upgrade().filter(|context| context.life() == self.life);
        context.ok_or(CUresult::CONTEXT_IS_DESTROYED)?.check()
    }

    /// Whether it was made in this context.
    pub fn is_of(&self, context: &Context) -> bool {
        std::ptr::eq(self.context.as_ptr(), context) && context.life() == self.life
    }

    /// Whether both were made in one context.
    pub fn is_of_the_same_context(&self, other: &Event) -> bool {
        self.context.ptr_eq(&other.context)
    }

    /// Whether it keeps the time.
    pub fn is_timed(&self) -> bool {
        self.flags & DISABLE_TIMING == 0
    }

    /// Its last recording.
    pub fn latest(&self) -> Option<Arc<Recording>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes this its last recording.
    pub fn set(&self, recording: Arc<Recording>) {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(recording);
    }
}

impl Recording {
    /// A moment that work with this end takes the time of.
    pub fn new(mark: Arc<Mark>, time: Arc<OnceLock<Instant>>) -> Self {
        Self { mark, time, moment: None }
    }

    /// A moment in a capture. Nothing is ever done there, and nobody waits for it.
    pub fn captured(moment: Moment) -> Self {
        Self { mark: Arc::new(Mark::done()), moment: Some(moment), ..Self::default() }
    }

    /// Takes the time and lets those go on who wait.
    pub fn take(&self) {
        self.time.get_or_init(Instant::now);
        self.mark.finish();
    }

    /// When it was, if it has been.
    pub fn time(&self) -> Option<Instant> {
        self.time.get().copied()
    }
}
