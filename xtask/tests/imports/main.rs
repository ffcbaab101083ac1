//! No import circle among the files of a crate: who reads a file need not have read the one that reads it.
//!
//! A file imports another if a path in it names an item of that other. Declaring a child module is no import of it;
//! using the parent's items is one, and an item that is named where it is re-exported counts as that file's. Tests
//! (`#[cfg(test)]`) do not count.

mod circle;
mod reader;

use std::path::Path;

use reader::Sources;

/// The crates whose files import one another one way only.
const COVERED: [&str; 17] = [
    "abi", "capi", "check", "cudart", "ir", "jit", "machine", "memory", "model", "num", "nvml", "order",
    "profile", "settings", "tensor", "texture", "weak",
];

/// The others, which still have circles, and where: nobody has divided them yet.
const NOT_COVERED: [(&str, &str); 13] = [
    ("cli", "a program: its root is main.rs, which the reader does not begin with"),
    ("cuda", "140 files in one circle, by way of abi/mod.rs and context/mod.rs"),
    ("cudart-static", "it is one file"),
    ("host", "share.rs and lib.rs"),
    ("image", "each part and lib.rs, which holds what they share"),
    ("isa", "the generated tables and the prelude beside them; rule.rs and table.rs"),
    ("module", "body.rs, call.rs and function.rs; context.rs and debug.rs; instruction/operand/"),
    ("nvjitlink", "api.rs, search.rs, nvidia.rs, session.rs and lto.rs"),
    ("ocelot", "it is one file"),
    ("python", "device.rs and module.rs; kernel.rs and launch.rs: classes of Python that give one another"),
    ("report", "human.rs, message.rs, report.rs and lib.rs"),
    ("syntax", "ast/, parser/ and printer/, each with its mod.rs"),
    ("vm", "Device, Module, Kernel and their arguments hold one another"),
];

#[test]
fn files_import_one_way() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut circles = String::new();
    for name in COVERED {
        let sources = Sources::read(&crates.join(name).join("src"));
        assert!(sources.files.len() > 1, "{name} has files");
        for circle in circle::circles(&sources) {
            circles += &format!("{name}: {circle}\n");
        }
    }
    assert!(circles.is_empty(), "files that import each other in a circle:\n{circles}");
}

/// A new crate is covered, or says why not.
#[test]
fn every_crate_is_named() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let entries = std::fs::read_dir(crates).unwrap().map(Result::unwrap);
    for folder in entries.filter(|entry| entry.path().is_dir()) {
        let name = folder.file_name().into_string().unwrap();
        let reason = NOT_COVERED.iter().find(|(other, _)| *other == name);
        assert_eq!(COVERED.contains(&&*name), reason.is_none(), "{name} must stand in one of the two lists");
    }
}

/// What counts as an import, and that a circle is told file by file.
#[test]
fn a_circle_is_named() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use crate::b::{self, Bee}; fn f() { b::g() }"),
        ("b/mod.rs", "mod d; pub use d::Dee; pub struct Bee; fn g() { println!(\"{}\", crate::c::h()) }"),
        ("b/d.rs", "pub struct Dee; #[cfg(test)] mod tests { use crate::a::f; }"),
        ("c.rs", "/// Not [`crate::c`].\nfn h() { super::a::f(); let c = Self::c; }"),
    ];
    let sources = Sources::of(|path| {
        let path = path.to_str()?;
        files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
    });
    let circles = circle::circles(&sources);
    assert_eq!(circles, ["a.rs -> b/mod.rs (crate::b::Bee) -> c.rs (crate::c::h) -> a.rs (super::a::f)"]);
}
