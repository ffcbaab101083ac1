//! The instructions of a warp with undefined values, before and after each is executed.

use ptxvm_ir::operation::access::AtomicFunction;
use ptxvm_ir::operation::matrix::Matrix;
use ptxvm_ir::operation::{Access as Operated, Operation, Tcgen05};
use ptxvm_machine::code::Meaning;
use ptxvm_machine::door::executed::{Executed, Without};

use crate::init::decide::{deciding, lanes_of, only_computes};
use crate::init::found::Found;
use crate::init::propagate::results;
use crate::init::registers::{Origin, Undefined, lanes_in};
use crate::init::state::{Birth, Pending, State, warp};
use crate::init::values::{given, stored, stored_rows};

impl State {
    /// An instruction of a warp with undefined values is about to be executed.
    pub fn execute(&mut self, executed: &Executed<'_>) {
        (self.pending, self.loaded, self.loaded_registers) = (None, None, None);
        self.combined.clear();
        let Some(operation) = self.operation(executed.source) else { return };
        if executed.meaning != Meaning::Program {
            return;
        }
        let Some(registers) = self.warps.get(&warp(&executed.who)) else { return };
        let mut pending = Pending::default();
        let mut found: Vec<(usize, Origin, Found)> = Vec::new();
        if let Some(guard) = executed.guard.and_then(|slot| registers.get(executed.activation, slot)) {
            let open = lanes_in(executed.active).filter(|lane| guard[*lane].bits != 0);
            pending.open = open.fold(0, |open, lane| open | 1 << lane);
            if pending.open != 0 {
                let lane = pending.open.trailing_zeros() as usize;
                pending.origin = guard[lane].origin.computed();
                if !only_computes(&operation) {
                    found.push((lane, guard[lane].origin, Found::Guard));
                    pending.open = 0;
                }
            }
        }
        let (activation, written) = (executed.activation, executed.written.min(executed.slots.len()));
        if registers.has_any(activation, &executed.slots[written..]) {
            for (index, what) in deciding(&operation, written, executed.slots.len()) {
                if matches!(operation, Operation::Matrix(Matrix::Wgmma(_))) && index < written {
                    continue;
                }
                let Some(lanes) = registers.get(activation, executed.slots[index]) else { continue };
                let counting = executed.who.lanes & lanes_of(&operation, what);
                let lane = lanes_in(counting).find(|lane| lanes[*lane].bits != 0);
                found.extend(lane.map(|lane| (lane, lanes[lane].origin, Found::Operand(index, what))));
            }
            match operation {
                Operation::Access(Operated::Store(words)) => {
                    let first = words.address.operand + 1;
                    pending.values = stored(registers, executed, first, words.count, words.bits);
                }
                Operation::Access(Operated::Atomic(atomic)) => {
                    let first = atomic.address.operand + 1;
                    let bits = atomic.ty.bits();
                    let bytes = stored(registers, executed, first, atomic.count, bits);
                    // `atom.cas` stores its second value.
                    pending.values = match atomic.function {
                        AtomicFunction::Cas => stored(registers, executed, first + 1, 1, bits),
                        _ => bytes,
                    };
                }
                Operation::Matrix(Matrix::Store(moved)) => {
                    pending.values = stored_rows(registers, executed, &moved);
                }
                Operation::Matrix(Matrix::WmmaStore(_)) | Operation::Tcgen05(Tcgen05::Store(_)) => {
                    let known = |slot| registers.get(activation, slot).map(|lanes| Box::new(*lanes));
                    let slots = executed.slots.iter().enumerate();
                    pending.fragment = slots.filter_map(|(at, slot)| Some((at, known(*slot)?))).collect();
                }
                // What these load memory says.
                Operation::Matrix(Matrix::Load(_) | Matrix::WmmaLoad(_)) => {}
                Operation::Access(_) | Operation::Texture(_) | Operation::Surface(_) => {}
                _ if found.is_empty() => pending.results = results(&operation, executed, registers),
                _ => {}
            }
        }
        self.pending = Some(pending);
        for (lane, origin, what) in found {
            self.report(&executed.who, executed.source, (lane, origin), what);
        }
    }

    /// It has been executed. Gives whether its warp has undefined values.
    pub fn executed(&mut self, executed: &Executed<'_>) -> bool {
        let pending = self.pending.take().unwrap_or_default();
        let loaded = self.loaded.take().filter(|(source, _)| *source == executed.source);
        let fragment = self.loaded_registers.take().filter(|(source, ..)| *source == executed.source);
        let operation = self.operation(executed.source);
        self.combine(executed);
        let (without, nothing) = match executed.without {
            Some(Without { lanes, why }) => {
                let origin = self.born(Birth::Result(executed.source, why), 0);
                (lanes, Undefined { bits: u128::MAX, origin })
            }
            None => (0, Undefined::default()),
        };
        let registers = self.warps.entry(warp(&executed.who)).or_default();
        let written = executed.written.min(executed.slots.len());
        for (index, slot) in executed.slots[..written].iter().enumerate() {
            let result = pending.results.get(index).map(|(_, lanes)| &**lanes);
            let loaded = loaded.as_ref().map(|(_, bytes)| &**bytes);
            let fragment = fragment.as_ref().and_then(|(_, first, all)| all.get(index.checked_sub(*first)?));
            let new = |lane: usize| match (result, loaded, &operation) {
                _ if index == 0 && without >> lane & 1 != 0 => nothing,
                _ if fragment.is_some() => fragment.map_or_else(Undefined::default, |lanes| lanes[lane]),
                (Some(lanes), ..) => lanes[lane],
                (None, Some(bytes), Some(operation)) if executed.meaning == Meaning::Program => {
                    given(operation, bytes, (index, *slot), lane)
                }
                _ => Undefined::default(),
            };
            registers.set(executed.activation, *slot, executed.who.lanes, new);
            let open = Undefined { bits: u128::MAX, origin: pending.origin };
            registers.set(executed.activation, *slot, pending.open, |_| open);
        }
        let any = !registers.is_empty();
        if !any {
            self.warps.remove(&warp(&executed.who));
        }
        any
    }
}
