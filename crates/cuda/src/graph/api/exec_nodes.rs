//! The entry points that change single nodes of executable graphs.

use super::nodes::{any, kernel};
use crate::abi::{
    Answer, CUDA_CHILD_GRAPH_NODE_PARAMS, CUDA_HOST_NODE_PARAMS_v1, CUDA_KERNEL_NODE_PARAMS_v1,
    CUDA_KERNEL_NODE_PARAMS_v2, CUDA_MEMSET_NODE_PARAMS_v1, CUgraphNodeParams, CUresult, In, Out,
};
use crate::context::CUcontext;
use crate::driver;
use crate::entry::entry;
use crate::graph::content::{Content, EventNode, kind};
use crate::graph::definition::{CUgraph, CUgraphNode};
use crate::graph::exec::CUgraphExec;
use crate::graph::params;
use crate::graph::plan::{Plan, Step};
use crate::graph::update::{self, result};
use crate::memory::Cuboid;
use crate::stream::CUevent;
use crate::work::Operation;

entry! {
    fn cuGraphExecKernelNodeSetParams(
        exec: CUgraphExec, node: CUgraphNode, params: In<CUDA_KERNEL_NODE_PARAMS_v1>,
    ) {
        let said = params.get()?.into();
        change(exec, node, |old| kernel(&said, old))
    }

    fn cuGraphExecKernelNodeSetParams_v2(
        exec: CUgraphExec, node: CUgraphNode, params: In<CUDA_KERNEL_NODE_PARAMS_v2>,
    ) {
        let said = params.get()?;
        change(exec, node, |old| kernel(&said, old))
    }

    fn cuGraphExecMemcpyNodeSetParams(
        exec: CUgraphExec, node: CUgraphNode, params: In<Cuboid>, context: CUcontext,
    ) {
        params::context(context)?;
        let copy = params::copy(&params.get()?)?;
        change(exec, node, |_| Ok(Content::Work(Operation::Copy(copy))))
    }

    fn cuGraphExecMemsetNodeSetParams(
        exec: CUgraphExec, node: CUgraphNode, params: In<CUDA_MEMSET_NODE_PARAMS_v1>, context: CUcontext,
    ) {
        params::context(context)?;
        let fill = params::fill(&params.get()?)?;
        change(exec, node, |_| Ok(Content::Work(Operation::Fill(fill))))
    }

    fn cuGraphExecHostNodeSetParams(
        exec: CUgraphExec, node: CUgraphNode, params: In<CUDA_HOST_NODE_PARAMS_v1>,
    ) {
        let call = params::host(&params.get()?)?;
        change(exec, node, |_| Ok(Content::Work(Operation::Host(call))))
    }

    fn cuGraphExecChildGraphNodeSetParams(exec: CUgraphExec, node: CUgraphNode, child: CUgraph) {
        change_child(exec, node, child)
    }

    fn cuGraphExecEventRecordNodeSetEvent(exec: CUgraphExec, node: CUgraphNode, event: CUevent) {
        let event = EventNode::new(event)?;
        change(exec, node, |_| Ok(Content::Record(event)))
    }

    fn cuGraphExecEventWaitNodeSetEvent(exec: CUgraphExec, node: CUgraphNode, event: CUevent) {
        let event = EventNode::new(event)?;
        change(exec, node, |_| Ok(Content::Wait(event)))
    }

    fn cuGraphExecNodeSetParams(exec: CUgraphExec, node: CUgraphNode, params: In<CUgraphNodeParams>) {
        let said = params.get()?;
        if said.kind == kind::GRAPH {
            return change_child(exec, node, said.get::<CUDA_CHILD_GRAPH_NODE_PARAMS>().graph);
        }
        change(exec, node, |old| any(&said, old))
    }

    fn cuGraphNodeSetEnabled(exec: CUgraphExec, node: CUgraphNode, enabled: u32) {
        step(exec, node, |step| {
            switchable(step)?;
            step.enabled = enabled != 0;
            Ok(())
        })
    }

    fn cuGraphNodeGetEnabled(exec: CUgraphExec, node: CUgraphNode, enabled: Out<u32>) {
        enabled.set(step(exec, node, |step| {
            switchable(step)?;
            Ok(u32::from(step.enabled))
        })?)
    }
}

fn step<T>(exec: CUgraphExec, node: CUgraphNode, change: impl FnOnce(&mut Step) -> Answer<T>) -> Answer<T> {
    driver::get()?;
    exec.get()?.change(node, change)
}

/// Changes what a node says, as far as an update could.
fn change(
    exec: CUgraphExec,
    node: CUgraphNode,
    make: impl FnOnce(&Content<Plan>) -> Answer<Content<Plan>>,
) -> Answer {
    step(exec, node, |step| {
        let content = make(&step.content)?;
        if update::change(&step.content, &content) != result::SUCCESS {
            return Err(CUresult::INVALID_VALUE);
        }
        step.content = content;
        Ok(())
    })
}

fn change_child(exec: CUgraphExec, node: CUgraphNode, child: CUgraph) -> Answer {
    driver::get()?;
    let new = Plan::new(&child.get()?).map_err(|(result, _)| result)?;
    step(exec, node, |step| match &mut step.content {
        Content::Child(old) => {
            update::compare(old, &new).map_err(|_| CUresult::GRAPH_EXEC_UPDATE_FAILURE)?;
            update::apply(old, new);
            Ok(())
        }
        _ => Err(CUresult::INVALID_VALUE),
    })
}

/// Only kernels, copies and fills can be switched off.
fn switchable(step: &Step) -> Answer {
    match step.content.kind() {
        kind::KERNEL | kind::MEMCPY | kind::MEMSET => Ok(()),
        _ => Err(CUresult::INVALID_VALUE),
    }
}
