//! `tcgen05.*`, the tensor cores with a memory of their own: the manual's 9.7.16. Operands are named by their position.

mod mma;
mod operand;

pub use mma::{MmaKind, Tcgen05A, Tcgen05Mma};

use ptxvm_isa::Type;
use ptxvm_num::float::minmax::{Extreme, Modifiers};

use super::address::{Address, AddressSpace};
use super::form::Form;
use super::matrix::Packing;
use operand::{group_of, taddr};

/// A tcgen05 instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tcgen05 {
    /// `tcgen05.alloc`
    Alloc {
        /// `.cta_group`: 1 or 2.
        group: u32,
        /// Where the address is written to.
        to: Address,
        /// How many columns.
        columns: usize,
    },
    /// `tcgen05.dealloc`
    Dealloc {
        /// `.cta_group`: 1 or 2.
        group: u32,
        /// The address of the columns.
        from: usize,
        /// How many they are.
        columns: usize,
    },
    /// `tcgen05.relinquish_alloc_permit`
    Relinquish {
        /// `.cta_group`: 1 or 2.
        group: u32,
    },
    /// `tcgen05.ld`
    Load {
        /// What is moved.
        fragment: Fragment,
        /// `.red`: how each thread's values are reduced, and where to.
        reduction: Option<(Tcgen05Reduction, usize)>,
    },
    /// `tcgen05.st`
    Store(Fragment),
    /// `tcgen05.wait::ld`
    WaitLoads,
    /// `tcgen05.wait::st`
    WaitStores,
    /// `tcgen05.cp`
    Copy {
        /// `.cta_group`: 1 or 2.
        group: u32,
        /// Which lanes get which rows.
        shape: CopyShape,
        /// How the elements lie in memory, if they are widened on the way.
        packing: Option<Packing>,
        /// Where to.
        to: Address,
        /// The descriptor of the source.
        from: usize,
    },
    /// `tcgen05.shift`
    Shift {
        /// `.cta_group`: 1 or 2.
        group: u32,
        /// The rows.
        address: Address,
    },
    /// `tcgen05.fence::before_thread_sync`
    FenceBefore,
    /// `tcgen05.fence::after_thread_sync`
    FenceAfter,
    /// `tcgen05.commit`
    Commit {
        /// `.cta_group`: 1 or 2.
        group: u32,
        /// The mbarrier object.
        mbarrier: Address,
        /// The mask of CTAs whose objects are told.
        ctas: Option<usize>,
    },
    /// `tcgen05.mma`
    Mma(Tcgen05Mma),
}

/// What a load or store moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// How the registers of a warp lie in tensor memory.
    pub shape: FragmentShape,
    /// The first register of each thread, and how many there are.
    pub registers: (usize, usize),
    /// Whether a register is two cells.
    pub packed: bool,
    /// Where.
    pub address: Address,
}

/// How the registers of a warp lie in tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FragmentShape {
    /// `.32x32b`: a row for each thread.
    Rows,
    /// `.16x64b`
    Narrow,
    /// `.16x128b`
    Middle,
    /// `.16x256b`
    Wide,
    /// `.16x32bx2`: a row for each thread of half the warp; the second half's begin so far after the address.
    Halves(u32),
}

/// How `tcgen05.ld.red` makes one of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tcgen05Reduction {
    /// The smaller or the larger.
    pub which: Extreme,
    /// The type of the values.
    pub ty: Type,
    /// `.abs`, `.NaN`
    pub modifiers: Modifiers,
}

/// The shapes of `tcgen05.cp`: which lanes get which row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyShape {
    /// `.128x256b`: a row each.
    All256,
    /// `.128x128b`: a row each.
    All128,
    /// `.4x256b`: one of each warp's.
    OneOfEach,
    /// `.64x128b.warpx2::02_13`: warps 0 and 2 the first half of the rows, 1 and 3 the second.
    Pairs0213,
    /// `.64x128b.warpx2::01_23`: warps 0 and 1 the first half of the rows, 2 and 3 the second.
    Pairs0123,
    /// `.32x128b.warpx4`: each warp's all rows.
    Fours,
}

pub(super) fn decode(form: &Form<'_>) -> Option<Tcgen05> {
    let group = group_of(form);
    Some(match form.words().nth(1)? {
        "alloc" => {
            let space = if form.says("shared::cta") { AddressSpace::Shared } else { AddressSpace::Generic };
            Tcgen05::Alloc { group, to: Address::of(form, "dst", space)?, columns: form.position("nCols")? }
        }
        "dealloc" => {
            Tcgen05::Dealloc { group, from: form.position("taddr")?, columns: form.position("nCols")? }
        }
        "relinquish_alloc_permit" => Tcgen05::Relinquish { group },
        "ld" => Tcgen05::Load {
            fragment: fragment(form, "d")?,
            reduction: match form.says("red") {
                true => Some((reduction(form)?, form.position("redval")?)),
                false => None,
            },
        },
        "st" => Tcgen05::Store(fragment(form, "r")?),
        "wait::ld" => Tcgen05::WaitLoads,
        "wait::st" => Tcgen05::WaitStores,
        "cp" => Tcgen05::Copy {
            group,
            shape: copy_shape(form)?,
            packing: match form.slot("src_fmt") {
                Some(name) => Some(Packing::from_name(name)?),
                None => None,
            },
            to: taddr(form, "taddr")?,
            from: form.position("s-desc")?,
        },
        "shift" => Tcgen05::Shift { group, address: taddr(form, "taddr")? },
        "fence::before_thread_sync" => Tcgen05::FenceBefore,
        "fence::after_thread_sync" => Tcgen05::FenceAfter,
        "commit" => commit(form, group)?,
        "mma" => Tcgen05::Mma(mma::decode(form)?),
        _ => return None,
    })
}

/// The fragment of a form whose registers are the operand of this name.
fn fragment(form: &Form<'_>, registers: &'static str) -> Option<Fragment> {
    let shape = match () {
        () if form.says("32x32b") => FragmentShape::Rows,
        () if form.says("16x64b") => FragmentShape::Narrow,
        () if form.says("16x128b") => FragmentShape::Middle,
        () if form.says("16x256b") => FragmentShape::Wide,
        () if form.says("16x32bx2") => FragmentShape::Halves(form.constant("immHalfSplitoff")? as u32),
        () => return None,
    };
    Some(Fragment {
        shape,
        registers: (form.position(registers)?, form.elements(registers).count()),
        packed: form.says("pack::16b") || form.says("unpack::16b"),
        address: taddr(form, "taddr")?,
    })
}

fn reduction(form: &Form<'_>) -> Option<Tcgen05Reduction> {
    Some(Tcgen05Reduction {
        which: if form.says("min") { Extreme::Min } else { Extreme::Max },
        ty: form.ty("type")?,
        modifiers: Modifiers { abs: form.says("abs"), nan: form.says("NaN"), ..Modifiers::default() },
    })
}

fn copy_shape(form: &Form<'_>) -> Option<CopyShape> {
    Some(match (form.slot("shape")?, form.slot("multicast")) {
        ("128x256b", _) => CopyShape::All256,
        ("128x128b", _) => CopyShape::All128,
        ("4x256b", _) => CopyShape::OneOfEach,
        ("64x128b", Some("warpx2::02_13")) => CopyShape::Pairs0213,
        ("64x128b", Some("warpx2::01_23")) => CopyShape::Pairs0123,
        ("32x128b", _) => CopyShape::Fours,
        _ => return None,
    })
}

fn commit(form: &Form<'_>, group: u32) -> Option<Tcgen05> {
    let space = match form.says("shared::cluster") {
        true => AddressSpace::SharedCluster,
        false => AddressSpace::Generic,
    };
    let ctas = match form.says("multicast::cluster") {
        true => Some(form.position("ctaMask")?),
        false => None,
    };
    Some(Tcgen05::Commit { group, mbarrier: Address::of(form, "mbar", space)?, ctas })
}
