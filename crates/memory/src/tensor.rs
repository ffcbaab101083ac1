//! The tensor memory of one CTA: 128 lanes of 512 columns of 32 bits, and which columns are allocated.
//!
//! A multiprocessor shares its columns among the CTAs that it holds; here each CTA has all of them, so that allocating
//! waits for the CTA itself alone. Columns are freed and taken in units of 32 with all their lanes. The cells lie lane
//! by lane, because the tensor cores read and write runs of columns.

/// The lanes.
pub const LANES: u32 = 128;
/// The columns.
pub const COLUMNS: u32 = 512;
/// What allocations are made of, in columns.
pub const UNIT: u32 = 32;

/// What columns hold that nobody has written since they were allocated: no number in any format, so that a program
/// that takes them for zeros is seen to.
const FRESH: u32 = u32::MAX;

/// Units of columns as bits, the first columns lowest.
pub type Units = u16;

/// The tensor memory of one CTA.
#[derive(Debug, Default)]
pub struct TensorMemory {
    /// Lane by lane; nothing until the first allocation.
    cells: Vec<u32>,
    /// What is allocated: the first column and how many.
    allocations: Vec<(u32, u32)>,
    /// The columns of the allocation before, which the next must not exceed.
    latest: Option<u32>,
    /// Whether the CTA has given up the right to allocate.
    relinquished: bool,
}

/// Why columns are not given, or not taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// That is no number of columns: not a power of two from 32 to 512.
    Count,
    /// More than so many, which the allocation before was of.
    Growing(u32),
    /// The CTA has given up the right.
    Relinquished,
    /// No allocation begins there.
    NoAllocation,
    /// The allocation there has so many columns.
    OtherCount(u32),
}

impl TensorMemory {
    /// Makes it that of a CTA that begins.
    pub fn reset(&mut self) {
        self.allocations.clear();
        (self.latest, self.relinquished) = (None, false);
    }

    /// Whether the CTA may ask for so many columns now.
    pub fn may_allocate(&self, columns: u32) -> Result<(), Refusal> {
        if !columns.is_power_of_two() || !(UNIT..=COLUMNS).contains(&columns) {
            return Err(Refusal::Count);
        }
        if self.relinquished {
            return Err(Refusal::Relinquished);
        }
        match self.latest {
            Some(latest) if columns > latest => Err(Refusal::Growing(latest)),
            _ => Ok(()),
        }
    }

    /// The units that are allocated.
    #[must_use]
    pub fn allocated(&self) -> Units {
        self.allocations.iter().fold(0, |units, &(first, columns)| units | units_of(first, columns))
    }

    /// What is allocated: the first column and how many, in the order of allocation.
    #[must_use]
    pub fn allocations(&self) -> &[(u32, u32)] {
        &self.allocations
    }

    /// Allocates columns that [`room`] has found.
    pub fn allocate(&mut self, first: u32, columns: u32) {
        self.cells.resize((LANES * COLUMNS) as usize, FRESH);
        self.allocations.push((first, columns));
        self.latest = Some(columns);
        for lane in 0..LANES {
            self.row_mut(lane, first, columns).fill(FRESH);
        }
    }

    /// Frees an allocation.
    pub fn deallocate(&mut self, first: u32, columns: u32) -> Result<(), Refusal> {
        if !columns.is_power_of_two() || !(UNIT..=COLUMNS).contains(&columns) {
            return Err(Refusal::Count);
        }
        let found = self.allocations.iter().position(|(begin, _)| *begin == first);
        let index = found.ok_or(Refusal::NoAllocation)?;
        let (_, size) = self.allocations[index];
        if size != columns {
            return Err(Refusal::OtherCount(size));
        }
        self.allocations.remove(index);
        Ok(())
    }

    /// The CTA gives up the right to allocate.
    pub fn relinquish(&mut self) {
        self.relinquished = true;
    }

    /// The first of so many columns that is not allocated, or lies past the last column.
    #[must_use]
    pub fn first_unallocated(&self, column: u32, count: u32) -> Option<u32> {
        let units = self.allocated();
        let end = column.saturating_add(count);
        (column..end).find(|&column| column >= COLUMNS || units >> (column / UNIT) & 1 == 0)
    }

    /// So many cells of a lane, from a column on; none if they are not there.
    #[must_use]
    pub fn row(&self, lane: u32, column: u32, count: u32) -> &[u32] {
        span(lane, column, count).and_then(|span| self.cells.get(span)).unwrap_or_default()
    }

    /// The same to be written.
    pub fn row_mut(&mut self, lane: u32, column: u32, count: u32) -> &mut [u32] {
        span(lane, column, count).and_then(|span| self.cells.get_mut(span)).unwrap_or_default()
    }

    /// One cell; 0 where there is none.
    #[must_use]
    pub fn get(&self, lane: u32, column: u32) -> u32 {
        self.row(lane, column, 1).first().copied().unwrap_or(0)
    }

    /// Writes one cell.
    pub fn set(&mut self, lane: u32, column: u32, value: u32) {
        if let Some(cell) = self.row_mut(lane, column, 1).first_mut() {
            *cell = value;
        }
    }
}

/// Where so many columns fit beside the units that are allocated: at the first multiple of their number.
#[must_use]
pub fn room(allocated: Units, columns: u32) -> Option<u32> {
    let firsts = (0..COLUMNS).step_by(columns.max(UNIT) as usize);
    firsts.into_iter().find(|&first| allocated & units_of(first, columns) == 0)
}

/// The units that columns lie in.
#[must_use]
pub fn units_of(first: u32, columns: u32) -> Units {
    let end = first.saturating_add(columns).div_ceil(UNIT).min(COLUMNS / UNIT);
    (first / UNIT..end).fold(0, |units, unit| units | 1 << unit)
}

/// The cells of a run of columns.
fn span(lane: u32, column: u32, count: u32) -> Option<std::ops::Range<usize>> {
    let fits = lane < LANES && column <= COLUMNS && count <= COLUMNS - column;
    let begin = (lane * COLUMNS) as usize + column as usize;
    fits.then(|| begin..begin + count as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allocate(memory: &mut TensorMemory, columns: u32) -> Option<u32> {
        memory.may_allocate(columns).unwrap();
        let first = room(memory.allocated(), columns)?;
        memory.allocate(first, columns);
        Some(first)
    }

    #[test]
    fn columns_are_taken_and_given_back() {
        let mut memory = TensorMemory::default();
        assert_eq!(allocate(&mut memory, 256), Some(0));
        assert_eq!(allocate(&mut memory, 128), Some(256));
        assert_eq!(allocate(&mut memory, 128), Some(384));
        assert_eq!(allocate(&mut memory, 32), None);
        assert_eq!(memory.deallocate(256, 128), Ok(()));
        assert_eq!(allocate(&mut memory, 64), Some(256));
        assert_eq!(allocate(&mut memory, 64), Some(320));
        assert_eq!(memory.allocated(), 0xffff);
        assert_eq!(memory.deallocate(0, 256), Ok(()));
        assert_eq!(memory.first_unallocated(254, 4), Some(254));
        assert_eq!(memory.first_unallocated(256, 256), None);
        assert_eq!(memory.first_unallocated(256, 257), Some(512));
    }

    #[test]
    fn what_the_manual_forbids_is_refused() {
        let mut memory = TensorMemory::default();
        for columns in [0, 16, 33, 96, 1024] {
            assert_eq!(memory.may_allocate(columns), Err(Refusal::Count));
        }
        assert_eq!(allocate(&mut memory, 64), Some(0));
        assert_eq!(memory.may_allocate(128), Err(Refusal::Growing(64)));
        assert_eq!(memory.deallocate(32, 32), Err(Refusal::NoAllocation));
        assert_eq!(memory.deallocate(0, 32), Err(Refusal::OtherCount(64)));
        assert_eq!(memory.deallocate(0, 48), Err(Refusal::Count));
        assert_eq!(memory.deallocate(0, 64), Ok(()));
        assert_eq!(memory.deallocate(0, 64), Err(Refusal::NoAllocation));
        memory.relinquish();
        assert_eq!(memory.may_allocate(32), Err(Refusal::Relinquished));
        memory.reset();
        assert_eq!(memory.may_allocate(512), Ok(()));
    }

    #[test]
    fn cells_are_found_by_lane_and_column() {
        let mut memory = TensorMemory::default();
        assert!(memory.row(0, 0, 1).is_empty());
        assert_eq!(allocate(&mut memory, 512), Some(0));
        memory.row_mut(127, 508, 4).copy_from_slice(&[1, 2, 3, 4]);
        memory.set(5, 0, 9);
        assert_eq!((memory.get(127, 511), memory.get(5, 0)), (4, 9));
        assert_eq!(memory.get(126, 508), FRESH);
        assert!(memory.row(127, 509, 4).is_empty());
        assert!(memory.row(128, 0, 1).is_empty());
    }
}
