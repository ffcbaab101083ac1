//! Puts a form of the table into an endless loop, with operands like those of the fuzzer's random programs.

use ptxvm_vm::{Device, LaunchOptions, Module};

use super::THREADS;
use crate::fuzz::forms::{FilledForm, Forms};
use crate::fuzz::names::{AREA, Liberties, Names, REGISTERS};
use crate::fuzz::scene::{self, Scene};
use crate::fuzz::setting::MOST_THREADS;
use crate::fuzz::{judge, matrix, program, run};
use crate::oracle::Random;

/// The instructions that may name an mbarrier object.
const MBARRIERS: &[&str] = &["mbarrier", "cp", "st", "red", "clusterlaunchcontrol", "tcgen05"];

/// The program, if the checker accepts it with the instruction in it.
pub fn program(forms: &Forms, form: &FilledForm, random: &mut Random) -> Option<String> {
    let is_matrix = matrix::OPCODES.contains(&form.opcode());
    let liberties = Liberties {
        wild: false,
        fleeting: true,
        sharing: true,
        racing: true,
        matrix: is_matrix,
        texture: scene::is_opaque(form.opcode()),
    };
    let mut names =
        Names { opcode: form.opcode(), entry: true, liberties, registers: REGISTERS, functions: true };
    let mut lines = program::head(forms, liberties, random);
    lines.push(".func (.param .b32 ro) f0(.param .b64 pp, .param .b32 pd) { ret; }".into());
    lines.push(program::declaration());
    lines.push("{".into());
    lines.extend(program::registers());
    for line in program::addresses() {
        // As many threads have parts of their own in shared memory and in the buffers.
        let masked = line == "mov.u32 %t2, %tid.x;";
        lines.push(line);
        if masked {
            lines.push(format!("and.b32 %t2, %t2, {};", MOST_THREADS - 1));
        }
    }
    lines.extend(matrix::operands(forms.blackwell(), random));
    lines.extend(scene::operands(liberties, random));
    if is_matrix && forms.blackwell() {
        lines.push("mov.u32 %n0, %t0; mov.u32 %t0, %tid.x;".into());
        lines.extend(matrix::allocation());
        lines.push("mov.u32 %t0, %n0;".into());
    }
    for line in program::inputs(random) {
        lines.push(line.replace("%ntid.x", "0"));
    }
    if MBARRIERS.contains(&form.opcode()) {
        // In every place that an operand may name.
        lines.push(format!("mov.u32 %n1, %tid.x; setp.ge.u32 %lp, %n1, {};", MOST_THREADS));
        lines.extend(
            (0..AREA).step_by(32).map(|at| format!("@!%lp mbarrier.init.shared::cta.b64 [%sa+{at}], 1;")),
        );
        lines.push("bar.sync 0;".into());
    }
    lines.push("LOOP:".into());
    if form.opcode() == "wgmma" {
        lines.push("wgmma.fence.sync.aligned;".into());
    }
    let instruction = form.instruction(&mut names, random);
    lines.push(instruction.clone());
    lines.push("bra LOOP;".into());
    lines.push("}".into());
    (run::accepted(&mut lines) && lines.contains(&instruction)).then(|| lines.join("\n") + "\n")
}

/// What the kernel of such a program is launched with.
pub fn options(module: &Module, scene: &Scene, random: &mut Random) -> LaunchOptions {
    scene.bind(module, random);
    let mut options = LaunchOptions::new(1, THREADS);
    scene.buffers.iter().for_each(|buffer| options.arguments.push(&**buffer));
    options.arguments.push(&[0u8; AREA][..]);
    options
}

/// The textures, samplers, surfaces and buffers.
pub fn scene(device: &Device, random: &mut Random) -> Result<Scene, String> {
    judge::scene(device, random).map_err(|wrong| wrong.text)
}
