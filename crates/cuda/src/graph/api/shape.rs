//! The entry points for the shape of graphs: which nodes there are and which edges.

use super::{dependencies, tell, tell_edges};
use crate::abi::{Answer, CUgraphEdgeData, CUresult, In, Out};
use crate::driver;
use crate::entry::entry;
use crate::graph::definition::{CUgraph, CUgraphNode, Dependency};

/// Tells nodes of a graph, to a list that has room for one at least.
fn tell_nodes(all: &[CUgraphNode], nodes: Out<CUgraphNode>, count: Out<usize>) -> Answer {
    if !nodes.is_null() && count.get()? == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    tell(all, CUgraphNode::NULL, nodes, count)
}

type Edge = (CUgraphNode, CUgraphNode, CUgraphEdgeData);

const NO_DATA: Out<CUgraphEdgeData> = Out::NULL;

entry! {
    fn cuGraphGetNodes(graph: CUgraph, nodes: Out<CUgraphNode>, count: Out<usize>) {
        driver::get()?;
        let graph = graph.get()?;
        let all: Vec<CUgraphNode> = graph.state().nodes.values().map(|entry| entry.node.handle).collect();
        tell_nodes(&all, nodes, count)
    }

    fn cuGraphGetRootNodes(graph: CUgraph, nodes: Out<CUgraphNode>, count: Out<usize>) {
        driver::get()?;
        let graph = graph.get()?;
        let state = graph.state();
        let roots = state.nodes.values().filter(|entry| entry.before.is_empty());
        let roots: Vec<CUgraphNode> = roots.map(|entry| entry.node.handle).collect();
        tell_nodes(&roots, nodes, count)
    }

    fn cuGraphGetEdges(graph: CUgraph, from: Out<CUgraphNode>, to: Out<CUgraphNode>, count: Out<usize>) {
        edges(graph, from, to, NO_DATA, count)
    }

    fn cuGraphGetEdges_v2(
        graph: CUgraph, from: Out<CUgraphNode>, to: Out<CUgraphNode>, data: Out<CUgraphEdgeData>, count: Out<usize>,
    ) {
        edges(graph, from, to, data, count)
    }

    fn cuGraphNodeGetDependencies(node: CUgraphNode, nodes: Out<CUgraphNode>, count: Out<usize>) {
        tell_edges(&before(node)?, nodes, NO_DATA, count)
    }

    fn cuGraphNodeGetDependencies_v2(
        node: CUgraphNode, nodes: Out<CUgraphNode>, data: Out<CUgraphEdgeData>, count: Out<usize>,
    ) {
        tell_edges(&before(node)?, nodes, data, count)
    }

    fn cuGraphNodeGetDependentNodes(node: CUgraphNode, nodes: Out<CUgraphNode>, count: Out<usize>) {
        tell_edges(&after(node)?, nodes, NO_DATA, count)
    }

    fn cuGraphNodeGetDependentNodes_v2(
        node: CUgraphNode, nodes: Out<CUgraphNode>, data: Out<CUgraphEdgeData>, count: Out<usize>,
    ) {
        tell_edges(&after(node)?, nodes, data, count)
    }

    fn cuGraphAddDependencies(graph: CUgraph, from: In<CUgraphNode>, to: In<CUgraphNode>, count: usize) {
        driver::get()?;
        graph.get()?.connect(&listed(from, to, In::NULL, count)?)
    }

    fn cuGraphAddDependencies_v2(
        graph: CUgraph, from: In<CUgraphNode>, to: In<CUgraphNode>, data: In<CUgraphEdgeData>, count: usize,
    ) {
        driver::get()?;
        graph.get()?.connect(&listed(from, to, data, count)?)
    }

    fn cuGraphRemoveDependencies(graph: CUgraph, from: In<CUgraphNode>, to: In<CUgraphNode>, count: usize) {
        driver::get()?;
        graph.get()?.disconnect(&listed(from, to, In::NULL, count)?)
    }

    fn cuGraphRemoveDependencies_v2(
        graph: CUgraph, from: In<CUgraphNode>, to: In<CUgraphNode>, data: In<CUgraphEdgeData>, count: usize,
    ) {
        driver::get()?;
        graph.get()?.disconnect(&listed(from, to, data, count)?)
    }

    fn cuGraphNodeGetType(node: CUgraphNode, kind: Out<u32>) {
        driver::get()?;
        kind.set(node.get()?.with(|entry| Ok(entry.content.kind()))?)
    }

    fn cuGraphNodeFindInClone(found: Out<CUgraphNode>, original: CUgraphNode, clone: CUgraph) {
        driver::get()?;
        let clone = clone.get()?;
        let state = clone.state();
        let twin = state.nodes.values().find(|entry| !original.is_null() && entry.node.origin == original);
        found.set(twin.ok_or(CUresult::INVALID_VALUE)?.node.handle)
    }

    fn cuGraphNodeGetContainingGraph(node: CUgraphNode, graph: Out<CUgraph>) {
        driver::get()?;
        graph.set(node.get()?.graph()?.handle)
    }

    fn cuGraphNodeGetLocalId(node: CUgraphNode, id: Out<u32>) {
        driver::get()?;
        id.set(node.get()?.number)
    }

    fn cuGraphNodeGetToolsId(node: CUgraphNode, id: Out<u64>) {
        driver::get()?;
        id.set(node.get()?.handle.number())
    }

    fn cuGraphGetId(graph: CUgraph, id: Out<u32>) {
        driver::get()?;
        id.set(graph.get()?.id)
    }
}

fn before(node: CUgraphNode) -> Answer<Vec<Dependency>> {
    neighbours(node, true)
}

fn after(node: CUgraphNode) -> Answer<Vec<Dependency>> {
    neighbours(node, false)
}

fn neighbours(node: CUgraphNode, before: bool) -> Answer<Vec<Dependency>> {
    driver::get()?;
    let node = node.get()?;
    let graph = node.graph()?;
    let state = graph.state();
    let entry = state.nodes.get(&node.number).ok_or(CUresult::INVALID_VALUE)?;
    Ok(state.named(if before { &entry.before } else { &entry.after }))
}

/// The edges that a caller lists.
fn listed(
    from: In<CUgraphNode>,
    to: In<CUgraphNode>,
    data: In<CUgraphEdgeData>,
    count: usize,
) -> Answer<Vec<Edge>> {
    let from = dependencies(from, data, count)?;
    from.into_iter().enumerate().map(|(index, (from, data))| Ok((from, to.at(index)?, data))).collect()
}

fn edges(
    graph: CUgraph,
    from: Out<CUgraphNode>,
    to: Out<CUgraphNode>,
    data: Out<CUgraphEdgeData>,
    count: Out<usize>,
) -> Answer {
    driver::get()?;
    let edges = graph.get()?.state().all_edges();
    if from.is_null() != to.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let starts: Vec<CUgraphNode> = edges.iter().map(|edge| edge.0).collect();
    if !from.is_null() {
        // Only the last one may say how many they were: all look at how much room there is.
        for index in 0..count.get()? {
            from.at(index).set(starts.get(index).copied().unwrap_or(CUgraphNode::NULL))?;
        }
    }
    let ends: Vec<Dependency> = edges.iter().map(|edge| (edge.1, edge.2)).collect();
    tell_edges(&ends, to, data, count)
}
