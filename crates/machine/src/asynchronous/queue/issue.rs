//! An asynchronous operation as the running warp issues it.

use smallvec::SmallVec;

use crate::asynchronous::issuer::Issuer;
use crate::asynchronous::named::Named;
use crate::asynchronous::queue::pending::{Pending, Transfer};
use crate::context::Context;

impl Pending {
    /// An operation of these lanes of the running warp, which is in no group, tells nobody and touches nobody's shared
    /// memory.
    pub fn new(context: &Context<'_>, lanes: u32, what: Named, transfer: impl Transfer + 'static) -> Self {
        let (rank, warp) = (context.cta.rank, context.warp.index);
        Self {
            issuer: Issuer { rank, warp, lanes, ..Issuer::default() },
            what,
            transfer: Box::new(transfer),
            fetched: false,
            charge: None,
            group: None,
            signals: SmallVec::new(),
            after_copies: false,
            reads: 0,
            writes: 0,
        }
    }
}
