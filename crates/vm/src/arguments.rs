//! Turns the arguments of a launch into the kernel's parameter block.

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
    values: Values,
}

#[derive(Clone, Debug)]
enum Values {
    /// One for each parameter.
    Each(Vec<Vec<u8>>),
    /// All together, laid out already.
    Block(Vec<u8>),
}

impl Default for Values {
    fn default() -> Self {
        Self::Each(Vec::new())
    }
}

/// What can be an argument: numbers, buffers, textures and surfaces, and bytes for parameters that are structures.
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
    /// A block is shorter than the parameters.
    Block {
        /// The bytes of all parameters.
        parameters: u64,
        /// The bytes of the block.
        block: u64,
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
            Self::Block { parameters, block } => {
                write!(f, "the kernel's parameters have {parameters} bytes, the block of arguments {block}")
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

    /// All of them as one block, laid out already as the parameters lie
    /// ([`Kernel::parameter_block_layout`](crate::Kernel::parameter_block_layout)). It may be longer than the
    /// kernel's own. What is appended to a block are bytes.
    #[must_use]
    pub fn from_block(block: Vec<u8>) -> Self {
        Self { values: Values::Block(block) }
    }

    /// Appends one.
    #[must_use]
    pub fn with(mut self, argument: impl Argument) -> Self {
        self.push(argument);
        self
    }

    /// Appends one.
    pub fn push(&mut self, argument: impl Argument) {
        match &mut self.values {
            Values::Each(values) => values.push(argument.bytes()),
            Values::Block(block) => block.extend(argument.bytes()),
        }
    }

    /// How many there are; how many bytes, of a block.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.values {
            Values::Each(values) => values.len(),
            Values::Block(block) => block.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Lays them out as the parameters lie.
    pub(crate) fn block(
        &self,
        program: &Program,
        parameters: &[Parameter],
        bytes: u64,
    ) -> Result<Vec<u8>, ArgumentsError> {
        let values = match &self.values {
            Values::Each(values) => values,
            Values::Block(given) => {
                let block = usize::try_from(bytes).ok().and_then(|bytes| given.get(..bytes));
                let short = || ArgumentsError::Block { parameters: bytes, block: given.len() as u64 };
                return block.map(<[u8]>::to_vec).ok_or_else(short);
            }
        };
        if values.len() != parameters.len() {
            let (parameters, arguments) = (parameters.len(), values.len());
            return Err(ArgumentsError::Count { parameters, arguments });
        }
        let mut block = vec![0; bytes as usize];
        for (value, parameter) in values.iter().zip(parameters) {
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
