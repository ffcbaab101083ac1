//! Textures, samplers and surfaces as variables (manual 5.3), and the fields of their initialisers.

use ptxvm_module::entity::VariableType;
use ptxvm_module::module;
use ptxvm_syntax::ast::{InitializerKind, SpaceKind};

use crate::lower::lowering::Lowering;
use crate::variable::{Field, FieldValue, Opaque, OpaqueKind};

/// The bytes of one as offsets count them: an array of them is addressed as if it were one of handles.
pub const BYTES: i64 = 8;

/// What kind of opaque variable this is. A `.tex` variable of old PTX is a texture.
pub fn kind(described: &module::Variable) -> Option<OpaqueKind> {
    match described.ty {
        VariableType::Texref => Some(OpaqueKind::Texture),
        VariableType::Samplerref => Some(OpaqueKind::Sampler),
        VariableType::Surfref => Some(OpaqueKind::Surface),
        VariableType::Data(_) if described.space == SpaceKind::Tex => Some(OpaqueKind::Texture),
        VariableType::Data(_) => None,
    }
}

impl Lowering<'_> {
    /// What is opaque about a variable; `None` if it is data.
    pub fn opaque(&mut self, described: &module::Variable) -> Option<Opaque> {
        let kind = kind(described)?;
        let fields = self.fields(described).unwrap_or_default();
        Some(Opaque { kind, count: described.elements.unwrap_or(1).max(1), fields })
    }

    /// The fields that the initialiser gives, each with the number of the element it belongs to.
    fn fields(&mut self, described: &module::Variable) -> Option<Vec<Field>> {
        let file = self.file;
        let mut strides = vec![1u64];
        for dimension in file[described.dimensions].iter().skip(1).rev() {
            let size = dimension.size.and_then(|size| self.integer(size)).unwrap_or(0);
            strides.push(strides.last()?.saturating_mul(size));
        }
        strides.reverse();
        let mut fields = Vec::new();
        // For each open brace: the element that it begins with, and how many braces it has had.
        let mut open: Vec<(u64, u64)> = Vec::new();
        let mut element = 0;
        let mut marks = file[described.initializer].iter();
        while let Some(mark) = marks.next() {
            match mark.kind {
                InitializerKind::Open => {
                    let level = open.len();
                    if let Some((begin, seen)) = open.last_mut() {
                        let stride = strides.get(level - 1).copied().unwrap_or(0);
                        element = begin.saturating_add(seen.saturating_mul(stride));
                        *seen += 1;
                    }
                    open.push((element, 0));
                }
                InitializerKind::Close => {
                    open.pop();
                }
                InitializerKind::Field(name) => {
                    let value = match marks.next()?.kind {
                        InitializerKind::Name(word) => FieldValue::Word(file.text(word).to_owned()),
                        InitializerKind::Integer(value) => FieldValue::Number(u64::from(value)),
                        // ptxas takes floats too, of which nobody knows the meaning.
                        InitializerKind::Expression(id) => match self.constant(id)?.integer() {
                            Some(number) => FieldValue::Number(number),
                            None => continue,
                        },
                        _ => continue,
                    };
                    fields.push(Field { element, name: file.text(name).to_owned(), value });
                }
                _ => {}
            }
        }
        Some(fields)
    }
}
