//! The table of the contest: times of C and OpenCL, times of ptxvm, and what counts: their ratios.

use crate::case::Case;
use crate::contest::Score;
use crate::contestant::{Entrant, Who};

/// The numbers of threads that are compared.
pub const THREADS: [usize; 2] = [1, 2];

/// Collects the ratios while it prints the rows.
pub struct Table<'a> {
    entrants: &'a [Entrant],
    engines: Vec<Option<String>>,
    /// For each engine, the ratios of each column; then those of OpenCL to C.
    ratios: Vec<[Vec<f64>; 4]>,
    others: [Vec<f64>; 2],
}

/// A number in a column, or a dash.
fn cell(number: Option<f64>, width: usize, digits: usize) -> String {
    match number {
        Some(number) => format!("{number:width$.digits$}"),
        None => format!("{:>width$}", "-"),
    }
}

/// The geometric mean, if there is anything to take it of.
fn mean(ratios: &[f64]) -> Option<f64> {
    let sum: f64 = ratios.iter().map(|r| r.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}

impl<'a> Table<'a> {
    /// Prints the head.
    pub fn begin(entrants: &'a [Entrant], engines: Vec<Option<String>>) -> Self {
        println!(
            "milliseconds                                                     ptxvm / C    ptxvm / OpenCL"
        );
        println!(
            "{:12} {:>7} {:>7} {:>7} {:>7} {:>8} {:>8} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}",
            "", "C 1", "C 2", "CL 1", "CL 2", "ptxvm 1", "ptxvm 2", "1", "2", "1", "2", "scaling", "Glane/s"
        );
        let ratios = engines.iter().map(|_| Default::default()).collect();
        Self { entrants, engines, ratios, others: Default::default() }
    }

    /// Prints the rows of a case: one for each engine.
    pub fn row(&mut self, case: &Case, scores: &[Option<Score>]) {
        let score = |who: Who, threads: usize| {
            let index = self.entrants.iter().position(|e| e.who == who && e.threads == threads);
            index.and_then(|index| scores[index])
        };
        let seconds = |who: Who| THREADS.map(|threads| score(who.clone(), threads).map(|s| s.seconds));
        let (c, cl) = (seconds(Who::C), seconds(Who::OpenCl));
        for (index, engine) in self.engines.iter().enumerate() {
            let name = if index == 0 { case.name } else { "" };
            let others = [c[0], c[1], cl[0], cl[1]].map(|s| cell(s.map(|s| s * 1e3), 7, 2));
            let others = if index == 0 { others.join(" ") } else { " ".repeat(31) };
            let ours = seconds(Who::Ptxvm(engine.clone()));
            let times = ours.map(|s| cell(s.map(|s| s * 1e3), 8, 2)).join(" ");
            let over = |ours: Option<f64>, theirs: Option<f64>| Some(ours? / theirs?);
            let ratios =
                [over(ours[0], c[0]), over(ours[1], c[1]), over(ours[0], cl[0]), over(ours[1], cl[1])];
            let rate = score(Who::Ptxvm(engine.clone()), 2).filter(|s| s.lanes > 0.0);
            println!(
                "{name:12} {others} {times} {} {} {}{}",
                ratios.map(|r| cell(r, 7, 2)).join(" "),
                cell(over(ours[0], ours[1]), 7, 2),
                cell(rate.map(|s| s.lanes / s.seconds / 1e9), 7, 2),
                engine.as_ref().map_or(String::new(), |name| format!("  {name}")),
            );
            for (column, ratio) in self.ratios[index].iter_mut().zip(ratios) {
                column.extend(ratio);
            }
        }
        for ((column, cl), c) in self.others.iter_mut().zip(cl).zip(c) {
            column.extend(cl.zip(c).map(|(cl, c)| cl / c));
        }
    }

    /// Prints the geometric means.
    pub fn end(&self) {
        for (engine, ratios) in self.engines.iter().zip(&self.ratios) {
            let means = ratios.each_ref().map(|column| cell(mean(column), 7, 2)).join(" ");
            let name = engine.as_ref().map_or(String::new(), |name| format!("                   {name}"));
            println!("{:<62} {means}{name}", "geometric mean");
        }
        let [one, two] = self.others.each_ref().map(|column| cell(mean(column), 0, 2));
        println!("OpenCL / C: {one} with one thread, {two} with two");
    }
}
