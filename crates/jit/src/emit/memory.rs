//! Loads and stores of global, shared and local memory.
//!
//! Every access is checked first (`bounds.rs`), all lanes at once where their addresses are one or grow by a step. That
//! also says how the words lie (`access.rs`), and so how they are moved (`words.rs`).

use ptxvm_ir::operation::access::{LoadParameter, Words};
use ptxvm_ir::operation::{Address, AddressSpace, Order};
use ptxvm_machine::context::Instruction;
use ptxvm_machine::registers::Slot;
use ptxvm_machine::schedule::compiled::offset;

use super::Emitter;
use super::access::{Access, Place, Window};
use super::block::Guard;
use super::bounds::Line;
use super::value::{Kept, Value};
use super::writer::{LANES, Name};
use crate::analysis::Root;
use crate::together::Reach;

impl Emitter<'_> {
    /// Writes a load; `None` if it is not written here.
    pub(super) fn load(&mut self, load: &Words, instruction: &Instruction, guard: &Guard) -> Option<()> {
        let Words { address, bits, count, order, .. } = *load;
        if order != Order::Weak || bits > 64 {
            return None;
        }
        let slot = *instruction.slots.get(address.operand)?;
        let bytes = u64::from(bits) / 8 * count as u64;
        let access = self.access(address, slot, (false, bytes), guard)?;
        let to = instruction.slots.get(..count)?;
        let place = self.found(slot, address.offset, &access);
        for (to, value) in to.iter().zip(self.load_words(&place, &access, bits, count)) {
            self.write(*to, value, guard);
        }
        Some(())
    }

    /// Writes a store; `None` if it is not written here.
    pub(super) fn store(&mut self, store: &Words, instruction: &Instruction, guard: &Guard) -> Option<()> {
        let Words { address, bits, count, order, .. } = *store;
        if order != Order::Weak || bits > 64 {
            return None;
        }
        let slot = *instruction.slots.get(address.operand)?;
        let from = instruction.slots.get(address.operand + 1..)?.get(..count)?;
        if from.iter().any(|from| from.is_sink()) {
            return None;
        }
        let mut values: Vec<Value> = from.iter().map(|from| self.read(*from, bits)).collect();
        let bytes = u64::from(bits) / 8 * count as u64;
        let access = self.access(address, slot, (true, bytes), guard)?;
        let place = self.found(slot, address.offset, &access);
        if matches!(place, Place::One(_)) && values.iter().any(|value| value.as_scalar().is_none()) {
            let lane = self.lane_that_stays(&access);
            values = values.iter().map(|value| self.of_lane(value, &lane)).collect();
        }
        self.store_words(&place, &access, &values);
        Some(())
    }

    /// Writes a load of a kernel's parameter; `None` if it is not written here.
    pub(super) fn load_parameter(
        &mut self,
        load: &LoadParameter,
        instruction: &Instruction,
        guard: &Guard,
    ) -> Option<()> {
        let LoadParameter { offset: more, bits, count } = *load;
        let base: u64 = self.whole(*instruction.slots.get(count)?).as_scalar()?.parse().ok()?;
        let first = base.wrapping_add_signed(more);
        let bytes = u64::from(bits) / 8;
        let end = first.checked_add(bytes * count as u64)?;
        if bits > 64 || end > self.analysis.function.parameter_bytes {
            return None;
        }
        for element in 0..count {
            let value = self.of_list(&format!("i{bits}"), offset::PARAMETERS, first + element as u64 * bytes);
            self.write(*instruction.slots.get(element)?, Value::scalar(bits, value), guard);
        }
        Some(())
    }

    /// An access of some bytes by the address in a slot.
    pub(super) fn access(
        &mut self,
        Address { space, offset, .. }: Address,
        slot: Slot,
        (writes, bytes): (bool, u64),
        guard: &Guard,
    ) -> Option<Access> {
        if space == AddressSpace::SharedCluster || bytes > 64 {
            return None;
        }
        let lanes = self.lanes(guard);
        let reach = self.together.reach(self.at).unwrap_or(Reach { below: 0, bytes });
        let root = self.analysis.made(slot).and_then(|made| match made.root {
            Root::Of(root) => {
                let zeros = made.zeros.min(offset.trailing_zeros()).min(reach.below.trailing_zeros());
                Some((root, zeros >= bytes.next_power_of_two().trailing_zeros()))
            }
            _ => None,
        });
        Some(Access { space, writes, root, bytes, reach, lanes, guarded: !matches!(guard, Guard::All) })
    }

    /// Where an access lies: as far from the first of those that are checked together as its offset is, else as its own check
    /// has found.
    fn found(&mut self, slot: Slot, offset: i64, access: &Access) -> Place {
        let group = self.together.group(self.at);
        if let Some((group, more)) = group
            && let Some(first) = self.places.get(&group).cloned()
        {
            return self.moved(first, more, access);
        }
        let at = self.address(slot, offset);
        let place = match self.may_lie_side_by_side(slot, &at, access) {
            true => self.row_or_each(&at, access),
            false => match self.window_or_each(&at, access) {
                Some(place) => place,
                None => self.place(&at, access),
            },
        };
        if let Place::Row(host) = &place {
            self.look_ahead(host, access);
        }
        if let Some((group, _)) = group.filter(|_| self.together.reach(self.at).is_some()) {
            self.places.insert(group, place.clone());
        }
        place
    }

    /// A place some bytes beyond one, for an access of as many bytes.
    fn moved(&mut self, place: Place, more: i64, access: &Access) -> Place {
        if more == 0 {
            return place;
        }
        match place {
            Place::One(host) => Place::One(self.beyond(&host, more)),
            Place::Row(host) => Place::Row(self.beyond(&host, more)),
            Place::Rows(hosts) => Place::Rows(hosts.iter().map(|host| self.beyond(host, more)).collect()),
            Place::Ones(hosts) => Place::Ones(hosts.iter().map(|host| self.beyond(host, more)).collect()),
            Place::Each(pointers) => Place::Each(
                self.writer.value(format!("getelementptr i8, <{LANES} x ptr> {pointers}, i64 {more}")),
            ),
            // The pointer stays aligned for words of 32 bits, out of which narrower ones are taken.
            Place::From(base, offsets) if access.bytes < 4 => {
                let more = self.writer.splat(32, &(more as u32).to_string());
                Place::From(base, self.writer.value(format!("add <{LANES} x i32> {offsets}, {more}")))
            }
            Place::From(base, offsets) => Place::From(self.beyond(&base, more), offsets),
            Place::Window(window) => {
                Place::Window(Window { host: self.beyond(&window.host, more), ..window })
            }
            Place::Perhaps { is, near, each } => {
                let [near, each] = [near, each].map(|place| Box::new(self.moved(*place, more, access)));
                Place::Perhaps { is, near, each }
            }
        }
    }

    /// The lanes' addresses, as wide as their register.
    pub(super) fn address(&mut self, slot: Slot, more: i64) -> Value {
        let base = self.whole(slot);
        if more == 0 {
            return base;
        }
        let more = if base.bits == 64 { more } else { i64::from(more as i32) };
        self.sum(&base, &Value::scalar(base.bits, (more as u64 & mask_of(base.bits)).to_string()))
    }

    /// Addresses in 64 bits. Where lanes would wrap in 32 bits, they leave the region that is compared with.
    pub(super) fn widened(&mut self, at: &Value) -> Value {
        match at.kept {
            Kept::Affine(..) | Kept::Pattern(..) | Kept::Rows(..) if at.bits < 64 => {
                let wide = at.renamed(|base| self.writer.cast("zext", 32, base, 64));
                Value { bits: 64, ..wide }
            }
            _ => self.resized(at, 64, "zext"),
        }
    }

    /// Checks an access. Leaves if the interpreter must look at it.
    pub(super) fn place(&mut self, at: &Value, access: &Access) -> Place {
        let align = access.bytes.next_power_of_two();
        if access.space == AddressSpace::Local {
            let at = self.widened(at);
            return self.local_place(&at, align, access);
        }
        let (lanes, step) = match &at.kept {
            Kept::Scalar(_) => (1, 0),
            Kept::Affine(_, step) => (LANES as i64, *step),
            Kept::Rows(_, rows) => (i64::from(rows.width), rows.step),
            Kept::Pattern(..) | Kept::Vector(_) => (0, 0),
        };
        if lanes == 0 || step.unsigned_abs() % align != 0 {
            return match access.space {
                AddressSpace::Shared | AddressSpace::SharedVariable => {
                    self.each_within_shared(at, align, access)
                }
                _ => {
                    let at = self.widened(at);
                    Place::Each(self.each_within(&at, align, access))
                }
            };
        }
        let at = self.widened(at);
        let mut hosts = self.line_within(&Line { bases: at.names(), lanes, step }, align, access);
        let side_by_side = step == access.bytes as i64;
        match &at.kept {
            Kept::Scalar(_) => Place::One(hosts.remove(0)),
            Kept::Affine(..) if side_by_side => Place::Row(hosts.remove(0)),
            Kept::Rows(..) if side_by_side => Place::Rows(hosts),
            // Of lanes that store to one place a certain one stays, which only a store of each lane knows.
            Kept::Rows(..) if step == 0 && !access.writes => Place::Ones(hosts),
            _ => Place::Each(self.pointers(&hosts, lanes, step)),
        }
    }

    /// The pointers of lanes, by those of rows and the step within them.
    pub(super) fn pointers(&mut self, hosts: &[Name], lanes: i64, step: i64) -> Name {
        let numbers: Vec<Name> =
            hosts.iter().map(|host| self.writer.value(format!("ptrtoint ptr {host} to i64"))).collect();
        let all = self.writer.rows(64, &numbers, lanes as u32, step);
        self.writer.value(format!("inttoptr <{LANES} x i64> {all} to <{LANES} x ptr>"))
    }
}

fn mask_of(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}
