//! What a texture unit does, on images in guest memory and with an H200's bits.
//!
//! An [`Image`] says where texels are and what their bytes mean ([`Format`]). A [`Sampler`] says how coordinates are used
//! and texels are blended. A [`Texture`] is both together, a [`Surface`] is an image that can be written, and [`Objects`] is
//! the table of the handles by which a program names them. [`lookup`](lookup::lookup) is one lane's `tex`, from coordinates
//! to four values.
//!
//! This crate knows neither instructions nor drivers: it gets operands from the machine and descriptions from libcuda.
#![allow(clippy::needless_range_loop, reason = "a lane is a number that indexes several arrays at once")]

pub mod anisotropy;
pub mod block;
pub mod coordinate;
pub mod cube;
pub mod decode;
pub mod domain;
mod encode;
pub mod filter;
pub mod fit;
pub mod format;
pub mod gather;
pub mod geometry;
pub mod gradient;
pub mod image;
pub mod level;
pub mod lookup;
mod number;
pub mod objects;
pub mod query;
pub mod sampler;
mod short;
pub mod srgb;
pub mod surface;
mod texel;
mod view;
pub mod warp;

pub use decode::Decoder;
pub use domain::Domain;
pub use format::{Block, Channel, Format};
pub use geometry::Geometry;
pub use image::{Image, Layout, Level, Shape};
pub use lookup::{Coordinates, Detail, Request};
pub use objects::{Kind, Missing, Object, Objects, Surface, Texture};
pub use query::Query;
pub use sampler::{AddressMode, Filter, Read, Sampler};
pub use texel::Texel;
pub use warp::{Details, Lanes, Warp, lookup_warp};
