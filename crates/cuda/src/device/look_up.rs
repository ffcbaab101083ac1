//! The entry points that look up other entry points: `cuGetProcAddress` and the driver's private tables.

use std::fmt::Write as _;
use std::sync::Once;

use crate::abi::{Answer, CUresult, In, Out, Text};
use crate::driver;
use crate::entry::entry;
use crate::proc_address::{Found, find};
use crate::report;

/// `CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM`
const PER_THREAD: u64 = 2;
/// All flags that there are: the legacy and the per-thread default stream.
const FLAGS: u64 = 3;

/// `CUdriverProcAddressQueryResult`
const FOUND: u32 = 0;
const UNKNOWN: u32 = 1;
const TOO_NEW: u32 = 2;

/// The table that libcudart asks for first (seen with 13.4).
const RUNTIME_TABLE: [u8; 16] = 0xf8cf_f951_2146_8b4e_b9e2_fb46_9e7c_0dd9_u128.to_be_bytes();

entry! {
    fn cuGetProcAddress(name: Text, function: Out<usize>, version: i32, flags: u64) {
        match look_up(name, function, version, flags)? {
            Found::Function(address) => function.set(address),
            Found::TooNew | Found::Unknown => Err(CUresult::NOT_FOUND),
        }
    }

    fn cuGetProcAddress_v2(name: Text, function: Out<usize>, version: i32, flags: u64, status: Out<u32>) {
        let (address, said) = match look_up(name, function, version, flags)? {
            Found::Function(address) => (address, FOUND),
            Found::TooNew => (0, TOO_NEW),
            Found::Unknown => (0, UNKNOWN),
        };
        status.offer(said);
        function.set(address)
    }

    fn cuGetExportTable(_table: Out<usize>, id: In<[u8; 16]>) {
        static SAID: Once = Once::new();
        let id = id.get()?;
        // Other programs ask for tables that they can do without.
        if id == RUNTIME_TABLE {
            SAID.call_once(|| report::no_export_table(&hexadecimal(&id)));
        }
        Err(CUresult::NOT_FOUND)
    }
}

fn look_up(name: Text, function: Out<usize>, version: i32, flags: u64) -> Answer<Found> {
    let name = name.get()?;
    if function.is_null() || flags > FLAGS || version > driver::VERSION {
        return Err(CUresult::INVALID_VALUE);
    }
    Ok(find(&name, version, flags == PER_THREAD))
}

fn hexadecimal(id: &[u8]) -> String {
    id.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
