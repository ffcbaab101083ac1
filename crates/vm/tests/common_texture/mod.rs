//! A bench for texture instructions: some code between loads of its inputs and stores of its outputs.

use ptxvm_memory::AllocationKind;
use ptxvm_texture::{Channel, Format, Image, Object, Sampler, Shape, Texture};
use ptxvm_vm::{Buffer, Device, LaunchOptions};

/// What a thread has left in `o0` to `o3` and in `p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub words: [u32; 4],
    pub flag: bool,
}

/// A device, and what is declared before its kernels.
#[derive(Debug)]
pub struct Bench {
    pub device: Device,
}

impl Bench {
    pub fn new() -> Self {
        Self { device: Device::default() }
    }

    /// A texture of floats that are numbered from 1 up.
    pub fn texture(&self, shape: &Shape, sampler: Sampler) -> u64 {
        let image = self.image(shape);
        self.device.objects().create(Object::Texture(Texture { image, sampler }))
    }

    pub fn image(&self, shape: &Shape) -> Image {
        let format = Format { channel: Channel::F32, channels: 1 };
        let mut image = Image::array(0, format, *shape).expect("it is small");
        let memory = self.device.memory();
        image.address =
            memory.allocate(image.bytes, 256, AllocationKind::Array, None).expect("there is memory");
        let level = &image.levels[0];
        let mut number = 0;
        for plane in 0..shape.planes() {
            for z in 0..level.size[2] {
                for y in 0..level.size[1] {
                    for x in 0..level.size[0] {
                        number += 1;
                        let at = image.address + image.offset(level, plane, [x, y, z]);
                        self.device.write(at, &(number as f32).to_le_bytes()).expect("it is allocated");
                    }
                }
            }
        }
        image
    }

    /// What one thread with these inputs in `i0` and the following finds; `t` is the texture.
    pub fn one(&self, texture: u64, code: &str, inputs: &[u32]) -> Result<Answer, String> {
        Ok(self.all(texture, code, &[inputs.to_vec()])?[0])
    }

    /// The same for a CTA of threads.
    pub fn all(&self, texture: u64, code: &str, inputs: &[Vec<u32>]) -> Result<Vec<Answer>, String> {
        self.run("", "", texture, code, inputs)
    }

    /// The same with words after the target and declarations of the module.
    pub fn run(
        &self,
        target: &str,
        declared: &str,
        texture: u64,
        code: &str,
        inputs: &[Vec<u32>],
    ) -> Result<Vec<Answer>, String> {
        let module = self.device.load(&text(target, declared, code)).map_err(|e| e.to_string())?;
        self.launch(&module, texture, inputs)
    }

    /// Launches a kernel of [`text`].
    pub fn launch(
        &self,
        module: &ptxvm_vm::Module,
        texture: u64,
        inputs: &[Vec<u32>],
    ) -> Result<Vec<Answer>, String> {
        let words = inputs.iter().flat_map(|row| (0..8).map(|column| row.get(column).copied().unwrap_or(0)));
        let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        let given = Buffer::new(&self.device, bytes.len()).map_err(|e| e.to_string())?;
        self.device.write(given.address(), &bytes).map_err(|e| e.to_string())?;
        let out = Buffer::new(&self.device, inputs.len() * 32).map_err(|e| e.to_string())?;
        let kernel = module.kernel("k").map_err(|e| e.to_string())?;
        let options = LaunchOptions::new(1, inputs.len() as u32);
        kernel
            .launch(&options.argument(&given).argument(&out).argument(texture))
            .map_err(|e| e.to_string())?;
        let words = out.to_vec::<u32>();
        let answer = |row: &[u32]| Answer { words: [row[0], row[1], row[2], row[3]], flag: row[4] != 0 };
        Ok(words.chunks(8).map(answer).collect())
    }
}

/// A kernel with some code over the registers `i0` to `i7` and `o0` to `o3`.
pub fn text(target: &str, declared: &str, code: &str) -> String {
    format!(
        ".version 9.1\n.target sm_90{target}\n.address_size 64\n{declared}
        .visible .entry k(.param .u64 in, .param .u64 out, .param .u64 texture) {{
            .reg .b64 %a, %b, t, w<4>; .reg .b32 %i, i<8>, o<4>; .reg .b16 h<4>; .reg .pred p;
            ld.param.u64 %a, [in];
            ld.param.u64 %b, [out];
            ld.param.u64 t, [texture];
            mov.u32 %i, %tid.x;
            mad.wide.u32 %a, %i, 32, %a;
            mad.wide.u32 %b, %i, 32, %b;
            ld.global.v4.b32 {{i0, i1, i2, i3}}, [%a];
            ld.global.v4.b32 {{i4, i5, i6, i7}}, [%a + 16];
            mov.b32 o0, 0; mov.b32 o1, 0; mov.b32 o2, 0; mov.b32 o3, 0; setp.ne.u32 p, %i, %i;
            {code}
            st.global.v4.b32 [%b], {{o0, o1, o2, o3}};
            selp.b32 %i, 1, 0, p;
            st.global.b32 [%b + 16], %i;
            ret;
        }}"
    )
}

/// The bits of floats.
pub fn bits(floats: &[f32]) -> Vec<u32> {
    floats.iter().map(|float| float.to_bits()).collect()
}
