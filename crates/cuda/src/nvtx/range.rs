//! The ranges that are open, and those in which work was given.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// More open ranges than this are not remembered, for a thread and for the process.
const MOST: usize = 1000;

/// An open range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// Whose range it is; none for the domain that every program has.
    pub domain: Option<Arc<str>>,
    pub message: Arc<str>,
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.message)?;
        self.domain.iter().try_for_each(|domain| write!(f, " of {domain}"))
    }
}

/// Ranges, the outermost first. Nothing where there are none.
pub type Ranges = Option<Arc<[Range]>>;

/// The open ranges of a thread, over all domains in the order in which they were opened.
#[derive(Default)]
struct Stack {
    open: Vec<(u64, Range)>,
    /// How many are open that have not been remembered, by domain.
    beyond: Vec<u64>,
}

thread_local! {
    static OPEN: RefCell<Stack> = RefCell::default();
    /// The ranges in which the work was given that this thread does now.
    static OF_WORK: RefCell<Ranges> = const { RefCell::new(None) };
}

/// Whether there has been a range in this process.
static USED: AtomicBool = AtomicBool::new(false);
/// The ranges of the process, by their numbers.
static STARTED: Mutex<BTreeMap<u64, Range>> = Mutex::new(BTreeMap::new());

fn started() -> MutexGuard<'static, BTreeMap<u64, Range>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens a range of the thread; gives how many of the domain were open.
pub fn push(domain: u64, range: Range) -> i32 {
    USED.store(true, Ordering::Relaxed);
    let level = OPEN.try_with(|stack| {
        let mut stack = stack.borrow_mut();
        let level = stack.level(domain);
        if stack.open.len() < MOST {
            stack.open.push((domain, range));
        } else if stack.beyond.len() < MOST * MOST {
            stack.beyond.push(domain);
        }
        level
    });
    // A thread that ends has none any more.
    level.unwrap_or_default()
}

/// Closes the thread's last range of a domain; gives how many of it are left, or -1 if there was none.
pub fn pop(domain: u64) -> i32 {
    let level = OPEN.try_with(|stack| {
        let mut stack = stack.borrow_mut();
        if let Some(last) = stack.beyond.iter().rposition(|of| *of == domain) {
            stack.beyond.remove(last);
        } else if let Some(last) = stack.open.iter().rposition(|(of, _)| *of == domain) {
            stack.open.remove(last);
        } else {
            return -1;
        }
        stack.level(domain)
    });
    level.unwrap_or(-1)
}

impl Stack {
    /// How many ranges of a domain are open.
    fn level(&self, domain: u64) -> i32 {
        let open = self.open.iter().filter(|(of, _)| *of == domain).count();
        (open + self.beyond.iter().filter(|of| **of == domain).count()) as i32
    }
}

/// Starts a range of the process.
pub fn start(number: u64, range: Range) {
    USED.store(true, Ordering::Relaxed);
    let mut started = started();
    if started.len() < MOST {
        started.insert(number, range);
    }
}

/// Ends one.
pub fn end(number: u64) {
    started().remove(&number);
}

/// The ranges in which the calling thread is: the process's, and its own.
pub fn current() -> Ranges {
    if !USED.load(Ordering::Relaxed) {
        return None;
    }
    let mut all: Vec<Range> = started().values().cloned().collect();
    let _ = OPEN.try_with(|stack| all.extend(stack.borrow().open.iter().map(|(_, range)| range.clone())));
    (!all.is_empty()).then(|| all.into())
}

/// Does work that was given in these ranges.
pub fn within<R>(ranges: Ranges, work: impl FnOnce() -> R) -> R {
    if ranges.is_none() {
        return work();
    }
    // A thread that is ending can still work, and says of no ranges.
    let set = |ranges| OF_WORK.try_with(|of_work| of_work.replace(ranges)).unwrap_or(None);
    let before = set(ranges);
    let done = work();
    set(before);
    done
}

/// The ranges in which the work was given that the calling thread does now.
pub fn of_work() -> Ranges {
    OF_WORK.try_with(|of_work| of_work.borrow().clone()).unwrap_or(None)
}
