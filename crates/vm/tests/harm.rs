//! What a guest might do to its host, and cannot: what the fuzzer found, and what it was pointed at.

use std::time::{Duration, Instant};

use ptxvm_vm::{Buffer, Device, Failure, Kind, LaunchOptions, Limit, Module, Settings};

fn load(device: &Device, body: &str) -> Module {
    let source = format!(".version 9.1\n.target sm_90a\n.address_size 64\n{body}");
    device.load(&source).unwrap_or_else(|e| panic!("{e}"))
}

/// Launches the kernel `k` and gives how it failed, and after how long.
fn failure(module: &Module, launch: &LaunchOptions) -> (Failure, Duration) {
    let began = Instant::now();
    let failure = module.kernel("k").expect("there").launch(launch).expect_err("it does not end well");
    (failure, began.elapsed())
}

/// A function that goes on calling itself, each lane by a way of its own.
const DIVERGENT: &str = "
.func f(.param .b32 d)
{
    .reg .b32 %r<4>; .reg .pred %p;
    ld.param.u32 %r0, [d];
    mov.u32 %r1, %laneid;
    shr.u32 %r2, %r1, %r0;
    and.b32 %r2, %r2, 1;
    setp.eq.u32 %p, %r2, 0;
    add.u32 %r3, %r0, 1;
    @%p bra OTHER;
    { .param .b32 a; st.param.b32 [a], %r3; call f, (a); }
    ret;
OTHER:
    { .param .b32 a; st.param.b32 [a], %r3; call f, (a); }
    ret;
}
.visible .entry k() { .param .b32 a; st.param.b32 [a], 0; call f, (a); ret; }";

#[test]
fn the_limit_of_instructions_is_kept_to_the_block() {
    let device = Device::default();
    let module = load(
        &device,
        ".visible .entry k(.param .u64 p) { .reg .b64 %p; ld.param.u64 %p, [p];\n\
         L: red.global.add.u32 [%p], 1; bra L; }",
    );
    let counter = Buffer::new(&device, 4).expect("memory");
    let launch = LaunchOptions {
        settings: Settings { max_instructions: Some(1000), ..Settings::default() },
        ..LaunchOptions::new(1, 1).argument(&counter)
    };
    let (failure, _) = failure(&module, &launch);
    assert!(matches!(failure, Failure::Limit(Limit::Instructions(1000))), "{failure}");
    // Two instructions a round, and one more round at the most.
    let rounds = counter.to_vec::<u32>()[0];
    assert!((499..=501).contains(&rounds), "{rounds} rounds");
}

#[test]
fn a_guest_that_prints_megabytes_is_stopped_in_time() {
    let device = Device::default();
    let module = load(
        &device,
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n\
         .global .b8 text[10] = {37, 57, 57, 57, 57, 57, 57, 57, 100, 0};\n\
         .global .b64 zero = 0;\n\
         .visible .entry k() { .reg .b64 %f, %a; mov.u64 %f, text; cvta.global.u64 %f, %f;\n\
         mov.u64 %a, zero; cvta.global.u64 %a, %a;\n\
         L: { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %f; st.param.b64 [a], %a;\n\
         call (r), vprintf, (f, a); } bra L; }",
    );
    let launch = LaunchOptions {
        settings: Settings { timeout: Some(Duration::from_millis(50)), ..Settings::default() },
        ..LaunchOptions::new(1, 32)
    };
    let (failure, took) = failure(&module, &launch);
    assert!(matches!(failure, Failure::Limit(Limit::Time(_))), "{failure}");
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn recursions_without_end_overflow_the_stack_or_run_out_of_time() {
    let module = load(&Device::default(), DIVERGENT);
    let launch = LaunchOptions {
        settings: Settings { timeout: Some(Duration::from_millis(500)), ..Settings::default() },
        ..LaunchOptions::new(2, 64)
    };
    let (failure, took) = failure(&module, &launch);
    match failure {
        Failure::Limit(Limit::Time(_)) => {}
        Failure::Finding(finding) => assert_eq!(finding.kind, Kind::StackOverflow),
        other => panic!("{other}"),
    }
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn a_cta_sees_nothing_of_the_one_before_it() {
    let device = Device::default();
    let module = load(
        &device,
        ".visible .entry k(.param .u64 p) { .reg .b32 %r<4>; .reg .b64 %p, %l; .local .b32 l[4];\n\
         ld.param.u64 %p, [p]; mov.u32 %r0, %ctaid.x; mad.wide.u32 %p, %r0, 4, %p;\n\
         ld.local.u32 %r1, [l+4]; alloca.u64 %l, 5000; ld.local.u32 %r2, [%l+4096];\n\
         or.b32 %r1, %r1, %r2; st.global.u32 [%p], %r1;\n\
         st.local.u32 [l+4], -1; st.local.u32 [%l+4096], -1; ret; }",
    );
    let seen = Buffer::new(&device, 4 * 8).expect("memory");
    module.kernel("k").expect("there").launch(&LaunchOptions::new(8, 1).argument(&seen)).expect("it runs");
    assert_eq!(seen.to_vec::<u32>(), [0; 8]);
}

#[test]
fn a_kernel_with_too_much_local_memory_is_not_launched() {
    let module = load(
        &Device::default(),
        ".visible .entry k() { .reg .b64 %l; .local .b8 l[600000]; mov.u64 %l, l; st.local.u8 [%l], 1; ret; }",
    );
    let (failure, _) = failure(&module, &LaunchOptions::new(1, 1));
    match failure {
        Failure::Finding(finding) => assert_eq!(finding.kind, Kind::Launch),
        other => panic!("{other}"),
    }
}

#[test]
fn opaque_variables_have_no_address() {
    let module = load(&Device::default(), ".global .surfref picture;\n.global .u32 number;\n");
    assert_eq!(module.variable("picture"), None);
    assert!(module.variable("number").is_some());
}
