//! The order of a function's blocks, by which lanes that part meet again where their ways join.
//!
//! Of the groups of a warp the one at the lowest block runs first. So a block must stand after all that lead to it,
//! but for the way back of a loop, and what follows a loop must stand after all of it: then whoever is early at a
//! join waits there for the others. Compilers mostly write blocks in such an order, people and optimisers not always.
//! A loop that is continued from several places gets a block at its end, where those who come round wait.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ptxvm_ir::flow::graph::{Graph, OUTSIDE, Parts, components};

use crate::code::{Block, Terminator};

/// Loops nested deeper than this are left as they stand, so that the time stays linear.
const DEEPEST: u32 = 64;
/// How often each block of a large function and each way from it is looked at on average before the rest is left as it
/// stands, and how many looks a small function has, which are enough for any nest.
const LOOKS: usize = 16;
const LEAST_LOOKS: usize = 1 << 20;

/// Something to be put into the order.
enum Item {
    /// A block.
    Block(u32),
    /// Blocks of one loop without its head, or of the whole function, at some depth.
    Region(Vec<u32>, u32),
    /// The end of the loop with this head.
    Latch(u32),
}

/// Puts the blocks of a function, the first of which has the number `first`, into order. Gives the entry's number.
pub fn arrange(blocks: Vec<Block>, graph: &Graph, first: u32) -> (Vec<Block>, u32) {
    if !graph.runs_backwards() {
        return (blocks, first);
    }
    let (order, latches) = sorted(graph);
    let mut place = vec![0; blocks.len()];
    let mut latch_place = vec![None; blocks.len()];
    for (at, item) in (first..).zip(&order) {
        match item {
            Item::Latch(head) => latch_place[*head as usize] = Some(at),
            Item::Block(block) => place[*block as usize] = at,
            Item::Region(..) => {}
        }
    }
    let mut old: Vec<Option<Block>> = blocks.into_iter().map(Some).collect();
    let heads: Vec<_> = old.iter().flatten().map(|b| (b.start, b.source)).collect();
    let mut arranged = Vec::with_capacity(order.len());
    for item in order {
        match item {
            Item::Block(number) => {
                let Some(mut block) = old[number as usize].take() else { continue };
                targets(&mut block.end_with, |to| {
                    let target = *to - first;
                    let round = latches[number as usize].contains(&target);
                    let latch = latch_place[target as usize].filter(|_| round);
                    *to = latch.unwrap_or(place[target as usize]);
                });
                arranged.push(block);
            }
            Item::Latch(head) => {
                let (start, source) = heads[head as usize];
                let end_with = Terminator::Next(place[head as usize]);
                let (converge, class, of) = (None, None, None);
                arranged.push(Block { start, end: start, converge, end_with, source, class, of });
            }
            Item::Region(..) => {}
        }
    }
    (arranged, place[0])
}

/// The order, with an item for each latch; and, by block, the heads of loops that it continues through one.
fn sorted(graph: &Graph) -> (Vec<Item>, Vec<Vec<u32>>) {
    let mut order = Vec::with_capacity(graph.len());
    let mut latches = vec![Vec::new(); graph.len()];
    let mut part = vec![OUTSIDE; graph.len()];
    let cost = |nodes: &[u32]| nodes.iter().map(|node| 1 + graph.after(*node).len()).sum::<usize>();
    let all: Vec<u32> = (0..graph.len() as u32).collect();
    let mut left = LEAST_LOOKS.max(LOOKS * cost(&all));
    let mut work = vec![Item::Region(all, 0)];
    while let Some(item) = work.pop() {
        let (nodes, depth) = match item {
            Item::Region(nodes, depth) => (nodes, depth),
            done => {
                order.push(done);
                continue;
            }
        };
        let looks = cost(&nodes);
        if depth == DEEPEST || looks > left {
            order.extend(nodes.into_iter().map(Item::Block));
            continue;
        }
        left -= looks;
        let parts = components(graph, &nodes, &mut part);
        let mut found = Vec::new();
        for number in in_turn(graph, &parts, &part) {
            if let [alone] = parts.blocks(number) {
                found.push(Item::Block(*alone));
                continue;
            }
            let mut component = parts.blocks(number).to_vec();
            component.sort_unstable();
            let inside = |node: &u32| part[*node as usize] == number as u32;
            let entered = |node: &&u32| **node == 0 || graph.before(**node).iter().any(|b| !inside(b));
            // A loop with several entrances has no head; the first of them must do.
            let head = *component.iter().find(entered).unwrap_or(&component[0]);
            let back: Vec<u32> = graph.before(head).iter().copied().filter(inside).collect();
            component.retain(|node| *node != head);
            found.push(Item::Block(head));
            found.push(Item::Region(component, depth + 1));
            if back.len() > 1 {
                back.iter().for_each(|block| latches[*block as usize].push(head));
                found.push(Item::Latch(head));
            }
        }
        nodes.iter().for_each(|node| part[*node as usize] = OUTSIDE);
        work.extend(found.into_iter().rev());
    }
    (order, latches)
}

/// Parts so that each comes after those that lead to it; where that leaves a choice, as they stand in the text. `part` is
/// the number of each block's part.
fn in_turn(graph: &Graph, parts: &Parts, part: &[u32]) -> Vec<usize> {
    let leads = |number: usize| {
        let after = parts.blocks(number).iter().flat_map(|node| graph.after(*node));
        let parts = after.map(|node| part[*node as usize]);
        parts.filter(move |to| *to != OUTSIDE && *to as usize != number).map(|to| to as usize)
    };
    let mut waiting = vec![0u32; parts.len()];
    (0..parts.len()).for_each(|from| leads(from).for_each(|to| waiting[to] += 1));
    let least = |number: usize| parts.blocks(number).iter().copied().min();
    let ready = (0..parts.len()).filter(|n| waiting[*n] == 0);
    let mut ready: BinaryHeap<_> = ready.map(|n| Reverse((least(n), n))).collect();
    let mut turns = Vec::with_capacity(parts.len());
    while let Some(Reverse((_, number))) = ready.pop() {
        turns.push(number);
        for to in leads(number) {
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push(Reverse((least(to), to)));
            }
        }
    }
    turns
}

/// Every block number that the end of a block holds.
fn targets(end: &mut Terminator, mut each: impl FnMut(&mut u32)) {
    match end {
        Terminator::Next(next) | Terminator::Return { next, .. } | Terminator::Exit { next, .. } => {
            each(next)
        }
        Terminator::Branch { target, next, .. } => {
            each(target);
            each(next);
        }
        Terminator::Index { targets, next, .. } => {
            targets.iter_mut().for_each(&mut each);
            each(next);
        }
        Terminator::Call(call) => each(&mut call.next),
        Terminator::Barrier(arrival) => each(&mut arrival.next),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order of a graph, given by the blocks that follow each: latches as `L` and their head.
    fn order(after: &[&[u32]]) -> String {
        let (order, _) = sorted(&Graph::from_lists(after));
        let name = |item: &Item| match item {
            Item::Block(block) => block.to_string(),
            Item::Latch(head) => format!("L{head}"),
            Item::Region(..) => "?".into(),
        };
        order.iter().map(name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn text_order_stays_where_it_serves() {
        assert_eq!(order(&[&[1, 2], &[3], &[3], &[]]), "0 1 2 3");
        // A loop with an if in it, then its end.
        assert_eq!(order(&[&[1], &[2, 5], &[3, 4], &[4], &[1], &[]]), "0 1 2 3 4 5");
    }

    #[test]
    fn a_join_comes_after_its_branches() {
        assert_eq!(order(&[&[2], &[], &[3, 1], &[1]]), "0 2 3 1");
        // A cold block past the end.
        assert_eq!(order(&[&[1, 3], &[2], &[], &[1]]), "0 3 1 2");
    }

    #[test]
    fn what_follows_a_loop_comes_after_it() {
        assert_eq!(order(&[&[2], &[], &[3, 1], &[2]]), "0 2 3 1");
        // Nested loops, the outer one's rest between the inner one's blocks.
        assert_eq!(order(&[&[1], &[3], &[1, 5], &[4, 2], &[3], &[]]), "0 1 3 4 2 5");
    }

    #[test]
    fn a_loop_that_is_continued_twice_gets_a_latch() {
        assert_eq!(order(&[&[1], &[2, 4], &[1, 3], &[1], &[]]), "0 1 2 3 L1 4");
    }

    #[test]
    fn two_entrances_are_no_trouble() {
        assert_eq!(order(&[&[1, 2], &[2], &[1, 3], &[]]), "0 1 2 3");
        // Nobody comes to the loop of 1 and 2.
        assert_eq!(order(&[&[3], &[2], &[1, 3], &[]]), "0 1 2 3");
    }

    #[test]
    fn deep_nests_end() {
        // Loop i spans from block i to block 2n - 1 - i. Miri has time for few.
        let n = if cfg!(miri) { 20 } else { 500u32 };
        let lists: Vec<Vec<u32>> = (0..2 * n)
            .map(|b| {
                if b < n {
                    vec![b + 1]
                } else if b + 1 < 2 * n {
                    vec![2 * n - 1 - b, b + 1]
                } else {
                    vec![]
                }
            })
            .collect();
        let lists: Vec<&[u32]> = lists.iter().map(Vec::as_slice).collect();
        let expected: Vec<String> = (0..2 * n).map(|b| b.to_string()).collect();
        assert_eq!(order(&lists), expected.join(" "));
    }
}
