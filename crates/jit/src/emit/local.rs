//! Local memory: every lane has its own, at a distance from that of the lane before it, and may access what lies below its
//! stack pointer, which is one for all lanes of a warp while compiled code runs.

use ptxvm_machine::schedule::compiled::offset;
use ptxvm_memory::LOCAL_BASE;
use ptxvm_memory::local::DEFAULT_LIMIT;

use super::Emitter;
use super::access::{Access, Place};
use super::bounds::Line;
use super::value::{Kept, Value};
use super::writer::{LANES, Name};

impl Emitter<'_> {
    /// Checks an access of local memory. Leaves if the interpreter must look at it.
    pub(super) fn local_place(&mut self, at: &Value, align: u64, access: &Access) -> Place {
        self.uses_local = true;
        if let (Some(alone), Kept::Scalar(offset)) = (&self.alone, &at.kept) {
            let number = format!("%alone{}.wide", alone.first);
            self.check_line(&Line { bases: at.names(), lanes: 1, step: 0 }, align, access);
            return Place::One(self.local_pointer(offset, &number));
        }
        let (lanes, step) = match &at.kept {
            Kept::Scalar(_) => (1, 0),
            Kept::Affine(_, step) => (LANES as i64, *step),
            Kept::Rows(_, rows) => (i64::from(rows.width), rows.step),
            Kept::Pattern(..) | Kept::Vector(_) => (0, 0),
        };
        let offsets = at.lanes(&mut self.writer);
        if lanes == 0 || step.unsigned_abs() % align != 0 {
            let wrong = self.is_beyond_stack(&offsets, align, access);
            self.leave_if(&wrong);
        } else {
            self.check_line(&Line { bases: at.names(), lanes, step }, align, access);
        }
        self.local_offsets(&offsets)
    }

    /// Where the lanes' bytes at some offsets lie, all within the warp's memory: no lane may have more than half a megabyte.
    fn local_offsets(&mut self, offsets: &str) -> Place {
        const { assert!(LANES * DEFAULT_LIMIT <= i32::MAX as usize) };
        let ty = format!("<{LANES} x i32>");
        let [memory, stride] = self.local_memory();
        let stride = self.writer.cast("trunc", 64, &stride, 32);
        let (stride, numbers) =
            (self.writer.splat(32, &stride), self.writer.per_lane(32, |lane| lane as i64));
        let distances = self.writer.value(format!("mul {ty} {stride}, {numbers}"));
        let offsets = self.writer.value(format!("trunc <{LANES} x i64> {offsets} to {ty}"));
        let all = self.writer.value(format!("add {ty} {distances}, {offsets}"));
        Place::From(self.writer.value(format!("inttoptr i64 {memory} to ptr")), all)
    }

    /// Whether a lane that executes an access does so beyond its stack, by the offsets of all.
    fn is_beyond_stack(&mut self, offsets: &str, align: u64, access: &Access) -> Name {
        let limit = self.stack_limit(align, access.bytes);
        self.some_beyond(64, (offsets, "0"), &limit, align, access)
    }

    /// Where the warp's local memory begins, and how far each lane's is from that of the lane before it. The memory moves when
    /// it grows, which only functions of the machine do.
    fn local_memory(&mut self) -> [Name; 2] {
        [offset::LOCALS, offset::STRIDES].map(|list| {
            let list = self.frame(list);
            let at = self.writer.value(format!("getelementptr i64, ptr {list}, i64 %w.wide"));
            self.writer.value(format!("load i64, ptr {at}"))
        })
    }

    /// Where one lane's bytes at an offset lie.
    fn local_pointer(&mut self, offset: &str, lane: &str) -> Name {
        let [memory, stride] = self.local_memory();
        let distance = self.writer.value(format!("mul i64 {stride}, {lane}"));
        let begin = self.writer.value(format!("add i64 {memory}, {distance}"));
        let at = self.writer.value(format!("add i64 {begin}, {offset}"));
        self.writer.value(format!("inttoptr i64 {at} to ptr"))
    }

    /// Where the lanes' bytes at some offsets lie, as numbers.
    fn local_pointers(&mut self, offsets: &str) -> Name {
        let ty = format!("<{LANES} x i64>");
        let [memory, stride] = self.local_memory();
        // Less than four gigabytes, as LLVM is told: it multiplies whole double words in several steps.
        let stride = self.writer.value(format!("and i64 {stride}, {}", u32::MAX));
        let (memory, stride) = (self.writer.splat(64, &memory), self.writer.splat(64, &stride));
        let numbers = self.writer.per_lane(64, |lane| lane as i64);
        let distances = self.writer.value(format!("mul {ty} {stride}, {numbers}"));
        let lanes = self.writer.value(format!("add {ty} {memory}, {distances}"));
        self.writer.value(format!("add {ty} {lanes}, {offsets}"))
    }

    /// Where generic addresses may lead to local memory: goes to a block with the pointers of all lanes if those that
    /// execute the access do. Gives the block where they do not, and the pointers with the block that they come from.
    pub(super) fn generic_local(
        &mut self,
        addresses: &str,
        align: u64,
        access: &Access,
        rest: &str,
    ) -> (Name, Name) {
        let ty = format!("<{LANES} x i64>");
        self.uses_local = true;
        let window = self.writer.splat(64, &LOCAL_BASE.to_string());
        let offsets = self.writer.value(format!("sub {ty} {addresses}, {window}"));
        let beyond = self.is_beyond_stack(&offsets, align, access);
        let (there, not) = (self.writer.fresh_label(), self.writer.fresh_label());
        self.writer.line(format!("br i1 {beyond}, label %{not}, label %{there}"));
        self.writer.begin(there.clone());
        let pointers = self.local_pointers(&offsets);
        self.writer.line(format!("br label %{rest}"));
        self.writer.begin(not);
        (pointers, there)
    }
}
