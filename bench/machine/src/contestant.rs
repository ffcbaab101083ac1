//! A contestant: a process that obeys the orders of `contestant.h`, be it the C program, the OpenCL program or ptxvm itself.
//!
//! Each has a process for each case. None can disturb another, a crash costs one number, and what the first result
//! costs is the same for all.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::case::Case;
use crate::scratch::Scratch;

/// Who takes part.
#[derive(Clone, Debug, PartialEq)]
pub enum Who {
    C,
    OpenCl,
    /// ptxvm with the engine of this name, or the one that it takes by itself.
    Ptxvm(Option<String>),
}

/// Who takes part, and with how many threads.
#[derive(Clone, Debug)]
pub struct Entrant {
    pub who: Who,
    pub threads: usize,
    pub program: PathBuf,
}

/// A running process.
pub struct Contestant {
    child: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Entrant {
    /// How it is called in messages.
    pub fn name(&self) -> String {
        let who = match &self.who {
            Who::C => "C",
            Who::OpenCl => "OpenCL",
            Who::Ptxvm(None) => "ptxvm",
            Who::Ptxvm(Some(engine)) => &format!("ptxvm ({engine})"),
        };
        format!("{who}, {} thread{}", self.threads, if self.threads == 1 { "" } else { "s" })
    }

    /// Starts the process.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(&self, scratch: &Scratch) -> Result<Contestant, String> {
        let mut command = Command::new(&self.program);
        let threads = self.threads.to_string();
        match &self.who {
            Who::C => command.env("OMP_NUM_THREADS", threads),
            // Nothing that PoCL compiled for an earlier process may help it, and it leaves nothing behind.
            Who::OpenCl => command
                .env("POCL_MAX_PTHREAD_COUNT", threads)
                .env("POCL_KERNEL_CACHE", "0")
                .env("POCL_CACHE_DIR", scratch.path("pocl")),
            Who::Ptxvm(engine) => command.arg("--obey").arg(threads).args(engine.as_slice()),
        };
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", self.program.display()))?;
        let (Some(orders), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("it has no pipes".to_owned());
        };
        Ok(Contestant { child, orders: Some(orders), answers: BufReader::new(answers) })
    }

    /// Where its kernels are.
    pub fn source(&self, case: &Case) -> String {
        let extension = match self.who {
            Who::C => "c",
            Who::OpenCl => "cl",
            Who::Ptxvm(_) => "ptx",
        };
        format!("{}/kernels/{}.{extension}", env!("CARGO_MANIFEST_DIR"), case.file)
    }
}

impl Contestant {
    /// Gives an order and waits for the answer: the numbers after `ok`.
    ///
    /// # Errors
    /// What the contestant says is wrong, or that it has ended.
    pub fn ask(&mut self, order: &str) -> Result<Vec<f64>, String> {
        let ended = |what: std::io::Error| format!("the process has ended: {what}");
        if let Some(orders) = &mut self.orders {
            writeln!(orders, "{order}").map_err(ended)?;
        }
        let mut answer = String::new();
        self.answers.read_line(&mut answer).map_err(ended)?;
        match answer.trim_end().split_once(' ').unwrap_or((answer.trim_end(), "")) {
            ("ok", numbers) => {
                let numbers = numbers.split_whitespace().map(str::parse::<f64>);
                numbers.collect::<Result<_, _>>().map_err(|_| format!("not a number in: {answer}"))
            }
            ("error", why) => Err(why.to_owned()),
            ("", _) => Err("the process has ended".to_owned()),
            _ => Err(format!("an answer that means nothing: {answer}")),
        }
    }

    /// Makes the buffers of a case.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub fn make_buffers(&mut self, scratch: &Scratch) -> Result<(), String> {
        for order in scratch.buffer_orders() {
            self.ask(&order)?;
        }
        Ok(())
    }

    /// Prepares the launches of a case.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub fn prepare(&mut self, case: &Case) -> Result<(), String> {
        for launch in &case.launches {
            self.ask(&launch.order())?;
        }
        Ok(())
    }

    /// The bytes of a buffer.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub fn read(&mut self, index: usize, scratch: &Scratch) -> Result<Vec<u8>, String> {
        let path = scratch.path("result");
        self.ask(&format!("save {index} {}", path.display()))?;
        std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
    }
}

impl Drop for Contestant {
    fn drop(&mut self) {
        // The end of its input is the end of its work.
        self.orders = None;
        let _ = self.child.wait();
    }
}
