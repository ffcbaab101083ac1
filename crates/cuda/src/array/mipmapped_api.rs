//! The entry points for mipmapped arrays.

use super::descriptor::ArrayDescriptor;
use super::mipmapped::{CUmipmappedArray, Mipmapped};
use super::object::CUarray;
use crate::abi::{CUresult, In, Out};
use crate::context::current;
use crate::driver;
use crate::entry::entry;

entry! {
    fn cuMipmappedArrayCreate(mipmapped: Out<CUmipmappedArray>, described: In<ArrayDescriptor>, levels: u32) {
        let context = current()?;
        if mipmapped.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        mipmapped.set(Mipmapped::create(&context, described.get()?, levels)?)
    }

    fn cuMipmappedArrayGetLevel(array: Out<CUarray>, mipmapped: CUmipmappedArray, level: u32) {
        current()?;
        if array.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        array.set(mipmapped.get()?.level(level)?)
    }

    fn cuMipmappedArrayDestroy(mipmapped: CUmipmappedArray) {
        driver::get()?;
        Mipmapped::destroy(mipmapped)
    }
}
