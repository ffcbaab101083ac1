//! Kernels that read and write arrays through objects and references.

use std::ffi::CString;

use crate::client::{Context, Handle, answer, call, launch, make, read};

const READS: &str = "
.version 8.0
.target sm_90
.address_size 64
.global .texref picture;
.visible .entry object(.param .u64 to, .param .u64 texture, .param .u64 layer) {
    .reg .b64 %a, %t;
    .reg .b32 %r<5>, %l;
    .reg .f32 %x;
    ld.param.u64 %a, [to];
    ld.param.u64 %t, [texture];
    ld.param.u32 %l, [layer];
    mov.f32 %x, 0f3fc00000;
    tex.a2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%t, {%l, %x, %x, %x}];
    st.global.u32 [%a], %r0;
    ret;
}
.visible .entry plane(.param .u64 to, .param .u64 texture) {
    .reg .b64 %a, %t;
    .reg .b32 %r<5>;
    .reg .f32 %x;
    ld.param.u64 %a, [to];
    ld.param.u64 %t, [texture];
    mov.f32 %x, 0f3fc00000;
    tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%t, {%x, %x}];
    st.global.u32 [%a], %r0;
    ret;
}
.visible .entry reference(.param .u64 to) {
    .reg .b64 %a;
    .reg .b32 %r<5>;
    .reg .f32 %x;
    ld.param.u64 %a, [to];
    mov.f32 %x, 0f3fc00000;
    tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [picture, {%x, %x}];
    st.global.u32 [%a], %r0;
    ret;
}
.visible .entry write(.param .u64 surface, .param .u64 value) {
    .reg .b64 %s;
    .reg .b32 %v, %x, %y;
    ld.param.u64 %s, [surface];
    ld.param.u32 %v, [value];
    mov.u32 %x, 4;
    mov.u32 %y, 2;
    sust.b.2d.b32.trap [%s, {%x, %y}], %v;
    ret;
}
";

/// `CU_AD_FORMAT_UNSIGNED_INT32`
const U32: u32 = 3;
const LAYERED: u32 = 1;
const SURFACE_LDST: u32 = 2;
/// `CU_TRSF_READ_AS_INTEGER`
const READ_AS_INTEGER: u32 = 1;
const ILLEGAL_ADDRESS: u32 = 700;

/// An array of 4 by 4 texels of 32 bits, and as many layers.
fn array(layers: u64, flags: u32) -> Handle {
    let described = [4u64, 4, layers, u64::from(U32) | 1 << 32, u64::from(flags)];
    make("cuArray3DCreate_v2", |made| answer("cuArray3DCreate_v2", (made, described.as_ptr())))
}

/// Copies texels between the host and an array; `CU_MEMORYTYPE_HOST` is 1, `_ARRAY` is 3.
#[track_caller]
fn copy(array: Handle, texels: &mut [u32], to_array: bool) {
    let layers = texels.len() as u64 / 16;
    let host = [0, 0, 0, 0, 1, texels.as_mut_ptr() as u64, 0, 0, 0, 16, 4];
    let there = [0, 0, 0, 0, 3, 0, 0, array, 0, 0, 0];
    let sides = if to_array { [host, there] } else { [there, host] };
    let words = [sides.concat(), vec![16, 4, layers]].concat();
    call("cuMemcpy3D_v2", (words.as_ptr(),));
}

/// A texture object of an array, with a view or none.
fn texture(array: Handle, view: *const u64) -> Handle {
    let mut resource = [0u64; 18];
    resource[1] = array;
    let mut sampling = [0u32; 26];
    sampling[4] = READ_AS_INTEGER;
    make("cuTexObjectCreate", |made| {
        answer("cuTexObjectCreate", (made, resource.as_ptr(), sampling.as_ptr(), view))
    })
}

fn run(kernel: Handle, parameters: &[u64]) -> u32 {
    assert_eq!(launch(kernel, [1; 3], [1; 3], 0, parameters), 0);
    answer("cuCtxSynchronize", ())
}

#[test]
fn a_view_shows_the_layers_that_it_names() {
    let context = Context::new();
    let module = context.module(READS);
    let (kernel, to) = (module.kernel("object"), context.memory(4));
    let layers = array(4, LAYERED);
    let mut texels: Vec<u32> = (0..64).map(|index| 100 * (index / 16) + index % 16).collect();
    copy(layers, &mut texels, true);
    // Format, sizes, levels, and the layers from 1 to 2.
    let mut view = [0u64; 14];
    view[..6].copy_from_slice(&[0xd, 4, 4, 4, 0, 1 | 2 << 32]);
    let (all, some) = (texture(layers, std::ptr::null()), texture(layers, view.as_ptr()));
    for (object, layer, texel) in [(all, 3, 305), (some, 0, 105), (some, 1, 205), (some, 5, 205)] {
        assert_eq!(run(kernel, &[to, object, layer]), 0);
        assert_eq!(read(to, 1), [texel], "layer {layer}");
    }
}

#[test]
fn what_a_surface_writes_is_copied_and_sampled() {
    let context = Context::new();
    let module = context.module(READS);
    let plane = array(0, SURFACE_LDST);
    let mut resource = [0u64; 18];
    resource[1] = plane;
    let surface = make("cuSurfObjectCreate", |made| answer("cuSurfObjectCreate", (made, resource.as_ptr())));
    assert_eq!(run(module.kernel("write"), &[surface, 77]), 0);
    let mut texels = vec![0; 16];
    copy(plane, &mut texels, false);
    assert_eq!((texels[9], texels.iter().sum::<u32>()), (77, 77), "the second texel of the third row");
}

/// Each in a context of its own, since it breaks with the finding.
#[test]
fn what_is_destroyed_is_a_finding() {
    for destroys_object in [true, false] {
        let context = Context::new();
        let module = context.module(READS);
        let plane = array(0, 0);
        let object = texture(plane, std::ptr::null());
        let (kernel, to) = (module.kernel("plane"), context.memory(4));
        assert_eq!(run(kernel, &[to, object]), 0);
        match destroys_object {
            true => call("cuTexObjectDestroy", (object,)),
            false => call("cuArrayDestroy", (plane,)),
        }
        let result = run(kernel, &[to, object]);
        assert_eq!(result, ILLEGAL_ADDRESS, "the object: {destroys_object}");
        assert_eq!(answer("cuCtxSynchronize", ()), result, "the context stays broken");
    }
}

/// A launch uses what its reference was bound to at the time, however late it runs.
#[test]
fn a_reference_is_bound_for_the_launches_that_follow() {
    let context = Context::new();
    let module = context.module(READS);
    let name = CString::new("picture").expect("no zeros");
    let reference =
        make("cuModuleGetTexRef", |made| answer("cuModuleGetTexRef", (made, module.0, name.as_ptr())));
    call("cuTexRefSetFlags", (reference, READ_AS_INTEGER));
    let kernel = module.kernel("reference");
    let stream = context.stream(1);
    let places: Vec<Handle> = (0..8).map(|_| context.memory(4)).collect();
    let arrays: Vec<Handle> = (0..8).map(|_| array(0, 0)).collect();
    for (number, (&plane, &to)) in arrays.iter().zip(&places).enumerate() {
        copy(plane, &mut [number as u32; 16], true);
        call("cuTexRefSetArray", (reference, plane, 1u32));
        assert_eq!(launch(kernel, [1; 3], [1; 3], stream, &[to]), 0);
    }
    call("cuStreamSynchronize", (stream,));
    let told: Vec<u32> = places.iter().flat_map(|&to| read(to, 1)).collect();
    assert_eq!(told, [0, 1, 2, 3, 4, 5, 6, 7]);
    // An array that is destroyed leaves its reference unbound.
    call("cuArrayDestroy", (arrays[7],));
    let mut bound: Handle = 0;
    assert_eq!(answer("cuTexRefGetArray", (&raw mut bound, reference)), 1);
    assert_ne!(run(kernel, &[places[0]]), 0, "nothing is bound");
}

/// Arrays and objects end with their context, and with them their handles.
#[test]
fn a_context_takes_its_arrays_along() {
    let keeper = Context::new();
    let other = Context::new();
    let plane = array(0, 0);
    let object = texture(plane, std::ptr::null());
    drop(other);
    keeper.enter();
    let mut described = [0u64; 18];
    assert_eq!(answer("cuArray3DGetDescriptor_v2", (described.as_mut_ptr(), plane)), 400);
    assert_eq!(answer("cuArrayDestroy", (plane,)), 400);
    assert_eq!(answer("cuTexObjectGetResourceDesc", (described.as_mut_ptr(), object)), 1);
}
