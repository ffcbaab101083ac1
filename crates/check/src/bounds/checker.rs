//! The checker of objects' bounds of a launch as the machine sees it: each access through an address that is made from a
//! variable is compared with where that variable lies.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptxvm_ir::{Callee, FunctionId, Program, Space as Home, VariableId};
use ptxvm_machine::code::Source;
use ptxvm_machine::door::executed::Begun;
use ptxvm_machine::door::follower::{Decision, Found, OldBytes};
use ptxvm_machine::door::observer::{Access, Transferred, Who};
use ptxvm_machine::door::touch::{Space, Wants};
use ptxvm_machine::{Follower, Kernel, Kind};
use rustc_hash::FxHashMap;

use crate::bounds::made::Object;
use crate::bounds::root::{Rooted, Roots, What, roots};
use crate::told::{CheckedLaunch, Told, Words, related};

/// The checker of objects' bounds of one launch. What it finds are mistakes after which the kernel goes on.
#[derive(Debug)]
pub struct BoundsChecker(Mutex<State>);

/// By lane: the first byte of a block, and one past the last.
type Extents = [(u64, u64); 32];

#[derive(Debug)]
struct State {
    roots: Roots,
    /// Where shared, global and constant variables lie: the first byte and one past the last.
    extents: FxHashMap<VariableId, (u64, u64)>,
    /// Whether functions may be called from themselves, so that a frame is not known by its function.
    may_recur: bool,
    /// The bytes of the shared memory that system software keeps for itself.
    reserved: (u64, u64),
    /// The block that each lane has taken by an `alloca`, by cluster, rank, warp and instruction; no bytes if it has taken
    /// several.
    blocks: FxHashMap<(u64, u32, u32, Source), Extents>,
    /// The frame of each lane, by cluster, rank, warp and function.
    frames: FxHashMap<(u64, u32, u32, u32), [u64; 32]>,
    told: Told,
}

/// The bits of a `.shared::cluster` address that are an offset in one CTA's memory.
const OFFSET: u64 = (1 << 24) - 1;

impl BoundsChecker {
    /// That of a launch of a kernel, whose global and constant variables lie at these addresses, by variable.
    #[must_use]
    pub fn new(kernel: &Arc<Kernel>, launch: &CheckedLaunch, addresses: &[u64]) -> Self {
        let program = kernel.program();
        let end = u64::from(kernel.shared_bytes()) + u64::from(launch.shared);
        let size = |id: VariableId| program.variables[id.0 as usize].size;
        let shared = kernel.code().shared.iter().map(|(id, start)| match size(*id) {
            // The dynamic part reaches to the end.
            0 => (*id, (*start, end.max(*start))),
            size => (*id, (*start, start + size)),
        });
        let global = (0..).map(VariableId).zip(addresses).filter(|(id, address)| {
            let space = program.variables[id.0 as usize].space;
            matches!(space, Home::Global | Home::Const) && **address != 0 && size(*id) != 0
        });
        let global = global.map(|(id, address)| (id, (*address, address + size(id))));
        Self(Mutex::new(State {
            roots: roots(program),
            extents: shared.chain(global).collect(),
            may_recur: may_recur(program),
            reserved: (end, u64::MAX),
            blocks: FxHashMap::default(),
            frames: FxHashMap::default(),
            told: Told::new(kernel, launch),
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a function may be reached from itself; of indirect calls that is not known.
fn may_recur(program: &Program) -> bool {
    let mut calls = Vec::new();
    for function in &program.functions {
        let mut called = Vec::new();
        for call in &function.calls {
            match call.callee {
                Callee::Direct(callee) => called.push(callee.0 as usize),
                Callee::Indirect(_) => return true,
            }
        }
        calls.push(called);
    }
    // Functions that call nobody are taken away until none is left, or all that are left call each other.
    let mut left: Vec<usize> = (0..calls.len()).collect();
    loop {
        let before = left.len();
        let is_left = |number: &usize| calls[*number].iter().any(|callee| left.contains(callee));
        let next: Vec<usize> = left.iter().copied().filter(is_left).collect();
        left = next;
        if left.len() == before {
            return before != 0;
        }
    }
}

impl State {
    fn access(&mut self, access: &Access<'_>) {
        let Some(rooted) = self.roots.get(&access.source) else { return };
        let is_now = |rooted: &&Rooted| rooted.what == What::Now && self.lies_in(rooted.object, access.space);
        let mut rooted = rooted.iter().filter(is_now);
        let (Some(first), None) = (rooted.next().copied(), rooted.next()) else { return };
        for lane in (0..32).filter(|lane| access.who.lanes >> lane & 1 != 0) {
            let address = access.addresses[lane];
            self.compare(&access.who, lane, access.source, &[first], (access.space, address, access.bytes));
        }
    }

    fn lies_in(&self, object: Object, space: Space) -> bool {
        let home = match object {
            Object::Variable(variable) => self.told.kernel.program().variables[variable.0 as usize].space,
            Object::Block(_) => Home::Local,
            Object::Reserved => Home::Shared,
        };
        match space {
            Space::Shared => home == Home::Shared,
            Space::Local => home == Home::Local,
            Space::Global => matches!(home, Home::Global | Home::Const),
            Space::Parameter | Space::Tensor => false,
        }
    }

    /// Where an object lies for a lane, if that is known.
    fn extent(&self, who: &Who, lane: usize, source: Source, object: Object) -> Option<(u64, u64)> {
        let variable = match object {
            Object::Variable(variable) => variable,
            Object::Reserved => return None,
            Object::Block(by) => {
                let known = self.blocks.get(&(who.cluster, who.rank, who.warp, by))?[lane];
                return Some(known).filter(|(start, end)| start != end);
            }
        };
        let described = &self.told.kernel.program().variables[variable.0 as usize];
        if described.space != Home::Local {
            return self.extents.get(&variable).copied();
        }
        let function = source.function;
        if self.may_recur && function != self.told.kernel.entry() || described.function != Some(function) {
            return None;
        }
        let frame = self.frames.get(&(who.cluster, who.rank, who.warp, function.0))?[lane];
        Some((frame + described.offset, frame + described.offset + described.size))
    }

    /// A lane touches bytes through addresses that are made from these objects: it must be inside of one of them.
    fn compare(
        &mut self,
        who: &Who,
        lane: usize,
        source: Source,
        rooted: &[Rooted],
        (space, address, bytes): (Space, u64, u64),
    ) {
        let at = if space == Space::Shared { address & OFFSET } else { address };
        let mut nearest: Option<(u64, Rooted, (u64, u64))> = None;
        for one in rooted {
            if one.object == Object::Reserved {
                if at >= self.reserved.0 {
                    self.tell_reserved((who, lane), source, *one);
                }
                return;
            }
            let Some((start, end)) = self.extent(who, lane, source, one.object) else { return };
            if at >= start && at <= end && bytes <= end - at {
                return;
            }
            // What is touched begins after the start of the object that it was meant for.
            let far = if at >= start { at - start } else { u64::MAX - (start - at) };
            if nearest.is_none_or(|(before, ..)| far < before) {
                nearest = Some((far, *one, (start, end)));
            }
        }
        let Some((_, rooted, (start, end))) = nearest else { return };
        let reached = self.reached(space, at.max(start).min(at.wrapping_add(bytes)));
        self.told.tell(Kind::OutsideObject, (who, lane), source, |kernel| {
            words(kernel.program(), rooted, (start, end), (at, bytes), reached)
        });
    }

    /// A lane touches what system software keeps for itself.
    fn tell_reserved(&mut self, lane: (&Who, usize), source: Source, rooted: Rooted) {
        self.told.tell(Kind::OutsideObject, lane, source, |kernel| {
            let from = rooted.from.map(|from| {
                related(kernel.program(), from, "where that memory begins is asked here".to_owned())
            });
            Words {
                message: "an access of the shared memory that system software keeps for itself".into(),
                notes: vec!["what comes of it is undefined (10.29)".into()],
                related: from.into_iter().collect(),
            }
        });
    }

    /// The variable that lies at an address.
    fn reached(&self, space: Space, address: u64) -> Option<VariableId> {
        let program = self.told.kernel.program();
        let mut found = self.extents.iter().filter(|(id, (start, end))| {
            let is_shared = program.variables[id.0 as usize].space == Home::Shared;
            is_shared == (space == Space::Shared) && (*start..*end).contains(&address)
        });
        found.next().map(|(id, _)| *id)
    }
}

/// What is said of an access that leaves its variable.
fn words(
    program: &Program,
    rooted: Rooted,
    (start, end): (u64, u64),
    (at, bytes): (u64, u64),
    reached: Option<VariableId>,
) -> Words {
    let name = |id: VariableId| format!("`{}`", program.variables[id.0 as usize].name);
    let own = match rooted.object {
        Object::Variable(variable) => name(variable),
        Object::Block(_) | Object::Reserved => "this block".to_owned(),
    };
    let message = match reached.filter(|reached| Object::Variable(*reached) != rooted.object) {
        Some(other) => format!("an access through the address of {own} reaches {}", name(other)),
        None if matches!(rooted.object, Object::Block(_)) => {
            "an access through the address of a block of `alloca` leaves it".to_owned()
        }
        None => format!("an access through the address of {own} leaves it"),
    };
    let size = end - start;
    let miss = match at {
        at if at < start => format!("begins {} bytes before it", start - at),
        at if at >= end => format!("begins {} bytes after its end", at - end),
        _ => format!("reaches {} bytes past its end", at + bytes - end),
    };
    let notes = vec![format!("{own} has {size} bytes; the access of {bytes} bytes {miss}")];
    let from = rooted.from.map(|from| related(program, from, format!("the address of {own} is taken here")));
    Words { message, notes, related: from.into_iter().collect() }
}

impl Follower for BoundsChecker {
    fn access(&self, access: &Access<'_>, _: &Found<'_>, _: &mut OldBytes) -> Decision {
        self.state().access(access);
        Decision::default()
    }

    fn local(&self, access: &Access<'_>) -> bool {
        self.state().access(access);
        false
    }

    fn issued(&self, operation: &Transferred<'_>) {
        let mut state = self.state();
        let Some(rooted) = state.roots.get(&operation.source).cloned() else { return };
        let lane = operation.who.lanes.trailing_zeros().min(31) as usize;
        for space in [Space::Shared, Space::Global] {
            let inside = rooted.iter().filter(|rooted| state.lies_in(rooted.object, space));
            let of = |what: What| inside.clone().filter(move |rooted| rooted.what == what).copied();
            let (later, matrices): (Vec<Rooted>, Vec<Rooted>) =
                (of(What::Later).collect(), of(What::Matrix).collect());
            // Of one operand its bytes are known, of matrices only that they are one of them.
            let rooted = match (later.len(), matrices.is_empty()) {
                (1, true) => later,
                (0, false) => matrices,
                _ => continue,
            };
            let is_data = |wants| matches!(wants, Wants::Read | Wants::Write | Wants::Update);
            for touch in operation.touches.iter().filter(|t| t.space == space && is_data(t.wants)) {
                let place = (space, touch.address, touch.bytes);
                state.compare(&operation.who, lane, operation.source, &rooted, place);
            }
        }
    }

    fn allocates(&self, who: Who, source: Source, addresses: &[u64; 32], bytes: &[u64; 32]) {
        let mut state = self.state();
        let known =
            state.blocks.entry((who.cluster, who.rank, who.warp, source)).or_insert([(u64::MAX, 0); 32]);
        for lane in (0..32).filter(|lane| who.lanes >> lane & 1 != 0) {
            let is_first = known[lane] == (u64::MAX, 0);
            known[lane] = if is_first {
                (addresses[lane], addresses[lane].saturating_add(bytes[lane]))
            } else {
                (0, 0)
            };
        }
    }

    fn follows_values(&self) -> bool {
        true
    }

    fn begins(&self, begun: &Begun<'_>) {
        let Begun { who, function: FunctionId(function), frame, bytes, .. } = *begun;
        let mut state = self.state();
        // A call has blocks of its own.
        let is_here = |(cluster, rank, warp, by): &(u64, u32, u32, Source)| {
            (*cluster, *rank, *warp, by.function.0) == (who.cluster, who.rank, who.warp, function)
        };
        for (_, known) in state.blocks.iter_mut().filter(|(key, _)| is_here(key)) {
            (0..32).filter(|lane| who.lanes >> lane & 1 != 0).for_each(|lane| known[lane] = (u64::MAX, 0));
        }
        if bytes == 0 {
            return;
        }
        let known = state.frames.entry((who.cluster, who.rank, who.warp, function)).or_insert([0; 32]);
        (0..32).filter(|lane| who.lanes >> lane & 1 != 0).for_each(|lane| known[lane] = frame[lane]);
    }

    fn cluster_ended(&self, cluster: u64) {
        let mut state = self.state();
        state.frames.retain(|(of, ..), _| *of != cluster);
        state.blocks.retain(|(of, ..), _| *of != cluster);
    }
}
