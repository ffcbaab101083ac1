//! The entry points for texture and surface references.

use super::descriptor::flag;
use super::reference::{Bound, CUsurfref, CUtexref, TextureReference, TextureState};
use super::resource::{ALIGNMENT, is_pitched};
use crate::abi::{Answer, CUdeviceptr, CUresult, In, Out};
use crate::array::{CUarray, CUmipmappedArray, PlaneDescriptor, SURFACE_LDST};
use crate::context::current;
use crate::entry::entry;
use crate::module::CUfunction;

/// `CU_TRSA_OVERRIDE_FORMAT`: the reference takes the array's format.
const OVERRIDE_FORMAT: u32 = 1;

entry! {
    fn cuTexRefCreate(reference: Out<CUtexref>) {
        let context = current()?;
        if reference.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        reference.set(TextureReference::create(&context, None))
    }

    fn cuTexRefDestroy(reference: CUtexref) {
        current()?;
        reference.remove().map(|_| ())
    }

    fn cuTexRefSetArray(reference: CUtexref, array: CUarray, flags: u32) {
        current()?;
        let reference = reference.get()?;
        let described = array.get()?.described;
        change(&reference, flags, (described.format, described.channels), Bound::Array(array))
    }

    fn cuTexRefSetMipmappedArray(reference: CUtexref, mipmapped: CUmipmappedArray, flags: u32) {
        current()?;
        let reference = reference.get()?;
        let described = mipmapped.get()?.described;
        change(&reference, flags, (described.format, described.channels), Bound::Mipmapped(mipmapped))
    }

    /// Textures begin at multiples of [`ALIGNMENT`]: the program is told how far after that its own address is.
    fn cuTexRefSetAddress_v2(offset: Out<usize>, reference: CUtexref, address: CUdeviceptr, bytes: usize) {
        current()?;
        let reference = reference.get()?;
        let beyond = address % ALIGNMENT;
        if offset.is_null() && beyond != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        offset.offer(beyond as usize);
        reference.change(|state| {
            state.bound = Bound::Linear(address - beyond, beyond.saturating_add(bytes as u64));
            Ok(())
        })
    }

    fn cuTexRefSetAddress2D_v2(
        reference: CUtexref, described: In<PlaneDescriptor>, address: CUdeviceptr, pitch: usize,
    ) {
        pitched(reference, described, address, pitch)
    }

    fn cuTexRefSetAddress2D_v3(
        reference: CUtexref, described: In<PlaneDescriptor>, address: CUdeviceptr, pitch: usize,
    ) {
        pitched(reference, described, address, pitch)
    }

    fn cuTexRefSetFormat(reference: CUtexref, format: u32, channels: i32) {
        current()?;
        let reference = reference.get()?;
        if channels == 3 || channels > 4 {
            return Err(CUresult::INVALID_VALUE);
        }
        reference.change(|state| {
            (state.format, state.channels) = (format, channels as u32);
            Ok(())
        })
    }

    /// A mode that there is not changes nothing.
    fn cuTexRefSetAddressMode(reference: CUtexref, dimension: i32, mode: u32) {
        current()?;
        reference.get()?.change(|state| {
            let said = usize::try_from(dimension).ok();
            let place = said.and_then(|index| state.texture.sampling.address.get_mut(index));
            let place = place.ok_or(CUresult::INVALID_VALUE)?;
            if mode <= 3 {
                *place = mode;
            }
            Ok(())
        })
    }

    /// As above.
    fn cuTexRefSetFilterMode(reference: CUtexref, mode: u32) {
        current()?;
        reference.get()?.change(|state| {
            if mode <= 1 {
                state.texture.sampling.filter = mode;
            }
            Ok(())
        })
    }

    fn cuTexRefSetMipmapFilterMode(reference: CUtexref, mode: u32) {
        current()?;
        reference.get()?.change(|state| {
            if mode > 1 {
                return Err(CUresult::INVALID_VALUE);
            }
            state.texture.sampling.level_filter = mode;
            Ok(())
        })
    }

    fn cuTexRefSetMipmapLevelBias(reference: CUtexref, bias: f32) {
        current()?;
        reference.get()?.change(|state| {
            state.texture.sampling.bias = bias;
            Ok(())
        })
    }

    fn cuTexRefSetMipmapLevelClamp(reference: CUtexref, min: f32, max: f32) {
        current()?;
        reference.get()?.change(|state| {
            (state.texture.sampling.min_level, state.texture.sampling.max_level) = (min, max);
            Ok(())
        })
    }

    fn cuTexRefSetMaxAnisotropy(reference: CUtexref, anisotropy: u32) {
        current()?;
        reference.get()?.change(|state| {
            state.texture.sampling.anisotropy = anisotropy;
            Ok(())
        })
    }

    fn cuTexRefSetBorderColor(reference: CUtexref, color: In<[f32; 4]>) {
        current()?;
        let reference = reference.get()?;
        let color = color.get()?;
        reference.change(|state| {
            state.texture.border = color;
            Ok(())
        })
    }

    fn cuTexRefSetFlags(reference: CUtexref, flags: u32) {
        current()?;
        let reference = reference.get()?;
        if flags & !flag::TAKEN != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        reference.change(|state| {
            state.texture.sampling.flags = flags;
            Ok(())
        })
    }

    fn cuTexRefGetAddress_v2(address: Out<CUdeviceptr>, reference: CUtexref) {
        match state(reference)?.bound {
            Bound::Linear(at, _) | Bound::Pitched(at, _) => address.set(at),
            _ => Err(CUresult::INVALID_VALUE),
        }
    }

    fn cuTexRefGetArray(array: Out<CUarray>, reference: CUtexref) {
        match state(reference)?.bound {
            Bound::Array(bound) => array.set(bound),
            _ => Err(CUresult::INVALID_VALUE),
        }
    }

    fn cuTexRefGetMipmappedArray(mipmapped: Out<CUmipmappedArray>, reference: CUtexref) {
        match state(reference)?.bound {
            Bound::Mipmapped(bound) => mipmapped.set(bound),
            _ => Err(CUresult::INVALID_VALUE),
        }
    }

    fn cuTexRefGetAddressMode(mode: Out<u32>, reference: CUtexref, dimension: i32) {
        let address = state(reference)?.texture.sampling.address;
        let index = usize::try_from(dimension).map_err(|_| CUresult::INVALID_VALUE)?;
        mode.set(*address.get(index).ok_or(CUresult::INVALID_VALUE)?)
    }

    fn cuTexRefGetFilterMode(mode: Out<u32>, reference: CUtexref) {
        mode.set(state(reference)?.texture.sampling.filter)
    }

    fn cuTexRefGetFormat(format: Out<u32>, channels: Out<u32>, reference: CUtexref) {
        let state = state(reference)?;
        format.offer(state.format);
        channels.offer(state.channels);
        Ok(())
    }

    fn cuTexRefGetMipmapFilterMode(mode: Out<u32>, reference: CUtexref) {
        mode.set(state(reference)?.texture.sampling.level_filter)
    }

    fn cuTexRefGetMipmapLevelBias(bias: Out<f32>, reference: CUtexref) {
        bias.set(state(reference)?.texture.sampling.bias)
    }

    fn cuTexRefGetMipmapLevelClamp(min: Out<f32>, max: Out<f32>, reference: CUtexref) {
        let sampling = state(reference)?.texture.sampling;
        if min.is_null() || max.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        min.set(sampling.min_level)?;
        max.set(sampling.max_level)
    }

    fn cuTexRefGetMaxAnisotropy(anisotropy: Out<u32>, reference: CUtexref) {
        anisotropy.set(state(reference)?.texture.sampling.anisotropy)
    }

    fn cuTexRefGetBorderColor(color: Out<[f32; 4]>, reference: CUtexref) {
        color.set(state(reference)?.texture.border)
    }

    fn cuTexRefGetFlags(flags: Out<u32>, reference: CUtexref) {
        flags.set(state(reference)?.texture.sampling.flags)
    }

    /// No flag is known, and the array must have been made for surfaces.
    fn cuSurfRefSetArray(reference: CUsurfref, array: CUarray, flags: u32) {
        current()?;
        let reference = reference.get()?;
        let made_for_it = array.get()?.described.has(SURFACE_LDST);
        if flags != 0 || !made_for_it {
            return Err(CUresult::INVALID_VALUE);
        }
        reference.bind(array)
    }

    fn cuSurfRefGetArray(array: Out<CUarray>, reference: CUsurfref) {
        current()?;
        let bound = reference.get()?.array();
        if bound.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        array.set(bound)
    }

    /// What names the variable that a function uses is the module; the driver takes no other unit.
    fn cuParamSetTexRef(function: CUfunction, _unit: i32, reference: CUtexref) {
        current()?;
        function.get()?;
        reference.get()?;
        Err(CUresult::INVALID_VALUE)
    }
}

/// What has been said of a reference.
fn state(reference: CUtexref) -> Answer<TextureState> {
    current()?;
    Ok(reference.get()?.state().clone())
}

/// Binds a reference to an array, and gives it the array's format if it is to take it.
fn change(reference: &TextureReference, flags: u32, (format, channels): (u32, u32), bound: Bound) -> Answer {
    if flags & !OVERRIDE_FORMAT != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    reference.change(|state| {
        if flags & OVERRIDE_FORMAT != 0 {
            (state.format, state.channels) = (format, channels);
        }
        state.bound = bound;
        Ok(())
    })
}

/// Binds a reference to rows of texels.
fn pitched(
    reference: CUtexref,
    described: In<PlaneDescriptor>,
    address: CUdeviceptr,
    pitch: usize,
) -> Answer {
    current()?;
    let reference = reference.get()?;
    let PlaneDescriptor { width, height, format, channels } = described.get()?;
    let sizes = [width as u64, height as u64, pitch as u64];
    if !is_pitched(address, sizes, format, channels) {
        return Err(CUresult::INVALID_VALUE);
    }
    reference.change(|state| {
        (state.format, state.channels) = (format, channels);
        state.bound = Bound::Pitched(address, sizes);
        Ok(())
    })
}
