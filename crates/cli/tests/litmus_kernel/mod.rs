//! Litmus tests in herd's format as kernels: each thread is the first lane of a warp, and begins after a delay.

use std::collections::BTreeSet;

/// A test as a kernel.
pub struct Kernel {
    pub source: String,
    pub grid: usize,
    pub warps: usize,
    pub cluster: usize,
    pub locations: Vec<String>,
    /// By thread: the names of its registers.
    pub registers: Vec<Vec<String>>,
}

/// The registers of a thread that are kept, at most.
pub const KEPT: usize = 8;

/// The kernel of a test; `None` if it uses what this does not translate.
pub fn translate(text: &str) -> Option<Kernel> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let head = lines.iter().position(|line| line.trim_start().starts_with("P0@"))?;
    let initial = lines[..head].concat();
    let (_, initial) = initial.split_once('{')?;
    let mut locations = Vec::new();
    for part in initial.trim_end().trim_end_matches('}').split(';').map(str::trim).filter(|p| !p.is_empty()) {
        let (name, value) = part.split_once('=')?;
        (value.trim() == "0").then_some(())?;
        // Registers begin with zero anyway.
        if !name.contains(':') {
            locations.push(name.trim().to_owned());
        }
    }
    let cells = |line: &str| -> Vec<String> {
        line.trim().trim_end_matches(';').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut places = Vec::new();
    for cell in cells(lines[head]) {
        let (_, place) = cell.split_once('@')?;
        let part = |word: &str| {
            place.split(',').find_map(|part| part.trim().strip_prefix(word)?.trim().parse::<usize>().ok())
        };
        (part("gpu")? == 0).then_some(())?;
        places.push((part("cta")?, part("cluster")));
    }
    let body = lines[head + 1..].iter().take_while(|line| line.trim_end().ends_with(';'));
    let mut code = vec![Vec::new(); places.len()];
    for line in body {
        for (thread, cell) in cells(line).into_iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
            code.get_mut(thread)?.push(cell);
        }
    }
    let grid = places.iter().map(|place| place.0).max()? + 1;
    let clusters: BTreeSet<_> = places.iter().filter_map(|place| place.1).collect();
    let cluster = if clusters.is_empty() { 1 } else { grid.div_ceil(clusters.len()) };
    if cluster > 1 && places.iter().any(|place| place.1 != Some(place.0 / cluster)) {
        return None;
    }
    let grid = grid.next_multiple_of(cluster);
    let mut registers = vec![Vec::new(); places.len()];
    let (mut bodies, mut in_cta) = (String::new(), vec![0; grid]);
    let mut choice = String::new();
    for (thread, instructions) in code.iter().enumerate() {
        let cta = places[thread].0;
        let warp = in_cta[cta];
        in_cta[cta] += 1;
        choice += &format!(
            "    setp.eq.u32 %p, %c, {cta};\n    setp.eq.and.u32 %p, %w, {warp}, %p;\n    @%p bra P{thread};\n"
        );
        bodies += &format!("P{thread}:\n    ld.global.u32 %d, [%delay+{}];\nD{thread}:\n", thread * 4);
        bodies += "    sub.s32 %d, %d, 1;\n    setp.gt.s32 %p, %d, 0;\n";
        bodies += &format!("    @%p bra D{thread};\n");
        for instruction in instructions {
            let text = line(instruction, thread, &locations, &mut registers[thread])?;
            bodies += &format!("    {text}\n");
        }
        for (number, register) in registers[thread].iter().enumerate() {
            let at = (thread * KEPT + number) * 4;
            bodies += &format!("    st.global.u32 [%out+{at}], %t{thread}_{register};\n");
        }
        (registers[thread].len() <= KEPT).then_some(())?;
        bodies += "    bra END;\n";
    }
    let mut declared = String::new();
    let mut cleared = String::new();
    for (thread, names) in registers.iter().enumerate() {
        for name in names {
            declared += &format!("    .reg .b32 %t{thread}_{name};\n");
            cleared += &format!("    mov.b32 %t{thread}_{name}, 0;\n");
        }
    }
    let source = format!(
        ".version 9.1\n.target sm_90a\n.address_size 64\n\
         .visible .entry k(.param .u64 memory, .param .u64 out, .param .u64 delay)\n{{\n\
         \x20   .reg .pred %p;\n    .reg .b32 %c, %w, %d;\n    .reg .b64 %memory, %out, %delay;\n{declared}\
         \x20   ld.param.u64 %memory, [memory];\n    ld.param.u64 %out, [out];\n    ld.param.u64 %delay, [delay];\n\
         {cleared}    mov.u32 %c, %ctaid.x;\n    mov.u32 %w, %tid.x;\n    and.b32 %d, %w, 31;\n\
         \x20   setp.ne.u32 %p, %d, 0;\n    @%p exit;\n    shr.u32 %w, %w, 5;\n{choice}    bra END;\n{bodies}END:\n    ret;\n}}\n"
    );
    let warps = in_cta.into_iter().max()?.max(1);
    Some(Kernel { source, grid, warps, cluster, locations, registers })
}

/// An instruction of a test as one of PTX; `None` if this does not translate it.
fn line(text: &str, thread: usize, locations: &[String], registers: &mut Vec<String>) -> Option<String> {
    if let Some(label) = text.strip_suffix(':') {
        return Some(format!("P{thread}_{label}:"));
    }
    let (opcode, rest) = text.split_once(' ').unwrap_or((text, ""));
    let operands: Vec<&str> = rest.split(',').map(str::trim).filter(|operand| !operand.is_empty()).collect();
    let at = |name: &str| {
        let name = name.trim_start_matches('[').trim_end_matches(']');
        let place = locations.iter().position(|location| location == name)?;
        Some(format!("[%memory+{}]", place * 256))
    };
    let is_register = |name: &str| name.starts_with('r') && name[1..].parse::<u32>().is_ok();
    let mut register = |name: &str| {
        is_register(name).then(|| {
            if !registers.iter().any(|known| known == name) {
                registers.push(name.to_owned());
            }
            format!("%t{thread}_{name}")
        })
    };
    let first = opcode.split('.').next()?;
    // Each thread is the first lane of a warp, and the others of it count at barriers too.
    let threads_of = |count: &str| Some(count.parse::<u32>().ok()? * 32);
    match (first, &operands[..]) {
        ("goto", [label]) => Some(format!("bra P{thread}_{label};")),
        ("beq" | "bne" | "blt" | "ble" | "bgt" | "bge", [a, b, label]) => {
            let (comparison, a) = (&first[1..], register(a)?);
            let b = register(b).or_else(|| Some(b.parse::<u32>().ok()?.to_string()))?;
            Some(format!("setp.{comparison}.u32 %p, {a}, {b}; @%p bra P{thread}_{label};"))
        }
        ("ld" | "mov", [to, from]) if opcode == first && at(from).is_none() => {
            let from = register(from).or_else(|| Some(from.parse::<u32>().ok()?.to_string()))?;
            Some(format!("mov.b32 {}, {from};", register(to)?))
        }
        // Dat3M's begins with a number that tells barriers of the same name apart.
        ("bar", [_, barrier, count]) if opcode.starts_with("bar.cta") => {
            let kind = opcode.rsplit('.').next()?;
            Some(format!("barrier.{kind} {barrier}, {};", threads_of(count)?))
        }
        ("bar", [barrier]) if opcode == "bar.sync" => Some(format!("barrier.sync {barrier};")),
        ("bar", [barrier, count]) if matches!(opcode, "bar.sync" | "bar.arrive") => {
            Some(format!("barrier.{} {barrier}, {};", &opcode[4..], threads_of(count)?))
        }
        ("ld", [to, from]) => {
            let (to, from) = (register(to)?, at(from)?);
            Some(format!("{opcode}.global.u32 {to}, {from};"))
        }
        ("st", [to, value]) => {
            let value =
                register(value).or_else(|| value.parse::<u32>().ok().map(|value| value.to_string()))?;
            Some(format!("{opcode}.global.u32 {}, {value};", at(to)?))
        }
        // PTX has no `red` that acquires.
        ("red", [..]) if opcode.contains(".ac") => None,
        ("atom" | "red", [..]) => {
            let (how, function) = opcode.rsplit_once('.')?;
            let ty = if function == "add" { "u32" } else { "b32" };
            let (to, rest) = match first {
                "atom" => (format!("{}, ", register(operands.first()?)?), &operands[1..]),
                _ => (String::new(), &operands[..]),
            };
            let (place, values) = rest.split_first()?;
            let values: Option<Vec<String>> = values
                .iter()
                .map(|value| register(value).or_else(|| Some(value.parse::<u32>().ok()?.to_string())))
                .collect();
            Some(format!("{how}.global.{function}.{ty} {to}{}, {};", at(place)?, values?.join(", ")))
        }
        ("fence" | "membar", []) if !opcode.contains("proxy") => Some(format!("{opcode};")),
        ("barrier", []) if opcode.starts_with("barrier.cluster") => Some(format!("{opcode};")),
        _ => None,
    }
}
