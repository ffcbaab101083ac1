//! Conversions against definitions that share nothing with the code: the values of a format listed one by one and
//! searched for neighbours, arithmetic in wider integers, and counting.

mod formats;
mod integers;
mod neighbours;
mod quick;
mod scales;
mod stochastic;
