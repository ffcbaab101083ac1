//! What an H200 answered about clusters (`tests/golden/async/facts.json.zst`): which launches it takes, the special
//! registers that their CTAs see, and what accesses to the shared memory of a cluster give.

mod common;

use ptxvm_vm::{Buffer, Device, Failure, Kind, LaunchOptions};
use serde_json::Value;

use common::golden;

fn facts() -> Value {
    serde_json::from_slice(&golden("async/facts.json.zst")).expect("JSON")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn three(value: &Value) -> [u32; 3] {
    let numbers = list(value);
    std::array::from_fn(|d| numbers.get(d).map_or(1, |n| n.as_u64().expect("a number") as u32))
}

/// A module with an entry for each kernel of the facts, which writes the registers of its CTA to 128 bytes.
fn registers_source(facts: &Value) -> String {
    let mut source = String::from(".version 9.0\n.target sm_90a\n.address_size 64\n");
    for (name, directives) in facts["kernels"].as_object().expect("kernels") {
        source += &format!(
            ".visible .entry {name}(.param .u64 out) {} {{
            .reg .b64 %o, %x; .reg .b32 %a, %i, %n; .reg .pred %p;
            ld.param.u64 %o, [out];
            mov.u32 %i, %ctaid.z; mov.u32 %n, %nctaid.y; mov.u32 %a, %ctaid.y; mad.lo.u32 %i, %i, %n, %a;
            mov.u32 %n, %nctaid.x; mov.u32 %a, %ctaid.x; mad.lo.u32 %i, %i, %n, %a;
            mul.wide.u32 %x, %i, 128; add.u64 %o, %o, %x;\n",
            text(directives)
        );
        for (index, register) in list(&facts["registers"]).iter().enumerate() {
            match text(register) {
                "%is_explicit_cluster" => {
                    source += "mov.pred %p, %is_explicit_cluster; selp.u32 %a, 1, 0, %p;";
                }
                name => source += &format!("mov.u32 %a, {name};"),
            }
            source += &format!("st.global.b32 [%o+{}], %a;\n", 4 * index);
        }
        source += "ret; }\n";
    }
    source
}

#[test]
fn launches_are_taken_and_seen_as_on_an_h200() {
    let facts = facts();
    let device = Device::default();
    let module = device.load(&registers_source(&facts)).unwrap_or_else(|error| panic!("{error}"));
    let mut count = 0;
    for launch in list(&facts["launches"]) {
        let name = text(&launch["name"]);
        // Other attributes of a launch are the driver library's, and so is the limit of 48 KiB.
        if !launch["extra"].is_null() || name == "size/32/49153" {
            continue;
        }
        count += 1;
        let out = Buffer::from_slice(&device, &[0xeeee_eeee_u32; 32 * 1024]).expect("memory");
        let number = |key: &str| launch[key].as_u64().map(|n| n as u32);
        let options = LaunchOptions {
            cluster: (!launch["cluster"].is_null()).then(|| three(&launch["cluster"]).into()),
            nonportable_cluster: launch["nonportable"].as_bool().unwrap_or(false),
            shared: number("shared").unwrap_or(0),
            ..LaunchOptions::new(three(&launch["grid"]), number("block").unwrap_or(32))
        };
        let kernel = module.kernel(text(&launch["kernel"])).expect("it is there");
        let ran = kernel.launch(&options.argument(&out));
        match (launch["result"].as_u64(), ran) {
            (Some(0), ran) => {
                ran.unwrap_or_else(|failure| panic!("{name}: {failure}"));
            }
            (_, Err(Failure::Finding(finding))) => assert_eq!(finding.kind, Kind::Launch, "{name}"),
            (result, ran) => panic!("{name}: {result:?} {ran:?}"),
        }
        let words = out.to_vec::<u32>();
        let ctas: Vec<&[u32]> = words.chunks(32).filter(|words| words[0] != 0xeeee_eeee).collect();
        let expected = list(&launch["ctas"]);
        assert_eq!(ctas.len(), expected.len(), "{name}");
        for (index, (cta, expected)) in ctas.iter().zip(expected).enumerate() {
            let expected: Vec<u32> =
                list(expected).iter().map(|n| n.as_u64().expect("a number") as u32).collect();
            assert_eq!(&cta[..expected.len()], expected, "{name}, CTA {index}");
        }
    }
    assert!(count > 120, "{count} launches");
}

/// The kernel that CTA 1 of four makes an access with. `%a` is the shared and `%g` the generic address of `sv`.
fn access_source(instruction: &str, address: &str, exited: bool) -> String {
    let dump: String = (0..4)
        .map(|i| format!("ld.volatile.shared.b32 %d, [sv+{}]; st.global.b32 [%o+{}], %d;\n", 4 * i, 4 * i))
        .collect();
    let leave = if exited { "setp.eq.u32 %p, %r, 0; @%p exit; nanosleep.u32 500000;" } else { "" };
    let meet = "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;";
    format!(
        ".version 9.0\n.target sm_90a\n.address_size 64
        .visible .entry k(.param .u64 out) {{
        .shared .align 128 .b8 sv[896]; .shared .align 128 .b8 mb[128];
        .reg .b64 %o, %g, %h, %s, %q; .reg .b32 %a, %d, %v, %r, %e, %m; .reg .pred %p, %me;
        ld.param.u64 %q, [out]; mov.u32 %r, %cluster_ctarank; setp.eq.u32 %me, %r, 1;
        mul.wide.u32 %o, %r, 64; add.u64 %o, %o, %q; mov.u32 %v, 0x100; mov.u32 %d, 0xdddddddd;
        mad.lo.u32 %e, %r, 0x11110000, 0x11110000; mov.u32 %a, sv; mov.u32 %m, mb;
        st.volatile.shared.b32 [%a], %e; st.volatile.shared.b32 [%a+4], %e;
        st.volatile.shared.b32 [%a+8], %e; st.volatile.shared.b32 [%a+12], %e;
        {meet}
        {leave}
        @!%me bra SKIP;
        cvt.u64.u32 %g, %a; cvta.shared.u64 %g, %g; {address}
        {instruction}
        st.global.b32 [%q+512], %d;
        SKIP:
        {}
        {dump}
        ret; }}",
        if exited { "nanosleep.u32 500000;" } else { meet }
    )
}

/// The kind of finding that stands for a result of the driver.
fn kind_of(result: u64) -> Kind {
    match result {
        700 => Kind::OutOfBounds,
        715 => Kind::Misuse,
        716 => Kind::Misaligned,
        719 => Kind::ForeignShared,
        _ => panic!("{result}"),
    }
}

#[test]
fn accesses_reach_what_they_reach_on_an_h200() {
    let facts = facts();
    let device = Device::default();
    let (mut right, mut wrong) = (0, 0);
    for access in list(&facts["accesses"]) {
        let (instruction, address) = (text(&access["instruction"]), text(&access["address"]));
        // The operations on mbarriers have tests of their own. The first KiB of shared memory is the system's on an
        // H200; here variables begin at 0. No cluster has 256 CTAs, and what an H200 says to rank 255 says nothing.
        let reserved = address.contains("and.b32 %a,%a,0xff000000");
        if instruction.starts_with("mbarrier") || reserved || address.contains(",255;") {
            continue;
        }
        let exited = access["exited"].as_bool().unwrap_or(false);
        let source = access_source(instruction, address, exited);
        let module = device.load(&source).unwrap_or_else(|error| panic!("{instruction}: {error}"));
        let kernel = module.kernel("k").expect("it is there");
        let out = Buffer::from_slice(&device, &[0xeeee_eeee_u32; 144]).expect("memory");
        let options = LaunchOptions { cluster: Some(4.into()), ..LaunchOptions::new(4, 1) };
        let ran = kernel.launch(&options.argument(&out));
        let what = format!("{instruction} {address} exited {exited}");
        match (access["fault"].as_u64(), ran) {
            (None, ran) => {
                ran.unwrap_or_else(|failure| panic!("{what}: {failure}"));
                let words = out.to_vec::<u32>();
                let hex = |value: &Value| u32::from_str_radix(text(value), 16).expect("a number");
                assert_eq!(words[128], hex(&access["ok"]["result"]), "{what}");
                for (rank, cta) in list(&access["ok"]["cta"]).iter().enumerate() {
                    let expected: Vec<u32> = list(cta)[..4].iter().map(hex).collect();
                    assert_eq!(words[16 * rank..16 * rank + 4], expected, "{what}, CTA {rank}");
                }
                right += 1;
            }
            (Some(result), Err(Failure::Finding(finding))) => {
                assert_eq!(finding.kind, kind_of(result), "{what}: {}", finding.message);
                wrong += 1;
            }
            (fault, ran) => panic!("{what}: {fault:?} {ran:?}"),
        }
    }
    assert_eq!((right, wrong), (50, 264));
}
