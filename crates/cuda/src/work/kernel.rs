//! A kernel launch: which function, in which shape, with which parameters.

use std::sync::Arc;

use ptxvm_vm::{
    Arguments, Check, Dimensions, Failure, Findings, Footprint, LaunchOptions, Limit, MemoryModel, OnEvent,
};

use super::Mark;
use super::beside;
use super::busy::Running;
use super::dependent::Ties;
use super::print::Print;
use super::saved;
use crate::abi::{Answer, CUresult};
use crate::context::Context;
use crate::interrupt::Interruptible;
use crate::memory::borrow;
use crate::module::Function;
use crate::{graph, options, report};

/// A launch that has been checked and waits for its turn.
#[derive(Clone)]
pub struct KernelLaunch {
    /// What is launched. A module that is unloaded meanwhile stays until the launch has ended.
    pub function: Arc<Function>,
    /// CTAs in each dimension.
    pub grid: [u32; 3],
    /// Threads of a CTA in each dimension.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// The value of each parameter; the program's own copies may be gone by now.
    pub parameters: Vec<Vec<u8>>,
    /// Whether all CTAs must be resident at once.
    pub cooperative: bool,
    /// Whether it may begin before the kernel that comes before it in its stream has ended.
    pub early: bool,
    /// CTAs of a cluster in each dimension, where the launch has clusters.
    pub cluster: Option<[u32; 3]>,
    /// How it depends on launches that run beside it.
    pub ties: Ties,
}

impl KernelLaunch {
    /// Tells what happens in the launch that orders memory.
    fn on_event(&self) -> OnEvent {
        let module = self.function.kernel.module().clone();
        Arc::new(move |event| report::event(&module, event))
    }

    /// Tells of races with the launch before it, which has ended too.
    pub fn tell_races_with_the_one_before(&self) {
        let Ties { footprint: Some(footprint), beside: Some(before), .. } = &self.ties else { return };
        let launch = self.shape();
        let races = footprint.races_with(&before.footprint, launch.settings.check_limit as usize);
        report::races_between(&before.function.kernel, &self.function.kernel, &launch, races);
    }

    /// What reports about it show of it.
    pub fn shape(&self) -> LaunchOptions {
        LaunchOptions {
            grid: Dimensions(self.grid),
            block: Dimensions(self.block),
            cluster: self.cluster.map(Dimensions),
            shared: self.shared,
            settings: options::get().choices.settings,
            ..LaunchOptions::default()
        }
    }

    /// Runs the kernel to its end.
    ///
    /// # Errors
    /// What a fault of the guest makes of the context.
    pub fn run(&self, context: &Context) -> Answer {
        let choices = &options::get().choices;
        let settings = options::settings();
        let mut arguments = Arguments::new();
        self.parameters.iter().for_each(|bytes| arguments.push(bytes.as_slice()));
        let order = Mark::order_of_doing();
        let footprint = match &order {
            Some(_) => Some(self.ties.footprint.clone().unwrap_or_else(|| Arc::new(Footprint::new(false)))),
            None => self.ties.footprint.clone(),
        };
        let printed = Arc::new(Print::default());
        let print = Arc::clone(&printed);
        let launch = LaunchOptions {
            grid: Dimensions(self.grid),
            block: Dimensions(self.block),
            cluster: self.cluster.map(Dimensions),
            // Whether the program has allowed it was asked at the call.
            nonportable_cluster: true,
            status: self.ties.status.clone(),
            prerequisites: self.ties.prerequisites.clone(),
            shared: self.shared,
            arguments,
            cooperative: self.cooperative,
            settings,
            mistakes: (settings.findings == Findings::Report || settings.checks.are_any()).then(Arc::default),
            races: settings.checks.has(Check::Race).then(Arc::default),
            footprint: footprint.clone(),
            stale: (settings.memory_model == MemoryModel::Weak).then(Arc::default),
            heap_blocks: report::leak::heap_blocks(),
            control: context.streams.control(),
            set_conditional: Some(graph::conditional_setter()),
            on_event: choices.events.then(|| self.on_event()),
            ..LaunchOptions::default()
        }
        .on_print(move |text| print.write(text));
        let borrowed = borrow(context.device.memory(), &self.function.kernel, &self.parameters);
        if let Some(asked) = &choices.save_launch {
            let of = saved::Launch {
                kernel: &self.function.kernel,
                device: &context.device,
                options: &launch,
                parameters: &self.parameters,
                early: self.early,
            };
            saved::save(asked, &of);
        }
        let interruptible = Interruptible::new(&launch.control);
        let running = Running::begin();
        let ended = self.function.kernel.launch(&launch);
        drop(running);
        printed.flush();
        let by_user = interruptible.end();
        report::mistakes(&self.function.kernel, &launch);
        report::races(&self.function.kernel, &launch);
        report::stale(&self.function.kernel, &launch, ended.is_err());
        match ended {
            Ok(_) | Err(Failure::Limit(Limit::Interrupted)) if by_user => {
                let interrupted = Failure::Limit(Limit::Interrupted);
                Err(report::failure(&self.function.kernel, &launch, &interrupted, &[]))
            }
            Ok(statistics) => {
                report::launched(&self.function.kernel, &launch, &statistics);
                if let (Some(order), Some(footprint)) = (&order, &footprint) {
                    beside::launched(order, &self.function, self.shape(), footprint);
                }
                Ok(())
            }
            // It was stopped because another kernel's fault ended the context, which has been reported.
            Err(Failure::Limit(Limit::Interrupted)) => Err(CUresult::LAUNCH_FAILED),
            Err(failure) => Err(report::failure(&self.function.kernel, &launch, &failure, &borrowed.refused)),
        }
    }
}
