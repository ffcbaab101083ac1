//! How much memory this machine can still give, so that a buffer that is too large is refused with a sentence and
//! not by the kernel's out-of-memory killer.

/// The bytes that are available, where the system says so.
pub fn available() -> Option<u64> {
    let system = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = system.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let machine = kilobytes * 1024;
    Some(container().map_or(machine, |own| own.min(machine)))
}

/// The bytes left under the limit of the control group we run in.
fn container() -> Option<u64> {
    let number = |file: &str| -> Option<u64> {
        std::fs::read_to_string(format!("/sys/fs/cgroup/{file}")).ok()?.trim().parse().ok()
    };
    Some(number("memory.max")?.saturating_sub(number("memory.current")?))
}
