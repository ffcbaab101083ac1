//! A litmus test in a PTX module: comments say how its kernel is launched and what is asked, and every thread of the launch
//! is a thread of the test.
//!
//! ```text
//! // litmus: grid 2, block 1
//! // litmus: ~exists (P1:%r1 == 1 /\ P1:%r2 == 0)
//! ```
//!
//! The kernel must be small and plain: integers, branches, loads, stores, atomics, fences and barriers, with addresses that
//! do not depend on what memory holds.

mod code;
mod compute;
mod constant;
mod header;
mod manner;
mod memory;
mod operands;
mod thread;
mod unsupported;

use ptxvm_ir::Program;
use ptxvm_syntax::Diagnostic;

use crate::herd::Builder;
use crate::test::Test;
use header::Header;
use memory::Memory;

/// Whether a text says that it is a litmus test in PTX.
#[must_use]
pub fn is_litmus(source: &str) -> bool {
    header::lines(source).next().is_some()
}

/// Reads the litmus test that a module is.
///
/// # Errors
/// What is wrong with the comments, or what the kernel does that a litmus test cannot.
pub fn read(program: &Program, source: &str) -> Result<Test, Vec<Diagnostic>> {
    let header = Header::parse(source).map_err(|error| vec![*error])?;
    let function = header.entry(program).map_err(|error| vec![*error])?;
    let mut builder = Builder::default();
    let mut memory = Memory::default();
    let mut errors = Vec::new();
    for place in header.launch.threads() {
        builder.add_thread(place.name(), place.hierarchy());
        thread::lower(program, function, place, &mut memory, &mut builder, &mut errors);
        if let Err(error) = builder.check_size() {
            return Err(vec![*error]);
        }
        if !errors.is_empty() {
            // The other threads execute the same instructions.
            errors.dedup();
            return Err(errors);
        }
    }
    let question = header.question(source, &builder).map_err(|error| vec![*error])?;
    Ok(Test {
        name: function.name.clone(),
        threads: builder.threads,
        addresses: builder.addresses,
        locations: builder.locations,
        filter: None,
        quantifier: question.0,
        condition: question.1,
    })
}
