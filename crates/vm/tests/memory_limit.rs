//! What a guest can make its host's memory grow by, and where that ends: a limit that is told, after which the device
//! works as before.

use std::time::Duration;

use ptxvm_vm::{Asynchrony, Buffer, Device, DeviceOptions, Failure, LaunchOptions, Limit, Module, Settings};

const MIB: u64 = 1 << 20;

fn device(max_memory: u64) -> Device {
    Device::with_options(Default::default(), DeviceOptions::default().max_memory(max_memory))
}

fn load(device: &Device, body: &str) -> Module {
    let source = format!(".version 9.1\n.target sm_90a\n.address_size 64\n{body}");
    device.load(&source).unwrap_or_else(|e| panic!("{e}"))
}

/// Launches `k`, which must reach the limit of memory, and sees to it that nothing of it stays.
fn reaches_the_limit(device: &Device, body: &str, grid: u32, block: u32) {
    let module = load(device, body);
    let before = device.budget().used();
    let timeout = Some(Duration::from_secs(60));
    for threads in [1, 2] {
        let launch = LaunchOptions {
            settings: Settings { timeout, threads, ..Settings::default() },
            ..LaunchOptions::new(grid, block)
        };
        let failure = module.kernel("k").expect("there").launch(&launch).expect_err("it takes too much");
        let Failure::Limit(Limit::Memory(over)) = failure else { panic!("{failure}") };
        assert_eq!(over.limit, device.budget().limit());
        assert!(over.requested > 0);
    }
    assert!(device.budget().peak() <= device.budget().limit());
    // What is kept for the next launch of the kernel goes with it.
    drop(module);
    let left = device.budget().used() - before.min(device.budget().used());
    assert!(left < MIB, "{left} bytes");
    works(device);
}

fn works(device: &Device) {
    let module = load(
        device,
        ".visible .entry k(.param .u64 p) { .reg .b64 %p; ld.param.u64 %p, [p]; st.global.u32 [%p], 7; ret; }",
    );
    let out = Buffer::new(device, 4).expect("there is room");
    let launch = LaunchOptions::new(1, 1).argument(&out);
    module.kernel("k").expect("there").launch(&launch).expect("it runs");
    assert_eq!(out.to_vec::<u32>(), [7]);
}

/// Each CTA has 16 MiB of local memory and waits for somebody who never comes, so that more and more are begun.
#[test]
fn local_memory_of_waiting_ctas_is_limited() {
    let body = ".global .u32 flag;
        .visible .entry k() {
            .local .align 8 .b8 l[65536]; .reg .b32 %v; .reg .b64 %a; .reg .pred %p;
            mov.u64 %a, l; st.local.b32 [%a], 1;
        SPIN: ld.volatile.global.u32 %v, [flag]; setp.eq.u32 %p, %v, 0; @%p bra SPIN;
            ret;
        }";
    reaches_the_limit(&device(100 * MIB), body, 100, 256);
}

#[test]
fn shared_memory_of_waiting_ctas_is_limited() {
    let body = ".global .u32 flag;
        .visible .entry k() {
            .shared .align 8 .b8 s[40000]; .reg .b32 %v; .reg .pred %p;
            st.shared.b32 [s], 1;
        SPIN: ld.volatile.global.u32 %v, [flag]; setp.eq.u32 %p, %v, 0; @%p bra SPIN;
            ret;
        }";
    reaches_the_limit(&device(8 * MIB), body, 1000, 32);
}

/// Every lane goes down a recursion of its own and waits at the bottom: 32 times the depth of activations a warp.
#[test]
fn registers_of_divergent_recursions_are_limited() {
    let targets: Vec<String> = (0..32).map(|lane| format!("L{lane}")).collect();
    let sites: String = targets
        .iter()
        .map(|label| format!("{label}: {{ .param .b32 a; st.param.b32 [a], 300; call f, (a); }} bra END;\n"))
        .collect();
    let moves: String = (0..60).map(|n| format!("mov.b64 %x{n}, %n; ")).collect();
    let sums: String = (0..60).map(|n| format!("add.s64 %n, %n, %x{n}; ")).collect();
    let body = format!(
        ".global .u32 flag;
        .func f(.param .b32 depth) {{
            .reg .b32 %d, %v; .reg .b64 %n, %x<60>; .reg .pred %p;
            ld.param.u32 %d, [depth]; cvt.u64.u32 %n, %d; {moves}
            setp.eq.u32 %p, %d, 0; @%p bra SPIN;
            sub.u32 %d, %d, 1;
            {{ .param .b32 a; st.param.b32 [a], %d; call f, (a); }}
            {sums} st.global.u32 [flag], %n;
            ret;
        SPIN: ld.volatile.global.u32 %v, [flag]; setp.eq.u32 %p, %v, 0; @%p bra SPIN;
            ret;
        }}
        .visible .entry k() {{
            .reg .b32 %lane; mov.u32 %lane, %laneid;
            T: .branchtargets {};
            brx.idx %lane, T;
            {sites}
        END: ret;
        }}",
        targets.join(", ")
    );
    reaches_the_limit(&device(48 * MIB), &body, 1, 32);
}

/// Copies that nobody waits for: what has been read of them is bounded, and they all arrive.
#[test]
fn copies_under_way_are_limited_and_none_is_lost() {
    let body = ".visible .entry k(.param .u64 p) {
            .shared .align 128 .b8 s[65536]; .reg .b64 %p; .reg .b32 %i; .reg .pred %q;
            ld.param.u64 %p, [p]; mov.u32 %i, 0; st.shared.u32 [s], 5;
            fence.proxy.async.shared::cta;
        LOOP: cp.async.bulk.global.shared::cta.bulk_group [%p], [s], 65536;
            cp.async.bulk.commit_group;
            cp.async.bulk.wait_group.read 0;
            add.u64 %p, %p, 65536; add.u32 %i, %i, 1;
            setp.lt.u32 %q, %i, 128; @%q bra LOOP;
            ret;
        }";
    let device = device(12 * MIB);
    let module = load(&device, body);
    let out = Buffer::new(&device, 128 * 65536).expect("8 MiB");
    for asynchrony in Asynchrony::ALL {
        out.write(&vec![0u8; 128 * 65536]).expect("as large");
        let launch = LaunchOptions {
            settings: Settings { asynchrony, ..Settings::default() },
            ..LaunchOptions::new(1, 1).argument(&out)
        };
        module.kernel("k").expect("there").launch(&launch).expect("it runs");
        let words = out.to_vec::<u32>();
        assert!(words.chunks(16384).all(|chunk| chunk[0] == 5), "{asynchrony:?}");
    }
    assert!(device.budget().peak() <= 12 * MIB);
}

/// A kernel whose one CTA needs more than there is says how much that is.
#[test]
fn a_cta_that_cannot_begin_says_what_it_needs() {
    let body = ".visible .entry k() { .local .align 8 .b8 l[262144]; .reg .b64 %a; mov.u64 %a, l;
        st.local.b32 [%a], 1; ret; }";
    let device = device(100 * MIB);
    let module = load(&device, body);
    let failure =
        module.kernel("k").expect("there").launch(&LaunchOptions::new(1, 1024)).expect_err("256 MiB");
    let Failure::Limit(Limit::Memory(over)) = failure else { panic!("{failure}") };
    assert!((256 * MIB..300 * MIB).contains(&over.requested), "{over:?}");
    works(&device);
}

/// Memory that is taken at run time is limited like that which a kernel declares.
#[test]
fn alloca_is_limited() {
    let body = ".global .u32 flag;
        .visible .entry k() {
            .reg .b64 %p; .reg .b32 %v; .reg .pred %q; alloca.u64 %p, 200000; st.local.u32 [%p], 1;
        SPIN: ld.volatile.global.u32 %v, [flag]; setp.eq.u32 %q, %v, 0; @%q bra SPIN;
            ret;
        }";
    reaches_the_limit(&device(40 * MIB), body, 1, 256);
}

/// What kernels keep for their next launch gives way to what is asked for.
#[test]
fn many_kernels_do_not_use_memory_up() {
    let device = device(16 * MIB);
    let body = ".visible .entry k() { .shared .align 8 .b8 s[40000]; st.shared.b32 [s], 1; ret; }";
    let modules: Vec<Module> = (0..600).map(|_| load(&device, body)).collect();
    let kernels: Vec<_> = modules.iter().map(|module| module.kernel("k").expect("there")).collect();
    for kernel in &kernels {
        kernel.launch(&LaunchOptions::new(4, 32)).expect("it runs");
    }
    assert!(device.budget().used() <= 12 * MIB, "{}", device.budget().used());
    Buffer::new(&device, 3 << 20).expect("there is room");
}
