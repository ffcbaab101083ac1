//! Bulk copies and reductions, `st.async`, `red.async`, `cp.async`, distributed shared memory, and their misuse: what the
//! H200 refused must be a finding, and so must some of what it does although the manual leaves it undefined.

use ptxvm_vm::Failure;

use crate::recorded::{Group, WAYS};

/// There were cases, and the H200 did all of them.
fn assert_done((done, refused): (usize, usize)) {
    assert!(done > 0 && refused == 0, "{done} done, {refused} refused");
}

#[test]
fn copies() {
    assert_done(
        Group::read("bulk")
            .check(|name| ["global to", "shared to", "multicast"].iter().any(|head| name.starts_with(head))),
    );
}

#[test]
fn reductions() {
    assert_done(Group::read("bulk").check(|name| name.starts_with("reduce")));
}

#[test]
fn small_stores_and_reductions() {
    assert_done(
        Group::read("bulk").check(|name| name.starts_with("st.async") || name.starts_with("red.async")),
    );
}

#[test]
fn ordinary_asynchronous_copies() {
    assert_done(Group::read("bulk").check(|name| name.starts_with("cp.async")));
}

#[test]
fn stages() {
    assert_done(Group::read("bulk").check(|name| name.starts_with("sixteen chunks")));
}

#[test]
fn distributed_shared_memory() {
    // On another CTA's shared memory an H200 adds two packed halves as one integer of 32 bits; we add the halves.
    let packed = |name: &str| name.ends_with(".add.noftz.f16x2") || name.ends_with(".add.noftz.bf16x2");
    assert_done(Group::read("dsmem").check(|name| !packed(name)));
}

/// What an H200 does although the manual leaves it undefined, and we refuse: the rule that the finding names.
const UNDEFINED: &[(&str, &str)] = &[
    ("size 8", "multiple of 16"),
    ("size 24", "multiple of 16"),
    ("size 20", "multiple of 16"),
    ("size 1", "multiple of 16"),
    ("size 17 expecting 16", "multiple of 16"),
    ("size 2^20 and more", "out of bounds"),
    ("mbarrier elsewhere", "same CTA"),
    ("mbarrier at home", "same CTA"),
];

#[test]
fn misuse() {
    let group = Group::read("faults");
    let mut wrong = Vec::new();
    let bulk = |name: &str| {
        ["global to", "shared to", "bulk multicast", "reduce global", "st.async"]
            .iter()
            .any(|head| name.starts_with(head))
    };
    for case in group.cases.iter().filter(|case| bulk(&case.name)) {
        // Bytes that come and are not expected, or the other way round, never end the phase.
        if case.name.contains("expects") {
            continue;
        }
        let rule = UNDEFINED.iter().find(|(name, _)| case.name.ends_with(name)).map(|(_, rule)| *rule);
        for (asynchrony, seed) in WAYS {
            let ran = group.run(case, asynchrony, seed);
            let complaint = match (ran, case.fault, rule) {
                (Err(Failure::Finding(_)), Some(_), _) => None,
                (Err(Failure::Finding(finding)), None, Some(rule)) => {
                    let said = format!("{} {}", finding.message, finding.notes.join(" "));
                    (!said.contains(rule)).then(|| format!("`{said}` does not say `{rule}`"))
                }
                (Ok(after), None, None) => group.compare(case, &after),
                (ran, fault, rule) => Some(format!("{:?}, fault {fault:?}, rule {rule:?}", ran.err())),
            };
            if let Some(complaint) = complaint {
                wrong.push(format!("{} ({}, seed {seed}): {complaint}", case.name, asynchrony.name()));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{} complaints:\n{}", wrong.len(), wrong.join("\n"));
}
