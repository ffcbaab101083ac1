//! The litmus tests of a folder, or of a checkout of Dat3M or of NVlabs' mixedproxy, each with a name that stays the same
//! wherever it lies.

use std::path::{Path, PathBuf};

use ptxvm_isa::ISA;
use ptxvm_model::test::Test;
use ptxvm_model::{herd, ptx};
use ptxvm_syntax::Interner;

use super::mixedproxy;

/// A litmus test, and the text that it was read from.
pub struct Named {
    pub name: String,
    pub text: String,
    pub test: Test,
}

/// The names of tests, each with why it cannot be used.
type Unread = Vec<(String, String)>;

/// All tests of a folder or checkout; those that cannot be read are named with the reason.
pub fn gather(path: &Path) -> Result<(Vec<Named>, Unread), String> {
    let (mut tests, mut unread) = (Vec::new(), Vec::new());
    let mut texts = Vec::new();
    if path.join("alloy/ptx.als").is_file() {
        for (name, herd) in mixedproxy::tests(path)? {
            texts.push((format!("mixedproxy/{name}"), herd));
        }
    } else {
        let (folder, prefix) = match path.join("litmus/PTX") {
            folder if folder.is_dir() => (folder, "Dat3M/"),
            _ => (path.to_owned(), ""),
        };
        let mut found = Vec::new();
        files(&folder, &mut found)?;
        for file in found {
            let name = file.strip_prefix(&folder).unwrap_or(&file).display().to_string();
            // These are there to be refused.
            if !name.starts_with("invalid/") {
                let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()));
                texts.push((format!("{prefix}{name}"), text));
            }
        }
    }
    for (name, text) in texts {
        let read = text.and_then(|text| Ok((read(&name, &text)?, text)));
        match read {
            Ok((test, text)) => tests.push(Named { name, text, test }),
            Err(why) => unread.push((name, why)),
        }
    }
    Ok((tests, unread))
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "litmus" || extension == "ptx") {
            found.push(path);
        }
    }
    Ok(())
}

/// The litmus test of a text, in the format that its name says.
fn read(name: &str, text: &str) -> Result<Test, String> {
    let first = |errors: Vec<ptxvm_syntax::Diagnostic>| {
        errors.first().map_or_else(|| "it cannot be read".to_owned(), |error| error.message.clone())
    };
    if !name.ends_with(".ptx") {
        return herd::parse(text).map_err(first);
    }
    if text.contains("mbarrier.") {
        return Err("a module with mbarriers of its own".to_owned());
    }
    let parsed = ptxvm_syntax::parse(text, &Interner::with_words(ISA.words));
    let checked = ptxvm_module::check(&parsed.file, text, &ISA, &ptxvm_module::Options::default());
    let program = ptxvm_ir::lower(&parsed.file, text, &checked.module, &ISA).map_err(|e| format!("{e:?}"))?;
    ptx::read(&program, text).map_err(first)
}
