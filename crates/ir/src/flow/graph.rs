//! The control flow graph of a function's blocks, and its strongly connected parts.

use crate::block::BlockId;
use crate::program::Function;

/// Which block leads to which.
#[derive(Clone, Debug)]
pub struct Graph {
    after: Vec<Vec<u32>>,
    before: Vec<Vec<u32>>,
}

impl Graph {
    /// The graph of a function's blocks, by their numbers. Two ways from one block to another are one edge.
    #[must_use]
    pub fn of(function: &Function) -> Self {
        let lists = function.blocks.iter().map(|block| {
            let mut after: Vec<u32> =
                block.terminator.successors(&function.branch_lists).map(|BlockId(to)| to).collect();
            after.sort_unstable();
            after.dedup();
            after
        });
        Self::new(lists.collect())
    }

    /// The graph in which these blocks follow each.
    #[must_use]
    pub fn new(after: Vec<Vec<u32>>) -> Self {
        let mut before = vec![Vec::new(); after.len()];
        for (from, to) in after.iter().enumerate() {
            to.iter().for_each(|to| before[*to as usize].push(from as u32));
        }
        Self { after, before }
    }

    /// The same of slices.
    #[must_use]
    pub fn from_lists(after: &[&[u32]]) -> Self {
        Self::new(after.iter().map(|list| list.to_vec()).collect())
    }

    /// How many blocks there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.after.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.after.is_empty()
    }

    /// The blocks that follow one.
    #[must_use]
    pub fn after(&self, block: u32) -> &[u32] {
        &self.after[block as usize]
    }

    /// The blocks that lead to one.
    #[must_use]
    pub fn before(&self, block: u32) -> &[u32] {
        &self.before[block as usize]
    }

    /// The edges that are neither the only way out of a block nor the only way into one: nothing can be done on such an
    /// edge alone without a block of its own.
    pub fn critical_edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let parting = (0..self.len() as u32).filter(|from| self.after(*from).len() > 1);
        let edges = parting.flat_map(|from| self.after(from).iter().map(move |to| (from, *to)));
        edges.filter(|(_, to)| self.before(*to).len() > 1)
    }

    /// Whether a block leads to one before it.
    #[must_use]
    pub fn runs_backwards(&self) -> bool {
        self.after.iter().enumerate().any(|(from, to)| to.first().is_some_and(|to| (*to as usize) < from))
    }
}

/// Parts of a graph, each a few of its blocks.
#[derive(Debug, Default)]
pub struct Parts {
    blocks: Vec<u32>,
    /// Where each part ends among the blocks.
    ends: Vec<u32>,
}

impl Parts {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The blocks of one.
    #[must_use]
    pub fn blocks(&self, part: usize) -> &[u32] {
        let start = part.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.blocks[start as usize..self.ends[part] as usize]
    }
}

/// Marks a block that does not belong to those in question.
pub const OUTSIDE: u32 = u32::MAX;

/// The strongly connected parts of the graph among some blocks (Tarjan's algorithm, with a stack of its own). `part` has
/// [`OUTSIDE`] for all blocks of the graph, and gets the number of its part for each of these.
pub fn components(graph: &Graph, nodes: &[u32], part: &mut [u32]) -> Parts {
    // Until its part is known, a block has the number that it has among these.
    nodes.iter().zip(0..).for_each(|(node, number)| part[*node as usize] = number);
    const UNSEEN: u32 = u32::MAX;
    let mut seen = vec![UNSEEN; nodes.len()];
    let mut low = vec![0u32; nodes.len()];
    let mut waiting = vec![false; nodes.len()];
    let mut stack: Vec<u32> = Vec::new();
    let mut path = Vec::new();
    let mut found = Parts::default();
    let mut part_of = vec![0u32; nodes.len()];
    let mut count = 0;
    for root in 0..nodes.len() as u32 {
        if seen[root as usize] != UNSEEN {
            continue;
        }
        // A block and how many of its followers have been looked at.
        path.push((root, 0));
        while let Some((node, done)) = path.last_mut() {
            let (name, node) = (*node, *node as usize);
            if *done == 0 {
                (seen[node], low[node], waiting[node]) = (count, count, true);
                count += 1;
                stack.push(name);
            }
            let after = graph.after(nodes[node]);
            let mut further = None;
            while further.is_none() && *done < after.len() {
                let to = part[after[*done] as usize];
                *done += 1;
                match seen.get(to as usize) {
                    Some(&UNSEEN) => further = Some(to),
                    Some(at) if waiting[to as usize] => low[node] = low[node].min(*at),
                    _ => {}
                }
            }
            if let Some(to) = further {
                path.push((to, 0));
                continue;
            }
            path.pop();
            if let Some((from, _)) = path.last() {
                low[*from as usize] = low[*from as usize].min(low[node]);
            }
            if low[node] == seen[node] {
                let number = found.ends.len() as u32;
                while let Some(member) = stack.pop() {
                    waiting[member as usize] = false;
                    part_of[member as usize] = number;
                    found.blocks.push(nodes[member as usize]);
                    if member == name {
                        break;
                    }
                }
                found.ends.push(found.blocks.len() as u32);
            }
        }
    }
    nodes.iter().zip(part_of).for_each(|(node, number)| part[*node as usize] = number);
    found
}
