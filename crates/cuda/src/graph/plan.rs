//! Plans: graphs that are ready to run, with an order that follows the edges. A plan is independent of its graph.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::content::Content;
use super::definition::{CUgraphNode, Graph};
use super::user_object::Held;
use crate::abi::{Answer, CUgraphEdgeData, CUresult};

/// A graph made ready.
#[derive(Clone, Default)]
pub struct Plan {
    /// In the order in which the nodes were made.
    pub steps: Vec<Step>,
    /// The steps in an order in which they can run.
    pub order: Vec<usize>,
    /// What the program wants kept alive as long as it may run.
    pub held: Vec<Held>,
}

/// A node made ready.
#[derive(Clone)]
pub struct Step {
    /// The node of the graph that the plan was made from: the name by which programs change the step.
    pub node: CUgraphNode,
    pub content: Content<Plan>,
    /// The steps that it comes after, in increasing order.
    pub before: Vec<(usize, CUgraphEdgeData)>,
    /// Whether it does anything.
    pub enabled: bool,
}

/// Why a graph cannot be made ready: the answer, and the node that is to blame.
pub type RefusedNode = (CUresult, CUgraphNode);

impl Plan {
    /// Makes a graph ready.
    ///
    /// # Errors
    /// Its edges go round in circles.
    pub fn new(graph: &Arc<Graph>) -> Result<Self, RefusedNode> {
        let state = graph.state();
        let index: HashMap<u32, usize> =
            state.nodes.keys().enumerate().map(|(at, number)| (*number, at)).collect();
        let mut steps = Vec::with_capacity(state.nodes.len());
        for entry in state.nodes.values() {
            let mut blame = entry.node.handle;
            let content = entry.content.try_map(|child| {
                Plan::new(child).map_err(|(result, node)| {
                    blame = node;
                    result
                })
            });
            let content = content.map_err(|result| (result, blame))?;
            let mut before: Vec<_> =
                entry.before.iter().map(|(number, data)| (index[number], *data)).collect();
            before.sort_unstable_by_key(|(at, _)| *at);
            steps.push(Step { node: entry.node.handle, content, before, enabled: true });
        }
        let order = order(&steps).map_err(|at| (CUresult::INVALID_VALUE, steps[at].node))?;
        Ok(Self { steps, order, held: state.held.clone() })
    }

    /// The step of a node, also of one in a graph inside.
    pub fn find(&mut self, node: CUgraphNode) -> Option<&mut Step> {
        if let Some(at) = self.steps.iter().position(|step| step.node == node) {
            return self.steps.get_mut(at);
        }
        self.steps.iter_mut().find_map(|step| match &mut step.content {
            Content::Child(plan) => plan.find(node),
            Content::Conditional(conditional) => {
                conditional.bodies.iter_mut().find_map(|body| body.find(node))
            }
            _ => None,
        })
    }

    /// Shows the steps in their order, also those of graphs inside that run with every launch.
    pub fn each<'a>(&'a self, see: &mut impl FnMut(&'a Step)) {
        for &at in &self.order {
            let step = &self.steps[at];
            see(step);
            if let Content::Child(plan) = &step.content {
                plan.each(see);
            }
        }
    }

    /// A graph of the same steps, for a launch that a capture takes down.
    ///
    /// # Errors
    /// It holds memory nodes, whose addresses are in it once.
    pub fn graph(&self) -> Answer<Arc<Graph>> {
        let graph = Graph::create();
        let mut nodes = vec![CUgraphNode::NULL; self.steps.len()];
        for &at in &self.order {
            let step = &self.steps[at];
            let made = step.content.try_map(|plan| {
                let child = plan.graph()?;
                child.own();
                Ok(child)
            });
            let after: Vec<_> = step.before.iter().map(|(at, data)| (nodes[*at], *data)).collect();
            let added = match made {
                Ok(Content::Allocate(_) | Content::Free(_)) => Err(CUresult::NOT_SUPPORTED),
                Ok(content) => graph.add(content, &after),
                Err(result) => Err(result),
            };
            match added {
                Ok(node) => nodes[at] = node.handle,
                Err(result) => {
                    graph.release();
                    return Err(result);
                }
            }
        }
        graph.state().held.clone_from(&self.held);
        Ok(graph)
    }
}

/// An order that keeps to the edges, and to the order in which the nodes were made where those leave a choice; or a
/// step of a circle.
fn order(steps: &[Step]) -> Result<Vec<usize>, usize> {
    let mut open: Vec<usize> = steps.iter().map(|step| step.before.len()).collect();
    let mut after = vec![Vec::new(); steps.len()];
    for (at, step) in steps.iter().enumerate() {
        step.before.iter().for_each(|(before, _)| after[*before].push(at));
    }
    let mut ready: BTreeSet<usize> = (0..steps.len()).filter(|at| open[*at] == 0).collect();
    let mut order = Vec::with_capacity(steps.len());
    while let Some(at) = ready.pop_first() {
        order.push(at);
        for &next in &after[at] {
            open[next] -= 1;
            if open[next] == 0 {
                ready.insert(next);
            }
        }
    }
    match open.iter().position(|count| *count > 0) {
        Some(at) => Err(at),
        None => Ok(order),
    }
}
