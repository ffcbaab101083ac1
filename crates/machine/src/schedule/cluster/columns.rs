//! How the CTAs of a cluster get and give back columns of tensor memory.

use ptxvm_memory::tensor::{Refusal, units_of};

use super::state::ClusterState;
use super::tensor_memory::{About, Gain, Meeting, refused};
use crate::asynchronous::issuer::Issuer;
use crate::asynchronous::mbarrier::record::Party;
use crate::asynchronous::trouble::{COMPLETION, Trouble, Wrong};
use crate::explain::finding::Kind;
use crate::state::awaited::Awaited;

impl ClusterState {
    /// A warp wants columns, in its CTA or, with `.cta_group::2`, in both of the pair.
    pub fn allocate_columns(&mut self, by: Party, group: u32, columns: u32) -> Result<Gain, Wrong> {
        let gain = match group {
            1 => self.tensor_memory.allocate(by, columns)?,
            _ => self.tensor_memory.allocate_together(by, columns)?,
        };
        if matches!(gain, Gain::Columns(_)) {
            self.events += 1;
        }
        Ok(gain)
    }

    /// A warp frees columns. Gives what it must wait for, if it must: with `.cta_group::2` the manual allows that it
    /// waits for its peer, and `patient` says whether it does.
    pub fn deallocate_columns(
        &mut self,
        by: Party,
        group: u32,
        (first, columns): (u32, u32),
        patient: bool,
    ) -> Result<Option<Awaited>, Wrong> {
        let Party { rank, warp, .. } = by;
        let peer = self.tensor_memory.freed.get((rank ^ 1) as usize).copied().unwrap_or(0);
        let gone = self.shared.get((rank ^ 1) as usize).is_none_or(|peer| peer.ended);
        if let Some(index) = self.tensor_memory.meeting(rank, warp)
            && let About::Freed(number) = self.tensor_memory.meetings[index].about
        {
            if peer < number && !gone {
                return Ok(Some(Awaited::PeerDeallocates));
            }
            self.tensor_memory.meetings.remove(index);
            return Ok(None);
        }
        self.unused(rank, first, columns)?;
        let memories = &mut self.tensor_memory;
        let freed = memories.of_ctas[rank as usize].deallocate(first, columns);
        freed.map_err(|refusal| {
            let mut wrong = refused("tcgen05.dealloc", refusal, columns);
            if matches!(refusal, Refusal::NoAllocation) {
                wrong.message = format!("tcgen05.dealloc at column {first}, where no allocation begins");
                wrong.notes.push(memories.held(rank));
            }
            wrong
        })?;
        memories.holders.retain(|holder| (holder.rank, holder.first) != (rank, first));
        self.events += 1;
        if group == 1 {
            return Ok(None);
        }
        memories.freed[rank as usize] += 1;
        let number = memories.freed[rank as usize];
        if !patient || peer >= number || gone {
            return Ok(None);
        }
        memories.meetings.push(Meeting { rank, warp, about: About::Freed(number) });
        Ok(Some(Awaited::PeerDeallocates))
    }

    /// Nothing may be under way in columns that are freed.
    fn unused(&self, rank: u32, first: u32, columns: u32) -> Result<(), Wrong> {
        let units = units_of(first, columns);
        let using = self.queue.pending().find(|pending| {
            let used = pending.transfer.tensor_use();
            used.is_some_and(|used| used.ctas >> rank & 1 != 0 && used.units & units != 0)
        });
        let Some(pending) = using else { return Ok(()) };
        Err(Wrong {
            message: format!("tcgen05.dealloc of columns that {} under way uses", pending.what),
            notes: vec![
                "all accesses must be complete first: tcgen05.wait::st, or the mbarrier of a tcgen05.commit"
                    .into(),
            ],
        })
    }

    /// A CTA has ended: it must not hold columns, and nobody may use its tensor memory.
    pub(crate) fn leave_tensor_memory(&mut self, rank: u32) -> Result<(), Box<Trouble>> {
        let using = self
            .queue
            .pending()
            .find(|pending| pending.transfer.tensor_use().is_some_and(|used| used.ctas >> rank & 1 != 0));
        if let Some(pending) = using {
            return Err(Box::new(Trouble {
                kind: Kind::Misuse,
                message: format!(
                    "CTA {rank} of the cluster ended while {} was under way, which uses its tensor memory",
                    pending.what
                ),
                notes: vec![
                    "both CTAs of a pair must live until what they issued with .cta_group::2 is complete"
                        .into(),
                    COMPLETION.into(),
                ],
                issuer: pending.issuer,
            }));
        }
        let memories = &self.tensor_memory;
        let Some(memory) = memories.of_ctas.get(rank as usize) else { return Ok(()) };
        let Some(&(first, columns)) = memory.allocations().first() else { return Ok(()) };
        let holder = memories.holders.iter().find(|holder| (holder.rank, holder.first) == (rank, first));
        Err(Box::new(Trouble {
            kind: Kind::Misuse,
            message: format!(
                "CTA {rank} of the cluster ended with {columns} columns of tensor memory allocated, from column \
                 {first} on"
            ),
            notes: vec![
                "what tcgen05.alloc allocates must be freed by tcgen05.dealloc before the kernel exits"
                    .into(),
                "the place is where it was allocated".into(),
            ],
            issuer: holder.map_or(Issuer { rank, ..Issuer::default() }, |holder| holder.issuer),
        }))
    }
}
