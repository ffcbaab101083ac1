//! Structures of nvml.h, as C programs lay them out.

/// `nvmlMemory_t`: bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Memory {
    pub total: u64,
    pub free: u64,
    pub used: u64,
}

/// `nvmlMemory_v2_t`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemoryV2 {
    pub version: u32,
    pub total: u64,
    /// What the system keeps for itself.
    pub reserved: u64,
    pub free: u64,
    pub used: u64,
}

/// `nvmlUtilization_t`: out of a hundred.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Utilization {
    pub gpu: u32,
    pub memory: u32,
}

/// `nvmlPciInfo_t` before its third version.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PciInfoV1 {
    pub bus_id_legacy: [u8; 16],
    pub place: [u32; 3],
    pub device_id: u32,
}

/// The second version of it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PciInfoV2 {
    pub first: PciInfoV1,
    pub subsystem_id: u32,
    pub reserved: [u32; 4],
}

/// The third.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PciInfo {
    pub first: PciInfoV1,
    pub subsystem_id: u32,
    pub bus_id: [u8; 32],
}

/// `nvmlPciInfoExt_v1_t`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PciInfoExt {
    pub version: u32,
    pub place: [u32; 3],
    pub device_id: u32,
    pub subsystem_id: u32,
    pub base_class: u32,
    pub sub_class: u32,
    pub bus_id: [u8; 32],
}

/// `nvmlUUID_v1_t`: a UUID as text or as bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Uuid {
    pub version: u32,
    /// 1 is text, 2 bytes.
    pub kind: u32,
    pub value: [u8; 41],
}

/// `nvmlProcessInfo_v1_t`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ProcessV1 {
    pub process: u32,
    pub memory: u64,
}

/// `nvmlProcessInfo_v2_t`, which the third version of the functions has too.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ProcessV2 {
    pub first: ProcessV1,
    /// Parts of a device that is divided.
    pub gpu_instance: u32,
    pub compute_instance: u32,
}

/// What the field `version` of a structure must say.
pub const fn version<T>(number: u32) -> u32 {
    size_of::<T>() as u32 | number << 24
}
