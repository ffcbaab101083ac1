//! The options of a launch: its shape, its arguments, how it is executed, and where the text it prints goes.

use std::sync::Arc;

use ptxvm_check::{Footprint, Races};
use ptxvm_machine::{Checks, Control, Event, GridStatus, MemoryModel, Mistakes, Settings};

use ptxvm_order::OrderQuestion;
use ptxvm_weak::StaleReads;

use crate::arguments::{Argument, Arguments};
use crate::kernel::Kernel;

/// A size in three dimensions; from one number, two or three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimensions(pub [u32; 3]);

impl Dimensions {
    /// How many there are in all: the CTAs of a grid, the threads of a CTA. A number that does not fit is the largest.
    #[must_use]
    pub fn product(self) -> u64 {
        self.0.iter().fold(1, |product: u64, &n| product.saturating_mul(n.into()))
    }
}

impl Default for Dimensions {
    fn default() -> Self {
        Self([1; 3])
    }
}

impl From<u32> for Dimensions {
    fn from(x: u32) -> Self {
        Self([x, 1, 1])
    }
}

impl From<(u32, u32)> for Dimensions {
    fn from((x, y): (u32, u32)) -> Self {
        Self([x, y, 1])
    }
}

impl From<(u32, u32, u32)> for Dimensions {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Self([x, y, z])
    }
}

impl From<[u32; 3]> for Dimensions {
    fn from(xyz: [u32; 3]) -> Self {
        Self(xyz)
    }
}

/// Takes what the guest prints; it may be called from several threads.
pub type Print = Arc<dyn Fn(&[u8]) + Send + Sync>;

/// Takes the handle of a conditional node and the value that the guest gives it; it may be called from several threads.
pub type SetConditional = Arc<dyn Fn(u64, u32) + Send + Sync>;

/// Takes what happens in a launch that orders memory; it may be called from several threads.
pub type OnEvent = Arc<dyn Fn(&Event) + Send + Sync>;

/// Everything about a launch but the kernel.
///
/// ```
/// use std::time::Duration;
/// use ptxvm_vm::{LaunchOptions, Settings};
/// let launch = LaunchOptions {
///     shared: 4096,
///     settings: Settings { timeout: Some(Duration::from_secs(10)), ..Settings::default() },
///     ..LaunchOptions::new((64, 64), 256).argument(7u32)
/// };
/// assert_eq!(launch.grid.0, [64, 64, 1]);
/// ```
#[derive(Clone, Default)]
pub struct LaunchOptions {
    /// CTAs in each dimension.
    pub grid: Dimensions,
    /// Threads of a CTA in each dimension.
    pub block: Dimensions,
    /// CTAs of a cluster in each dimension; `None` for what the kernel's own directives say.
    pub cluster: Option<Dimensions>,
    /// Whether a cluster may have more CTAs than every device with clusters takes: 16 rather than 8.
    pub nonportable_cluster: bool,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// The values of the parameters.
    pub arguments: Arguments,
    /// How it is executed.
    pub settings: Settings,
    /// Whether all CTAs must be resident together, so that they can wait for each other (`grid.sync()`).
    pub cooperative: bool,
    /// Tells how far the launch is, for grids that may begin before this one has ended (`griddepcontrol`). It says
    /// that the grid has ended when the launch has, however that came about.
    pub status: Option<Arc<GridStatus>>,
    /// The grids whose end this one waits for at `griddepcontrol.wait`.
    pub prerequisites: Vec<Arc<GridStatus>>,
    /// Has the mistakes of the launch that an H200 survives after it, with
    /// [`Findings::Report`](ptxvm_machine::Findings::Report).
    pub mistakes: Option<Arc<Mistakes>>,
    /// Has the reads that saw an older write after the launch, with
    /// [`MemoryModel::Weak`](ptxvm_machine::MemoryModel::Weak).
    pub stale: Option<Arc<StaleReads>>,
    /// Has the races of the launch after it, with [`Check::Race`](ptxvm_machine::Check::Race). Reads then see the newest writes, whatever
    /// the memory model.
    pub races: Option<Arc<Races>>,
    /// Has what the launch touched after it, with [`Check::Race`](ptxvm_machine::Check::Race), to be compared with the launch
    /// before it and the one after it.
    pub footprint: Option<Arc<Footprint>>,
    /// Where blocks of the guest's heap are kept that no kernel has given back yet, with
    /// [`Check::Leak`](ptxvm_machine::Check::Leak). Without, what the launch leaves is one of its mistakes.
    pub heap_blocks: Option<Arc<HeapBlocks>>,
    /// A question about the order of two accesses, which has its answer after the launch. It runs as one with a weak
    /// memory does.
    pub order: Option<Arc<OrderQuestion>>,
    /// How to watch the launch and to stop it from another thread.
    pub control: Arc<Control>,
    /// Takes what the guest prints; without one it is dropped.
    pub print: Option<Print>,
    /// Takes what the guest gives conditional nodes of a graph; without one that is not supported.
    pub set_conditional: Option<SetConditional>,
    /// Takes what happens that orders memory: fences, asynchronous operations, mbarriers. With one host thread, in the
    /// order in which it happens; with several, each cluster's events are.
    pub on_event: Option<OnEvent>,
}

/// The blocks of the guest's heap that nobody has given back, with the kernels that took them.
pub type HeapBlocks = ptxvm_check::HeapBlocks<Kernel>;

impl LaunchOptions {
    /// Whether what orders memory is followed: reads may see older writes, something of this is looked for, or somebody
    /// asks.
    pub(crate) fn follows_order(&self, checks: Checks) -> bool {
        self.settings.memory_model == MemoryModel::Weak || self.order.is_some() || checks.are_any()
    }

    /// Whether more was found than is told (`check_limit`).
    #[must_use]
    pub fn has_left_out(&self) -> bool {
        self.mistakes.as_ref().is_some_and(|mistakes| mistakes.has_left_out())
            || self.races.as_ref().is_some_and(|races| races.have_left_out())
    }

    /// What is looked for besides faults. A question about order has the launch for itself.
    pub(crate) fn checks(&self) -> Checks {
        if self.order.is_none() { self.settings.checks } else { Checks::NONE }
    }

    /// A launch of this shape, without arguments and limits.
    #[must_use]
    pub fn new(grid: impl Into<Dimensions>, block: impl Into<Dimensions>) -> Self {
        Self { grid: grid.into(), block: block.into(), ..Self::default() }
    }

    /// Appends an argument.
    #[must_use]
    pub fn argument(mut self, argument: impl Argument) -> Self {
        self.arguments.push(argument);
        self
    }

    /// Has what the guest prints given to `print`.
    #[must_use]
    pub fn on_print(mut self, print: impl Fn(&[u8]) + Send + Sync + 'static) -> Self {
        self.print = Some(Arc::new(print));
        self
    }

    /// Has what happens that orders memory given to `told`.
    #[must_use]
    pub fn on_event(mut self, told: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        self.on_event = Some(Arc::new(told));
        self
    }
}

impl std::fmt::Debug for LaunchOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LaunchOptions")
            .field("grid", &self.grid)
            .field("block", &self.block)
            .field("shared", &self.shared)
            .field("arguments", &self.arguments)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
