//! The kernel around the threads of a test: who plays what, memory made ready, threads brought together, stress.
//!
//! A round runs every instance once: keepers make memory ready, the grid meets, threads touch some lines, wait for those
//! that they share an instance with, wait a little longer by chance, and run; the grid meets again, and each instance's
//! outcome is counted. Which CTAs and lanes share an instance changes from round to round.

use std::fmt::Write;

use super::copies::copies;
use super::home::{Home, Homes};
use super::place::Roles;
use super::skipped::{Skipped, skipped};
use crate::test::{Action, Observable, Test};

/// A kernel, and what a launch of it must know.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub ptx: String,
    /// How many CTAs make a cluster.
    pub cluster: usize,
    /// How many clusters play one instance.
    pub units: usize,
    /// How many warps of a CTA play one set of instances.
    pub threads: usize,
    /// How many objects of 16 bytes an instance has in global memory, and in the shared memory of each CTA.
    pub objects: (usize, usize),
    /// Whether objects need all their 16 bytes, or only four.
    pub wide: bool,
    /// How many words of results an instance has.
    pub slots: usize,
    /// How wide each value is in an outcome's key.
    pub bits: u32,
    /// Whether further warps may run beside the test: the barrier of a cluster waits for all threads.
    pub stress: bool,
    /// Whether the threads of a CTA may be lanes of one warp.
    pub together: bool,
    /// Whether it needs its memory at two addresses.
    pub aliases: bool,
}

/// What the kernel of a test is written with.
pub struct Frame<'t> {
    pub test: &'t Test,
    pub source: &'t str,
    pub roles: &'t Roles,
    pub homes: &'t Homes,
    pub observables: Vec<Observable>,
    /// The thread that makes an instance's memory ready and counts its outcome.
    pub collector: usize,
    pub text: String,
    /// How many loops the text has, for their labels.
    labels: usize,
}

impl<'t> Frame<'t> {
    pub fn new(
        test: &'t Test,
        source: &'t str,
        roles: &'t Roles,
        homes: &'t Homes,
    ) -> Result<Frame<'t>, Skipped> {
        let observables = test.observables();
        if observables.len() > 31 {
            return skipped("more observables than a key has room for");
        }
        let owners = homes.owners();
        let unit = owners.first().map_or(0, |owner| owner.0);
        if owners.iter().any(|owner| owner.0 != unit) {
            return skipped("shared memory of two clusters");
        }
        let cta = owners.first().map_or(0, |owner| owner.1);
        let Some(collector) = roles.first_of(unit, cta) else {
            return skipped("a cluster without threads");
        };
        Ok(Frame { test, source, roles, homes, observables, collector, text: String::new(), labels: 0 })
    }

    pub fn write(mut self) -> Result<Kernel, Skipped> {
        let bodies = self.bodies()?;
        let slots = self.slots();
        let key_bits = self.bits();
        self.head();
        self.who();
        self.ready()?;
        self.meet();
        self.dispatch();
        self.text.push_str(&bodies);
        self.line("DONE:");
        self.meet();
        self.collect();
        self.end();
        let cluster_barrier = self.has(|action| matches!(action, Action::Barrier(b) if b.cluster));
        let barrier = self.has(|action| matches!(action, Action::Barrier(_)));
        Ok(Kernel {
            ptx: self.text,
            cluster: self.roles.ctas,
            units: self.roles.unit_count(),
            threads: self.roles.threads,
            objects: self.homes.objects,
            wide: self.homes.has_arrays() || !copies(self.test).is_empty(),
            slots,
            bits: key_bits,
            stress: !cluster_barrier,
            together: !barrier && self.roles.threads > 1,
            aliases: self.test.addresses.len() > self.test.locations.len(),
        })
    }

    fn has(&self, what: impl Fn(&Action) -> bool) -> bool {
        self.test.threads.iter().flat_map(|thread| &thread.code).any(|i| what(&i.action))
    }

    pub fn line(&mut self, line: &str) {
        let indent = if line.ends_with(':') { "" } else { "    " };
        let _ = writeln!(self.text, "{indent}{line}");
    }

    pub fn lines(&mut self, lines: &str) {
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
            self.line(line);
        }
    }

    pub fn label(&mut self, name: &str) -> String {
        self.labels += 1;
        format!("{name}{}", self.labels)
    }

    /// How many words of results an instance has: its observable registers, and whether a thread gave up.
    pub fn slots(&self) -> usize {
        self.observables.iter().filter(|one| matches!(one, Observable::Register { .. })).count() + 1
    }

    /// Where a register's value is in the results.
    pub fn slot(&self, wanted: Observable) -> usize {
        let registers = self.observables.iter().filter(|one| matches!(one, Observable::Register { .. }));
        1 + registers.into_iter().position(|&one| one == wanted).unwrap_or(0)
    }

    /// How wide a value is in the key of an outcome.
    pub fn bits(&self) -> u32 {
        let count = u32::try_from(self.observables.len()).unwrap_or(u32::MAX).max(1);
        (63 / count).min(16)
    }

    fn head(&mut self) {
        let (name, roles) = (self.test.name.clone(), self.roles);
        let (grid, block) = (roles.unit_count() * roles.ctas, roles.threads * 32);
        let _ = write!(
            self.text,
            "// {name}, written by `cargo xtask litmus kernels`. One round of 32 instances:
// ptxvm: run --grid {grid} --block {block} --shared 16384 --arg 'u32[65536]' --arg 'u32[65536]' --arg 'u32[4096]' --arg 'u64[2050]' --arg 'u32[4096]' --arg 'u32[1024]' --arg 1 --arg 1 --arg 1 --arg 0 --arg 128 --arg 1024 --arg 16 --arg 256 --arg 1 --arg 0 --arg 0 --arg 0 --arg 0
.version 8.6
.target sm_90
.address_size 64

.extern .shared .align 128 .b8 places[];
.shared .u32 ended;

.visible .entry litmus(
    .param .u64 locations,
    .param .u64 aliases,
    .param .u64 results,
    .param .u64 outcomes,
    .param .u64 meeting,
    .param .u64 scratch,
    .param .u32 rounds,
    .param .u32 seed,
    .param .u32 warps,
    .param .u32 together,
    .param .u32 location_stride,
    .param .u32 instance_stride,
    .param .u32 shared_location_stride,
    .param .u32 shared_instance_stride,
    .param .u32 align,
    .param .u32 delay,
    .param .u32 touch,
    .param .u32 stress,
    .param .u32 scratch_mask)
"
        );
        if roles.ctas > 1 {
            let _ = writeln!(self.text, "    .reqnctapercluster {}", roles.ctas);
        }
        self.text.push_str("{\n");
        self.lines(
            "
            .reg .pred %p, %q, %lead;
            .reg .b32 %x, %y, %z, %h, %turns, %sink, %salt, %round, %rounds, %seed, %warps, %together;
            .reg .b32 %thread, %warp, %lane, %slot, %sub0, %instances, %players, %rank, %unit, %role, %group, %groups;
            .reg .b32 %number, %block, %sub, %instance, %target, %ctas, %align, %delay, %touch, %value, %over, %peers;
            .reg .b32 %lstride, %istride, %slstride, %sistride, %saddr, %mode, %mask;
            .reg .b64 %locations, %aliases, %results, %outcomes, %meeting, %scratch, %addr, %result, %key, %wide, %old, %entry;
            ",
        );
        for (thread, about) in self.test.threads.iter().enumerate() {
            for register in 0..about.registers.len() {
                let _ = writeln!(self.text, "    .reg .b32 %t{thread}_{register};");
            }
            for address in self.addresses(thread) {
                let shared = self.homes.homes[self.test.addresses[address].location] != Home::Global;
                let kind = if shared { "b32" } else { "b64" };
                let _ = writeln!(self.text, "    .reg .{kind} %a{thread}_{address};");
            }
        }
    }

    /// The addresses that a thread uses.
    pub fn addresses(&self, thread: usize) -> Vec<usize> {
        let mut found = Vec::new();
        for instruction in &self.test.threads[thread].code {
            match &instruction.action {
                Action::Load { addresses, .. } | Action::Store { addresses, .. } => found.extend(addresses),
                Action::Atomic { address, .. } => found.push(*address),
                _ => {}
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Scrambles a word (the constants are those of C. Wellons's hash prospector).
    pub fn mix(&mut self, word: &str) {
        for (shift, factor) in [(16, Some(0x7feb_352d_u32)), (15, Some(0x846c_a68b)), (16, None)] {
            self.line(&format!("shr.u32 %z, {word}, {shift};"));
            self.line(&format!("xor.b32 {word}, {word}, %z;"));
            if let Some(factor) = factor {
                self.line(&format!("mul.lo.u32 {word}, {word}, {factor};"));
            }
        }
    }

    /// Parameters, and what a thread's place makes it.
    fn who(&mut self) {
        for (register, parameter) in [
            ("locations", "locations"),
            ("aliases", "aliases"),
            ("results", "results"),
            ("outcomes", "outcomes"),
            ("meeting", "meeting"),
            ("scratch", "scratch"),
        ] {
            self.line(&format!("ld.param.u64 %{register}, [{parameter}];"));
        }
        for (register, parameter) in [
            ("rounds", "rounds"),
            ("seed", "seed"),
            ("warps", "warps"),
            ("together", "together"),
            ("lstride", "location_stride"),
            ("istride", "instance_stride"),
            ("slstride", "shared_location_stride"),
            ("sistride", "shared_instance_stride"),
            ("align", "align"),
            ("delay", "delay"),
            ("touch", "touch"),
        ] {
            self.line(&format!("ld.param.u32 %{register}, [{parameter}];"));
        }
        let (units, ctas, threads) = (self.roles.unit_count(), self.roles.ctas, self.roles.threads);
        self.lines(&format!(
            "
            mov.u32 %thread, %tid.x;
            shr.u32 %warp, %thread, 5;
            and.b32 %lane, %thread, 31;
            shl.b32 %instances, %warps, 5;
            mul.lo.u32 %players, %instances, {threads};
            mov.u32 %ctas, %nctaid.x;
            mov.u32 %x, %ctaid.x;
            div.u32 %unit, %x, {ctas};
            rem.u32 %rank, %x, {ctas};
            rem.u32 %role, %unit, {units};
            div.u32 %group, %unit, {units};
            div.u32 %groups, %ctas, {};
            mov.u32 %sink, 0;
            setp.ne.u32 %p, %thread, 0;
            @%p bra SET;
            st.volatile.shared.u32 [ended], 0;
            SET:
            barrier.sync 14;
            setp.ge.u32 %p, %thread, %players;
            @%p bra STRESS;
            setp.ne.u32 %p, %together, 0;
            @%p bra LANES;
            rem.u32 %slot, %warp, {threads};
            div.u32 %x, %warp, {threads};
            mad.lo.u32 %sub0, %x, 32, %lane;
            bra PLACED;
            LANES:
            rem.u32 %slot, %thread, {threads};
            div.u32 %sub0, %thread, {threads};
            PLACED:
            mad.lo.u32 %number, %role, {ctas}, %rank;
            mad.lo.u32 %number, %number, {threads}, %slot;
            mov.u32 %target, 0;
            mov.u32 %round, 0;
            ROUND:
            mul.lo.u32 %salt, %round, 0x9E3779B1;
            add.u32 %salt, %salt, %seed;
            ",
            units * ctas
        ));
        self.mix("%salt");
        // A keeper's instance is that of its own group and place.
        self.line("mov.u32 %block, %group;");
        self.line("mov.u32 %sub, %sub0;");
        self.instance();
    }

    /// The number of the instance, and where its results are, from `%block` and `%sub`.
    pub fn instance(&mut self) {
        let bytes = self.slots() * 4;
        self.line("mad.lo.u32 %instance, %block, %instances, %sub;");
        self.line(&format!("mad.wide.u32 %result, %instance, {bytes}, %results;"));
    }

    /// Computes an address of the test: into a register of 64 bits if it is in global memory, else of 32.
    pub fn locate(&mut self, into: &str, address: usize, from: (usize, usize)) {
        let location = self.test.addresses[address].location;
        let (object, byte) = self.homes.place(location);
        match self.homes.homes[location] {
            Home::Global => {
                let first = self.test.addresses.iter().position(|known| known.location == location);
                let base = if first == Some(address) { "%locations" } else { "%aliases" };
                self.line(&format!("mad.wide.u32 {into}, %instance, %istride, {base};"));
                self.line(&format!("mul.wide.u32 %wide, %lstride, {object};"));
                self.line(&format!("add.u64 {into}, {into}, %wide;"));
                self.line(&format!("add.u64 {into}, {into}, {byte};"));
            }
            Home::Shared { unit, cta } => {
                self.line("mov.u32 %saddr, places;");
                self.line("mad.lo.u32 %saddr, %sub, %sistride, %saddr;");
                self.line(&format!("mad.lo.u32 %saddr, %slstride, {object}, %saddr;"));
                self.line(&format!("add.u32 {into}, %saddr, {byte};"));
                if (unit, cta) != from {
                    self.line(&format!("mapa.shared::cluster.u32 {into}, {into}, {cta};"));
                }
            }
        }
    }

    /// All threads of the grid that play wait for each other, and see what the others wrote.
    pub fn meet(&mut self) {
        let (spin, skip) = (self.label("MEET"), self.label("MET"));
        self.lines(&format!(
            "
            barrier.sync 15, %players;
            setp.ne.u32 %p, %thread, 0;
            @%p bra {skip};
            add.u32 %target, %target, %ctas;
            fence.acq_rel.gpu;
            red.release.gpu.global.add.u32 [%meeting], 1;
            {spin}:
            ld.acquire.gpu.global.u32 %x, [%meeting];
            sub.u32 %x, %x, %target;
            setp.lt.s32 %p, %x, 0;
            @%p bra {spin};
            {skip}:
            barrier.sync 15, %players;
            "
        ));
    }
}
