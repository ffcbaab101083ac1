//! Parameters and results of calls: what is undefined of them goes with them, between registers and frames in local memory.

use ptxvm_machine::door::executed::Passed;
use ptxvm_machine::door::observer::Who;

use crate::init::memory::Memory;
use crate::init::registers::{Lanes, Undefined, lanes_in};
use crate::init::state::{Birth, State, warp};

impl State {
    /// A value is passed. Gives whether a register takes something undefined.
    pub fn pass(&mut self, who: &Who, from: Passed<'_>, to: Passed<'_>) -> bool {
        if let Passed::Local(into, room) = to {
            self.pass_to_frame(who, from, into, room);
            return false;
        }
        let Passed::Register(activation, slot) = to else { return false };
        let known = match from {
            Passed::Register(of, register) => self
                .warps
                .get(&warp(who))
                .and_then(|registers| registers.get(of, register))
                .map(|l| Box::new(*l)),
            Passed::Local(at, bytes) => self.taken_from_frame(who, at, bytes),
        };
        if known.is_none() && !self.warps.contains_key(&warp(who)) {
            return false;
        }
        let of = |lane: usize| known.as_ref().map_or_else(Undefined::default, |lanes| lanes[lane]);
        self.warps.entry(warp(who)).or_default().set(activation, slot, who.lanes, of);
        known.is_some()
    }

    /// What is undefined of values of up to sixteen bytes that lie in frames.
    fn taken_from_frame(&mut self, who: &Who, at: &[u64; 32], bytes: u64) -> Option<Box<Lanes>> {
        if !self.unwritten {
            return None;
        }
        let mut known: Option<Box<Lanes>> = None;
        for lane in lanes_in(who.lanes) {
            let memory = Memory::Local((who.cluster, who.rank, who.warp, lane as u32));
            let bytes = bytes.min(16);
            if self.memories.unwritten(memory, at[lane], bytes) == 0 {
                continue;
            }
            let undefined = self.memories.undefined_bits(memory, at[lane], bytes);
            let bits = (0..16).fold(0, |all, byte| all | u128::from(undefined[byte]) << (8 * byte));
            let origin = match self.memories.origin(memory, at[lane]) {
                Some(origin) => origin,
                None => self.born(Birth::Passed, 0),
            };
            known.get_or_insert_default()[lane] = Undefined { bits, origin };
        }
        known
    }

    /// What is undefined of a value is undefined of the frame that it is put into.
    fn pass_to_frame(&mut self, who: &Who, from: Passed<'_>, into: &[u64; 32], room: u64) {
        if !self.unwritten {
            return;
        }
        let known = match from {
            Passed::Register(of, register) => {
                let Some(lanes) = self.warps.get(&warp(who)).and_then(|all| all.get(of, register)) else {
                    return;
                };
                Some(Box::new(*lanes))
            }
            Passed::Local(..) => None,
        };
        for lane in lanes_in(who.lanes) {
            let memory = Memory::Local((who.cluster, who.rank, who.warp, lane as u32));
            match (&known, from) {
                (Some(lanes), _) => {
                    let Undefined { bits, origin } = lanes[lane];
                    for byte in (0..room.min(16)).filter(|byte| bits >> (8 * byte) & 0xff != 0) {
                        let undefined = (bits >> (8 * byte)) as u8;
                        self.memories.undefine_bits(memory, into[lane] + byte, undefined, Some(origin));
                    }
                }
                (None, Passed::Local(at, size)) => {
                    let bytes = if room == 0 { size } else { size.min(room) };
                    self.copy_bytes((memory, at[lane]), (memory, into[lane]), bytes);
                }
                (None, Passed::Register(..)) => {}
            }
        }
    }

    /// What is undefined of some bytes is undefined of others that were copied from them.
    fn copy_bytes(&mut self, from: (Memory, u64), to: (Memory, u64), bytes: u64) {
        if self.memories.has_all(from.0, from.1, bytes) {
            return;
        }
        for part in (0..bytes).step_by(4) {
            let count = (bytes - part).min(4);
            let undefined = self.memories.undefined_bits(from.0, from.1 + part, count);
            let origin = self.memories.origin(from.0, from.1 + part);
            for byte in (0..count).filter(|byte| undefined[*byte as usize] != 0) {
                self.memories.undefine_bits(to.0, to.1 + part + byte, undefined[byte as usize], origin);
            }
        }
    }
}
