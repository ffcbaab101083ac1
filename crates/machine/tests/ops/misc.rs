//! Addresses, hints, fences, the stack, and what stops a kernel.

use ptxvm_machine::Kind;

use crate::common::{Outcome, finding, kernel, longs, run_ptx, words};

fn run(body: &str) -> Result<Outcome, ptxvm_machine::Stop> {
    run_ptx(&kernel(body), "k", 1, 1, &[longs(&[0; 32]), longs(&[0; 32])], 0)
}

#[test]
fn generic_addresses() {
    let body = "
        .shared .align 8 .b8 s[16]; .local .align 8 .b8 l[16];
        mov.u64 %x0, s; cvta.shared.u64 %x1, %x0; cvta.shared.u64 %x2, s+4; cvta.to.shared.u64 %x3, %x2;
        cvta.local.u64 %x4, l; cvta.to.local.u64 %x5, %x4; cvta.const.u64 %x6, c; cvta.param.u64 %x7, a;
        cvta.to.global.u64 %x8, %a; cvta.shared::cluster.u64 %x9, s;
        st.b32 [%x2], 17; ld.shared.b32 %r0, [s+4]; st.global.b32 [%b], %r0;
        st.local.b32 [%x5+4], 18; ld.b32 %r0, [%x4+4]; st.global.b32 [%b+4], %r0;
        ld.b32 %r0, [%x6]; st.global.b32 [%b+8], %r0;
        ld.u64 %x10, [%x7]; sub.u64 %x10, %x10, %x8; st.global.b32 [%b+12], %x10;
        sub.u64 %x10, %x9, %x1; st.global.b32 [%b+16], %x10; st.global.b32 [%b+20], %x3;
        mov.u32 %r1, 0;";
    let mut text = body.to_owned();
    let asked = ["const", "global", "local", "shared", "shared::cluster", "param"];
    for (address, index) in ["%x1", "%x4", "%x6", "%x7", "%a"].iter().zip(0..) {
        text += "mov.u32 %r1, 0;";
        for (bit, space) in asked.iter().enumerate() {
            text += &format!("isspacep.{space} %p0, {address}; @%p0 or.b32 %r1, %r1, {};", 1 << bit);
        }
        text += &format!("st.global.b32 [%b+{}], %r1;", 32 + 4 * index);
    }
    let text = kernel(&text).replace(".visible .entry", ".const .u32 c = 19;\n.visible .entry");
    let outcome = run_ptx(&text, "k", 1, 1, &[longs(&[0]), words(&[99; 16])], 0).expect("runs");
    let words = outcome.words(1);
    assert_eq!(words[..6], [17, 18, 19, 0, 0, 4]);
    // Shared is shared to the cluster too; a parameter is global too.
    assert_eq!(words[8..13], [0b01_1000, 0b00_0100, 0b00_0001, 0b10_0010, 0b00_0010]);
}

#[test]
fn policies_have_the_bits_of_ptxas() {
    let body = "
        createpolicy.fractional.L2::evict_first.b64 %x0; st.global.u64 [%b], %x0;
        createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %x0, 0.5; st.global.u64 [%b+8], %x0;
        mov.f32 %f0, 0f3E000000;
        createpolicy.fractional.L2::evict_normal.b64 %x0, %f0; st.global.u64 [%b+16], %x0;
        mov.u64 %x1, 0x7f1234567000;
        createpolicy.range.L2::evict_last.L2::evict_first.b64 %x0, [%x1], 0x100000, 0x200000; st.global.u64 [%b+24], %x0;
        createpolicy.cvt.L2.b64 %x0, %x1; st.global.u64 [%b+32], %x0;";
    let outcome = run(body).expect("runs");
    // The range begins in granule 0x59 (of 16 KiB) and touches 65 of them.
    let range = (0x1d2u64 << 20 | 0x59 << 12 | 65 << 5) << 32;
    let expected = [0x12f0 << 48, 0x1570 << 48, 0x1610 << 48, range, 0x7f12_3456_7000];
    assert_eq!(outcome.longs(1)[..5], expected);
}

#[test]
fn hints_change_nothing_and_check_what_they_must() {
    let body = "
        prefetch.global.L1 [%a]; prefetch.L2 [%x0]; prefetch.global.L2::evict_last [%a]; prefetchu.L1 [%a];
        applypriority.global.L2::evict_normal [%a], 128; discard.global.L2 [%a], 128;
        fence.sc.gpu; fence.acq_rel.cta; membar.sys; fence.proxy.alias; fence.proxy.async; fence.mbarrier_init.release.cluster;
        griddepcontrol.launch_dependents; griddepcontrol.wait; pmevent 3; pmevent.mask 0xff; nanosleep.u32 100;
        st.global.u32 [%b], 1;";
    assert_eq!(run(body).expect("runs").words(1)[0], 1);
    finding(run("discard.global.L2 [%a+64], 128;"), Kind::Misaligned);
    finding(run("applypriority.global.L2::evict_normal [%a+256], 128;"), Kind::OutOfBounds);
    let shared = ".shared .align 128 .b8 s[128]; cvta.shared.u64 %x0, s; discard.L2 [%x0], 128;";
    finding(run(shared), Kind::WrongSpace);
}

#[test]
fn alloca_takes_and_gives_back() {
    let body = "
        stacksave.u64 %x0; alloca.u64 %x1, 24; alloca.u64 %x2, 100, 64; alloca.u64 %x3, 0;
        st.local.u64 [%x1+16], 5; st.local.u32 [%x2+96], 6; ld.local.u64 %x4, [%x1+16]; ld.local.u32 %r0, [%x2+96];
        sub.u64 %x5, %x2, %x1; rem.u64 %x6, %x2, 64; stackrestore.u64 %x0; stacksave.u64 %x7; sub.u64 %x7, %x7, %x0;
        alloca.u64 %x8, 8; sub.u64 %x8, %x8, %x1;
        st.global.u64 [%b], %x4; st.global.u32 [%b+8], %r0; st.global.u64 [%b+16], %x6; st.global.u64 [%b+24], %x7;
        st.global.u64 [%b+32], %x8; st.global.u64 [%b+40], %x5;";
    let longs = run(body).expect("runs").longs(1);
    assert_eq!(longs[..5], [5, 6, 0, 0, 0]);
    assert!(longs[5] >= 24, "the blocks do not overlap");
}

#[test]
fn the_stack_is_bounded() {
    let report = finding(run("alloca.u64 %x0, 0x7fffffffffffffff;"), Kind::StackOverflow);
    assert!(report.notes[0].contains("524288"), "{report:?}");
    finding(run("alloca.u64 %x0, 0xffffffffffffffff, 8388608;"), Kind::StackOverflow);
    finding(run("AGAIN: alloca.u64 %x0, 4096; bra AGAIN;"), Kind::StackOverflow);
    finding(run("mov.u64 %x0, -16; stackrestore.u64 %x0;"), Kind::Misuse);
    // A function gives back what it took: this does not overflow.
    let text = kernel(
        "mov.u32 %r0, 0; AGAIN: call take; add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 1000; @%p0 bra AGAIN;",
    );
    let take = ".func take() { .reg .b64 %x; alloca.u64 %x, 4096; st.local.u32 [%x+4092], 1; ret; }\n.visible .entry";
    let text = text.replace(".visible .entry", take);
    run_ptx(&text, "k", 1, 32, &[words(&[0]), words(&[0])], 0).expect("the stack is given back");
}

#[test]
fn what_stops_a_kernel() {
    finding(run("trap;"), Kind::Trap);
    let report = finding(run("brkpt;"), Kind::Breakpoint);
    assert!(report.message.contains("no debugger"), "{report:?}");
    let report = finding(
        run_ptx(&kernel("setp.eq.u32 %p0, %t, 37; @%p0 trap;"), "k", 1, 64, &[words(&[0]), words(&[0])], 0),
        Kind::Trap,
    );
    let thread = report.thread.expect("a thread");
    assert_eq!((thread.tid, thread.warp, thread.lane), ([37, 0, 0], 1, 5));
}

#[test]
fn registers_are_accounted() {
    let run = |body: &str| {
        let text = kernel(body).replace(")\n{", ")\n.maxnreg 128\n{");
        run_ptx(&text, "k", 1, 128, &[words(&[0]), words(&[0])], 0)
    };
    run("setmaxnreg.dec.sync.aligned.u32 40; bar.sync 0; setmaxnreg.inc.sync.aligned.u32 232;")
        .expect("both are right");
    let report = finding(run("setmaxnreg.dec.sync.aligned.u32 160;"), Kind::Misuse);
    assert!(report.message.contains("160") && report.message.contains("128"), "{report:?}");
    finding(run("setmaxnreg.dec.sync.aligned.u32 40; setmaxnreg.inc.sync.aligned.u32 32;"), Kind::Misuse);
    finding(run("setp.lt.u32 %p0, %t, 5; @%p0 setmaxnreg.dec.sync.aligned.u32 40;"), Kind::Misuse);
}

/// A thread that waits asleep for another of its warp lets it run.
#[test]
fn who_sleeps_lets_others_run() {
    let body = "
        setp.eq.u32 %p0, %t, 31; @%p0 bra LAST;
        AGAIN: nanosleep.u32 20; ld.volatile.global.u32 %r0, [%a]; setp.eq.u32 %p1, %r0, 0; @%p1 bra AGAIN; bra DONE;
        LAST: st.volatile.global.u32 [%a], 1; DONE:";
    let outcome = run_ptx(&kernel(body), "k", 1, 32, &[words(&[0]), words(&[0])], 0).expect("all wake up");
    assert_eq!(outcome.words(0), [1]);
}
