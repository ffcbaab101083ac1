//! `atom` and `red`.

use ptxvm_machine::Kind;

use crate::common::{finding, kernel, longs, run_on, run_ptx, words};

/// Old values and what is left in memory, for the operations that the golden vectors leave out.
#[test]
fn the_widest_and_the_vectors() {
    let body = "
        setp.ne.u32 %p0, %t, 0; @%p0 bra DONE;
        mov.b64 %x0, 1; mov.b64 %x1, 2; mov.b128 %q0, {%x0, %x1};
        mov.b64 %x2, 7; mov.b64 %x3, 8; mov.b128 %q1, {%x2, %x3};
        atom.global.cas.b128 %q2, [%a], %q0, %q1;
        atom.global.exch.b128 %q3, [%a], %q0;
        atom.global.cas.b128 %q4, [%a], %q1, %q1;
        mov.b128 {%x4, %x5}, %q2; st.global.v2.b64 [%b], {%x4, %x5};
        mov.b128 {%x4, %x5}, %q3; st.global.v2.b64 [%b+16], {%x4, %x5};
        mov.b128 {%x4, %x5}, %q4; st.global.v2.b64 [%b+32], {%x4, %x5};
        DONE:";
    let outcome = run_ptx(&kernel(body), "k", 1, 32, &[longs(&[1, 2]), longs(&[0; 6])], 0).expect("runs");
    assert_eq!(outcome.longs(1), [1, 2, 7, 8, 1, 2]);
    assert_eq!(outcome.longs(0), [1, 2]);

    // 1.0 + 2.0 and so on, element by element, the old values returned.
    let body = "
        setp.ne.u32 %p0, %t, 0; @%p0 bra DONE;
        mov.f32 %f0, 0f40000000;
        atom.global.add.v4.f32 {%f1, %f2, _, %f4}, [%a], {%f0, %f0, %f0, 0f3F800000};
        st.global.v4.f32 [%b], {%f1, %f2, %f0, %f4};
        red.global.add.v2.f32 [%a], {%f0, %f0};
        atom.global.add.v2.f32 {%f5, _}, [%a+8], {%f0, %f0};
        DONE:";
    let ones = [1.0f32.to_bits(); 4];
    let outcome = run_ptx(&kernel(body), "k", 1, 32, &[words(&ones), words(&[0; 4])], 0).expect("runs");
    assert_eq!(outcome.words(0).into_iter().map(f32::from_bits).collect::<Vec<_>>(), [5.0, 5.0, 5.0, 4.0]);
    assert_eq!(outcome.words(1).into_iter().map(f32::from_bits).collect::<Vec<_>>(), [1.0, 1.0, 2.0, 1.0]);

    // Halves: 0x3c00 is 1.0, 0x4000 is 2.0; in bfloat16 0x3f80 and 0x4000.
    let body = "
        setp.ne.u32 %p0, %t, 0; @%p0 bra DONE;
        mov.b16 %h0, 0x4000; mov.b16 %h1, 0xbc00; mov.b32 %r0, 0x4000bc00;
        atom.global.add.noftz.v8.f16 {%h2,%h3,%h4,%h5,%h6,%h7,%h8,%h9}, [%a], {%h0,%h1,%h0,%h1,%h0,%h1,%h0,%h1};
        st.global.v4.b16 [%b], {%h2, %h3, %h8, %h9};
        red.global.max.noftz.v4.bf16 [%a+16], {%h0, %h1, %h0, %h1};
        red.global.min.noftz.v2.f16x2 [%a+24], {%r0, %r0};
        DONE:";
    let before = [
        0x3c00_3c00,
        0x3c00_3c00,
        0x3c00_3c00,
        0x3c00_3c00,
        0x3f80_3f80,
        0x3f80_3f80,
        0x3c00_3c00,
        0x7fff_7fff,
    ];
    let outcome = run_ptx(&kernel(body), "k", 1, 32, &[words(&before), words(&[0; 2])], 0).expect("runs");
    // 1 + 2 = 3 (0x4200), 1 - 1 = 0; max(1, 2) = 2, max(1, -1.x) = 1; min with a NaN is the number.
    let after = [
        0x0000_4200,
        0x0000_4200,
        0x0000_4200,
        0x0000_4200,
        0x3f80_4000,
        0x3f80_4000,
        0x3c00_bc00,
        0x4000_bc00,
    ];
    assert_eq!(outcome.words(0), after);
    assert_eq!(outcome.words(1), [0x3c00_3c00; 2]);
}

/// All lanes on one word: each gets a different old value, in the order of the lanes.
#[test]
fn lanes_come_in_order() {
    let body = "
        mul.wide.u32 %x0, %t, 4; add.u64 %x0, %b, %x0;
        atom.global.add.u32 %r0, [%a], 1;
        st.global.u32 [%x0], %r0;
        atom.global.inc.u32 %r1, [%a+4], 9;
        atom.global.max.s32 _, [%a+8], %t;
        red.global.xor.b32 [%a+12], %t;";
    let outcome =
        run_ptx(&kernel(body), "k", 1, 64, &[words(&[5, 0, u32::MAX, 0]), words(&[0; 64])], 0).expect("runs");
    assert_eq!(outcome.words(1), (5..69).collect::<Vec<_>>());
    assert_eq!(outcome.words(0), [69, 4, 63, 0]);
}

/// The same sum by the unit of global memory, which flushes, and in shared memory, which does not; through generic
/// addresses as well.
#[test]
fn f32_flushes_in_global_memory_only() {
    let body = "
        .shared .align 8 .b32 s[2];
        setp.ne.u32 %p0, %t, 0; @%p0 bra DONE;
        mov.f32 %f0, 0f00000003; mov.u64 %x1, s; cvta.shared.u64 %x2, %x1;
        red.global.add.f32 [%a], %f0;
        red.add.f32 [%a+4], %f0;
        red.shared.add.f32 [s], %f0;
        red.add.f32 [%x2+4], %f0;
        ld.shared.b32 %r0, [s]; st.global.b32 [%b], %r0;
        ld.shared.b32 %r0, [s+4]; st.global.b32 [%b+4], %r0;
        DONE:";
    let outcome = run_ptx(&kernel(body), "k", 1, 32, &[words(&[4, 4]), words(&[0; 2])], 0).expect("runs");
    assert_eq!(outcome.words(0), [0, 0]);
    assert_eq!(outcome.words(1), [3, 3]);
}

/// A lock that every lane of a warp takes in turn: the lane that holds it must get to run.
#[test]
fn a_spin_lock_in_one_warp_ends() {
    let body = "
        AGAIN:
        atom.global.acquire.gpu.cas.b32 %r0, [%a], 0, 1;
        setp.ne.u32 %p0, %r0, 0;
        @%p0 bra AGAIN;
        ld.global.u32 %r1, [%a+4]; add.u32 %r1, %r1, 1; st.global.u32 [%a+4], %r1;
        atom.global.release.gpu.exch.b32 %r2, [%a], 0;";
    let outcome =
        run_ptx(&kernel(body), "k", 2, 64, &[words(&[0, 0]), words(&[0])], 0).expect("the lock is released");
    assert_eq!(outcome.words(0), [0, 128]);
}

/// Host threads add to the same words at once: nothing is lost.
#[test]
fn two_workers_lose_nothing() {
    let body = "
        mov.u32 %r0, 0;
        AGAIN:
        red.global.add.u32 [%a], 1;
        atom.global.add.u64 %x0, [%a+8], 3;
        atom.global.add.f32 %f0, [%a+4], 0f3F800000;
        add.u32 %r0, %r0, 1;
        setp.lt.u32 %p0, %r0, 50;
        @%p0 bra AGAIN;";
    let arguments = [longs(&[0, 0]), words(&[0])];
    let outcome = run_on(2, &kernel(body), "k", 64, 64, &arguments, 0).expect("runs");
    let times = 64 * 64 * 50;
    assert_eq!(outcome.words(0), [times, (times as f32).to_bits(), 3 * times, 0]);
}

/// A CTA waits for another, which runs on the other host thread or on the same one.
#[test]
fn a_cta_may_wait_for_another() {
    let body = "
        mov.u32 %r0, %ctaid.x; setp.eq.u32 %p0, %r0, 3; @%p0 bra LAST;
        AGAIN:
        atom.global.add.u32 %r1, [%a], 0;
        setp.eq.u32 %p1, %r1, 0; @%p1 bra AGAIN;
        bra DONE;
        LAST:
        atom.global.exch.b32 %r1, [%a], 1;
        DONE:";
    for threads in [1, 2] {
        let outcome =
            run_on(threads, &kernel(body), "k", 4, 32, &[words(&[0]), words(&[0])], 0).expect("all end");
        assert_eq!(outcome.words(0), [1]);
    }
}

#[test]
fn what_is_not_allowed() {
    let run = |body: &str| run_ptx(&kernel(body), "k", 1, 32, &[words(&[0; 4]), words(&[0])], 0);
    let local =
        ".local .align 8 .b8 l[8]; mov.u64 %x0, l; cvta.local.u64 %x0, %x0; atom.add.u32 %r0, [%x0], 1;";
    finding(run(local), Kind::WrongSpace);
    finding(run("atom.global.add.u32 %r0, [%a+2], 1;"), Kind::Misaligned);
    finding(run("red.global.add.v2.f32 [%a+4], {%f0, %f0};"), Kind::Misaligned);
    finding(run("atom.global.add.u32 %r0, [%a+16], 1;"), Kind::OutOfBounds);
    finding(run("red.shared.add.u32 [%r0], 1;"), Kind::OutOfBounds);
    let shared = ".shared .align 8 .b8 s[8]; mov.u64 %x0, s; cvta.shared.u64 %x0, %x0; red.add.v2.f32 [%x0], {%f0, %f0};";
    finding(run(shared), Kind::WrongSpace);
}

#[test]
fn constants_are_not_changed() {
    let body = "mov.u64 %x0, c; cvta.const.u64 %x0, %x0; atom.add.u32 %r0, [%x0], 1;";
    let text = kernel(body).replace(".visible .entry", ".const .u32 c = 5;\n.visible .entry");
    let report = finding(run_ptx(&text, "k", 1, 1, &[words(&[0]), words(&[0])], 0), Kind::ReadOnly);
    assert!(report.notes.iter().any(|n| n.contains('c')), "{report:?}");
}

/// Every operation, type, order, scope, space and vector has its function; the golden vectors say that it is right.
#[test]
fn every_form_is_there() {
    let mut instructions = Vec::new();
    let scalars = [
        ("and.b32", "%r0"),
        ("or.b32", "%r0"),
        ("xor.b64", "%x1"),
        ("exch.b32", "%r0"),
        ("exch.b64", "%x1"),
        ("exch.b128", "%q0"),
        ("add.u32", "%r0"),
        ("add.s32", "%r0"),
        ("add.u64", "%x1"),
        ("add.f32", "%f0"),
        ("add.f64", "%g0"),
        ("inc.u32", "%r0"),
        ("dec.u32", "%r0"),
        ("min.u32", "%r0"),
        ("max.s32", "%r0"),
        ("min.u64", "%x1"),
        ("max.s64", "%x1"),
        ("add.noftz.f16", "%h0"),
        ("add.noftz.bf16", "%h0"),
        ("add.noftz.f16x2", "%r0"),
        ("add.noftz.bf16x2", "%r0"),
        ("cas.b16", "%h0"),
        ("cas.b32", "%r0"),
        ("cas.b64", "%x1"),
        ("cas.b128", "%q0"),
    ];
    let spaces =
        [("", "%a"), (".global", "%a"), (".shared", "s"), (".shared::cta", "s"), (".shared::cluster", "s")];
    for (op, register) in scalars {
        for (space, address) in spaces {
            for (order, scope) in [
                ("", ""),
                (".relaxed", ".cta"),
                (".acquire", ".gpu"),
                (".release", ".sys"),
                (".acq_rel", ".cluster"),
            ] {
                let swap = if op.starts_with("cas") { format!(", {register}") } else { String::new() };
                instructions.push(format!(
                    "atom{order}{scope}{space}.{op} {register}, [{address}], {register}{swap};"
                ));
                let red = !op.starts_with("cas")
                    && !op.starts_with("exch")
                    && order != ".acquire"
                    && order != ".acq_rel";
                if red {
                    instructions.push(format!("red{order}{scope}{space}.{op} [{address}], {register};"));
                }
            }
        }
        if !op.starts_with("cas") {
            let (op, ty) = op.rsplit_once('.').expect("a type");
            instructions
                .push(format!("atom.global.{op}.L2::cache_hint.{ty} {register}, [%a], {register}, %x2;"));
        }
    }
    for (ty, letter, lengths) in [
        ("f16", 'h', &[2, 4, 8][..]),
        ("bf16", 'h', &[2, 4, 8]),
        ("f16x2", 'r', &[2, 4]),
        ("bf16x2", 'r', &[2, 4]),
    ] {
        for op in ["add", "min", "max"] {
            for length in lengths {
                let vector: Vec<String> = (0..*length).map(|i| format!("%{letter}{i}")).collect();
                let vector = vector.join(", ");
                instructions
                    .push(format!("atom.global.{op}.noftz.v{length}.{ty} {{{vector}}}, [%a], {{{vector}}};"));
                instructions
                    .push(format!("red.{op}.noftz.L2::cache_hint.v{length}.{ty} [%a], {{{vector}}}, %x2;"));
            }
        }
    }
    let head = ".shared .align 16 .b8 s[16]; mov.b64 %x0, 0; mov.b128 %q0, {%x0, %x0};";
    let body = format!("{head}\n{}\nst.global.u32 [%b], 1;", instructions.join("\n"));
    let outcome =
        run_ptx(&kernel(&body), "k", 1, 32, &[longs(&[0, 0]), words(&[0])], 0).expect("all forms run");
    assert_eq!(outcome.words(1), [1]);
}
