//! The face as an embedder uses it: what loading places and refuses, what a launch is held to.

use std::sync::{Arc, Mutex};

use ptxvm_vm::{
    Arguments, ArgumentsError, Buffer, Device, Failure, KernelError, Kind, LaunchOptions, Limit, LoadError,
    Profile, Settings,
};

const HEAD: &str = ".version 9.1\n.target sm_80\n.address_size 64\n";

fn module(body: &str) -> String {
    format!("{HEAD}{body}")
}

fn bytes_of(device: &Device, (address, size): (u64, u64)) -> Vec<u8> {
    let mut bytes = vec![0; size as usize];
    device.read(address, &mut bytes).expect("the variable is allocated");
    bytes
}

#[test]
fn variables_have_their_initial_bytes_and_addresses_in_them() {
    let device = Device::default();
    let module = device
        .load(&module(
            ".visible .global .align 16 .b8 text[8] = {72, 105};\n\
             .visible .const .f32 half = 0.5;\n\
             .func f() { ret; }\n\
             .visible .global .u64 table[4] = {text, generic(text)+2, f, 7};\n",
        ))
        .expect("it is right");
    let text = module.variable("text").expect("declared");
    assert_eq!(text.0 % 16, 0);
    assert_eq!(bytes_of(&device, text), [72, 105, 0, 0, 0, 0, 0, 0]);
    assert_eq!(bytes_of(&device, module.variable("half").expect("declared")), 0.5f32.to_le_bytes());
    let table = bytes_of(&device, module.variable("table").expect("declared"));
    let entries: Vec<u64> = table.as_chunks::<8>().0.iter().map(|&b| u64::from_le_bytes(b)).collect();
    assert_eq!((entries[0], entries[1], entries[3]), (text.0, text.0 + 2, 7));
    assert_ne!(entries[2], 0);
    assert_eq!(module.variable("f"), None);
    drop(module);
    assert!(device.read(text.0, &mut [0]).is_err(), "a module that is gone leaves nothing");
    assert_eq!(device.memory().statistics().live_allocations, 0);
}

#[test]
fn loading_says_what_is_wrong() {
    let load = |source: &str| Device::default().load(source).expect_err("it is wrong");
    match load(&module(".visible .entry k() { add.ftz.s32 %a, %b, %c; ret; }")) {
        LoadError::Invalid(diagnostics) => assert!(diagnostics.len() >= 2),
        other => panic!("{other}"),
    }
    match load(&module("").replace("sm_80", "sm_100a")) {
        LoadError::Target { name, .. } => assert_eq!(name, "h200"),
        other => panic!("{other}"),
    }
    match load(&module(".extern .func g();\n.visible .entry k() { call g; ret; }")) {
        LoadError::Unresolved(names) => assert_eq!(names, ["g"]),
        other => panic!("{other}"),
    }
    // A declaration that nobody uses needs no definition.
    assert!(Device::default().load(&module(".extern .func g();\n")).is_ok());
    match load(&module(".visible .global .b8 large[200000000000];\n")) {
        LoadError::Memory(error) => assert_eq!(error.requested, 200_000_000_000),
        other => panic!("{other}"),
    }
}

#[test]
fn a_failed_load_leaves_no_memory_behind() {
    let device = Device::default();
    let source = module(".global .b8 small[8];\n.global .b8 large[200000000000];\n");
    assert!(device.load(&source).is_err());
    assert_eq!(device.memory().statistics().live_allocations, 0);
}

#[test]
fn kernels_are_found_by_name() {
    let device = Device::default();
    let module = device
        .load(&module(".visible .entry a() { ret; }\n.entry b() { ret; }\n.func c() { ret; }"))
        .expect("right");
    assert_eq!(module.kernels().map(|k| k.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    match module.kernel("c") {
        Err(KernelError::Unknown { known, .. }) => assert_eq!(known, ["a", "b"]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn arguments_are_laid_out_by_the_parameters_alignment() {
    let device = Device::default();
    let module = device
        .load(&module(
            ".visible .entry k(.param .b8 a, .param .u16 b, .param .align 8 .b8 c[12], .param .u64 out) {\n\
             .reg .b16 %h<2>; .reg .b32 %r; .reg .b64 %rd;\n\
             ld.param.u64 %rd, [out];\n\
             ld.param.u8 %h0, [a]; st.global.u8 [%rd], %h0;\n\
             ld.param.u16 %h1, [b]; st.global.u16 [%rd+2], %h1;\n\
             ld.param.u32 %r, [c+8]; st.global.u32 [%rd+4], %r;\n\
             ret; }",
        ))
        .expect("right");
    let kernel = module.kernel("k").expect("there");
    let out = Buffer::new(&device, 8).expect("memory");
    let structure: Vec<u8> = (1..=12).collect();
    let arguments = Arguments::new().with(0xaau8).with(0xbbccu16).with(structure.as_slice()).with(&out);
    kernel.launch(&LaunchOptions { arguments, ..LaunchOptions::new(1, 1) }).expect("it runs");
    assert_eq!(out.to_vec::<u8>(), [0xaa, 0, 0xcc, 0xbb, 9, 10, 11, 12]);

    let wrong = LaunchOptions::new(1, 1).argument(1u8).argument(2u32).argument(0u8).argument(&out);
    match kernel.launch(&wrong) {
        Err(Failure::Arguments(ArgumentsError::Size { name, parameter, argument })) => {
            assert_eq!((name.as_str(), parameter, argument), ("b", 2, 4));
        }
        other => panic!("{other:?}"),
    }
    match kernel.launch(&LaunchOptions::new(1, 1)) {
        Err(Failure::Arguments(ArgumentsError::Count { parameters, arguments })) => {
            assert_eq!((parameters, arguments), (4, 0));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn launches_are_held_to_the_limits_of_the_device() {
    let source = module(
        ".visible .entry k() { ret; }\n\
         .visible .entry big() { .shared .b8 s[40000]; .reg .b32 %r; mov.u32 %r, s; ret; }",
    );
    let refused = |profile: &str, kernel: &str, launch: LaunchOptions| {
        let device = Device::new(Profile::named(profile).expect("a profile"));
        let kernel = device.load(&source).expect("right").kernel(kernel).expect("there");
        match kernel.launch(&launch) {
            Ok(_) => false,
            Err(Failure::Finding(finding)) if finding.kind == Kind::Launch => true,
            Err(other) => panic!("{other}"),
        }
    };
    assert!(!refused("h200", "k", LaunchOptions::new(1, 1024)));
    assert!(refused("h200", "k", LaunchOptions::new(1, 1025)));
    assert!(refused("h200", "k", LaunchOptions::new((1, 65536), 1)));
    assert!(refused("h200", "k", LaunchOptions::new(0x8000_0000, 1)));
    assert!(refused("h200", "k", LaunchOptions::new(1, (1, 1, 65))));
    let shared = |shared| LaunchOptions { shared, ..LaunchOptions::new(1, 1) };
    assert!(!refused("h200", "big", shared(192_448)));
    assert!(refused("h200", "big", shared(192_449)));
    assert!(refused("a100", "big", shared(192_448)));
}

#[test]
fn limits_and_the_host_stop_a_kernel() {
    let device = Device::default();
    let source = module(".visible .entry k() { L: bra L; }");
    let kernel = device.load(&source).expect("right").kernel("k").expect("there");
    let stopped = |launch: &LaunchOptions| match kernel.launch(launch) {
        Err(Failure::Limit(limit)) => limit,
        other => panic!("{other:?}"),
    };
    let launch = LaunchOptions {
        settings: Settings { max_instructions: Some(1000), ..Settings::default() },
        ..LaunchOptions::new(1, 32)
    };
    assert_eq!(stopped(&launch), Limit::Instructions(1000));
    let soon = std::time::Duration::from_millis(50);
    let launch = LaunchOptions {
        settings: Settings { timeout: Some(soon), ..Settings::default() },
        ..LaunchOptions::new(1, 32)
    };
    assert_eq!(stopped(&launch), Limit::Time(soon));
    let launch = LaunchOptions::new(4, 32);
    let control = Arc::clone(&launch.control);
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        control.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(stopped(&launch), Limit::Interrupted);
    stopper.join().expect("it ends");
}

#[test]
fn what_the_guest_prints_comes_through_the_callback() {
    let device = Device::default();
    let source = module(
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n\
         .global .b8 text[4] = {104, 105, 10};\n\
         .visible .entry k() { .reg .b64 %f; mov.u64 %f, text; cvta.global.u64 %f, %f;\n\
         { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %f; st.param.b64 [a], 0;\n\
         call.uni (r), vprintf, (f, a); }\n ret; }",
    );
    let text = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&text);
    let launch = LaunchOptions::new(1, 2)
        .on_print(move |bytes| sink.lock().expect("no panic").extend_from_slice(bytes));
    device.load(&source).expect("right").kernel("k").expect("there").launch(&launch).expect("it runs");
    assert_eq!(*text.lock().expect("no panic"), b"hi\nhi\n");
}

#[test]
fn buffers_are_typed_and_free_themselves() {
    let device = Device::default();
    let buffer = Buffer::from_slice(&device, &[1u16, 2, 3]).expect("memory");
    assert_eq!((buffer.size(), buffer.to_vec::<u16>()), (6, vec![1, 2, 3]));
    assert_eq!(buffer.to_vec::<u32>(), [0x0002_0001]);
    buffer.write(&[-1i8]).expect("it fits");
    assert_eq!(buffer.to_bytes(), [255, 0, 2, 0, 3, 0]);
    assert!(buffer.write(&[0u64]).is_err());
    buffer.fill(9);
    assert_eq!(buffer.to_bytes(), [9; 6]);
    let address = buffer.address();
    drop(buffer);
    assert!(device.read(address, &mut [0]).is_err());
}
