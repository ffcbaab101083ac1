//! The last accesses of a word that later ones are compared with: one write and two reads, in 36 bytes.
//!
//! Two reads are enough to find a write that races with some of many, if not with which of them. Lanes that touch a word
//! by one instruction are one access, of which one lane is kept; among such lanes nothing is compared.

use ptxvm_order::{Event, SiteId, Stamp};

use crate::race::unit::{self, Unit, cta_of};

/// An access that was made, in twelve bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// 0 if there is none.
    stamp: Stamp,
    /// The unit (4 bits), whose the bytes are (2 bits), the CTA (26 bits).
    cta: u32,
    /// The instruction (18 bits), the bytes (4), the warp (5), the lane (5): the last one, if there were several.
    rest: u32,
}

/// Whose the bytes of a record are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// One lane's.
    One = 0,
    /// Several lanes', each of all bytes.
    Several = 1,
    /// Each byte is that of the lane after that of the byte before.
    Bytes = 2,
    /// The same for each two bytes.
    Pairs = 3,
}

const UNIT: u32 = 28;
const WHOSE: u32 = 26;
const CTA: u32 = (1 << WHOSE) - 1;
const LANE_AND_MASK: u32 = 31 | 0xf << 10;

impl Record {
    /// That of an access to some bytes of a word; `None` if its numbers are too large, so that it is not compared with.
    #[inline]
    pub fn new(event: &Event, site: SiteId, mask: u8) -> Option<Self> {
        let unit = Unit::of(event.cta).map_or(0, |unit| unit as u32);
        let cta = u32::try_from(cta_of(event.cta)).ok().filter(|cta| *cta <= CTA)?;
        let whose = if event.lanes.count_ones() > 1 { Whose::Several } else { Whose::One };
        let fits = site < 1 << 18 && event.warp < 32;
        let lane = 31 - event.lanes.leading_zeros().min(31);
        fits.then(|| Self {
            stamp: event.stamp,
            cta: unit << UNIT | (whose as u32) << WHOSE | cta,
            rest: site << 14 | u32::from(mask & 0xf) << 10 | event.warp << 5 | lane,
        })
    }

    /// That of one lane for a whole word, of one without lane and bytes.
    #[inline]
    pub fn of_lane(self, lane: u32) -> Self {
        Self { rest: self.rest | 0xf << 10 | lane, ..self }
    }

    /// Whether one lane, the same, made both.
    #[inline]
    pub fn is_of_lane(&self, other: &Record) -> bool {
        const WARP_AND_LANE: u32 = 31 << 5 | 31;
        self.cta == other.cta && (self.rest ^ other.rest) & WARP_AND_LANE == 0
    }

    /// Takes another lane in, which touches the whole word by the same instruction, if it was touched wholly.
    #[inline]
    pub fn takes_lane(&mut self, new: &Record) -> bool {
        let alike = self.is_alike(new) && self.mask() == 0xf && self.cta >> WHOSE & 2 == 0;
        if alike {
            self.cta |= 1 << WHOSE;
            self.rest = new.rest;
        }
        alike
    }

    /// The same with these bytes.
    #[inline]
    pub fn with_mask(self, mask: u8) -> Self {
        Self { rest: self.rest | u32::from(mask & 0xf) << 10, ..self }
    }

    /// Whether a thread of a CTA made it, up to a stamp.
    #[inline]
    pub fn is_settled(&self, cta: u64, stamp: Stamp) -> bool {
        u64::from(self.cta & !(3 << WHOSE)) == cta && self.stamp <= stamp
    }

    #[inline]
    pub fn is_none(&self) -> bool {
        self.stamp == 0
    }

    pub fn site(&self) -> SiteId {
        self.rest >> 14
    }

    /// The bytes, as bits.
    #[inline]
    pub fn mask(&self) -> u8 {
        (self.rest >> 10 & 0xf) as u8
    }

    /// The number of the CTA, or of its unit.
    #[inline]
    pub fn cta(&self) -> u64 {
        u64::from(self.cta & CTA) | u64::from(self.cta >> UNIT) << unit::UNIT
    }

    #[inline]
    pub fn whose(&self) -> Whose {
        match self.cta >> WHOSE & 3 {
            0 => Whose::One,
            1 => Whose::Several,
            2 => Whose::Bytes,
            _ => Whose::Pairs,
        }
    }

    /// The lane; the last one, if there were several.
    #[inline]
    fn lane(&self) -> u32 {
        self.rest & 31
    }

    /// The same as a write that a stronger one came after: it stands beside that, in the place of a read.
    pub fn as_weaker(self) -> Self {
        Self { cta: self.cta | (Unit::Weaker as u32) << UNIT, ..self }
    }

    /// Whether it is such a write.
    #[inline]
    pub fn is_weaker(&self) -> bool {
        self.cta >> UNIT == Unit::Weaker as u32
    }

    /// Who touched some of its bytes; of several lanes that touched all of them, the last one.
    #[inline]
    pub fn event(&self, mask: u8) -> Event {
        let lanes = match self.whose() {
            Whose::One | Whose::Several => 1 << self.lane(),
            Whose::Bytes => self.lanes_of(mask, 1),
            Whose::Pairs => self.lanes_of(mask, 2),
        };
        let cta = if self.is_weaker() { cta_of(self.cta()) } else { self.cta() };
        Event { cta, warp: self.rest >> 5 & 31, lanes, stamp: self.stamp }
    }

    /// The lanes whose bytes these are, where each has so many.
    fn lanes_of(&self, mask: u8, each: u32) -> u32 {
        let highest = 7 - self.mask().leading_zeros();
        let of =
            |byte: u32| 1u32 << (self.lane().saturating_sub((highest / each).saturating_sub(byte / each)));
        let bytes = mask & self.mask();
        (0..4).filter(|byte| bytes >> byte & 1 != 0).fold(0, |lanes, byte| lanes | of(byte))
    }

    /// Whether the same warp made another by the same instruction, and has released nothing since.
    #[inline]
    pub fn is_alike(&self, other: &Record) -> bool {
        const OTHERS: u32 = !(3 << WHOSE);
        self.stamp == other.stamp
            && (self.cta ^ other.cta) & OTHERS == 0
            && (self.rest ^ other.rest) & !LANE_AND_MASK == 0
    }

    /// Takes one in that is alike; gives whether it could: whose each byte is must be known afterwards.
    #[inline]
    pub fn merge(&mut self, other: &Record) -> bool {
        if !self.is_alike(other) {
            return false;
        }
        let Some(whose) = self.together(other) else { return false };
        self.cta = self.cta & !(3 << WHOSE) | (whose as u32) << WHOSE;
        self.rest = other.rest | self.rest & 0xf << 10;
        true
    }

    /// Whose the bytes of both are.
    fn together(&self, other: &Record) -> Option<Whose> {
        if self.mask() == other.mask() {
            return match (self.whose(), other.whose()) {
                (Whose::One, Whose::One) if self.lane() == other.lane() => Some(Whose::One),
                (Whose::One | Whose::Several, Whose::One | Whose::Several) => Some(Whose::Several),
                _ => None,
            };
        }
        if other.whose() != Whose::One {
            return None;
        }
        if self.whose() == Whose::One && self.lane() == other.lane() {
            return Some(Whose::One);
        }
        let each = other.mask().count_ones();
        let alike = match self.whose() {
            Whose::One => self.mask().count_ones() == each,
            Whose::Several => false,
            Whose::Bytes => each == 1,
            Whose::Pairs => each == 2,
        };
        let adjoins = 8 - self.mask().leading_zeros() == other.mask().trailing_zeros();
        match each {
            _ if !alike || !adjoins || other.lane() != self.lane() + 1 => None,
            1 => Some(Whose::Bytes),
            2 => Some(Whose::Pairs),
            _ => None,
        }
    }
}

/// What is known of a word.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entry {
    pub write: Record,
    pub reads: [Record; 2],
}

const _: () = assert!(size_of::<Entry>() == 36, "nine bytes for each byte");

/// Warps of a CTA that have read a word.
#[derive(Clone, Copy, Debug, Default)]
pub struct Readers {
    /// When the first of these reads was made.
    pub since: Stamp,
    /// The warps, as bits.
    pub warps: u32,
    pub cta: u32,
    /// The instruction of the last of them.
    pub site: SiteId,
}

impl Readers {
    /// Takes in the warp of a read that has had to give way, where all threads of its CTA know each other up to a stamp.
    pub fn note(&mut self, read: &Record, cta: u32, settled: Stamp) {
        if self.are_settled(settled) {
            *self = Self { since: read.stamp, warps: 0, cta, site: 0 };
        }
        if self.cta == cta {
            self.since = self.since.min(read.stamp);
            self.warps |= 1 << (read.rest >> 5 & 31);
            self.site = read.site();
        }
    }

    /// Whether there is nobody whom all of their CTA do not know since their last barrier.
    pub fn are_settled(&self, settled: Stamp) -> bool {
        self.warps == 0 || self.since <= settled
    }
}
