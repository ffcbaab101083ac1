//! The largest matrix products of `wgmma` and `tcgen05.mma`, in endless loops: each kind, sparse, weight-stationary, with
//! scale factors, and of pairs of CTAs.

use super::costly::Costly;

/// The columns of tensor memory in which metadata of sparse matrices lie, and in which scale factors of A and B do. D has
/// those before them.
const METADATA: u32 = 304;
const SCALES: [u32; 2] = [320, 352];

/// All of them.
pub fn all() -> Vec<Costly> {
    let mut all = Vec::new();
    for (shape, types, sums, transposed) in WGMMA {
        let registers: Vec<String> = (0..*sums).map(|n| format!("%r{n}")).collect();
        let product = format!(
            "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.{shape}.{types} {{{}}}, %ma, %mb, 1{transposed}; wgmma.commit_group.sync.aligned;",
            registers.join(", ")
        );
        let waiting = format!("{product} wgmma.wait_group.sync.aligned 0;");
        all.push(Costly::new("h200", 1, format!("wgmma {shape}.{types}"), &waiting));
        all.push(Costly::new("h200", 1, format!("wgmma {shape}.{types}, never waited for"), &product));
    }
    for (kind, formats) in KINDS {
        for sparse in [false, true] {
            for (group, m) in [(1, 128), (2, 256)] {
                let descriptor = formats | u32::from(sparse) << 2 | N << 17 | (m >> 4) << 24;
                all.push(product("", kind, sparse, group, descriptor, ""));
            }
            // Sparse and weight-stationary, there are at most 128 columns.
            let n = if sparse { N / 2 } else { N };
            let descriptor = formats | u32::from(sparse) << 2 | n << 17 | (128 >> 4) << 24;
            all.push(product(".ws", kind, sparse, 1, descriptor, ""));
        }
    }
    for (kind, formats) in SCALED_KINDS {
        for sparse in [false, true] {
            for (group, m) in [(1, 128), (2, 256)] {
                let descriptor = formats | u32::from(sparse) << 2 | N << 17 | (m >> 7) << 27;
                let scales = format!(" [%tm+{}], [%tm+{}],", SCALES[0], SCALES[1]);
                all.push(product("", kind, sparse, group, descriptor, &scales));
            }
        }
    }
    for group in [1, 2] {
        let copy = format!("tcgen05.cp.cta_group::{group}.128x256b [%tm], %ma;");
        all.push(Costly::new("b200", group, format!("tcgen05.cp.cta_group::{group}"), &copy));
    }
    all
}

/// The columns of D and B, as instruction descriptors have them.
const N: u32 = 256 >> 3;

/// Shape, types, registers of D, and what is said of signs and of orders.
const WGMMA: &[(&str, &str, u32, &str)] = &[
    ("m64n256k16", "f32.f16.f16", 128, ", 1, 1, 0, 0"),
    ("m64n256k16", "f16.f16.f16", 64, ", 1, 1, 0, 0"),
    ("m64n256k16", "f32.bf16.bf16", 128, ", 1, 1, 0, 0"),
    ("m64n256k8", "f32.tf32.tf32", 128, ", 1, 1"),
    ("m64n256k32", "f32.e4m3.e5m2", 128, ", 1, 1"),
    ("m64n256k32", "s32.s8.u8", 128, ""),
    ("m64n256k256", "s32.b1.b1.and.popc", 128, ""),
];

/// Kinds of `tcgen05.mma`, with the bits of an instruction descriptor for the types.
const KINDS: &[(&str, u32)] = &[
    ("f16", 1 << 4),
    ("f16", 1 << 4 | 1 << 7 | 1 << 10),
    ("tf32", 1 << 4 | 2 << 7 | 2 << 10),
    ("f8f6f4", 1 << 4),
    ("i8", 2 << 4 | 1 << 7 | 1 << 10),
];
const SCALED_KINDS: &[(&str, u32)] = &[
    ("mxf8f6f4.block_scale", 1 << 23),
    ("mxf4.block_scale.block32", 1 << 23 | 1 << 7 | 1 << 10),
    ("mxf4nvf4.block_scale.block16", 1 << 7 | 1 << 10),
];

fn product(form: &str, kind: &str, sparse: bool, group: u32, descriptor: u32, scales: &str) -> Costly {
    let (sp, metadata) = if sparse { (".sp", format!(" [%tm+{METADATA}],")) } else { ("", String::new()) };
    let head = format!("tcgen05.mma{form}{sp}.cta_group::{group}.kind::{kind}");
    let body = format!("{head} [%tm], %ma, %mb,{metadata} {descriptor:#x},{scales} %p1;");
    Costly::new("b200", group, format!("{head} ({descriptor:#x})"), &body)
}

/// All columns of tensor memory for the CTA or the pair, with metadata in them: elements 0 and 1 of every four.
pub fn allocation(cluster: u32) -> String {
    let registers: Vec<String> = (0..16).map(|n| format!("%r{n}")).collect();
    let values: String =
        registers.iter().map(|register| format!("mov.b32 {register}, 0x44444444; ")).collect();
    format!(
        "setp.ge.u32 %p0, %t, 32; @%p0 bra ALLOCATED;\n\
         tcgen05.alloc.cta_group::{cluster}.sync.aligned.shared::cta.b32 [%b], 512;\nALLOCATED: bar.sync 0;\n\
         setp.ge.u32 %p0, %t, 128; @%p0 bra STORED;\n\
         {values}and.b32 %tm, %t, 96; shl.b32 %tm, %tm, 16; add.u32 %tm, %tm, {METADATA};\n\
         tcgen05.st.sync.aligned.32x32b.x16.b32 [%tm], {{{}}}; tcgen05.wait::st.sync.aligned;\nSTORED:",
        registers.join(", ")
    )
}
