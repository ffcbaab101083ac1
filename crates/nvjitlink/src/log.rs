//! The logs of a link: lines that programs ask for when something went wrong.

/// The lines so far.
#[derive(Debug, Default)]
pub struct Log(String);

impl Log {
    /// Adds a line, or several.
    pub fn add(&mut self, text: &str) {
        let text = text.trim_end_matches(['\n', '\0']);
        if !text.is_empty() {
            self.0.push_str(text);
            self.0.push('\n');
        }
    }

    /// What is given to the program: nothing, or the lines and a zero.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.0.clone().into_bytes();
        if !bytes.is_empty() {
            bytes.push(0);
        }
        bytes
    }
}
