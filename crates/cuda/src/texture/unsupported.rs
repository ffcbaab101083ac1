//! Entry points of this subject that are there and answer that they are not supported.

use crate::entry::unsupported;

unsupported! {
    cuTexRefGetAddress
    cuTexRefSetAddress
    cuTexRefSetAddress2D
}
