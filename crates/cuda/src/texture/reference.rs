//! Texture and surface references: the handles by which older programs bind `.texref` and `.surfref` variables.
//!
//! A reference is a description that a program fills in call by call. If it belongs to a variable of a module, the variable
//! is bound again after each call; a reference that the program made itself belongs to none.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use ptxvm_texture::{Image, Object, Surface, Texture};

use super::descriptor::{Sampling, TextureDescriptor};
use crate::abi::{Answer, CUdeviceptr};
use crate::array::{CUarray, CUmipmappedArray, in_memory};
use crate::context::Context;
use crate::handles::{self, Handle};

/// A handle of a texture reference.
pub type CUtexref = Handle<TextureReference>;
/// A handle of a surface reference.
pub type CUsurfref = Handle<SurfaceReference>;

/// A texture reference.
pub struct TextureReference {
    context: Weak<Context>,
    /// The variable that it stands for, by its handle among the device's objects.
    variable: Option<u64>,
    state: Mutex<TextureState>,
}

/// A surface reference.
pub struct SurfaceReference {
    context: Weak<Context>,
    variable: u64,
    /// The array that it is bound to; null if to none.
    array: Mutex<CUarray>,
}

impl handles::Object for TextureReference {}
impl handles::Object for SurfaceReference {}

/// What a program has said of a texture reference.
#[derive(Clone)]
pub struct TextureState {
    pub format: u32,
    pub channels: u32,
    pub texture: TextureDescriptor,
    pub bound: Bound,
}

/// What a texture reference is bound to.
#[derive(Clone, Copy)]
pub enum Bound {
    Nothing,
    Array(CUarray),
    Mipmapped(CUmipmappedArray),
    /// A row of texels, so many bytes of them.
    Linear(CUdeviceptr, u64),
    /// Rows of texels: the address, width, height and pitch.
    Pitched(CUdeviceptr, [u64; 3]),
}

/// `CU_AD_FORMAT_FLOAT`
const FLOAT: u32 = 0x20;
/// `CU_TR_ADDRESS_MODE_CLAMP`
const CLAMP: u32 = 1;

/// All references that stand for variables, for arrays that are destroyed.
static BOUND: Mutex<Vec<(Weak<TextureReference>, Weak<SurfaceReference>)>> = Mutex::new(Vec::new());

impl TextureReference {
    /// Makes a reference, for a variable or for nothing.
    pub fn create(context: &Arc<Context>, variable: Option<u64>) -> CUtexref {
        let sampling = Sampling {
            address: [CLAMP; 3],
            filter: 0,
            flags: 0,
            anisotropy: 0,
            level_filter: 0,
            bias: 0.0,
            min_level: 0.0,
            max_level: 0.0,
        };
        let texture = TextureDescriptor { sampling, border: [0.0; 4], reserved: [0; 12] };
        let state = Mutex::new(TextureState { format: FLOAT, channels: 1, texture, bound: Bound::Nothing });
        let reference = Arc::new(Self { context: Arc::downgrade(context), variable, state });
        remember(Arc::downgrade(&reference), Weak::new());
        Handle::insert(reference)
    }

    /// What has been said of it.
    pub fn state(&self) -> MutexGuard<'_, TextureState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says something of it. Work that was given before uses the variable as it was.
    ///
    /// # Errors
    /// What `change` answers, or what keeps the work from being waited for.
    pub fn change(&self, change: impl FnOnce(&mut TextureState) -> Answer) -> Answer {
        let context = self.context.upgrade();
        if let (Some(context), Some(_)) = (&context, self.variable) {
            context.streams.synchronize()?;
        }
        let mut state = self.state();
        change(&mut state)?;
        if let (Some(context), Some(variable)) = (context, self.variable) {
            context.device.objects().bind(variable, state.texture().map(Object::Texture));
        }
        Ok(())
    }
}

impl SurfaceReference {
    /// Makes the reference of a variable.
    pub fn create(context: &Arc<Context>, variable: u64) -> CUsurfref {
        let array = Mutex::new(CUarray::NULL);
        let reference = Arc::new(Self { context: Arc::downgrade(context), variable, array });
        remember(Weak::new(), Arc::downgrade(&reference));
        Handle::insert(reference)
    }

    /// The array that it is bound to; null if to none.
    pub fn array(&self) -> CUarray {
        *self.array.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Binds it to an array, or to none.
    ///
    /// # Errors
    /// What keeps the work that uses it from being waited for.
    pub fn bind(&self, array: CUarray) -> Answer {
        let image = array.find().map(|array| array.image.clone());
        if let Some(context) = self.context.upgrade() {
            context.streams.synchronize()?;
            let surface = image.map(|image| Object::Surface(Surface { image }));
            context.device.objects().bind(self.variable, surface);
        }
        *self.array.lock().unwrap_or_else(PoisonError::into_inner) = array;
        Ok(())
    }
}

impl TextureState {
    /// The texture that all this means; none if it means none.
    fn texture(&self) -> Option<Texture> {
        let image = self.image()?;
        let sampler = self.texture.sampler(&image).ok()?;
        Some(Texture { image, sampler })
    }

    fn image(&self) -> Option<Image> {
        match self.bound {
            Bound::Nothing | Bound::Linear(0, _) | Bound::Pitched(0, _) => None,
            Bound::Array(array) => Some(array.find()?.image.clone()),
            Bound::Mipmapped(mipmapped) => Some(mipmapped.find()?.image.clone()),
            Bound::Linear(address, bytes) => {
                let format = in_memory(self.format, self.channels).ok()?;
                let width = (bytes / u64::from(format.bytes())).clamp(1, u32::MAX.into());
                Image::linear(address, format, width as u32)
            }
            Bound::Pitched(address, [width, height, pitch]) => {
                let format = in_memory(self.format, self.channels).ok()?;
                let (width, height) = (u32::try_from(width.max(1)).ok()?, u32::try_from(height.max(1)).ok()?);
                Image::pitched(address, format, width, height, pitch)
            }
        }
    }
}

fn remember(texture: Weak<TextureReference>, surface: Weak<SurfaceReference>) {
    let mut all = BOUND.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|(texture, surface)| texture.strong_count() + surface.strong_count() > 0);
    all.push((texture, surface));
}

/// Unbinds the references of an array that is being destroyed, as the driver does.
pub fn unbind(array: CUarray, mipmapped: CUmipmappedArray) {
    let all: Vec<_> = BOUND.lock().unwrap_or_else(PoisonError::into_inner).clone();
    for (texture, surface) in all {
        if let Some(reference) = texture.upgrade() {
            let is_bound = match reference.state().bound {
                Bound::Array(bound) => bound == array,
                Bound::Mipmapped(bound) => bound == mipmapped,
                _ => false,
            };
            if is_bound {
                // A context whose work cannot be waited for runs none any more.
                let _ = reference.change(|state| {
                    state.bound = Bound::Nothing;
                    Ok(())
                });
            }
        }
        if let Some(reference) = surface.upgrade()
            && !array.is_null()
            && reference.array() == array
        {
            // As above.
            let _ = reference.bind(CUarray::NULL);
        }
    }
}
