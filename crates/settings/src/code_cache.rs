//! Where compiled code is kept on disk, and how much of it, as the environment says: `PTXVM_CACHE` and
//! `PTXVM_CACHE_SIZE`. It concerns the process, not a launch, so that it is no switch of the list.

use std::ffi::OsString;
use std::path::PathBuf;

use ptxvm_vm::CodeCache;

const FOLDER: &str = "PTXVM_CACHE";
const SIZE: &str = "PTXVM_CACHE_SIZE";

/// How much is kept if nobody says how much.
const USUAL_SIZE: u64 = 256 << 20;

/// The cache of this user; else why there is none. `tell` gets what the user is to know: a size that cannot be read, and
/// later why nothing can be kept.
///
/// # Errors
/// Nothing is to be kept, or no folder is known for it.
pub fn code_cache(tell: impl Fn(&str) + Send + Sync + 'static) -> Result<CodeCache, &'static str> {
    let (folder, named) = folder(|name| std::env::var_os(name))?;
    let size = std::env::var_os(SIZE).filter(|text| !text.is_empty());
    let bound = size.map_or(USUAL_SIZE, |text| {
        let text = text.to_string_lossy();
        ptxvm_host::parse(&text).unwrap_or_else(|why| {
            tell(&format!("{SIZE}={text}: {why}; it is ignored"));
            USUAL_SIZE
        })
    });
    Ok(CodeCache::new(folder, bound, named, tell))
}

/// The folder that the environment names, and whether it is named for this.
fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Result<(PathBuf, bool), &'static str> {
    if let Some(named) = variable(FOLDER) {
        return match named.to_str() {
            Some("" | "0" | "off") => Err("PTXVM_CACHE says so"),
            // The program may go to another folder.
            _ => {
                std::path::absolute(named).map(|path| (path, true)).map_err(|_| "there is no current folder")
            }
        };
    }
    // A path that is not absolute would be another folder wherever the program is started.
    let place = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = place("XDG_CACHE_HOME").or_else(|| Some(place("HOME")?.join(".cache")));
    let caches = caches.ok_or("none of PTXVM_CACHE, XDG_CACHE_HOME and HOME names a folder")?;
    Ok((caches.join("ptxvm"), false))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The folder with these variables.
    fn with(variables: &[(&str, &str)]) -> Result<(PathBuf, bool), &'static str> {
        folder(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn the_nearest_variable_names_the_folder() {
        let all = [("PTXVM_CACHE", "/a"), ("XDG_CACHE_HOME", "/b"), ("HOME", "/c")];
        assert_eq!(with(&all), Ok(("/a".into(), true)));
        assert_eq!(with(&all[1..]), Ok(("/b/ptxvm".into(), false)));
        assert_eq!(with(&all[2..]), Ok(("/c/.cache/ptxvm".into(), false)));
        assert!(with(&[]).is_err());
        assert_eq!(with(&[("XDG_CACHE_HOME", "b"), ("HOME", "/c")]), with(&all[2..]));
        assert!(with(&[("HOME", "")]).is_err());
        for off in ["", "0", "off"] {
            assert!(with(&[("PTXVM_CACHE", off), ("HOME", "/c")]).is_err(), "{off}");
        }
    }

    #[test]
    fn a_relative_folder_stays_where_it_was() {
        let (path, named) = with(&[("PTXVM_CACHE", "x")]).expect("a folder");
        assert!(named && path.is_absolute() && path.ends_with("x"), "{path:?}");
    }
}
