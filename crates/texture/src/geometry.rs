//! The geometries of PTX: how many coordinates an instruction gives, and whether it names a layer, a face or a sample.

/// What an instruction takes a texture or surface for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Geometry {
    /// `.1d`
    D1,
    /// `.2d`
    D2,
    /// `.3d`
    D3,
    /// `.a1d`: an array of rows.
    A1,
    /// `.a2d`: an array of planes.
    A2,
    /// `.cube`: six faces.
    Cube,
    /// `.acube`: an array of cubes.
    ACube,
    /// `.2dms`: a plane with several samples for each texel.
    D2ms,
    /// `.a2dms`: an array of such planes.
    A2ms,
}

impl Geometry {
    /// Every geometry.
    pub const ALL: [Self; 9] =
        [Self::D1, Self::D2, Self::D3, Self::A1, Self::A2, Self::Cube, Self::ACube, Self::D2ms, Self::A2ms];

    /// The modifier, without its dot.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::D1 => "1d",
            Self::D2 => "2d",
            Self::D3 => "3d",
            Self::A1 => "a1d",
            Self::A2 => "a2d",
            Self::Cube => "cube",
            Self::ACube => "acube",
            Self::D2ms => "2dms",
            Self::A2ms => "a2dms",
        }
    }

    /// The geometry of a modifier. ptxas reads `.4d` as a kind of `.1d` and `.5d` as `.a1d`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "4d" => Some(Self::D1),
            "5d" => Some(Self::A1),
            _ => Self::ALL.into_iter().find(|geometry| geometry.name() == name),
        }
    }

    /// How many coordinates there are besides the layer and the sample: three for the direction into a cube.
    #[must_use]
    pub const fn coordinates(self) -> usize {
        match self {
            Self::D1 | Self::A1 => 1,
            Self::D2 | Self::A2 | Self::D2ms | Self::A2ms => 2,
            Self::D3 | Self::Cube | Self::ACube => 3,
        }
    }

    /// Whether the first element names a layer.
    #[must_use]
    pub const fn layered(self) -> bool {
        matches!(self, Self::A1 | Self::A2 | Self::ACube | Self::A2ms)
    }

    /// Whether the coordinates are a direction into a cube.
    #[must_use]
    pub const fn cube(self) -> bool {
        matches!(self, Self::Cube | Self::ACube)
    }

    /// Whether an element names a sample.
    #[must_use]
    pub const fn multisample(self) -> bool {
        matches!(self, Self::D2ms | Self::A2ms)
    }
}
