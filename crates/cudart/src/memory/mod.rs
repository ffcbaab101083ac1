//! Memory: allocation, fills, pools, managed memory, and the variables of programs.

mod allocate;
pub mod managed;
pub mod pointer;
mod pool;
mod set;
pub mod variable;
