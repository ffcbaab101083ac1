//! Proves that nothing bypasses the door: compares a cluster's shared and tensor memory before and after a step with what
//! the observer was told.
//!
//! An observer asks for it with [`Observer::wants_proof`](super::observer::Observer::wants_proof). Other clusters change
//! global memory too, so the host compares that when the launch has ended.

use ptxvm_memory::tensor::{COLUMNS, LANES};

use crate::door::peer::Peer;
use crate::door::touch::{Space, Touch, Wants};
use crate::schedule::cluster::shared::OFFSET_BITS;
use crate::schedule::cluster::state::ClusterState;

/// What a cluster's memory held.
pub(crate) struct Proof {
    /// Of each CTA, by rank.
    shared: Vec<Vec<u8>>,
    tensor: Vec<Vec<u8>>,
}

impl Proof {
    /// Before something is done, to tensor memory too if it can be.
    pub(crate) fn begin(cluster: &ClusterState, tensor: bool) -> Self {
        Self { shared: shared(cluster), tensor: if tensor { self::tensor(cluster) } else { Vec::new() } }
    }

    /// The first byte that is another now although none of these touches writes it.
    pub(crate) fn slipped(&self, cluster: &ClusterState, named: &[Touch]) -> Option<(Space, u64)> {
        let in_shared = first_unnamed(&self.shared, &shared(cluster), |rank, at| {
            let address = (rank as u64) << OFFSET_BITS | at as u64;
            (!is_written(named, Space::Shared, address)).then_some((Space::Shared, address))
        });
        if in_shared.is_some() || self.tensor.is_empty() {
            return in_shared;
        }
        first_unnamed(&self.tensor, &tensor(cluster), |rank, at| {
            let row = COLUMNS as usize * 4;
            let (lane, within) = ((at / row) as u64, (at % row) as u64);
            let of_lane = (rank as u64) << 32 | lane << 16;
            let named = named.iter().filter(|touch| touch.space == Space::Tensor && writes(touch.wants));
            let mut named = named.filter(|touch| touch.address & !0xffff == of_lane);
            let holds = |touch: &Touch| {
                let begin = (touch.address & 0xffff) * 4;
                (begin..begin + touch.bytes).contains(&within)
            };
            (!named.any(holds)).then_some((Space::Tensor, of_lane | (within / 4)))
        })
    }
}

/// The first of the places that differ for which `unnamed` gives something: the CTA's rank and the byte's number.
fn first_unnamed<T>(
    before: &[Vec<u8>],
    after: &[Vec<u8>],
    unnamed: impl Fn(usize, usize) -> Option<T>,
) -> Option<T> {
    before.iter().zip(after).enumerate().filter(|(_, (before, after))| before != after).find_map(
        |(rank, (before, after))| {
            let bytes = before.iter().zip(after).enumerate();
            bytes.filter(|(_, (before, after))| before != after).find_map(|(at, _)| unnamed(rank, at))
        },
    )
}

fn shared(cluster: &ClusterState) -> Vec<Vec<u8>> {
    let bytes = |peer: &Peer| {
        let mut bytes = vec![0; peer.bytes as usize];
        if let Some(all) = peer.range(0, peer.bytes, Wants::Nothing) {
            all.range().read(&mut bytes);
        }
        bytes
    };
    cluster.shared.iter().map(bytes).collect()
}

fn tensor(cluster: &ClusterState) -> Vec<Vec<u8>> {
    let memories = cluster.tensor_memory.of_ctas.iter();
    let bytes = memories.map(|memory| {
        let cells = (0..LANES).flat_map(|lane| memory.row(lane, 0, COLUMNS));
        cells.flat_map(|cell| cell.to_le_bytes()).collect()
    });
    bytes.collect()
}

const fn writes(wants: Wants) -> bool {
    matches!(wants, Wants::Write | Wants::Update | Wants::Mbarrier)
}

fn is_written(named: &[Touch], space: Space, address: u64) -> bool {
    let mut named = named.iter().filter(|touch| touch.space == space && writes(touch.wants));
    named.any(|touch| address >= touch.address && address - touch.address < touch.bytes)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ptxvm_memory::{Budget, SharedMemory, TensorMemory};

    use super::*;
    use crate::door::tensor_memory::cells;
    use crate::door::touch::{Proxy, When};

    fn touch(address: u64, wants: Wants) -> Touch {
        let (when, proxy) = (When::Deliver, Proxy::Generic);
        Touch { space: Space::Shared, address, bytes: 4, wants, when, proxy }
    }

    #[test]
    fn a_byte_that_changes_must_have_been_named() {
        let budget = Arc::new(Budget::new(1 << 20));
        let memories = [0, 1].map(|_| SharedMemory::new(256, &budget).expect("there is memory"));
        let mut cluster = ClusterState::default();
        cluster.shared.extend(memories.iter().zip(0..).map(|(memory, rank)| Peer::new(rank, memory)));
        let proof = Proof::begin(&cluster, true);
        assert_eq!(proof.slipped(&cluster, &[]), None);
        memories[1].write(18, &[7]).expect("it is there");
        let place = 1 << OFFSET_BITS | 18;
        assert_eq!(proof.slipped(&cluster, &[]), Some((Space::Shared, place)));
        assert_eq!(proof.slipped(&cluster, &[touch(place - 2, Wants::Read)]), Some((Space::Shared, place)));
        assert_eq!(proof.slipped(&cluster, &[touch(18, Wants::Write)]), Some((Space::Shared, place)));
        assert_eq!(proof.slipped(&cluster, &[touch(place + 1, Wants::Write)]), Some((Space::Shared, place)));
        assert_eq!(proof.slipped(&cluster, &[touch(place - 2, Wants::Update)]), None);
    }

    #[test]
    #[cfg_attr(miri, ignore = "it compares 65,536 cells five times, which takes Miri an hour")]
    fn so_must_a_cell() {
        let mut cluster = ClusterState::default();
        let mut memory = TensorMemory::default();
        memory.allocate(0, 32);
        cluster.tensor_memory.of_ctas.push(memory);
        let proof = Proof::begin(&cluster, true);
        cluster.tensor_memory.of_ctas[0].set(5, 9, 1);
        let changed = Some((Space::Tensor, 5 << 16 | 9));
        assert_eq!(proof.slipped(&cluster, &[]), changed);
        assert_eq!(proof.slipped(&cluster, &[cells(0, (5, 10), 4, Wants::Write)]), changed);
        assert_eq!(proof.slipped(&cluster, &[cells(0, (4, 8), 4, Wants::Write)]), changed);
        assert_eq!(proof.slipped(&cluster, &[cells(0, (5, 8), 4, Wants::Write)]), None);
    }
}
