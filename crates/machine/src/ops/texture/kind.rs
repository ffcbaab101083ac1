//! `istypep` (manual 9.7.10.6): whether a register holds the address of an opaque variable of some kind.
//!
//! A handle that the host has made is no variable, and on an H200 the answer for it is no.

use ptxvm_texture::Kind;

use crate::context::Context;
use crate::registers::{Slot, lanes_in};
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;

/// The operation of an `istypep`.
pub fn executor(kind: Kind, handle: usize) -> Op {
    Box::new(IsType { kind, handle })
}

struct IsType {
    kind: Kind,
    handle: usize,
}

impl Execute for IsType {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let handles = u64::read(&context.bank, slots[self.handle]);
        let objects = context.run.environment.objects;
        let is = |lane: usize| objects.reference(handles[lane]) == Some(self.kind);
        let answer = lanes_in(mask).fold(0, |answer, lane| answer | u32::from(is(lane)) << lane);
        context.bank.set_mask(slots[0], mask, answer);
        Flow::Next
    }
}
