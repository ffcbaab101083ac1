//! Questions about a capture, whose edges said nothing of themselves.

use ptxvm_abi::{Host, In, Out};

use crate::driver::{cuStreamGetCaptureInfo, cuStreamUpdateCaptureDependencies};
use crate::entry::{of_12, only_12};
use crate::layout::{EdgeData, Graph, GraphNode, Stream};

of_12! {
    fn cudaStreamGetCaptureInfo[cudaStreamGetCaptureInfo_ptsz](stream: Stream, status: Out<u32>, id: Out<u64>) {
        let (graph, list) = (Out::<u64>::NULL, Out::<Host>::NULL);
        cuStreamGetCaptureInfo(stream, status, id, graph, list, list, Out::<usize>::NULL)
    }

    fn cudaStreamUpdateCaptureDependencies[cudaStreamUpdateCaptureDependencies_ptsz](
        stream: Stream, dependencies: In<GraphNode>, count: usize, flags: u32,
    ) {
        cuStreamUpdateCaptureDependencies(stream, dependencies, In::<EdgeData>::NULL, count, flags)
    }
}

only_12! {
    fn cudaStreamGetCaptureInfo_v2[cudaStreamGetCaptureInfo_v2_ptsz](
        stream: Stream, status: Out<u32>, id: Out<u64>, graph: Out<Graph>, dependencies: Out<Host>,
        count: Out<usize>,
    ) {
        cuStreamGetCaptureInfo(stream, status, id, graph, dependencies, Out::<Host>::NULL, count)
    }
}
