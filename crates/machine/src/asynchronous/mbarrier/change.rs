//! The ways in which threads and copies change the mbarrier objects of their cluster.

use super::object::{MOST, MOST_WITH_REPORTS, Object, Refusal};
use super::record::{Party, Record};
use super::table::MbarrierArrival;
use super::token;
use crate::asynchronous::trouble::Wrong;
use crate::door::peer::Shared;
use crate::event::What;
use crate::schedule::cluster::shared::rank_and_offset;
use crate::schedule::cluster::state::ClusterState;
use ptxvm_ir::operation::mbarrier::Layout;

impl ClusterState {
    /// An address of the cluster's shared memory in words.
    #[must_use]
    pub fn whereabouts(&self, address: u32) -> String {
        let (rank, offset) = rank_and_offset(address.into());
        match self.shared.len() {
            1 => format!("{offset:#x}"),
            _ => format!("{offset:#x} of CTA {rank} of the cluster"),
        }
    }

    /// Makes an object at a place of shared memory: `mbarrier.init`.
    ///
    /// # Errors
    /// The count is none that an object has, or a live object lies there, unless that is forgiven.
    pub fn init_mbarrier(
        &mut self,
        place: Shared,
        (count, layout): (u32, Layout),
        by: Party,
        forgiving: bool,
    ) -> Result<(), Wrong> {
        let address = place.address();
        if let Some(record) = self.mbarriers.live.get(&address).filter(|_| !forgiving) {
            let message = format!(
                "`mbarrier.init` at {}, where there is a live mbarrier object",
                self.whereabouts(address)
            );
            let maker = record.made_by.in_words(self.shared.len());
            let notes = vec![
                format!("{maker} initialised it with a count of {}; {}", record.count, record.counts()),
                "one thread initialises an object, and `mbarrier.inval` must come before the memory is used again"
                    .into(),
            ];
            return Err(Wrong { message, notes });
        }
        if layout == Layout::V1 && count > MOST_WITH_REPORTS {
            let message = format!(
                "an mbarrier object of layout v1 with a count of {count}: it must be from 1 to {MOST_WITH_REPORTS}"
            );
            return Err(Wrong { message, notes: Vec::new() });
        }
        let object = match Object::new(count) {
            Ok(object) => object,
            Err(refusal) => return Err(self.refused(refusal, address)),
        };
        self.mbarriers.live.insert(address, Record::new((object, layout), by, place.range()));
        self.mbarriers.gone.remove(&address);
        self.log.note(|| What::MbarrierInit { mbarrier: address, count });
        Ok(())
    }

    /// Ends the life of an object, whose bits are seen in memory then: `mbarrier.inval`.
    pub fn inval_mbarrier(&mut self, address: u32, by: Party) -> Result<(), Wrong> {
        self.look_at_mbarrier(address)?.write_back();
        self.mbarriers.live.remove(&address);
        self.mbarriers.gone.insert(address, by);
        self.log.note(|| What::MbarrierInval { mbarrier: address });
        Ok(())
    }

    /// The object at an address, which must be whole.
    pub fn look_at_mbarrier(&self, address: u32) -> Result<&Record, Wrong> {
        match self.mbarriers.live.get(&address) {
            Some(record) if !record.is_overwritten() => Ok(record),
            Some(record) => {
                let message = format!(
                    "the mbarrier object at {} has been overwritten by ordinary stores or copies",
                    self.whereabouts(address)
                );
                let maker = record.made_by.in_words(self.shared.len());
                let notes = vec![format!(
                    "{maker} initialised it; only mbarrier instructions may touch its eight bytes until `mbarrier.inval`"
                )];
                Err(Wrong { message, notes })
            }
            None => Err(self.no_mbarrier(address)),
        }
    }

    fn no_mbarrier(&self, address: u32) -> Wrong {
        let mut notes = Vec::new();
        let place = self.whereabouts(address);
        let message = match self.mbarriers.gone.get(&address) {
            Some(by) => format!(
                "the mbarrier object at {place} has been invalidated, by {}",
                by.in_words(self.shared.len())
            ),
            None => format!("no mbarrier object has been initialised at {place}"),
        };
        let beside = self.mbarriers.beside(address);
        if !beside.is_empty() {
            let some: Vec<String> =
                beside.iter().take(8).map(|a| format!("{:#x}", rank_and_offset((*a).into()).1)).collect();
            let more = if beside.len() > some.len() { ", …" } else { "" };
            notes.push(format!("live mbarrier objects of this CTA: {}{more}", some.join(", ")));
        }
        Wrong { message, notes }
    }

    /// Changes an object, which may end its phase. Gives the state that a wait for the phase takes.
    fn change_mbarrier(
        &mut self,
        address: u32,
        change: impl FnOnce(&mut Record) -> Result<(), Refusal>,
    ) -> Result<u64, Wrong> {
        let record = match self.mbarriers.live.get_mut(&address) {
            Some(record) if !record.is_overwritten() => record,
            _ => {
                return Err(self
                    .look_at_mbarrier(address)
                    .err()
                    .unwrap_or_else(|| self.no_mbarrier(address)));
            }
        };
        let state = token::token(record.object.bits(), address, record.phases);
        let before = record.object;
        match change(record) {
            Ok(()) => {
                let after = record.object;
                self.log.note(|| What::MbarrierChange {
                    mbarrier: address,
                    arrivals: i64::from(before.pending) - i64::from(after.pending),
                    tx: i64::from(after.tx) - i64::from(before.tx),
                });
                if record.advance() {
                    self.events += 1;
                    if let Some(watch) = &self.watch {
                        watch.phase_ended(self.index, address);
                    }
                    self.log.note(|| What::PhaseEnded { mbarrier: address, parity: after.phase });
                }
                Ok(state)
            }
            Err(refusal) => Err(self.refused(refusal, address)),
        }
    }

    /// An arrival of a thread. Gives the state of the phase that it belongs to.
    pub fn arrive_at_mbarrier(
        &mut self,
        address: u32,
        how: MbarrierArrival,
        by: Party,
    ) -> Result<u64, Wrong> {
        self.change_mbarrier(address, |record| {
            let mut object = record.object;
            if let Some(bytes) = how.expect {
                object.expect_tx(bytes)?;
            }
            object.arrive(how.count)?;
            if how.drop {
                object.drop_out(how.count);
            }
            if how.no_complete && object.is_complete() {
                return Err(Refusal::Completes);
            }
            record.object = object;
            record.expected_bytes += u64::from(how.expect.unwrap_or(0));
            record.arrived.add(by);
            Ok(())
        })
    }

    /// `mbarrier.expect_tx`
    pub fn expect_tx(&mut self, address: u32, bytes: u32) -> Result<(), Wrong> {
        let expect = |record: &mut Record| {
            record.object.expect_tx(bytes)?;
            record.expected_bytes += u64::from(bytes);
            Ok(())
        };
        self.change_mbarrier(address, expect).map(drop)
    }

    /// So many bytes have come, or `mbarrier.complete_tx` says so.
    pub fn complete_tx(&mut self, address: u32, bytes: u32) -> Result<(), Wrong> {
        let complete = |record: &mut Record| {
            record.object.complete_tx(bytes)?;
            record.bytes += u64::from(bytes);
            Ok(())
        };
        self.change_mbarrier(address, complete).map(drop)
    }

    /// The current phase must see one arrival more, of copies that are not done yet.
    pub fn await_copies(&mut self, address: u32) -> Result<(), Wrong> {
        let raise = |record: &mut Record| {
            record.object.await_one_more()?;
            record.due += 1;
            Ok(())
        };
        self.change_mbarrier(address, raise).map(drop)
    }

    fn refused(&self, refusal: Refusal, address: u32) -> Wrong {
        let place = self.whereabouts(address);
        let message = match refusal {
            Refusal::Count(count) => {
                format!("an mbarrier object with a count of {count}: it must be from 1 to {MOST}")
            }
            Refusal::TooManyArrivals { count, pending } => {
                let (arrivals, lacks) = match (count, pending) {
                    (1, 0) => ("an arrival".into(), "none more".into()),
                    (1, _) => ("an arrival".into(), format!("{pending}")),
                    (_, 0) => (format!("{count} arrivals"), "none more".into()),
                    _ => (format!("{count} arrivals"), format!("{pending}")),
                };
                format!("{arrivals} at the mbarrier object at {place}, whose phase needs {lacks}")
            }
            Refusal::TxOperand(bytes) => {
                format!(
                    "{bytes} bytes for the mbarrier object at {place}: one operation counts {MOST} at most"
                )
            }
            Refusal::TxCount(tx) => {
                format!(
                    "the tx-count of the mbarrier object at {place} would be {tx}: it must be from -{MOST} to {MOST}"
                )
            }
            Refusal::TooManyPending => {
                format!("the pending count of the mbarrier object at {place} would be over {MOST}")
            }
            Refusal::Completes => {
                format!("an arrival with `.noComplete` completes the phase of the mbarrier object at {place}")
            }
        };
        let mut notes = Vec::new();
        if let Some(record) = self.mbarriers.live.get(&address) {
            let ctas = self.shared.len();
            let maker = record.made_by.in_words(ctas);
            notes.push(format!(
                "{maker} initialised it with a count of {}; {}",
                record.count,
                record.counts()
            ));
            if !record.arrived.0.is_empty() {
                notes.push(format!("arrived in this phase: {}", record.arrived.in_words(ctas)));
            }
        }
        Wrong { message, notes }
    }
}
