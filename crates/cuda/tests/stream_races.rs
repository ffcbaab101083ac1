//! `PTXVM_CHECK=race` and several streams: launches, copies and fills that touch the same bytes, of which neither comes after the
//! other by streams, events or waiting, race whichever of them ran first. The checks are the process's, so each case runs in a
//! process of its own.

mod client;

use std::ffi::c_void;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use client::{Context, Handle, Module, answer, call, launch, make};
use serde_json::Value;

/// Which case a child plays.
const CASE: &str = "PTXVM_TEST_CASE";

const BLOCKING: u32 = 0;
const NON_BLOCKING: u32 = 1;

/// Each kernel has a buffer of 128 words, one for each thread of a warp in each quarter.
const KERNELS: &[(&str, &str)] = &[
    ("writes", "st.global.u32 [%p], %t;"),
    ("reads", "ld.global.u32 %v, [%p];"),
    ("reads_the_next", "ld.global.u32 %v, [%p+128];"),
    ("writes_bytes", "st.global.u8 [%p+1], %t;"),
    ("reads_bytes", "ld.global.u8 %v, [%p+1];"),
    ("reads_other_bytes", "ld.global.u8 %v, [%p+2];"),
    ("counts", "red.relaxed.gpu.global.add.u32 [%p], 1;"),
    ("tells", "st.global.u32 [%p+256], %t; st.release.gpu.global.u32 [%p], 1;"),
    ("hears", "ld.acquire.gpu.global.u32 %v, [%p]; ld.global.u32 %v, [%p+256];"),
    ("tells_the_host", "st.global.u32 [%p], %t; st.release.sys.global.u32 [%p+256], 1;"),
];

fn source() -> String {
    let kernels = KERNELS.iter().map(|(name, body)| {
        format!(
            ".visible .entry {name}(.param .u64 at)\n{{
            .reg .b64 %p; .reg .b32 %t, %v;
            ld.param.u64 %p, [at]; mov.u32 %t, %tid.x; mad.wide.u32 %p, %t, 4, %p;
            {body} // {name}
            ret;\n}}\n"
        )
    });
    format!(".version 8.6\n.target sm_90\n.address_size 64\n{}", kernels.collect::<String>())
}

/// The line of a kernel's accesses.
fn line(name: &str) -> u64 {
    let source = source();
    1 + source[..source.find(&format!("// {name}\n")).expect("a kernel")].matches('\n').count() as u64
}

struct Played {
    context: Context,
    module: Module,
    at: u64,
    one: Handle,
    other: Handle,
}

impl Played {
    fn new() -> Self {
        let context = Context::new();
        let module = context.module(&source());
        let at = context.memory(512);
        let (one, other) = (context.stream(NON_BLOCKING), context.stream(NON_BLOCKING));
        call("cuMemsetD8_v2", (at, 0u8, 512usize));
        Self { context, module, at, one, other }
    }

    fn launch(&self, name: &str, stream: Handle) {
        assert_eq!(launch(self.module.kernel(name), [1; 3], [32, 1, 1], stream, &[self.at]), 0);
    }

    /// One kernel in each of the two streams.
    fn pair(&self, first: &str, second: &str) {
        self.launch(first, self.one);
        self.launch(second, self.other);
    }

    /// What a stream is given as a graph.
    fn graph(&self, stream: Handle, works: impl Fn()) {
        call("cuStreamBeginCapture_v2", (stream, 2u32));
        works();
        let graph = make("end", |made| answer("cuStreamEndCapture", (stream, made)));
        let exec = make("instantiate", |made| answer("cuGraphInstantiateWithFlags", (made, graph, 0u64)));
        call("cuGraphLaunch", (exec, stream));
    }

    /// The second stream waits for what the first has been given.
    fn event(&self) {
        let event = self.context.event(2);
        call("cuEventRecord", (event, self.one));
        call("cuStreamWaitEvent", (self.other, event, 0u32));
    }
}

static CALLED: AtomicBool = AtomicBool::new(false);

extern "C" fn told_the_host(_: *mut c_void) {
    CALLED.store(true, Ordering::Release);
}

/// The cases that race: the line of the second, and that of the first unless that is the host's.
fn wrong() -> Vec<(&'static str, u64, Option<u64>)> {
    let pair = |first, second| (line(second), Some(line(first)));
    let mut all: Vec<_> = [
        ("write and read", pair("writes", "reads")),
        ("read and write", pair("reads", "writes")),
        ("bytes of a word", pair("writes_bytes", "reads_bytes")),
        ("a count and a read", pair("counts", "reads")),
        ("the legacy stream", pair("writes", "reads")),
        ("an event recorded too early", pair("writes", "reads")),
        ("an event in the wrong direction", pair("writes", "reads")),
        ("a stream that is made later", pair("writes", "reads")),
        ("waiting for another stream", pair("writes", "reads")),
        ("a graph", pair("writes", "reads")),
    ]
    .into_iter()
    .map(|(case, (second, first))| (case, second, first))
    .collect();
    all.push(("a copy over what is read", line("reads"), None));
    all.push(("a copy of what is written", line("writes"), None));
    all.push(("a fill", line("reads"), None));
    all.push(("a copy first", line("reads"), None));
    all
}

/// The cases in which all is ordered, or nothing is shared.
const RIGHT: &[&str] = &[
    "one stream",
    "two reads",
    "other words",
    "other bytes",
    "an event",
    "an event of an event",
    "the host has waited",
    "the host has asked",
    "the host has synchronized the context",
    "a copy that waits",
    "blocking streams and the legacy stream",
    "both count",
    "they speak with each other",
    "one speaks with the host",
    "a host function",
    "a graph after an event",
    "a copy elsewhere",
    "a copy after an event",
    "two copies out",
    "memory that is given anew",
    "values in memory",
];

fn play(case: &str) {
    let played = Played::new();
    let Played { context, at, one, other, .. } = &played;
    let (at, one, other) = (*at, *one, *other);
    let host = make("host", |made| answer("cuMemHostAlloc", (made, 512usize, 0u32)));
    match case {
        "write and read" => played.pair("writes", "reads"),
        "read and write" => played.pair("reads", "writes"),
        "bytes of a word" => played.pair("writes_bytes", "reads_bytes"),
        "a count and a read" => played.pair("counts", "reads"),
        "the legacy stream" => {
            played.launch("writes", 0);
            played.launch("reads", one);
        }
        "an event recorded too early" => {
            let event = context.event(2);
            call("cuEventRecord", (event, one));
            played.launch("writes", one);
            call("cuStreamWaitEvent", (other, event, 0u32));
            played.launch("reads", other);
        }
        "an event in the wrong direction" => {
            played.launch("writes", one);
            let event = context.event(2);
            call("cuEventRecord", (event, other));
            call("cuStreamWaitEvent", (one, event, 0u32));
            played.launch("reads", other);
        }
        "a stream that is made later" => {
            played.launch("writes", one);
            played.launch("reads", context.stream(NON_BLOCKING));
        }
        "waiting for another stream" => {
            played.launch("writes", one);
            let third = context.stream(NON_BLOCKING);
            played.launch("reads_the_next", third);
            call("cuStreamSynchronize", (third,));
            played.launch("reads", other);
        }
        "a graph" => {
            played.launch("writes", one);
            played.graph(other, || played.launch("reads", other));
        }
        "a copy over what is read" => {
            played.launch("reads", one);
            call("cuMemcpyHtoDAsync_v2", (at, host, 512usize, other));
        }
        "a copy of what is written" => {
            played.launch("writes", one);
            call("cuMemcpyDtoHAsync_v2", (host, at, 512usize, other));
        }
        "a fill" => {
            played.launch("reads", one);
            call("cuMemsetD8Async", (at + 3, 1u8, 1usize, other));
        }
        "a copy first" => {
            call("cuMemcpyHtoDAsync_v2", (at, host, 512usize, other));
            played.launch("reads", one);
        }
        "one stream" => {
            played.launch("writes", one);
            call("cuMemcpyDtoHAsync_v2", (host, at, 512usize, one));
            played.launch("reads", one);
        }
        "two reads" => {
            played.pair("reads", "reads");
            call("cuMemcpyDtoHAsync_v2", (host, at, 512usize, other));
        }
        "other words" => played.pair("writes", "reads_the_next"),
        "other bytes" => played.pair("writes_bytes", "reads_other_bytes"),
        "an event" => {
            played.launch("writes", one);
            played.event();
            played.launch("reads", other);
        }
        "an event of an event" => {
            played.launch("writes", one);
            let (event, third) = (context.event(2), context.stream(NON_BLOCKING));
            call("cuEventRecord", (event, one));
            call("cuStreamWaitEvent", (third, event, 0u32));
            call("cuEventRecord", (event, third));
            call("cuStreamWaitEvent", (other, event, 0u32));
            played.launch("reads", other);
        }
        "the host has waited" => {
            played.launch("writes", one);
            call("cuStreamSynchronize", (one,));
            played.launch("reads", other);
        }
        "the host has asked" => {
            played.launch("writes", one);
            let event = context.event(2);
            call("cuEventRecord", (event, one));
            while answer("cuEventQuery", (event,)) != 0 {}
            played.launch("reads", other);
        }
        "the host has synchronized the context" => {
            played.launch("writes", one);
            call("cuCtxSynchronize", ());
            played.launch("reads", other);
        }
        "a copy that waits" => {
            let blocking = context.stream(BLOCKING);
            played.launch("writes", blocking);
            call("cuMemcpyDtoH_v2", (host, at, 512usize));
            played.launch("writes", other);
        }
        "blocking streams and the legacy stream" => {
            let blocking = context.stream(BLOCKING);
            played.launch("writes", 0);
            played.launch("reads", blocking);
            played.launch("writes", 0);
            played.launch("reads", context.stream(BLOCKING));
        }
        "both count" => played.pair("counts", "counts"),
        "they speak with each other" => played.pair("tells", "hears"),
        "one speaks with the host" => played.pair("tells_the_host", "reads"),
        "a host function" => {
            played.launch("writes", one);
            call("cuLaunchHostFunc", (one, told_the_host as *const () as u64, 0u64));
            while !CALLED.load(Ordering::Acquire) {
                std::hint::spin_loop();
            }
            played.launch("reads", other);
        }
        "a graph after an event" => {
            played.graph(one, || played.launch("writes", one));
            played.event();
            played.graph(other, || played.launch("reads", other));
        }
        "a copy elsewhere" => {
            played.launch("writes", one);
            call("cuMemcpyHtoDAsync_v2", (at + 128, host, 128usize, other));
        }
        "a copy after an event" => {
            played.launch("writes", one);
            played.event();
            call("cuMemcpyDtoHAsync_v2", (host, at, 512usize, other));
        }
        "two copies out" => {
            call("cuMemcpyDtoHAsync_v2", (host, at, 512usize, one));
            played.launch("reads", other);
        }
        "memory that is given anew" => {
            let mut last = 0u64;
            for stream in [one, other] {
                let at = make("memory", |made| answer("cuMemAllocAsync", (made, 512usize, stream)));
                assert_eq!(launch(played.module.kernel("writes"), [1; 3], [32, 1, 1], stream, &[at]), 0);
                call("cuMemFreeAsync", (at, stream));
                while stream == one
                    && answer("cuPointerGetAttribute", (&mut last as *mut u64 as u64, 2u32, at)) == 0
                {
                }
            }
        }
        "values in memory" => {
            played.launch("writes", one);
            call("cuStreamWriteValue32_v2", (one, at + 384, 1u32, 0u32));
            call("cuStreamWaitValue32_v2", (other, at + 384, 1u32, 0u32));
            played.launch("reads", other);
        }
        case => panic!("no case is called {case}"),
    }
    call("cuCtxSynchronize", ());
}

/// The races that are told of a case, each as the line of the second and that of the first.
fn told(case: &str) -> Vec<(u64, Option<u64>)> {
    let file = format!("ptxvm-streams-{}-{}", std::process::id(), case.replace(' ', "-"));
    let report = std::env::temp_dir().join(file);
    let mut command = Command::new(std::env::current_exe().expect("a test has a path"));
    command.args(["--exact", "what_nothing_orders_races", "--nocapture"]).env(CASE, case);
    command.env("PTXVM_CHECK", "race").env("PTXVM_REPORT", &report);
    let output = command.output().expect("a child starts");
    assert!(output.status.success(), "{case}: {}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&report).unwrap_or_default();
    let _ = std::fs::remove_file(&report);
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("an object"));
    lines
        .filter(|line| line["kind"] == "finding")
        .map(|line| {
            assert_eq!(line["code"], "race", "{line}");
            assert!(line["notes"].to_string().contains("cudaStreamWaitEvent"), "{line}");
            (line["line"].as_u64().expect("a line"), line["related"][0]["line"].as_u64())
        })
        .collect()
}

#[test]
fn what_nothing_orders_races() {
    if let Ok(case) = std::env::var(CASE) {
        return play(&case);
    }
    for (case, second, first) in wrong() {
        // Which of the two ran first is chance, but for where they stand.
        let mut expected = [Some(second), first];
        expected.sort_unstable();
        let found: Vec<_> = told(case)
            .into_iter()
            .map(|(second, first)| {
                let mut lines = [Some(second), first];
                lines.sort_unstable();
                lines
            })
            .collect();
        assert_eq!(found, [expected], "{case}");
    }
    for case in RIGHT {
        assert_eq!(told(case), [], "{case}");
    }
}
