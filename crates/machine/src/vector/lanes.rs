//! Operations that each lane does on its own, made from closures that compute one lane.
//!
//! `simd1` to `simd3` compile the loop over the lanes as vector code for x86-64-v3 and x86-64-v4, and choose one when the
//! operation is made; `map1` to `map8` compile it once, lane after lane, as small as it can be. Both also compute the lanes
//! that are not active and drop their results, so the closures must be total.
//!
//! The loops are written out: `array::from_fn` and `map` are not inlined into functions with target features once
//! a closure is more than tiny, and what is not inlined is not vectorised.
#![allow(unsafe_code)]

use std::hint::black_box;
use std::marker::PhantomData;

pub use crate::context::{Execute, Flow, Op};
pub use ptxvm_num::level::{Level, at_most, level};

use crate::context::Context;
use crate::registers::{Bank, LANES, Slot, lanes_in};
use crate::vector::value::{Converted, Value};

/// Has each lane of a mask issue an asynchronous operation, until one is refused.
pub fn issue_each(mask: u32, mut issue: impl FnMut(usize) -> Result<(), Flow>) -> Flow {
    for lane in lanes_in(mask) {
        if let Err(flow) = issue(lane) {
            return flow;
        }
    }
    Flow::Issued
}

/// One result or a tuple of them.
pub trait Results: Sized {
    /// How many destinations it fills.
    const COUNT: usize;
    /// The results of all lanes.
    type Lanes;
    /// Computes every lane.
    fn compute(lane: impl FnMut(usize) -> Self) -> Self::Lanes;
    /// Writes the destinations.
    fn write(bank: &mut Bank<'_>, slots: &[Slot], mask: u32, values: &Self::Lanes);
    /// The same as a function that all operations with such results share.
    #[inline(never)]
    fn write_shared(bank: &mut Bank<'_>, slots: &[Slot], mask: u32, values: &Self::Lanes) {
        Self::write(bank, slots, mask, values);
    }
}

/// A source's lanes, by a function that all operations with such sources share.
#[inline(never)]
fn source_shared<'a, T: Value>(
    bank: &'a Bank<'_>,
    slot: Slot,
    converted: &'a mut Converted<T>,
) -> &'a [T; LANES] {
    T::source(bank, slot, converted)
}

impl<T: Value> Results for T {
    const COUNT: usize = 1;
    type Lanes = [T; LANES];

    #[inline(always)]
    fn compute(mut lane: impl FnMut(usize) -> Self) -> Self::Lanes {
        let mut values = [T::ZERO; LANES];
        for (index, value) in values.iter_mut().enumerate() {
            *value = lane(index);
        }
        values
    }

    #[inline(always)]
    fn write(bank: &mut Bank<'_>, slots: &[Slot], mask: u32, values: &Self::Lanes) {
        T::write(bank, slots[0], mask, values);
    }
}

macro_rules! results {
    ($count:literal $($ty:ident $index:tt),*) => {
        impl<$($ty: Value),*> Results for ($($ty,)*) {
            const COUNT: usize = $count;
            type Lanes = ($([$ty; LANES],)*);

            #[inline(always)]
            fn compute(mut lane: impl FnMut(usize) -> Self) -> Self::Lanes {
                let mut values = ($([$ty::ZERO; LANES],)*);
                for index in 0..LANES {
                    let results = lane(index);
                    $(values.$index[index] = results.$index;)*
                }
                values
            }

            #[inline(always)]
            fn write(bank: &mut Bank<'_>, slots: &[Slot], mask: u32, values: &Self::Lanes) {
                $($ty::write(bank, slots[$index], mask, &values.$index);)*
            }
        }
    };
}

results!(2 A 0, B 1);
results!(3 A 0, B 1, C 2);
results!(4 A 0, B 1, C 2, D 3);
results!(8 A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

/// An operation whose own loops over the lanes are worth compiling for each level of vector instructions.
pub trait Vectorised: Send + Sync {
    /// As [`Execute::run`]; it must be `#[inline(always)]`, and so must all that loops in it. `V4` says that it is
    /// compiled for AVX-512.
    fn execute<const V4: bool>(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow;
}

struct AtBaseline<O>(O);

impl<O: Vectorised> Execute for AtBaseline<O> {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        self.0.execute::<false>(context, slots, mask)
    }
}

#[cfg(target_arch = "x86_64")]
struct AtV3<O>(O);
#[cfg(target_arch = "x86_64")]
struct AtV4<O>(O);

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
fn at_v3<O: Vectorised>(op: &O, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
    op.execute::<false>(context, slots, mask)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
fn at_v4<O: Vectorised>(op: &O, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
    op.execute::<true>(context, slots, mask)
}

#[cfg(target_arch = "x86_64")]
impl<O: Vectorised> Execute for AtV3<O> {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        // SAFETY: made only where `level` found these features.
        unsafe { at_v3(&self.0, context, slots, mask) }
    }
}

#[cfg(target_arch = "x86_64")]
impl<O: Vectorised> Execute for AtV4<O> {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        // SAFETY: made only where `level` found these features.
        unsafe { at_v4(&self.0, context, slots, mask) }
    }
}

/// An operation compiled for each level, the best of which is taken.
pub fn vectorised<O: Vectorised + 'static>(op: O) -> Op {
    #[cfg(target_arch = "x86_64")]
    match level() {
        Level::V4 => return Box::new(AtV4(op)),
        Level::V3 => return Box::new(AtV3(op)),
        Level::Baseline => {}
    }
    Box::new(AtBaseline(op))
}

/// The linker gives each operation the operands that its form has. One place says so for all operations, so that none
/// has a message for each of its own.
#[cold]
#[inline(never)]
fn missing() -> ! {
    panic!("an operation has fewer operands than its form")
}

/// A loop over the lanes, compiled for one level of vector instructions: only hosts that have them can run it.
type Loop<Func> = unsafe fn(&Func, &mut Bank<'_>, &[Slot], u32);

macro_rules! map {
    ($map:ident $Map:ident $each:ident: $($ty:ident $arg:ident),*) => {
        struct $Map<Func, Out, $($ty),*> {
            f: Func,
            lanes: Loop<Func>,
            types: PhantomData<fn($($ty),*) -> Out>,
        }

        impl<Func, Out, $($ty),*> Execute for $Map<Func, Out, $($ty),*>
        where
            Func: Fn($($ty),*) -> Out + Send + Sync,
            Out: Results,
            $($ty: Value),*
        {
            fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
                // SAFETY: the loop is one that every host can run, or the one of the level that `level` found.
                unsafe { (self.lanes)(&self.f, &mut context.bank, slots, mask) };
                Flow::Next
            }
        }

        /// One lane after another, with all that other operations can share.
        fn $each<Func, Out, $($ty),*>(f: &Func, bank: &mut Bank<'_>, slots: &[Slot], mask: u32)
        where Func: Fn($($ty),*) -> Out, Out: Results, $($ty: Value),*
        {
            let (to, from) = slots.split_at(Out::COUNT);
            let [$($arg),*, ..] = from else { missing() };
            $(let (slot, mut converted) = (*$arg, Converted::uninit());
            let $arg = source_shared::<$ty>(bank, slot, &mut converted);)*
            let values = Out::compute(|lane| {
                // Hidden from the compiler, which would write out the lanes side by side.
                let lane = black_box(lane) % LANES;
                f($($arg[lane]),*)
            });
            Out::write_shared(bank, to, mask, &values);
        }

        #[doc = concat!("An operation with ", stringify!($($arg),*), " as sources.")]
        pub fn $map<Func, Out, $($ty),*>(f: Func) -> Op
        where
            Func: Fn($($ty),*) -> Out + Send + Sync + 'static,
            Out: Results + 'static,
            $($ty: Value + 'static),*
        {
            Box::new($Map { f, lanes: $each::<Func, Out, $($ty),*>, types: PhantomData })
        }
    };
}

macro_rules! simd {
    ($simd:ident $Map:ident $each:ident $body:ident $v3:ident $v4:ident: $($ty:ident $arg:ident),*) => {
        #[inline(always)]
        fn $body<Func, Out, $($ty),*>(f: &Func, bank: &mut Bank<'_>, slots: &[Slot], mask: u32)
        where Func: Fn($($ty),*) -> Out, Out: Results, $($ty: Value),*
        {
            let (to, from) = slots.split_at(Out::COUNT);
            let [$($arg),*, ..] = from else { missing() };
            $(let (slot, mut converted) = (*$arg, Converted::uninit());
            let $arg = $ty::source(bank, slot, &mut converted);)*
            let values = Out::compute(|lane| f($($arg[lane]),*));
            Out::write(bank, to, mask, &values);
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
        fn $v3<Func, Out, $($ty),*>(f: &Func, bank: &mut Bank<'_>, slots: &[Slot], mask: u32)
        where Func: Fn($($ty),*) -> Out, Out: Results, $($ty: Value),*
        {
            $body(f, bank, slots, mask);
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
        fn $v4<Func, Out, $($ty),*>(f: &Func, bank: &mut Bank<'_>, slots: &[Slot], mask: u32)
        where Func: Fn($($ty),*) -> Out, Out: Results, $($ty: Value),*
        {
            $body(f, bank, slots, mask);
        }

        /// The same as its `map` namesake, compiled for each level of vector instructions.
        pub fn $simd<Func, Out, $($ty),*>(f: Func) -> Op
        where
            Func: Fn($($ty),*) -> Out + Send + Sync + 'static,
            Out: Results + 'static,
            $($ty: Value + 'static),*
        {
            #[cfg(target_arch = "x86_64")]
            let lanes: Loop<Func> = match level() {
                Level::V4 => $v4::<Func, Out, $($ty),*>,
                Level::V3 => $v3::<Func, Out, $($ty),*>,
                Level::Baseline => $each::<Func, Out, $($ty),*>,
            };
            #[cfg(not(target_arch = "x86_64"))]
            let lanes: Loop<Func> = $body::<Func, Out, $($ty),*>;
            Box::new($Map { f, lanes, types: PhantomData })
        }
    };
}

map!(map1 Map1 each1: A a);
map!(map2 Map2 each2: A a, B b);
map!(map3 Map3 each3: A a, B b, C c);
map!(map4 Map4 each4: A a, B b, C c, D d);
map!(map5 Map5 each5: A a, B b, C c, D d, E e);
map!(map8 Map8 each8: A a, B b, C c, D d, E e, F f_, G g, H h);
simd!(simd1 Map1 each1 body1 v31 v41: A a);
simd!(simd2 Map2 each2 body2 v32 v42: A a, B b);
simd!(simd3 Map3 each3 body3 v33 v43: A a, B b, C c);
