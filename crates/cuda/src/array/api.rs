//! The entry points that make, describe and destroy arrays.

use super::descriptor::{ArrayDescriptor, ArrayDescriptor1, PlaneDescriptor, PlaneDescriptor1};
use super::object::{Array, CUarray};
use crate::abi::{Answer, CUresult, In, Out};
use crate::context::current;
use crate::driver;
use crate::entry::entry;

entry! {
    fn cuArrayCreate(array: Out<CUarray>, described: In<PlaneDescriptor1>) {
        create(array, described)
    }

    fn cuArrayCreate_v2(array: Out<CUarray>, described: In<PlaneDescriptor>) {
        create(array, described)
    }

    fn cuArray3DCreate(array: Out<CUarray>, described: In<ArrayDescriptor1>) {
        create(array, described)
    }

    fn cuArray3DCreate_v2(array: Out<CUarray>, described: In<ArrayDescriptor>) {
        create(array, described)
    }

    fn cuArrayDestroy(array: CUarray) {
        driver::get()?;
        Array::destroy(array)
    }

    fn cuArrayGetDescriptor(described: Out<PlaneDescriptor1>, array: CUarray) {
        describe(described, array)
    }

    fn cuArrayGetDescriptor_v2(described: Out<PlaneDescriptor>, array: CUarray) {
        describe(described, array)
    }

    fn cuArray3DGetDescriptor(described: Out<ArrayDescriptor1>, array: CUarray) {
        describe(described, array)
    }

    fn cuArray3DGetDescriptor_v2(described: Out<ArrayDescriptor>, array: CUarray) {
        describe(described, array)
    }
}

fn create<D: Into<ArrayDescriptor> + Copy>(array: Out<CUarray>, described: In<D>) -> Answer {
    let context = current()?;
    if array.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    array.set(Array::create(&context, described.get()?.into())?)
}

fn describe<D: From<ArrayDescriptor>>(described: Out<D>, array: CUarray) -> Answer {
    current()?;
    described.set(array.get()?.described.into())
}
