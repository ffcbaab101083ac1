//! Shows two accesses that race: both with their threads, which bytes they share, and what would order them.

use ptxvm_syntax::Label;
use ptxvm_syntax::ast::Span;
use ptxvm_vm::{Advice, Carrier, Elsewhere, Grids, Part, Race, RaceKind, Space, Thread};
use serde_json::{Value, json};

use crate::number::grouped;
use crate::stale::{advice as missing_advice, who};
use crate::{Message, Report};

/// It for people; `name` is what lies at the address.
#[must_use]
pub fn message(report: &Report<'_>, race: &Race, name: Option<&str>) -> Message {
    let mut message = Message::new(sentence(race)).id("race");
    message.places.push(label(race, &race.second));
    match race.grids.as_ref().and_then(|grids| grids.elsewhere.as_ref()) {
        None => message.places.push(label(race, &race.first)),
        Some(Elsewhere { file, line, text }) => {
            let done = label(race, &race.first).text;
            message.notes.push(format!("the earlier is line {line} of {file}, `{text}`: {done}"));
        }
    }
    message.notes.push(bytes(race, name));
    for (part, which) in [(&race.second, "the later"), (&race.first, "the earlier")] {
        if let Some((source, outer)) = part.sources.split_first() {
            let outer: String =
                outer.iter().map(|at| format!(", inlined at {}:{}", at.file, at.line)).collect();
            message.notes.push(format!("{which} was made from {}:{}{outer}", source.file, source.line));
        }
    }
    message.notes.extend(race.advice.iter().map(|advice| said(report, race, advice)));
    if race.count > 1 {
        let count = grouped(race.count);
        message.notes.push(match &race.grids {
            None => format!("these two instructions race {count} times"),
            Some(_) => format!("these two instructions race for {count} words"),
        });
    }
    message
}

/// What is told of a launch that was not looked at to its end.
#[must_use]
pub fn incomplete() -> (Message, Value) {
    let text = "races were not looked for to the end: the memory for what is known of each word is used up";
    let mut message = Message::new(text).id("race").warning();
    message
        .notes
        .push("--max-memory gives more; it takes nine bytes for each that the kernel touches".into());
    (message, json!({ "kind": "warning", "severity": "warning", "code": "race", "message": text }))
}

fn sentence(race: &Race) -> String {
    if race.kind == RaceKind::UseAfterInit {
        return "a race in shared memory: nothing orders this use of an mbarrier object after its initialisation"
            .to_owned();
    }
    let (second, first) = match race.kind {
        RaceKind::ReadAfterWrite => ("read", "write"),
        RaceKind::WriteAfterRead => ("write", "read"),
        RaceKind::WriteAfterWrite | RaceKind::UseAfterInit => ("write", "write"),
    };
    let article = if second == first { "another" } else { "a" };
    let space = space(race);
    format!(
        "a race in {space} memory: nothing orders this {second} after {article} {first} of the same bytes"
    )
}

/// Which memory it is in.
fn space(race: &Race) -> &'static str {
    match race.space {
        Space::Shared => "shared",
        Space::Tensor => "tensor",
        _ => "global",
    }
}

fn label(race: &Race, part: &Part) -> Label {
    let done = match (race.kind, part.writes) {
        (RaceKind::UseAfterInit, true) => "initialised",
        (RaceKind::UseAfterInit, false) => "used",
        (_, true) => "written",
        (_, false) => "read",
    };
    let kernel =
        race.grids.as_ref().map(|grids| &grids.kernels[usize::from(std::ptr::eq(part, &race.second))]);
    labelled(part, done, kernel.map(String::as_str))
}

/// An access with its thread, and the kernel if that is not clear.
pub(crate) fn accessed(part: &Part, kernel: Option<&str>) -> Label {
    labelled(part, if part.writes { "written" } else { "read" }, kernel)
}

fn labelled(part: &Part, done: &str, kernel: Option<&str>) -> Label {
    let thread = who(part.accessed.thread);
    let text = match part.unit {
        None => format!("{done} by {thread}"),
        Some(unit) => format!("{done} {} that {thread} issued", carrier(unit)),
    };
    let of = kernel.map_or(String::new(), |kernel| format!(" of `{kernel}`"));
    Label { span: part.accessed.span, text: text + &of }
}

/// Who carries an operation out.
fn carrier(unit: Carrier) -> &'static str {
    match unit {
        Carrier::Copies => "by a copy (cp.async)",
        Carrier::BulkSource | Carrier::Bulk => "by a bulk copy",
        Carrier::Products => "by a wgmma",
        Carrier::Tensor | Carrier::TensorLoads | Carrier::TensorStores => "by a tcgen05 operation",
        Carrier::Signalled => "by a copy",
        Carrier::Stores => "by an asynchronous store",
        Carrier::Constant | Carrier::Weaker => "by a thread",
    }
}

fn bytes(race: &Race, name: Option<&str>) -> String {
    let count = match race.bytes {
        1 => "one byte".to_owned(),
        bytes => format!("{bytes} bytes"),
    };
    let space = space(race);
    match name {
        Some(name) => format!("{count} of {space} memory at {:#x}, {name}", race.address),
        None => format!("{count} of {space} memory at {:#x}", race.address),
    }
}

fn line(report: &Report<'_>, span: Span) -> u32 {
    report.place(span).0.line
}

/// The kernels of two launches.
fn kernels(race: &Race) -> [&str; 2] {
    race.grids.as_ref().map_or(["", ""], |grids| grids.kernels.each_ref().map(String::as_str))
}

/// What would order the two.
fn said(report: &Report<'_>, race: &Race, advice: &Advice) -> String {
    let (first, second) = (line(report, race.first.accessed.span), line(report, race.second.accessed.span));
    match advice {
        Advice::Missing(missing) => {
            let threads = (&race.second.accessed, &race.first.accessed);
            missing_advice(report, threads, *missing, ["the later thread", "the earlier one"])
        }
        Advice::AfterInit => format!(
            "others must see the object before they use it: `fence.mbarrier_init.release.cluster` (or `fence.proxy.async`) \
             after line {first}, and a barrier if another thread executes line {second}"
        ),
        Advice::NotWritten => {
            let (read, written) = if race.second.writes { (first, second) } else { (second, first) };
            format!(
                "line {read} may only read what nobody writes for as long as the kernel runs, whatever lies between: \
                 `ld.global` reads what line {written} writes"
            )
        }
        Advice::OneLane => format!(
            "both lanes execute line {second} together and write different values: which one is left is open; one lane \
             must be chosen, or an atomic operation"
        ),
        Advice::WarpBarrier => format!(
            "both are lanes of one warp, which need not run together: `bar.warp.sync` between line {first} and line \
             {second} orders them"
        ),
        Advice::Wait(unit) => format!(
            "the operation of line {first} is asynchronous, and nobody who comes before line {second} has waited for it: {}",
            waiting(*unit)
        ),
        Advice::ProxyFence => format!(
            "line {second} goes through the async proxy, and line {first} does not: no `fence.proxy.async` lies between \
             them, in the thread of line {first} or in one that knows of it"
        ),
        Advice::TensormapFence => format!(
            "line {second} reads a tensor map through a proxy of its own: no `fence.proxy.tensormap::generic.acquire` lies \
             after line {first}, in the thread of line {second} or in one that it comes after"
        ),
        Advice::TensorFence => format!(
            "tensor memory takes fences of its own: `tcgen05.fence::before_thread_sync` after line {first} (a \
             `tcgen05.commit` has one), and `tcgen05.fence::after_thread_sync` before line {second}, with what orders the \
             threads between them"
        ),
        Advice::GridWait => {
            let [one, other] = kernels(race);
            format!(
                "`{other}` may begin as soon as `{one}` lets it (`griddepcontrol.launch_dependents`), and never waits for its \
                 end: `griddepcontrol.wait` (`cudaGridDependencySynchronize`) before line {second} does"
            )
        }
        Advice::GridWaitsLate => {
            let [one, other] = kernels(race);
            format!(
                "`{other}` may begin as soon as `{one}` lets it (`griddepcontrol.launch_dependents`): line {second} must come \
                 after the `griddepcontrol.wait` (`cudaGridDependencySynchronize`) of `{other}`, and after a barrier if \
                 another thread waits"
            )
        }
        Advice::Streams => {
            let [one, other] = kernels(race);
            format!(
                "the launches of `{one}` and `{other}` are in two streams, and nothing orders them: an event that the one stream \
                 records and the other waits for (`cudaStreamWaitEvent`), one stream for both, or waiting for the first \
                 launch does"
            )
        }
        Advice::Sizes => {
            "both are strong operations, but of different sizes or places, so that they are no one access of \
                          the same bytes"
                .to_owned()
        }
        Advice::Weak(span) => {
            let weak = line(report, *span);
            let strong = if weak == first { second } else { first };
            format!(
                "line {strong} is a strong operation and line {weak} is a weak one: two strong operations of the same bytes \
                 (`.relaxed`, `.volatile`, `atom`), in scopes that include each other, do not race"
            )
        }
        Advice::Narrow(span) => {
            format!("the scope of the operation at line {} leaves the other thread out", line(report, *span))
        }
    }
}

/// How one waits for an operation.
fn waiting(unit: Carrier) -> &'static str {
    match unit {
        Carrier::Copies => {
            "`cp.async.wait_group` or `cp.async.wait_all` by the thread that issued it, and then a barrier for the others; \
             or `cp.async.mbarrier.arrive` and a wait for that mbarrier"
        }
        Carrier::BulkSource => {
            "`cp.async.bulk.wait_group.read` by the thread that issued it, and then a barrier for others"
        }
        Carrier::Bulk => {
            "`cp.async.bulk.wait_group` (without `.read`) by the thread that issued it, and then a barrier for others"
        }
        Carrier::Products => "`wgmma.wait_group` by the warps that issued it, and then a barrier for others",
        Carrier::Tensor => "`tcgen05.commit` by the thread that issued it, and a wait for its mbarrier",
        Carrier::TensorLoads => {
            "`tcgen05.wait::ld` by the warp that issued it, and fences and a barrier for others"
        }
        Carrier::TensorStores => {
            "`tcgen05.wait::st` by the warp that issued it, and fences and a barrier for others"
        }
        Carrier::Signalled | Carrier::Stores => "a wait for the phase of the mbarrier that it completes",
        Carrier::Constant | Carrier::Weaker => "a barrier",
    }
}

/// It as an object.
#[must_use]
pub fn object(report: &Report<'_>, race: &Race, (kernel, name): (&str, Option<&str>)) -> Value {
    let part = |part: &Part| {
        let (start, end) = report.place(part.accessed.span);
        let Thread { ctaid, tid, warp, lane } = part.accessed.thread;
        json!({
            "line": start.line, "column": start.column, "end_line": end.line, "end_column": end.column,
            "message": label(race, part).text,
            "thread": { "ctaid": ctaid, "tid": tid, "warp": warp, "lane": lane },
            "asynchronous": part.unit.is_some(),
            "source": part.sources.first().map(|at| json!({
                "file": at.file, "line": at.line, "column": at.column, "function": at.function,
            })),
            "writes": part.writes,
        })
    };
    let mut object = part(&race.second);
    let notes: Vec<String> = race.advice.iter().map(|advice| said(report, race, advice)).collect();
    let more = json!({
        "kind": "finding",
        "severity": "error",
        "stopped": false,
        "code": "race",
        "message": sentence(race),
        "access": match race.kind {
            RaceKind::ReadAfterWrite => "read-after-write",
            RaceKind::WriteAfterRead => "write-after-read",
            RaceKind::WriteAfterWrite => "write-after-write",
            RaceKind::UseAfterInit => "use-after-init",
        },
        "file": report.name,
        "kernel": kernel,
        "related": [part(&race.first)],
        "space": space(race),
        "address": format!("{:#x}", race.address),
        "bytes": race.bytes,
        "object": name,
        "notes": notes,
        "count": race.count,
    });
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    if let Some(Grids { kernels, elsewhere }) = &race.grids {
        let first = &mut object["related"][0];
        first["kernel"] = json!(kernels[0]);
        if let Some(Elsewhere { file, line, .. }) = elsewhere
            && let Some(place) = first.as_object_mut()
        {
            place.retain(|name, _| !matches!(name.as_str(), "column" | "end_line" | "end_column"));
            place.extend([("line".to_owned(), json!(line)), ("file".to_owned(), json!(file))]);
        }
    }
    object
}
