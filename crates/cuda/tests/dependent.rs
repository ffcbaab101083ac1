//! Dependent launches: which begin before the one before them has ended, what they find, and what comes after both.
//! The mode of asynchrony is the process's, so each test runs in one of its own.

mod client;
mod launch_ex;

use std::ffi::c_void;
use std::process::Command;

use client::{Context, Handle, Module, answer, call, launch, make, read};
use launch_ex::{Attribute, launch_ex};

/// `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`, `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT`
const SERIALIZATION: u32 = 6;
const EVENT: u32 = 7;
const DISABLE_TIMING: u32 = 2;
const ONE: [u32; 3] = [1, 1, 1];
const WARP: [u32; 3] = [32, 1, 1];

const KERNELS: &str = "
.version 8.6
.target sm_90
.address_size 64

// Lets its dependents go, works for a while, and then writes 7.
.visible .entry primary(.param .u64 at)
{
    .reg .u64 %at;
    .reg .u32 %i;
    .reg .pred %p;
    ld.param.u64 %at, [at];
    griddepcontrol.launch_dependents;
    mov.u32 %i, 0;
again:
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 20000;
    @%p bra again;
    st.volatile.global.u32 [%at], 7;
    ret;
}

// Notes what it finds before it waits and after.
.visible .entry waits(.param .u64 at)
{
    .reg .u64 %at;
    .reg .u32 %v;
    ld.param.u64 %at, [at];
    ld.volatile.global.u32 %v, [%at];
    st.global.u32 [%at+4], %v;
    griddepcontrol.launch_dependents;
    griddepcontrol.wait;
    ld.volatile.global.u32 %v, [%at];
    st.global.u32 [%at+8], %v;
    ret;
}

// Forgets to wait.
.visible .entry forgets(.param .u64 at)
{
    .reg .u64 %at;
    .reg .u32 %v;
    ld.param.u64 %at, [at];
    ld.volatile.global.u32 %v, [%at];
    st.global.u32 [%at+12], %v;
    ret;
}

// Comes after both.
.visible .entry after(.param .u64 at)
{
    .reg .u64 %at;
    .reg .u32 %v;
    ld.param.u64 %at, [at];
    ld.volatile.global.u32 %v, [%at];
    st.global.u32 [%at+16], %v;
    ret;
}
";

/// Runs a test again in a process of this mode. Gives whether that is this process.
fn in_mode(test: &str, mode: &str, seed: u32) -> bool {
    if std::env::var_os("PTXVM_TEST_ALONE").is_some() {
        return std::env::var("PTXVM_ASYNC").is_ok_and(|set| set == mode);
    }
    let mut command = Command::new(std::env::current_exe().expect("a test has a path"));
    command.args(["--exact", test, "--nocapture"]).env("PTXVM_TEST_ALONE", "1");
    let ran = command.env("PTXVM_ASYNC", mode).env("PTXVM_SEED", seed.to_string()).output();
    let ran = ran.expect("the test can be started again");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{mode} {seed}: {said}{}", String::from_utf8_lossy(&ran.stderr));
    false
}

fn start() -> (Context, Module, u64, Handle) {
    let context = Context::new();
    let module = context.module(KERNELS);
    let (at, stream) = (context.memory(32), context.stream(1));
    (context, module, at, stream)
}

/// Launches a kernel that may begin early.
fn early(kernel: Handle, stream: Handle, at: u64) {
    assert_eq!(launch_ex(kernel, ONE, stream, &[Attribute::new(SERIALIZATION, &[1])], &[at]), 0);
}

fn plain(kernel: Handle, stream: Handle, at: u64) {
    assert_eq!(launch(kernel, ONE, WARP, stream, &[at]), 0);
}

#[test]
fn lazily_what_is_not_waited_for_is_not_there() {
    if !in_mode("lazily_what_is_not_waited_for_is_not_there", "lazy", 0) {
        return;
    }
    let (_context, module, at, stream) = start();
    plain(module.kernel("primary"), stream, at);
    early(module.kernel("waits"), stream, at);
    plain(module.kernel("after"), stream, at);
    call("cuStreamSynchronize", (stream,));
    assert_eq!(read(at, 5), [7, 0, 7, 0, 7]);
    call("cuMemsetD8_v2", (at, 0u8, 32usize));
    plain(module.kernel("primary"), stream, at);
    early(module.kernel("forgets"), stream, at);
    plain(module.kernel("after"), stream, at);
    call("cuStreamSynchronize", (stream,));
    assert_eq!(read(at, 5), [7, 0, 0, 0, 7]);
    // Without the attribute the same kernel finds what was written.
    call("cuMemsetD8_v2", (at, 0u8, 32usize));
    plain(module.kernel("primary"), stream, at);
    plain(module.kernel("forgets"), stream, at);
    call("cuStreamSynchronize", (stream,));
    assert_eq!(read(at, 4), [7, 0, 0, 7]);
}

#[test]
fn eagerly_the_primary_has_ended() {
    if !in_mode("eagerly_the_primary_has_ended", "eager", 0) {
        return;
    }
    let (_context, module, at, stream) = start();
    plain(module.kernel("primary"), stream, at);
    early(module.kernel("waits"), stream, at);
    early(module.kernel("forgets"), stream, at);
    call("cuStreamSynchronize", (stream,));
    assert_eq!(read(at, 4), [7, 7, 7, 7]);
}

#[test]
fn a_chain_in_every_mode() {
    let mut here = false;
    for (mode, seed) in
        [("eager", 0), ("lazy", 0), ("seeded", 0), ("seeded", 1), ("seeded", 2), ("seeded", 3)]
    {
        here |= in_mode("a_chain_in_every_mode", mode, seed);
    }
    if !here {
        return;
    }
    let (context, module, at, stream) = start();
    let other = context.stream(1);
    for _ in 0..20 {
        call("cuMemsetD8Async", (at, 0u8, 32usize, stream));
        plain(module.kernel("primary"), stream, at);
        for _ in 0..4 {
            early(module.kernel("waits"), stream, at);
        }
        plain(module.kernel("after"), stream, at);
        // An event of the launch lets another stream begin, which is never before the kernels have let it.
        let event = context.event(DISABLE_TIMING);
        let fired = Attribute::new(EVENT, &[event as u32, (event >> 32) as u32, 0, 0]);
        assert_eq!(launch_ex(module.kernel("waits"), ONE, stream, &[fired], &[at]), 0);
        call("cuStreamWaitEvent", (other, event, 0u32));
        plain(module.kernel("forgets"), other, at);
        call("cuStreamSynchronize", (other,));
        call("cuStreamSynchronize", (stream,));
        let found = read(at, 5);
        assert_eq!((found[0], found[2], found[3], found[4]), (7, 7, 7, 7));
    }
}

#[test]
fn graphs_keep_programmatic_edges() {
    if !in_mode("graphs_keep_programmatic_edges", "lazy", 0) {
        return;
    }
    let (_context, module, at, stream) = start();
    call("cuStreamBeginCapture_v2", (stream, 2u32));
    call("cuMemsetD8Async", (at, 0u8, 32usize, stream));
    // After something that is no kernel, the attribute says nothing.
    early(module.kernel("primary"), stream, at);
    early(module.kernel("forgets"), stream, at);
    plain(module.kernel("after"), stream, at);
    let graph = make("cuStreamEndCapture", |made| answer("cuStreamEndCapture", (stream, made)));
    let (mut from, mut to, mut data, mut count) = ([0u64; 3], [0u64; 3], [0u64; 3], 3usize);
    let places = (from.as_mut_ptr(), to.as_mut_ptr(), data.as_mut_ptr());
    call("cuGraphGetEdges_v2", (graph, places.0, places.1, places.2, &raw mut count));
    // From the port at which the kernel lets its dependents go, of the programmatic kind.
    assert_eq!((count, data), (3, [0, 0x1_00_01, 0]));
    let exec = make("instantiate", |made| answer("cuGraphInstantiateWithFlags", (made, graph, 0u64)));
    for _ in 0..3 {
        call("cuGraphLaunch", (exec, stream));
        call("cuStreamSynchronize", (stream,));
        assert_eq!(read(at, 5), [7, 0, 0, 0, 7]);
    }
    let none = std::ptr::null::<c_void>();
    assert_eq!(answer("cuGraphLaunch", (none, none)), 1, "no graph");
}
