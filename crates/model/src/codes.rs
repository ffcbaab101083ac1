//! The codes of the diagnostics about litmus tests, E07xx, in one table. Each has a page in `docs/diagnostics`.

use ptxvm_syntax::Code;

macro_rules! codes {
    ($($name:ident $code:literal $title:literal;)*) => {
        $(#[doc = $title] pub const $name: Code = Code($code);)*

        /// Every code of this crate with its short title.
        pub const TABLE: &[(Code, &str)] = &[$(($name, $title)),*];
    };
}

codes! {
    UNEXPECTED "E0701" "Something else was expected in a litmus test";
    INSTRUCTION "E0702" "An instruction that litmus tests do not have";
    MODIFIER "E0703" "A modifier that an instruction of a litmus test does not take";
    NAME "E0704" "A name that a litmus test does not declare";
    COLUMNS "E0705" "A row that does not have a column for each thread";
    TOO_LARGE "E0706" "A litmus test that is too large";
    KERNEL "E0707" "A kernel that does what a litmus test cannot";
}
