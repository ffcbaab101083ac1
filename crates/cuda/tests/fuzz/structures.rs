//! The structures that calls take, filled with right and wrong values.
#![allow(unsafe_code)]

use crate::arguments::{Arg, Arguments, Kind};

/// `CU_MEMORYTYPE_UNIFIED`
const UNIFIED: u64 = 4;

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
    CopyAttributes,
    AnyNode,
    AllocationNode,
    Array,
    Plane,
    Resource,
    Sampling,
    View,
}

impl Arguments {
    /// A structure in a place of its own.
    pub fn structure(&mut self, shape: Shape) -> u64 {
        let pair = |low: u64, high: u64| low & 0xffff_ffff | high << 32;
        let words: Vec<u64> = match shape {
            Shape::Copy2d | Shape::Copy3d => {
                let mut side = |words: &mut Vec<u64>, deep: bool| {
                    let offsets = if deep { 4 } else { 2 };
                    let kind = self.random.pick(&[1, 2, 2, UNIFIED, 3, 3, 3, 0]);
                    // After an allocation may be memory of the program's own, which such a side would overwrite.
                    let far: &[u64] = if kind == UNIFIED { &[0] } else { &[0, 0, 0, 1, 1 << 60] };
                    words.extend((0..offsets).map(|_| self.random.pick(far)));
                    words.push(kind);
                    words.extend([self.value(Arg::Host), self.value(Arg::Start), self.known(Kind::Array)]);
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
                let dimensions = self.dimensions();
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
                let (function, parameters) = (self.known(Kind::Function), self.value(Arg::Parameters));
                let d = self.dimensions();
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
            Shape::CopyAttributes => {
                // Three structures of six numbers each: the order, two locations and the flags.
                let one = |a: &mut Self| [a.random.pick(&[1, 1, 2, 3, 0]), 1, 0, 1, 0, 0];
                let numbers: Vec<u64> = (0..4).flat_map(|_| one(self)).collect();
                numbers.chunks(2).map(|two| pair(two[0], two[1])).collect()
            }
            Shape::AllocationNode => {
                let mut words = vec![pair(1, 0), pair(1, 0)];
                words.extend([0; 11]);
                words.extend([self.value(Arg::Bytes), 0]);
                words
            }
            Shape::Array => {
                let sizes: Vec<u64> = (0..3).map(|_| self.texels()).collect();
                let flags = self.random.pick(&[0, 0, 0, 1, 2, 3, 4, 6, 7, 8, 0x40, 0x80, 0x102, 0xffff_ffff]);
                [sizes, vec![self.format(), flags]].concat()
            }
            Shape::Plane => vec![self.texels(), self.texels(), self.format()],
            Shape::Resource => {
                let kind = self.random.pick(&[0, 0, 0, 1, 1, 2, 3, 4]);
                let mut words = match kind {
                    1 => vec![kind, self.known(Kind::Mipmapped)],
                    2 | 3 => vec![kind, self.value(Arg::Start), self.format(), self.texels(), self.texels()],
                    _ => vec![kind, self.known(Kind::Array)],
                };
                words.push(self.random.pick(&[32, 64, 7, 1 << 33]));
                words.resize(17, 0);
                [words, vec![self.random.pick(&[0, 0, 0, 0, 1])]].concat()
            }
            Shape::Sampling => {
                let mut mode = || self.random.pick(&[0, 1, 2, 3, 1, 1, 9]);
                let modes = [pair(mode(), mode()), pair(mode(), mode() & 1)];
                let flags = self.random.pick(&[0, 1, 2, 3, 0x10, 0x40, 0xffff_ffff]);
                let mut words = [modes.to_vec(), vec![pair(flags, 16), pair(1, 0x7fc0_0000)]].concat();
                words.resize(13, 0);
                words
            }
            Shape::View => {
                let level = self.random.pick(&[0, 0, pair(0, 1), pair(1, 2), pair(3, 0xffff_ffff)]);
                let layer = self.random.pick(&[0, 0, pair(0, 1), pair(1, 2), pair(7, 0xffff_ffff)]);
                let format = self.random.below(0x24);
                let mut words = vec![format, self.texels(), self.texels(), self.texels(), level, layer];
                words.resize(14, 0);
                words
            }
            Shape::AnyNode => self.any_node(),
            Shape::PoolProperties => {
                let mut words = vec![pair(1, 0), pair(self.random.pick(&[1, 1, 2]), 0)];
                words.extend([0; 10]);
                words
            }
        };
        self.filled(&words)
    }

    /// A number of texels.
    fn texels(&mut self) -> u64 {
        self.random.pick(&[0, 8, 8, 8, 8, 6, 12, 1, 32, 131_072, 1 << 32, u64::MAX])
    }

    /// A format and a number of channels.
    fn format(&mut self) -> u64 {
        let format =
            self.random.pick(&[0x20, 0x20, 1, 2, 3, 8, 0x10, 0x91, 0x9b, 0xb0, 0xc0, 0x50, 0, 0xffff]);
        let channels = self.random.pick(&[1, 1, 1, 2, 4, 3, 0, 0xffff_ffff]);
        format | channels << 32
    }

    /// CTAs and threads of a launch.
    fn dimensions(&mut self) -> [u64; 6] {
        std::array::from_fn(|index| self.value(if index < 3 { Arg::Grid } else { Arg::Number }))
    }

    /// The parameters of a node of any kind: the kind, what it says of itself, and nothing else.
    fn any_node(&mut self) -> Vec<u64> {
        let kind = self.random.pick(&[0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 13, 13, 14]);
        let mut said: Vec<u64> = match kind {
            0 => self.words(Shape::KernelNode, 9),
            1 => [vec![0, 0], self.words(Shape::Copy3d, 25)].concat(),
            2 => [self.words(Shape::FillNode, 5), vec![0]].concat(),
            3 => [self.words(Shape::HostNode, 2), vec![0, 0]].concat(),
            4 => vec![self.known(Kind::Graph), self.random.pick(&[0, 1, 1, 2])],
            6 | 7 => vec![self.known(Kind::Event)],
            10 => self.words(Shape::AllocationNode, 15),
            11 => vec![self.value(Arg::Address)],
            13 => {
                let (choice, bodies) = (self.random.below(4), self.random.pick(&[0, 1, 1, 2, 3]));
                vec![self.known(Kind::Condition), choice | bodies << 32, 0, 0]
            }
            _ => vec![],
        };
        said.resize(29, 0);
        [vec![kind, 0], said, vec![0]].concat()
    }

    /// The first words of a structure.
    fn words(&mut self, shape: Shape, count: usize) -> Vec<u64> {
        let place = self.structure(shape);
        // SAFETY: the structure is in a place of ours, which is longer than any.
        unsafe { std::slice::from_raw_parts(place as *const u64, count) }.to_vec()
    }
}
