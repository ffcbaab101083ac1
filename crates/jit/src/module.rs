//! What is compiled of a kernel, in LLVM IR: the functions that begin with a block each, those that they call, and what all
//! of them share.
//!
//! It is compiled in pieces, each of which is whole by itself, so that a large kernel is compiled on several threads at once.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ptxvm_ir::FunctionId;
use ptxvm_machine::code::{Block, Callee, Source, Terminator};
use ptxvm_machine::context::Code;
use ptxvm_machine::schedule::compiled::Stack;

use crate::analysis::Analysis;
use crate::callee::{Callees, callee};
use crate::emit::{self, Text};
use crate::refusal::{MOST_THREADS, Refusal};
use crate::region::{Region, waits};
use crate::seam::seams;
use crate::tuning::Tuning;

/// A piece has so many lines of text at least: fewer are compiled as soon as another thread has begun.
const LEAST_LINES: usize = 4_000;

/// Warps that have waited for others enter again at so many places of a function at most: what follows each is compiled once
/// more.
const MOST_WAITS: usize = 8;

/// What is compiled of a kernel.
#[derive(Default)]
pub struct Module {
    /// By the block that it begins with: a function that the schedule enters.
    regions: BTreeMap<u32, Text>,
    /// The functions that these call, and those call.
    functions: BTreeMap<FunctionId, Text>,
    common: emit::Common,
    callees: Callees,
    pub tuning: Tuning,
    /// The instructions whose results are not put back where the code is left.
    pub remade: Vec<u32>,
    /// By instruction: whether the code executes it itself.
    pub instructions: HashMap<Source, bool>,
}

/// A part of a module that is compiled by itself.
#[derive(Default)]
pub struct Piece {
    pub text: String,
    /// The blocks that its functions begin with.
    pub entries: Vec<u32>,
}

impl Module {
    /// The module of a kernel.
    pub fn of(code: &Code, cta: [u32; 3], tuning: Tuning) -> Result<Self, Refusal> {
        let mut module = Self::for_shape(cta, 0, tuning)?;
        module.add_functions(code, cta);
        for id in (0..code.functions.len() as u32).map(FunctionId) {
            module.add(code, cta, id, None);
        }
        module.unless_empty()
    }

    /// The module of one function that begins with a block, with places numbered from `sites` on.
    pub fn at(code: &Code, cta: [u32; 3], block: u32, sites: u32, tuning: Tuning) -> Result<Self, Refusal> {
        let mut module = Self::for_shape(cta, sites, tuning)?;
        if let Some(linked) = code.blocks.get(block as usize) {
            module.add_functions(code, cta);
            module.add(code, cta, linked.source.function, Some(block));
        }
        module.unless_empty()
    }

    /// An empty module, if there are CTAs of that shape.
    fn for_shape(cta: [u32; 3], sites: u32, tuning: Tuning) -> Result<Self, Refusal> {
        let threads = cta.iter().fold(1u64, |product, &extent| product.saturating_mul(u64::from(extent)));
        if threads == 0 || threads > MOST_THREADS {
            return Err(Refusal::Cta(cta));
        }
        let mut module = Self { tuning, ..Self::default() };
        module.common.sites = sites;
        Ok(module)
    }

    fn unless_empty(self) -> Result<Self, Refusal> {
        if self.regions.is_empty() { Err(Refusal::Nothing) } else { Ok(self) }
    }

    /// Adds the functions that others can call: each after those that it calls itself.
    fn add_functions(&mut self, code: &Code, cta: [u32; 3]) {
        for id in call_order(code) {
            let Some(analysis) = analysis(code, cta, id, self.tuning) else { continue };
            // Products need an activation, which a function that code calls has none of.
            if !analysis.late.is_empty() {
                continue;
            }
            let Some(region) = Region::of_called(&analysis, &self.callees) else { continue };
            let written = emit::function(&analysis, &region, id, &self.callees, &mut self.common);
            let Some((text, callee)) = written else { continue };
            self.functions.insert(id, text);
            self.callees.insert(id, callee);
        }
    }

    /// Adds what begins with a block of a function, or with all at which a warp may go on, as far as that can be compiled.
    fn add(&mut self, code: &Code, cta: [u32; 3], id: FunctionId, only: Option<u32>) {
        let Some(analysis) = analysis(code, cta, id, self.tuning) else { return };
        self.remade.extend(analysis.remade());
        let entries = entries(&analysis, id, &self.callees);
        let seams = seams(&analysis, id, &entries, self.tuning);
        let all = || entries.union(&seams).copied().collect();
        for entry in &only.map_or_else(all, |only| BTreeSet::from([only])) {
            let Some(region) = Region::of(&analysis, *entry, &self.callees, &seams) else { continue };
            let text = emit::region(&analysis, &region, &self.callees, self.tuning.alone, &mut self.common);
            let Some(text) = text else { continue };
            for (instruction, itself) in &text.instructions {
                let source = Source { function: id, instruction: *instruction };
                *self.instructions.entry(source).or_insert(true) &= itself;
            }
            self.regions.insert(*entry, text);
        }
    }

    /// How many places of it and those before there are of which something is remembered.
    pub fn sites(&self) -> usize {
        self.common.sites as usize
    }

    /// What the code has to do with the stack.
    pub fn stack(&self) -> Option<Stack> {
        let calls = self.callees.values();
        let mut all = self.functions.values().chain(self.regions.values());
        (!self.callees.is_empty() || all.any(|text| text.uses_local)).then(|| Stack {
            bytes: calls.clone().map(|callee| callee.stack).max().unwrap_or(0),
            frames: calls.clone().any(|callee| callee.frames),
        })
    }

    /// All of it.
    pub fn whole(&self) -> Piece {
        self.piece(&self.regions.keys().copied().collect())
    }

    /// It in pieces that take about the same time, the longest first: as many as some threads can compile at once.
    pub fn pieces(&self, threads: usize) -> Vec<Piece> {
        let lines = |text: &Text| text.definition.bytes().filter(|byte| *byte == b'\n').count();
        let mut regions: Vec<(usize, u32)> =
            self.regions.iter().map(|(entry, text)| (lines(text), *entry)).collect();
        regions.sort_unstable();
        let all: usize = regions.iter().map(|(lines, _)| lines).sum();
        let count = (all / LEAST_LINES).min(threads).min(regions.len()).max(1);
        let mut pieces = vec![(0, BTreeSet::new()); count];
        // The longest that is left goes to the shortest.
        while let Some((lines, entry)) = regions.pop() {
            if let Some((sum, entries)) = pieces.iter_mut().min_by_key(|(sum, _)| *sum) {
                *sum += lines;
                entries.insert(entry);
            }
        }
        pieces.sort_by_key(|(sum, _)| std::cmp::Reverse(*sum));
        pieces.iter().map(|(_, entries)| self.piece(entries)).collect()
    }

    /// Those of its functions that begin with some blocks, and all that they need.
    fn piece(&self, entries: &BTreeSet<u32>) -> Piece {
        let mut piece = Piece { entries: entries.iter().copied().collect(), ..Piece::default() };
        let (mut declarations, mut repeated) = (BTreeSet::new(), emit::Uses::new());
        let regions = || entries.iter().filter_map(|entry| self.regions.get(entry));
        let called = self.called_by(regions());
        for text in called.iter().filter_map(|id| self.functions.get(id)).chain(regions()) {
            piece.text.push_str(&text.definition);
            declarations.extend(&text.declarations);
            for (number, times) in &text.repeated {
                *repeated.entry(*number).or_default() += times;
            }
        }
        piece.text.push_str(&self.common.repeated.definitions(&repeated));
        let followers: BTreeSet<u32> = regions().flat_map(|text| &text.followers).copied().collect();
        for follower in followers {
            // LLVM knows it when it compiles: of those that are elsewhere nothing is left.
            let has = entries.contains(&follower);
            piece.text.push_str(&format!("@has_{follower} = private constant i1 {has}\n"));
            if !has {
                let name = emit::name(follower);
                piece
                    .text
                    .push_str(&format!("define internal i32 @{name}(ptr %frame) {{\n  ret i32 0\n}}\n"));
            }
        }
        for declaration in declarations {
            piece.text.push_str(declaration);
            piece.text.push('\n');
        }
        piece.text.push_str("attributes #0 = { nounwind \"prefer-vector-width\"=\"512\" }\n");
        piece.text.push_str("attributes #1 = { alwaysinline }\n");
        piece.text.push_str("!0 = !{!\"branch_weights\", i32 1, i32 100000}\n!1 = !{}\n");
        piece.text.push_str("!2 = !{!\"branch_weights\", i32 100000, i32 1}\n");
        piece
    }

    /// The functions that some call, and those that these call.
    fn called_by<'a>(&'a self, texts: impl Iterator<Item = &'a Text>) -> BTreeSet<FunctionId> {
        let mut open: Vec<FunctionId> = texts.flat_map(|text| &text.calls).copied().collect();
        let mut called = BTreeSet::new();
        while let Some(id) = open.pop() {
            if called.insert(id) {
                open.extend(self.functions.get(&id).iter().flat_map(|text| &text.calls));
            }
        }
        called
    }
}

/// What is known of a function that can be compiled.
fn analysis(code: &Code, cta: [u32; 3], id: FunctionId, tuning: Tuning) -> Option<Analysis<'_>> {
    code.functions.get(id.0 as usize)?.as_ref()?;
    Analysis::of(code, id, cta, tuning)
}

/// The blocks of a function at which the schedule lets a warp go on: its beginning, what follows barriers, calls and lists
/// of targets, and where warps wait for others, if that is at few places.
fn entries(analysis: &Analysis<'_>, id: FunctionId, callees: &Callees) -> BTreeSet<u32> {
    let mut entries = BTreeSet::from([analysis.linked.block]);
    let own = |(_, block): &(u32, &Block)| block.source.function == id;
    let blocks = || (0..).zip(&analysis.code.blocks).filter(own);
    let waits: BTreeSet<u32> =
        blocks().filter(|(_, block)| waits(analysis, block)).map(|(number, _)| number).collect();
    if waits.len() <= MOST_WAITS {
        entries.extend(waits);
    }
    for (_, block) in blocks() {
        match &block.end_with {
            Terminator::Barrier(arrival) => drop(entries.insert(arrival.next)),
            // Where the code makes the call itself, it goes on itself.
            Terminator::Call(call) if callee(call, callees).is_some() => {}
            Terminator::Call(call) => drop(entries.insert(call.next)),
            Terminator::Index { targets, next, .. } => entries.extend(targets.iter().chain([next])),
            _ => {}
        }
    }
    entries
}

/// The functions that others call, each after those that it calls. Those that call themselves come in some order: not all
/// of what they call has been there before them.
fn call_order(code: &Code) -> Vec<FunctionId> {
    let mut calls: HashMap<FunctionId, Vec<FunctionId>> = HashMap::new();
    for block in &code.blocks {
        if let Terminator::Call(call) = &block.end_with
            && let Callee::Function(callee) = call.callee
        {
            calls.entry(block.source.function).or_default().push(callee);
        }
    }
    let mut order = Vec::new();
    // Each function on the way with what it calls and has not been looked at; no function is looked at twice.
    let mut way = vec![(code.entry, calls.remove(&code.entry).unwrap_or_default())];
    let mut seen = BTreeSet::from([code.entry]);
    while let Some((id, open)) = way.last_mut() {
        match open.pop() {
            Some(callee) if seen.insert(callee) => {
                way.push((callee, calls.remove(&callee).unwrap_or_default()));
            }
            Some(_) => {}
            None => {
                order.push(*id);
                way.pop();
            }
        }
    }
    order.retain(|id| *id != code.entry);
    order
}
