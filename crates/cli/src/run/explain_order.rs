//! `--explain-order A B`: reads which two accesses are asked about.

use std::sync::Arc;

use ptxvm_syntax::ast::Span;
use ptxvm_vm::{Asked, OrderQuestion};

/// The question that the two arguments ask of a source; `None` if there are none.
pub fn question(arguments: &[String], source: &str) -> Result<Option<Arc<OrderQuestion>>, String> {
    let [first, second] = arguments else { return Ok(None) };
    let question = OrderQuestion::new(asked(first, source)?, asked(second, source)?);
    Ok(Some(Arc::new(question)))
}

/// `LINE@CTA:THREAD`, as in `28@1:0` or `28@1,0,0:0,0,0`; a thread that is left out is the first, and so is a CTA.
fn asked(text: &str, source: &str) -> Result<Asked, String> {
    let wrong =
        || format!("--explain-order {text}: expected LINE@CTA:THREAD, as in 28@1:0 or 28@1,0,0:31,0,0");
    let (line, thread) = text.split_once('@').unwrap_or((text, "0:0"));
    let (ctaid, tid) = thread.split_once(':').unwrap_or((thread, "0"));
    let number: usize = line.parse().map_err(|_| wrong())?;
    let place = |text: &str| -> Result<[u32; 3], String> {
        let mut place = [0; 3];
        for (axis, part) in text.split(',').enumerate() {
            *place.get_mut(axis).ok_or_else(wrong)? = part.parse().map_err(|_| wrong())?;
        }
        Ok(place)
    };
    let (ctaid, tid) = (place(ctaid)?, place(tid)?);
    let mut start = 0;
    for (index, text) in source.split_inclusive('\n').enumerate() {
        if index + 1 == number {
            let line = Span { start, end: start + text.len() as u32 };
            return Ok(Asked { line, ctaid, tid });
        }
        start += text.len() as u32;
    }
    Err(format!("--explain-order {text}: the file has no line {number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_is_a_line_and_a_thread() {
        let source = "one\ntwo\nthree";
        let full = asked("2@1,2,3:4,5,6", source).expect("it is right");
        assert_eq!(full, Asked { line: Span { start: 4, end: 8 }, ctaid: [1, 2, 3], tid: [4, 5, 6] });
        let short = asked("3", source).expect("it is right");
        assert_eq!(short, Asked { line: Span { start: 8, end: 13 }, ctaid: [0; 3], tid: [0; 3] });
        for wrong in ["", "x", "4@0:0", "0", "1@1,2,3,4:0", "1@-1:0", "1@:", "1@0:0:0"] {
            assert!(asked(wrong, source).is_err(), "{wrong}");
        }
    }
}
