//! Operations whose result the manual leaves open: a division by zero (9.7.1.8, 9.7.1.9), `fns` from a bit past the last
//! (9.7.1.17), a vector that names a register twice (6.4.3), an address that is converted to a space in whose window it
//! does not lie (9.7.9.20). Of arithmetic, ptxvm gives what an H200 gives.

use ptxvm_ir::operation::compute::{Bits, Compute, IntegerFunction, IntegerType, Movement};
use ptxvm_ir::operation::generic::Window;
use ptxvm_ir::operation::{Access, Generic, Operation};
use ptxvm_memory::{Window as Lies, window_of};

use crate::context::{Context, Execute, Flow, Instruction, Op};
use crate::door::executed::NoValue;
use crate::explain::finding::Kind;
use crate::explain::noted::Noted;
use crate::registers::{LANES, Slot, lanes_in};
use crate::settings::Check;
use crate::vector::value::Value;

/// What must not be.
#[derive(Clone, Copy)]
enum Open {
    /// The divisor is zero, in so many bits.
    Division { bits: u32 },
    /// The base is over 31.
    Base,
    /// Two destinations are one register.
    Twice,
    /// The address is not in this window.
    Elsewhere(Window),
}

/// An operation that looks at its operands first, in launches that are checked for it.
struct Looks {
    op: Op,
    open: Open,
}

/// The slot of the divisor, and of the base of `fns`: after the destination and one more source.
const OPERAND: usize = 2;

/// An instruction as it is in observed code: one whose result may be open looks first.
pub(crate) fn looking(instruction: Instruction, operation: Option<&Operation>) -> Instruction {
    match operation.and_then(|operation| open(&instruction, operation)) {
        Some(open) => Instruction { op: Box::new(Looks { op: instruction.op, open }), ..instruction },
        None => instruction,
    }
}

fn open(instruction: &Instruction, operation: &Operation) -> Option<Open> {
    let slots = &instruction.slots;
    let open = match operation {
        Operation::Compute(Compute::Integer(integer)) => match integer.function {
            IntegerFunction::Div | IntegerFunction::Rem => Open::Division {
                bits: match integer.ty {
                    IntegerType::U16 | IntegerType::S16 => 16,
                    IntegerType::U64 | IntegerType::S64 => 64,
                    _ => 32,
                },
            },
            _ => return None,
        },
        Operation::Compute(Compute::Bits(Bits::Fns)) => Open::Base,
        Operation::Access(Access::Load(_) | Access::Atomic(_))
        | Operation::Compute(Compute::Movement(Movement::Unpack { .. })) => {
            let written = slots.get(..instruction.written.into())?;
            let named_before = |(at, slot): (usize, &Slot)| {
                !slot.is_sink() && written[..at].iter().any(|before| before.offset() == slot.offset())
            };
            written.iter().enumerate().any(named_before).then_some(Open::Twice)?
        }
        // A 32-bit generic address is only half of one.
        Operation::Generic(Generic::To(window)) if slots.first()?.bits() == 64 => Open::Elsewhere(*window),
        _ => return None,
    };
    Some(open)
}

/// Whether a generic address lies in a window; constants and parameters lie in that of global memory.
fn is_in(window: Window, address: u64) -> bool {
    match window {
        Window::Shared | Window::SharedCluster => window_of(address) == Lies::Shared,
        Window::Local => window_of(address) == Lies::Local,
        Window::Global | Window::Const | Window::Param => window_of(address) == Lies::Global,
    }
}

fn space(window: Window) -> &'static str {
    match window {
        Window::Shared | Window::SharedCluster => ".shared",
        Window::Local => ".local",
        Window::Global => ".global",
        Window::Const => ".const",
        Window::Param => ".param",
    }
}

impl Looks {
    /// Which lane's result is open, and what is said of it.
    fn found(&self, context: &Context<'_>, slots: &[Slot], mask: u32) -> Option<(usize, String)> {
        let values = |at: usize| -> Option<[u64; LANES]> {
            let slot = slots.get(at)?;
            Some(std::array::from_fn(|lane| context.bank.lane(*slot, lane)))
        };
        match self.open {
            Open::Division { bits } => {
                let divisors = values(OPERAND)?;
                let lane = lanes_in(mask).find(|lane| divisors[*lane] << (64 - bits) == 0)?;
                Some((lane, "a division by zero".into()))
            }
            Open::Base => {
                let bases = values(OPERAND)?;
                let lane = lanes_in(mask).find(|lane| bases[*lane] as u32 > 31)?;
                Some((lane, "`fns` with a base over 31".into()))
            }
            Open::Twice => {
                Some((lanes_in(mask).next()?, "a vector names a register twice as its destination".into()))
            }
            Open::Elsewhere(_) => None,
        }
    }

    fn looks_for_windows(window: Window, context: &mut Context<'_>, slots: &[Slot], mask: u32) {
        let Some(slot) = slots.get(1) else { return };
        let addresses = u64::read(&context.bank, *slot);
        let outside = lanes_in(mask).filter(|lane| !is_in(window, addresses[*lane]));
        let lanes = outside.fold(0, |lanes, lane| lanes | 1 << lane);
        let Some(lane) = lanes_in(lanes).next() else { return };
        let why = NoValue::OfWindow { reader: lane as u32, address: addresses[lane], to: space(window) };
        context.has_no_value(lanes, why);
    }
}

impl Execute for Looks {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        if context.run.looks_for(Check::Sync)
            && let Some((lane, message)) = self.found(context, slots, mask)
        {
            context.note(Kind::UndefinedResult, lane, || Noted {
                message,
                notes: vec![match self.open {
                    Open::Twice => "the manual leaves open which of the values stays there".into(),
                    _ => "the manual leaves open what comes of it; it is what an H200 gives".into(),
                }],
                related: Vec::new(),
            });
        }
        if let Open::Elsewhere(window) = self.open
            && context.run.looks_for(Check::Bounds)
        {
            Self::looks_for_windows(window, context, slots, mask);
        }
        self.op.run(context, slots, mask)
    }
}
