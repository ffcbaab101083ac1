//! The command and the libraries, built and laid out as they are installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::commit::Commit;
use super::process::{output, succeed};

/// The crates with the command, the libraries and the Python module.
const CRATES: [&str; 6] =
    ["ptxvm", "ptxvm-cuda", "ptxvm-cudart", "ptxvm-nvjitlink", "ptxvm-nvml", "ptxvm-python"];

/// The crate of the library for programs in C, where its header is, and what they are called where they are installed. A wheel
/// has neither: nobody compiles against what pip has installed.
const C: &str = "ptxvm-capi";
const HEADER: &str = "crates/capi/include/ptxvm.h";
const FOR_C: &str = "libptxvm.so";

/// The libraries: as cargo calls them, and as they are installed. `ptxvm exec` makes links with their other names.
const LIBRARIES: [(&str, &str); 4] = [
    ("libcuda.so", "libcuda.so.1"),
    ("libcudart.so", "libcudart.so.13"),
    ("libnvJitLink.so", "libnvJitLink.so.13"),
    ("libnvidia_ml.so", "libnvidia-ml.so.1"),
];

/// What is built, and how.
pub struct Built {
    pub root: PathBuf,
    /// Cargo's profile.
    pub profile: String,
    /// The commit, for what is given to others: then nothing of this machine is in the files.
    pub commit: Option<Commit>,
}

impl Built {
    /// Where cargo puts it. What is given to others is built apart, since its flags differ.
    pub fn target(&self) -> PathBuf {
        self.root.join(if self.commit.is_some() { "target/dist" } else { "target" })
    }

    /// Sets what makes the same commit give the same bytes.
    pub fn environment(&self, command: &mut Command) {
        command.env("CARGO_TARGET_DIR", self.target()).current_dir(&self.root);
        // Flags for one CPU must not get in: the code chooses its vectors where it runs.
        command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
        let Some(commit) = &self.commit else { return };
        let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
        let mut flags = vec![format!("--remap-path-prefix={}=/ptxvm", self.root.display())];
        flags.extend(home.map(|home| format!("--remap-path-prefix={}=/cargo", home.display())));
        command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
        command.env("PTXVM_COMMIT", &commit.name).env("SOURCE_DATE_EPOCH", &commit.time);
    }
}

/// A folder with `bin` and `lib/ptxvm`, and beside it the Python module.
pub struct Staged {
    pub folder: PathBuf,
    pub module: PathBuf,
}

impl Staged {
    /// Builds them and puts them there, without their symbols.
    pub fn new(built: &Built) -> Result<Staged, String> {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--locked", "--profile", &built.profile]);
        let for_c = built.commit.is_some().then_some(&C);
        cargo.args(CRATES.iter().chain(for_c).flat_map(|name| ["-p", name]));
        built.environment(&mut cargo);
        succeed(&mut cargo)?;
        let folder = built.target().join("staged");
        let _ = std::fs::remove_dir_all(&folder);
        let from = built.target().join(&built.profile);
        put(&from.join("ptxvm"), &folder.join("bin/ptxvm"))?;
        for (own, installed) in LIBRARIES {
            put(&from.join(own), &folder.join("lib/ptxvm").join(installed))?;
        }
        let module = built.target().join("_ptxvm.abi3.so");
        put(&from.join("lib_ptxvm.so"), &module)?;
        Ok(Staged { folder, module })
    }
}

impl Staged {
    /// Adds what packages have and a wheel has not: for programs in C the library where linkers look for it and its header,
    /// manual pages, completions for shells, and the licences.
    pub fn add_for_packages(&self, built: &Built) -> Result<(), String> {
        put(&built.target().join(&built.profile).join(FOR_C), &self.folder.join("lib").join(FOR_C))?;
        self.add("include/ptxvm.h", &read(&built.root.join(HEADER))?)?;
        for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
            self.add(&format!("share/doc/ptxvm/{name}"), &read(&built.root.join(name))?)?;
        }
        let command = self.folder.join("bin/ptxvm");
        succeed(Command::new(&command).arg("man").arg(self.folder.join("share/man/man1")))?;
        let shells = [
            ("bash", "share/bash-completion/completions/ptxvm"),
            ("zsh", "share/zsh/vendor-completions/_ptxvm"),
            ("fish", "share/fish/vendor_completions.d/ptxvm.fish"),
        ];
        for (shell, place) in shells {
            let script = output(Command::new(&command).args(["completions", shell]))?;
            self.add(place, format!("{script}\n").as_bytes())?;
        }
        Ok(())
    }

    fn add(&self, place: &str, bytes: &[u8]) -> Result<(), String> {
        let path = self.folder.join(place);
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        std::fs::create_dir_all(path.parent().unwrap_or(&self.folder)).map_err(failed)?;
        std::fs::write(&path, bytes).map_err(failed)
    }

    /// The oldest glibc that all files run with.
    pub fn glibc(&self) -> Result<(u32, u32), String> {
        let mut newest = (2, 17);
        let libraries = LIBRARIES.map(|(_, installed)| self.folder.join("lib/ptxvm").join(installed));
        for path in libraries.into_iter().chain([self.folder.join("bin/ptxvm"), self.module.clone()]) {
            let said = output(Command::new("objdump").arg("-p").arg(path))?;
            for version in said.split_whitespace().filter_map(|word| word.strip_prefix("GLIBC_")) {
                let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
                newest = newest.max((parts.next().unwrap_or(0), parts.next().unwrap_or(0)));
            }
        }
        Ok(newest)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Copies a file without its symbols.
fn put(from: &Path, to: &Path) -> Result<(), String> {
    let folder = to.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    succeed(Command::new("strip").arg("--strip-all").arg("-o").arg(to).arg(from))
}
