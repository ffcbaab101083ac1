//! The registers of a function, numbered in the order of their first use.
//!
//! A body may declare millions of registers and use ten, so only those that are used have numbers. The elements of
//! a vector register are registers of their own; so are the members that its type does not have (`%v.w` of a `.v2`),
//! which ptxas lets pass and keeps apart from everything else.

use ptxvm_isa::Type;
use ptxvm_module::module::{Body, Registers};
use ptxvm_syntax::ast::File;
use rustc_hash::FxHashMap;

use crate::id::RegisterId;

/// The members of a vector, each with its second name.
const MEMBERS: [[&str; 2]; 4] = [["x", "r"], ["y", "g"], ["z", "b"], ["w", "a"]];

/// The number of a member of a vector.
pub fn member(selector: &str) -> Option<u8> {
    MEMBERS.iter().position(|names| names.contains(&selector)).map(|at| at as u8)
}

/// The registers that a body has used so far.
#[derive(Default)]
pub struct RegisterTable {
    /// By the module's number and the member.
    known: FxHashMap<(u32, u8), RegisterId>,
    pub types: Vec<Type>,
    pub names: Vec<String>,
}

impl RegisterTable {
    /// The number of a register, or of a member of a vector register.
    #[inline]
    pub fn of(&mut self, file: &File, body: &Body, index: u32, member: u8) -> Option<RegisterId> {
        if let Some(&id) = self.known.get(&(index, member)) {
            return Some(id);
        }
        let declared = body.register(index)?;
        let id = self.add(declared.first.ty, name(file, declared, index, member));
        self.known.insert((index, member), id);
        Some(id)
    }

    /// A register that the source does not have, for what one instruction computes for another.
    pub fn fresh(&mut self, ty: Type) -> RegisterId {
        let name = format!("%ptxvm{}", self.types.len());
        self.add(ty, name)
    }

    /// The type that a register was declared with.
    pub fn ty(&self, id: RegisterId) -> Type {
        self.types[id.0 as usize]
    }

    /// A new register.
    pub fn add(&mut self, ty: Type, name: String) -> RegisterId {
        let id = RegisterId(self.types.len() as u32);
        self.types.push(ty);
        self.names.push(name);
        id
    }
}

fn name(file: &File, declared: &Registers, index: u32, member: u8) -> String {
    let mut name = file.text(declared.name).to_owned();
    let vector = u32::from(declared.first.vector.max(1));
    if declared.count.is_some() {
        name += &((index - declared.first.index) / vector).to_string();
    }
    if vector > 1 {
        name += ".";
        name += MEMBERS[usize::from(member & 3)][0];
    }
    name
}
