//! How exactly a product is computed.

/// How exact a product is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// To the last bit of the silicon's.
    #[default]
    Exact,
    /// By ordinary fused multiply-adds, which differ in the last bits and are several times faster.
    Fast,
}
