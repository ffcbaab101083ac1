//! `atom` and `red` on words of global and shared memory. Lanes that all change one word do it in one step, where the operation
//! allows that; else they do it one after the other (`change.rs`).

use ptxvm_ir::operation::access::Atomic;
use ptxvm_ir::operation::{AddressSpace, Order};
use ptxvm_isa::Type;
use ptxvm_machine::context::Instruction;
use ptxvm_machine::schedule::compiled::offset;

use super::Emitter;
use super::access::{Access, Place};
use super::block::Guard;
use super::change::Change;
use super::value::Value;
use super::writer::{LANES, Name};

impl Emitter<'_> {
    /// Writes an atomic operation; `None` if it is not written here.
    pub(super) fn atomic(&mut self, atomic: &Atomic, instruction: &Instruction, guard: &Guard) -> Option<()> {
        let Atomic { address, function, ty, count, destinations, order, noftz, .. } = *atomic;
        let shared = match address.space {
            AddressSpace::Global => false,
            AddressSpace::Shared | AddressSpace::SharedVariable if order == Order::Relaxed => true,
            _ => return None,
        };
        let slots = &instruction.slots;
        let asks = destinations == 1 && !self.analysis.is_unread(instruction.source.instruction);
        let to = slots.first().copied().filter(|slot| asks && !slot.is_sink());
        let bits = ty.bits();
        let change = Change { function, ty, bits, shared, answers: to.is_some() };
        // What is written here flushes subnormal numbers of single precision as global memory does.
        let keeps = noftz && ty == Type::F32;
        if count != 1 || keeps || !change.is_written() {
            return None;
        }
        let slot = *slots.get(address.operand)?;
        let mut operand = |at: usize| slots.get(address.operand + at).map(|slot| self.read(*slot, bits));
        let operands: Vec<Value> = (1..=change.operands()).map(&mut operand).collect::<Option<_>>()?;
        let access = self.access(address, slot, (true, u64::from(bits) / 8), guard)?;
        let at = self.address(slot, address.offset);
        let place = self.place(&at, &access);
        if self.alone.is_some() {
            let before = self.change_of_one(&change, &place, &operands, &access)?;
            if let Some(to) = to {
                self.write(to, before, guard);
            }
            return Some(());
        }
        let one = matches!(place, Place::One(_));
        let pointers = self.each_pointer(&place, &access);
        let before = match change.commuting() {
            Some(op) if one && !change.answers => {
                let all = self.of_all_lanes(op, &operands[0], &access, bits);
                let first = self.first_of(&access.lanes);
                self.change(&change, &pointers, &[all], &first)
            }
            Some("add") if one && operands[0].as_scalar().is_some() => {
                self.counted(&change, &pointers, &operands[0], &access)
            }
            _ => {
                let each: Vec<Name> = operands.iter().map(|value| value.lanes(&mut self.writer)).collect();
                self.change(&change, &pointers, &each, &access.lanes)
            }
        };
        if let Some(to) = to {
            self.write(to, Value::vector(bits, before), guard);
        }
        Some(())
    }

    /// Calls the function that makes a change in some lanes; gives what was there before, if that is asked for.
    fn change(&mut self, change: &Change, pointers: &str, operands: &[Name], lanes: &str) -> Name {
        let name = change.function(&mut self.writer);
        let ty = format!("<{LANES} x i{}>", change.bits);
        let operands: String = operands.iter().map(|operand| format!("{ty} {operand}, ")).collect();
        let given = format!("<{LANES} x ptr> {pointers}, {operands}i32 {lanes}");
        if !change.answers {
            self.writer.line(format!("call fastcc void {name}({given})"));
            return "poison".into();
        }
        let seen = format!("%seen{}", self.at);
        self.slot(seen.clone(), "{ i64, i64, i32 }");
        self.prologue.push(format!("store {{ i64, i64, i32 }} zeroinitializer, ptr {seen}"));
        let before = self.writer.value(format!("call fastcc {ty} {name}({given}, ptr {seen})"));
        self.count_look(&seen);
        before
    }

    /// A change that one lane makes, if its guard lets it; gives what was there before.
    fn change_of_one(
        &mut self,
        change: &Change,
        place: &Place,
        operands: &[Value],
        access: &Access,
    ) -> Option<Value> {
        let Place::One(host) = place else { return None };
        let name = change.function_of_one(&mut self.writer);
        let ty = format!("i{}", change.bits);
        let names: Option<Vec<&Name>> = operands.iter().map(Value::as_scalar).collect();
        let operands: String = names?.iter().map(|operand| format!(", {ty} {operand}")).collect();
        let (there, rest) = (self.writer.fresh_label(), self.writer.fresh_label());
        let from = self.writer.label().to_owned();
        let some = self.writer.value(format!("icmp ne i32 {}, 0", access.lanes));
        self.writer.line(format!("br i1 {some}, label %{there}, label %{rest}"));
        self.writer.begin(there);
        let before = self.writer.value(format!("call fastcc {ty} {name}(ptr {host}{operands})"));
        if change.answers {
            let wide = self.writer.cast("zext", change.bits, &before, 64);
            self.look_of_one(host, &wide);
        }
        let done = self.writer.label().to_owned();
        self.writer.line(format!("br label %{rest}"));
        self.writer.begin(rest);
        let answer = format!("phi {ty} [ 0, %{from} ], [ {before}, %{done} ]");
        Some(Value::scalar(change.bits, self.writer.value(answer)))
    }

    /// Notes what one lane has found where, as the functions for all lanes do.
    fn look_of_one(&mut self, host: &str, found: &str) {
        let seen = format!("%seen{}.one", self.at);
        self.slot(seen.clone(), "{ i64, i64, i32 }");
        self.prologue.push(format!("store {{ i64, i64, i32 }} zeroinitializer, ptr {seen}"));
        let place = self.writer.value(format!("ptrtoint ptr {host} to i64"));
        let mut same = "true".to_owned();
        for (at, now) in [(0, place.as_str()), (8, found)] {
            let to = self.writer.value(format!("getelementptr i8, ptr {seen}, i64 {at}"));
            let before = self.writer.value(format!("load i64, ptr {to}"));
            let is = self.writer.value(format!("icmp eq i64 {before}, {now}"));
            same = self.writer.value(format!("and i1 {same}, {is}"));
            self.writer.line(format!("store i64 {now}, ptr {to}"));
        }
        let to = self.writer.value(format!("getelementptr i8, ptr {seen}, i64 16"));
        let word = self.writer.value(format!("zext i1 {same} to i32"));
        self.writer.line(format!("store i32 {word}, ptr {to}"));
        self.count_look(&seen);
    }

    /// The same answer as the last time: the loop around it may be waiting for another. As if the interpreter had executed it.
    fn count_look(&mut self, seen: &str) {
        let at = self.writer.value(format!("getelementptr i8, ptr {seen}, i64 16"));
        let word = self.writer.value(format!("load i32, ptr {at}"));
        let looked = self.writer.value(format!("icmp ne i32 {word}, 0"));
        let looks = self.frame(offset::LOOKS);
        let before = self.writer.value(format!("load i32, ptr {looks}"));
        let more = self.writer.value(format!("add i32 {before}, 1"));
        let now = self.writer.value(format!("select i1 {looked}, i32 {more}, i32 0"));
        self.writer.line(format!("store i32 {now}, ptr {looks}"));
        self.pay_for_look(&looked);
    }

    /// What all lanes that execute an access add to a word, or do to it otherwise, as one number in every lane.
    fn of_all_lanes(&mut self, op: &str, value: &Value, access: &Access, bits: u32) -> Name {
        let all = value.lanes(&mut self.writer);
        let ty = format!("<{LANES} x i{bits}>");
        let nothing = match op {
            "umin" | "and" => u64::MAX,
            "smin" => u64::MAX >> 1 >> (64 - bits),
            "smax" => 1 << (bits - 1),
            _ => 0,
        };
        let nothing = self.writer.splat(bits, &(nothing & (u64::MAX >> (64 - bits))).to_string());
        let lanes = self.bits_of(&access.lanes);
        let theirs = self.writer.value(format!("select <{LANES} x i1> {lanes}, {ty} {all}, {ty} {nothing}"));
        let function = format!("llvm.vector.reduce.{op}.v{LANES}i{bits}");
        self.writer.declare(format!("declare i{bits} @{function}({ty})"));
        let one = self.writer.value(format!("call i{bits} @{function}({ty} {theirs})"));
        self.writer.splat(bits, &one)
    }

    /// The same number added to one word by some lanes: in one step, from which it follows what each of them would have found.
    fn counted(&mut self, change: &Change, pointers: &str, value: &Value, access: &Access) -> Name {
        let (bits, ty) = (change.bits, format!("<{LANES} x i{}>", change.bits));
        let lanes = &access.lanes;
        let all = self.of_all_lanes("add", value, access, bits);
        let first = self.first_of(lanes);
        let found = self.change(change, pointers, &[all], &first);
        let lane = self.writer.value(format!("call i32 @llvm.cttz.i32(i32 {lanes}, i1 false)"));
        let lane = self.writer.with("and", 32, &lane, 31);
        let found = self.of_lane(&Value::vector(bits, found), &lane);
        let found = found.lanes(&mut self.writer);
        let word = self.writer.splat(32, lanes);
        let below = self.writer.per_lane(32, |lane| (1 << lane) - 1);
        let wide = format!("<{LANES} x i32>");
        let earlier = self.writer.value(format!("and {wide} {word}, {below}"));
        self.writer.declare(format!("declare {wide} @llvm.ctpop.v{LANES}i32({wide})"));
        let mut count = self.writer.value(format!("call {wide} @llvm.ctpop.v{LANES}i32({wide} {earlier})"));
        if bits == 64 {
            count = self.writer.value(format!("zext {wide} {count} to {ty}"));
        }
        let each = value.lanes(&mut self.writer);
        let more = self.writer.value(format!("mul {ty} {count}, {each}"));
        self.writer.value(format!("add {ty} {found}, {more}"))
    }

    /// The first of some lanes alone, if there is one.
    fn first_of(&mut self, lanes: &str) -> Name {
        let negated = self.writer.value(format!("sub i32 0, {lanes}"));
        self.writer.value(format!("and i32 {lanes}, {negated}"))
    }

    /// A pointer for each lane.
    fn each_pointer(&mut self, place: &Place, access: &Access) -> Name {
        let step = access.bytes as i64;
        match place {
            Place::One(host) => self.pointers(std::slice::from_ref(host), LANES as i64, 0),
            Place::Row(host) => self.pointers(std::slice::from_ref(host), LANES as i64, step),
            Place::Rows(hosts) => self.pointers(hosts, self.row_width() as i64, step),
            _ => self.pointers_of(place, 0),
        }
    }
}
