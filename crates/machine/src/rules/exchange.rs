//! Whether the masks of `shfl.sync` and its like name those who come, and whether lanes read of such only (9.7.9.6, 9.7.13.2,
//! 9.7.13.9 to 9.7.13.14).
//!
//! A mask may name lanes that have ended or that never were: nobody waits for them. What such a lane gives is undefined.

use crate::code::Block;
use crate::context::Context;
use crate::door::executed::{Absence, NoValue};
use crate::explain::finding::Kind;
use crate::explain::noted::Noted;
use crate::registers::{LANES, lanes_in};
use crate::rules::barrier::{first_of, went_past};

impl Context<'_> {
    /// Looks at the masks by which lanes execute an instruction together.
    pub(crate) fn checks_masks(&mut self, name: &str, named: &[u32; LANES], mask: u32) {
        let passing = self.active & !mask;
        let gone = self.warp.present & !self.warp.alive() & !mask;
        if let Some(lane) = lanes_in(mask).find(|lane| named[*lane] & gone != 0) {
            self.checks_gone(name, lane, named[lane] & gone);
        }
        for lane in lanes_in(mask) {
            let absent = named[lane] & passing;
            if absent != 0 {
                self.note(Kind::MemberMask, lane, || Noted {
                    message: format!(
                        "the mask {:#010x} of `{name}` names lanes that its guard keeps away: {absent:#010x}",
                        named[lane]
                    ),
                    notes: vec![
                        "each lane that a mask names must execute the instruction, or have ended".into(),
                    ],
                    related: Vec::new(),
                });
                return;
            }
            let together = named[lane] & mask;
            if let Some(other) = lanes_in(together).find(|other| named[*other] != named[lane]) {
                self.note(Kind::MemberMask, lane, || Noted {
                    message: format!(
                        "lane {lane} executes `{name}` with the mask {:#010x}, and lane {other}, which it names, with \
                         {:#010x}",
                        named[lane], named[other]
                    ),
                    notes: vec!["all lanes that a mask names must give the same mask".into()],
                    related: Vec::new(),
                });
                return;
            }
        }
    }

    /// Lanes that a mask names have ended. They may, but not by what comes after the instruction for everybody: these have
    /// gone past it.
    #[cold]
    fn checks_gone(&mut self, name: &str, lane: usize, gone: u32) {
        let (source, code) = (self.worker.source, self.run.code);
        let is_here = |block: &&Block| {
            let instructions = &code.instructions[block.start as usize..block.end as usize];
            instructions.iter().any(|instruction| instruction.source == source)
        };
        let Some(here) = (0u32..).zip(&code.blocks).find(|(_, block)| is_here(block)) else { return };
        let Some(rounds) = &mut self.cta.rounds else { return };
        let past = went_past(rounds, (here.0, None), self.warp.index, gone, self.run);
        let Some((past, block)) = past else { return };
        let first = first_of(block, self.run);
        self.note(Kind::MemberMask, lane, || Noted {
            message: format!("the mask of `{name}` names lanes that have gone past it: {past:#010x}"),
            notes: vec!["each lane that a mask names must execute the instruction, or have ended".into()],
            related: first
                .map(|source| (source, "they have executed this, which comes after it".to_owned()))
                .into_iter()
                .collect(),
        });
    }

    /// Looks whether lanes of a `shfl` read only of those that execute it with them. `sources` has the lane that each reads,
    /// if that is in range. What another lane gives is undefined, which matters only to those who use it.
    pub(crate) fn checks_sources(
        &mut self,
        sources: &[(u32, bool); LANES],
        members: &[u32; LANES],
        mask: u32,
    ) {
        let is_absent = |lane: &usize| {
            let (source, inside) = sources[*lane];
            inside && members[*lane] >> (source & 31) & 1 == 0
        };
        let lanes = lanes_in(mask).filter(is_absent).fold(0, |lanes, lane| lanes | 1 << lane);
        let Some(reader) = lanes_in(lanes).next() else { return };
        let of = sources[reader].0 & 31;
        let (alive, present) = (self.warp.alive(), self.warp.present);
        let absence = match () {
            () if present >> of & 1 == 0 => Absence::NoThread,
            () if alive >> of & 1 == 0 => Absence::Ended,
            () if mask >> of & 1 == 0 => Absence::Elsewhere,
            () => Absence::Unnamed,
        };
        self.has_no_value(lanes, NoValue::OfLane { reader: reader as u32, of, absence });
    }
}
