//! Exchanges between the threads of a CTA by way of shared memory.
//!
//! Threads write where their number says, or where its bits say in another order, and read what others have written.
//! Compiled code knows such orders, and moves what lies close together at once.

use super::elements::Body;

impl Body<'_> {
    /// Threads write to shared memory, read what others have written, and nobody writes before all have read.
    pub(super) fn exchange(&mut self) {
        let (ty, stem, bytes) = *self.random.pick(&[
            ("b32", "%r", 4),
            ("f32", "%f", 4),
            ("b64", "%rd", 8),
            ("f64", "%fd", 8),
            ("b16", "%h", 2),
            ("u8", "%r", 1),
        ]);
        let barrier = self.barrier();
        let (given, taken) = (self.register(stem), self.register(stem));
        let guard = if self.random.one_in(4) { format!("@{} ", self.condition()) } else { String::new() };
        // No two threads have one place.
        let turn =
            if self.random.one_in(2) { self.random.below(self.threads.next_power_of_two()) } else { 0 };
        self.put(format!("xor.b32 %t1, %lt, {turn}; mad.lo.u32 %t1, %t1, {bytes}, %bx;"));
        self.put(format!("{guard}st.shared.{ty} [%t1], {given};"));
        self.put(barrier.clone());
        let threads = self.threads;
        match self.random.below(5) {
            0 => {
                let by = 1 + self.random.below(threads);
                self.put(format!("add.u32 %t1, %lt, {by}; rem.u32 %t1, %t1, {threads};"));
            }
            1 => {
                let whose = self.register("%r");
                self.put(format!("rem.u32 %t1, {whose}, {threads};"));
            }
            2 => self.put(format!("sub.u32 %t1, {}, %lt;", threads - 1)),
            _ => self.by_bits(),
        }
        self.put(format!("mad.lo.u32 %t1, %t1, {bytes}, %bx; ld.shared.{ty} {taken}, [%t1];"));
        self.put(barrier);
    }

    /// Threads bring words together as in a sum over the CTA: the number of a thread says whether it has something to do
    /// between two barriers.
    pub(super) fn tree(&mut self) {
        let barrier = self.barrier();
        let (given, taken) = (self.register("%r"), self.register("%r"));
        self.put("mad.lo.u32 %t1, %lt, 4, %bx;");
        self.put(format!("st.shared.b32 [%t1], {given};"));
        self.put(barrier.clone());
        let mut working = (self.threads / 2 + 1).next_power_of_two() / 2;
        for _ in 0..1 + self.random.below(4) {
            let (over, predicate) = (self.label(), self.register("%p"));
            let relation = *self.random.pick(&["ge.u32", "ge.s32", "gt.u32"]);
            let last = working.saturating_sub(usize::from(relation == "gt.u32"));
            self.put(format!("setp.{relation} {predicate}, %lt, {last}; @{predicate} bra {over};"));
            if working > 0 {
                self.put("mad.lo.u32 %t2, %lt, 4, %bx;");
                self.put(format!("ld.shared.b32 %t3, [%t2+{}]; ld.shared.b32 %t1, [%t2];", 4 * working));
                self.put("xor.b32 %t3, %t3, 5; add.u32 %t3, %t3, %t1; st.shared.b32 [%t2], %t3;");
            }
            self.mark(&over);
            self.put(barrier.clone());
            working /= 2;
        }
        self.put(format!("ld.shared.b32 {taken}, [%bx];"));
        self.put(barrier);
    }

    /// Indices that pass the largest number within a warp, made wider.
    pub(super) fn wrap(&mut self) {
        let largest = *self.random.pick(&[i32::MAX as u32, u32::MAX]);
        let (below, result) = (self.random.below(48), self.register("%rd"));
        self.put(format!("add.u32 %t1, %lt, {};", largest - below as u32));
        let widen = match self.random.below(4) {
            0 => format!("mul.wide.s32 {result}, %t1, 4;"),
            1 => format!("mul.wide.u32 {result}, %t1, 8;"),
            2 => format!("cvt.s64.s32 {result}, %t1;"),
            _ => format!("cvt.u64.u32 {result}, %t1;"),
        };
        self.put(widen);
    }

    /// A thread, found by the bits of the own number.
    fn by_bits(&mut self) {
        self.put("mov.u32 %t1, %lt;");
        for _ in 0..1 + self.random.below(4) {
            let (bits, by) = (self.random.below(128), self.random.below(4));
            let step = match self.random.below(9) {
                0 => format!("and.b32 %t1, %t1, {bits};"),
                1 => format!("or.b32 %t1, %t1, {bits};"),
                2 | 3 => format!("xor.b32 %t1, %t1, {bits};"),
                4 => format!("shr.u32 %t1, %t1, {by};"),
                5 => format!("shl.b32 %t1, %t1, {by};"),
                6 => format!("bfe.u32 %t1, %t1, {by}, {};", 1 + bits % 6),
                7 => format!("bfe.s32 %t1, %t1, {by}, {};", 1 + bits % 6),
                _ => format!("and.b32 %t2, %lt, {bits}; sub.u32 %t1, %t1, %t2;"),
            };
            self.put(step);
        }
        // The largest power of two that there are threads for.
        let most = (self.threads / 2 + 1).next_power_of_two();
        self.put(format!("and.b32 %t1, %t1, {};", most - 1));
    }

    pub(super) fn barrier(&mut self) -> String {
        match self.random.below(6) {
            0 => "barrier.sync 0;".into(),
            1 => "barrier.sync.aligned 1;".into(),
            // Only whole warps can be counted.
            2 if self.threads.is_multiple_of(32) => format!("bar.sync 1, {};", self.threads),
            _ => "bar.sync 0;".into(),
        }
    }
}
