//! Checks addresses: `[register]`, `[variable+offset]`, `[4]`, `array[2]`, and brackets with coordinates after the address.

use ptxvm_isa::table::{Operand as Place, Shape, SpaceOf, TypeOf};
use ptxvm_isa::{Kind, NO_WORD, Type, Word};
use ptxvm_syntax::ast::{self, FunctionKind, List, OperandKind, SpaceKind, Symbol};

use super::immediate::{self, Literal};
use super::{Check, Found, Misuse, OperandResult, Why, at};
use crate::entity::{Entity, Register, Role, Variable};

impl Check<'_> {
    /// An operand in a place that is written with brackets.
    pub(super) fn bracket(
        self,
        place: &'static Place,
        inner: &'static [Place],
        lists: &'static [&'static [u8]],
        operand: &ast::Operand,
    ) -> OperandResult {
        let miss = at(place, operand.span);
        match operand.kind {
            OperandKind::Address(items) => self.items(place, inner, lists, items, operand),
            OperandKind::Index { name, index } if self.indexable() => {
                self.index(place, name).map_err(miss)?;
                self.subscript(&self.context.file[index]).map_err(miss)
            }
            OperandKind::Unified(whole) if place.unified && self.can_be_unified(place) => {
                let whole = &self.context.file[whole];
                let OperandKind::Address(items) = whole.kind else { return Ok(()) };
                // Of a variable, only one declared so is unified, and none is while ptxas links.
                if self.context.file[items].iter().any(|item| self.is_variable(item)) {
                    return Err(miss(Why::Kind(Found::Unified)));
                }
                self.bracket(place, inner, lists, whole)
            }
            _ if inner.len() == 1 && self.bare(place, operand) => Ok(()),
            OperandKind::Sink if place.sink => Ok(()),
            _ => Err(miss(Why::Kind(self.found(operand)))),
        }
    }

    /// An address without its brackets, which ptxas takes in tensor copies (any register, or a variable of the right
    /// space) and as the mbarrier of other bulk copies. There it reads a register or number as if it were the mask or
    /// the cache policy of a copy that has no mbarrier, so that only forms without these have room for it.
    fn bare(self, place: &'static Place, operand: &ast::Operand) -> bool {
        let tensor = self.name_part(0) == "cp" && self.has_word("tensor");
        let mbarrier = self.is_lone_mbarrier(place);
        let name = match operand.kind {
            OperandKind::Name(name) | OperandKind::Offset { name, .. } => name,
            OperandKind::Index { name, index } => {
                let element = self.subscript(&self.context.file[index]).is_ok();
                return tensor && element && self.index(place, name).is_ok();
            }
            OperandKind::Constant(expression) => {
                let kind = immediate::literal(self.context.file, expression);
                return mbarrier && matches!(kind, Ok(Literal::Integer));
            }
            _ => return false,
        };
        match self.context.lookup(name) {
            Some(Entity::Register(register)) if tensor => register.vector == 1 && register.ty != Type::Pred,
            Some(Entity::Variable(variable)) if tensor => self.based_on(place, variable).is_ok(),
            Some(Entity::Register(register)) if mbarrier => {
                let mask = register.ty.bits() == 16 && !self.has_word("reduce");
                let integral = matches!(register.ty.kind(), Kind::Bits | Kind::Unsigned | Kind::Signed);
                register.vector == 1 && integral && (register.ty.bits() == 64 || mask)
            }
            _ => false,
        }
    }

    /// Unified addresses are generic or global ones.
    fn can_be_unified(self, place: &Place) -> bool {
        matches!(self.space_text(place), "" | "global")
    }

    /// Whether an item of an address names a variable, where a row asks for a register.
    fn is_variable(self, item: &ast::Operand) -> bool {
        match item.kind {
            OperandKind::Name(name) | OperandKind::Offset { name, .. } => {
                matches!(self.context.lookup(name), Some(Entity::Variable(_)))
            }
            _ => false,
        }
    }

    fn items(
        self,
        place: &'static Place,
        inner: &'static [Place],
        lists: &'static [&'static [u8]],
        items: List<ast::Operand>,
        operand: &ast::Operand,
    ) -> OperandResult {
        let items = &self.context.file[items];
        let mut first_miss = None;
        for list in lists.iter().filter(|list| list.len() == items.len()) {
            let mut outcome = Ok(());
            for (i, (&number, item)) in list.iter().zip(items).enumerate() {
                let part = &inner[usize::from(number)];
                let opaque = matches!(part.ty, TypeOf::Texture | TypeOf::Sampler | TypeOf::Surface);
                outcome =
                    if i == 0 && !opaque && matches!(part.shape, Shape::Register) && self.is_variable(item) {
                        Err(at(part, item.span)(Why::Kind(Found::Variable)))
                    } else if i == 0 && !opaque {
                        self.address(place, item, items.len() > 1).map_err(at(place, item.span))
                    } else {
                        self.operand(part, item)
                    };
                if outcome.is_err() {
                    break;
                }
            }
            match outcome {
                Ok(()) => return Ok(()),
                Err(mismatch) => first_miss = first_miss.or(Some(mismatch)),
            }
        }
        Err(first_miss.unwrap_or_else(|| {
            let wanted = lists.iter().map(|list| list.len()).max().unwrap_or(1) as u8;
            at(place, operand.span)(Why::Number { given: items.len().min(255) as u8, wanted })
        }))
    }

    /// The address itself: a register, a variable or a number, perhaps with an offset.
    fn address(self, place: &'static Place, item: &ast::Operand, tensor: bool) -> Result<(), Why> {
        let name = match item.kind {
            OperandKind::Name(name) | OperandKind::Offset { name, .. } => name,
            OperandKind::Constant(_) => {
                let fits = self.space_text(place) == "local" || self.name_part(0) == "fence";
                return if fits { Ok(()) } else { Err(Why::ImmediateAddress) };
            }
            _ => return Err(Why::Kind(self.found(item))),
        };
        match self.context.lookup(name) {
            None => Ok(()),
            // In a kernel no register can hold the address of a function's parameter.
            Some(Entity::Register(_)) if self.space_text(place) == "param::func" && self.is_in_entry() => {
                Err(Why::Kind(Found::Register))
            }
            Some(Entity::Register(register)) => self.base(place, register, tensor),
            Some(Entity::Variable(variable)) if variable.ty.data().is_some() => {
                self.based_on(place, variable)
            }
            Some(Entity::Variable(_)) if !tensor && self.takes_opaque(place) => Ok(()),
            Some(entity) => Err(Why::Kind(Found::of(entity))),
        }
    }

    /// Whether this is the mbarrier of a bulk copy without tensor map, mask, cache policy and ignored bytes.
    fn is_lone_mbarrier(self, place: &Place) -> bool {
        let others = ["tensor", "multicast::cluster", "L2::cache_hint", "ignore_oob"];
        self.name_part(0) == "cp" && place.name == "mbar" && others.iter().all(|word| !self.has_word(word))
    }

    /// Instructions that ptxas lets name a texture or surface for an address, in whichever space. What it means is the
    /// number of the object, which is nobody's address.
    fn takes_opaque(self, place: &Place) -> bool {
        match self.name_part(0) {
            "clusterlaunchcontrol" | "discard" | "applypriority" | "prefetchu" | "fence" | "tensormap" => {
                true
            }
            "cp" => !self.wants_whole_registers(place),
            "prefetch" => !self.has_word("tensormap"),
            "red" => !self.is_asynchronous(),
            "multimem" => !self.has_word("st"),
            "ldmatrix" | "stmatrix" => self.has_space("shared"),
            "st" => self.is_asynchronous() && place.name.starts_with("mbar"),
            _ => false,
        }
    }

    fn is_in_entry(self) -> bool {
        self.context.function.is_some_and(|f| self.context.function(f).kind == FunctionKind::Entry)
    }

    /// A register that holds an address.
    #[inline]
    fn base(self, place: &'static Place, register: Register, tensor: bool) -> Result<(), Why> {
        let integral = matches!(register.ty.kind(), Kind::Bits | Kind::Unsigned | Kind::Signed);
        if integral && register.ty.bits() == 64 && register.vector == 1 && !self.is_tensor_memory(place) {
            return Ok(());
        }
        self.odd_base(place, register, integral, tensor)
    }

    /// Any register but a 64-bit one needs a closer look.
    #[cold]
    fn odd_base(
        self,
        place: &'static Place,
        register: Register,
        integral: bool,
        tensor: bool,
    ) -> Result<(), Why> {
        // ptxas looks at neither the register of a tensor map nor at that of the tensor-map fence.
        if (tensor && register.vector == 1) || self.name_part(0) == "fence" {
            return Ok(());
        }
        if !integral || register.ty.bits() > 64 || register.vector > 1 {
            return Err(Why::AddressType(register.ty));
        }
        let bits = register.ty.bits();
        if self.is_tensor_memory(place) {
            let fits = bits == 32 && (self.name_part(1) != "mma" || register.ty == Type::B32);
            return if fits { Ok(()) } else { Err(Why::AddressType(register.ty)) };
        }
        let as_mask = bits == 16 && self.is_lone_mbarrier(place) && !self.has_word("reduce");
        if bits < 32 && (as_mask || self.wants_whole_registers(place)) {
            return Err(Why::AddressType(register.ty));
        }
        if bits == 32 && self.context.module.address_size == 64 && self.is_far(place) {
            return Err(Why::NarrowAddress(register.ty));
        }
        Ok(())
    }

    /// A variable whose address is used.
    fn based_on(self, place: &'static Place, variable: Variable) -> Result<(), Why> {
        let word = self.space_word(place);
        let text = if word == NO_WORD { "" } else { self.context.isa.text(word) };
        let fits = match text {
            "" => match self.name_part(0) {
                "fence" => true,
                _ => matches!(variable.space, SpaceKind::Global | SpaceKind::Shared | SpaceKind::Local),
            },
            _ => named(text) == Some(variable.space),
        };
        if !fits || self.is_tensor_memory(place) {
            return Err(Why::Space(word));
        }
        if variable.space == SpaceKind::Param { self.parameter(text, variable) } else { Ok(()) }
    }

    /// What may be done with a parameter.
    fn parameter(self, text: &str, variable: Variable) -> Result<(), Why> {
        let misuse = match (self.name_part(0), variable.role) {
            ("st", Role::EntryParameter | Role::Parameter) => Some(Misuse::Written),
            ("ld", Role::Return) => Some(Misuse::Read),
            ("ld", Role::Plain) if text == "param::entry" => Some(Misuse::Kind),
            ("ld", Role::EntryParameter) if text == "param::func" => Some(Misuse::Kind),
            _ => None,
        };
        misuse.map_or(Ok(()), |misuse| Err(Why::Parameter(misuse)))
    }

    /// `array[…]` in place of an address.
    fn index(self, place: &'static Place, name: Symbol) -> Result<(), Why> {
        match self.context.lookup(name) {
            None => Ok(()),
            Some(Entity::Variable(variable)) if variable.array => self.based_on(place, variable),
            Some(_) => Err(Why::Index),
        }
    }

    /// What stands in the brackets after an array's name.
    pub(super) fn subscript(self, index: &ast::Operand) -> Result<(), Why> {
        let (OperandKind::Name(name) | OperandKind::Offset { name, .. }) = index.kind else { return Ok(()) };
        match self.context.lookup(name) {
            Some(Entity::Register(register)) => {
                let integral = matches!(register.ty.kind(), Kind::Bits | Kind::Unsigned | Kind::Signed);
                let fits = integral && register.ty.bits() <= 64 && register.vector == 1;
                if fits { Ok(()) } else { Err(Why::Subscript(register.ty)) }
            }
            None | Some(Entity::Variable(_)) => Ok(()),
            Some(entity) => Err(Why::Kind(Found::of(entity))),
        }
    }

    /// A variable whose name is a value must lie in the space that the instruction names (cvta), or in shared memory
    /// where it is about the CTAs of a cluster (mapa, getctarank).
    pub(super) fn in_space(self, place: &Place, variable: Variable) -> Result<(), Why> {
        let named_slot = |slot: &ptxvm_isa::table::Slot| matches!(slot.name, "ss" | "space");
        let word = match (place.space, self.candidate.row.slots.iter().position(named_slot)) {
            (SpaceOf::Generic, Some(slot)) => self.candidate.filling[slot],
            _ => self.space_word(place),
        };
        let fits = match self.name_part(0) {
            "mapa" | "getctarank" => variable.space == SpaceKind::Shared,
            _ => word == NO_WORD || named(self.context.isa.text(word)) == Some(variable.space),
        };
        if fits { Ok(()) } else { Err(Why::Space(word)) }
    }

    fn space_word(self, place: &Place) -> Word {
        match place.space {
            SpaceOf::Generic => NO_WORD,
            SpaceOf::Slot(slot) => self.candidate.filling[usize::from(slot)],
            SpaceOf::Fixed(word) => word,
        }
    }

    fn space_text(self, place: &Place) -> &'static str {
        let word = self.space_word(place);
        if word == NO_WORD { "" } else { self.context.isa.text(word) }
    }

    /// Tensor memory has addresses of its own, of 32 bits.
    fn is_tensor_memory(self, place: &Place) -> bool {
        matches!(place.space, SpaceOf::Fixed(_)) && self.space_text(place) == "tmem"
    }

    /// Whether a bare `array[index]` may stand for an address.
    fn indexable(self) -> bool {
        matches!(self.name_part(0), "ld" | "ldu" | "st") && !self.is_asynchronous()
    }

    /// Instructions that take no register of 8 or 16 bits for an address.
    fn wants_whole_registers(self, place: &Place) -> bool {
        match self.name_part(0) {
            "createpolicy" | "wmma" | "tcgen05" => true,
            "tensormap" => self.has_word("replace"),
            "multimem" => self.has_word("red"),
            "st" | "red" => self.is_asynchronous() && !place.name.starts_with("mbar"),
            "prefetch" => self.has_word("tensormap"),
            "ldmatrix" | "stmatrix" => !self.has_space("shared"),
            "cp" => self.has_word("mbarrier") && !self.has_space("shared"),
            _ => false,
        }
    }

    /// Whether ptxas takes a 32-bit register here for the sign of a 32-bit program, which it no longer compiles.
    fn is_far(self, place: &Place) -> bool {
        let memory = match self.name_part(0) {
            "ld" | "ldu" | "atom" | "prefetchu" | "discard" | "applypriority" => true,
            "st" | "red" | "multimem" => !self.is_asynchronous(),
            "prefetch" => !self.has_word("tensormap"),
            // A barrier lies in shared memory, but without the modifier its address is generic.
            "mbarrier" => return !self.has_space("shared"),
            _ => false,
        };
        memory && matches!(self.space_text(place), "" | "global")
    }

    /// `st.async`, `red.async`, `st.bulk`.
    fn is_asynchronous(self) -> bool {
        self.has_word("async") || self.has_word("bulk")
    }

    fn has_space(self, text: &str) -> bool {
        let isa = self.context.isa;
        let mut words = self.candidate.filling.iter().filter(|&&word| word != NO_WORD);
        words.any(|&word| isa.text(word).split("::").next() == Some(text))
    }
}

/// The space that a modifier names.
fn named(text: &str) -> Option<SpaceKind> {
    Some(match text {
        "global" => SpaceKind::Global,
        "shared" | "shared::cta" | "shared::cluster" => SpaceKind::Shared,
        "local" => SpaceKind::Local,
        "const" => SpaceKind::Const,
        "param" | "param::entry" | "param::func" => SpaceKind::Param,
        _ => return None,
    })
}
