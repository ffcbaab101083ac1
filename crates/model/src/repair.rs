//! Which fences would forbid an outcome: the fewest, and of those the weakest, found by trying.
//!
//! Where accesses race because they are weak, no fence helps. Then the same is tried with all accesses relaxed, which tells
//! the user what else must change.

use ptxvm_syntax::ast::Span;

use crate::event::{Place, Proxy, Scope, Semantics};
use crate::notation::Model;
use crate::search::{self, Limits};
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

/// How many candidates the search for one changed test may look at, and those for all together: what takes longer than the
/// test itself is not worth it.
const MOST_FOR_ONE: u64 = 20_000;
const MOST_FOR_ALL: u64 = 300_000;

/// The fences that make a test's outcome impossible; nothing if none that is tried does.
#[must_use]
pub fn repair(test: &Test, model: &Model, limits: &Limits) -> Option<Repair> {
    let scope = widest(test);
    let limits = Limits { steps: limits.steps.min(MOST_FOR_ONE), ..*limits };
    let mut attempts = Attempts { model, limits, left: MOST_FOR_ALL };
    if let Some(fences) = fences(test, scope, &mut attempts) {
        return Some(Repair { fences, relaxed: None });
    }
    let strong = relaxed(test, scope)?;
    attempts.left = MOST_FOR_ALL;
    let fences = fences(&strong, scope, &mut attempts)?;
    Some(Repair { fences, relaxed: Some(scope) })
}

/// Tries changed tests, as long as that is worth it.
struct Attempts<'m> {
    model: &'m Model,
    limits: Limits,
    /// How many candidates may still be looked at.
    left: u64,
}

impl Attempts<'_> {
    /// Whether no execution of a test shows the outcome; nothing if that would take too long.
    fn forbidden(&mut self, test: &Test) -> Option<bool> {
        let shows = test.quantifier != Quantifier::Forall;
        let found = search::find(test, self.model, &self.limits, Some(shows)).ok()?;
        self.left = self.left.checked_sub(found.steps.max(1))?;
        Some(found.states.is_empty())
    }
}

/// The narrowest scope that includes all threads of a test.
fn widest(test: &Test) -> Scope {
    let places: Vec<Place> = test.threads.iter().map(|thread| thread.place).collect();
    let includes_all = |scope: &Scope| places.iter().all(|&a| places.iter().all(|&b| includes(*scope, a, b)));
    Scope::ALL.into_iter().find(includes_all).unwrap_or(Scope::Sys)
}

/// A gap that a fence may stand in: a thread, and the number of the instruction after it.
type Gap = (usize, usize);

fn fences(test: &Test, scope: Scope, attempts: &mut Attempts<'_>) -> Option<Vec<Fence>> {
    // Nothing may be needed at all, once accesses are strong.
    if attempts.forbidden(test)? {
        return Some(Vec::new());
    }
    let kinds = kinds(test, scope);
    let gaps: Vec<Vec<Gap>> = (0..test.threads.len()).map(|thread| gaps(test, thread)).collect();
    let all: Vec<Gap> = gaps.iter().flatten().copied().collect();
    let mut attempt = |chosen: &[(Gap, &Action)]| attempts.forbidden(&with(test, chosen));
    for kind in &kinds {
        for &gap in &all {
            if attempt(&[(gap, kind)])? {
                return Some(vec![described(test, gap, kind)]);
            }
        }
    }
    // Two threads have the same fence each; but those of the tensor cores come in two kinds.
    let both = |a: &Action, b: &Action| a == b || is_tensor(a) && is_tensor(b);
    for (kind, other) in
        kinds.iter().flat_map(|a| kinds.iter().map(move |b| (a, b))).filter(|(a, b)| both(a, b))
    {
        for (number, &first) in all.iter().enumerate() {
            for &second in all[number + 1..].iter().filter(|second| second.0 != first.0) {
                if attempt(&[(first, kind), (second, other)])? {
                    return Some(vec![described(test, first, kind), described(test, second, other)]);
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
    if uses(Proxy::Tensor) {
        kinds.extend([Action::TensorBefore, Action::TensorAfter]);
    }
    kinds.push(Action::Fence { semantics: Semantics::AcqRel, scope });
    kinds.push(Action::Fence { semantics: Semantics::Sc, scope });
    kinds
}

fn is_tensor(kind: &Action) -> bool {
    matches!(kind, Action::TensorBefore | Action::TensorAfter)
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
        Action::TensorBefore => "tcgen05.fence::before_thread_sync".to_owned(),
        Action::TensorAfter => "tcgen05.fence::after_thread_sync".to_owned(),
        Action::Fence { semantics, scope } => format!("fence.{}.{}", semantics.name(), scope.name()),
        _ => String::new(),
    };
    Fence { thread: gap.0, after: test.threads[gap.0].code[gap.1 - 1].span, text }
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
