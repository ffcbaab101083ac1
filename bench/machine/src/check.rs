//! Whether a contestant's result is that of C. This is a bench and no test of bits: floats may differ by what another
//! order of the same operations explains.

use ptxvm_vm::Element;

/// How near a result must be.
#[derive(Clone, Copy)]
pub enum Check {
    /// Every byte.
    Exact,
    /// f32, no further apart than this share of the largest one; with the reason why they differ at all.
    F32(f64, &'static str),
    /// The same with f64.
    F64(f64, &'static str),
    /// All numbers of 32 bits but this share of them; with the reason.
    Most(f64, &'static str),
}

/// Fused multiply-adds round once where others round twice, and compilers choose freely.
pub const FUSED: &str = "compilers fuse different multiply-adds";
/// Sums of many numbers in another order.
pub const ORDER: &str = "sums are taken in another order";
/// Functions that libraries approximate.
pub const LIBRARY: &str = "each library approximates the functions in its own way";

impl Check {
    /// Compares a result with that of C.
    ///
    /// # Errors
    /// How they differ.
    pub fn compare(self, ours: &[u8], theirs: &[u8]) -> Result<(), String> {
        if ours.len() != theirs.len() {
            return Err(format!("{} bytes, not {}", ours.len(), theirs.len()));
        }
        let (off, allowed, why) = match self {
            Check::Exact => (differing(ours, theirs), 0.0, "they are integers"),
            Check::Most(share, why) => (differing(ours, theirs), share, why),
            Check::F32(share, why) => (distance::<f32>(ours, theirs), share, why),
            Check::F64(share, why) => (distance::<f64>(ours, theirs), share, why),
        };
        // Written so that a distance that is not a number is wrong.
        if off <= allowed { Ok(()) } else { Err(format!("off by {off:e}, allowed {allowed:e}: {why}")) }
    }
}

/// The share of the words that differ.
fn differing(ours: &[u8], theirs: &[u8]) -> f64 {
    let pairs = ours.chunks_exact(4).zip(theirs.chunks_exact(4));
    let count = pairs.len().max(1);
    pairs.filter(|(a, b)| a != b).count() as f64 / count as f64
}

/// The largest difference, as a share of the largest number; not a number if any is not.
fn distance<T: Element + Into<f64>>(ours: &[u8], theirs: &[u8]) -> f64 {
    let numbers =
        |bytes: &[u8]| -> Vec<f64> { bytes.chunks_exact(T::SIZE).map(|b| T::load(b).into()).collect() };
    let (ours, theirs) = (numbers(ours), numbers(theirs));
    let wider = |a: f64, b: f64| if a >= b || a.is_nan() { a } else { b };
    let largest = theirs.iter().fold(0.0, |most, b| wider(b.abs(), most));
    let apart = ours.iter().zip(&theirs).fold(0.0, |most, (a, b)| wider((a - b).abs(), most));
    if apart == 0.0 { 0.0 } else { apart / largest }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
    }

    #[test]
    fn near_is_measured_by_the_largest_number() {
        let check = Check::F32(0.01, ORDER);
        assert!(check.compare(&bytes(&[100.5, 0.5]), &bytes(&[100.0, 0.0])).is_ok());
        assert!(check.compare(&bytes(&[102.0, 0.0]), &bytes(&[100.0, 0.0])).is_err());
    }

    #[test]
    fn what_is_not_a_number_is_never_near() {
        let check = Check::F32(0.01, ORDER);
        assert!(check.compare(&bytes(&[f32::NAN, 1.0]), &bytes(&[1.0, 1.0])).is_err());
        assert!(check.compare(&bytes(&[1.0, 1.0]), &bytes(&[f32::NAN, 1.0])).is_err());
    }

    #[test]
    fn integers_are_exact_or_counted() {
        let (a, b) = ([1u8, 0, 0, 0, 2, 0, 0, 0], [1u8, 0, 0, 0, 3, 0, 0, 0]);
        assert!(Check::Exact.compare(&a, &a).is_ok());
        assert!(Check::Exact.compare(&a, &b).is_err());
        assert!(Check::Most(0.5, FUSED).compare(&a, &b).is_ok());
        assert!(Check::Most(0.4, FUSED).compare(&a, &b).is_err());
        assert!(Check::Exact.compare(&a, &b[..4]).is_err());
    }
}
