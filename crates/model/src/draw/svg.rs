//! An execution as a picture: a column of events for each thread, the initial writes above, an arrow for each edge.

use std::fmt::Write;

use super::label::{edges, letter, short, what};
use crate::event::Kind;
use crate::notation::Step;
use crate::search::Execution;
use crate::test::Test;

/// The size of a column and of a row.
const COLUMN: usize = 320;
const ROW: usize = 64;
/// The top of the first row of the threads.
const TOP: usize = 110;
const BOX_WIDTH: usize = 250;
const BOX_HEIGHT: usize = 26;

/// The colour of a relation: what communicates warm, what orders cool.
fn colour(relation: &str) -> &'static str {
    match relation {
        "rf" => "#b91c1c",
        "coherence" => "#1d4ed8",
        "from-read" => "#c2410c",
        "sync" => "#15803d",
        "fence-sc" => "#7e22ce",
        "barrier" => "#0e7490",
        _ => "#525252",
    }
}

/// The picture, as a whole SVG file; the steps of `cycle` stand out.
#[must_use]
pub fn svg(test: &Test, source: &str, execution: &Execution, cycle: &[Step]) -> String {
    let places = places(test, execution);
    let rows = places.iter().flatten().map(|place| place.1).max().unwrap_or(0);
    let (width, height) = (test.threads.len().max(1) * COLUMN + 40, rows + ROW);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"monospace\" font-size=\"12\">"
    );
    let _ = writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>");
    markers(execution, &mut out);
    for (number, thread) in test.threads.iter().enumerate() {
        let x = 20 + number * COLUMN;
        let title = format!("{} cta {} gpu {}", thread.name, thread.place.cta % 1024, thread.place.gpu);
        let _ = writeln!(
            out,
            "<text x=\"{x}\" y=\"{}\" font-weight=\"bold\">{}</text>",
            TOP - 20,
            escape(&title)
        );
    }
    for (number, place) in places.iter().enumerate() {
        let Some((x, y)) = *place else { continue };
        let event = &execution.events[number];
        let text = if event.kind == Kind::Initial {
            what(test, source, event)
        } else {
            format!("{}: {}", letter(test, execution, number), what(test, source, event))
        };
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\" rx=\"4\" fill=\"#f5f5f4\" \
             stroke=\"#a8a29e\"/><text x=\"{}\" y=\"{}\">{}</text>",
            x + 6,
            y + 17,
            escape(&text)
        );
    }
    program_order(execution, &places, &mut out);
    let shown = edges(execution);
    // A cycle may have steps that the drawing leaves out because others imply them.
    let missing = cycle.iter().filter(|step| step.relation != "po" && !shown.contains(step));
    for (number, step) in shown.iter().copied().chain(missing).enumerate() {
        arrow(step, number, cycle.contains(step), &places, &mut out);
    }
    out.push_str("</svg>\n");
    out
}

/// Where each event's box stands; an initial write that nobody sees has none.
fn places(test: &Test, execution: &Execution) -> Vec<Option<(usize, usize)>> {
    let mut rows = vec![0; test.threads.len()];
    let mut initial = 0;
    let seen =
        |number: usize| execution.edges.iter().any(|step| step.from == number && step.relation == "rf");
    let place = |(number, event): (usize, &crate::event::Event)| match event.thread {
        Some(thread) => {
            rows[thread] += 1;
            Some((20 + thread * COLUMN, TOP + (rows[thread] - 1) * ROW))
        }
        None if seen(number) => {
            initial += 1;
            Some((20 + (initial - 1) * COLUMN, 20))
        }
        None => None,
    };
    execution.events.iter().enumerate().map(place).collect()
}

/// The arrow heads, one of each colour.
fn markers(execution: &Execution, out: &mut String) {
    let mut known: Vec<&str> = vec!["po"];
    for step in edges(execution) {
        if !known.contains(&step.relation.as_str()) {
            known.push(&step.relation);
        }
    }
    out.push_str("<defs>");
    for relation in known {
        let _ = write!(
            out,
            "<marker id=\"{relation}\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
             orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"{}\"/></marker>",
            colour(relation)
        );
    }
    out.push_str("</defs>\n");
}

/// Program order as short lines between boxes that follow each other.
fn program_order(execution: &Execution, places: &[Option<(usize, usize)>], out: &mut String) {
    for pair in 1..execution.events.len() {
        let (before, after) = (&execution.events[pair - 1], &execution.events[pair]);
        if before.thread != after.thread || after.thread.is_none() {
            continue;
        }
        if let (Some((x, y)), Some((_, below))) = (places[pair - 1], places[pair]) {
            let ordered =
                execution.edges.iter().any(|s| s.relation == "po" && (s.from, s.to) == (pair - 1, pair));
            let dash = if ordered { "" } else { " stroke-dasharray=\"3 3\"" };
            let _ = writeln!(
                out,
                "<path d=\"M{} {}V{}\" stroke=\"#525252\"{dash} marker-end=\"url(#po)\"/>",
                x + 20,
                y + BOX_HEIGHT,
                below
            );
        }
    }
}

fn arrow(step: &Step, number: usize, bold: bool, places: &[Option<(usize, usize)>], out: &mut String) {
    let (Some(from), Some(to)) = (places[step.from], places[step.to]) else { return };
    let middle = |(x, y): (usize, usize)| (x as i64 + BOX_WIDTH as i64 / 2, y as i64 + BOX_HEIGHT as i64 / 2);
    let ((x1, y1), (x2, y2)) = (middle(from), middle(to));
    // From the side of a box that faces the other; arrows of one column bow out to the right.
    let half = BOX_WIDTH as i64 / 2;
    let (x1, x2, bend) = match x1.cmp(&x2) {
        std::cmp::Ordering::Less => (x1 + half, x2 - half, 0),
        std::cmp::Ordering::Greater => (x1 - half, x2 + half, 0),
        std::cmp::Ordering::Equal => (x1 + half, x2 + half, 40),
    };
    // Each bows a little to its own side, so that arrows there and back do not lie on each other.
    let bow = (number as i64 % 5 - 2) * 12;
    let (dx, dy) = (x2 - x1, y2 - y1);
    let length = dx.abs().max(dy.abs()).max(1);
    let (cx, cy) = ((x1 + x2) / 2 + bend - dy * bow / length, (y1 + y2) / 2 + dx * bow / length);
    let colour = colour(&step.relation);
    let width = if bold { 2.5 } else { 1.0 };
    let _ = writeln!(
        out,
        "<path d=\"M{x1} {y1}Q{cx} {cy} {x2} {y2}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" marker-end=\"url(#{})\"/>\
         <text x=\"{cx}\" y=\"{}\" fill=\"{colour}\">{}</text>",
        step.relation,
        cy - 3,
        short(&step.relation)
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
