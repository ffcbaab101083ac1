//! An entry with all that it can reach, linked once and launched any number of times.

use std::sync::{Arc, OnceLock};

use ptxvm_ir::{FunctionId, Program};

use crate::addresses::Addresses;
use crate::context::Code;
use crate::door::observer::Observer;
use crate::explain::finding::{Stop, Unsupported};
use crate::launch::{Environment, Launch};
use crate::schedule::cluster::shared::OFFSET_BITS;
use crate::schedule::grid;
use crate::schedule::kept_rooms::Rooms;
use crate::statistics::Statistics;
use crate::{link, ops};

/// An entry ready to be launched.
#[derive(Debug)]
pub struct Kernel {
    pub(crate) code: Code,
    pub(crate) rooms: Rooms,
    live_registers: OnceLock<u32>,
}

impl Kernel {
    /// Resolves everything that the entry can reach. Instructions that the machine does not have are reported when
    /// a thread comes to them, so that a kernel may carry code for other devices.
    #[must_use]
    pub fn link(program: Arc<Program>, entry: FunctionId, addresses: &Addresses) -> Self {
        Self::linked(link::link(program, entry, addresses, None))
    }

    /// The same, with an observer that is told of every touch of memory. It runs slower, and gives the same.
    #[must_use]
    pub fn link_observed(
        program: Arc<Program>,
        entry: FunctionId,
        addresses: &Addresses,
        observer: Arc<dyn Observer>,
    ) -> Self {
        Self::linked(link::link(program, entry, addresses, Some(observer)))
    }

    fn linked(code: Code) -> Self {
        Self { code, rooms: Rooms::default(), live_registers: OnceLock::new() }
    }

    /// The linked code.
    #[must_use]
    pub fn code(&self) -> &Code {
        &self.code
    }

    /// The program it belongs to.
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        &self.code.program
    }

    /// The entry's number.
    #[must_use]
    pub fn entry(&self) -> FunctionId {
        self.code.entry
    }

    /// The instructions that it could come to and that the machine does not have, in the order of the source.
    #[must_use]
    pub fn unsupported(&self) -> Vec<Unsupported> {
        let program = self.program();
        let reachable =
            program.functions.iter().zip(&self.code.functions).filter(|(_, linked)| linked.is_some());
        let mut missing = Vec::new();
        for (function, _) in reachable {
            for instruction in &function.instructions {
                if !ops::executes(program.operation(instruction)) {
                    let used = &program.forms[instruction.form.0 as usize];
                    let form = ptxvm_ir::operation::Form::new(used, function.operands_of(instruction));
                    missing.push(Unsupported { what: ops::head(&form), span: instruction.span });
                }
            }
        }
        missing
    }

    /// The static shared memory of a CTA in bytes.
    #[must_use]
    pub fn shared_bytes(&self) -> u32 {
        self.code.shared_bytes
    }

    /// The shared variable at an address of `.shared::cluster`, the rank of the CTA, and how far from its beginning.
    #[must_use]
    pub fn shared_variable(&self, address: u64) -> Option<(&str, u64, u64)> {
        let (rank, offset) = (address >> OFFSET_BITS, address & ((1 << OFFSET_BITS) - 1));
        let before = self.code.shared.iter().filter(|(_, start)| *start <= offset);
        let (id, start) = before.max_by_key(|(_, start)| *start)?;
        let variable = self.code.program.variables.get(id.0 as usize)?;
        // What has no size of its own is the dynamic part.
        let inside = variable.size == 0 || offset - start < variable.size;
        inside.then_some((variable.name.as_str(), rank, offset - start))
    }

    /// How many 32-bit registers are live at once at most, in the entry or in a function that it can reach.
    #[must_use]
    pub fn live_registers(&self) -> u32 {
        *self.live_registers.get_or_init(|| {
            let program = &self.code.program;
            let functions = program.functions.iter().zip(&self.code.functions);
            let reachable = functions.filter(|(_, linked)| linked.is_some());
            reachable.map(|(function, _)| ptxvm_ir::flow::most_live(function)).max().unwrap_or(0)
        })
    }

    /// The local memory that a thread needs before any call, in bytes.
    #[must_use]
    pub fn local_bytes(&self) -> u64 {
        self.code.program.functions.get(self.code.entry.0 as usize).map_or(0, |f| f.frame_bytes)
    }
}

/// Runs a kernel to its end. The shape must have been checked against the device's limits.
pub fn run(kernel: &Kernel, launch: &Launch, environment: &Environment<'_>) -> Result<Box<Statistics>, Stop> {
    grid::run(&kernel.code, &kernel.rooms, launch, environment)
}
