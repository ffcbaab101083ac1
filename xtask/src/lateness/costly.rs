//! The most expensive things that a guest can ask for in one instruction or call, in endless loops: the largest copies and
//! reductions, lookups with the most samples, long texts, the heap, calls and long blocks. Matrix products are in
//! `products`.
//!
//! `walk` has them too, but rarely with the most expensive operands.

use ptxvm_vm::tensor::encode::{Im2col, Tensor, Tiled};
use ptxvm_vm::{
    Array, Block, Buffer, Channel, Device, Filter, Format, LaunchOptions, Profile, Read, Sampler, Shape,
    Texture,
};

use super::{THREADS, products};

/// The bytes of shared memory that copies move; mbarriers follow, one for each thread.
const BYTES: u32 = 196_608;
/// All shared memory.
const SHARED: u32 = BYTES + 8 * THREADS;
/// The bytes that a copy through the map of columns moves: as many pixels of sixteen bytes as there may be.
const COLUMNS: u32 = 1024 * 16;
/// The bytes of the buffer.
const BUFFER: usize = 256 << 10;

/// A kernel.
pub struct Costly {
    pub name: String,
    pub device: &'static str,
    pub source: String,
    /// The CTAs, all of one cluster.
    pub cluster: u32,
}

impl Costly {
    /// A loop over these instructions in every CTA of a cluster.
    pub fn new(device: &'static str, cluster: u32, name: impl Into<String>, body: &str) -> Costly {
        Costly { name: name.into(), device, source: kernel(device, cluster, body), cluster }
    }
}

/// All of them.
pub fn all() -> Vec<Costly> {
    let mut all = products::all();
    let mut add = |device, name: &str, body: &str| all.push(Costly::new(device, 1, name, body));
    add(
        "h200",
        "cp.async.bulk to shared memory",
        &arriving(
            BYTES,
            "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%s], [%g], 196608, [%b];",
        ),
    );
    let store = "cp.async.bulk.global.shared::cta.bulk_group [%g], [%s], 196608; cp.async.bulk.commit_group;";
    add("h200", "cp.async.bulk to global memory", &format!("{store} cp.async.bulk.wait_group 0;"));
    add("h200", "cp.async.bulk to global memory, never waited for", store);
    add(
        "h200",
        "cp.async.bulk to global memory, waited for to be read",
        &format!("{store} cp.async.bulk.wait_group.read 0;"),
    );
    add(
        "b200",
        "cp.async.bulk with a mask of bytes",
        "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%g], [%s], 196608, 0x5555; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
    );
    for how in REDUCTIONS {
        let issue = format!(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.{how} [%g], [%s], 196608; cp.async.bulk.commit_group;"
        );
        add("h200", &format!("cp.reduce.async.bulk.{how}"), &format!("{issue} cp.async.bulk.wait_group 0;"));
    }
    add(
        "h200",
        "cp.reduce.async.bulk.add.f64, never waited for",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%g], [%s], 196608;",
    );
    add("b200", "st.bulk", "st.bulk.weak.shared::cta [%s], 196608, 0;");
    let rows = "[%rows, {0, 0, 0}]";
    add(
        "h200",
        "cp.async.bulk.tensor to shared memory",
        &arriving(
            BYTES,
            &format!(
                "cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%s], {rows}, [%b];"
            ),
        ),
    );
    add(
        "h200",
        "cp.async.bulk.tensor to global memory",
        &format!(
            "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group {rows}, [%s]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
        ),
    );
    for how in ["add", "min", "max", "inc", "dec", "and", "or", "xor"] {
        add(
            "h200",
            &format!("cp.reduce.async.bulk.tensor.{how}"),
            &format!(
                "cp.reduce.async.bulk.tensor.3d.global.shared::cta.{how}.tile.bulk_group {rows}, [%s]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
            ),
        );
    }
    let columns = "[%columns, {0, 0, 0, 0}]";
    add(
        "h200",
        "cp.async.bulk.tensor, im2col",
        &arriving(
            COLUMNS,
            &format!(
                "cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%s], {columns}, [%b], {{0, 0}};"
            ),
        ),
    );
    add(
        "h200",
        "cp.reduce.async.bulk.tensor.add, im2col",
        &format!(
            "cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.im2col_no_offs.bulk_group {columns}, [%s]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
        ),
    );
    let gradients = "{%f4, %f5, %f5, %f5}, {%f5, %f6, %f5, %f5}";
    add(
        "h200",
        "tex.grad.2d with 16 samples",
        "tex.grad.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%plane, {%f7, %f7}], {%f4, %f5}, {%f5, %f6};",
    );
    add(
        "h200",
        "tex.grad.2d of BC7 with 16 samples",
        "tex.grad.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%packed, {%f7, %f7}], {%f4, %f5}, {%f5, %f6};",
    );
    add(
        "h200",
        "tex.grad.3d with 16 samples",
        &format!(
            "tex.grad.3d.v4.f32.f32 {{%f0, %f1, %f2, %f3}}, [%solid, {{%f7, %f7, %f7, %f7}}], {gradients};"
        ),
    );
    add(
        "h200",
        "tex.grad.cube with 16 samples",
        &format!(
            "tex.grad.cube.v4.f32.f32 {{%f0, %f1, %f2, %f3}}, [%cube, {{%f7, %f4, %f6, %f6}}], {gradients};"
        ),
    );
    add("h200", "vprintf of a long string", &print("string"));
    add("h200", "vprintf of a wide number", &print("wide"));
    for bytes in ["0", "1", "65536", "4194304", "8388609"] {
        add("h200", &format!("malloc of {bytes} bytes and free"), &heap(bytes, "call free, (p);"));
    }
    add("h200", "malloc without free", &heap("48", ""));
    add("h200", "a call in a call", "{ .param .b32 n; st.param.b32 [n], 200; call down, (n); }");
    add("h200", "a long block", &"div.rn.f64 %d1, %d1, %d0; sqrt.rn.f64 %d1, %d1;".repeat(4096));
    add("h200", "cp.async, never waited for", "cp.async.cg.shared.global [%s], [%g], 16;");
    add("h200", "cp.async", "cp.async.cg.shared.global [%s], [%g], 16; cp.async.wait_all;");
    add("h200", "ld.volatile", "ld.volatile.global.b32 %r0, [%g];");
    add("h200", "nanosleep", "nanosleep.u32 1000000;");
    let multicast = "mov.u32 %r0, %cluster_ctarank; setp.ne.u32 %p2, %r0, 0;\n\
        @!%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%s], [%g], 65536, [%b], 0xff;";
    all.push(Costly::new("h200", 8, "cp.async.bulk to eight CTAs", &arriving(65536, multicast)));
    all
}

const REDUCTIONS: &[&str] = &[
    "and.b32",
    "or.b64",
    "xor.b32",
    "add.u32",
    "add.s32",
    "add.u64",
    "add.noftz.f16",
    "add.noftz.bf16",
    "add.f32",
    "add.f64",
    "inc.u32",
    "dec.u32",
    "min.u32",
    "max.s32",
    "min.u64",
    "max.s64",
    "min.f16",
    "max.bf16",
];

/// A copy whose thread waits for its mbarrier.
fn arriving(bytes: u32, copy: &str) -> String {
    format!(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%b], {bytes};\n{copy}\n\
         WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%b], %parity;\n@!%p0 bra WAIT;\nxor.b32 %parity, %parity, 1;"
    )
}

fn print(format: &str) -> String {
    format!(
        "{{ .param .b32 r; .param .b64 f; .param .b64 a; mov.u64 %x0, {format}; cvta.global.u64 %x0, %x0; st.param.b64 [f], %x0;\n\
         mov.u64 %x1, arguments; st.local.u64 [%x1], %g; cvta.local.u64 %x1, %x1; st.param.b64 [a], %x1; call (r), vprintf, (f, a); }}"
    )
}

fn heap(bytes: &str, after: &str) -> String {
    format!(
        "{{ .param .b64 r; .param .b64 n; .param .b64 p; st.param.b64 [n], {bytes}; call (r), malloc, (n);\n\
         ld.param.b64 %x0, [r]; st.param.b64 [p], %x0; {after} }}"
    )
}

/// A kernel that fills shared memory with NaN of every format, which the tensor cores are slowest with, and goes round.
fn kernel(device: &str, cluster: u32, body: &str) -> String {
    let (target, constant) = if device == "b200" { ("sm_100a", "0x4000") } else { ("sm_90a", "0") };
    let allocation = if device == "b200" { products::allocation(cluster) } else { String::new() };
    let text = |bytes: &[u8]| bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
    format!(
        "// A launch line would say: --block {THREADS} --shared {SHARED}
.version 9.1
.target {target}
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.extern .shared .align 1024 .b8 memory[];
.global .b8 string[] = {{{string}}};
.global .b8 wide[] = {{{wide}}};
.func down(.param .b32 n)
{{
    .reg .b32 %n; .reg .pred %p;
    ld.param.b32 %n, [n]; setp.eq.u32 %p, %n, 0; @%p ret; sub.u32 %n, %n, 1;
    {{ .param .b32 m; st.param.b32 [m], %n; call down, (m); }}
    ret;
}}
.visible .entry k(.param .u64 .ptr .global .align 128 buffer, .param .u64 plane, .param .u64 packed, .param .u64 solid,
    .param .u64 cube, .param .align 64 .b8 rows[128], .param .align 64 .b8 columns[128])
{{
    .reg .pred %p<4>; .reg .b32 %tm, %t, %s, %b, %i, %parity, %lo, %hi, %r<128>; .reg .f32 %f<8>; .reg .f64 %d<2>;
    .reg .b64 %g, %x<2>, %plane, %packed, %solid, %cube, %rows, %columns, %ma, %mb;
    .local .align 8 .b8 arguments[8];
    ld.param.u64 %g, [buffer]; ld.param.u64 %plane, [plane]; ld.param.u64 %packed, [packed]; ld.param.u64 %solid, [solid];
    ld.param.u64 %cube, [cube]; mov.b64 %rows, rows; cvta.param.u64 %rows, %rows; mov.b64 %columns, columns; cvta.param.u64 %columns, %columns;
    mov.u32 %t, %tid.x; mov.u32 %s, memory; mad.lo.u32 %b, %t, 8, %s; add.u32 %b, %b, {BYTES};
    mad.lo.u32 %i, %t, 4, %s;
FILL: st.shared.b32 [%i], 0x7fff7fff; add.u32 %i, %i, 4096; sub.u32 %lo, %i, %s; setp.lt.u32 %p0, %lo, {BYTES}; @%p0 bra FILL;
    {allocation}
    bar.sync 0;
    mbarrier.init.shared::cta.b64 [%b], 1; fence.mbarrier_init.release.cluster; mov.b32 %parity, 0; mov.b32 %tm, 0;
    shr.u32 %lo, %s, 4; or.b32 %lo, %lo, 0x80000; mov.b32 %hi, 16; or.b32 %hi, %hi, {constant};
    mov.b64 %ma, {{%lo, %hi}}; mov.b64 %mb, %ma; setp.eq.u32 %p1, %t, %t;
    cvt.rn.f32.u32 %f7, %t; mul.f32 %f7, %f7, 0f3A83126F; mov.f32 %f4, 0f3E800000; mov.f32 %f5, 0f00000000; mov.f32 %f6, 0f3C800000;
    mov.f64 %d0, 0d3FF0000000000001; mov.f64 %d1, 0d7FE1234567890123;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
LOOP:
{body}
    bra LOOP;
}}
",
        string = text(b"%s\0"),
        wide = text(b"%1000000d\0"),
    )
}

/// A device with what the kernels are given, and the launch.
pub struct CostlyLaunch {
    pub options: LaunchOptions,
    _textures: Vec<Texture>,
    _buffer: Buffer,
}

impl CostlyLaunch {
    pub fn new(device: &Device, costly: &Costly) -> Result<CostlyLaunch, String> {
        let mut text = vec![b'a'; BUFFER];
        text[BUFFER - 1] = 0;
        let buffer = Buffer::from_slice(device, &text).map_err(|e| e.to_string())?;
        let sampler = Sampler {
            filter: Filter::Linear,
            level_filter: Filter::Linear,
            normalized: true,
            read: Read::NormalizedFloat,
            anisotropy: 16,
            max_level: 16.0,
            ..Sampler::default()
        };
        let shape = |width, height, depth, cube| Shape { width, height, depth, layers: 0, cube, levels: 6 };
        let images = [
            (Channel::F32, shape(256, 256, 0, false)),
            (Channel::Block(Block::Bc7Srgb), shape(256, 256, 0, false)),
            (Channel::F32, shape(64, 64, 64, false)),
            (Channel::F32, shape(64, 64, 0, true)),
        ];
        let mut textures = Vec::new();
        for (channel, shape) in images {
            let array =
                Array::new(device, Format { channel, channels: 4 }, shape).map_err(|e| e.to_string())?;
            textures.push(Texture::new(&array, sampler));
        }
        let mut options = LaunchOptions::new(costly.cluster, THREADS).on_print(|_| {});
        options.cluster = (costly.cluster > 1).then(|| costly.cluster.into());
        options.shared = SHARED;
        options.arguments.push(&buffer);
        textures.iter().for_each(|texture| options.arguments.push(texture.handle()));
        options.arguments.push(&rows(buffer.address(), device.profile())?[..]);
        options.arguments.push(&columns(buffer.address(), device.profile())?[..]);
        Ok(CostlyLaunch { options, _textures: textures, _buffer: buffer })
    }
}

/// A map of as many rows of sixteen bytes as fit: the more rows, the more work.
fn rows(address: u64, profile: &Profile) -> Result<[u8; 128], String> {
    let tensor = Tensor {
        element: 2,
        address,
        sizes: &[4, 256, 48],
        strides: &[16, 4096],
        element_strides: &[1, 1, 1],
        interleave: 0,
        swizzle: 0,
        promotion: 0,
        fill: 0,
    };
    Ok(Tiled { tensor, box_sizes: &[4, 256, 48] }.encode(profile)?.to_bytes())
}

/// A map of columns with as many pixels as there may be.
fn columns(address: u64, profile: &Profile) -> Result<[u8; 128], String> {
    let tensor = Tensor {
        element: 2,
        address,
        sizes: &[4, 16, 16, 16],
        strides: &[16, 256, 4096],
        element_strides: &[1, 1, 1, 1],
        interleave: 0,
        swizzle: 0,
        promotion: 0,
        fill: 0,
    };
    let map = Im2col { tensor, lower: &[0, 0], upper: &[0, 0], channels: 4, pixels: 1024 };
    Ok(map.encode(profile)?.to_bytes())
}
