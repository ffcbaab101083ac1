//! The thread that LLVM runs on.
//!
//! It is a thread of our own for three reasons: its stack is as large as LLVM's recursions need; a fatal error costs
//! this thread and no other; and all that LLVM made is used by one thread only.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, OnceLock};

use crate::cache::CodeCache;

use super::error::CompileError;
use super::fatal::{self, GiveUp};
use super::library::Library;
use super::process;
use super::room::Reserve;
use super::session::Session;
use super::target::Target;

/// Address space for the thread's stack, of which little is ever touched.
const STACK: usize = 64 << 20;

/// The thread, for whoever has work for it. It ends when nobody has it any more.
#[derive(Clone)]
pub struct Worker {
    jobs: Sender<Job>,
    health: Arc<Health>,
}

/// Whether LLVM has given up, and with what message.
#[derive(Default)]
pub struct Health(OnceLock<String>);

/// Something to do.
struct Job {
    work: Box<dyn FnOnce(&Session) + Send>,
    fail: Fail,
}

/// What is called if work cannot be done, or not be finished.
type Fail = Box<dyn FnOnce(CompileError) + Send>;

impl Health {
    /// The error that everybody gets once LLVM has given up.
    pub fn check(&self) -> Result<(), CompileError> {
        match self.0.get() {
            Some(message) => Err(CompileError::Broken(message.clone())),
            None => Ok(()),
        }
    }
}

impl Worker {
    /// Starts the thread, in the process that uses LLVM.
    pub fn start(
        library: Library,
        target: Target,
        cache: Option<Arc<CodeCache>>,
        health: Arc<Health>,
    ) -> Result<Self, CompileError> {
        let (jobs, received) = channel();
        let shared = Arc::clone(&health);
        let thread = std::thread::Builder::new().name("ptxvm-llvm".to_owned()).stack_size(STACK);
        let started = thread.spawn(move || run(&library, target, cache.as_ref(), received, shared));
        match started {
            Ok(_thread) => Ok(Self { jobs, health }),
            Err(error) => Err(CompileError::Setup(format!("no thread could be started: {error}"))),
        }
    }

    /// Has something done, and waits for its result.
    pub fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Session) -> Result<T, CompileError> + Send + 'static,
    ) -> Result<T, CompileError> {
        if !process::is_owner() {
            return Err(CompileError::Forked);
        }
        self.health.check()?;
        // With room for the one answer from the start: none may be found when LLVM gives up for want of memory.
        let (answer, answered) = sync_channel(1);
        let failed = answer.clone();
        self.send(
            move |session| {
                let _gone = answer.try_send(work(session));
            },
            move |error| {
                let _gone = failed.try_send(Err(error));
            },
        );
        answered.recv().unwrap_or_else(|_| Err(self.ended()))
    }

    /// Has something done, without waiting for it.
    pub fn send(
        &self,
        work: impl FnOnce(&Session) + Send + 'static,
        fail: impl FnOnce(CompileError) + Send + 'static,
    ) {
        if process::is_owner() {
            // A thread that has ended takes no jobs; whoever waits for one is told so by the job's end.
            let _gone = self.jobs.send(Job { work: Box::new(work), fail: Box::new(fail) });
        }
    }

    fn ended(&self) -> CompileError {
        let ended = || CompileError::Broken("the compiler's thread has ended".to_owned());
        self.health.check().err().unwrap_or_else(ended)
    }
}

/// What the thread has before it.
struct Desk {
    jobs: Receiver<Job>,
    /// Whom to tell if the job under way is never finished.
    fail: RefCell<Option<Fail>>,
    /// What giving up needs, if it is for want of memory.
    reserve: RefCell<Option<Reserve>>,
    health: Arc<Health>,
}

/// The thread's life.
fn run(
    library: &Library,
    target: Target,
    cache: Option<&Arc<CodeCache>>,
    jobs: Receiver<Job>,
    health: Arc<Health>,
) {
    let desk =
        Rc::new(Desk { jobs, fail: RefCell::default(), reserve: RefCell::new(Some(Reserve::new())), health });
    fatal::on_this_thread(Rc::<Desk>::clone(&desk));
    let mut session = None;
    while let Ok(job) = desk.jobs.recv() {
        let Some(_inside) = process::enter() else {
            (job.fail)(CompileError::Ending);
            continue;
        };
        *desk.fail.borrow_mut() = Some(job.fail);
        match ready(&mut session, library, target, cache) {
            Ok(session) => (job.work)(session),
            Err(error) => desk.refuse(error),
        }
        desk.fail.take();
        // The end of the process waits for this, nobody else does.
        if let Some(session) = &session {
            session.settle();
        }
    }
    // Nobody has code any more. At the end of the process what LLVM has is left where it is.
    let inside = process::enter();
    if inside.is_none() {
        let _left = ManuallyDrop::new(session);
    }
}

/// The session; one that could not be made is tried again at the next job.
fn ready<'a>(
    session: &'a mut Option<Session>,
    library: &Library,
    target: Target,
    cache: Option<&Arc<CodeCache>>,
) -> Result<&'a Session, CompileError> {
    let made = match session.take() {
        Some(made) => made,
        None => {
            fatal::install(library.functions);
            Session::new(library, target, cache.cloned())?
        }
    };
    Ok(session.insert(made))
}

impl Desk {
    /// Tells who waits for the job under way that nothing comes of it.
    fn refuse(&self, error: CompileError) {
        if let Some(fail) = self.fail.take() {
            fail(error);
        }
    }
}

impl GiveUp for Desk {
    fn make_room(&self) {
        drop(self.reserve.take());
    }

    /// Spends the rest of the process with refusals.
    fn give_up(&self, reason: &str) -> ! {
        let _first = self.health.0.set(reason.to_owned());
        process::leave();
        self.refuse(CompileError::Broken(reason.to_owned()));
        while let Ok(job) = self.jobs.recv() {
            (job.fail)(CompileError::Broken(reason.to_owned()));
        }
        loop {
            std::thread::park();
        }
    }
}
