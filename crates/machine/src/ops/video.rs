//! Video operations: the manual's 9.7.18.

use ptxvm_ir::operation::compute::Video;
use ptxvm_num::int::video::{Part, Then};

use crate::vector::lanes::{self, Op};

/// The operation of a video instruction.
pub fn executor(video: Video) -> Op {
    match video {
        Video::Scalar(scalar) if scalar.then == Then::Merge(Part::Word) => {
            lanes::map2(move |a: u32, b: u32| scalar.run(a, b, 0))
        }
        Video::Scalar(scalar) => lanes::map3(move |a: u32, b: u32, c: u32| scalar.run(a, b, c)),
        Video::Mad(mad) => lanes::map3(move |a: u32, b: u32, c: u32| mad.run(a, b, c)),
        Video::Halves(simd) => lanes::map3(move |a: u32, b: u32, c: u32| simd.run(a, b, c)),
        Video::Bytes(simd) => lanes::map3(move |a: u32, b: u32, c: u32| simd.run(a, b, c)),
    }
}
