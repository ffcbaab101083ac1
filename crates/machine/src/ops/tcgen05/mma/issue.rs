//! Issuing a `tcgen05.mma`: what the manual asks of its descriptors, shapes and addresses is checked here, before
//! anything waits.

use ptxvm_ir::operation::tcgen05::{MmaKind, Tcgen05A, Tcgen05Mma};
use ptxvm_memory::tensor::units_of;
use ptxvm_tensor::Swizzle;
use smallvec::SmallVec;

use super::data_path::DataPath;
use super::issued::{IssuedA, Tcgen05Product};
use super::operands::{InShared, SharedMatrixShape};
use super::scale::ScaleFactors;
use super::sparse::Sparsity;
use super::zero_columns::ZeroColumns;
use crate::asynchronous::queue::{Named, Pending, TensorUse};
use crate::context::Context;
use crate::door::matrix::Beyond;
use crate::explain::finding::Kind;
use crate::matrix::descriptor::{Descriptor, Major};
use crate::matrix::instruction::{Asked, InstructionDescriptor};
use crate::matrix::units::Units;
use crate::ops::operand::Address;
use crate::ops::tcgen05::place::{TensorPlace, ctas_of};
use crate::registers::Slot;
use crate::vector::lanes::{Execute, Flow, issue_each};

const NAME: &str = "tcgen05.mma";

/// The device whose tensor cores multiply with K = 96.
const ULTRA: (u32, u32) = (10, 3);

/// The instruction as it is executed.
pub struct Mma {
    pub asked: Asked,
    pub mma: Tcgen05Mma,
}

impl Execute for Mma {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        issue_each(mask, |lane| self.issue(context, slots, lane))
    }
}

/// One lane's instruction on its way.
struct LaneIssue<'a, 'c> {
    context: &'a mut Context<'c>,
    slots: &'a [Slot],
    lane: usize,
    asked: Asked,
    /// The CTAs that take part, by rank.
    ranks: SmallVec<[u32; 2]>,
    /// The columns of tensor memory that are used.
    units: u16,
}

impl Mma {
    fn issue(&self, context: &mut Context<'_>, slots: &[Slot], lane: usize) -> Result<(), Flow> {
        let ctas = ctas_of(context, lane, 1 + u32::from(self.asked.pair), NAME)?;
        let ultra = context.run.environment.profile.capability == ULTRA;
        let mut issue = LaneIssue {
            asked: Asked { ultra, ..self.asked },
            slots,
            lane,
            ranks: (0..u32::BITS).filter(|rank| ctas >> rank & 1 != 0).collect(),
            units: 0,
            context,
        };
        let product = self.product(&mut issue, ctas)?;
        let InstructionDescriptor { m, n, k, .. } = product.instruction;
        context.count_products((m * n * k) as usize >> u32::from(self.asked.sparse));
        let shape = Named::Tcgen05Mma([m, n, k]);
        context
            .worker
            .cluster
            .queue
            .push(Pending { reads: ctas, ..Pending::new(context, 1 << lane, shape, product) });
        Ok(())
    }

    fn product(&self, issue: &mut LaneIssue<'_, '_>, ctas: u32) -> Result<Tcgen05Product, Flow> {
        let bits = issue.value(self.mma.descriptor) as u32;
        let asked = issue.asked;
        let instruction = InstructionDescriptor::decode(bits, &asked)
            .map_err(|wrong| issue.misuse(wrong.message, wrong.rule))?;
        let path = DataPath::of(&instruction, &asked);
        let d = issue.place("D", &self.mma.d, &path, None)?;
        issue.columns("D", d.column, path.columns)?;
        let a = self.left(issue, &instruction, &path, d)?;
        let zero_columns = match self.mma.zero_columns {
            Some(slot) => Some(
                ZeroColumns::decode(issue.value(slot), instruction.m)
                    .map_err(|(message, rule)| issue.misuse(message, rule))?,
            ),
            None => None,
        };
        let skipped = zero_columns.map_or(0, |mask| mask.shift);
        let columns = instruction.n >> u32::from(asked.pair);
        let shape = SharedMatrixShape {
            count: columns + skipped,
            skipped,
            bytes: instruction.column_bytes(asked.kind),
            container: asked.kind.container(),
            tight: SharedMatrixShape::tight(asked.kind, instruction.b),
        };
        let b = issue.in_shared("b-desc", self.mma.b, instruction.transpose[1], shape)?;
        let sparsity = match &self.mma.metadata {
            Some(address) => {
                let place = issue.place("the sparsity metadata", address, &path, Some(d))?;
                let sparsity = Sparsity::new(asked.kind, place, &instruction);
                let (first, count) = sparsity.columns();
                issue.columns("the sparsity metadata", first, count)?;
                Some(sparsity)
            }
            None => None,
        };
        let scales = match &self.mma.scales {
            Some(addresses) => Some(issue.scales(addresses, &instruction, &path)?),
            None => None,
        };
        let peers = &issue.context.worker.cluster.shared;
        let ctas_of_product = issue.ranks.iter().map(|rank| (*rank, peers[*rank as usize])).collect();
        let disabled = std::array::from_fn(|cta| {
            std::array::from_fn(|word| match self.mma.disabled {
                Some(slot) if cta <= usize::from(asked.pair) => issue.value(slot + 4 * cta + word) as u32,
                _ => 0,
            })
        });
        Ok(Tcgen05Product {
            cores: issue.context.cores(),
            asked,
            instruction,
            path,
            ctas: ctas_of_product,
            a,
            b,
            d,
            sparsity,
            scales,
            zero_columns,
            disabled,
            add: issue.context.bank.mask(issue.slots[self.mma.add]) >> issue.lane & 1 != 0,
            scale_input: self.mma.scale_input,
            used: TensorUse { ctas, units: issue.units, in_order: true },
            fetched: None,
            wrong: None,
        })
    }

    /// Where A is, checked.
    fn left(
        &self,
        issue: &mut LaneIssue<'_, '_>,
        instruction: &InstructionDescriptor,
        path: &DataPath,
        d: TensorPlace,
    ) -> Result<IssuedA, Flow> {
        let asked = issue.asked;
        let bytes = instruction.row_bytes(&asked);
        match &self.mma.a {
            Tcgen05A::Shared(slot) => {
                let shape = SharedMatrixShape {
                    count: path.rows,
                    skipped: 0,
                    bytes,
                    container: asked.kind.container(),
                    tight: SharedMatrixShape::tight(asked.kind, instruction.a),
                };
                issue.in_shared("a-desc", *slot, instruction.transpose[0], shape).map(IssuedA::Shared)
            }
            Tcgen05A::Tensor(address) => {
                let place = issue.place("A", address, path, Some(d))?;
                issue.columns("A", place.column, bytes / 4)?;
                Ok(IssuedA::Tensor(place))
            }
        }
    }
}

impl LaneIssue<'_, '_> {
    fn value(&self, slot: usize) -> u64 {
        self.context.bank.lane(self.slots[slot], self.lane)
    }

    fn misuse(&mut self, message: String, rule: impl Into<String>) -> Flow {
        self.context.fault(Kind::Misuse, self.lane, message, vec![rule.into()])
    }

    /// The place in tensor memory that an address names, if its lane is one that the data path allows. What belongs to
    /// D must begin at its lane.
    fn place(
        &mut self,
        what: &str,
        address: &Address,
        path: &DataPath,
        d: Option<TensorPlace>,
    ) -> Result<TensorPlace, Flow> {
        let place = TensorPlace::of(self.context.addresses(*address, self.slots)[self.lane] as u32);
        if !path.begins_at(place.lane) {
            let message = format!("{NAME} with {what} at lane {} of tensor memory", place.lane);
            let rule = match path.half {
                true => "in layouts that use half of the lanes it must be lane 0 or 16",
                false => "it must be lane 0 in layouts that use all lanes",
            };
            return Err(self.misuse(message, rule));
        }
        if let Some(d) = d.filter(|d| d.lane != place.lane) {
            let message = format!("{NAME} with {what} at lane {} and D at lane {}", place.lane, d.lane);
            return Err(self.misuse(message, "A, D and the sparsity metadata must begin at the same lane"));
        }
        Ok(place)
    }

    /// Checks that columns are allocated in every CTA that takes part.
    fn columns(&mut self, what: &str, first: u32, count: u32) -> Result<(), Flow> {
        let name = format!("{what} of {NAME}");
        for rank in self.ranks.clone() {
            self.context.columns(self.lane, &name, rank, (first, count))?;
        }
        self.units |= units_of(first, count);
        Ok(())
    }

    /// Decodes a matrix descriptor, and checks that the matrix lies inside of the shared memory of every CTA that takes
    /// part.
    fn in_shared(
        &mut self,
        name: &str,
        slot: usize,
        transposed: bool,
        shape: SharedMatrixShape,
    ) -> Result<InShared, Flow> {
        let bits = self.value(slot);
        let descriptor = Descriptor::tcgen05(bits).map_err(|message| {
            self.context.fault(Kind::Misuse, self.lane, format!("{name}: {message}"), Vec::new())
        })?;
        let atom_of_32 = descriptor.swizzle == Swizzle::Bytes128Atom32;
        let tf32 = self.asked.kind == MmaKind::Tf32;
        if transposed && atom_of_32 != tf32 {
            let message = format!(
                "{name}: the matrix descriptor {bits:#018x} of a transposed matrix has the swizzling mode {}",
                bits >> 61
            );
            let rule = match tf32 {
                true => {
                    "a transposed matrix of `.kind::tf32` must have mode 1, the 128-byte swizzle of 32-byte atoms"
                }
                false => {
                    "mode 1, the 128-byte swizzle of 32-byte atoms, is for transposed matrices of `.kind::tf32`"
                }
            };
            return Err(self.misuse(message, rule));
        }
        if descriptor.leading_is_address {
            let broken = [
                (!self.asked.ultra, "the device must be of sm_103a"),
                (transposed, "the matrix must be K-major"),
                (
                    descriptor.swizzle != Swizzle::Bytes128,
                    "the swizzling mode must be 2, the 128-byte swizzle",
                ),
                (descriptor.base_offset != 0, "the base offset must be 0"),
            ];
            if let Some((_, rule)) = broken.into_iter().find(|(broken, _)| *broken) {
                let message = format!(
                    "{name}: the leading dimension of the matrix descriptor {bits:#018x} is an \
                     absolute address (bit 52)"
                );
                return Err(self.misuse(message, rule));
            }
        }
        let major = if transposed { Major::Mn } else { Major::K };
        let units = self.units(name, descriptor, major, shape.units(major))?;
        Ok(InShared { units, shape })
    }

    /// The units of a matrix, which have to lie in the shared memory of the CTA that has the least.
    fn units(
        &mut self,
        name: &str,
        descriptor: Descriptor,
        major: Major,
        units: (u32, u32),
    ) -> Result<Units, Flow> {
        let ranks = self.ranks.iter().copied();
        self.context.matrix(descriptor, major, units, ranks).map_err(|Beyond { end, rank, size: shared }| {
            let message = format!(
                "{name} describes a matrix that reaches to byte {end:#x} of the shared memory of CTA {rank}, \
                 which has {shared:#x}"
            );
            let Descriptor { start, leading, stride, .. } = descriptor;
            let note = format!(
                "start address {start:#x}, leading dimension byte offset {leading}, \
                 stride dimension byte offset {stride}"
            );
            self.context.fault(Kind::OutOfBounds, self.lane, message, vec![note])
        })
    }

    /// Where the scale factors are, checked.
    fn scales(
        &mut self,
        addresses: &[Address; 2],
        instruction: &InstructionDescriptor,
        path: &DataPath,
    ) -> Result<[ScaleFactors; 2], Flow> {
        let mut found =
            [("scale-A", path.rows, 4), ("scale-B", path.columns, 4 * path.columns.div_ceil(128))].map(
                |(name, count, stride)| ScaleFactors {
                    name,
                    place: TensorPlace { lane: 0, column: 0 },
                    id: 0,
                    each: instruction.scales,
                    count,
                    stride,
                },
            );
        for (index, factors) in found.iter_mut().enumerate() {
            factors.id = instruction.scale_id[index];
            factors.place =
                TensorPlace::of(self.context.addresses(addresses[index], self.slots)[self.lane] as u32);
            if factors.place.lane != 0 {
                let message =
                    format!("{NAME} with {} at lane {} of tensor memory", factors.name, factors.place.lane);
                return Err(self.misuse(message, "scale factors must begin at lane 0"));
            }
            self.columns(factors.name, factors.place.column, factors.columns())?;
        }
        Ok(found)
    }
}
