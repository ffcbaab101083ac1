//! The codes of errors in names and declarations (E02xx) and in directives and the module's head (E03xx).
//!
//! Each has a page in `docs/diagnostics`.

use ptxvm_syntax::Code;

macro_rules! codes {
    ($($name:ident $code:literal $title:literal;)*) => {
        $(#[doc = $title] pub const $name: Code = Code($code);)*

        /// Every code of this crate's declarations and directives, with its short title.
        pub const TABLE: &[(Code, &str)] = &[$(($name, $title)),*];
    };
}

codes! {
    UNKNOWN_NAME "E0201" "A name that is not declared";
    DUPLICATE_NAME "E0202" "A name declared twice in one scope";
    INCONSISTENT_VARIABLE "E0203" "A variable declared twice with a difference";
    MISPLACED_SPACE "E0204" "A state space that cannot be declared here";
    DECLARED_TYPE "E0205" "A type that no variable can have";
    MISPLACED_PREDICATE "E0206" "A predicate outside a scalar register";
    VECTOR_TYPE "E0207" "A vector type that does not exist";
    UNSUITED_TYPE "E0208" "A type that the state space cannot hold";
    INCOMPLETE_ARRAY "E0209" "An array without a size";
    ALIGNMENT "E0210" "An invalid alignment";
    COUNT_RANGE "E0211" "A number that is too large here";
    MISPLACED_INITIALIZER "E0212" "A variable that cannot have an initial value";
    INITIALIZER_TYPE "E0213" "An initial value of the wrong type";
    INITIALIZER_SHAPE "E0214" "An initialiser of the wrong shape";
    INITIALIZER_NAME "E0215" "A name that cannot be an initial value";
    INITIALIZER_FIELD "E0216" "A field that the opaque type does not have";
    MISPLACED_OPAQUE "E0217" "A texture, sampler or surface in the wrong place";
    ATTRIBUTE "E0218" "An attribute that does not fit its variable";
    COMMON "E0219" "A variable that cannot be common";
    KERNEL_ATTRIBUTE "E0220" "A kernel parameter's attribute on another parameter";
    PARAMETER_SPACE "E0221" "A parameter in the wrong state space";
    RETURN_PARAMETERS "E0222" "Invalid return parameters";
    PARAMETER_SIZE "E0223" "Kernel parameters that take too many bytes";
    INCONSISTENT_FUNCTION "E0224" "A function declared twice with a difference";
    EXTERN_DEFINITION "E0225" "An external function with a body";
    ALIAS "E0226" "An invalid alias";
    LABEL_MEANING "E0227" "A name used as a label before it is declared as something else";
    SINK_PARAMETER "E0228" "A function's parameter without a name";
    GUARD "E0230" "A guard that is not a predicate";
    CALL_TARGET "E0231" "A call to something that is not a function";
    CALL_INDIRECT "E0232" "An indirect call without a prototype";
    CALL_COUNT "E0233" "A call with the wrong number of arguments";
    CALL_ARGUMENT "E0234" "An argument that does not fit its parameter";
    TARGET_LIST "E0235" "A target that does not belong in its list";
    NARROW_PARAMETER "E0236" "A narrow integer or predicate passed to a function";
    GUARDED_PARAMETER "E0237" "A guard before an access to a call's parameter";

    MISSING_VERSION "E0301" "A file that does not begin with `.version`";
    UNKNOWN_VERSION "E0302" "A version that does not exist";
    MISSING_TARGET "E0303" "A missing `.target`";
    UNKNOWN_TARGET "E0304" "A target that does not exist";
    TARGET_VERSION "E0305" "A target newer than the version";
    TARGET_OPTION "E0306" "An invalid target option";
    ADDRESS_SIZE "E0307" "An address size that does not exist";
    MISPLACED_HEAD "E0308" "A directive that belongs at the head of the file";
    NEED "E0309" "Something the version or target does not have";
    GONE "E0310" "Something the version no longer has";
    DIRECTIVE_VALUE "E0311" "A directive's value out of range";
    REPEATED_DIRECTIVE "E0312" "A directive given twice";
    CONFLICTING_DIRECTIVES "E0313" "Directives that exclude each other";
    REQUIRED_DIRECTIVE "E0314" "A directive that needs another";
    NORETURN "E0315" "A `.noreturn` function with return parameters";
    PRAGMA "E0316" "A pragma that is unknown or misplaced";
    REPEATED_FILE "E0317" "A file number given twice";
    LOCATION "E0318" "An invalid source location";
    SECTION "E0319" "Debug data that does not fit";
    MISSING_DEBUG "E0320" "A debug target without debug data";
}

/// A version newer than the newest that is known. It is no error, so it does not stand in the table.
pub const NEWER_VERSION: Code = Code("W0302");
