//! What the tests of graphs build with: the structures that describe nodes, and a graph that destroys itself.

use std::ffi::c_void;

use crate::client::{Handle, answer, call, make};

pub const INVALID_VALUE: u32 = 1;
pub const NOT_SUPPORTED: u32 = 801;
pub const UPDATE_FAILURE: u32 = 910;
pub const INVALID_CLUSTER_SIZE: u32 = 912;

/// `CUDA_KERNEL_NODE_PARAMS_v2`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Kernel {
    pub function: Handle,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub parameters: *const *const u64,
    pub extra: *const c_void,
    pub kernel: Handle,
    pub context: Handle,
}

/// `CUDA_MEMSET_NODE_PARAMS`
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    pub to: u64,
    pub pitch: usize,
    pub value: u32,
    pub element: u32,
    pub width: usize,
    pub height: usize,
}

/// `CUDA_MEMCPY3D`: words, of which the tests set the few that a line needs.
pub type Copy = [u64; 25];

/// `CUgraphNodeParams`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Params {
    pub kind: u32,
    pub reserved: [u32; 3],
    pub words: [u64; 30],
}

/// A kernel node's description; the values must outlive the call that takes it.
pub fn kernel(function: Handle, pointers: &[*const u64]) -> Kernel {
    let (parameters, extra) = (pointers.as_ptr(), std::ptr::null());
    Kernel { function, grid: [1; 3], block: [1; 3], shared: 0, parameters, extra, kernel: 0, context: 0 }
}

/// A copy of bytes from the device to the host or the other way.
pub fn line(from_host: bool, from: u64, to: u64, bytes: u64) -> Copy {
    let mut copy = [0; 25];
    let (source, target) = if from_host { ((4, 1, 5), (15, 2, 17)) } else { ((4, 2, 6), (15, 1, 16)) };
    (copy[source.0], copy[source.2]) = (source.1, from);
    (copy[target.0], copy[target.2]) = (target.1, to);
    (copy[22], copy[23], copy[24]) = (bytes, 1, 1);
    copy
}

pub struct Graph(pub Handle);

impl Graph {
    #[track_caller]
    pub fn new() -> Self {
        Self(make("cuGraphCreate", |made| answer("cuGraphCreate", (made, 0u32))))
    }

    /// Adds a node that appends a number to a list.
    #[track_caller]
    pub fn append(&self, function: Handle, after: &[Handle], list: u64, value: u64) -> Handle {
        let values = [list, value];
        let pointers = [&raw const values[0], &raw const values[1]];
        let said = kernel(function, &pointers);
        let (list, count) = (after.as_ptr(), after.len());
        make("a kernel node", |made| {
            answer("cuGraphAddKernelNode_v2", (made, self.0, list, count, &raw const said))
        })
    }

    #[track_caller]
    pub fn empty(&self, after: &[Handle]) -> Handle {
        let (list, count) = (after.as_ptr(), after.len());
        make("an empty node", |made| answer("cuGraphAddEmptyNode", (made, self.0, list, count)))
    }

    #[track_caller]
    pub fn instantiate(&self) -> Handle {
        make("an executable graph", |made| answer("cuGraphInstantiateWithFlags", (made, self.0, 0u64)))
    }

    /// The handles that an entry point lists.
    #[track_caller]
    pub fn list(&self, entry: &str) -> Vec<Handle> {
        let mut count = 0usize;
        call(entry, (self.0, std::ptr::null_mut::<Handle>(), &raw mut count));
        let mut handles = vec![0; count];
        call(entry, (self.0, handles.as_mut_ptr(), &raw mut count));
        handles
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        answer("cuGraphDestroy", (self.0,));
    }
}

/// Launches an executable graph in the legacy stream and waits.
#[track_caller]
pub fn run(exec: Handle) {
    call("cuGraphLaunch", (exec, 0u64));
    call("cuCtxSynchronize", ());
}

pub const KERNELS: &str = include_str!("../kernels.ptx");

/// A node of any kind, with the words of its description.
pub fn params(kind: u32, words: &[u64]) -> Params {
    let mut all = [0; 30];
    all[..words.len()].copy_from_slice(words);
    Params { kind, reserved: [0; 3], words: all }
}

#[track_caller]
pub fn add(graph: &Graph, after: &[Handle], said: &mut Params) -> Handle {
    let (list, count, data) = (after.as_ptr(), after.len(), std::ptr::null::<u8>());
    make("a node", |made| {
        answer("cuGraphAddNode_v2", (made, graph.0, list, data, count, std::ptr::from_mut(said)))
    })
}

/// `CUDA_MEM_ALLOC_NODE_PARAMS`: pinned memory of the device.
pub fn allocation(bytes: u64) -> [u64; 15] {
    let mut words = [0; 15];
    (words[0], words[1], words[13]) = (1, 1, bytes);
    words
}
