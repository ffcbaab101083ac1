//! The entry points that make graphs executable, launch them and change them as a whole.

use std::ffi::c_char;

use crate::abi::{Answer, CUDA_GRAPH_INSTANTIATE_PARAMS, CUgraphExecUpdateResultInfo, CUresult, Out};
use crate::entry::entry;
use crate::graph::definition::{CUgraph, CUgraphNode};
use crate::graph::exec::{CUgraphExec, Exec};
use crate::graph::kind;
use crate::graph::plan::{Plan, RefusedNode};
use crate::graph::update::{Difference, apply, compare, result};
use crate::stream::{CUstream, resolve};
use crate::{driver, report};

/// `CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD` and `_DEVICE_LAUNCH`, and all flags.
const UPLOAD: u64 = 2;
const DEVICE_LAUNCH: u64 = 4;
const FLAGS: u64 = 15;
/// What a graph that kernels launch may be made of.
const LAUNCHED_BY_DEVICE: [u32; 4] = [kind::KERNEL, kind::MEMCPY, kind::MEMSET, kind::GRAPH];
/// `CUDA_GRAPH_INSTANTIATE_SUCCESS`, `_ERROR`, `_INVALID_STRUCTURE`
const MADE: u32 = 0;
const NOT_MADE: u32 = 1;
const INVALID_STRUCTURE: u32 = 2;

entry! {
    fn cuGraphInstantiate(
        exec: Out<CUgraphExec>, graph: CUgraph, error: Out<CUgraphNode>, log: Out<c_char>, room: usize,
    ) {
        instantiate_with_log(exec, graph, error, log, room)
    }

    fn cuGraphInstantiate_v2(
        exec: Out<CUgraphExec>, graph: CUgraph, error: Out<CUgraphNode>, log: Out<c_char>, room: usize,
    ) {
        instantiate_with_log(exec, graph, error, log, room)
    }

    fn cuGraphInstantiateWithFlags(exec: Out<CUgraphExec>, graph: CUgraph, flags: u64) {
        // Only the call with parameters can name a stream to upload in.
        if flags & UPLOAD != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        instantiate(exec, graph, flags).map_err(|(result, _)| result)
    }

    fn cuGraphInstantiateWithParams [cuGraphInstantiateWithParams_ptsz] (
        exec: Out<CUgraphExec>, graph: CUgraph, params: Out<CUDA_GRAPH_INSTANTIATE_PARAMS>,
    ) {
        let mut said = params.get()?;
        let made = instantiate(exec, graph, said.flags);
        (said.result, said.error_node) = match made {
            Ok(()) => (MADE, CUgraphNode::NULL),
            Err((_, node)) if node.is_null() => (NOT_MADE, node),
            Err((_, node)) => (INVALID_STRUCTURE, node),
        };
        params.set(said)?;
        made.map_err(|(result, _)| result)
    }

    fn cuGraphExecGetFlags(exec: CUgraphExec, flags: Out<u64>) {
        driver::get()?;
        flags.set(exec.get()?.flags)
    }

    fn cuGraphExecGetId(exec: CUgraphExec, id: Out<u32>) {
        driver::get()?;
        id.set(exec.get()?.id)
    }

    fn cuGraphExecDestroy(exec: CUgraphExec) {
        driver::get()?;
        exec.remove().map(|_| ())
    }

    fn cuGraphUpload [cuGraphUpload_ptsz] (exec: CUgraphExec, stream: CUstream) {
        // The plan is where it runs already.
        resolve(stream)?;
        exec.get().map(|_| ())
    }

    fn cuGraphLaunch [cuGraphLaunch_ptsz] (exec: CUgraphExec, stream: CUstream) {
        let stream = resolve(stream)?;
        exec.get()?.launch(&stream)
    }

    fn cuGraphExecUpdate(
        exec: CUgraphExec, graph: CUgraph, error: Out<CUgraphNode>, answer: Out<u32>,
    ) {
        if answer.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let difference = update(exec, graph)?;
        error.offer(difference.node);
        answer.set(difference.result)?;
        judge(&difference)
    }

    fn cuGraphExecUpdate_v2(exec: CUgraphExec, graph: CUgraph, info: Out<CUgraphExecUpdateResultInfo>) {
        if info.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let difference = update(exec, graph)?;
        let Difference { result, node, from } = difference;
        info.set(CUgraphExecUpdateResultInfo { result, error_node: node, error_from_node: from })?;
        judge(&difference)
    }
}

fn instantiate(exec: Out<CUgraphExec>, graph: CUgraph, flags: u64) -> Result<(), RefusedNode> {
    let refused = |result| (result, CUgraphNode::NULL);
    driver::get().map_err(refused)?;
    if exec.is_null() || flags & !FLAGS != 0 {
        return Err(refused(CUresult::INVALID_VALUE));
    }
    let graph = graph.get().map_err(refused)?;
    if flags & DEVICE_LAUNCH != 0 {
        let state = graph.state();
        if !state.nodes.values().all(|entry| LAUNCHED_BY_DEVICE.contains(&entry.content.kind())) {
            return Err(refused(CUresult::INVALID_VALUE));
        }
        drop(state);
        report::unsupported("cuGraphInstantiate for launches from the device");
        return Err(refused(CUresult::NOT_SUPPORTED));
    }
    exec.set(Exec::create(&graph, flags)?).map_err(refused)
}

fn instantiate_with_log(
    exec: Out<CUgraphExec>,
    graph: CUgraph,
    error: Out<CUgraphNode>,
    log: Out<c_char>,
    room: usize,
) -> Answer {
    if room > 0 {
        log.offer(0);
    }
    instantiate(exec, graph, 0).map_err(|(result, node)| {
        error.offer(node);
        result
    })
}

/// Lets an executable graph take over what a graph says, or tells why it cannot.
fn update(exec: CUgraphExec, graph: CUgraph) -> Answer<Difference> {
    driver::get()?;
    let (exec, graph) = (exec.get()?, graph.get()?);
    let none = CUgraphNode::NULL;
    let new = match Plan::new(&graph) {
        Ok(new) => new,
        Err((_, node)) => return Ok(Difference { result: result::ERROR, node, from: none }),
    };
    Ok(exec.with_plan(|old| match compare(old, &new) {
        Ok(()) => {
            apply(old, new);
            Difference { result: result::SUCCESS, node: none, from: none }
        }
        Err(difference) => difference,
    }))
}

fn judge(difference: &Difference) -> Answer {
    match difference.result {
        result::SUCCESS => Ok(()),
        _ => Err(CUresult::GRAPH_EXEC_UPDATE_FAILURE),
    }
}
