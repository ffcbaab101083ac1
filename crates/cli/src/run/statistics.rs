//! `--stats`: prints counts of what the kernel did, for people and for programs.

use std::io::{self, Write};

use ptxvm_report::number::{bytes, general, grouped, rate, time};
use ptxvm_vm::{Budget, Check, Checks, Class, EngineChoice, Statistics};
use serde_json::{Map, Value, json};

/// The spaces that memory traffic is counted in, in the order of the counters.
const SPACES: [&str; 4] = ["global", "shared", "local", "other"];

/// What was to be looked for besides faults, and what was.
#[derive(Clone, Copy, Debug)]
pub struct Looked {
    pub asked: Checks,
    pub made: Checks,
}

impl Looked {
    /// What may not be found in such a kernel.
    fn without_work(self) -> Checks {
        let left_out = |check: &Check| self.asked.has(*check) && !self.made.has(*check);
        Check::ALL.into_iter().filter(left_out).fold(Checks::NONE, Checks::with)
    }
}

/// Writes the counts for people.
pub fn write(
    s: &Statistics,
    wanted: EngineChoice,
    checks: Looked,
    budget: &Budget,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (instructions, lanes) = (s.instructions(), s.lanes());
    writeln!(out, "CTAs                 {}", grouped(s.ctas))?;
    writeln!(out, "time                 {}", time(s.time))?;
    let interpreted = EngineChoice::Interpret.name();
    match without_stats(wanted) {
        _ if checks.made.are_any() => {
            writeln!(out, "engine               {interpreted}, because it is checked")?
        }
        None => writeln!(out, "engine               {interpreted}")?,
        Some(Ok(name)) => {
            writeln!(out, "engine               {interpreted}, to count; without --stats it is {name}")?
        }
        Some(Err(_)) => writeln!(
            out,
            "engine               {interpreted}; there is no libLLVM to compile with, see `ptxvm doctor`"
        )?,
    }
    if checks.asked.are_any() {
        let without = checks.without_work();
        let nothing = match without.are_any() {
            true => format!("; the kernel has nothing for {without}"),
            false => String::new(),
        };
        writeln!(out, "checks               {}{nothing}", checks.made)?;
    }
    writeln!(out, "warp instructions    {}", grouped(instructions))?;
    let active = lanes as f64 / instructions.max(1) as f64;
    let speed = rate(lanes as f64 / s.time.as_secs_f64().max(1e-9));
    writeln!(out, "lane instructions    {} ({speed} a second)", grouped(lanes))?;
    writeln!(out, "lanes active         {} of 32", general((active * 100.0).round() / 100.0))?;
    for class in Class::ALL {
        let (warps, lanes) = (s.warp_instructions[class as usize], s.lane_instructions[class as usize]);
        if warps > 0 {
            let share = 100.0 * warps as f64 / instructions as f64;
            let active = lanes as f64 / warps as f64;
            writeln!(
                out,
                "  {:<18} {:<14} {share:>5.1} %  {active:>4.1} lanes",
                class.name(),
                grouped(warps)
            )?;
        }
    }
    if s.products > 0 {
        let how = if s.mma == "fast" { "fast: the last bits are not the device's" } else { s.mma };
        writeln!(out, "matrix products      {} ({how})", grouped(s.products))?;
    }
    if s.injected_waits > 0 {
        let why = "registers of wgmma used before wgmma.wait_group";
        writeln!(out, "waits of ptxas       {} ({why})", grouped(s.injected_waits))?;
    }
    for (what, counts) in [("bytes read", s.bytes_read), ("bytes written", s.bytes_written)] {
        let parts: Vec<String> = SPACES
            .iter()
            .zip(counts)
            .filter(|&(_, n)| n > 0)
            .map(|(space, n)| format!("{space} {}", bytes(n)))
            .collect();
        let parts = if parts.is_empty() { "none".to_owned() } else { parts.join(", ") };
        writeln!(out, "{what:<20} {parts}")?;
    }
    writeln!(out, "host memory          {} at most", bytes(budget.peak()))?;
    Ok(())
}

/// The engine that would have run the kernel if nobody had counted, unless that is the same one; why it could not.
fn without_stats(wanted: EngineChoice) -> Option<Result<&'static str, String>> {
    (wanted != EngineChoice::Interpret).then(|| ptxvm_vm::llvm().map(|_| wanted.name()))
}

/// The counts as an object.
pub fn json(s: &Statistics, wanted: EngineChoice, checks: Looked, budget: &Budget) -> Value {
    let names = |checks: Checks| -> Vec<&str> {
        Check::ALL.into_iter().filter(|check| checks.has(*check)).map(Check::name).collect()
    };
    let by_class = |counts: &[u64]| {
        let pairs = Class::ALL.iter().map(|&c| (c.name().to_owned(), json!(counts[c as usize])));
        Value::Object(pairs.collect::<Map<_, _>>())
    };
    let by_space = |counts: &[u64; 4]| {
        let pairs = SPACES.iter().zip(counts).map(|(space, n)| ((*space).to_owned(), json!(n)));
        Value::Object(pairs.collect::<Map<_, _>>())
    };
    json!({
        "kind": "statistics",
        "ctas": s.ctas,
        "seconds": s.time.as_secs_f64(),
        "engine": EngineChoice::Interpret.name(),
        "engine_without_stats": without_stats(wanted).filter(|_| !checks.made.are_any()).and_then(Result::ok),
        "checks": names(checks.made),
        "checks_with_nothing_to_look_for": names(checks.without_work()),
        "warp_instructions": s.instructions(),
        "lane_instructions": s.lanes(),
        "warp_instructions_by_class": by_class(&s.warp_instructions),
        "lane_instructions_by_class": by_class(&s.lane_instructions),
        "matrix_products": s.products,
        "mma": s.mma,
        "injected_waits": s.injected_waits,
        "bytes_read": by_space(&s.bytes_read),
        "bytes_written": by_space(&s.bytes_written),
        "host_memory_peak": budget.peak(),
    })
}
