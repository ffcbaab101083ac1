//! Which descriptors are taken, and how the others are refused.

use super::*;

fn asked(kind: MmaKind) -> Asked {
    Asked {
        kind,
        pair: false,
        sparse: false,
        stationary: false,
        block: 32,
        a_in_tensor_memory: false,
        ashift: false,
        ultra: false,
    }
}

/// A descriptor with the types that each kind must have or may have.
fn bits(asked: &Asked, m: u32, n: u32) -> u32 {
    let types = match asked.kind {
        MmaKind::F16 | MmaKind::F8f6f4 => 1 << 4,
        MmaKind::Tf32 => 1 << 4 | 2 << 7 | 2 << 10,
        MmaKind::I8 => 2 << 4,
        MmaKind::Mxf8f6f4 => 1 << 23,
        MmaKind::Mxf4 | MmaKind::Mxf4nvf4 => 1 << 23 | 1 << 7 | 1 << 10,
    };
    types | u32::from(asked.sparse) << 2 | n >> 3 << 17 | m >> 4 << 24
}

/// The shapes that a kind takes: M, and for each how many N.
fn shapes(asked: &Asked) -> Vec<(u32, usize)> {
    let ns = |m| {
        (0..=504)
            .step_by(8)
            .filter(|n| InstructionDescriptor::decode(bits(asked, m, *n), asked).is_ok())
            .count()
    };
    (0..=496).step_by(16).map(|m| (m, ns(m))).filter(|(_, count)| *count > 0).collect()
}

#[test]
#[cfg_attr(miri, ignore = "it decodes 73,728 descriptors, which takes Miri most of an hour")]
fn shapes_are_those_of_table_39() {
    for kind in MmaKind::ALL {
        for sparse in [false, true] {
            let one = Asked { sparse, ..asked(kind) };
            let pair = Asked { pair: true, ..one };
            let stationary = Asked { stationary: true, ..one };
            let ws = if sparse { 2 } else { 3 };
            let (n, n_of_pair) = if kind == MmaKind::I8 { (18, 8) } else { (32, 16) };
            if kind.scaled() {
                assert_eq!(shapes(&one), [(128, 32)], "{kind:?}");
                let both = [(128, 16), (256, 16)];
                assert_eq!(shapes(&pair), if sparse { &both[1..] } else { &both[..] }, "{kind:?}");
            } else {
                assert_eq!(shapes(&one), [(64, n), (128, n)], "{kind:?}");
                assert_eq!(shapes(&pair), [(128, n_of_pair), (256, n_of_pair)], "{kind:?}");
                assert_eq!(shapes(&stationary), [(32, ws), (64, ws), (128, ws)], "{kind:?}");
            }
        }
    }
}

#[test]
fn k_and_the_number_of_scale_factors_follow_from_the_kind() {
    let decoded =
        |asked: &Asked, more: u32| InstructionDescriptor::decode(bits(asked, 128, 16) | more, asked).unwrap();
    let k = |kind, sparse| decoded(&Asked { sparse, ..asked(kind) }, 0).k;
    let dense: Vec<u32> = MmaKind::ALL.map(|kind| k(kind, false)).into();
    let sparse: Vec<u32> = MmaKind::ALL.map(|kind| k(kind, true)).into();
    assert_eq!(dense, [16, 8, 32, 32, 32, 64, 64]);
    assert_eq!(sparse, [32, 16, 64, 64, 64, 128, 128]);
    let ultra = Asked { ultra: true, ..asked(MmaKind::Mxf4nvf4) };
    for (block, sparse, k96, scales) in [
        (32, false, 0, 2),
        (16, false, 0, 4),
        (32, true, 0, 2),
        (16, true, 0, 4),
        (32, false, 1, 3),
        (16, false, 1, 6),
    ] {
        let asked = Asked { block, sparse, ..ultra };
        assert_eq!(decoded(&asked, k96 << 31).scales, scales, "{block} {sparse} {k96}");
    }
    assert_eq!(decoded(&asked(MmaKind::Mxf8f6f4), 3 << 29 | 2 << 4).scale_id, [3, 2]);
}

/// Every bit that no field of a kind uses is refused, and named.
#[test]
fn reserved_bits_are_refused() {
    for kind in MmaKind::ALL {
        let asked = asked(kind);
        let valid = bits(&asked, 128, 16);
        let reserved: &[u32] = match kind {
            MmaKind::Mxf8f6f4 => &[0, 1, 3, 6, 24, 25, 26, 31],
            MmaKind::Mxf4 | MmaKind::Mxf4nvf4 => &[0, 1, 3, 6, 12, 24, 25, 26],
            MmaKind::I8 => &[6, 23, 29],
            _ => &[3, 6, 23, 29],
        };
        for bit in 0..32 {
            let found = InstructionDescriptor::decode(valid ^ 1 << bit, &asked);
            let names = |wrong: &WrongField| {
                let (message, rule) = (&wrong.message, &wrong.rule);
                rule.contains("must be 0") && (message.contains("reserved") || message.contains("saturate"))
            };
            assert_eq!(
                found.as_ref().err().is_some_and(names),
                reserved.contains(&bit),
                "{kind:?} {bit} {found:?}"
            );
        }
    }
}
