//! Checks, when a CTA has ended, that the warps of each warpgroup did what they must do alike.

use crate::asynchronous::issuer::Issuer;
use crate::asynchronous::trouble::Trouble;
use crate::explain::finding::Kind;
use crate::registers::ALL;
use crate::schedule::warp::Warp;

/// Says which warps of a CTA that has ended have not executed the same products as the others of their warpgroup.
#[must_use]
pub fn disagreement(warps: &[Warp], rank: u32) -> Option<Trouble> {
    let of = |warp: &Warp| warp.state.wgmma.issued();
    let (group, [first, other]) = warps.chunks(4).enumerate().find_map(|(group, warps)| {
        let first = warps.first()?;
        let other = warps.iter().find(|warp| of(warp) != of(first))?;
        // Who has executed more can say where.
        Some((group, if of(first).0 >= of(other).0 { [first, other] } else { [other, first] }))
    })?;
    let (at, activation) = first.state.wgmma.place;
    let count = |warp: &Warp| format!("warp {} executed {}", warp.state.index, of(warp).0);
    let message = match of(first).0 == of(other).0 {
        true => format!(
            "warps {} and {} of warpgroup {group} executed different wgmma.mma_async instructions, or with different \
             descriptors",
            first.state.index, other.state.index
        ),
        false => format!(
            "{} wgmma.mma_async instructions, but {} of the same warpgroup {group}",
            count(first),
            count(other)
        ),
    };
    let rule = "all threads of the warpgroup must execute the same wgmma.mma_async instructions".to_owned();
    let issuer = Issuer { rank, warp: first.state.index, lanes: ALL, at, activation, ..Issuer::default() };
    Some(Trouble { kind: Kind::Misuse, message, notes: vec![rule], issuer })
}
