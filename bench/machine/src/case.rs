//! What a case of the bench is: the launches of a run, the memory they work on, and what must come out.

use crate::check::Check;

/// One row of the bench. A run is all its launches.
pub struct Case {
    /// The row's name, and that of the kernel if there is one launch.
    pub name: &'static str,
    /// Where the kernels are: `kernels/FILE.ptx`, `.cl` and `.c`.
    pub file: &'static str,
    pub launches: Vec<Launch>,
    /// What the buffers hold before the first run; made when it is needed, since much of it is large.
    pub buffers: fn() -> Vec<Contents>,
    /// The buffers that hold results, and how near they must be to those of C.
    pub results: Vec<(usize, Check)>,
}

/// One launch.
#[derive(Clone)]
pub struct Launch {
    pub kernel: &'static str,
    pub grid: (u32, u32),
    pub block: (u32, u32),
    pub arguments: Vec<Argument>,
}

/// An argument of a launch.
#[derive(Clone, Copy)]
pub enum Argument {
    /// A buffer, by its number.
    Buffer(usize),
    Int(i32),
    Float(f32),
    Double(f64),
}

/// What a buffer holds at first.
pub struct Contents {
    pub size: usize,
    /// `None` is zeros.
    pub bytes: Option<Vec<u8>>,
    /// Whether it gets these bytes again before every run, since a run changes what the next one reads.
    pub restored: bool,
}

impl Launch {
    /// A launch of CTAs in one dimension.
    pub fn of(kernel: &'static str, ctas: usize, threads: u32) -> Self {
        Self::grid(kernel, (ctas, 1), (threads, 1))
    }

    /// A launch of CTAs in two dimensions.
    pub fn grid(kernel: &'static str, ctas: (usize, usize), block: (u32, u32)) -> Self {
        Self { kernel, grid: (ctas.0 as u32, ctas.1 as u32), block, arguments: Vec::new() }
    }

    /// Buffers as the next arguments.
    pub fn buffers(mut self, indices: &[usize]) -> Self {
        self.arguments.extend(indices.iter().map(|i| Argument::Buffer(*i)));
        self
    }

    /// A number as the next argument.
    pub fn int(mut self, value: usize) -> Self {
        self.arguments.push(Argument::Int(value as i32));
        self
    }

    /// A number as the next argument.
    pub fn float(mut self, value: f32) -> Self {
        self.arguments.push(Argument::Float(value));
        self
    }

    /// A number as the next argument.
    pub fn double(mut self, value: f64) -> Self {
        self.arguments.push(Argument::Double(value));
        self
    }

    /// The order that has a contestant prepare it (`contestant.h`).
    pub fn order(&self) -> String {
        let ((gx, gy), (bx, by)) = (self.grid, self.block);
        let mut order = format!("launch {} {gx} {gy} {bx} {by}", self.kernel);
        for argument in &self.arguments {
            order += &match argument {
                Argument::Buffer(index) => format!(" b{index}"),
                Argument::Int(value) => format!(" i{value}"),
                Argument::Float(value) => format!(" f{value}"),
                Argument::Double(value) => format!(" d{value}"),
            };
        }
        order
    }
}

impl Contents {
    /// The bytes of numbers.
    pub fn of<T: ptxvm_vm::Element>(numbers: &[T]) -> Self {
        let mut bytes = Vec::with_capacity(numbers.len() * T::SIZE);
        numbers.iter().for_each(|n| n.store(&mut bytes));
        Self { size: bytes.len(), bytes: Some(bytes), restored: false }
    }

    /// So many zeros.
    pub fn zeros(size: usize) -> Self {
        Self { size, bytes: None, restored: false }
    }

    /// The same before every run.
    pub fn restored(self) -> Self {
        Self { restored: true, ..self }
    }
}
