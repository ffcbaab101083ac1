//! Loads and stores of global and shared memory.
//!
//! Every access is checked: where a warp's addresses are one or grow by a step, the first and the last byte are compared
//! with the region that the place met last; else every lane is. What does not lie there asks for its region, and if that
//! does not hold all of it, the interpreter executes the instruction and says what is wrong.

use ptxvm_ir::operation::access::{LoadParameter, Words};
use ptxvm_ir::operation::{AddressSpace, Order};
use ptxvm_machine::context::Instruction;
use ptxvm_machine::schedule::compiled::{Way, offset};

use super::Emitter;
use super::block::Guard;
use super::value::Value;
use super::writer::{LANES, Name};

/// Memory that an access has been found to lie in.
enum Place {
    /// One address for all lanes.
    One(Name),
    /// The lanes' words lie side by side from here on.
    Row(Name),
    /// A vector of pointers.
    Each(Name),
}

/// An access as its checks see it.
struct Access {
    space: AddressSpace,
    writes: bool,
    /// Bytes of a lane.
    bytes: u64,
    /// The lanes that execute it, as a mask.
    lanes: Name,
    /// Whether there may be none.
    guarded: bool,
}

impl Emitter<'_> {
    /// Writes a load; `None` if it is not written here.
    pub(super) fn load(&mut self, load: &Words, instruction: &Instruction, guard: &Guard) -> Option<()> {
        let Words { address, bits, count, order, .. } = *load;
        if order != Order::Weak || bits > 64 {
            return None;
        }
        let slot = *instruction.slots.get(address.operand)?;
        let access = self.access(address.space, false, u64::from(bits) / 8 * count as u64, guard)?;
        let at = self.address(slot, address.offset);
        let place = self.place(&at, &access, count)?;
        for element in 0..count {
            let to = *instruction.slots.get(element)?;
            if to.is_sink() {
                continue;
            }
            let value = self.load_word(&place, &access, bits, element as u64 * u64::from(bits) / 8);
            self.write(to, value, guard);
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
        let at = self.address(slot, address.offset);
        let mut values = Vec::new();
        for element in 0..count {
            let from = *instruction.slots.get(address.operand + 1 + element)?;
            values.push((!from.is_sink()).then(|| self.read(from, bits)));
        }
        // Of lanes that store to one place a certain one stays.
        let same = |value: &Option<Value>| value.as_ref().is_none_or(|value| value.as_scalar().is_some());
        if at.as_scalar().is_some() && !values.iter().all(same) {
            return None;
        }
        let access = self.access(address.space, true, u64::from(bits) / 8 * count as u64, guard)?;
        let place = self.place(&at, &access, count)?;
        for (element, value) in values.into_iter().enumerate() {
            if let Some(value) = value {
                self.store_word(&place, &access, &value, element as u64 * u64::from(bits) / 8);
            }
        }
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

    fn access(&mut self, space: AddressSpace, writes: bool, bytes: u64, guard: &Guard) -> Option<Access> {
        if matches!(space, AddressSpace::Local | AddressSpace::SharedCluster) || bytes > 64 {
            return None;
        }
        let lanes = self.lanes(guard);
        Some(Access { space, writes, bytes, lanes, guarded: !matches!(guard, Guard::All) })
    }

    /// The lanes' addresses in 64 bits.
    fn address(&mut self, slot: ptxvm_machine::registers::Slot, more: i64) -> Value {
        let base = self.whole(slot);
        let sum = if more == 0 {
            base
        } else {
            let more = if base.bits == 64 { more } else { i64::from(more as i32) };
            self.sum(&base, &Value::scalar(base.bits, (more as u64 & mask_of(base.bits)).to_string()))
        };
        if sum.bits == 64 {
            return sum;
        }
        // Where lanes would wrap in 32 bits, they leave the region that is compared with.
        match sum.as_affine() {
            Some((base, step)) if step != 0 => {
                let base = base.clone();
                Value::affine(64, self.writer.cast("zext", 32, &base, 64), step)
            }
            _ => self.resized(&sum, 64, "zext"),
        }
    }

    /// Checks an access. Leaves if the interpreter must look at it.
    fn place(&mut self, at: &Value, access: &Access, count: usize) -> Option<Place> {
        let align = access.bytes.next_power_of_two();
        match at.as_affine() {
            Some((base, 0)) => {
                let base = base.clone();
                self.leave_unless_aligned(&base, align, access);
                let host = self.within(&base, &access.bytes.to_string(), access);
                Some(Place::One(host))
            }
            Some((base, step)) if step.unsigned_abs() % align == 0 => {
                let base = base.clone();
                self.leave_unless_aligned(&base, align, access);
                let (first, bytes) = self.extent(&base, step, access);
                let host = self.within(&first, &bytes, access);
                // Back from the first lane that runs to lane 0.
                let distance = self.writer.value(format!("sub i64 {base}, {first}"));
                let host = self.writer.value(format!("getelementptr i8, ptr {host}, i64 {distance}"));
                if count == 1 && step == access.bytes as i64 {
                    return Some(Place::Row(host));
                }
                let steps = self.in_lanes(|writer| writer.per_lane(64, |lane| lane as i64 * step));
                Some(Place::Each(
                    self.writer.value(format!("getelementptr i8, ptr {host}, <{LANES} x i64> {steps}")),
                ))
            }
            _ => Some(Place::Each(self.each_within(at, align, access))),
        }
    }

    fn in_lanes<T>(&mut self, write: impl FnOnce(&mut super::Writer) -> T) -> T {
        let wide = std::mem::replace(&mut self.writer.wide, true);
        let value = write(&mut self.writer);
        self.writer.wide = wide;
        value
    }

    fn leave_unless_aligned(&mut self, base: &str, align: u64, access: &Access) {
        if align == 1 {
            return;
        }
        let over = self.writer.value(format!("and i64 {base}, {}", align - 1));
        let mut wrong = self.writer.value(format!("icmp ne i64 {over}, 0"));
        if access.guarded {
            let some = self.writer.value(format!("icmp ne i32 {}, 0", access.lanes));
            wrong = self.writer.value(format!("and i1 {wrong}, {some}"));
        }
        self.leave_if(&wrong);
    }

    /// The lowest address of the lanes that execute an access, and the bytes up to the end of the highest.
    fn extent(&mut self, base: &str, step: i64, access: &Access) -> (Name, Name) {
        self.writer.declare("declare i32 @llvm.ctlz.i32(i32, i1)");
        let lanes = &access.lanes;
        let lowest = self.writer.value(format!("call i32 @llvm.cttz.i32(i32 {lanes}, i1 false)"));
        let above = self.writer.value(format!("call i32 @llvm.ctlz.i32(i32 {lanes}, i1 false)"));
        let highest = self.writer.value(format!("sub i32 31, {above}"));
        let (first, last) = if step > 0 { (&lowest, &highest) } else { (&highest, &lowest) };
        let (first, last) = (
            self.writer.value(format!("sext i32 {first} to i64")),
            self.writer.value(format!("sext i32 {last} to i64")),
        );
        let first = self.writer.value(format!("mul i64 {first}, {step}"));
        let last = self.writer.value(format!("mul i64 {last}, {step}"));
        let span = self.writer.value(format!("sub i64 {last}, {first}"));
        let bytes = self.writer.value(format!("add i64 {span}, {}", access.bytes));
        (self.writer.value(format!("add i64 {base}, {first}")), bytes)
    }

    /// The host's pointer to an address from which on so many bytes must lie in one region.
    fn within(&mut self, first: &str, bytes: &str, access: &Access) -> Name {
        if matches!(access.space, AddressSpace::Shared | AddressSpace::SharedVariable) {
            let offset = self.shared_offset(first, access);
            let size = self.of_frame("i64", offset::SHARED_SIZE);
            let outside = self.outside(&offset, &size, bytes, access);
            self.leave_if(&outside);
            let memory = self.of_frame("ptr", offset::SHARED);
            return self.writer.value(format!("getelementptr i8, ptr {memory}, i64 {offset}"));
        }
        let site = self.site();
        let (start, size) = self.known(site);
        let offset = self.writer.value(format!("sub i64 {first}, {start}"));
        let outside = self.outside(&offset, &size, bytes, access);
        self.ask(site, first, bytes, &outside, access);
        self.writer.value(format!("inttoptr i64 {first} to ptr"))
    }

    /// Whether bytes from an offset on do not lie inside of a size.
    fn outside(&mut self, offset: &str, size: &str, bytes: &str, access: &Access) -> Name {
        let beyond = self.writer.value(format!("icmp uge i64 {offset}, {size}"));
        let room = self.writer.value(format!("sub i64 {size}, {offset}"));
        let short = self.writer.value(format!("icmp ult i64 {room}, {bytes}"));
        let outside = self.writer.value(format!("or i1 {beyond}, {short}"));
        if !access.guarded {
            return outside;
        }
        let some = self.writer.value(format!("icmp ne i32 {}, 0", access.lanes));
        self.writer.value(format!("and i1 {outside}, {some}"))
    }

    fn shared_offset(&mut self, address: &str, access: &Access) -> Name {
        if access.space == AddressSpace::SharedVariable {
            return address.into();
        }
        let first = self.of_frame("i64", offset::SHARED_FIRST);
        self.writer.value(format!("sub i64 {address}, {first}"))
    }

    /// A new place that accesses global memory.
    fn site(&mut self) -> u32 {
        *self.sites += 1;
        *self.sites - 1
    }

    /// The region that a place met last: it is kept in registers while the function runs.
    fn known(&mut self, site: u32) -> (Name, Name) {
        for part in 0..2 {
            let slot = format!("%site{site}.{part}");
            let value = self.of_list("i64", offset::SITES, u64::from(site) * 16 + part * 8);
            self.prologue.push(format!("store i64 {value}, ptr {slot}"));
            self.slot(slot, "i64");
        }
        let start = self.writer.value(format!("load i64, ptr %site{site}.0"));
        (start, self.writer.value(format!("load i64, ptr %site{site}.1")))
    }

    /// If bytes lie outside of the known region, asks for theirs; leaves if they have none.
    fn ask(&mut self, site: u32, first: &str, bytes: &str, outside: &str, access: &Access) {
        self.writer.declare("declare i32 @ptxvm_region(ptr, i32, i64, i64, i32) cold");
        let (ask, rest) = (self.writer.fresh_label(), self.writer.fresh_label());
        self.writer.line(format!("br i1 {outside}, label %{ask}, label %{rest}, !prof !0"));
        self.writer.begin(ask);
        let way = Way::new(access.space, access.writes).0;
        let found = self.writer.value(format!(
            "call i32 @ptxvm_region(ptr %frame, i32 {site}, i64 {first}, i64 {bytes}, i32 {way})"
        ));
        let none = self.writer.value(format!("icmp eq i32 {found}, 0"));
        self.leave_if(&none);
        let sites = self.of_frame("ptr", offset::SITES);
        for part in 0..2 {
            let at = u64::from(site) * 16 + part * 8;
            let at = self.writer.value(format!("getelementptr i8, ptr {sites}, i64 {at}"));
            let value = self.writer.value(format!("load i64, ptr {at}"));
            self.writer.line(format!("store i64 {value}, ptr %site{site}.{part}"));
        }
        self.writer.line(format!("br label %{rest}"));
        self.writer.begin(rest);
    }

    /// Checks every lane's address for itself, and gives their pointers.
    fn each_within(&mut self, at: &Value, align: u64, access: &Access) -> Name {
        let addresses = at.lanes(&mut self.writer);
        let lanes = self.bits_of(&access.lanes);
        let shared = matches!(access.space, AddressSpace::Shared | AddressSpace::SharedVariable);
        let ty = format!("<{LANES} x i64>");
        if align > 1 {
            let low = self.writer.splat(64, &(align - 1).to_string());
            let over = self.writer.value(format!("and {ty} {addresses}, {low}"));
            let over = self.writer.value(format!("icmp ne {ty} {over}, zeroinitializer"));
            let over = self.writer.value(format!("and <{LANES} x i1> {over}, {lanes}"));
            let word = self.word_of(&over);
            let wrong = self.writer.value(format!("icmp ne i32 {word}, 0"));
            self.leave_if(&wrong);
        }
        let (start, size, site) = if shared {
            let start = if access.space == AddressSpace::SharedVariable {
                "0".into()
            } else {
                self.of_frame("i64", offset::SHARED_FIRST)
            };
            (start, self.of_frame("i64", offset::SHARED_SIZE), 0)
        } else {
            let site = self.site();
            let (start, size) = self.known(site);
            (start, size, site)
        };
        self.writer.declare("declare i64 @llvm.usub.sat.i64(i64, i64)");
        let limit =
            self.writer.value(format!("call i64 @llvm.usub.sat.i64(i64 {size}, i64 {})", access.bytes - 1));
        let (start_all, limit_all) = (self.writer.splat(64, &start), self.writer.splat(64, &limit));
        let offsets = self.writer.value(format!("sub {ty} {addresses}, {start_all}"));
        let beyond = self.writer.value(format!("icmp uge {ty} {offsets}, {limit_all}"));
        let beyond = self.writer.value(format!("and <{LANES} x i1> {beyond}, {lanes}"));
        let word = self.word_of(&beyond);
        let outside = self.writer.value(format!("icmp ne i32 {word}, 0"));
        if shared {
            self.leave_if(&outside);
            let memory = self.of_frame("ptr", offset::SHARED);
            return self.writer.value(format!("getelementptr i8, ptr {memory}, {ty} {offsets}"));
        }
        let (first, bytes) = self.ends_of(&addresses, &lanes, access);
        self.ask(site, &first, &bytes, &outside, access);
        self.writer.value(format!("inttoptr {ty} {addresses} to <{LANES} x ptr>"))
    }

    /// The lowest address of some lanes, and the bytes up to the end of the highest. LLVM moves it to where it is asked.
    fn ends_of(&mut self, addresses: &str, lanes: &str, access: &Access) -> (Name, Name) {
        let ty = format!("<{LANES} x i64>");
        for name in ["umin", "umax"] {
            self.writer.declare(format!("declare i64 @llvm.vector.reduce.{name}.v{LANES}i64({ty})"));
        }
        let ones = self.writer.splat(64, &u64::MAX.to_string());
        let low = self.writer.value(format!("select <{LANES} x i1> {lanes}, {ty} {addresses}, {ty} {ones}"));
        let high = self
            .writer
            .value(format!("select <{LANES} x i1> {lanes}, {ty} {addresses}, {ty} zeroinitializer"));
        let low = self.writer.value(format!("call i64 @llvm.vector.reduce.umin.v{LANES}i64({ty} {low})"));
        let high = self.writer.value(format!("call i64 @llvm.vector.reduce.umax.v{LANES}i64({ty} {high})"));
        let span = self.writer.value(format!("sub i64 {high}, {low}"));
        (low, self.writer.value(format!("add i64 {span}, {}", access.bytes)))
    }

    /// A word of each lane, at some bytes from where it accesses memory.
    fn load_word(&mut self, place: &Place, access: &Access, bits: u32, more: u64) -> Value {
        let ty = format!("<{LANES} x i{bits}>");
        let (bytes, lanes) = (bits / 8, self.bits_of(&access.lanes));
        let loaded = match place {
            Place::One(host) => return self.load_one(host, access, bits, more),
            Place::Row(host) => {
                let at = self.writer.value(format!("getelementptr i8, ptr {host}, i64 {more}"));
                let name = format!("llvm.masked.load.v{LANES}i{bits}.p0");
                self.writer.declare(format!("declare {ty} @{name}(ptr, i32, <{LANES} x i1>, {ty})"));
                self.writer.value(format!(
                    "call {ty} @{name}(ptr {at}, i32 {bytes}, <{LANES} x i1> {lanes}, {ty} zeroinitializer)"
                ))
            }
            Place::Each(pointers) => {
                let at =
                    self.writer.value(format!("getelementptr i8, <{LANES} x ptr> {pointers}, i64 {more}"));
                let name = format!("llvm.masked.gather.v{LANES}i{bits}.v{LANES}p0");
                self.writer
                    .declare(format!("declare {ty} @{name}(<{LANES} x ptr>, i32, <{LANES} x i1>, {ty})"));
                self.writer.value(format!(
                    "call {ty} @{name}(<{LANES} x ptr> {at}, i32 {bytes}, <{LANES} x i1> {lanes}, {ty} zeroinitializer)"
                ))
            }
        };
        // Another thread may write meanwhile: whoever uses the value sees the same.
        Value::vector(bits, self.writer.value(format!("freeze {ty} {loaded}")))
    }

    fn load_one(&mut self, host: &str, access: &Access, bits: u32, more: u64) -> Value {
        let at = self.writer.value(format!("getelementptr i8, ptr {host}, i64 {more}"));
        if !access.guarded {
            let loaded = self.writer.value(format!("load i{bits}, ptr {at}"));
            return Value::scalar(bits, self.writer.value(format!("freeze i{bits} {loaded}")));
        }
        let (there, rest) = (self.writer.fresh_label(), self.writer.fresh_label());
        let from = self.writer.label().to_owned();
        let some = self.writer.value(format!("icmp ne i32 {}, 0", access.lanes));
        self.writer.line(format!("br i1 {some}, label %{there}, label %{rest}"));
        self.writer.begin(there.clone());
        let loaded = self.writer.value(format!("load i{bits}, ptr {at}"));
        self.writer.line(format!("br label %{rest}"));
        self.writer.begin(rest);
        let either = self.writer.value(format!("phi i{bits} [ 0, %{from} ], [ {loaded}, %{there} ]"));
        Value::scalar(bits, self.writer.value(format!("freeze i{bits} {either}")))
    }

    fn store_word(&mut self, place: &Place, access: &Access, value: &Value, more: u64) {
        let bits = value.bits;
        let (ty, bytes) = (format!("<{LANES} x i{bits}>"), bits / 8);
        let lanes = self.bits_of(&access.lanes);
        match place {
            Place::One(host) => {
                let Some(value) = value.as_scalar().cloned() else { return };
                let at = self.writer.value(format!("getelementptr i8, ptr {host}, i64 {more}"));
                let (there, rest) = (self.writer.fresh_label(), self.writer.fresh_label());
                let some = self.writer.value(format!("icmp ne i32 {}, 0", access.lanes));
                self.writer.line(format!("br i1 {some}, label %{there}, label %{rest}"));
                self.writer.begin(there);
                self.writer.line(format!("store i{bits} {value}, ptr {at}"));
                self.writer.line(format!("br label %{rest}"));
                self.writer.begin(rest);
            }
            Place::Row(host) => {
                let value = value.lanes(&mut self.writer);
                let at = self.writer.value(format!("getelementptr i8, ptr {host}, i64 {more}"));
                let name = format!("llvm.masked.store.v{LANES}i{bits}.p0");
                self.writer.declare(format!("declare void @{name}({ty}, ptr, i32, <{LANES} x i1>)"));
                self.writer.line(format!(
                    "call void @{name}({ty} {value}, ptr {at}, i32 {bytes}, <{LANES} x i1> {lanes})"
                ));
            }
            Place::Each(pointers) => {
                // Where lanes store to one place, the last in this order stays; LLVM stores the lowest element first.
                let order = turns(access.bytes);
                let value = value.lanes(&mut self.writer);
                let at =
                    self.writer.value(format!("getelementptr i8, <{LANES} x ptr> {pointers}, i64 {more}"));
                let turned = |emitter: &mut Self, ty: &str, name: &str| {
                    emitter.writer.value(format!("shufflevector {ty} {name}, {ty} poison, {order}"))
                };
                let pointers = format!("<{LANES} x ptr>");
                let (value, at) = (turned(self, &ty, &value), turned(self, &pointers, &at));
                let lanes = turned(self, &format!("<{LANES} x i1>"), &lanes);
                let name = format!("llvm.masked.scatter.v{LANES}i{bits}.v{LANES}p0");
                self.writer.declare(format!("declare void @{name}({ty}, {pointers}, i32, <{LANES} x i1>)"));
                self.writer.line(format!(
                    "call void @{name}({ty} {value}, {pointers} {at}, i32 {bytes}, <{LANES} x i1> {lanes})"
                ));
            }
        }
    }
}

/// The order in which lanes store so many bytes, as the interpreter has it (`ops/load_store.rs`).
fn turns(bytes: u64) -> String {
    let flip = match bytes {
        0..=4 => 31,
        5..=8 => 15,
        _ => 7,
    };
    let each: Vec<String> = (0..LANES).map(|turn| format!("i32 {}", turn ^ flip)).collect();
    format!("<{LANES} x i32> <{}>", each.join(", "))
}

fn mask_of(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}
