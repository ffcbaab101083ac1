//! Which fences would forbid an outcome: the fewest, and of those the weakest, found by trying.
//!
//! Where accesses race because they are weak, no fence helps. Then the same is tried with all accesses relaxed, which tells
//! the user what else must change.

use ptxvm_syntax::ast::Span;

use crate::event::{Place, Proxy, Scope, Semantics};
use crate::notation::Model;
use crate::search::{self, Limits, TooLarge};
use crate::strength::includes;
use crate::test::{Action, Instruction, Quantifier, Test};

/// A fence to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    pub thread: usize,
    /// The instruction that it comes after.
    pub after: Span,
    /// How it is written.
    pub text: String,
}

/// What would forbid an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    pub fences: Vec<Fence>,
    /// Whether weak accesses must become relaxed too, at this scope.
    pub relaxed: Option<Scope>,
}

/// How many changed tests are tried.
const MOST_TRIES: usize = 600;

/// The fences that make a test's outcome impossible; nothing if none that is tried does.
#[must_use]
pub fn repair(test: &Test, model: &Model, limits: &Limits) -> Option<Repair> {
    let scope = widest(test);
    // A repaired test is about as large as the test itself: what takes much longer is not worth it.
    let limits = Limits { steps: limits.steps.min(20_000), ..*limits };
    let mut tries = MOST_TRIES;
    if let Some(fences) = fences(test, model, &limits, scope, &mut tries) {
        return Some(Repair { fences, relaxed: None });
    }
    let strong = relaxed(test, scope)?;
    let mut tries = MOST_TRIES;
    let fences = fences(&strong, model, &limits, scope, &mut tries)?;
    Some(Repair { fences, relaxed: Some(scope) })
}

/// The narrowest scope that includes all threads of a test.
fn widest(test: &Test) -> Scope {
    let places: Vec<Place> = test.threads.iter().map(|thread| thread.place).collect();
    let includes_all = |scope: &Scope| places.iter().all(|&a| places.iter().all(|&b| includes(*scope, a, b)));
    Scope::ALL.into_iter().find(includes_all).unwrap_or(Scope::Sys)
}

/// A gap that a fence may stand in: a thread, and the number of the instruction after it.
type Gap = (usize, usize);

fn fences(
    test: &Test,
    model: &Model,
    limits: &Limits,
    scope: Scope,
    tries: &mut usize,
) -> Option<Vec<Fence>> {
    // Nothing may be needed at all, once accesses are strong.
    if forbidden(test, model, limits).ok()? {
        return Some(Vec::new());
    }
    let kinds = kinds(test, scope);
    let gaps: Vec<Vec<Gap>> = (0..test.threads.len()).map(|thread| gaps(test, thread)).collect();
    let all: Vec<Gap> = gaps.iter().flatten().copied().collect();
    let mut attempt = |chosen: &[(Gap, &Action)]| -> Option<bool> {
        *tries = tries.checked_sub(1)?;
        forbidden(&with(test, chosen), model, limits).ok()
    };
    for kind in &kinds {
        for &gap in &all {
            if attempt(&[(gap, kind)])? {
                return Some(vec![described(test, gap, kind)]);
            }
        }
    }
    for kind in &kinds {
        for (number, &first) in all.iter().enumerate() {
            for &second in all[number + 1..].iter().filter(|second| second.0 != first.0) {
                if attempt(&[(first, kind), (second, kind)])? {
                    return Some(vec![described(test, first, kind), described(test, second, kind)]);
                }
            }
        }
    }
    // At last one in every gap of every thread.
    for kind in &kinds {
        let chosen: Vec<(Gap, &Action)> = all.iter().map(|&gap| (gap, kind)).collect();
        if attempt(&chosen)? {
            return Some(all.iter().map(|&gap| described(test, gap, kind)).collect());
        }
    }
    None
}

/// The fences to try, the weakest first; those for proxies only where a test uses them.
fn kinds(test: &Test, scope: Scope) -> Vec<Action> {
    let mut kinds = Vec::new();
    if test.addresses.len() > test.locations.len() {
        kinds.push(Action::AliasFence);
    }
    let uses = |proxy: Proxy| {
        let manner = |instruction: &Instruction| match &instruction.action {
            Action::Load { manner, .. } | Action::Store { manner, .. } | Action::Atomic { manner, .. } => {
                manner.proxy == proxy
            }
            _ => false,
        };
        test.threads.iter().any(|thread| thread.code.iter().any(manner))
    };
    for proxy in [Proxy::Async, Proxy::Surface, Proxy::Texture, Proxy::Constant] {
        if uses(proxy) {
            kinds.push(Action::ProxyFence(proxy));
        }
    }
    kinds.push(Action::Fence { semantics: Semantics::AcqRel, scope });
    kinds.push(Action::Fence { semantics: Semantics::Sc, scope });
    kinds
}

/// The gaps of a thread between two instructions that touch memory, one for each of the first.
fn gaps(test: &Test, thread: usize) -> Vec<Gap> {
    let code = &test.threads[thread].code;
    let touches = |instruction: &Instruction| {
        matches!(
            instruction.action,
            Action::Load { .. } | Action::Store { .. } | Action::Atomic { .. } | Action::Barrier(_)
        )
    };
    let last = code.iter().rposition(touches).unwrap_or(0);
    let inside =
        |at: usize| code[at].asynchronous.is_some() && code[at].asynchronous == code[at - 1].asynchronous;
    (1..=last).filter(|&at| touches(&code[at - 1]) && !inside(at)).map(|at| (thread, at)).collect()
}

/// The test with fences in some gaps.
fn with(test: &Test, chosen: &[(Gap, &Action)]) -> Test {
    let mut test = test.clone();
    // From the back, so that the numbers of earlier gaps stay what they are.
    let mut chosen = chosen.to_vec();
    chosen.sort_by_key(|&(gap, _)| std::cmp::Reverse(gap));
    for ((thread, at), kind) in chosen {
        let code = &mut test.threads[thread].code;
        for instruction in code.iter_mut() {
            if let Action::Branch { target, .. } = &mut instruction.action {
                *target += usize::from(*target > at);
            }
        }
        let span = code[at - 1].span;
        code.insert(at, Instruction { action: (*kind).clone(), asynchronous: None, span });
    }
    test
}

fn described(test: &Test, gap: Gap, kind: &Action) -> Fence {
    let text = match kind {
        Action::AliasFence => "fence.proxy.alias".to_owned(),
        Action::ProxyFence(proxy) => format!("fence.proxy.{}", proxy.name()),
        Action::Fence { semantics, scope } => format!("fence.{}.{}", semantics.name(), scope.name()),
        _ => String::new(),
    };
    Fence { thread: gap.0, after: test.threads[gap.0].code[gap.1 - 1].span, text }
}

/// Whether no execution shows the outcome.
fn forbidden(test: &Test, model: &Model, limits: &Limits) -> Result<bool, TooLarge> {
    let shows = test.quantifier != Quantifier::Forall;
    Ok(search::find(test, model, limits, Some(shows))?.states.is_empty())
}

/// The test with every weak access by a thread itself made relaxed; nothing if there is none.
fn relaxed(test: &Test, scope: Scope) -> Option<Test> {
    let mut strong = test.clone();
    let mut changed = false;
    for instruction in strong.threads.iter_mut().flat_map(|thread| &mut thread.code) {
        if let Action::Load { manner, .. } | Action::Store { manner, .. } = &mut instruction.action
            && manner.semantics == Semantics::Weak
            && manner.proxy == Proxy::Generic
            && instruction.asynchronous.is_none()
        {
            (manner.semantics, manner.scope) = (Semantics::Relaxed, scope);
            changed = true;
        }
    }
    changed.then_some(strong)
}
