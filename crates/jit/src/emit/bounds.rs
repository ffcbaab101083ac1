//! The checks of accesses to memory: do all bytes that the lanes of a warp access lie in one region?
//!
//! Where addresses are one or grow by a step, all lanes are compared at once with the region that the place met last, or
//! with the CTA's shared memory, as if all of them ran; else each lane is. An offset from the region's start is turned by
//! the bits that an aligned one has clear, so that one comparison finds what lies outside and what is misaligned. If it
//! fails, the lanes that do run are looked at, in global memory by a function of the machine; if these do not lie in one
//! region either, the interpreter executes the instruction and says what is wrong.

use ptxvm_ir::operation::AddressSpace;
use ptxvm_machine::schedule::compiled::{Way, offset};

use super::Emitter;
use super::access::{Access, Span};
use super::value::Value;
use super::writer::{LANES, Name};
use crate::together::Reach;

/// What an access is compared with.
pub(super) struct Known {
    /// The first address of the region.
    pub(super) start: Name,
    /// The offsets from there that are aligned and leave room for the access are less than this, turned.
    limit: Name,
    /// By how much offsets are turned: see [`Span::turn`].
    turn: u64,
    /// The place, if it is one of global memory, and what it accesses.
    site: Option<(u32, Span)>,
}

/// Addresses that grow by a step.
pub(super) struct Line<'a> {
    /// The first of each row, or of all lanes.
    pub bases: &'a [Name],
    /// How many lanes follow each, itself included.
    pub lanes: i64,
    /// From each to the next.
    pub step: i64,
}

impl Emitter<'_> {
    /// Checks addresses that grow by a step, and gives a pointer for each base.
    pub(super) fn line_within(&mut self, line: &Line<'_>, align: u64, access: &Access) -> Vec<Name> {
        let known = self.check_line(line, align, access);
        line.bases.iter().map(|base| self.host_of(base, &known)).collect()
    }

    /// The pointer to an address that has been found where it was compared: in the CTA's shared memory, or at a place of
    /// global memory.
    pub(super) fn host_of(&mut self, address: &str, known: &Known) -> Name {
        if known.site.is_some() {
            return self.writer.value(format!("inttoptr i64 {address} to ptr"));
        }
        let memory = self.of_frame("ptr", offset::SHARED);
        let offset = self.writer.value(format!("sub i64 {address}, {}", known.start));
        self.writer.value(format!("getelementptr i8, ptr {memory}, i64 {offset}"))
    }

    /// Checks addresses that grow by a step, and gives what they were compared with.
    pub(super) fn check_line(&mut self, line: &Line<'_>, align: u64, access: &Access) -> Known {
        let way = (line.lanes - 1) * line.step;
        let Reach { below, bytes } = access.reach;
        let known = self.known(access, (way.unsigned_abs() + bytes, align));
        let mut wrong = "false".to_owned();
        for base in line.bases {
            let low = self.lowered(base, way.min(0).unsigned_abs() + below);
            let offset = self.writer.value(format!("sub i64 {low}, {}", known.start));
            let turned = self.turned(false, 64, &offset, known.turn);
            let beyond = self.writer.value(format!("icmp uge i64 {turned}, {}", known.limit));
            wrong = self.writer.value(format!("or i1 {wrong}, {beyond}"));
        }
        let (look, rest) = (self.writer.fresh_label(), self.writer.fresh_label());
        self.writer.line(format!("br i1 {wrong}, label %{look}, label %{rest}, !prof !0"));
        self.writer.begin(look);
        match known.site {
            Some((site, span)) => {
                if self.alone.is_some() {
                    self.look_at_the_one_before(site, line, span, access, &rest);
                }
                self.ask_for_line(site, line, access, span);
            }
            None => self.look_at_ends(line, align, access, &known),
        }
        self.writer.line(format!("br label %{rest}"));
        self.writer.begin(rest);
        known
    }

    /// One lane after the other may choose among two arrays: goes on if the region before the last holds what it accesses.
    fn look_at_the_one_before(
        &mut self,
        site: u32,
        line: &Line<'_>,
        span: Span,
        access: &Access,
        rest: &str,
    ) {
        let [base] = line.bases else { return };
        let [start, limit] = self.remembered(site, offset::REGION_BEFORE, span);
        let low = self.lowered(base, access.reach.below);
        let offset = self.writer.value(format!("sub i64 {low}, {start}"));
        let turned = self.turned(false, 64, &offset, span.turn());
        let inside = self.writer.value(format!("icmp ult i64 {turned}, {limit}"));
        let ask = self.writer.fresh_label();
        self.writer.line(format!("br i1 {inside}, label %{rest}, label %{ask}"));
        self.writer.begin(ask);
    }

    /// An address that lies some bytes below one.
    fn lowered(&mut self, address: &str, by: u64) -> Name {
        if by == 0 { address.into() } else { self.writer.value(format!("sub i64 {address}, {by}")) }
    }

    /// The same of each lane's, or of offsets in fewer bits.
    pub(super) fn lowered_lanes(&mut self, bits: u32, addresses: &str, by: u64) -> Name {
        if by == 0 {
            return addresses.into();
        }
        let by = self.writer.splat(bits, &by.to_string());
        self.writer.value(format!("sub <{LANES} x i{bits}> {addresses}, {by}"))
    }

    /// Has the machine look at the lanes of a line that run.
    fn ask_for_line(&mut self, site: u32, line: &Line<'_>, access: &Access, span: Span) {
        let (site_is, step, way) =
            (site.to_string(), line.step.to_string(), word_of_access(access, span.align).to_string());
        let mut all = "1".to_owned();
        for (row, base) in line.bases.iter().enumerate() {
            let lanes = self.lanes_of_row(row, line.bases.len(), line.lanes as usize, &access.lanes);
            let base = self.lowered(base, access.reach.below);
            let arguments =
                [("i32", &*site_is), ("i64", &*base), ("i64", &step), ("i32", &lanes), ("i32", &way)];
            let found = self.ask("line", "i32", &arguments);
            all = self.writer.value(format!("and i32 {all}, {found}"));
        }
        self.leave_unless(&all, site, span);
    }

    /// Looks at the first and the last lane that run of each row of a line in shared memory: all others lie between them.
    fn look_at_ends(&mut self, line: &Line<'_>, align: u64, access: &Access, known: &Known) {
        let limit = self.known(access, (access.reach.bytes, align)).limit;
        self.writer.declare("declare i32 @llvm.cttz.i32(i32, i1)");
        self.writer.declare("declare i32 @llvm.ctlz.i32(i32, i1)");
        let mut wrong = "false".to_owned();
        for (row, base) in line.bases.iter().enumerate() {
            let base = self.lowered(base, access.reach.below);
            let lanes = self.lanes_of_row(row, line.bases.len(), line.lanes as usize, &access.lanes);
            let first = self.writer.value(format!("call i32 @llvm.cttz.i32(i32 {lanes}, i1 false)"));
            let above = self.writer.value(format!("call i32 @llvm.ctlz.i32(i32 {lanes}, i1 false)"));
            let last = self.writer.value(format!("sub i32 31, {above}"));
            let some = self.writer.value(format!("icmp ne i32 {lanes}, 0"));
            for lane in [first, last] {
                let lane = self.writer.value(format!("zext i32 {lane} to i64"));
                let more = self.writer.value(format!("mul i64 {lane}, {}", line.step));
                let address = self.writer.value(format!("add i64 {base}, {more}"));
                let offset = self.writer.value(format!("sub i64 {address}, {}", known.start));
                let turned = self.turned(false, 64, &offset, align);
                let beyond = self.writer.value(format!("icmp uge i64 {turned}, {limit}"));
                let beyond = self.writer.value(format!("and i1 {beyond}, {some}"));
                wrong = self.writer.value(format!("or i1 {wrong}, {beyond}"));
            }
        }
        self.leave_if(&wrong);
    }

    /// The lanes of a row of so many that execute an access: the lowest bit is that of the row's first lane. The only row
    /// is that of all.
    pub(super) fn lanes_of_row(&mut self, row: usize, rows: usize, width: usize, lanes: &str) -> Name {
        if width == LANES {
            return lanes.into();
        }
        if width == 1 {
            let some = self.writer.value(format!("icmp ne i32 {lanes}, 0"));
            return self.writer.value(format!("zext i1 {some} to i32"));
        }
        let mut some = self.writer.value(format!("lshr i32 {lanes}, {}", row * width));
        if rows == 1 {
            for further in 1..LANES / width {
                let moved = self.writer.value(format!("lshr i32 {lanes}, {}", further * width));
                some = self.writer.value(format!("or i32 {some}, {moved}"));
            }
        }
        self.writer.value(format!("and i32 {some}, {}", u32::MAX >> (LANES - width)))
    }

    /// Checks every lane's address in global memory for itself, and gives their pointers.
    pub(super) fn each_within(&mut self, at: &Value, align: u64, access: &Access) -> Name {
        let known = self.known_of_lane(access, align);
        let addresses = at.lanes(&mut self.writer);
        self.each_of_site(known, &addresses, align, access)
    }

    /// What an access of one lane is compared with.
    pub(super) fn known_of_lane(&mut self, access: &Access, align: u64) -> Known {
        self.known(access, (access.reach.bytes, align))
    }

    /// Whether the accesses of the lanes at the lowest and the highest address, some bytes from one, are aligned and within
    /// what they are compared with; and something else holds.
    pub(super) fn are_within(
        &mut self,
        mut holds: Name,
        (address, ends): (&str, [i64; 2]),
        known: &Known,
        access: &Access,
    ) -> Name {
        for end in ends {
            let end = self.writer.value(format!("add i64 {address}, {end}"));
            let low = self.lowered(&end, access.reach.below);
            let offset = self.writer.value(format!("sub i64 {low}, {}", known.start));
            let turned = self.turned(false, 64, &offset, known.turn);
            let is = self.writer.value(format!("icmp ult i64 {turned}, {}", known.limit));
            holds = self.writer.value(format!("and i1 {holds}, {is}"));
        }
        holds
    }

    /// Checks every lane's address in global memory, compared with what a place has met, and gives their pointers.
    pub(super) fn each_of_site(
        &mut self,
        known: Known,
        addresses: &str,
        align: u64,
        access: &Access,
    ) -> Name {
        let ty = format!("<{LANES} x i64>");
        let Known { start, limit, turn, site: Some((site, span)) } = known else {
            self.failed = true;
            return "poison".into();
        };
        let lowest = self.lowered_lanes(64, addresses, access.reach.below);
        let beyond = self.lanes_beyond(64, (&lowest, &start), &limit, turn, access);
        let wrong = self.writer.value(format!("icmp ne i32 {beyond}, 0"));
        let (look, rest) = (self.writer.fresh_label(), self.writer.fresh_label());
        self.writer.line(format!("br i1 {wrong}, label %{look}, label %{rest}, !prof !0"));
        let within = self.writer.label().to_owned();
        self.writer.begin(look);
        // Lanes may have chosen among two arrays.
        let [start, limit] = self.remembered(site, offset::REGION_BEFORE, span);
        let beyond_both =
            self.lanes_beyond(64, (&lowest, &start), &limit, turn, &Access { lanes: beyond, ..*access });
        let in_both = self.writer.value(format!("icmp eq i32 {beyond_both}, 0"));
        let (ask, looked) = (self.writer.fresh_label(), self.writer.label().to_owned());
        self.writer.line(format!("br i1 {in_both}, label %{rest}, label %{ask}"));
        self.writer.begin(ask);
        let local = (access.space == AddressSpace::Generic && self.analysis.has_local)
            .then(|| self.generic_local(addresses, align, access, &rest));
        self.slot("%addresses", ty.as_str());
        self.writer.line(format!("store {ty} {lowest}, ptr %addresses"));
        let (site_is, way) = (site.to_string(), word_of_access(access, align).to_string());
        let arguments = [("i32", &*site_is), ("ptr", "%addresses"), ("i32", &access.lanes), ("i32", &way)];
        let found = self.ask("each", "i32", &arguments);
        self.leave_unless(&found, site, span);
        // Where the lanes' bytes lie in several regions, the machine has said where these are.
        let hosts = self.writer.value(format!("load {ty}, ptr %addresses"));
        let below = self.writer.splat(64, &access.reach.below.to_string());
        let hosts = self.writer.value(format!("add {ty} {hosts}, {below}"));
        let asked = self.writer.label().to_owned();
        self.writer.line(format!("br label %{rest}"));
        self.writer.begin(rest);
        let mut came = vec![(addresses, within), (addresses, looked), (&*hosts, asked)];
        if let Some((pointers, from)) = &local {
            came.push((pointers, from.clone()));
        }
        let came: Vec<String> = came.iter().map(|(value, from)| format!("[ {value}, %{from} ]")).collect();
        let hosts = self.writer.value(format!("phi {ty} {}", came.join(", ")));
        self.writer.value(format!("inttoptr {ty} {hosts} to <{LANES} x ptr>"))
    }

    /// What offsets in local memory that are aligned and leave room for so many bytes are less than, turned.
    pub(super) fn stack_limit(&mut self, align: u64, bytes: u64) -> Name {
        let name = self.writer.fresh();
        for line in self.limit(&name, "0", "%stack", Span { bytes, align, root: None }) {
            self.writer.line(line);
        }
        name
    }

    /// Whether a lane that executes an access has an offset that is not aligned or not less than a limit, by the addresses
    /// of all and the one where offsets begin.
    pub(super) fn some_beyond(
        &mut self,
        bits: u32,
        (addresses, start): (&str, &str),
        limit: &str,
        align: u64,
        access: &Access,
    ) -> Name {
        let wrong = self.lanes_beyond(bits, (addresses, start), limit, align, access);
        self.writer.value(format!("icmp ne i32 {wrong}, 0"))
    }

    /// The lanes of which that holds, as a mask.
    fn lanes_beyond(
        &mut self,
        bits: u32,
        (addresses, start): (&str, &str),
        limit: &str,
        align: u64,
        access: &Access,
    ) -> Name {
        let ty = format!("<{LANES} x i{bits}>");
        let (first, most) = (self.writer.splat(bits, start), self.writer.splat(bits, limit));
        let offsets = self.writer.value(format!("sub {ty} {addresses}, {first}"));
        let turned = self.turned(true, bits, &offsets, align);
        let beyond = self.writer.value(format!("icmp uge {ty} {turned}, {most}"));
        let word = self.word_of(&beyond);
        self.writer.value(format!("and i32 {word}, {}", access.lanes))
    }

    /// An offset, or one of each lane, turned right by the bits that an aligned one has clear: if some are set, it is very
    /// large then.
    fn turned(&mut self, wide: bool, bits: u32, offset: &str, align: u64) -> Name {
        if align == 1 {
            return offset.into();
        }
        let before = std::mem::replace(&mut self.writer.wide, wide);
        let by = self.writer.constant(bits, u64::from(align.trailing_zeros()));
        let turned = self.writer.intrinsic("fshr", bits, &[offset, offset, &by]);
        self.writer.wide = before;
        turned
    }

    /// What an access is compared with. The region that a place met last is kept in registers while the function runs.
    fn known(&mut self, access: &Access, (bytes, align): (u64, u64)) -> Known {
        match access.space {
            AddressSpace::Shared | AddressSpace::SharedVariable => {
                let start = match access.space {
                    AddressSpace::SharedVariable => "0".into(),
                    _ => self.of_frame("i64", offset::SHARED_FIRST),
                };
                Known { start, limit: self.shared_limit(bytes, align), turn: align, site: None }
            }
            AddressSpace::Local => {
                Known { start: "0".into(), limit: self.stack_limit(align, bytes), turn: align, site: None }
            }
            _ => {
                let root = access.root.filter(|(_, aligned)| *aligned).map(|(root, _)| root);
                let span = Span { bytes, align, root };
                let site = self.site_of(access, span);
                let start = self.writer.value(format!("load i64, ptr %site{site}.0"));
                let limit = self.writer.value(format!("load i64, ptr %site{site}.1"));
                Known { start, limit, turn: span.turn(), site: Some((site, span)) }
            }
        }
    }

    /// What offsets in shared memory that are aligned and leave room for so many bytes are less than, turned.
    pub(super) fn shared_limit(&mut self, bytes: u64, align: u64) -> Name {
        let size = self.of_frame("i64", offset::SHARED_SIZE);
        let name = format!("{size}.for{bytes}.{align}");
        if self.known.insert(name.clone()) {
            // Shared memory begins at an address that is aligned for all.
            let lines = self.limit(&name, "0", &size, Span { bytes, align, root: None });
            self.prologue.extend(lines);
        }
        name
    }

    /// The lines that compute how many offsets from a start are aligned and leave room for a span. There are none if the start
    /// is not aligned, or the pointer that all addresses are made of: the machine looks then.
    pub(super) fn limit(&mut self, name: &str, start: &str, size: &str, span: Span) -> Vec<String> {
        self.writer.declare("declare i64 @llvm.usub.sat.i64(i64, i64)");
        let Span { bytes, align, root } = span;
        let room = format!("{name}.room = call i64 @llvm.usub.sat.i64(i64 {size}, i64 {})", bytes - 1);
        if align == 1 {
            return vec![room, format!("{name} = add i64 {name}.room, 0")];
        }
        let (whose, all) = match root.map(|root| self.pointer(root)) {
            Some(pointer) => (pointer, "room"),
            None => (start.to_owned(), "count"),
        };
        vec![
            room,
            format!("{name}.up = add i64 {name}.room, {}", align - 1),
            format!("{name}.count = lshr i64 {name}.up, {}", align.trailing_zeros()),
            format!("{name}.low = and i64 {whose}, {}", align - 1),
            format!("{name}.is = icmp eq i64 {name}.low, 0"),
            format!("{name} = select i1 {name}.is, i64 {name}.{all}, i64 0"),
        ]
    }
}

/// How the machine's functions are told of an access.
fn word_of_access(access: &Access, align: u64) -> u32 {
    Way::new(access.space, access.writes, access.reach.bytes, align).0
}
