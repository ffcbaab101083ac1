//! Orders and scopes of the program's instructions as the model has them.

use ptxvm_ir::operation as ir;

use crate::event::{Proxy, Scope, Semantics};
use crate::test::Manner;

/// The low so many bits.
pub fn mask(bits: u32) -> i64 {
    if bits >= 64 { -1 } else { (1 << bits) - 1 }
}

pub fn scope(scope: ir::Scope) -> Scope {
    match scope {
        ir::Scope::Cta => Scope::Cta,
        ir::Scope::Cluster => Scope::Cluster,
        ir::Scope::Gpu => Scope::Gpu,
        ir::Scope::Sys => Scope::Sys,
    }
}

pub fn semantics(order: ir::Order) -> Semantics {
    match order {
        ir::Order::Weak => Semantics::Weak,
        // 8.4.1, 8.4.2
        ir::Order::Volatile | ir::Order::Mmio | ir::Order::Relaxed => Semantics::Relaxed,
        ir::Order::Acquire => Semantics::Acquire,
        ir::Order::Release => Semantics::Release,
        ir::Order::AcqRel => Semantics::AcqRel,
        ir::Order::Sc => Semantics::Sc,
    }
}

/// How an access is ordered; what says no scope is for the system.
pub fn manner(order: ir::Order, said: Option<ir::Scope>) -> Manner {
    Manner { semantics: semantics(order), scope: said.map_or(Scope::Sys, scope), proxy: Proxy::Generic }
}

/// How an operation on an mbarrier is ordered: for the CTA if it does not say.
pub fn synchronizing(order: ir::Order, said: Option<ir::Scope>) -> Manner {
    Manner { scope: said.map_or(Scope::Cta, scope), ..manner(order, said) }
}
