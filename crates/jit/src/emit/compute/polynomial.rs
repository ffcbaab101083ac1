//! The special function unit's polynomial and its squarer as vector code.
//!
//! What is computed, and why, says `ptxvm_num::mufu`: each of its functions (`mufu.rs`) looks an entry of a table up and takes
//! the polynomial of what is left of its argument.

use ptxvm_num::mufu;

use super::super::writer::Name;
use super::mufu::{Unit, low};
use crate::outside::{self, Table};

impl Unit<'_> {
    /// The polynomial of a table's entry, of 64 bits.
    pub(super) fn polynomial(
        &mut self,
        polynomial: &mufu::Polynomial,
        table: &Table,
        index: &Name,
        (x, square): (&Name, &Name),
    ) -> Name {
        let [c0, c1, c2] = self.coefficients(table, index).map(|c| self.0.cast("zext", 32, &c, 64));
        let c0 = self.0.with("shl", 64, &c0, polynomial.c0_shift.into());
        let x = self.0.cast("zext", 32, x, 64);
        let c1 = self.0.two("mul", 64, &c1, &x);
        let square = self.0.cast("zext", 32, square, 64);
        let c2 = self.0.two("mul", 64, &c2, &square);
        let op = |negative: bool| if negative { "sub" } else { "add" };
        let sum = self.0.two(op(polynomial.c1_negative), 64, &c0, &c1);
        let sum = self.0.two(op(polynomial.c2_negative), 64, &sum, &c2);
        self.0.with("add", 64, &sum, polynomial.k as u64)
    }

    /// The polynomial of a table's entry without its lowest bits, of which there are more than what is added to c0 has: in
    /// words of 32 bits. That takes less than half of the instructions.
    ///
    /// Nothing here is larger than a word, by the tables: `x` is multiplied in two parts, of which the lower has two bits, and
    /// the sum of all but c0 is taken without its own two lowest.
    pub(super) fn bits_of(
        &mut self,
        polynomial: &mufu::Polynomial,
        table: &Table,
        index: &Name,
        (x, square): (&Name, &Name),
        from: u64,
    ) -> Name {
        if self.0.wide && self.0.avx512 {
            return self.bits_by_factors(polynomial, table, index, (x, square), from);
        }
        let [c0, c1, c2] = self.coefficients(table, index);
        let (upper, lower) = (self.0.with("lshr", 32, x, 2), self.0.with("and", 32, x, 3));
        let upper = self.0.two("mul", 32, &c1, &upper);
        let lower = self.0.two("mul", 32, &c1, &lower);
        let c2 = self.0.two("mul", 32, &c2, square);
        let k = self.number(polynomial.k as u64);
        let op = |negative: bool| if negative { "sub" } else { "add" };
        let sum = self.0.two(op(polynomial.c2_negative), 32, &k, &c2);
        let sum = self.0.two(op(polynomial.c1_negative), 32, &sum, &lower);
        let sum = self.0.with("ashr", 32, &sum, 2);
        let sum = self.0.two(op(polynomial.c1_negative), 32, &sum, &upper);
        self.with_c0(polynomial, &c0, &sum, from)
    }

    /// The same by products of factors of 16 bits, two of which are added in one instruction. What the factor of c1 is less
    /// than c1 is a power of two, which shifts `x`.
    fn bits_by_factors(
        &mut self,
        polynomial: &mufu::Polynomial,
        table: &Table,
        index: &Name,
        (x, square): (&Name, &Name),
        from: u64,
    ) -> Name {
        let (c0, factors) = (self.0.looked_up(table, 0, index), self.0.looked_up(table, 2, index));
        let lower = self.0.with("shl", 32, x, 16);
        let lower = self.0.with("and", 32, &lower, 3 << 16);
        let lower = self.0.two("or", 32, &lower, square);
        let upper = self.0.with("shl", 32, x, 14);
        let upper = self.0.with("and", 32, &upper, 0xffff_0000);
        let k = self.number(polynomial.k as u64);
        let sum = self.0.products_of_halves(&factors, &lower);
        let sum = self.0.two("add", 32, &k, &sum);
        let sum = self.0.with("ashr", 32, &sum, 2);
        let more = self.0.products_of_halves(&factors, &upper);
        let sum = self.0.two("add", 32, &sum, &more);
        let rest = self.0.with("shl", 32, x, u64::from(table.less_by) - 2);
        let sum = self.0.two(if polynomial.c1_negative { "sub" } else { "add" }, 32, &sum, &rest);
        self.with_c0(polynomial, &c0, &sum, from)
    }

    /// The sum of a polynomial without c0 and without its own two lowest bits becomes all of it.
    fn with_c0(&mut self, polynomial: &mufu::Polynomial, c0: &Name, sum: &Name, from: u64) -> Name {
        // What only grows may have all 32 bits.
        let shift = if polynomial.c1_negative { "ashr" } else { "lshr" };
        let c0_shift = u64::from(polynomial.c0_shift);
        let sum = self.0.with(shift, 32, sum, c0_shift - 2);
        let sum = self.0.two("add", 32, c0, &sum);
        self.0.with("lshr", 32, &sum, from - c0_shift)
    }

    /// The coefficients of a table's entry; bits of the index beyond the table do not count.
    fn coefficients(&mut self, table: &Table, index: &Name) -> [Name; 3] {
        let c0 = self.0.looked_up(table, 0, index);
        let both = self.0.looked_up(table, 1, index);
        let c1 = self.0.with("and", 32, &both, low(outside::C1_BITS.into()));
        [c0, c1, self.0.with("lshr", 32, &both, outside::C1_BITS.into())]
    }

    /// The unit's squarer. It does not look at the lowest bit: what it does look at fits 16 bits, twice as many of which fit a
    /// vector.
    pub(super) fn square(&mut self, x: &Name) -> Name {
        let x = self.0.with("lshr", 32, x, 1);
        if self.0.wide && self.0.vbmi {
            return self.0.square_by_bytes(&x);
        }
        let x = self.0.cast("trunc", 32, &x, 16);
        let upper = self.0.with("lshr", 16, &x, 8);
        let (a, c) = (self.0.with("lshr", 16, &x, 12), self.0.with("lshr", 16, &x, 4));
        let c = self.0.with("and", 16, &c, 0xf);
        let mut cross = self.0.two("mul", 16, &a, &c);
        // A bit of the upper half, and the highest bits of some of the lower one that it adds.
        for (bit, from, bits) in [(13, 3, 1), (14, 2, 2), (15, 1, 3), (9, 7, 1), (10, 6, 2), (11, 5, 3)] {
            let set = self.0.with("and", 16, &x, 1 << bit);
            let set = self.0.is("ne", 16, &set, 0);
            let value = self.0.with("lshr", 16, &x, from);
            let value = self.0.with("and", 16, &value, low(bits));
            let zero = self.0.constant(16, 0);
            let value = self.0.select(&set, 16, &value, &zero);
            cross = self.0.two("add", 16, &cross, &value);
        }
        let square = self.0.two("mul", 16, &upper, &upper);
        let square = self.0.with("lshr", 16, &square, 1);
        let sum = self.0.two("add", 16, &square, &cross);
        self.0.cast("zext", 16, &sum, 32)
    }
}
