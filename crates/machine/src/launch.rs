//! What a launch is made of: its shape, its parameters, how it is executed, and what it hands to the host.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::door::follower::Follower;
use crate::event::Event;
use crate::explain::mistake::Mistakes;
use crate::schedule::dependency::GridStatus;
use crate::settings::Settings;
use crate::state::frame::Tier;
use ptxvm_profile::Profile;

/// The shape of a launch and how to run it.
#[derive(Clone, Debug)]
pub struct Launch {
    /// CTAs in each dimension.
    pub grid: [u32; 3],
    /// Threads of a CTA in each dimension.
    pub block: [u32; 3],
    /// CTAs of a cluster in each dimension; `None` if the launch does not speak of clusters. Each divides the grid's.
    pub cluster: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// The parameter block, laid out as the kernel's parameters are.
    pub parameters: Vec<u8>,
    /// How it is executed.
    pub settings: Settings,
    /// Whether all CTAs are resident together and can wait for each other: the guest then finds a workspace for it.
    pub cooperative: bool,
    /// Tells the grids that depend on this one how far it is.
    pub status: Option<Arc<GridStatus>>,
    /// The grids whose end `griddepcontrol.wait` waits for.
    pub prerequisites: Vec<Arc<GridStatus>>,
    /// Takes the mistakes that an H200 survives, with [`Findings::Report`](crate::Findings::Report), if somebody wants to know.
    pub mistakes: Option<Arc<Mistakes>>,
    /// Follows what touches memory and orders it. The kernel must have been linked with an observer, and there must be one host
    /// thread.
    pub follower: Option<Arc<dyn Follower>>,
    /// Where there is compiled code of the kernel for CTAs of this shape. It must have been made for them.
    pub tier: Option<Arc<dyn Tier>>,
    /// How the host watches and stops the launch.
    pub control: Arc<Control>,
}

impl Default for Launch {
    fn default() -> Self {
        Self {
            grid: [1; 3],
            block: [1; 3],
            cluster: None,
            shared: 0,
            parameters: Vec::new(),
            settings: Settings::default(),
            cooperative: false,
            status: None,
            prerequisites: Vec::new(),
            mistakes: None,
            follower: None,
            tier: None,
            control: Arc::default(),
        }
    }
}

impl Launch {
    /// CTAs of a cluster in each dimension; a CTA that belongs to none is one of its own.
    #[must_use]
    pub fn cluster_shape(&self) -> [u32; 3] {
        self.cluster.unwrap_or([1; 3])
    }
}

/// What the host and a running launch share.
#[derive(Debug, Default)]
pub struct Control {
    /// Set it to stop the launch soon. Launches may have it in common.
    pub stop: Arc<AtomicBool>,
    /// How many CTAs have ended.
    pub ctas_done: AtomicU64,
}

/// What a launch works with besides its own shape: the device and the way for text out of it.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    /// The device's global memory.
    pub memory: &'a ptxvm_memory::GlobalMemory,
    /// The textures, samplers and surfaces that handles stand for.
    pub objects: &'a ptxvm_texture::Objects,
    /// The device's limits and numbers.
    pub profile: &'a Profile,
    /// Takes what the guest prints, whole lines or parts of them.
    pub print: &'a (dyn Fn(&[u8]) + Sync),
    /// Takes the value that the guest gives a conditional node of a graph (`cudaGraphSetConditional`), with the
    /// handle of the node. Without it, there is no graph.
    pub set_conditional: Option<&'a (dyn Fn(u64, u32) + Sync)>,
    /// Takes what happens that orders memory. Without it, nothing is noted.
    pub on_event: Option<&'a (dyn Fn(&Event) + Sync)>,
}
