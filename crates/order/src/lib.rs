//! What happens before what in a run, by the memory model of PTX: base causality (8.9.5), as clocks.
//!
//! Each thread has a [`Clock`] of what happens before it. Fences, barriers, mbarrier objects, and release and acquire operations
//! move clocks between threads ([`Order::order`]), by the predicates of `ptxvm_model`. Weak memory asks it which writes a
//! read must see, the race checker which accesses are ordered (and which would be in every run with these values, `sequence`), and `--explain-order` by which chain.
#![forbid(unsafe_code)]

mod actor;
mod barrier;
mod between;
mod clock;
mod cluster;
mod explain;
mod guess;
mod missing;
mod operation;
mod order;
mod ordering;
mod published;
mod question;
mod reader;
mod sequence;
mod shadow;
mod shape;
mod site;
mod view;

pub use actor::Actor;
pub use clock::{Clock, Entity, Event, Key, Stamp, join};
pub use missing::{Accessed, Missed, Missing};
pub use operation::OperationId;
pub use order::Order;
pub use published::{Published, publish};
pub use question::{Asked, How, OrderAnswer, OrderQuestion, Step};
pub use reader::{Reader, is_morally_strong};
pub use sequence::Sequenced;
pub use shadow::{Shadow, WORD, words};
pub use shape::Shape;
pub use site::{Carrier, Manner, Site, SiteId, Sites};
pub use view::Glimpse;
