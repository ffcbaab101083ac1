//! What code uses outside itself: functions and tables of this process, which it knows by their names. Only the linker
//! knows where they lie.
//!
//! Addresses are others in each process: a text with an address in it is the text of no other process, and code that is kept
//! for it would never be found again ([`crate::cache`]).

use std::ffi::c_void;

use ptxvm_machine::schedule::compiled::callable;
use ptxvm_num::mufu;

use crate::doubles::take_steps;

/// A table of this process.
pub struct Table {
    name: &'static str,
    /// Where it lies, and how many bytes it has.
    lies: fn() -> (*const c_void, usize),
}

fn of<T>(entries: &'static [T]) -> (*const c_void, usize) {
    (entries.as_ptr().cast(), size_of_val(entries))
}

pub static RCP: Table = Table { name: "table_rcp", lies: || of(&mufu::RCP_TABLE) };
pub static RSQRT: Table = Table { name: "table_rsqrt", lies: || of(&mufu::RSQRT_TABLE) };
pub static SQRT: Table = Table { name: "table_sqrt", lies: || of(&mufu::SQRT_TABLE) };
pub static EX2: Table = Table { name: "table_ex2", lies: || of(&mufu::EX2_TABLE) };
pub static LG2: Table = Table { name: "table_lg2", lies: || of(&mufu::LG2_TABLE) };
pub static SIN: Table = Table { name: "table_sin", lies: || of(&mufu::SIN_TABLE) };
pub static TANH: Table = Table { name: "table_tanh", lies: || of(&mufu::TANH_TABLE) };
pub static BINADES: Table = Table { name: "table_binades", lies: || of(&mufu::BINADES) };

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
