//! The approximate functions against an H200's recorded answers in `tests/golden`.

mod approx;
mod golden;
mod mufu;
