//! The codes of the syntax's diagnostics, E01xx, in one table. Each has a page in `docs/diagnostics`.

use crate::diagnostic::Code;

macro_rules! codes {
    ($($name:ident $code:literal $title:literal;)*) => {
        $(#[doc = $title] pub const $name: Code = Code($code);)*

        /// Every code of this crate with its short title.
        pub const TABLE: &[(Code, &str)] = &[$(($name, $title)),*];
    };
}

codes! {
    UNEXPECTED "E0101" "Something else was expected here";
    UNKNOWN_CHARACTER "E0102" "A character that starts no token";
    NUL "E0103" "A NUL byte in the source";
    UNTERMINATED_COMMENT "E0104" "A comment without an end";
    UNTERMINATED_STRING "E0105" "A string without a closing quote";
    MALFORMED_NUMBER "E0106" "A malformed number";
    INTEGER_OVERFLOW "E0107" "An integer literal that is too large";
    FLOAT_RANGE "E0108" "A floating-point literal out of range";
    MALFORMED_VERSION "E0109" "A malformed `.version`";
    UNKNOWN_DIRECTIVE "E0110" "An unknown directive";
    MISSING_SEMICOLON "E0111" "A missing semicolon";
    UNCLOSED "E0112" "An opening brace that is never closed";
    UNMATCHED_BRACE "E0113" "A closing brace that closes nothing";
    NO_SPACE "E0114" "A declaration without a state space";
    TWO_SPACES "E0115" "A declaration with two state spaces";
    SUBTRACTED_OFFSET "E0116" "An offset that is subtracted";
    RESERVED_NAME "E0117" "A reserved word used as a name";
    NOT_UTF8 "E0118" "A source that is not UTF-8";
    TOO_LARGE "E0119" "A source that is too large";
    TOO_MANY_ERRORS "E0120" "Too many errors";
    SINK "E0121" "A sink where a value is needed";
    MISPLACED_DIRECTIVE "E0122" "A directive in the wrong place";
    SINGLE_IN_EXPRESSION "E0123" "A single-precision literal inside an expression";
    NOT_CONSTANT "E0124" "A name inside a constant expression";
    INTEGER_EXPECTED "E0125" "A floating-point value where an integer is needed";
    MIXED_TYPES "E0126" "An integer and a floating-point value in one operation";
    DIVISION_BY_ZERO "E0127" "A division by zero";
    UNSUPPORTED_CAST "E0128" "A cast that does not exist";
    MISPLACED_PAIR "E0129" "A pair of results in the wrong place";
    LINKAGE "E0130" "A linking directive in the wrong place";
    WRAPPED_INTEGER "W0650" "An integer literal that does not fit in 64 bits";
}
