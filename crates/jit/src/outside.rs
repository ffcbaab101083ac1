//! What code uses outside itself: functions and tables of this process, which it knows by their names. Only the linker
//! knows where they lie.
//!
//! Addresses are others in each process: a text with an address in it is the text of no other process, and code that is kept
//! for it would never be found again ([`crate::cache`]).

use std::ffi::c_void;

use ptxvm_machine::schedule::compiled::callable;
use ptxvm_num::mufu;

use crate::doubles::take_steps;

/// A table of this process: some columns of words, each with as many entries, which are a power of two.
pub struct Table {
    name: &'static str,
    pub entries: usize,
    /// The power of two by which the factor of c1 is less than c1.
    pub less_by: u32,
    /// Where it lies, and how many bytes it has.
    lies: fn() -> (*const c_void, usize),
}

fn of<T>(columns: &'static [T]) -> (*const c_void, usize) {
    (columns.as_ptr().cast(), size_of_val(columns))
}

/// How many bits of the second column are c1; the others are c2.
pub const C1_BITS: u32 = 17;

/// A table of the special function unit in three columns: c0, c1 with c2, and these two as factors of 16 bits, c2 in the
/// lower half. What its polynomial shifts c2 by is done here.
/// The entries for odd exponents are the first of a root, since the lowest bit of their biased exponents is zero, and what
/// counts twice in them is doubled.
///
/// A factor has the sign with which it counts. That of c1 is less by a power of two, so that it fits.
const fn columns<const N: usize>(
    table: &[u64; N],
    polynomial: &mufu::Polynomial,
    (first, doubled): (usize, usize),
) -> [[u32; N]; 3] {
    let mut columns = [[0; N]; 3];
    let mut at = 0;
    while at < N {
        let entry = table[at ^ first];
        let c1 = (entry >> 32 & 0xffff) as u32;
        let c2 = ((entry >> 48) as u32) << polynomial.c2_shift;
        assert!(c2 >> (u32::BITS - C1_BITS) == 0);
        columns[0][at] = entry as u32;
        let c1 = c1 << (at < doubled) as u32;
        columns[1][at] = c1 | c2 << C1_BITS;
        let less = c1 as i32 - (1 << less_by(doubled));
        let factor = if polynomial.c1_negative { -less } else { less };
        assert!(factor == factor as i16 as i32);
        let c2 = if polynomial.c2_negative { -(c2 as i32) } else { c2 as i32 };
        columns[2][at] = (factor as u32) << 16 | c2 as u32 & 0xffff;
        at += 1;
    }
    columns
}

/// By which power of two the factor of c1 is less than c1.
const fn less_by(doubled: usize) -> u32 {
    if doubled > 0 { 16 } else { 15 }
}

static RCP_COLUMNS: [[u32; 128]; 3] = columns(&mufu::RCP_TABLE, &mufu::RCP, (0, 0));
static RSQRT_COLUMNS: [[u32; 128]; 3] = columns(&mufu::RSQRT_TABLE, &mufu::RSQRT, (64, 0));
static SQRT_COLUMNS: [[u32; 128]; 3] = columns(&mufu::SQRT_TABLE, &mufu::SQRT, (64, 64));
static EX2_COLUMNS: [[u32; 64]; 3] = columns(&mufu::EX2_TABLE, &mufu::EX2, (0, 0));
static LG2_COLUMNS: [[u32; 64]; 3] = columns(&mufu::LG2_TABLE, &mufu::LG2, (0, 0));
static SIN_COLUMNS: [[u32; 64]; 3] = columns(&mufu::SIN_TABLE, &mufu::SIN, (0, 0));
static TANH_COLUMNS: [[u32; 64]; 3] = columns(&mufu::TANH_TABLE, &mufu::TANH, (0, 0));

pub static RCP: Table =
    Table { name: "table_rcp", entries: 128, less_by: less_by(0), lies: || of(&RCP_COLUMNS) };
pub static RSQRT: Table =
    Table { name: "table_rsqrt", entries: 128, less_by: less_by(0), lies: || of(&RSQRT_COLUMNS) };
pub static SQRT: Table =
    Table { name: "table_sqrt", entries: 128, less_by: less_by(64), lies: || of(&SQRT_COLUMNS) };
pub static EX2: Table =
    Table { name: "table_ex2", entries: 64, less_by: less_by(0), lies: || of(&EX2_COLUMNS) };
pub static LG2: Table =
    Table { name: "table_lg2", entries: 64, less_by: less_by(0), lies: || of(&LG2_COLUMNS) };
pub static SIN: Table =
    Table { name: "table_sin", entries: 64, less_by: less_by(0), lies: || of(&SIN_COLUMNS) };
pub static TANH: Table =
    Table { name: "table_tanh", entries: 64, less_by: less_by(0), lies: || of(&TANH_COLUMNS) };
pub static BINADES: Table =
    Table { name: "table_binades", entries: 16, less_by: less_by(0), lies: || of(&mufu::BINADES) };

static TABLES: [&Table; 8] = [&RCP, &RSQRT, &SQRT, &EX2, &LG2, &SIN, &TANH, &BINADES];

impl Table {
    /// Its name in LLVM IR, and the line that a module with it needs.
    pub fn named(&self) -> (String, String) {
        let (name, (_, bytes)) = (self.name, (self.lies)());
        (format!("@{name}"), format!("@{name} = external constant [{bytes} x i8]"))
    }
}

/// All that code may use, with where it lies.
pub fn symbols() -> Vec<(&'static str, *const c_void)> {
    // What code generation itself may call.
    let filling: [(&str, *const c_void); 3] = [
        ("memset", libc::memset as *const _),
        ("memcpy", libc::memcpy as *const _),
        ("memmove", libc::memmove as *const _),
    ];
    let doubles = ("ptxvm_doubles", take_steps as *const c_void);
    let tables = TABLES.iter().map(|table| (table.name, (table.lies)().0));
    callable().into_iter().chain(filling).chain([doubles]).chain(tables).collect()
}
