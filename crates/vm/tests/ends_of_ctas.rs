//! What becomes of asynchronous operations whose CTA ends: which of them are wrong, and which go on; and the events that
//! tell of them.

use std::sync::{Arc, Mutex};

use ptxvm_vm::{
    Asynchrony, Buffer, Device, Failure, Kind, LaunchOptions, Pointer, Profile, Settings, Statistics, What,
};

/// A kernel of one thread with a buffer in shared memory that holds 7s, an mbarrier, and two buffers of global memory.
fn kernel(body: &str) -> String {
    kernel_for("sm_90a", body)
}

fn kernel_for(target: &str, body: &str) -> String {
    format!(
        ".version 9.1\n.target {target}\n.address_size 64\n\
         .visible .entry k(.param .u64 a, .param .u64 b)\n{{\n\
         .shared .align 16 .b8 sm[1024]; .shared .align 8 .b64 mb; .shared .b32 flag;\n\
         .reg .pred %p<4>; .reg .b32 %r<8>, %sm, %mb, %cta; .reg .b64 %a, %b, %d<4>;\n\
         ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; mov.u32 %sm, sm; mov.u32 %mb, mb; mov.u32 %cta, %ctaid.x;\n\
         mov.u32 %r0, 0;\n\
         FILL: add.u32 %r1, %sm, %r0; st.shared.u32 [%r1], 7; add.u32 %r0, %r0, 4; setp.lt.u32 %p0, %r0, 1024;\n\
         @%p0 bra FILL; fence.proxy.async;\n{body}\nret;\n}}\n"
    )
}

struct Ran {
    result: Result<Statistics, Failure>,
    a: Vec<u32>,
    b: Vec<u32>,
    /// The names of the events, and the ranks of their CTAs.
    events: Vec<(&'static str, u32)>,
}

impl Ran {
    #[track_caller]
    fn well(self) -> Ran {
        assert!(self.result.is_ok(), "{:?}", self.result);
        self
    }

    #[track_caller]
    fn finding(&self) -> String {
        match &self.result {
            Err(Failure::Finding(finding)) if finding.kind == Kind::Misuse => {
                format!("{} {}", finding.message, finding.notes.join(" "))
            }
            other => panic!("no such finding: {other:?}"),
        }
    }
}

/// Runs a kernel on buffers of 256 words: `a` counts up, `b` holds zeros.
fn run(source: &str, ctas: u32, cluster: u32, asynchrony: Asynchrony, seed: u64) -> Ran {
    let name = if source.contains("sm_100") { "b200" } else { "h200" };
    let device = Device::new(Profile::named(name).expect("a profile"));
    let module = device.load(source).unwrap_or_else(|e| panic!("{e}"));
    let words: Vec<u8> = (0..256u32).flat_map(u32::to_le_bytes).collect();
    let (a, b) = (Buffer::new(&device, 1024).expect("memory"), Buffer::new(&device, 1024).expect("memory"));
    a.write(&words).expect("as long");
    b.write(&[0u8; 1024]).expect("as long");
    let events = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&events);
    let options = LaunchOptions {
        cluster: Some(cluster.into()),
        settings: Settings { asynchrony, seed, max_instructions: Some(10_000_000), ..Settings::default() },
        ..LaunchOptions::new(ctas, 1).argument(Pointer(a.address())).argument(Pointer(b.address()))
    }
    .on_event(move |event| log.lock().expect("whole").push((event.what.name(), event.rank)));
    let result = module.kernel("k").expect("an entry").launch(&options);
    let words = |buffer: &Buffer| {
        let bytes = buffer.to_bytes();
        bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
    };
    let events = events.lock().expect("whole").clone();
    Ran { result, a: words(&a), b: words(&b), events }
}

const STORE: &str =
    "cp.async.bulk.global.shared::cta.bulk_group [%b], [%sm], 1024; cp.async.bulk.commit_group;";
const LOAD: &str = "mbarrier.init.shared.b64 [%mb], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%mb], 1024;\
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%sm], [%a], 1024, [%mb];";

#[test]
fn a_store_whose_source_was_not_read() {
    let source = kernel(STORE);
    assert_eq!(run(&source, 1, 1, Asynchrony::Eager, 0).well().b, [7; 256]);
    let said = run(&source, 1, 1, Asynchrony::Lazy, 0).finding();
    assert!(
        said.contains("a bulk copy of 1024 bytes from the shared memory of CTA 0 to global memory"),
        "{said}"
    );
    assert!(said.contains("reads its shared memory") && said.contains("wait_group.read"), "{said}");
}

#[test]
fn a_store_whose_source_was_read_arrives_before_the_launch_is_over() {
    let source = kernel(&format!("{STORE} cp.async.bulk.wait_group.read 0;"));
    for asynchrony in Asynchrony::ALL {
        for seed in 0..10 {
            assert_eq!(run(&source, 1, 1, asynchrony, seed).well().b, [7; 256], "{asynchrony:?} {seed}");
        }
    }
}

#[test]
fn a_source_that_was_read_may_be_overwritten() {
    let source = kernel(&format!("{STORE} cp.async.bulk.wait_group.read 0; st.shared.u32 [%sm], 1;"));
    for asynchrony in Asynchrony::ALL {
        assert_eq!(run(&source, 1, 1, asynchrony, 3).well().b, [7; 256], "{asynchrony:?}");
    }
    let early = kernel(&format!("{STORE} st.shared.u32 [%sm], 1; cp.async.bulk.wait_group 0;"));
    assert_eq!(run(&early, 1, 1, Asynchrony::Lazy, 0).well().b[..2], [1, 7]);
    assert_eq!(run(&early, 1, 1, Asynchrony::Eager, 0).well().b[..2], [7, 7]);
}

#[test]
fn a_load_that_nobody_waited_for() {
    let said = run(&kernel(LOAD), 1, 1, Asynchrony::Lazy, 0).finding();
    assert!(said.contains("from global memory to the shared memory of CTA 0"), "{said}");
    assert!(said.contains("writes to its shared memory") && said.contains("mbarrier"), "{said}");
    run(&kernel(LOAD), 1, 1, Asynchrony::Eager, 0).well();
}

/// CTA 0 waits until CTA 1 is ready, copies into its memory, and ends. CTA 1 waits for the copy.
fn handed_over() -> String {
    kernel(
        "setp.eq.u32 %p1, %cta, 0; @%p1 bra GIVE;\n\
         mbarrier.init.shared.b64 [%mb], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%mb], 1024;\n\
         mov.u32 %r2, flag; st.volatile.shared.u32 [%r2], 1;\n\
         W: mbarrier.try_wait.parity.shared.b64 %p2, [%mb], 0; @!%p2 bra W;\n\
         mov.u32 %r0, 0;\n\
         OUT: add.u32 %r1, %sm, %r0; ld.shared.u32 %r3, [%r1]; cvt.u64.u32 %d0, %r0; add.u64 %d0, %d0, %b;\n\
         st.global.u32 [%d0], %r3; add.u32 %r0, %r0, 4; setp.lt.u32 %p0, %r0, 1024; @%p0 bra OUT; ret;\n\
         GIVE: mov.u32 %r2, flag; or.b32 %r2, %r2, 0x1000000; or.b32 %sm, %sm, 0x1000000;\n\
         or.b32 %mb, %mb, 0x1000000;\n\
         ASK: ld.volatile.shared::cluster.u32 %r3, [%r2]; setp.eq.u32 %p2, %r3, 0; @%p2 bra ASK;\n\
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%sm], [%a], 1024, [%mb];",
    )
}

#[test]
fn what_an_ended_cta_issued_goes_on_in_another() {
    let counted: Vec<u32> = (0..256).collect();
    for asynchrony in Asynchrony::ALL {
        for seed in 0..10 {
            assert_eq!(
                run(&handed_over(), 2, 2, asynchrony, seed).well().b,
                counted,
                "{asynchrony:?} {seed}"
            );
        }
    }
    let events = run(&handed_over(), 2, 2, Asynchrony::Lazy, 0).well().events;
    let at = |wanted| events.iter().position(|event| *event == wanted).expect("it happened");
    assert!(at(("cta-ended", 0)) < at(("completed", 0)), "not forced by the end of its CTA: {events:?}");
    assert!(at(("completed", 0)) < at(("cta-ended", 1)), "{events:?}");
}

#[test]
fn a_cta_that_ends_before_others_have_written_to_it() {
    // CTA 1 does not wait.
    let careless = handed_over().replace("W: mbarrier.try_wait.parity.shared.b64 %p2, [%mb], 0; @!%p2 bra W;", "")
        .replace("@%p0 bra OUT; ret;", "@%p0 bra OUT; LATE: ld.volatile.global.u32 %r3, [%a]; setp.ne.u32 %p2, %r3, 99; @%p2 bra LATE; ret;")
        .replace("[%sm], [%a], 1024, [%mb];", "[%sm], [%a], 1024, [%mb]; st.global.u32 [%a], 99;");
    let mut shown = 0;
    for seed in 0..20 {
        let ran = run(&careless, 2, 2, Asynchrony::Seeded, seed);
        if let Err(Failure::Finding(finding)) = &ran.result {
            assert!(finding.message.contains("CTA 1 of the cluster ended while"), "{}", finding.message);
            shown += 1;
        }
    }
    assert!(shown > 0);
}

/// CTA 0 stores and waits for the reading only; CTA 1 reads where it stores.
fn looked_at(look: &str) -> String {
    kernel(&format!(
        "setp.ne.u32 %p1, %cta, 0; @%p1 bra LOOK; {STORE} cp.async.bulk.wait_group.read 0; ret;\n\
         LOOK: {look} st.global.u32 [%a], %r3;"
    ))
}

#[test]
fn another_cluster_cannot_rely_on_a_store_that_was_read_only() {
    let source = looked_at("ld.global.u32 %r3, [%b+64];");
    let seen = |asynchrony, seed| {
        let ran = run(&source, 2, 1, asynchrony, seed).well();
        assert_eq!(ran.b, [7; 256]);
        ran.a[0]
    };
    assert_eq!((seen(Asynchrony::Eager, 0), seen(Asynchrony::Lazy, 0)), (7, 0));
    let mut seeded: Vec<u32> = (0..20).map(|seed| seen(Asynchrony::Seeded, seed)).collect();
    seeded.sort_unstable();
    seeded.dedup();
    assert_eq!(seeded, [0, 7]);
}

#[test]
fn who_waits_for_a_store_in_a_loop_sees_it() {
    let source = looked_at("ld.volatile.global.u32 %r3, [%b+64]; setp.eq.u32 %p2, %r3, 0; @%p2 bra LOOK;");
    for asynchrony in Asynchrony::ALL {
        assert_eq!(run(&source, 2, 1, asynchrony, 1).well().a[0], 7, "{asynchrony:?}");
    }
}

#[test]
fn a_release_to_global_memory_is_over_with_its_cta() {
    let source = kernel_for(
        "sm_100a",
        "setp.ne.u32 %p1, %cta, 0; @%p1 bra LOOK; st.async.release.gpu.global.u32 [%b], 5;\n\
         red.async.release.gpu.global.add.u32 [%b+4], 3; ret;\n\
         LOOK: ld.global.u32 %r3, [%b]; ld.global.u32 %r4, [%b+4]; add.u32 %r3, %r3, %r4; st.global.u32 [%a], %r3;",
    );
    for asynchrony in Asynchrony::ALL {
        let ran = run(&source, 2, 1, asynchrony, 0).well();
        assert_eq!((ran.a[0], &ran.b[..3]), (8, &[5, 3, 0][..]), "{asynchrony:?}");
    }
}

#[test]
fn more_stores_than_are_held_back() {
    let source = kernel(
        "mov.u32 %r2, 0;\n\
         NEXT: rem.u32 %r3, %r2, 64; mul.wide.u32 %d0, %r3, 16;\n\
         add.u64 %d0, %d0, %b; cp.async.bulk.global.shared::cta.bulk_group [%d0], [%sm], 16;\n\
         cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; add.u32 %r2, %r2, 1;\n\
         setp.lt.u32 %p1, %r2, 600; @%p1 bra NEXT;",
    );
    let ran = run(&source, 1, 1, Asynchrony::Lazy, 0).well();
    let completed = |until: &[(&str, u32)]| until.iter().filter(|(name, _)| *name == "completed").count();
    let end = ran.events.iter().position(|(name, _)| *name == "cta-ended").expect("it ended");
    assert!(completed(&ran.events[..end]) >= 300, "memory for what is on its way is bounded");
    assert_eq!(completed(&ran.events), 600);
    assert_eq!(ran.b, [7; 256]);
}

#[test]
fn events_say_who_and_what() {
    let source = kernel(
        "fence.proxy.async.shared::cta; fence.acquire.sync_restrict::shared::cluster.cluster; membar.gl;\n\
         fence.proxy.tensormap::generic.acquire.gpu [%a], 128;",
    );
    let device = Device::default();
    let module = device.load(&source).unwrap_or_else(|e| panic!("{e}"));
    let buffer = Buffer::new(&device, 1024).expect("memory");
    let events = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&events);
    let options =
        LaunchOptions::new(2, 1).argument(Pointer(buffer.address())).argument(Pointer(buffer.address()));
    let options = options.on_event(move |event| log.lock().expect("whole").push(event.clone()));
    module.kernel("k").expect("an entry").launch(&options).expect("it runs");
    let events = events.lock().expect("whole");
    let of_second: Vec<_> =
        events.iter().filter(|e| e.thread.is_some_and(|t| t.ctaid == [1, 0, 0])).collect();
    let fences: Vec<_> = of_second
        .iter()
        .map(|event| match &event.what {
            What::Fence(f) => (f.name, f.sem, f.scope, f.proxy, f.space, f.restrict, f.address),
            other => panic!("{other:?}"),
        })
        .collect();
    let a = Some(buffer.address());
    let expected = [
        ("fence.proxy", None, None, Some("async"), None, None, None),
        ("fence.proxy", None, None, Some("async"), Some("shared::cta"), None, None),
        ("fence", Some("acquire"), Some("cluster"), None, None, Some("shared::cluster"), None),
        ("membar", Some("sc"), Some("gpu"), None, None, None, None),
        ("fence.proxy", Some("acquire"), Some("gpu"), Some("tensormap::generic"), None, None, a),
    ];
    assert_eq!(fences, expected);
    let texts: Vec<&str> = of_second
        .iter()
        .map(|event| event.span.map_or("", |span| &source[span.start as usize..span.end as usize]))
        .collect();
    assert!(texts[3].starts_with("membar.gl"), "{texts:?}");
    assert_eq!(events.iter().filter(|e| e.what == What::CtaEnded).count(), 2);
}

#[test]
fn events_of_a_load_come_in_its_order() {
    let waits =
        "W: mbarrier.try_wait.parity.shared.b64 %p2, [%mb], 0; @!%p2 bra W; mbarrier.inval.shared.b64 [%mb];";
    let source = kernel(&format!("{LOAD} {waits}"));
    let eager: Vec<&str> = names(&run(&source, 1, 1, Asynchrony::Eager, 0).well());
    let expected = [
        "fence",
        "mbarrier-init",
        "mbarrier-change",
        "issued",
        "completed",
        "mbarrier-change",
        "phase-ended",
        "phase-seen",
        "mbarrier-inval",
        "cta-ended",
    ];
    assert_eq!(eager, expected);
    // Late or early, the same happens, and in this order.
    assert_eq!(names(&run(&source, 1, 1, Asynchrony::Lazy, 0).well()), expected);
}

#[test]
fn events_of_a_store_show_when_it_is_read_and_written() {
    let source = kernel(&format!("{STORE} cp.async.bulk.wait_group.read 0;"));
    let eager = ["fence", "issued", "completed", "committed", "waited", "cta-ended"];
    assert_eq!(names(&run(&source, 1, 1, Asynchrony::Eager, 0).well()), eager);
    let lazy = ["fence", "issued", "committed", "read", "waited", "cta-ended", "completed"];
    assert_eq!(names(&run(&source, 1, 1, Asynchrony::Lazy, 0).well()), lazy);
}

fn names(ran: &Ran) -> Vec<&'static str> {
    ran.events.iter().map(|(name, _)| *name).collect()
}
