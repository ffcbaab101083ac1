//! A tarball to unpack anywhere, and a Debian package.

use std::path::Path;
use std::process::Command;

use super::commit::Commit;
use super::process::succeed;
use super::staged::Staged;

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The machine, as its own tools call it and as Debian's do.
const MACHINE: (&str, &str) =
    if cfg!(target_arch = "aarch64") { ("aarch64", "arm64") } else { ("x86_64", "amd64") };

/// Packs `ptxvm-VERSION/bin` and `ptxvm-VERSION/lib`.
pub fn tarball(staged: &Staged, commit: &Commit, out: &Path) -> Result<(), String> {
    let name = format!("ptxvm-{VERSION}-{}-linux", MACHINE.0);
    let packed = format!("{}/{name}.tar", out.display());
    let mut tar = Command::new("tar");
    tar.args(["--create", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--format=ustar"]);
    tar.arg(format!("--mtime=@{}", commit.time)).args(["--mode=u=rwX,go=rX", "--file", &packed]);
    tar.arg(format!("--transform=s,^\\.,{name},")).arg("--directory").arg(&staged.folder).arg(".");
    succeed(&mut tar)?;
    succeed(Command::new("gzip").args(["--no-name", "--best", "--force", &packed]))
}

/// Packs `/usr/bin/ptxvm`, `/usr/lib/ptxvm`, `/usr/lib/libptxvm.so`, `/usr/include/ptxvm.h` and what stands in `/usr/share`.
pub fn debian(staged: &Staged, commit: &Commit, out: &Path) -> Result<(), String> {
    let folder = staged.folder.with_file_name("debian");
    let _ = std::fs::remove_dir_all(&folder);
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let documents = folder.join("usr/share/doc/ptxvm");
    std::fs::create_dir_all(&documents).map_err(failed)?;
    std::fs::create_dir_all(folder.join("DEBIAN")).map_err(failed)?;
    let licence = "ptxvm is under the MIT licence or the Apache licence 2.0, as you like: see\n\
                   /usr/share/common-licenses/Apache-2.0.\n";
    std::fs::write(documents.join("copyright"), licence).map_err(failed)?;
    let from = staged.folder.join(".");
    succeed(Command::new("cp").arg("--recursive").arg(&from).arg(folder.join("usr")))?;
    let (major, minor) = staged.glibc()?;
    let control = format!(
        "Package: ptxvm\nVersion: {VERSION}\nArchitecture: {}\nMaintainer: the authors of ptxvm <ptxvm@localhost>\n\
         Section: devel\nPriority: optional\nDepends: libc6 (>= {major}.{minor}), libgcc-s1\nRecommends: libllvm19 | libllvm15\n\
         Homepage: https://github.com/ptxvm/ptxvm\n\
         Description: runs and checks NVIDIA GPU kernels (PTX) on a CPU\n \
         Programs that use a GPU run unchanged under `ptxvm exec`, and kernels with the\n \
         bits of an H200. What is wrong with a kernel is said with its line and thread.\n",
        MACHINE.1
    );
    std::fs::write(folder.join("DEBIAN/control"), control).map_err(failed)?;
    let package = out.join(format!("ptxvm_{VERSION}_{}.deb", MACHINE.1));
    // dpkg-deb takes SOURCE_DATE_EPOCH for the archive's own times, and no file's may be later.
    let mut touch = Command::new("find");
    touch.arg(&folder).args(["-exec", "touch", "--no-dereference", "--date"]);
    succeed(touch.arg(format!("@{}", commit.time)).args(["{}", "+"]))?;
    let mut deb = Command::new("dpkg-deb");
    deb.args(["--root-owner-group", "-Zxz", "--build"]).arg(&folder).arg(package);
    succeed(deb.env("SOURCE_DATE_EPOCH", &commit.time))
}
