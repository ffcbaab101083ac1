//! An execution as text: a column for each thread, the edges below.

use std::fmt::Write;

use super::label::{edges, letter, short, what};
use crate::notation::Step;
use crate::search::Execution;
use crate::test::Test;

/// The execution as a table.
#[must_use]
pub fn table(test: &Test, source: &str, execution: &Execution) -> String {
    let columns: Vec<Vec<String>> = (0..test.threads.len())
        .map(|thread| {
            let place = test.threads[thread].place;
            let mut column =
                vec![format!("{} cta {}, gpu {}", test.threads[thread].name, place.cta % 1024, place.gpu)];
            let own = execution.events.iter().enumerate().filter(|(_, e)| e.thread == Some(thread));
            column.extend(own.map(|(number, event)| {
                format!("{}: {}", letter(test, execution, number), what(test, source, event))
            }));
            column
        })
        .collect();
    let widths: Vec<usize> = columns
        .iter()
        .map(|column| column.iter().map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = String::new();
    for row in 0..rows {
        let cells: Vec<String> = columns
            .iter()
            .zip(&widths)
            .map(|(column, &width)| format!("{:width$}", column.get(row).map_or("", String::as_str)))
            .collect();
        let _ = writeln!(text, "  {}", cells.join("  |  ").trim_end());
    }
    let mut named: Vec<(&str, Vec<String>)> = Vec::new();
    for step in edges(execution) {
        let edge = arrow(test, execution, step);
        match named.iter_mut().find(|(name, _)| *name == short(&step.relation)) {
            Some((_, list)) => list.push(edge),
            None => named.push((short(&step.relation), vec![edge])),
        }
    }
    for (name, list) in named {
        let _ = writeln!(text, "  {name:8} {}", list.join(", "));
    }
    if !execution.races.is_empty() {
        let pair = |&(a, b): &(usize, usize)| {
            format!("{} and {}", letter(test, execution, a), letter(test, execution, b))
        };
        let races: Vec<String> = execution.races.iter().map(pair).collect();
        let _ = writeln!(text, "  {:8} {}", "race", races.join(", "));
    }
    text
}

fn arrow(test: &Test, execution: &Execution, step: &Step) -> String {
    format!("{} -> {}", letter(test, execution, step.from), letter(test, execution, step.to))
}

/// The steps of a cycle, each on a line.
#[must_use]
pub fn cycle(test: &Test, source: &str, execution: &Execution, steps: &[Step]) -> String {
    let mut text = String::new();
    let name = |number: usize| {
        let label = what(test, source, &execution.events[number]);
        let thread = execution.events[number].thread.map(|thread| test.threads[thread].name.as_str());
        let place = thread.map_or_else(|| "initially".to_owned(), str::to_owned);
        format!("{place} {}: {label}", letter(test, execution, number))
    };
    if let Some(first) = steps.first() {
        let _ = writeln!(text, "  {:14} {}", "", name(first.from));
    }
    for step in steps {
        let _ = writeln!(text, "  {:>14} {}", format!("{} ->", short_step(&step.relation)), name(step.to));
    }
    text
}

fn short_step(relation: &str) -> String {
    match relation.strip_suffix("^-1") {
        Some(plain) => format!("{}^-1", short(plain)),
        None => short(relation).to_owned(),
    }
}
