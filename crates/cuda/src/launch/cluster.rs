//! The clusters of a launch: their size, and whether the grid is a whole number of them.

use crate::abi::{Answer, CUresult};
use crate::module::Function;

/// `CU_FUNC_ATTRIBUTE_*`
const CLUSTER_SIZE_MUST_BE_SET: i32 = 10;
const REQUIRED_CLUSTER: [i32; 3] = [11, 12, 13];
const NON_PORTABLE_CLUSTER_SIZE_ALLOWED: i32 = 14;

/// The size of the clusters that a launch has; `None` if it has none. The kernel's directive and what the program has
/// set on the function stand for what the launch does not say, and must agree with what it says.
///
/// # Errors
/// The two disagree, a size is missing, the grid is no whole number of clusters, or a cluster has too many CTAs.
pub fn of(function: &Function, grid: [u32; 3], wished: Option<[u32; 3]>) -> Answer<Option<[u32; 3]>> {
    let size = match (wished, required(function)?) {
        (Some(wished), Some(required)) if !agree(wished, required) => {
            return Err(CUresult::INVALID_CLUSTER_SIZE);
        }
        (None, None) if function.attribute(CLUSTER_SIZE_MUST_BE_SET)? != 0 => {
            return Err(CUresult::INVALID_CLUSTER_SIZE);
        }
        (None, None) => return Ok(None),
        (wished, required) => wished.or(required).unwrap_or([1; 3]),
    };
    // Where blocks are clusters the grid counts clusters, and every number of them is whole.
    let whole = divides(grid, size) || function.kernel.limits().blocksareclusters && !size.contains(&0);
    let rank = function.kernel.limits().maxclusterrank.unwrap_or(u32::MAX);
    if whole && volume(size) <= most(function)?.min(rank) {
        Ok(Some(size))
    } else {
        Err(CUresult::INVALID_CLUSTER_SIZE)
    }
}

/// Checks the larger clusters that a launch would rather have: they are made of those that it must have.
///
/// # Errors
/// They are not, or the grid is no whole number of them.
pub fn check_preferred(size: Option<[u32; 3]>, grid: [u32; 3], preferred: [u32; 3]) -> Answer {
    let possible = divides(grid, preferred) && size.is_some_and(|size| divides(preferred, size));
    if possible { Ok(()) } else { Err(CUresult::INVALID_CLUSTER_SIZE) }
}

/// Whether a launch's size is the one that the function wants, as far as that says one.
fn agree(wished: [u32; 3], required: [u32; 3]) -> bool {
    wished.iter().zip(required).all(|(&wished, required)| required == 0 || wished == required)
}

/// The size that every launch of a function has, by its directive or by what the program has set on it.
fn required(function: &Function) -> Answer<Option<[u32; 3]>> {
    if let Some(size) = function.kernel.cluster() {
        return Ok(Some(size));
    }
    let mut size = [0; 3];
    for (count, attribute) in size.iter_mut().zip(REQUIRED_CLUSTER) {
        *count = u32::try_from(function.attribute(attribute)?).unwrap_or(0);
    }
    Ok((size != [0; 3]).then_some(size))
}

/// The most CTAs that a cluster of a function may have on this device. The driver leaves `.maxclusterrank` out of it.
///
/// # Errors
/// Functions have all these attributes, so that there are none.
pub fn most(function: &Function) -> Answer<u32> {
    let allowed = function.attribute(NON_PORTABLE_CLUSTER_SIZE_ALLOWED)? != 0;
    let (portable, largest) = function.kernel.module().device().profile().cluster_sizes();
    Ok(if allowed { largest } else { portable })
}

/// The CTAs of a cluster. Numbers that do not fit are far above every limit.
pub fn volume(size: [u32; 3]) -> u32 {
    size.iter().fold(1, |product: u32, &n| product.saturating_mul(n))
}

/// Whether there are parts of this size that make up the whole.
fn divides(whole: [u32; 3], part: [u32; 3]) -> bool {
    (0..3).all(|axis| part[axis] != 0 && whole[axis].is_multiple_of(part[axis]))
}
