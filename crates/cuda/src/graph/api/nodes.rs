//! The entry points that get and set the parameters of a graph's nodes.

use std::sync::Arc;

use super::build::CLONE;
use crate::abi::{
    Answer, CUDA_CHILD_GRAPH_NODE_PARAMS, CUDA_CONDITIONAL_NODE_PARAMS, CUDA_EVENT_NODE_PARAMS,
    CUDA_HOST_NODE_PARAMS_v1, CUDA_HOST_NODE_PARAMS_v2, CUDA_KERNEL_NODE_PARAMS_v1,
    CUDA_KERNEL_NODE_PARAMS_v2, CUDA_MEM_ALLOC_NODE_PARAMS, CUDA_MEMCPY_NODE_PARAMS,
    CUDA_MEMSET_NODE_PARAMS_v1, CUDA_MEMSET_NODE_PARAMS_v2, CUdeviceptr, CUgraphNodeParams, CUresult, In,
    Out,
};
use crate::context::CUcontext;
use crate::driver;
use crate::entry::entry;
use crate::graph::attributes;
use crate::graph::content::{Content, EventNode, KernelNode, kind};
use crate::graph::definition::{CUgraph, CUgraphNode, Graph, NodeEntry};
use crate::graph::params;
use crate::memory::Cuboid;
use crate::stream::CUevent;
use crate::work::Operation;

entry! {
    fn cuGraphKernelNodeGetParams(node: CUgraphNode, params: Out<CUDA_KERNEL_NODE_PARAMS_v1>) {
        params.set(look(node, show_kernel)?.v1)
    }

    fn cuGraphKernelNodeGetParams_v2(node: CUgraphNode, params: Out<CUDA_KERNEL_NODE_PARAMS_v2>) {
        params.set(look(node, show_kernel)?)
    }

    fn cuGraphKernelNodeSetParams(node: CUgraphNode, params: In<CUDA_KERNEL_NODE_PARAMS_v1>) {
        let said = params.get()?.into();
        change(node, |old| kernel(&said, old))
    }

    fn cuGraphKernelNodeSetParams_v2(node: CUgraphNode, params: In<CUDA_KERNEL_NODE_PARAMS_v2>) {
        let said = params.get()?;
        change(node, |old| kernel(&said, old))
    }

    fn cuGraphKernelNodeGetAttribute(node: CUgraphNode, attribute: u32, value: Out<[u64; 8]>) {
        value.set(look(node, |entry| attributes::get(kernel_of(&mut entry.content)?, attribute))?)
    }

    fn cuGraphKernelNodeSetAttribute(node: CUgraphNode, attribute: u32, value: In<[u64; 8]>) {
        let value = value.get()?;
        look(node, |entry| attributes::set(kernel_of(&mut entry.content)?, attribute, value))
    }

    fn cuGraphKernelNodeCopyAttributes(to: CUgraphNode, from: CUgraphNode) {
        let source = look(from, |entry| Ok(kernel_of(&mut entry.content)?.clone()))?;
        look(to, |entry| attributes::copy(kernel_of(&mut entry.content)?, &source))
    }

    fn cuGraphMemcpyNodeGetParams(node: CUgraphNode, params: Out<Cuboid>) {
        params.set(look(node, |entry| match &entry.content {
            Content::Work(Operation::Copy(copy)) => Ok(Cuboid::show(copy)),
            _ => Err(CUresult::INVALID_VALUE),
        })?)
    }

    fn cuGraphMemcpyNodeSetParams(node: CUgraphNode, params: In<Cuboid>) {
        let copy = params::copy(&params.get()?)?;
        change(node, |_| Ok(Content::Work(Operation::Copy(copy))))
    }

    fn cuGraphMemsetNodeGetParams(node: CUgraphNode, params: Out<CUDA_MEMSET_NODE_PARAMS_v1>) {
        params.set(look(node, |entry| match &entry.content {
            Content::Work(Operation::Fill(fill)) => Ok(params::show_fill(fill)),
            _ => Err(CUresult::INVALID_VALUE),
        })?)
    }

    fn cuGraphMemsetNodeSetParams(node: CUgraphNode, params: In<CUDA_MEMSET_NODE_PARAMS_v1>) {
        let fill = params::fill(&params.get()?)?;
        change(node, |_| Ok(Content::Work(Operation::Fill(fill))))
    }

    fn cuGraphHostNodeGetParams(node: CUgraphNode, params: Out<CUDA_HOST_NODE_PARAMS_v1>) {
        params.set(look(node, |entry| match &entry.content {
            Content::Work(Operation::Host(call)) => Ok(params::show_host(call)),
            _ => Err(CUresult::INVALID_VALUE),
        })?)
    }

    fn cuGraphHostNodeSetParams(node: CUgraphNode, params: In<CUDA_HOST_NODE_PARAMS_v1>) {
        let call = params::host(&params.get()?)?;
        change(node, |_| Ok(Content::Work(Operation::Host(call))))
    }

    fn cuGraphChildGraphNodeGetGraph(node: CUgraphNode, graph: Out<CUgraph>) {
        graph.set(look(node, |entry| match &entry.content {
            Content::Child(child) => Ok(child.handle),
            _ => Err(CUresult::INVALID_VALUE),
        })?)
    }

    fn cuGraphEventRecordNodeGetEvent(node: CUgraphNode, event: Out<CUevent>) {
        event.set(look(node, |entry| match &entry.content {
            Content::Record(node) => Ok(node.handle),
            _ => Err(CUresult::INVALID_VALUE),
        })?)
    }

    fn cuGraphEventRecordNodeSetEvent(node: CUgraphNode, event: CUevent) {
        let event = EventNode::new(event)?;
        change(node, |_| Ok(Content::Record(event)))
    }

    fn cuGraphEventWaitNodeGetEvent(node: CUgraphNode, event: Out<CUevent>) {
        event.set(look(node, |entry| match &entry.content {
            Content::Wait(node) => Ok(node.handle),
            _ => Err(CUresult::INVALID_VALUE),
        })?)
    }

    fn cuGraphEventWaitNodeSetEvent(node: CUgraphNode, event: CUevent) {
        let event = EventNode::new(event)?;
        change(node, |_| Ok(Content::Wait(event)))
    }

    fn cuGraphMemAllocNodeGetParams(node: CUgraphNode, params: Out<CUDA_MEM_ALLOC_NODE_PARAMS>) {
        params.set(look(node, |entry| match &entry.content {
            Content::Allocate(allocation) => Ok(allocation.params),
            _ => Err(CUresult::INVALID_VALUE),
        })?)
    }

    fn cuGraphMemFreeNodeGetParams(node: CUgraphNode, address: Out<CUdeviceptr>) {
        address.set(look(node, |entry| match &entry.content {
            Content::Free(address) => Ok(*address),
            _ => Err(CUresult::INVALID_VALUE),
        })?)
    }

    fn cuGraphNodeGetParams(node: CUgraphNode, params: Out<CUgraphNodeParams>) {
        params.set(look(node, show)?)
    }

    fn cuGraphNodeSetParams(node: CUgraphNode, params: In<CUgraphNodeParams>) {
        change_any(node, &params.get()?)
    }

    fn cuGraphNodeSetParams_v2(node: CUgraphNode, params: In<CUgraphNodeParams>) {
        change_any(node, &params.get()?)
    }
}

/// Looks at a node.
fn look<T>(node: CUgraphNode, see: impl FnOnce(&mut NodeEntry) -> Answer<T>) -> Answer<T> {
    driver::get()?;
    node.get()?.with(see)
}

/// Changes what a node says, not of what kind it is.
fn change(
    node: CUgraphNode,
    make: impl FnOnce(&Content<Arc<Graph>>) -> Answer<Content<Arc<Graph>>>,
) -> Answer {
    look(node, |entry| {
        let content = make(&entry.content)?;
        if content.kind() != entry.content.kind() {
            return Err(CUresult::INVALID_VALUE);
        }
        entry.content = content;
        entry.shown = params::Shown::default();
        Ok(())
    })
}

/// Changes what a node of any kind says. A child graph is cloned, as it was when the node was made.
fn change_any(node: CUgraphNode, said: &CUgraphNodeParams) -> Answer {
    if said.kind != kind::GRAPH {
        return change(node, |old| any(said, old));
    }
    let CUDA_CHILD_GRAPH_NODE_PARAMS { graph, ownership } = said.get();
    driver::get()?;
    if ownership != CLONE {
        return Err(CUresult::INVALID_VALUE);
    }
    let parent = node.get()?.graph()?;
    // The clone is made before the node is looked at: the child may be the very graph that the node is in.
    let child = graph.get()?.duplicate()?;
    child.own();
    let fits = parent.check_depth(&child);
    let replaced = fits.and_then(|()| {
        look(node, |entry| match &mut entry.content {
            Content::Child(old) => Ok(std::mem::replace(old, Arc::clone(&child))),
            _ => Err(CUresult::INVALID_VALUE),
        })
    });
    match replaced {
        Ok(old) => {
            parent.adopt(&child);
            old.release();
        }
        Err(result) => {
            child.release();
            return Err(result);
        }
    }
    Ok(())
}

fn kernel_of<G>(content: &mut Content<G>) -> Answer<&mut KernelNode> {
    match content {
        Content::Kernel(kernel) => Ok(kernel),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

fn show_kernel(entry: &mut NodeEntry) -> Answer<CUDA_KERNEL_NODE_PARAMS_v2> {
    match &entry.content {
        Content::Kernel(kernel) => Ok(params::show_kernel(kernel, &mut entry.shown)),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// A kernel in the place of another.
pub(super) fn kernel<G>(said: &CUDA_KERNEL_NODE_PARAMS_v2, old: &Content<G>) -> Answer<Content<G>> {
    match old {
        Content::Kernel(before) => Ok(Content::Kernel(Box::new(params::kernel(said, Some(before))?))),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// What a node of any kind is to say from now on, where it has no graph in it.
pub(super) fn any<G>(said: &CUgraphNodeParams, old: &Content<G>) -> Answer<Content<G>> {
    Ok(match said.kind {
        kind::KERNEL => kernel(&said.get(), old)?,
        kind::MEMCPY => {
            Content::Work(Operation::Copy(params::copy(&said.get::<CUDA_MEMCPY_NODE_PARAMS>().copy)?))
        }
        kind::MEMSET => {
            Content::Work(Operation::Fill(params::fill(&said.get::<CUDA_MEMSET_NODE_PARAMS_v2>().v1)?))
        }
        kind::HOST => {
            Content::Work(Operation::Host(params::host(&said.get::<CUDA_HOST_NODE_PARAMS_v2>().v1)?))
        }
        kind::EMPTY => Content::Work(Operation::Empty),
        kind::WAIT_EVENT => Content::Wait(EventNode::new(said.get::<CUDA_EVENT_NODE_PARAMS>().event)?),
        kind::EVENT_RECORD => Content::Record(EventNode::new(said.get::<CUDA_EVENT_NODE_PARAMS>().event)?),
        // Child graphs are changed elsewhere; the rest stays what it is as long as the node is there.
        _ => return Err(CUresult::INVALID_VALUE),
    })
}

/// All that a node says.
fn show(entry: &mut NodeEntry) -> Answer<CUgraphNodeParams> {
    let mut said = CUgraphNodeParams::new(entry.content.kind());
    match &entry.content {
        Content::Kernel(kernel) => said.set(params::show_kernel(kernel, &mut entry.shown)),
        Content::Work(Operation::Copy(copy)) => {
            let copy = Cuboid::show(copy);
            said.set(CUDA_MEMCPY_NODE_PARAMS { flags: 0, reserved: 0, ctx: CUcontext::NULL, copy });
        }
        Content::Work(Operation::Fill(fill)) => {
            said.set(CUDA_MEMSET_NODE_PARAMS_v2 { v1: params::show_fill(fill), ctx: CUcontext::NULL });
        }
        Content::Work(Operation::Host(call)) => {
            let v1 = params::show_host(call);
            said.set(CUDA_HOST_NODE_PARAMS_v2 { v1, sync_mode: 0, ctx: CUcontext::NULL });
        }
        Content::Work(_) => {}
        Content::Child(child) => said.set(CUDA_CHILD_GRAPH_NODE_PARAMS { graph: child.handle, ownership: 0 }),
        Content::Wait(node) | Content::Record(node) => {
            said.set(CUDA_EVENT_NODE_PARAMS { event: node.handle })
        }
        Content::Allocate(allocation) => said.set(allocation.params),
        Content::Free(address) => said.set(*address),
        Content::Conditional(conditional) => said.set(CUDA_CONDITIONAL_NODE_PARAMS {
            handle: conditional.handle.number(),
            kind: conditional.choice as u32,
            size: conditional.bodies.len() as u32,
            bodies: entry.shown.bodies(&conditional.bodies),
            ctx: CUcontext::NULL,
        }),
    }
    Ok(said)
}
