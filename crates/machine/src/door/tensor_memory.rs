//! Tensor memory: columns must be allocated when an instruction touches them.

use ptxvm_memory::TensorMemory;
use ptxvm_memory::tensor::COLUMNS;

use crate::context::Context;
use crate::door::touch::{Proxy, Space, Touch, Wants, When};
use crate::explain::finding::Kind;
use crate::registers::LANES;
use crate::state::worker::Worker;
use crate::vector::lanes::Flow;

/// The bytes of a column in a lane.
const COLUMN: u64 = 4;

/// The tensor memory of the CTA of a rank, for who has had the columns checked.
pub(crate) fn of(worker: &Worker, rank: u32) -> Option<&TensorMemory> {
    worker.cluster.tensor_memory.of_ctas.get(rank as usize)
}

/// What an operation does to columns of a lane of the tensor memory of a CTA.
#[must_use]
pub(crate) fn cells(rank: u32, (lane, column): (u32, u32), columns: u32, wants: Wants) -> Touch {
    Touch {
        space: Space::Tensor,
        address: address(rank, lane, column),
        bytes: COLUMN * u64::from(columns),
        wants,
        when: When::Deliver,
        proxy: Proxy::Tensor,
    }
}

/// The address of a cell as observers have it.
pub(crate) fn address(rank: u32, lane: u32, column: u32) -> u64 {
    u64::from(rank) << 32 | u64::from(lane) << 16 | u64::from(column)
}

impl Context<'_> {
    /// Refuses to touch columns of a CTA that are not there or not allocated. `what` begins the finding: `tcgen05.ld`.
    pub(crate) fn columns(
        &mut self,
        lane: usize,
        what: &str,
        rank: u32,
        (first, count): (u32, u32),
    ) -> Result<(), Flow> {
        let memories = &self.worker.cluster.tensor_memory;
        let Some(memory) = memories.of_ctas.get(rank as usize) else { return Ok(()) };
        let Some(column) = memory.first_unallocated(first, count) else { return Ok(()) };
        let touched = match count {
            1 => format!("column {first}"),
            _ => format!("columns {first} to {}", u64::from(first) + u64::from(count) - 1),
        };
        let whose = if rank == self.cta.rank { String::new() } else { format!(" of the peer CTA {rank}") };
        let why = match column {
            COLUMNS.. => "tensor memory has 512 columns".to_owned(),
            _ => format!("column {column} is not allocated"),
        };
        let message = format!("{what} touches {touched} of tensor memory{whose}: {why}");
        let notes = vec![
            memories.held(rank),
            "columns must be allocated by tcgen05.alloc, and not freed yet, when an instruction touches them"
                .into(),
        ];
        Err(self.fault(Kind::OutOfBounds, lane, message, notes))
    }

    /// Tells an observer, if there is one, that the warp reads rows of the own CTA's tensor memory, so many columns each.
    /// A lane stands for a row.
    pub(crate) fn reads_rows(&self, rows: usize, at: impl Fn(usize) -> (u32, u32), columns: u32) {
        if self.run.code.observed.is_some() && rows != 0 {
            let place = |row: usize| {
                let (lane, column) = at(row.min(rows - 1));
                address(self.cta.rank, lane, column)
            };
            let addresses: [u64; LANES] = std::array::from_fn(place);
            let lanes = u32::MAX >> (LANES - rows.min(LANES));
            let bytes = COLUMN * u64::from(columns);
            self.tell_through(Proxy::Tensor, (Space::Tensor, lanes, &addresses), bytes, Wants::Read);
        }
    }
}
