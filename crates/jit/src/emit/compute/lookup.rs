//! Words of a table, each lane's by its own number.
//!
//! Where the host has AVX-512, a table of up to 128 words is looked up in registers, by permutes: a gather of 16 words takes as
//! long as loading them one after the other, and on some processors several times that.

use super::super::writer::{LANES, Name, Writer};
use crate::outside::Table;

/// The words of one register.
const REGISTER: usize = 16;

impl Writer {
    /// The word of a column of a table that the low bits of an index say.
    pub fn looked_up(&mut self, table: &Table, column: usize, index: &Name) -> Name {
        let (name, declaration) = table.named();
        self.declare(declaration);
        let first = column * table.entries * size_of::<u32>();
        let column = self.value(format!("getelementptr i8, ptr {name}, i64 {first}"));
        if self.wide && self.avx512 {
            return self.permuted(table.entries, &column, index);
        }
        let index = self.with("and", 32, index, table.entries as u64 - 1);
        let index = self.cast("zext", 32, &index, 64);
        if !self.wide {
            let at = self.value(format!("getelementptr i32, ptr {column}, i64 {index}"));
            return self.value(format!("load i32, ptr {at}"));
        }
        let all = self.all_true();
        let at = self.value(format!("getelementptr i32, ptr {column}, <{LANES} x i64> {index}"));
        self.gather(&at, 32, &all, "poison")
    }

    /// The words of a column, by permutes: each takes one of two registers by five bits of the index. The bits above say which
    /// permute counts.
    fn permuted(&mut self, entries: usize, column: &str, index: &str) -> Name {
        let ty = format!("<{REGISTER} x i32>");
        let registers: Vec<Name> = (0..entries)
            .step_by(REGISTER)
            .map(|first| {
                let at = self.value(format!("getelementptr i32, ptr {column}, i64 {first}"));
                self.value(format!("load {ty}, ptr {at}, align 4"))
            })
            .collect();
        self.by_registers(("i32", 32), "i32", &[index], |writer, ty, index| {
            let found: Vec<Name> =
                registers.chunks(2).map(|pair| writer.permute(pair, &index[0], ty)).collect();
            writer.chosen(found, &index[0], ty)
        })
    }

    fn permute(&mut self, pair: &[Name], index: &Name, ty: &str) -> Name {
        match pair {
            [one] => self.call("llvm.x86.avx512.permvar.si.512", ty, ty, &[one, index]),
            [low, high, ..] => self.call("llvm.x86.avx512.vpermi2var.d.512", ty, ty, &[low, index, high]),
            [] => "poison".to_owned(),
        }
    }

    /// Which of some words the bits of an index from the sixth on say, lane by lane.
    fn chosen(&mut self, mut found: Vec<Name>, index: &str, ty: &str) -> Name {
        let splat = |value: usize| format!("<{}>", vec![format!("i32 {value}"); REGISTER].join(", "));
        let mut bit = 2 * REGISTER;
        while found.len() > 1 {
            let set = self.value(format!("and {ty} {index}, {}", splat(bit)));
            let is = self.value(format!("icmp ne {ty} {set}, zeroinitializer"));
            let choose = |writer: &mut Self, pair: &[Name]| match pair {
                [low, high] => {
                    writer.value(format!("select <{REGISTER} x i1> {is}, {ty} {high}, {ty} {low}"))
                }
                _ => pair.concat(),
            };
            found = found.chunks(2).map(|pair| choose(self, pair)).collect();
            bit *= 2;
        }
        found.pop().unwrap_or_else(|| "poison".to_owned())
    }
}
