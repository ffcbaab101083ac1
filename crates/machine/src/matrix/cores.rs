//! The tensor cores that a launch computes with, and the arithmetic that it asks of them.

use ptxvm_num::matrix::{
    Accumulator, Element, Family, Left, Packed, Precision, Right, Scheme, Unit, fragment, tile,
};

/// The arithmetic that a launch asks of its matrix instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mma {
    /// The device's own, to the last bit.
    #[default]
    Exact,
    /// That of another generation, to the last bit.
    Of(Unit),
    /// Ordinary fused multiply-adds, which differ in the last bits and are faster.
    Fast,
}

impl Mma {
    /// The choice of this name on the command line.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "exact" => Some(Self::Exact),
            "fast" => Some(Self::Fast),
            _ => Unit::ALL.into_iter().find(|unit| unit.name() == name).map(Self::Of),
        }
    }

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Of(unit) => unit.name(),
            Self::Fast => "fast",
        }
    }
}

/// The tensor cores of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Cores {
    /// Their generation.
    pub unit: Unit,
    /// How exact they are.
    pub precision: Precision,
}

impl Cores {
    /// D = A * B + C of floating point numbers: `d` has C's bits, row after row, and gets D's. `element` is A's format.
    pub fn multiply(
        self,
        family: Family,
        element: Element,
        accumulator: Accumulator,
        (a, b): (&Left, &Right),
        d: &mut [u32],
    ) {
        let scheme = Scheme::of(self.unit, family, element, accumulator, a.depth);
        tile::multiply(&scheme, self.precision, a, b, d);
    }

    /// How a product of fragments is computed, whose A is packed like this and has so many factors in a row; nothing if
    /// it must be brought into rows and columns.
    #[must_use]
    pub fn in_blocks(
        self,
        family: Family,
        packed: Packed,
        accumulator: Accumulator,
        depth: usize,
    ) -> Option<Scheme> {
        let scheme = Scheme::of(self.unit, family, packed.element, accumulator, depth);
        fragment::suits(&scheme, self.precision, packed, depth).then_some(scheme)
    }

    /// The same of a sparse A that stores so many factors of a row, which is made a dense one.
    #[must_use]
    pub fn sparse_in_blocks(
        self,
        family: Family,
        packed: Packed,
        accumulator: Accumulator,
        stored: usize,
    ) -> Option<Scheme> {
        let scheme = Scheme::of(self.unit, family, packed.element, accumulator, stored);
        let exact = self.precision == Precision::Exact && packed.bits >= 8;
        fragment::dense_scheme(&scheme, packed, stored).filter(|_| exact)
    }

    /// The same of a product of 8-bit formats that is made of two of f16.
    #[must_use]
    pub fn interleaved(
        self,
        family: Family,
        (a, b): (Packed, Packed),
        accumulator: Accumulator,
        depth: usize,
    ) -> Option<Scheme> {
        let scheme = Scheme::of(self.unit, family, a.element, accumulator, depth);
        let exact = self.precision == Precision::Exact;
        (exact && fragment::is_interleaved(&scheme, a, b)).then_some(scheme)
    }
}
