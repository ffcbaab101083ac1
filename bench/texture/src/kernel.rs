//! Kernels that sample a texture, run by one thread of the machine.

use std::time::Instant;

use ptxvm_memory::AllocationKind;
use ptxvm_texture::{Channel, Filter, Format, Image, Object, Sampler, Shape, Texture};
use ptxvm_vm::{Buffer, Device, Dimensions, LaunchOptions, Settings};

/// `picture`: each thread takes one sample of a rotated picture and stores it. `many`: each thread adds up 64 samples,
/// as filters and ray marchers do.
const SOURCE: &str = "
.version 9.1
.target sm_90
.address_size 64
.visible .entry picture(.param .u64 texture, .param .u64 out) {
    .reg .b64 %t, %a; .reg .b32 %i, %j, %n; .reg .f32 %x, %y, %u, %v, %f<4>;
    ld.param.u64 %t, [texture];
    ld.param.u64 %a, [out];
    mov.u32 %i, %tid.x; mov.u32 %j, %ctaid.x; mov.u32 %n, %ntid.x;
    mad.lo.u32 %i, %j, %n, %i; mov.u32 %j, %ctaid.y;
    cvt.rn.f32.u32 %x, %i; cvt.rn.f32.u32 %y, %j;
    mul.f32 %u, %y, 0f3F19999A; fma.rn.f32 %u, %x, 0f3F4CCCCD, %u;
    mul.f32 %v, %y, 0f3F4CCCCD; fma.rn.f32 %v, %x, 0fBF19999A, %v;
    add.f32 %v, %v, 0f44160000;
    tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%u, %v}];
    mad.lo.u32 %i, %j, 1024, %i;
    mad.wide.u32 %a, %i, 4, %a;
    st.global.f32 [%a], %f0;
    ret;
}
.visible .entry many(.param .u64 texture, .param .u64 out) {
    .reg .b64 %t, %a; .reg .b32 %i, %j, %n, %k; .reg .f32 %x, %y, %u, %s, %f<4>; .reg .pred %p;
    ld.param.u64 %t, [texture];
    ld.param.u64 %a, [out];
    mov.u32 %i, %tid.x; mov.u32 %j, %ctaid.x; mov.u32 %n, %ntid.x;
    mad.lo.u32 %i, %j, %n, %i; mov.u32 %j, %ctaid.y;
    cvt.rn.f32.u32 %x, %i; cvt.rn.f32.u32 %y, %j;
    mov.f32 %s, 0f00000000;
    mov.u32 %k, 0;
again:
    tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%x, %y}];
    add.f32 %s, %s, %f0;
    add.f32 %x, %x, 0f3F4CCCCD; add.f32 %y, %y, 0f3F19999A;
    add.u32 %k, %k, 1;
    setp.lt.u32 %p, %k, 64;
    @%p bra again;
    mad.lo.u32 %i, %j, 1024, %i;
    mad.wide.u32 %a, %i, 4, %a;
    st.global.f32 [%a], %s;
    ret;
}
";

const ROUNDS: usize = 101;

/// Samples a second of each kernel, the middle one of some launches.
pub fn rates(side: u32, texels: &[u8]) -> [(&'static str, f64); 2] {
    let device = Device::default();
    let shape = Shape { width: side, height: side, depth: 0, layers: 0, cube: false, levels: 1 };
    let format = Format { channel: Channel::F32, channels: 1 };
    let mut image = Image::array(0, format, shape).expect("it is small");
    let memory = device.memory();
    image.address = memory.allocate(image.bytes, 256, AllocationKind::Array, None).expect("there is room");
    device.write(image.address, &texels[..image.bytes as usize]).expect("it is allocated");
    let sampler = Sampler { filter: Filter::Linear, ..Sampler::default() };
    let texture = device.objects().create(Object::Texture(Texture { image, sampler }));
    let module = device.load(SOURCE).unwrap_or_else(|error| panic!("{error}"));
    let out = Buffer::new(&device, 1024 * 1024 * 4).expect("there is room");
    [("picture", 64, 1.0), ("many", 1, 64.0)].map(|(name, rows, samples)| {
        let kernel = module.kernel(name).expect("the kernel");
        let grid = Dimensions([4, rows, 1]);
        let options = LaunchOptions {
            grid,
            settings: Settings { threads: 1, ..Settings::default() },
            ..LaunchOptions::new(1, 256)
        };
        let options = options.argument(texture).argument(&out);
        let mut times: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let begin = Instant::now();
                kernel.launch(&options).unwrap_or_else(|failure| panic!("{name}: {failure}"));
                begin.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        (name, 1024.0 * f64::from(rows) * samples / times[ROUNDS / 2])
    })
}
