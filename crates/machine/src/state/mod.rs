//! What a launch keeps while it runs, as operations see it: of a warp, of a CTA, of a host thread.

pub mod awaited;
pub mod cta;
pub mod frame;
pub mod late;
pub mod opaque;
pub mod warp;
pub mod warpgroup;
pub mod worker;
