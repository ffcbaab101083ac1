//! What tells an asynchronous operation from others under way.

use ptxvm_machine::door::observer::Transferred;

use crate::order::Order;
use crate::site::SiteId;

/// What tells an asynchronous operation from others under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OperationId {
    pub cluster: u64,
    pub cta: u64,
    pub warp: u32,
    pub site: SiteId,
    pub number: u64,
}

impl Order {
    /// Which operation it is that something is told of.
    #[must_use]
    pub fn operation(&self, told: &Transferred<'_>, site: SiteId) -> OperationId {
        let (cluster, cta) = (told.who.cluster, self.shape.cta(told.who.ctaid));
        OperationId { cluster, cta, warp: told.who.warp, site, number: told.operation }
    }
}
