//! The loops of a function, one inside of the other: the strongly connected parts of its graph, then those of each
//! without its head. So a loop with several entrances is one too; the first of them is its head.

use super::graph::{Graph, OUTSIDE, components};

/// Loops nested deeper than this are not told apart.
const DEEPEST: u32 = 64;
/// How often each block and each edge is looked at on average at most, and how many looks a small function has.
const LOOKS: usize = 16;
const LEAST_LOOKS: usize = 1 << 20;

/// A loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Where it is entered and continued.
    pub head: u32,
    /// The loop around it.
    pub parent: Option<u32>,
    /// How many loops it is in, itself included.
    pub depth: u32,
    /// Its blocks, those of inner loops included, in the order of their numbers.
    pub blocks: Vec<u32>,
}

/// The loops of a graph.
#[derive(Clone, Debug)]
pub struct Loops {
    /// An outer loop stands before those inside of it.
    pub loops: Vec<Loop>,
    /// By block: the innermost loop.
    innermost: Vec<Option<u32>>,
    /// Whether all have been found: nests that are very deep, or take too long, are left.
    pub complete: bool,
}

impl Loops {
    /// The loops of a graph.
    #[must_use]
    pub fn of(graph: &Graph) -> Self {
        let mut found = Self { loops: Vec::new(), innermost: vec![None; graph.len()], complete: true };
        let cost = |nodes: &[u32]| nodes.iter().map(|node| 1 + graph.after(*node).len()).sum::<usize>();
        let all: Vec<u32> = (0..graph.len() as u32).collect();
        let mut left = LEAST_LOOKS.max(LOOKS * cost(&all));
        let mut part = vec![OUTSIDE; graph.len()];
        let mut open = vec![(all, None, 0)];
        while let Some((nodes, parent, depth)) = open.pop() {
            let looks = cost(&nodes);
            if depth == DEEPEST || looks > left {
                found.complete = false;
                continue;
            }
            left -= looks;
            let parts = components(graph, &nodes, &mut part);
            for number in 0..parts.len() {
                let mut blocks = parts.blocks(number).to_vec();
                if blocks.len() == 1 && !graph.after(blocks[0]).contains(&blocks[0]) {
                    continue;
                }
                blocks.sort_unstable();
                let inside = |node: &u32| part[*node as usize] == number as u32;
                let entered = |node: &&u32| **node == 0 || graph.before(**node).iter().any(|b| !inside(b));
                let head = *blocks.iter().find(entered).unwrap_or(&blocks[0]);
                let id = found.loops.len() as u32;
                blocks.iter().for_each(|block| found.innermost[*block as usize] = Some(id));
                let rest: Vec<u32> = blocks.iter().copied().filter(|block| *block != head).collect();
                found.loops.push(Loop { head, parent, depth: depth + 1, blocks });
                if !rest.is_empty() {
                    open.push((rest, Some(id), depth + 1));
                }
            }
            nodes.iter().for_each(|node| part[*node as usize] = OUTSIDE);
        }
        found
    }

    /// The innermost loop that a block is in.
    #[must_use]
    pub fn innermost(&self, block: u32) -> Option<u32> {
        self.innermost[block as usize]
    }

    /// The loops that a block is in, the innermost first.
    pub fn around(&self, block: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(self.innermost(block), |id| self.loops[*id as usize].parent)
    }

    /// The loops that are left by going from one block to another, the innermost first.
    pub fn left(&self, from: u32, to: u32) -> impl Iterator<Item = u32> + '_ {
        self.around(from).take_while(move |id| !self.loops[*id as usize].holds(to))
    }
}

impl Loop {
    /// Whether a block is in it.
    #[must_use]
    pub fn holds(&self, block: u32) -> bool {
        self.blocks.binary_search(&block).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each loop as its head and its blocks.
    fn found(after: &[&[u32]]) -> Vec<(u32, Vec<u32>)> {
        let mut loops: Vec<_> = Loops::of(&Graph::from_lists(after)).loops;
        loops.sort_by_key(|each| (each.depth, each.head));
        loops.into_iter().map(|each| (each.head, each.blocks)).collect()
    }

    #[test]
    fn nests_and_loops_of_one_block() {
        assert_eq!(found(&[&[1], &[1, 2], &[]]), [(1, vec![1])]);
        assert_eq!(found(&[&[1], &[2], &[2, 3], &[1, 4], &[]]), [(1, vec![1, 2, 3]), (2, vec![2])]);
        assert_eq!(found(&[&[1, 2], &[3], &[3], &[]]), []);
    }

    #[test]
    fn a_loop_with_two_entrances_is_one() {
        assert_eq!(found(&[&[1, 2], &[2], &[1, 3], &[]]), [(1, vec![1, 2])]);
    }
}
