//! Stochastic rounding: how often it goes up, and which random bits go where.

use ptxvm_num::Rounding::Rz;
use ptxvm_num::convert::*;

const NONE: Modifiers = Modifiers { ftz: false, sat: false, relu: false, satfinite: false };

#[test]
fn a_number_goes_up_as_often_as_its_discarded_bits_say() {
    // In the normal range, and where the result is subnormal and more bits are dropped.
    for (format, bits, fraction) in [
        (BF16, 0x3f80_1234_u32, 0x1234),
        (BF16, 0x8000_1234, 0x1234),
        (F16, 0x3f80_1234, 0x1234 << 3 & 0xffff),
        (F16, 0xb800_0001, 0),
        (F16, 0x3340_0000, 0xc000),
    ] {
        let down = float_to_float(u64::from(bits), F32, format, Rz, NONE) as u32;
        let mut ups = 0;
        for random in 0..=0xffff {
            let pair = stochastic_pair(0, bits, random, format, false, false);
            assert!(pair == down || pair == down + 1);
            ups += pair - down;
        }
        assert_eq!(ups, fraction, "{bits:#x} {format:?}");
    }
    for (format, bits, fraction) in [
        (E4M3, 0x3f81_2345_u32, 0x1234),
        (E5M2, 0x3f92_3456, 0x91a2),
        (E3M2, 0x3f92_3456, 0x91a2),
        (E2M3, 0x3f81_2345, 0x1234),
        (E2M1, 0x3f92_3456, 0x48d1),
        (E2M1, 0x3e80_0000, 0x8000),
    ] {
        let down = stochastic_quad([0, 0, 0, bits], 0, format, false);
        let spread = |random: u32| {
            if format == E2M1 { (random & 0xff00) << 8 | random & 0xff } else { random }
        };
        let ups: u32 = (0..=0xffff)
            .map(|random| stochastic_quad([0, 0, 0, bits], spread(random), format, false) - down)
            .sum();
        assert_eq!(ups, fraction, "{bits:#x} {format:?}");
    }
}

/// The random bit that alone makes a number go up when its discarded bits are a half, for each place of four.
fn deciding_bits(format: Format, half: u32) -> [u32; 4] {
    [0, 1, 2, 3].map(|place| {
        let mut numbers = [0; 4];
        numbers[place] = half;
        let down = stochastic_quad(numbers, 0, format, false);
        let decides = |bit: &u32| stochastic_quad(numbers, 1 << bit, format, false) != down;
        let mut bits = (0..32).filter(decides);
        let first = bits.next().expect("one bit carries");
        assert_eq!(bits.next(), None, "no other does");
        first
    })
}

#[test]
fn which_random_bits_go_where() {
    // With exactly a half discarded only the highest of a number's random bits can carry.
    for (format, half) in [(E4M3, 0x3f88_0000), (E5M2, 0x3f90_0000), (E3M2, 0x3f90_0000), (E2M3, 0x3f88_0000)]
    {
        assert_eq!(deciding_bits(format, half), [16, 31, 0, 15], "{format:?}");
    }
    assert_eq!(deciding_bits(E2M1, 0x3fa0_0000), [8, 31, 0, 23]);
    let half = 0x3f80_8000;
    assert_eq!(stochastic_pair(half, half, 0x8000_7fff, BF16, false, false), 0x3f81_3f80);
    let half = 0x3f80_1000;
    assert_eq!(stochastic_pair(half, half, 0xefff_1000, F16, false, false), 0x3c00_3c01);
}

#[test]
fn ends_of_the_range() {
    let (large, random) = (0x477f_f000, 0xffff_ffff);
    assert_eq!(stochastic_pair(large, large, 0x0000_1fff, F16, false, false), 0x7bff_7c00);
    assert_eq!(stochastic_pair(large, large, random, F16, false, true), 0x7bff_7bff);
    assert_eq!(stochastic_pair(0xff80_0001, 0xbf80_0000, random, BF16, true, true), 0x7fff_0000);
    let numbers = [0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x43ef_ffff];
    assert_eq!(stochastic_quad(numbers, random, E4M3, false), 0x7efe_7f7e);
    assert_eq!(stochastic_quad(numbers, random, E2M1, false), 0x7f77);
    assert_eq!(stochastic_quad(numbers, random, E3M2, true), 0x1f00_1f1f);
}
