//! Clusters from outside: by the launch, by the kernel, by what is set on a function, in graphs; and which are refused.
//! The answers, and what each CTA finds in its special registers, are those of an H200 (tests/golden/async).

mod client;
mod launch_ex;

use std::ffi::c_void;
use std::io::Read;
use std::path::PathBuf;

use client::{Context, Handle, Module, answer, call, launch, make, read};
use launch_ex::{Attribute, launch_ex, launch_shaped};
use ruzstd::decoding::StreamingDecoder;
use serde_json::Value;

const SUCCESS: u32 = 0;
const INVALID_VALUE: u32 = 1;
const INVALID_CLUSTER_SIZE: u32 = 912;
/// `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`
const DIMENSION: u32 = 4;
/// `CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH`, `CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED`
const REQUIRED_WIDTH: i32 = 11;
const NON_PORTABLE: i32 = 14;
/// The words that each CTA leaves, and room for the largest grid.
const WORDS: usize = 24;
const CTAS: usize = 128;

/// What was asked of the H200.
fn recorded() -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/async/facts.json.zst");
    let mut text = String::new();
    let packed = std::fs::File::open(path).expect("the record is there");
    let mut frame = StreamingDecoder::new(packed).expect("a frame of zstd");
    frame.read_to_string(&mut text).expect("text");
    serde_json::from_str(&text).expect("JSON")
}

/// The record's kernels: each CTA writes the special registers that the record names.
fn kernels(record: &Value) -> String {
    let mut text = String::from(".version 9.0\n.target sm_90a\n.address_size 64\n");
    let registers: Vec<&str> =
        record["registers"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    for (name, directives) in record["kernels"].as_object().unwrap() {
        let mut body = String::from(
            ".reg .b64 %o, %x; .reg .b32 %a, %i, %n; .reg .pred %p;
            ld.param.u64 %o, [out];
            mov.u32 %i, %ctaid.z; mov.u32 %n, %nctaid.y; mov.u32 %a, %ctaid.y; mad.lo.u32 %i, %i, %n, %a;
            mov.u32 %n, %nctaid.x; mov.u32 %a, %ctaid.x; mad.lo.u32 %i, %i, %n, %a;
            mad.wide.u32 %o, %i, 96, %o;\n",
        );
        for (at, register) in registers.iter().enumerate() {
            body += &match *register {
                "%is_explicit_cluster" => format!("mov.pred %p, {register}; selp.b32 %a, 1, 0, %p;"),
                _ => format!("mov.u32 %a, {register};"),
            };
            body += &format!(" st.global.b32 [%o+{}], %a;\n", 4 * at);
        }
        let directives = directives.as_str().unwrap();
        text += &format!(".visible .entry {name}(.param .u64 out) {directives} {{ {body} ret; }}\n");
    }
    text
}

fn start() -> (Context, Module, Value) {
    let (context, record) = (Context::new(), recorded());
    let module = context.module(&kernels(&record));
    (context, module, record)
}

fn number(value: &Value) -> u32 {
    value.as_u64().unwrap().try_into().unwrap()
}

/// Three numbers, if they are there.
fn three(value: &Value) -> Option<[u32; 3]> {
    let list = value.as_array()?;
    Some([number(&list[0]), number(&list[1]), number(&list[2])])
}

/// An attribute as the record has it: its number, and its bytes in hexadecimal.
fn attribute(pair: &Value) -> Attribute {
    let hex = pair[1].as_str().unwrap();
    let byte = |at: usize| u32::from_str_radix(&hex[at..at + 2], 16).unwrap();
    let word = |at: usize| (0..4).rev().fold(0, |word, k| word << 8 | byte(at + 2 * k));
    let words: Vec<u32> = (0..hex.len()).step_by(8).map(word).collect();
    Attribute::new(number(&pair[0]), &words)
}

#[test]
fn launches_as_an_h200_answers_them() {
    let (context, module, record) = start();
    let at = context.memory(4 * WORDS * CTAS);
    let launches = record["launches"].as_array().unwrap();
    for row in launches {
        let name = row["name"].as_str().unwrap();
        let kernel = module.kernel(row["kernel"].as_str().unwrap());
        let grid = three(&row["grid"]).unwrap();
        let threads = row.get("block").map_or(32, number);
        let shared = row.get("shared").map_or(0, number);
        let nonportable = row.get("nonportable").is_some_and(|set| *set != false);
        call("cuFuncSetAttribute", (kernel, NON_PORTABLE, i32::from(nonportable)));
        call("cuMemsetD32_v2", (at, 0xeeee_eeeeu32, WORDS * CTAS));
        let size = three(&row["cluster"]).map(|size| Attribute::new(DIMENSION, &size));
        let more = row.get("extra").and_then(Value::as_array).into_iter().flatten().map(attribute);
        let attributes: Vec<Attribute> = more.chain(size).collect();
        let result = match row.get("plain") {
            Some(_) => launch(kernel, grid, [32, 1, 1], 0, &[at]),
            None => launch_shaped(kernel, grid, [threads, 1, 1], shared, 0, &attributes, &[at]),
        };
        assert_eq!(result, number(&row["result"]), "{name}");
        let left: Vec<u32> = read(at, WORDS * CTAS);
        let ctas: Vec<&[u32]> = left.chunks(WORDS).filter(|cta| cta[0] != 0xeeee_eeee).collect();
        let expected = row["ctas"].as_array().unwrap();
        assert_eq!(ctas.len(), expected.len(), "{name}");
        for (cta, expected) in ctas.iter().zip(expected) {
            let expected: Vec<u32> = expected.as_array().unwrap().iter().map(number).collect();
            assert_eq!(**cta, *expected, "{name}");
        }
    }
    assert!(launches.len() > 150);
}

#[test]
fn occupancy_as_an_h200_answers_it() {
    let (_context, module, record) = start();
    let mut compared = 0;
    for row in record["occupancy"].as_array().unwrap() {
        let row = row.as_array().unwrap();
        let entry = match row[0].as_str().unwrap() {
            "active" => "cuOccupancyMaxActiveClusters",
            "size" => "cuOccupancyMaxPotentialClusterSize",
            _ => continue,
        };
        let kernel = module.kernel(row[1].as_str().unwrap());
        call("cuFuncSetAttribute", (kernel, NON_PORTABLE, i32::from(row[2] != 0)));
        let size = three(&row[5]).map(|size| Attribute::new(DIMENSION, &size));
        let attributes: Vec<Attribute> = size.into_iter().collect();
        let config =
            launch_ex::Config::new([240, 4, 1], [number(&row[3]), 1, 1], number(&row[4]), &attributes);
        let mut told = -1i32;
        assert_eq!(answer(entry, (&raw mut told, kernel, &raw const config)), number(&row[6]), "{row:?}");
        // How many fit depends on the registers that a compiler gives a kernel, of which we know little.
        if entry != "cuOccupancyMaxActiveClusters" {
            assert_eq!(i64::from(told), row[7].as_i64().unwrap(), "{row:?}");
        }
        compared += 1;
    }
    assert!(compared > 500, "{compared}");
}

/// Launches a kernel in clusters of a size.
fn clustered(kernel: Handle, grid: [u32; 3], size: [u32; 3], at: u64) -> u32 {
    launch_ex(kernel, grid, 0, &[Attribute::new(DIMENSION, &size)], &[at])
}

/// The sizes of the clusters that the CTAs of a grid found themselves in.
fn sizes(at: u64, ctas: usize) -> Vec<[u32; 3]> {
    read(at, WORDS * ctas).chunks(WORDS).map(|cta| [cta[9], cta[10], cta[11]]).collect()
}

#[test]
fn a_size_that_is_set_on_a_function() {
    let (context, module, _) = start();
    let (shape, at) = (module.kernel("plain"), context.memory(4 * WORDS * 4));
    for (axis, size) in [2, 1, 1].into_iter().enumerate() {
        call("cuFuncSetAttribute", (shape, REQUIRED_WIDTH + axis as i32, size));
    }
    assert_eq!(launch(shape, [4, 1, 1], [32, 1, 1], 0, &[at]), SUCCESS);
    assert_eq!(sizes(at, 4), [[2, 1, 1]; 4]);
    assert_eq!(clustered(shape, [4, 1, 1], [4, 1, 1], at), INVALID_CLUSTER_SIZE);
    // What is not said of the size, the launch says.
    call("cuFuncSetAttribute", (shape, REQUIRED_WIDTH + 1, 0i32));
    assert_eq!(launch(shape, [4, 1, 1], [32, 1, 1], 0, &[at]), INVALID_CLUSTER_SIZE);
    assert_eq!(clustered(shape, [4, 1, 1], [2, 1, 1], at), SUCCESS);
    let fixed = module.kernel("req4");
    assert_eq!(answer("cuFuncSetAttribute", (fixed, REQUIRED_WIDTH, 2i32)), INVALID_VALUE);
    assert_eq!(answer("cuFuncSetAttribute", (fixed, REQUIRED_WIDTH, 4i32)), SUCCESS);
    assert_eq!(answer("cuFuncSetAttribute", (shape, REQUIRED_WIDTH - 1, 1i32)), INVALID_VALUE);
}

/// `CUDA_KERNEL_NODE_PARAMS_v2`
#[repr(C)]
struct KernelNode {
    function: Handle,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    parameters: *const *const u64,
    rest: [u64; 3],
}

#[test]
fn nodes_and_captures_keep_their_clusters() {
    let (context, module, _) = start();
    let (shape, at) = (module.kernel("plain"), context.memory(4 * WORDS * 4));
    let run = |graph: Handle| {
        let exec = make("instantiate", |made| answer("cuGraphInstantiateWithFlags", (made, graph, 0u64)));
        call("cuMemsetD8_v2", (at, 0u8, 4 * WORDS * 4));
        call("cuGraphLaunch", (exec, 0u64));
        sizes(at, 4)
    };
    let cluster_of = |node: Handle| {
        let mut value = [0u32; 16];
        call("cuGraphKernelNodeGetAttribute", (node, DIMENSION, value.as_mut_ptr()));
        [value[0], value[1], value[2]]
    };
    let graph = make("cuGraphCreate", |made| answer("cuGraphCreate", (made, 0u32)));
    let list: [*const u64; 1] = [&raw const at];
    let (grid, block) = ([4, 1, 1], [32, 1, 1]);
    let said =
        KernelNode { function: shape, grid, block, shared: 0, parameters: list.as_ptr(), rest: [0; 3] };
    let none = std::ptr::null::<c_void>();
    let node =
        make("node", |made| answer("cuGraphAddKernelNode_v2", (made, graph, none, 0usize, &raw const said)));
    assert_eq!(run(graph), [[1, 1, 1]; 4]);
    let mut value = [0u32; 16];
    value[..3].copy_from_slice(&[4, 1, 1]);
    call("cuGraphKernelNodeSetAttribute", (node, DIMENSION, value.as_ptr()));
    assert_eq!(cluster_of(node), [4, 1, 1]);
    assert_eq!(run(graph), [[4, 1, 1]; 4]);
    // What is said of the parameters leaves the attribute.
    call("cuGraphKernelNodeSetParams_v2", (node, &raw const said));
    assert_eq!(run(graph), [[4, 1, 1]; 4]);

    let stream = context.stream(1);
    call("cuStreamBeginCapture_v2", (stream, 2u32));
    let pair = [Attribute::new(DIMENSION, &[2, 1, 1])];
    assert_eq!(launch_ex(shape, grid, stream, &pair, &[at]), SUCCESS);
    let captured = make("cuStreamEndCapture", |made| answer("cuStreamEndCapture", (stream, made)));
    let (mut node, mut count) = (0, 1usize);
    call("cuGraphGetNodes", (captured, &raw mut node, &raw mut count));
    assert_eq!(cluster_of(node), [2, 1, 1]);
    assert_eq!(run(captured), [[2, 1, 1]; 4]);
}
