//! The places that access global memory, and the regions that they remember.
//!
//! A place is compared with the region that it met last, which is kept in registers while the function runs. Accesses by
//! one pointer that reach as far have one place. The machine's part remembers one more region, for lanes that choose among
//! two arrays.

use ptxvm_ir::operation::{Access, Operation};
use ptxvm_machine::schedule::compiled::{Site, offset};

use super::Emitter;
use super::access::{self, Span};
use super::writer::Name;

impl Emitter<'_> {
    /// The place of an access of global memory: that of those like it, if there are such.
    pub(super) fn site_of(&mut self, access: &access::Access, span: Span) -> u32 {
        let Some((root, _)) = access.root else { return self.new_site(span) };
        let alike = (root, (access.space as u8, access.writes), span);
        if let Some(site) = self.sites.get(&alike) {
            return *site;
        }
        let site = self.new_site(span);
        self.sites.insert(alike, site);
        site
    }

    /// A new place that accesses global memory.
    fn new_site(&mut self, span: Span) -> u32 {
        let site = self.common.sites;
        self.common.sites += 1;
        let (start, size) = (
            self.of_list("i64", offset::SITES, site_at(site)),
            self.of_list("i64", offset::SITES, site_at(site) + 8),
        );
        let name = format!("%site{site}.limit");
        let lines = self.limit(&name, &start, &size, span);
        self.prologue.extend(lines);
        self.prologue.push(format!("store i64 {start}, ptr %site{site}.0"));
        self.prologue.push(format!("store i64 {name}, ptr %site{site}.1"));
        self.slot(format!("%site{site}.0"), "i64");
        self.slot(format!("%site{site}.1"), "i64");
        site
    }

    /// The pointer that an instruction of the kernel loads.
    pub(super) fn pointer(&mut self, load: u32) -> Name {
        match self.parameter_of(load) {
            Some(at) => self.of_list("i64", offset::PARAMETERS, at),
            // Not aligned: the machine looks.
            None => "1".into(),
        }
    }

    /// Where among the parameters the word lies that an instruction loads.
    fn parameter_of(&mut self, load: u32) -> Option<u64> {
        let analysis = self.analysis;
        let linked = analysis.code.instructions.get(analysis.linked_at(load).start as usize)?;
        let described = analysis.function.instructions.get(load as usize)?;
        let Operation::Access(Access::LoadParameter(word)) = analysis.code.program.operation(described)?
        else {
            return None;
        };
        let slot = *linked.slots.get(word.count)?;
        let base: u64 = self.whole(slot).as_scalar()?.parse().ok()?;
        let at = base.wrapping_add_signed(word.offset);
        at.checked_add(8).filter(|end| *end <= analysis.function.parameter_bytes).map(|_| at)
    }

    /// Leaves if the lanes have not been found in one region. The place then remembers the region that they lie in.
    pub(super) fn leave_unless(&mut self, found: &str, site: u32, span: Span) {
        let none = self.writer.value(format!("icmp eq i32 {found}, 0"));
        self.leave_if(&none);
        let [start, limit] = self.remembered(site, offset::LAST_REGION, span);
        self.writer.line(format!("store i64 {start}, ptr %site{site}.0"));
        self.writer.line(format!("store i64 {limit}, ptr %site{site}.1"));
    }

    /// What an access is compared with by one of the regions that its place remembers.
    pub(super) fn remembered(&mut self, site: u32, which: usize, span: Span) -> [Name; 2] {
        let sites = self.of_frame("ptr", offset::SITES);
        let at = site_at(site) + which as u64;
        let [start, size] = [at, at + 8].map(|at| {
            let at = self.writer.value(format!("getelementptr i8, ptr {sites}, i64 {at}"));
            self.writer.value(format!("load i64, ptr {at}"))
        });
        let name = self.writer.fresh();
        for line in self.limit(&name, &start, &size, span) {
            self.writer.line(line);
        }
        [start, name]
    }
}

/// Where among the places of a function one lies.
fn site_at(site: u32) -> u64 {
    u64::from(site) * size_of::<Site>() as u64
}
