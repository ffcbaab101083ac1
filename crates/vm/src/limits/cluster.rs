//! Checks the clusters of a launch (manual 11.7, 11.8.1) against the kernel's directives and the device.

use ptxvm_ir::Limits;

use super::{AXES, Demands, GRID, by};
use crate::launch::LaunchOptions;

/// The CTAs of a cluster in each dimension; `None` if neither the launch nor the kernel speaks of clusters. As the
/// driver has it, no extent in any dimension says nothing.
pub(crate) fn cluster_of(launch: &LaunchOptions, limits: &Limits) -> Option<[u32; 3]> {
    launch.cluster.map(|cluster| cluster.0).filter(|cluster| *cluster != [0; 3]).or(limits.reqnctapercluster)
}

/// The CTAs of the grid in each dimension. The launch of a kernel that is `.blocksareclusters` counts clusters.
pub(crate) fn grid_of(launch: &LaunchOptions, limits: &Limits) -> [u32; 3] {
    match limits.reqnctapercluster.filter(|_| limits.blocksareclusters) {
        Some(cluster) => std::array::from_fn(|axis| launch.grid.0[axis].saturating_mul(cluster[axis])),
        None => launch.grid.0,
    }
}

/// What is wrong with the clusters of a launch.
pub(super) fn complaint(launch: &LaunchOptions, demands: &Demands<'_>) -> Option<String> {
    let (limits, profile) = (demands.limits, demands.profile);
    let Some(cluster) = cluster_of(launch, limits) else {
        return limits
            .explicitcluster
            .then(|| "the kernel is .explicitcluster, but the launch gives no cluster size".into());
    };
    if let Some(wanted) = limits.reqnctapercluster.filter(|&wanted| wanted != cluster) {
        return Some(format!(
            "the kernel's .reqnctapercluster asks for clusters of {}, not of {}",
            by(wanted),
            by(cluster)
        ));
    }
    if let Some(axis) = cluster.iter().position(|&n| n == 0) {
        return Some(format!("the cluster has no extent in {}", AXES[axis]));
    }
    let ctas: u128 = cluster.iter().map(|&n| u128::from(n)).product();
    if let Some(most) = limits.maxclusterrank.filter(|&most| ctas > u128::from(most)) {
        return Some(format!("a cluster has {ctas} CTAs, the kernel's .maxclusterrank allows {most}"));
    }
    let (portable, most) = profile.cluster_sizes();
    if ctas > u128::from(most) {
        let name = profile.name;
        return Some(match most {
            1 => format!("a cluster has {ctas} CTAs, {name} has no clusters"),
            _ => format!("a cluster has {ctas} CTAs, {name} takes {most} at most"),
        });
    }
    if ctas > u128::from(portable) && !launch.nonportable_cluster {
        return Some(format!(
            "a cluster has {ctas} CTAs, {portable} are allowed unless the kernel may have clusters that are not portable"
        ));
    }
    let grid = grid_of(launch, limits);
    if let Some(axis) = (0..3).find(|&axis| grid[axis] > GRID[axis]) {
        return Some(format!("the grid has {} in {}, {} are allowed", grid[axis], AXES[axis], GRID[axis]));
    }
    let whole = grid.iter().zip(cluster).all(|(n, c)| n.is_multiple_of(c));
    (!whole).then(|| format!("the grid is not a whole number of clusters of {}", by(cluster)))
}
