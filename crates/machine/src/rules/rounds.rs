//! What is remembered of a CTA's barriers and warps, so that it can be told who came how, and who went past.

use std::collections::BTreeMap;

use crate::code::Source;
use crate::schedule::barrier::BARRIERS;

/// Of code with more blocks nothing is kept: it would take too much of the host's memory.
const MOST_BLOCKS: usize = 1 << 15;

/// Lanes of a warp that have come to a barrier by one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coming {
    /// The warp in its CTA.
    pub warp: u32,
    /// Its lanes.
    pub lanes: u32,
    /// Those of the warp that had not ended.
    pub alive: u32,
    /// The block that ended with the instruction.
    pub block: u32,
    /// The block that ended with the call of its function by the entry, if it is another one's.
    pub call: Option<u32>,
    /// The instruction.
    pub source: Source,
    /// Whether it is `.aligned`.
    pub aligned: bool,
    /// Whether they wait.
    pub waits: bool,
    /// Whether it is a reduction.
    pub reduces: bool,
    /// How many threads it said to take part; `None`: all of the CTA.
    pub count: Option<u32>,
}

impl Coming {
    /// Whether they wait for all threads of the CTA.
    pub fn is_for_all(&self) -> bool {
        self.waits && self.count.is_none()
    }
}

/// Those of a CTA's threads that have come to its barriers, and where they have been since.
#[derive(Debug, Default)]
pub struct Rounds {
    /// By barrier: who has come since it was last complete.
    pub coming: [Vec<Coming>; BARRIERS],
    /// By warp and block of the code: the lanes that have been there since they last came to a barrier.
    visited: Vec<Vec<u32>>,
    /// Whether a thread that executes the one block has left the other behind (`after.rs`).
    pub after: BTreeMap<(u32, u32), bool>,
}

impl Rounds {
    /// Lanes execute a block of so many.
    pub fn visit(&mut self, warp: u32, lanes: u32, block: u32, blocks: usize) {
        if blocks > MOST_BLOCKS {
            return;
        }
        let warp = warp as usize;
        if self.visited.len() <= warp {
            self.visited.resize_with(warp + 1, Vec::new);
        }
        let visited = &mut self.visited[warp];
        if visited.is_empty() {
            visited.resize(blocks, 0);
        }
        if let Some(been) = visited.get_mut(block as usize) {
            *been |= lanes;
        }
    }

    /// Lanes have come to a barrier.
    pub fn begin_again(&mut self, warp: u32, lanes: u32) {
        if let Some(visited) = self.visited.get_mut(warp as usize) {
            visited.iter_mut().for_each(|been| *been &= !lanes);
        }
    }

    /// The blocks that some of these lanes have been to since they last came to a barrier.
    pub fn visited(&self, warp: u32, lanes: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let blocks = self.visited.get(warp as usize).map_or(&[][..], Vec::as_slice);
        let been = (0..).zip(blocks).map(move |(block, been)| (block, been & lanes));
        been.filter(|(_, lanes)| *lanes != 0)
    }

    /// How many warps have come to a barrier with all their lanes.
    pub fn warps(&self, barrier: usize) -> u32 {
        let of = |warp: u32| {
            let mine = self.coming[barrier].iter().filter(|coming| coming.warp == warp);
            mine.fold((0, 0), |(lanes, alive), coming| (lanes | coming.lanes, alive | coming.alive))
        };
        let whole = |warp: &u32| {
            let (lanes, alive) = of(*warp);
            alive & !lanes == 0
        };
        let mut warps: Vec<u32> = self.coming[barrier].iter().map(|coming| coming.warp).collect();
        warps.sort_unstable();
        warps.dedup();
        warps.iter().filter(|warp| whole(warp)).count() as u32
    }
}
