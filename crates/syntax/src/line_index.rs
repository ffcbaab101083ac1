//! From byte offsets to lines and columns, for whoever shows a span to a person.

/// The starts of a source's lines. Lines end at `\n`; a `\r` before it belongs to the line.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
}

/// A place as people count: both from 1, columns in Unicode scalar values, a tab being one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    pub line: u32,
    pub column: u32,
}

impl LineIndex {
    #[must_use]
    pub fn new(source: &str) -> Self {
        let newlines = memchr::memchr_iter(b'\n', source.as_bytes());
        let starts = std::iter::once(0).chain(newlines.map(|newline| newline as u32 + 1)).collect();
        Self { starts }
    }

    /// The zero-based number of the line that holds `offset`.
    #[must_use]
    pub fn line(&self, offset: u32) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }

    /// The number of lines; a final newline starts a last, empty one.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.starts.len()
    }

    /// Where `offset` is. An offset past the end is taken as the end.
    #[must_use]
    pub fn line_column(&self, source: &str, offset: u32) -> LineColumn {
        let line = self.line(offset);
        let start = self.starts[line] as usize;
        let end = (offset as usize).min(source.len());
        let before = source.as_bytes().get(start..end).unwrap_or_default();
        // Bytes 0b10xx_xxxx continue a scalar value that an earlier byte began.
        let column = before.iter().filter(|&&b| b & 0xc0 != 0x80).count();
        LineColumn { line: line as u32 + 1, column: column as u32 + 1 }
    }

    /// The byte range of a zero-based line, without its line end.
    #[must_use]
    pub fn line_range(&self, source: &str, line: usize) -> std::ops::Range<usize> {
        let Some(&start) = self.starts.get(line) else {
            return source.len()..source.len();
        };
        let start = start as usize;
        let end = match self.starts.get(line + 1) {
            Some(&next) => next as usize - 1,
            None => source.len(),
        };
        let end = match source.as_bytes().get(start..end) {
            Some([.., b'\r']) => end - 1,
            _ => end,
        };
        start..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_scalar_values() {
        let source = "ab\r\n\täx\n";
        let index = LineIndex::new(source);
        let at = |offset| {
            let place = index.line_column(source, offset);
            (place.line, place.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(4), (2, 1));
        assert_eq!(at(5), (2, 2));
        assert_eq!(at(7), (2, 3));
        assert_eq!(at(9), (3, 1));
        assert_eq!(at(99), (3, 1));
        assert_eq!(&source[index.line_range(source, 0)], "ab");
        assert_eq!(&source[index.line_range(source, 1)], "\täx");
        assert_eq!(&source[index.line_range(source, 2)], "");
        assert_eq!(&source[index.line_range(source, 3)], "");
    }
}
