//! The arguments of a launch, and how they become the kernel's parameter block.

use ptxvm_ir::{Home, Parameter, Program};

use crate::buffer::{Buffer, Element};

/// The values of a kernel's parameters, in their order.
///
/// ```
/// use ptxvm_vm::{Arguments, Buffer, Device};
/// let x = Buffer::new(&Device::default(), 64)?;
/// let arguments = Arguments::new().with(16u32).with(2.5f32).with(&x).with(&[1u8, 2, 3][..]);
/// assert_eq!(arguments.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    values: Vec<Vec<u8>>,
}

/// What can be an argument: numbers, buffers, and bytes for parameters that are structures.
pub trait Argument {
    /// The bytes of the parameter.
    fn bytes(self) -> Vec<u8>;
}

impl<T: Element> Argument for T {
    fn bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(T::SIZE);
        self.store(&mut bytes);
        bytes
    }
}

impl Argument for &Buffer {
    fn bytes(self) -> Vec<u8> {
        self.address().bytes()
    }
}

impl Argument for &[u8] {
    fn bytes(self) -> Vec<u8> {
        self.to_vec()
    }
}

/// An address as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer(pub u64);

impl Argument for Pointer {
    fn bytes(self) -> Vec<u8> {
        self.0.bytes()
    }
}

/// Arguments that do not fit a kernel's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentsError {
    /// There are too few or too many.
    Count {
        /// How many parameters there are.
        parameters: usize,
        /// How many arguments.
        arguments: usize,
    },
    /// One is of another size than its parameter.
    Size {
        /// The parameter's name.
        name: String,
        /// Its size.
        parameter: u64,
        /// The argument's size.
        argument: u64,
    },
}

impl std::fmt::Display for ArgumentsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count { parameters, arguments } => {
                write!(f, "the kernel has {parameters} parameters, {arguments} arguments are given")
            }
            Self::Size { name, parameter, argument } => {
                write!(f, "the parameter `{name}` has {parameter} bytes, its argument {argument}")
            }
        }
    }
}

impl std::error::Error for ArgumentsError {}

impl Arguments {
    /// No arguments yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends one.
    #[must_use]
    pub fn with(mut self, argument: impl Argument) -> Self {
        self.push(argument);
        self
    }

    /// Appends one.
    pub fn push(&mut self, argument: impl Argument) {
        self.values.push(argument.bytes());
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Lays them out as the parameters lie.
    pub(crate) fn block(
        &self,
        program: &Program,
        parameters: &[Parameter],
        bytes: u64,
    ) -> Result<Vec<u8>, ArgumentsError> {
        if self.values.len() != parameters.len() {
            let (parameters, arguments) = (parameters.len(), self.values.len());
            return Err(ArgumentsError::Count { parameters, arguments });
        }
        let mut block = vec![0; bytes as usize];
        for (value, parameter) in self.values.iter().zip(parameters) {
            if value.len() as u64 != parameter.size {
                let (parameter, name) = (parameter.size, parameter.name.clone());
                return Err(ArgumentsError::Size { name, parameter, argument: value.len() as u64 });
            }
            if let Some(Home::Variable(variable)) = parameter.home {
                let at = program.variables[variable.0 as usize].offset as usize;
                block[at..at + value.len()].copy_from_slice(value);
            }
        }
        Ok(block)
    }
}
