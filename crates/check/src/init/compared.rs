//! What is undefined of a comparison's answer, and of a choice: defined bits may decide either although others are not defined.

use ptxvm_ir::operation::compute::Comparing;
use ptxvm_isa::{Kind, Type};
use ptxvm_num::float::compare::{self, Comparison, Junction};

use crate::init::bitwise::{Known, differ, range};

/// The undefined bits of a result of comparing or choosing, this one among its destinations.
pub fn compared(
    comparing: &Comparing,
    index: usize,
    known: &dyn Fn(usize) -> Known,
    is_one_register: bool,
    together: u128,
) -> u128 {
    let by = |joined: Option<bool>| if joined.is_some() || together == 0 { 0 } else { u128::MAX };
    let asked = |ty: Type, relation, ftz| {
        let equal = is_one_register && is_whole(ty) && !matches!(relation, Comparison::Num | Comparison::Nan);
        if equal { Some(relation.holds(0, 0)) } else { answer(ty, (relation, ftz), known(0), known(1)) }
    };
    match comparing {
        Comparing::Selp(_) => chosen(known(0), known(1), known(2).low(1), 1),
        Comparing::Slct { by: Type::S32, .. } => chosen(known(0), known(1), known(2).low(32), 0),
        Comparing::Setp(setp) => {
            let answer = asked(setp.ty, setp.relation, setp.ftz);
            let answer = answer.map(|answer| answer != (index == 1));
            by(joined(setp.junction, answer, known(2)))
        }
        Comparing::Set(set) => by(joined(set.junction, asked(set.source, set.relation, set.ftz), known(2))),
        Comparing::Slct { .. } => by(None),
    }
}

/// `a` if the highest bit that decides is this one, else `b`.
fn chosen(a: Known, b: Known, by: Known, first: u32) -> u128 {
    let sign = if first == 1 { 0 } else { 31 };
    if by.undefined >> sign & 1 != 0 {
        return a.undefined | b.undefined | (a.value ^ b.value);
    }
    if by.value >> sign & 1 == u128::from(first) { a.undefined } else { b.undefined }
}

/// An answer joined with a predicate, if what is defined of both tells it.
fn joined(junction: Option<Junction>, answer: Option<bool>, predicate: Known) -> Option<bool> {
    let Some(junction) = junction else { return answer };
    let predicate = (predicate.undefined & 1 == 0).then_some(predicate.value & 1 != 0);
    match (junction, answer, predicate) {
        (_, Some(answer), Some(predicate)) => Some(junction.join(answer, predicate)),
        (Junction::And, Some(false), _) | (Junction::And, _, Some(false)) => Some(false),
        (Junction::Or, Some(true), _) | (Junction::Or, _, Some(true)) => Some(true),
        _ => None,
    }
}

fn is_whole(ty: Type) -> bool {
    matches!(ty.kind(), Kind::Signed | Kind::Unsigned | Kind::Bits) && ty.bits() > 0
}

/// The answer of a comparison, if what is defined of the two values tells it.
fn answer(ty: Type, (relation, ftz): (Comparison, bool), a: Known, b: Known) -> Option<bool> {
    let bits = ty.bits();
    let (a, b) = (a.low(bits), b.low(bits));
    if is_whole(ty) {
        return order(relation, a, b, bits, ty.kind() == Kind::Signed);
    }
    if !a.is_defined() || !b.is_defined() {
        return None;
    }
    let (a, b) = (a.value as u64, b.value as u64);
    Some(match ty {
        Type::F64 => compare::f64(relation, a, b),
        Type::F32 => compare::f32(relation, a as u32, b as u32, ftz),
        Type::F16 => compare::f16(relation, a as u16, b as u16, ftz),
        Type::Bf16 => compare::bf16(relation, a as u16, b as u16),
        _ => return None,
    })
}

/// How two integers compare, if every value that they may have compares so.
pub fn order(relation: Comparison, a: Known, b: Known, bits: u32, signed: bool) -> Option<bool> {
    let ((a_low, a_high), (b_low, b_high)) = (range(a, bits, signed), range(b, bits, signed));
    let is_below = match () {
        () if a_high < b_low => Some(true),
        () if a_low >= b_high => Some(false),
        () => None,
    };
    let is_above = match () {
        () if a_low > b_high => Some(true),
        () if a_high <= b_low => Some(false),
        () => None,
    };
    match relation {
        Comparison::Lt => is_below,
        Comparison::Ge => is_below.map(|is| !is),
        Comparison::Gt => is_above,
        Comparison::Le => is_above.map(|is| !is),
        Comparison::Eq | Comparison::Ne => {
            let are_apart = differ(a, b, bits) || a_high < b_low || b_high < a_low;
            let are_same = a_low == a_high && b_low == b_high && a_low == b_low;
            (are_apart || are_same).then_some(are_same == (relation == Comparison::Eq))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_known_if_all_values_give_it() {
        const BITS: u32 = 4;
        let some =
            (0..16u128).flat_map(|value| [0, 1, 6, 8, 12, 15].map(|undefined| Known { value, undefined }));
        let some: Vec<Known> = some.collect();
        let all = |known: Known| (0..16u128).filter(move |is| (is ^ known.value) & !known.undefined == 0);
        let relations =
            [Comparison::Eq, Comparison::Ne, Comparison::Lt, Comparison::Le, Comparison::Gt, Comparison::Ge];
        for (a, b) in some.iter().flat_map(|a| some.iter().map(move |b| (*a, *b))) {
            for (relation, signed) in relations.into_iter().flat_map(|one| [(one, false), (one, true)]) {
                let number = |bits: u128| if signed { (bits ^ 8) as i64 - 8 } else { bits as i64 };
                let mut answers =
                    all(a).flat_map(|x| all(b).map(move |y| relation.holds(number(x), number(y))));
                let first = answers.next();
                let expected = first.filter(|first| answers.all(|answer| answer == *first));
                assert_eq!(
                    order(relation, a, b, BITS, signed),
                    expected,
                    "{a:?} {relation:?} {b:?} {signed}"
                );
            }
        }
    }
}
