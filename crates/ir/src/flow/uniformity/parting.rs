//! What becomes of lanes that part at a branch: the blocks where they may meet again after different ways, the loops that
//! they may leave at different rounds, and the blocks of which they may have run different rounds when they meet.
//!
//! Each way from the branch gets a label, which is carried along the graph. Where two labels meet, ways join that do not
//! share a block (Karrenberg and Hack, "Whole-function vectorization", 2011; LLVM's `SyncDependenceAnalysis`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::flow::dominators::Dominators;
use crate::flow::graph::Graph;
use crate::flow::loops::Loops;

/// What becomes of lanes that part.
#[derive(Clone, Debug, Default)]
pub struct Parting {
    /// Blocks where lanes of different ways may meet.
    pub joins: Vec<u32>,
    /// Loops that lanes may leave at different rounds.
    pub exits: Vec<u32>,
    /// Blocks that some lanes may run once more while others wait for them, all in the same loop.
    pub repeated: Vec<u32>,
}

/// Finds what becomes of lanes that part at one branch after the other.
pub struct Partings<'a> {
    graph: &'a Graph,
    ends: &'a Dominators,
    loops: &'a Loops,
    /// By block: its place in an order in which each comes after those that lead to it, ways back apart.
    places: Vec<u32>,
    blocks: Vec<u32>,
    /// The edges that leave each loop.
    ways_out: Vec<Vec<(u32, u32)>>,
    labels: Vec<Option<u32>>,
    /// Looks that are left before it takes too long.
    left: usize,
}

/// More looks than this are not worth it.
const MOST: usize = 1 << 26;

impl<'a> Partings<'a> {
    pub fn new(graph: &'a Graph, ends: &'a Dominators, loops: &'a Loops) -> Self {
        let blocks = reverse_post_order(graph);
        let mut places = vec![u32::MAX; graph.len()];
        (0..).zip(&blocks).for_each(|(place, block)| places[*block as usize] = place);
        let mut ways_out = vec![Vec::new(); loops.loops.len()];
        for from in 0..graph.len() as u32 {
            for to in graph.after(from) {
                loops.left(from, *to).for_each(|id| ways_out[id as usize].push((from, *to)));
            }
        }
        let labels = vec![None; graph.len()];
        Self { graph, ends, loops, places, blocks, ways_out, labels, left: MOST }
    }

    /// What becomes of lanes that part at the end of a block; `None` if that takes too long.
    pub fn at(&mut self, branch: u32) -> Option<Parting> {
        let mut found = Parting::default();
        let mut touched = Vec::new();
        self.carry(branch, &mut found, &mut touched)?;
        for id in self.loops.around(branch) {
            let Some(stays) = self.labels[self.loops.loops[id as usize].head as usize] else { continue };
            let leaves = |(from, to): &(u32, u32)| match *from == branch {
                true => Some(self.label_of_way(*to)),
                false => self.labels[*from as usize],
            };
            if self.ways_out[id as usize].iter().filter_map(leaves).any(|label| label != stays) {
                found.exits.push(id);
            }
        }
        if let Some(meet) = self.ends.immediate(branch).filter(|meet| self.comes_again(branch, *meet)) {
            found.repeated = touched.iter().copied().filter(|block| *block != meet).collect();
        }
        touched.into_iter().for_each(|block: u32| self.labels[block as usize] = None);
        Some(found)
    }

    /// Whether lanes may come to the branch again before they meet the others, in a loop that both are in: two loops with
    /// one head are one, and who repeats the inner one does not leave it.
    fn comes_again(&self, branch: u32, meet: u32) -> bool {
        let labelled = |block: u32| self.labels[block as usize].is_some();
        let mut around = self.loops.around(branch).map(|id| &self.loops.loops[id as usize]);
        labelled(branch) && around.any(|around| around.holds(meet) && labelled(around.head))
    }

    /// The label of the way from the branch to a block that follows it. A join's label is its block.
    fn label_of_way(&self, to: u32) -> u32 {
        self.graph.len() as u32 + to
    }

    /// Carries the labels along until they meet in the block that all ways pass.
    fn carry(&mut self, branch: u32, found: &mut Parting, touched: &mut Vec<u32>) -> Option<()> {
        let stop = self.ends.immediate(branch);
        let mut open = BinaryHeap::new();
        let mut news: Vec<(u32, u32)> =
            self.graph.after(branch).iter().map(|to| (*to, self.label_of_way(*to))).collect();
        loop {
            for (to, label) in news.drain(..) {
                self.left = self.left.checked_sub(1)?;
                match self.labels[to as usize] {
                    Some(known) if known == label || known == to => continue,
                    Some(_) => {
                        self.labels[to as usize] = Some(to);
                        found.joins.push(to);
                    }
                    None => {
                        self.labels[to as usize] = Some(label);
                        touched.push(to);
                    }
                }
                if to != branch && Some(to) != stop {
                    open.push(Reverse(self.places[to as usize]));
                }
            }
            let Some(Reverse(place)) = open.pop() else { return Some(()) };
            let from = self.blocks[place as usize];
            if let Some(label) = self.labels[from as usize] {
                news.extend(self.graph.after(from).iter().map(|to| (*to, label)));
            }
        }
    }
}

/// The blocks that the first leads to, each after those that lead to it, ways back apart.
fn reverse_post_order(graph: &Graph) -> Vec<u32> {
    let mut order = Vec::with_capacity(graph.len());
    let mut seen = vec![false; graph.len()];
    let mut path = Vec::new();
    if !graph.is_empty() {
        seen[0] = true;
        path.push((0u32, 0));
    }
    while let Some((block, done)) = path.last_mut() {
        match graph.after(*block).get(*done) {
            Some(&to) => {
                *done += 1;
                if !std::mem::replace(&mut seen[to as usize], true) {
                    path.push((to, 0));
                }
            }
            None => {
                order.push(*block);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}
