//! What a launch can reach: what its parameters point to, the variables of its module, and whatever words in all of that point
//! to. A word counts as an address if something live is there; addresses that a kernel computes from something else, or puts
//! together from parts, are not found.

use std::collections::BTreeSet;

use ptxvm_memory::{Allocation, AllocationKind, GlobalMemory};
use ptxvm_vm::Variable;

use super::file::pieces;
use super::launch::Launch;

/// Contents of up to so many bytes stand in the launch line.
const SHORT: u64 = 32;

/// Memory that is written.
pub struct Memory {
    /// The name that the launch line has for it.
    pub name: String,
    /// Where it is.
    pub allocation: Allocation,
    /// The contents, if they are few.
    pub short: Option<Vec<u8>>,
    /// Whether all of it is zero.
    pub zero: bool,
}

impl Memory {
    /// The file that has its contents, if the launch line has not.
    pub fn file(&self) -> Option<String> {
        (self.short.is_none() && !self.zero).then(|| format!("{}.bin", self.name))
    }
}

/// All that a launch can reach.
pub struct Reach {
    /// The memory.
    pub all: Vec<Memory>,
    /// What a replay does not have.
    pub missing: Vec<String>,
}

/// The live allocations, and which of them have been found.
struct Search<'m> {
    memory: &'m GlobalMemory,
    live: Vec<Allocation>,
    found: Vec<Option<String>>,
    /// Those that have not been looked through.
    open: Vec<usize>,
    bytes: u64,
}

impl Search<'_> {
    fn at(&self, address: u64) -> Option<usize> {
        let index = self.live.partition_point(|allocation| allocation.start <= address).checked_sub(1)?;
        (address < self.live[index].end()).then_some(index)
    }

    /// Notes what is at an address.
    fn note(&mut self, address: u64, name: impl FnOnce() -> String) {
        if let Some(index) = self.at(address)
            && self.found[index].is_none()
        {
            self.found[index] = Some(name());
            self.open.push(index);
            self.bytes = self.bytes.saturating_add(self.live[index].size);
        }
    }

    /// Notes what the words of an allocation point to; whether all of it is zero.
    fn look_through(&mut self, index: usize, next: &mut u64) -> bool {
        let (memory, allocation) = (self.memory, self.live[index].clone());
        let (mut addresses, mut zero) = (BTreeSet::new(), true);
        let skip = (allocation.start.wrapping_neg() % 8) as usize;
        // What has been freed meanwhile is told when it is written.
        let _ = pieces(memory, &allocation, |_, piece| {
            zero &= piece.iter().all(|byte| *byte == 0);
            let words = piece.get(skip..).unwrap_or_default().as_chunks::<8>().0;
            addresses.extend(words.iter().map(|word| u64::from_le_bytes(*word)).filter(|word| *word != 0));
            Ok(())
        });
        for address in addresses {
            self.note(address, || {
                *next += 1;
                format!("m{next}")
            });
        }
        zero
    }
}

impl Reach {
    /// What a launch can reach; `None` if that is more than `most` bytes.
    pub fn of(launch: &Launch<'_>, most: u64) -> Option<Self> {
        let (kernel, memory) = (launch.kernel, launch.device.memory());
        let module = kernel.module();
        let mut missing = Vec::new();
        let lives_longer = |allocation: &Allocation| {
            !matches!(allocation.kind, AllocationKind::Param | AllocationKind::Workspace)
                && allocation.size > 0
        };
        let live: Vec<Allocation> = memory.allocations().into_iter().filter(lives_longer).collect();
        let mut search = Search { memory, found: vec![None; live.len()], live, open: Vec::new(), bytes: 0 };
        let mut names = BTreeSet::new();
        for Variable { name, address, size, .. } in module.variables().filter(|variable| variable.size > 0) {
            if names.insert(name) {
                search.note(address, || name.to_owned());
            } else {
                missing.push(format!(
                    "a second variable `{name}` of {size} bytes begins with what its text says"
                ));
            }
        }
        // Names of their own, which neither a parameter nor a variable has.
        let is_taken = |name: &str| {
            names.contains(name) || kernel.parameters().iter().any(|parameter| parameter.name == name)
        };
        let free = |name: String| {
            let mut name = name;
            while is_taken(&name) {
                name.insert(0, '_');
            }
            name
        };
        for (index, bytes) in launch.parameters.iter().enumerate() {
            // A structure may be packed, so that its words lie anywhere.
            for offset in (0..bytes.len()).step_by(4) {
                let Some(word) = bytes.get(offset..).and_then(|rest| rest.first_chunk()) else { break };
                search.note(u64::from_le_bytes(*word), || match offset {
                    0 => free(format!("p{index}")),
                    _ => free(format!("p{index}_{offset}")),
                });
            }
        }
        let mut all = Vec::new();
        let mut next = 0;
        while let Some(index) = search.open.pop() {
            if search.bytes > most {
                return None;
            }
            let zero = search.look_through(index, &mut next);
            let allocation = search.live[index].clone();
            if allocation.kind == AllocationKind::Array {
                missing.push(format!("{allocation}"));
                continue;
            }
            let short = (allocation.size <= SHORT).then(|| {
                let mut bytes = vec![0; allocation.size as usize];
                // What has been freed meanwhile reads as zero.
                let _ = memory.read(allocation.start, &mut bytes);
                bytes
            });
            let name = search.found[index].clone().unwrap_or_default();
            let name = if names.contains(name.as_str()) { name } else { free(name) };
            all.push(Memory { name, allocation, short, zero });
        }
        if kernel.has_images() || module.references().next().is_some() {
            missing.push("textures and surfaces".to_owned());
        }
        if launch.early {
            missing.push("the launch before it, which may still have been running".to_owned());
        }
        all.sort_by_key(|memory| memory.allocation.start);
        Some(Self { all, missing })
    }

    /// The bytes of all of it.
    pub fn bytes(&self) -> u64 {
        self.all.iter().map(|memory| memory.allocation.size).sum()
    }
}
