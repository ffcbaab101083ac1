//! The attributes of a stream, which we store and return. Everything runs in order and at full priority here, so none of
//! them changes what a program computes.

use std::collections::BTreeMap;
use std::sync::{MutexGuard, PoisonError};

use super::{CUstream, Stream, resolve};
use crate::abi::{Answer, CUresult, In, Out};
use crate::entry::entry;

/// The priorities that streams can have: the first is the least.
pub const PRIORITIES: (i32, i32) = (0, -5);

/// A value of an attribute: a union of 64 bytes.
pub type CUstreamAttrValue = [u64; 8];

/// `CU_LAUNCH_ATTRIBUTE_*`: those that streams have.
const ACCESS_POLICY_WINDOW: u32 = 1;
const SYNCHRONIZATION_POLICY: u32 = 3;
const PRIORITY: u32 = 8;
const MEM_SYNC_DOMAIN_MAP: u32 = 9;
const MEM_SYNC_DOMAIN: u32 = 10;
const NVLINK_UTIL_CENTRIC_SCHEDULING: u32 = 16;

/// The synchronisation policies: automatic, spinning, yielding, blocking.
const POLICIES: std::ops::RangeInclusive<u32> = 1..=4;
/// The memory synchronisation domains of a device.
const DOMAINS: u32 = 4;

/// What has been set on a stream.
#[derive(Debug, Default)]
pub struct StreamAttributes {
    priority: i32,
    others: BTreeMap<u32, CUstreamAttrValue>,
}

impl StreamAttributes {
    /// Those of a new stream.
    pub fn new(priority: i32) -> Self {
        Self { priority: clamped(priority), others: BTreeMap::new() }
    }

    fn get(&self, id: u32) -> Answer<CUstreamAttrValue> {
        let start = match id {
            PRIORITY => [u64::from(self.priority as u32), 0, 0, 0, 0, 0, 0, 0],
            // The first policy, and the first domain for what is local and the second for what is remote.
            SYNCHRONIZATION_POLICY => [1, 0, 0, 0, 0, 0, 0, 0],
            MEM_SYNC_DOMAIN_MAP => [1 << 8, 0, 0, 0, 0, 0, 0, 0],
            ACCESS_POLICY_WINDOW | MEM_SYNC_DOMAIN | NVLINK_UTIL_CENTRIC_SCHEDULING => [0; 8],
            _ => return Err(CUresult::INVALID_VALUE),
        };
        Ok(self.others.get(&id).copied().unwrap_or(start))
    }

    fn set(&mut self, id: u32, value: CUstreamAttrValue) -> Answer {
        let first = value[0] as u32;
        let sensible = match id {
            PRIORITY => {
                self.priority = clamped(first as i32);
                return Ok(());
            }
            SYNCHRONIZATION_POLICY => POLICIES.contains(&first),
            MEM_SYNC_DOMAIN_MAP => (first & 0xff) < DOMAINS && (first >> 8 & 0xff) < DOMAINS,
            MEM_SYNC_DOMAIN => first <= 1,
            ACCESS_POLICY_WINDOW | NVLINK_UTIL_CENTRIC_SCHEDULING => true,
            _ => false,
        };
        if !sensible {
            return Err(CUresult::INVALID_VALUE);
        }
        self.others.insert(id, value);
        Ok(())
    }
}

fn clamped(priority: i32) -> i32 {
    priority.clamp(PRIORITIES.1, PRIORITIES.0)
}

impl Stream {
    /// Its priority: lower numbers come first.
    pub fn priority(&self) -> i32 {
        self.attributes().priority
    }

    fn attributes(&self) -> MutexGuard<'_, StreamAttributes> {
        self.attributes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

entry! {
    fn cuStreamGetPriority [cuStreamGetPriority_ptsz] (stream: CUstream, priority: Out<i32>) {
        if priority.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        priority.set(resolve(stream)?.priority())
    }

    fn cuStreamGetAttribute [cuStreamGetAttribute_ptsz] (
        stream: CUstream, id: u32, value: Out<CUstreamAttrValue>,
    ) {
        let found = resolve(stream)?.attributes().get(id)?;
        value.set(found)
    }

    fn cuStreamSetAttribute [cuStreamSetAttribute_ptsz] (
        stream: CUstream, id: u32, value: In<CUstreamAttrValue>,
    ) {
        let value = value.get()?;
        resolve(stream)?.attributes().set(id, value)
    }

    fn cuStreamCopyAttributes [cuStreamCopyAttributes_ptsz] (to: CUstream, from: CUstream) {
        let (to, from) = (resolve(to)?, resolve(from)?);
        if to.context()?.handle != from.context()?.handle {
            return Err(CUresult::INVALID_VALUE);
        }
        // One after the other: the two may be the same, or be copied the other way meanwhile.
        let (priority, others) = {
            let attributes = from.attributes();
            (attributes.priority, attributes.others.clone())
        };
        *to.attributes() = StreamAttributes { priority, others };
        Ok(())
    }
}
