//! Nodes that copy and that fill.

use ptxvm_abi::{Host, In, Out};

use crate::context::primary;
use crate::copy::{Kind, cuboid, described};
use crate::driver::{
    cuGraphAddMemcpyNode, cuGraphAddMemsetNode, cuGraphExecMemcpyNodeSetParams,
    cuGraphExecMemsetNodeSetParams, cuGraphMemcpyNodeGetParams, cuGraphMemcpyNodeSetParams,
    cuGraphMemsetNodeGetParams, cuGraphMemsetNodeSetParams,
};
use crate::entry::entry;
use crate::error::Answer;
use crate::layout::{Copy3D, Cuboid, Graph, GraphExec, GraphNode, MemsetNode, Symbol};
use crate::memory::variable;

/// A copy of bytes as one of a box.
fn line(to: Host, from: Host, count: usize, kind: u32) -> Answer<Cuboid> {
    line_of(to, from, count, Kind::of(kind)?)
}

fn line_of(to: Host, from: Host, count: usize, kind: Kind) -> Answer<Cuboid> {
    Ok(Cuboid {
        from: kind.from(from, count, 1),
        to: kind.to(to, count, 1),
        width_in_bytes: count,
        height: 1,
        depth: 1,
    })
}

/// A copy to a variable.
fn to_symbol(symbol: Symbol, from: Host, count: usize, offset: usize, kind: u32) -> Answer<Cuboid> {
    line_of(variable::part(symbol, count, offset)?, from, count, Kind::into_device(kind)?)
}

/// A copy from a variable.
fn from_symbol(to: Host, symbol: Symbol, count: usize, offset: usize, kind: u32) -> Answer<Cuboid> {
    line_of(to, variable::part(symbol, count, offset)?, count, Kind::out_of_device(kind)?)
}

entry! {
    fn cudaGraphAddMemcpyNode(
        node: Out<GraphNode>, graph: Graph, dependencies: In<GraphNode>, count: usize, what: In<Copy3D>,
    ) {
        cuGraphAddMemcpyNode(node, graph, dependencies, count, &cuboid(&what.get()?)?, primary()?)
    }

    fn cudaGraphAddMemcpyNode1D(
        node: Out<GraphNode>, graph: Graph, dependencies: In<GraphNode>, count: usize, to: Host, from: Host,
        bytes: usize, kind: u32,
    ) {
        cuGraphAddMemcpyNode(node, graph, dependencies, count, &line(to, from, bytes, kind)?, primary()?)
    }

    fn cudaGraphAddMemcpyNodeToSymbol(
        node: Out<GraphNode>, graph: Graph, dependencies: In<GraphNode>, count: usize, symbol: Symbol, from: Host,
        bytes: usize, offset: usize, kind: u32,
    ) {
        let copy = to_symbol(symbol, from, bytes, offset, kind)?;
        cuGraphAddMemcpyNode(node, graph, dependencies, count, &copy, primary()?)
    }

    fn cudaGraphAddMemcpyNodeFromSymbol(
        node: Out<GraphNode>, graph: Graph, dependencies: In<GraphNode>, count: usize, to: Host, symbol: Symbol,
        bytes: usize, offset: usize, kind: u32,
    ) {
        let copy = from_symbol(to, symbol, bytes, offset, kind)?;
        cuGraphAddMemcpyNode(node, graph, dependencies, count, &copy, primary()?)
    }

    fn cudaGraphMemcpyNodeGetParams(node: GraphNode, what: Out<Copy3D>) {
        let nowhere = Kind::Default.from(Host::NULL, 0, 0);
        let mut found = Cuboid { from: nowhere, to: nowhere, width_in_bytes: 0, height: 0, depth: 0 };
        cuGraphMemcpyNodeGetParams(node, &mut found)?;
        Ok(what.set(described(&found)?)?)
    }

    fn cudaGraphMemcpyNodeSetParams(node: GraphNode, what: In<Copy3D>) {
        cuGraphMemcpyNodeSetParams(node, &cuboid(&what.get()?)?)
    }

    fn cudaGraphMemcpyNodeSetParams1D(node: GraphNode, to: Host, from: Host, bytes: usize, kind: u32) {
        cuGraphMemcpyNodeSetParams(node, &line(to, from, bytes, kind)?)
    }

    fn cudaGraphMemcpyNodeSetParamsToSymbol(
        node: GraphNode, symbol: Symbol, from: Host, bytes: usize, offset: usize, kind: u32,
    ) {
        cuGraphMemcpyNodeSetParams(node, &to_symbol(symbol, from, bytes, offset, kind)?)
    }

    fn cudaGraphMemcpyNodeSetParamsFromSymbol(
        node: GraphNode, to: Host, symbol: Symbol, bytes: usize, offset: usize, kind: u32,
    ) {
        cuGraphMemcpyNodeSetParams(node, &from_symbol(to, symbol, bytes, offset, kind)?)
    }

    fn cudaGraphExecMemcpyNodeSetParams(exec: GraphExec, node: GraphNode, what: In<Copy3D>) {
        cuGraphExecMemcpyNodeSetParams(exec, node, &cuboid(&what.get()?)?, primary()?)
    }

    fn cudaGraphExecMemcpyNodeSetParams1D(
        exec: GraphExec, node: GraphNode, to: Host, from: Host, bytes: usize, kind: u32,
    ) {
        cuGraphExecMemcpyNodeSetParams(exec, node, &line(to, from, bytes, kind)?, primary()?)
    }

    fn cudaGraphExecMemcpyNodeSetParamsToSymbol(
        exec: GraphExec, node: GraphNode, symbol: Symbol, from: Host, bytes: usize, offset: usize, kind: u32,
    ) {
        let copy = to_symbol(symbol, from, bytes, offset, kind)?;
        cuGraphExecMemcpyNodeSetParams(exec, node, &copy, primary()?)
    }

    fn cudaGraphExecMemcpyNodeSetParamsFromSymbol(
        exec: GraphExec, node: GraphNode, to: Host, symbol: Symbol, bytes: usize, offset: usize, kind: u32,
    ) {
        let copy = from_symbol(to, symbol, bytes, offset, kind)?;
        cuGraphExecMemcpyNodeSetParams(exec, node, &copy, primary()?)
    }

    fn cudaGraphAddMemsetNode(
        node: Out<GraphNode>, graph: Graph, dependencies: In<GraphNode>, count: usize, what: In<MemsetNode>,
    ) {
        cuGraphAddMemsetNode(node, graph, dependencies, count, what, primary()?)
    }

    fn cudaGraphMemsetNodeGetParams(node: GraphNode, what: Out<MemsetNode>) {
        cuGraphMemsetNodeGetParams(node, what)
    }

    fn cudaGraphMemsetNodeSetParams(node: GraphNode, what: In<MemsetNode>) {
        cuGraphMemsetNodeSetParams(node, what)
    }

    fn cudaGraphExecMemsetNodeSetParams(exec: GraphExec, node: GraphNode, what: In<MemsetNode>) {
        cuGraphExecMemsetNodeSetParams(exec, node, what, primary()?)
    }
}
