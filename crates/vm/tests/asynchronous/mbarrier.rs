//! 65,536 steps of mbarrier objects that an H200 took: after each the state that it returned, its pending count and what
//! tests say, and in the end the objects' bits.

use ptxvm_vm::Asynchrony;

use crate::recorded::Group;

/// The answers to a step.
const STEP: usize = 16;

#[test]
fn every_step_is_that_of_an_h200() {
    let group = Group::read("mbarrier");
    let mut steps = 0;
    for case in &group.cases {
        // The kernel asks right after a `cp.async.mbarrier.arrive`, so arrivals happen at once.
        let after = group.run(case, Asynchrony::Eager, 0);
        let after = after.unwrap_or_else(|failure| panic!("{}: {failure:?}", case.name));
        assert_eq!(group.compare(case, &after), None, "{}", case.name);
        steps += case.outputs.iter().map(|output| output.length / STEP).sum::<usize>();
    }
    assert!(steps >= 65_536, "{steps} steps");
}
