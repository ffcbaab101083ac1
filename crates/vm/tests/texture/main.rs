//! Textures and surfaces through the machine: handles, and every case that an H200 has answered
//! (`tests/golden/texture`, described in `tests/golden/README.md`), bit for bit.
//!
//! What differs is summed up by group. A case that is known to differ stands in `tests/golden/texture/inexact.json`, with
//! the reason and the largest error; the tests fail when it is no longer so, or when it becomes worse.

#[path = "../common/mod.rs"]
mod common;
mod compare;
mod golden;
mod handle;
mod image;
mod kernel;
mod sweep;

/// A test for each group of cases, so that one of them can be run alone.
macro_rules! groups {
    ($($test:ident = $group:literal,)*) => {
        $(
            #[test]
            fn $test() {
                compare::group($group);
            }
        )*

        #[test]
        fn every_group_has_a_test() {
            let known = [$($group),*];
            let golden = golden::Golden::get();
            let unknown: std::collections::BTreeSet<&str> =
                golden.cases().map(|case| case.group.as_str()).filter(|group| !known.contains(group)).collect();
            assert!(unknown.is_empty(), "groups without a test: {unknown:?}");
            let empty: Vec<&&str> =
                known.iter().filter(|group| golden.cases().all(|case| case.group != **group)).collect();
            assert!(empty.is_empty(), "tests without a case: {empty:?}");
        }
    };
}

groups! {
    point = "point",
    linear = "linear",
    grid = "grid",
    strain = "strain",
    special = "special",
    address = "address",
    border = "border",
    flags = "flags",
    large = "large",
    cube = "cube",
    integer_coordinates = "s32",
    level = "level",
    gradients = "grad",
    anisotropic = "aniso",
    anisotropic_point = "anisopoint",
    anisotropic_flat = "anisoflat",
    gather = "gather",
    offset = "offset",
    compare_depth = "compare",
    resident = "resident",
    result = "result",
    geometry = "geometry",
    view = "view",
    query = "query",
    surface_load = "suld",
    surface_store = "sust",
    surface_store_converted = "sust.p",
    surface_reduction = "sured",
    surface_geometry = "surface geometry",
    fault = "fault",
}

#[test]
fn the_list_of_inexact_cases_names_cases() {
    let golden = golden::Golden::get();
    let sweeps = sweep::names();
    let unknown: Vec<&str> = golden
        .inexact()
        .map(|inexact| inexact.case.as_str())
        .filter(|name| !golden.cases().any(|case| case.name == *name))
        .filter(|name| !sweeps.iter().any(|sweep| sweep == name))
        .collect();
    assert!(unknown.is_empty(), "no such cases: {unknown:?}");
}

/// Tests of sweeps by the first word of their names; `every_sweep_has_a_test` keeps the list whole.
macro_rules! sweeps {
    ($($test:ident = $kind:literal,)*) => {
        mod swept {
            $(
                #[test]
                fn $test() {
                    crate::sweep::sweeps($kind);
                }
            )*

            #[test]
            fn every_sweep_has_a_test() {
                crate::sweep::all_are_of(&[$($kind),*]);
            }
        }
    };
}

sweeps! {
    linear = "linear",
    address = "address",
    close = "close",
    level = "level",
    gradients = "grad",
    anisotropic = "aniso",
    gather = "gather",
    large = "large",
    blocks = "blocks",
    stores = "stores",
    steep = "steep",
}
