//! `kernel.ptx` of a launch: the module's text as it was loaded, and after it the launch line, so that the lines of findings are
//! those that the program's findings have.

use std::fmt::Write;

use ptxvm_settings::{Choices, SWITCHES};
use ptxvm_vm::{Module, Parameter};

use super::launch::Launch;
use super::reach::{Memory, Reach};
use crate::options;

/// The switches that decide what a launch computes.
const DECIDING: [&str; 5] = ["seed", "memory-model", "async", "mma", "threads"];

/// Makes the file.
pub fn of(number: u64, launch: &Launch<'_>, reach: &Reach) -> String {
    let (kernel, options) = (launch.kernel, launch.options);
    let mut text = source(kernel.module());
    let (name, device) = (kernel.name(), launch.device.profile().name);
    let mut line = |words: String| {
        // A string takes whatever is written to it.
        let _ = writeln!(text, "{words}");
    };
    line(format!(
        "\n// Launch {number} of `{name}` on {device}, written by `ptxvm exec --save-launch`. `ptxvm run` on this file does it \
         again: memory\n// lies at the addresses that it had, and holds what it held; `--save NAME=FILE` writes what it holds \
         afterwards."
    ));
    for missing in &reach.missing {
        line(format!("// ptxvm: not replayed: {}", missing.replace(['\n', '\r'], " ")));
    }
    let [x, y, z] = options.grid.0;
    let [bx, by, bz] = options.block.0;
    line(format!(
        "// ptxvm: run --device {device} --entry {} --grid {x},{y},{z} --block {bx},{by},{bz}",
        quoted(name)
    ));
    if let Some([x, y, z]) = options.cluster.map(|cluster| cluster.0) {
        line(format!("// ptxvm: run --cluster {x},{y},{z} --nonportable-cluster"));
    }
    if options.shared > 0 {
        line(format!("// ptxvm: run --shared {}", options.shared));
    }
    if options.cooperative {
        line("// ptxvm: run --cooperative".to_owned());
    }
    let choices = Choices { settings: options.settings, ..options::get().choices.clone() };
    for switch in SWITCHES.iter().filter(|switch| DECIDING.contains(&switch.name)) {
        let value = (switch.show)(&choices);
        if value != (switch.show)(&Choices::default()) {
            line(format!("// ptxvm: run --{} {value}", switch.name));
        }
    }
    for (parameter, bytes) in kernel.parameters().iter().zip(launch.parameters) {
        line(format!("// {}", parameter.name));
        line(format!("// ptxvm: run --arg {}", argument(parameter, bytes)));
    }
    for memory in &reach.all {
        line(format!("// {}", memory.allocation));
        line(format!("// ptxvm: run --map '{}'", map(memory)));
    }
    text
}

/// The texts as they were loaded, each with a mark if there are several. Launch lines of their own say nothing any more.
fn source(module: &Module) -> String {
    let source = module.source();
    let mut all = String::with_capacity(source.len() + 4096);
    let mut texts: Vec<(&str, &str)> = Vec::new();
    let starts: Vec<usize> = module.texts().iter().map(|text| text.start as usize).collect();
    for (index, text) in module.texts().iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(source.len());
        // The runtime of ours is linked again by itself.
        if !ptxvm_vm::is_runtime(&text.name) {
            texts.push((&text.name, source.get(starts[index]..end).unwrap_or_default()));
        }
    }
    for (name, text) in &texts {
        if texts.len() > 1 {
            let name = name.replace(['\n', '\r'], " ");
            let _ = writeln!(all, "// ptxvm: text {name}");
        }
        for line in text.trim_end_matches(['\0', '\n']).split('\n') {
            let own = line
                .trim_start()
                .strip_prefix("//")
                .is_some_and(|rest| rest.trim_start_matches('/').trim_start().starts_with("ptxvm:"));
            all.push_str(&if own {
                line.replacen("ptxvm:", "ptxvm;", 1).into()
            } else {
                std::borrow::Cow::from(line)
            });
            all.push('\n');
        }
    }
    all
}

/// A word of the launch line.
fn quoted(word: &str) -> String {
    format!("'{word}'")
}

/// A parameter's value: a number where its type is one of bits or integers, else its bytes.
fn argument(parameter: &Parameter, bytes: &[u8]) -> String {
    let type_name = parameter.ty.name();
    let is_scalar = parameter.size * 8 == u64::from(parameter.ty.bits());
    let unsigned =
        is_scalar && bytes.len() <= 8 && type_name.starts_with(['u', 'b']) && !type_name.starts_with("bf");
    let number = bytes.iter().rev().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    match bytes.len() {
        8 if unsigned && number >> 16 != 0 => format!("{number:#x}"),
        _ if unsigned => number.to_string(),
        _ => bytes.iter().fold("hex:".to_owned(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        }),
    }
}

/// Memory with its contents and its place.
fn map(memory: &Memory) -> String {
    let Memory { name, allocation, short, zero } = memory;
    let (bytes, at) = (allocation.size, allocation.start);
    let contents = match (short, zero) {
        (_, true) => format!("u8[{bytes}]=zeros"),
        (Some(short), _) => {
            let list: Vec<String> = short.iter().map(u8::to_string).collect();
            format!("u8[{bytes}]={}", list.join(","))
        }
        _ => format!("@./{name}.bin"),
    };
    format!("{name}={contents} at {at:#x}")
}
