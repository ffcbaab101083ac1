//! The kernels around the cases' code, as `tests/golden/generate/texture_harness.py` wrote them for the H200: many to a
//! module, because most cases differ in their images alone.

use std::collections::HashMap;

use ptxvm_vm::{Device, Kernel};

use crate::golden::Case;

/// How many kernels a module holds.
const TOGETHER: usize = 48;

/// The kernels of some cases, or why there is none.
pub struct Kernels<'a>(HashMap<Key<'a>, Result<Kernel, String>>);

/// What makes a kernel: the code, and how many inputs and outputs it has.
type Key<'a> = (&'a str, usize, usize);

fn key(case: &Case) -> Key<'_> {
    (&case.code, case.ins, case.outs)
}

impl<'a> Kernels<'a> {
    pub fn load(device: &Device, cases: &[&'a Case]) -> Self {
        let mut keys: Vec<Key<'a>> = cases.iter().map(|case| key(case)).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut kernels = HashMap::new();
        for keys in keys.chunks(TOGETHER) {
            load(device, keys, &mut kernels);
        }
        Self(kernels)
    }

    pub fn of(&self, case: &'a Case) -> &Result<Kernel, String> {
        &self.0[&key(case)]
    }
}

/// Loads kernels as one module; if that fails, as two of half the size, until the one that fails is alone.
fn load<'a>(device: &Device, keys: &[Key<'a>], kernels: &mut HashMap<Key<'a>, Result<Kernel, String>>) {
    let mut text = String::from(".version 9.0\n.target sm_90a\n.address_size 64\n");
    for (number, key) in keys.iter().enumerate() {
        text += &entry(&format!("k{number}"), key);
    }
    match device.load(&text) {
        Ok(module) => {
            for (number, key) in keys.iter().enumerate() {
                let kernel = module.kernel(&format!("k{number}")).map_err(|error| error.to_string());
                kernels.insert(*key, kernel);
            }
        }
        Err(error) if keys.len() == 1 => {
            kernels.insert(keys[0], Err(error.to_string()));
        }
        Err(_) => {
            let (some, rest) = keys.split_at(keys.len() / 2);
            load(device, some, kernels);
            load(device, rest, kernels);
        }
    }
}

/// A kernel with the registers that a case's code may use; words lie column by column.
fn entry(name: &str, (code, ins, outs): &Key<'_>) -> String {
    let at = "mad.wide.u32 %at, %word, 4,";
    let next = "add.u32 %word, %word, %n;";
    let mut text = format!(
        ".visible .entry {name}(.param .u64 in, .param .u64 out, .param .u32 n, .param .u64 tex, .param .u64 surf) {{
        .reg .b32 i<8>, o<8>, r<16>, %thread, %word, %n;
        .reg .b64 t, s, w<4>, %in, %out, %at;
        .reg .b16 h<8>;
        .reg .pred p, q, %past;
        ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
        ld.param.u64 t, [tex]; ld.param.u64 s, [surf];
        mov.u32 %thread, %ctaid.x; mov.u32 %word, %ntid.x; mul.lo.u32 %thread, %thread, %word;
        mov.u32 %word, %tid.x; add.u32 %thread, %thread, %word;
        setp.ge.u32 %past, %thread, %n;
        @%past bra end;
        mov.b32 %word, %thread;\n"
    );
    for input in 0..*ins {
        text += &format!("{at} %in; ld.global.b32 i{input}, [%at]; {next}\n");
    }
    for output in 0..8 {
        text += &format!("mov.b32 o{output}, 0;\n");
    }
    text +=
        &format!("setp.ne.u32 p, %n, %n; setp.ne.u32 q, %n, %n;\n{{\n{code}\n}}\nmov.b32 %word, %thread;\n");
    for output in 0..*outs {
        text += &format!("{at} %out; st.global.b32 [%at], o{output}; {next}\n");
    }
    text += &format!("{at} %out; selp.b32 %word, 1, 0, p; st.global.b32 [%at], %word;\nend: ret;\n}}\n");
    text
}
