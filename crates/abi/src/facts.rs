//! What libcuda tells libnvidia-ml, so that both say the same of one device.

/// A device and what it is doing, as the process's libcuda knows it. Asking starts nothing: a program may fork after it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DeviceFacts {
    /// The name that the driver gives, with a zero after it.
    pub name: [u8; 96],
    pub uuid: [u8; 16],
    /// Where it appears on the bus: domain, bus and device.
    pub pci: [u32; 3],
    /// The numbers of the board and of its maker, as PCI has them; those of the subsystem.
    pub pci_device: u32,
    pub pci_subsystem: u32,
    /// Compute capability: major and minor.
    pub capability: [u32; 2],
    pub multiprocessors: u32,
    pub clock_khz: u32,
    pub memory_clock_khz: u32,
    pub bus_bits: u32,
    /// The version of CUDA whose driver this is, such as 13040.
    pub cuda_version: i32,
    /// Whether this process has a context on the device.
    pub has_context: u32,
    /// Out of a hundred, how much of the last second a kernel ran in.
    pub busy_percent: u32,
    /// Bytes: all that the device has, what of it can be had now, and what this process's objects take.
    pub memory_total: u64,
    pub memory_free: u64,
    pub memory_of_process: u64,
}
