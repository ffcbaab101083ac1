//! The entry points for texture and surface objects.

use ptxvm_texture::{Image, Kind, Object, Surface, Texture};

use super::descriptor::{ResourceDescriptor, TextureDescriptor, ViewDescriptor, kind};
use super::registry::{self, Made};
use super::resource::Resource;
use crate::abi::{Answer, CUresult, In, Out};
use crate::array::flag;
use crate::context::{Context, current};
use crate::entry::entry;

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
        let object = make(&context, &resource, &sampling, view.as_ref())?;
        let made = Made { context: context.handle, resource, texture: Some(sampling), view };
        texture.set(registry::create(&context, Object::Texture(object), made))
    }

    fn cuTexObjectDestroy(texture: CUtexObject) {
        registry::destroy(&*current()?, texture, Kind::Texture)
    }

    fn cuTexObjectGetResourceDesc(resource: Out<ResourceDescriptor>, texture: CUtexObject) {
        current()?;
        resource.set(registry::get(texture, Kind::Texture)?.resource)
    }

    fn cuTexObjectGetTextureDesc(sampling: Out<TextureDescriptor>, texture: CUtexObject) {
        current()?;
        sampling.set(registry::get(texture, Kind::Texture)?.texture.ok_or(CUresult::INVALID_VALUE)?)
    }

    fn cuTexObjectGetResourceViewDesc(view: Out<ViewDescriptor>, texture: CUtexObject) {
        current()?;
        view.set(registry::get(texture, Kind::Texture)?.view.ok_or(CUresult::INVALID_VALUE)?)
    }

    fn cuSurfObjectCreate(surface: Out<CUsurfObject>, resource: In<ResourceDescriptor>) {
        let context = current()?;
        if surface.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let resource = resource.get()?;
        let image = writable(&context, &resource)?;
        let made = Made { context: context.handle, resource, texture: None, view: None };
        surface.set(registry::create(&context, Object::Surface(Surface { image }), made))
    }

    fn cuSurfObjectDestroy(surface: CUsurfObject) {
        registry::destroy(&*current()?, surface, Kind::Surface)
    }

    fn cuSurfObjectGetResourceDesc(resource: Out<ResourceDescriptor>, surface: CUsurfObject) {
        current()?;
        resource.set(registry::get(surface, Kind::Surface)?.resource)
    }
}

/// The texture that a program describes.
fn make(
    context: &Context,
    resource: &ResourceDescriptor,
    sampling: &TextureDescriptor,
    view: Option<&ViewDescriptor>,
) -> Answer<Texture> {
    let resource = Resource::of(resource, context)?;
    let sampler = sampling.sampler()?;
    let image = match view {
        Some(view) => view.apply(resource.image())?,
        None => resource.image().clone(),
    };
    Ok(Texture { image, sampler })
}

/// The image of a surface that a program describes: an array that was made for it.
fn writable(context: &Context, resource: &ResourceDescriptor) -> Answer<Image> {
    if resource.kind != kind::ARRAY {
        return Err(CUresult::INVALID_VALUE);
    }
    let resource = Resource::of(resource, context)?;
    if resource.flags() & flag::SURFACE_LDST == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    Ok(resource.image().clone())
}
