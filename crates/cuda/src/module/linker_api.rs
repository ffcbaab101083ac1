//! The entry points of the linker. Those of the first version differ from the later ones only in their names.
#![allow(unsafe_code)]

use std::ffi::c_void;

use super::jit::Jit;
use super::linker::{CUlinkState, Link};
use crate::abi::{Answer, CUresult, Host, In, Out, Text};
use crate::context::current;
use crate::driver;
use crate::entry::entry;

/// `CU_JIT_INPUT_CUBIN`
const CUBIN: u32 = 0;
/// `CU_JIT_NUM_INPUT_TYPES`
const INPUT_TYPES: u32 = 6;

entry! {
    fn cuLinkCreate_v2(count: u32, options: In<u32>, values: Out<Host>, state: Out<CUlinkState>) {
        create(count, options, values, state)
    }

    fn cuLinkCreate(count: u32, options: In<u32>, values: Out<Host>, state: Out<CUlinkState>) {
        create(count, options, values, state)
    }

    fn cuLinkAddData_v2(
        state: CUlinkState,
        kind: u32,
        data: Host,
        size: usize,
        name: Text,
        count: u32,
        options: In<u32>,
        values: Out<Host>,
    ) {
        add_data(state, kind, data, size, name, Jit::read(count, options, values)?)
    }

    fn cuLinkAddData(
        state: CUlinkState,
        kind: u32,
        data: Host,
        size: usize,
        name: Text,
        count: u32,
        options: In<u32>,
        values: Out<Host>,
    ) {
        add_data(state, kind, data, size, name, Jit::read(count, options, values)?)
    }

    fn cuLinkAddFile_v2(
        state: CUlinkState,
        kind: u32,
        path: Text,
        count: u32,
        options: In<u32>,
        values: Out<Host>,
    ) {
        add_file(state, kind, path, Jit::read(count, options, values)?)
    }

    fn cuLinkAddFile(
        state: CUlinkState,
        kind: u32,
        path: Text,
        count: u32,
        options: In<u32>,
        values: Out<Host>,
    ) {
        add_file(state, kind, path, Jit::read(count, options, values)?)
    }

    fn cuLinkComplete(state: CUlinkState, image: Out<*const c_void>, size: Out<usize>) {
        driver::get()?;
        let state = state.get()?;
        if image.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let (address, length) = state.complete()?;
        size.offer(length);
        image.set(address.cast())
    }

    fn cuLinkDestroy(state: CUlinkState) {
        driver::get()?;
        state.remove().map(|_| ())
    }
}

fn create(count: u32, options: In<u32>, values: Out<Host>, state: Out<CUlinkState>) -> Answer {
    let context = current()?;
    if state.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    state.set(Link::begin(&context.device, Jit::read(count, options, values)?))
}

fn add_data(state: CUlinkState, kind: u32, data: Host, size: usize, name: Text, jit: Jit) -> Answer {
    driver::get()?;
    let state = state.get()?;
    if kind >= INPUT_TYPES || data.is_null() || size == 0 || size > isize::MAX as usize {
        return Err(CUresult::INVALID_VALUE);
    }
    let name = if name.is_null() { String::new() } else { name.get()? };
    // SAFETY: the program promises so many bytes that stay as they are during the call.
    let bytes = unsafe { std::slice::from_raw_parts(data.0.cast::<u8>(), size) };
    add(&state, kind, &name, bytes, &jit)
}

fn add_file(state: CUlinkState, kind: u32, path: Text, jit: Jit) -> Answer {
    driver::get()?;
    let state = state.get()?;
    if kind >= INPUT_TYPES {
        return Err(CUresult::INVALID_VALUE);
    }
    let path = path.get()?;
    let bytes = std::fs::read(&path).map_err(|_| CUresult::FILE_NOT_FOUND)?;
    add(&state, kind, &path, &bytes, &jit)
}

/// Adds an image of any kind that is known: what it is, it says itself. Only a text is no cubin.
fn add(link: &Link, kind: u32, name: &str, bytes: &[u8], jit: &Jit) -> Answer {
    if kind == CUBIN && bytes.first() != Some(&0x7f) {
        return Err(CUresult::INVALID_IMAGE);
    }
    link.add(name, bytes, jit)
}
