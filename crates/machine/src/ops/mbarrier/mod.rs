//! `mbarrier.*` (manual 9.7.13.15): making and ending objects, arriving, counting bytes, waiting.
//!
//! `.sem` and `.scope` change nothing here: every lane's accesses happen in the order in which lanes run.

mod arrive;
mod life;
mod place;
mod transactions;
mod wait;

use crate::asynchronous::mbarrier::token;
use crate::vector::lanes::{Op, map1};
use ptxvm_ir::operation::Mbarrier;

pub use place::{BYTES, ObjectAt, misused};

/// The operation of an mbarrier instruction.
pub fn executor(mbarrier: Mbarrier) -> Op {
    match mbarrier {
        Mbarrier::Init { object, count, layout } => life::init(object, count, layout),
        Mbarrier::Inval { object } => life::inval(object),
        Mbarrier::Transactions { object, bytes, complete, .. } => {
            transactions::executor(object, bytes, complete)
        }
        Mbarrier::Arrive(arrive) => arrive::executor(arrive),
        Mbarrier::Wait(wait) => wait::executor(wait),
        Mbarrier::PendingCount => map1(token::pending_count),
        Mbarrier::CheckLayout { object, layout } => life::check_layout(object, layout),
    }
}
