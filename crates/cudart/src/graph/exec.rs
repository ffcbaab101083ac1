//! Graphs that are made ready to run, and run.

use ptxvm_abi::Out;

use crate::driver::{
    cuGraphExecChildGraphNodeSetParams, cuGraphExecDestroy, cuGraphExecEventRecordNodeSetEvent,
    cuGraphExecEventWaitNodeSetEvent, cuGraphExecGetFlags, cuGraphExecGetId, cuGraphExecUpdate,
    cuGraphInstantiateWithFlags, cuGraphInstantiateWithParams, cuGraphLaunch, cuGraphNodeGetEnabled,
    cuGraphNodeSetEnabled, cuGraphUpload,
};
use crate::entry::entry;
use crate::layout::{Event, Graph, GraphExec, GraphNode, InstantiateParams, Stream, UpdateResult};

entry! {
    fn cudaGraphInstantiate(exec: Out<GraphExec>, graph: Graph, flags: u64) {
        cuGraphInstantiateWithFlags(exec, graph, flags)
    }

    fn cudaGraphInstantiateWithFlags(exec: Out<GraphExec>, graph: Graph, flags: u64) {
        cuGraphInstantiateWithFlags(exec, graph, flags)
    }

    fn cudaGraphInstantiateWithParams[cudaGraphInstantiateWithParams_ptsz](
        exec: Out<GraphExec>, graph: Graph, what: Out<InstantiateParams>,
    ) {
        cuGraphInstantiateWithParams(exec, graph, what)
    }

    fn cudaGraphExecDestroy(exec: GraphExec) {
        cuGraphExecDestroy(exec)
    }

    fn cudaGraphExecGetFlags(exec: GraphExec, flags: Out<u64>) {
        cuGraphExecGetFlags(exec, flags)
    }

    fn cudaGraphExecGetId(exec: GraphExec, id: Out<u32>) {
        cuGraphExecGetId(exec, id)
    }

    fn cudaGraphExecUpdate(exec: GraphExec, graph: Graph, result: Out<UpdateResult>) {
        cuGraphExecUpdate(exec, graph, result)
    }

    fn cudaGraphUpload[cudaGraphUpload_ptsz](exec: GraphExec, stream: Stream) {
        cuGraphUpload(exec, stream)
    }

    fn cudaGraphLaunch[cudaGraphLaunch_ptsz](exec: GraphExec, stream: Stream) {
        cuGraphLaunch(exec, stream)
    }

    fn cudaGraphNodeSetEnabled(exec: GraphExec, node: GraphNode, enabled: u32) {
        cuGraphNodeSetEnabled(exec, node, enabled)
    }

    fn cudaGraphNodeGetEnabled(exec: GraphExec, node: GraphNode, enabled: Out<u32>) {
        cuGraphNodeGetEnabled(exec, node, enabled)
    }

    fn cudaGraphExecChildGraphNodeSetParams(exec: GraphExec, node: GraphNode, child: Graph) {
        cuGraphExecChildGraphNodeSetParams(exec, node, child)
    }

    fn cudaGraphExecEventRecordNodeSetEvent(exec: GraphExec, node: GraphNode, event: Event) {
        cuGraphExecEventRecordNodeSetEvent(exec, node, event)
    }

    fn cudaGraphExecEventWaitNodeSetEvent(exec: GraphExec, node: GraphNode, event: Event) {
        cuGraphExecEventWaitNodeSetEvent(exec, node, event)
    }
}
