//! The value of `--save-launch`: a folder, which launches, and how much of them.

use std::path::PathBuf;

use crate::value::count;

/// As many launches are written unless the value says otherwise.
const LAUNCHES: u64 = 100;
/// As many bytes of memory are written, by all of them together, unless the value says otherwise.
const BYTES: u64 = 1 << 30;

/// What is asked of launches that are to be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveLaunch {
    /// Where each gets a folder of its own.
    pub folder: PathBuf,
    /// Only kernels whose name contains this.
    pub kernel: Option<String>,
    /// So many of a process, at most.
    pub launches: u64,
    /// With so many bytes of memory in all, at most.
    pub bytes: u64,
}

impl SaveLaunch {
    /// Reads `DIR,kernel=NAME,launches=N,bytes=SIZE`; what follows the folder may be left out. The error is a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut asked = Self { folder: PathBuf::new(), kernel: None, launches: LAUNCHES, bytes: BYTES };
        let mut folder = text;
        while let Some((rest, last)) = folder.rsplit_once(',') {
            let Some((name, value)) = last.split_once('=') else { break };
            match name {
                "kernel" if value.is_empty() => return Err("kernel= lacks a name".to_owned()),
                "kernel" => asked.kernel = Some(value.to_owned()),
                "launches" => asked.launches = count(value)?,
                "bytes" => asked.bytes = ptxvm_host::parse(value)?,
                _ => return Err(format!("{last}: there are kernel=NAME, launches=N and bytes=SIZE")),
            }
            folder = rest;
        }
        if folder.is_empty() {
            return Err("the name of a folder is missing".to_owned());
        }
        asked.folder = std::path::absolute(folder).map_err(|error| error.to_string())?;
        Ok(asked)
    }

    /// Writes it as [`Self::parse`] reads it.
    #[must_use]
    pub fn show(&self) -> String {
        let Self { folder, kernel, launches, bytes } = self;
        let kernel = kernel.as_ref().map_or_else(String::new, |name| format!(",kernel={name}"));
        format!("{}{kernel},launches={launches},bytes={bytes}", folder.to_string_lossy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_bounds() {
        let all = SaveLaunch::parse("/tmp/a,b,kernel=softmax,bytes=2G,launches=3").expect("it is right");
        assert_eq!(all.folder, PathBuf::from("/tmp/a,b"));
        assert_eq!((all.kernel.as_deref(), all.launches, all.bytes), (Some("softmax"), 3, 2 << 30));
        let short = SaveLaunch::parse("runs").expect("it is right");
        assert!(short.folder.is_absolute() && short.kernel.is_none());
        for asked in [all, short] {
            assert_eq!(SaveLaunch::parse(&asked.show()), Ok(asked));
        }
        for (text, expected) in [
            ("", "folder is missing"),
            (",kernel=a", "folder is missing"),
            ("/tmp,kernel=", "lacks a name"),
            ("/tmp,kernels=a", "there are kernel="),
            ("/tmp,launches=all", "not a count"),
            ("/tmp,bytes=much", "much"),
        ] {
            let error = SaveLaunch::parse(text).expect_err(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
