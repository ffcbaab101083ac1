//! What must be true of the table as a whole, whatever its rows say.

use std::collections::BTreeSet;

use ptxvm_isa::table::{Operand, Shape};
use ptxvm_isa::{ISA, Language, Target, Type, Version};

/// `ptxvm isa` promises a sentence for every modifier.
#[test]
fn every_modifier_has_a_meaning() {
    let mut missing = BTreeSet::new();
    for row in ISA.rows {
        let opcode = ISA.text(row.name[0]);
        let words = row.name[1..].iter().chain(row.slots.iter().flat_map(|s| s.values));
        for text in words.map(|&w| ISA.text(w)) {
            if Type::from_name(text).is_none() && ISA.meaning(opcode, text).is_none() {
                missing.insert(format!("{opcode}.{text}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}

/// A row that no version and target can use describes nothing.
#[test]
fn every_row_is_legal_somewhere() {
    for row in ISA.rows {
        let legal = ISA.targets.iter().any(|t| {
            let versions = (1..=9).flat_map(|major| (0..=9).map(move |minor| Version::new(major, minor)));
            let newest = Version::new(9, 4);
            versions.filter(|v| *v >= t.ptx && *v <= newest).any(|ptx| {
                let language = Language { ptx, target: t.target };
                let gone = row.gone.is_some_and(|g| ptx >= g.ptx && language.targets(g.targets));
                language.meets(row.need) && !gone
            })
        });
        assert!(legal, "{}", row.head);
    }
}

/// Every operand list names places that exist, and every value has a type to be checked against.
#[test]
fn every_operand_can_be_checked() {
    fn check(operand: &Operand, head: &str) {
        match operand.shape {
            Shape::Vector(_, elements) => {
                assert!(!elements.is_empty(), "{head}");
                elements.iter().for_each(|e| check(e, head));
            }
            Shape::Pair(a, b, _) => [a, b].iter().for_each(|o| check(o, head)),
            Shape::Bracket(inner, lists) => {
                assert!(lists.iter().flat_map(|l| *l).all(|&i| usize::from(i) < inner.len()), "{head}");
            }
            _ => {}
        }
    }
    for row in ISA.rows {
        assert!(
            row.lists.iter().flat_map(|l| *l).all(|&i| usize::from(i) < row.operands.len()),
            "{}",
            row.head
        );
        row.operands.iter().for_each(|o| check(o, row.head));
    }
}

/// The list of instruction families, by one name of each.
#[test]
fn every_family_is_there() {
    let names = "add addc sub subc mul mad madc mul24 mad24 sad div rem abs neg min max popc clz bfind fns brev bfe bfi \
        szext bmsk dp4a dp2a testp copysign fma rcp sqrt rsqrt sin cos lg2 ex2 tanh set setp selp slct and or xor not \
        cnot lop3 shf shl shr mov shfl prmt ld ldu st multimem prefetch prefetchu applypriority discard createpolicy \
        isspacep cvta cvt mapa getctarank cp tensormap tex tld4 txq istypep suld sust sured suq bra brx call ret exit bar \
        barrier membar fence atom red vote match activemask redux griddepcontrol elect mbarrier clusterlaunchcontrol wmma \
        mma ldmatrix stmatrix movmatrix wgmma tcgen05 alloca stacksave stackrestore vadd vsub vabsdiff vmin vmax vshl vshr \
        vmad vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4 brkpt \
        nanosleep pmevent trap setmaxnreg clmad fabric spcompress spdecompress";
    let there: BTreeSet<&str> = ISA.opcodes.iter().map(|o| ISA.text(o.word)).collect();
    let wanted: BTreeSet<&str> = names.split_whitespace().collect();
    assert_eq!(there, wanted);
}

/// A plain target includes its predecessors, `a` stands alone, `f` covers its family.
#[test]
fn targets_include_each_other_as_the_manual_says() {
    let target = |text: &str| Target::parse(text).expect(text);
    let meets = |have: &str, need: &str| target(have).meets(target(need));
    assert!(meets("sm_120", "sm_90") && !meets("sm_90", "sm_120"));
    assert!(meets("sm_90a", "sm_90a") && !meets("sm_100a", "sm_90a") && !meets("sm_90", "sm_90a"));
    assert!(meets("sm_103a", "sm_100f") && meets("sm_103f", "sm_100f") && !meets("sm_103", "sm_100f"));
    assert!(!meets("sm_100a", "sm_103f") && !meets("sm_120a", "sm_100f") && meets("sm_121a", "sm_120f"));
    assert!(meets("sm_101a", "sm_110a"), "PTX 9.0 renamed sm_101");
}
