//! `fence` and `membar`: the manual's 9.7.13.4.

use super::address::{Address, AddressSpace};
use super::form::Form;
use super::order::{Order, Scope};

/// A fence, as the program asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence {
    /// What it is called: `fence`, `fence.proxy`, `fence.mbarrier_init`, `membar`, `membar.proxy`.
    pub name: &'static str,
    /// How it orders; a fence between proxies may not say.
    pub order: Option<Order>,
    /// For whom.
    pub scope: Option<Scope>,
    /// Between which proxy and the generic one.
    pub proxy: Option<ProxyKind>,
    /// Whose memory it is about, if not all.
    pub space: Option<FenceSpace>,
    /// `.sync_restrict`: whose memory is synchronised.
    pub restrict: Option<FenceSpace>,
    /// The tensor map that a fence of its proxy is for.
    pub address: Option<Address>,
}

/// The `.proxykind` of a fence: which accesses it orders with those through the generic proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProxyKind {
    /// `.alias`: other addresses of the same memory.
    Alias,
    /// `.async`: asynchronous copies and matrix products.
    Async,
    /// `.tensormap::generic`: tensor maps as copies read them.
    Tensormap,
    /// `.async::generic`
    AsyncGeneric,
}

/// The memory that a fence is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FenceSpace {
    /// `.global`
    Global,
    /// `.shared`: of the CTA or of the cluster.
    Shared,
    /// `.shared::cta`
    SharedCta,
    /// `.shared::cluster`
    SharedCluster,
}

impl ProxyKind {
    /// The name in PTX, without its dot.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Alias => "alias",
            Self::Async => "async",
            Self::Tensormap => "tensormap::generic",
            Self::AsyncGeneric => "async::generic",
        }
    }
}

impl FenceSpace {
    /// The space of this name.
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "global" => Self::Global,
            "shared" => Self::Shared,
            "shared::cta" => Self::SharedCta,
            "shared::cluster" => Self::SharedCluster,
            _ => return None,
        })
    }

    /// The name in PTX, without its dot.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Shared => "shared",
            Self::SharedCta => "shared::cta",
            Self::SharedCluster => "shared::cluster",
        }
    }
}

pub(super) fn decode(form: &Form<'_>) -> Fence {
    let words = || form.words().skip(1).chain(form.modifiers());
    let membar = form.opcode() == "membar";
    let proxied = form.says("proxy");
    let name = match (membar, proxied) {
        (false, true) => "fence.proxy",
        (true, true) => "membar.proxy",
        (true, false) => "membar",
        (false, false) if form.says("mbarrier_init") => "fence.mbarrier_init",
        (false, false) => "fence",
    };
    let proxy = words().find_map(|word| match word {
        "alias" => Some(ProxyKind::Alias),
        "async" => Some(ProxyKind::Async),
        "tensormap::generic" => Some(ProxyKind::Tensormap),
        "async::generic" => Some(ProxyKind::AsyncGeneric),
        _ => None,
    });
    let order = match (Order::of(form), proxied) {
        (Some(order), _) => Some(order),
        (None, true) => None,
        (None, false) => Some(if membar { Order::Sc } else { Order::AcqRel }),
    };
    Fence {
        name,
        order,
        scope: Scope::of(form),
        proxy: proxy.filter(|_| proxied),
        space: words().find_map(FenceSpace::from_name),
        restrict: words().find_map(|word| FenceSpace::from_name(word.strip_prefix("sync_restrict::")?)),
        address: Address::of(form, "a", AddressSpace::Generic),
    }
}
