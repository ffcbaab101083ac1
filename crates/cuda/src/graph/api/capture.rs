//! The entry points for captures.

use super::dependencies;
use crate::abi::{Answer, CUgraphEdgeData, CUresult, In, Out};
use crate::driver;
use crate::entry::entry;
use crate::graph::definition::{CUgraph, CUgraphNode};
use crate::stream::capture::{self, Mode, Status, ThreadMode};
use crate::stream::{CUstream, resolve};

/// `CU_STREAM_ADD_CAPTURE_DEPENDENCIES`, `CU_STREAM_SET_CAPTURE_DEPENDENCIES`
const ADD: u32 = 0;
const SET: u32 = 1;

entry! {
    fn cuStreamBeginCapture [cuStreamBeginCapture_ptsz] (stream: CUstream) {
        capture::begin(&resolve(stream)?, Mode::Global, None, Vec::new())
    }

    fn cuStreamBeginCapture_v2 [cuStreamBeginCapture_v2_ptsz] (stream: CUstream, mode: u32) {
        let mode = Mode::new(mode)?;
        capture::begin(&resolve(stream)?, mode, None, Vec::new())
    }

    fn cuStreamBeginCaptureToGraph [cuStreamBeginCaptureToGraph_ptsz] (
        stream: CUstream, graph: CUgraph, nodes: In<CUgraphNode>, data: In<CUgraphEdgeData>, count: usize, mode: u32,
    ) {
        let mode = Mode::new(mode)?;
        if graph.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let stream = resolve(stream)?;
        capture::refuse_legacy(&stream)?;
        let graph = graph.get()?;
        let tips = dependencies(nodes, data, count)?;
        for (node, _) in &tips {
            if node.get()?.graph()?.handle != graph.handle {
                return Err(CUresult::INVALID_VALUE);
            }
        }
        capture::begin(&stream, mode, Some(graph), tips)
    }

    fn cuStreamEndCapture [cuStreamEndCapture_ptsz] (stream: CUstream, graph: Out<CUgraph>) {
        let stream = resolve(stream)?;
        // A capture that is spoilt gives none.
        graph.offer(CUgraph::NULL);
        let captured = capture::end(&stream)?;
        // Those who leave no place for it get none: the real driver keeps it, and nobody can name it any more.
        if graph.is_null() {
            if !captured.given {
                captured.graph.release();
            }
            return Ok(());
        }
        graph.set(captured.graph.handle)
    }

    fn cuStreamIsCapturing [cuStreamIsCapturing_ptsz] (stream: CUstream, status: Out<u32>) {
        if status.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let stream = resolve(stream)?;
        capture::ask_legacy(&stream)?;
        status.set(stream.capture_status().0 as u32)
    }

    fn cuStreamGetCaptureInfo [cuStreamGetCaptureInfo_ptsz] (stream: CUstream, status: Out<u32>, id: Out<u64>) {
        inform(stream, status, id, Out::NULL, Out::NULL, Data::Unknown, Out::NULL)
    }

    fn cuStreamGetCaptureInfo_v2 [cuStreamGetCaptureInfo_v2_ptsz] (
        stream: CUstream, status: Out<u32>, id: Out<u64>, graph: Out<CUgraph>,
        nodes: Out<*const CUgraphNode>, count: Out<usize>,
    ) {
        inform(stream, status, id, graph, nodes, Data::Unknown, count)
    }

    fn cuStreamGetCaptureInfo_v3 [cuStreamGetCaptureInfo_v3_ptsz] (
        stream: CUstream, status: Out<u32>, id: Out<u64>, graph: Out<CUgraph>,
        nodes: Out<*const CUgraphNode>, data: Out<*const CUgraphEdgeData>, count: Out<usize>,
    ) {
        inform(stream, status, id, graph, nodes, Data::To(data), count)
    }

    fn cuStreamUpdateCaptureDependencies [cuStreamUpdateCaptureDependencies_ptsz] (
        stream: CUstream, nodes: In<CUgraphNode>, count: usize, flags: u32,
    ) {
        update(stream, nodes, In::NULL, count, flags)
    }

    fn cuStreamUpdateCaptureDependencies_v2 [cuStreamUpdateCaptureDependencies_v2_ptsz] (
        stream: CUstream, nodes: In<CUgraphNode>, data: In<CUgraphEdgeData>, count: usize, flags: u32,
    ) {
        update(stream, nodes, data, count, flags)
    }

    fn cuThreadExchangeStreamCaptureMode(mode: Out<u32>) {
        driver::get()?;
        let new = ThreadMode(mode.get()?);
        mode.set(capture::exchange_mode(new).0)
    }
}

/// Where what is said of edges goes: callers of the first versions do not know of it.
enum Data {
    Unknown,
    To(Out<*const CUgraphEdgeData>),
}

fn inform(
    stream: CUstream,
    status: Out<u32>,
    id: Out<u64>,
    graph: Out<CUgraph>,
    nodes: Out<*const CUgraphNode>,
    data: Data,
    count: Out<usize>,
) -> Answer {
    if status.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let stream = resolve(stream)?;
    capture::ask_legacy(&stream)?;
    let (now, capture) = stream.capture_status();
    status.set(now as u32)?;
    let Some(capture) = capture.filter(|_| now == Status::Active) else { return Ok(()) };
    id.offer(capture.id);
    graph.offer(capture.graph.handle);
    let (named, said, number, plain) = stream.show_tips();
    count.offer(number);
    match data {
        Data::To(data) if !data.is_null() => data.offer(said),
        // Those who ask for the nodes and cannot be told of the edges would draw other edges.
        _ if !nodes.is_null() && !plain => return Err(CUresult::LOSSY_QUERY),
        _ => {}
    }
    nodes.offer(named);
    Ok(())
}

fn update(
    stream: CUstream,
    nodes: In<CUgraphNode>,
    data: In<CUgraphEdgeData>,
    count: usize,
    flags: u32,
) -> Answer {
    let stream = resolve(stream)?;
    if !matches!(flags, ADD | SET) {
        return Err(CUresult::INVALID_VALUE);
    }
    // Where nothing is captured the list is not looked at.
    if !stream.is_capturing() {
        return Err(CUresult::ILLEGAL_STATE);
    }
    stream.update_tips(&dependencies(nodes, data, count)?, flags == SET)
}
