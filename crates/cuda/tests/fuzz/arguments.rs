//! What the fuzzer passes: handles and addresses that it has been given, some of them stale, and numbers near limits.

use std::collections::HashMap;

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
    /// The number of a device.
    Device,
    /// An address in device memory, also inside of an allocation.
    Address,
    /// Bytes of the host: as many as [`Arg::Bytes`] can say, twice.
    Host,
    /// A size that fits the host's bytes.
    Bytes,
    /// Any size.
    Size,
    /// A number of threads, CTAs, rows or such.
    Number,
    /// Flags and choices.
    Flags,
    /// The name of a kernel or a variable.
    Name,
    /// An image of a module.
    Image,
    /// A function of the program's own.
    Callback,
    /// The values of a kernel's parameters.
    Parameters,
    /// A structure that [`Shape`] describes.
    Structure(Shape),
    /// Nothing.
    Null,
}

/// The structures that calls take.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    Copy2d,
    Copy3d,
    LaunchConfig,
    KernelNode,
    FillNode,
    HostNode,
    AllocationProperties,
    AccessDescription,
    PoolProperties,
}

/// What handles and addresses are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
}

/// Bytes of one place for results.
const PLACE: usize = 4096;
/// The most that [`Arg::Bytes`] says.
const MOST: u64 = 2048;

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

/// What the fuzzer has.
pub struct Arguments {
    pub random: Random,
    /// Everything it has ever been given, stale or not.
    known: HashMap<Kind, Vec<u64>>,
    /// Memory for results, host bytes and structures, each used for one call and kept for its work.
    places: Vec<Box<[u64; PLACE / 8]>>,
    next: usize,
    names: Vec<Vec<u8>>,
    images: Vec<Vec<u8>>,
}

extern "C" fn callback(_data: *mut std::ffi::c_void) {}

impl Arguments {
    pub fn new(seed: u64) -> Self {
        let names: [&[u8]; 6] = [b"empty\0", b"store\0", b"table\0", b"missing\0", b"\0", b"fixed\0"];
        Self {
            random: Random::new(seed),
            known: HashMap::new(),
            places: (0..256).map(|_| Box::new([0; PLACE / 8])).collect(),
            next: 0,
            names: names.iter().map(|name| name.to_vec()).collect(),
            images: images(),
        }
    }

    /// Remembers what a call gave.
    pub fn keep(&mut self, kind: Kind, place: u64) {
        // SAFETY: the place is one of ours.
        let value = unsafe { *(place as *const u64) };
        let known = self.known.entry(kind).or_default();
        known.push(value);
    }

    /// Everything of a kind that a call has given.
    pub fn all(&self, kind: Kind) -> Vec<u64> {
        self.known.get(&kind).cloned().unwrap_or_default()
    }

    /// A value for an argument.
    pub fn value(&mut self, arg: Arg) -> u64 {
        match arg {
            Arg::Out(_) | Arg::Room if self.random.below(40) == 0 => 0,
            Arg::Out(_) | Arg::Room => self.place(),
            Arg::Of(kind) => self.known(kind),
            Arg::List(kind) => {
                let values: Vec<u64> = (0..8).map(|_| self.known(kind)).collect();
                self.filled(&values)
            }
            Arg::Count => self.random.below(9),
            Arg::Device => self.random.pick(&[0, 0, 0, 0, 0, 0, 0, 1, 0xffff_ffff]),
            Arg::Address => {
                let base = self.known(Kind::Device);
                base.wrapping_add(self.random.pick(&[0, 0, 0, 4, 3, 256, 1 << 40]))
            }
            Arg::Host => {
                if self.random.below(20) == 0 {
                    0
                } else {
                    self.place()
                }
            }
            Arg::Bytes => self.random.pick(&[0, 1, 3, 4, 64, 1000, MOST]),
            Arg::Size => {
                self.random.pick(&[0, 1, 4, 100, 4096, 1 << 20, 1 << 21, 1 << 40, u64::MAX, 1 << 63])
            }
            Arg::Number => self.random.pick(&[0, 1, 1, 1, 1, 2, 32, 64, 1024, 1025, 65536, 0xffff_ffff]),
            Arg::Flags => self.random.pick(&[0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 8, 9, 16, 75, 0xffff_ffff]),
            Arg::Name => {
                let index = self.random.below(self.names.len() as u64) as usize;
                self.names[index].as_ptr() as u64
            }
            Arg::Image => {
                let index = self.random.below(self.images.len() as u64) as usize;
                self.images[index].as_ptr() as u64
            }
            Arg::Callback => {
                self.random.pick(&[0, callback as *const () as u64, callback as *const () as u64])
            }
            Arg::Parameters => {
                let values = [self.value(Arg::Address), self.random.next()];
                let values = self.filled(&values);
                self.filled(&[values, values + 8, values])
            }
            Arg::Structure(shape) => self.structure(shape),
            Arg::Null => 0,
        }
    }

    /// A handle or an address: mostly the newest, sometimes an old one, of another kind, or invented.
    fn known(&mut self, kind: Kind) -> u64 {
        match self.random.below(24) {
            0 => 0,
            1 => self.random.pick(&[1, 2, 3, 0xdead_beef, u64::MAX, 1 << 32, 0x7fff_ffff_f000]),
            2 => {
                let other = self.random.below(self.known.len().max(1) as u64) as usize;
                let values = self.known.values().nth(other).and_then(|values| values.last());
                values.copied().unwrap_or(7)
            }
            3..8 => {
                let values = self.known.get(&kind).map_or(&[][..], Vec::as_slice);
                let recent = &values[values.len().saturating_sub(32)..];
                if recent.is_empty() { 0 } else { self.random.pick(recent) }
            }
            _ => self.known.get(&kind).and_then(|values| values.last().copied()).unwrap_or(0),
        }
    }

    fn place(&mut self) -> u64 {
        self.next = (self.next + 1) % self.places.len();
        self.places[self.next].as_ptr() as u64
    }

    fn filled(&mut self, words: &[u64]) -> u64 {
        self.next = (self.next + 1) % self.places.len();
        let place = &mut self.places[self.next];
        place[..words.len()].copy_from_slice(words);
        place.as_ptr() as u64
    }

    fn structure(&mut self, shape: Shape) -> u64 {
        let pair = |low: u64, high: u64| low & 0xffff_ffff | high << 32;
        let words: Vec<u64> = match shape {
            Shape::Copy2d | Shape::Copy3d => {
                let mut side = |words: &mut Vec<u64>, deep: bool| {
                    let offsets = if deep { 4 } else { 2 };
                    words.extend((0..offsets).map(|_| self.random.pick(&[0, 0, 0, 1, 1 << 60])));
                    words.push(self.random.pick(&[1, 2, 2, 4, 3, 0]));
                    words.extend([self.value(Arg::Host), self.value(Arg::Address), 0]);
                    words.extend(if deep { vec![0] } else { vec![] });
                    words.push(self.random.pick(&[0, 32, 64, 7]));
                    words.extend(if deep { vec![self.random.pick(&[0, 1, 4])] } else { vec![] });
                };
                let deep = matches!(shape, Shape::Copy3d);
                let mut words = Vec::new();
                side(&mut words, deep);
                side(&mut words, deep);
                words.extend([self.random.pick(&[0, 1, 16, 32]), self.random.pick(&[0, 1, 4])]);
                words.push(self.random.pick(&[0, 1, 4]));
                words
            }
            Shape::LaunchConfig => {
                let number = |a: &mut Self| a.value(Arg::Number);
                let dimensions: Vec<u64> = (0..6).map(|_| number(self)).collect();
                let shared = self.random.pick(&[0, 0, 1024, 49152, 0xffff_ffff]);
                let stream = self.known(Kind::Stream);
                let attributes: Vec<u64> = (0..2)
                    .flat_map(|_| {
                        let id = self.random.below(16);
                        let mut words = vec![id];
                        words.extend((0..8).map(|_| self.random.pick(&[0, 1, pair(1, 1), pair(2, 1)])));
                        words
                    })
                    .collect();
                // Events in attributes are pointers of the caller's that it promises to be right.
                let attributes = self.filled(&attributes);
                let count = self.random.below(3);
                let mut words: Vec<u64> = dimensions.chunks(2).map(|two| pair(two[0], two[1])).collect();
                words.extend([shared, stream, attributes, count]);
                words
            }
            Shape::KernelNode => {
                let number = |a: &mut Self| a.value(Arg::Number);
                let (function, parameters) = (self.known(Kind::Function), self.value(Arg::Parameters));
                let d: Vec<u64> = (0..6).map(|_| number(self)).collect();
                vec![function, pair(d[0], d[1]), pair(d[2], d[3]), pair(d[4], d[5]), 0, parameters, 0, 0, 0]
            }
            Shape::FillNode => {
                let element = self.random.pick(&[1, 2, 4, 3]);
                let width = self.value(Arg::Bytes);
                vec![self.value(Arg::Address), self.random.pick(&[0, 64]), pair(7, element), width, 1]
            }
            Shape::HostNode => vec![self.value(Arg::Callback), 0],
            Shape::AllocationProperties => {
                vec![pair(self.random.pick(&[1, 1, 1, 0]), 0), pair(self.random.pick(&[1, 1, 0]), 0), 0, 0]
            }
            Shape::AccessDescription => {
                vec![pair(self.random.pick(&[1, 1, 2]), 0), self.random.pick(&[0, 1, 3, 3])]
            }
            Shape::PoolProperties => {
                let mut words = vec![pair(1, 0), pair(self.random.pick(&[1, 1, 2]), 0)];
                words.extend([0; 10]);
                words
            }
        };
        self.filled(&words)
    }
}

/// Modules to load: right ones, wrong ones, and bytes that are none.
fn images() -> Vec<Vec<u8>> {
    let head = ".version 8.0\n.target sm_70\n.address_size 64\n";
    let good = format!(
        "{head}.visible .global .u32 table[4] = {{1, 2, 3}};\n.visible .entry empty() {{ ret; }}\n\
         .visible .entry store(.param .u64 to, .param .u64 value) {{\n.reg .b64 %a, %v;\n\
         ld.param.u64 %a, [to];\nld.param.u64 %v, [value];\nst.global.u64 [%a], %v;\nret;\n}}\n\
         .visible .entry fixed() .reqntid 32 {{ ret; }}\n\0"
    );
    let wrong = format!("{head}.visible .entry empty() {{ add.s32 %r1, 2; }}\n\0");
    let newer = good.replace("8.0", "99.0");
    let mut fatbin = vec![0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 255, 255, 255, 255, 0, 0, 0, 0];
    fatbin.resize(64, 0);
    let mut texts: Vec<Vec<u8>> =
        [good.clone(), good.clone(), good, wrong, newer].map(String::into_bytes).into();
    texts.extend([
        b"\0".to_vec(),
        b"garbage\0".to_vec(),
        b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0".to_vec(),
    ]);
    texts.iter_mut().for_each(|image| image.extend([0; 256]));
    texts.push(fatbin);
    texts
}
