//! What a kernel and a module say of themselves, and arguments given as one block.

use std::sync::{Arc, Mutex};

use ptxvm_vm::{Arguments, ArgumentsError, Buffer, Device, Failure, LaunchOptions, Module, Version};

fn load(device: &Device, body: &str) -> Module {
    let source = format!(".version 8.5\n.target sm_80\n.address_size 64\n{body}");
    device.load(&source).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_block_of_arguments_is_taken_as_it_lies() {
    let device = Device::default();
    let module = load(
        &device,
        ".visible .entry k(.param .u8 a, .param .u64 out, .param .align 4 .b8 s[6], .param .u16 b) {\n\
         .reg .b64 %p; .reg .b32 %r; .reg .b16 %h;\n\
         ld.param.u64 %p, [out]; ld.param.u8 %h, [a]; st.global.u8 [%p], %h;\n\
         ld.param.u32 %r, [s]; st.global.u32 [%p+4], %r; ld.param.u16 %h, [b]; st.global.u16 [%p+8], %h; ret; }",
    );
    let kernel = module.kernel("k").expect("there");
    assert_eq!(kernel.parameter_block_layout(), [(0, 1), (8, 8), (16, 6), (22, 2)]);
    assert_eq!(kernel.parameter_bytes(), 24);
    let out = Buffer::new(&device, 12).expect("memory");
    let mut block = vec![0; 24];
    block[0] = 0xaa;
    block[8..16].copy_from_slice(&out.address().to_le_bytes());
    block[16..24].copy_from_slice(&[1, 2, 3, 4, 5, 6, 7, 8]);
    let run = |block: &[u8]| {
        let arguments = Arguments::from_block(block.to_vec());
        kernel.launch(&LaunchOptions { arguments, ..LaunchOptions::new(1, 1) })
    };
    let expected = [0xaa, 0, 0, 0, 1, 2, 3, 4, 7, 8, 0, 0];
    run(&block).expect("it fits");
    assert_eq!(out.to_bytes(), expected);
    out.fill(0);
    // What is after the parameters is not looked at.
    run(&[&block[..], &[9; 40]].concat()).expect("it is cut");
    assert_eq!(out.to_bytes(), expected);
    match run(&block[..23]) {
        Err(Failure::Arguments(ArgumentsError::Block { parameters, block })) => {
            assert_eq!((parameters, block), (24, 23));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn kernels_say_what_they_take() {
    let device = Device::default();
    let module = load(
        &device,
        ".const .u8 small;\n.const .align 8 .b8 table[100];\n\
         .visible .entry plain() { ret; }\n\
         .visible .entry bound() .maxntid 96, 2, 1 .maxnreg 24 { .local .align 8 .b8 stack[40]; .reg .b64 %r;\n\
         mov.u64 %r, stack; st.local.u8 [%r], 1; ret; }\n\
         .visible .entry exact() .reqntid 64, 4 { ret; }\n\
         .visible .entry shared() { .shared .b8 s[300]; .reg .b32 %r; mov.u32 %r, s; ret; }",
    );
    let kernel = |name: &str| module.kernel(name).expect("there");
    assert_eq!(kernel("plain").max_threads(), 1024);
    assert_eq!(kernel("bound").max_threads(), 192);
    assert_eq!(kernel("exact").max_threads(), 256);
    assert_eq!((kernel("bound").local_bytes(), kernel("plain").local_bytes()), (40, 0));
    assert_eq!(kernel("plain").constant_bytes(), 108);
    assert_eq!(kernel("shared").shared_bytes(), 300);
    assert_eq!(kernel("plain").ptx_version(), Version::new(8, 5));
    assert_eq!(kernel("plain").binary_target().to_string(), "sm_90a");
    assert_eq!(kernel("plain").cluster(), None);
}

/// The estimate counts what is live at once, in words of 32 bits, and is held to `.maxnreg`.
#[test]
fn registers_are_estimated_by_what_is_live() {
    let device = Device::default();
    let load_all = |count: usize| {
        (0..count).map(|i| format!("ld.global.u64 %d{i}, [%p+{}];\n", 8 * i)).collect::<String>()
    };
    let sum_all = |count: usize| (0..count).map(|i| format!("add.u64 %s, %s, %d{i};\n")).collect::<String>();
    let kernel = |name: &str, directive: &str, body: &str| {
        format!(
            ".visible .entry {name}(.param .u64 a) {directive} {{ .reg .b64 %p, %s, %d<40>;\n\
             ld.param.u64 %p, [a]; mov.u64 %s, 0;\n{body}st.global.u64 [%p], %s; ret; }}\n"
        )
    };
    let together = load_all(40) + &sum_all(40);
    let one_by_one: String =
        (0..40).map(|i| format!("ld.global.u64 %d{i}, [%p+{}];\nadd.u64 %s, %s, %d{i};\n", 8 * i)).collect();
    let source = kernel("together", "", &together)
        + &kernel("apart", "", &one_by_one)
        + &kernel("held", ".maxnreg 64", &together);
    let module = load(&device, &source);
    let estimate = |name: &str| module.kernel(name).expect("there").register_estimate();
    // 42 registers of 64 bits, and 4 more, in steps of 8.
    assert_eq!(estimate("together"), 88);
    assert_eq!(estimate("apart"), 16);
    assert_eq!(estimate("held"), 64);
}

#[test]
fn modules_list_their_variables() {
    let device = Device::default();
    let module = load(
        &device,
        ".visible .global .u32 a = 1;\n.const .b8 b[7];\n.global .attribute(.managed) .u64 c;\n\
         .visible .entry k() { .shared .u32 s; .reg .b32 %r; mov.u32 %r, s; ret; }",
    );
    let all: Vec<_> =
        module.variables().map(|v| (v.name, v.size, v.constant, v.managed, v.visible)).collect();
    assert_eq!(
        all,
        [("a", 4, false, false, true), ("b", 7, true, false, false), ("c", 8, false, true, false)]
    );
    for variable in module.variables() {
        assert!(device.read(variable.address, &mut [0; 4]).is_ok());
        assert_eq!(module.variable(variable.name), Some((variable.address, variable.size)));
    }
}

#[test]
fn the_host_learns_which_way_a_graph_goes() {
    let device = Device::default();
    let source = ".extern .func cudaGraphSetConditional(.param .b64 h, .param .b32 v);\n\
        .visible .entry k(.param .u64 h) { .reg .b64 %h; .reg .b32 %v; .param .b64 a; .param .b32 b;\n\
        ld.param.u64 %h, [h]; mov.u32 %v, %tid.x; add.u32 %v, %v, 5; st.param.b64 [a], %h; st.param.b32 [b], %v;\n\
        call cudaGraphSetConditional, (a, b); ret; }";
    let kernel = load(&device, source).kernel("k").expect("there");
    let told = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&told);
    let set: ptxvm_vm::SetConditional =
        Arc::new(move |handle, value| sink.lock().expect("no panic").push((handle, value)));
    let launch = LaunchOptions { set_conditional: Some(set), ..LaunchOptions::new(1, 2).argument(99u64) };
    kernel.launch(&launch).expect("it runs");
    assert_eq!(*told.lock().expect("no panic"), [(99, 5), (99, 6)]);
    assert!(matches!(
        kernel.launch(&LaunchOptions::new(1, 1).argument(99u64)),
        Err(Failure::Unsupported(what)) if what.what.contains("cudaGraphSetConditional")
    ));
}

/// What launches keep for the next ones has a bound, and nothing of one launch is seen by the next.
#[test]
fn many_launches_leave_nothing_behind() {
    let device = Device::default();
    let module = load(
        &device,
        ".visible .entry k(.param .u64 out, .param .u32 n) { .shared .align 4 .b8 s[64]; .reg .b64 %p; .reg .b32 %r, %t, %v;\n\
         ld.param.u64 %p, [out]; mov.u32 %t, %tid.x; shl.b32 %t, %t, 2; mov.u32 %r, s; add.u32 %r, %r, %t;\n\
         ld.shared.u32 %v, [%r]; ld.param.u32 %t, [n]; add.u32 %v, %v, %t; st.shared.u32 [%r], %v;\n\
         red.global.add.u32 [%p], %v; ret; }",
    );
    let kernel = module.kernel("k").expect("there");
    let out = Buffer::new(&device, 4).expect("memory");
    let before = device.memory().statistics();
    let mut sum = 0;
    for n in 0..10_000u32 {
        let (grid, block, shared) = (1 + n % 3, 1 + n % 16, n % 5 * 100);
        let launch = LaunchOptions { shared, ..LaunchOptions::new(grid, block).argument(&out).argument(n) };
        let statistics = kernel.launch(&launch).expect("it runs");
        assert_eq!(statistics.ctas, u64::from(grid));
        assert_eq!(statistics.instructions(), 11 * u64::from(grid));
        sum += u64::from(n * grid * block);
    }
    assert_eq!(u64::from(out.to_vec::<u32>()[0]), sum & 0xffff_ffff);
    let after = device.memory().statistics();
    assert_eq!(after.live_allocations, before.live_allocations);
    assert!(after.quarantined_bytes - before.quarantined_bytes < 4096);
}
