//! Clusters and grids: `barrier.cluster` (the manual's 9.7.13.3), `griddepcontrol` (9.7.13.13), `clusterlaunchcontrol`
//! (9.7.13.17 and 9.7.13.18).

use super::address::{Address, AddressSpace};
use super::form::Form;
use super::order::Order;

/// An instruction about the CTAs of a cluster or about other grids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cluster {
    /// `barrier.cluster.arrive`
    Arrive {
        /// `.release`, or `.relaxed`.
        order: Order,
        /// `.aligned`
        aligned: bool,
    },
    /// `barrier.cluster.wait`
    Wait {
        /// `.aligned`
        aligned: bool,
    },
    /// `griddepcontrol.launch_dependents`
    LaunchDependents,
    /// `griddepcontrol.wait`
    WaitForGrids,
    /// `clusterlaunchcontrol.try_cancel`
    TryCancel {
        /// Where the response goes.
        response: Address,
        /// The mbarrier object that is told.
        mbarrier: Address,
        /// `.multicast::cluster::all`: the response goes to every CTA of the cluster.
        everywhere: bool,
    },
    /// `clusterlaunchcontrol.query_cancel.is_canceled`; which operand is the response.
    IsCanceled {
        /// The response.
        response: usize,
    },
    /// `clusterlaunchcontrol.query_cancel.get_first_ctaid`
    FirstCtaid {
        /// The response.
        response: usize,
        /// The dimension of the first destination; the others follow.
        first: usize,
    },
}

/// `barrier.cluster`
pub(super) fn barrier(form: &Form<'_>) -> Cluster {
    let aligned = form.says("aligned");
    if !form.says("arrive") {
        return Cluster::Wait { aligned };
    }
    let order = if form.says("relaxed") { Order::Relaxed } else { Order::Release };
    Cluster::Arrive { order, aligned }
}

/// `griddepcontrol`
pub(super) fn grids(form: &Form<'_>) -> Option<Cluster> {
    match form.slot("action")? {
        "launch_dependents" => Some(Cluster::LaunchDependents),
        "wait" => Some(Cluster::WaitForGrids),
        _ => None,
    }
}

/// `clusterlaunchcontrol`
pub(super) fn launch(form: &Form<'_>) -> Option<Cluster> {
    if form.says("try_cancel") {
        let space = AddressSpace::from_name(form.slot("space"));
        return Some(Cluster::TryCancel {
            response: Address::of(form, "addr", space)?,
            mbarrier: Address::of(form, "mbar", space)?,
            everywhere: form.says("multicast::cluster::all"),
        });
    }
    let response = form.position("try_cancel_response")?;
    if form.says("is_canceled") {
        return Some(Cluster::IsCanceled { response });
    }
    let first = match form.slot("dimension") {
        Some("get_first_ctaid::y") => 1,
        Some("get_first_ctaid::z") => 2,
        _ => 0,
    };
    Some(Cluster::FirstCtaid { response, first })
}
