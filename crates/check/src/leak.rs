//! The leak checker (`--check=leak`): blocks of the guest's heap that no kernel gives back. A block outlives the launch that
//! takes it, so that what is known of blocks does too ([`HeapBlocks`]).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptxvm_machine::code::Source;
use ptxvm_machine::door::follower::{Decision, Found, OldBytes};
use ptxvm_machine::door::observer::{Access, HeapChange, Transferred};
use ptxvm_machine::explain::noted::{Noted, NotedIn};
use ptxvm_machine::{Follower, Kernel, Kind, Mistake, Mistakes, Thread};

/// A block that a thread has taken.
#[derive(Debug)]
struct Block<K> {
    /// Whose it is, as whoever asks knows it.
    owner: K,
    kernel: Arc<Kernel>,
    source: Source,
    thread: Thread,
    bytes: u64,
}

/// The blocks of a device's heap that nobody has given back, each with the owner of the kernel that took it.
#[derive(Debug)]
pub struct HeapBlocks<K>(Mutex<BTreeMap<u64, Block<K>>>);

impl<K> Default for HeapBlocks<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K> HeapBlocks<K> {
    fn blocks(&self) -> MutexGuard<'_, BTreeMap<u64, Block<K>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what is left: for each call that took blocks one mistake, with how many they are, up to a limit.
    #[must_use]
    pub fn left(&self, limit: u32) -> Vec<(K, Source, Mistake)> {
        let blocks = std::mem::take(&mut *self.blocks());
        let mut by_call: BTreeMap<(usize, Source), Vec<Block<K>>> = BTreeMap::new();
        for block in blocks.into_values() {
            by_call.entry((Arc::as_ptr(&block.kernel).addr(), block.source)).or_default().push(block);
        }
        by_call
            .into_iter()
            .take(limit as usize)
            .flat_map(|((_, source), blocks)| mistake(source, blocks))
            .collect()
    }
}

/// What is said of the blocks that a call took.
fn mistake<K>(source: Source, blocks: Vec<Block<K>>) -> Option<(K, Source, Mistake)> {
    let (count, bytes) = (blocks.len() as u64, blocks.iter().map(|block| block.bytes).sum::<u64>());
    let Block { owner, kernel, thread, .. } = blocks.into_iter().next()?;
    let mistakes = Mistakes::default();
    let to = NotedIn { program: kernel.program(), entry: kernel.entry(), mistakes: &mistakes, limit: 1 };
    to.note(Kind::Leak, source, Some(thread), || Noted {
        message: match count {
            1 => format!("a block of {bytes} bytes is taken from the heap here, and nobody gives it back"),
            _ => format!("{count} blocks of {bytes} bytes together are taken from the heap here, and nobody gives them back"),
        },
        notes: vec!["the heap keeps a block until a thread of some kernel calls `free` with its address".into()],
        related: Vec::new(),
    });
    mistakes.count(source, Kind::Leak, count - 1);
    mistakes.take().pop().map(|mistake| (owner, source, mistake))
}

/// The leak checker of one launch.
#[derive(Debug)]
pub struct LeakChecker<K> {
    owner: K,
    kernel: Arc<Kernel>,
    /// The threads of a CTA in each dimension.
    block: [u32; 3],
    blocks: Arc<HeapBlocks<K>>,
}

impl<K> LeakChecker<K> {
    /// That of a launch of a kernel whose blocks come to these.
    #[must_use]
    pub fn new(owner: K, kernel: &Arc<Kernel>, block: [u32; 3], blocks: &Arc<HeapBlocks<K>>) -> Self {
        Self { owner, kernel: Arc::clone(kernel), block, blocks: Arc::clone(blocks) }
    }
}

impl<K: Clone + Send + Sync + std::fmt::Debug> Follower for LeakChecker<K> {
    fn access(&self, _: &Access<'_>, _: &Found<'_>, _: &mut OldBytes) -> Decision {
        Decision::default()
    }

    fn issued(&self, _: &Transferred<'_>) {}

    fn heap(&self, change: &HeapChange) {
        let mut blocks = self.blocks.blocks();
        match change.taken {
            None => drop(blocks.remove(&change.address)),
            Some(bytes) => {
                let lane = change.who.lanes.trailing_zeros().min(31) as usize;
                let thread = crate::told::thread(&change.who, lane, self.block);
                let (owner, kernel) = (self.owner.clone(), Arc::clone(&self.kernel));
                blocks.insert(change.address, Block { owner, kernel, source: change.source, thread, bytes });
            }
        }
    }

    fn cluster_ended(&self, _: u64) {}
}
