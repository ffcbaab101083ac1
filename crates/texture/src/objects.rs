//! The handles by which a program names textures, samplers and surfaces.
//!
//! A handle is a number that is given out only once, so a destroyed handle differs from one that never existed. A reference
//! (`.texref`, `.samplerref`, `.surfref`) has a handle from the time its module is loaded, and the host may bind it to
//! different things.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::image::Image;
use crate::sampler::Sampler;

/// An image and how it is sampled.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// The texels.
    pub image: Image,
    /// How they are sampled, unless the instruction names a sampler of its own.
    pub sampler: Sampler,
}

/// An image that can be written.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The texels, one level of them.
    pub image: Image,
}

/// What a handle stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Object {
    /// A texture, with a sampler.
    Texture(Texture),
    /// A sampler alone.
    Sampler(Sampler),
    /// A surface.
    Surface(Surface),
}

/// The three kinds of opaque things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `.texref`
    Texture,
    /// `.samplerref`
    Sampler,
    /// `.surfref`
    Surface,
}

impl Kind {
    /// What reports call it.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Texture => "texture",
            Self::Sampler => "sampler",
            Self::Surface => "surface",
        }
    }
}

impl Object {
    /// What it is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Texture(_) => Kind::Texture,
            Self::Sampler(_) => Kind::Sampler,
            Self::Surface(_) => Kind::Surface,
        }
    }
}

/// Why a handle stands for nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It has never been given.
    Never,
    /// It has been destroyed.
    Destroyed(Kind),
    /// It is a reference of this name that nothing is bound to.
    Unbound(Kind, Arc<str>),
}

#[derive(Clone, Debug)]
struct Entry {
    kind: Kind,
    /// The name of a reference; an object made by the host has none.
    name: Option<Arc<str>>,
    bound: Option<Arc<Object>>,
}

/// The table of a device's handles.
#[derive(Debug, Default)]
pub struct Objects {
    /// By handle, less one.
    entries: RwLock<Vec<Entry>>,
    /// How often the table has changed: what was looked up before is good while this stays.
    generation: AtomicU64,
}

impl Objects {
    /// Gives an object a handle.
    pub fn create(&self, object: Object) -> u64 {
        self.add(Entry { kind: object.kind(), name: None, bound: Some(Arc::new(object)) })
    }

    /// Gives a reference a handle; nothing is bound to it yet.
    pub fn declare(&self, kind: Kind, name: &str) -> u64 {
        self.add(Entry { kind, name: Some(name.into()), bound: None })
    }

    /// Gives the references of an array handles that follow one another; the first of them.
    pub fn declare_array(&self, kind: Kind, name: &str, count: usize) -> u64 {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        let first = entries.len() as u64 + 1;
        let names = (0..count).map(|number| Some(format!("{name}[{number}]").into()));
        entries.extend(names.map(|name| Entry { kind, name, bound: None }));
        first
    }

    /// Binds a reference to something of its kind, or to nothing. Gives whether the handle is such a reference.
    pub fn bind(&self, handle: u64, object: Option<Object>) -> bool {
        self.change(handle, |entry| {
            let fits =
                entry.name.is_some() && object.as_ref().is_none_or(|object| object.kind() == entry.kind);
            if fits {
                entry.bound = object.map(Arc::new);
            }
            fits
        })
    }

    /// Destroys an object or a reference of this kind. Gives whether there was one.
    pub fn destroy(&self, handle: u64, kind: Kind) -> bool {
        self.change(handle, |entry| {
            let was = entry.kind == kind && (entry.bound.is_some() || entry.name.is_some());
            if was {
                (entry.name, entry.bound) = (None, None);
            }
            was
        })
    }

    /// What a handle stands for.
    ///
    /// # Errors
    /// Why it stands for nothing.
    pub fn get(&self, handle: u64) -> Result<Arc<Object>, Missing> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let entry = index(handle).and_then(|index| entries.get(index)).ok_or(Missing::Never)?;
        match (&entry.bound, &entry.name) {
            (Some(object), _) => Ok(Arc::clone(object)),
            (None, Some(name)) => Err(Missing::Unbound(entry.kind, Arc::clone(name))),
            (None, None) => Err(Missing::Destroyed(entry.kind)),
        }
    }

    /// The kind of the reference that a handle belongs to; `None` if it is no reference, or destroyed.
    #[must_use]
    pub fn reference(&self, handle: u64) -> Option<Kind> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let entry = index(handle).and_then(|index| entries.get(index))?;
        entry.name.as_ref().map(|_| entry.kind)
    }

    /// A number that changes whenever what a handle stands for changes.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    fn add(&self, entry: Entry) -> u64 {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        entries.push(entry);
        entries.len() as u64
    }

    fn change(&self, handle: u64, change: impl FnOnce(&mut Entry) -> bool) -> bool {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        let Some(entry) = index(handle).and_then(|index| entries.get_mut(index)) else { return false };
        let changed = change(entry);
        self.generation.fetch_add(1, Ordering::Release);
        changed
    }
}

fn index(handle: u64) -> Option<usize> {
    usize::try_from(handle.checked_sub(1)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_never_given_twice() {
        let objects = Objects::default();
        let sampler = || Object::Sampler(Sampler::default());
        let first = objects.create(sampler());
        assert_eq!(objects.get(first).as_deref(), Ok(&sampler()));
        assert!(!objects.destroy(first, Kind::Texture));
        assert!(objects.destroy(first, Kind::Sampler));
        assert!(!objects.destroy(first, Kind::Sampler));
        assert_eq!(objects.get(first), Err(Missing::Destroyed(Kind::Sampler)));
        assert_ne!(objects.create(sampler()), first);
        assert_eq!(objects.get(0), Err(Missing::Never));
        assert_eq!(objects.get(u64::MAX), Err(Missing::Never));
    }

    #[test]
    fn a_reference_is_bound_to_its_kind_only() {
        let objects = Objects::default();
        let handle = objects.declare(Kind::Sampler, "s");
        let before = objects.generation();
        assert_eq!(objects.get(handle), Err(Missing::Unbound(Kind::Sampler, "s".into())));
        assert!(objects.bind(handle, Some(Object::Sampler(Sampler::default()))));
        assert!(objects.get(handle).is_ok());
        assert_ne!(objects.generation(), before);
        let other = objects.declare(Kind::Texture, "t");
        assert!(!objects.bind(other, Some(Object::Sampler(Sampler::default()))));
        assert!(objects.bind(handle, None));
        assert!(objects.get(handle).is_err());
        let made = objects.create(Object::Sampler(Sampler::default()));
        assert!(!objects.bind(made, None), "only references are bound");
    }
}
