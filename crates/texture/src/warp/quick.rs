//! The common lookups of a whole warp at once: planes and rows of floats or of four bytes, nearest or linear, from one
//! level.
//!
//! The definition, [`lookup`](crate::lookup::lookup), handles all other lookups, and lanes that meet infinities or NaN.
#![allow(unsafe_code)]

use ptxvm_memory::View;
use ptxvm_num::level::Level as Instructions;
use ptxvm_num::level::level as instructions;

use super::asked::{Details, LANES, Lanes, Warp};
use super::axis::{self, MOST, Whole};
use super::sum;
use super::words::{OneByOne, Words};
use crate::coordinate::{Axis, Span};
use crate::decode::Decoder;
use crate::format::Channel;
use crate::geometry::Geometry;
use crate::image::Image;
use crate::level;
use crate::sampler::{AddressMode, Filter, Read, Sampler};
use crate::texel::Texel;

/// What a texel is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// So many floats.
    Floats(usize),
    /// Four bytes that are read as floats from 0 to 1.
    Bytes,
}

/// How a texture is looked up quickly.
struct Plan {
    content: Content,
    filter: Filter,
    axes: [Axis; 2],
    /// Where the level's first texel lies.
    start: *const u8,
    /// From one texel to the next, from one row to the next, from one layer to the next, in bytes.
    steps: [u32; 3],
    last_layer: u32,
    /// Whether the rows are those of the second coordinate; otherwise it counts as zero.
    rows: bool,
    /// The border colour as words of a texel.
    border: Texel,
}

/// Finds what the lanes look for, as far as this can. Gives those of them that have to look alone.
#[must_use]
pub fn lookup(
    image: &Image,
    sampler: &Sampler,
    view: &View,
    geometry: Geometry,
    warp: &Warp<'_>,
    found: &mut [Lanes; 4],
) -> u32 {
    let Some(plan) = Plan::new(image, sampler, view, geometry, warp) else { return warp.mask };
    // SAFETY: the plan's texels have been found to lie in the view, whose maker vouches for them, and the host's level is
    // asked for.
    let alone = unsafe {
        match instructions() {
            Instructions::Baseline => run::<OneByOne>(&plan, warp, found),
            Instructions::V3 => run_v3(&plan, warp, found),
            Instructions::V4 => run_v4(&plan, warp, found),
        }
    };
    alone & warp.mask
}

impl Plan {
    fn new(
        image: &Image,
        sampler: &Sampler,
        view: &View,
        geometry: Geometry,
        warp: &Warp<'_>,
    ) -> Option<Self> {
        let content = match (image.format.channel, image.format.channels) {
            (Channel::F32, channels @ (1 | 2 | 4)) => Content::Floats(usize::from(channels)),
            (Channel::U8, 4) if sampler.read == Read::NormalizedFloat && !sampler.srgb => Content::Bytes,
            (Channel::Unorm8, 4) if !sampler.srgb => Content::Bytes,
            _ => return None,
        };
        if warp.integers || warp.offset.is_some() || view.is_noting() {
            return None;
        }
        let number = match warp.detail {
            Details::Base | Details::Level(_) if image.levels.len() == 1 => 0,
            Details::Base => {
                let chosen = level::choose(sampler, level::BASE, image.levels.len() as u32);
                if chosen.weight != 0 {
                    return None;
                }
                chosen.finer as usize
            }
            _ => return None,
        };
        let level = image.levels.get(number)?;
        let [width, height, _] = level.size;
        let axes = match geometry {
            Geometry::D1 | Geometry::D2 | Geometry::A2 => {
                [Axis::new(width, sampler, 0), Axis::new(height, sampler, 1)]
            }
            // Rows have no neighbours.
            Geometry::A1 => {
                let row = Axis { size: 1, mode: AddressMode::Clamp, span: Span::Texels };
                [Axis::new(width, sampler, 0), row]
            }
            _ => return None,
        };
        let last_layer = if geometry.layered() { image.shape.layers.max(1) - 1 } else { 0 };
        let texel = image.format.bytes();
        let end = u64::from(last_layer)
            .checked_mul(image.layer)?
            .checked_add(u64::from(height.checked_sub(1)?).checked_mul(level.row)?)?
            .checked_add(u64::from(width) * u64::from(texel))?;
        let start = (view.start().addr() as u64).checked_add(level.offset)?;
        let aligned = (start | level.row | image.layer).is_multiple_of(u64::from(texel.min(8)));
        let fits = level.offset.checked_add(end)? <= view.bytes() && end < 1 << 31;
        if !aligned || !fits || width > MOST || height > MOST || width == 0 {
            return None;
        }
        let border = if axes.iter().all(|axis| axis.mode != AddressMode::Border) {
            [0; 4]
        } else {
            let border = Decoder::new(image.format, sampler).border(sampler.border);
            match content {
                Content::Floats(_) => border,
                // It has been made a texel's, so that these are whole numbers.
                Content::Bytes => {
                    let bytes = border.map(|value| (f32::from_bits(value) * 255.0 + 0.5) as u8);
                    [u32::from_le_bytes(bytes), 0, 0, 0]
                }
            }
        };
        Some(Self {
            content,
            filter: sampler.filter,
            axes,
            start: view.start().wrapping_add(level.offset as usize),
            // They are steps within less than 2^31 bytes, or never made.
            steps: [texel, level.row as u32, image.layer as u32],
            last_layer,
            rows: matches!(geometry, Geometry::D2 | Geometry::A2),
            border,
        })
    }

    /// The offset of each lane's layer.
    #[inline(always)]
    fn layers(&self, warp: &Warp<'_>) -> Lanes {
        let mut offsets = [0; LANES];
        if let (Some(layers), 1..) = (warp.layer, self.last_layer) {
            for lane in 0..LANES {
                offsets[lane] = layers[lane].min(self.last_layer) * self.steps[2];
            }
        }
        offsets
    }

    /// The words of each lane's texel, or of the border colour.
    #[inline(always)]
    unsafe fn words<W: Words, const WORDS: usize>(&self, spot: &Spot, words: &mut [Lanes; WORDS]) {
        match &mut words[..] {
            // SAFETY: the axes' texels exist, so that the offsets are within.
            [word] => unsafe { W::load(self.start, &spot.offsets, word) },
            words => {
                for (number, two) in words.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                    let [first, second] = two;
                    // SAFETY: the same; the texel has these words and lies at a multiple of eight.
                    unsafe { W::load_two(self.start.add(8 * number), &spot.offsets, first, second) };
                }
            }
        }
        if self.bordered() {
            for (words, border) in words.iter_mut().zip(self.border) {
                for lane in 0..LANES {
                    words[lane] = if spot.outside[lane] == 0 { words[lane] } else { border };
                }
            }
        }
    }

    /// Where each lane's texel lies.
    #[inline(always)]
    fn spot(&self, layers: &Lanes, x: (&Whole, &Whole), y: (&Whole, &Whole), spot: &mut Spot) {
        for lane in 0..LANES {
            let row = layers[lane] + y.0[lane] as u32 * self.steps[1];
            spot.offsets[lane] = row + x.0[lane] as u32 * self.steps[0];
        }
        if self.bordered() {
            for lane in 0..LANES {
                spot.outside[lane] = x.1[lane] | y.1[lane];
            }
        }
    }

    /// The lanes' coordinates along the second axis.
    #[inline(always)]
    fn second<'a>(&self, warp: &Warp<'a>) -> &'a Lanes {
        if self.rows { warp.at[1] } else { &[0; LANES] }
    }

    /// Whether a lane may meet the border colour.
    #[inline(always)]
    fn bordered(&self) -> bool {
        self.axes[0].mode == AddressMode::Border || self.axes[1].mode == AddressMode::Border
    }
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c"))]
unsafe fn run_v3(plan: &Plan, warp: &Warp<'_>, found: &mut [Lanes; 4]) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { run::<OneByOne>(plan, warp, found) }
}

#[cfg_attr(
    target_arch = "x86_64",
    target_feature(
        enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512cd,avx512dq,avx512vl"
    )
)]
unsafe fn run_v4(plan: &Plan, warp: &Warp<'_>, found: &mut [Lanes; 4]) -> u32 {
    #[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
    type Best = super::words::Gathered;
    #[cfg(not(all(target_arch = "x86_64", not(any(miri, sanitized)))))]
    type Best = OneByOne;
    // SAFETY: the caller's promise.
    unsafe { run::<Best>(plan, warp, found) }
}

/// Looks up all lanes, those outside of the mask too: wherever their registers lead, it is a texel. Gives those that have
/// to look alone.
///
/// # Safety
/// The plan's texels can be read, and the host can load words in this way.
#[inline(always)]
unsafe fn run<W: Words>(plan: &Plan, warp: &Warp<'_>, found: &mut [Lanes; 4]) -> u32 {
    // SAFETY: the caller's promise.
    unsafe {
        match (plan.filter, plan.content) {
            (Filter::Point, Content::Floats(1)) => point::<W, 1>(plan, warp, found),
            (Filter::Point, Content::Floats(2)) => point::<W, 2>(plan, warp, found),
            (Filter::Point, Content::Floats(_)) => point::<W, 4>(plan, warp, found),
            (Filter::Point, Content::Bytes) => point_bytes::<W>(plan, warp, found),
            (Filter::Linear, Content::Floats(1)) => linear::<W, 1>(plan, warp, found),
            (Filter::Linear, Content::Floats(2)) => linear::<W, 2>(plan, warp, found),
            (Filter::Linear, Content::Floats(_)) => linear::<W, 4>(plan, warp, found),
            (Filter::Linear, Content::Bytes) => linear_bytes::<W>(plan, warp, found),
        }
    }
}

/// The words of the texels that hold the lanes' places.
#[inline(always)]
unsafe fn nearest<W: Words, const WORDS: usize>(plan: &Plan, warp: &Warp<'_>, words: &mut [Lanes; WORDS]) {
    let x = axis::nearest(&plan.axes[0], warp.at[0]);
    let y = axis::nearest(&plan.axes[1], plan.second(warp));
    let mut spot = Spot::NONE;
    plan.spot(&plan.layers(warp), (&x.0, &x.1), (&y.0, &y.1), &mut spot);
    // SAFETY: the caller's promise.
    unsafe { plan.words::<W, WORDS>(&spot, words) };
}

#[inline(always)]
unsafe fn point<W: Words, const WORDS: usize>(plan: &Plan, warp: &Warp<'_>, found: &mut [Lanes; 4]) -> u32 {
    if let Some(found) = found.first_chunk_mut::<WORDS>() {
        // SAFETY: the caller's promise.
        unsafe { nearest::<W, WORDS>(plan, warp, found) };
    }
    0
}

#[inline(always)]
unsafe fn point_bytes<W: Words>(plan: &Plan, warp: &Warp<'_>, found: &mut [Lanes; 4]) -> u32 {
    let mut texels = [[0; LANES]];
    // SAFETY: the caller's promise.
    unsafe { nearest::<W, 1>(plan, warp, &mut texels) };
    for (channel, found) in found.iter_mut().enumerate() {
        sum::byte(&texels[0], 8 * channel as u32, found);
    }
    0
}

/// The words of the four texels around the lanes' places, and what each weighs.
#[inline(always)]
unsafe fn corners<W: Words, const WORDS: usize>(
    plan: &Plan,
    warp: &Warp<'_>,
    texels: &mut [[Lanes; WORDS]; 4],
    weights: &mut [Whole; 4],
) {
    let x = axis::pairs(&plan.axes[0], warp.at[0]);
    let y = axis::pairs(&plan.axes[1], plan.second(warp));
    sum::weights(&x.weights, &y.weights, weights);
    let layers = plan.layers(warp);
    for (corner, texels) in texels.iter_mut().enumerate() {
        let (column, row) = (corner & 1, corner >> 1);
        let mut spot = Spot::NONE;
        let x = (&x.texels[column], &x.outside[column]);
        plan.spot(&layers, x, (&y.texels[row], &y.outside[row]), &mut spot);
        // SAFETY: the caller's promise.
        unsafe { plan.words::<W, WORDS>(&spot, texels) };
    }
}

#[inline(always)]
unsafe fn linear<W: Words, const WORDS: usize>(plan: &Plan, warp: &Warp<'_>, found: &mut [Lanes; 4]) -> u32 {
    let (mut texels, mut weights) = ([[[0; LANES]; WORDS]; 4], [[0; LANES]; 4]);
    // SAFETY: the caller's promise.
    unsafe { corners::<W, WORDS>(plan, warp, &mut texels, &mut weights) };
    let [a, b, c, d] = &texels;
    let mut alone = 0;
    for (channel, found) in found.iter_mut().enumerate().take(WORDS) {
        let corners = [&a[channel], &b[channel], &c[channel], &d[channel]];
        alone |= sum::special(corners);
        sum::floats(corners, &weights, found);
    }
    alone
}

#[inline(always)]
unsafe fn linear_bytes<W: Words>(plan: &Plan, warp: &Warp<'_>, found: &mut [Lanes; 4]) -> u32 {
    let (mut texels, mut weights) = ([[[0; LANES]]; 4], [[0; LANES]; 4]);
    // SAFETY: the caller's promise.
    unsafe { corners::<W, 1>(plan, warp, &mut texels, &mut weights) };
    let [[a], [b], [c], [d]] = &texels;
    for (channel, found) in found.iter_mut().enumerate() {
        sum::bytes([a, b, c, d], &weights, 8 * channel as u32, found);
    }
    0
}

/// Where the texels of the lanes lie.
struct Spot {
    offsets: Lanes,
    /// Whether the border colour is meant instead, as 0 or -1.
    outside: Whole,
}

impl Spot {
    const NONE: Self = Self { offsets: [0; LANES], outside: [0; LANES] };
}
