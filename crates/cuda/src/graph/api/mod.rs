//! The entry points for graphs.

mod build;
mod capture;
mod exec;
mod exec_nodes;
mod nodes;
mod objects;
mod shape;

pub use build::*;
pub use capture::*;
pub use exec::*;
pub use exec_nodes::*;
pub use nodes::*;
pub use objects::*;
pub use shape::*;

use super::definition::{CUgraphNode, Dependency};
use crate::abi::{Answer, CUgraphEdgeData, CUresult, In, Out};

/// Nodes that the caller lists, with what is said of their edges; nothing said means plain edges.
fn dependencies(nodes: In<CUgraphNode>, data: In<CUgraphEdgeData>, count: usize) -> Answer<Vec<Dependency>> {
    let of = |index| if data.is_null() { Ok(CUgraphEdgeData::default()) } else { data.at(index) };
    (0..count).map(|index| Ok((nodes.at(index)?, of(index)?))).collect()
}

/// Tells how many there are, if nobody asks which; or as many as there is room for, and how many that was. Room that
/// is left is filled with `rest`.
fn tell<T: Copy>(items: &[T], rest: T, to: Out<T>, count: Out<usize>) -> Answer {
    if to.is_null() {
        return count.set(items.len());
    }
    let room = count.get()?;
    for index in 0..room {
        to.at(index).set(items.get(index).copied().unwrap_or(rest))?;
    }
    count.set(items.len().min(room))
}

/// Tells nodes with what is said of their edges.
fn tell_edges(
    edges: &[Dependency],
    nodes: Out<CUgraphNode>,
    data: Out<CUgraphEdgeData>,
    count: Out<usize>,
) -> Answer {
    let special = edges.iter().any(|(_, data)| *data != CUgraphEdgeData::default());
    if !nodes.is_null() && data.is_null() && special {
        return Err(CUresult::LOSSY_QUERY);
    }
    let (named, said): (Vec<CUgraphNode>, Vec<CUgraphEdgeData>) = edges.iter().copied().unzip();
    if !nodes.is_null() && !data.is_null() {
        for (index, said) in said.iter().enumerate().take(count.get()?) {
            data.at(index).set(*said)?;
        }
    }
    tell(&named, CUgraphNode::NULL, nodes, count)
}
