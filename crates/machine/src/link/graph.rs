//! The control flow graph of a function's blocks, and its strongly connected parts.

use crate::code::{Block, Terminator};

/// Which block leads to which, numbered from 0.
pub struct Graph {
    after: Vec<Vec<u32>>,
    before: Vec<Vec<u32>>,
}

impl Graph {
    /// The graph of blocks, the first of which has the number `first`.
    pub fn of(blocks: &[Block], first: u32) -> Self {
        let lists = blocks.iter().map(|block| {
            let mut after = followers(&block.end_with);
            after.retain_mut(|to| match to.checked_sub(first).filter(|to| (*to as usize) < blocks.len()) {
                Some(number) => {
                    *to = number;
                    true
                }
                None => false,
            });
            after.sort_unstable();
            after.dedup();
            after
        });
        Self::new(lists.collect())
    }

    fn new(after: Vec<Vec<u32>>) -> Self {
        let mut before = vec![Vec::new(); after.len()];
        for (from, to) in after.iter().enumerate() {
            to.iter().for_each(|to| before[*to as usize].push(from as u32));
        }
        Self { after, before }
    }

    #[cfg(test)]
    pub fn from_lists(after: &[&[u32]]) -> Self {
        Self::new(after.iter().map(|list| list.to_vec()).collect())
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.after.len()
    }

    /// The blocks that follow one.
    pub fn after(&self, block: u32) -> &[u32] {
        &self.after[block as usize]
    }

    /// The blocks that lead to one.
    pub fn before(&self, block: u32) -> &[u32] {
        &self.before[block as usize]
    }

    /// Whether a block leads to one before it.
    pub fn runs_backwards(&self) -> bool {
        self.after.iter().enumerate().any(|(from, to)| to.first().is_some_and(|to| (*to as usize) < from))
    }
}

/// Where the end of a block may lead: a branch without a guard leads to its target alone.
fn followers(end: &Terminator) -> Vec<u32> {
    match end {
        Terminator::Next(next) => vec![*next],
        Terminator::Branch { guard: None, target, .. } => vec![*target],
        Terminator::Branch { target, next, .. } => vec![*target, *next],
        Terminator::Index { guard: None, targets, .. } => targets.to_vec(),
        Terminator::Index { targets, next, .. } => targets.iter().chain([next]).copied().collect(),
        Terminator::Return { guard: None, .. } | Terminator::Exit { guard: None, .. } => Vec::new(),
        Terminator::Return { next, .. } | Terminator::Exit { next, .. } => vec![*next],
        Terminator::Call(call) => vec![call.next],
        Terminator::Barrier(arrival) => vec![arrival.next],
    }
}

/// Parts of a graph, each a few of its blocks.
#[derive(Default)]
pub struct Parts {
    blocks: Vec<u32>,
    /// Where each part ends among the blocks.
    ends: Vec<u32>,
}

impl Parts {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The blocks of one.
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
