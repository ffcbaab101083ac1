//! The subsets that the texels of a BC6H or BC7 block fall into, which both formats take from the same tables.
//!
//! Each subset has one texel, its anchor, whose index has one bit less: the anchor of the first subset is texel 0.

/// By partition, one bit for each texel: its subset of two. BC6H uses the first 32.
const TWO: [u16; 64] = [
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8,
    0xff00, 0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce, 0x088c, 0x3110,
    0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696,
    0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720,
    0xc936, 0x936c, 0x39c6, 0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22,
];

/// By partition, the anchor of the second subset of two.
const ANCHOR_OF_TWO: [u8; 64] = [
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8,
    8, 2, 2, 15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6, 6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15,
    15, 2, 2, 15,
];

/// By partition, two bits for each texel: its subset of three.
const THREE: [u32; 64] = [
    0xaa68_5050,
    0x6a5a_5040,
    0x5a5a_4200,
    0x5450_a0a8,
    0xa5a5_0000,
    0xa0a0_5050,
    0x5555_a0a0,
    0x5a5a_5050,
    0xaa55_0000,
    0xaa55_5500,
    0xaaaa_5500,
    0x9090_9090,
    0x9494_9494,
    0xa4a4_a4a4,
    0xa9a5_9450,
    0x2a0a_4250,
    0xa594_5040,
    0x0a42_5054,
    0xa5a5_a500,
    0x55a0_a0a0,
    0xa8a8_5454,
    0x6a6a_4040,
    0xa4a4_5000,
    0x1a1a_0500,
    0x0050_a4a4,
    0xaaa5_9090,
    0x1469_6914,
    0x6969_1400,
    0xa085_85a0,
    0xaa82_1414,
    0x50a4_a450,
    0x6a5a_0200,
    0xa9a5_8000,
    0x5090_a0a8,
    0xa8a0_9050,
    0x2424_2424,
    0x00aa_5500,
    0x2492_4924,
    0x2449_9224,
    0x50a5_0a50,
    0x500a_a550,
    0xaaaa_4444,
    0x6666_0000,
    0xa5a0_a5a0,
    0x50a0_50a0,
    0x6928_6928,
    0x44aa_aa44,
    0x6666_6600,
    0xaa44_4444,
    0x54a8_54a8,
    0x9580_9580,
    0x9696_9600,
    0xa854_54a8,
    0x8095_9580,
    0xaa14_1414,
    0x9696_0000,
    0xaaaa_1414,
    0xa050_50a0,
    0xa0a5_a5a0,
    0x9600_0000,
    0x4080_4080,
    0xa9a8_a9a8,
    0xaaaa_aa44,
    0x2a4a_5254,
];

/// By partition, the anchors of the second and the third subset of three.
const ANCHORS_OF_THREE: [[u8; 64]; 2] = [
    [
        3, 3, 15, 15, 8, 3, 15, 15, 8, 8, 6, 6, 6, 5, 3, 3, 3, 3, 8, 15, 3, 3, 6, 10, 5, 8, 8, 6, 8, 5, 15,
        15, 8, 15, 3, 5, 6, 10, 8, 15, 15, 3, 15, 5, 15, 15, 15, 15, 3, 15, 5, 5, 5, 8, 5, 10, 5, 10, 8, 13,
        15, 12, 3, 3,
    ],
    [
        15, 8, 8, 3, 15, 15, 3, 8, 15, 15, 15, 15, 15, 15, 15, 8, 15, 8, 15, 3, 15, 8, 15, 8, 3, 15, 6, 10,
        15, 15, 10, 8, 15, 3, 15, 10, 10, 8, 9, 10, 6, 15, 8, 15, 3, 6, 6, 8, 15, 3, 15, 15, 15, 15, 15, 15,
        15, 15, 15, 15, 3, 15, 15, 8,
    ],
];

/// The subset of a texel, in a block of one, two or three subsets.
#[inline]
pub fn subset(subsets: u32, partition: usize, texel: u32) -> usize {
    match subsets {
        1 => 0,
        2 => usize::from(TWO[partition % 64] >> texel & 1),
        _ => (THREE[partition % 64] >> (2 * texel) & 3) as usize,
    }
}

/// Where the index of a texel lies after the first one, and how many bits it has, where others have `bits`.
#[inline]
pub fn index_at(subsets: u32, partition: usize, texel: u32, bits: u32) -> (u32, u32) {
    let anchors: [u32; 3] = match subsets {
        1 => [0; 3],
        2 => [0, u32::from(ANCHOR_OF_TWO[partition % 64]), 0],
        _ => [
            0,
            u32::from(ANCHORS_OF_THREE[0][partition % 64]),
            u32::from(ANCHORS_OF_THREE[1][partition % 64]),
        ],
    };
    let anchors = &anchors[..subsets as usize];
    let before = anchors.iter().filter(|&&anchor| anchor < texel).count() as u32;
    (texel * bits - before, bits - u32::from(anchors.contains(&texel)))
}

/// The weights of an index of two, three or four bits, in 64ths.
#[inline]
pub fn weight(bits: u32, index: usize) -> u32 {
    const TWO: [u8; 4] = [0, 21, 43, 64];
    const THREE: [u8; 8] = [0, 9, 18, 27, 37, 46, 55, 64];
    const FOUR: [u8; 16] = [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64];
    u32::from(match bits {
        2 => TWO[index % 4],
        3 => THREE[index % 8],
        _ => FOUR[index % 16],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_anchor_lies_in_its_subset() {
        for partition in 0..64 {
            assert_eq!(subset(2, partition, 0), 0);
            assert_eq!(subset(2, partition, u32::from(ANCHOR_OF_TWO[partition])), 1);
            assert_eq!(subset(3, partition, 0), 0);
            for (number, anchors) in ANCHORS_OF_THREE.iter().enumerate() {
                assert_eq!(subset(3, partition, u32::from(anchors[partition])), number + 1);
            }
        }
    }
}
