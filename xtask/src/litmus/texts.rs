//! Writes the texts of litmus tests into a folder, each under the name that it has among the observations of an H200:
//! `crates/cli/tests/weak_silicon.rs` reads other people's tests there.

use std::path::Path;

use super::gather::gather;

pub fn write(out: &Path, paths: &[&str]) -> Result<(), String> {
    let mut written = 0;
    for path in paths {
        let (named, _) = gather(Path::new(path))?;
        for test in named {
            let path = out.join(&test.name);
            let folder = path.parent().unwrap_or(out);
            std::fs::create_dir_all(folder)
                .and_then(|()| std::fs::write(&path, &test.text))
                .map_err(|e| format!("{}: {e}", path.display()))?;
            written += 1;
        }
    }
    println!("{written} texts");
    Ok(())
}
