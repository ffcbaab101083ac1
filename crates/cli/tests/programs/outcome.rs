//! One run of the command: its exit status, the objects it printed, and the buffers it left.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

/// No program here takes longer; what does, hangs.
const PATIENCE: Duration = Duration::from_secs(700);

/// What a run gave.
pub struct Outcome {
    /// The exit status.
    pub code: Option<i32>,
    /// The JSON objects, in order.
    pub objects: Vec<Value>,
    /// By name: the type of a buffer's elements and its bytes after the run.
    pub buffers: BTreeMap<String, (String, Vec<u8>)>,
}

impl Outcome {
    /// Runs a program and keeps these buffers.
    pub fn of(file: &Path, buffers: &[&str], settings: &[&str]) -> Result<Self, String> {
        let folder = Folder::new();
        let path = |name: &str| folder.0.join(format!("{name}.bin"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptxvm"));
        command.arg("run").args(["--format", "json", "--show", "64"]).args(settings).arg(file);
        for name in buffers {
            command.arg("--save").arg(format!("{name}={}", path(name).display()));
        }
        let (code, text, errors) = ended(command)?;
        let objects: Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
        let objects = objects.map_err(|e| format!("prints what is not JSON ({e}): {text}"))?;
        let types = objects.iter().filter(|o| o["kind"] == "result").flat_map(|o| o["buffers"].as_array());
        let mut saved = BTreeMap::new();
        for buffer in types.flatten() {
            let name = buffer["name"].as_str().unwrap_or_default().to_owned();
            let ty = buffer["type"].as_str().unwrap_or_default().to_owned();
            if let Ok(bytes) = std::fs::read(path(&name)) {
                saved.insert(name, (ty, bytes));
            }
        }
        if objects.is_empty() {
            return Err(format!("exit {code:?} without a word of JSON: {errors}"));
        }
        Ok(Self { code, objects, buffers: saved })
    }

    /// The objects of a kind.
    pub fn kind(&self, kind: &str) -> Option<&Value> {
        self.objects.iter().find(|o| o["kind"] == kind)
    }

    /// Everything that the kernel printed.
    pub fn printed(&self) -> String {
        self.objects.iter().filter(|o| o["kind"] == "print").filter_map(|o| o["text"].as_str()).collect()
    }

    /// What runs with other seeds must say too: everything but addresses and the seed itself.
    pub fn comparable(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        // What was seen under weak memory is another matter with each seed.
        for object in self.objects.iter().filter(|object| object["kind"] != "stale-read") {
            let mut object = object.clone();
            if let Some(fields) = object.as_object_mut() {
                fields.remove("seed");
            }
            lines.push(without_addresses(&object.to_string()));
        }
        lines.extend(self.buffers.iter().map(|(name, (_, bytes))| format!("{name}: {bytes:02x?}")));
        lines
    }
}

/// Takes out hexadecimal numbers of more than 32 bits: host addresses, different in every run.
pub fn without_addresses(text: &str) -> String {
    let mut parts = text.split("0x");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(part.len());
        kept += "0x";
        kept += if digits > 8 { "…" } else { &part[..digits] };
        kept += &part[digits..];
    }
    kept
}

/// Runs a command to its end, or to the end of our patience.
fn ended(mut command: Command) -> Result<(Option<i32>, String, String), String> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let out = child.stdout.take().map(|pipe| std::thread::spawn(move || read(pipe)));
    let err = child.stderr.take().map(|pipe| std::thread::spawn(move || read(pipe)));
    let code = wait(&mut child)?;
    let text = |reader: Option<std::thread::JoinHandle<String>>| {
        reader.and_then(|r| r.join().ok()).unwrap_or_default()
    };
    Ok((code, text(out), text(err)))
}

fn wait(child: &mut Child) -> Result<Option<i32>, String> {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            return Ok(status.code());
        }
        if began.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("has not ended after {PATIENCE:?}"));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn read(mut pipe: impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = pipe.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A folder for the files of a run, removed after it.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("ptxvm-programs-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
