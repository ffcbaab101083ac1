//! How functions get their C names, with the versions of NVIDIA's two libraries.
//!
//! A function of this library has a name of Rust's. Its C name is a jump to it, written in assembly, which is what rustc's
//! list of exported symbols does not know, so that `versions.map` decides its version. What both libraries have is one
//! function with two names; what only 12 has, or has with other arguments, is in `twelve`.

/// Gives a function its C name in both versions.
macro_rules! export {
    ($name:ident) => {
        #[cfg(versioned)]
        #[allow(unsafe_code, non_snake_case, reason = "a jump: arguments and stack stay as they are for the function")]
        mod $name {
            std::arch::global_asm!(
                concat!(".globl ", stringify!($name)),
                concat!(".type ", stringify!($name), ",@function"),
                concat!(stringify!($name), ":"),
                "jmp {function}",
                concat!(".size ", stringify!($name), ",.-", stringify!($name)),
                concat!(".globl ", stringify!($name), "_of_12"),
                concat!(".type ", stringify!($name), "_of_12,@function"),
                concat!(stringify!($name), "_of_12:"),
                "jmp {function}",
                concat!(".size ", stringify!($name), "_of_12,.-", stringify!($name), "_of_12"),
                concat!(".symver ", stringify!($name), "_of_12,", stringify!($name), "@libcudart.so.12,remove"),
                function = sym super::$name,
            );
        }
    };
}
pub(crate) use export;
