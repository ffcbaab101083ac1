//! Code for link-time optimisation in images: taken where it is wanted, left where PTX is.

use ptxvm_image::{Contents, Kind, Refusal, Room, Wanted, read};
use ptxvm_isa::Target;
use ptxvm_vm::Budget;

const PTX: u16 = 1;
const INTERMEDIATE: u16 = 8;
const TEXT: &[u8] = b".version 8.0\n.target sm_80\n";
const CODE: &[u8] = b"\xedCN\x7f and so on";

/// A fatbin with entries of a kind for an architecture.
fn fatbin(entries: &[(u16, u32, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (kind, architecture, payload) in entries {
        let mut header = [0u8; 64];
        header[..2].copy_from_slice(&kind.to_le_bytes());
        header[4..8].copy_from_slice(&64u32.to_le_bytes());
        header[8..16].copy_from_slice(&(payload.len() as u64).to_le_bytes());
        header[28..32].copy_from_slice(&architecture.to_le_bytes());
        body.extend(header);
        body.extend(*payload);
    }
    let mut fatbin = 0xba55_ed50u32.to_le_bytes().to_vec();
    fatbin.extend(1u16.to_le_bytes());
    fatbin.extend(16u16.to_le_bytes());
    fatbin.extend((body.len() as u64).to_le_bytes());
    fatbin.extend(body);
    fatbin
}

fn read_for(target: &str, image: &[u8], intermediate: bool) -> Result<Contents, Refusal> {
    let room = Room::of(&Budget::new(1 << 30));
    let target = Target::parse(target).expect("a target");
    read("x", image, &Wanted { target, intermediate, any_target: false, room: &room })
}

#[test]
fn the_code_itself_is_taken_only_where_it_is_wanted() {
    let contents = read_for("sm_90", CODE, true).expect("it is wanted");
    assert!(contents.texts.is_empty());
    assert_eq!((contents.intermediate[0].kind, &*contents.intermediate[0].code), (Kind::Intermediate, CODE));
    assert!(matches!(read_for("sm_90", CODE, false), Err(Refusal::Intermediate)));
}

#[test]
fn of_a_fatbin_the_code_comes_before_the_text_if_it_is_wanted() {
    let both = fatbin(&[(PTX, 80, TEXT), (INTERMEDIATE, 80, CODE)]);
    let contents = read_for("sm_90", &both, false).expect("it has PTX");
    assert_eq!((contents.texts.len(), contents.intermediate.len()), (1, 0));
    let contents = read_for("sm_90", &both, true).expect("it has LTO-IR");
    assert_eq!((contents.texts.len(), contents.intermediate.len()), (0, 1));
    // NVIDIA's tools hide such code in fatbins, so that the fatbin is handed on as it is.
    assert_eq!((contents.intermediate[0].kind, &contents.intermediate[0].code), (Kind::Fatbin, &both));
}

#[test]
fn code_for_a_newer_device_is_not_taken() {
    let newer = fatbin(&[(PTX, 80, TEXT), (INTERMEDIATE, 100, CODE)]);
    let contents = read_for("sm_90", &newer, true).expect("it has PTX");
    assert_eq!((contents.texts.len(), contents.intermediate.len()), (1, 0));
    let only = fatbin(&[(INTERMEDIATE, 100, CODE)]);
    assert!(matches!(read_for("sm_90", &only, true), Err(Refusal::OtherDevice(..))));
    assert!(matches!(read_for("sm_90", &only, false), Err(Refusal::Intermediate)));
}
