//! One word for each row of a warp: where a CTA is narrow, the lanes of a row often load the same.

use super::Emitter;
use super::writer::{LANES, Name};

impl Emitter<'_> {
    /// The word of all lanes of a row; a row of which no lane executes the access does not access memory.
    pub(super) fn load_one_of_row(
        &mut self,
        host: &str,
        first: usize,
        width: usize,
        lanes: &str,
        bits: u32,
    ) -> Name {
        let from = self.place_of_row(host, first, width, lanes);
        self.writer.value(format!("load i{bits}, ptr {from}, align 1"))
    }

    /// Where a row accesses memory, or if none of its lanes does, a place that is there.
    fn place_of_row(&mut self, host: &str, first: usize, width: usize, lanes: &str) -> Name {
        let of_row =
            self.writer.value(format!("and i32 {lanes}, {}", (u32::MAX >> (LANES - width)) << first));
        let some = self.writer.value(format!("icmp ne i32 {of_row}, 0"));
        self.writer.value(format!("select i1 {some}, ptr {host}, ptr %frame"))
    }

    /// A word for each row, some bytes beyond a place, in all its lanes. As numbers of floating point LLVM loads them into all
    /// lanes at once, also as part of an instruction that uses them; a volatile load is one load whoever uses it.
    pub(super) fn load_of_rows(&mut self, hosts: &[Name], more: i64, lanes: &str, bits: u32) -> Name {
        let (width, float) = (LANES / hosts.len(), if bits == 32 { "float" } else { "double" });
        let ty = format!("<{} x {float}>", hosts.len());
        let mut few = "poison".to_owned();
        for (row, host) in hosts.iter().enumerate() {
            let at = self.beyond(host, more);
            let from = self.place_of_row(&at, row * width, width, lanes);
            let word = self.writer.value(format!("load volatile {float}, ptr {from}, align 1"));
            few = self.writer.value(format!("insertelement {ty} {few}, {float} {word}, i64 {row}"));
        }
        let each: Vec<String> = (0..LANES).map(|lane| format!("i32 {}", lane / width)).collect();
        let order = format!("<{LANES} x i32> <{}>", each.join(", "));
        let all = self.writer.value(format!("shufflevector {ty} {few}, {ty} poison, {order}"));
        self.writer.value(format!("bitcast <{LANES} x {float}> {all} to <{LANES} x i{bits}>"))
    }
}
