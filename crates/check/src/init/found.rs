//! What the checker tells: which value is undefined, what it decides, and where it was born.

use ptxvm_ir::{Function, Instruction};
use ptxvm_machine::code::Source;
use ptxvm_machine::door::executed::{Absence, NoValue};
use ptxvm_machine::door::observer::Who;
use ptxvm_machine::door::touch::Space;
use ptxvm_machine::{Kernel, Kind};

use crate::init::decide::Use;
use crate::init::registers::Origin;
use crate::init::state::{Birth, State};
use crate::told::{Words, place, register_name, related};

/// How an undefined value decides something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// It is an operand of the instruction, this one among its slots.
    Operand(usize, Use),
    /// It is the predicate in front of the instruction.
    Guard,
    /// Threads branch, return or end by it.
    Way,
    /// A function is called by it.
    Callee,
    /// It names a barrier, or how many come there.
    Barrier,
    /// `atom.cas` compares with it.
    Compared,
    /// A product is added to it.
    Accumulator,
    /// It stays in global memory when the launch ends.
    Left,
    /// A tensor core or a copy reads it from memory.
    Read(Space),
}

impl State {
    /// An undefined value of a lane decides something.
    #[cold]
    pub fn report(&mut self, who: &Who, source: Source, (lane, origin): (usize, Origin), found: Found) {
        let birth = self.births.get(origin.number()).copied();
        if let Some((Birth::Result(at, why), _)) = birth {
            return self.report_result(who, at, why, (source, lane));
        }
        self.told.tell(Kind::Uninitialised, (who, lane), source, |kernel| {
            let program = kernel.program();
            let (function, instruction) = place(program, source);
            let mut words = Words { message: message(found, function, instruction), ..Words::default() };
            match birth {
                Some((Birth::Memory(at, space), address)) => {
                    let what = place_name(kernel, space, address);
                    words.notes.push(format!("nobody had written the bytes at {what} when they were read"));
                    if at != source {
                        let text = format!("read here from {} memory that nobody has written", name(space));
                        words.related.push(related(program, at, text));
                    }
                }
                Some((Birth::Register(function, offset), _)) => {
                    let name = register_at(kernel, function, offset);
                    let name = name.map_or_else(|| "the register".into(), |name| format!("`{name}`"));
                    words.notes.push(format!("no instruction that the thread has executed wrote {name}"));
                }
                Some((Birth::Passed, _)) => {
                    words.notes.push("the caller, or the function that returned it, had not given it".into());
                }
                Some((Birth::Result(..), _)) | None => {}
            }
            words
        });
    }

    /// The same of a value that an instruction leaves undefined: it is told where that stands.
    fn report_result(&mut self, who: &Who, at: Source, why: NoValue, (decided, lane): (Source, usize)) {
        let (kind, reader) = match why {
            NoValue::OfLane { reader, .. } => (Kind::InactiveLane, reader),
            NoValue::OfWindow { reader, .. } => (Kind::WrongSpace, reader),
        };
        self.told.tell(kind, (who, reader as usize), at, |kernel| {
            let program = kernel.program();
            let (message, note) = match why {
                NoValue::OfLane { reader, of, absence } => {
                    let why = match absence {
                        Absence::NoThread => "the CTA has no such thread",
                        Absence::Ended => "that lane has ended",
                        Absence::Elsewhere => "that lane does not execute it",
                        Absence::Unnamed => "the mask does not name that lane",
                    };
                    let message = format!("lane {reader} reads a register of lane {of} by `shfl`, and {why}");
                    (message, "the value is undefined; an H200 gives 0")
                }
                NoValue::OfWindow { address, to, .. } => {
                    let message =
                        format!("{address:#x} is converted to `{to}`, in whose window it does not lie");
                    (message, "what comes of that is undefined (9.7.9.20)")
                }
            };
            let related = if decided == at {
                Vec::new()
            } else {
                vec![related(program, decided, format!("lane {lane} uses the value here"))]
            };
            Words { message, notes: vec![note.into()], related }
        });
    }
}

fn message(found: Found, function: &Function, instruction: &Instruction) -> String {
    let value = |index: usize| {
        let name = register_name(function, instruction, index);
        name.map_or_else(|| "an operand".into(), |name| format!("`{name}`"))
    };
    let guard = || {
        let name = instruction.guard.and_then(|guard| function.register_names.get(guard.register.0 as usize));
        name.map_or_else(|| "the predicate".into(), |name| format!("`{name}`"))
    };
    match found {
        Found::Operand(index, Use::Address) => {
            format!("an address that is not initialised: {} says where memory is touched", value(index))
        }
        Found::Operand(index, Use::Copy) => {
            format!("a copy by a value that is not initialised: {}", value(index))
        }
        Found::Operand(index, Use::Factor) => {
            format!("a matrix product of a value that is not initialised: {}", value(index))
        }
        Found::Operand(index, Use::Members) => {
            format!("a mask of lanes that is not initialised: {}", value(index))
        }
        Found::Operand(index, Use::Count) => {
            format!("an mbarrier operation by a value that is not initialised: {}", value(index))
        }
        Found::Operand(index, Use::Other) => {
            format!("an operand that is not initialised: {}", value(index))
        }
        Found::Guard => {
            format!("a predicate that is not initialised: {} says whether this is executed", guard())
        }
        Found::Way => {
            let what = if instruction.guard.is_some() { guard() } else { "the index".into() };
            format!("a value that is not initialised: {what} says where the thread goes")
        }
        Found::Callee => "a call of a function whose address is not initialised".into(),
        Found::Barrier => "a barrier by a value that is not initialised".into(),
        Found::Compared => "a compare-and-swap of memory that nobody has written".into(),
        Found::Accumulator => {
            format!("a matrix product is added to a value that is not initialised: {}", value(0))
        }
        Found::Left => "a value that is not initialised is stored in global memory, and stays there".into(),
        Found::Read(space) => {
            format!("a matrix product of {} memory that nobody has written", name(space))
        }
    }
}

/// The name of the register that begins there.
fn register_at(kernel: &Kernel, function: u32, offset: u32) -> Option<String> {
    let linked = kernel.code().functions.get(function as usize)?.as_ref()?;
    let register = linked.registers.iter().position(|slot| slot.offset() == offset)?;
    kernel.program().functions.get(function as usize)?.register_names.get(register).cloned()
}

fn name(space: Space) -> &'static str {
    match space {
        Space::Global => "global",
        Space::Shared => "shared",
        Space::Local => "local",
        Space::Parameter => "parameter",
        Space::Tensor => "tensor",
    }
}

fn place_name(kernel: &Kernel, space: Space, address: u64) -> String {
    let place = format!("{address:#x} of {} memory", name(space));
    match (space, kernel.shared_variable(address)) {
        (Space::Shared, Some((name, _, 0))) => format!("{place}, `{name}`,"),
        (Space::Shared, Some((name, _, offset))) => format!("{place}, `{name}` + {offset},"),
        _ => place,
    }
}
