//! The parameter block of an entry, which `ld.param` reads.

use crate::context::Context;
use crate::door::touch::{Space, Wants};
use crate::explain::finding::Kind;
use crate::registers::LANES;
use crate::vector::lanes::Flow;

impl<'a> Context<'a> {
    /// Bytes of the parameter block, the same for all lanes of a mask; nothing if that they lie after its end has been
    /// forgiven.
    #[inline]
    pub(crate) fn parameters(
        &mut self,
        first: u64,
        bytes: usize,
        mask: u32,
    ) -> Result<Option<&'a [u8]>, Flow> {
        let block = &self.run.launch.parameters;
        let found = usize::try_from(first).ok().and_then(|first| block.get(first..)?.get(..bytes));
        if found.is_none() {
            let lane = mask.trailing_zeros() as usize;
            let message = || {
                format!("a read of {bytes} bytes at offset {first} of a parameter block of {}", block.len())
            };
            self.mistake(Kind::OutOfBounds, lane, message, Vec::new)?;
        } else if self.run.code.observed.is_some() {
            self.tell(Space::Parameter, mask, &[first; LANES], bytes as u64, Wants::Read);
        }
        Ok(found)
    }
}
