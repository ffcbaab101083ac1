//! A buffer on the host: its type, its shape and its bytes.

use super::element::Element;
use super::host_memory::{COPIES, HostMemory};
use super::npy;
use super::specification::Contents;

/// Elements with a type and a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct HostBuffer {
    pub element: Element,
    pub shape: Vec<u64>,
    pub bytes: Vec<u8>,
    /// Nobody has written it.
    pub is_unwritten: bool,
}

impl HostBuffer {
    /// Makes a buffer; `salt` tells buffers without a seed of their own apart.
    pub fn new(
        element: Element,
        shape: Option<&[u64]>,
        contents: &Contents,
        salt: u64,
        memory: &HostMemory,
    ) -> Result<HostBuffer, String> {
        if let Contents::File(path) = contents {
            return HostBuffer::from_file(path, Some(element), shape, memory);
        }
        let shape = shape.unwrap_or(&[1]).to_vec();
        let bytes = shape.iter().try_fold(element.bytes() as u64, |n, &d| n.checked_mul(d));
        let bytes = bytes.and_then(|b| usize::try_from(b).ok()).ok_or("the buffer is too large")?;
        let count = (bytes / element.bytes()) as u64;
        memory.take((bytes as u64).saturating_mul(COPIES), "the buffer")?;
        let mut to = Vec::new();
        to.try_reserve_exact(bytes).map_err(|_| format!("this machine has no {bytes} bytes for it"))?;
        match contents {
            Contents::Value(text) => match element.parse(text)? {
                0 => to.resize(bytes, 0),
                bits => (0..count).for_each(|_| element.store(bits, &mut to)),
            },
            Contents::List(values) => {
                for value in values {
                    element.store(element.parse(value)?, &mut to);
                }
            }
            Contents::Iota => (0..count).for_each(|i| element.store(element.counted(i), &mut to)),
            Contents::Random { seed, bounds } => {
                let mut random = Random(seed.unwrap_or(salt));
                (0..count).for_each(|_| element.store(random.element(element, *bounds), &mut to));
            }
            Contents::Unwritten => to.resize(bytes, 0),
            Contents::File(_) => {}
        }
        Ok(HostBuffer { element, shape, bytes: to, is_unwritten: *contents == Contents::Unwritten })
    }

    /// Reads a buffer: `.npy` files know their type and shape, others are bare elements.
    pub fn from_file(
        path: &str,
        element: Option<Element>,
        shape: Option<&[u64]>,
        memory: &HostMemory,
    ) -> Result<HostBuffer, String> {
        let bytes = memory.read(path)?;
        memory.take((bytes.len() as u64).saturating_mul(COPIES), path)?;
        let mut buffer = if path.ends_with(".npy") {
            let npy::Array { element, shape, bytes } =
                npy::read(&bytes, element).map_err(|why| format!("cannot use {path}: {why}"))?;
            HostBuffer { element, shape, bytes, is_unwritten: false }
        } else {
            let element = element.unwrap_or(Element::U8);
            if !bytes.len().is_multiple_of(element.bytes()) {
                let (n, name) = (bytes.len(), element.name());
                return Err(format!("{path} has {n} bytes, which is not a whole number of {name}"));
            }
            let count = (bytes.len() / element.bytes()) as u64;
            HostBuffer { element, shape: vec![count], bytes, is_unwritten: false }
        };
        if buffer.bytes.is_empty() {
            return Err(format!("{path} has no elements"));
        }
        if let Some(wanted) = shape {
            let has = (buffer.bytes.len() / buffer.element.bytes()) as u64;
            let wants = wanted.iter().fold(1u64, |n, &d| n.saturating_mul(d));
            if has != wants {
                return Err(format!("{path} has {has} elements, but the shape asks for {wants}"));
            }
            buffer.shape = wanted.to_vec();
        }
        Ok(buffer)
    }

    /// `f32[64,64]`
    pub fn type_name(&self) -> String {
        let dimensions: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        format!("{}[{}]", self.element.name(), dimensions.join(","))
    }
}

/// SplitMix64: small, and good enough for data to try kernels on.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn element(&mut self, element: Element, bounds: Option<(f64, f64)>) -> u64 {
        let bits = self.next();
        // 24 bits are exact in f32 too, so that no number is rounded up to 1.
        let unit = (bits >> 40) as f64 / (1u64 << 24) as f64;
        match bounds {
            Some((low, high)) if element.is_float() => element.nearest(low + unit * (high - low)),
            Some((low, high)) => element.nearest((low + unit * (high - low)).floor()),
            None if element.is_float() => element.nearest(unit),
            None => element.counted(bits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(element: Element, shape: &[u64], contents: Contents) -> HostBuffer {
        HostBuffer::new(element, Some(shape), &contents, 1, &HostMemory::default()).expect("it can be made")
    }

    #[test]
    fn contents_are_what_they_say() {
        assert_eq!(made(Element::U16, &[3], Contents::Iota).bytes, [0, 0, 1, 0, 2, 0]);
        assert_eq!(made(Element::S8, &[1, 2], Contents::Value("-1".into())).bytes, [255, 255]);
        assert_eq!(made(Element::F16, &[1], Contents::List(vec!["1".into()])).bytes, [0, 0x3c]);
    }

    #[test]
    fn random_numbers_repeat_and_keep_their_bounds() {
        let random = |seed| Contents::Random { seed, bounds: Some((2.0, 4.0)) };
        let a = made(Element::U8, &[1000], random(Some(7)));
        assert_eq!(a, made(Element::U8, &[1000], random(Some(7))));
        assert_ne!(a, made(Element::U8, &[1000], random(None)));
        assert!(a.bytes.iter().all(|b| matches!(b, 2 | 3)));
        let unit = made(Element::F32, &[1000], Contents::Random { seed: None, bounds: None });
        let values = unit.bytes.chunks_exact(4).map(|b| f32::from_bits(Element::F32.load(b) as u32));
        assert!(values.clone().all(|v| (0.0..1.0).contains(&v)) && values.sum::<f32>() > 400.0);
    }
}
