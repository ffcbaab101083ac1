//! Cooperative launches: CTAs that wait for each other, as NVRTC (13.4, CUDA's cooperative groups) and numba (0.68, the
//! device runtime) compile it.
//!
//! `cooperative/nvrtc.ptx` is NVRTC's text without the constants of the headers that nothing uses.

use ptxvm_vm::{
    Arguments, Buffer, Device, Failure, Kernel, Kind, LaunchOptions, LoadError, LoadOptions, Pointer,
    Settings,
};

const NVRTC: &str = include_str!("cooperative/nvrtc.ptx");
const NUMBA: &str = include_str!("cooperative/numba.ptx");

fn kernel(device: &Device, source: &str, name: Option<&str>) -> Kernel {
    let module = device
        .load_with(source, &LoadOptions { newer: true, any_target: false, bodies_later: None })
        .unwrap_or_else(|error| panic!("{error}"));
    let first = module.kernels().next().expect("a kernel").name.clone();
    module.kernel(name.unwrap_or(&first)).expect("it is there")
}

fn cooperative(grid: u32, block: u32, threads: usize) -> LaunchOptions {
    let timeout = Some(std::time::Duration::from_secs(20));
    LaunchOptions {
        cooperative: true,
        settings: Settings { threads, timeout, ..Settings::default() },
        ..LaunchOptions::new(grid, block)
    }
}

#[test]
fn cuda_groups_wait_for_the_whole_grid() {
    let device = Device::default();
    let kernel = kernel(&device, NVRTC, Some("grid_sum"));
    let numbers: Vec<i32> = (0..10_000).map(|i| i * 7 % 1000 - 300).collect();
    let sum: i32 = numbers.iter().sum();
    let x = Buffer::from_slice(&device, &numbers).expect("memory");
    for (grid, block, threads) in [(1, 32, 1), (8, 64, 1), (132, 256, 1), (264, 128, 2)] {
        let parts = Buffer::new(&device, 4 * grid as usize).expect("memory");
        let out = Buffer::new(&device, 12).expect("memory");
        let launch = cooperative(grid, block, threads)
            .argument(&x)
            .argument(numbers.len() as i32)
            .argument(&parts)
            .argument(&out);
        kernel.launch(&launch).unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(out.to_vec::<i32>(), [sum, sum + 1, 1], "{grid} x {block}");
    }
    let live: Vec<_> = device.memory().allocations().iter().filter_map(|a| a.name.clone()).collect();
    assert!(live.iter().all(|name| !name.contains("workspace")), "{live:?}");
}

#[test]
fn a_plain_launch_has_no_workspace() {
    let device = Device::default();
    let kernel = kernel(&device, NVRTC, Some("grid_sum"));
    let x = Buffer::new(&device, 64).expect("memory");
    let launch = LaunchOptions::new(1, 32).argument(&x).argument(1i32).argument(&x).argument(&x);
    match kernel.launch(&launch) {
        Err(Failure::Finding(finding)) => assert_eq!(finding.kind, Kind::Trap),
        other => panic!("{other:?}"),
    }
}

#[test]
fn tiles_larger_than_a_warp_do_not_touch_the_kernels_own_memory() {
    let device = Device::default();
    let kernel = kernel(&device, NVRTC, Some("large_tiles"));
    let out = Buffer::new(&device, 4 * 128).expect("memory");
    kernel.launch(&LaunchOptions::new(1, 128).argument(&out)).unwrap_or_else(|failure| panic!("{failure}"));
    let sums = [(0..64).sum::<i32>(), (64..128).sum()];
    let expected: Vec<i32> = (0..128).map(|i| sums[i as usize / 64] + (i & 64) + 63 - (i & 63)).collect();
    assert_eq!(out.to_vec::<i32>(), expected);
}

#[test]
fn numbas_grid_sync_is_linked() {
    let device = Device::default();
    let kernel = kernel(&device, NUMBA, None);
    let (grid, block) = (40u64, 32u64);
    let n = grid * block;
    let mut rows = vec![vec![0i32; n as usize]; 5];
    rows[0].iter_mut().enumerate().for_each(|(i, v)| *v = i as i32 * 3 % 101);
    let x = Buffer::from_slice(&device, &rows.concat()).expect("memory");
    // An array of numba's: no owner and parent, the number and size of its items, the data, shape and strides.
    let array = [0, 0, 5 * n, 4, x.address(), 5, n, 4 * n, 4];
    let arguments = array.iter().fold(Arguments::new(), |all, word| all.with(*word));
    for threads in [1, 2] {
        let launch =
            LaunchOptions { arguments: arguments.clone(), ..cooperative(grid as u32, block as u32, threads) };
        kernel.launch(&launch).unwrap_or_else(|failure| panic!("{failure}"));
        for step in 0..4 {
            let old = rows[step].clone();
            for i in 0..n as usize {
                rows[step + 1][i] = old[i] + old[(i + 1) % n as usize];
            }
        }
        assert_eq!(x.to_vec::<i32>(), rows.concat());
        x.write(&[0i32; 64]).expect("it fits");
        x.write(&rows[0]).expect("it fits");
    }
}

#[test]
fn more_ctas_than_fit_are_refused_before_anything_runs() {
    let device = Device::default();
    let source = ".version 9.1\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }";
    let kernel = kernel(&device, source, None);
    // 132 multiprocessors with 2048 threads each.
    assert_eq!(kernel.resident_ctas(1024, 0), 264);
    assert!(kernel.launch(&cooperative(264, 1024, 1)).is_ok());
    match kernel.launch(&cooperative(265, 1024, 1)) {
        Err(Failure::TooLarge { ctas, resident }) => assert_eq!((ctas, resident), (265, 264)),
        other => panic!("{other:?}"),
    }
    assert!(kernel.launch(&LaunchOptions::new(265, 1024)).is_ok());
}

/// The size and rank of the grid, as the device runtime gives them.
#[test]
fn the_device_runtime_knows_the_grids_shape() {
    let source = ".version 9.1\n.target sm_80\n.address_size 64\n\
        .extern .func (.param .b64 h) cudaCGGetIntrinsicHandle(.param .b32 s);\n\
        .extern .func (.param .b32 e) cudaCGGetSize(.param .b64 t, .param .b64 g, .param .b64 h);\n\
        .extern .func (.param .b32 e) cudaCGGetRank(.param .b64 t, .param .b64 g, .param .b64 h);\n\
        .visible .entry k(.param .u64 out, .param .u32 scope) { .reg .b64 %p, %q, %h; .reg .b32 %e, %s;\n\
        .param .b64 h; .param .b64 a; .param .b64 b; .param .b32 s; .param .b32 e;\n\
        ld.param.u64 %p, [out]; add.u64 %q, %p, 4; ld.param.u32 %s, [scope]; st.param.b32 [s], %s;\n\
        call (h), cudaCGGetIntrinsicHandle, (s); ld.param.b64 %h, [h]; st.global.u64 [%p+16], %h;\n\
        st.param.b64 [a], %p; st.param.b64 [b], %q; st.param.b64 [h], %h; call (e), cudaCGGetSize, (a, b, h);\n\
        add.u64 %p, %p, 8; st.param.b64 [a], %p; st.param.b64 [b], 0; call (e), cudaCGGetRank, (a, b, h);\n\
        ret; }";
    let device = Device::default();
    let kernel = kernel(&device, source, None);
    let out = Buffer::new(&device, 24).expect("memory");
    let run = |scope: u32, cooperative: bool| {
        let shape = LaunchOptions::new((2, 3), (1, 1));
        let launch = LaunchOptions { cooperative, ..shape.argument(&out).argument(scope) };
        kernel.launch(&launch).unwrap_or_else(|failure| panic!("{failure}"));
        (out.to_vec::<u32>()[..3].to_vec(), out.to_vec::<u64>()[2] != 0)
    };
    // The last CTA writes last.
    assert_eq!(run(1, true), (vec![6, 1, 5], true));
    assert_eq!(run(1, false), (vec![6, 1, 5], false));
    assert_eq!(run(2, true), (vec![6, 1, 5], false));
}

#[test]
fn a_finding_in_the_device_runtime_says_so() {
    let source = ".version 9.1\n.target sm_80\n.address_size 64\n\
        .extern .func (.param .b32 e) cudaCGSynchronize(.param .b64 h, .param .b32 f);\n\
        .visible .entry k(.param .u64 h) { .reg .b64 %h; .param .b64 h1; .param .b32 f; .param .b32 e;\n\
        ld.param.u64 %h, [h]; st.param.b64 [h1], %h; call (e), cudaCGSynchronize, (h1, f); ret; }";
    let device = Device::default();
    let kernel = kernel(&device, source, None);
    match kernel.launch(&cooperative(1, 1, 1).argument(Pointer(0x1230))) {
        Err(Failure::Finding(finding)) => {
            let (text, at) = kernel.module().place_in_text(finding.place.expect("a place").span);
            assert_eq!(text, "the device runtime");
            assert!(at.line < 100, "a line of that text");
        }
        other => panic!("{other:?}"),
    }
    // Without a handle it gives an error, as CUDA's does.
    assert!(kernel.launch(&cooperative(1, 1, 1).argument(Pointer(0))).is_ok());
    // Another signature is no function of the runtime's.
    let wrong = source.replace(".param .b64 h, .param .b32 f)", ".param .b64 h, .param .b64 f)");
    let wrong = wrong.replace(".param .b32 f;", ".param .b64 f;");
    assert!(matches!(device.load(&wrong), Err(LoadError::Link(_))));
}
