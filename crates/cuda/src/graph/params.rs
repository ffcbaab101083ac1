//! Converts the parameters of nodes between C structures and [`Content`](super::content::Content).
#![allow(unsafe_code)]

use std::sync::Arc;

use super::content::KernelNode;
use super::definition::{CUgraph, Graph};
use crate::abi::{
    Answer, CUDA_HOST_NODE_PARAMS_v1, CUDA_KERNEL_NODE_PARAMS_v1, CUDA_KERNEL_NODE_PARAMS_v2,
    CUDA_MEMSET_NODE_PARAMS_v1, CUresult, Host, In,
};
use crate::context::{CUcontext, Context, current};
use crate::launch::check::{check_cooperative, check_shape, check_shared};
use crate::launch::cluster;
use crate::launch::parameters::collect;
use crate::memory::{Cuboid, may_be_there};
use crate::module::{CUkernel, launchable_in};
use crate::work::{Copy, Fill, HostCall, KernelLaunch, Side, Ties};

/// What the program was shown by pointers, which stay good until the node changes.
#[derive(Default)]
pub struct Shown {
    /// The values of a kernel's parameters, each at an address that suits any type.
    values: Vec<Vec<u128>>,
    /// Their addresses.
    pointers: Vec<Host>,
    /// The graphs of a conditional node.
    bodies: Vec<CUgraph>,
}

impl Shown {
    /// Keeps a kernel's parameters and gives the array of their addresses.
    fn parameters(&mut self, parameters: &[Vec<u8>]) -> In<In<u8>> {
        if self.pointers.len() != parameters.len() {
            self.values = parameters.iter().map(|bytes| words(bytes)).collect();
            self.pointers = self.values.iter().map(|words| Host(words.as_ptr().cast_mut().cast())).collect();
        }
        // SAFETY: as many pointers as the kernel has parameters, each to as many bytes; they are kept as long as the program
        // may look at them, and a `Host` is a pointer as an `In` is.
        unsafe { In::new(self.pointers.as_ptr().cast()) }
    }

    /// Keeps the handles of a conditional node's graphs and gives the array of them.
    pub fn bodies(&mut self, bodies: &[Arc<Graph>]) -> In<CUgraph> {
        if self.bodies.len() != bodies.len() {
            self.bodies = bodies.iter().map(|body| body.handle).collect();
        }
        // SAFETY: the handles are kept as long as the program may look at them.
        unsafe { In::new(self.bodies.as_ptr()) }
    }
}

/// Bytes in words that suit any type. There is always one, so that no pointer is to nothing.
fn words(bytes: &[u8]) -> Vec<u128> {
    let mut words: Vec<u128> = bytes
        .chunks(16)
        .map(|chunk| {
            let mut word = [0; 16];
            word[..chunk.len()].copy_from_slice(chunk);
            u128::from_le_bytes(word)
        })
        .collect();
    if words.is_empty() {
        words.push(0);
    }
    words
}

/// The context that a node is made for: the one that is named, or the current one.
///
/// # Errors
/// There is none.
pub fn context(handle: CUcontext) -> Answer<Arc<Context>> {
    let context = if handle.is_null() { current()? } else { handle.get()? };
    context.check()?;
    Ok(context)
}

/// The kernel that a program describes, with the attributes of a node that it takes the place of.
///
/// # Errors
/// There is no such function, or parameters are missing.
pub fn kernel(params: &CUDA_KERNEL_NODE_PARAMS_v2, before: Option<&KernelNode>) -> Answer<KernelNode> {
    let v1 = &params.v1;
    // A kernel of a library stands in the place of a function where there is none.
    let kernel = if v1.func.is_null() { params.kern } else { CUkernel::NULL };
    let number = if v1.func.is_null() { kernel.number() } else { v1.func.number() };
    if number == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let function = launchable_in(number, || context(params.ctx))?;
    let parameters = collect(&function, v1.kernel_params, v1.extra)?;
    // What a launch says of its clusters stays with the node; what its kernel says does not.
    let wished = before
        .map(|before| &before.launch)
        .and_then(|launch| launch.cluster.filter(|size| launch.function.kernel.cluster() != Some(*size)));
    let mut launch = KernelLaunch {
        function,
        grid: v1.grid,
        block: v1.block,
        shared: v1.shared_bytes,
        parameters,
        cooperative: before.is_some_and(|before| before.launch.cooperative),
        early: before.is_some_and(|before| before.launch.early),
        cluster: None,
        ties: Ties::default(),
    };
    check_shape(&launch)?;
    launch.cluster = cluster::of(&launch.function, v1.grid, wished)?;
    check_shared(&launch)?;
    check_cooperative(&launch)?;
    Ok(KernelNode {
        launch,
        kernel,
        attributes: before.map(|before| before.attributes.clone()).unwrap_or_default(),
    })
}

/// A kernel as programs are told of it.
pub fn show_kernel(node: &KernelNode, shown: &mut Shown) -> CUDA_KERNEL_NODE_PARAMS_v2 {
    let launch = &node.launch;
    let v1 = CUDA_KERNEL_NODE_PARAMS_v1 {
        func: launch.function.handle,
        grid: launch.grid,
        block: launch.block,
        shared_bytes: launch.shared,
        kernel_params: shown.parameters(&launch.parameters),
        extra: In::NULL,
    };
    let ctx = launch.function.context.upgrade().map_or(CUcontext::NULL, |context| context.handle);
    CUDA_KERNEL_NODE_PARAMS_v2 { v1, kern: node.kernel, ctx }
}

/// The copy that a program describes.
///
/// # Errors
/// It is none, its rows overlap, or its addresses run over.
pub fn copy(said: &Cuboid) -> Answer<Copy> {
    let copy = said.describe()?;
    let empty = copy.width == 0 || copy.height == 0 || copy.depth == 0;
    let inside = |side: &Side| {
        // The place of an array has been compared with its sizes.
        if side.array.is_some() {
            return true;
        }
        let address = side.place.unified();
        may_be_there(side.place) && copy.extent(side).is_some_and(|n| address.checked_add(n).is_some())
    };
    if empty || !inside(&copy.to) || !inside(&copy.from) { Err(CUresult::INVALID_VALUE) } else { Ok(copy) }
}

/// The fill that a program describes.
///
/// # Errors
/// Elements of another size than 1, 2 or 4 bytes, an address that does not suit them, or rows that overlap.
pub fn fill(params: &CUDA_MEMSET_NODE_PARAMS_v1) -> Answer<Fill> {
    let element = params.element_size;
    let row = (params.width as u64).checked_mul(element.into()).ok_or(CUresult::INVALID_VALUE)?;
    let apart = params.height <= 1 || params.pitch as u64 >= row;
    let size = (params.pitch as u64).checked_mul(params.height as u64);
    let inside = size.and_then(|size| params.dst.checked_add(size)?.checked_add(row)).is_some();
    let fits = matches!(element, 1 | 2 | 4) && params.dst.is_multiple_of(element.into());
    if !fits || !apart || !inside || row == 0 || params.height == 0 || params.dst == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    Ok(Fill {
        address: params.dst,
        pitch: params.pitch as u64,
        value: params.value,
        element,
        width: params.width as u64,
        height: params.height as u64,
    })
}

/// A fill as programs are told of it.
pub fn show_fill(fill: &Fill) -> CUDA_MEMSET_NODE_PARAMS_v1 {
    CUDA_MEMSET_NODE_PARAMS_v1 {
        dst: fill.address,
        pitch: fill.pitch as usize,
        value: fill.value,
        element_size: fill.element,
        width: fill.width as usize,
        height: fill.height as usize,
    }
}

/// The call that a program describes.
///
/// # Errors
/// There is no function.
pub fn host(params: &CUDA_HOST_NODE_PARAMS_v1) -> Answer<HostCall> {
    let function = params.function.ok_or(CUresult::INVALID_VALUE)?;
    Ok(HostCall { function, data: params.user_data })
}

/// A call as programs are told of it.
pub fn show_host(call: &HostCall) -> CUDA_HOST_NODE_PARAMS_v1 {
    CUDA_HOST_NODE_PARAMS_v1 { function: Some(call.function), user_data: call.data }
}
