//! Graphs, their nodes and edges, and what they own.

use ptxvm_abi::{Host, In, Out, Text};

use crate::driver::{
    cuGraphAddDependencies, cuGraphChildGraphNodeGetGraph, cuGraphClone, cuGraphConditionalHandleCreate,
    cuGraphCreate, cuGraphDebugDotPrint, cuGraphDestroy, cuGraphDestroyNode, cuGraphGetEdges, cuGraphGetId,
    cuGraphGetNodes, cuGraphGetRootNodes, cuGraphNodeFindInClone, cuGraphNodeGetContainingGraph,
    cuGraphNodeGetDependencies, cuGraphNodeGetDependentNodes, cuGraphNodeGetLocalId, cuGraphNodeGetToolsId,
    cuGraphNodeGetType, cuGraphReleaseUserObject, cuGraphRemoveDependencies, cuGraphRetainUserObject,
    cuUserObjectCreate, cuUserObjectRelease, cuUserObjectRetain,
};
use crate::entry::{entry, of_13};
use crate::layout::{EdgeData, Graph, GraphNode, HostFunction, UserObject};

entry! {
    fn cudaGraphCreate(graph: Out<Graph>, flags: u32) {
        cuGraphCreate(graph, flags)
    }

    fn cudaGraphDestroy(graph: Graph) {
        cuGraphDestroy(graph)
    }

    fn cudaGraphClone(clone: Out<Graph>, graph: Graph) {
        cuGraphClone(clone, graph)
    }

    fn cudaGraphGetId(graph: Graph, id: Out<u32>) {
        cuGraphGetId(graph, id)
    }

    fn cudaGraphGetNodes(graph: Graph, nodes: Out<GraphNode>, count: Out<usize>) {
        cuGraphGetNodes(graph, nodes, count)
    }

    fn cudaGraphGetRootNodes(graph: Graph, nodes: Out<GraphNode>, count: Out<usize>) {
        cuGraphGetRootNodes(graph, nodes, count)
    }

    fn cudaGraphDebugDotPrint(graph: Graph, path: Text, flags: u32) {
        cuGraphDebugDotPrint(graph, path, flags)
    }

    fn cudaGraphDestroyNode(node: GraphNode) {
        cuGraphDestroyNode(node)
    }

    fn cudaGraphNodeFindInClone(node: Out<GraphNode>, original: GraphNode, clone: Graph) {
        cuGraphNodeFindInClone(node, original, clone)
    }

    fn cudaGraphNodeGetType(node: GraphNode, kind: Out<u32>) {
        cuGraphNodeGetType(node, kind)
    }

    fn cudaGraphNodeGetContainingGraph(node: GraphNode, graph: Out<Graph>) {
        cuGraphNodeGetContainingGraph(node, graph)
    }

    fn cudaGraphNodeGetLocalId(node: GraphNode, id: Out<u32>) {
        cuGraphNodeGetLocalId(node, id)
    }

    fn cudaGraphNodeGetToolsId(node: GraphNode, id: Out<u64>) {
        cuGraphNodeGetToolsId(node, id)
    }

    fn cudaGraphChildGraphNodeGetGraph(node: GraphNode, graph: Out<Graph>) {
        cuGraphChildGraphNodeGetGraph(node, graph)
    }

    fn cudaGraphConditionalHandleCreate(handle: Out<u64>, graph: Graph, value: u32, flags: u32) {
        cuGraphConditionalHandleCreate(handle, graph, crate::context::primary()?, value, flags)
    }

    fn cudaGraphConditionalHandleCreate_v2(
        handle: Out<u64>, graph: Graph, context: u64, value: u32, flags: u32,
    ) {
        let context = if context == 0 { crate::context::primary()? } else { context };
        cuGraphConditionalHandleCreate(handle, graph, context, value, flags)
    }

    fn cudaUserObjectCreate(object: Out<UserObject>, pointer: Host, destroy: HostFunction, count: u32, flags: u32) {
        cuUserObjectCreate(object, pointer, destroy, count, flags)
    }

    fn cudaUserObjectRetain(object: UserObject, count: u32) {
        cuUserObjectRetain(object, count)
    }

    fn cudaUserObjectRelease(object: UserObject, count: u32) {
        cuUserObjectRelease(object, count)
    }

    fn cudaGraphRetainUserObject(graph: Graph, object: UserObject, count: u32, flags: u32) {
        cuGraphRetainUserObject(graph, object, count, flags)
    }

    fn cudaGraphReleaseUserObject(graph: Graph, object: UserObject, count: u32) {
        cuGraphReleaseUserObject(graph, object, count)
    }
}

of_13! {
    fn cudaGraphGetEdges(
        graph: Graph, from: Out<GraphNode>, to: Out<GraphNode>, edges: Out<EdgeData>, count: Out<usize>,
    ) {
        cuGraphGetEdges(graph, from, to, edges, count)
    }

    fn cudaGraphAddDependencies(
        graph: Graph, from: In<GraphNode>, to: In<GraphNode>, edges: In<EdgeData>, count: usize,
    ) {
        cuGraphAddDependencies(graph, from, to, edges, count)
    }

    fn cudaGraphRemoveDependencies(
        graph: Graph, from: In<GraphNode>, to: In<GraphNode>, edges: In<EdgeData>, count: usize,
    ) {
        cuGraphRemoveDependencies(graph, from, to, edges, count)
    }

    fn cudaGraphNodeGetDependencies(
        node: GraphNode, nodes: Out<GraphNode>, edges: Out<EdgeData>, count: Out<usize>,
    ) {
        cuGraphNodeGetDependencies(node, nodes, edges, count)
    }

    fn cudaGraphNodeGetDependentNodes(
        node: GraphNode, nodes: Out<GraphNode>, edges: Out<EdgeData>, count: Out<usize>,
    ) {
        cuGraphNodeGetDependentNodes(node, nodes, edges, count)
    }
}
