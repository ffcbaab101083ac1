//! What an instruction does with the addresses among its operands.

use ptxvm_isa::{ISA, NO_WORD, Row};

use crate::program::{FormUse, Operand, OperandKind};

/// How an instruction treats an address among its sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// It moves memory to registers.
    Load,
    /// It moves registers to memory.
    Store,
    /// It calls a function.
    Call,
    /// What comes out is no address.
    Nothing,
    /// Only the first source can come out as an address: what is subtracted, or shifted by, cannot.
    First,
    /// Only the last source can come out as an address.
    Last,
    /// It uses a tensor map.
    Tensor,
    /// It writes an address into a tensor map.
    ReplaceAddress,
    /// Any source can come out as an address.
    Some,
}

impl Operation {
    pub(super) fn of(form: &FormUse) -> Self {
        let row: &Row = &ISA.rows[usize::from(form.row)];
        let says = |text: &str| words(row, form).any(|word| word == text);
        match row.name.first().map_or("", |&word| ISA.text(word)) {
            "ld" | "ldu" => Self::Load,
            "st" => Self::Store,
            "call" => Self::Call,
            "mul" | "mul24" | "div" | "rem" | "setp" | "set" | "testp" | "popc" | "clz" | "bfind"
            | "brev" | "sad" | "abs" | "neg" | "dp4a" | "dp2a" | "mma" | "wmma" | "wgmma" | "isspacep"
            | "fma" | "sqrt" | "rsqrt" | "rcp" | "sin" | "cos" | "lg2" | "ex2" | "tanh" | "copysign" => {
                Self::Nothing
            }
            "mad" | "mad24" | "madc" => Self::Last,
            "sub" | "subc" | "shr" | "shl" => Self::First,
            "tensormap" => Self::ReplaceAddress,
            _ if says("tensor") => Self::Tensor,
            _ => Self::Some,
        }
    }
}

/// What an instruction says of the addresses in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AddressSpace {
    /// All are of the thread's or the CTA's own memory, of which the host has no part.
    Own,
    /// Global memory.
    Global,
    /// Any.
    Generic,
}

impl AddressSpace {
    pub(super) fn of(form: &FormUse) -> Self {
        let row: &Row = &ISA.rows[usize::from(form.row)];
        let mut found = Self::Generic;
        // Copies between two spaces name both.
        let spaces = words(row, form).filter_map(|word| match word {
            "global" | "const" => Some(Self::Global),
            "local" | "param" | "param::entry" | "param::func" => Some(Self::Own),
            word if word.starts_with("shared") => Some(Self::Own),
            _ => None,
        });
        for (count, space) in spaces.enumerate() {
            found = if count == 0 || space == found { space } else { Self::Generic };
        }
        found
    }
}

/// Whether an instruction makes a number of bytes of a number of elements: a shift to the left by a little.
pub(super) fn scales(form: &FormUse, operands: &[Operand]) -> bool {
    let opcode = ISA.rows[usize::from(form.row)].name.first().map_or("", |&word| ISA.text(word));
    let amount = operands.iter().rev().find_map(|operand| match operand.kind {
        OperandKind::Immediate(amount) => Some(amount),
        _ => None,
    });
    opcode == "shl" && matches!(amount, Some(1..=8))
}

fn words(row: &'static Row, form: &FormUse) -> impl Iterator<Item = &'static str> {
    let filled = form.filling[..row.slots.len()].iter().filter(|word| **word != NO_WORD);
    row.name.iter().chain(filled).map(|word| ISA.text(*word)).collect::<Vec<_>>().into_iter()
}
