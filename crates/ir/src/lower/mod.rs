//! From a checked module to a program: names, labels and expressions become numbers.

mod address;
mod body;
mod call;
mod constant;
mod form;
mod function;
mod initial;
mod inline_assembly;
mod layout;
mod limits;
mod location;
pub(crate) mod lowering;
mod opaque;
mod operand;
mod passing;
mod positions;
mod register;
mod synthesis;
mod value;
mod variable;
