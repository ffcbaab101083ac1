//! The predicates that everything about the memory model is made of: which operations are strong, whose scope includes
//! whom, what overlaps, and which two operations are morally strong.
//!
//! They are plain functions of events, so that other users of the model (a race checker, a weak memory) need no search and
//! no notation. The base relations of the notation call them too.

use crate::event::{Event, Kind, Place, Scope, Semantics};

/// Whether an operation of this scope, by a thread at `here`, includes a thread at `there` (8.5).
#[must_use]
pub fn includes(scope: Scope, here: Place, there: Place) -> bool {
    match scope {
        Scope::Cta => here.cta == there.cta,
        Scope::Cluster => here.cluster == there.cluster,
        Scope::Gpu => here.gpu == there.gpu,
        Scope::Sys => true,
    }
}

/// Whether an operation is strong: a memory fence, or a memory operation that is not weak (8.4).
#[must_use]
pub fn strong(event: &Event) -> bool {
    match event.kind {
        Kind::Fence => true,
        Kind::Read | Kind::Write => event.semantics != Semantics::Weak,
        _ => false,
    }
}

/// Whether each of two operations specifies a scope that includes the other's thread (8.7).
#[must_use]
pub fn inclusive(a: &Event, b: &Event) -> bool {
    let threads = a.thread.is_some() && b.thread.is_some();
    threads && includes(a.scope, a.place, b.place) && includes(b.scope, b.place, a.place)
}

/// Whether two memory operations name the same virtual address.
#[must_use]
pub fn same_address(a: &Event, b: &Event) -> bool {
    a.address.is_some() && a.address == b.address
}

/// Whether two memory operations touch the same memory location, by whatever address.
#[must_use]
pub fn same_location(a: &Event, b: &Event) -> bool {
    a.location.is_some() && a.location == b.location
}

/// Whether two operations use the same proxy.
#[must_use]
pub fn same_proxy(a: &Event, b: &Event) -> bool {
    a.proxy == b.proxy
}

/// Whether two operations are morally strong, given whether program order relates them (8.7).
#[must_use]
pub fn morally_strong(a: &Event, b: &Event, program_order: bool) -> bool {
    let overlap = !(a.accesses() && b.accesses()) || same_address(a, b);
    (program_order || (strong(a) && strong(b) && inclusive(a, b))) && same_proxy(a, b) && overlap
}

/// Whether two memory operations conflict: they overlap and at least one writes (8.7.1).
#[must_use]
pub fn conflict(a: &Event, b: &Event) -> bool {
    same_location(a, b) && (a.writes() || b.writes())
}

/// Whether threads of one CTA execute both.
#[must_use]
pub fn same_cta(a: &Event, b: &Event) -> bool {
    a.thread.is_some() && b.thread.is_some() && a.place.cta == b.place.cta
}

/// Whether `fence` is a proxy fence that counts for `access`: for its proxy, and in its CTA.
#[must_use]
pub fn proxy_fence_of(fence: &Event, access: &Event) -> bool {
    let proxy = match fence.kind {
        Kind::ProxyFence(proxy) => proxy,
        _ => return false,
    };
    access.accesses() && access.proxy == proxy && same_cta(fence, access)
}
