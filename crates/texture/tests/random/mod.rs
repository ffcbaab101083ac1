//! Random numbers for tests, the same at every run: each test adds what it needs drawn.

/// A generator of its own (xorshift).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
    }

    pub fn below(&mut self, end: u32) -> u32 {
        self.next() % end
    }

    pub fn one_of<T: Copy>(&mut self, things: &[T]) -> T {
        things[self.next() as usize % things.len()]
    }
}
