//! `nvJitLinkResult`: what every entry point returns.

/// The answer of an entry point.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JitResult(pub u32);

/// What the body of an entry point gives: nothing, or why not.
pub type Answer<T = ()> = Result<T, JitResult>;

impl JitResult {
    pub const SUCCESS: Self = Self(0);
    pub const UNRECOGNIZED_OPTION: Self = Self(1);
    pub const MISSING_ARCH: Self = Self(2);
    pub const INVALID_INPUT: Self = Self(3);
    pub const PTX_COMPILE: Self = Self(4);
    pub const NVVM_COMPILE: Self = Self(5);
    pub const INTERNAL: Self = Self(6);
    pub const UNRECOGNIZED_INPUT: Self = Self(8);
    pub const NULL_INPUT: Self = Self(10);
    pub const INCOMPATIBLE_OPTIONS: Self = Self(11);
    pub const INCORRECT_INPUT_TYPE: Self = Self(12);
    pub const UNRECOGNIZED_ARCH: Self = Self(16);
    pub const UNSUPPORTED_ARCH: Self = Self(17);
    pub const LTO_NOT_ENABLED: Self = Self(18);

    /// Success, or why not.
    pub fn ok(self) -> Answer {
        if self == Self::SUCCESS { Ok(()) } else { Err(self) }
    }
}
