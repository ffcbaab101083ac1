//! The recorded cases: what was launched on which image with which sampler, and what the H200 gave.

use std::sync::OnceLock;

use serde::Deserialize;

use crate::common::golden;

/// Where bytes lie: offset and length.
pub type Range = (usize, usize);

#[derive(Deserialize)]
struct Description {
    cases: Vec<Case>,
}

/// One kernel on one resource with one sampler.
#[derive(Deserialize)]
pub struct Case {
    pub name: String,
    pub group: String,
    pub resource: Resource,
    pub view: Option<View>,
    pub texels: Vec<Range>,
    pub sampler: Sampler,
    pub code: String,
    pub threads: usize,
    pub ins: usize,
    pub outs: usize,
    pub pred: bool,
    /// Absent if they are made by a sweep.
    #[serde(default)]
    pub inputs: Range,
    /// Absent if the launch faulted.
    pub outputs: Option<Range>,
    pub dump: Option<Range>,
    /// The `CUresult` of a launch that faulted.
    pub fault: Option<u32>,
}

/// A `CUDA_ARRAY3D_DESCRIPTOR` and what kind of memory it is of.
#[derive(Deserialize)]
pub struct Resource {
    pub kind: String,
    pub format: u32,
    pub channels: u32,
    pub width: u32,
    pub height: u32,
    pub depth: u32,
    #[serde(default)]
    pub levels: u32,
    pub flags: u32,
    #[serde(default)]
    pub pitch: u64,
}

/// A `CUDA_RESOURCE_VIEW_DESC`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct View {
    pub format: u32,
    pub first_mip: u32,
    pub last_mip: u32,
    pub first_layer: u32,
    pub last_layer: u32,
}

/// A `CUDA_TEXTURE_DESC`; floats are their bits.
#[derive(Deserialize)]
pub struct Sampler {
    pub address: [u32; 3],
    pub filter: u32,
    pub mip_filter: u32,
    pub flags: u32,
    pub anisotropy: u32,
    pub bias: u32,
    pub min: u32,
    pub max: u32,
    pub border: [u32; 4],
}

/// A case that the machine does not give bit for bit.
#[derive(Deserialize)]
pub struct Inexact {
    pub case: String,
    /// Why: what the silicon does that is not known.
    pub reason: String,
    /// How many of its words differ; of a sweep, how many of its hashes.
    pub words: usize,
    /// The largest difference of a float.
    pub error: f32,
}

/// Everything that was recorded.
pub struct Golden {
    description: Description,
    inexact: Vec<Inexact>,
    data: Vec<u8>,
    outputs: Vec<u8>,
}

impl Golden {
    /// Reads it once for all tests.
    pub fn get() -> &'static Self {
        static GOLDEN: OnceLock<Golden> = OnceLock::new();
        GOLDEN.get_or_init(|| Self {
            description: serde_json::from_slice(&golden("texture/texture.json.zst"))
                .expect("the description"),
            inexact: serde_json::from_slice(&golden("texture/inexact.json")).expect("the list"),
            data: golden("texture/texture.data.zst"),
            outputs: golden("texture/texture.outputs.zst"),
        })
    }

    pub fn cases(&self) -> impl Iterator<Item = &Case> {
        self.description.cases.iter()
    }

    pub fn inexact(&self) -> impl Iterator<Item = &Inexact> {
        self.inexact.iter()
    }

    /// Bytes that a case began with.
    pub fn data(&self, (offset, length): Range) -> &[u8] {
        &self.data[offset..offset + length]
    }

    /// Bytes that the H200 gave.
    pub fn outputs(&self, (offset, length): Range) -> &[u8] {
        &self.outputs[offset..offset + length]
    }
}
