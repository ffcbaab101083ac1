//! The control flow graph of a function's blocks, and its strongly connected parts.

use rustc_hash::FxHashMap;

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

/// The strongly connected parts of the graph among some blocks (Tarjan's algorithm, with a stack of its own).
pub fn components(graph: &Graph, nodes: &[u32]) -> Vec<Vec<u32>> {
    let number: FxHashMap<u32, usize> = nodes.iter().enumerate().map(|(n, node)| (*node, n)).collect();
    const UNSEEN: u32 = u32::MAX;
    let mut seen = vec![UNSEEN; nodes.len()];
    let mut low = vec![0u32; nodes.len()];
    let mut waiting = vec![false; nodes.len()];
    let mut stack: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    let mut count = 0;
    for root in 0..nodes.len() {
        if seen[root] != UNSEEN {
            continue;
        }
        // A block and how many of its followers have been looked at.
        let mut path = vec![(root, 0)];
        while let Some((node, done)) = path.last_mut() {
            let node = *node;
            if *done == 0 {
                seen[node] = count;
                low[node] = count;
                count += 1;
                stack.push(node);
                waiting[node] = true;
            }
            let after = graph.after(nodes[node]);
            let mut further = None;
            while further.is_none() && *done < after.len() {
                let to = number.get(&after[*done]).copied();
                *done += 1;
                match to {
                    Some(to) if seen[to] == UNSEEN => further = Some(to),
                    Some(to) if waiting[to] => low[node] = low[node].min(seen[to]),
                    _ => {}
                }
            }
            if let Some(to) = further {
                path.push((to, 0));
                continue;
            }
            path.pop();
            if let Some((from, _)) = path.last() {
                low[*from] = low[*from].min(low[node]);
            }
            if low[node] == seen[node] {
                let at = stack.iter().rposition(|n| *n == node).unwrap_or(0);
                let part: Vec<usize> = stack.drain(at..).collect();
                part.iter().for_each(|n| waiting[*n] = false);
                found.push(part.into_iter().map(|n| nodes[n]).collect());
            }
        }
    }
    found
}
