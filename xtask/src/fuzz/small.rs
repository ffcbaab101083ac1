//! Small programs that are whole: some tens of instructions with branches, loops, switches, calls, exchanges and atomics.
//!
//! LLVM takes about as long for each as for anything else of its size, so that what a program does not use is not in it:
//! it declares and loads the registers that its own instructions name, and at its end stores all of them. Some
//! begin with what lies in memory, some with a number that is the same for all threads or grows from thread to thread,
//! because compiled code keeps these in ways of their own.

use std::collections::BTreeSet;

use super::data::{DATA, mix_of, named};
use super::elements::Body;
use super::forms::Forms;
use super::names::{AREA, Liberties, Names, interesting};
use super::products::MATRICES;
use super::setting::MOST_THREADS;
use super::words::all_words;
use crate::oracle::Random;

/// Registers that others are computed from, each with its type, what sets it, and which it needs. What is needed stands
/// before what needs it.
const PREPARED: &[(&str, &str, &str, &[&str])] = &[
    ("%t0", "b32", "", &["%lt", "%t1", "%t2"]),
    ("%gb", "b64", "ld.param.u64 %gb, [work];", &[]),
    ("%ga", "b64", "mad.wide.u32 %ga, %t0, 256, %gb;", &["%t0", "%gb"]),
    ("%sb", "b64", "mov.u64 %sb, sm;", &["sm"]),
    ("%sa", "b64", "mad.wide.u32 %sa, %lt, 256, %sb;", &["%lt", "%sb"]),
    ("%xs", "b64", "cvta.shared.u64 %xs, %sa;", &["%sa"]),
    ("%la", "b64", "mov.u64 %la, lo;", &["lo"]),
    ("%xl", "b64", "cvta.local.u64 %xl, %la;", &["%la"]),
    ("%ca", "b64", "mov.u64 %ca, co;", &["co"]),
    ("%in", "b64", "ld.param.u64 %in, [in]; mad.wide.u32 %in, %t0, 8, %in;", &["%t0"]),
    ("%row", "b64", "ld.param.u64 %row, [out]; mad.wide.u32 %row, %t0, 512, %row;", &["%t0"]),
    ("%out1", "b64", "ld.param.u64 %out1, [out]; mad.wide.u32 %out1, %t0, 1, %out1;", &["%t0"]),
    ("%out2", "b64", "ld.param.u64 %out2, [out]; mad.wide.u32 %out2, %t0, 2, %out2;", &["%t0"]),
    ("%out4", "b64", "ld.param.u64 %out4, [out]; mad.wide.u32 %out4, %t0, 4, %out4;", &["%t0"]),
    ("%out8", "b64", "ld.param.u64 %out8, [out]; mad.wide.u32 %out8, %t0, 8, %out8;", &["%t0"]),
    ("%out16", "b64", "ld.param.u64 %out16, [out]; mad.wide.u32 %out16, %t0, 16, %out16;", &["%t0"]),
    ("%bx", "b32", "mov.u32 %bx, bx;", &["bx"]),
    ("%am", "b32", "activemask.b32 %am;", &[]),
    ("%mm", "b32", "mov.b32 %mm, 0x44444444;", &[]),
];

/// Registers that hold nothing for long.
const SCRATCH: &[(&str, &str)] = &[
    ("%t1", "b32"),
    ("%t2", "b32"),
    ("%t3", "b32"),
    ("%mix", "b32"),
    ("%w0", "b64"),
    ("%w1", "b64"),
    ("%lp", "pred"),
];

/// The shapes of CTAs.
const SHAPES: &[[usize; 3]] = &[
    [32, 1, 1],
    [32, 1, 1],
    [64, 1, 1],
    [64, 1, 1],
    [96, 1, 1],
    [128, 1, 1],
    [128, 1, 1],
    [16, 8, 1],
    [16, 2, 1],
    [8, 8, 1],
    [16, 4, 1],
    [4, 4, 4],
    [48, 1, 1],
    [20, 3, 1],
    [7, 1, 1],
];

/// How a program stores its registers at its end.
#[derive(Clone, Copy)]
enum Ends {
    /// One number made of all of them, of which each changes it: a store costs LLVM more than twenty instructions.
    Mixed,
    /// Each at its own place, all of a thread together.
    ByThread,
    /// Each at its own place, those of neighbouring threads together.
    ByRegister,
}

/// Makes a program: the module, a statement to a line.
pub fn program(forms: &Forms, random: &mut Random) -> Vec<String> {
    let shape = *random.pick(SHAPES);
    let threads = shape.iter().product();
    let liberties = Liberties {
        wild: random.one_in(40),
        fleeting: false,
        sharing: false,
        racing: false,
        matrix: false,
        texture: false,
    };
    let calls = random.one_in(5);
    let registers = 2 + usize::from(random.one_in(4));
    let names = |entry| Names { opcode: "", entry, liberties, registers, functions: calls && entry };
    let mut lines = vec![
        format!(".version {}", forms.language.ptx),
        format!(".target {}", forms.language.target),
        ".address_size 64".into(),
    ];
    let callee = calls.then(|| function(Body::new(forms, names(false), random, "F", threads), shape));
    let mut body = Body::new(forms, names(true), random, "L", threads);
    for _ in 0..*body.random.pick(&[1, 1, 1, 2, 2]) {
        body.together();
    }
    if body.random.one_in(300) {
        body.long_loop();
    }
    let ends = match body.random.below(24) {
        0 => Ends::ByThread,
        1 => Ends::ByRegister,
        _ => Ends::Mixed,
    };
    if body.random.one_in(20) {
        let stores = stores(ends, &named(&body.lines));
        body.early_end(&stores);
    }
    let Body { lines: body, random, .. } = body;
    let data = named(&body);
    let mut all = inputs(&data, random);
    all.extend(body);
    all.extend(stores(ends, &data));
    let parameters = ["work", "out", "in"].map(|name| format!(".param .u64 .ptr .global .align 16 {name}"));
    let mut entry = vec![format!(".visible .entry k({})", parameters.join(", "))];
    entry.push(format!(".reqntid {}, {}, {}", shape[0], shape[1], shape[2]));
    entry.extend(in_braces(all, shape));
    let all = all_words(callee.iter().flatten().chain(&entry));
    lines.extend(variables(&all, random));
    lines.extend(callee.into_iter().flatten());
    lines.extend(entry);
    lines
}

/// The function that programs call.
fn function(mut body: Body<'_>, shape: [usize; 3]) -> Vec<String> {
    body.put("ld.param.b32 %r0, [a];");
    body.put("ld.param.b64 %rd0, [b];");
    for _ in 0..1 + body.random.below(3) {
        body.inner();
    }
    let data = named(&body.lines);
    body.lines.extend(mix_of(&data));
    body.put("st.param.b32 [o], %mix;");
    body.put("ret;");
    let mut lines = vec![".func (.param .b32 o) f0(.param .b32 a, .param .b64 b)".to_owned()];
    lines.extend(in_braces(body.lines, shape));
    lines
}

/// The variables that a module names.
fn variables(all: &BTreeSet<String>, random: &mut Random) -> Vec<String> {
    let mut lines = Vec::new();
    for (space, name) in [("global", "gl"), ("const", "co")] {
        let bytes: Vec<String> = (0..32).map(|_| (random.next() as u8).to_string()).collect();
        lines.push(format!(".{space} .align 128 .b8 {name}[{AREA}] = {{{}}};", bytes.join(", ")));
    }
    // Every thread has its own part of shared memory, and there is a box for exchanges.
    lines.push(format!(".shared .align 128 .b8 sm[{}];", AREA * MOST_THREADS));
    lines.push(format!(".shared .align 16 .b8 bx[{}];", 16 * MOST_THREADS));
    lines.push(MATRICES.into());
    lines.retain(|line| all.iter().any(|word| line.contains(&format!(" {word}["))));
    lines
}

/// Gives the data registers their first values.
fn inputs(data: &[(String, usize)], random: &mut Random) -> Vec<String> {
    let mut lines = Vec::new();
    let mut words = Words { pairs: 0, words: Vec::new() };
    for (name, kind) in data {
        let stem = DATA[*kind].0;
        let bits = interesting(random);
        let step = *random.pick(&[1, 4, 8, 3, -1]);
        let line = match (stem, random.below(5)) {
            ("%n", _) => format!("mov.u32 {name}, 0;"),
            ("%p", 0) => format!("setp.lt.u32 {name}, %lt, {};", random.below(40)),
            ("%p", 1) => format!("setp.eq.u32 {name}, {}, 0;", random.below(2)),
            ("%p", _) => format!("setp.lt.s32 {name}, {}, {};", words.word(&mut lines, random), bits as i32),
            ("%r", 0) => format!("mov.b32 {name}, {};", bits as i32),
            ("%r", 1) => format!("mad.lo.s32 {name}, %t0, {step}, {};", bits as i16),
            ("%rd", 0) => format!("mov.b64 {name}, {};", bits as i64),
            ("%rd", 1) => format!("mul.wide.s32 {name}, %t0, {step};"),
            ("%f", 0) => format!("mov.f32 {name}, 0f{:08X};", bits as u32),
            ("%f", 1) => format!("cvt.rn.f32.u32 {name}, %t0;"),
            ("%fd", 0) => format!("mov.f64 {name}, 0d{bits:016X};"),
            ("%h", 0) => format!("mov.b16 {name}, {};", bits as i16),
            ("%h", 1) => format!("cvt.u16.u32 {name}, %t0;"),
            ("%h", _) => format!("mov.b32 {{{name}, _}}, {};", words.word(&mut lines, random)),
            ("%r" | "%f", _) => format!("mov.b32 {name}, {};", words.word(&mut lines, random)),
            ("%rd" | "%fd", _) => format!("mov.b64 {name}, {};", words.pair(&mut lines)),
            ("%q", _) => {
                let (low, high) = (words.pair(&mut lines), words.pair(&mut lines));
                format!("mov.b128 {name}, {{{low}, {high}}};")
            }
            _ => format!("ld.global.b8 {name}, [%in+{}];", random.below(64)),
        };
        lines.push(line);
    }
    lines
}

/// What a thread loads: pairs of words, of which registers get parts.
struct Words {
    pairs: usize,
    /// Words of the pairs that no register has got yet.
    words: Vec<String>,
}

impl Words {
    /// A register with the next pair, which these lines load.
    fn pair(&mut self, lines: &mut Vec<String>) -> String {
        let pair = format!("%i{}", self.pairs);
        lines.push(format!(
            ".reg .b64 {pair}; ld.global.b64 {pair}, [%in+{}];",
            8 * MOST_THREADS * self.pairs
        ));
        self.pairs += 1;
        pair
    }

    /// A register with a word that no other has got, mostly.
    fn word(&mut self, lines: &mut Vec<String>, random: &mut Random) -> String {
        if self.words.is_empty() {
            let pair = self.pair(lines);
            self.words = ["l", "h"].map(|half| format!("{pair}{half}")).to_vec();
            lines.push(format!(".reg .b32 {pair}l, {pair}h; mov.b64 {{{pair}l, {pair}h}}, {pair};"));
        }
        match random.below(4) {
            0 => self.words[0].clone(),
            _ => self.words.remove(0),
        }
    }
}

/// Stores the data registers.
fn stores(ends: Ends, data: &[(String, usize)]) -> Vec<String> {
    if let Ends::Mixed = ends {
        let mut lines = mix_of(data);
        lines.push("st.global.b32 [%out4], %mix;".into());
        return lines;
    }
    let store = |(slot, (name, kind)): (usize, &(String, usize))| {
        let (stem, ty, bytes) = DATA[*kind];
        let (at, offset) = match ends {
            Ends::ByThread => ("%row".into(), 16 * slot),
            _ => (format!("%out{bytes}"), 16 * MOST_THREADS * slot),
        };
        match stem {
            "%p" => format!("selp.b32 %t1, 1, 0, {name}; st.global.b32 [{at}+{offset}], %t1;"),
            _ => format!("st.global.{ty} [{at}+{offset}], {name};"),
        }
    };
    data.iter().enumerate().map(store).collect()
}

/// A body with the declarations of what it names, and what it needs before it begins.
fn in_braces(body: Vec<String>, shape: [usize; 3]) -> Vec<String> {
    let mut used = all_words(&body);
    for (name, _, _, needs) in PREPARED.iter().rev() {
        let needs: &[&str] = if used.contains(*name) { needs } else { &[] };
        used.extend(needs.iter().map(|&need| need.to_owned()));
    }
    used.insert("%t1".into());
    let mut lines = vec!["{".to_owned()];
    for (name, ty) in SCRATCH.iter().filter(|(name, _)| used.contains(*name)) {
        lines.push(format!(".reg .{ty} {name};"));
    }
    let names: Vec<String> = used.iter().cloned().collect();
    for (name, kind) in named(&names) {
        lines.push(format!(".reg .{} {name};", DATA[kind].1));
    }
    if used.contains("lo") {
        lines.push(format!(".local .align 128 .b8 lo[{AREA}];"));
    }
    if used.contains("%lt") {
        lines.push(".reg .b32 %lt; mov.u32 %lt, %tid.x;".into());
        let (mut below, dimensions) = (shape[0], [("y", shape[1]), ("z", shape[2])]);
        for (dimension, size) in dimensions.into_iter().filter(|(_, size)| *size > 1) {
            lines.push(format!("mov.u32 %t1, %tid.{dimension}; mad.lo.u32 %lt, %t1, {below}, %lt;"));
            below *= size;
        }
    }
    for (name, ty, text, _) in PREPARED.iter().filter(|(name, ..)| used.contains(*name)) {
        lines.push(format!(".reg .{ty} {name}; {text}"));
        if *name == "%t0" {
            let threads: usize = shape.iter().product();
            lines.push("mov.u32 %t0, %ctaid.z; mov.u32 %t1, %nctaid.x; mov.u32 %t2, %ctaid.x;".into());
            lines.push(format!("mad.lo.u32 %t0, %t0, %t1, %t2; mad.lo.u32 %t0, %t0, {threads}, %lt;"));
        }
    }
    lines.extend(body);
    if lines.last().is_none_or(|last| last != "ret;") {
        lines.push("ret;".into());
    }
    lines.push("}".into());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptxvm_vm::Profile;

    /// A program that is refused tests nothing, and neither does one that is half struck out.
    #[test]
    fn most_programs_are_accepted_nearly_whole() {
        let forms = Forms::new(Profile::named("h200").expect("the default profile"));
        let (mut all, mut left) = (0, 0);
        for seed in 0..300 {
            let mut lines = program(&forms, &mut Random::new(seed));
            all += lines.len();
            assert!(super::super::run::accepted(&mut lines), "seed {seed}:\n{}", lines.join("\n"));
            left += lines.len();
        }
        assert!(left * 20 > all * 19, "of {all} lines {left} are left");
    }
}
