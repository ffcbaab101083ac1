//! Runs a kernel from its text on a device of its own: what the tests of this crate stand on.

use std::sync::{Arc, Mutex};

use ptxvm_ir::{FunctionId, Home, Program, RelocationTarget, Space};
use ptxvm_isa::ISA;
use ptxvm_machine::{
    Addresses, Environment, Finding, Kernel, Kind, Launch, Settings, Stop, function_address,
};
use ptxvm_memory::{AllocationKind, GlobalMemory};
use ptxvm_module::Options;
use ptxvm_profile::Profile;
use ptxvm_syntax::{Interner, Severity};
use ptxvm_texture::Objects;

/// What is passed for a parameter.
#[allow(dead_code, reason = "not every test crate passes all kinds")]
pub enum Argument {
    /// A 32-bit value.
    U32(u32),
    /// A 64-bit value.
    U64(u64),
    /// A buffer with these bytes; its address is passed.
    Buffer(Vec<u8>),
}

/// A buffer of 32-bit words.
pub fn words(words: &[u32]) -> Argument {
    Argument::Buffer(words.iter().flat_map(|w| w.to_le_bytes()).collect())
}

/// A buffer of 64-bit words.
pub fn longs(longs: &[u64]) -> Argument {
    Argument::Buffer(longs.iter().flat_map(|w| w.to_le_bytes()).collect())
}

/// What a kernel left.
#[derive(Debug)]
pub struct Outcome {
    /// The buffers, in the order of the arguments.
    pub buffers: Vec<Vec<u8>>,
    /// What it printed, call by call.
    pub printed: Vec<String>,
}

impl Outcome {
    /// A buffer as 32-bit words.
    pub fn words(&self, buffer: usize) -> Vec<u32> {
        let (chunks, _) = self.buffers[buffer].as_chunks::<4>();
        chunks.iter().map(|c| u32::from_le_bytes(*c)).collect()
    }

    /// A buffer as 64-bit words.
    pub fn longs(&self, buffer: usize) -> Vec<u64> {
        let (chunks, _) = self.buffers[buffer].as_chunks::<8>();
        chunks.iter().map(|c| u64::from_le_bytes(*c)).collect()
    }
}

/// Runs an entry on one host thread.
pub fn run_ptx(
    source: &str,
    entry: &str,
    grid: u32,
    block: u32,
    arguments: &[Argument],
    shared: u32,
) -> Result<Outcome, Stop> {
    run_on(1, source, entry, grid, block, arguments, shared)
}

/// Runs an entry on some host threads. A kernel that does not end in time stops with a limit.
pub fn run_on(
    threads: usize,
    source: &str,
    entry: &str,
    grid: u32,
    block: u32,
    arguments: &[Argument],
    shared: u32,
) -> Result<Outcome, Stop> {
    let program = Arc::new(lower(source));
    let memory = GlobalMemory::new(1 << 30);
    let addresses = place(&program, &memory);
    let index = program.functions.iter().position(|f| f.entry && f.name == entry).expect("the entry");
    let function = &program.functions[index];
    let mut parameters = vec![0; function.parameter_bytes as usize];
    let mut buffers = Vec::new();
    for (parameter, argument) in function.parameters.iter().zip(arguments) {
        let value = match argument {
            Argument::U32(value) => u64::from(*value),
            Argument::U64(value) => *value,
            Argument::Buffer(bytes) => {
                let address =
                    memory.allocate(bytes.len() as u64, 256, AllocationKind::Device, None).expect("memory");
                memory.write(address, bytes).expect("just allocated");
                buffers.push((address, bytes.len()));
                address
            }
        };
        let Some(Home::Variable(variable)) = parameter.home else {
            panic!("an entry's parameter is in memory")
        };
        let at = program.variables[variable.0 as usize].offset as usize;
        let size = parameter.size as usize;
        parameters[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
    }
    let kernel = Kernel::link(program.clone(), FunctionId(index as u32), &addresses);
    let printed = Mutex::new(Vec::new());
    let print = |text: &[u8]| {
        let text = String::from_utf8_lossy(text).into_owned();
        printed.lock().expect("nobody panics while printing").push(text);
    };
    let environment = Environment {
        memory: &memory,
        objects: &Objects::default(),
        profile: <&Profile>::default(),
        print: &print,
        set_conditional: None,
        on_event: None,
    };
    let launch = Launch {
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        shared,
        parameters,
        settings: Settings {
            threads,
            max_instructions: Some(50_000_000),
            statistics: true,
            ..Settings::default()
        },
        ..Launch::default()
    };
    ptxvm_machine::run(&kernel, &launch, &environment)?;
    let read = |(address, length): (u64, usize)| {
        let mut bytes = vec![0; length];
        memory.read(address, &mut bytes).expect("the buffer lives");
        bytes
    };
    let buffers = buffers.into_iter().map(read).collect();
    Ok(Outcome { buffers, printed: printed.into_inner().expect("nobody panics while printing") })
}

/// The finding that a kernel must end with.
pub fn finding(outcome: Result<Outcome, Stop>, kind: Kind) -> Finding {
    match outcome {
        Err(Stop::Finding(finding)) => {
            assert_eq!(finding.kind, kind, "{finding:?}");
            *finding
        }
        other => panic!("a finding of the kind {} was expected, not {other:?}", kind.name()),
    }
}

fn lower(source: &str) -> Program {
    let parsed = ptxvm_syntax::parse(source, &Interner::with_words(ISA.words));
    let checked = ptxvm_module::check(&parsed.file, source, &ISA, &Options::default());
    let all = parsed.diagnostics.iter().chain(&checked.diagnostics);
    let errors: Vec<_> = all.filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{source}");
    ptxvm_ir::lower(&parsed.file, source, &checked.module, &ISA).unwrap_or_else(|p| panic!("{p:?}\n{source}"))
}

/// Gives the variables of a program their addresses and initial bytes.
fn place(program: &Program, memory: &GlobalMemory) -> Addresses {
    let mut addresses = Addresses { variables: vec![0; program.variables.len()] };
    for (variable, address) in program.variables.iter().zip(&mut addresses.variables) {
        let kind = match variable.space {
            Space::Global => AllocationKind::Variable,
            Space::Const => AllocationKind::Constant,
            _ => continue,
        };
        let name = Some(variable.name.clone());
        *address = memory.allocate(variable.size, u64::from(variable.align), kind, name).expect("memory");
    }
    for (variable, address) in program.variables.iter().zip(&addresses.variables) {
        let mut bytes = variable.initial.clone();
        for relocation in &variable.relocations {
            let target = match relocation.target {
                RelocationTarget::Function(function) => function_address(function),
                RelocationTarget::Variable(variable) => addresses.variables[variable.0 as usize],
            };
            let value = target.wrapping_add_signed(relocation.addend) >> relocation.shift;
            let (at, length) = (relocation.at as usize, usize::from(relocation.bytes));
            bytes.resize(bytes.len().max(at + length), 0);
            bytes[at..at + length].copy_from_slice(&value.to_le_bytes()[..length]);
        }
        if !bytes.is_empty() && *address != 0 {
            memory.write(*address, &bytes).expect("just allocated");
        }
    }
    addresses
}

/// A kernel with a header, the parameters `a` and `b` in `%a` and `%b`, the thread's number in `%t`, and registers
/// of every kind.
pub fn kernel(body: &str) -> String {
    format!(
        ".version 9.1\n.target sm_90a\n.address_size 64\n\
         .visible .entry k(.param .u64 a, .param .u64 b)\n{{\n\
         .reg .b64 %a, %b, %x<16>; .reg .b32 %t, %r<32>; .reg .b16 %h<32>; .reg .f32 %f<16>; .reg .f64 %g<8>;\n\
         .reg .b128 %q<8>; .reg .pred %p<16>;\n\
         ld.param.u64 %a, [a]; ld.param.u64 %b, [b];\n\
         mov.u32 %r30, %ctaid.x; mov.u32 %r31, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %t, %r30, %r31, %t;\n\
         {body}\nret;\n}}\n"
    )
}
