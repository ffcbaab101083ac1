//! `tcgen05.ld` and `tcgen05.ld.red` (manual 9.7.16.8.3).
//!
//! The registers are written at once, although the manual has the load complete later: a thread that uses one of them
//! waits for it by that (9.7.16.6.4.5), so nobody can see a register without its value.

use ptxvm_isa::Type;
use ptxvm_num::float::minmax::{self, Extreme};

use super::place::TensorPlace;
use super::shape::Fragment;
use crate::context::Context;
use crate::door::address::AddressSpace;
use crate::door::tensor_memory;
use crate::door::touch::Wants;
use crate::ops::load_store::traffic;
use crate::registers::{LANES, Slot};
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;
use ptxvm_ir::operation::tcgen05::{self, Tcgen05Reduction};

pub fn executor(fragment: tcgen05::Fragment, reduction: Option<(Tcgen05Reduction, usize)>) -> Option<Op> {
    let reduce = match reduction {
        Some((reduction, to)) => Some((choice(reduction)?, to)),
        None => None,
    };
    Some(Box::new(Load { fragment: Fragment::of(fragment), first: fragment.registers.0, reduce }))
}

/// How two values become one.
type Choose = Box<dyn Fn(u32, u32) -> u32 + Send + Sync>;

fn choice(Tcgen05Reduction { which, ty, modifiers }: Tcgen05Reduction) -> Option<Choose> {
    Some(match (ty, which) {
        (Type::F32, _) => Box::new(move |a, b| minmax::f32(a, b, which, modifiers)),
        (Type::U32, Extreme::Min) => Box::new(u32::min),
        (Type::U32, Extreme::Max) => Box::new(u32::max),
        (Type::S32, Extreme::Min) => Box::new(|a, b| (a as i32).min(b as i32) as u32),
        (Type::S32, Extreme::Max) => Box::new(|a, b| (a as i32).max(b as i32) as u32),
        _ => return None,
    })
}

struct Load {
    fragment: Fragment,
    /// The slot of the first register.
    first: usize,
    /// How each thread's values are reduced, and where to.
    reduce: Option<(Choose, usize)>,
}

impl Load {
    fn load(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Result<(), Flow> {
        let name = if self.reduce.is_some() { "tcgen05.ld.red" } else { "tcgen05.ld" };
        let at = self.fragment.check(context, slots, mask, name)?;
        let registers = self.fragment.registers as usize;
        let place = |row: usize| {
            let TensorPlace { lane, column } = self.fragment.row_at(at, row);
            (lane, column)
        };
        context.reads_rows(self.fragment.rows(), place, self.fragment.width());
        self.fragment.follow(context, (at, self.first), Wants::Read);
        let Some(memory) = tensor_memory::of(context.worker, context.cta.rank) else { return Ok(()) };
        let rows = self.fragment.read(memory, at);
        let mut reduced = [0; LANES];
        for register in 0..registers {
            let values: [u32; LANES] =
                std::array::from_fn(|thread| self.fragment.value(&rows, thread, register));
            u32::write(&mut context.bank, slots[self.first + register], mask, &values);
            if let Some((choose, _)) = &self.reduce {
                for (so_far, value) in reduced.iter_mut().zip(values) {
                    *so_far = if register == 0 { value } else { choose(*so_far, value) };
                }
            }
        }
        if let Some((_, to)) = self.reduce {
            u32::write(&mut context.bank, slots[to], mask, &reduced);
        }
        if context.run.launch.settings.statistics {
            let bytes = 4 * registers as u64 * u64::from(mask.count_ones());
            context.worker.statistics.bytes_read[traffic(AddressSpace::Const)] += bytes;
        }
        Ok(())
    }
}

impl Execute for Load {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        match self.load(context, slots, mask) {
            Ok(()) => Flow::Next,
            Err(flow) => flow,
        }
    }
}
