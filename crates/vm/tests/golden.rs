//! The H200's recorded answers (`tests/golden`, described in its `README.md`), bit for bit.
//!
//! Every case is one kernel; its text is built here as it was built for the H200, loaded, launched and compared, once
//! for each level of vector instructions.

mod common;

use ptxvm_machine::vector::lanes::{Level, at_most};
use ptxvm_vm::{Buffer, Device, EngineChoice, Findings, LaunchOptions, Profile, Settings};
use serde::Deserialize;

use common::golden;

#[derive(Deserialize)]
struct Golden {
    ptx: String,
    target: String,
    inputs: Vec<Input>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Input {
    id: usize,
    types: Vec<String>,
    n: usize,
    offset: usize,
}

#[derive(Deserialize)]
struct Case {
    group: String,
    name: String,
    body: String,
    ins: Vec<String>,
    outs: Vec<String>,
    shared: u32,
    scratch: String,
    block: u32,
    n: usize,
    inputs: usize,
    offset: usize,
}

fn width(ty: &str) -> usize {
    match ty {
        "pred" => 1,
        "b16" => 2,
        "b32" => 4,
        _ => 8,
    }
}

/// The kernel around a case's body.
fn kernel(golden: &Golden, case: &Case) -> String {
    let mut text = format!(
        ".version {}\n.target {}\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out, .param .u64 scratch)\n{{\n",
        golden.ptx, golden.target
    );
    text += ".reg .b32 %t<4>; .reg .b64 %in, %out, %scr, %at;\n";
    for (list, letter) in [(&case.ins, 'a'), (&case.outs, 'd')] {
        for (index, ty) in list.iter().enumerate() {
            text += &format!(".reg .{ty} %{letter}{index};\n");
        }
    }
    if case.shared > 0 {
        text += &format!(".shared .align 128 .b8 sm[{}];\n", case.shared);
    }
    text += &case.scratch;
    text += "\nld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u64 %scr, [scratch];\n\
             mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x; mad.lo.u32 %t0, %t0, %t1, %t2;\n\
             mul.wide.u32 %at, %t0, 8; add.u64 %in, %in, %at; add.u64 %out, %out, %at; add.u64 %scr, %scr, %at;\n";
    for (index, ty) in case.ins.iter().enumerate() {
        text += &format!("ld.global.{ty} %a{index}, [%in+{}];\n", index * case.n * 8);
    }
    text += &case.body;
    text += "\n";
    for (index, ty) in case.outs.iter().enumerate() {
        let at = index * case.n * 8;
        if ty == "pred" {
            text += &format!("selp.b32 %t3, 1, 0, %d{index}; st.global.b32 [%out+{at}], %t3;\n");
        } else {
            text += &format!("st.global.{ty} [%out+{at}], %d{index};\n");
        }
    }
    text += "ret;\n}\n";
    text
}

/// Why a kernel of `wgmma` alone has no compiled code.
const NOTHING: &str = "nothing of the kernel can be compiled";

/// Runs a case at every level, and compiled, and says how it differs from the H200; `None` if it does not.
fn run(golden: &Golden, case: &Case, inputs: &[u8], outputs: &[u8]) -> Option<String> {
    let interpreted = Level::ALL.iter().find_map(|level| {
        let run = || run_at(golden, case, inputs, outputs, EngineChoice::Interpret);
        at_most(*level, run).map(|why| format!("at {level:?}: {why}"))
    });
    let compiled = || run_at(golden, case, inputs, outputs, EngineChoice::Compile);
    interpreted.or_else(|| compiled().map(|why| format!("compiled: {why}")))
}

fn run_at(
    golden: &Golden,
    case: &Case,
    inputs: &[u8],
    outputs: &[u8],
    engine: EngineChoice,
) -> Option<String> {
    let device = Device::new(Profile::named("h200").expect("the default profile"));
    let source = kernel(golden, case);
    let module = match device.load(&source) {
        Ok(module) => module,
        Err(error) => return Some(format!("does not load: {error}\n{source}")),
    };
    let kernel = module.kernel("k").expect("the kernel");
    let set = golden.inputs.iter().find(|i| i.id == case.inputs).expect("the input set");
    let mut slots = vec![0u64; (case.ins.len() * case.n).max(1)];
    let mut at = set.offset;
    for (operand, ty) in set.types.iter().enumerate() {
        let w = width(ty);
        for i in 0..set.n {
            if operand < case.ins.len() && i < case.n {
                let mut raw = [0; 8];
                raw[..w].copy_from_slice(&inputs[at..at + w]);
                slots[operand * case.n + i] = u64::from_le_bytes(raw);
            }
            at += w;
        }
    }
    let input = Buffer::from_slice(&device, &slots).expect("memory");
    let output = Buffer::from_slice(&device, &vec![0u64; case.outs.len() * case.n]).expect("memory");
    let scratch = Buffer::from_slice(&device, &vec![0u64; case.n]).expect("memory");
    // Some cases have sparsity metadata that means nothing, which is a finding otherwise.
    let launch = LaunchOptions {
        settings: Settings { findings: Findings::Ignore, engine, ..Settings::default() },
        ..LaunchOptions::new(case.n as u32 / case.block, case.block)
            .argument(&input)
            .argument(&output)
            .argument(&scratch)
    };
    if engine == EngineChoice::Compile
        && let Err(why) = kernel.compile(case.block)
        && why != NOTHING
    {
        return Some(format!("does not compile: {why}"));
    }
    if let Err(failure) = kernel.launch(&launch) {
        return Some(format!("does not run: {failure}"));
    }
    let got = output.to_vec::<u64>();
    let mut at = case.offset;
    let mut wrong = 0;
    let mut first = None;
    for (index, ty) in case.outs.iter().enumerate() {
        let w = width(ty);
        for t in 0..case.n {
            let mut raw = [0; 8];
            raw[..w].copy_from_slice(&outputs[at..at + w]);
            at += w;
            let want = u64::from_le_bytes(raw);
            let have = got[index * case.n + t];
            if want != have {
                wrong += 1;
                first = first.or_else(|| {
                    let ins: Vec<String> =
                        (0..case.ins.len()).map(|k| format!("{:#x}", slots[k * case.n + t])).collect();
                    Some(format!(
                        "thread {t} of ({}): %d{index} is {have:#x}, the H200 gave {want:#x}",
                        ins.join(", ")
                    ))
                });
            }
        }
    }
    first.map(|first| format!("{wrong} values differ; {first}"))
}

fn group(set: &str, name: &str) {
    let part = |part: &str| golden(&format!("{set}.{part}.zst"));
    let golden: Golden = serde_json::from_slice(&part("json")).expect("the description");
    let (inputs, outputs) = (part("inputs"), part("outputs"));
    let cases: Vec<&Case> = golden.cases.iter().filter(|c| c.group == name).collect();
    assert!(!cases.is_empty(), "no cases in group {name}");
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| run(&golden, case, &inputs, &outputs).map(|why| format!("{}: {why}", case.name)))
        .collect();
    assert!(wrong.is_empty(), "{} of {} cases differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

macro_rules! groups {
    ($($test:ident $set:literal $name:literal)*) => {$(
        #[test]
        fn $test() {
            group($set, $name);
        }
    )*};
}

groups! {
    integers "scalar" "int"
    carries "scalar" "cc"
    logic "scalar" "logic"
    floats "scalar" "fp"
    halves "scalar" "half"
    comparisons "scalar" "cmp"
    conversions "scalar" "cvt"
    video "scalar" "video"
    warps "scalar" "warp"
    atomics "scalar" "atom"
    matrices "scalar" "mma"
    more_matrices "matrix/mma" "mma"
    sparse_matrices "matrix/mma" "mma.sp"
    matrix_movements "matrix/mma" "matrix"
    more_floats "float" "float"
    more_integers "integer" "integer"
    more_conversions "convert" "convert"
    wmma_products "matrix/mma" "wmma"
    wmma_loads "matrix/mma" "wmma.load"
    wmma_stores "matrix/mma" "wmma.store"
}
