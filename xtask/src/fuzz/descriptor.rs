//! `cargo xtask fuzz descriptors`: random matrix descriptors in shared memory that ends about where their matrices do.
//!
//! A descriptor describes units of sixteen bytes, and the fuzzer looks at each of them. If one is outside shared memory,
//! the launch must end with `out-of-bounds`; otherwise it must end well. AddressSanitizer (`cargo xtask sanitize address`)
//! also sees that nothing else is read.

use std::fmt::Write;
use std::time::Instant;

use ptxvm_machine::matrix::descriptor::{Descriptor, Major};
use ptxvm_vm::{Asynchrony, Device, Failure, Kind, LaunchOptions, Module, Profile};

use crate::oracle::Random;

/// The launches of a module, each with other descriptors.
const LAUNCHES: u64 = 64;

/// The most dynamic shared memory that a CTA may have.
const MOST_SHARED: u64 = 227 << 10;

/// A matrix that an instruction reads by a descriptor.
#[derive(Clone, Copy)]
struct Matrix {
    major: Major,
    /// Units along the major direction, and rows or columns across.
    along: u32,
    across: u32,
}

/// An instruction, in a kernel whose parameters are the descriptors.
struct DescriptorCase {
    device: &'static str,
    block: u32,
    text: String,
    matrices: Vec<Matrix>,
    /// The swizzling modes (of `wgmma` or of `tcgen05`) that every descriptor may have.
    modes: &'static [u64],
    /// Bits that every descriptor has.
    constant: u64,
    /// Whether the leading dimension may be an absolute address.
    absolute: bool,
}

/// Tries `count` descriptors, beginning with a seed.
pub fn run(count: u64, seed: u64) -> Result<(), String> {
    let started = Instant::now();
    let (mut tried, mut outside) = (0, 0);
    let mut next = seed;
    let mut said = 0;
    while tried < count {
        let mut random = Random::new(next);
        let case = case(&mut random);
        let wrong = |why: String| format!("seed {next}: {why}\n{}", case.text);
        let profile = Profile::named(case.device).ok_or("no such device")?;
        let module = Device::new(profile).load(&case.text).map_err(|e| wrong(format!("{e:?}")))?;
        for _ in 0..LAUNCHES {
            outside += u64::from(one(&case, &module, &mut random).map_err(wrong)?);
            tried += 1;
        }
        next = next.wrapping_add(1);
        if tried / 100_000 > said {
            said = tried / 100_000;
            println!("{tried} launches, {:.0} s", started.elapsed().as_secs_f64());
        }
    }
    println!("{tried} launches, {outside} of them outside, {:.1} s", started.elapsed().as_secs_f64());
    Ok(())
}

/// One launch with random descriptors; gives whether they reach out of shared memory.
fn one(case: &DescriptorCase, module: &Module, random: &mut Random) -> Result<bool, String> {
    let bits: Vec<u64> = case.matrices.iter().map(|_| descriptor(case, random)).collect();
    let mut end = 0;
    for (bits, matrix) in bits.iter().zip(&case.matrices) {
        let descriptor = match case.constant {
            0 => Descriptor::wgmma(*bits),
            _ => Descriptor::tcgen05(*bits)?,
        };
        let ends = (0..matrix.across).flat_map(|across| {
            (0..matrix.along).map(move |along| descriptor.unit(matrix.major, along, across) + 16)
        });
        end = end.max(ends.max().unwrap_or(0));
    }
    let near = end as i64 + random.pick(&[-128, -64, -16, -15, -8, -1, 0, 0, 0, 1, 8, 112, 128, 1024]);
    let shared = match u64::try_from(near) {
        Ok(near @ 16..=MOST_SHARED) => near,
        _ => 16 + random.next() % (MOST_SHARED - 15),
    };
    let mut options = LaunchOptions::new(1, case.block);
    options.shared = shared as u32;
    options.settings.threads = 1;
    options.settings.asynchrony = *random.pick(&[Asynchrony::Eager, Asynchrony::Lazy, Asynchrony::Seeded]);
    options.settings.seed = random.next();
    options.settings.max_instructions = Some(100_000);
    for bits in &bits {
        options.arguments.push(*bits);
    }
    let ended = module.kernel("k").map_err(|e| format!("{e:?}"))?.launch(&options);
    let described = || format!("{bits:#x?} with {shared} bytes, of which {end} are described");
    match ended {
        Ok(_) if end <= shared => Ok(false),
        Ok(_) => Err(format!("no finding for {}", described())),
        Err(Failure::Finding(finding)) if finding.kind == Kind::OutOfBounds && end > shared => Ok(true),
        Err(other) => Err(format!("{other:?} for {}", described())),
    }
}

/// A descriptor whose offsets are often such that parts of the matrix lie on one another.
fn descriptor(case: &DescriptorCase, random: &mut Random) -> u64 {
    let mut field = |most: u64| match random.below(4) {
        0 => 0,
        1 => random.next() % 9,
        2 => *random.pick(&[8, 16, 32, 64, 128, 256, 512]),
        _ => random.next() % most,
    };
    let [start, leading, stride] = [field(0x3fff), field(0x800), field(0x800)];
    let absolute = case.absolute && random.one_in(3);
    let (mode, base_offset) = match absolute {
        true => (2, 0),
        false => (*random.pick(case.modes), random.next() % 8),
    };
    let mode = if case.constant == 0 { mode << 62 } else { mode << 61 };
    start
        | leading << 16
        | stride << 32
        | base_offset << 49
        | u64::from(absolute) << 52
        | mode
        | case.constant
}

fn case(random: &mut Random) -> DescriptorCase {
    match random.below(6) {
        0..=2 => wgmma(random),
        3 => copy(random),
        4 => scaled(random),
        _ => mma(random),
    }
}

/// The modes of `wgmma`'s descriptors: any two bits.
const WGMMA_MODES: &[u64] = &[0, 1, 2, 3];
/// The modes of those of `tcgen05`, but that of 32-byte atoms, which is for transposed matrices of tf32 alone.
const MODES: &[u64] = &[0, 2, 4, 6];
/// What bits 46 to 48 of those must be.
const CONSTANT: u64 = 1 << 46;

fn wgmma(random: &mut Random) -> DescriptorCase {
    let sparse = random.one_in(3);
    let bytes = random.one_in(4);
    // Integers have fewer shapes.
    let n = if bytes { 16 * (1 + random.below(16) as u32) } else { 8 * (1 + random.below(32) as u32) };
    let in_registers = random.one_in(3);
    let transposed = [(); 2].map(|()| !bytes && random.one_in(2));
    let matrix = |transposed: bool, count: u32, k: u32| match transposed {
        true => Matrix { major: Major::Mn, along: count / 8, across: k / 2 },
        false => Matrix { major: Major::K, along: k / 16, across: count },
    };
    let mut matrices = vec![matrix(transposed[1], n, if sparse { 64 } else { 32 })];
    let a = if in_registers {
        "{%x, %x, %x, %x}"
    } else {
        matrices.push(matrix(transposed[0], 64, 32));
        "%m1"
    };
    let (k, types, scales) = match bytes {
        true => (32, "s32.s8.s8", String::new()),
        false => {
            let a = if in_registers { String::new() } else { format!(", {}", u32::from(transposed[0])) };
            (16, "f32.bf16.bf16", format!(", 1, 1{a}, {}", u32::from(transposed[1])))
        }
    };
    let registers = n / 2;
    let d = (0..registers).map(|i| format!("%d{i}")).collect::<Vec<_>>().join(", ");
    let (sp, k, metadata) = if sparse { (".sp", 2 * k, "%meta, 0, ") } else { ("", k, "") };
    let instruction = format!(
        "wgmma.mma_async{sp}.sync.aligned.m64n{n}k{k}.{types} {{{d}}}, {a}, %m0, {metadata}0{scales};\n\
         wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
    );
    let head = format!(
        ".reg .b32 %d<{registers}>;\n.reg .b32 %meta;\nmov.b32 %meta, 0x44444444;\nwgmma.fence.sync.aligned;\n"
    );
    DescriptorCase {
        device: "h200",
        block: 128,
        text: kernel("sm_90a", matrices.len(), &(head + &instruction)),
        matrices,
        modes: WGMMA_MODES,
        constant: 0,
        absolute: false,
    }
}

fn copy(random: &mut Random) -> DescriptorCase {
    let (shape, along, across) = *random.pick(&[
        ("128x256b", 2, 128),
        ("128x128b", 1, 128),
        ("4x256b", 2, 4),
        ("64x128b.warpx2::02_13", 1, 64),
        ("64x128b.warpx2::01_23", 1, 64),
        ("32x128b.warpx4", 1, 32),
    ]);
    let text = tensor("sm_100a", 1, &format!("tcgen05.cp.cta_group::1.{shape} [%d], %m0;\n"));
    let matrices = vec![Matrix { major: Major::K, along, across }];
    DescriptorCase {
        device: "b200",
        block: 32,
        text,
        matrices,
        modes: &[0, 1, 2, 4, 6],
        constant: CONSTANT,
        absolute: true,
    }
}

fn mma(random: &mut Random) -> DescriptorCase {
    // The kind, the bits of an element, and the types of A, B and D in the instruction descriptor.
    let (kind, bits, types) =
        *random.pick(&[("f16", 16, 1 << 4), ("tf32", 32, 1 << 4 | 2 << 7 | 2 << 10), ("i8", 8, 2 << 4)]);
    let m = *random.pick(&[64, 128]);
    let n = match kind {
        "i8" => 16 * (1 + random.below(16) as u32),
        _ => (m / 8) * (1 + random.below(2048 / m as usize) as u32),
    };
    let both = random.one_in(2);
    // One descriptor's modes are the other's; only tf32 has others where it is transposed.
    let transposed = if kind == "tf32" { [both; 2] } else { [both, random.one_in(2)] };
    let matrix = |transposed: bool, count: u32| match transposed {
        true => Matrix { major: Major::Mn, along: (count * bits / 8).div_ceil(16), across: 256 / bits },
        false => Matrix { major: Major::K, along: 2, across: count },
    };
    let matrices = vec![matrix(transposed[0], m), matrix(transposed[1], n)];
    let flags = u32::from(transposed[0]) << 15 | u32::from(transposed[1]) << 16;
    let descriptor = types | flags | (n / 8) << 17 | (m / 16) << 24;
    let body = format!(
        "mov.b32 %i, {descriptor};\ntcgen05.mma.cta_group::1.kind::{kind} [%d], %m0, %m1, %i, %add;\n"
    );
    let modes = if kind == "tf32" && both { &[1] } else { MODES };
    let text = tensor("sm_100a", 2, &body);
    DescriptorCase { device: "b200", block: 32, text, matrices, modes, constant: CONSTANT, absolute: false }
}

/// K = 96 takes three units, which is no multiple of any span.
fn scaled(random: &mut Random) -> DescriptorCase {
    let n = 16 * (1 + random.below(16) as u32);
    let descriptor = 0x8880_0490 | (n / 8) << 17;
    let body = format!(
        "mov.b32 %i, {descriptor};\n\
         tcgen05.mma.cta_group::1.kind::mxf4.block_scale.block32 [%d], %m0, %m1, %i, [%d+320], [%d+352], %add;\n"
    );
    let matrices = [128, n].map(|across| Matrix { major: Major::K, along: 3, across }).to_vec();
    let text = tensor("sm_103a", 2, &body);
    DescriptorCase {
        device: "b300",
        block: 32,
        text,
        matrices,
        modes: MODES,
        constant: CONSTANT,
        absolute: true,
    }
}

/// A kernel of one thread that issues something of `tcgen05` and waits for it.
fn tensor(target: &str, descriptors: usize, issue: &str) -> String {
    let body = format!(
        ".reg .b32 %d, %i, %t;\n.reg .pred %others, %add;\n\
         tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], 512;\nld.shared.b32 %d, [s];\n\
         mov.u32 %t, %tid.x;\nsetp.ne.u32 %others, %t, 0;\nsetp.eq.u32 %add, %t, %t;\n\
         @%others bra issued;\nmbarrier.init.shared::cta.b64 [s+8], 1;\n{issue}add.u32 %x, %x, 8;\n\
         tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%x];\n\
         wait: mbarrier.try_wait.parity.shared::cta.b64 %add, [s+8], 0;\n@!%add bra wait;\n\
         issued:\nbar.sync 0;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %d, 512;\n"
    );
    kernel(target, descriptors, &body)
}

/// A kernel with the descriptors in %m0, %m1.
fn kernel(target: &str, descriptors: usize, body: &str) -> String {
    let parameters: Vec<String> = (0..descriptors).map(|i| format!(".param .u64 p{i}")).collect();
    let mut text = format!(
        ".version 9.1\n.target {target}\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n\
         .visible .entry k({})\n{{\n.reg .b64 %m<2>;\n.reg .b32 %x;\nmov.u32 %x, s;\n",
        parameters.join(", ")
    );
    for i in 0..descriptors {
        let _ = writeln!(text, "ld.param.u64 %m{i}, [p{i}];");
    }
    text + body + "ret;\n}\n"
}

#[cfg(test)]
mod tests {
    /// These take seconds; under AddressSanitizer they are run as well.
    #[test]
    fn descriptors_at_the_edge_of_shared_memory() {
        assert_eq!(super::run(20_000, 0), Ok(()));
    }
}
