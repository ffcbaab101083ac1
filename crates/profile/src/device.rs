//! Device profiles: the limits and numbers of real GPUs, which kernels see and launches are held to.

use ptxvm_isa::{Suffix, Target};

/// A GPU as a kernel and a launch see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The name on the command line.
    pub name: &'static str,
    /// The name that the driver gives.
    pub marketing: &'static str,
    /// Compute capability: major and minor.
    pub capability: (u32, u32),
    /// `%nsmid` and the occupancy: streaming multiprocessors.
    pub sms: u32,
    /// Resident CTAs of one multiprocessor.
    pub ctas_per_sm: u32,
    /// Resident threads of one multiprocessor.
    pub threads_per_sm: u32,
    /// Shared memory of one multiprocessor in bytes.
    pub shared_per_sm: u32,
    /// Shared memory of one CTA in bytes, when the kernel opts in.
    pub shared_per_cta: u32,
    /// Shared memory that the system keeps of every CTA, in bytes.
    pub shared_reserved: u32,
    /// Threads of one CTA.
    pub threads_per_cta: u32,
    /// Device memory in bytes.
    pub memory: u64,
    /// Core clock in kHz: `%clock` against `%globaltimer`.
    pub clock_khz: u32,
    /// Memory clock in kHz.
    pub memory_clock_khz: u32,
    /// Width of the memory bus in bits.
    pub bus_bits: u32,
    /// L2 cache in bytes.
    pub l2: u32,
    /// Units that copy while kernels run.
    pub copy_engines: u32,
    /// How many times faster single precision is than double precision.
    pub double_ratio: u32,
    /// The PCI device id of the board.
    pub pci_device: u32,
    /// The multiprocessors of each group within which a cluster can lie; empty on devices without clusters.
    pub groups: &'static [u32],
}

impl Profile {
    /// Every profile, the default first. The H200's numbers are measured (`tests/golden/driver`); where those of the
    /// others come from stands in `docs/devices.md`.
    pub const ALL: &'static [Profile] = &[
        Profile {
            name: "h200",
            marketing: "NVIDIA H200",
            capability: (9, 0),
            sms: 132,
            ctas_per_sm: 32,
            threads_per_sm: 2048,
            shared_per_sm: 233_472,
            shared_per_cta: 232_448,
            shared_reserved: 1024,
            threads_per_cta: 1024,
            memory: 150_109_880_320,
            clock_khz: 1_980_000,
            memory_clock_khz: 3_201_000,
            bus_bits: 6016,
            l2: 62_914_560,
            copy_engines: 3,
            double_ratio: 2,
            pci_device: 0x2335,
            groups: &[18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2],
        },
        Profile {
            name: "v100",
            marketing: "Tesla V100-SXM2-16GB",
            capability: (7, 0),
            sms: 80,
            ctas_per_sm: 32,
            threads_per_sm: 2048,
            shared_per_sm: 98_304,
            shared_per_cta: 98_304,
            shared_reserved: 0,
            threads_per_cta: 1024,
            memory: 16_945_512_448,
            clock_khz: 1_530_000,
            memory_clock_khz: 877_000,
            bus_bits: 4096,
            l2: 6_291_456,
            copy_engines: 5,
            double_ratio: 2,
            pci_device: 0x1db1,
            groups: &[],
        },
        Profile {
            name: "t4",
            marketing: "Tesla T4",
            capability: (7, 5),
            sms: 40,
            ctas_per_sm: 16,
            threads_per_sm: 1024,
            shared_per_sm: 65_536,
            shared_per_cta: 65_536,
            shared_reserved: 0,
            threads_per_cta: 1024,
            memory: 15_843_721_216,
            clock_khz: 1_590_000,
            memory_clock_khz: 5_001_000,
            bus_bits: 256,
            l2: 4_194_304,
            copy_engines: 3,
            double_ratio: 32,
            pci_device: 0x1eb8,
            groups: &[],
        },
        Profile {
            name: "a100",
            marketing: "NVIDIA A100-SXM4-80GB",
            capability: (8, 0),
            sms: 108,
            ctas_per_sm: 32,
            threads_per_sm: 2048,
            shared_per_sm: 167_936,
            shared_per_cta: 166_912,
            shared_reserved: 1024,
            threads_per_cta: 1024,
            memory: 85_095_874_560,
            clock_khz: 1_410_000,
            memory_clock_khz: 1_593_000,
            bus_bits: 5120,
            l2: 41_943_040,
            copy_engines: 3,
            double_ratio: 2,
            pci_device: 0x20b2,
            groups: &[],
        },
        Profile {
            name: "rtx3090",
            marketing: "NVIDIA GeForce RTX 3090",
            capability: (8, 6),
            sms: 82,
            ctas_per_sm: 16,
            threads_per_sm: 1536,
            shared_per_sm: 102_400,
            shared_per_cta: 101_376,
            shared_reserved: 1024,
            threads_per_cta: 1024,
            memory: 25_438_126_080,
            clock_khz: 1_695_000,
            memory_clock_khz: 9_751_000,
            bus_bits: 384,
            l2: 6_291_456,
            copy_engines: 2,
            double_ratio: 64,
            pci_device: 0x2204,
            groups: &[],
        },
        Profile {
            name: "l40s",
            marketing: "NVIDIA L40S",
            capability: (8, 9),
            sms: 142,
            ctas_per_sm: 24,
            threads_per_sm: 1536,
            shared_per_sm: 102_400,
            shared_per_cta: 101_376,
            shared_reserved: 1024,
            threads_per_cta: 1024,
            memory: 47_697_362_944,
            clock_khz: 2_520_000,
            memory_clock_khz: 9_001_000,
            bus_bits: 384,
            l2: 100_663_296,
            copy_engines: 2,
            double_ratio: 64,
            pci_device: 0x26b9,
            groups: &[],
        },
        Profile {
            name: "h100",
            marketing: "NVIDIA H100 80GB HBM3",
            capability: (9, 0),
            sms: 132,
            ctas_per_sm: 32,
            threads_per_sm: 2048,
            shared_per_sm: 233_472,
            shared_per_cta: 232_448,
            shared_reserved: 1024,
            threads_per_cta: 1024,
            memory: 85_031_714_816,
            clock_khz: 1_980_000,
            memory_clock_khz: 2_619_000,
            bus_bits: 5120,
            l2: 52_428_800,
            copy_engines: 3,
            double_ratio: 2,
            pci_device: 0x2330,
            groups: &[18, 18, 16, 16, 16, 16, 16, 16],
        },
        Profile {
            name: "b200",
            marketing: "NVIDIA B200",
            capability: (10, 0),
            sms: 148,
            ctas_per_sm: 32,
            threads_per_sm: 2048,
            shared_per_sm: 233_472,
            shared_per_cta: 232_448,
            shared_reserved: 1024,
            threads_per_cta: 1024,
            memory: 191_512_969_216,
            clock_khz: 1_965_000,
            memory_clock_khz: 3_996_000,
            bus_bits: 7680,
            l2: 132_644_864,
            copy_engines: 4,
            double_ratio: 2,
            pci_device: 0x2901,
            groups: &[20, 20, 18, 18, 18, 18, 18, 18],
        },
        Profile {
            name: "b300",
            marketing: "NVIDIA B300",
            capability: (10, 3),
            sms: 148,
            ctas_per_sm: 32,
            threads_per_sm: 2048,
            shared_per_sm: 233_472,
            shared_per_cta: 232_448,
            shared_reserved: 1024,
            threads_per_cta: 1024,
            memory: 287_428_321_280,
            clock_khz: 1_920_000,
            memory_clock_khz: 3_996_000,
            bus_bits: 7680,
            l2: 132_644_864,
            copy_engines: 4,
            double_ratio: 64,
            pci_device: 0x3182,
            groups: &[20, 20, 18, 18, 18, 18, 18, 18],
        },
        Profile {
            name: "rtx5090",
            marketing: "NVIDIA GeForce RTX 5090",
            capability: (12, 0),
            sms: 170,
            ctas_per_sm: 24,
            threads_per_sm: 1536,
            shared_per_sm: 102_400,
            shared_per_cta: 101_376,
            shared_reserved: 1024,
            threads_per_cta: 1024,
            memory: 33_669_988_352,
            clock_khz: 2_407_000,
            memory_clock_khz: 14_001_000,
            bus_bits: 512,
            l2: 100_663_296,
            copy_engines: 2,
            double_ratio: 64,
            pci_device: 0x2b85,
            groups: &[16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 10],
        },
    ];

    /// The profile of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Profile> {
        Self::ALL.iter().find(|p| p.name == name)
    }

    /// The most specific target that the device runs: `sm_90a` for an H200.
    #[must_use]
    pub fn target(&self) -> Target {
        let sm = (self.capability.0 * 10 + self.capability.1) as u16;
        let suffix = if sm >= 90 { Suffix::Arch } else { Suffix::Plain };
        Target { sm, suffix }
    }
}

impl Default for &'static Profile {
    fn default() -> Self {
        &Profile::ALL[0]
    }
}
