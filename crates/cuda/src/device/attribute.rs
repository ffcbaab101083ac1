//! `cuDeviceGetAttribute`: every attribute, computed from the profile.
//!
//! `tests/golden/driver/attributes.json` has an H200's answers; the default profile gives the same.

use ptxvm_profile::Profile;

use super::identity::{PCI_BUS, PCI_DEVICE, PCI_DOMAIN};

/// NVIDIA's number in PCI identifiers.
const VENDOR: u32 = 0x10de;
/// The subsystem of the board that was measured; programs have no use for it.
const SUBSYSTEM: u32 = 0x18bf;

/// The value of an attribute; `None` if there is no such attribute.
pub fn attribute(profile: &Profile, number: i32) -> Option<i32> {
    let unsigned: u32 = match number {
        1 => profile.threads_per_cta,
        2 | 3 => 1024,
        4 => 64,
        5 | 11 => i32::MAX as u32,
        6 | 7 => 65_535,
        8 => SHARED_PER_BLOCK,
        9 => 65_536,
        10 => 32,
        12 | 82 => profile.registers_per_sm(),
        13 => profile.clock_khz,
        16 => profile.sms,
        33 => PCI_BUS,
        34 => PCI_DEVICE,
        50 => PCI_DOMAIN,
        36 => profile.memory_clock_khz,
        37 => profile.bus_bits,
        38 => profile.l2,
        39 => profile.threads_per_sm,
        40 => profile.copy_engines,
        75 => profile.capability.0,
        76 => profile.capability.1,
        81 => profile.shared_per_sm,
        87 => profile.double_ratio,
        97 => profile.shared_per_cta,
        106 => profile.ctas_per_sm,
        108 => profile.persisting_l2(),
        111 => profile.shared_reserved,
        139 => profile.pci_device << 16 | VENDOR,
        140 => SUBSYSTEM << 16 | VENDOR,
        // There is no NUMA node of the device's own.
        131 => return Some(-1),
        _ => texture(number).or_else(|| feature(profile, number))?,
    };
    i32::try_from(unsigned).ok()
}

/// Static shared memory of a CTA in bytes, on every device.
pub const SHARED_PER_BLOCK: u32 = 48 << 10;

/// Limits of textures and surfaces, which all devices of our profiles share.
fn texture(number: i32) -> Option<u32> {
    Some(match number {
        14 | 30 => 512,
        51 => 32,
        21 | 22 | 56 | 70 => 131_072,
        23 | 57 => 65_536,
        71 => 65_000,
        72 => 2_097_120,
        24..=26 | 58..=60 => 16_384,
        27 | 28 | 42 | 45 | 46 | 49 | 52 | 53 | 55 | 61 | 63 | 64 | 66 | 67 | 73 | 74 | 77 => 32_768,
        29 | 43 | 62 | 65 => 2048,
        47 | 48 => 8192,
        54 | 68 => 2046,
        69 => 1 << 28,
        _ => return None,
    })
}

/// What a device can do: 1 or 0, masks and counts.
fn feature(profile: &Profile, number: i32) -> Option<u32> {
    let since = |major: u32, minor: u32| u32::from(profile.capability >= (major, minor));
    let data_center = u32::from(profile.bus_bits >= 1024);
    Some(match number {
        // Overlap, mapping of host memory, concurrent kernels, unified addresses, gathers of textures, priorities,
        // caches, managed memory, preemption, registered host pointers, cooperative launches, virtual memory, files
        // as handles, sparse and deferred arrays, semaphores, pools, stream memory operations, IPC events.
        15
        | 19
        | 31
        | 41
        | 44
        | 78..=80
        | 83
        | 89..=91
        | 95
        | 96
        | 99
        | 102
        | 103
        | 110
        | 112..=117
        | 121..=125 => 1,
        // Addresses of functions are the same on the host and on all devices; pools and mappings of host memory.
        129 | 141 | 142 | 144 | 145 => 1,
        // Boards with HBM report ECC.
        32 => data_center,
        // Compressible memory and windows in L2 came with compute capability 8.0.
        107 => since(8, 0),
        109 => since(8, 0) << 27,
        118 => 100,
        // Handles are file descriptors; with NVLink also those of the fabric.
        119 => 1 | (since(9, 0) & data_center) << 3,
        128 => since(9, 0) & data_center,
        // Clusters and tensor maps.
        120 | 127 => since(9, 0),
        126 => 1 + 3 * since(9, 0),
        // No time limit, no board shared with the display or with other GPUs, exclusive modes, host page tables,
        // Windows handles, older stream memory operations, graphics, MPS, decompression or NUMA nodes.
        17
        | 18
        | 20
        | 35
        | 84..=86
        | 88
        | 92..=94
        | 98
        | 100
        | 101
        | 104
        | 105
        | 130
        | 132..=138
        | 143
        | 146
        | 147 => 0,
        _ => return None,
    })
}
