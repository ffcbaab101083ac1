//! Whether threads come to the barriers of their CTA in ways that fit together (9.7.13.1): all lanes of a warp by one
//! instruction if it is `.aligned`, nobody twice, with counts that agree, and nobody past a barrier that others wait at.

use crate::code::Source;
use crate::context::{CtaState, Run};
use crate::explain::finding::{Kind, Thread};
use crate::explain::noted::Noted;
use crate::registers::LANES;
use crate::rules::after::comes_after;
use crate::rules::rounds::{Coming, Rounds};
use crate::schedule::warp::Warp;
use crate::settings::Check;

/// Lanes of a warp execute a block.
#[inline]
pub(crate) fn visit(cta: &mut CtaState, (warp, lanes): (u32, u32), block: u32, run: &Run<'_>) {
    if run.looks_for(Check::Sync) {
        let rounds = cta.rounds.get_or_insert_default();
        rounds.visit(warp, lanes, block, run.code.blocks.len());
    }
}

/// Lanes come to a barrier, before they are counted.
#[cold]
pub(crate) fn comes(
    coming: Coming,
    number: usize,
    tid: &[[u32; LANES]; 3],
    cta: &mut CtaState,
    run: &Run<'_>,
) {
    let threads: u32 = run.launch.block.iter().product();
    let ctaid = cta.ctaid;
    let rounds = cta.rounds.get_or_insert_default();
    if !coming.is_for_all() {
        // Who comes to one for all is asked where it has been when that is complete.
        rounds.begin_again(coming.warp, coming.lanes);
    }
    let all = threads.div_ceil(32);
    let wanted = rounds.coming[number].iter().find_map(|c| c.count).map_or(all, |count| count.div_ceil(32));
    if rounds.warps(number) >= wanted {
        // It is complete, and will be seen to be at the end of the turn.
        rounds.coming[number].clear();
    }
    let wrong = rounds.coming[number].iter().find_map(|before| disagreement(before, &coming, number, all));
    // Who comes again and again is kept once.
    rounds.coming[number].retain(|before| before.warp != coming.warp || before.lanes & coming.lanes == 0);
    rounds.coming[number].push(coming);
    if let Some((kind, noted)) = wrong {
        let lane = coming.lanes.trailing_zeros().min(31) as usize;
        let thread =
            Thread { ctaid, tid: [0, 1, 2].map(|d| tid[d][lane]), warp: coming.warp, lane: lane as u32 };
        run.note(kind, coming.source, Some(thread), || noted);
    }
}

/// What is wrong with lanes that come to a barrier where others have come.
fn disagreement(before: &Coming, now: &Coming, number: usize, all: u32) -> Option<(Kind, Noted)> {
    let told = |kind, message: String, note: &str, text: &str| {
        let related = vec![(before.source, text.to_owned())];
        Some((kind, Noted { message, notes: vec![note.to_owned()], related }))
    };
    let same_warp = before.warp == now.warp;
    if same_warp && before.lanes & now.lanes != 0 {
        return told(
            Kind::Barrier,
            format!("warp {} comes to barrier {number} again before it is complete", now.warp),
            "a warp that has arrived must know that the barrier is complete before it comes there again",
            "it has arrived here",
        );
    }
    if same_warp && (before.aligned || now.aligned) && before.source != now.source {
        return told(
            Kind::Divergent,
            format!(
                "lanes {:#010x} of warp {} come to barrier {number} by another instruction than its lanes {:#010x}",
                now.lanes, now.warp, before.lanes
            ),
            "`bar`, and `barrier` with `.aligned`, must be executed by all threads of a warp together",
            "others of the warp wait here",
        );
    }
    if before.reduces != now.reduces {
        return told(
            Kind::Barrier,
            format!("a barrier with a reduction and one without meet at barrier {number}"),
            "`.red` must not be mixed with `.sync` or `.arrive` at one barrier",
            "the other is here",
        );
    }
    let warps = |coming: &Coming| coming.count.map_or(all, |count| count.div_ceil(32));
    if warps(before) != warps(now) {
        let said = |coming: &Coming| match coming.count {
            Some(count) => format!("{count} threads"),
            None => "all threads of the CTA".to_owned(),
        };
        return told(
            Kind::Barrier,
            format!("barrier {number} for {}, where others wait for {}", said(now), said(before)),
            "all who come to a barrier must say the same number of threads",
            "the others are here",
        );
    }
    None
}

/// A barrier is complete. Looks whether threads have gone past it that it was for.
#[cold]
pub(crate) fn completes(number: usize, warps: &[Warp], cta: &mut CtaState, run: &Run<'_>) {
    let ctaid = cta.ctaid;
    let Some(rounds) = &mut cta.rounds else { return };
    let round = std::mem::take(&mut rounds.coming[number]);
    let first = |(at, coming): &(usize, &Coming)| {
        coming.aligned && round[..*at].iter().all(|before| before.source != coming.source)
    };
    for (_, barrier) in round.iter().enumerate().filter(first) {
        for warp in warps {
            let index = warp.state.index;
            let of_warp = || round.iter().filter(|coming| coming.warp == index);
            // A count says how many come, not who; but of a warp that comes, all must.
            if !barrier.is_for_all() && !of_warp().any(|coming| coming.source == barrier.source) {
                continue;
            }
            let here = of_warp().filter(|coming| coming.source == barrier.source);
            let others = warp.state.present & !here.fold(0, |lanes, coming| lanes | coming.lanes);
            if others == 0 {
                continue;
            }
            if let Some((past, block)) = went_past(rounds, (barrier.block, barrier.call), index, others, run)
            {
                let lane = barrier.lanes.trailing_zeros().min(31);
                let tid = warps
                    .get(barrier.warp as usize)
                    .map_or([0; 3], |warp| [0, 1, 2].map(|d| warp.state.tid[d][lane as usize]));
                let thread = Thread { ctaid, tid, warp: barrier.warp, lane };
                run.note(Kind::Divergent, barrier.source, Some(thread), || {
                    passed(past, index, number, block, run)
                });
            }
        }
    }
    for coming in round.iter().filter(|coming| coming.is_for_all()) {
        rounds.begin_again(coming.warp, coming.lanes);
    }
    // Lanes whose warp has not come as a whole are early for the next round.
    let whole = |coming: &Coming| {
        let alive = warps.get(coming.warp as usize).map_or(0, |warp| warp.state.alive());
        let of_warp = round.iter().filter(|other| other.warp == coming.warp);
        alive & !of_warp.fold(0, |lanes, coming| lanes | coming.lanes) == 0
    };
    rounds.coming[number] = round.iter().filter(|coming| !whole(coming)).copied().collect();
}

/// Lanes have gone past a barrier to a block.
fn passed(lanes: u32, warp: u32, number: usize, block: u32, run: &Run<'_>) -> Noted {
    let past = first_of(block, run);
    Noted {
        message: format!(
            "lanes {lanes:#010x} of warp {warp} go past barrier {number}, which the others wait at"
        ),
        notes: vec![
            "`bar`, and `barrier` with `.aligned`, must be executed by all threads that have not ended"
                .into(),
        ],
        related: past
            .map(|source| (source, "they have executed this, which comes after the barrier".into()))
            .into_iter()
            .collect(),
    }
}

/// So many pairs of blocks are looked at, at most.
const MOST_PAIRS: usize = 1 << 12;

/// Which of some lanes have executed what comes after a block that ends with a barrier, or after that with the call of its
/// function, since they last came to a barrier, and the block.
pub fn went_past(
    rounds: &mut Rounds,
    (barrier, call): (u32, Option<u32>),
    warp: u32,
    lanes: u32,
    run: &Run<'_>,
) -> Option<(u32, u32)> {
    let visited: Vec<(u32, u32)> = rounds.visited(warp, lanes).collect();
    visited.into_iter().find_map(|(block, lanes)| {
        let after = |rounds: &mut Rounds, barrier: u32| {
            let key = (barrier, block);
            let known = rounds.after.contains_key(&key) || rounds.after.len() < MOST_PAIRS;
            known && *rounds.after.entry(key).or_insert_with(|| comes_after(run.code, barrier, block))
        };
        let call = call.is_some_and(|call| after(rounds, call));
        (call || after(rounds, barrier)).then_some((lanes, block))
    })
}

/// The first instruction of a block that the program has.
pub fn first_of(block: u32, run: &Run<'_>) -> Option<Source> {
    let block = &run.code.blocks[block as usize];
    let instructions = &run.code.instructions[block.start as usize..block.end as usize];
    instructions.iter().find(|instruction| instruction.class.is_some()).map(|instruction| instruction.source)
}

/// A CTA has ended. Looks for arrivals that nobody has waited for.
pub(crate) fn ended(cta: &mut CtaState, run: &Run<'_>) {
    let Some(rounds) = cta.rounds.take() else { return };
    for (number, round) in rounds.coming.iter().enumerate() {
        let Some(coming) = round.iter().find(|coming| !coming.waits) else { continue };
        run.note(Kind::Barrier, coming.source, None, || Noted {
            message: format!("barrier {number} was never complete after this arrival"),
            notes: vec![
                "more warps have arrived than its count says, or nobody has waited for those who did".into(),
            ],
            related: Vec::new(),
        });
    }
}
