//! Words that lanes access in an order that is known, close together: all that lies between the lowest and the highest is
//! loaded at once and put in order, or put in order and stored where lanes have something to store.

use std::collections::BTreeSet;

use ptxvm_ir::operation::AddressSpace;

use super::Emitter;
use super::access::{Access, Place, Window};
use super::value::{Kept, Value};
use super::words::Pieces;
use super::writer::{LANES, Name};

/// A window has no more words of lanes than this, and no more bytes.
const MOST_WORDS: usize = 128;
const MOST_BYTES: usize = 512;

impl Window {
    /// The window of lanes that add different numbers to an address; `None` if it is too large, or if lanes overlap in it.
    fn of(adds: &[i64], [least, most]: [i64; 2], access: &Access) -> Option<Self> {
        let bytes = access.bytes as i64;
        let apart = adds.iter().all(|adds| (adds - least) % bytes == 0);
        let places: Vec<usize> = adds.iter().map(|adds| ((adds - least) / bytes) as usize).collect();
        let count = ((most - least) / bytes) as usize + 1;
        let small = count <= MOST_WORDS && count * access.bytes as usize <= MOST_BYTES;
        // Of lanes that store to one place a certain one stays, which only a store of each lane knows.
        let distinct = || places.iter().collect::<BTreeSet<_>>().len() == places.len();
        let fits = apart && small && (!access.writes || distinct());
        fits.then_some(Self { places, count, host: Name::new() })
    }
}

impl Emitter<'_> {
    /// Checks an access at addresses that differ by a pattern, or by a step that leaves gaps, if a window of memory holds them
    /// all.
    pub(super) fn window_or_each(&mut self, at: &Value, access: &Access) -> Option<Place> {
        let adds: Vec<i64> = match &at.kept {
            Kept::Pattern(_, pattern) => pattern.each().collect(),
            Kept::Affine(_, step)
                if self.analysis.tuning.close && ![0, access.bytes as i64].contains(step) =>
            {
                (0..LANES as i64).map(|lane| lane.wrapping_mul(*step)).collect()
            }
            _ => return None,
        };
        // Only AVX-512 has masks and permutes for parts of words.
        let movable = access.bytes >= 4 || self.writer.avx512;
        let fits = access.bytes.is_power_of_two() && movable && access.space != AddressSpace::Local;
        let [least, most] = [adds.iter().min().copied()?, adds.iter().max().copied()?];
        let mut window = Window::of(&adds, [least, most], access).filter(|_| fits)?;
        // What waits to be looked at would be on one of the two ways only.
        self.look();
        let wide = self.widened(at);
        let base = wide.names()[0].clone();
        let known = self.known_of_lane(access, access.bytes);
        let inside = self.are_within("true".into(), (&base, [least, most]), &known, access);
        let low = self.writer.value(format!("add i64 {base}, {least}"));
        window.host = self.host_of(&low, &known);
        Some(self.near_or_each((inside, Place::Window(window)), at, known, access))
    }

    /// The words of lanes in a window, as pieces of all lanes.
    pub(super) fn load_window(&mut self, window: &Window, pieces: Pieces) -> Name {
        let (all, bits) = (window.count * pieces.count, pieces.bits);
        let size = all.next_power_of_two();
        let (ty, name) = (format!("<{size} x i{bits}>"), format!("llvm.masked.load.v{size}i{bits}.p0"));
        self.writer.declare(format!("declare {ty} @{name}(ptr, i32, <{size} x i1>, {ty})"));
        let there: Vec<String> = (0..size).map(|at| format!("i1 {}", at < all)).collect();
        let loaded = self.writer.value(format!(
            "call {ty} @{name}(ptr {}, i32 {}, <{size} x i1> <{}>, {ty} zeroinitializer)",
            window.host,
            bits / 8,
            there.join(", ")
        ));
        let order =
            window.places.iter().flat_map(|place| (0..pieces.count).map(move |at| place * pieces.count + at));
        self.shuffled((size, bits), [&loaded, "poison"], order)
    }

    /// Stores the pieces of all lanes to a window.
    pub(super) fn store_window(&mut self, window: &Window, access: &Access, value: &str, pieces: Pieces) {
        let (all, bits) = (LANES * pieces.count, pieces.bits);
        let size = (window.count * pieces.count).next_power_of_two();
        let mut from = vec![None; size];
        for (lane, place) in window.places.iter().enumerate() {
            for piece in 0..pieces.count {
                from[place * pieces.count + piece] = Some((lane, piece));
            }
        }
        let order = from.iter().map(|from| match from {
            Some((lane, piece)) => format!("i32 {}", lane * pieces.count + piece),
            None => "i32 undef".to_owned(),
        });
        let order: Vec<String> = order.collect();
        let lanes = from.iter().map(|from| format!("i32 {}", from.map_or(LANES, |(lane, _)| lane)));
        let lanes: Vec<String> = lanes.collect();
        let (given, ty) = (format!("<{all} x i{bits}>"), format!("<{size} x i{bits}>"));
        let value = self.writer.value(format!(
            "shufflevector {given} {value}, {given} poison, <{size} x i32> <{}>",
            order.join(", ")
        ));
        let mask = self.bits_of(&access.lanes);
        let truth = format!("<{LANES} x i1>");
        let mask = self.writer.value(format!(
            "shufflevector {truth} {mask}, {truth} zeroinitializer, <{size} x i32> <{}>",
            lanes.join(", ")
        ));
        let name = format!("llvm.masked.store.v{size}i{bits}.p0");
        self.writer.declare(format!("declare void @{name}({ty}, ptr, i32, <{size} x i1>)"));
        self.writer.line(format!(
            "call void @{name}({ty} {value}, ptr {}, i32 {}, <{size} x i1> {mask})",
            window.host,
            bits / 8
        ));
    }
}
