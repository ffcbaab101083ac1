//! The control groups that this process is in: containers and services are held to less than the machine has.
//!
//! Version 2 has one tree, in which the limit of every ancestor counts; of version 1 only the memory controller matters.

use std::fs;
use std::path::{Path, PathBuf};

/// Version 1 says "no limit" with a number near the end of 63 bits.
const NO_LIMIT: u64 = 1 << 60;

/// The bytes left under the limits of the groups of this process; `None` if there is no limit.
pub fn left() -> Option<u64> {
    left_in(&fs::read_to_string("/proc/self/cgroup").ok()?, Path::new("/sys/fs/cgroup"))
}

/// The same for the groups that `membership` (the text of `/proc/self/cgroup`) names in a tree.
fn left_in(membership: &str, tree: &Path) -> Option<u64> {
    let groups = membership.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':');
        let (number, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
        match controllers {
            "" if number == "0" => Some((tree.to_owned(), path, ["memory.max", "memory.current"])),
            _ if controllers.split(',').any(|name| name == "memory") => {
                let files = ["memory.limit_in_bytes", "memory.usage_in_bytes"];
                Some((tree.join("memory"), path, files))
            }
            _ => None,
        }
    });
    groups.filter_map(|(root, path, files)| least(&root, path, files)).min()
}

/// The least that is left in a group and in those that hold it. Inside of a container the path is often that of the
/// host's tree and leads nowhere; the root of what is mounted there is then the container's own group.
fn least(root: &Path, path: &str, [limit, used]: [&str; 2]) -> Option<u64> {
    let mut group: PathBuf = path.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
    let mut least = None;
    loop {
        let folder = root.join(&group);
        let number =
            |name: &str| -> Option<u64> { fs::read_to_string(folder.join(name)).ok()?.trim().parse().ok() };
        if let Some(most) = number(limit).filter(|most| *most < NO_LIMIT) {
            let left = most.saturating_sub(number(used).unwrap_or(0));
            least = Some(least.map_or(left, |so_far: u64| so_far.min(left)));
        }
        if !group.pop() {
            return least;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of files that is removed with it.
    struct Tree(PathBuf);

    impl Tree {
        fn new(name: &str, files: &[(&str, &str)]) -> Tree {
            let root = std::env::temp_dir().join(format!("ptxvm-cgroup-{name}-{}", std::process::id()));
            for (path, text) in files {
                let path = root.join(path);
                fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder");
                fs::write(path, text).expect("a file");
            }
            Tree(root)
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_least_of_all_ancestors_counts() {
        let tree = Tree::new(
            "v2",
            &[
                ("a/memory.max", "1000\n"),
                ("a/memory.current", "900\n"),
                ("a/b/memory.max", "500\n"),
                ("a/b/memory.current", "100\n"),
                ("a/b/c/memory.max", "max\n"),
            ],
        );
        assert_eq!(left_in("0::/a/b/c\n", &tree.0), Some(100));
        assert_eq!(left_in("0::/elsewhere\n", &tree.0), None);
        assert_eq!(left_in("1:cpu:/a\nrubbish\n", &tree.0), None);
        // A path that leads out of the tree is not followed.
        assert_eq!(left_in("0::/../../a\n", &tree.0), Some(100));
    }

    #[test]
    fn a_container_finds_its_own_limit_at_the_root() {
        let tree = Tree::new("root", &[("memory.max", "4096"), ("memory.current", "5000")]);
        assert_eq!(left_in("0::/system.slice/docker-123.scope\n", &tree.0), Some(0));
    }

    #[test]
    fn version_1_has_a_controller_for_memory() {
        let tree = Tree::new(
            "v1",
            &[
                ("memory/x/memory.limit_in_bytes", "2048"),
                ("memory/x/memory.usage_in_bytes", "48"),
                ("memory/memory.limit_in_bytes", "9223372036854771712"),
            ],
        );
        assert_eq!(left_in("5:cpu,memory:/x\n2:cpuset:/\n", &tree.0), Some(2000));
        assert_eq!(left_in("5:memory:/y\n", &tree.0), None);
    }
}
