//! The attributes that programs set and query on functions and kernels (`cuFuncSetAttribute`, `cuKernelSetAttribute`).

use std::sync::atomic::{AtomicI32, Ordering};

use ptxvm_vm::Kernel;

use crate::abi::{Answer, CUresult};

/// `CUfunction_attribute`
pub type CUfunctionAttribute = i32;

const MAX_THREADS_PER_BLOCK: i32 = 0;
const SHARED_SIZE_BYTES: i32 = 1;
const CONST_SIZE_BYTES: i32 = 2;
const LOCAL_SIZE_BYTES: i32 = 3;
const NUM_REGS: i32 = 4;
const PTX_VERSION: i32 = 5;
const BINARY_VERSION: i32 = 6;
const CACHE_MODE_CA: i32 = 7;
/// The most dynamic shared memory that a launch may ask for.
pub const MAX_DYNAMIC_SHARED_SIZE_BYTES: i32 = 8;
const PREFERRED_SHARED_MEMORY_CARVEOUT: i32 = 9;
const CLUSTER_SIZE_MUST_BE_SET: i32 = 10;
/// The required size of clusters, in three attributes.
const REQUIRED_CLUSTER_WIDTH: i32 = 11;
const REQUIRED_CLUSTER_DEPTH: i32 = 13;
/// Whether clusters may be larger than every device of the architecture can run.
const NON_PORTABLE_CLUSTER_SIZE_ALLOWED: i32 = 14;
const CLUSTER_SCHEDULING_POLICY_PREFERENCE: i32 = 15;

/// The shared memory that a CTA may have unless the program allows more.
const DEFAULT_SHARED: i32 = 48 << 10;
/// No value that can be set.
const UNSET: i32 = i32::MIN;
/// The first attribute that can be set, and how many follow.
const FIRST: i32 = MAX_DYNAMIC_SHARED_SIZE_BYTES;
const COUNT: usize = (CLUSTER_SCHEDULING_POLICY_PREFERENCE - FIRST + 1) as usize;

/// The attributes that have been set.
#[derive(Debug)]
pub struct FunctionSettings {
    values: [AtomicI32; COUNT],
}

impl Default for FunctionSettings {
    fn default() -> Self {
        Self { values: std::array::from_fn(|_| AtomicI32::new(UNSET)) }
    }
}

impl FunctionSettings {
    fn slot(&self, attribute: CUfunctionAttribute) -> Option<&AtomicI32> {
        self.values.get(usize::try_from(attribute.checked_sub(FIRST)?).ok()?)
    }

    /// What has been set.
    pub fn get(&self, attribute: CUfunctionAttribute) -> Option<i32> {
        let value = self.slot(attribute)?.load(Ordering::Relaxed);
        (value != UNSET).then_some(value)
    }

    /// Sets an attribute of a kernel.
    ///
    /// # Errors
    /// There is no such attribute, it cannot be set, or not to this value.
    pub fn set(&self, kernel: &Kernel, attribute: CUfunctionAttribute, value: i32) -> Answer {
        let allowed = match attribute {
            MAX_DYNAMIC_SHARED_SIZE_BYTES => {
                let most = kernel.module().device().profile().shared_per_cta;
                u32::try_from(value).is_ok_and(|value| value <= most.saturating_sub(kernel.shared_bytes()))
            }
            PREFERRED_SHARED_MEMORY_CARVEOUT => (-1..=100).contains(&value),
            REQUIRED_CLUSTER_WIDTH..=REQUIRED_CLUSTER_DEPTH => match kernel.cluster() {
                // What the kernel's directive says can only be said again.
                Some(size) => Ok(value) == size[(attribute - REQUIRED_CLUSTER_WIDTH) as usize].try_into(),
                None => value >= 0,
            },
            NON_PORTABLE_CLUSTER_SIZE_ALLOWED => true,
            CLUSTER_SCHEDULING_POLICY_PREFERENCE => (0..=2).contains(&value),
            _ => false,
        };
        let slot = self.slot(attribute).filter(|_| allowed).ok_or(CUresult::INVALID_VALUE)?;
        let value =
            if attribute == NON_PORTABLE_CLUSTER_SIZE_ALLOWED { i32::from(value != 0) } else { value };
        slot.store(value, Ordering::Relaxed);
        Ok(())
    }
}

/// An attribute of a kernel on which nothing has been set. Registers are an estimate, and no more of them are told than
/// the compiler was allowed to use.
///
/// # Errors
/// There is no such attribute.
pub fn unset(kernel: &Kernel, attribute: CUfunctionAttribute) -> Answer<i32> {
    let number = |value: u64| i32::try_from(value).unwrap_or(i32::MAX);
    let limits = kernel.limits();
    let device = kernel.module().device().profile();
    Ok(match attribute {
        MAX_THREADS_PER_BLOCK => {
            let most = u64::from(device.threads_per_cta);
            number(limits.maxntid.unwrap_or(most).min(most))
        }
        SHARED_SIZE_BYTES => number(kernel.shared_bytes().into()),
        CONST_SIZE_BYTES => number(kernel.constant_bytes()),
        LOCAL_SIZE_BYTES => number(kernel.local_bytes()),
        NUM_REGS => number(kernel.register_estimate().into()),
        PTX_VERSION => i32::from(kernel.module().program().language.target.sm),
        BINARY_VERSION => i32::from(kernel.binary_target().sm),
        CACHE_MODE_CA => 0,
        MAX_DYNAMIC_SHARED_SIZE_BYTES => (DEFAULT_SHARED - number(kernel.shared_bytes().into())).max(0),
        PREFERRED_SHARED_MEMORY_CARVEOUT => -1,
        CLUSTER_SIZE_MUST_BE_SET => i32::from(limits.explicitcluster),
        REQUIRED_CLUSTER_WIDTH..=REQUIRED_CLUSTER_DEPTH => {
            let axis = (attribute - REQUIRED_CLUSTER_WIDTH) as usize;
            kernel.cluster().map_or(0, |cluster| number(cluster[axis].into()))
        }
        NON_PORTABLE_CLUSTER_SIZE_ALLOWED | CLUSTER_SCHEDULING_POLICY_PREFERENCE => 0,
        _ => return Err(CUresult::INVALID_VALUE),
    })
}
