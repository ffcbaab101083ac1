//! How operations are executed: which function of `num` or of the machine each means.

mod approximate;
pub mod async_copy;
pub mod atomic;
mod bits;
pub mod bulk;
pub mod cache;
pub mod cluster;
pub mod cluster_launch;
mod comparison;
mod convert;
mod extended;
pub mod fence;
mod floating;
pub mod generic;
pub mod griddepcontrol;
mod half;
mod integer;
pub mod load_store;
mod logic;
pub mod matrix;
pub mod mbarrier;
pub mod misc;
mod mixed;
pub mod mma;
mod moves;
pub mod operand;
mod permute;
mod small;
pub mod special;
pub mod stack;
pub mod store_async;
pub mod store_bulk;
pub mod surface;
pub mod tcgen05;
pub mod tensor_copy;
pub mod tensor_map;
pub mod texture;
mod video;
pub mod warp;
pub mod wgmma;
pub mod wmma;

use ptxvm_isa::Type;

use crate::context::Context;
use crate::registers::Slot;
use crate::vector::lanes::{Execute, Flow, Op};
use ptxvm_ir::operation::{Access, Compute, Copy, Form, Matrix, Operation};
use ptxvm_isa::ISA;

/// How an operation is executed; `None` if the machine does not have it. The linker makes the ends of blocks of control.
#[must_use]
pub fn executor(operation: Operation) -> Option<Op> {
    match operation {
        Operation::Compute(compute) => self::compute(compute),
        Operation::Access(access) => self::access(access),
        Operation::Copy(copy) => self::copy(copy),
        Operation::Matrix(matrix) => self::matrix(matrix),
        Operation::Tcgen05(tcgen05) => tcgen05::executor(tcgen05),
        Operation::Texture(texture) => Some(texture::executor(texture)),
        Operation::Surface(surface) => surface::executor(surface),
        Operation::Warp(warp) => warp::executor(warp),
        Operation::Mbarrier(mbarrier) => Some(mbarrier::executor(mbarrier)),
        Operation::Fence(fence) => Some(fence::executor(fence)),
        Operation::Cluster(cluster) => Some(cluster::executor(cluster)),
        Operation::Generic(generic) => Some(generic::executor(generic)),
        Operation::Hint(hint) => Some(cache::executor(hint)),
        Operation::Special(special) => Some(misc::executor(special)),
        Operation::Control(_) => None,
    }
}

/// The operation of a function of registers alone.
fn compute(compute: Compute) -> Option<Op> {
    match compute {
        Compute::Integer(integer) => integer::executor(integer),
        Compute::Bits(bits) => bits::executor(bits),
        Compute::Extended(extended) => extended::executor(extended),
        Compute::Float(float) => match float.ty {
            Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2 => half::executor(float),
            _ => floating::executor(float),
        },
        Compute::Approximate(approximate) => approximate::executor(approximate),
        Compute::Mixed(mixed) => mixed::executor(mixed),
        Compute::Small(small) => small::executor(small),
        Compute::Comparing(comparing) => comparison::executor(comparing),
        Compute::Logic(logic) => logic::executor(logic),
        Compute::Movement(movement) => moves::executor(movement),
        Compute::Convert(convert) => convert::executor(convert),
        Compute::ConvertPack(pack) => Some(convert::pack::executor(pack)),
        Compute::Video(video) => Some(video::executor(video)),
    }
}

/// The operation of a load, a store or an atomic.
fn access(access: Access) -> Option<Op> {
    match access {
        Access::Load(load) => load_store::load(load),
        Access::LoadParameter(load) => load_store::load_parameter(load),
        Access::Store(store) => load_store::store(store),
        Access::Atomic(atomic) => atomic::executor(atomic),
    }
}

/// The operation of an asynchronous copy.
fn copy(copy: Copy) -> Option<Op> {
    Some(match copy {
        Copy::Async(copy) => async_copy::copy(copy),
        Copy::Commit => async_copy::commit(),
        Copy::Wait { latest, closes } => async_copy::wait(latest, closes),
        Copy::Arrive { object, counted } => async_copy::arrive(object, counted),
        Copy::Bulk(bulk) => return bulk::executor(bulk),
        Copy::BulkPrefetch { from, size } => bulk::prefetch(from, size),
        Copy::BulkCommit => bulk::group::commit(),
        Copy::BulkWait { latest, read } => bulk::group::wait(latest, read),
        Copy::Tensor(tensor) => tensor_copy::executor(tensor),
        Copy::TensorPrefetch => tensor_copy::prefetch(),
        Copy::StoreAsync(store) => return store_async::executor(store),
        Copy::StoreBulk { to, size } => store_bulk::executor(to, size),
        Copy::ReplaceField { map, field, ord, value } => tensor_map::replace_field(map, field, ord, value),
        Copy::PublishMap { to, from } => tensor_map::publish(to, from),
    })
}

/// The operation of a matrix instruction of a warp or a warpgroup.
fn matrix(matrix: Matrix) -> Option<Op> {
    match matrix {
        Matrix::Mma(mma) => mma::executor(mma),
        Matrix::WmmaMma(mma) => wmma::multiply::executor(mma),
        Matrix::WmmaLoad(matrix) => wmma::memory::load(matrix),
        Matrix::WmmaStore(matrix) => wmma::memory::store(matrix),
        Matrix::Load(moved) => matrix::load(moved),
        Matrix::Store(moved) => matrix::store(moved),
        Matrix::Transpose => Some(matrix::transpose()),
        Matrix::Wgmma(wgmma) => wgmma::executor(wgmma),
    }
}

/// Whether the machine runs an instruction that means this, those that end blocks included.
#[must_use]
pub fn executes(operation: Option<&Operation>) -> bool {
    match operation {
        Some(Operation::Control(_)) => true,
        operation => operation.copied().and_then(executor).is_some(),
    }
}

/// The operation of a form that the machine does not have: it says so when it is reached.
#[must_use]
pub fn unsupported(form: &Form<'_>) -> Op {
    Box::new(NotExecuted(head(form)))
}

/// The table's row of a form, for messages.
#[must_use]
pub fn head(form: &Form<'_>) -> String {
    let row = form.row();
    let section = ISA.sections[usize::from(row.section)].number;
    format!("{} (section {section})", row.head.split_whitespace().next().unwrap_or(row.head))
}

struct NotExecuted(String);

impl Execute for NotExecuted {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], _: u32) -> Flow {
        context.worker.unsupported = Some(self.0.clone());
        Flow::Stop
    }
}
