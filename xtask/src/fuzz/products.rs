//! Matrix products in small programs: those of a warp, done at once, and those of a warpgroup, which go on while other
//! instructions use their registers, wait for them, or issue more.
//!
//! The machine waits where an instruction uses a register of a product under way, so that what comes out does not depend on
//! when a product completes. Matrices in shared memory are written once, before the first product.

use super::elements::Body;

/// The threads of a warpgroup.
const WARPGROUP: usize = 128;

/// What a `wgmma` may multiply: its name behind `wgmma.mma_async.sync.aligned`, the registers of D and how many, and what
/// follows the predicate where A is in shared memory and where it is in registers.
const PRODUCTS: &[(&str, &str, usize, [&str; 2])] = &[
    ("m64n8k16.f32.f16.f16", "%f", 4, [", 1, 1, 0, 0", ", 1, 1, 0"]),
    ("m64n16k16.f32.f16.f16", "%f", 8, [", 1, -1, 0, 0", ", -1, 1, 0"]),
    ("m64n8k16.f16.f16.f16", "%r", 2, [", 1, 1, 0, 0", ", 1, 1, 0"]),
    ("m64n8k16.f32.bf16.bf16", "%f", 4, [", 1, 1, 0, 0", ", 1, 1, 0"]),
    ("m64n8k8.f32.tf32.tf32", "%f", 4, [", 1, 1", ", 1, 1"]),
    ("m64n8k32.f32.e4m3.e5m2", "%f", 4, [", 1, 1", ", 1, 1"]),
    ("m64n8k32.s32.s8.u8", "%r", 4, ["", ""]),
];

/// The bytes of A in shared memory, where B follows it.
const BYTES_OF_A: usize = 2048;

/// Both matrices.
pub const MATRICES: &str = ".shared .align 128 .b8 mx[2560];";

impl Body<'_> {
    /// A product of each warp.
    pub(super) fn product_of_warp(&mut self) {
        let opcode = *self.random.pick(&["mma", "mma", "mma", "movmatrix"]);
        self.form_of(opcode);
    }

    /// Whether the CTA is a warpgroup, and the device has products of these.
    pub(super) fn is_warpgroup(&self) -> bool {
        self.threads == WARPGROUP && self.forms.has("wgmma")
    }

    /// Products of a warpgroup, with other instructions among them, mostly in a loop.
    pub(super) fn products_of_warpgroup(&mut self) {
        if !std::mem::replace(&mut self.has_matrices, true) {
            self.matrices();
        }
        let again = (!self.random.one_in(3)).then(|| (self.label(), self.counter()));
        if let Some((top, counter)) = &again {
            self.put(format!("mov.u32 {counter}, 0;"));
            self.mark(top);
        }
        self.put("wgmma.fence.sync.aligned;");
        for _ in 0..1 + self.random.below(3) {
            self.product();
            for _ in 0..1 + self.random.below(4) {
                match self.random.below(12) {
                    0..=3 => self.put("wgmma.commit_group.sync.aligned;"),
                    4 | 5 => {
                        let latest = *self.random.pick(&[0, 0, 1, 2]);
                        self.put(format!("wgmma.wait_group.sync.aligned {latest};"));
                    }
                    6 => self.put("wgmma.fence.sync.aligned;"),
                    7 => self.inner(),
                    8 => self.put("bar.sync 0;"),
                    9 => self.move_between_registers(),
                    _ => self.compute(),
                }
            }
        }
        if let Some((top, counter)) = &again {
            let times = 1 + self.random.below(3);
            self.put(format!("add.u32 {counter}, {counter}, 1; setp.lt.u32 %lp, {counter}, {times};"));
            self.put(format!("@%lp bra {top};"));
        }
    }

    /// Gives one register of the kind that products use what another has, in some threads or in all.
    fn move_between_registers(&mut self) {
        let stem = *self.random.pick(&["%r", "%f"]);
        let (to, from) = (self.random.below(5), self.random.below(5));
        let condition = if self.random.one_in(2) { format!("@{} ", self.condition()) } else { String::new() };
        self.put(format!("{condition}mov.b32 {stem}{to}, {stem}{from};"));
    }

    fn product(&mut self) {
        let (name, stem, count, tails) = *self.random.pick(PRODUCTS);
        let first = self.random.below(3);
        let mut d: Vec<String> = (first..first + count).map(|number| format!("{stem}{number}")).collect();
        if self.random.one_in(3) {
            d.reverse();
        }
        let in_registers = self.random.one_in(2);
        let a = match in_registers {
            true => {
                let registers = [(); 4].map(|()| format!("%r{}", self.random.below(6)));
                format!("{{{}}}", registers.join(", "))
            }
            false => {
                self.descriptor("%w0", 0);
                "%w0".into()
            }
        };
        self.descriptor("%w1", BYTES_OF_A);
        let adds = self.random.below(2);
        self.put(format!("setp.ne.u32 %lp, {adds}, 0;"));
        let (d, tail) = (d.join(", "), tails[usize::from(in_registers)]);
        self.put(format!("wgmma.mma_async.sync.aligned.{name} {{{d}}}, {a}, %w1, %lp{tail};"));
    }

    /// Eight rows or columns of 16 bytes lie together; 128 bytes further are the next along K, 256 the next eight.
    fn descriptor(&mut self, register: &str, begin: usize) {
        self.put(format!("mov.u32 %t1, mx; add.u32 %t1, %t1, {begin}; shr.u32 %t1, %t1, 4;"));
        self.put(format!("or.b32 %t1, %t1, 0x80000; mov.b64 {register}, {{%t1, 0x10}};"));
    }

    /// Writes the matrices: numbers of 16 bits that are less than 1.
    fn matrices(&mut self) {
        let (factor, more) = (self.random.next() as u32 | 1, self.random.next() as u32);
        self.put(format!("mad.lo.u32 %t2, %lt, {factor}, {more}; and.b32 %t2, %t2, 0xbbffbbff;"));
        self.put("mov.u32 %t1, mx; mad.lo.u32 %t3, %lt, 16, %t1;");
        self.put("st.shared.v4.b32 [%t3], {%t2, %t2, %t2, %t2};");
        self.put(format!("mad.lo.u32 %t3, %lt, 4, %t1; st.shared.b32 [%t3+{BYTES_OF_A}], %t2;"));
        self.put("fence.proxy.async.shared::cta;");
        self.put("bar.sync 0;");
    }
}
