//! Loads: all boxes that an H200 brought into shared memory, and all copies that it refused.
#![allow(unsafe_code)]

use std::ops::ControlFlow;

use ptxvm_machine::asynchronous::tensor::image::Image;
use ptxvm_machine::asynchronous::tensor::load::load;
use ptxvm_profile::Profile;
use ptxvm_tensor::{Direction, Walk, broken_by_place, broken_rule};

use crate::golden::{Description, data};
use crate::memory::Aligned;

/// The bytes of shared memory that the kernel had: the box and a barrier.
const SHARED: usize = 40_960;
const SHARED_AND_BARRIER: u64 = 40_968;
/// What shared memory was filled with before.
const POISON: u8 = 0xee;

#[test]
fn boxes_are_those_of_an_h200() {
    let description: Description = serde_json::from_slice(&data("tma.json.zst")).unwrap();
    let h200 = Profile::named("h200").unwrap();
    let images = data("tma.smem.zst");
    let mut tensor = Aligned::golden_tensor(32 << 20);
    let tensor_end = tensor.address() + tensor.bytes().len() as u64;
    let (mut copied, mut refused) = (0, 0);
    for (number, case) in description.cases.iter().enumerate().filter(|(_, case)| case.result == 0) {
        let map = case.map(tensor.address());
        let (access, coordinates) = (case.access(), case.coordinates());
        let walk = Walk::new(&map, access, &coordinates);
        let rule = broken_rule(h200, &map, access, case.rank, &coordinates, Direction::Load)
            .or_else(|| broken_by_place(walk.extent(), 0x400, 0x400, 0x400 + SHARED_AND_BARRIER));
        if case.fault.is_some() {
            assert!(rule.is_some(), "case {number} must be refused");
            refused += 1;
            continue;
        }
        assert_eq!(rule, None, "case {number}");
        assert!(walk.extent() <= SHARED as u64, "case {number}");
        if case.completed == Some(1) {
            assert_eq!(walk.bytes(), case.bytes, "case {number}");
        }
        if let Some(bounds) = walk.bounds() {
            assert!(bounds.start >= map.address && bounds.end <= tensor_end, "case {number}: {bounds:x?}");
        }
        let mut shared = Aligned::filled(SHARED, POISON);
        // SAFETY: the bounds of the walk and its extent have been compared with the memory that there is.
        unsafe { load(&walk, &map, Image::new(&map, shared.pointer(), 0x400)) };
        let length = case.length.unwrap();
        let expected = &images[case.offset..case.offset + length];
        let found = &shared.bytes()[..length];
        let wrong = expected.iter().zip(found).position(|(e, f)| e != f);
        assert_eq!(wrong, None, "case {number}: the first wrong byte");
        assert!(shared.bytes()[length..].iter().all(|byte| *byte == POISON), "case {number} writes too much");
        copied += 1;
    }
    assert_eq!((copied, refused), (485, 40));
}

/// The bounds that are computed are those of the rows one by one.
#[test]
fn bounds_are_those_of_the_rows() {
    let description: Description = serde_json::from_slice(&data("tma.json.zst")).unwrap();
    let mut seen = 0;
    for (number, case) in description.cases.iter().enumerate().filter(|(_, case)| !case.coords.is_empty()) {
        let map = case.map(1 << 40);
        let walk = Walk::new(&map, case.access(), &case.coordinates());
        let (mut low, mut high) = (u64::MAX, 0);
        let (mut rows, mut at) = (0, 0);
        let _ = walk.each(|row| {
            assert_eq!(row.at, at);
            at += walk.pitch;
            rows += 1;
            if let Some(address) = row.address {
                low = low.min(address);
                high = high.max(address + u64::from(walk.inside));
            }
            ControlFlow::<()>::Continue(())
        });
        assert_eq!(rows, walk.rows, "case {number}");
        assert_eq!(walk.bounds(), (low < high).then_some(low..high), "case {number}");
        seen += usize::from(low < high);
    }
    assert!(seen > 300);
}
