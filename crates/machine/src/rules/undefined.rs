//! Integer operations whose result the manual leaves open: a division by zero (9.7.1.8, 9.7.1.9), `fns` from a bit past the last
//! (9.7.1.17). ptxvm gives what an H200 gives.

use ptxvm_ir::operation::Operation;
use ptxvm_ir::operation::compute::{Bits, Compute, IntegerFunction, IntegerType};

use crate::context::{Context, Execute, Flow, Op};
use crate::explain::finding::Kind;
use crate::explain::noted::Noted;
use crate::registers::{Slot, lanes_in};
use crate::settings::Check;

/// What must not be.
#[derive(Clone, Copy)]
enum Open {
    /// The divisor is zero, in so many bits.
    Division { bits: u32 },
    /// The base is over 31.
    Base,
}

/// An operation that looks at its operands first, in launches that are checked for it.
struct Looks {
    op: Op,
    open: Open,
}

/// The slot of the divisor, and of the base of `fns`: after the destination and one more source.
const OPERAND: usize = 2;

/// An operation as it is in observed code: those whose result may be open look first.
pub(crate) fn looking(op: Op, operation: Option<&Operation>) -> Op {
    let open = match operation {
        Some(Operation::Compute(Compute::Integer(integer))) => match integer.function {
            IntegerFunction::Div | IntegerFunction::Rem => Open::Division {
                bits: match integer.ty {
                    IntegerType::U16 | IntegerType::S16 => 16,
                    IntegerType::U64 | IntegerType::S64 => 64,
                    _ => 32,
                },
            },
            _ => return op,
        },
        Some(Operation::Compute(Compute::Bits(Bits::Fns))) => Open::Base,
        _ => return op,
    };
    Box::new(Looks { op, open })
}

impl Looks {
    fn look(&self, context: &Context<'_>, slots: &[Slot], mask: u32) {
        let Some(slot) = slots.get(OPERAND) else { return };
        let is_open = |lane: &usize| {
            let value = context.bank.lane(*slot, *lane);
            match self.open {
                Open::Division { bits } => value << (64 - bits) == 0,
                Open::Base => value as u32 > 31,
            }
        };
        let Some(lane) = lanes_in(mask).find(is_open) else { return };
        context.note(Kind::UndefinedResult, lane, || Noted {
            message: match self.open {
                Open::Division { .. } => "a division by zero".into(),
                Open::Base => "`fns` with a base over 31".into(),
            },
            notes: vec!["the manual leaves the result open; it is what an H200 gives".into()],
            related: Vec::new(),
        });
    }
}

impl Execute for Looks {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        if context.run.looks_for(Check::Sync) {
            self.look(context, slots, mask);
        }
        self.op.run(context, slots, mask)
    }
}
