//! Streams, and their capture into graphs.

use ptxvm_abi::{Host, In, Out};

use crate::driver::{
    cuStreamAddCallback, cuStreamAttachMemAsync, cuStreamBeginCapture, cuStreamBeginCaptureToGraph,
    cuStreamCopyAttributes, cuStreamCreate, cuStreamCreateWithPriority, cuStreamDestroy, cuStreamEndCapture,
    cuStreamGetAttribute, cuStreamGetCaptureInfo, cuStreamGetDevice, cuStreamGetFlags, cuStreamGetId,
    cuStreamGetPriority, cuStreamIsCapturing, cuStreamQuery, cuStreamSetAttribute, cuStreamSynchronize,
    cuStreamUpdateCaptureDependencies, cuStreamWaitEvent, cuThreadExchangeStreamCaptureMode,
};
use crate::entry::{entry, of_13, unsupported};
use crate::layout::{AttributeValue, Callback, EdgeData, Event, Graph, GraphNode, Stream};

entry! {
    fn cudaStreamCreate(stream: Out<Stream>) {
        cuStreamCreate(stream, 0)
    }

    fn cudaStreamCreateWithFlags(stream: Out<Stream>, flags: u32) {
        cuStreamCreate(stream, flags)
    }

    fn cudaStreamCreateWithPriority(stream: Out<Stream>, flags: u32, priority: i32) {
        cuStreamCreateWithPriority(stream, flags, priority)
    }

    fn cudaStreamDestroy(stream: Stream) {
        cuStreamDestroy(stream)
    }

    fn cudaStreamGetPriority[cudaStreamGetPriority_ptsz](stream: Stream, priority: Out<i32>) {
        cuStreamGetPriority(stream, priority)
    }

    fn cudaStreamGetFlags[cudaStreamGetFlags_ptsz](stream: Stream, flags: Out<u32>) {
        cuStreamGetFlags(stream, flags)
    }

    fn cudaStreamGetId[cudaStreamGetId_ptsz](stream: Stream, id: Out<u64>) {
        cuStreamGetId(stream, id)
    }

    fn cudaStreamGetDevice[cudaStreamGetDevice_ptsz](stream: Stream, device: Out<i32>) {
        cuStreamGetDevice(stream, device)
    }

    fn cudaStreamCopyAttributes[cudaStreamCopyAttributes_ptsz](to: Stream, from: Stream) {
        cuStreamCopyAttributes(to, from)
    }

    fn cudaStreamGetAttribute[cudaStreamGetAttribute_ptsz](
        stream: Stream, attribute: u32, value: Out<AttributeValue>,
    ) {
        cuStreamGetAttribute(stream, attribute, value)
    }

    fn cudaStreamSetAttribute[cudaStreamSetAttribute_ptsz](
        stream: Stream, attribute: u32, value: In<AttributeValue>,
    ) {
        cuStreamSetAttribute(stream, attribute, value)
    }

    fn cudaStreamWaitEvent[cudaStreamWaitEvent_ptsz](stream: Stream, event: Event, flags: u32) {
        cuStreamWaitEvent(stream, event, flags)
    }

    /// The driver calls it with a result of its own, which is the runtime's error of the same number.
    fn cudaStreamAddCallback[cudaStreamAddCallback_ptsz](
        stream: Stream, callback: Callback, data: Host, flags: u32,
    ) {
        cuStreamAddCallback(stream, callback, data, flags)
    }

    fn cudaStreamSynchronize[cudaStreamSynchronize_ptsz](stream: Stream) {
        cuStreamSynchronize(stream)
    }

    fn cudaStreamQuery[cudaStreamQuery_ptsz](stream: Stream) {
        cuStreamQuery(stream)
    }

    fn cudaStreamAttachMemAsync[cudaStreamAttachMemAsync_ptsz](
        stream: Stream, address: Host, bytes: usize, flags: u32,
    ) {
        cuStreamAttachMemAsync(stream, address, bytes, flags)
    }

    fn cudaStreamBeginCapture[cudaStreamBeginCapture_ptsz](stream: Stream, mode: u32) {
        cuStreamBeginCapture(stream, mode)
    }

    fn cudaStreamBeginCaptureToGraph[cudaStreamBeginCaptureToGraph_ptsz](
        stream: Stream, graph: Graph, dependencies: In<GraphNode>, edges: In<EdgeData>, count: usize, mode: u32,
    ) {
        cuStreamBeginCaptureToGraph(stream, graph, dependencies, edges, count, mode)
    }

    fn cudaStreamEndCapture[cudaStreamEndCapture_ptsz](stream: Stream, graph: Out<Graph>) {
        cuStreamEndCapture(stream, graph)
    }

    fn cudaStreamIsCapturing[cudaStreamIsCapturing_ptsz](stream: Stream, status: Out<u32>) {
        cuStreamIsCapturing(stream, status)
    }

    fn cudaThreadExchangeStreamCaptureMode(mode: Out<u32>) {
        cuThreadExchangeStreamCaptureMode(mode)
    }
}

unsupported! {
    cudaStreamBeginRecaptureToGraph
    cudaStreamBeginRecaptureToGraph_ptsz
    cudaStreamGetDevResource
    cudaStreamGetDevResource_ptsz
}

of_13! {
    fn cudaStreamGetCaptureInfo[cudaStreamGetCaptureInfo_ptsz](
        stream: Stream, status: Out<u32>, id: Out<u64>, graph: Out<Graph>, dependencies: Out<Host>, edges: Out<Host>,
        count: Out<usize>,
    ) {
        cuStreamGetCaptureInfo(stream, status, id, graph, dependencies, edges, count)
    }

    fn cudaStreamUpdateCaptureDependencies[cudaStreamUpdateCaptureDependencies_ptsz](
        stream: Stream, dependencies: In<GraphNode>, edges: In<EdgeData>, count: usize, flags: u32,
    ) {
        cuStreamUpdateCaptureDependencies(stream, dependencies, edges, count, flags)
    }
}
