//! Executable graphs: plans with a handle, which programs launch, and change between launches.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::content::Content;
use super::definition::{CUgraphNode, Graph};
use super::launch::GraphLaunch;
use super::memory;
use super::plan::{Plan, RefusedNode, Step};
use crate::abi::{Answer, CUresult};
use crate::handles::{Handle, Object};
use crate::stream::{Stream, capture};
use crate::work::{Mark, Operation};

/// A handle of an executable graph.
pub type CUgraphExec = Handle<Exec>;

/// `CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH`
const AUTO_FREE: u64 = 1;

/// Numbers the executable graphs of the process.
static IDS: AtomicU32 = AtomicU32::new(1);

/// An executable graph.
pub struct Exec {
    /// A number that no other executable graph of the process has.
    pub id: u32,
    /// `CUDA_GRAPH_INSTANTIATE_FLAG_*`
    pub flags: u64,
    state: Mutex<ExecState>,
    /// What a graph that can be made ready only once looks at.
    _instance: Arc<()>,
}

struct ExecState {
    plan: Arc<Plan>,
    /// The end of the last launch: launches of one executable graph come one after the other.
    last: Option<Arc<Mark>>,
}

impl Object for Exec {
    const STALE: CUresult = CUresult::INVALID_VALUE;
}

impl Exec {
    /// Makes a graph executable.
    ///
    /// # Errors
    /// Its edges go round in circles, or it holds memory and is executable already.
    pub fn create(graph: &Arc<Graph>, flags: u64) -> Result<CUgraphExec, RefusedNode> {
        let plan = Arc::new(Plan::new(graph)?);
        let instance = Arc::new(());
        let mut definition = graph.state();
        if definition.has_memory() {
            if definition.instance.strong_count() > 0 {
                return Err((CUresult::NOT_SUPPORTED, CUgraphNode::NULL));
            }
            definition.instance = Arc::downgrade(&instance);
        }
        drop(definition);
        let state = Mutex::new(ExecState { plan, last: None });
        let id = IDS.fetch_add(1, Ordering::Relaxed);
        Ok(Handle::insert(Arc::new(Self { id, flags, state, _instance: instance })))
    }

    /// Launches it in a stream; the call does not wait.
    ///
    /// # Errors
    /// The stream cannot be used, or memory of the launch before has not been freed.
    pub fn launch(&self, stream: &Arc<Stream>) -> Answer {
        let mut state = self.state();
        if stream.is_capturing() {
            let graph = state.plan.graph()?;
            graph.own();
            let added = capture::add(stream, Content::Child(Arc::clone(&graph)));
            if added.is_err() {
                graph.release();
            }
            return added;
        }
        memory::check(&state.plan, self.flags & AUTO_FREE != 0)?;
        let launch = Arc::new(GraphLaunch::new(Arc::clone(&state.plan)));
        let after: Vec<Arc<Mark>> = state.last.iter().cloned().collect();
        let mark = stream.submit(Operation::Graph(Arc::clone(&launch)), &after)?;
        launch.announce(&mark);
        memory::account(&state.plan);
        state.last = Some(mark);
        Ok(())
    }

    /// Changes a step.
    ///
    /// # Errors
    /// The node is none of the graph that this was made from, or what `change` says.
    pub fn change<T>(&self, node: CUgraphNode, change: impl FnOnce(&mut Step) -> Answer<T>) -> Answer<T> {
        let mut state = self.state();
        // A launch that is under way keeps the plan as it was.
        let plan = Arc::make_mut(&mut state.plan);
        change(plan.find(node).ok_or(CUresult::INVALID_VALUE)?)
    }

    /// Changes the plan.
    pub fn with_plan<T>(&self, change: impl FnOnce(&mut Plan) -> T) -> T {
        change(Arc::make_mut(&mut self.state().plan))
    }

    fn state(&self) -> MutexGuard<'_, ExecState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
