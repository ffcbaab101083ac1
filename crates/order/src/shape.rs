//! The shape of a launch: where the threads of a CTA run, and what they are called.

use ptxvm_machine::Thread;
use ptxvm_model::event::Place;

/// How a launch is divided into clusters, CTAs and threads.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// CTAs in each dimension.
    pub grid: [u32; 3],
    /// CTAs of a cluster in each dimension.
    pub cluster: [u32; 3],
    /// Threads of a CTA in each dimension.
    pub block: [u32; 3],
}

fn unfold(number: u64, size: [u32; 3]) -> [u32; 3] {
    let [x, y] = [u64::from(size[0].max(1)), u64::from(size[1].max(1))];
    [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
}

impl Shape {
    /// The number of a CTA in the grid.
    pub fn cta(&self, ctaid: [u32; 3]) -> u64 {
        let [x, y, z] = ctaid.map(u64::from);
        x + u64::from(self.grid[0]) * (y + u64::from(self.grid[1]) * z)
    }

    /// Where the threads of a CTA run.
    pub fn place(&self, cta: u64) -> Place {
        let ctaid = unfold(cta, self.grid);
        let cluster = std::array::from_fn(|d| ctaid[d] / self.cluster[d].max(1));
        let clusters = std::array::from_fn(|d| self.grid[d] / self.cluster[d].max(1));
        let number = Shape { grid: clusters, ..*self }.cta(cluster);
        Place { cta: cta as u32, cluster: number as u32, gpu: 0 }
    }

    /// What a thread is called.
    pub fn thread(&self, cta: u64, warp: u32, lane: u32) -> Thread {
        let tid = unfold(u64::from(warp) * 32 + u64::from(lane), self.block);
        Thread { ctaid: unfold(cta, self.grid), tid, warp, lane }
    }

    /// Whether a CTA is one of a cluster, as the machine numbers clusters.
    pub fn is_of_cluster(&self, cta: u64, cluster: u64) -> bool {
        match self.has_clusters() {
            true => u64::from(self.place(cta).cluster) == cluster & u64::from(u32::MAX),
            false => cta == cluster,
        }
    }

    /// Whether clusters have several CTAs, which reach each other's shared memory.
    pub fn has_clusters(&self) -> bool {
        self.cluster.iter().product::<u32>() > 1
    }
}
