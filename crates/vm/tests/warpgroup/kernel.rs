//! The kernel of a form: it fills shared memory, loads the registers, multiplies once and stores what came out.

use std::fmt::Write as _;

use crate::form::{Accumulator, Element, Form};
use crate::matrix::{SECOND, SHARED};

/// Where in the input buffer the threads' registers lie, one after the other, 512 bytes each: A, the metadata, D.
pub const REGISTERS: usize = SHARED;

impl Form {
    /// The registers of D that a thread has.
    pub fn registers_of_d(&self) -> usize {
        if self.d == Accumulator::F16 { self.n / 4 } else { self.n / 2 }
    }

    /// The instruction's name with its modifiers.
    pub fn name(&self) -> String {
        let sp = if self.sparse { ".sp" } else { "" };
        let sat = if self.saturating { ".satfinite" } else { "" };
        let d = match self.d {
            Accumulator::F16 => "f16",
            Accumulator::F32 => "f32",
            Accumulator::S32 => "s32",
        };
        let op = if self.a == Element::B1 { ".and.popc" } else { "" };
        let (n, k, a, b) = (self.n, self.k(), self.a.name(), self.b.name());
        format!("wgmma.mma_async{sp}.sync.aligned.m64n{n}k{k}{sat}.{d}.{a}.{b}{op}")
    }

    /// The module.
    pub fn ptx(&self) -> String {
        let count = self.registers_of_d();
        let mut text = format!(
            ".version 9.0\n.target sm_90a\n.address_size 64\n\
             .visible .entry product(.param .u64 in, .param .u64 out)\n{{\n\
             .shared .align 1024 .b8 memory[{SHARED}];\n\
             .reg .b64 %in, %from, %out, %da, %db;\n.reg .b32 %t, %i, %at, %low, %meta, %a<4>, %d<{count}>, %v<4>;\n\
             .reg .pred %p;\n\
             ld.param.u64 %in, [in];\nmov.u32 %t, %tid.x;\nmov.u32 %i, %t;\n\
             fill:\n\
             mad.wide.u32 %from, %i, 16, %in;\nld.global.v4.b32 {{%v0, %v1, %v2, %v3}}, [%from];\n\
             mov.u32 %at, memory;\nmad.lo.u32 %at, %i, 16, %at;\nst.shared.v4.b32 [%at], {{%v0, %v1, %v2, %v3}};\n\
             add.u32 %i, %i, 128;\nsetp.lt.u32 %p, %i, {};\n@%p bra fill;\n\
             fence.proxy.async.shared::cta;\nbar.sync 0;\nmad.wide.u32 %from, %t, 4, %in;\n",
            SHARED / 16
        );
        let names = (0..4).map(|i| format!("%a{i}")).chain(["%meta".into()]);
        for (i, name) in names.chain((0..count).map(|i| format!("%d{i}"))).enumerate() {
            let _ = writeln!(text, "ld.global.b32 {name}, [%from+{}];", REGISTERS + 512 * i);
        }
        for (name, matrix, begin) in [("%da", 0, 0), ("%db", 1, SECOND)] {
            let layout = self.layout(matrix);
            let (high, low) = layout.descriptor();
            let _ = writeln!(
                text,
                "mov.u32 %low, memory+{};\nshr.u32 %low, %low, 4;\nor.b32 %low, %low, {low:#x};\nmov.b64 {name}, {{%low, {high:#x}}};",
                begin + layout.start
            );
        }
        let d: Vec<String> = (0..count).map(|i| format!("%d{i}")).collect();
        let mut operands = vec![format!("{{{}}}", d.join(", "))];
        operands.push(if self.registers { "{%a0, %a1, %a2, %a3}".into() } else { "%da".into() });
        operands.push("%db".into());
        if self.sparse {
            operands.extend(["%meta".into(), self.selector.to_string()]);
        }
        operands.push("%p".into());
        if self.d != Accumulator::S32 {
            operands.extend(self.negated.map(|negated| if negated { "-1".into() } else { "1".into() }));
            if self.a.bits() == 16 {
                let which = usize::from(self.registers);
                operands.extend(self.transposed[which..].iter().map(|t| u32::from(*t).to_string()));
            }
        }
        let _ = writeln!(
            text,
            "setp.ne.u32 %p, {}, 0;\nwgmma.fence.sync.aligned;\n{} {};\nwgmma.commit_group.sync.aligned;\n\
             wgmma.wait_group.sync.aligned 0;\nld.param.u64 %out, [out];\nmad.wide.u32 %out, %t, 4, %out;",
            u32::from(self.scale_d),
            self.name(),
            operands.join(", ")
        );
        for i in 0..count {
            let _ = writeln!(text, "st.global.b32 [%out+{}], %d{i};", 512 * i);
        }
        text + "ret;\n}\n"
    }
}
