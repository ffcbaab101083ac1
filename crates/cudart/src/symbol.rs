//! How functions get their C names, with the versions of NVIDIA's two libraries.
//!
//! A function of this library has a name of Rust's. Its C name is a jump to it, written in assembly, which is what rustc's
//! list of exported symbols does not know, so that `versions.map` decides its version. What both libraries have is one
//! function with two names; what only 12 has, or has with other arguments, is in `twelve`.

/// Gives a function its C name, in the versions of 13 and 12, of 13 alone (`of_13`), of 12 beside another function of 13
/// (`of_12`), or of 12 alone (`only_12`).
#[cfg_attr(
    not(versioned),
    allow(unused_macro_rules, reason = "without versions there is nothing of 12 alone")
)]
macro_rules! export {
    ($name:ident) => {
        $crate::symbol::export!(both $name);
    };
    (both $name:ident) => {
        $crate::symbol::jumps! {
            $name super::$name;
            stringify!($name),;
            concat!(stringify!($name), "_of_12"), concat!(stringify!($name), "@libcudart.so.12");
        }
    };
    (of_13 $name:ident) => {
        $crate::symbol::jumps! { $name super::$name; stringify!($name),; }
    };
    (of_12 $name:ident) => {
        $crate::symbol::jumps! {
            $name super::$name;
            concat!(stringify!($name), "_of_12"), concat!(stringify!($name), "@libcudart.so.12");
        }
    };
    (only_12 $name:ident) => {
        $crate::symbol::export!(only_12 $name super::$name);
    };
    (only_12 $name:ident $function:path) => {
        $crate::symbol::jumps! {
            $name $function;
            concat!(stringify!($name), "_of_12"), concat!(stringify!($name), "@@libcudart.so.12");
        }
    };
}
pub(crate) use export;

/// Labels that jump to a function, each with the name and version that it is given, if that is another.
macro_rules! jumps {
    ($module:ident $function:path; $($label:expr, $($version:expr)?;)+) => {
        #[cfg(versioned)]
        #[allow(unsafe_code, non_snake_case, reason = "a jump: arguments and stack stay as they are for the function")]
        mod $module {
            std::arch::global_asm!(
                $(
                    concat!(".globl ", $label),
                    concat!(".type ", $label, ",@function"),
                    concat!($label, ":"),
                    "jmp {function}",
                    concat!(".size ", $label, ",.-", $label),
                    $(concat!(".symver ", $label, ",", $version, ",remove"),)?
                )+
                function = sym $function,
            );
        }
    };
}
pub(crate) use jumps;
