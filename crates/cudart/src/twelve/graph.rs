//! Graphs whose edges said nothing of themselves.

use ptxvm_abi::{In, Out};

use crate::driver::{
    cuGraphAddDependencies, cuGraphAddNode, cuGraphGetEdges, cuGraphNodeGetDependencies,
    cuGraphNodeGetDependentNodes, cuGraphRemoveDependencies,
};
use crate::entry::of_12;
use crate::graph::node;
use crate::layout::{EdgeData, Graph, GraphNode, Node};

of_12! {
    fn cudaGraphAddDependencies(graph: Graph, from: In<GraphNode>, to: In<GraphNode>, count: usize) {
        cuGraphAddDependencies(graph, from, to, In::<EdgeData>::NULL, count)
    }

    fn cudaGraphRemoveDependencies(graph: Graph, from: In<GraphNode>, to: In<GraphNode>, count: usize) {
        cuGraphRemoveDependencies(graph, from, to, In::<EdgeData>::NULL, count)
    }

    fn cudaGraphGetEdges(graph: Graph, from: Out<GraphNode>, to: Out<GraphNode>, count: Out<usize>) {
        cuGraphGetEdges(graph, from, to, Out::<EdgeData>::NULL, count)
    }

    fn cudaGraphNodeGetDependencies(node: GraphNode, nodes: Out<GraphNode>, count: Out<usize>) {
        cuGraphNodeGetDependencies(node, nodes, Out::<EdgeData>::NULL, count)
    }

    fn cudaGraphNodeGetDependentNodes(node: GraphNode, nodes: Out<GraphNode>, count: Out<usize>) {
        cuGraphNodeGetDependentNodes(node, nodes, Out::<EdgeData>::NULL, count)
    }

    fn cudaGraphAddNode(
        node: Out<GraphNode>, graph: Graph, dependencies: In<GraphNode>, count: usize, what: Out<Node>,
    ) {
        node::with(what, |what| cuGraphAddNode(node, graph, dependencies, In::<EdgeData>::NULL, count, what))
    }
}
