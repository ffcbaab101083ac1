//! Nodes that launch kernels: the runtime names the function of the host, the driver the kernel.

use ptxvm_abi::{In, Out};

use crate::driver::{
    cuGraphAddKernelNode, cuGraphExecKernelNodeSetParams, cuGraphKernelNodeCopyAttributes,
    cuGraphKernelNodeGetAttribute, cuGraphKernelNodeGetParams, cuGraphKernelNodeSetAttribute,
    cuGraphKernelNodeSetParams,
};
use crate::entry::entry;
use crate::error::Answer;
use crate::layout::{
    AttributeValue, Dim3, DriverKernelNode, Graph, GraphExec, GraphNode, KernelNode, KernelNode2,
};
use crate::registration;

/// `cudaKernelFunctionType`: what a function is said to be.
const KERNEL: u32 = 2;
const DRIVER_FUNCTION: u32 = 3;

/// The node as the driver describes it.
///
/// # Errors
/// There is no such kernel.
pub fn for_driver(node: KernelNode) -> Answer<DriverKernelNode> {
    let KernelNode { function, grid, block, shared, parameters, extra } = node;
    let kernel = registration::kernel(function)?;
    Ok(DriverKernelNode { function: 0, grid, block, shared, parameters, extra, kernel, context: 0 })
}

/// The same of a node that says what its function is.
///
/// # Errors
/// There is no such kernel.
pub fn for_driver2(said: KernelNode2) -> Answer<DriverKernelNode> {
    let KernelNode2 { node, context, kind } = said;
    let KernelNode { function, grid, block, shared, parameters, extra } = node;
    let as_it_is = |kernel, function| {
        Ok(DriverKernelNode { function, grid, block, shared, parameters, extra, kernel, context })
    };
    match kind {
        KERNEL => as_it_is(function as u64, 0),
        DRIVER_FUNCTION => as_it_is(0, function as u64),
        _ => Ok(DriverKernelNode { context, ..for_driver(node)? }),
    }
}

/// The node as the runtime describes it.
pub fn for_program(node: &DriverKernelNode) -> KernelNode {
    let DriverKernelNode { function, grid, block, shared, parameters, extra, kernel, .. } = *node;
    let function = if kernel == 0 { function } else { kernel };
    KernelNode { function: registration::function_of(function), grid, block, shared, parameters, extra }
}

/// A node of which nothing is said.
pub const EMPTY: DriverKernelNode = DriverKernelNode {
    function: 0,
    grid: Dim3 { x: 0, y: 0, z: 0 },
    block: Dim3 { x: 0, y: 0, z: 0 },
    shared: 0,
    parameters: ptxvm_abi::Host::NULL,
    extra: ptxvm_abi::Host::NULL,
    kernel: 0,
    context: 0,
};

entry! {
    fn cudaGraphAddKernelNode(
        node: Out<GraphNode>, graph: Graph, dependencies: In<GraphNode>, count: usize, what: In<KernelNode>,
    ) {
        cuGraphAddKernelNode(node, graph, dependencies, count, &for_driver(what.get()?)?)
    }

    fn cudaGraphKernelNodeGetParams(node: GraphNode, what: Out<KernelNode>) {
        let mut found = EMPTY;
        cuGraphKernelNodeGetParams(node, &mut found)?;
        Ok(what.set(for_program(&found))?)
    }

    fn cudaGraphKernelNodeSetParams(node: GraphNode, what: In<KernelNode>) {
        cuGraphKernelNodeSetParams(node, &for_driver(what.get()?)?)
    }

    fn cudaGraphExecKernelNodeSetParams(exec: GraphExec, node: GraphNode, what: In<KernelNode>) {
        cuGraphExecKernelNodeSetParams(exec, node, &for_driver(what.get()?)?)
    }

    fn cudaGraphKernelNodeCopyAttributes(to: GraphNode, from: GraphNode) {
        cuGraphKernelNodeCopyAttributes(to, from)
    }

    fn cudaGraphKernelNodeGetAttribute(node: GraphNode, attribute: u32, value: Out<AttributeValue>) {
        cuGraphKernelNodeGetAttribute(node, attribute, value)
    }

    fn cudaGraphKernelNodeSetAttribute(node: GraphNode, attribute: u32, value: In<AttributeValue>) {
        cuGraphKernelNodeSetAttribute(node, attribute, value)
    }
}
