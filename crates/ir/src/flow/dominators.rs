//! Which block every way to another passes, and which every way from it passes: dominators and post-dominators, by
//! Lengauer and Tarjan ("A fast algorithm for finding dominators in a flowgraph", 1979), in time that grows little
//! faster than the graph.

use super::graph::Graph;

/// The tree of immediate dominators of a graph, from a root.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// By block; `None` for the root, and for what it does not lead to.
    immediate: Vec<Option<u32>>,
    /// When a walk of the tree enters and leaves each block; 0 for what is not in it.
    spans: Vec<(u32, u32)>,
    root: u32,
}

impl Dominators {
    /// The dominators of a function's blocks.
    #[must_use]
    pub fn of(graph: &Graph) -> Self {
        Self::from(graph, 0)
    }

    /// The post-dominators: the dominators of the same graph backwards, from a block of its own that all ends lead to.
    /// It has the number that follows the last block's. A block that leads to no end has none.
    #[must_use]
    pub fn of_ends(graph: &Graph) -> Self {
        let end = graph.len() as u32;
        let ends: Vec<u32> = (0..end).filter(|block| graph.after(*block).is_empty()).collect();
        let mut lists: Vec<Vec<u32>> = (0..end).map(|block| graph.before(block).to_vec()).collect();
        lists.push(ends);
        Self::from(&Graph::new(lists), end)
    }

    fn from(graph: &Graph, root: u32) -> Self {
        let mut immediate = vec![None; graph.len()];
        if graph.is_empty() {
            return Self { immediate, spans: Vec::new(), root };
        }
        let order = DepthFirstWalk::of(graph, root);
        let found = Search::of(graph, &order).immediate(&order);
        for (number, block) in order.blocks.iter().enumerate().skip(1) {
            immediate[*block as usize] = Some(order.blocks[found[number] as usize]);
        }
        let spans = spans(&immediate, root);
        Self { immediate, spans, root }
    }

    /// The nearest other block that every way from the root passes.
    #[must_use]
    pub fn immediate(&self, block: u32) -> Option<u32> {
        self.immediate[block as usize]
    }

    /// Whether the root leads to a block.
    #[must_use]
    pub fn reaches(&self, block: u32) -> bool {
        block == self.root || self.immediate[block as usize].is_some()
    }

    /// Whether every way from the root to `below` passes `above`. A block dominates itself.
    #[must_use]
    pub fn dominates(&self, above: u32, below: u32) -> bool {
        let (above, below) = (self.spans[above as usize], self.spans[below as usize]);
        above.1 != 0 && above.0 <= below.0 && below.1 <= above.1
    }

    /// The blocks that each dominates immediately.
    #[must_use]
    pub fn children(&self) -> Vec<Vec<u32>> {
        children(&self.immediate)
    }
}

fn children(immediate: &[Option<u32>]) -> Vec<Vec<u32>> {
    let mut children = vec![Vec::new(); immediate.len()];
    for (block, above) in (0..).zip(immediate) {
        if let Some(above) = above {
            children[*above as usize].push(block);
        }
    }
    children
}

/// When a walk of the tree enters and leaves each block, counted from 1.
fn spans(immediate: &[Option<u32>], root: u32) -> Vec<(u32, u32)> {
    let children = children(immediate);
    let mut spans = vec![(0, 0); immediate.len()];
    let mut path = vec![(root, 0)];
    let mut time = 1;
    spans[root as usize].0 = time;
    while let Some((block, done)) = path.last_mut() {
        let block = *block as usize;
        match children[block].get(*done) {
            Some(&child) => {
                *done += 1;
                time += 1;
                spans[child as usize].0 = time;
                path.push((child, 0));
            }
            None => {
                spans[block].1 = time;
                path.pop();
            }
        }
    }
    spans
}

/// A block that a walk has not come to.
const UNSEEN: u32 = u32::MAX;

/// A walk through a graph, depth first. Blocks are numbered in the order in which it comes to them.
struct DepthFirstWalk {
    blocks: Vec<u32>,
    /// By block: its number.
    numbers: Vec<u32>,
    /// By number: that of the block it was come to from.
    parents: Vec<u32>,
}

impl DepthFirstWalk {
    fn of(graph: &Graph, root: u32) -> Self {
        let mut walk = Self { blocks: vec![root], numbers: vec![UNSEEN; graph.len()], parents: vec![0] };
        walk.numbers[root as usize] = 0;
        let mut path = vec![(root, 0)];
        while let Some((block, done)) = path.last_mut() {
            let (from, at) = (*block, *done);
            *done += 1;
            match graph.after(from).get(at) {
                None => {
                    path.pop();
                }
                Some(&to) if walk.numbers[to as usize] == UNSEEN => {
                    walk.numbers[to as usize] = walk.blocks.len() as u32;
                    walk.blocks.push(to);
                    walk.parents.push(walk.numbers[from as usize]);
                    path.push((to, 0));
                }
                Some(_) => {}
            }
        }
        walk
    }
}

/// The search for semidominators, on the numbers of a walk.
struct Search {
    semi: Vec<u32>,
    /// The forest of blocks that have been looked at, with compressed paths, and the best block on the way up.
    ancestors: Vec<u32>,
    best: Vec<u32>,
    /// By number: the blocks that have it for their semidominator.
    buckets: Vec<Vec<u32>>,
    found: Vec<u32>,
}

impl Search {
    fn of(graph: &Graph, walk: &DepthFirstWalk) -> Self {
        let count = walk.blocks.len();
        let numbers = || (0..count as u32).collect::<Vec<u32>>();
        let mut search = Self {
            semi: numbers(),
            ancestors: vec![UNSEEN; count],
            best: numbers(),
            buckets: vec![Vec::new(); count],
            found: vec![0; count],
        };
        for node in (1..count).rev() {
            for before in graph.before(walk.blocks[node]) {
                let before = walk.numbers[*before as usize];
                if before != UNSEEN {
                    let best = search.best_above(before);
                    search.semi[node] = search.semi[node].min(search.semi[best as usize]);
                }
            }
            search.buckets[search.semi[node] as usize].push(node as u32);
            let parent = walk.parents[node];
            search.ancestors[node] = parent;
            for below in std::mem::take(&mut search.buckets[parent as usize]) {
                let best = search.best_above(below);
                let same = search.semi[best as usize] == parent;
                search.found[below as usize] = if same { parent } else { best };
            }
        }
        search
    }

    /// The block with the least semidominator on the way up from one, which is compressed.
    fn best_above(&mut self, node: u32) -> u32 {
        if self.ancestors[node as usize] == UNSEEN {
            return node;
        }
        let mut path = vec![node];
        let mut at = node;
        while self.ancestors[self.ancestors[at as usize] as usize] != UNSEEN {
            at = self.ancestors[at as usize];
            path.push(at);
        }
        while let Some(node) = path.pop() {
            let (node, above) = (node as usize, self.ancestors[node as usize] as usize);
            if self.ancestors[above] != UNSEEN {
                if self.semi[self.best[above] as usize] < self.semi[self.best[node] as usize] {
                    self.best[node] = self.best[above];
                }
                self.ancestors[node] = self.ancestors[above];
            }
        }
        self.best[node as usize]
    }

    /// The immediate dominators, by number.
    fn immediate(mut self, walk: &DepthFirstWalk) -> Vec<u32> {
        for node in 1..walk.blocks.len() {
            if self.found[node] != self.semi[node] {
                self.found[node] = self.found[self.found[node] as usize];
            }
        }
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By definition: `above` dominates `below` if nothing leads to `below` any more without it.
    fn without(graph: &Graph, above: u32, below: u32) -> bool {
        let mut seen = vec![false; graph.len()];
        let mut open = vec![0];
        while let Some(block) = open.pop() {
            if block != above && !std::mem::replace(&mut seen[block as usize], true) {
                open.extend(graph.after(block));
            }
        }
        !seen[below as usize]
    }

    #[test]
    fn dominators_are_what_every_way_passes() {
        // Graphs of up to nine blocks, drawn by a small generator: every shape, irreducible ones too.
        let mut random = 1u64;
        let mut next = |bound: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % bound
        };
        for _ in 0..if cfg!(miri) { 20 } else { 2000 } {
            let count = 1 + next(9);
            let lists: Vec<Vec<u32>> =
                (0..count).map(|_| (0..next(4)).map(|_| next(count) as u32).collect()).collect();
            let graph = Graph::new(lists);
            let dominators = Dominators::of(&graph);
            let everywhere = DepthFirstWalk::of(&graph, 0);
            for below in everywhere.blocks.iter().copied() {
                for above in 0..count as u32 {
                    let reached = everywhere.numbers[above as usize] != UNSEEN;
                    let expected = reached && without(&graph, above, below);
                    assert_eq!(dominators.dominates(above, below), expected, "{above} {below} {graph:?}");
                }
                if let Some(above) = dominators.immediate(below) {
                    let nearest = |other: &u32| {
                        *other != below && *other != above && dominators.dominates(*other, below)
                    };
                    let others = (0..count as u32).filter(nearest);
                    assert!(others.into_iter().all(|other| dominators.dominates(other, above)));
                }
            }
        }
    }

    #[test]
    fn what_never_ends_is_not_post_dominated() {
        // 0 leads to 1, which turns for ever, and to 2, the end.
        let graph = Graph::from_lists(&[&[1, 2], &[1], &[]]);
        let ends = Dominators::of_ends(&graph);
        assert_eq!((ends.immediate(0), ends.immediate(2)), (Some(2), Some(3)));
        assert!(!ends.reaches(1));
    }
}
