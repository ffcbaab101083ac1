//! Gathers and scatters: a word of each lane, at a pointer of its own.

use super::Emitter;
use super::access::{Access, Place};
use super::lane_by_lane::LaneByLane;
use super::repeated::Reads;
use super::writer::{LANES, Name, Writer};

impl Emitter<'_> {
    /// A word of each lane, so many bytes beyond where it accesses memory; zero in lanes that do not.
    pub(super) fn gather(&mut self, place: &Place, more: i64, bits: u32, access: &Access) -> Name {
        if bits >= 32 {
            let lanes = self.bits_of(&access.lanes);
            let pointers = self.pointers_of(place, more);
            return self.writer.gather(&pointers, bits, &lanes, "zeroinitializer");
        }
        let mark = self.writer.mark();
        let lanes = self.bits_of(&access.lanes);
        let found = self.gather_narrow(place, bits, &lanes);
        let mut sources = vec![(&*access.lanes, "i32".to_owned())];
        match place {
            Place::From(base, offsets) => {
                sources.extend([(&**base, "ptr".to_owned()), (offsets, format!("<{LANES} x i32>"))]);
            }
            Place::Each(pointers) => sources.push((pointers, format!("<{LANES} x ptr>"))),
            _ => {}
        }
        self.once(mark, &sources, (&found, &format!("<{LANES} x i{bits}>")), Reads::Memory)
    }

    /// A word of less than 32 bits of each lane, out of the word of 32 that it lies in: it is aligned, and so is every page.
    /// No processor gathers less, and LLVM would write a branch for each lane.
    fn gather_narrow(&mut self, place: &Place, bits: u32, lanes: &str) -> Name {
        let wide = format!("<{LANES} x i32>");
        let (words, within) = match place {
            Place::From(base, offsets) => {
                let up = self.writer.splat(32, &(!3u32).to_string());
                let words = self.writer.value(format!("and {wide} {offsets}, {up}"));
                (self.pointers_of(&Place::From(base.clone(), words), 0), offsets.clone())
            }
            _ => {
                let ty = format!("<{LANES} x i64>");
                let pointers = self.pointers_of(place, 0);
                let addresses = self.writer.value(format!("ptrtoint <{LANES} x ptr> {pointers} to {ty}"));
                let up = self.writer.splat(64, &(!3u64).to_string());
                let words = self.writer.value(format!("and {ty} {addresses}, {up}"));
                let words = self.writer.value(format!("inttoptr {ty} {words} to <{LANES} x ptr>"));
                (words, self.writer.value(format!("trunc {ty} {addresses} to {wide}")))
            }
        };
        let three = self.writer.splat(32, "3");
        let within = self.writer.value(format!("and {wide} {within}, {three}"));
        let by = self.writer.value(format!("shl {wide} {within}, {three}"));
        let all = self.writer.gather(&words, 32, lanes, "zeroinitializer");
        let moved = self.writer.value(format!("lshr {wide} {all}, {by}"));
        self.writer.value(format!("trunc {wide} {moved} to <{LANES} x i{bits}>"))
    }

    /// Stores a word of each lane, so many bytes beyond where it accesses memory. Where lanes store to one place, the last in
    /// an order stays; LLVM stores the lowest element first.
    pub(super) fn scatter(
        &mut self,
        (value, bits): (&str, u32),
        (place, more): (&Place, i64),
        order: &str,
        access: &Access,
    ) {
        let (ty, pointers, truth) =
            (format!("<{LANES} x i{bits}>"), format!("<{LANES} x ptr>"), format!("<{LANES} x i1>"));
        let lanes = self.bits_of(&access.lanes);
        let mut turned = |ty: &str, name: &str| {
            self.writer.value(format!("shufflevector {ty} {name}, {ty} poison, {order}"))
        };
        let (value, lanes) = (turned(&ty, value), turned(&truth, &lanes));
        let place = match place {
            Place::From(base, offsets) => {
                Place::From(base.clone(), turned(&format!("<{LANES} x i32>"), offsets))
            }
            Place::Each(each) => Place::Each(turned(&pointers, each)),
            _ => return self.failed = true,
        };
        let at = self.pointers_of(&place, more);
        if bits < 32 {
            return self.writer.scatter_narrow(&value, bits, &at, &lanes);
        }
        let name = format!("llvm.masked.scatter.v{LANES}i{bits}.v{LANES}p0");
        self.writer.declare(format!("declare void @{name}({ty}, {pointers}, i32, {truth})"));
        let bytes = bits / 8;
        self.writer
            .line(format!("call void @{name}({ty} {value}, {pointers} {at}, i32 {bytes}, {truth} {lanes})"));
    }

    /// Each lane's pointer, so many bytes beyond where it accesses memory.
    pub(super) fn pointers_of(&mut self, place: &Place, more: i64) -> Name {
        match place {
            Place::Each(pointers) if more == 0 => pointers.clone(),
            Place::Each(pointers) => {
                self.writer.value(format!("getelementptr i8, <{LANES} x ptr> {pointers}, i64 {more}"))
            }
            // The processor adds the offsets: LLVM sees that they have 32 bits.
            Place::From(base, offsets) => {
                let base = self.beyond(base, more);
                let offsets = self.writer.value(format!("sext <{LANES} x i32> {offsets} to <{LANES} x i64>"));
                self.writer.value(format!("getelementptr i8, ptr {base}, <{LANES} x i64> {offsets}"))
            }
            _ => {
                self.failed = true;
                "poison".into()
            }
        }
    }
}

impl Writer {
    /// A scatter of words of less than 32 bits. The first element is stored first.
    fn scatter_narrow(&mut self, value: &str, bits: u32, pointers: &str, lanes: &str) {
        let (ty, name) = (format!("i{bits}"), format!("@scatter_i{bits}"));
        LaneByLane {
            result: "void",
            name: &name,
            sources: &[("value", &ty), ("to", "ptr")],
            more: "",
            before: "",
            each: &format!("  store {ty} %value, ptr %to\n"),
            whole: "",
            after: "  ret void\n",
        }
        .declare(self);
        let word = self.value(format!("bitcast <{LANES} x i1> {lanes} to i32"));
        let given = format!("<{LANES} x {ty}> {value}, <{LANES} x ptr> {pointers}, i32 {word}");
        self.line(format!("call fastcc void {name}({given})"));
    }
}
