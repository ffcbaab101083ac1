//! The rounding modes that PTX names, shared by every kind of number.

/// How a result that does not fit is brought to a neighbour that does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// `.rn`: to the nearest, ties to even.
    Rn,
    /// `.rna`: to the nearest, ties away from zero.
    Rna,
    /// `.rz`: towards zero.
    Rz,
    /// `.rm`: towards minus infinity.
    Rm,
    /// `.rp`: towards plus infinity.
    Rp,
}

impl Rounding {
    /// The rounding of a modifier without its dot, in the form for floats (`rn`) or that for integers (`rni`).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "rn" | "rni" => Self::Rn,
            "rna" => Self::Rna,
            "rz" | "rzi" => Self::Rz,
            "rm" | "rmi" => Self::Rm,
            "rp" | "rpi" => Self::Rp,
            _ => return None,
        })
    }
}
