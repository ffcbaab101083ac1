//! The entry points that create and destroy graphs and nodes.

use std::sync::{Arc, Mutex, PoisonError};

use super::dependencies;
use crate::abi::{
    Answer, CUDA_CHILD_GRAPH_NODE_PARAMS, CUDA_CONDITIONAL_NODE_PARAMS, CUDA_EVENT_NODE_PARAMS,
    CUDA_HOST_NODE_PARAMS_v1, CUDA_HOST_NODE_PARAMS_v2, CUDA_KERNEL_NODE_PARAMS_v1,
    CUDA_KERNEL_NODE_PARAMS_v2, CUDA_MEM_ALLOC_NODE_PARAMS, CUDA_MEMCPY_NODE_PARAMS,
    CUDA_MEMSET_NODE_PARAMS_v1, CUDA_MEMSET_NODE_PARAMS_v2, CUdeviceptr, CUgraphEdgeData, CUgraphNodeParams,
    CUresult, In, Out,
};
use crate::context::{CUcontext, current};
use crate::entry::entry;
use crate::graph::conditional::{CUgraphConditionalHandle, Choice, Conditional};
use crate::graph::content::{Content, EventNode, kind};
use crate::graph::definition::{CUgraph, CUgraphNode, Dependency, Graph};
use crate::graph::memory::Allocation;
use crate::graph::params;
use crate::memory::Cuboid;
use crate::module::CUkernel;
use crate::stream::CUevent;
use crate::work::Operation;
use crate::{driver, report};

/// `CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE`
pub(super) const CLONE: i32 = 0;
/// `CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE`
const MOVE: i32 = 1;

entry! {
    fn cuGraphCreate(graph: Out<CUgraph>, flags: u32) {
        driver::get()?;
        if graph.is_null() || flags != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        graph.set(Graph::create().handle)
    }

    fn cuGraphDestroy(graph: CUgraph) {
        driver::get()?;
        let graph = graph.get()?;
        if graph.is_owned() {
            return Err(CUresult::INVALID_VALUE);
        }
        graph.release();
        Ok(())
    }

    fn cuGraphClone(clone: Out<CUgraph>, graph: CUgraph) {
        driver::get()?;
        if clone.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        clone.set(graph.get()?.duplicate()?.handle)
    }

    fn cuGraphDestroyNode(node: CUgraphNode) {
        driver::get()?;
        let node = node.get()?;
        let graph = node.graph()?;
        let mut state = graph.state();
        if state.has_memory() {
            return Err(CUresult::NOT_SUPPORTED);
        }
        let entry = state.remove(node.number).ok_or(CUresult::INVALID_VALUE)?;
        drop(state);
        entry.release();
        Ok(())
    }

    fn cuGraphAddKernelNode(
        node: Out<CUgraphNode>, graph: CUgraph, before: In<CUgraphNode>, count: usize,
        params: In<CUDA_KERNEL_NODE_PARAMS_v1>,
    ) {
        add(node, graph, before, count, || kernel(&params.get()?.into()))
    }

    fn cuGraphAddKernelNode_v2(
        node: Out<CUgraphNode>, graph: CUgraph, before: In<CUgraphNode>, count: usize,
        params: In<CUDA_KERNEL_NODE_PARAMS_v2>,
    ) {
        add(node, graph, before, count, || kernel(&params.get()?))
    }

    fn cuGraphAddMemcpyNode(
        node: Out<CUgraphNode>, graph: CUgraph, before: In<CUgraphNode>, count: usize,
        params: In<Cuboid>, context: CUcontext,
    ) {
        add(node, graph, before, count, || copy(&params.get()?, context))
    }

    fn cuGraphAddMemsetNode(
        node: Out<CUgraphNode>, graph: CUgraph, before: In<CUgraphNode>, count: usize,
        params: In<CUDA_MEMSET_NODE_PARAMS_v1>, context: CUcontext,
    ) {
        add(node, graph, before, count, || fill(&params.get()?, context))
    }

    fn cuGraphAddHostNode(
        node: Out<CUgraphNode>, graph: CUgraph, before: In<CUgraphNode>, count: usize,
        params: In<CUDA_HOST_NODE_PARAMS_v1>,
    ) {
        add(node, graph, before, count, || host(&params.get()?))
    }

    fn cuGraphAddChildGraphNode(
        node: Out<CUgraphNode>, graph: CUgraph, before: In<CUgraphNode>, count: usize, child: CUgraph,
    ) {
        add(node, graph, before, count, || embed(child, CLONE, graph))
    }

    fn cuGraphAddEmptyNode(node: Out<CUgraphNode>, graph: CUgraph, before: In<CUgraphNode>, count: usize) {
        add(node, graph, before, count, || Ok(Content::Work(Operation::Empty)))
    }

    fn cuGraphAddEventRecordNode(
        node: Out<CUgraphNode>, graph: CUgraph, before: In<CUgraphNode>, count: usize, event: CUevent,
    ) {
        add(node, graph, before, count, || Ok(Content::Record(EventNode::new(event)?)))
    }

    fn cuGraphAddEventWaitNode(
        node: Out<CUgraphNode>, graph: CUgraph, before: In<CUgraphNode>, count: usize, event: CUevent,
    ) {
        add(node, graph, before, count, || Ok(Content::Wait(EventNode::new(event)?)))
    }

    fn cuGraphAddMemAllocNode(
        node: Out<CUgraphNode>, graph: CUgraph, before: In<CUgraphNode>, count: usize,
        params: Out<CUDA_MEM_ALLOC_NODE_PARAMS>,
    ) {
        let mut said = params.get()?;
        add(node, graph, before, count, || allocate(&mut said))?;
        params.set(said)
    }

    fn cuGraphAddMemFreeNode(
        node: Out<CUgraphNode>, graph: CUgraph, before: In<CUgraphNode>, count: usize, address: CUdeviceptr,
    ) {
        add(node, graph, before, count, || free(address))
    }

    fn cuGraphAddNode(
        node: Out<CUgraphNode>, graph: CUgraph, before: In<CUgraphNode>, count: usize,
        params: Out<CUgraphNodeParams>,
    ) {
        add_any(node, graph, dependencies(before, In::NULL, count)?, params)
    }

    fn cuGraphAddNode_v2(
        node: Out<CUgraphNode>, graph: CUgraph, before: In<CUgraphNode>, data: In<CUgraphEdgeData>, count: usize,
        params: Out<CUgraphNodeParams>,
    ) {
        add_any(node, graph, dependencies(before, data, count)?, params)
    }

    fn cuGraphAddNode_v3(
        node: Out<CUgraphNode>, graph: CUgraph, before: In<CUgraphNode>, data: In<CUgraphEdgeData>, count: usize,
        params: Out<CUgraphNodeParams>,
    ) {
        add_any(node, graph, dependencies(before, data, count)?, params)
    }
}

/// Held while a node is added.
static ALONE: Mutex<()> = Mutex::new(());

type Made = Answer<Content<Arc<Graph>>>;

/// Adds a node that is made once its graph is known to be there.
fn add(
    node: Out<CUgraphNode>,
    graph: CUgraph,
    before: In<CUgraphNode>,
    count: usize,
    make: impl FnOnce() -> Made,
) -> Answer {
    insert(node, graph, &dependencies(before, In::NULL, count)?, make)
}

fn insert(
    node: Out<CUgraphNode>,
    graph: CUgraph,
    before: &[Dependency],
    make: impl FnOnce() -> Made,
) -> Answer {
    driver::get()?;
    if node.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let graph = graph.get()?;
    // Two calls that move graphs into each other would make a circle of them.
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let content = make()?;
    let inside = content.graphs().to_vec();
    match graph.add(content, before) {
        Ok(added) => {
            inside.iter().for_each(|child| child.own());
            node.set(added.handle)
        }
        Err(result) => {
            // What was made for the node goes with it; a graph that was to be moved stays the program's.
            inside.iter().filter(|child| child.is_owned()).for_each(|child| child.release());
            Err(result)
        }
    }
}

/// Adds a node of the kind that the parameters say, and fills in what they are told.
fn add_any(
    node: Out<CUgraphNode>,
    graph: CUgraph,
    before: Vec<Dependency>,
    params: Out<CUgraphNodeParams>,
) -> Answer {
    driver::get()?;
    let mut said = params.get()?;
    if said.reserved0 != [0; 3] || said.reserved2 != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    match said.kind {
        kind::MEM_ALLOC => {
            let mut memory: CUDA_MEM_ALLOC_NODE_PARAMS = said.get();
            insert(node, graph, &before, || allocate(&mut memory))?;
            said.set(memory);
            params.set(said)
        }
        kind::CONDITIONAL => {
            let mut condition: CUDA_CONDITIONAL_NODE_PARAMS = said.get();
            insert(node, graph, &before, || conditional(&condition, graph))?;
            condition.bodies =
                node.get()?.get()?.with(|entry| Ok(entry.shown.bodies(entry.content.graphs())))?;
            said.set(condition);
            params.set(said)
        }
        _ => insert(node, graph, &before, || plain(&said, graph)),
    }
}

/// The content of a node that nothing is told of.
fn plain(said: &CUgraphNodeParams, graph: CUgraph) -> Made {
    match said.kind {
        kind::KERNEL => kernel(&said.get()),
        kind::MEMCPY => {
            let said: CUDA_MEMCPY_NODE_PARAMS = said.get();
            copy(&said.copy, said.ctx)
        }
        kind::MEMSET => {
            let said: CUDA_MEMSET_NODE_PARAMS_v2 = said.get();
            fill(&said.v1, said.ctx)
        }
        kind::HOST => host(&said.get::<CUDA_HOST_NODE_PARAMS_v2>().v1),
        kind::GRAPH => {
            let said: CUDA_CHILD_GRAPH_NODE_PARAMS = said.get();
            embed(said.graph, said.ownership, graph)
        }
        kind::EMPTY => Ok(Content::Work(Operation::Empty)),
        kind::WAIT_EVENT => Ok(Content::Wait(EventNode::new(said.get::<CUDA_EVENT_NODE_PARAMS>().event)?)),
        kind::EVENT_RECORD => {
            Ok(Content::Record(EventNode::new(said.get::<CUDA_EVENT_NODE_PARAMS>().event)?))
        }
        kind::MEM_FREE => free(said.get()),
        8 | 9 | kind::BATCH_MEM_OP => {
            report::unsupported("cuGraphAddNode with external semaphores or memory operations");
            Err(CUresult::NOT_SUPPORTED)
        }
        _ => Err(CUresult::INVALID_VALUE),
    }
}

fn kernel(said: &CUDA_KERNEL_NODE_PARAMS_v2) -> Made {
    Ok(Content::Kernel(Box::new(params::kernel(said, None)?)))
}

fn copy(said: &Cuboid, context: CUcontext) -> Made {
    params::context(context)?;
    Ok(Content::Work(Operation::Copy(params::copy(said)?)))
}

fn fill(said: &CUDA_MEMSET_NODE_PARAMS_v1, context: CUcontext) -> Made {
    params::context(context)?;
    Ok(Content::Work(Operation::Fill(params::fill(said)?)))
}

fn host(said: &CUDA_HOST_NODE_PARAMS_v1) -> Made {
    Ok(Content::Work(Operation::Host(params::host(said)?)))
}

fn allocate(said: &mut CUDA_MEM_ALLOC_NODE_PARAMS) -> Made {
    let allocation = Allocation::new(&*current()?, *said)?;
    said.dptr = allocation.address;
    Ok(Content::Allocate(allocation))
}

fn free(address: CUdeviceptr) -> Made {
    if address == 0 { Err(CUresult::INVALID_VALUE) } else { Ok(Content::Free(address)) }
}

fn embed(child: CUgraph, ownership: i32, parent: CUgraph) -> Made {
    let child = child.get()?;
    match ownership {
        CLONE => {
            let copy = child.duplicate()?;
            copy.own();
            Ok(Content::Child(copy))
        }
        MOVE if child.is_owned() || child.holds(parent) => Err(CUresult::INVALID_VALUE),
        MOVE => Ok(Content::Child(child)),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

fn conditional(said: &CUDA_CONDITIONAL_NODE_PARAMS, graph: CUgraph) -> Made {
    let handle = CUgraphConditionalHandle::new(said.handle);
    let variable = handle.get()?;
    // The value is its graph's, and that of the graphs in it.
    if variable.graph != graph && !graph.get()?.is_owned() {
        return Err(CUresult::INVALID_VALUE);
    }
    params::context(said.ctx)?;
    let choice = Choice::new(said.kind, said.size)?;
    let body = |_| {
        let body = Graph::create();
        body.own();
        body
    };
    let bodies = (0..said.size).map(body).collect();
    Ok(Content::Conditional(Conditional { handle, variable, choice, bodies }))
}

impl From<CUDA_KERNEL_NODE_PARAMS_v1> for CUDA_KERNEL_NODE_PARAMS_v2 {
    fn from(v1: CUDA_KERNEL_NODE_PARAMS_v1) -> Self {
        Self { v1, kern: CUkernel::NULL, ctx: CUcontext::NULL }
    }
}
