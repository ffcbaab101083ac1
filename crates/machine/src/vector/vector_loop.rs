//! A loop over the lanes as a macro, for operations too large for `lanes::simd*`.
//!
//! The compiler inlines a closure that is used at several levels of vector instructions only while it is small,
//! and what is not inlined is not vectorised. A macro is always inlined.
#![allow(unsafe_code)]

use crate::context::Context;
use crate::registers::{Bank, Slot};
use crate::vector::lanes::{Execute, Flow, Level, Op, level};

/// A loop that any host can run: the registers, the destination and the sources, the active lanes.
pub type Loop = fn(&mut Bank<'_>, &[Slot], u32);

/// The same, compiled for one level: only hosts that have its instructions can run it.
pub type LevelLoop = unsafe fn(&mut Bank, &[Slot], u32);

struct Chosen(LevelLoop);

impl Execute for Chosen {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        // SAFETY: `choose`, which alone makes one of these, took the loop of the level that `level` found on this host,
        // and its caller promises that it asks for nothing more.
        unsafe { (self.0)(&mut context.bank, slots, mask) };
        Flow::Next
    }
}

/// The loop of this host's level as an operation.
///
/// # Safety
/// `v3` and `v4` ask of their callers nothing but the instructions of [`Level::V3`] and [`Level::V4`].
pub unsafe fn choose(baseline: Loop, v3: LevelLoop, v4: LevelLoop) -> Op {
    Box::new(Chosen(match level() {
        Level::Baseline => baseline,
        Level::V3 => v3,
        Level::V4 => v4,
    }))
}

/// `vector_loop!(|a: u32, b: u32| -> u32 { f(a, b) })`: the operation that computes this in every lane. It captures
/// nothing, and all it calls must be `#[inline(always)]`.
macro_rules! vector_loop {
    (|$($arg:ident: $ty:ty),+| -> $out:ty { $result:expr }) => {{
        use $crate::registers::{Bank, LANES, Slot};
        use $crate::vector::value::{Converted, Value};

        #[inline(always)]
        fn baseline(bank: &mut Bank<'_>, slots: &[Slot], mask: u32) {
            let [to, $($arg),+] = slots else { return };
            $(let (slot, mut converted) = (*$arg, Converted::uninit());
            let $arg = <$ty as Value>::source(bank, slot, &mut converted);)+
            let mut values = [<$out as Value>::ZERO; LANES];
            for (lane, value) in values.iter_mut().enumerate() {
                $(let $arg = $arg[lane];)+
                *value = $result;
            }
            <$out as Value>::write(bank, *to, mask, &values);
        }

        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c"))]
        fn v3(bank: &mut Bank<'_>, slots: &[Slot], mask: u32) {
            baseline(bank, slots, mask);
        }

        #[cfg_attr(
            target_arch = "x86_64",
            target_feature(
                enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512cd,avx512dq,avx512vl"
            )
        )]
        fn v4(bank: &mut Bank<'_>, slots: &[Slot], mask: u32) {
            baseline(bank, slots, mask);
        }

        // SAFETY: the two are safe functions but for the features that they are compiled with, which are some of those
        // that `ptxvm_num::level` looks for before it says that a host is of their level.
        #[allow(unsafe_code, reason = "the reason is here, not where the macro is used")]
        let chosen = unsafe { $crate::vector::vector_loop::choose(baseline, v3, v4) };
        chosen
    }};
}

pub(crate) use vector_loop;
