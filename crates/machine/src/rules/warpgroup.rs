//! Whether all warps of a warpgroup have executed the same `setmaxnreg` (9.7.19.5), looked at when their CTA ends.

use crate::context::Run;
use crate::explain::finding::Kind;
use crate::explain::noted::Noted;
use crate::schedule::warp::Warp;

/// A CTA has ended.
#[cold]
pub(crate) fn ended(warps: &[Warp], run: &Run<'_>) {
    for (group, warps) in warps.chunks(4).enumerate() {
        let of = |warp: &Warp| warp.state.maxnreg;
        let Some(most) = warps.iter().max_by_key(|warp| warp.state.maxnreg_at.is_some()) else { continue };
        let (Some(at), Some(other)) = (most.state.maxnreg_at, warps.iter().find(|warp| of(warp) != of(most)))
        else {
            continue;
        };
        run.note(Kind::Divergent, at, None, || Noted {
            message: format!(
                "warp {} of warpgroup {group} executes `setmaxnreg`, and warp {} another one or none",
                most.state.index, other.state.index
            ),
            notes: vec!["all warps of a warpgroup must execute the same `setmaxnreg`".into()],
            related: other
                .state
                .maxnreg_at
                .map(|at| (at, "the other is here".to_owned()))
                .into_iter()
                .collect(),
        });
    }
}
