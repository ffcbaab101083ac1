//! `PTXVM_CHECK=race` and dependent launches: what a grid touches before it has waited for the one before it
//! (`griddepcontrol.wait`) races with what that does, in every mode of `--async`, whichever of them ran first.
//! The checks are the process's, so each case runs in a process of its own.

mod client;
mod launch_ex;

use std::collections::BTreeSet;
use std::process::Command;

use client::{Context, Handle, Module, answer, call, launch, make};
use launch_ex::{Attribute, launch_ex};
use serde_json::Value;

/// Which case a child plays.
const CASE: &str = "PTXVM_TEST_CASE";

/// `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`
const SERIALIZATION: u32 = 6;
const ONE: [u32; 3] = [1, 1, 1];
const WARP: [u32; 3] = [32, 1, 1];

const HEAD: &str = ".version 8.6\n.target sm_90\n.address_size 64\n";

/// The body of each kernel, where %p is the thread's word of the buffer and %t the thread. Races are between the lines that are
/// marked: `// writes`, `// reads` and `// counts` of the first kernel, and the other mark of the second.
const FIRST: &[(&str, &str)] = &[
    (
        "lets_go",
        "griddepcontrol.launch_dependents;
        st.global.u32 [%p], 7; // writes
        ld.global.u32 %v, [%p+128]; // reads
        red.relaxed.gpu.global.add.u32 [%p+256], 1; // counts",
    ),
    // One that lets nobody go has ended when others begin.
    ("holds", "st.global.u32 [%p], 7; ld.global.u32 %v, [%p+128];"),
];

/// The kernels that depend on it, what of the first races with which mark, and their bodies.
const SECOND: &[(&str, &str, &str)] = &[
    ("forgets", "writes", "ld.global.u32 %v, [%p]; // here"),
    (
        "waits_late",
        "writes",
        "ld.global.u32 %v, [%p]; // here\n griddepcontrol.wait; ld.global.u32 %v, [%p];",
    ),
    ("overwrites", "reads", "st.global.u32 [%p+128], 1; // here\n griddepcontrol.wait;"),
    ("writes_too", "writes", "st.global.u32 [%p], 1; // here\n griddepcontrol.wait;"),
    ("counts_weakly", "counts", "ld.global.u32 %v, [%p+256]; // here\n griddepcontrol.wait;"),
    (
        "only_one_waits",
        "writes",
        "setp.ne.u32 %q, %t, 0; @%q bra ON; griddepcontrol.wait;
        ON: ld.global.u32 %v, [%p]; // here",
    ),
    (
        "copies_before",
        "writes",
        "mov.u32 %v, tile; mad.lo.u32 %v, %t, 4, %v; cp.async.ca.shared.global [%v], [%p], 4; // here
        cp.async.wait_all; griddepcontrol.wait;",
    ),
    ("waits", "", "griddepcontrol.wait; ld.global.u32 %v, [%p]; st.global.u32 [%p+128], %v;"),
    (
        "one_waits_for_all",
        "",
        "setp.ne.u32 %q, %t, 0; @%q bra ON; griddepcontrol.wait; ON: bar.sync 0; ld.global.u32 %v, [%p];",
    ),
    (
        "prepares",
        "",
        "ld.global.u32 %v, [%p+384]; prefetch.global.L2 [%p]; st.global.u32 [%p+512], %v;
        griddepcontrol.wait; ld.global.u32 %v, [%p];",
    ),
    ("counts_too", "", "red.relaxed.gpu.global.add.u32 [%p+256], 1; griddepcontrol.wait;"),
];

fn kernel(name: &str, body: &str) -> String {
    format!(
        ".visible .entry {name}(.param .u64 at)\n{{
        .shared .align 16 .b8 tile[128];
        .reg .b64 %p; .reg .b32 %t, %v; .reg .pred %q;
        ld.param.u64 %p, [at]; mov.u32 %t, %tid.x; mad.wide.u32 %p, %t, 4, %p;
        {body}
        ret;\n}}\n"
    )
}

fn first_kernels() -> String {
    FIRST.iter().map(|(name, body)| kernel(name, body)).collect()
}

fn second_kernels() -> String {
    SECOND.iter().map(|(name, _, body)| kernel(name, body)).collect()
}

fn source() -> String {
    format!("{HEAD}{}{}", first_kernels(), second_kernels())
}

/// The line of a mark in a kernel.
fn line(source: &str, name: &str, mark: &str) -> u64 {
    let from = source.find(&format!(".entry {name}(")).expect("the kernel");
    let at = from + source[from..].find(&format!("// {mark}")).expect("the mark");
    1 + source[..at].matches('\n').count() as u64
}

/// Launches a kernel that may begin early.
fn early(kernel: Handle, stream: Handle, at: u64) {
    assert_eq!(launch_ex(kernel, ONE, stream, &[Attribute::new(SERIALIZATION, &[1])], &[at]), 0);
}

fn plain(kernel: Handle, stream: Handle, at: u64) {
    assert_eq!(launch(kernel, ONE, WARP, stream, &[at]), 0);
}

struct Played {
    context: Context,
    module: Module,
    at: u64,
    stream: Handle,
}

impl Played {
    fn new() -> Self {
        let context = Context::new();
        let module = context.module(&source());
        let (at, stream) = (context.memory(1024), context.stream(1));
        call("cuMemsetD8_v2", (at, 0u8, 1024usize));
        Self { context, module, at, stream }
    }

    fn kernel(&self, name: &str) -> Handle {
        self.module.kernel(name)
    }

    fn pair(&self, first: &str, second: &str) {
        plain(self.kernel(first), self.stream, self.at);
        early(self.kernel(second), self.stream, self.at);
    }

    /// Captures what `launches` gives the stream and runs it as a graph.
    fn as_graph(&self, launches: impl Fn()) {
        call("cuStreamBeginCapture_v2", (self.stream, 2u32));
        launches();
        let graph = make("end", |made| answer("cuStreamEndCapture", (self.stream, made)));
        let exec = make("instantiate", |made| answer("cuGraphInstantiateWithFlags", (made, graph, 0u64)));
        call("cuGraphLaunch", (exec, self.stream));
    }
}

/// The example of the page, with its `+` line or without.
fn example(right: bool) -> String {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/findings/race.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let (_, section) = page.split_once("## A wait for the grid before").expect("the section");
    let (section, _) = section.split_once("\n## ").expect("another one after it");
    let code = section.lines().filter_map(|line| line.strip_prefix("    "));
    code.filter(|line| right || !line.starts_with('+'))
        .map(|line| line.replacen('+', " ", usize::from(line.starts_with('+'))) + "\n")
        .collect()
}

/// What a case gives the streams.
fn play(case: &str) {
    let played = Played::new();
    let Played { context, at, stream, .. } = &played;
    match case {
        "two modules" => {
            let other = context.module(&format!("{HEAD}// another text\n{}", first_kernels()));
            plain(other.kernel("lets_go"), *stream, *at);
            early(played.kernel("forgets"), *stream, *at);
            call("cuStreamSynchronize", (*stream,));
        }
        "the page, wrong" | "the page, right" => {
            let module = context.module(&example(case.ends_with("right")));
            plain(module.kernel("fill"), *stream, *at);
            early(module.kernel("double"), *stream, *at);
            call("cuStreamSynchronize", (*stream,));
        }
        "without the attribute" => {
            plain(played.kernel("lets_go"), *stream, *at);
            plain(played.kernel("forgets"), *stream, *at);
        }
        "the host has waited" => {
            plain(played.kernel("lets_go"), *stream, *at);
            call("cuStreamSynchronize", (*stream,));
            early(played.kernel("forgets"), *stream, *at);
        }
        "something between" => {
            plain(played.kernel("lets_go"), *stream, *at);
            call("cuMemsetD8Async", (*at + 768, 0u8, 32usize, *stream));
            early(played.kernel("forgets"), *stream, *at);
        }
        "nobody is let go" => played.pair("holds", "forgets"),
        "an event" => {
            let (event, other) = (context.event(2), context.stream(1));
            plain(played.kernel("lets_go"), *stream, *at);
            call("cuEventRecord", (event, *stream));
            call("cuStreamWaitEvent", (other, event, 0u32));
            early(played.kernel("forgets"), other, *at);
            call("cuStreamSynchronize", (other,));
        }
        "the one after the next" => {
            played.pair("lets_go", "waits");
            plain(played.kernel("forgets"), *stream, *at);
        }
        "a graph" => played.as_graph(|| played.pair("lets_go", "forgets")),
        "a plain graph" => played.as_graph(|| {
            plain(played.kernel("lets_go"), *stream, *at);
            plain(played.kernel("forgets"), *stream, *at);
        }),
        second => played.pair("lets_go", second),
    }
    call("cuStreamSynchronize", (*stream,));
}

/// The races that are told of a case, each as the lines of the first kernel and of the second.
fn told(case: &str, (mode, seed): (&str, u32)) -> BTreeSet<(u64, u64)> {
    let file = case.replace(' ', "-");
    let report = std::env::temp_dir().join(format!("ptxvm-dependent-{}-{file}-{mode}", std::process::id()));
    let mut command = Command::new(std::env::current_exe().expect("a test has a path"));
    command.args(["--exact", "what_is_not_waited_for_races", "--nocapture"]).env(CASE, case);
    command.env("PTXVM_CHECK", "race").env("PTXVM_REPORT", &report);
    command.env("PTXVM_ASYNC", mode).env("PTXVM_SEED", seed.to_string());
    let output = command.output().expect("a child starts");
    assert!(output.status.success(), "{case}: {}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&report).unwrap_or_default();
    let _ = std::fs::remove_file(&report);
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("an object"));
    lines
        .filter(|line| line["kind"] == "finding")
        .map(|line| {
            assert_eq!(line["code"], "race", "{line}");
            assert!(line["notes"].to_string().contains("griddepcontrol.wait"), "{line}");
            (line["related"][0]["line"].as_u64().expect("a line"), line["line"].as_u64().expect("a line"))
        })
        .collect()
}

#[test]
fn what_is_not_waited_for_races() {
    if let Ok(case) = std::env::var(CASE) {
        return play(&case);
    }
    let source = source();
    let race = |mark: &str, second: &str| (line(&source, "lets_go", mark), line(&source, second, "here"));
    let mut cases: Vec<(&str, BTreeSet<(u64, u64)>)> = SECOND
        .iter()
        .map(|(name, mark, _)| (*name, (!mark.is_empty()).then(|| race(mark, name)).into_iter().collect()))
        .collect();
    cases.push(("a graph", BTreeSet::from([race("writes", "forgets")])));
    // There the text has one line more before it.
    let (first, second) = race("writes", "forgets");
    cases.push(("two modules", BTreeSet::from([(first + 1, second)])));
    let page = example(false);
    let of = |text: &str| 1 + page[..page.find(text).expect("the line")].matches('\n').count() as u64;
    cases
        .push(("the page, wrong", BTreeSet::from([(of("st.global.u32 [%at], %t"), of("ld.global.u32 %v"))])));
    for right in [
        "the page, right",
        "without the attribute",
        "the host has waited",
        "something between",
        "nobody is let go",
        "an event",
        "the one after the next",
        "a plain graph",
    ] {
        cases.push((right, BTreeSet::new()));
    }
    for (case, expected) in cases {
        for mode in [("eager", 0), ("lazy", 0), ("seeded", 0), ("seeded", 1)] {
            assert_eq!(told(case, mode), expected, "{case}, {mode:?}");
        }
    }
}
