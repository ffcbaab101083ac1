//! A launch: host threads take clusters of CTAs in order and run them; all resident clusters make progress.
//!
//! The calling thread is the first worker (`work.rs`). It calls for the help of others (`crew.rs`) only when a launch has
//! lasted a while, or will by what the last one of the kernel took, because that takes longer than a small launch. A
//! launch that is held has one worker (`execution.rs`).

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ptxvm_memory::{AllocationKind, GlobalMemory, Lease};

use crate::context::{Code, Run};
use crate::explain::finding::{Stop, Unsupported};
use crate::launch::{Environment, Launch};
use crate::schedule::cluster::Claims;
use crate::schedule::crew;
use crate::schedule::dependency::Ending;
use crate::schedule::halt::{Deadline, Halt};
use crate::schedule::kept_rooms::Rooms;
use crate::schedule::work::{Common, Work};
use crate::statistics::Statistics;
use ptxvm_profile::Demand;

/// After so long a launch that has CTAs left gets the help of other threads.
const ALONE: Duration = Duration::from_micros(50);

/// A launch that will take longer than this gets it at once.
const LONG: Duration = Duration::from_micros(200);

/// The bytes of a cooperative launch's workspace, the first four of which say so.
const WORKSPACE: u32 = 64;

/// Numbers the launches of the process: `%gridid`.
static GRIDS: AtomicU64 = AtomicU64::new(1);

/// Runs a grid to its end.
pub fn run(
    code: &Code,
    rooms: &Rooms,
    launch: &Launch,
    environment: &Environment<'_>,
) -> Result<Box<Statistics>, Stop> {
    let grid = Grid::new(code, Launched::Elsewhere(launch), *environment)?;
    let run = grid.run();
    let clusters = usize::try_from(run.claims.all()).unwrap_or(usize::MAX);
    let workers = launch.settings.threads.clamp(1, clusters.max(1));
    let common = Common::default();
    let statistics = if workers == 1 {
        work(0, &run, &common, rooms, &mut || {})
    } else {
        together(workers, &run, &common, rooms)
    };
    common.outcome(statistics, &run)
}

/// The life of one worker, which calls for help after each CTA and slice.
fn work(
    number: u64,
    run: &Run<'_>,
    common: &Common,
    rooms: &Rooms,
    help: &mut dyn FnMut(),
) -> Box<Statistics> {
    let mut work = Work::new(number, run, rooms);
    work.go_on(run, common, help);
    work.end(run, common, rooms)
}

/// Runs a grid on the calling thread and, if it lasts, on others.
fn together(workers: usize, run: &Run<'_>, common: &Common, rooms: &Rooms) -> Box<Statistics> {
    let counted = Mutex::new(Vec::new());
    let help = |number| {
        common.helpers.fetch_add(1, Ordering::Relaxed);
        let statistics = work(number, run, common, rooms, &mut || {});
        counted.lock().unwrap_or_else(PoisonError::into_inner).push(statistics);
    };
    let mut statistics = crew::with_help(&help, |caller| {
        let mut alone = rooms.expected(run.claims.all()) < LONG;
        if !alone {
            caller.call(1..workers);
        }
        work(0, run, common, rooms, &mut || {
            if alone && run.began.elapsed() >= ALONE && run.claims.has_more() {
                alone = false;
                caller.call(1..workers);
            }
        })
    });
    let helpers = common.helpers.load(Ordering::Relaxed) as u64;
    rooms.took(run.began.elapsed(), run.claims.all(), helpers + 1);
    let counted = counted.into_inner().unwrap_or_else(PoisonError::into_inner);
    counted.iter().for_each(|more| statistics.add(more));
    statistics
}

/// How a grid was launched: the caller keeps it, or the grid does.
pub(super) enum Launched<'a> {
    Elsewhere(&'a Launch),
    Here(Box<Launch>),
}

impl Deref for Launched<'_> {
    type Target = Launch;

    fn deref(&self) -> &Launch {
        match self {
            Self::Elsewhere(launch) => launch,
            Self::Here(launch) => launch,
        }
    }
}

/// A grid that has been launched, and what lasts as long as it does.
pub(super) struct Grid<'a> {
    code: &'a Code,
    launch: Launched<'a>,
    environment: Environment<'a>,
    parameters: Passing<'a>,
    workspace: Option<Passing<'a>>,
    gridid: u64,
    began: Instant,
    deadline: Deadline,
    resident: u32,
    claims: Arc<Claims>,
    _lease: Lease<'a>,
    _ending: Ending,
}

impl<'a> Grid<'a> {
    /// Takes what the launch needs besides room for its clusters.
    pub fn new(code: &'a Code, launch: Launched<'a>, environment: Environment<'a>) -> Result<Self, Stop> {
        let ending = Ending(launch.status.clone());
        if code.too_large {
            let what = "a kernel with more registers or constants than two gigabytes hold for a warp".into();
            return Err(Stop::Unsupported(Unsupported { what, span: Default::default() }));
        }
        let began = Instant::now();
        let memory = environment.memory;
        let lease = memory.lease();
        let parameters = Passing::new(memory, AllocationKind::Param, &launch.parameters)?;
        let workspace = match launch.cooperative {
            true => {
                let mut bytes = [0; WORKSPACE as usize];
                bytes[..4].copy_from_slice(&WORKSPACE.to_le_bytes());
                Some(Passing::new(memory, AllocationKind::Workspace, &bytes)?)
            }
            false => None,
        };
        let ctas = launch.grid.iter().map(|n| u64::from(*n)).product::<u64>();
        if let Some(status) = &launch.status {
            status.begin(ctas);
        }
        Ok(Self {
            code,
            environment,
            parameters,
            workspace,
            gridid: GRIDS.fetch_add(1, Ordering::Relaxed),
            began,
            deadline: Deadline::new(began, launch.settings.timeout),
            resident: resident(code, &launch, &environment),
            claims: Arc::new(Claims::new(&launch)),
            launch,
            _lease: lease,
            _ending: ending,
        })
    }

    /// What its workers share.
    pub fn run(&self) -> Run<'_> {
        Run {
            code: self.code,
            launch: &self.launch,
            environment: &self.environment,
            parameters: self.parameters.address,
            workspace: self.workspace.as_ref().map_or(0, |workspace| workspace.address),
            gridid: self.gridid,
            began: self.began,
            halt: Halt { host: &self.launch.control.stop, deadline: self.deadline.flag() },
            resident: self.resident,
            claims: &self.claims,
            tier: self.launch.tier.as_deref(),
        }
    }
}

/// How many clusters of a launch the device would hold at once.
fn resident(code: &Code, launch: &Launch, environment: &Environment<'_>) -> u32 {
    let threads = launch.block.iter().product::<u32>();
    let shared = code.shared_bytes.saturating_add(launch.shared);
    // Registers are an estimate, which must not make a kernel wait that a device has room for.
    let demand = Demand { threads, registers: 1, shared, carveout: None };
    match launch.cluster_shape().iter().product::<u32>() {
        1 => environment.profile.ctas_per_multiprocessor(&demand).max(1) * environment.profile.sms,
        size => environment.profile.clusters(&demand, size).max(1),
    }
}

/// Memory that lasts as long as the launch, and is its own: a guest cannot free it.
struct Passing<'a> {
    memory: &'a GlobalMemory,
    address: u64,
}

impl<'a> Passing<'a> {
    fn new(memory: &'a GlobalMemory, kind: AllocationKind, bytes: &[u8]) -> Result<Self, Stop> {
        let address = memory
            .allocate(bytes.len() as u64, 256, kind, None)
            .map_err(|_| Stop::out_of_memory(memory.budget(), bytes.len()))?;
        let passing = Self { memory, address };
        memory.write(address, bytes).map_err(|_| Stop::out_of_memory(memory.budget(), bytes.len()))?;
        Ok(passing)
    }
}

impl Drop for Passing<'_> {
    fn drop(&mut self) {
        // It was allocated here, and nobody else knows how to free it.
        let _ = self.memory.free(self.address);
    }
}
