//! `--single-steps`: a run that stops after every instruction and goes on, which must change nothing. At each stop it
//! checks ptxvm itself: a value that the analysis of the program calls uniform over a warp must be the same in all lanes
//! that executed the instruction together.

use std::collections::HashMap;

use ptxvm_ir::flow::{Flow, UniformOver, Uniformity};
use ptxvm_ir::operation::Operation;
use ptxvm_ir::{FunctionId, Program};
use ptxvm_vm::view::View;
use ptxvm_vm::{Failure, Kernel, LaunchOptions, Statistics, Stepped};

/// Runs a kernel to its end, one instruction at a time.
pub fn run(kernel: &Kernel, program: &Program, launch: &LaunchOptions) -> Result<Statistics, Failure> {
    let mut uniform = Uniform { program, registers: HashMap::new() };
    let mut held = kernel.hold(launch)?;
    while let Some(stepped) = held.step()? {
        uniform.check(&held.view(), &stepped).map_err(Failure::Bug)?;
    }
    held.finish()
}

/// What is held to be uniform.
struct Uniform<'a> {
    program: &'a Program,
    /// By function and instruction: the registers that it writes and that are uniform over a warp then.
    registers: HashMap<FunctionId, Vec<Vec<u32>>>,
}

impl Uniform<'_> {
    fn check(&mut self, view: &View<'_>, stepped: &Stepped) -> Result<(), String> {
        let Stepped { source, lanes, .. } = *stepped;
        let program = self.program;
        let known = self.registers.entry(source.function).or_insert_with(|| of(program, source.function));
        let Some(registers) =
            known.get(source.instruction as usize).filter(|registers| !registers.is_empty())
        else {
            return Ok(());
        };
        let warp = view.cta(stepped.cta).and_then(|cta| cta.warps().nth(stepped.warp as usize));
        let Some(warp) = warp else { return Ok(()) };
        let function = &program.functions[source.function.0 as usize];
        for register in registers {
            let name = &function.register_names[*register as usize];
            let values = (0..32).filter(|lane| lanes >> lane & 1 != 0).filter_map(|lane| {
                // Who waits has not executed it yet; who has ended or returned has taken its registers along.
                let group = warp.group_of(lane).filter(|group| group.wait().is_none())?;
                let frame = group.frame();
                (frame.source().function == source.function).then(|| frame.register(name, lane))?
            });
            let values: Vec<u128> = values.map(|register| register.value).collect();
            if values.windows(2).any(|pair| pair[0] != pair[1]) {
                let number = source.instruction;
                return Err(format!(
                    "{name} is expected to be uniform after instruction {number} of {}, but lanes {lanes:#010x} have {values:x?}",
                    function.name
                ));
            }
        }
        Ok(())
    }
}

/// The registers that each instruction of a function writes and that are uniform over a warp then. What ends blocks
/// writes later, when all have come.
fn of(program: &Program, id: FunctionId) -> Vec<Vec<u32>> {
    let function = &program.functions[id.0 as usize];
    let flow = Flow::of(program, function);
    let uniformity = Uniformity::of(program, function, &flow);
    let Some(values) = &flow.values else { return Vec::new() };
    let of_instruction = |at: u32| {
        if let Some(Operation::Control(_)) = program.operation(&function.instructions[at as usize]) {
            return Vec::new();
        }
        let written = values.writes(at).iter().filter(|value| uniformity.value(**value) <= UniformOver::Warp);
        let registers = written.map(|value| values.values[value.0 as usize].register);
        registers.filter(|register| (*register as usize) < function.registers.len()).collect()
    };
    (0..function.instructions.len() as u32).map(of_instruction).collect()
}
