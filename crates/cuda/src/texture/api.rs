//! The entry points for texture and surface objects.

use ptxvm_texture::{Image, Kind, Object, Surface, Texture};

use super::descriptor::{ResourceDescriptor, Sampling, TextureDescriptor, ViewDescriptor, kind};
use super::registry::{self, Made};
use super::resource::Resource;
use crate::abi::{Answer, CUresult, In, Out};
use crate::context::current;
use crate::entry::entry;
use crate::stream::capture::refuse_unsafe;

/// A handle of a texture object.
pub type CUtexObject = u64;
/// A handle of a surface object.
pub type CUsurfObject = u64;

entry! {
    fn cuTexObjectCreate(
        texture: Out<CUtexObject>, resource: In<ResourceDescriptor>, sampling: In<TextureDescriptor>,
        view: In<ViewDescriptor>,
    ) {
        let context = current()?;
        if texture.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let (resource, sampling) = (resource.get()?, sampling.get()?);
        let view = if view.is_null() { None } else { Some(view.get()?) };
        refuse_unsafe()?;
        let object = make(&resource, &sampling, view.as_ref())?;
        let made = Made { context: context.handle, resource, texture: Some(sampling), view };
        texture.set(registry::create(&context, Object::Texture(object), made))
    }

    fn cuTexObjectDestroy(texture: CUtexObject) {
        let context = current()?;
        refuse_unsafe()?;
        registry::destroy(&context, texture, Kind::Texture);
        Ok(())
    }

    fn cuTexObjectGetResourceDesc(resource: Out<ResourceDescriptor>, texture: CUtexObject) {
        current()?;
        registry::get(texture, Kind::Texture)?.resource.tell(resource)
    }

    fn cuTexObjectGetTextureDesc(sampling: Out<Sampling>, texture: CUtexObject) {
        current()?;
        let made = registry::get(texture, Kind::Texture)?.texture.ok_or(CUresult::INVALID_VALUE)?;
        sampling.set(made.sampling)
    }

    fn cuTexObjectGetResourceViewDesc(view: Out<ViewDescriptor>, texture: CUtexObject) {
        current()?;
        let made = registry::get(texture, Kind::Texture)?;
        if view.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        // Of a texture without one nothing is told.
        if let Some(made) = made.view {
            view.set(made)?;
        }
        Ok(())
    }

    fn cuSurfObjectCreate(surface: Out<CUsurfObject>, resource: In<ResourceDescriptor>) {
        let context = current()?;
        if surface.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let resource = resource.get()?;
        refuse_unsafe()?;
        let image = writable(&resource)?;
        let made = Made { context: context.handle, resource, texture: None, view: None };
        surface.set(registry::create(&context, Object::Surface(Surface { image }), made))
    }

    fn cuSurfObjectDestroy(surface: CUsurfObject) {
        let context = current()?;
        refuse_unsafe()?;
        registry::destroy(&context, surface, Kind::Surface);
        Ok(())
    }

    fn cuSurfObjectGetResourceDesc(resource: Out<ResourceDescriptor>, surface: CUsurfObject) {
        current()?;
        registry::get(surface, Kind::Surface)?.resource.tell(resource)
    }
}

/// The texture that a program describes.
fn make(
    resource: &ResourceDescriptor,
    sampling: &TextureDescriptor,
    view: Option<&ViewDescriptor>,
) -> Answer<Texture> {
    let resource = Resource::of(resource)?;
    if resource.is_video() {
        return Err(CUresult::INVALID_VALUE);
    }
    let sampler = sampling.sampler(resource.image())?;
    let image = match view {
        Some(view) => view.apply(&resource)?,
        None => resource.image().clone(),
    };
    Ok(Texture { image, sampler })
}

/// The image of a surface that a program describes: that of an array, whether or not it was made for it.
fn writable(resource: &ResourceDescriptor) -> Answer<Image> {
    if resource.kind != kind::ARRAY {
        return Err(CUresult::INVALID_VALUE);
    }
    let resource = Resource::of(resource)?;
    let image = resource.image().clone();
    if resource.is_planar() || image.format.block_side() > 1 {
        Err(CUresult::INVALID_VALUE)
    } else {
        Ok(image)
    }
}
