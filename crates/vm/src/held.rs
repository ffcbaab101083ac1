//! A launch that is held between two instructions, for debuggers and checkers.

use ptxvm_machine::view::View;
use ptxvm_machine::{Execution, Statistics, Stepped};

use crate::failure::{Failure, guarded};

/// A launch that stands still between two instructions ([`crate::Kernel::hold`]).
///
/// It goes on by steps, of which each is one instruction of one group of lanes, and between any two of them everything
/// can be seen ([`Held::view`]). Holding it changes nothing: its memory, its findings and its statistics are those of
/// [`crate::Kernel::launch`] with one host thread. The time of [`crate::LaunchOptions::timeout`] passes while it is held.
/// Dropped before its end, it leaves memory as it is.
///
/// ```
/// use ptxvm_vm::view::Wait;
/// use ptxvm_vm::{Buffer, Device, LaunchOptions};
///
/// const SOURCE: &str = r"
/// .version 9.1
/// .target sm_80
/// .address_size 64
/// // y[i] = x[i] of the thread on the other side
/// .visible .entry turn(.param .u64 x)
/// {
///     .shared .b32 kept[64];
///     .reg .b32 %t, %o, %v, %k, %q;
///     .reg .b64 %p;
///     mov.u32 %t, %tid.x;
///     ld.param.u64 %p, [x];
///     mad.wide.u32 %p, %t, 4, %p;
///     ld.global.b32 %v, [%p];
///     mov.u32 %k, kept;
///     shl.b32 %o, %t, 2;
///     add.u32 %q, %k, %o;
///     st.shared.b32 [%q], %v;
///     bar.sync 0;
///     sub.u32 %o, 252, %o;
///     add.u32 %q, %k, %o;
///     ld.shared.b32 %v, [%q];
///     st.global.b32 [%p], %v;
///     ret;
/// }";
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let device = Device::default();
/// let kernel = device.load(SOURCE)?.kernel("turn")?;
/// let x = Buffer::from_slice(&device, &(0..64u32).collect::<Vec<_>>())?;
/// let options = LaunchOptions::new(1, 64).argument(&x);
///
/// let mut held = kernel.hold(&options)?;
/// // Until somebody waits: the first warp at the barrier, for the second.
/// held.run_until(|view, _| view.ctas().any(|cta| cta.warps().any(|w| w.groups().iter().any(|g| g.wait().is_some()))))?;
/// let view = held.view();
/// let cta = view.cta(0).expect("it has begun");
/// let waiting = cta.warps().next().and_then(|warp| warp.group_of(5)).expect("it has not ended");
/// let Some(Wait::Barrier { number: 0, missing, .. }) = waiting.wait() else { panic!("it waits at the barrier") };
/// assert_eq!((missing[0].warp, missing[0].lanes), (1, u32::MAX));
/// // What a register holds, and what is in shared memory.
/// assert_eq!(waiting.frame().register("%v", 5).map(|register| register.value), Some(5));
/// let mut kept = [0; 4];
/// cta.read_shared(5 * 4, &mut kept).expect("it has 256 bytes");
/// assert_eq!(u32::from_le_bytes(kept), 5);
///
/// let statistics = held.finish()?;
/// assert_eq!(statistics.instructions(), 2 * 14);
/// assert_eq!(x.to_vec::<u32>()[..3], [63, 62, 61]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Held<'a>(Execution<'a>);

impl<'a> Held<'a> {
    pub(crate) fn new(execution: Execution<'a>) -> Self {
        Self(execution)
    }

    /// Executes one instruction of one group of lanes, whichever is next in the order of the launch. Gives which; `None`
    /// if all threads have ended. A group that comes to wait at an instruction has made a step, and makes another there
    /// when it may go on.
    ///
    /// # Errors
    /// Why the launch stopped. It can still be looked at, but does not go on.
    pub fn step(&mut self) -> Result<Option<Stepped>, Failure> {
        guarded(|| self.0.step()).map_err(Failure::Bug)?.map_err(Failure::from)
    }

    /// Has the group of lanes that a lane is in make the next step, before those whose turn it would be: the CTA by its
    /// number in the grid, the warp by its number there. Gives whether it can: it must not have ended or wait. If it
    /// finds then that it must wait for other lanes, one of those makes the step.
    pub fn choose(&mut self, cta: u64, warp: u32, lane: u32) -> bool {
        self.0.choose(cta, warp, lane)
    }

    /// Makes steps until the question, which is asked after each, is answered with yes. Gives the last step; `None` if
    /// all threads have ended before.
    ///
    /// # Errors
    /// As [`Held::step`].
    pub fn run_until(
        &mut self,
        holds: impl FnMut(&View<'_>, &Stepped) -> bool,
    ) -> Result<Option<Stepped>, Failure> {
        guarded(|| self.0.run_until(holds)).map_err(Failure::Bug)?.map_err(Failure::from)
    }

    /// What there is to be seen: CTAs, warps, groups of lanes, registers, memory.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        self.0.view()
    }

    /// Runs to the end without stopping, and says what the launch did.
    ///
    /// # Errors
    /// Why the launch stopped before its end.
    pub fn finish(self) -> Result<Statistics, Failure> {
        Ok(*guarded(|| self.0.finish()).map_err(Failure::Bug)?.map_err(Failure::from)?)
    }
}
