//! Whether the registers of `wgmma` products are left alone while these are under way, and fenced before (9.7.15.7.1,
//! 9.7.15.7.3). ptxas waits where they are not, so the results are right, and slow.

use crate::code::Source;
use crate::context::{Context, Instruction};
use crate::explain::finding::Kind;
use crate::explain::noted::Noted;
use crate::ops::wgmma::used::Use;
use crate::registers::Slot;
use crate::statistics::Class;

impl Context<'_> {
    /// An instruction that is none of `wgmma` is about to use its registers.
    #[cold]
    pub(crate) fn checks_registers(&mut self, instruction: &Instruction, mask: u32) {
        // Compilers move values between registers across fences and waits; ptxas makes one register of them.
        if instruction.wgmma || instruction.class.is_none_or(|class| class == Class::Move) {
            return;
        }
        let operands = instruction.slots.split_at(usize::from(instruction.written));
        let used = &mut self.warp.wgmma.used;
        let Some(Use { by, .. }) = used.touch(&self.bank, operands, instruction.source) else {
            return;
        };
        let lane = mask.trailing_zeros().min(31) as usize;
        self.note_at(Kind::WgmmaRegisters, instruction.source, lane, || Noted {
            message: "a register of a `wgmma.mma_async` is used before its product has been waited for"
                .into(),
            notes: vec![
                "`wgmma.commit_group` and a `wgmma.wait_group` that includes the group must come before"
                    .into(),
            ],
            related: vec![(by, "the product is issued here".into())],
        });
    }

    /// A product is issued with these registers.
    #[cold]
    pub(crate) fn checks_product(&mut self, registers: [&[Slot]; 2], at: Source) {
        let used = &mut self.warp.wgmma.used;
        let Some(touched) = used.issue(&self.bank, registers, at) else { return };
        self.note(Kind::WgmmaRegisters, 0, || Noted {
            message: "a register of a `wgmma.mma_async` has been used since the last `wgmma.fence`".into(),
            notes: vec![
                "`wgmma.fence` must come between an access to a register and the product that uses it".into(),
            ],
            related: vec![(touched, "the register is used here".into())],
        });
    }
}
