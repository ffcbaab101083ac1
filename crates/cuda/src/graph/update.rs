//! Updates: an executable graph takes over the parameters of another graph, if both have the same shape.

use super::content::Content;
use super::definition::CUgraphNode;
use super::plan::Plan;
use crate::work::{Operation, Place};

/// `CUgraphExecUpdateResult`
pub mod result {
    pub const SUCCESS: u32 = 0;
    pub const ERROR: u32 = 1;
    pub const TOPOLOGY_CHANGED: u32 = 2;
    pub const NODE_TYPE_CHANGED: u32 = 3;
    pub const UNSUPPORTED_FUNCTION_CHANGE: u32 = 7;
    pub const PARAMETERS_CHANGED: u32 = 5;
    pub const ATTRIBUTES_CHANGED: u32 = 8;
}

/// Why an update is refused: the reason, the node of the new graph, and for an edge the node that it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    pub result: u32,
    pub node: CUgraphNode,
    pub from: CUgraphNode,
}

/// Whether a plan can take over what another says. Nodes are paired in the order in which they were made.
///
/// # Errors
/// The first difference that an update cannot bridge.
pub fn compare(old: &Plan, new: &Plan) -> Result<(), Difference> {
    let differ = |result, node, from| Err(Difference { result, node, from });
    for (old, new_step) in old.steps.iter().zip(&new.steps) {
        if old.content.kind() != new_step.content.kind() {
            return differ(result::NODE_TYPE_CHANGED, new_step.node, CUgraphNode::NULL);
        }
        if old.before != new_step.before {
            let known = |edge| old.before.contains(edge);
            let from = new_step.before.iter().find(|edge| !known(edge));
            let from = from.map_or(CUgraphNode::NULL, |(at, _)| new.steps[*at].node);
            return differ(result::TOPOLOGY_CHANGED, new_step.node, from);
        }
        contents(&old.content, &new_step.content, new_step.node)?;
    }
    if old.steps.len() != new.steps.len() {
        let extra = new.steps.get(old.steps.len()).map_or(CUgraphNode::NULL, |step| step.node);
        return differ(result::TOPOLOGY_CHANGED, extra, CUgraphNode::NULL);
    }
    Ok(())
}

fn contents(old: &Content<Plan>, new: &Content<Plan>, node: CUgraphNode) -> Result<(), Difference> {
    let result = change(old, new);
    if result != result::SUCCESS {
        return Err(Difference { result, node, from: CUgraphNode::NULL });
    }
    if old.graphs().len() != new.graphs().len() {
        return Err(Difference { result: result::PARAMETERS_CHANGED, node, from: CUgraphNode::NULL });
    }
    old.graphs().iter().zip(new.graphs()).try_for_each(|(old, new)| compare(old, new))
}

/// Whether a node can take over what another of its kind says: `CUgraphExecUpdateResult`.
pub fn change<G, H>(old: &Content<G>, new: &Content<H>) -> u32 {
    let (possible, otherwise) = match (old, new) {
        (Content::Kernel(old), Content::Kernel(new)) => {
            let (old, new) = (&old.launch, &new.launch);
            if !old.function.context.ptr_eq(&new.function.context) {
                return result::UNSUPPORTED_FUNCTION_CHANGE;
            }
            (old.cooperative == new.cooperative, result::ATTRIBUTES_CHANGED)
        }
        (Content::Work(Operation::Copy(old)), Content::Work(Operation::Copy(new))) => {
            let sides =
                |one: Place, other: Place| matches!(one, Place::Host(_)) == matches!(other, Place::Host(_));
            let unified = [old.to, old.from, new.to, new.from]
                .iter()
                .any(|side| matches!(side.place, Place::Unified(_)));
            let same = sides(old.to.place, new.to.place) && sides(old.from.place, new.from.place);
            // Copies of more than one row keep what they are.
            let flat = [old, new].iter().all(|copy| copy.height == 1 && copy.depth == 1);
            ((unified || same) && (flat || old == new), result::PARAMETERS_CHANGED)
        }
        (Content::Work(Operation::Fill(old)), Content::Work(Operation::Fill(new))) => {
            // Fills of more than one row keep their shape.
            let flat = old.height == 1 && new.height == 1;
            let shape = |fill: &crate::work::Fill| (fill.width, fill.height, fill.element);
            (flat || shape(old) == shape(new), result::PARAMETERS_CHANGED)
        }
        (Content::Allocate(old), Content::Allocate(new)) => {
            (old.address == new.address, result::PARAMETERS_CHANGED)
        }
        (Content::Free(old), Content::Free(new)) => (old == new, result::PARAMETERS_CHANGED),
        (Content::Conditional(old), Content::Conditional(new)) => {
            (old.choice == new.choice && old.bodies.len() == new.bodies.len(), result::PARAMETERS_CHANGED)
        }
        (old, new) => (old.kind() == new.kind(), result::NODE_TYPE_CHANGED),
    };
    if possible { result::SUCCESS } else { otherwise }
}

/// Takes over what a plan of the same shape says. Steps keep their names and whether they are enabled.
pub fn apply(old: &mut Plan, new: Plan) {
    for (old, new) in old.steps.iter_mut().zip(new.steps) {
        match (&mut old.content, new.content) {
            (Content::Child(old), Content::Child(new)) => apply(old, new),
            (Content::Conditional(old), Content::Conditional(new)) => {
                (old.handle, old.variable) = (new.handle, new.variable);
                old.bodies.iter_mut().zip(new.bodies).for_each(|(old, new)| apply(old, new));
            }
            (old, new) => *old = new,
        }
    }
    old.held = new.held;
}
