//! What each instruction of a program is to the memory model: its order, its scope, and what it accesses at once.

use ptxvm_ir::operation::access::{Access, AtomicFunction};
use ptxvm_ir::operation::copy::{Copy, TensorTransfer};
use ptxvm_ir::operation::fence::{FenceSpace, ProxyKind};
use ptxvm_ir::operation::matrix::Matrix;
use ptxvm_ir::operation::mbarrier::Mbarrier;
use ptxvm_ir::operation::surface::Surface;
use ptxvm_ir::operation::tcgen05::Tcgen05;
use ptxvm_ir::operation::{Operation, Order};
use ptxvm_ir::{Program, operation};
use ptxvm_machine::code::Source;
use ptxvm_model::event::Scope;
use ptxvm_syntax::ast::Span;

use crate::guess::guesses;

/// The number of an instruction in a program.
pub type SiteId = u32;

/// How an instruction touches memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// `ld`
    Load,
    /// `st`
    Store,
    /// `atom`, and `red`, which reads nothing that it could acquire by.
    Atomic { reduction: bool },
    /// A warp loads or stores a matrix together.
    Together,
    /// Otherwise, or not at all.
    Other,
}

/// Who carries out what an instruction asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// Its thread, or, for copies that say themselves how they complete, the async proxy.
    Any,
    /// `cp.async`, for which its thread waits by groups, or which `cp.async.mbarrier.arrive` tells of.
    Copies,
    /// `wgmma.mma_async`
    Products,
    /// `tcgen05`
    Tensor,
    /// `tcgen05.ld`
    TensorLoads,
    /// `tcgen05.st`
    TensorStores,
    /// `st.async` and `red.async`
    Stores,
}

/// What an instruction is to the memory model.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    pub manner: Manner,
    pub order: Order,
    pub scope: Scope,
    /// The bytes that are one access; a vector is one for each of its elements.
    pub element: u32,
    pub span: Span,
    /// What `.loc` says of it, as the program numbers it.
    pub location: u32,
    /// Whether it is a fence between the generic proxy and another: the async one for shared memory, the same for global
    /// memory, that of tensor maps, and that of mbarrier objects that have been initialised.
    pub fences: [bool; 4],
    pub carrier: Carrier,
    /// `ld.global.nc`: nobody may write what it reads for as long as the kernel runs.
    pub constant: bool,
    /// Whether it combines what it writes with what is there, as an asynchronous operation.
    pub reduces: bool,
    /// Whether it writes only if a comparison holds (`atom.cas`).
    pub compares: bool,
    /// Whether it is a weak load of what an `atom.cas` of the same place expects to find.
    pub guesses: bool,
    /// Whether it makes an mbarrier object, or puts an end to one: that is an ordinary write.
    pub makes_mbarrier: bool,
}

impl Site {
    pub fn is_strong(&self) -> bool {
        self.order.is_strong()
    }
}

/// All instructions of a program.
#[derive(Debug)]
pub struct Sites {
    /// By function: the number of its first instruction.
    first: Vec<SiteId>,
    all: Vec<Site>,
}

impl Sites {
    pub fn of(program: &Program) -> Self {
        let (mut first, mut all) = (Vec::new(), Vec::new());
        for function in &program.functions {
            let begin = all.len();
            first.push(begin as SiteId);
            all.extend(function.instructions.iter().map(|instruction| {
                let site = program.operation(instruction).map_or(OTHER, site);
                Site { span: instruction.span, location: instruction.location, ..site }
            }));
            guesses(program, function).into_iter().for_each(|at| all[begin + at as usize].guesses = true);
        }
        Self { first, all }
    }

    /// The number of an instruction.
    pub fn id(&self, source: Source) -> SiteId {
        self.first.get(source.function.0 as usize).map_or(0, |first| first + source.instruction)
    }

    /// The instructions that begin between two bytes of the source.
    pub fn within(&self, line: Span) -> Vec<SiteId> {
        let inside = |site: &Site| (line.start..line.end).contains(&site.span.start);
        (0..).zip(&self.all).filter(|(_, site)| inside(site)).map(|(id, _)| id).collect()
    }

    pub fn get(&self, id: SiteId) -> Site {
        self.all.get(id as usize).copied().unwrap_or(OTHER)
    }
}

const OTHER: Site = Site {
    manner: Manner::Other,
    order: Order::Weak,
    scope: Scope::Sys,
    element: 16,
    span: Span { start: 0, end: 0 },
    location: 0,
    fences: [false; 4],
    carrier: Carrier::Any,
    constant: false,
    reduces: false,
    compares: false,
    guesses: false,
    makes_mbarrier: false,
};

/// What says no scope is for the device.
fn scope_or(said: Option<operation::Scope>, otherwise: Scope) -> Scope {
    match said {
        None => otherwise,
        Some(operation::Scope::Cta) => Scope::Cta,
        Some(operation::Scope::Cluster) => Scope::Cluster,
        Some(operation::Scope::Gpu) => Scope::Gpu,
        Some(operation::Scope::Sys) => Scope::Sys,
    }
}

fn site(operation: &Operation) -> Site {
    match operation {
        Operation::Access(Access::Load(words)) => Site {
            manner: Manner::Load,
            constant: words.constant,
            order: words.order,
            scope: scope_or(words.scope, Scope::Sys),
            element: words.bits / 8,
            ..OTHER
        },
        Operation::Access(Access::Store(words)) => Site {
            manner: Manner::Store,
            order: words.order,
            scope: scope_or(words.scope, Scope::Sys),
            element: words.bits / 8,
            ..OTHER
        },
        Operation::Access(Access::Atomic(atomic)) => Site {
            manner: Manner::Atomic { reduction: atomic.destinations == 0 },
            order: if atomic.order == Order::Weak { Order::Relaxed } else { atomic.order },
            scope: scope_or(atomic.scope, Scope::Gpu),
            element: atomic.element_bytes(),
            compares: atomic.function == AtomicFunction::Cas,
            ..OTHER
        },
        Operation::Matrix(
            Matrix::WmmaLoad(_) | Matrix::WmmaStore(_) | Matrix::Load(_) | Matrix::Store(_),
        ) => Site { manner: Manner::Together, ..OTHER },
        Operation::Fence(fence) => Site {
            order: fence.order.unwrap_or(Order::Weak),
            scope: scope_or(fence.scope, Scope::Sys),
            fences: match (fence.proxy, fence.space) {
                (Some(ProxyKind::Async | ProxyKind::AsyncGeneric), None) => [true, true, false, false],
                (Some(ProxyKind::Async | ProxyKind::AsyncGeneric), Some(FenceSpace::Global)) => {
                    [false, true, false, false]
                }
                (Some(ProxyKind::Async | ProxyKind::AsyncGeneric), Some(_)) => [true, false, false, false],
                (Some(ProxyKind::Tensormap), _) => {
                    [false, false, fence.order.is_some_and(Order::acquires), false]
                }
                _ => [false, false, false, fence.name == "fence.mbarrier_init"],
            },
            ..OTHER
        },
        Operation::Matrix(Matrix::Wgmma(_)) => Site { carrier: Carrier::Products, ..OTHER },
        Operation::Tcgen05(operation) => {
            let carrier = match operation {
                Tcgen05::Load { .. } => Carrier::TensorLoads,
                Tcgen05::Store(_) => Carrier::TensorStores,
                _ => Carrier::Tensor,
            };
            // A warp executes what is `.aligned` together.
            Site { carrier, manner: Manner::Together, ..OTHER }
        }
        Operation::Surface(Surface::Reduce { .. }) => Site { reduces: true, ..OTHER },
        // It tells no mbarrier object: it is a strong write that releases (8.8).
        Operation::Copy(Copy::StoreAsync(store)) if store.mbarrier.is_none() => {
            let (carrier, element) = (Carrier::Stores, store.width as u32);
            Site { carrier, manner: Manner::Store, order: Order::Release, element, ..OTHER }
        }
        Operation::Copy(copy) => Site {
            carrier: match copy {
                Copy::Async(_) | Copy::Arrive { .. } => Carrier::Copies,
                Copy::StoreAsync(_) => Carrier::Stores,
                _ => Carrier::Any,
            },
            reduces: match copy {
                Copy::Bulk(bulk) => bulk.reduction.is_some(),
                Copy::Tensor(tensor) => {
                    matches!(tensor.transfer, TensorTransfer::FromShared { reduction: Some(_), .. })
                }
                Copy::StoreAsync(store) => store.reduction.is_some(),
                _ => false,
            },
            ..OTHER
        },
        Operation::Mbarrier(Mbarrier::Init { .. } | Mbarrier::Inval { .. }) => {
            Site { makes_mbarrier: true, ..OTHER }
        }
        Operation::Mbarrier(Mbarrier::Arrive(arrive)) => {
            Site { order: arrive.order, scope: scope_or(arrive.scope, Scope::Cta), ..OTHER }
        }
        Operation::Mbarrier(Mbarrier::Wait(wait)) => {
            Site { order: wait.order, scope: scope_or(wait.scope, Scope::Cta), ..OTHER }
        }
        _ => OTHER,
    }
}
