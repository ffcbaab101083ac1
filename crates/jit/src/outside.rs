//! What code uses outside itself: functions and tables of this process, which it knows by their names. Only the linker
//! knows where they lie.
//!
//! `emit` writes the addresses of tables, which are others in each process: a text with an address in it is the text of no
//! other process, and code that is kept for it would never be found again ([`crate::cache`]). So they get their names here.

use std::ffi::c_void;

use ptxvm_machine::schedule::compiled::callable;
use ptxvm_num::mufu;

/// A table of this process.
struct Table {
    name: &'static str,
    address: *const c_void,
    bytes: usize,
}

fn table<T>(name: &'static str, entries: &'static [T]) -> Table {
    Table { name, address: entries.as_ptr().cast(), bytes: size_of_val(entries) }
}

fn tables() -> [Table; 8] {
    [
        table("table_rcp", &mufu::RCP_TABLE),
        table("table_rsqrt", &mufu::RSQRT_TABLE),
        table("table_sqrt", &mufu::SQRT_TABLE),
        table("table_ex2", &mufu::EX2_TABLE),
        table("table_lg2", &mufu::LG2_TABLE),
        table("table_sin", &mufu::SIN_TABLE),
        table("table_tanh", &mufu::TANH_TABLE),
        table("table_binades", &mufu::BINADES),
    ]
}

/// A module that has names in the place of addresses, and declares them.
pub fn named(mut text: String) -> String {
    for Table { name, address, bytes } in tables() {
        let written = format!("inttoptr (i64 {} to ptr)", address.addr());
        if text.contains(&written) {
            text = text.replace(&written, &format!("@{name}"));
            text.push_str(&format!("@{name} = external constant [{bytes} x i8]\n"));
        }
    }
    text
}

/// All that code may use, with where it lies.
pub fn symbols() -> Vec<(&'static str, *const c_void)> {
    // What code generation itself may call.
    let filling: [(&str, *const c_void); 3] = [
        ("memset", libc::memset as *const _),
        ("memcpy", libc::memcpy as *const _),
        ("memmove", libc::memmove as *const _),
    ];
    let tables = tables().into_iter().map(|table| (table.name, table.address));
    callable().into_iter().chain(filling).chain(tables).collect()
}
