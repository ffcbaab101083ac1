//! Registers of `wgmma` that are used before the product is waited for: ptxas waits there, which compilers rely on, and so
//! does the machine; where nothing is used too early, nobody waits.

use ptxvm_vm::{Asynchrony, Buffer, Device, LaunchOptions, Settings};

/// Two products of ones, whose groups are both under way; what stands at `between` comes when one of them has been
/// waited for. The predicate and the short register lie beside the accumulators.
fn kernel(between: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90a\n.address_size 64\n\
         .visible .entry two(.param .u64 out)\n.reqntid 128\n{{\n\
         .shared .align 128 .b8 b[256];\n.reg .pred %p;\n.reg .b16 %h;\n.reg .f32 %d<4>, %e<4>;\n\
         .reg .b32 %t, %at, %one, %desc_low;\n.reg .b64 %desc, %out;\n\
         mov.u32 %t, %tid.x;\nmov.u32 %at, b;\nshr.u32 %desc_low, %at, 4;\n\
         mad.lo.u32 %at, %t, 2, %at;\nmov.b16 %h, 0x3c00;\nst.shared.b16 [%at], %h;\n\
         fence.proxy.async.shared::cta;\nbar.sync 0;\n\
         or.b32 %desc_low, %desc_low, 0x80000;\nmov.b64 %desc, {{%desc_low, 0x10}};\n\
         mov.b32 %one, 0x3c003c00;\nsetp.ne.u32 %p, 0, 0;\nwgmma.fence.sync.aligned;\n\
         wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%d0, %d1, %d2, %d3}}, {{%one, %one, %one, %one}}, %desc, %p, 1, 1, 0;\n\
         setp.eq.u32 %p, 0, 0;\nwgmma.commit_group.sync.aligned;\n\
         setp.ne.u32 %p, 0, 0;\n\
         wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%e0, %e1, %e2, %e3}}, {{%one, %one, %one, %one}}, %desc, %p, 1, 1, 0;\n\
         wgmma.commit_group.sync.aligned;\nmov.b16 %h, 7;\nsetp.eq.u32 %p, 0, 0;\n\
         wgmma.wait_group.sync.aligned 1;\nld.param.u64 %out, [out];\nmad.wide.u32 %out, %t, 4, %out;\n{between}\n\
         wgmma.wait_group.sync.aligned 0;\nst.global.f32 [%out], %d0;\nret;\n}}\n"
    )
}

/// The waits that had to be put in, under so many seeds; what it stores must be 16 each time.
fn waits(between: &str, seeds: u64) -> u64 {
    let device = Device::default();
    let module = device.load(&kernel(between)).unwrap_or_else(|error| panic!("{error}"));
    let kernel = module.kernel("two").expect("the kernel");
    let out = Buffer::new(&device, 512).expect("memory");
    let run = |seed| {
        let options = LaunchOptions {
            settings: Settings {
                asynchrony: Asynchrony::Seeded,
                seed,
                statistics: true,
                ..Settings::default()
            },
            ..LaunchOptions::new(1, 128)
        };
        let statistics = kernel.launch(&options.argument(&out)).unwrap_or_else(|failure| panic!("{failure}"));
        assert!(out.to_vec::<f32>().iter().all(|number| *number == 16.0), "{between}, seed {seed}");
        statistics.injected_waits
    };
    (0..seeds).map(run).sum()
}

#[test]
fn what_is_under_way_is_waited_for() {
    assert_ne!(waits("mov.f32 %d0, %e0;", 20), 0);
    assert_ne!(waits("add.f32 %e1, %d0, %d0;", 20), 0);
}

#[test]
fn what_has_been_waited_for_is_free() {
    assert_eq!(waits("mov.f32 %d1, %d0;", 20), 0);
    assert_eq!(
        waits("mov.f32 %d1, %d2; setp.ne.u32 %p, 1, 1; mov.b16 %h, 3; vote.sync.any.pred %p, %p, -1;", 20),
        0
    );
}
