//! How much memory this process can still take before the system refuses it, or ends it.

use std::fs;

use rustix::process::{Resource, getrlimit};

use crate::cgroup;

/// The bytes that this process can still take: the least of what the machine has left, what its control groups allow,
/// and what its resource limits allow. `None` if the system says nothing.
#[must_use]
pub fn available() -> Option<u64> {
    [machine(), cgroup::left(), address_space(), data()].into_iter().flatten().min()
}

/// What the kernel believes that programs can take without swapping.
fn machine() -> Option<u64> {
    kilobytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// `ulimit -v`. Half of it is left for the range that a device's memory lies in, for threads, and for what is nobody's to
/// count.
pub(crate) fn address_space() -> Option<u64> {
    left(Resource::As, "VmSize:").map(|left| left / 2)
}

/// `ulimit -d`
fn data() -> Option<u64> {
    left(Resource::Data, "VmData:")
}

fn left(resource: Resource, used: &str) -> Option<u64> {
    let limit = getrlimit(resource).current?;
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    Some(limit.saturating_sub(kilobytes(&status, used).unwrap_or(0)))
}

/// The number of a line such as `MemAvailable:   123 kB`, in bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}
