//! The beginning of a round: each location gets its first value, and each mbarrier its count.

use super::copies::{Copy, completions, copies};
use super::frame::Frame;
use super::home::Home;
use super::skipped::{Skipped, skipped};

/// Bytes of a copy: the least that the copy engine moves.
const COPIED: usize = 16;

impl Frame<'_> {
    /// Where each location begins, for its keeper.
    pub fn ready(&mut self) -> Result<(), Skipped> {
        let (unit, cta, _) = self.roles.of_thread(self.collector);
        let number = self.roles.number(self.collector);
        self.line(&format!("setp.ne.u32 %p, %number, {number};"));
        self.line("@%p bra READY;");
        for location in 0..self.test.locations.len() {
            let about = &self.test.locations[location];
            if about.mbarrier.is_some() {
                continue;
            }
            let initial = about.initial;
            let address = self.test.addresses.iter().position(|known| known.location == location);
            let address = address.unwrap_or(0);
            match self.homes.homes[location] {
                Home::Global => {
                    self.locate("%addr", address, (unit, cta));
                    self.line(&format!("st.global.u32 [%addr], {initial};"));
                }
                Home::Shared { .. } => {
                    self.locate("%y", address, (unit, cta));
                    self.line(&format!("st.shared::cluster.u32 [%y], {initial};"));
                }
            }
        }
        self.line("READY:");
        for (unit, cta) in self.homes.owners() {
            self.mbarriers(unit, cta)?;
        }
        Ok(())
    }

    /// Makes the mbarriers of a CTA ready. What copies will complete is expected from the beginning.
    pub fn mbarriers(&mut self, unit: usize, cta: usize) -> Result<(), Skipped> {
        let all: Vec<(usize, i64)> = (0..self.test.locations.len())
            .filter(|&location| self.homes.homes[location] == Home::Shared { unit, cta })
            .filter_map(|location| Some((location, self.test.locations[location].mbarrier?)))
            .collect();
        if all.is_empty() {
            return Ok(());
        }
        let Some(first) = self.roles.first_of(unit, cta) else { return Ok(()) };
        let (number, skip) = (self.roles.number(first), self.label("KEPT"));
        self.line(&format!("setp.ne.u32 %p, %number, {number};"));
        self.line(&format!("@%p bra {skip};"));
        self.line("setp.eq.u32 %q, %round, 0;");
        for (location, count) in all {
            let address = self.test.addresses.iter().position(|known| known.location == location);
            self.locate("%y", address.unwrap_or(0), (unit, cta));
            let copies = completions(self.test, location);
            let own = count - copies as i64;
            if own < 0 {
                return skipped("more copies than a phase has arrivals");
            }
            let arrivals = if copies > 0 { own + 1 } else { own };
            self.line("@!%q mbarrier.inval.shared::cta.b64 [%y];");
            self.line(&format!("mbarrier.init.shared::cta.b64 [%y], {arrivals};"));
            if copies > 0 {
                let bytes = self.expected(location);
                self.line(&format!("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%y], {bytes};"));
            }
        }
        if self.roles.ctas > 1 {
            self.line("fence.mbarrier_init.release.cluster;");
        }
        self.line(&format!("{skip}:"));
        Ok(())
    }

    /// How many bytes copies bring to an mbarrier.
    pub fn expected(&self, location: usize) -> usize {
        let of = |address: usize| self.test.addresses[address].location == location;
        let bytes = copies(self.test).into_iter().map(|(_, copy)| match copy {
            Copy::Bulk { mbarrier: Some(mbarrier), .. } if of(mbarrier) => COPIED,
            Copy::Store { mbarrier, .. } if of(mbarrier) => 4,
            _ => 0,
        });
        bytes.sum()
    }
}
