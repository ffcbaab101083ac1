//! `cudaDeviceProp`: the device's name, and its attributes as the fields of one structure.

use super::field::{Field, Identity};
use crate::error::Answer;

/// A structure of properties: each field with the number of the attribute that it has, or the numbers.
macro_rules! properties {
    ($(#[$about:meta])* $name:ident, $reserved:literal, $($field:ident: $ty:ty = $attribute:expr,)*) => {
        $(#[$about])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub struct $name {
            identity: Identity,
            $($field: $ty,)*
            reserved: [i32; $reserved],
        }

        impl $name {
            /// The device's.
            ///
            /// # Errors
            /// There is no such device.
            pub fn of(device: i32) -> Answer<Self> {
                Ok(Self {
                    identity: Identity::of(device)?,
                    $($field: Field::read(device, $attribute)?,)*
                    reserved: [0; $reserved],
                })
            }
        }
    };
}

properties! {
    /// `cudaDeviceProp`
    Properties, 56,
    shared_mem_per_block: usize = 8,
    regs_per_block: i32 = 12,
    warp_size: i32 = 10,
    mem_pitch: usize = 11,
    max_threads_per_block: i32 = 1,
    max_threads_dim: [i32; 3] = [2, 3, 4],
    max_grid_size: [i32; 3] = [5, 6, 7],
    total_const_mem: usize = 9,
    major: i32 = 75,
    minor: i32 = 76,
    texture_alignment: usize = 14,
    texture_pitch_alignment: usize = 51,
    multi_processor_count: i32 = 16,
    integrated: i32 = 18,
    can_map_host_memory: i32 = 19,
    max_texture1d: i32 = 21,
    max_texture1d_mipmap: i32 = 77,
    max_texture2d: [i32; 2] = [22, 23],
    max_texture2d_mipmap: [i32; 2] = [73, 74],
    max_texture2d_linear: [i32; 3] = [70, 71, 72],
    max_texture2d_gather: [i32; 2] = [45, 46],
    max_texture3d: [i32; 3] = [24, 25, 26],
    max_texture3d_alt: [i32; 3] = [47, 48, 49],
    max_texture_cubemap: i32 = 52,
    max_texture1d_layered: [i32; 2] = [42, 43],
    max_texture2d_layered: [i32; 3] = [27, 28, 29],
    max_texture_cubemap_layered: [i32; 2] = [53, 54],
    max_surface1d: i32 = 55,
    max_surface2d: [i32; 2] = [56, 57],
    max_surface3d: [i32; 3] = [58, 59, 60],
    max_surface1d_layered: [i32; 2] = [61, 62],
    max_surface2d_layered: [i32; 3] = [63, 64, 65],
    max_surface_cubemap: i32 = 66,
    max_surface_cubemap_layered: [i32; 2] = [67, 68],
    surface_alignment: usize = 30,
    concurrent_kernels: i32 = 31,
    ecc_enabled: i32 = 32,
    pci_bus_id: i32 = 33,
    pci_device_id: i32 = 34,
    pci_domain_id: i32 = 50,
    tcc_driver: i32 = 35,
    async_engine_count: i32 = 40,
    unified_addressing: i32 = 41,
    memory_bus_width: i32 = 37,
    l2_cache_size: i32 = 38,
    persisting_l2_cache_max_size: i32 = 108,
    max_threads_per_multi_processor: i32 = 39,
    stream_priorities_supported: i32 = 78,
    global_l1_cache_supported: i32 = 79,
    local_l1_cache_supported: i32 = 80,
    shared_mem_per_multiprocessor: usize = 81,
    regs_per_multiprocessor: i32 = 82,
    managed_memory: i32 = 83,
    is_multi_gpu_board: i32 = 84,
    multi_gpu_board_group_id: i32 = 85,
    host_native_atomic_supported: i32 = 86,
    pageable_memory_access: i32 = 88,
    concurrent_managed_access: i32 = 89,
    compute_preemption_supported: i32 = 90,
    can_use_host_pointer_for_registered_mem: i32 = 91,
    cooperative_launch: i32 = 95,
    shared_mem_per_block_optin: usize = 97,
    pageable_memory_access_uses_host_page_tables: i32 = 100,
    direct_managed_mem_access_from_host: i32 = 101,
    max_blocks_per_multi_processor: i32 = 106,
    access_policy_max_window_size: i32 = 109,
    reserved_shared_mem_per_block: usize = 111,
    host_register_supported: i32 = 99,
    sparse_cuda_array_supported: i32 = 112,
    host_register_read_only_supported: i32 = 113,
    timeline_semaphore_interop_supported: i32 = 114,
    memory_pools_supported: i32 = 115,
    gpu_direct_rdma_supported: i32 = 116,
    gpu_direct_rdma_flush_writes_options: i32 = 117,
    gpu_direct_rdma_writes_ordering: i32 = 118,
    memory_pool_supported_handle_types: i32 = 119,
    deferred_mapping_cuda_array_supported: i32 = 121,
    ipc_event_supported: i32 = 125,
    cluster_launch: i32 = 120,
    unified_function_pointers: i32 = 129,
    device_numa_config: i32 = 130,
    device_numa_id: i32 = 131,
    mps_enabled: i32 = 133,
    host_numa_id: i32 = 134,
    gpu_pci_device_id: i32 = 139,
    gpu_pci_subsystem_id: i32 = 140,
    host_numa_multinode_ipc_supported: i32 = 143,
}

const _: () = assert!(size_of::<Properties>() == 1008);
