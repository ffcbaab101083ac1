//! Decides whether threads that poll can ever stop: they cannot if everything they could decide by is as it was.
//!
//! A loop that counts its attempts ends on hardware, so it must end here. A loop that does not is a deadlock as soon as its
//! registers, its local memory and its shared memory repeat.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::door::frame::read_local;
use crate::registers::LANES;
use crate::schedule::cta::Cta;

/// From so many attempts on it is looked at.
const FIRST: u32 = 64;
/// A loop comes round after so many attempts at most.
const LONGEST: u32 = 8;
/// After so many attempts nobody is taken to be counting them: it would take hardware seconds.
const MOST: u32 = 1 << 24;

/// The attempts of a cluster while nothing else happens in it.
#[derive(Debug, Default)]
pub struct Repetition {
    attempts: u32,
    /// What all was like at an attempt whose number is a power of two, and how many more are compared with it.
    noted: u64,
    compared: u32,
}

impl Repetition {
    /// Something has happened.
    pub fn restart(&mut self) {
        *self = Self::default();
    }

    /// Counts an attempt in vain. Gives whether there is any use in another.
    pub fn may_end(&mut self, ctas: &[Box<Cta>]) -> bool {
        self.attempts += 1;
        if self.attempts >= MOST {
            return false;
        }
        if self.attempts >= FIRST && self.attempts.is_power_of_two() {
            (self.noted, self.compared) = (digest(ctas), LONGEST);
            return true;
        }
        if self.compared == 0 {
            return true;
        }
        self.compared -= 1;
        digest(ctas) != self.noted
    }
}

/// A digest of what the threads of a cluster can decide by.
fn digest(ctas: &[Box<Cta>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut buffer = vec![0; 4096];
    for cta in ctas {
        let shared = &cta.state.shared;
        for offset in (0..shared.bytes()).step_by(buffer.len()) {
            let part = buffer.len().min(shared.bytes() - offset);
            if shared.read(offset as u64, &mut buffer[..part]).is_ok() {
                buffer[..part].hash(&mut hasher);
            }
        }
        for warp in &cta.warps {
            for group in &warp.groups {
                (group.block, group.number, group.mask, group.activation).hash(&mut hasher);
            }
            for activation in warp.activations.iter().filter(|activation| activation.lanes != 0) {
                activation.registers.bytes().hash(&mut hasher);
            }
            for lane in (0..LANES).filter(|lane| warp.state.alive() >> lane & 1 != 0) {
                let end = warp.state.stack[lane];
                for offset in (0..end).step_by(buffer.len()) {
                    let part = (end - offset).min(buffer.len() as u64) as usize;
                    if read_local(&warp.state.local, lane, offset, &mut buffer[..part]).is_some() {
                        buffer[..part].hash(&mut hasher);
                    }
                }
            }
        }
    }
    hasher.finish()
}
