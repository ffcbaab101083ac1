//! ptxvm as a contestant: obeys the orders of `contestant.h` on standard input.

use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use ptxvm_settings::{SWITCHES, Said};
use ptxvm_vm::{Buffer, Device, Kernel, LaunchOptions, Module, Profile, Settings};

use crate::contest::median;

/// The settings of every launch: the one place where the choice of an engine meets the machine. A name goes to the switch
/// `engine` of the list that `ptxvm run` has too, and what comes after commas (`check=race`) to others.
///
/// # Errors
/// There is no such switch in this ptxvm, or it takes no such value.
pub fn settings(threads: usize, engine: Option<&str>) -> Result<Settings, String> {
    let mut said = Said::default();
    for word in engine.iter().flat_map(|engine| engine.split(',')) {
        let (name, value) = word.split_once('=').unwrap_or(("engine", word));
        let switch = SWITCHES.iter().find(|switch| switch.name == name);
        said.say(switch.ok_or_else(|| format!("this ptxvm has no switch {name}"))?, value)?;
    }
    Ok(Settings { threads, ..said.choices().settings })
}

/// What the orders have made so far.
struct Machine {
    device: Device,
    settings: Settings,
    module: Option<Module>,
    buffers: Vec<(Buffer, Vec<u8>)>,
    restored: Vec<usize>,
    launches: Vec<(Kernel, LaunchOptions)>,
}

/// The bytes of a file, or zeros without one.
fn contents(path: &str, size: usize) -> Result<Vec<u8>, String> {
    if path == "-" {
        Ok(vec![0; size])
    } else {
        std::fs::read(path).map_err(|error| format!("{path}: {error}"))
    }
}

impl Machine {
    fn buffer(&self, index: &str) -> Result<&(Buffer, Vec<u8>), String> {
        let index = index.parse::<usize>().ok();
        index.and_then(|index| self.buffers.get(index)).ok_or_else(|| "no such buffer".to_owned())
    }

    /// Obeys one order; the answer is the numbers after `ok`.
    fn obey(&mut self, order: &str) -> Result<Vec<f64>, String> {
        let words: Vec<&str> = order.split_whitespace().collect();
        match words[..] {
            ["load", path] => {
                let source = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
                self.module = Some(self.device.load(&source).map_err(|error| error.to_string())?);
            }
            ["buffer", index, size, path] => {
                if index.parse() != Ok(self.buffers.len()) {
                    return Err("buffers come one after the other".to_owned());
                }
                let bytes = contents(path, size.parse().map_err(|_| "a buffer has a size")?)?;
                let buffer = Buffer::new(&self.device, bytes.len()).map_err(|error| error.to_string())?;
                self.write(&buffer, &bytes)?;
                self.buffers.push((buffer, bytes));
            }
            ["restore", index] => {
                self.buffer(index)?;
                self.restored.extend(index.parse::<usize>());
            }
            ["launch", kernel, gx, gy, bx, by, ref arguments @ ..] => {
                let sizes: Result<Vec<u32>, _> = [gx, gy, bx, by].iter().map(|n| n.parse()).collect();
                let sizes = sizes.map_err(|_| "a launch has four sizes")?;
                let mut options = LaunchOptions {
                    settings: self.settings,
                    ..LaunchOptions::new((sizes[0], sizes[1]), (sizes[2], sizes[3]))
                };
                for argument in arguments {
                    options = self.argument(options, argument)?;
                }
                let module = self.module.as_ref().ok_or("nothing is loaded")?;
                let kernel = module.kernel(kernel).map_err(|error| error.to_string())?;
                self.launches.push((kernel, options));
            }
            ["run", seconds] => return self.run(seconds.parse().map_err(|_| "a run has seconds")?),
            ["save", index, path] => {
                let bytes = self.buffer(index)?.0.to_bytes();
                std::fs::write(path, bytes).map_err(|error| format!("{path}: {error}"))?;
            }
            ["memory"] => return Ok(vec![peak_memory()]),
            _ => return Err("no such order".to_owned()),
        }
        Ok(Vec::new())
    }

    fn argument(&self, options: LaunchOptions, word: &str) -> Result<LaunchOptions, String> {
        let (kind, value) = word.split_at_checked(1).ok_or("an argument has a kind")?;
        let wrong = |_| format!("not a number: {value}");
        Ok(match kind {
            "b" => options.argument(&self.buffer(value)?.0),
            "i" => options.argument(value.parse::<i32>().map_err(|error| error.to_string())?),
            "f" => options.argument(value.parse::<f32>().map_err(wrong)?),
            "d" => options.argument(value.parse::<f64>().map_err(wrong)?),
            _ => return Err("an argument is b, i, f or d".to_owned()),
        })
    }

    fn write(&self, buffer: &Buffer, bytes: &[u8]) -> Result<(), String> {
        self.device.write(buffer.address(), bytes).map_err(|error| error.to_string())
    }

    /// Runs the launches until so much time has passed, once at least: the median and the least of their seconds, and the
    /// lane instructions of one run.
    fn run(&self, seconds: f64) -> Result<Vec<f64>, String> {
        let (begin, slice) = (Instant::now(), Duration::from_secs_f64(seconds));
        let mut times = Vec::new();
        loop {
            for index in &self.restored {
                let (buffer, bytes) = &self.buffers[*index];
                self.write(buffer, bytes)?;
            }
            let mut lanes = 0;
            let start = Instant::now();
            for (kernel, options) in &self.launches {
                lanes += kernel.launch(options).map_err(|failure| failure.to_string())?.lanes();
            }
            times.push(start.elapsed().as_secs_f64());
            if begin.elapsed() >= slice {
                let least = times.iter().copied().fold(f64::INFINITY, f64::min);
                return Ok(vec![median(times), least, lanes as f64]);
            }
        }
    }
}

/// The most memory that the process has had, in megabytes.
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().split(' ').next()?.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

/// Obeys until the input ends.
pub fn obey(settings: Settings) {
    let profile = Profile::named("h200").expect("the default profile");
    let mut machine = Machine {
        device: Device::new(profile),
        settings,
        module: None,
        buffers: Vec::new(),
        restored: Vec::new(),
        launches: Vec::new(),
    };
    let mut answers = std::io::stdout().lock();
    for order in std::io::stdin().lock().lines().map_while(Result::ok) {
        let answer = match machine.obey(&order) {
            Ok(numbers) => numbers.iter().fold("ok".to_owned(), |answer, n| format!("{answer} {n}")),
            Err(why) => format!("error {}", why.replace('\n', "; ")),
        };
        // Without a reader there is nobody to obey.
        if writeln!(answers, "{answer}").and_then(|()| answers.flush()).is_err() {
            break;
        }
    }
}
