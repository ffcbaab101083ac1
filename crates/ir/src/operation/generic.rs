//! Generic addresses and those of a space, and which CTA of a cluster an address belongs to: `isspacep`, `cvta`, `mapa`
//! and `getctarank` (the manual's 9.7.9.19, .20, .23, .24).

use super::form::Form;

/// A question about an address, or a change of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generic {
    /// `isspacep`
    IsSpace(Window),
    /// `cvta`: from a space to the generic one.
    From(Window),
    /// `cvta.to`
    To(Window),
    /// `mapa`
    Mapa,
    /// `getctarank`
    CtaRank,
}

/// A space that has a window in the generic one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// `.global`
    Global,
    /// `.const`
    Const,
    /// `.param`, `.param::entry`
    Param,
    /// `.shared`, `.shared::cta`
    Shared,
    /// `.shared::cluster`
    SharedCluster,
    /// `.local`
    Local,
}

pub(super) fn decode(form: &Form<'_>) -> Option<Generic> {
    let window = || {
        Some(match form.slot("space")? {
            "global" => Window::Global,
            "const" => Window::Const,
            "param" | "param::entry" => Window::Param,
            "shared" | "shared::cta" => Window::Shared,
            "shared::cluster" => Window::SharedCluster,
            "local" => Window::Local,
            _ => return None,
        })
    };
    match form.name() {
        "isspacep" => window().map(Generic::IsSpace),
        "cvta" => window().map(Generic::From),
        "cvta.to" => window().map(Generic::To),
        "mapa" => Some(Generic::Mapa),
        "getctarank" => Some(Generic::CtaRank),
        _ => None,
    }
}
