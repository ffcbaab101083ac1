//! `mbarrier.*`: the manual's 9.7.13.15.

use super::address::Address;
use super::form::Form;
use super::order::{Order, Scope};
use crate::instruction::OperandKind;

/// An instruction on mbarrier objects. Operands besides the object are named by their position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mbarrier {
    /// `mbarrier.init`
    Init {
        /// The object.
        object: Address,
        /// How many arrivals end a phase.
        count: usize,
        /// What it is to keep.
        layout: Layout,
    },
    /// `mbarrier.inval`
    Inval {
        /// The object.
        object: Address,
    },
    /// `mbarrier.expect_tx`, `mbarrier.complete_tx`
    Transactions {
        /// The object.
        object: Address,
        /// How many bytes.
        bytes: usize,
        /// Whether they are complete, not expected.
        complete: bool,
        /// For whom it is ordered, if it says so.
        scope: Option<Scope>,
    },
    /// `mbarrier.arrive`, `mbarrier.arrive_drop`
    Arrive(Arrive),
    /// `mbarrier.test_wait`, `mbarrier.try_wait`
    Wait(Wait),
    /// `mbarrier.pending_count`
    PendingCount,
    /// `mbarrier.check_layout`
    CheckLayout {
        /// The object.
        object: Address,
        /// What is asked for.
        layout: Layout,
    },
}

/// What an object keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// `.layout::v0`: a phase, arrivals and bytes.
    #[default]
    V0,
    /// `.layout::v1`: fewer arrivals, and what copies have reported.
    V1,
}

/// `mbarrier.arrive`, `mbarrier.arrive_drop`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrive {
    /// The object.
    pub object: Address,
    /// Whether the state is wanted.
    pub state: bool,
    /// How many arrivals it is; one without.
    pub count: Option<usize>,
    /// How many bytes are to be expected.
    pub bytes: Option<usize>,
    /// `.arrive_drop`: one arrival less ends later phases.
    pub drop: bool,
    /// `.noComplete`: the phase must not end with it.
    pub no_complete: bool,
    /// `.release`, or `.relaxed`.
    pub order: Order,
    /// For whom it is ordered, if it says so.
    pub scope: Option<Scope>,
}

/// `mbarrier.test_wait`, `mbarrier.try_wait`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The object.
    pub object: Address,
    /// What names the phase.
    pub phase: usize,
    /// Whether that is a state, not a parity.
    pub by_state: bool,
    /// Whether what was reported is asked for, as a predicate, and as a byte.
    pub reports: (bool, bool),
    /// `try_wait`: it may sleep.
    pub sleeps: bool,
    /// `.acquire`, or `.relaxed`.
    pub order: Order,
    /// For whom it is ordered, if it says so.
    pub scope: Option<Scope>,
}

pub(super) fn decode(form: &Form<'_>) -> Option<Mbarrier> {
    let object = || Address::of_mbarrier(form);
    let transactions = |complete| {
        let (bytes, scope) = (form.position("txCount")?, Scope::of(form));
        Some(Mbarrier::Transactions { object: object()?, bytes, complete, scope })
    };
    let arrive = |drop| {
        Some(Mbarrier::Arrive(Arrive {
            object: object()?,
            state: form.operand("state").is_some_and(|operand| operand.kind != OperandKind::Sink),
            count: form.position("count"),
            bytes: if form.says("expect_tx") { Some(form.position("txCount")?) } else { None },
            drop,
            no_complete: form.says("noComplete"),
            order: Order::of(form).unwrap_or(Order::Release),
            scope: Scope::of(form),
        }))
    };
    let wait = |sleeps| {
        let (by_state, phase) = match form.position("state") {
            Some(state) => (true, state),
            None => (false, form.position("phaseParity")?),
        };
        let (order, scope) = (Order::of(form).unwrap_or(Order::Acquire), Scope::of(form));
        let reports = (form.given("reportPredicate"), form.given("reportValue"));
        Some(Mbarrier::Wait(Wait { object: object()?, phase, by_state, reports, sleeps, order, scope }))
    };
    let layout = || if form.says("layout::v1") { Layout::V1 } else { Layout::V0 };
    match form.words().nth(1)? {
        "init" => {
            let count = form.position("count")?;
            Some(Mbarrier::Init { object: object()?, count, layout: layout() })
        }
        "inval" => Some(Mbarrier::Inval { object: object()? }),
        "expect_tx" => transactions(false),
        "complete_tx" => transactions(true),
        "arrive" => arrive(false),
        "arrive_drop" => arrive(true),
        "test_wait" => wait(false),
        "try_wait" => wait(true),
        "pending_count" => Some(Mbarrier::PendingCount),
        "check_layout" => Some(Mbarrier::CheckLayout { object: object()?, layout: layout() }),
        _ => None,
    }
}
