//! The checks of accesses to memory: do all bytes that the lanes of a warp access lie in one region?
//!
//! Where addresses are one or grow by a step, all lanes are compared at once with the region that the place met last, or
//! with the CTA's shared memory, as if all of them ran: one subtraction and one comparison for each number that the
//! addresses are made of. If that fails, the lanes that do run are looked at one by one; what does not lie in the region
//! asks for its own, and if that does not hold all of it, the interpreter executes the instruction and says what is
//! wrong.

use ptxvm_ir::operation::AddressSpace;
use ptxvm_machine::schedule::compiled::{Way, offset};

use super::Emitter;
use super::access::Access;
use super::value::Value;
use super::writer::{LANES, Name};

/// What an access is compared with.
struct Known {
    /// The first address of the region.
    start: Name,
    /// The offset from there at which the bytes of the access would end after the region's end.
    limit: Name,
    /// The place, if it is one of global memory.
    site: Option<u32>,
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
    pub(super) fn line_within(
        &mut self,
        at: &Value,
        line: &Line<'_>,
        align: u64,
        access: &Access,
    ) -> Vec<Name> {
        let way = (line.lanes - 1) * line.step;
        let known = self.known(access, way.unsigned_abs() + access.bytes);
        let mut wrong = "false".to_owned();
        let mut over = "0".to_owned();
        for base in line.bases {
            let low = match way.min(0) {
                0 => base.clone(),
                down => self.writer.value(format!("add i64 {base}, {down}")),
            };
            let offset = self.writer.value(format!("sub i64 {low}, {}", known.start));
            let beyond = self.writer.value(format!("icmp uge i64 {offset}, {}", known.limit));
            wrong = self.writer.value(format!("or i1 {wrong}, {beyond}"));
            over = self.writer.value(format!("or i64 {over}, {base}"));
        }
        if align > 1 {
            let low = self.writer.value(format!("and i64 {over}, {}", align - 1));
            let misaligned = self.writer.value(format!("icmp ne i64 {low}, 0"));
            wrong = self.writer.value(format!("or i1 {wrong}, {misaligned}"));
        }
        let (look, rest) = (self.writer.fresh_label(), self.writer.fresh_label());
        self.writer.line(format!("br i1 {wrong}, label %{look}, label %{rest}, !prof !0"));
        self.writer.begin(look);
        match at.as_scalar().cloned() {
            Some(base) => self.look_at_one(&base, align, access, &known),
            None => drop(self.look(at, align, access, &known)),
        }
        self.writer.line(format!("br label %{rest}"));
        self.writer.begin(rest);
        let memory = known.site.is_none().then(|| self.of_frame("ptr", offset::SHARED));
        let host = |base: &Name| match &memory {
            Some(memory) => {
                let offset = self.writer.value(format!("sub i64 {base}, {}", known.start));
                self.writer.value(format!("getelementptr i8, ptr {memory}, i64 {offset}"))
            }
            None => self.writer.value(format!("inttoptr i64 {base} to ptr")),
        };
        line.bases.iter().map(host).collect()
    }

    /// Checks every lane's address for itself, and gives their pointers.
    pub(super) fn each_within(&mut self, at: &Value, align: u64, access: &Access) -> Name {
        let known = self.known(access, access.bytes);
        let addresses = self.look(at, align, access, &known);
        let ty = format!("<{LANES} x i64>");
        if known.site.is_some() {
            return self.writer.value(format!("inttoptr {ty} {addresses} to <{LANES} x ptr>"));
        }
        let memory = self.of_frame("ptr", offset::SHARED);
        let start = self.writer.splat(64, &known.start);
        let offsets = self.writer.value(format!("sub {ty} {addresses}, {start}"));
        self.writer.value(format!("getelementptr i8, ptr {memory}, {ty} {offsets}"))
    }

    /// Looks at the address of all lanes, if some run.
    fn look_at_one(&mut self, base: &str, align: u64, access: &Access, known: &Known) {
        let some = self.writer.value(format!("icmp ne i32 {}, 0", access.lanes));
        let over = self.writer.value(format!("and i64 {base}, {}", align - 1));
        let misaligned = self.writer.value(format!("icmp ne i64 {over}, 0"));
        let misaligned = self.writer.value(format!("and i1 {misaligned}, {some}"));
        self.leave_if(&misaligned);
        match known.site {
            None => self.leave_if(&some),
            Some(site) => self.ask(site, base, &access.bytes.to_string(), &some, access),
        }
    }

    /// Looks at the address of each lane that runs. Gives the addresses of all.
    fn look(&mut self, at: &Value, align: u64, access: &Access, known: &Known) -> Name {
        let addresses = at.lanes(&mut self.writer);
        let lanes = self.bits_of(&access.lanes);
        let ty = format!("<{LANES} x i64>");
        if align > 1 {
            let low = self.writer.splat(64, &(align - 1).to_string());
            let over = self.writer.value(format!("and {ty} {addresses}, {low}"));
            let over = self.writer.value(format!("icmp ne {ty} {over}, zeroinitializer"));
            let over = self.writer.value(format!("and <{LANES} x i1> {over}, {lanes}"));
            let word = self.word_of(&over);
            let wrong = self.writer.value(format!("icmp ne i32 {word}, 0"));
            self.leave_if(&wrong);
        }
        let size = match known.site {
            Some(site) => self.size_of(site),
            None => self.of_frame("i64", offset::SHARED_SIZE),
        };
        let limit = self.less(&size, access.bytes - 1);
        let (start_all, limit_all) = (self.writer.splat(64, &known.start), self.writer.splat(64, &limit));
        let offsets = self.writer.value(format!("sub {ty} {addresses}, {start_all}"));
        let beyond = self.writer.value(format!("icmp uge {ty} {offsets}, {limit_all}"));
        let beyond = self.writer.value(format!("and <{LANES} x i1> {beyond}, {lanes}"));
        let word = self.word_of(&beyond);
        let outside = self.writer.value(format!("icmp ne i32 {word}, 0"));
        match known.site {
            None => self.leave_if(&outside),
            Some(site) => {
                let (first, bytes) = self.ends_of(&addresses, &lanes, access);
                self.ask(site, &first, &bytes, &outside, access);
            }
        }
        addresses
    }

    /// What an access of so many bytes is compared with. The region that a place met last is kept in registers while the
    /// function runs.
    fn known(&mut self, access: &Access, span: u64) -> Known {
        match access.space {
            AddressSpace::Shared | AddressSpace::SharedVariable => {
                let start = match access.space {
                    AddressSpace::SharedVariable => "0".into(),
                    _ => self.of_frame("i64", offset::SHARED_FIRST),
                };
                let size = self.of_frame("i64", offset::SHARED_SIZE);
                let limit = format!("{size}.less{span}");
                if self.known.insert(limit.clone()) {
                    self.prologue.push(less(&limit, &size, span - 1));
                }
                self.writer.declare(LESS);
                Known { start, limit, site: None }
            }
            _ => {
                let site = *self.sites;
                *self.sites += 1;
                self.site_span.insert(site, span);
                let (start, size) = (
                    self.of_list("i64", offset::SITES, u64::from(site) * 16),
                    self.of_list("i64", offset::SITES, u64::from(site) * 16 + 8),
                );
                self.writer.declare(LESS);
                self.prologue.push(less(&format!("%site{site}.less"), &size, span - 1));
                self.prologue.push(format!("store i64 {start}, ptr %site{site}.0"));
                self.prologue.push(format!("store i64 %site{site}.less, ptr %site{site}.1"));
                self.slot(format!("%site{site}.0"), "i64");
                self.slot(format!("%site{site}.1"), "i64");
                let start = self.writer.value(format!("load i64, ptr %site{site}.0"));
                let limit = self.writer.value(format!("load i64, ptr %site{site}.1"));
                Known { start, limit, site: Some(site) }
            }
        }
    }

    /// The size of the region that a place met last.
    fn size_of(&mut self, site: u32) -> Name {
        let sites = self.of_frame("ptr", offset::SITES);
        let at =
            self.writer.value(format!("getelementptr i8, ptr {sites}, i64 {}", u64::from(site) * 16 + 8));
        self.writer.value(format!("load i64, ptr {at}"))
    }

    /// A number less another, and nothing less than that.
    fn less(&mut self, number: &str, by: u64) -> Name {
        self.writer.declare(LESS);
        self.writer.value(format!("call i64 @llvm.usub.sat.i64(i64 {number}, i64 {by})"))
    }

    /// If bytes lie outside of the known region, asks for theirs; leaves if they have none.
    fn ask(&mut self, site: u32, first: &str, bytes: &str, outside: &str, access: &Access) {
        self.writer.declare("declare i32 @ptxvm_region(ptr, i32, i64, i64, i32) cold");
        let (ask, rest) = (self.writer.fresh_label(), self.writer.fresh_label());
        self.writer.line(format!("br i1 {outside}, label %{ask}, label %{rest}, !prof !0"));
        self.writer.begin(ask);
        let way = Way::new(access.space, access.writes).0;
        let found = self.writer.value(format!(
            "call i32 @ptxvm_region(ptr %frame, i32 {site}, i64 {first}, i64 {bytes}, i32 {way})"
        ));
        let none = self.writer.value(format!("icmp eq i32 {found}, 0"));
        self.leave_if(&none);
        let sites = self.of_frame("ptr", offset::SITES);
        let at = self.writer.value(format!("getelementptr i8, ptr {sites}, i64 {}", u64::from(site) * 16));
        let start = self.writer.value(format!("load i64, ptr {at}"));
        self.writer.line(format!("store i64 {start}, ptr %site{site}.0"));
        let size = self.size_of(site);
        let span = self.site_span.get(&site).copied().unwrap_or(access.bytes);
        let limit = self.less(&size, span - 1);
        self.writer.line(format!("store i64 {limit}, ptr %site{site}.1"));
        self.writer.line(format!("br label %{rest}"));
        self.writer.begin(rest);
    }

    /// The lowest address of some lanes, and the bytes up to the end of the highest. LLVM moves it to where it is asked.
    fn ends_of(&mut self, addresses: &str, lanes: &str, access: &Access) -> (Name, Name) {
        let ty = format!("<{LANES} x i64>");
        for name in ["umin", "umax"] {
            self.writer.declare(format!("declare i64 @llvm.vector.reduce.{name}.v{LANES}i64({ty})"));
        }
        let ones = self.writer.splat(64, &u64::MAX.to_string());
        let low = self.writer.value(format!("select <{LANES} x i1> {lanes}, {ty} {addresses}, {ty} {ones}"));
        let high = self
            .writer
            .value(format!("select <{LANES} x i1> {lanes}, {ty} {addresses}, {ty} zeroinitializer"));
        let low = self.writer.value(format!("call i64 @llvm.vector.reduce.umin.v{LANES}i64({ty} {low})"));
        let high = self.writer.value(format!("call i64 @llvm.vector.reduce.umax.v{LANES}i64({ty} {high})"));
        let span = self.writer.value(format!("sub i64 {high}, {low}"));
        (low, self.writer.value(format!("add i64 {span}, {}", access.bytes)))
    }
}

const LESS: &str = "declare i64 @llvm.usub.sat.i64(i64, i64)";

/// A line that gives a number less another, and nothing less than that.
fn less(name: &str, number: &str, by: u64) -> String {
    format!("{name} = call i64 @llvm.usub.sat.i64(i64 {number}, i64 {by})")
}
