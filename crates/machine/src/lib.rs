//! Lanes, warps, CTAs and grids: the engine that runs a program.
//!
//! [`Kernel::link`] turns one entry of a [`ptxvm_ir::Program`] and all it can call into operations with operands
//! resolved; [`run`] runs a grid of it.

pub mod asynchronous;
pub mod builtin;
pub mod code;
pub mod context;
pub mod door;
pub mod event;
pub mod explain;
pub mod launch;
mod link;
pub mod matrix;
pub mod occupancy;
pub mod ops;
pub mod profile;
pub mod registers;
pub mod schedule;
pub mod statistics;
pub mod tensor;
pub mod vector;

use std::sync::{Arc, OnceLock};

use ptxvm_ir::{FunctionId, Program};

pub use door::Observer;
pub use event::Event;
pub use explain::finding::{Finding, Kind, Limit, Place, Stop, Thread, Unsupported};
pub use explain::mistake::{Findings, Mistake, Mistakes};
pub use launch::{Asynchrony, Control, Environment, Launch};
pub use matrix::Mma;
pub use occupancy::Demand;
pub use profile::Profile;
pub use schedule::dependency::GridStatus;
pub use statistics::{Class, Statistics};

/// Where the loader put what a program refers to.
#[derive(Clone, Debug, Default)]
pub struct Addresses {
    /// By variable: the address of global and constant variables; 0 for the others.
    pub variables: Vec<u64>,
}

/// The address of a function, as `mov.u64 %rd, f` and initialisers give it.
///
/// Code has no bytes here: these are small numbers above the null page that no allocation has.
#[must_use]
pub fn function_address(function: FunctionId) -> u64 {
    0x1_0000 + 16 * u64::from(function.0)
}

/// An entry ready to be launched.
#[derive(Debug)]
pub struct Kernel {
    code: code::Code,
    rooms: schedule::kept_rooms::Rooms,
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

    fn linked(code: code::Code) -> Self {
        Self { code, rooms: schedule::kept_rooms::Rooms::default(), live_registers: OnceLock::new() }
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
                let used = &program.forms[instruction.form.0 as usize];
                let form = ptxvm_ir::operation::Form::new(used, function.operands_of(instruction))
                    .of(program, function.entry);
                if !ops::executes(&form) {
                    missing.push(Unsupported { what: link::head(&form), span: instruction.span });
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

    /// How many 32-bit registers are live at once at most, in the entry or in a function that it can reach.
    #[must_use]
    pub fn live_registers(&self) -> u32 {
        *self.live_registers.get_or_init(|| {
            let program = &self.code.program;
            let functions = program.functions.iter().zip(&self.code.functions);
            let reachable = functions.filter(|(_, linked)| linked.is_some());
            reachable.map(|(function, _)| link::live_registers(program, function)).max().unwrap_or(0)
        })
    }

    /// The local memory that a thread needs before any call, in bytes.
    #[must_use]
    pub fn local_bytes(&self) -> u64 {
        self.code.program.functions.get(self.code.entry.0 as usize).map_or(0, |f| f.frame_bytes)
    }
}

/// Runs a kernel to its end. The shape must have been checked against the device's limits.
pub fn run(kernel: &Kernel, launch: &Launch, environment: &Environment<'_>) -> Result<Statistics, Stop> {
    schedule::grid::run(&kernel.code, &kernel.rooms, launch, environment)
}
