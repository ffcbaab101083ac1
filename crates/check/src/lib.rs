//! What is wrong with a kernel besides its faults. Each kind of it has a checker, which follows a launch as the machine tells
//! it what touches memory and what orders it: races ([`race`]), values that nobody has defined ([`init`]), accesses that leave
//! the variable whose address they have ([`bounds`]), barriers, mbarrier objects and asynchronous operations used against their
//! rules ([`sync`]), and blocks of the heap that nobody gives back ([`leak`]). Several follow together ([`several`]).
#![forbid(unsafe_code)]

mod bounds;
mod init;
mod leak;
mod needs;
mod race;
mod several;
mod sync;
mod told;

pub use bounds::checker::BoundsChecker;
pub use init::checker::InitChecker;
pub use leak::{HeapBlocks, LeakChecker};
pub use needs::{may_leave_values_undefined, needed};
pub use race::checker::{Checked, RaceChecker};
pub use race::footprint::{Footprint, Stretch};
pub use race::found::{Advice, Elsewhere, Grids, Meeting, Part, Race, RaceKind, Races};
pub use race::unit::Unit;
pub use several::together;
pub use sync::checker::{Followed, SyncChecker};
pub use told::CheckedLaunch;
