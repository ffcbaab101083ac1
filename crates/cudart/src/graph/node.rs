//! The other kinds of nodes, and nodes of any kind.

use ptxvm_abi::{Host, In, Out};

use super::kernel_node;
use crate::copy::{cuboid, described};
use crate::driver::{
    cuGraphAddChildGraphNode, cuGraphAddEmptyNode, cuGraphAddEventRecordNode, cuGraphAddEventWaitNode,
    cuGraphAddHostNode, cuGraphAddMemAllocNode, cuGraphAddMemFreeNode, cuGraphAddNode,
    cuGraphEventRecordNodeGetEvent, cuGraphEventRecordNodeSetEvent, cuGraphEventWaitNodeGetEvent,
    cuGraphEventWaitNodeSetEvent, cuGraphExecHostNodeSetParams, cuGraphExecNodeSetParams,
    cuGraphHostNodeGetParams, cuGraphHostNodeSetParams, cuGraphMemAllocNodeGetParams,
    cuGraphMemFreeNodeGetParams, cuGraphNodeGetParams, cuGraphNodeSetParams,
};
use crate::entry::{entry, of_13, unsupported};
use crate::error::Answer;
use crate::layout::{
    COPY, CopyNode, DriverCopyNode, EdgeData, Event, Graph, GraphExec, GraphNode, HostNode, KERNEL,
    KernelNode2, MemAllocNode, Node,
};

/// A node as the driver describes it.
fn for_driver(node: &Node) -> Answer<Node> {
    let mut described = *node;
    match node.kind {
        KERNEL => described.set(kernel_node::for_driver2(node.get::<KernelNode2>())?),
        COPY => {
            let CopyNode { flags, reserved, context, copy } = node.get();
            described.set(DriverCopyNode { flags, reserved, context, copy: cuboid(&copy)? });
        }
        _ => {}
    }
    Ok(described)
}

/// A node as the runtime describes it.
fn for_program(node: &Node) -> Answer<Node> {
    let mut said = *node;
    match node.kind {
        KERNEL => {
            let driver = node.get();
            said.set(KernelNode2 {
                node: kernel_node::for_program(&driver),
                context: driver.context,
                kind: 1,
            });
        }
        COPY => {
            let DriverCopyNode { flags, reserved, context, copy } = node.get();
            said.set(CopyNode { flags, reserved, context, copy: described(&copy)? });
        }
        _ => {}
    }
    Ok(said)
}

/// Does something with a node as the driver describes it, which may fill parts of it in.
///
/// # Errors
/// It cannot be described, or what `work` says.
pub fn with(what: Out<Node>, work: impl FnOnce(&mut Node) -> Answer) -> Answer {
    let said = what.get()?;
    let mut node = for_driver(&said)?;
    work(&mut node)?;
    // Kernels and copies are described in full; what the driver adds to others stands where the runtime has it.
    if matches!(said.kind, KERNEL | COPY) { Ok(()) } else { Ok(what.set(node)?) }
}

entry! {
    fn cudaGraphNodeSetParams(node: GraphNode, what: Out<Node>) {
        with(what, |what| cuGraphNodeSetParams(node, what))
    }

    fn cudaGraphExecNodeSetParams(exec: GraphExec, node: GraphNode, what: Out<Node>) {
        with(what, |what| cuGraphExecNodeSetParams(exec, node, what))
    }

    fn cudaGraphNodeGetParams(node: GraphNode, what: Out<Node>) {
        let mut found = Node::new(0);
        cuGraphNodeGetParams(node, &mut found)?;
        Ok(what.set(for_program(&found)?)?)
    }

    fn cudaGraphAddHostNode(
        node: Out<GraphNode>, graph: Graph, dependencies: In<GraphNode>, count: usize, what: In<HostNode>,
    ) {
        cuGraphAddHostNode(node, graph, dependencies, count, what)
    }

    fn cudaGraphHostNodeGetParams(node: GraphNode, what: Out<HostNode>) {
        cuGraphHostNodeGetParams(node, what)
    }

    fn cudaGraphHostNodeSetParams(node: GraphNode, what: In<HostNode>) {
        cuGraphHostNodeSetParams(node, what)
    }

    fn cudaGraphExecHostNodeSetParams(exec: GraphExec, node: GraphNode, what: In<HostNode>) {
        cuGraphExecHostNodeSetParams(exec, node, what)
    }

    fn cudaGraphAddChildGraphNode(
        node: Out<GraphNode>, graph: Graph, dependencies: In<GraphNode>, count: usize, child: Graph,
    ) {
        cuGraphAddChildGraphNode(node, graph, dependencies, count, child)
    }

    fn cudaGraphAddEmptyNode(
        node: Out<GraphNode>, graph: Graph, dependencies: In<GraphNode>, count: usize,
    ) {
        cuGraphAddEmptyNode(node, graph, dependencies, count)
    }

    fn cudaGraphAddEventRecordNode(
        node: Out<GraphNode>, graph: Graph, dependencies: In<GraphNode>, count: usize, event: Event,
    ) {
        cuGraphAddEventRecordNode(node, graph, dependencies, count, event)
    }

    fn cudaGraphEventRecordNodeGetEvent(node: GraphNode, event: Out<Event>) {
        cuGraphEventRecordNodeGetEvent(node, event)
    }

    fn cudaGraphEventRecordNodeSetEvent(node: GraphNode, event: Event) {
        cuGraphEventRecordNodeSetEvent(node, event)
    }

    fn cudaGraphAddEventWaitNode(
        node: Out<GraphNode>, graph: Graph, dependencies: In<GraphNode>, count: usize, event: Event,
    ) {
        cuGraphAddEventWaitNode(node, graph, dependencies, count, event)
    }

    fn cudaGraphEventWaitNodeGetEvent(node: GraphNode, event: Out<Event>) {
        cuGraphEventWaitNodeGetEvent(node, event)
    }

    fn cudaGraphEventWaitNodeSetEvent(node: GraphNode, event: Event) {
        cuGraphEventWaitNodeSetEvent(node, event)
    }

    fn cudaGraphAddMemAllocNode(
        node: Out<GraphNode>, graph: Graph, dependencies: In<GraphNode>, count: usize, what: Out<MemAllocNode>,
    ) {
        cuGraphAddMemAllocNode(node, graph, dependencies, count, what)
    }

    fn cudaGraphMemAllocNodeGetParams(node: GraphNode, what: Out<MemAllocNode>) {
        cuGraphMemAllocNodeGetParams(node, what)
    }

    fn cudaGraphAddMemFreeNode(
        node: Out<GraphNode>, graph: Graph, dependencies: In<GraphNode>, count: usize, address: Host,
    ) {
        cuGraphAddMemFreeNode(node, graph, dependencies, count, address)
    }

    fn cudaGraphMemFreeNodeGetParams(node: GraphNode, address: Out<u64>) {
        cuGraphMemFreeNodeGetParams(node, address)
    }
}

unsupported! {
    cudaDestroyExternalMemory
    cudaDestroyExternalSemaphore
    cudaExternalMemoryGetMappedBuffer
    cudaExternalMemoryGetMappedMipmappedArray
    cudaGraphAddExternalSemaphoresSignalNode
    cudaGraphAddExternalSemaphoresWaitNode
    cudaGraphExecExternalSemaphoresSignalNodeSetParams
    cudaGraphExecExternalSemaphoresWaitNodeSetParams
    cudaGraphExternalSemaphoresSignalNodeGetParams
    cudaGraphExternalSemaphoresSignalNodeSetParams
    cudaGraphExternalSemaphoresWaitNodeGetParams
    cudaGraphExternalSemaphoresWaitNodeSetParams
    cudaImportExternalMemory
    cudaImportExternalSemaphore
    cudaSignalExternalSemaphoresAsync
    cudaSignalExternalSemaphoresAsync_ptsz
    cudaWaitExternalSemaphoresAsync
    cudaWaitExternalSemaphoresAsync_ptsz
}

of_13! {
    fn cudaGraphAddNode(
        node: Out<GraphNode>, graph: Graph, dependencies: In<GraphNode>, edges: In<EdgeData>, count: usize,
        what: Out<Node>,
    ) {
        with(what, |what| cuGraphAddNode(node, graph, dependencies, edges, count, what))
    }
}
