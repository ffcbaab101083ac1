//! Textures through the machine: a kernel reads an image by a handle.

use ptxvm_memory::AllocationKind;
use ptxvm_texture::{Channel, Format, Image, Object, Sampler, Shape, Texture};
use ptxvm_vm::{Buffer, Device, LaunchOptions};

const KERNEL: &str = ".version 9.1\n.target sm_90\n.address_size 64\n
    .visible .entry k(.param .u64 out, .param .u64 t) {
        .reg .b64 %p, %t; .reg .b32 %x, %i; .reg .f32 %f<6>;
        ld.param.u64 %p, [out];
        ld.param.u64 %t, [t];
        mov.u32 %i, %tid.x;
        and.b32 %x, %i, 3;
        cvt.rn.f32.u32 %f4, %x;
        shr.u32 %x, %i, 2;
        cvt.rn.f32.u32 %f5, %x;
        tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%f4, %f5}];
        mad.wide.u32 %p, %i, 4, %p;
        st.global.f32 [%p], %f0;
        ret;
    }";

#[test]
fn a_handle_shows_its_image() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::default();
    let format = Format { channel: Channel::F32, channels: 1 };
    let shape = Shape { width: 4, height: 8, depth: 0, layers: 0, cube: false, levels: 1 };
    let mut image = Image::array(0, format, shape).ok_or("too large")?;
    image.address = device.memory().allocate(image.bytes, 256, AllocationKind::Array, None)?;
    let texels: Vec<u8> = (0..32).flat_map(|n| (n as f32).to_le_bytes()).collect();
    device.write(image.address, &texels)?;
    let handle = device.objects().create(Object::Texture(Texture { image, sampler: Sampler::default() }));
    let out = Buffer::new(&device, 128)?;
    let kernel = device.load(KERNEL)?.kernel("k")?;
    kernel.launch(&LaunchOptions::new(1, 32).argument(&out).argument(handle))?;
    assert_eq!(out.to_vec::<f32>(), (0..32).map(|n| n as f32).collect::<Vec<_>>());
    let wrong = kernel.launch(&LaunchOptions::new(1, 32).argument(&out).argument(99u64));
    assert!(wrong.is_err_and(|failure| failure.to_string().contains("is not the handle of a texture")));
    Ok(())
}
