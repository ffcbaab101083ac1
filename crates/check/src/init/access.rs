//! What lanes read and write: undefined bytes that are loaded, stored, and changed where they lie.

use ptxvm_ir::operation::access::{AtomicFunction, Combination};
use ptxvm_ir::operation::{Access as Operated, Hint, Operation};
use ptxvm_machine::code::Source;
use ptxvm_machine::door::executed::Executed;
use ptxvm_machine::door::observer::Access;
use ptxvm_machine::door::touch::{Space, Wants};

use crate::init::bitwise::Known;
use crate::init::found::Found;
use crate::init::memory::{Memory, place};
use crate::init::registers::{Origin, lanes_in};
use crate::init::state::{Birth, Combined, Left, State, warp};
use crate::init::values::Bytes;

/// All bits of the elements, of so many bytes each, of which some byte of a mask is a part.
fn whole_elements(mask: u32, element: u32) -> [u8; 32] {
    let element = element.clamp(1, 32) as usize;
    let touched = |byte: usize| (0..element).any(|of| mask >> (byte / element * element + of) & 1 != 0);
    std::array::from_fn(|byte| if touched(byte) { 0xff } else { 0 })
}

/// So many places of an instruction that stores undefined values are looked at when the launch has ended.
const MOST_LEFT: usize = 64;

impl State {
    /// Lanes touch memory. Gives whether they read something undefined.
    pub fn access(&mut self, access: &Access<'_>) -> bool {
        let (bytes, lanes) = (access.bytes, access.who.lanes);
        if !self.unwritten {
            self.store_at_once(access);
            return false;
        }
        match access.wants {
            Wants::Read => {
                self.remember(access);
                self.read(access)
            }
            Wants::Write => {
                self.remember(access);
                if self.pending.as_ref().is_some_and(|pending| pending.values.is_some()) {
                    self.store(access);
                } else if let Some(Operation::Hint(Hint::Discard(_))) = self.operation(access.source) {
                    self.discard(access);
                } else {
                    self.define(access, lanes);
                }
                false
            }
            Wants::Update => self.update(access),
            Wants::Mbarrier => {
                for lane in lanes_in(lanes) {
                    if let Some((memory, address)) = place(access, lane) {
                        self.memories.define(memory, address, bytes);
                    }
                }
                false
            }
            Wants::ReadLater | Wants::WriteLater | Wants::Nothing => false,
        }
    }

    /// Of `wmma` it is told afterwards which registers its rows are.
    fn remember(&mut self, access: &Access<'_>) {
        if self.has_wmma {
            let lanes = |lane: usize| access.who.lanes >> lane & 1 != 0;
            let at = std::array::from_fn(|lane| lanes(lane).then(|| place(access, lane)).flatten());
            self.last = Some((access.source, at));
        }
    }

    /// Of a value that lanes store it is not known what becomes of it: in global memory somebody will use it.
    fn store_at_once(&mut self, access: &Access<'_>) {
        let values = self.pending.as_ref().and_then(|pending| pending.values.as_ref());
        let Some(values) = values.filter(|_| access.space == Space::Global) else { return };
        if let Some(lane) = lanes_in(access.who.lanes).find(|lane| values.masks[*lane] != 0) {
            let origin = values.origins[lane];
            self.report(&access.who, access.source, (lane, origin), Found::Left);
        }
    }

    /// What lanes have discarded means nothing any more.
    fn discard(&mut self, access: &Access<'_>) {
        for lane in lanes_in(access.who.lanes) {
            if let Some((memory, address)) = place(access, lane) {
                self.memories.undefine(memory, address, access.bytes, None);
            }
        }
    }

    /// Bytes of lanes are written; those of neighbours at once.
    fn define(&mut self, access: &Access<'_>, lanes: u32) {
        let mut run: Option<(Memory, u64, u64)> = None;
        for lane in lanes_in(lanes) {
            let Some((memory, address)) = place(access, lane) else { continue };
            run = match run {
                Some((of, from, to)) if of == memory && to == address => Some((of, from, to + access.bytes)),
                before => {
                    if let Some((of, from, to)) = before {
                        self.memories.define(of, from, to - from);
                    }
                    Some((memory, address, address.saturating_add(access.bytes)))
                }
            };
        }
        if let Some((of, from, to)) = run {
            self.memories.define(of, from, to - from);
        }
    }

    /// Which of a lane's bytes are undefined.
    fn undefined(&mut self, (memory, address): (Memory, u64), bytes: u64) -> u32 {
        match bytes {
            0..=32 => self.memories.unwritten(memory, address, bytes),
            _ if self.memories.has_all(memory, address, bytes) => 0,
            _ => u32::MAX,
        }
    }

    fn origin_of(&mut self, access: &Access<'_>, (memory, address): (Memory, u64), mask: u32) -> Origin {
        let first = address + u64::from(mask.trailing_zeros() % 32);
        match self.memories.origin(memory, first) {
            Some(origin) => origin,
            None => self.born(Birth::Memory(access.source, access.space), first),
        }
    }

    fn read(&mut self, access: &Access<'_>) -> bool {
        if access.space == Space::Parameter {
            return false;
        }
        let mut any = false;
        let mut before = (u64::MAX, 0);
        for lane in lanes_in(access.who.lanes) {
            let Some(at) = place(access, lane) else { continue };
            let mask = match before {
                (address, mask) if address == at.1 && access.space != Space::Local => mask,
                _ => self.undefined(at, access.bytes),
            };
            before = (at.1, mask);
            if mask != 0 {
                let origin = self.origin_of(access, at, mask);
                self.load(access.source, lane, at, (mask, origin));
                any = true;
            }
        }
        any
    }

    /// A lane has loaded undefined bytes.
    fn load(&mut self, source: Source, lane: usize, at: (Memory, u64), (mask, origin): (u32, Origin)) {
        let known = (!self.memories.parts.is_empty()).then(|| self.memories.undefined_bits(at.0, at.1, 32));
        let loaded = self.loaded_by(source);
        for byte in (0..32).filter(|byte| mask >> byte & 1 != 0) {
            loaded.mark(lane, byte, known.map_or(0xff, |known| known[byte]), origin);
        }
    }

    /// What the running instruction has loaded of undefined bytes.
    fn loaded_by(&mut self, source: Source) -> &mut Bytes {
        if self.loaded.as_ref().is_none_or(|(of, _)| *of != source) {
            self.loaded = None;
        }
        &mut self.loaded.get_or_insert_with(|| (source, Box::default())).1
    }

    /// Lanes store values of which some are undefined.
    fn store(&mut self, access: &Access<'_>) {
        let Some(values) = self.pending.as_ref().and_then(|pending| pending.values.clone()) else { return };
        let bytes = access.bytes.clamp(1, 32);
        for lane in lanes_in(access.who.lanes) {
            let Some(at) = place(access, lane) else { continue };
            let undefined = values.of_lane(lane);
            let before = match values.masks[lane] {
                0 => [0; 32],
                _ => self.memories.undefined_bits(at.0, at.1, bytes),
            };
            self.memories.define(at.0, at.1, access.bytes);
            let left = Left { who: access.who, lane, address: at.1, mask: 0, origin: values.origins[lane] };
            self.leave(access.source, at.0, bytes as usize, (undefined, before), left);
        }
    }

    /// A lane leaves undefined bits in memory, where those were undefined before.
    fn leave(
        &mut self,
        source: Source,
        memory: Memory,
        bytes: usize,
        (undefined, before): ([u8; 32], [u8; 32]),
        left: Left,
    ) {
        let of = |byte: &usize| undefined[*byte] != 0;
        let mask = (0..bytes).filter(of).fold(0u32, |mask, byte| mask | 1 << byte);
        if mask == 0 {
            return;
        }
        for byte in (0..bytes).filter(of) {
            let at = left.address + byte as u64;
            self.memories.undefine_bits(memory, at, undefined[byte], Some(left.origin));
        }
        let is_all = undefined[..bytes].iter().all(|bits| *bits == 0xff);
        // Padding that is copied is no result: a part of what a thread stores at once, or a single byte. Nor is what a
        // thread leaves as it was beside a field of bits that it sets.
        let is_beside = !is_all && (0..bytes).all(|byte| undefined[byte] & !before[byte] == 0);
        // A register that nobody has written, and of which some bits are set, is no structure with padding.
        let is_of_register = matches!(self.births.get(left.origin.number()), Some((Birth::Register(..), _)));
        let is_computed = left.origin.is_computed() || is_of_register && left.origin.is_filled();
        let is_result = is_computed && !is_beside || is_all && bytes > 1;
        if memory == Memory::Global && is_result {
            let all = self.left.entry(source).or_default();
            if all.len() < MOST_LEFT {
                all.push(Left { mask, ..left });
            }
        }
    }

    /// Lanes read and write memory in one step.
    fn update(&mut self, access: &Access<'_>) -> bool {
        let (function, element, is_packed) = match self.operation(access.source) {
            Some(Operation::Access(Operated::Atomic(atomic))) => {
                let element = atomic.element_bytes();
                (atomic.function, element, element * 8 < atomic.ty.bits())
            }
            // A field of a tensor map.
            _ => {
                self.define(access, access.who.lanes);
                return false;
            }
        };
        let values = self.pending.as_ref().and_then(|pending| pending.values.clone());
        let mut any = false;
        let bytes = access.bytes.clamp(1, 32);
        for lane in lanes_in(access.who.lanes) {
            let Some(at) = place(access, lane) else { continue };
            let old = self.undefined(at, access.bytes);
            let (given, from) =
                values.as_ref().map_or((0, Origin::default()), |v| (v.masks[lane], v.origins[lane]));
            if old | given == 0 {
                continue;
            }
            let origin = if old != 0 { self.origin_of(access, at, old) } else { from };
            let before = self.memories.undefined_bits(at.0, at.1, bytes);
            if old != 0 {
                any = true;
                self.load(access.source, lane, at, (old, origin));
            }
            let (new, from) = match function {
                AtomicFunction::Cas if old != 0 => {
                    self.report(&access.who, access.source, (lane, origin), Found::Compared);
                    ([0; 32], from)
                }
                AtomicFunction::Exch | AtomicFunction::Cas => {
                    (values.as_ref().map_or([0; 32], |values| values.of_lane(lane)), from)
                }
                // What becomes of these bits the operand says, which is looked at when all is done.
                AtomicFunction::Combine(Combination::And | Combination::Or) if old != 0 => {
                    let combined = Combined { who: access.who, lane, at, bytes, old: before, origin };
                    self.combined.push(combined);
                    (before, origin)
                }
                // Of packed numbers those that were undefined stay so, and nothing becomes of the others.
                AtomicFunction::Combine(_) => (whole_elements(old | given, element), origin),
            };
            self.memories.define(at.0, at.1, access.bytes);
            let origin = from.computed();
            let left = Left { who: access.who, lane, address: at.1, mask: 0, origin };
            let beside = if is_packed { before } else { [0; 32] };
            self.leave(access.source, at.0, bytes as usize, (new, beside), left);
        }
        any
    }

    /// Of atomic operations that have been executed: bits that an operand decides are defined.
    pub fn combine(&mut self, executed: &Executed<'_>) {
        if self.combined.is_empty() {
            return;
        }
        let Some(Operation::Access(Operated::Atomic(atomic))) = self.operation(executed.source) else {
            return;
        };
        let first = atomic.address.operand + 1;
        let width = atomic.ty.bits() as usize / 8;
        for combined in std::mem::take(&mut self.combined) {
            let Combined { who, lane, at, bytes, old, origin } = combined;
            let operand = |byte: usize| {
                let slot = executed.slots.get(first + byte / width)?;
                let (sources, results) = (slot.offset(), &executed.slots[..executed.written]);
                // A result may have overwritten it.
                if results.iter().any(|slot| slot.offset() == sources) && !slot.is_constant() {
                    return None;
                }
                let registers = self.warps.get(&warp(&executed.who));
                let undefined = registers.and_then(|all| all.get(executed.activation, *slot));
                let undefined = undefined.map_or(0, |lanes| lanes[lane].bits);
                let known = Known { value: executed.bank.whole_lane(*slot, lane), undefined };
                let bits = match atomic.function {
                    AtomicFunction::Combine(Combination::Or) => known.may_be_zero(),
                    _ => known.may_be_one(),
                };
                Some((bits >> (8 * (byte % width))) as u8)
            };
            let new: [u8; 32] = std::array::from_fn(|byte| match byte {
                byte if byte < bytes as usize => old[byte] & operand(byte).unwrap_or(0xff),
                _ => 0,
            });
            if new != old && width != 0 {
                for (byte, bits) in new.iter().enumerate().take(bytes as usize) {
                    self.memories.undefine_bits(at.0, at.1 + byte as u64, *bits, Some(origin.computed()));
                }
                if new.iter().all(|bits| *bits == 0)
                    && let Some(left) = self.left.get_mut(&executed.source)
                {
                    left.retain(|left| left.address != at.1 || left.lane != lane || left.who != who);
                }
            }
        }
    }
}
