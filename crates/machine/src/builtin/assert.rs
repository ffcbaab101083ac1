//! `__assertfail`: an `assert` of the guest that did not hold.

use super::memory;
use super::site::Site;
use crate::context::Context;
use crate::explain::finding::Kind;
use crate::vector::lanes::Flow;

/// More of a name or an expression than this is not shown.
const MOST: usize = 4096;

pub fn fail(site: &Site<'_>, context: &mut Context<'_>) -> Result<(), Flow> {
    let expression = text(site, context, 0)?;
    let file = text(site, context, 1)?;
    let line = site.argument(context, 2) as u32;
    let function = text(site, context, 3)?;
    let [bx, by, bz] = context.cta.ctaid;
    let [tx, ty, tz] = [0, 1, 2].map(|dimension| context.warp.tid[dimension][site.lane]);
    // As CUDA prints it.
    let message = format!(
        "{file}:{line}: {function}: block: [{bx},{by},{bz}], thread: [{tx},{ty},{tz}] Assertion `{expression}` failed."
    );
    Err(context.fault(Kind::Assert, site.lane, message, Vec::new()))
}

fn text(site: &Site<'_>, context: &mut Context<'_>, index: usize) -> Result<String, Flow> {
    let address = site.argument(context, index);
    if address == 0 {
        return Ok("(null)".into());
    }
    let bytes = memory::string(context, site.lane, address, MOST)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
