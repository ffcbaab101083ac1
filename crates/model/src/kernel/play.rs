//! The middle of a round: each thread finds its instance, waits for those that it shares it with, runs its part of the test,
//! and keeps its registers.

use super::barrier;
use super::body::{Body, loops};
use super::copies::{Copy, completions, copies};
use super::frame::Frame;
use super::home::Home;
use super::skipped::{Skipped, skipped};
use crate::test::{Action, Observable};

impl Frame<'_> {
    /// Leads each thread to what it plays.
    pub fn dispatch(&mut self) {
        for thread in 0..self.test.threads.len() {
            let number = self.roles.number(thread);
            self.line(&format!("setp.eq.u32 %p, %number, {number};"));
            self.line(&format!("@%p bra THREAD{thread};"));
        }
        for line in barrier::cluster_rounds(self.test, None) {
            self.line(line);
        }
        self.line("bra DONE;");
    }

    /// The text of all threads.
    pub fn bodies(&mut self) -> Result<String, Skipped> {
        for thread in 0..self.test.threads.len() {
            self.line(&format!("THREAD{thread}:"));
            self.before(thread);
            let mut body = Body {
                test: self.test,
                source: self.source,
                roles: self.roles,
                homes: self.homes,
                thread,
                text: String::new(),
            };
            body.write()?;
            let text = body.text;
            self.text.push_str(&text);
            self.after(thread)?;
        }
        Ok(std::mem::take(&mut self.text))
    }

    /// Chooses the instance, touches lines, waits for the other threads.
    pub fn before(&mut self, thread: usize) {
        let (unit, cta, _) = self.roles.of_thread(thread);
        let (kept_unit, _, _) = self.roles.of_thread(self.collector);
        let keeps = thread == self.collector
            || self.homes.owners().iter().any(|&(u, c)| self.roles.first_of(u, c) == Some(thread));
        if unit != kept_unit {
            self.line(&format!("mad.lo.u32 %h, {unit}, 0x85EBCA6B, %salt;"));
            self.mix("%h");
            self.lines(
                "rem.u32 %h, %h, %groups; add.u32 %block, %group, %h; rem.u32 %block, %block, %groups;",
            );
        }
        if !keeps {
            self.line(&format!("mad.lo.u32 %h, {}, 0xC2B2AE35, %salt;", thread + 1));
            self.mix("%h");
            self.line("sub.u32 %x, %instances, 1;");
            self.line("and.b32 %h, %h, %x;");
            self.line("xor.b32 %sub, %sub, %h;");
        }
        self.instance();
        for address in self.addresses(thread) {
            self.locate(&format!("%a{thread}_{address}"), address, (unit, cta));
        }
        if self.test.addresses.len() > self.test.locations.len() {
            self.line("fence.proxy.alias;");
        }
        if !copies(self.test).is_empty() {
            self.line("fence.proxy.async;");
        }
        // What chance decides is the same for a warp, whose lanes run together.
        self.line("mov.u32 %x, %ctaid.x;");
        self.line("mad.lo.u32 %h, %x, 0x27D4EB2F, %salt;");
        self.line("mad.lo.u32 %h, %warp, 0x165667B1, %h;");
        self.mix("%h");
        self.line("and.b32 %y, %h, %touch;");
        for (bit, address) in self.addresses(thread).into_iter().enumerate().take(16) {
            if self.homes.homes[self.test.addresses[address].location] == Home::Global {
                let skip = self.label("COLD");
                self.lines(&format!(
                    "
                    and.b32 %x, %y, {};
                    setp.eq.u32 %p, %x, 0;
                    @%p bra {skip};
                    ld.weak.global.u32 %x, [%a{thread}_{address}];
                    add.u32 %sink, %sink, %x;
                    {skip}:
                    ",
                    1 << bit
                ));
            }
        }
        let (spin, aligned, wait) = (self.label("ALIGN"), self.label("ALIGNED"), self.label("WAIT"));
        let players = self.test.threads.len();
        self.lines(&format!(
            "
            setp.eq.u32 %p, %align, 0;
            @%p bra {aligned}B;
            setp.ne.u32 %p, %lane, 0;
            @%p bra {aligned};
            mad.wide.u32 %addr, %block, 128, %meeting;
            red.relaxed.gpu.global.add.u32 [%addr+256], 1;
            add.u32 %y, %round, 1;
            mul.lo.u32 %y, %y, %warps;
            mul.lo.u32 %y, %y, {players};
            mov.u32 %turns, 0;
            {spin}:
            ld.relaxed.gpu.global.u32 %x, [%addr+256];
            sub.u32 %x, %x, %y;
            add.u32 %turns, %turns, 1;
            setp.lt.s32 %p, %x, 0;
            setp.lt.and.u32 %p, %turns, 10000, %p;
            @%p bra {spin};
            {aligned}:
            bar.warp.sync 0xffffffff;
            {aligned}B:
            shr.u32 %h, %h, 8;
            and.b32 %h, %h, %delay;
            mov.u32 %x, %clock;
            {wait}:
            mov.u32 %y, %clock;
            sub.u32 %y, %y, %x;
            setp.lt.u32 %p, %y, %h;
            @%p bra {wait};
            "
        ));
    }

    /// Waits for what the thread has started, and keeps its registers.
    pub fn after(&mut self, thread: usize) -> Result<(), Skipped> {
        for line in barrier::cluster_rounds(self.test, Some(thread)) {
            self.line(line);
        }
        let own: Vec<Copy> =
            copies(self.test).into_iter().filter(|(by, _)| *by == thread).map(|(_, copy)| copy).collect();
        if own.iter().any(|copy| matches!(copy, Copy::Small { .. })) {
            self.line("cp.async.wait_all;");
        }
        if own.iter().any(|copy| matches!(copy, Copy::Bulk { mbarrier: None, .. })) {
            self.line("cp.async.bulk.commit_group;");
            self.line("cp.async.bulk.wait_group 0;");
        }
        self.completed(thread)?;
        for at in 0..self.observables.len() {
            let Observable::Register { thread: of, register } = self.observables[at] else { continue };
            if of == thread {
                let slot = self.slot(self.observables[at]) * 4;
                self.line(&format!("st.global.u32 [%result+{slot}], %t{thread}_{register};"));
            }
        }
        self.line("bra DONE;");
        if loops(self.test, thread) {
            self.line(&format!("CUT{thread}:"));
            self.line("st.global.u32 [%result], 1;");
            self.line("bra DONE;");
        }
        Ok(())
    }

    /// A keeper waits until the copies to its mbarriers are complete.
    pub fn completed(&mut self, thread: usize) -> Result<(), Skipped> {
        let (unit, cta, _) = self.roles.of_thread(thread);
        if self.roles.first_of(unit, cta) != Some(thread) {
            return Ok(());
        }
        for location in 0..self.test.locations.len() {
            let Some(count) = self.test.locations[location].mbarrier else { continue };
            let here = self.homes.homes[location] == Home::Shared { unit, cta };
            if !here || completions(self.test, location) == 0 {
                continue;
            }
            let of = |address: usize| self.test.addresses[address].location == location;
            let instructions = self.test.threads.iter().flat_map(|thread| &thread.code);
            let arrivals = instructions
                .filter(|i| matches!(i.action, Action::Atomic { address, .. } if of(address)))
                .count();
            if i64::try_from(arrivals) != Ok(count) {
                return skipped("copies to an mbarrier whose phase does not end");
            }
            let address = self.test.addresses.iter().position(|known| known.location == location);
            let spin = self.label("COMPLETE");
            self.locate("%y", address.unwrap_or(0), (unit, cta));
            self.line(&format!("{spin}:"));
            self.line("mbarrier.test_wait.parity.shared::cta.b64 %p, [%y], 0;");
            self.line(&format!("@!%p bra {spin};"));
        }
        Ok(())
    }
}
