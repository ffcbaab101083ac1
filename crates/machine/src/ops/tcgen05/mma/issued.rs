//! A product that has been issued: what it needs when its turn comes.

use smallvec::SmallVec;

use super::data_path::DataPath;
use super::operands::InShared;
use super::scale::ScaleFactors;
use super::sparse::Sparsity;
use super::zero_columns::ZeroColumns;
use crate::asynchronous::mbarrier::Wrong;
use crate::asynchronous::queue::TensorUse;
use crate::door::peer::Peer;
use crate::matrix::Cores;
use crate::matrix::instruction::{Asked, InstructionDescriptor};
use crate::ops::tcgen05::place::TensorPlace;

/// Everything that a product needs, checked when it was issued.
#[derive(Debug)]
pub struct Tcgen05Product {
    pub cores: Cores,
    pub asked: Asked,
    pub instruction: InstructionDescriptor,
    pub path: DataPath,
    /// The CTAs, the first half of A's rows and of B's columns first: rank, and its shared memory.
    pub ctas: SmallVec<[(u32, Peer); 2]>,
    pub a: IssuedA,
    pub b: InShared,
    pub d: TensorPlace,
    pub sparsity: Option<Sparsity>,
    /// Those of A and of B.
    pub scales: Option<[ScaleFactors; 2]>,
    pub zero_columns: Option<ZeroColumns>,
    /// The lanes of each CTA that stay as they are.
    pub disabled: [[u32; 4]; 2],
    /// Whether D is added.
    pub add: bool,
    /// D is divided by two to this before.
    pub scale_input: u32,
    /// The tensor memory that is used.
    pub used: TensorUse,
    /// What has been read of shared memory.
    pub fetched: Option<Fetched>,
    /// What was found wrong in tensor memory.
    pub wrong: Option<Wrong>,
}

/// Where A is.
#[derive(Clone, Copy, Debug)]
pub enum IssuedA {
    Shared(InShared),
    Tensor(TensorPlace),
}

/// What shared memory held.
#[derive(Debug, Default)]
pub struct Fetched {
    /// The rows of A, of each CTA.
    pub a: Vec<u8>,
    /// The columns of B.
    pub b: Vec<u8>,
}
