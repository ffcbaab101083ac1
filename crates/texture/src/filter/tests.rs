//! Sums recorded on an H200, and what the weights must add up to.

use super::*;

/// The sum of one channel: four texels are a slice, eight are two.
fn sum(domain: Domain, texels: &[(u32, u32)]) -> u32 {
    let mut blend = Blend::new([domain; 4]);
    for slice in texels.chunks(4) {
        let slice: Vec<_> = slice.iter().map(|(weight, bits)| (*weight, [i64::from(*bits); 4])).collect();
        blend.slice(&slice);
    }
    blend.finish()[0]
}

/// Points recorded on an H200 where a plain sum, rounded once, would have other bits.
#[test]
fn floats_are_cut_where_they_are_aligned() {
    let recorded: [(&[(u32, u32)], u32); 8] = [
        (&[(121, 0xb65c_1c55), (135, 0xbba2_583a)], 0xbb2b_530f),
        (&[(3, 0xbcc5_0477), (174, 0xb660_2880), (1, 0x3375_6431), (78, 0x357d_9f23)], 0xb994_cd66),
        (&[(52, 0xbe00_0001), (135, 0xbeff_fffe), (19, 0xbe7f_fffe), (50, 0xc300_0001)], 0xc1ca_7601),
        (&[(82, 0x034b_5887), (147, 0x802f_1381), (10, 0x01d4_b243), (17, 0x0226_d299)], 0x0289_e272),
        // Two slices whose largest exponents are 3, 2, 0 and 3 above a multiple of four.
        (
            &[
                (77, 0x6462_a616),
                (141, 0x4070_e81b),
                (7, 0x98af_bee9),
                (12, 0x68dc_d157),
                (6, 0xb12c_24c8),
                (11, 0x91fc_0ab3),
                (1, 0x3fdd_e607),
                (1, 0xed93_146a),
            ],
            0xe990_7570,
        ),
        (
            &[
                (9, 0x2011_2db4),
                (6, 0xd142_e0d3),
                (60, 0xc18b_70b0),
                (40, 0xe627_1a98),
                (11, 0xff01_e508),
                (7, 0x7ede_211a),
                (73, 0x7d0e_ad57),
                (50, 0xc063_2ec5),
            ],
            0xf6d9_4028,
        ),
        (
            &[
                (25, 0xbf01_6dcd),
                (1, 0xcc6a_301e),
                (66, 0xc1df_8699),
                (4, 0x4b2a_cb86),
                (42, 0x4925_eb43),
                (2, 0x32e0_e004),
                (110, 0xc727_3fcb),
                (6, 0xc95d_85b2),
            ],
            0x45d8_037e,
        ),
        (
            &[
                (1, 0x3f00_0002),
                (1, 0xc080_0000),
                (2, 0x3fff_ffff),
                (1, 0x4180_0002),
                (51, 0xbdff_fffd),
                (46, 0xbc7f_ffff),
                (80, 0xbdff_fffe),
                (74, 0xbcff_fffe),
            ],
            0xbc39_ffe5,
        ),
    ];
    for (texels, value) in recorded {
        assert_eq!(sum(Domain::Float, texels), value, "{texels:x?}");
    }
}

#[test]
fn halves_become_halves() {
    let recorded: [(&[(u32, u32)], u32); 4] = [
        (&[(38, 0xa158), (13, 0x8262), (153, 0x2a64), (52, 0x91bb)], 0x3ce6_a000),
        (&[(6, 0x069a), (34, 0x204b), (33, 0xb980), (183, 0xbd4a)], 0xbf84_4000),
        (&[(24, 0x7e00), (11, 0x3c01), (152, 0x0400), (69, 0x8001)], 0x7fff_e000),
        (
            &[
                (11, 0x0a30),
                (2, 0x2e4c),
                (186, 0xf1b5),
                (40, 0xba8b),
                (1, 0x1897),
                (0, 0x15e7),
                (13, 0xf515),
                (3, 0x4bf0),
            ],
            0xc615_4000,
        ),
    ];
    for (texels, value) in recorded {
        assert_eq!(sum(Domain::Half, texels), value, "{texels:x?}");
    }
    // The least half, and a third of it.
    assert_eq!(sum(Domain::Half, &[(256, 1)]), 0x3380_0000);
    assert_eq!(sum(Domain::Half, &[(85, 0x8001), (171, 0)]), 0x8000_0000);
}

#[test]
fn colours_lose_bits_to_the_table_of_their_exponents() {
    let half = |code: usize| Domain::Srgb.enter(crate::srgb::LINEAR[code]);
    let recorded = [
        ([(242, 253), (14, 229)], 0x3f79_2000),
        ([(43, 177), (213, 186)], 0x3ef7_4000),
        ([(155, 96), (101, 12)], 0x3d93_a000),
        ([(154, 17), (102, 139)], 0x3dd7_4000),
    ];
    for (codes, value) in recorded {
        let texels = codes.map(|(weight, code)| (weight, half(code) as u32));
        assert_eq!(sum(Domain::Srgb, &texels), value, "{codes:?}");
    }
    assert_eq!([32, 48, 64, 96, 136, 184, 248].map(half), SRGB_STEPS);
}

#[test]
fn what_is_looked_at_counts_even_without_weight() {
    let one = 0x3f80_0000;
    let (inf, nan) = (0x7f80_0000, 0x7f80_0001);
    assert_eq!(sum(Domain::Float, &[(256, one), (0, inf)]), inf);
    assert_eq!(sum(Domain::Float, &[(256, inf), (0, 0xff80_0000)]), 0x7fff_ffff);
    assert_eq!(sum(Domain::Float, &[(256, one), (0, nan)]), 0x7fff_ffff);
    assert_eq!(sum(Domain::Float, &[(1, 0x8000_0000), (255, 0x8000_0001)]), 0x8000_0000);
    assert_eq!(sum(Domain::Float, &[(256, 0x8000_0000), (0, 0)]), 0);
    assert_eq!(sum(Domain::Float, &[(128, one), (128, one | 0x8000_0000)]), 0);
    // A large texel without weight does not push the others out.
    assert_eq!(sum(Domain::Float, &[(256, one | 1), (0, 0x7f00_0000)]), one | 1);
    assert_eq!(sum(Domain::Float, &[(256, 0x0080_0000), (0, 0)]), 0x0080_0000);
    assert_eq!(sum(Domain::Float, &[(255, 0x8080_0000), (1, 0)]), 0x8000_0000);
}

#[test]
fn weights_add_up() {
    for total in [256, 255, 100, 1, 0] {
        for x in 0..256 {
            for y in 0..256 {
                assert_eq!(weights(total, x, y).iter().sum::<u32>(), total);
            }
        }
    }
    // Recorded: what a lone texel gives at each corner.
    assert_eq!(weights(256, 128, 129), [64, 63, 64, 65]);
    assert_eq!(weights(256, 1, 128), [128, 0, 127, 1]);
    assert_eq!(weights(256, 128, 1), [128, 127, 0, 1]);
    assert_eq!(weights(256, 16, 8), [233, 15, 7, 1]);
}
