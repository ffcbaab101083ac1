//! `shfl`, `vote`, `match`, `redux`, `elect`, `activemask`, `bar.warp.sync` where lanes or masks differ.

use ptxvm_machine::Kind;

use crate::common::{Outcome, finding, kernel, run_ptx, words};

/// Runs a body of 32 threads that leaves `%r0` (and, with `%p0`, a bit) of each.
fn each_lane(body: &str) -> Vec<u32> {
    let store = "mul.wide.u32 %x0, %t, 4; add.u64 %x0, %b, %x0; st.global.u32 [%x0], %r0;";
    let outcome = run(&format!("{body}\n{store}"));
    outcome.words(1)
}

fn run(body: &str) -> Outcome {
    run_ptx(&kernel(body), "k", 1, 32, &[words(&[0]), words(&[0; 32])], 0).expect("runs")
}

#[test]
fn subgroups_have_masks_of_their_own() {
    // The even and the odd lanes vote, reduce and elect side by side in the same instruction.
    let masks = "and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 0; selp.b32 %r2, 0x55555555, 0xaaaaaaaa, %p1;";
    let sum = each_lane(&format!("{masks} redux.sync.add.u32 %r0, %t, %r2;"));
    assert_eq!(sum, [240, 256].repeat(16));
    let least = each_lane(&format!("{masks} sub.u32 %r3, 5, %t; redux.sync.min.s32 %r0, %r3, %r2;"));
    assert_eq!(least, [-25i32 as u32, -26i32 as u32].repeat(16));
    let ballot = each_lane(&format!("{masks} setp.lt.u32 %p2, %t, 5; vote.sync.ballot.b32 %r0, %p2, %r2;"));
    assert_eq!(ballot, [0b10101, 0b01010].repeat(16));
    let not = each_lane(&format!("{masks} setp.lt.u32 %p2, %t, 5; vote.sync.ballot.b32 %r0, !%p2, %r2;"));
    assert_eq!(not, [0x5555_5540, 0xaaaa_aaa0].repeat(16));
    let leader = each_lane(&format!("{masks} elect.sync %r0|%p3, %r2; @%p3 add.u32 %r0, %r0, 100;"));
    let expected: Vec<u32> = (0..32).map(|l| if l < 2 { 100 + l } else { l % 2 }).collect();
    assert_eq!(leader, expected);
    let any = each_lane(&format!("{masks} shr.u32 %r3, %t, 2; match.any.sync.b32 %r0, %r3, %r2;"));
    let expected: Vec<u32> = (0..32).map(|l| 0b101 << (l / 4 * 4 + l % 2)).collect();
    assert_eq!(any, expected);
    let all = each_lane(&format!("{masks} match.all.sync.b32 %r0|%p3, %r1, %r2; @!%p3 mov.u32 %r0, 7;"));
    assert_eq!(all, [0x5555_5555, 0xaaaa_aaaa].repeat(16));
    let differ =
        each_lane(&format!("{masks} match.all.sync.b32 %r0|%p3, %t, %r2; @!%p3 add.u32 %r0, %r0, 7;"));
    assert_eq!(differ, [7; 32]);
}

#[test]
fn a_guard_takes_lanes_out() {
    let low = "setp.lt.u32 %p1, %t, 3; mov.u32 %r0, 0;";
    let active = each_lane(&format!("{low} @%p1 activemask.b32 %r0;"));
    assert_eq!(active, [vec![7; 3], vec![0; 29]].concat());
    // In divergent code as well.
    let active = each_lane(&format!("{low} @!%p1 bra SKIP; activemask.b32 %r0; SKIP:"));
    assert_eq!(active, [vec![7; 3], vec![0; 29]].concat());
    let sum = each_lane(&format!("{low} @%p1 redux.sync.add.u32 %r0, 5, 7;"));
    assert_eq!(sum, [vec![15; 3], vec![0; 29]].concat());
}

#[test]
fn shfl_segments_and_bounds() {
    // Segments of eight lanes, clamped at their ends: c = 0x1800 | 7 for idx, down and bfly; up is bounded below.
    let lanes =
        |f: fn(u32) -> (u32, bool)| (0..32).map(|l| f(l).0 + 100 * u32::from(f(l).1)).collect::<Vec<_>>();
    let shuffle = |text: &str| each_lane(&format!("shfl.sync.{text}; @%p1 add.u32 %r0, %r0, 100;"));
    assert_eq!(
        shuffle("down.b32 %r0|%p1, %t, 3, 0x1807, -1"),
        lanes(|l| if l % 8 + 3 < 8 { (l + 3, true) } else { (l, false) })
    );
    assert_eq!(
        shuffle("up.b32 %r0|%p1, %t, 3, 0x1800, -1"),
        lanes(|l| if l % 8 >= 3 { (l - 3, true) } else { (l, false) })
    );
    assert_eq!(shuffle("bfly.b32 %r0|%p1, %t, 5, 0x1807, -1"), lanes(|l| (l ^ 5, true)));
    assert_eq!(shuffle("idx.b32 %r0|%p1, %t, 10, 0x1807, -1"), lanes(|l| (l / 8 * 8 + 2, true)));
    assert_eq!(
        shuffle("bfly.b32 %r0|%p1, %t, 16, 15, -1"),
        lanes(|l| if l >= 16 { (l - 16, true) } else { (l, false) })
    );
    // Without a predicate, and into nothing.
    assert_eq!(each_lane("shfl.sync.idx.b32 %r0, %t, 31, 31, -1;"), [31; 32]);
    assert_eq!(each_lane("shfl.sync.idx.b32 %r0|_, %t, 31, 31, -1;"), [31; 32]);
}

#[test]
fn the_forms_without_sync() {
    let text = kernel(
        "shfl.idx.b32 %r1, %t, 4, 0x1f; setp.lt.u32 %p1, %t, 40; vote.all.pred %p2, %p1; vote.uni.pred %p3, %p1;
         vote.any.pred %p4, !%p1; vote.ballot.b32 %r2, %p1; mov.u32 %r0, %r1;
         @%p2 add.u32 %r0, %r0, 10; @%p3 add.u32 %r0, %r0, 100; @%p4 add.u32 %r0, %r0, 1000; add.u32 %r0, %r0, %r2;
         mul.wide.u32 %x0, %t, 4; add.u64 %x0, %b, %x0; st.global.u32 [%x0], %r0;",
    );
    let text = text
        .replace(".version 9.1", ".version 6.3")
        .replace("sm_90a", "sm_60")
        .replace(".reg .b128 %q<8>;", "");
    let outcome = run_ptx(&text, "k", 1, 32, &[words(&[0]), words(&[0; 32])], 0).expect("runs");
    assert_eq!(outcome.words(1), [113; 32]);
}

#[test]
fn redux_of_floats() {
    let text = |op: &str| {
        let body = format!(
            "mul.wide.u32 %x0, %t, 4; add.u64 %x1, %a, %x0; ld.global.f32 %f0, [%x1];
             redux.sync.{op}.f32 %f1, %f0, -1; add.u64 %x0, %b, %x0; st.global.f32 [%x0], %f1;"
        );
        kernel(&body).replace("sm_90a", "sm_100a")
    };
    let of = |op: &str, values: &[f32]| {
        let mut all = values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        all.resize(32, values[0].to_bits());
        let outcome = run_ptx(&text(op), "k", 1, 32, &[words(&all), words(&[0; 32])], 0).expect("runs");
        let results = outcome.words(1);
        assert!(results.iter().all(|r| *r == results[0]), "all lanes get the same");
        results[0]
    };
    let nan = f32::from_bits(0x7fc1_2345);
    assert_eq!(of("min", &[1.0, -2.0, 3.0, nan]), (-2.0f32).to_bits());
    assert_eq!(of("max.abs", &[1.0, -5.0, 3.0, nan]), 5.0f32.to_bits());
    assert_eq!(of("min.abs", &[-1.0, -5.0]), 1.0f32.to_bits());
    assert_eq!(of("max.NaN", &[1.0, nan]), 0x7fff_ffff);
    assert_eq!(of("min", &[nan, nan]), 0x7fff_ffff);
    assert_eq!(of("max", &[-0.0, 0.0]), 0);
    assert_eq!(of("min", &[0.0, -0.0]), 0x8000_0000);
}

/// A member mask that leaves its own lane out is wrong in every instruction that has one.
#[test]
fn a_lane_must_be_in_its_mask() {
    for text in [
        "shfl.sync.idx.b32 %r0, %r0, 0, 31, 0xfffffff7;",
        "vote.sync.any.pred %p0, %p1, 0xfffffff7;",
        "match.any.sync.b32 %r0, %r0, 0xfffffff7;",
        "redux.sync.or.b32 %r0, %r0, 0xfffffff7;",
        "elect.sync _|%p0, 0xfffffff7;",
        "bar.warp.sync 0xfffffff7;",
    ] {
        let report =
            finding(run_ptx(&kernel(text), "k", 1, 32, &[words(&[0]), words(&[0])], 0), Kind::Misuse);
        assert_eq!(report.thread.expect("a thread").lane, 3, "{text}");
        assert!(report.message.contains("0xfffffff7"), "{}", report.message);
    }
}

/// Lanes that come to the same exchange by different ways wait for each other.
#[test]
fn lanes_meet_before_they_exchange() {
    let sum = each_lane(
        "setp.lt.u32 %p1, %t, 16; mov.u32 %r1, 0;
         @%p1 bra LOW; mov.u32 %r1, 1; bra MEET; LOW: mov.u32 %r1, 2; MEET:
         redux.sync.add.u32 %r0, %r1, -1;",
    );
    assert_eq!(sum, [48; 32]);
}

#[test]
fn matrix_rows_come_from_executing_lanes() {
    let text = ".shared .align 16 .b8 s[512]; mov.u32 %r0, s; setp.lt.u32 %p0, %t, 20;
                @%p0 ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r0];";
    finding(run_ptx(&kernel(text), "k", 1, 32, &[words(&[0]), words(&[0])], 0), Kind::Misuse);
    let text = "ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%a];";
    finding(run_ptx(&kernel(text), "k", 1, 32, &[words(&[0; 64]), words(&[0])], 0), Kind::WrongSpace);
}
