//! Loops over packed elements, compiled for each format and each level of vector instructions.

use super::element::Element;
use super::packed::Packed;
use super::tile::dispatch::Work;
use super::tile::quads::Quads;

/// What is above the largest numbers of a format.
pub(super) const IEEE: u8 = 0;
pub(super) const ONE_NAN: u8 = 1;
const FINITE: u8 = 2;

/// Loops that are compiled for each format: `BITS` for each element, of which the lowest `BELOW` do not count, then the
/// mantissa and the exponent, and what is above the largest numbers.
pub(super) trait OfFormat {
    /// Does the work for a format, with the vectors of a level.
    fn run<
        V: Quads,
        const BITS: usize,
        const EXPONENT: u32,
        const MANTISSA: u32,
        const BELOW: u32,
        const TOP: u8,
    >(
        self,
    );
}

/// Work for the format of packed elements.
pub(super) struct ByFormat<T>(pub Packed, pub T);

impl<T: OfFormat> Work for ByFormat<T> {
    #[inline(always)]
    fn run<V: Quads>(self) {
        let Self(packed, work) = self;
        match (packed.element, packed.bits) {
            (Element::F16, _) => work.run::<V, 16, 5, 10, 0, IEEE>(),
            (Element::Bf16, _) => work.run::<V, 16, 8, 7, 0, IEEE>(),
            (Element::Tf32, _) => work.run::<V, 32, 8, 10, 13, IEEE>(),
            (Element::E4m3, _) => work.run::<V, 8, 4, 3, 0, ONE_NAN>(),
            (Element::E5m2, _) => work.run::<V, 8, 5, 2, 0, IEEE>(),
            (Element::E3m2, _) => work.run::<V, 8, 3, 2, 0, FINITE>(),
            (Element::E2m3, _) => work.run::<V, 8, 2, 3, 0, FINITE>(),
            (Element::E2m1, 4) => work.run::<V, 4, 2, 1, 0, FINITE>(),
            // Two bits of padding are below it in its byte.
            (Element::E2m1, _) => work.run::<V, 8, 2, 1, 2, FINITE>(),
        }
    }
}
