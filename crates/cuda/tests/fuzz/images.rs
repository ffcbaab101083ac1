//! The modules that the fuzzer loads: right ones, wrong ones, and bytes that are none.

/// The images, each ended by zeros.
pub fn images() -> Vec<Vec<u8>> {
    let head = ".version 8.0\n.target sm_70\n.address_size 64\n";
    let good = format!(
        "{head}.visible .global .u32 table[4] = {{1, 2, 3}};\n.visible .entry empty() {{ ret; }}\n\
         .visible .entry store(.param .u64 to, .param .u64 value) {{\n.reg .b64 %a, %v;\n\
         ld.param.u64 %a, [to];\nld.param.u64 %v, [value];\nst.global.u64 [%a], %v;\nret;\n}}\n\
         .visible .entry fixed() .reqntid 32 {{ ret; }}\n\
         .global .texref picture;\n.global .surfref canvas;\n\
         .visible .entry look(.param .u64 to, .param .u64 texture) {{\n.reg .b64 %a, %t;\n.reg .f32 %f<5>;\n\
         ld.param.u64 %a, [to];\nld.param.u64 %t, [texture];\nmov.f32 %f4, 0f3fc00000;\n\
         tex.2d.v4.f32.f32 {{%f0, %f1, %f2, %f3}}, [%t, {{%f4, %f4}}];\n\
         st.global.f32 [%a], %f0;\nret;\n}}\n\0"
    );
    let wrong = format!("{head}.visible .entry empty() {{ add.s32 %r1, 2; }}\n\0");
    let newer = good.replace("8.0", "99.0");
    let mut fatbin = vec![0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 255, 255, 255, 255, 0, 0, 0, 0];
    fatbin.resize(64, 0);
    let mut texts: Vec<Vec<u8>> =
        [good.clone(), good.clone(), good, wrong, newer].map(String::into_bytes).into();
    texts.extend([
        b"\0".to_vec(),
        b"garbage\0".to_vec(),
        b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0".to_vec(),
    ]);
    texts.iter_mut().for_each(|image| image.extend([0; 256]));
    texts.push(fatbin);
    texts
}
