//! The operations, a file for each section of the manual: which function of `num` or of the machine a form means.

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

use ptxvm_isa::{Kind, Type};

use crate::context::Context;
use crate::lanes::{Execute, Flow, Op};
use crate::registers::Slot;
use crate::statistics::Class;
use ptxvm_ir::operation::{Access, Compute, Copy, Form, Matrix, Operation, decode};

/// The operation of a form; `None` if the machine does not have it.
#[must_use]
pub fn select(form: &Form<'_>) -> Option<Op> {
    match decode(form) {
        Some(Operation::Compute(compute)) => self::compute(compute),
        Some(Operation::Access(access)) => self::access(access),
        Some(Operation::Copy(copy)) => self::copy(copy),
        Some(Operation::Matrix(matrix)) => self::matrix(matrix),
        Some(Operation::Texture(texture)) => Some(texture::executor(texture)),
        Some(Operation::Surface(surface)) => surface::executor(surface),
        Some(Operation::Warp(warp)) => warp::executor(warp),
        Some(Operation::Mbarrier(mbarrier)) => Some(mbarrier::executor(mbarrier)),
        Some(Operation::Fence(fence)) => Some(fence::executor(fence)),
        Some(Operation::Cluster(cluster)) => Some(cluster::executor(cluster)),
        Some(Operation::Generic(generic)) => Some(generic::executor(generic)),
        Some(Operation::Hint(hint)) => Some(cache::executor(hint)),
        Some(Operation::Special(special)) => Some(misc::executor(special)),
        // The linker makes the ends of blocks of these.
        Some(Operation::Control(_)) => None,
        Some(Operation::Tcgen05(tcgen05)) => tcgen05::executor(tcgen05),
        None => None,
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

/// Whether the machine runs a form, the instructions that end blocks included.
#[must_use]
pub fn executes(form: &Form<'_>) -> bool {
    crate::link::ends_block(form) || select(form).is_some()
}

/// The operation of a form that the machine does not have: it says so when it is reached.
#[must_use]
pub fn unsupported(form: &Form<'_>) -> Op {
    Box::new(Unsupported(crate::link::head(form)))
}

struct Unsupported(String);

impl Execute for Unsupported {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], _: u32) -> Flow {
        context.worker.unsupported = Some(self.0.clone());
        Flow::Stop
    }
}

/// What a form is counted as.
#[must_use]
pub fn class(form: &Form<'_>) -> Class {
    let section = form.section();
    let part =
        |prefix: &str| section == prefix || section.strip_prefix(prefix).is_some_and(|r| r.starts_with('.'));
    match form.opcode() {
        "ld" | "ldu" | "tex" | "tld4" | "suld" | "ldmatrix" => return Class::Load,
        "st" | "sust" | "stmatrix" => return Class::Store,
        "atom" | "red" | "sured" => return Class::Atomic,
        "tcgen05" => match form.words().nth(1) {
            Some("ld") => return Class::Load,
            Some("st") => return Class::Store,
            Some("wait::ld" | "wait::st" | "commit") => return Class::Barrier,
            Some("fence::before_thread_sync" | "fence::after_thread_sync") => return Class::Barrier,
            _ => {}
        },
        "cvt" => return Class::Convert,
        "shfl" | "vote" | "match" | "redux" | "elect" | "activemask" => return Class::Warp,
        "fence" | "membar" | "bar" | "barrier" | "mbarrier" => return Class::Barrier,
        "mov" | "prmt" | "cvta" | "isspacep" => return Class::Move,
        _ => {}
    }
    let float = || match form.main_type() {
        Some(Type::F64) => Class::Double,
        Some(ty) if ty.kind() == Kind::Packed || matches!(ty, Type::F16 | Type::F16x2) => Class::Half,
        _ => Class::Single,
    };
    match section {
        _ if ["9.7.1", "9.7.2", "9.7.8", "9.7.18"].iter().any(|s| part(s)) => Class::Integer,
        _ if ["9.7.3", "9.7.5"].iter().any(|s| part(s)) => float(),
        _ if part("9.7.4") => Class::Half,
        _ if ["9.7.6", "9.7.7"].iter().any(|s| part(s)) => Class::Compare,
        _ if part("9.7.12") => Class::Control,
        _ if ["9.7.14", "9.7.15", "9.7.16"].iter().any(|s| part(s)) => Class::Matrix,
        _ => Class::Other,
    }
}
