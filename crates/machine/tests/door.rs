//! There is one way to the guest's memory: who makes pointers to it, and who may read and write through them.
//!
//! Types see to most of it: `Pointers`, `Checked`, `Peer`, `Reached` and `View` are made by files of `door/` alone, and the
//! compiler asks for `unsafe` wherever one of their raw pointers is used. What types cannot say is said here: no other file
//! makes a pointer of a number, and only these name the functions that touch bytes.

use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
        match entry.path() {
            path if path.is_dir() => sources(&path, found),
            path if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            _ => {}
        }
    }
}

/// The files outside of `door/` in whose code one of the words stands.
fn naming(words: &[&str]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 100, "the sources are there");
    let names = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("it is text");
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let found = code.into_iter().any(|line| words.iter().any(|word| line.contains(word)));
        let name = path.strip_prefix(&root).expect("it lies there").display().to_string();
        (found && !name.starts_with("door/")).then_some(name)
    };
    let mut found: Vec<String> = files.iter().filter_map(names).collect();
    found.sort();
    found
}

#[test]
fn only_the_door_makes_pointers_of_addresses() {
    let none: [&str; 0] = [];
    assert_eq!(naming(&["with_exposed_provenance", "without_provenance"]), none);
    assert_eq!(naming(&["as *mut u8", "as *const u8"]), none);
    // That one is a view of a launch that is held, not of an image.
    assert_eq!(naming(&["View::new"]), ["schedule/execution.rs"]);
}

#[test]
fn the_device_is_not_read_behind_the_doors_back() {
    // The parameter block and the workspace of a launch are laid down before it begins; who holds a launch looks at it.
    assert_eq!(
        naming(&["memory.read(", "memory.write(", "memory.fill(", "memory.copy("]),
        ["schedule/grid.rs", "view/mod.rs"]
    );
    // Whether the threads of a cluster that wait go round in circles, and what a held launch shows: no instruction's doing.
    // Compiled code is told where shared and local memory lie and how large they are, and compares.
    let others =
        ["schedule/cluster/repetition.rs", "schedule/compiled.rs", "schedule/stack.rs", "view/threads.rs"];
    assert_eq!(naming(&["shared.read(", "shared.write(", "local.pointer(", "shared.pointer("]), others);
}

/// Those who touch bytes in a way of their own, with pointers that the door has given them.
#[test]
fn few_touch_bytes_themselves() {
    let known = [
        // All lanes of a warp at once.
        "ops/atomic/update.rs",
        "ops/load_store.rs",
        "ops/matrix/mod.rs",
        "ops/wmma/memory.rs",
        // A line of each lane, later.
        "ops/async_copy.rs",
        // Units that a descriptor describes.
        "matrix/units.rs",
        // Rows of boxes.
        "asynchronous/tensor/load.rs",
        "asynchronous/tensor/store.rs",
        "asynchronous/tensor/transfer.rs",
    ];
    let mut known = known.map(str::to_owned);
    known.sort();
    assert_eq!(
        naming(&["access::load", "access::store", "access::copy", "access::fill", "access::{self"]),
        known
    );
    // Rows of boxes, and units that are compared with what was decoded.
    assert_eq!(
        naming(&["chunk::copy", "chunk::are", "chunk::{self"]),
        ["asynchronous/tensor/image.rs", "matrix/units.rs"]
    );
    assert_eq!(
        naming(&["atomic::update", "atomic::compare"]),
        ["ops/atomic/reduction.rs", "ops/atomic/update.rs"]
    );
}

#[test]
fn tensor_memory_is_reached_by_the_door() {
    // What is allocated is the schedule's affair, a CTA that gives up the right to allocate touches no cell, and who holds
    // a launch only looks.
    assert_eq!(
        naming(&["of_ctas"]),
        [
            "ops/tcgen05/alloc.rs",
            "schedule/cluster/columns.rs",
            "schedule/cluster/tensor_memory.rs",
            "view/threads.rs"
        ]
    );
}
