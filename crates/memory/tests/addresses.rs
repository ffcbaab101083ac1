//! Where allocations lie: at a fixed place, as the driver lays them out, the same in every run.

use std::sync::Arc;

use ptxvm_memory::{AllocationKind, Budget, GlobalMemory};

const MIB: u64 = 1 << 20;

fn device(memory: &GlobalMemory, size: u64) -> u64 {
    memory.allocate(size, 1, AllocationKind::Device, None).expect("there is room")
}

/// What a program does that allocates, frees, and launches kernels which allocate too.
fn addresses(noise: bool) -> Vec<u64> {
    let memory = GlobalMemory::new(1 << 30);
    let mut held = Vec::new();
    let mut given = Vec::new();
    for round in 0..200u64 {
        if noise {
            let param = memory.allocate(64 + round, 256, AllocationKind::Param, None).expect("room");
            let block = memory.allocate(round * 100, 16, AllocationKind::Heap, None).expect("room");
            memory.free(param).expect("live");
            if round % 2 == 0 {
                memory.free(block).expect("live");
            }
        }
        let size = [100, 5000, 70_000, MIB, MIB + 1, 3 * MIB][round as usize % 6];
        let address = device(&memory, size);
        given.push(address);
        held.push(address);
        if round % 3 == 2 {
            memory.free(held.swap_remove(round as usize * 7 % held.len())).expect("live");
        }
    }
    // Another memory of the process lies elsewhere; only where this one begins differs.
    let first = given[0];
    given.iter().map(|address| address.wrapping_sub(first)).collect()
}

#[test]
fn the_same_calls_give_the_same_addresses_whatever_kernels_do() {
    let quiet = addresses(false);
    assert_eq!(quiet, addresses(false));
    assert_eq!(quiet, addresses(true));
}

/// The child process is this test again: its first allocation is where this process's first was.
#[test]
fn every_process_has_the_same_addresses() {
    const CHILD: &str = "PTXVM_TEST_PRINTS_ITS_ADDRESSES";
    if std::env::var_os(CHILD).is_some() {
        let memory = GlobalMemory::new(1 << 30);
        let all = [100, 2 * MIB, 100, 5 * MIB].map(|size| device(&memory, size));
        println!("addresses {all:x?}");
        return;
    }
    let run = || {
        let me = std::env::current_exe().expect("there is a test program");
        let mut command = std::process::Command::new(me);
        command.args(["every_process_has_the_same_addresses", "--exact", "--nocapture"]).env(CHILD, "1");
        let output = command.output().expect("it starts");
        let text = String::from_utf8(output.stdout).expect("text");
        text.lines().find(|line| line.contains("addresses [")).expect("it prints them").to_owned()
    };
    let first = run();
    assert!(first.contains("[200000000000, "), "the place that docs/memory.md names: {first}");
    assert_eq!(first, run());
}

#[test]
fn the_layout_is_the_drivers() {
    let memory = GlobalMemory::new(1 << 30);
    for size in [1, 512, 513, 4096, 65_536, MIB - 1, MIB, MIB + 1, 2 * MIB, 2 * MIB + 1, 7 * MIB] {
        let start = device(&memory, size);
        let align = if size > MIB { 2 * MIB } else { 512 };
        assert_eq!(start % align, 0, "{size} bytes at {start:#x}");
        if size <= MIB {
            assert_eq!(start / (2 * MIB), (start + size - 1) / (2 * MIB), "inside a page of 2 MiB");
        }
    }
    let small = [1, 600, 1].map(|size| device(&memory, size));
    assert!(small.is_sorted() && small[2] - small[0] < 4096, "side by side: {small:x?}");
}

/// Freed addresses wait, small and large ones, and then come back lowest first.
#[test]
fn freed_addresses_wait_before_they_are_used_again() {
    let memory = GlobalMemory::new(1 << 40);
    for size in [1000, 8 * MIB] {
        let first = device(&memory, size);
        memory.free(first).expect("live");
        let mut others: Vec<u64> = (0..50).map(|_| device(&memory, size)).collect();
        assert!(!others.contains(&first), "{size}");
        others.drain(..).for_each(|other| memory.free(other).expect("live"));
    }
    let impatient = GlobalMemory::with_quarantine(1 << 40, 0, Arc::default());
    for size in [1000, 8 * MIB] {
        let [first, second] = [0; 2].map(|_| device(&impatient, size));
        impatient.free(second).expect("live");
        impatient.free(first).expect("live");
        assert_eq!([0; 2].map(|_| device(&impatient, size)), [first, second]);
    }
}

/// More addresses are asked for than there are: those that wait are used again before anything is refused.
#[test]
fn addresses_do_not_run_out_while_memory_is_free() {
    let memory = GlobalMemory::new(1 << 40);
    for round in 0..40 {
        let start = memory.allocate(300 << 30, 1, AllocationKind::Device, None);
        memory.free(start.unwrap_or_else(|error| panic!("round {round}: {error}"))).expect("live");
    }
    assert!(
        memory.allocate(2 << 40, 1, AllocationKind::Managed, None).is_err_and(|error| error.refused_by_host)
    );
}

#[test]
fn a_budget_bounds_everything_that_is_given() {
    let budget = Arc::new(Budget::new(64 * MIB));
    let memory = GlobalMemory::with_budget(1 << 40, Arc::clone(&budget));
    for kind in [AllocationKind::Device, AllocationKind::Managed, AllocationKind::Pinned] {
        let held = memory.allocate(40 * MIB, 1, kind, None).expect("room");
        let refused = memory.allocate(30 * MIB, 1, kind, None).expect_err("over the budget");
        assert!(refused.refused_by_host, "{refused}");
        memory.charge(30 * MIB).expect_err("over the budget");
        memory.free(held).expect("live");
        assert_eq!(budget.used(), 0, "{kind:?}");
    }
    // Many small ones, freed and allocated again: what waits in quarantine makes room.
    for round in 0..20 {
        let all: Vec<u64> = (0..50).map(|_| device(&memory, MIB)).collect();
        assert!(budget.used() <= budget.limit(), "round {round}");
        all.into_iter().for_each(|one| memory.free(one).expect("live"));
    }
    device(&memory, 5 * MIB);
    drop(memory);
    assert_eq!(budget.used(), 0, "what still lived goes with the memory");
    assert!(budget.peak() <= budget.limit());
}

/// Blocks of no bytes are blocks: a kernel that asks for them for ever gets so many and no more.
#[test]
fn mallocs_of_nothing_end() {
    let memory = GlobalMemory::new(1 << 30);
    let count =
        (0..1 << 20).take_while(|_| memory.allocate(0, 16, AllocationKind::Heap, None).is_ok()).count();
    assert_eq!(count, (8 << 20) / 80);
}
