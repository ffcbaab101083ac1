//! The attributes of `cuLaunchKernelEx`: what they ask of a launch here.

use std::sync::Arc;

use crate::abi::{Answer, CUresult, In};
use crate::stream::{CUevent, CUstream, Event};

/// `CUlaunchConfig`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUlaunchConfig {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub stream: CUstream,
    pub attributes: In<CUlaunchAttribute>,
    pub count: u32,
}

/// `CUlaunchAttribute`: a number and a union of 64 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUlaunchAttribute {
    pub id: u32,
    pub value: Value,
}

/// The union, as the words that its smaller members are made of.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug)]
pub struct Value(pub [u32; 16]);

/// `CU_LAUNCH_ATTRIBUTE_*`
const IGNORE: u32 = 0;
const ACCESS_POLICY_WINDOW: u32 = 1;
const COOPERATIVE: u32 = 2;
const CLUSTER_DIMENSION: u32 = 4;
const CLUSTER_SCHEDULING_POLICY_PREFERENCE: u32 = 5;
const PROGRAMMATIC_STREAM_SERIALIZATION: u32 = 6;
const PROGRAMMATIC_EVENT: u32 = 7;
const PRIORITY: u32 = 8;
const MEM_SYNC_DOMAIN_MAP: u32 = 9;
const MEM_SYNC_DOMAIN: u32 = 10;
const PREFERRED_CLUSTER_DIMENSION: u32 = 11;
const LAUNCH_COMPLETION_EVENT: u32 = 12;
const DEVICE_UPDATABLE_KERNEL_NODE: u32 = 13;
const PREFERRED_SHARED_MEMORY_CARVEOUT: u32 = 14;
const NVLINK_UTIL_CENTRIC_SCHEDULING: u32 = 16;
const PORTABLE_CLUSTER_SIZE_MODE: u32 = 17;
const SHARED_MEMORY_MODE: u32 = 18;

/// What the attributes of a launch ask for.
#[derive(Default)]
pub struct Wishes {
    /// All CTAs must be resident at once.
    pub cooperative: bool,
    /// The CTAs of a cluster.
    pub cluster: Option<[u32; 3]>,
    /// The CTAs of a cluster where the device can have larger ones.
    pub preferred: Option<[u32; 3]>,
    /// Events that are recorded with the launch: here when it has ended, which is never too early.
    pub events: Vec<Arc<Event>>,
}

impl Wishes {
    /// Reads a list of attributes.
    ///
    /// # Errors
    /// One of them is unknown or has an impossible value.
    pub fn read(list: In<CUlaunchAttribute>, count: u32) -> Answer<Self> {
        let mut wishes = Self::default();
        for index in 0..count as usize {
            let CUlaunchAttribute { id, value: Value(words) } = list.at(index)?;
            match id {
                COOPERATIVE => wishes.cooperative = words[0] != 0,
                CLUSTER_DIMENSION => wishes.cluster = Some([words[0], words[1], words[2]]),
                PROGRAMMATIC_EVENT | LAUNCH_COMPLETION_EVENT => {
                    let event = CUevent::new(u64::from(words[0]) | u64::from(words[1]) << 32).get()?;
                    if event.is_timed() || words[2] != 0 {
                        return Err(CUresult::INVALID_VALUE);
                    }
                    wishes.events.push(event);
                }
                PREFERRED_CLUSTER_DIMENSION if words[..3] != [0; 3] => {
                    wishes.preferred = Some([words[0], words[1], words[2]]);
                }
                // Only a graph can have such a node.
                DEVICE_UPDATABLE_KERNEL_NODE => return Err(CUresult::NOT_SUPPORTED),
                // Hints, and permissions to overlap that are not used: what comes before a launch has ended here.
                IGNORE
                | ACCESS_POLICY_WINDOW
                | CLUSTER_SCHEDULING_POLICY_PREFERENCE
                | PROGRAMMATIC_STREAM_SERIALIZATION
                | PRIORITY
                | MEM_SYNC_DOMAIN_MAP
                | MEM_SYNC_DOMAIN
                | PREFERRED_CLUSTER_DIMENSION
                | PREFERRED_SHARED_MEMORY_CARVEOUT
                | NVLINK_UTIL_CENTRIC_SCHEDULING
                | PORTABLE_CLUSTER_SIZE_MODE
                | SHARED_MEMORY_MODE => {}
                _ => return Err(CUresult::INVALID_VALUE),
            }
        }
        Ok(wishes)
    }
}
