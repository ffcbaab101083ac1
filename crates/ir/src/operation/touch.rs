//! The memory that an operation touches: what names the bytes, whether they are read or written, in which order, in which
//! scope, and through which proxy (the manual's chapter 8).
//!
//! Only a run can tell which bytes these are; the order and the proxy follow from the instruction.

use smallvec::{SmallVec, smallvec};

use super::access::{Access, Words};
use super::address::{Address, AddressSpace};
use super::cluster::Cluster;
use super::copy::{Copy, TensorTransfer};
use super::hint::Hint;
use super::matrix::{Matrix, Wgmma, WgmmaA};
use super::mbarrier::Mbarrier;
use super::meaning::Operation;
use super::order::{Order, Scope};
use super::surface::Surface;
use super::tcgen05::{Tcgen05, Tcgen05A};
use super::texture::Texture;

/// A method of access to memory (the manual's 8.6). Accesses through different proxies are ordered by proxy fences only.
#[derive(Clone, core::marker::Copy, Debug, PartialEq, Eq, Hash)]
pub enum Proxy {
    /// That of ordinary loads, stores and atomics, of `cp.async` and `st.async`, and of what operations of the async proxy
    /// do to mbarrier objects.
    Generic,
    /// That of bulk and tensor copies, of `wgmma`, and of what `tcgen05` does to shared memory.
    Async,
    /// That by which copies read tensor maps.
    Tensormap,
    /// That of textures.
    Texture,
    /// That of surfaces.
    Surface,
    /// That of constants and parameters.
    Constant,
    /// Tensor memory, which has its own ways of ordering.
    Tensor,
}

/// What is done to memory.
#[derive(Clone, core::marker::Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// It is read.
    Read,
    /// It is written.
    Write,
    /// It is read and written, each element as one step.
    Update,
}

/// What names the bytes.
#[derive(Clone, core::marker::Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// An address among the operands.
    Address(Address),
    /// An mbarrier object at an address among the operands.
    Mbarrier(Address),
    /// Coordinates in the tensor of the map at this address.
    Tensor(Address),
    /// A matrix descriptor: bytes of shared memory. Which operand has it.
    Descriptor(usize),
    /// An address of tensor memory.
    TensorMemory(Address),
    /// The handle of a texture or surface. Which operand has it.
    Handle(usize),
    /// A name of an entry's parameter block.
    Parameter,
}

/// Memory that an operation touches.
#[derive(Clone, core::marker::Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// What names it.
    pub named: Named,
    /// What is done to it.
    pub effect: Effect,
    /// How that is ordered.
    pub order: Order,
    /// For whom, if it says so.
    pub scope: Option<Scope>,
    /// The method of access.
    pub proxy: Proxy,
    /// Whether it happens after the instruction: something else says when it is complete.
    pub later: bool,
}

/// All that an operation touches.
pub type Touches = SmallVec<[Touch; 3]>;

impl Touch {
    /// A weak access through the generic proxy that is over with the instruction.
    const fn weak(named: Named, effect: Effect) -> Self {
        Self { named, effect, order: Order::Weak, scope: None, proxy: Proxy::Generic, later: false }
    }

    const fn by(self, proxy: Proxy) -> Self {
        Self { proxy, ..self }
    }

    const fn later(self) -> Self {
        Self { later: true, ..self }
    }

    const fn ordered(self, order: Order, scope: Option<Scope>) -> Self {
        Self { order, scope, ..self }
    }

    /// A few words of each lane.
    fn words(words: &Words, effect: Effect) -> Self {
        let proxy = if words.address.space == AddressSpace::Const { Proxy::Constant } else { Proxy::Generic };
        Self::weak(Named::Address(words.address), effect).by(proxy).ordered(words.order, words.scope)
    }

    /// The mbarrier object that a copy tells when it is complete.
    fn told(object: Address) -> Self {
        let update = Self::weak(Named::Mbarrier(object), Effect::Update).later();
        update.ordered(Order::Release, Some(Scope::Cluster))
    }

    fn read(address: Address) -> Self {
        Self::weak(Named::Address(address), Effect::Read)
    }

    fn write(address: Address) -> Self {
        Self::weak(Named::Address(address), Effect::Write)
    }

    /// What a copy writes, or combines with what is there.
    fn result(named: Named, reduced: bool) -> Self {
        match reduced {
            true => Self::weak(named, Effect::Update).ordered(Order::Relaxed, Some(Scope::Gpu)),
            false => Self::weak(named, Effect::Write),
        }
    }
}

impl Operation {
    /// The memory that it touches.
    #[must_use]
    pub fn touches(&self) -> Touches {
        match self {
            Self::Access(access) => smallvec![of_access(access)],
            Self::Copy(copy) => of_copy(copy),
            Self::Matrix(matrix) => of_matrix(matrix),
            Self::Tcgen05(tcgen05) => of_tcgen05(tcgen05),
            Self::Texture(Texture::Lookup(lookup)) => texels(lookup.sampling.texture),
            Self::Texture(Texture::Gather(gather)) => texels(gather.sampling.texture),
            Self::Surface(surface) => of_surface(surface),
            Self::Mbarrier(mbarrier) => of_mbarrier(mbarrier).into_iter().collect(),
            Self::Cluster(Cluster::TryCancel { response, mbarrier, .. }) => {
                smallvec![Touch::write(*response).by(Proxy::Async).later(), Touch::told(*mbarrier)]
            }
            Self::Hint(Hint::Discard(address)) => smallvec![Touch::write(*address)],
            Self::Texture(Texture::Query { .. } | Texture::IsType { .. })
            | Self::Cluster(_)
            | Self::Hint(_)
            | Self::Compute(_)
            | Self::Warp(_)
            | Self::Control(_)
            | Self::Fence(_)
            | Self::Generic(_)
            | Self::Special(_) => Touches::new(),
        }
    }
}

fn of_access(access: &Access) -> Touch {
    match access {
        Access::Load(words) => Touch::words(words, Effect::Read),
        Access::Store(words) => Touch::words(words, Effect::Write),
        Access::LoadParameter(_) => Touch::weak(Named::Parameter, Effect::Read).by(Proxy::Constant),
        Access::Atomic(atomic) => {
            Touch::weak(Named::Address(atomic.address), Effect::Update).ordered(atomic.order, atomic.scope)
        }
    }
}

fn of_copy(copy: &Copy) -> Touches {
    match copy {
        Copy::Async(copy) => smallvec![Touch::read(copy.from).later(), Touch::write(copy.to).later()],
        Copy::Arrive { object, .. } => smallvec![Touch::told(*object)],
        Copy::Bulk(bulk) => {
            let to = Touch::result(Named::Address(bulk.to), bulk.reduction.is_some());
            let moved = [Touch::read(bulk.from), to].map(|touch| touch.by(Proxy::Async).later());
            moved.into_iter().chain(bulk.mbarrier.map(Touch::told)).collect()
        }
        Copy::Tensor(tensor) => {
            let map = Touch::read(tensor.map).by(Proxy::Tensormap);
            let there = Named::Tensor(tensor.map);
            let moved = match tensor.transfer {
                TensorTransfer::ToShared { to, .. } => [Touch::weak(there, Effect::Read), Touch::write(to)],
                TensorTransfer::FromShared { from, reduction } => {
                    [Touch::read(from), Touch::result(there, reduction.is_some())]
                }
            };
            let told = match tensor.transfer {
                TensorTransfer::ToShared { mbarrier, .. } => Some(Touch::told(mbarrier)),
                TensorTransfer::FromShared { .. } => None,
            };
            let moved = moved.map(|touch| touch.by(Proxy::Async).later());
            [map].into_iter().chain(moved).chain(told).collect()
        }
        Copy::StoreAsync(store) => {
            let to = Touch::result(Named::Address(store.to), store.reduction.is_some()).later();
            [to].into_iter().chain(store.mbarrier.map(Touch::told)).collect()
        }
        Copy::StoreBulk { to, .. } => smallvec![Touch::write(*to)],
        Copy::ReplaceField { map, .. } => smallvec![Touch::weak(Named::Address(*map), Effect::Update)],
        Copy::PublishMap { to, from } => smallvec![Touch::read(*from), Touch::write(*to)],
        Copy::Commit
        | Copy::Wait { .. }
        | Copy::BulkPrefetch { .. }
        | Copy::BulkCommit
        | Copy::BulkWait { .. }
        | Copy::TensorPrefetch => Touches::new(),
    }
}

/// A matrix in shared memory that a tensor core reads.
fn described(descriptor: usize) -> Touch {
    Touch::weak(Named::Descriptor(descriptor), Effect::Read).by(Proxy::Async).later()
}

fn of_matrix(matrix: &Matrix) -> Touches {
    match matrix {
        Matrix::WmmaLoad(matrix) => smallvec![Touch::read(matrix.address)],
        Matrix::WmmaStore(matrix) => smallvec![Touch::write(matrix.address)],
        Matrix::Load(moved) => smallvec![Touch::read(moved.address)],
        Matrix::Store(moved) => smallvec![Touch::write(moved.address)],
        Matrix::Wgmma(Wgmma::Product(product)) => {
            let a = match product.a {
                WgmmaA::Shared { descriptor, .. } => Some(described(descriptor)),
                WgmmaA::Registers { .. } => None,
            };
            a.into_iter().chain([described(product.b)]).collect()
        }
        Matrix::Mma(_) | Matrix::WmmaMma(_) | Matrix::Transpose | Matrix::Wgmma(_) => Touches::new(),
    }
}

fn of_tcgen05(tcgen05: &Tcgen05) -> Touches {
    let cells = |address: Address, effect| {
        Touch::weak(Named::TensorMemory(address), effect).by(Proxy::Tensor).later()
    };
    match tcgen05 {
        Tcgen05::Alloc { to, .. } => smallvec![Touch::write(*to)],
        Tcgen05::Load { fragment, .. } => smallvec![cells(fragment.address, Effect::Read)],
        Tcgen05::Store(fragment) => smallvec![cells(fragment.address, Effect::Write)],
        Tcgen05::Copy { to, from, .. } => smallvec![described(*from), cells(*to, Effect::Write)],
        Tcgen05::Shift { address, .. } => smallvec![cells(*address, Effect::Update)],
        Tcgen05::Commit { mbarrier, .. } => smallvec![Touch::told(*mbarrier)],
        Tcgen05::Mma(mma) => {
            let a = match mma.a {
                Tcgen05A::Shared(descriptor) => described(descriptor),
                Tcgen05A::Tensor(address) => cells(address, Effect::Read),
            };
            let beside = mma.metadata.into_iter().chain(mma.scales.into_iter().flatten());
            let beside = beside.map(|address| cells(address, Effect::Read));
            [a, described(mma.b), cells(mma.d, Effect::Update)].into_iter().chain(beside).collect()
        }
        Tcgen05::Dealloc { .. }
        | Tcgen05::Relinquish { .. }
        | Tcgen05::WaitLoads
        | Tcgen05::WaitStores
        | Tcgen05::FenceBefore
        | Tcgen05::FenceAfter => Touches::new(),
    }
}

fn texels(texture: usize) -> Touches {
    smallvec![Touch::weak(Named::Handle(texture), Effect::Read).by(Proxy::Texture)]
}

fn of_surface(surface: &Surface) -> Touches {
    let (access, effect) = match surface {
        Surface::Load { access, .. } => (access, Effect::Read),
        Surface::Store { access, .. } => (access, Effect::Write),
        Surface::Reduce { access, .. } => (access, Effect::Update),
        Surface::Query { .. } => return Touches::new(),
    };
    smallvec![Touch::weak(Named::Handle(access.handle), effect).by(Proxy::Surface)]
}

fn of_mbarrier(mbarrier: &Mbarrier) -> Option<Touch> {
    let touch = |object: Address, effect| Touch::weak(Named::Mbarrier(object), effect);
    Some(match mbarrier {
        Mbarrier::Init { object, .. } | Mbarrier::Inval { object } => touch(*object, Effect::Write),
        Mbarrier::Transactions { object, scope, .. } => {
            touch(*object, Effect::Update).ordered(Order::Relaxed, *scope)
        }
        Mbarrier::Arrive(arrive) => touch(arrive.object, Effect::Update).ordered(arrive.order, arrive.scope),
        Mbarrier::Wait(wait) => touch(wait.object, Effect::Read).ordered(wait.order, wait.scope),
        Mbarrier::CheckLayout { object, .. } => touch(*object, Effect::Read),
        Mbarrier::PendingCount => return None,
    })
}
