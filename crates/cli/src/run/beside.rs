//! Files beside a PTX file: in its launch line, `@./x.bin` is a file of the same folder or below, wherever the command is run.
//! Who has given somebody the one has given the other with it, so that reading it needs no trust. A link that leads out of the
//! folder does.

use std::path::{Component, Path};

use super::options::Launch;

/// What such a name begins with.
const BESIDE: &str = "@./";

/// Gives the names of files beside `file` their folder, and what of the launch line is left to be judged. The error is a
/// sentence.
pub fn find(launch: &mut Launch, file: &str) -> Result<Launch, String> {
    let mut others = launch.clone();
    for (given, others) in [(&mut launch.arg, &mut others.arg), (&mut launch.map, &mut others.map)] {
        others.retain(|text| position(text).is_none());
        for text in given {
            if let Some(at) = position(text) {
                let (before, name) = (&text[..=at], &text[at + 1..]);
                let (name, after) =
                    name.rsplit_once(" at ").map_or((name, None), |(name, at)| (name, Some(at)));
                let found = resolve(Path::new(file), name).map_err(|why| format!("`{name}` {why}"))?;
                let after = after.map_or_else(String::new, |at| format!(" at {at}"));
                *text = format!("{before}{found}{after}");
            }
        }
    }
    Ok(others)
}

/// Where `@` stands before such a name: at the beginning, or after what says which argument and which type it is.
fn position(text: &str) -> Option<usize> {
    let at = text.find('@').filter(|at| text[*at..].starts_with(BESIDE))?;
    // Within parentheses there are lists of other things.
    (!text[..at].contains('(')).then_some(at)
}

fn resolve(file: &Path, name: &str) -> Result<String, String> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut parts = Path::new(name).components();
    if !parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err("leads out of the folder of the PTX file".to_owned());
    }
    let path = folder.join(name);
    let real = |path: &Path| path.canonicalize().map_err(|error| format!("cannot be read: {error}"));
    if !real(&path)?.starts_with(real(folder)?) {
        return Err("is a link that leads out of the folder of the PTX file".to_owned());
    }
    let path = folder.join(Path::new(name).components().collect::<std::path::PathBuf>());
    path.into_os_string().into_string().map_err(|_| "is in a folder whose name is no text".to_owned())
}
