//! The body of a random function: blocks of instructions and how control goes from one to the next.

use super::forms::Forms;
use super::matrix;
use super::names::{Names, REGISTERS};
use super::scene;
use crate::oracle::Random;

/// The most blocks of a body; there are as many loop counters and more.
const BLOCKS: usize = 10;

/// Makes a body.
pub struct Flow<'a> {
    pub forms: &'a Forms,
    /// What labels begin with.
    pub prefix: String,
    /// Functions beside `f0`.
    pub functions: usize,
    /// How many formats there are to print.
    pub formats: usize,
    pub names: &'a mut Names,
    pub random: &'a mut Random,
}

impl Flow<'_> {
    /// Appends the blocks, a statement to a line.
    pub fn body(&mut self, lines: &mut Vec<String>) {
        let blocks = 1 + self.random.below(BLOCKS);
        for block in 0..blocks {
            lines.push(format!("{}B{block}:", self.prefix));
            for _ in 0..self.random.below(10) {
                let line = self.statement();
                lines.push(line);
            }
            self.leave(block, blocks, lines);
        }
        lines.push(format!("{}B{blocks}:", self.prefix));
    }

    fn guard(&mut self) -> String {
        match self.random.below(8) {
            0 => format!("@%p{} ", self.random.below(REGISTERS)),
            1 => format!("@!%p{} ", self.random.below(REGISTERS)),
            _ => String::new(),
        }
    }

    fn statement(&mut self) -> String {
        match self.random.below(40) {
            0 => self.call(),
            1 => self.print(),
            // Where a block lies differs from launch to launch.
            2 if self.names.liberties.fleeting => self.heap(),
            3 => "activemask.b32 %am;".into(),
            4 => "stacksave.u64 %sp;".into(),
            5 => {
                let (p, r) = (self.random.below(REGISTERS), self.random.below(REGISTERS));
                format!("setp.ne.s32 %p{p}, %r{r}, %t0;")
            }
            14..=21 if self.names.liberties.matrix => self.matrix(),
            22..=31 if self.names.liberties.texture => self.texture(),
            6..=13 => {
                let opcode = *self.random.pick(&["ld", "st", "ld", "st", "atom", "red", "shfl", "mov"]);
                self.instruction(Some(opcode))
            }
            _ => self.instruction(None),
        }
    }

    fn instruction(&mut self, opcode: Option<&str>) -> String {
        let chosen = opcode.and_then(|opcode| self.forms.of(opcode, self.random));
        let form = chosen.unwrap_or_else(|| self.forms.any(self.random));
        // What ends everything comes seldom, and mostly for some threads only.
        let rare = match form.opcode() {
            "trap" | "brkpt" => 40,
            "setmaxnreg" => 10,
            "bar" | "barrier" => 4,
            // They ask for all threads of a warpgroup, or for memory that only some programs have.
            "wgmma" | "tcgen05" if !self.names.liberties.matrix => 20,
            _ => 1,
        };
        // All threads have the same surfaces.
        let shared = matches!(form.opcode(), "sust" | "sured") && !self.names.liberties.sharing;
        if shared || !self.random.one_in(rare) {
            return "pmevent 1;".into();
        }
        self.names.opcode = form.opcode();
        let instruction = form.instruction(self.names, self.random);
        format!("{}{instruction}", self.guard())
    }

    /// A texture or surface instruction.
    pub fn texture(&mut self) -> String {
        let opcode = *self.random.pick(scene::OPCODES);
        self.instruction(Some(opcode))
    }

    /// A matrix instruction, mostly for all threads.
    pub fn matrix(&mut self) -> String {
        let opcode = *self.random.pick(matrix::OPCODES);
        let Some(form) = self.forms.of(opcode, self.random) else { return "pmevent 2;".into() };
        self.names.opcode = form.opcode();
        let instruction = form.instruction(self.names, self.random);
        let guard = if self.random.one_in(8) { self.guard() } else { String::new() };
        let fence = if opcode == "wgmma" { "wgmma.fence.sync.aligned; " } else { "" };
        format!("{fence}{guard}{instruction}")
    }

    fn function(&mut self) -> String {
        format!("f{}", self.random.below(self.functions + 1))
    }

    /// A call: direct, through an address, or through a table; deeper ones end, except in wild programs.
    fn call(&mut self) -> String {
        let result = self.random.below(REGISTERS);
        let function = self.function();
        let guard = if self.names.liberties.wild && self.random.one_in(6) { "" } else { "@%lp " };
        let (prepare, call) = match self.random.below(4) {
            0 => (format!("mov.u64 %fp, {function};"), "call (o), %fp, (a, d), CP;".to_owned()),
            1 => {
                let index = self.random.below(REGISTERS);
                let prepare = format!(
                    "and.b32 %t3, %r{index}, 1; mov.u64 %fp, tb; mad.wide.u32 %fp, %t3, 8, %fp; ld.global.u64 %fp, [%fp];"
                );
                (prepare, "call (o), %fp, (a, d), CP;".to_owned())
            }
            2 if self.names.liberties.wild && self.random.one_in(4) => {
                (format!("mov.u64 %fp, %rd{result};"), "call (o), %fp, (a, d), CP;".to_owned())
            }
            _ => (String::new(), format!("call (o), {function}, (a, d);")),
        };
        format!(
            "{{ .param .b32 o; .param .b64 a; .param .b32 d; setp.gt.s32 %lp, %depth, 0; sub.u32 %t3, %depth, 1; \
             st.param.b64 [a], %ga; st.param.b32 [d], %t3; {prepare} {guard}{call} ld.param.b32 %r{result}, [o]; }}"
        )
    }

    fn print(&mut self) -> String {
        let format = self.random.below(self.formats);
        let result = self.random.below(REGISTERS);
        let guard = self.guard();
        format!(
            "{{ .param .b32 r; .param .b64 f; .param .b64 a; mov.u64 %fp, fm{format}; cvta.global.u64 %fp, %fp; \
             st.param.b64 [f], %fp; st.param.b64 [a], %xl; {guard}call (r), vprintf, (f, a); ld.param.b32 %r{result}, [r]; }}"
        )
    }

    /// `malloc` and mostly `free`; wild programs also free what they should not.
    fn heap(&mut self) -> String {
        if self.names.liberties.wild && self.random.one_in(4) {
            let wrong = *self.random.pick(&["%ga", "%xl", "%rd1", "%fp", "%gb"]);
            let guard = self.guard();
            return format!("{{ .param .b64 p; st.param.b64 [p], {wrong}; {guard}call free, (p); }}");
        }
        let size = *self.random.pick(&["0", "1", "64", "4096", "9000000", "%rd2"]);
        let use_it = if self.names.liberties.wild { "st.b32 [%fp], %r1;" } else { "" };
        let free = if self.random.one_in(3) { "" } else { "call free, (p);" };
        format!(
            "{{ .param .b64 r; .param .b64 n; .param .b64 p; st.param.b64 [n], {size}; call (r), malloc, (n); \
             ld.param.b64 %fp, [r]; {use_it} st.param.b64 [p], %fp; {free} }}"
        )
    }

    /// How control leaves a block.
    fn leave(&mut self, block: usize, blocks: usize, lines: &mut Vec<String>) {
        let prefix = self.prefix.clone();
        let label = |number: usize| format!("{prefix}B{number}");
        let later = block + 1 + self.random.below(blocks - block);
        let earlier = self.random.below(block + 1);
        let predicate = format!("%p{}", self.random.below(REGISTERS));
        let not = *self.random.pick(&["", "!"]);
        match self.random.below(12) {
            0..=2 => lines.push(format!("@{not}{predicate} bra {};", label(later))),
            3 => lines.push(format!("bra {};", label(later))),
            4..=5 => {
                // The counter is never set back, so however loops nest, they end.
                let times = 1 + self.random.below(4);
                lines.push(format!("add.u32 %n{block}, %n{block}, 1;"));
                if self.random.one_in(2) {
                    lines.push(format!("setp.lt.u32 %lp, %n{block}, {times};"));
                } else {
                    let register = self.random.below(REGISTERS);
                    lines.push(format!("and.b32 %t3, %r{register}, 7;"));
                    lines.push(format!("setp.lt.u32 %lp, %n{block}, %t3;"));
                }
                lines.push(format!("@%lp bra {};", label(earlier)));
            }
            6 if self.names.liberties.wild => {
                let guard = if self.random.one_in(3) { String::new() } else { format!("@{not}{predicate} ") };
                lines.push(format!("{guard}bra {};", label(earlier)));
            }
            7 => {
                let count = 1 + self.random.below(4);
                let lowest = if self.names.liberties.wild { 0 } else { block + 1 };
                let targets: Vec<String> =
                    (0..count).map(|_| label(lowest + self.random.below(blocks + 1 - lowest))).collect();
                let register = self.random.below(REGISTERS);
                // A wild index may be past the end of the list.
                let bound = if self.names.liberties.wild { count + self.random.below(2) } else { count };
                lines.push(format!("{prefix}T{block}: .branchtargets {};", targets.join(", ")));
                lines.push(format!("rem.u32 %t3, %r{register}, {bound};"));
                lines.push(format!("@{not}{predicate} brx.idx %t3, {prefix}T{block};"));
            }
            8 => {
                let end = *self.random.pick(&["ret", "exit"]);
                lines.push(format!("@{not}{predicate} {end};"));
            }
            9 => lines.push("bar.sync 0;".into()),
            _ => {}
        }
    }
}
