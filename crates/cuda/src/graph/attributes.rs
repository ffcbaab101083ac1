//! Attributes of kernel nodes. Those that change a launch are stored in it; the rest is stored only to be returned.

use super::content::KernelNode;
use crate::abi::{Answer, CUresult};
use crate::launch::cluster;
use crate::report;

/// `CU_LAUNCH_ATTRIBUTE_*`
const COOPERATIVE: u32 = 2;
const CLUSTER_DIMENSION: u32 = 4;
const DEVICE_UPDATABLE: u32 = 13;
/// Those that say where and how well a kernel runs, not what it computes: the access policy window, the cluster
/// scheduling policy, the priority, memory synchronisation domains, the preferred cluster and the carveout.
const HINTS: [u32; 7] = [1, 5, 8, 9, 10, 11, 14];

/// The value of an attribute; all zero where nothing has been said.
///
/// # Errors
/// Kernel nodes have no such attribute.
pub fn get(kernel: &KernelNode, attribute: u32) -> Answer<[u64; 8]> {
    match attribute {
        COOPERATIVE => Ok([u64::from(kernel.launch.cooperative), 0, 0, 0, 0, 0, 0, 0]),
        CLUSTER_DIMENSION => Ok(dimensions(kernel.launch.cluster)),
        DEVICE_UPDATABLE => Ok([0; 8]),
        hint if HINTS.contains(&hint) => Ok(kernel.attributes.get(&hint).copied().unwrap_or_default()),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// Gives an attribute a value.
///
/// # Errors
/// Kernel nodes have no such attribute, or not yet.
pub fn set(kernel: &mut KernelNode, attribute: u32, value: [u64; 8]) -> Answer {
    // The first number, which is what most attributes are.
    let first = value[0] as u32;
    match attribute {
        COOPERATIVE => kernel.launch.cooperative = first != 0,
        CLUSTER_DIMENSION => {
            let size = [first, (value[0] >> 32) as u32, value[1] as u32];
            let launch = &mut kernel.launch;
            launch.cluster = cluster::of(&launch.function, launch.grid, (size != [0; 3]).then_some(size))?;
        }
        DEVICE_UPDATABLE if first != 0 => {
            report::unsupported("cuGraphKernelNodeSetAttribute with nodes that the device changes");
            return Err(CUresult::NOT_SUPPORTED);
        }
        DEVICE_UPDATABLE => {}
        hint if HINTS.contains(&hint) => {
            kernel.attributes.insert(hint, value);
        }
        _ => return Err(CUresult::INVALID_VALUE),
    }
    Ok(())
}

/// Takes over all attributes of another node.
///
/// # Errors
/// Its clusters do not suit this node.
pub fn copy(to: &mut KernelNode, from: &KernelNode) -> Answer {
    to.launch.cluster = cluster::of(&to.launch.function, to.launch.grid, from.launch.cluster)?;
    to.attributes.clone_from(&from.attributes);
    to.launch.cooperative = from.launch.cooperative;
    Ok(())
}

/// A size as the attribute's value has it; zero where there are no clusters.
fn dimensions(size: Option<[u32; 3]>) -> [u64; 8] {
    let [x, y, z] = size.unwrap_or_default().map(u64::from);
    [x | y << 32, z, 0, 0, 0, 0, 0, 0]
}
