//! The words that lanes load and store, once it is known that they may: one for all, a row, some rows, or one for each.

use super::Emitter;
use super::access::{Access, Place};
use super::value::Value;
use super::writer::{LANES, Name};
use crate::analysis::row_width;

impl Emitter<'_> {
    /// A word of each lane, at some bytes from where it accesses memory.
    pub(super) fn load_word(&mut self, place: &Place, access: &Access, bits: u32, more: u64) -> Value {
        let ty = format!("<{LANES} x i{bits}>");
        let (bytes, lanes) = (bits / 8, self.bits_of(&access.lanes));
        let loaded = match place {
            Place::One(host) => return self.load_one(host, access, bits, more),
            Place::Row(host) => {
                let at = self.writer.value(format!("getelementptr i8, ptr {host}, i64 {more}"));
                self.masked_load(&at, &lanes, (LANES, bits))
            }
            Place::Rows(hosts) => {
                let rows: Vec<Name> = (0..)
                    .zip(hosts)
                    .map(|(row, host)| self.load_row(host, row, hosts.len(), &access.lanes, bits))
                    .collect();
                self.side_by_side(&rows, bits)
            }
            Place::Ones(hosts) => {
                let width = LANES / hosts.len();
                let each: Vec<Name> = (0..)
                    .zip(hosts)
                    .map(|(row, host)| self.load_one_of_row(host, row * width, width, &access.lanes, bits))
                    .collect();
                self.writer.rows(bits, &each, width as u32, 0)
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

    pub(super) fn store_word(&mut self, place: &Place, access: &Access, value: &Value, more: u64) {
        let bits = value.bits;
        let (ty, bytes) = (format!("<{LANES} x i{bits}>"), bits / 8);
        let lanes = self.bits_of(&access.lanes);
        match place {
            // Stores are not placed so.
            Place::Ones(_) => self.failed = true,
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
                self.masked_store(&value, &at, &lanes, (LANES, bits));
            }
            Place::Rows(hosts) => {
                let value = value.lanes(&mut self.writer);
                let hosts = if hosts.len() == 1 {
                    vec![hosts[0].clone(); LANES / self.row_width()]
                } else {
                    hosts.clone()
                };
                // As below: the row that stores last stays.
                let mut order: Vec<usize> = (0..hosts.len()).collect();
                let width = LANES / hosts.len();
                order.sort_by_key(|row| {
                    (row * width..(row + 1) * width).map(|lane| lane ^ flip(access.bytes)).min()
                });
                for row in order {
                    self.store_row(&hosts[row], row, hosts.len(), &access.lanes, (&value, bits));
                }
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

    /// Words that lie side by side, in the lanes of a vector of predicates; so many lanes of so many bits.
    fn masked_load(&mut self, at: &str, lanes: &str, (width, bits): (usize, u32)) -> Name {
        let (ty, name) = (format!("<{width} x i{bits}>"), format!("llvm.masked.load.v{width}i{bits}.p0"));
        self.writer.declare(format!("declare {ty} @{name}(ptr, i32, <{width} x i1>, {ty})"));
        let bytes = bits / 8;
        self.writer.value(format!(
            "call {ty} @{name}(ptr {at}, i32 {bytes}, <{width} x i1> {lanes}, {ty} zeroinitializer)"
        ))
    }

    fn masked_store(&mut self, value: &str, at: &str, lanes: &str, (width, bits): (usize, u32)) {
        let (ty, name) = (format!("<{width} x i{bits}>"), format!("llvm.masked.store.v{width}i{bits}.p0"));
        self.writer.declare(format!("declare void @{name}({ty}, ptr, i32, <{width} x i1>)"));
        let bytes = bits / 8;
        self.writer
            .line(format!("call void @{name}({ty} {value}, ptr {at}, i32 {bytes}, <{width} x i1> {lanes})"));
    }

    /// The words of a row, of so many rows; the only one is that of all of them.
    fn load_row(&mut self, host: &str, row: usize, rows: usize, lanes: &str, bits: u32) -> Name {
        let mask = self.mask_of_row(row, rows, lanes);
        self.masked_load(host, &mask, (self.row_width(), bits))
    }

    fn store_row(&mut self, host: &str, row: usize, rows: usize, lanes: &str, (value, bits): (&str, u32)) {
        let width = self.row_width();
        let mask = self.mask_of_row(row, rows, lanes);
        let all = format!("<{LANES} x i{bits}>");
        let each: Vec<String> = (row * width..(row + 1) * width).map(|lane| format!("i32 {lane}")).collect();
        let part = self.writer.value(format!(
            "shufflevector {all} {value}, {all} poison, <{width} x i32> <{}>",
            each.join(", ")
        ));
        self.masked_store(&part, host, &mask, (width, bits));
    }

    /// The lanes of a row that execute an access, as a vector of predicates.
    fn mask_of_row(&mut self, row: usize, rows: usize, lanes: &str) -> Name {
        let width = self.row_width();
        let mut some = lanes.to_owned();
        if rows == 1 {
            for further in 1..LANES / width {
                let moved = self.writer.value(format!("lshr i32 {lanes}, {}", further * width));
                some = self.writer.value(format!("or i32 {some}, {moved}"));
            }
        } else if row > 0 {
            some = self.writer.value(format!("lshr i32 {lanes}, {}", row * width));
        }
        let few = self.writer.value(format!("trunc i32 {some} to i{width}"));
        self.writer.value(format!("bitcast i{width} {few} to <{width} x i1>"))
    }

    /// Rows as one vector; the only one is that of all of them.
    fn side_by_side(&mut self, rows: &[Name], bits: u32) -> Name {
        let width = self.row_width();
        let mut parts: Vec<Name> = (0..LANES / width).map(|row| rows[row % rows.len()].clone()).collect();
        let mut lanes = width;
        while let [a, b, ..] = &parts[..] {
            let _ = (a, b);
            let ty = format!("<{lanes} x i{bits}>");
            let each: Vec<String> = (0..2 * lanes).map(|lane| format!("i32 {lane}")).collect();
            let order = format!("<{} x i32> <{}>", 2 * lanes, each.join(", "));
            let joined = |pair: &[Name]| format!("shufflevector {ty} {}, {ty} {}, {order}", pair[0], pair[1]);
            parts = parts.chunks(2).map(|pair| self.writer.value(joined(pair))).collect();
            lanes *= 2;
        }
        parts.remove(0)
    }

    /// The word of all lanes of a row; a row of which no lane executes the access does not access memory.
    fn load_one_of_row(&mut self, host: &str, first: usize, width: usize, lanes: &str, bits: u32) -> Name {
        let of_row =
            self.writer.value(format!("and i32 {lanes}, {}", (u32::MAX >> (LANES - width)) << first));
        let some = self.writer.value(format!("icmp ne i32 {of_row}, 0"));
        let from = self.writer.value(format!("select i1 {some}, ptr {host}, ptr %frame"));
        self.writer.value(format!("load i{bits}, ptr {from}, align 1"))
    }

    /// The lanes of a row.
    fn row_width(&self) -> usize {
        row_width(self.analysis.cta).map_or(LANES, |width| width as usize)
    }
}

/// The bits by which the number of a lane differs from its turn when lanes store so many bytes, as the interpreter has
/// it (`ops/load_store.rs`).
fn flip(bytes: u64) -> usize {
    match bytes {
        0..=4 => 31,
        5..=8 => 15,
        _ => 7,
    }
}

/// The order in which lanes store so many bytes.
fn turns(bytes: u64) -> String {
    let each: Vec<String> = (0..LANES).map(|turn| format!("i32 {}", turn ^ flip(bytes))).collect();
    format!("<{LANES} x i32> <{}>", each.join(", "))
}
