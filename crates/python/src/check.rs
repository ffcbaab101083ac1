//! `check`, `fmt` and `explain`: what the commands of these names do, as functions.

use ptxvm_isa::{ISA, Target};
use ptxvm_report::{Report, diagnostic, pages};
use ptxvm_syntax::Interner;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::failed::{failed, plain, wrong};
use crate::running;

/// Is it what ptxas would accept? Every diagnostic, and all of them as people read them.
#[pyfunction]
pub fn check(py: Python<'_>, text: Vec<u8>, name: &str, target: Option<&str>) -> PyResult<String> {
    let target = match target {
        None => None,
        Some(named) => {
            let known = |target: &Target| ISA.targets.iter().any(|entry| entry.target == *target);
            let target = Target::parse(named).filter(known);
            let why =
                || wrong(format!("{named} is no target; expected one such as sm_80, sm_90a or sm_100f"));
            Some(target.ok_or_else(why)?)
        }
    };
    let options = ptxvm_module::Options { target, ..Default::default() };
    running::without_lock(py, || object(&Report::of(name, &text, &options)).to_string())
}

/// PTX in the one layout.
#[pyfunction]
pub fn fmt(py: Python<'_>, text: Vec<u8>, name: &str) -> PyResult<String> {
    running::without_lock(py, || {
        let invalid = |report: Report<'_>| failed(&object(&report));
        let source =
            ptxvm_syntax::decode(&text).map_err(|error| invalid(Report::undecodable(name, &text, *error)))?;
        ptxvm_syntax::fmt(source, &Interner::with_words(ISA.words))
            .map_err(|errors| invalid(Report::with(name, source.into(), errors)))
    })?
}

/// The page of a code or of a kind of finding; of all, their names and titles.
#[pyfunction]
pub fn explain(code: Option<&str>) -> PyResult<String> {
    let page =
        |(code, page): &(&str, &str)| json!({ "code": code, "title": pages::title_of(page), "text": page });
    let Some(code) = code else {
        return Ok(pages::PAGES.iter().map(page).collect::<Value>().to_string());
    };
    let found = pages::PAGES.iter().find(|(known, _)| known.eq_ignore_ascii_case(code));
    let why = || wrong(format!("there is no code or kind {code}; ptxvm.explain() lists them"));
    found.map(|found| page(found).to_string()).ok_or_else(why)
}

/// What was found in a text, as an object.
pub fn object(report: &Report<'_>) -> Value {
    let all: Vec<Value> = report.diagnostics.iter().map(|found| diagnostic::object(report, found)).collect();
    let text = plain(|out| report.write(100, out));
    json!({ "kind": "invalid", "ok": report.ok(), "file": report.name, "diagnostics": all, "text": text,
        "summary": report.summary })
}
