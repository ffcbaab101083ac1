//! The clusters of a grid that have not started. Workers take them to run them, and running clusters take them with
//! `clusterlaunchcontrol.try_cancel` to do their work themselves.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::launch::{Control, Launch};
use crate::schedule::dependency::GridStatus;

/// The clusters that are left: a number that workers fight for, on a cache line of its own so that they fight for
/// nothing else.
#[derive(Debug)]
#[repr(align(128))]
pub struct Claims {
    next: AtomicU64,
    clusters: u64,
    grid: [u32; 3],
    shape: [u32; 3],
    status: Option<Arc<GridStatus>>,
    control: Arc<Control>,
}

/// A worker takes about so many shares of what is left, and at most so many clusters at once.
const SHARES: u64 = 4;
const MOST_AT_ONCE: u64 = 256;

impl Claims {
    /// All clusters of a launch.
    #[must_use]
    pub fn new(launch: &Launch) -> Self {
        let shape = launch.cluster_shape();
        let clusters = launch.grid.iter().zip(shape).map(|(&n, c)| u64::from(n / c.max(1)));
        Self {
            next: AtomicU64::new(0),
            clusters: clusters.product(),
            grid: launch.grid,
            shape,
            status: launch.status.clone(),
            control: Arc::clone(&launch.control),
        }
    }

    /// How many there were in the beginning.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.clusters
    }

    /// Whether there are some left.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.clusters
    }

    /// Takes the next one.
    pub fn take(&self) -> Option<u64> {
        if !self.has_more() {
            return None;
        }
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        (index < self.clusters).then_some(index)
    }

    /// Takes the next ones for one of so many workers: several at once while there are many, so that workers seldom fight,
    /// but no more than `most`.
    pub fn take_some(&self, workers: u64, most: u64) -> Range<u64> {
        let left = self.clusters.saturating_sub(self.next.load(Ordering::Relaxed));
        if left == 0 {
            return 0..0;
        }
        let count = (left / (SHARES * workers.max(1))).min(most).clamp(1, MOST_AT_ONCE);
        let first = self.next.fetch_add(count, Ordering::Relaxed).min(self.clusters);
        first..(first + count).min(self.clusters)
    }

    /// Takes the next one so that it never begins, and gives the `%ctaid` of its first CTA.
    pub fn cancel(&self) -> Option<[u32; 3]> {
        let index = self.take()?;
        let ctas = self.shape.iter().map(|&n| u64::from(n)).product();
        self.control.ctas_done.fetch_add(ctas, Ordering::Relaxed);
        if let Some(status) = &self.status {
            status.release(ctas);
        }
        let clusterid = clusterid(index, self.grid, self.shape);
        Some(std::array::from_fn(|d| clusterid[d] * self.shape[d]))
    }
}

/// The place of a cluster among those of its grid.
#[must_use]
pub fn clusterid(index: u64, grid: [u32; 3], shape: [u32; 3]) -> [u32; 3] {
    // Most grids have clusters of one CTA in one dimension, and most of their kernels are short.
    let across = |d: usize| u64::from(if shape[d] == 1 { grid[d] } else { grid[d] / shape[d].max(1) }).max(1);
    let width = across(0);
    if index < width {
        return [index as u32, 0, 0];
    }
    let height = across(1);
    [index % width, index / width % height, index / width / height].map(|at| at as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_cluster_is_done_and_gone() {
        let status = Arc::new(GridStatus::default());
        let launch = Launch {
            grid: [4, 6, 1],
            cluster: Some([2, 3, 1]),
            status: Some(Arc::clone(&status)),
            ..Launch::default()
        };
        status.begin(24);
        let claims = Claims::new(&launch);
        assert_eq!(claims.all(), 4);
        assert_eq!(claims.take(), Some(0));
        assert_eq!(claims.cancel(), Some([2, 0, 0]));
        assert_eq!(claims.cancel(), Some([0, 3, 0]));
        assert_eq!(launch.control.ctas_done.load(Ordering::Relaxed), 12);
        assert_eq!(claims.cancel(), Some([2, 3, 0]));
        assert_eq!((claims.cancel(), claims.take()), (None, None));
        assert!(!status.dependents_may_launch());
        status.release(6);
        assert!(status.dependents_may_launch() && !status.has_ended());
    }
}
