//! `cargo xtask site`: makes the site of `docs/` with MkDocs, which is installed once into `target/site`, and checks every link
//! and that each page can be found.

use std::path::Path;
use std::process::Command;

/// Builds it; what is wrong with a link is an error.
pub fn run(root: &Path) -> Result<(), String> {
    let folder = root.join("target/site");
    let wanted = root.join("site/requirements.txt");
    let wanted = std::fs::read_to_string(&wanted).map_err(|e| format!("{}: {e}", wanted.display()))?;
    let mkdocs = folder.join("venv/bin/mkdocs");
    // The stamp is written last, so that an interrupted installation is not taken for a whole one.
    let stamp = folder.join("installed.txt");
    if !std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        println!("$ pip install -r site/requirements.txt (once, into target/site)");
        succeeds(Command::new("python3").args(["-m", "venv"]).arg(folder.join("venv")))?;
        let pip =
            ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "site/requirements.txt"];
        succeeds(Command::new(folder.join("venv/bin/python")).args(pip).current_dir(root))?;
        std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    }
    println!("$ mkdocs build --strict");
    succeeds(Command::new(mkdocs).args(["build", "--strict", "-f", "site/mkdocs.yml"]).current_dir(root))
}

fn succeeds(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name} ended with {status}")),
        Err(e) => Err(format!("{name}: {e}")),
    }
}
