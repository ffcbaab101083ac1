//! The attributes of `cuLaunchKernelEx`, and what they change in a launch here.

use std::sync::Arc;

use crate::abi::{Answer, CUgraphEdgeData, CUresult, In};
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
    pub value: LaunchAttributeValue,
}

/// The union, as the words that its smaller members are made of.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug)]
pub struct LaunchAttributeValue(pub [u32; 16]);

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

/// `CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING`, the last of its kind.
const LAST_POLICY: u32 = 2;

/// What the attributes of a launch ask for.
#[derive(Default)]
pub struct Wishes {
    /// All CTAs must be resident at once.
    pub cooperative: bool,
    /// The CTAs of a cluster.
    pub cluster: Option<[u32; 3]>,
    /// The CTAs of a cluster where the device can have larger ones.
    pub preferred: Option<[u32; 3]>,
    /// Whether it may begin before the kernel that comes before it in its stream has ended.
    pub early: bool,
    /// Events that are recorded with the launch: here when it has ended, which is never too early. In a graph, the edge
    /// to what waits for the event says when that may begin.
    pub events: Vec<(Arc<Event>, CUgraphEdgeData)>,
}

impl Wishes {
    /// Reads a list of attributes.
    ///
    /// # Errors
    /// One of them is unknown or has an impossible value.
    pub fn read(list: In<CUlaunchAttribute>, count: u32) -> Answer<Self> {
        let mut wishes = Self::default();
        for index in 0..count as usize {
            let CUlaunchAttribute { id, value: LaunchAttributeValue(words) } = list.at(index)?;
            match id {
                COOPERATIVE => wishes.cooperative = words[0] != 0,
                PROGRAMMATIC_STREAM_SERIALIZATION => wishes.early = words[0] != 0,
                CLUSTER_DIMENSION => wishes.cluster = size(&words),
                CLUSTER_SCHEDULING_POLICY_PREFERENCE if words[0] > LAST_POLICY => {
                    return Err(CUresult::INVALID_VALUE);
                }
                PROGRAMMATIC_EVENT | LAUNCH_COMPLETION_EVENT => {
                    let event = CUevent::new(u64::from(words[0]) | u64::from(words[1]) << 32).get()?;
                    if event.is_timed() || words[2] != 0 {
                        return Err(CUresult::INVALID_VALUE);
                    }
                    let at_start = id == LAUNCH_COMPLETION_EVENT || words[3] != 0;
                    let edge =
                        if at_start { CUgraphEdgeData::LAUNCH_ORDER } else { CUgraphEdgeData::PROGRAMMATIC };
                    wishes.events.push((event, edge));
                }
                PREFERRED_CLUSTER_DIMENSION => wishes.preferred = size(&words),
                // Only a graph can have such a node.
                DEVICE_UPDATABLE_KERNEL_NODE => return Err(CUresult::NOT_SUPPORTED),
                // Hints, which change nothing of what a launch computes.
                IGNORE
                | ACCESS_POLICY_WINDOW
                | CLUSTER_SCHEDULING_POLICY_PREFERENCE
                | PRIORITY
                | MEM_SYNC_DOMAIN_MAP
                | MEM_SYNC_DOMAIN
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

/// The size of a cluster; all zero says nothing.
fn size(words: &[u32; 16]) -> Option<[u32; 3]> {
    let size = [words[0], words[1], words[2]];
    (size != [0; 3]).then_some(size)
}
