//! What a node does, in a graph and in a plan. In a graph, a child is a graph that programs can change; in a plan it is a
//! plan.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::conditional::Conditional;
use super::memory::Allocation;
use crate::abi::{Answer, CUdeviceptr, CUresult};
use crate::module::CUkernel;
use crate::stream::{CUevent, Event};
use crate::work::{KernelLaunch, Operation};

/// What a node does.
#[derive(Clone)]
pub enum Content<G> {
    /// A kernel.
    Kernel(Box<KernelNode>),
    /// Work of another kind, or nothing.
    Work(Operation),
    /// A graph inside the graph.
    Child(G),
    /// A wait for an event that is recorded outside.
    Wait(EventNode),
    /// The moment of an event, for those outside.
    Record(EventNode),
    /// Memory that is there from here on.
    Allocate(Arc<Allocation>),
    /// Memory that is gone from here on.
    Free(CUdeviceptr),
    /// Graphs that a value decides on.
    Conditional(Conditional<G>),
}

/// A kernel with what programs say of the node.
#[derive(Clone)]
pub struct KernelNode {
    pub launch: KernelLaunch,
    /// The kernel of a library by which the program named the function; null if it did not.
    pub kernel: CUkernel,
    /// The attributes that change nothing for us, to be given back: `CUlaunchAttributeID` to its value.
    pub attributes: BTreeMap<u32, [u64; 8]>,
}

/// An event that a node records or waits for.
#[derive(Clone)]
pub struct EventNode {
    pub handle: CUevent,
    pub event: Arc<Event>,
}

impl EventNode {
    /// The event of a handle.
    ///
    /// # Errors
    /// There is none.
    pub fn new(handle: CUevent) -> Answer<Self> {
        Ok(Self { handle, event: handle.find().ok_or(CUresult::INVALID_VALUE)? })
    }
}

/// `CUgraphNodeType`
pub mod kind {
    pub const KERNEL: u32 = 0;
    pub const MEMCPY: u32 = 1;
    pub const MEMSET: u32 = 2;
    pub const HOST: u32 = 3;
    pub const GRAPH: u32 = 4;
    pub const EMPTY: u32 = 5;
    pub const WAIT_EVENT: u32 = 6;
    pub const EVENT_RECORD: u32 = 7;
    pub const MEM_ALLOC: u32 = 10;
    pub const MEM_FREE: u32 = 11;
    pub const BATCH_MEM_OP: u32 = 12;
    pub const CONDITIONAL: u32 = 13;
}

impl<G> Content<G> {
    /// What captured work becomes.
    pub fn new(operation: Operation) -> Self {
        match operation {
            Operation::Kernel(launch) => Content::Kernel(Box::new(KernelNode {
                launch,
                kernel: CUkernel::NULL,
                attributes: BTreeMap::new(),
            })),
            operation => Content::Work(operation),
        }
    }

    /// `CUgraphNodeType`
    pub fn kind(&self) -> u32 {
        match self {
            Content::Kernel(_) | Content::Work(Operation::Kernel(_)) => kind::KERNEL,
            Content::Work(Operation::Copy(_) | Operation::Staged(_)) => kind::MEMCPY,
            Content::Work(Operation::Fill(_)) => kind::MEMSET,
            Content::Work(Operation::Host(_) | Operation::Callback(_)) => kind::HOST,
            Content::Work(Operation::Graph(_)) | Content::Child(_) => kind::GRAPH,
            Content::Work(Operation::Empty) => kind::EMPTY,
            Content::Work(Operation::Values(_)) => kind::BATCH_MEM_OP,
            Content::Work(Operation::Await(_)) | Content::Wait(_) => kind::WAIT_EVENT,
            Content::Work(Operation::Record(_) | Operation::Reach(_)) | Content::Record(_) => {
                kind::EVENT_RECORD
            }
            Content::Allocate(_) => kind::MEM_ALLOC,
            Content::Work(Operation::Free(_)) | Content::Free(_) => kind::MEM_FREE,
            Content::Conditional(_) => kind::CONDITIONAL,
        }
    }

    /// The same with something else in the place of the graphs in it.
    ///
    /// # Errors
    /// What `change` says.
    pub fn try_map<H>(&self, mut change: impl FnMut(&G) -> Answer<H>) -> Answer<Content<H>> {
        Ok(match self {
            Content::Kernel(kernel) => Content::Kernel(kernel.clone()),
            Content::Work(operation) => Content::Work(operation.clone()),
            Content::Child(graph) => Content::Child(change(graph)?),
            Content::Wait(event) => Content::Wait(event.clone()),
            Content::Record(event) => Content::Record(event.clone()),
            Content::Allocate(allocation) => Content::Allocate(Arc::clone(allocation)),
            Content::Free(address) => Content::Free(*address),
            Content::Conditional(conditional) => Content::Conditional(conditional.try_map(change)?),
        })
    }

    /// The graphs in it.
    pub fn graphs(&self) -> &[G] {
        match self {
            Content::Child(graph) => std::slice::from_ref(graph),
            Content::Conditional(conditional) => &conditional.bodies,
            _ => &[],
        }
    }
}
