//! The barriers of a CTA: what those who have come to one know together.

use std::sync::Arc;

use crate::clock::{Clock, Entity, Stamp, join};

/// Those who have come to a barrier since it was last complete.
#[derive(Clone, Debug, Default)]
struct Coming {
    clock: Option<Arc<Clock>>,
    /// The warps, their lanes and their stamps.
    came: Vec<(u32, u32, Stamp)>,
    /// Whether somebody does not wait, and so may have gone on.
    gone_on: bool,
}

/// The sixteen barriers of a CTA.
#[derive(Debug, Default)]
pub struct Barriers {
    coming: [Coming; 16],
    /// What those know who pass.
    passing: [Arc<Clock>; 16],
}

impl Barriers {
    /// Lanes of a warp come to a barrier, with what they know.
    pub fn arrive(
        &mut self,
        barrier: u32,
        (warp, lanes): (u32, u32),
        clock: &Arc<Clock>,
        stamp: Stamp,
        waits: bool,
    ) {
        let coming = &mut self.coming[barrier as usize % 16];
        coming.clock =
            Some(coming.clock.as_ref().map_or_else(|| Arc::clone(clock), |known| join(known, clock)));
        coming.came.push((warp, lanes, stamp));
        coming.gone_on |= !waits;
    }

    /// A barrier of a CTA is complete, `all` if for all threads of it. Gives whether all these know each other now.
    pub fn complete(&mut self, barrier: u32, all: bool, cta: u64, now: Stamp) -> bool {
        let coming = std::mem::take(&mut self.coming[barrier as usize % 16]);
        let known = coming.clock.unwrap_or_default();
        let together = all && !coming.gone_on;
        let clock = if together {
            known.with(Entity::cta(cta), now)
        } else {
            coming.came.iter().fold(Clock::clone(&known), |clock, &(warp, lanes, stamp)| {
                if lanes == u32::MAX {
                    return clock.with(Entity::warp(cta, warp), stamp);
                }
                let threads = (0..32).filter(|lane| lanes >> lane & 1 != 0);
                threads.fold(clock, |clock, lane| clock.with(Entity::thread(cta, warp, lane), stamp))
            })
        };
        self.passing[barrier as usize % 16] = Arc::new(clock);
        together
    }

    /// What those know who pass a barrier.
    pub fn passing(&self, barrier: u32) -> &Arc<Clock> {
        &self.passing[barrier as usize % 16]
    }
}
