//! Gives matrix instructions what they need to run at all: a whole warpgroup, descriptors of matrices in shared memory,
//! valid metadata, allocated tensor memory. Most of it is only likely to be right, on purpose.

use crate::oracle::Random;

/// The instructions.
pub const OPCODES: &[&str] = &["mma", "wmma", "wgmma", "tcgen05", "ldmatrix", "stmatrix", "movmatrix"];

/// The registers that the longest vectors have.
pub const LONGEST: usize = 128;

/// Two matrix descriptors, an instruction descriptor, metadata, tensor memory of the warp's own quarter and of the first,
/// and what is the same for all lanes: a predicate and a generic address.
pub const REGISTERS: &str = ".reg .b64 %ma, %mb, %xb; .reg .b32 %mi, %mm, %ta, %tz; .reg .pred %mp;";

/// Sets the registers; `%t0` is the number of the thread in its CTA.
pub fn operands(blackwell: bool, random: &mut Random) -> Vec<String> {
    let mut lines = Vec::new();
    for name in ["%ma", "%mb"] {
        let start = 8 * random.below(32);
        let leading = *random.pick(&[1, 8, 16, 64, 512]) << 16;
        let stride = *random.pick(&[8u32, 16, 32, 64]);
        let base_offset = if random.one_in(8) { random.below(8) as u32 } else { 0 };
        // Blackwell's descriptors have a constant, and one bit more for the swizzle.
        let mode = match blackwell {
            true => *random.pick(&[0u32, 1, 2, 4, 6]) << 29 | 1 << 14,
            false => (random.below(4) as u32) << 30,
        };
        lines.push("mov.u32 %t1, sm;".into());
        lines.push("shr.u32 %t1, %t1, 4;".into());
        lines.push(format!("add.u32 %t1, %t1, {start};"));
        lines.push(format!("or.b32 %t1, %t1, {leading:#x};"));
        lines.push(format!("mov.b64 {name}, {{%t1, {:#x}}};", stride | base_offset << 17 | mode));
    }
    let (m, n) = (*random.pick(&[64u32, 128]), 16 * (1 + random.below(16) as u32));
    // The formats of D, A and B, in bits 4, 7 and 10.
    let types = random.below(4) << 4 | random.below(2) << 7 | random.below(2) << 10;
    lines.push(format!("mov.b32 %mi, {:#x};", m >> 4 << 24 | n >> 3 << 17 | types as u32));
    lines.push(format!("mov.b32 %mm, {:#x};", *random.pick(&[0x4444_4444u32, 0xeeee_eeee, 0x4e4e_e4e4])));
    let own = "shr.u32 %t1, %t0, 5; and.b32 %t1, %t1, 3; shl.b32 %ta, %t1, 21; mov.b32 %tz, 0;";
    lines.push(own.into());
    lines.push(format!("cvta.shared.u64 %xb, %sb; setp.eq.u32 %mp, {}, 0;", random.below(2)));
    lines
}

/// The beginning of an entry: the first warp allocates tensor memory, all threads being there.
pub fn allocation() -> Vec<String> {
    let text = "setp.ge.u32 %lp, %t0, 32;\n@%lp bra ALLOCATED;\n\
        tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [sm], 256;\n\
        tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\nALLOCATED:\nbar.sync 0;";
    text.lines().map(str::to_owned).collect()
}

/// The end of an entry, for the warp that is still whole.
pub fn deallocation() -> Vec<String> {
    let text = "bar.sync 0;\nmov.u32 %t1, %tid.x;\nsetp.ge.u32 %lp, %t1, 32;\n@%lp bra FREED;\n\
        tcgen05.dealloc.cta_group::1.sync.aligned.b32 %tz, 256;\nFREED:";
    text.lines().map(str::to_owned).collect()
}
