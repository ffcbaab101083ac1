//! The words that lanes load and store, once it is known that they may: those of one place for all lanes, of a row, of
//! some rows, or of a place for each lane.
//!
//! What a lane accesses at once, up to four words or more, is moved in pieces of up to 64 bits. Those of a row of lanes
//! lie side by side, so that they are one load or store; shuffles find each lane's words in it.

use super::Emitter;
use super::access::{Access, Place};
use super::value::Value;
use super::writer::{LANES, Name};
use crate::analysis::row_width;

/// How a lane's words are moved.
#[derive(Clone, Copy)]
pub(super) struct Pieces {
    /// The bits of each piece.
    pub bits: u32,
    /// How many of them a lane has.
    pub count: usize,
}

impl Pieces {
    /// The pieces of so many words of so many bits.
    fn of(bits: u32, count: usize) -> Self {
        let all = bits * count as u32;
        if all <= 64 { Self { bits: all, count: 1 } } else { Self { bits: 64, count: all as usize / 64 } }
    }
}

impl Emitter<'_> {
    /// So many words of each lane, side by side from where it accesses memory.
    pub(super) fn load_words(
        &mut self,
        place: &Place,
        access: &Access,
        bits: u32,
        count: usize,
    ) -> Vec<Value> {
        let pieces = Pieces::of(bits, count);
        let more = |element: usize| element as i64 * i64::from(bits) / 8;
        let loaded = match place {
            Place::One(host) => {
                return (0..count).map(|element| self.load_one(host, access, bits, more(element))).collect();
            }
            Place::Perhaps { is, near, each } => {
                return self.load_either((is, near, each), access, bits, count);
            }
            Place::Window(window) => {
                let all = self.load_window(window, pieces);
                self.words_of(&all, (LANES, pieces), bits)
            }
            Place::Row(host) => {
                let all = self.load_row(host, (0, 1), LANES, &access.lanes, pieces);
                self.words_of(&all, (LANES, pieces), bits)
            }
            Place::Rows(hosts) => {
                let width = self.row_width();
                let mut rows = Vec::new();
                for (row, host) in hosts.iter().enumerate() {
                    let all = self.load_row(host, (row, hosts.len()), width, &access.lanes, pieces);
                    rows.push(self.words_of(&all, (width, pieces), bits));
                }
                let element = |at: usize| -> Vec<Name> { rows.iter().map(|row| row[at].clone()).collect() };
                (0..count).map(|at| self.side_by_side(&element(at), bits)).collect()
            }
            Place::Ones(hosts) if matches!(bits, 32 | 64) => {
                let each = |element: usize| self.load_of_rows(hosts, more(element), &access.lanes, bits);
                return (0..count).map(each).map(|word| Value::vector(bits, word)).collect();
            }
            Place::Ones(hosts) => {
                let width = LANES / hosts.len();
                let mut words = Vec::new();
                for element in 0..count {
                    let each: Vec<Name> = (0..)
                        .zip(hosts)
                        .map(|(row, host)| {
                            let at = self.beyond(host, more(element));
                            self.load_one_of_row(&at, row * width, width, &access.lanes, bits)
                        })
                        .collect();
                    words.push(self.writer.rows(bits, &each, width as u32, 0));
                }
                words
            }
            Place::Each(_) | Place::From(..) => {
                let mut words = Vec::new();
                for piece in 0..pieces.count {
                    let more = piece as i64 * i64::from(pieces.bits) / 8;
                    let all = self.gather(place, more, pieces.bits, access);
                    words.extend(self.words_of(&all, (LANES, Pieces { count: 1, ..pieces }), bits));
                }
                words
            }
        };
        // Another thread may write meanwhile: whoever uses the value sees the same.
        let ty = format!("<{LANES} x i{bits}>");
        let seen = |name: &Name| self.writer.value(format!("freeze {ty} {name}"));
        let seen: Vec<Name> = loaded.iter().map(seen).collect();
        seen.into_iter().map(|name| Value::vector(bits, name)).collect()
    }

    /// A word for all lanes. A volatile load is one load whoever uses it; unlike one whose result is frozen, it can be part of
    /// an instruction that uses it.
    fn load_one(&mut self, host: &str, access: &Access, bits: u32, more: i64) -> Value {
        let at = self.beyond(host, more);
        if !access.guarded {
            return Value::scalar(bits, self.writer.value(format!("load volatile i{bits}, ptr {at}")));
        }
        let (there, rest) = (self.writer.fresh_label(), self.writer.fresh_label());
        let from = self.writer.label().to_owned();
        let some = self.writer.value(format!("icmp ne i32 {}, 0", access.lanes));
        self.writer.line(format!("br i1 {some}, label %{there}, label %{rest}"));
        self.writer.begin(there.clone());
        let loaded = self.writer.value(format!("load volatile i{bits}, ptr {at}"));
        self.writer.line(format!("br label %{rest}"));
        self.writer.begin(rest);
        let either = self.writer.value(format!("phi i{bits} [ 0, %{from} ], [ {loaded}, %{there} ]"));
        Value::scalar(bits, either)
    }

    /// Stores words of each lane side by side from where it accesses memory.
    pub(super) fn store_words(&mut self, place: &Place, access: &Access, values: &[Value]) {
        let Some(bits) = values.first().map(|value| value.bits) else { return };
        let pieces = Pieces::of(bits, values.len());
        match place {
            // Stores are not placed so.
            Place::Ones(_) => self.failed = true,
            Place::One(host) => {
                let (there, rest) = (self.writer.fresh_label(), self.writer.fresh_label());
                let some = self.writer.value(format!("icmp ne i32 {}, 0", access.lanes));
                self.writer.line(format!("br i1 {some}, label %{there}, label %{rest}"));
                self.writer.begin(there);
                for (element, value) in (0..).zip(values.iter().filter_map(Value::as_scalar)) {
                    let at = self.beyond(host, element * i64::from(bits) / 8);
                    self.writer.line(format!("store i{bits} {value}, ptr {at}"));
                }
                self.writer.line(format!("br label %{rest}"));
                self.writer.begin(rest);
            }
            Place::Perhaps { is, near, each } => self.store_either((is, near, each), access, values),
            Place::Window(window) => {
                let all = self.pieces_of(values, pieces);
                self.store_window(window, access, &all, pieces);
            }
            Place::Row(host) => {
                let all = self.pieces_of(values, pieces);
                self.store_row(host, (0, 1), LANES, &access.lanes, (&all, pieces));
            }
            Place::Rows(hosts) => {
                let all = self.pieces_of(values, pieces);
                let width = self.row_width();
                let hosts =
                    if hosts.len() == 1 { vec![hosts[0].clone(); LANES / width] } else { hosts.clone() };
                // As below: the row that stores last stays.
                let mut order: Vec<usize> = (0..hosts.len()).collect();
                order.sort_by_key(|row| {
                    (row * width..(row + 1) * width).map(|lane| lane ^ flip(access.bytes)).min()
                });
                for row in order {
                    self.store_row(&hosts[row], (row, hosts.len()), width, &access.lanes, (&all, pieces));
                }
            }
            Place::Each(_) | Place::From(..) => {
                let words = values.len() / pieces.count;
                for (piece, values) in (0..).zip(values.chunks(words)) {
                    let all = self.pieces_of(values, Pieces { count: 1, ..pieces });
                    let more = piece * i64::from(pieces.bits) / 8;
                    self.scatter((&all, pieces.bits), (place, more), &turns(access.bytes), access);
                }
            }
        }
    }

    /// Of the lanes that execute a store to one place, the one whose words stay: the last in their order.
    pub(super) fn lane_that_stays(&mut self, access: &Access) -> Name {
        let (lanes, flip) = (&access.lanes, flip(access.bytes));
        let mut turns = self.writer.intrinsic("bitreverse", 32, &[lanes]);
        if flip == 15 {
            turns = self.writer.intrinsic("fshl", 32, &[&turns, &turns, "16"]);
        } else if flip == 7 {
            turns = self.writer.intrinsic("bswap", 32, &[&turns]);
        }
        self.writer.declare("declare i32 @llvm.ctlz.i32(i32, i1)");
        let above = self.writer.value(format!("call i32 @llvm.ctlz.i32(i32 {turns}, i1 false)"));
        let last = self.writer.value(format!("sub i32 31, {above}"));
        let lane = self.writer.with("xor", 32, &last, flip as u64);
        // If none executes it, any will do.
        self.writer.with("and", 32, &lane, 31)
    }

    /// The word of one lane.
    pub(super) fn of_lane(&mut self, value: &Value, lane: &str) -> Value {
        let bits = value.bits;
        let all = value.lanes(&mut self.writer);
        Value::scalar(
            bits,
            self.writer.value(format!("extractelement <{LANES} x i{bits}> {all}, i32 {lane}")),
        )
    }

    /// The pointer that lies some bytes beyond one.
    pub(super) fn beyond(&mut self, host: &str, more: i64) -> Name {
        self.writer.value(format!("getelementptr i8, ptr {host}, i64 {more}"))
    }

    /// The pieces of a row of lanes, which is one of so many; the only one is that of all of them.
    fn load_row(
        &mut self,
        host: &str,
        (row, rows): (usize, usize),
        width: usize,
        lanes: &str,
        pieces: Pieces,
    ) -> Name {
        let mask = self.mask_of_row((row, rows), width, lanes, pieces.count);
        let (all, bits) = (width * pieces.count, pieces.bits);
        let (ty, name) = (format!("<{all} x i{bits}>"), format!("llvm.masked.load.v{all}i{bits}.p0"));
        self.writer.declare(format!("declare {ty} @{name}(ptr, i32, <{all} x i1>, {ty})"));
        let bytes = bits / 8;
        self.writer.value(format!(
            "call {ty} @{name}(ptr {host}, i32 {bytes}, <{all} x i1> {mask}, {ty} zeroinitializer)"
        ))
    }

    /// Stores the pieces of a row of lanes, out of those of all.
    fn store_row(
        &mut self,
        host: &str,
        (row, rows): (usize, usize),
        width: usize,
        lanes: &str,
        (value, pieces): (&str, Pieces),
    ) {
        let mask = self.mask_of_row((row, rows), width, lanes, pieces.count);
        let (all, bits) = (width * pieces.count, pieces.bits);
        let part = match width {
            LANES => value.to_owned(),
            _ => self.shuffled((LANES * pieces.count, bits), [value, "poison"], row * all..(row + 1) * all),
        };
        let (ty, name) = (format!("<{all} x i{bits}>"), format!("llvm.masked.store.v{all}i{bits}.p0"));
        self.writer.declare(format!("declare void @{name}({ty}, ptr, i32, <{all} x i1>)"));
        let bytes = bits / 8;
        self.writer
            .line(format!("call void @{name}({ty} {part}, ptr {host}, i32 {bytes}, <{all} x i1> {mask})"));
    }

    /// The lanes of a row that execute an access, as a vector of predicates, so many times each.
    fn mask_of_row(&mut self, (row, rows): (usize, usize), width: usize, lanes: &str, times: usize) -> Name {
        let some = self.lanes_of_row(row, rows, width, lanes);
        let (word, count) = if times == 1 { (some, width) } else { (self.doubled(&some, width), 2 * width) };
        let from = if times == 1 { 32 } else { 64 };
        let few = match count == from {
            true => word,
            false => self.writer.value(format!("trunc i{from} {word} to i{count}")),
        };
        let predicates = self.writer.value(format!("bitcast i{count} {few} to <{count} x i1>"));
        if times <= 2 {
            return predicates;
        }
        self.shuffled((count, 1), [&predicates, "poison"], (0..width * times).map(|at| 2 * (at / times)))
    }

    /// Each of the low bits of a word twice, in 64 bits.
    fn doubled(&mut self, word: &str, bits: usize) -> Name {
        let mut apart = self.writer.value(format!("zext i32 {word} to i64"));
        for (by, kept) in [
            (16, 0x0000_ffff_0000_ffff_u64),
            (8, 0x00ff_00ff_00ff_00ff),
            (4, 0x0f0f_0f0f_0f0f_0f0f),
            (2, 0x3333_3333_3333_3333),
            (1, 0x5555_5555_5555_5555),
        ] {
            if by < bits {
                let moved = self.writer.with("shl", 64, &apart, by as u64);
                let both = self.writer.two("or", 64, &apart, &moved);
                apart = self.writer.with("and", 64, &both, kept);
            }
        }
        let moved = self.writer.with("shl", 64, &apart, 1);
        self.writer.two("or", 64, &apart, &moved)
    }

    /// The words in pieces of some lanes, by their place: a vector of each lane's first, one of each lane's second.
    fn words_of(&mut self, all: &str, (lanes, pieces): (usize, Pieces), bits: u32) -> Vec<Name> {
        let whole = lanes * pieces.count;
        let each = pieces.count * (pieces.bits / bits) as usize;
        if each == 1 {
            return vec![all.to_owned()];
        }
        let words = lanes * each;
        let all = match bits == pieces.bits {
            true => all.to_owned(),
            false => self
                .writer
                .value(format!("bitcast <{whole} x i{}> {all} to <{words} x i{bits}>", pieces.bits)),
        };
        (0..each)
            .map(|at| self.shuffled((words, bits), [&all, "poison"], (at..words).step_by(each)))
            .collect()
    }

    /// The pieces of all lanes, out of their words.
    fn pieces_of(&mut self, values: &[Value], pieces: Pieces) -> Name {
        let Some(mut bits) = values.first().map(|value| value.bits) else { return "poison".into() };
        let mut vectors: Vec<Name> = values.iter().map(|value| value.lanes(&mut self.writer)).collect();
        let mut count = LANES;
        while vectors.len() > 1 {
            // The next half of the words stands beside the first, word by word.
            let half = vectors.len() / 2;
            let both = |at: usize| [vectors[at].clone(), vectors[at + half].clone()];
            let pairs: Vec<[Name; 2]> = (0..half).map(both).collect();
            vectors.clear();
            for [a, b] in pairs {
                let order = (0..2 * count).map(|at| at / 2 + at % 2 * count);
                vectors.push(self.shuffled((count, bits), [&a, &b], order));
            }
            count *= 2;
        }
        let all = vectors.remove(0);
        let whole = LANES * pieces.count;
        if count != whole {
            let from = bits;
            bits = pieces.bits;
            return self.writer.value(format!("bitcast <{count} x i{from}> {all} to <{whole} x i{bits}>"));
        }
        all
    }

    /// Some of the elements of two vectors.
    pub(super) fn shuffled(
        &mut self,
        (count, bits): (usize, u32),
        [a, b]: [&str; 2],
        order: impl Iterator<Item = usize>,
    ) -> Name {
        let each: Vec<String> = order.map(|at| format!("i32 {at}")).collect();
        let ty = format!("<{count} x i{bits}>");
        self.writer.value(format!(
            "shufflevector {ty} {a}, {ty} {b}, <{} x i32> <{}>",
            each.len(),
            each.join(", ")
        ))
    }

    /// Rows as one vector; the only one is that of all of them.
    fn side_by_side(&mut self, rows: &[Name], bits: u32) -> Name {
        let width = self.row_width();
        let mut parts: Vec<Name> = (0..LANES / width).map(|row| rows[row % rows.len()].clone()).collect();
        let mut lanes = width;
        while parts.len() > 1 {
            parts = parts
                .chunks(2)
                .map(|pair| self.shuffled((lanes, bits), [&pair[0], &pair[1]], 0..2 * lanes))
                .collect();
            lanes *= 2;
        }
        parts.remove(0)
    }

    /// The lanes of a row.
    pub(super) fn row_width(&self) -> usize {
        row_width(self.analysis.cta).map_or(LANES, |width| width as usize)
    }
}

/// The bits by which the number of a lane differs from its turn when lanes store so many bytes, as the interpreter has
/// it (`ops/load_store.rs`).
fn flip(bytes: u64) -> usize {
    match bytes {
        0..=4 => 31,
        5..=8 => 15,
        _ => 7,
    }
}

/// The order in which lanes store so many bytes.
fn turns(bytes: u64) -> String {
    let each: Vec<String> = (0..LANES).map(|turn| format!("i32 {}", turn ^ flip(bytes))).collect();
    format!("<{LANES} x i32> <{}>", each.join(", "))
}
