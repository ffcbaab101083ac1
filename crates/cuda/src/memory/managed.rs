//! The entry points for managed memory, which host and device share, and for advice on where it should be. Nothing moves
//! here, so advice changes only what queries return.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use ptxvm_memory::AllocationKind;

use super::allocate::give;
use super::location::CUmemLocation;
use super::pages::{self, PAGE};
use super::registry::{self, MemoryKind, Record};
use crate::abi::{Answer, CUdevice, CUdeviceptr, CUresult, In, Out, OutAny};
use crate::context::current;
use crate::entry::entry;
use crate::stream::{CUstream, resolve};

/// `CU_MEM_ATTACH_GLOBAL` and `CU_MEM_ATTACH_HOST`: one of them must be said.
const ATTACH: [u32; 2] = [1, 2];
/// `CU_DEVICE_INVALID`: what is answered where there is no one device.
const NO_DEVICE: i32 = -2;
/// The most attributes that one call may ask for: there are eight, and more than a page of them is a mistake.
const MANY: usize = 4096;

/// What has been said of each page of an allocation: a piece holds from its first address to the next one's.
#[derive(Clone, Debug, Default)]
pub struct Advice {
    pieces: BTreeMap<u64, Piece>,
}

/// What has been said of one piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Piece {
    read_mostly: bool,
    preferred: CUmemLocation,
    accessed_by: bool,
    prefetched: CUmemLocation,
}

impl Advice {
    /// Nothing said of anything.
    fn new(start: u64) -> Self {
        Self { pieces: BTreeMap::from([(start, Piece::default())]) }
    }

    /// Makes a piece begin at an address.
    fn split(&mut self, at: u64) {
        let before = self.pieces.range(..=at).next_back().map(|(_, piece)| *piece);
        self.pieces.entry(at).or_insert(before.unwrap_or_default());
    }

    /// Changes what has been said of a range.
    fn change(&mut self, start: u64, end: u64, change: impl Fn(&mut Piece)) {
        let (start, end) = (start & !(PAGE - 1), end.next_multiple_of(PAGE));
        self.split(start);
        self.split(end);
        self.pieces.range_mut(start..end).for_each(|(_, piece)| change(piece));
    }

    /// What holds for a whole range, if the same does.
    fn common<T: PartialEq>(&self, start: u64, end: u64, get: impl Fn(&Piece) -> T) -> Option<T> {
        let first = self.pieces.range(..=start).next_back().map_or(start, |(at, _)| *at);
        let mut values = self.pieces.range(first..end).map(|(_, piece)| get(piece));
        let value = values.next()?;
        values.all(|other| other == value).then_some(value)
    }
}

entry! {
    fn cuMemAllocManaged(pointer: Out<CUdeviceptr>, bytes: usize, flags: u32) {
        let context = current()?;
        if pointer.is_null() || bytes == 0 || !ATTACH.contains(&flags) {
            return Err(CUresult::INVALID_VALUE);
        }
        // Programs touch all of what they share. More than the host has would end the process without a word.
        if pages::of_host().is_some_and(|most| bytes as u64 > most) {
            return Err(CUresult::OUT_OF_MEMORY);
        }
        let kind = MemoryKind::Managed(Mutex::new(Advice::new(0)));
        pointer.set(give(&context, bytes as u64, PAGE, AllocationKind::Managed, kind)?)
    }

    fn cuMemPrefetchAsync [cuMemPrefetchAsync_ptsz] (
        pointer: CUdeviceptr, bytes: usize, device: CUdevice, stream: CUstream,
    ) {
        resolve(stream)?;
        prefetch(pointer, bytes, CUmemLocation::of_device(device))
    }

    fn cuMemPrefetchAsync_v2 [cuMemPrefetchAsync_v2_ptsz] (
        pointer: CUdeviceptr, bytes: usize, location: CUmemLocation, flags: u32, stream: CUstream,
    ) {
        resolve(stream)?;
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        prefetch(pointer, bytes, location)
    }

    fn cuMemPrefetchBatchAsync [cuMemPrefetchBatchAsync_ptsz] (
        pointers: In<CUdeviceptr>, sizes: In<usize>, count: usize,
        locations: In<CUmemLocation>, first: In<usize>, location_count: usize, flags: u64, stream: CUstream,
    ) {
        resolve(stream)?;
        prefetch_all(pointers, sizes, count, (locations, first, location_count), flags)
    }

    fn cuMemDiscardAndPrefetchBatchAsync [cuMemDiscardAndPrefetchBatchAsync_ptsz] (
        pointers: In<CUdeviceptr>, sizes: In<usize>, count: usize,
        locations: In<CUmemLocation>, first: In<usize>, location_count: usize, flags: u64, stream: CUstream,
    ) {
        resolve(stream)?;
        prefetch_all(pointers, sizes, count, (locations, first, location_count), flags)
    }

    /// What is discarded may have any value afterwards: also the one that it had.
    fn cuMemDiscardBatchAsync [cuMemDiscardBatchAsync_ptsz] (
        pointers: In<CUdeviceptr>, sizes: In<usize>, count: usize, flags: u64, stream: CUstream,
    ) {
        resolve(stream)?;
        if count == 0 || flags != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        (0..count).try_for_each(|index| managed(pointers.at(index)?, sizes.at(index)?).map(|_| ()))
    }

    fn cuMemAdvise(pointer: CUdeviceptr, bytes: usize, advice: u32, device: CUdevice) {
        advise(pointer, bytes, advice, CUmemLocation::of_device(device))
    }

    fn cuMemAdvise_v2(pointer: CUdeviceptr, bytes: usize, advice: u32, location: CUmemLocation) {
        advise(pointer, bytes, advice, location)
    }

    fn cuMemRangeGetAttribute(data: OutAny, size: usize, attribute: u32, pointer: CUdeviceptr, bytes: usize) {
        current()?;
        attribute_of_range(data, size, attribute, pointer, bytes)
    }

    fn cuMemRangeGetAttributes(
        data: In<OutAny>, sizes: In<usize>, attributes: In<u32>, count: usize, pointer: CUdeviceptr, bytes: usize,
    ) {
        current()?;
        if count == 0 || count > MANY {
            return Err(CUresult::INVALID_VALUE);
        }
        (0..count).try_for_each(|index| {
            attribute_of_range(data.at(index)?, sizes.at(index)?, attributes.at(index)?, pointer, bytes)
        })
    }
}

/// The managed allocation that holds a range.
fn managed(pointer: CUdeviceptr, bytes: usize) -> Answer<Arc<Record>> {
    let record = registry::at(pointer).ok_or(CUresult::INVALID_VALUE)?;
    let fits = bytes > 0 && bytes as u64 <= record.end() - pointer;
    if fits && matches!(record.kind, MemoryKind::Managed(_)) {
        Ok(record)
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

/// Looks at or changes what has been said of managed memory.
fn with_advice<T>(record: &Record, see: impl FnOnce(&mut Advice) -> T) -> Answer<T> {
    match &record.kind {
        MemoryKind::Managed(advice) => Ok(see(&mut advice.lock().unwrap_or_else(PoisonError::into_inner))),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

fn prefetch(pointer: CUdeviceptr, bytes: usize, location: CUmemLocation) -> Answer {
    let record = managed(pointer, bytes)?;
    location.place()?;
    let end = pointer + bytes as u64;
    with_advice(&record, |advice| advice.change(pointer, end, |piece| piece.prefetched = location))
}

/// Prefetches ranges, to locations of which each holds from its first range on.
fn prefetch_all(
    pointers: In<CUdeviceptr>,
    sizes: In<usize>,
    count: usize,
    (locations, first, location_count): (In<CUmemLocation>, In<usize>, usize),
    flags: u64,
) -> Answer {
    if count == 0 || flags != 0 || location_count == 0 || location_count > count || first.at(0)? != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let mut current = 0;
    for index in 0..count {
        if current + 1 < location_count && first.at(current + 1)? <= index {
            current += 1;
        }
        prefetch(pointers.at(index)?, sizes.at(index)?, locations.at(current)?)?;
    }
    Ok(())
}

fn advise(pointer: CUdeviceptr, bytes: usize, advice: u32, location: CUmemLocation) -> Answer {
    current()?;
    let record = managed(pointer, bytes)?;
    // A location has to be said where it means something.
    if matches!(advice, 3 | 5 | 6) {
        location.place()?;
    }
    let on_device = location == CUmemLocation::DEVICE;
    let change: &dyn Fn(&mut Piece) = match advice {
        1 | 2 => &|piece| piece.read_mostly = advice == 1,
        3 => &|piece| piece.preferred = location,
        4 => &|piece| piece.preferred = CUmemLocation::default(),
        5 | 6 if on_device => &|piece| piece.accessed_by = advice == 5,
        5 | 6 => &|_| {},
        _ => return Err(CUresult::INVALID_VALUE),
    };
    with_advice(&record, |advice| advice.change(pointer, pointer + bytes as u64, change))
}

fn attribute_of_range(
    data: OutAny,
    size: usize,
    attribute: u32,
    pointer: CUdeviceptr,
    bytes: usize,
) -> Answer {
    let record = managed(pointer, bytes)?;
    let end = pointer + bytes as u64;
    let whole = attribute == 3 && size > 0 && size.is_multiple_of(4);
    if data.is_null() || !(size == 4 || whole) {
        return Err(CUresult::INVALID_VALUE);
    }
    let advice = with_advice(&record, |advice| advice.clone())?;
    let location = match attribute {
        2 | 5 | 6 => advice.common(pointer, end, |piece| piece.preferred),
        _ => advice.common(pointer, end, |piece| piece.prefetched),
    };
    let location = location.unwrap_or_default();
    let value = match attribute {
        1 => i32::from(advice.common(pointer, end, |piece| piece.read_mostly) == Some(true)),
        2 | 4 => match location {
            CUmemLocation { kind: 1, id } => id,
            CUmemLocation { kind: 0, .. } => NO_DEVICE,
            _ => -1,
        },
        3 => {
            let accessed = advice.common(pointer, end, |piece| piece.accessed_by) == Some(true);
            (1..size / 4).try_for_each(|index| data.numbers().at(index).set(NO_DEVICE))?;
            if accessed { 0 } else { NO_DEVICE }
        }
        5 | 7 => location.kind as i32,
        6 | 8 => location.id,
        _ => return Err(CUresult::INVALID_VALUE),
    };
    data.numbers().set(value)
}
