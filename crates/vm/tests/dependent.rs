//! Grids that depend on each other (`griddepcontrol`): one begins before the other has ended, and waits where it says so.

use std::sync::Arc;
use std::time::Duration;

use ptxvm_vm::{Buffer, Device, Failure, GridStatus, Kernel, Kind, LaunchOptions, Settings};

/// `first` lets its dependents begin and ends only when the host has set `gate`; `second` says that it has begun, waits
/// for `first`, and adds one to what that has written.
const SOURCE: &str = "
.version 9.0
.target sm_90a
.address_size 64

.visible .entry first(.param .u64 gate, .param .u64 data)
{
    .reg .pred %p<1>;
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd0, [gate];
    ld.param.u64 %rd1, [data];
    griddepcontrol.launch_dependents;
Look:
    ld.acquire.sys.global.u32 %r0, [%rd0];
    setp.eq.u32 %p0, %r0, 0;
    @%p0 bra Look;
    mov.u32 %r1, %ctaid.x;
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    add.u32 %r1, %r1, 100;
    st.global.u32 [%rd2], %r1;
    ret;
}

.visible .entry second(.param .u64 begun, .param .u64 data)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd0, [begun];
    ld.param.u64 %rd1, [data];
    red.release.sys.global.add.u32 [%rd0], 1;
    griddepcontrol.wait;
    mov.u32 %r1, %ctaid.x;
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    ld.global.u32 %r0, [%rd2];
    add.u32 %r0, %r0, 1;
    st.global.u32 [%rd2], %r0;
    ret;
}
";

fn kernels(device: &Device) -> (Kernel, Kernel) {
    let module = device.load(SOURCE).unwrap_or_else(|error| panic!("{error}"));
    (module.kernel("first").expect("it is there"), module.kernel("second").expect("it is there"))
}

const LONG: Duration = Duration::from_secs(60);

fn launch(grid: u32) -> LaunchOptions {
    LaunchOptions {
        settings: Settings { timeout: Some(LONG), ..Settings::default() },
        ..LaunchOptions::new(grid, 1)
    }
}

#[test]
fn a_dependent_begins_early_and_waits() {
    let device = Device::default();
    let (first, second) = kernels(&device);
    let gate = Buffer::from_slice(&device, &[0u32]).expect("memory");
    let begun = Buffer::from_slice(&device, &[0u32]).expect("memory");
    let data = Buffer::from_slice(&device, &[0u32; 4]).expect("memory");
    let status = Arc::new(GridStatus::default());
    assert!(!status.dependents_may_launch());
    std::thread::scope(|scope| {
        let before = LaunchOptions { status: Some(Arc::clone(&status)), ..launch(4) };
        let before = before.argument(&gate).argument(&data);
        let before = scope.spawn(move || first.launch(&before));
        assert!(status.await_launch(LONG), "every CTA has said so");
        assert!(!status.has_ended());
        let after = LaunchOptions { prerequisites: vec![Arc::clone(&status)], ..launch(4) };
        let after = after.argument(&begun).argument(&data);
        let after = scope.spawn(move || second.launch(&after));
        let deadline = std::time::Instant::now() + LONG;
        while begun.to_vec::<u32>() != [4] {
            assert!(std::time::Instant::now() < deadline, "all CTAs of the dependent grid begin");
            std::thread::yield_now();
        }
        assert!(!after.is_finished() && !status.has_ended());
        assert_eq!(data.to_vec::<u32>(), [0; 4]);
        gate.write(&[1u32]).expect("it is there");
        before.join().expect("no panic").unwrap_or_else(|failure| panic!("{failure}"));
        after.join().expect("no panic").unwrap_or_else(|failure| panic!("{failure}"));
    });
    assert!(status.has_ended());
    assert_eq!(data.to_vec::<u32>(), [101, 102, 103, 104]);
}

#[test]
fn who_waits_for_a_grid_can_be_stopped() {
    let device = Device::default();
    let (_, second) = kernels(&device);
    let word = Buffer::from_slice(&device, &[0u32]).expect("memory");
    let prerequisites = vec![Arc::new(GridStatus::default())];
    let timeout = Some(Duration::from_millis(50));
    let launch = LaunchOptions {
        prerequisites,
        settings: Settings { timeout, ..Settings::default() },
        ..LaunchOptions::new(1, 1)
    };
    match second.launch(&launch.argument(&word).argument(&word)) {
        Err(Failure::Limit(_)) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_launch_that_is_refused_has_ended() {
    let device = Device::default();
    let (first, _) = kernels(&device);
    let status = Arc::new(GridStatus::default());
    let launch = LaunchOptions { status: Some(Arc::clone(&status)), ..LaunchOptions::new(1, 2000) };
    match first.launch(&launch.argument(0u64).argument(0u64)) {
        Err(Failure::Finding(finding)) => assert_eq!(finding.kind, Kind::Launch),
        other => panic!("{other:?}"),
    }
    assert!(status.has_ended());
}

#[test]
fn a_cluster_of_sixteen_must_be_allowed() {
    let device = Device::default();
    let (_, second) = kernels(&device);
    let begun = Buffer::from_slice(&device, &[0u32]).expect("memory");
    let data = Buffer::from_slice(&device, &[7u32; 32]).expect("memory");
    let plain = || LaunchOptions { cluster: Some(16.into()), ..launch(32) }.argument(&begun).argument(&data);
    match second.launch(&plain()) {
        Err(Failure::Finding(finding)) => assert_eq!(finding.kind, Kind::Launch),
        other => panic!("{other:?}"),
    }
    let allowed = LaunchOptions { nonportable_cluster: true, ..plain() };
    second.launch(&allowed).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(begun.to_vec::<u32>(), [32]);
    assert_eq!(data.to_vec::<u32>(), [8; 32]);
}
