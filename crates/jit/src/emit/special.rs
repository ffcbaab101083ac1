//! What the linker prepares: special registers and addresses of variables. And generic addresses.

use ptxvm_ir::operation::{Generic, SpecialRegister as Register, generic};
use ptxvm_machine::code::Prepared;
use ptxvm_machine::context::Instruction;
use ptxvm_machine::schedule::compiled::offset;

use super::Emitter;
use super::block::Guard;
use super::value::Value;
use super::writer::{LANES, Name, truncated};
use crate::analysis::{Shape, of_special};

impl Emitter<'_> {
    /// Writes an instruction of the linker's own; `None` if it is not written here.
    pub(super) fn prepared(
        &mut self,
        what: Prepared,
        instruction: &Instruction,
        guard: &Guard,
    ) -> Option<()> {
        let to = *instruction.slots.first()?;
        let value = match what {
            Prepared::Special(register, member) => self.special(register, member)?,
            Prepared::Sum => {
                let [_, a, b] = instruction.slots[..] else { return None };
                let (a, b) = (self.read(a, 64), self.read(b, 64));
                self.sum(&a, &b)
            }
            Prepared::ParameterAddress(at) => {
                let address = self.of_frame("i64", offset::PARAMETER_ADDRESS);
                Value::scalar(64, self.writer.value(format!("add i64 {address}, {at}")))
            }
            Prepared::SharedAddress(at) => {
                let first = self.of_frame("i64", offset::SHARED_FIRST);
                Value::scalar(64, self.writer.value(format!("add i64 {first}, {at}")))
            }
        };
        self.write(to, value, guard);
        Some(())
    }

    fn special(&mut self, register: Register, member: u8) -> Option<Value> {
        let cta = self.analysis.cta;
        if member > 2
            && matches!(register, Register::Tid | Register::Ntid | Register::Ctaid | Register::Nctaid)
        {
            return Some(Value::scalar(32, "0"));
        }
        let number = usize::from(member);
        Some(match register {
            Register::Tid => match of_special(cta, register, member) {
                Shape::Uniform => Value::scalar(32, self.tid_of(0, number)),
                Shape::Affine(step) => Value::affine(32, self.tid_of(0, number), step),
                Shape::Rows(rows) => {
                    let firsts = (0..LANES as u32).step_by(rows.width as usize);
                    let firsts = firsts.take(if rows.alike { 1 } else { LANES });
                    Value::rows(32, firsts.map(|lane| self.tid_of(lane, number)).collect(), rows)
                }
                Shape::Pattern(_) | Shape::Varying => {
                    let lists = self.frame(offset::TIDS);
                    let list = self.writer.value(format!("getelementptr ptr, ptr {lists}, i64 %w.wide"));
                    let list = self.writer.value(format!("load ptr, ptr {list}"));
                    let at =
                        self.writer.value(format!("getelementptr i32, ptr {list}, i64 {}", number * LANES));
                    Value::vector(32, self.writer.value(format!("load <{LANES} x i32>, ptr {at}, align 4")))
                }
            },
            Register::Laneid => Value::affine(32, "0", 1),
            Register::LanemaskEq => self.of_lanes(|lane| 1 << lane),
            Register::LanemaskLe => self.of_lanes(|lane| (2 << lane) - 1),
            Register::LanemaskLt => self.of_lanes(|lane| (1 << lane) - 1),
            Register::LanemaskGe => self.of_lanes(|lane| -(1 << lane)),
            Register::LanemaskGt => self.of_lanes(|lane| -(2 << lane)),
            Register::Ntid => Value::scalar(32, cta[number].to_string()),
            Register::Ctaid => Value::scalar(32, self.of_frame("i32", offset::CTAID + member as usize * 4)),
            Register::Nctaid => Value::scalar(32, self.of_list("i32", offset::NCTAID, member as u64 * 4)),
            _ => return None,
        })
    }

    /// A word that the number of the lane gives.
    fn of_lanes(&mut self, word: impl Fn(usize) -> i64) -> Value {
        Value::vector(32, self.writer.per_lane(32, |lane| truncated(word(lane), 32)))
    }

    /// `%tid` of a lane of the warp that runs.
    fn tid_of(&mut self, lane: u32, member: usize) -> Name {
        let cta = self.analysis.cta.map(|threads| threads.max(1));
        let linear = self.writer.value("shl nuw nsw i32 %w, 5");
        let linear = self.writer.value(format!("or i32 {linear}, {lane}"));
        let below: u32 = cta[..member].iter().product();
        let row = self.writer.value(format!("udiv i32 {linear}, {below}"));
        match member {
            2 => row,
            _ => self.writer.value(format!("urem i32 {row}, {}", cta[member])),
        }
    }

    /// Writes a change of an address between a space and the generic one; `None` if it is not written here.
    pub(super) fn generic(
        &mut self,
        generic: Generic,
        instruction: &Instruction,
        guard: &Guard,
    ) -> Option<()> {
        let distance = match generic {
            Generic::From(window) => distance(window)?,
            Generic::To(window) => distance(window)?.wrapping_neg(),
            _ => return None,
        };
        let [to, from] = instruction.slots[..] else { return None };
        let address = self.read(from, 64);
        let moved = if distance == 0 {
            address
        } else {
            self.sum(&address, &Value::scalar(64, distance.to_string()))
        };
        self.write(to, moved, guard);
        Some(())
    }
}

/// What is added to an address of a space to make it generic.
fn distance(window: generic::Window) -> Option<u64> {
    match window {
        generic::Window::Shared | generic::Window::SharedCluster => Some(ptxvm_memory::SHARED_BASE),
        generic::Window::Local => Some(ptxvm_memory::LOCAL_BASE),
        generic::Window::Global | generic::Window::Const => Some(0),
        generic::Window::Param => None,
    }
}
