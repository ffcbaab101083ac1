//! Arrays, textures and surfaces as an embedder has them: what they own, what dropping does, and what goes wrong by name.

use ptxvm_vm::{
    Array, ArrayError, Block, Buffer, Channel, Device, Failure, Format, Kind, LaunchOptions, Sampler, Shape,
    Surface, Texture,
};

const U32: Format = Format { channel: Channel::U32, channels: 1 };

/// Kernels that add one thread's number to the element of that number of a row, a plane and a layer.
const KERNELS: &str = ".version 9.1\n.target sm_90\n.address_size 64\n
    .visible .entry row(.param .u64 s) {
        .reg .b64 %s; .reg .b32 %x, %i, %v;
        ld.param.u64 %s, [s];
        mov.u32 %i, %tid.x;
        shl.b32 %x, %i, 2;
        suld.b.1d.b32.trap %v, [%s, {%x}];
        add.u32 %v, %v, %i;
        sust.b.1d.b32.trap [%s, {%x}], %v;
        ret;
    }
    .visible .entry plane(.param .u64 s) {
        .reg .b64 %s; .reg .b32 %x, %y;
        ld.param.u64 %s, [s];
        mov.u32 %x, %tid.x;
        mov.u32 %y, %tid.y;
        sured.p.add.2d.b32.trap [%s, {%x, %y}], %x;
        ret;
    }
    .visible .entry sizes(.param .u64 s, .param .u64 out) {
        .reg .b64 %s, %p; .reg .b32 %v;
        ld.param.u64 %s, [s];
        ld.param.u64 %p, [out];
        suq.width.b32 %v, [%s];
        st.global.u32 [%p], %v;
        suq.height.b32 %v, [%s];
        st.global.u32 [%p+4], %v;
        suq.depth.b32 %v, [%s];
        st.global.u32 [%p+8], %v;
        suq.array_size.b32 %v, [%s];
        st.global.u32 [%p+12], %v;
        suq.memory_layout.b32 %v, [%s];
        st.global.u32 [%p+16], %v;
        ret;
    }";

type Result = std::result::Result<(), Box<dyn std::error::Error>>;

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

fn sizes(device: &Device, surface: &Surface) -> std::result::Result<Vec<u32>, Box<dyn std::error::Error>> {
    let out = Buffer::new(device, 20)?;
    let launch = LaunchOptions::new(1, 1).argument(surface).argument(&out);
    device.load(KERNELS)?.kernel("sizes")?.launch(&launch)?;
    Ok(out.to_vec())
}

#[test]
fn a_surface_of_a_level_shows_that_level() -> Result {
    let device = Device::default();
    let array = Array::new(&device, U32, Shape { width: 5, height: 4, levels: 2, ..Shape::default() })?;
    let surface = Surface::new(&array, 1)?;
    assert_eq!(sizes(&device, &surface)?, [2, 2, 0, 0, 0]);
    let kernel = device.load(KERNELS)?.kernel("plane")?;
    kernel.launch(&LaunchOptions::new(1, (2, 2)).argument(&surface))?;
    assert_eq!(words(&array.read(1, 0)?), [0, 1, 0, 1]);
    assert!(array.read(0, 0)?.iter().all(|byte| *byte == 0));
    assert_eq!(Surface::new(&array, 2).err(), Some(ArrayError::Level { level: 2, levels: 2 }));
    Ok(())
}

#[test]
fn layers_and_faces_are_told_as_an_h200_tells_them() -> Result {
    let device = Device::default();
    let of = |shape| -> std::result::Result<Vec<u32>, Box<dyn std::error::Error>> {
        sizes(&device, &Surface::new(&Array::new(&device, U32, shape)?, 0)?)
    };
    let row = Shape { width: 7, ..Shape::default() };
    let face = Shape { width: 6, height: 6, cube: true, ..Shape::default() };
    assert_eq!(of(row)?, [7, 0, 0, 0, 0]);
    assert_eq!(of(Shape { layers: 5, ..row })?, [7, 5, 0, 5, 0]);
    assert_eq!(of(Shape { height: 5, layers: 3, ..row })?, [7, 5, 3, 3, 0]);
    assert_eq!(of(Shape { height: 5, depth: 3, ..row })?, [7, 5, 3, 0, 0]);
    assert_eq!(of(face)?, [6, 6, 6, 6, 0]);
    assert_eq!(of(Shape { layers: 2, ..face })?, [6, 6, 12, 12, 0]);
    Ok(())
}

#[test]
fn buffers_are_surfaces_too() -> Result {
    let device = Device::default();
    let buffer = Buffer::from_slice(&device, &[10u32; 12])?;
    let row = Surface::linear(&buffer, U32, 12)?;
    assert_eq!(sizes(&device, &row)?, [12, 0, 0, 0, 1]);
    device.load(KERNELS)?.kernel("row")?.launch(&LaunchOptions::new(1, 12).argument(&row))?;
    assert_eq!(buffer.to_vec::<u32>(), (10..22).collect::<Vec<_>>());
    let plane = Surface::pitched(&buffer, U32, 3, 3, 16)?;
    let kernel = device.load(KERNELS)?.kernel("plane")?;
    kernel.launch(&LaunchOptions::new(1, (3, 3)).argument(&plane))?;
    assert_eq!(buffer.to_vec::<u32>(), [10, 12, 14, 13, 14, 16, 18, 17, 18, 20, 22, 21]);
    assert!(matches!(Surface::pitched(&buffer, U32, 3, 3, 12), Err(ArrayError::Shape(_))));
    let short = ArrayError::Size { wanted: 52, given: 48 };
    assert_eq!(Surface::linear(&buffer, U32, 13).err(), Some(short.clone()));
    assert_eq!(Texture::linear(&buffer, U32, 13, Sampler::default()).err(), Some(short));
    Ok(())
}

#[test]
fn an_array_lives_as_long_as_what_shows_it() -> Result {
    let device = Device::default();
    let before = device.memory().statistics().bytes_in_use;
    let array = Array::new(&device, U32, Shape { width: 4, ..Shape::default() })?;
    let surface = Surface::new(&array, 0)?;
    drop(array);
    let launch = LaunchOptions::new(1, 4).argument(&surface);
    let kernel = device.load(KERNELS)?.kernel("row")?;
    kernel.launch(&launch)?;
    let texels = surface.array().expect("it is of an array").read(0, 0)?;
    assert_eq!(words(&texels), [0, 1, 2, 3]);
    drop(surface);
    assert_eq!(device.memory().statistics().bytes_in_use, before);
    match kernel.launch(&launch) {
        Err(Failure::Finding(finding)) => {
            assert_eq!(finding.kind, Kind::UseAfterFree);
            assert!(finding.message.contains("surface"), "{}", finding.message);
            assert!(finding.message.contains("has been destroyed"), "{}", finding.message);
        }
        other => panic!("the surface has been destroyed: {other:?}"),
    }
    Ok(())
}

#[test]
fn a_freed_buffer_under_a_surface_is_found() -> Result {
    let device = Device::default();
    let buffer = Buffer::new(&device, 64)?;
    let surface = Surface::linear(&buffer, U32, 16)?;
    drop(buffer);
    let kernel = device.load(KERNELS)?.kernel("row")?;
    match kernel.launch(&LaunchOptions::new(1, 4).argument(&surface)) {
        Err(Failure::Finding(finding)) => assert_eq!(finding.kind, Kind::UseAfterFree),
        other => panic!("the buffer has been freed: {other:?}"),
    }
    Ok(())
}

#[test]
fn a_texture_is_no_surface() -> Result {
    let device = Device::default();
    let array = Array::new(&device, U32, Shape { width: 4, ..Shape::default() })?;
    let texture = Texture::new(&array, Sampler::default());
    let kernel = device.load(KERNELS)?.kernel("row")?;
    match kernel.launch(&LaunchOptions::new(1, 4).argument(&texture)) {
        Err(Failure::Finding(finding)) => {
            assert_eq!(finding.kind, Kind::Misuse);
            assert!(finding.message.contains("is a texture, not a surface"), "{}", finding.message);
        }
        other => panic!("a texture cannot be written: {other:?}"),
    }
    Ok(())
}

#[test]
fn shapes_that_cannot_be_are_refused_with_a_reason() {
    let device = Device::default();
    let row = Shape { width: 4, ..Shape::default() };
    for (shape, why) in [
        (Shape { width: 0, ..row }, "at least one texel"),
        (Shape { depth: 2, ..row }, "a height too"),
        (Shape { height: 2, depth: 2, layers: 2, ..row }, "neither layers"),
        (Shape { height: 3, cube: true, ..row }, "square"),
        (Shape { levels: 4, ..row }, "from 1 to 3 levels"),
        (Shape { levels: 0, ..row }, "from 1 to 3 levels"),
        (Shape { layers: u32::MAX, ..row }, "that many layers"),
        (Shape { width: u32::MAX, height: u32::MAX, depth: u32::MAX, ..row }, "that many texels"),
        (Shape { width: 1 << 20, height: 1 << 20, ..row }, "memory"),
    ] {
        let error = Array::new(&device, U32, shape).err().map(|error| error.to_string());
        assert!(error.as_ref().is_some_and(|error| error.contains(why)), "{shape:?}: {error:?}");
    }
    let block = Format { channel: Channel::Block(Block::Bc1), channels: 4 };
    let array = Array::new(&device, block, Shape { height: 4, ..row }).expect("it is small");
    assert_eq!(array.read(0, 0).map(|texels| texels.len()), Ok(8));
    assert!(Surface::new(&array, 0).is_err(), "compressed texels cannot be written one by one");
}
