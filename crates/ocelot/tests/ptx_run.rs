//! `ptx_run` as tinygrad calls it: buffers of the process, numbers in the place of pointers, the block's size first.
#![allow(unsafe_code)]

use std::ffi::{CString, c_void};

use gpuocelot::ptx_run;

/// y[i] = a * x[i] + i for the thread i of the grid.
const SOURCE: &str = r"
.version 7.5
.target sm_35
.address_size 64
.visible .entry axpi(.param .u64 y, .param .u64 x, .param .s32 a)
{
    .reg .b32 %r<6>;
    .reg .b64 %p<4>;
    ld.param.u64 %p0, [y];
    ld.param.u64 %p1, [x];
    ld.param.s32 %r0, [a];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r1, %r1, %r2, %r3;
    mul.wide.u32 %p2, %r1, 4;
    add.s64 %p1, %p1, %p2;
    add.s64 %p0, %p0, %p2;
    ld.global.s32 %r4, [%p1];
    mad.lo.s32 %r4, %r4, %r0, %r1;
    st.global.s32 [%p0], %r4;
    ret;
}";

fn axpi(y: &mut [i32], x: &[i32], a: i32, block: i32) {
    let source = CString::new(SOURCE).expect("the source has no zero in it");
    let arguments = [
        y.as_mut_ptr().cast::<c_void>(),
        x.as_ptr().cast_mut().cast::<c_void>(),
        std::ptr::without_provenance_mut(a as u32 as usize),
    ];
    let grid = x.len() as i32 / block;
    // SAFETY: the source ends with a zero, there are three arguments, and the buffers live until the call has ended.
    unsafe { ptx_run(source.as_ptr(), 3, arguments.as_ptr(), block, 1, 1, grid, 1, 1, 0) };
}

#[test]
fn buffers_of_every_size_are_used_in_place() {
    // Small ones lie in the heap, between the machine's own blocks; big ones have mappings of their own.
    for count in [32, 1024, 1 << 20] {
        let x: Vec<i32> = (0..count).map(|i| i * 7 - 3).collect();
        let mut y = vec![0; x.len()];
        axpi(&mut y, &x, -5, 32);
        let expected: Vec<i32> = (0..count).map(|i| (i * 7 - 3) * -5 + i).collect();
        assert_eq!(y, expected, "{count} elements");
    }
}

#[test]
fn a_kernel_can_be_run_again_and_again() {
    let mut y = vec![0; 64];
    for round in 0..50 {
        let x = vec![round; 64];
        axpi(&mut y, &x, 2, 64);
        assert!(y.iter().enumerate().all(|(i, &y)| y == 2 * round + i as i32), "round {round}: {y:?}");
    }
}
