//! A launch of a graph: one operation of a stream that runs the whole plan.

use std::sync::Arc;
use std::vec;

use super::conditional::Conditional;
use super::content::{Content, EventNode};
use super::memory::Allocation;
use super::plan::{Plan, Step};
use crate::abi::{Answer, CUgraphEdgeData};
use crate::context::Context;
use crate::stream::{Event, Recording};
use crate::work::{KernelLaunch, Mark, run_both};

/// A launch that waits for its turn.
pub struct GraphLaunch {
    plan: Arc<Plan>,
    /// What the nodes of events do this time, in the order in which they come.
    moments: Vec<EventUse>,
    /// Memory that must be there until the stream gets here.
    _kept: Option<Arc<Allocation>>,
}

/// What a node of an event does in a launch. It was settled when the launch was asked for, as for streams.
#[derive(Clone)]
enum EventUse {
    Record(Arc<Event>, Arc<Recording>),
    Wait(Option<Arc<Recording>>),
}

impl GraphLaunch {
    /// A launch of a plan.
    pub fn new(plan: Arc<Plan>) -> Self {
        let mut moments: Vec<EventUse> = Vec::new();
        plan.each(&mut |step| match &step.content {
            Content::Record(EventNode { event, .. }) => {
                moments.push(EventUse::Record(Arc::clone(event), Arc::default()));
            }
            Content::Wait(EventNode { event, .. }) => {
                let earlier = moments.iter().rev().find_map(|moment| match moment {
                    EventUse::Record(of, recording) if Arc::ptr_eq(of, event) => Some(Arc::clone(recording)),
                    _ => None,
                });
                moments.push(EventUse::Wait(earlier.or_else(|| event.latest())));
            }
            _ => {}
        });
        Self { plan, moments, _kept: None }
    }

    /// Nothing but memory that is kept until the stream gets here.
    pub fn keeping(allocation: Arc<Allocation>) -> Self {
        Self { plan: Arc::default(), moments: Vec::new(), _kept: Some(allocation) }
    }

    /// What its nodes wait for that other work tells.
    pub fn waits(&self) -> Vec<Arc<Mark>> {
        let waited = self.moments.iter().filter_map(|moment| match moment {
            EventUse::Wait(Some(recording)) => Some(Arc::clone(&recording.mark)),
            _ => None,
        });
        waited.collect()
    }

    /// Tells the events of this launch, which ends with a mark.
    pub fn announce(&self, end: &Arc<Mark>) {
        for moment in &self.moments {
            if let EventUse::Record(event, recording) = moment {
                end.order().into_iter().for_each(|order| recording.mark.set_order(order));
                recording.mark.follow(Arc::clone(end));
                event.set(Arc::clone(recording));
            }
        }
    }

    /// Runs it, on the calling thread.
    ///
    /// # Errors
    /// What makes the context unusable.
    pub fn run(&self, context: &Arc<Context>) -> Answer {
        begin(&self.plan);
        run(&self.plan, &mut self.moments.clone().into_iter(), context)
    }
}

impl Drop for GraphLaunch {
    /// What a fault kept from being recorded is waited for all the same.
    fn drop(&mut self) {
        for moment in &self.moments {
            if let EventUse::Record(_, recording) = moment {
                recording.mark.finish();
            }
        }
    }
}

/// Gives the values that conditional nodes ask their defaults.
fn begin(plan: &Plan) {
    for step in &plan.steps {
        if let Content::Conditional(Conditional { variable, .. }) = &step.content {
            variable.begin();
        }
        step.content.graphs().iter().for_each(begin);
    }
}

fn run(plan: &Plan, moments: &mut vec::IntoIter<EventUse>, context: &Arc<Context>) -> Answer {
    let mut order = plan.order.iter().peekable();
    while let Some(&at) = order.next() {
        if let Some((first, second)) = order.peek().and_then(|&&next| dependent(plan, at, next)) {
            order.next();
            run_both(first, second, context)?;
            continue;
        }
        let step = &plan.steps[at];
        match &step.content {
            _ if !step.enabled => {}
            Content::Kernel(kernel) => kernel.launch.run(context)?,
            Content::Work(operation) => operation.run(context)?,
            Content::Child(child) => run(child, moments, context)?,
            // What the host settled for these nodes; bodies of conditional nodes have none of them.
            Content::Record(_) | Content::Wait(_) => match moments.next() {
                Some(EventUse::Record(_, recording)) => recording.take(),
                Some(EventUse::Wait(Some(recording))) => recording.mark.wait(),
                _ => {}
            },
            // The memory has been there since the node was made.
            Content::Allocate(_) | Content::Free(_) => {}
            Content::Conditional(conditional) => conditional.run(|body| {
                // Another stream's fault ends a loop that would not end by itself.
                context.check()?;
                run(body, &mut Vec::new().into_iter(), context)
            })?,
        }
    }
    Ok(())
}

/// Two kernels of which the second may begin when all CTAs of the first have let it.
fn dependent(plan: &Plan, first: usize, second: usize) -> Option<(&KernelLaunch, &KernelLaunch)> {
    let kernel = |step: usize| match &plan.steps[step] {
        Step { enabled: true, content: Content::Kernel(kernel), .. } => Some(&kernel.launch),
        _ => None,
    };
    let edge = plan.steps[second].before.contains(&(first, CUgraphEdgeData::PROGRAMMATIC));
    if edge { kernel(first).zip(kernel(second)) } else { None }
}
