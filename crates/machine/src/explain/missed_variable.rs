//! Names the shared or local variable that an access missed: whoever runs over an end wants to know which.

use ptxvm_ir::{FunctionId, Space};

use crate::context::{Missed, Run};
use crate::door::AddressSpace;

/// A variable of the memory that was missed.
struct Near<'a> {
    name: &'a str,
    start: u64,
    size: u64,
}

/// A sentence about the variable before the access, if there is one. `frame` is where the function's frame begins.
pub fn sentence(missed: Missed, function: FunctionId, frame: u64, run: &Run<'_>) -> Option<String> {
    let variables = match missed.space {
        AddressSpace::Shared => shared(run),
        _ => local(function, frame, run),
    };
    let before = variables.iter().filter(|v| v.start <= missed.offset);
    let Near { name, start, size } = before.max_by_key(|v| (v.start, v.size))?;
    let what = format!("{} variable `{name}` of {size} bytes", missed.space.name());
    let past = (missed.offset - start).checked_sub(*size);
    Some(match past {
        Some(0) => format!("right past the end of {what}"),
        Some(distance) => format!("{distance} bytes past the end of {what}"),
        None => {
            let over = (missed.offset - start + missed.bytes).checked_sub(*size)?;
            format!("the last {over} bytes past the end of {what}")
        }
    })
}

/// The name of the shared variable that an offset lies in, and how far from its beginning.
pub fn shared_name(offset: u64, run: &Run<'_>) -> Option<String> {
    let holds = |near: &Near<'_>| offset.checked_sub(near.start).is_some_and(|within| within < near.size);
    let Near { name, start, .. } = shared(run).into_iter().find(holds)?;
    Some(if offset == start { format!("`{name}`") } else { format!("`{name}` + {}", offset - start) })
}

fn shared<'a>(run: &'a Run<'_>) -> Vec<Near<'a>> {
    let variables = &run.code.program.variables;
    let near = run.code.shared.iter().filter_map(|(id, start)| {
        let variable = variables.get(id.0 as usize)?;
        // What has no size of its own is the dynamic part.
        let size = if variable.size == 0 { run.launch.shared.into() } else { variable.size };
        Some(Near { name: &variable.name, start: *start, size })
    });
    near.collect()
}

fn local<'a>(function: FunctionId, frame: u64, run: &'a Run<'_>) -> Vec<Near<'a>> {
    let own =
        run.code.program.variables.iter().filter(|v| v.function == Some(function) && v.space == Space::Local);
    own.map(|v| Near { name: &v.name, start: frame + v.offset, size: v.size }).collect()
}
