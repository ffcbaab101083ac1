//! The long run of both engines: a process for each core, and this one, which counts.
//!
//! Threads would not do. LLVM works on one thread of a process; mapping and freeing code stops all threads of one; and
//! compiled code that is wrong enough takes its process along, which must cost one program and not the run.
//!
//! A process says on its standard output which program it begins and what came of it, a line each.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::engines::{Count, Sources};

/// A program that takes longer than this does not end: the limits of its launches are long past.
const HANGS: Duration = Duration::from_secs(300);

/// How often the count is printed.
const PROGRESS: Duration = Duration::from_secs(30);

/// How many programs a process runs: what LLVM keeps of each adds up.
const AT_ONCE: u64 = 5_000;

/// After so many programs that differ there is enough to look at.
const MOST_WRONG: usize = 20;

/// What all processes have done.
struct State {
    count: Count,
    wrong: Vec<String>,
    /// The program that each process runs, and since when.
    busy: Vec<Option<(u64, Instant)>>,
    /// What can be killed.
    children: Vec<Option<Child>>,
    /// Nobody begins anything any more.
    ending: bool,
}

/// Runs `count` programs from a seed on, each once, on all cores; for so many seconds at most.
pub fn run(count: u64, seed: u64, seconds: Option<u64>) -> Result<(), String> {
    let started = Instant::now();
    let processes = std::thread::available_parallelism().map_or(1, |n| n.get() as u64).min(count.max(1));
    let nobody = |_| None;
    let state = Mutex::new(State {
        count: Count::default(),
        wrong: Vec::new(),
        busy: (0..processes).map(|_| None).collect(),
        children: (0..processes).map(nobody).collect(),
        ending: false,
    });
    println!("{count} programs from {seed} on, in {processes} processes");
    let left = Mutex::new(processes);
    std::thread::scope(|scope| {
        for number in 0..processes {
            let (state, left) = (&state, &left);
            scope.spawn(move || {
                oversee(state, number, (count, seed, processes));
                *locked(left) -= 1;
            });
        }
        watch(&state, &left, started, seconds.map(Duration::from_secs));
    });
    let state = locked(&state);
    println!("{}; {:.0} s", state.count, started.elapsed().as_secs_f64());
    for (ending, times) in &state.count.endings {
        println!("{times:10} {ending}");
    }
    if state.wrong.is_empty() {
        println!("no difference");
        return Ok(());
    }
    Err(format!("{} programs differ", state.wrong.len()))
}

fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a process for every `step`-th program, and another one when it has run enough, or has fallen over a program.
fn oversee(state: &Mutex<State>, number: u64, (count, seed, step): (u64, u64, u64)) {
    let mut next = number;
    while next < count && !locked(state).ending {
        let programs = (count - next).div_ceil(step).min(AT_ONCE);
        let words = [seed.wrapping_add(next), programs, step].map(|n| n.to_string());
        let started = std::env::current_exe().and_then(|own| {
            let mut command = Command::new(own);
            command.args(["fuzz", "engines", "part"]).args(words);
            command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()
        });
        let mut child = match started {
            Ok(child) => child,
            Err(error) => return note(state, format!("no process could be started: {error}")),
        };
        let output = child.stdout.take();
        locked(state).children[number as usize] = Some(child);
        let done = output.map_or(0, |output| listen(state, number as usize, output));
        next += done * step;
        let child = locked(state).children[number as usize].take();
        let status = child.and_then(|mut child| child.wait().ok());
        let fell = locked(state).busy[number as usize].take();
        if status.is_some_and(|status| status.success()) || locked(state).ending {
            continue;
        }
        let (Some((at, since)), Some(status)) = (fell, status) else {
            return note(state, "a process ended before its first program".into());
        };
        let why =
            if since.elapsed() > HANGS { "hangs".into() } else { format!("ends its process: {status}") };
        note(state, format!("seed {at}: {why}"));
        next += step;
    }
}

fn note(state: &Mutex<State>, wrong: String) {
    println!("{wrong}");
    locked(state).wrong.push(wrong);
}

/// Reads what a process says until it ends; gives how many programs it has done.
fn listen(state: &Mutex<State>, number: usize, output: ChildStdout) -> u64 {
    let mut done = 0;
    let mut report = String::new();
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        let (word, rest) = line.split_once(' ').unwrap_or((line.as_str(), ""));
        match word {
            "at" => locked(state).busy[number] = rest.parse().ok().map(|seed| (seed, Instant::now())),
            ">" => report = report + rest + "\n",
            _ => {
                done += 1;
                let mut state = locked(state);
                let (seed, excused) = (state.busy[number].take(), state.count.excused);
                state.count.read(word, rest);
                if let Some((seed, _)) = seed.filter(|_| state.count.excused > excused) {
                    println!("seed {seed} is excused");
                }
            }
        }
        if word == "wrong" {
            note(state, std::mem::take(&mut report));
        }
    }
    done
}

/// Prints how far everybody is, and ends all processes when the time is over, or there is enough to look at.
fn watch(state: &Mutex<State>, left: &Mutex<u64>, started: Instant, limit: Option<Duration>) {
    let mut said = started;
    while *locked(left) > 0 {
        std::thread::sleep(Duration::from_millis(100));
        let mut state = locked(state);
        let over = limit.is_some_and(|limit| started.elapsed() > limit);
        state.ending |= over || state.wrong.len() >= MOST_WRONG;
        let ending = state.ending;
        let State { busy, children, .. } = &mut *state;
        for (busy, child) in busy.iter().zip(children) {
            let hangs = busy.is_some_and(|(_, since)| since.elapsed() > HANGS);
            if let Some(child) = child.as_mut().filter(|_| hangs || ending) {
                // One that has ended by itself needs no other end.
                let _ = child.kill();
            }
        }
        if said.elapsed() >= PROGRESS {
            said = Instant::now();
            let seconds = started.elapsed().as_secs_f64();
            let rate = state.count.programs as f64 / seconds;
            println!("{seconds:.0} s: {}; {rate:.1} a second, {} differ", state.count, state.wrong.len());
        }
    }
}

/// What one of the processes does: every `step`-th program from a seed on.
pub fn part(root: &Path, seed: u64, count: u64, step: u64) -> Result<(), String> {
    let sources = Sources::read(root)?;
    std::panic::set_hook(Box::new(|_| {}));
    let mut output = std::io::stdout().lock();
    let mut say =
        |line: String| writeln!(output, "{line}").and_then(|()| output.flush()).map_err(|e| e.to_string());
    for seed in (0..count).map(|i| seed.wrapping_add(i * step)) {
        say(format!("at {seed}"))?;
        match sources.judge(seed) {
            Ok(agreed) => say(Count::line(agreed.as_ref()))?,
            Err(report) => {
                for line in report.lines() {
                    say(format!("> {line}"))?;
                }
                say("wrong".into())?;
            }
        }
    }
    Ok(())
}
