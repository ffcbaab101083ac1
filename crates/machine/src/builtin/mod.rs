//! The functions that compiled CUDA calls and the device provides: `vprintf`, `malloc`, `free`, `__assertfail`,
//! `cudaGraphSetConditional`.
//!
//! They are called as NVRTC's PTX calls them: pointers are generic addresses, and each lane is served for itself, in
//! the order of the lanes' numbers.

mod assert;
mod float;
mod format;
pub mod function;
mod heap;
mod memory;
mod print;
mod site;

use crate::code::Call;
use crate::context::Context;
use crate::explain::finding::Kind;
use crate::registers::{LANES, lanes_in};
use crate::vector::lanes::Flow;

pub use function::Builtin;
use site::Site;

/// Runs it for the lanes of a mask, one after the other. `frame` is where each lane's caller has its frame.
pub fn run(which: Builtin, call: &Call, frame: &[u64; LANES], context: &mut Context<'_>, mask: u32) -> Flow {
    let (name, parameters) = which.signature();
    if let Builtin::DeviceRuntime(_) = which {
        context.worker.unsupported = Some(format!("`{name}` of CUDA's device runtime"));
        return Flow::Stop;
    }
    if call.arguments.len() != parameters {
        let passed = call.arguments.len();
        let message = format!("`{name}` takes {parameters} parameters, the call passes {passed}");
        return context.fault(Kind::BadCall, mask.trailing_zeros() as usize, message, Vec::new());
    }
    for lane in lanes_in(mask) {
        let site = Site { call, frame: frame[lane], lane };
        let served = match which {
            Builtin::Vprintf => print::vprintf(&site, context),
            Builtin::Malloc => heap::malloc(&site, context),
            Builtin::Free => heap::free(&site, context),
            Builtin::Assertfail => assert::fail(&site, context),
            Builtin::GraphSetConditional => set_conditional(&site, context),
            Builtin::DeviceRuntime(_) => Ok(()),
        };
        if let Err(flow) = served {
            return flow;
        }
    }
    Flow::Next
}

/// Tells the host which way a graph goes on.
fn set_conditional(site: &Site<'_>, context: &mut Context<'_>) -> Result<(), Flow> {
    let (handle, value) = (site.argument(context, 0), site.argument(context, 1) as u32);
    match context.run.environment.set_conditional {
        Some(set) => {
            set(handle, value);
            Ok(())
        }
        None => {
            context.worker.unsupported = Some("`cudaGraphSetConditional` outside of a graph".into());
            Err(Flow::Stop)
        }
    }
}
