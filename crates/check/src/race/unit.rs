//! The threads that asynchronous operations and reads of constants belong to. An operation runs beside the thread that issued it, which knows that
//! it is done only when it has waited. So its accesses are those of another thread, with a number that no CTA has.

use ptxvm_order::{Entity, Event, Stamp};

/// Who carries out an asynchronous operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// `cp.async`
    Copies = 1,
    /// What a bulk group reads.
    BulkSource = 2,
    /// What a bulk group writes.
    Bulk = 3,
    /// `wgmma`
    Products = 4,
    /// `tcgen05`
    Tensor = 5,
    /// Copies that tell an mbarrier object that they are done.
    Signalled = 6,
    /// `st.async` and `red.async`, which do so too.
    Stores = 7,
    /// `tcgen05.ld`
    TensorLoads = 8,
    /// `tcgen05.st`
    TensorStores = 9,
    /// What `ld.global.nc` reads by: nobody may write that before the kernel has ended, in whichever order.
    Constant = 10,
    /// None: it marks a write of a thread after which stronger ones came.
    Weaker = 11,
}

/// The grids before the launch, which those know to have ended who have waited for them (`griddepcontrol.wait`).
pub const GRIDS: Event = Event { cta: 12 << UNIT, warp: 0, lanes: 1, stamp: 1 };

/// The bit above which the number of a CTA says which unit it is.
pub const UNIT: u32 = 40;

impl Unit {
    const ALL: [Self; 11] = [
        Self::Copies,
        Self::BulkSource,
        Self::Bulk,
        Self::Products,
        Self::Tensor,
        Self::Signalled,
        Self::Stores,
        Self::TensorLoads,
        Self::TensorStores,
        Self::Constant,
        Self::Weaker,
    ];

    /// The number that stands for the unit of a CTA where that of a CTA is asked for.
    pub fn of_cta(self, cta: u64) -> u64 {
        cta | (self as u64) << UNIT
    }

    /// The unit that a number stands for, if it is not a CTA's own.
    pub fn of(cta: u64) -> Option<Self> {
        match cta >> UNIT {
            0 => None,
            unit => Self::ALL.get(unit as usize - 1).copied(),
        }
    }

    /// Whether it goes through the generic proxy.
    pub fn is_generic(self) -> bool {
        matches!(self, Self::Copies | Self::Stores)
    }

    /// Who does what tells an mbarrier object: one for each object, nearly.
    pub fn signalling(self, cta: u64, mbarrier: u32, stamp: Stamp) -> Event {
        let number = mbarrier / 8 % 1024;
        let cta = self.of_cta(cta);
        Event { cta, warp: number / 32, lanes: 1 << (number % 32), stamp }
    }
}

/// The CTA of a number that may be a unit's.
pub fn cta_of(cta: u64) -> u64 {
    cta & ((1 << UNIT) - 1)
}

/// The lanes of an event, each as a thread.
pub fn threads(event: &Event) -> impl Iterator<Item = Entity> + use<> {
    let Event { cta, warp, lanes, .. } = *event;
    (0..32).filter(move |lane| lanes >> lane & 1 != 0).map(move |lane| Entity::thread(cta, warp, lane))
}
