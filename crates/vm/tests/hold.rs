//! A launch that is held between its instructions: what can be seen there, and that looking changes nothing.

use std::collections::BTreeSet;

use ptxvm_vm::view::{View, Wait};
use ptxvm_vm::{Buffer, Device, EngineChoice, Failure, Kernel, Kind, LaunchOptions, Settings};

/// Two warps: the even lanes call a function that doubles, the odd ones do not; all put their value into shared memory,
/// meet at a barrier, and take their neighbour's.
const SOURCE: &str = r#"
.version 9.1
.target sm_90
.address_size 64

.file 1 "kernel.cu"
.file 2 "double.h"

.func (.reg .b32 %result) double(.reg .b32 %value)
{
    .local .align 4 .b32 kept;
    .reg .b32 %twice;
    shl.b32 %twice, %value, 1;
    st.local.b32 [kept], %twice;
    ld.local.b32 %result, [kept];
    ret;
}

.visible .entry turn(.param .u64 x)
{
    .shared .align 4 .b32 values[64];
    .reg .pred %even;
    .reg .b32 %t, %v, %o;
    .reg .b64 %p, %s;
    mov.u32 %t, %tid.x;
    ld.param.u64 %p, [x];
    mad.wide.u32 %p, %t, 4, %p;
    ld.global.b32 %v, [%p];
    and.b32 %o, %t, 1;
    setp.eq.u32 %even, %o, 0;
    @!%even bra together;
    .loc 1 7 5
    .loc 2 3 1, function_name $name, inlined_at 1 7 5
    call (%v), double, (%v);
together:
    .loc 1 9 1
    mov.u64 %s, values;
    mad.wide.u32 %s, %t, 4, %s;
    st.shared.b32 [%s], %v;
    bar.sync 0;
    xor.b32 %o, %t, 63;
    mov.u64 %s, values;
    mad.wide.u32 %s, %o, 4, %s;
    ld.shared.b32 %v, [%s];
    st.global.b32 [%p], %v;
    ret;
}

.section .debug_str
{
$name:
    .b8 116, 119, 105, 99, 101, 0
}
"#;

fn device() -> (Device, Kernel) {
    let device = Device::default();
    let module = device.load(SOURCE).expect("the module is right");
    let kernel = module.kernel("turn").expect("it has this kernel");
    (device, kernel)
}

fn numbers(device: &Device, count: u32) -> Buffer {
    Buffer::from_slice(device, &(0..count).collect::<Vec<_>>()).expect("there is memory")
}

/// What thread `i` must end with: the other side's number, doubled if that is even.
fn right(i: u32) -> u32 {
    let other = i ^ 63;
    if other.is_multiple_of(2) { 2 * other } else { other }
}

#[test]
fn stopping_changes_nothing() {
    let (device, kernel) = device();
    for (seed, grid) in [(0, 1), (0, 3), (7, 1), (8, 3)] {
        let launch = |x: &Buffer| LaunchOptions {
            settings: Settings { seed, ..Settings::default() },
            ..LaunchOptions::new(grid, 64).argument(x)
        };
        let (plain, stepped) = (numbers(&device, 64), numbers(&device, 64));
        let counted = kernel.launch(&launch(&plain)).expect("it ends");
        let options = launch(&stepped);
        let mut held = kernel.hold(&options).expect("it begins");
        let (mut steps, mut lanes) = (0, 0);
        while let Some(step) = held.step().expect("nothing is wrong") {
            steps += 1;
            lanes += u64::from(step.lanes.count_ones());
        }
        let again = held.finish().expect("it has ended");
        assert_eq!((steps, lanes), (counted.instructions(), counted.lanes()), "seed {seed}");
        assert_eq!(again.warp_instructions, counted.warp_instructions, "seed {seed}");
        assert_eq!(again.lane_instructions, counted.lane_instructions, "seed {seed}");
        assert_eq!(again.ctas, counted.ctas);
        assert_eq!(stepped.to_vec::<u32>(), plain.to_vec::<u32>(), "seed {seed}");
    }
}

#[test]
fn it_may_go_on_from_any_instruction() {
    let (device, kernel) = device();
    let mut after = 0;
    loop {
        let x = numbers(&device, 64);
        let options = LaunchOptions::new(1, 64).argument(&x);
        let mut held = kernel.hold(&options).expect("it begins");
        let ended = (0..after).any(|_| held.step().expect("nothing is wrong").is_none());
        let counted = held.finish().expect("it ends");
        let expected: Vec<u32> = (0..64).map(right).collect();
        assert_eq!(x.to_vec::<u32>(), expected, "stopped after {after} instructions");
        // The call and what it does are executed by half of the lanes.
        assert_eq!(counted.instructions(), 2 * (18 + 4), "stopped after {after} instructions");
        if ended {
            break;
        }
        after += 1;
    }
    assert_eq!(after, 2 * (18 + 4) + 1);
}

/// The masks of the groups of a warp, from the lowest lane up.
fn masks(view: &View<'_>, warp: usize) -> Vec<u32> {
    let cta = view.cta(0).expect("it has begun");
    let warp = cta.warps().nth(warp).expect("it has two warps");
    warp.groups().iter().map(|group| group.lanes()).collect()
}

#[test]
fn calls_and_inlined_places_are_seen() {
    let (device, kernel) = device();
    let x = numbers(&device, 64);
    let mut options = LaunchOptions::new(1, 64).argument(&x);
    // Who looks at a launch sees every instruction of it, whichever engine it asks for.
    options.settings.engine = EngineChoice::Compile;
    let mut held = kernel.hold(&options).expect("it begins");
    assert_eq!(masks(&held.view(), 0), [u32::MAX], "before the first instruction");
    let inside = |view: &View<'_>| {
        let group = view.cta(0)?.warps().next()?.group_of(4)?;
        (group.frame().function() == "double" && group.frame().instruction() == 2).then_some(())
    };
    held.run_until(|view, _| inside(view).is_some()).expect("nothing is wrong").expect("it comes there");

    let view = held.view();
    assert_eq!(masks(&view, 0), [0x5555_5555, 0xaaaa_aaaa]);
    let warp = view.cta(0).and_then(|cta| cta.warps().next()).expect("it has begun");
    let group = warp.group_of(4).expect("it lives");
    assert_eq!(group.wait(), None);
    let frames = group.frames();
    let functions: Vec<&str> = frames.iter().map(|frame| frame.function()).collect();
    assert_eq!(functions, ["double", "turn"]);
    let text = |span: ptxvm_syntax::ast::Span| SOURCE[span.start as usize..span.end as usize].trim();
    assert_eq!(text(frames[0].span()), "ld.local.b32 %result, [kept];");
    assert_eq!(text(frames[1].span()), "call (%v), double, (%v);");
    let sources: Vec<String> = frames[1]
        .sources()
        .iter()
        .map(|at| format!("{}:{}:{} {:?}", at.file, at.line, at.column, at.function.as_deref()))
        .collect();
    assert_eq!(sources, ["double.h:3:1 Some(\"twice\")", "kernel.cu:7:5 None"]);

    let value = |frame: usize, name: &str, lane: u32| {
        let register = frames[frame].register(name, lane).expect("it has this register");
        (register.bits, register.value)
    };
    assert_eq!(value(0, "%twice", 4), (32, 8));
    assert_eq!(value(1, "%v", 4), (32, 4));
    assert_eq!((value(1, "%even", 4), value(1, "%even", 5)), ((1, 1), (1, 0)));
    assert_eq!(value(1, "%p", 4).0, 64);
    assert_eq!(frames[0].register("%v", 4), None);
    assert_eq!(frames[1].registers(4).count(), 6);

    let mut bytes = [0; 4];
    let local = frames[0].local_base(4).expect("it has a frame");
    warp.read_local(4, local, &mut bytes).expect("it has this variable");
    assert_eq!(u32::from_le_bytes(bytes), 8);
    assert_eq!(warp.read_local(4, 1 << 40, &mut bytes), None);

    // Parameters and global memory.
    let mut address = [0; 8];
    view.read(view.parameters(), &mut address).expect("it is there");
    let mut element = [0; 4];
    view.read(u64::from_le_bytes(address) + 4 * 9, &mut element).expect("it is the buffer");
    assert_eq!(u32::from_le_bytes(element), 9);
    assert!(view.read(8, &mut element).is_err());
}

#[test]
fn who_waits_says_for_whom() {
    let (device, kernel) = device();
    let x = numbers(&device, 64);
    let options = LaunchOptions::new(1, 64).argument(&x);
    let mut held = kernel.hold(&options).expect("it begins");
    let waits = |view: &View<'_>| {
        view.cta(0)
            .and_then(|cta| cta.warps().next())
            .is_some_and(|w| w.group_of(0).is_some_and(|g| g.wait().is_some()))
    };
    held.run_until(|view, _| waits(view)).expect("nothing is wrong").expect("it comes to wait");
    let view = held.view();
    let cta = view.cta(0).expect("it has begun");
    let warp = cta.warps().next().expect("it has warps");
    assert_eq!(masks(&view, 0), [u32::MAX], "the lanes have come together again");
    let group = warp.group_of(0).expect("it lives");
    let Some(Wait::Barrier { number: 0, arrived: 1, expected: 2, missing }) = group.wait() else {
        panic!("it waits at barrier 0: {:?}", group.wait());
    };
    let missing: Vec<_> = missing.iter().map(|lanes| (lanes.rank, lanes.warp, lanes.lanes)).collect();
    assert_eq!(missing, [(0, 1, u32::MAX)]);
    let span = group.frame().span();
    assert_eq!(&SOURCE[span.start as usize..span.end as usize], "bar.sync 0;");
    let (offset, size) = cta.shared_variable("values").expect("it has this variable");
    assert_eq!((size, cta.shared_bytes()), (256, 256));
    let mut values = [0; 128];
    cta.read_shared(offset, &mut values).expect("it is there");
    let values: Vec<u32> = values.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    let expected: Vec<u32> = (0..32).map(|i| if i % 2 == 0 { 2 * i } else { i }).collect();
    assert_eq!(values, expected);
    assert_eq!(cta.read_shared(255, &mut [0; 4]), None);
    assert_eq!(cta.tensor_word(0, 0), None);
    // Nothing chooses who waits.
    assert!(!held.choose(0, 0, 0));
    assert!(!held.choose(0, 2, 0) && !held.choose(5, 0, 0) && !held.choose(0, 1, 32));
}

#[test]
fn any_lane_may_be_chosen() {
    let (device, kernel) = device();
    let x = numbers(&device, 64);
    let options = LaunchOptions::new(1, 64).argument(&x);
    let mut held = kernel.hold(&options).expect("it begins");
    // The warps by turns, and in each the lanes by turns: no warp has a turn of its own any more.
    let (mut steps, mut warps) = (0, BTreeSet::new());
    loop {
        let lane = steps * 7 % 32;
        let chosen = held.choose(0, steps % 2, lane);
        let Some(step) = held.step().expect("nothing is wrong") else { break };
        if chosen {
            assert_eq!(step.warp, steps % 2, "step {steps}");
            assert!(step.lanes >> lane & 1 != 0, "step {steps}");
        }
        warps.insert((steps / 8, step.warp));
        steps += 1;
    }
    assert!(warps.contains(&(0, 0)) && warps.contains(&(0, 1)), "both warps run from the beginning");
    let expected: Vec<u32> = (0..64).map(right).collect();
    assert_eq!(x.to_vec::<u32>(), expected);
    held.finish().expect("it has ended");
}

#[test]
fn what_has_stopped_can_be_looked_at() {
    let (device, kernel) = device();
    let x = numbers(&device, 40);
    let options = LaunchOptions::new(1, 64).argument(&x);
    let mut held = kernel.hold(&options).expect("it begins");
    let stopped = loop {
        match held.step() {
            Ok(step) => assert!(step.is_some(), "it reads past its buffer"),
            Err(failure) => break failure,
        }
    };
    let Failure::Finding(finding) = &stopped else { panic!("it is the guest's: {stopped:?}") };
    assert_eq!(finding.kind, Kind::OutOfBounds);
    let view = held.view();
    let warp = view.cta(0).and_then(|cta| cta.warps().nth(1)).expect("it is still there");
    let frame = warp.group_of(8).expect("it has not ended").frame();
    let span = frame.span();
    assert_eq!(&SOURCE[span.start as usize..span.end as usize], "ld.global.b32 %v, [%p];");
    assert_eq!(frame.register("%t", 8).map(|register| register.value), Some(40));
    assert!(matches!(held.step(), Err(Failure::Finding(_))), "it does not go on");
    assert!(matches!(held.finish(), Err(Failure::Finding(_))));
}

#[test]
fn a_launch_that_is_dropped_leaves_nothing_behind() {
    let (device, kernel) = device();
    let x = numbers(&device, 64);
    let before = device.budget().used();
    let options = LaunchOptions::new(1, 64).argument(&x);
    let mut held = kernel.hold(&options).expect("it begins");
    for _ in 0..10 {
        held.step().expect("nothing is wrong");
    }
    drop(held);
    assert_eq!(device.budget().used(), before);
    assert_eq!(x.to_vec::<u32>(), (0..64).collect::<Vec<_>>());
    kernel.launch(&options).expect("it can be launched");
}
