//! Memory of graphs: nodes that allocate and free it, and the device's numbers about it.
//!
//! The address must be known when the node is made, so the memory is allocated then. It is freed when no graph, executable
//! graph or launch knows it any more; a launch only makes it usable.
#![allow(unsafe_code)]

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use ptxvm_memory::AllocationKind;
use ptxvm_vm::Device;

use super::content::Content;
use super::launch::GraphLaunch;
use super::plan::Plan;
use crate::abi::{Answer, CUDA_MEM_ALLOC_NODE_PARAMS, CUdevice, CUdeviceptr, CUresult, Host, In, Out};
use crate::context::Context;
use crate::driver;
use crate::entry::entry;
use crate::memory::{
    CUmemAccessDesc, CUmemLocation, CUmemPoolProps, MANAGED, PINNED, Where, forget_graph, insert_graph,
};
use crate::stream::{Stream, capture};
use crate::work::Operation;

/// Memory of an allocation node.
pub struct Allocation {
    pub address: CUdeviceptr,
    /// What the program said, with the address.
    pub params: CUDA_MEM_ALLOC_NODE_PARAMS,
    device: Device,
    /// Whether a launch has allocated it and nobody has freed it since, in the order of the calls.
    live: AtomicBool,
}

/// The allocations that are live: the program may use them after the launch, and frees them itself.
static LIVE: LazyLock<Mutex<HashMap<CUdeviceptr, Arc<Allocation>>>> = LazyLock::new(Mutex::default);
/// What is live and what is taken, each with its highest value so far.
static USED: Level = Level::new();
static RESERVED: Level = Level::new();

/// An amount and its highest value.
struct Level {
    current: AtomicU64,
    high: AtomicU64,
}

impl Level {
    const fn new() -> Self {
        Self { current: AtomicU64::new(0), high: AtomicU64::new(0) }
    }

    fn add(&self, bytes: u64) {
        let now = self.current.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.high.fetch_max(now, Ordering::Relaxed);
    }

    fn subtract(&self, bytes: u64) {
        self.current.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Allocation {
    /// Takes memory for a node.
    ///
    /// # Errors
    /// It is not for this device, or there is not so much.
    pub fn new(context: &Context, mut params: CUDA_MEM_ALLOC_NODE_PARAMS) -> Answer<Arc<Self>> {
        let properties = &params.pool_props;
        let here = properties.location.place()? == Where::Device;
        let kind = match properties.kind {
            PINNED => AllocationKind::Device,
            MANAGED => AllocationKind::Managed,
            _ => return Err(CUresult::INVALID_VALUE),
        };
        if params.bytesize == 0 || !here || properties.handle_types != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        // SAFETY: the program promises as many of them as it says, for the time of the call.
        let descriptions = unsafe { In::new(params.access_descs.0.cast::<CUmemAccessDesc>()) };
        for index in 0..params.access_desc_count {
            let access = descriptions.at(index)?;
            if access.location.place()? != Where::Device {
                return Err(CUresult::INVALID_VALUE);
            }
        }
        let memory = context.device.memory();
        let allocated = memory.allocate(params.bytesize as u64, 1, kind, None);
        let address = allocated.map_err(|_| CUresult::OUT_OF_MEMORY)?;
        RESERVED.add(params.bytesize as u64);
        params.dptr = address;
        // The list is the program's own; there is one device, which may always use its memory.
        (params.access_descs, params.access_desc_count) = (Host::NULL, 0);
        insert_graph(address, params.bytesize as u64, kind);
        Ok(Arc::new(Self { address, params, device: context.device.clone(), live: AtomicBool::new(false) }))
    }

    fn begin(self: &Arc<Self>) {
        if !self.live.swap(true, Ordering::AcqRel) {
            USED.add(self.params.bytesize as u64);
        }
        live().insert(self.address, Arc::clone(self));
    }

    fn end(&self) {
        if self.live.swap(false, Ordering::AcqRel) {
            USED.subtract(self.params.bytesize as u64);
        }
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        self.end();
        RESERVED.subtract(self.params.bytesize as u64);
        forget_graph(self.address);
        // The address came from an allocation that nothing else frees; a context's end may have taken all with it.
        let _ = self.device.free(self.address);
    }
}

fn live() -> MutexGuard<'static, HashMap<CUdeviceptr, Arc<Allocation>>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Frees memory that a launch left, when a stream gets there: what `cuMemFreeAsync` and `cuMemFree` ask first.
/// Says whether it was such memory.
///
/// # Errors
/// The stream cannot be used.
pub fn free_left(address: CUdeviceptr, stream: &Arc<Stream>) -> Answer<bool> {
    let Some(allocation) = live().remove(&address) else { return Ok(false) };
    let launch = GraphLaunch::keeping(Arc::clone(&allocation));
    match stream.submit(Operation::Graph(Arc::new(launch)), &[]) {
        Ok(_) => {
            allocation.end();
            Ok(true)
        }
        Err(result) => {
            // What could not be asked for has not been done.
            live().insert(address, allocation);
            Err(result)
        }
    }
}

/// Takes down an allocation in a stream that is being captured: what `cuMemAllocAsync` asks first.
///
/// # Errors
/// There is not so much memory, or the capture has failed.
pub fn capture_allocation(bytes: usize, stream: &Arc<Stream>) -> Answer<Option<CUdeviceptr>> {
    if !stream.is_capturing() {
        return Ok(None);
    }
    let mut params = CUDA_MEM_ALLOC_NODE_PARAMS::on_device();
    params.bytesize = bytes;
    let allocation = Allocation::new(&*stream.context()?, params)?;
    let address = allocation.address;
    capture::add(stream, Content::Allocate(allocation))?;
    Ok(Some(address))
}

/// Takes down a free in a stream that is being captured: what `cuMemFreeAsync` asks first.
///
/// # Errors
/// The capture has failed.
pub fn capture_free(address: CUdeviceptr, stream: &Arc<Stream>) -> Answer<bool> {
    if !stream.is_capturing() {
        return Ok(false);
    }
    capture::add(stream, Content::Free(address)).map(|()| true)
}

/// Whether a plan can be launched: what it allocates must have been freed, and what it frees must be there.
///
/// # Errors
/// It is not so.
pub fn check(plan: &Plan, free_first: bool) -> Answer {
    let mut fine = true;
    let mut own = Vec::new();
    plan.each(&mut |step| match &step.content {
        Content::Allocate(allocation) => {
            own.push(allocation.address);
            if free_first {
                allocation.end();
                live().remove(&allocation.address);
            }
            fine &= !allocation.live.load(Ordering::Acquire);
        }
        Content::Free(address) => fine &= own.contains(address) || live().contains_key(address),
        _ => {}
    });
    if fine { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}

/// Notes what a launch allocates and frees.
pub fn account(plan: &Plan) {
    plan.each(&mut |step| match &step.content {
        Content::Allocate(allocation) => allocation.begin(),
        Content::Free(address) => {
            if let Some(allocation) = live().remove(address) {
                allocation.end();
            }
        }
        _ => {}
    });
}

impl CUDA_MEM_ALLOC_NODE_PARAMS {
    /// Memory of the device, as much as will be said.
    fn on_device() -> Self {
        let pool_props = CUmemPoolProps {
            kind: PINNED,
            handle_types: 0,
            location: CUmemLocation::DEVICE,
            win32: 0,
            max_size: 0,
            usage: 0,
            rdma: 0,
            reserved: [0; 53],
        };
        Self { pool_props, access_descs: Host::NULL, access_desc_count: 0, bytesize: 0, dptr: 0 }
    }
}

/// `CUgraphMem_attribute`
fn attribute(number: u32) -> Answer<&'static AtomicU64> {
    match number {
        0 => Ok(&USED.current),
        1 => Ok(&USED.high),
        2 => Ok(&RESERVED.current),
        3 => Ok(&RESERVED.high),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

entry! {
    fn cuDeviceGraphMemTrim(device: CUdevice) {
        // What no graph knows any more has been given back already.
        driver::device(device).map(|_| ())
    }

    fn cuDeviceGetGraphMemAttribute(device: CUdevice, number: u32, value: Out<u64>) {
        driver::device(device)?;
        value.set(attribute(number)?.load(Ordering::Relaxed))
    }

    fn cuDeviceSetGraphMemAttribute(device: CUdevice, number: u32, value: In<u64>) {
        driver::device(device)?;
        // Only the highest values can be set, and only back to nothing.
        let high = attribute(number)?;
        if number.is_multiple_of(2) || value.get()? != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        high.store(0, Ordering::Relaxed);
        Ok(())
    }
}
