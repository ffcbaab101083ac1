//! What small programs are made of: computations drawn from the table, and around them branches, loops that break off,
//! switches, calls, exchanges between lanes and threads, atomics, and matrix products (`products.rs`).
//!
//! Nothing races and everything ends: loops have counters, what lanes or threads exchange they exchange where all of them
//! come along, and what many threads write to one place are operations of one kind, which commute.

use super::forms::Forms;
use super::names::{AREA, Names};
use super::setting::MOST_THREADS;
use crate::oracle::Random;

/// Where the words lie in `work` that all threads reach: behind the area of the last.
const TAIL: usize = AREA * MOST_THREADS;

/// The operations on words that all threads reach: each has words of its own, so that only its like meet there.
const COMMUTING: &[(&str, &str)] = &[
    ("add.u32", "%r"),
    ("add.s32", "%r"),
    ("min.s32", "%r"),
    ("min.u32", "%r"),
    ("max.s32", "%r"),
    ("max.u32", "%r"),
    ("and.b32", "%r"),
    ("or.b32", "%r"),
    ("xor.b32", "%r"),
    ("add.u64", "%rd"),
    ("min.u64", "%rd"),
    ("max.s64", "%rd"),
    ("and.b64", "%rd"),
    ("or.b64", "%rd"),
    ("xor.b64", "%rd"),
];

/// A function in the making.
pub struct Body<'a> {
    pub forms: &'a Forms,
    pub names: Names,
    pub random: &'a mut Random,
    /// What labels and loop counters begin with.
    pub prefix: &'static str,
    /// The threads of a CTA.
    pub threads: usize,
    /// A statement to a line.
    pub lines: Vec<String>,
    /// How many labels there are.
    labels: usize,
    /// How many loops there are, each with a counter `%n`.
    loops: usize,
    /// Whether the matrices for products of a warpgroup have been written.
    pub(super) has_matrices: bool,
}

impl<'a> Body<'a> {
    pub fn new(
        forms: &'a Forms,
        names: Names,
        random: &'a mut Random,
        prefix: &'static str,
        threads: usize,
    ) -> Self {
        Self {
            forms,
            names,
            random,
            prefix,
            threads,
            lines: Vec::new(),
            labels: 0,
            loops: 0,
            has_matrices: false,
        }
    }

    pub fn put(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    pub(super) fn label(&mut self) -> String {
        self.labels += 1;
        format!("{}{}", self.prefix, self.labels)
    }

    pub(super) fn mark(&mut self, label: &str) {
        self.put(format!("{label}:"));
    }

    /// A data register.
    pub(super) fn register(&mut self, stem: &str) -> String {
        format!("{stem}{}", self.random.below(self.names.registers))
    }

    /// Something that all threads of the CTA come to together.
    pub fn together(&mut self) {
        match self.random.below(16) {
            0..=2 => self.collective(),
            3 | 4 => self.exchange(),
            5 => self.shared_sum(),
            6 => self.vote_of_cta(),
            7 => self.rounds(),
            8 => self.tree(),
            9 => self.wrap(),
            10..=14 if self.is_warpgroup() => self.products_of_warpgroup(),
            10 if self.threads.is_multiple_of(32) => self.product_of_warp(),
            _ => self.alone(),
        }
    }

    /// Something that threads do whoever comes along.
    fn alone(&mut self) {
        match self.random.below(26) {
            0..=3 => self.branch(),
            4..=7 => self.repeat(),
            8 | 9 => self.switch(),
            10 => self.tangle(),
            11..=13 if self.names.functions => self.call(),
            14..=16 if self.names.entry => self.own_memory(),
            17 | 18 if self.names.entry => self.commuting(),
            19 => self.leave(),
            20 if self.names.entry => self.choice(),
            21 if self.names.entry => self.parts(),
            _ => self.compute(),
        }
    }

    /// What stands in a branch or a loop: mostly computations.
    pub fn inner(&mut self) {
        for _ in 0..1 + self.random.below(2) {
            if self.random.one_in(12) { self.alone() } else { self.compute() }
        }
    }

    /// A computation from the table.
    pub fn compute(&mut self) {
        let form = self.forms.computing(self.random);
        self.names.opcode = form.opcode();
        let text = form.instruction(&mut self.names, self.random);
        let guard = match self.random.below(12) {
            0 => format!("@{} ", self.register("%p")),
            1 => format!("@!{} ", self.register("%p")),
            _ => String::new(),
        };
        self.put(format!("{guard}{text}"));
    }

    /// An exchange of the lanes of a warp.
    fn collective(&mut self) {
        let opcode =
            *self.random.pick(&["shfl", "shfl", "shfl", "vote", "match", "redux", "elect", "activemask"]);
        self.form_of(opcode);
    }

    pub(super) fn form_of(&mut self, opcode: &str) {
        let Some(form) = self.forms.of(opcode, self.random) else { return };
        self.names.opcode = form.opcode();
        let text = form.instruction(&mut self.names, self.random);
        self.put(text);
    }

    /// An access to what belongs to the thread alone, or to constants.
    fn own_memory(&mut self) {
        let Some(form) = self.forms.accessing(self.random) else { return };
        self.names.opcode = form.opcode();
        let text = form.instruction(&mut self.names, self.random);
        self.put(text);
    }

    /// A predicate: of data, of the thread's number, or the same for all threads of a CTA.
    pub(super) fn condition(&mut self) -> String {
        let compare = *self.random.pick(&["lt", "ge", "eq", "ne"]);
        let bound = self.random.below(self.threads + 1);
        match self.random.below(8) {
            0 | 1 => {
                let (a, b) = (self.register("%r"), self.register("%r"));
                self.put(format!("setp.{compare}.s32 %lp, {a}, {b};"));
            }
            2 => {
                let a = self.register("%f");
                self.put(format!("setp.{compare}.f32 %lp, {a}, 0f3F000000;"));
            }
            3 => {
                let bits = 1 + self.random.below(7);
                self.put(format!("and.b32 %t1, %lt, {bits}; setp.ne.u32 %lp, %t1, 0;"));
            }
            4 => self.put(format!("setp.{compare}.u32 %lp, %lt, {bound};")),
            5 => self.put(format!("mov.u32 %t1, %ctaid.x; setp.{compare}.u32 %lp, %t1, 1;")),
            _ => return self.register("%p"),
        }
        "%lp".into()
    }

    fn branch(&mut self) {
        let (other, end) = (self.label(), self.label());
        let condition = self.condition();
        let not = *self.random.pick(&["", "!"]);
        self.put(format!("@{not}{condition} bra {other};"));
        self.inner();
        if self.random.one_in(3) {
            return self.mark(&other);
        }
        self.put(format!("bra {end};"));
        self.mark(&other);
        self.inner();
        self.mark(&end);
    }

    pub(super) fn counter(&mut self) -> String {
        self.loops += 1;
        format!("%n{}", self.loops - 1)
    }

    /// A loop that some lanes leave before others, mostly also in its midst.
    fn repeat(&mut self) {
        let (top, end, counter) = (self.label(), self.label(), self.counter());
        self.put(format!("mov.u32 {counter}, 0;"));
        self.mark(&top);
        self.inner();
        if !self.random.one_in(3) {
            let condition = self.condition();
            self.put(format!("@{condition} bra {end};"));
            self.compute();
        }
        self.put(format!("add.u32 {counter}, {counter}, 1;"));
        if self.random.one_in(2) {
            let times = 2 + self.random.below(3);
            self.put(format!("setp.lt.u32 %lp, {counter}, {times};"));
        } else {
            let times = self.register("%r");
            self.put(format!("and.b32 %t1, {times}, 3; setp.lt.u32 %lp, {counter}, %t1;"));
        }
        self.put(format!("@%lp bra {top};"));
        self.mark(&end);
    }

    /// Blocks in no order: from the end of each some threads go to any of them, back only a few times.
    fn tangle(&mut self) {
        let labels = [(); 3].map(|()| self.label());
        let end = self.label();
        // No counter is set back, so that however these loops nest, they end.
        for (number, label) in labels.iter().enumerate() {
            self.mark(label);
            self.compute();
            let to = self.random.below(labels.len() + 1);
            let condition = self.condition();
            if to > number {
                let to = labels.get(to).unwrap_or(&end);
                self.put(format!("@{condition} bra {to};"));
            } else {
                let counter = self.counter();
                let times = 1 + self.random.below(3);
                self.put(format!("add.u32 {counter}, {counter}, 1;"));
                self.put(format!("setp.le.and.u32 %lp, {counter}, {times}, {condition};"));
                self.put(format!("@%lp bra {};", labels[to]));
            }
        }
        self.mark(&end);
    }

    /// Some threads end, or return from the function.
    fn leave(&mut self) {
        let condition = self.condition();
        if self.names.entry {
            // Few programs, because nobody sees what these threads have computed.
            if self.random.one_in(6) {
                self.put(format!("@{condition} exit;"));
            }
            return;
        }
        let result = self.register("%r");
        self.put(format!("st.param.b32 [o], {result}; @{condition} ret;"));
    }

    /// A loop that goes on for longer than a turn of a warp, and sometimes than code may run at a stretch.
    pub fn long_loop(&mut self) {
        let (top, counter) = (self.label(), self.counter());
        let times = *self.random.pick(&[5_000, 20_000, 150_000]);
        self.put(format!("mov.u32 {counter}, 0;"));
        self.mark(&top);
        self.compute();
        self.put(format!("add.u32 {counter}, {counter}, 1;"));
        let bound = match self.random.below(2) {
            0 => times.to_string(),
            _ => {
                let more = self.register("%r");
                self.put(format!("and.b32 %t1, {more}, 1023; add.u32 %t1, %t1, {times};"));
                "%t1".into()
            }
        };
        self.put(format!("setp.lt.u32 %lp, {counter}, {bound};"));
        self.put(format!("@%lp bra {top};"));
    }

    /// A loop that all threads leave at once, and in which they can meet.
    fn rounds(&mut self) {
        let (top, counter) = (self.label(), self.counter());
        let times = 1 + self.random.below(3);
        self.put(format!("mov.u32 {counter}, 0;"));
        self.mark(&top);
        match self.random.below(3) {
            0 => self.exchange(),
            1 => self.collective(),
            _ => self.compute(),
        }
        self.compute();
        self.put(format!("add.u32 {counter}, {counter}, 1;"));
        self.put(format!("setp.lt.u32 %lp, {counter}, {times};"));
        let uniform = *self.random.pick(&["", ".uni"]);
        self.put(format!("@%lp bra{uniform} {top};"));
    }

    fn switch(&mut self) {
        let ways = *self.random.pick(&[2, 2, 4]);
        let (list, end) = (self.label(), self.label());
        let arms: Vec<String> = (0..ways).map(|_| self.label()).collect();
        let index = if self.random.one_in(3) { "%lt".into() } else { self.register("%r") };
        self.put(format!("{list}: .branchtargets {};", arms.join(", ")));
        self.put(format!("and.b32 %t1, {index}, {};", ways - 1));
        self.put(format!("brx.idx %t1, {list};"));
        for arm in &arms {
            self.mark(arm);
            self.compute();
            if !self.random.one_in(4) {
                self.put(format!("bra {end};"));
            }
        }
        self.mark(&end);
    }

    /// A call, by name or through a register.
    fn call(&mut self) {
        let (word, pair, result) = (self.register("%r"), self.register("%rd"), self.register("%r"));
        let call = if self.random.one_in(3) {
            "mov.u64 %w0, f0; CP: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _); call (o), %w0, (a, b), CP;"
        } else {
            "call (o), f0, (a, b);"
        };
        self.put(format!(
            "{{ .param .b32 o; .param .b32 a; .param .b64 b; st.param.b32 [a], {word}; st.param.b64 [b], {pair}; \
             {call} ld.param.b32 {result}, [o]; }}"
        ));
    }

    /// Atomics of one kind by many threads on a few words of shared memory, read when all are done.
    fn shared_sum(&mut self) {
        let operation = *self.random.pick(&["add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"]);
        let (begin, value, result) = (self.random.next() as u32, self.register("%r"), self.register("%r"));
        self.put("and.b32 %t3, %lt, 3; mad.lo.u32 %t3, %t3, 4, %bx;");
        self.put(format!("st.shared.b32 [%t3], {begin};"));
        self.put("bar.sync 0;");
        let which = self.register("%r");
        self.put(format!("and.b32 %t2, {which}, 3; mad.lo.u32 %t2, %t2, 4, %bx;"));
        if self.random.one_in(2) {
            let condition = self.condition();
            self.put(format!("@{condition} red.shared.{operation} [%t2], {value};"));
        } else {
            self.put(format!("atom.shared.{operation} %t2, [%t2], {value};"));
        }
        self.put("bar.sync 0;");
        self.put(format!("ld.shared.b32 {result}, [%t3];"));
        self.put("bar.sync 0;");
    }

    fn vote_of_cta(&mut self) {
        let condition = self.condition();
        let (word, predicate) = (self.register("%r"), self.register("%p"));
        match self.random.below(3) {
            0 => self.put(format!("bar.red.and.pred {predicate}, 0, {condition};")),
            1 => self.put(format!("bar.red.or.pred {predicate}, 0, !{condition};")),
            _ => self.put(format!("barrier.cta.red.popc.aligned.u32 {word}, 0, {condition};")),
        }
    }

    /// An atomic on one of the words that all threads reach; nobody sees what was there before.
    fn commuting(&mut self) {
        let kind = self.random.below(COMMUTING.len());
        let (operation, stem) = COMMUTING[kind];
        let (at, value) = (TAIL + 64 * kind, self.register(stem));
        let (wide, scratch) = if stem == "%r" { (4, "%t2") } else { (8, "%w1") };
        let base = if self.random.one_in(2) {
            "%gb"
        } else {
            let which = self.register("%r");
            self.put(format!("and.b32 %t1, {which}, 7; mad.wide.u32 %w0, %t1, {wide}, %gb;"));
            "%w0"
        };
        if self.random.one_in(2) {
            self.put(format!("red.global.{operation} [{base}+{at}], {value};"));
        } else {
            self.put(format!("atom.global.{operation} {scratch}, [{base}+{at}], {value};"));
        }
    }

    /// Some threads end before the others, which change their registers once more.
    pub fn early_end(&mut self, stores: &[String]) {
        let end = self.label();
        let condition = self.condition();
        self.put(format!("@{condition} bra {end};"));
        self.lines.extend(stores.iter().cloned());
        let last = *self.random.pick(&["ret;", "exit;"]);
        self.put(last);
        self.mark(&end);
        self.inner();
    }
}
