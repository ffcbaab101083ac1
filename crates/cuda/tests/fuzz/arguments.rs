//! What the fuzzer passes: handles and addresses that it has been given, some of them stale, and numbers near limits.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::images::images;
use crate::structures::Shape;

/// What an argument of a call is.
#[derive(Clone, Copy, Debug)]
pub enum Arg {
    /// A place for a handle or an address of this kind, which is kept.
    Out(Kind),
    /// A place for results that nobody looks at.
    Room,
    /// A handle or an address of this kind.
    Of(Kind),
    /// As many handles as [`Arg::Count`] can say.
    List(Kind),
    /// How many elements a list has.
    Count,
    /// A number that is mostly 1.
    One,
    /// As many sizes as [`Arg::Count`] can say.
    Sizes,
    /// As many indices that grow.
    Indices,
    /// The number of a device.
    Device,
    /// An address in device memory, also inside and outside of an allocation.
    Address,
    /// An address at or near the start of an allocation. What is further away may be memory of the program's own, which
    /// a copy or a kernel that takes both kinds of addresses would overwrite as it was told.
    Start,
    /// Bytes of the host: as many as [`Arg::Bytes`] can say, twice.
    Host,
    /// A size that fits the host's bytes.
    Bytes,
    /// Any size.
    Size,
    /// A number of threads, rows or such.
    Number,
    /// A number of CTAs: few or impossibly many, since a kernel of millions of them runs as long as that takes.
    Grid,
    /// Flags and choices.
    Flags,
    /// The name of a kernel or a variable.
    Name,
    /// An image of a module.
    Image,
    /// How many bytes the image before has, or fewer.
    ImageSize,
    /// Memory of the program's own, which may be registered.
    Own,
    /// A function of the program's own.
    Callback,
    /// The values of a kernel's parameters.
    Parameters,
    /// A structure that [`Shape`] describes.
    Structure(Shape),
    /// Nothing.
    Null,
}

/// What handles and addresses are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Context,
    Module,
    Function,
    Library,
    Kernel,
    Stream,
    Event,
    Graph,
    Node,
    Exec,
    Pool,
    Link,
    Device,
    Pinned,
    Generic,
    Range,
    Condition,
    Reference,
    Array,
    Mipmapped,
    Texture,
    Surface,
    TextureReference,
    SurfaceReference,
}

/// Bytes of one place for results.
const PLACE: usize = 4096;
/// The most that [`Arg::Bytes`] says.
const MOST: u64 = 2048;

/// Handles and addresses that nobody has been given.
const INVENTED: [u64; 7] = [1, 2, 3, 0xdead_beef, u64::MAX, 1 << 32, 0x7fff_ffff_f000];
/// `CU_GRAPH_NODE_TYPE_CONDITIONAL`, `CU_GRAPH_NODE_TYPE_MEM_ALLOC`
const CONDITIONAL: u32 = 13;
const ALLOCATION: u32 = 10;

/// A small generator of numbers, so that a seed gives a sequence again.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 16) % n
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// What the threads of a sequence have been given, stale or not. It is ordered, so that a seed gives the same sequence
/// again.
type Known = BTreeMap<Kind, Vec<u64>>;

/// What a thread of a sequence has.
pub struct Arguments {
    pub random: Random,
    known: Arc<Mutex<Known>>,
    /// What has been ended and is not passed any more. A launch of a graph may allocate an address again.
    forgotten: Arc<Mutex<Known>>,
    /// Memory for results, host bytes and structures, each used for one call and kept for its work.
    places: Vec<Box<[u64; PLACE / 8]>>,
    next: usize,
    names: Vec<Vec<u8>>,
    images: Vec<Vec<u8>>,
    /// The image that was passed last.
    image: usize,
    /// The memory that may be registered. It stays as long as the process: threads share it by its address.
    own: u64,
}

/// Bytes of the memory that may be registered: more than any offset and size of it.
const OWN: usize = 16 * 4096;

extern "C" fn callback(_data: *mut std::ffi::c_void) {}

impl Arguments {
    pub fn new(seed: u64) -> Self {
        let names: [&[u8]; 9] = [
            b"empty\0",
            b"store\0",
            b"table\0",
            b"missing\0",
            b"\0",
            b"fixed\0",
            b"look\0",
            b"picture\0",
            b"canvas\0",
        ];
        Self {
            random: Random::new(seed),
            known: Arc::default(),
            forgotten: Arc::default(),
            places: (0..256).map(|_| Box::new([0; PLACE / 8])).collect(),
            next: 0,
            names: names.iter().map(|name| name.to_vec()).collect(),
            images: images(),
            image: 0,
            own: (vec![0u8; OWN + 4096].leak().as_ptr() as u64).next_multiple_of(4096),
        }
    }

    /// The arguments of a further thread, which shares handles and memory.
    pub fn share(&self, seed: u64) -> Self {
        let (known, forgotten) = (Arc::clone(&self.known), Arc::clone(&self.forgotten));
        Self { known, forgotten, own: self.own, ..Self::new(seed) }
    }

    fn all_known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers what a call gave.
    pub fn keep(&mut self, kind: Kind, place: u64) {
        // SAFETY: the place is one of ours.
        let value = unsafe { *(place as *const u64) };
        if value != 0 {
            self.all_known().entry(kind).or_default().push(value);
        }
    }

    /// Forgets what a call has ended.
    pub fn forget(&mut self, kind: Kind, value: u64) {
        if let Some(values) = self.all_known().get_mut(&kind) {
            values.retain(|known| *known != value);
        }
        let mut forgotten = self.forgotten.lock().unwrap_or_else(PoisonError::into_inner);
        forgotten.entry(kind).or_default().push(value);
    }

    /// Remembers what a call has told in the parameters of a node: the first body of a conditional node, the address
    /// of an allocation.
    pub fn keep_told(&mut self, shape: Shape, params: u64) {
        let kind = match shape {
            // SAFETY: the parameters are in a place of ours.
            Shape::AnyNode => unsafe { *(params as *const u32) },
            Shape::AllocationNode => ALLOCATION,
            _ => return,
        };
        let said = if matches!(shape, Shape::AnyNode) { params + 16 } else { params };
        match kind {
            // SAFETY: as above, and the library has written where the bodies are.
            CONDITIONAL => self.keep(Kind::Graph, unsafe { *((said + 16) as *const u64) }),
            ALLOCATION => self.keep(Kind::Device, said + 112),
            _ => {}
        }
    }

    /// Everything of a kind that a call has given.
    pub fn all(&self, kind: Kind) -> Vec<u64> {
        let forgotten = self.forgotten.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |all: &Known| all.get(&kind).cloned().unwrap_or_default();
        let mut all = of(&self.all_known());
        all.extend(of(&forgotten));
        all
    }

    /// A value for an argument.
    pub fn value(&mut self, arg: Arg) -> u64 {
        match arg {
            Arg::Out(_) | Arg::Room if self.random.below(40) == 0 => 0,
            // Nothing is written there if there is nothing to tell.
            Arg::Out(_) => self.filled(&[0]),
            Arg::Room => self.place(),
            Arg::Of(kind) => self.known(kind),
            Arg::List(kind) => {
                let values: Vec<u64> = (0..8).map(|_| self.known(kind)).collect();
                self.filled(&values)
            }
            Arg::Count => self.random.below(9),
            Arg::One => self.random.pick(&[1, 1, 1, 1, 0, 2]),
            Arg::Sizes => {
                let values: Vec<u64> = (0..8).map(|_| self.value(Arg::Bytes)).collect();
                self.filled(&values)
            }
            Arg::Indices => self.filled(&[0, 1, 2, 3, 4, 5, 6, 7]),
            Arg::Device => self.random.pick(&[0, 0, 0, 0, 0, 0, 0, 1, 0xffff_ffff]),
            Arg::Address => {
                let base = self.known(Kind::Device);
                base.wrapping_add(self.random.pick(&[0, 0, 0, 4, 3, 256, 1 << 40]))
            }
            Arg::Start => {
                let base = self.known(Kind::Device);
                base.wrapping_add(self.random.pick(&[0, 0, 0, 4, 3]))
            }
            Arg::Host => match self.random.below(20) {
                0 => 0,
                1..4 => self.value(Arg::Own),
                _ => self.place(),
            },
            Arg::Bytes => self.random.pick(&[0, 1, 3, 4, 64, 1000, MOST]),
            Arg::Size => {
                self.random.pick(&[0, 1, 4, 100, 4096, 1 << 20, 1 << 21, 1 << 40, u64::MAX, 1 << 63])
            }
            Arg::Number => self.random.pick(&[0, 1, 1, 1, 1, 2, 32, 64, 1024, 1025, 65536, 0xffff_ffff]),
            Arg::Grid => self.random.pick(&[0, 1, 1, 1, 1, 1, 2, 3, 0x8000_0000, 0xffff_ffff]),
            Arg::Flags => self.random.pick(&[0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 8, 9, 16, 75, 0xffff_ffff]),
            Arg::Name => {
                let index = self.random.below(self.names.len() as u64) as usize;
                self.names[index].as_ptr() as u64
            }
            Arg::Image => {
                self.image = self.random.below(self.images.len() as u64) as usize;
                self.images[self.image].as_ptr() as u64
            }
            Arg::ImageSize => {
                let whole = self.images[self.image].len() as u64;
                let text = self.images[self.image].iter().position(|byte| *byte == 0).unwrap_or(0) as u64;
                self.random.pick(&[0, 1, whole, text, text + 1])
            }
            Arg::Own => self.own + self.random.pick(&[0, 0, 4096, 8192, 100]),
            Arg::Callback => {
                self.random.pick(&[0, callback as *const () as u64, callback as *const () as u64])
            }
            Arg::Parameters => {
                // An address, and a value that is none, or the handle of a texture.
                let texture = self.known(Kind::Texture);
                let value = self.random.next() | 1 << 63;
                let values = [self.value(Arg::Start), self.random.pick(&[value, texture])];
                let values = self.filled(&values);
                self.filled(&[values, values + 8, values])
            }
            Arg::Structure(shape) => self.structure(shape),
            Arg::Null => 0,
        }
    }

    /// A handle or an address: mostly the newest, sometimes an old one, of another kind, or invented.
    pub fn known(&mut self, kind: Kind) -> u64 {
        let choice = self.random.below(24);
        let number = self.random.next();
        let known = self.all_known();
        let of = |kind| known.get(&kind).map_or(&[][..], Vec::as_slice);
        match choice {
            0 => 0,
            1 => INVENTED[number as usize % INVENTED.len()],
            2 => {
                let other = known.values().nth(number as usize % known.len().max(1));
                other.and_then(|values| values.last().copied()).unwrap_or(7)
            }
            3..8 => {
                let recent = &of(kind)[of(kind).len().saturating_sub(32)..];
                if recent.is_empty() { 0 } else { recent[number as usize % recent.len()] }
            }
            _ => of(kind).last().copied().unwrap_or(0),
        }
    }

    fn place(&mut self) -> u64 {
        self.next = (self.next + 1) % self.places.len();
        self.places[self.next].as_ptr() as u64
    }

    pub fn filled(&mut self, words: &[u64]) -> u64 {
        self.next = (self.next + 1) % self.places.len();
        let place = &mut self.places[self.next];
        place[..words.len()].copy_from_slice(words);
        place.as_ptr() as u64
    }
}
