//! A budget is never exceeded, and what was taken comes back.

use std::sync::Arc;

use ptxvm_memory::{Budget, OverBudget};

#[test]
fn charges_come_and_go() {
    let budget = Arc::new(Budget::new(100));
    let mut first = budget.charge(60).expect("there is room");
    assert_eq!(budget.charge(41).err(), Some(OverBudget { requested: 41, used: 60, limit: 100 }));
    first.grow(40).expect("there is room");
    assert!(first.grow(1).is_err());
    assert_eq!((first.bytes(), budget.used(), budget.left()), (100, 100, 0));
    drop(first);
    assert_eq!((budget.used(), budget.peak(), budget.left()), (0, 100, 100));
    assert!(budget.charge(u64::MAX).is_err());
}

#[test]
fn no_limit_still_counts() {
    let budget = Arc::new(Budget::default());
    let held = budget.charge(u64::MAX - 1).expect("no limit");
    assert!(budget.charge(2).is_err(), "and nothing wraps");
    drop(held);
    assert_eq!(budget.used(), 0);
}

#[test]
fn threads_never_take_more_than_there_is() {
    let budget = Arc::new(Budget::new(1000));
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let budget = &budget;
            scope.spawn(move || {
                for round in 0..5_000 {
                    if let Ok(charge) = budget.charge(1 + (round * 7 + thread * 13) % 600) {
                        assert!(budget.used() <= 1000);
                        drop(charge);
                    }
                }
            });
        }
    });
    assert_eq!(budget.used(), 0);
    assert!(budget.peak() <= 1000);
}
