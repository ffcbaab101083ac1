//! What an instruction means, as data: decoded once from its row of the table, its modifiers and its operands.
//!
//! After decoding nobody compares the spelling of an opcode or a modifier. Each family has a file that turns the words of
//! its rows into types. The manual's section of a row decides the family, so no instruction has two decodings.

pub mod access;
mod address;
mod class;
pub mod cluster;
pub mod compute;
pub mod control;
pub mod copy;
mod effects;
pub mod fence;
mod form;
pub mod generic;
pub mod hint;
pub mod matrix;
pub mod mbarrier;
pub(crate) mod meaning;
mod newer;
mod order;
pub mod special;
mod special_register;
pub mod surface;
pub mod tcgen05;
pub mod texture;
mod touch;
pub mod warp;

pub use access::Access;
pub use address::{Address, AddressSpace};
pub use class::Class;
pub use cluster::Cluster;
pub use compute::Compute;
pub use control::Control;
pub use copy::Copy;
pub use effects::{Converges, Effects};
pub use fence::Fence;
pub use form::Form;
pub use generic::Generic;
pub use hint::Hint;
pub use matrix::Matrix;
pub use mbarrier::Mbarrier;
pub use meaning::Operation;
pub use order::{Order, Scope};
pub use special::Special;
pub use special_register::SpecialRegister;
pub use surface::Surface;
pub use tcgen05::Tcgen05;
pub use texture::Texture;
pub use touch::{Effect, Named, Proxy, Touch, Touches};
pub use warp::Warp;

/// The meaning of an instruction of a section that the manual of PTX 9.4 has added.
fn of_newer_section(form: &Form<'_>, section: &str) -> Option<Operation> {
    Some(match section {
        "9.7.1.5" => Operation::Compute(compute::integers(form)?),
        "9.7.6.1" | "9.7.6.2" | "9.7.6.3" | "9.7.6.4" => {
            Operation::Compute(compute::Compute::Small(compute::Small::decode(form)?))
        }
        "9.7.10.13" | "9.7.15.8" => Operation::Copy(copy::store_async(form)?),
        "9.7.15.16.21" => Operation::Mbarrier(mbarrier::decode(form)?),
        // Fabric operations need devices that are joined by a fabric; the others only sm_107 has.
        _ => return None,
    })
}

/// The meaning of an instruction; `None` if it has none that is known.
#[must_use]
pub fn decode(form: &Form<'_>) -> Option<Operation> {
    if newer::is_of_no_device(form) {
        return None;
    }
    if let Some(section) = form.section().strip_prefix("9.4:") {
        return of_newer_section(form, section);
    }
    let mut section = form.section().split('.').skip(2).map(|part| part.parse().unwrap_or(0));
    let (chapter, part) = (section.next().unwrap_or(0), section.next().unwrap_or(0));
    Some(match (chapter, part) {
        (9, 5 | 6) | (13, 2 | 8..=12 | 14) => Operation::Warp(warp::decode(form)?),
        (9, 8..=11) if access::is_move(form) => {
            Operation::Compute(Compute::Movement(compute::Movement::Copy { bits: form.main_type()?.bits() }))
        }
        (9, 8..=10) => Operation::Access(access::load(form)?),
        (9, 11) => Operation::Access(access::store(form)?),
        (9, 12) | (13, 7) => Operation::Copy(copy::store_async(form)?),
        (9, 13) => Operation::Copy(copy::store_bulk(form)?),
        (9, 14) => Operation::Access(access::multimem(form)?),
        (9, 15..=18) => Operation::Hint(hint::decode(form)?),
        (9, 19 | 20 | 23 | 24) => Operation::Generic(generic::decode(form)?),
        (9, 25) => Operation::Copy(copy::decode(form, section.next()?, section.next()?)?),
        (9, 26) => Operation::Copy(copy::replace_field(form)?),
        (10, _) => Operation::Texture(texture::decode(form)?),
        (11, _) => Operation::Surface(surface::decode(form)?),
        (12, _) | (13, 1) => Operation::Control(control::decode(form)?),
        (13, 3) => Operation::Cluster(cluster::barrier(form)),
        (13, 4) => Operation::Fence(fence::decode(form)),
        (13, 5 | 6) => Operation::Access(access::atomic(form)?),
        (13, 13) => Operation::Cluster(cluster::grids(form)?),
        (13, 15) if form.opcode() == "cp" => Operation::Copy(copy::arrive(form)?),
        (13, 15) => Operation::Mbarrier(mbarrier::decode(form)?),
        (13, 16) => Operation::Copy(copy::publish_map(form)?),
        (13, 17 | 18) => Operation::Cluster(cluster::launch(form)?),
        (14 | 15, _) => Operation::Matrix(matrix::decode(form)?),
        (16, _) => Operation::Tcgen05(tcgen05::decode(form)?),
        (17 | 19, _) => Operation::Special(special::decode(form)?),
        _ => Operation::Compute(compute::decode(form, chapter, part)?),
    })
}
