//! Writes a graph as text for Graphviz to draw.

use std::fmt::Write;
use std::sync::Arc;

use super::content::Content;
use super::definition::Graph;
use crate::work::Operation;

/// `CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE`, `CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES`
const VERBOSE: u32 = 1;
const HANDLES: u32 = 1 << 10;

/// The text of a graph and of the graphs in it.
pub fn dot(graph: &Arc<Graph>, flags: u32) -> String {
    let mut text = String::from("digraph dot {\n");
    cluster(graph, flags, &mut text);
    text.push_str("}\n");
    text
}

fn cluster(graph: &Arc<Graph>, flags: u32, text: &mut String) {
    let state = graph.state();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "subgraph cluster_{} {{\nlabel=\"graph_{}\" graph[style=\"dashed\"];",
        graph.id, graph.id
    );
    for (number, entry) in &state.nodes {
        let mut label = format!("{number}\\n{}", describe(&entry.content));
        if flags & VERBOSE != 0 {
            let _ = write!(label, "{}", details(&entry.content));
        }
        if flags & (VERBOSE | HANDLES) != 0 {
            let _ = write!(label, "\\nnode handle: {:?}", entry.node.handle);
        }
        let _ =
            writeln!(text, "\"graph_{}_node_{number}\"[shape=\"rectangle\" label=\"{label}\"];", graph.id);
    }
    for (number, entry) in &state.nodes {
        for (after, data) in &entry.after {
            let kind = if data.kind == 1 { " [style=\"dashed\" label=\"programmatic\"]" } else { "" };
            let name = format!("graph_{}_node", graph.id);
            let _ = writeln!(text, "\"{name}_{number}\" -> \"{name}_{after}\"{kind};");
        }
    }
    let inside: Vec<Arc<Graph>> =
        state.nodes.values().flat_map(|entry| entry.content.graphs().to_vec()).collect();
    drop(state);
    text.push_str("}\n");
    inside.iter().for_each(|graph| cluster(graph, flags, text));
}

fn describe(content: &Content<Arc<Graph>>) -> String {
    match content {
        Content::Kernel(kernel) => format!("KERNEL {}", escape(kernel.launch.function.kernel.name())),
        Content::Work(Operation::Copy(_)) => "MEMCPY".into(),
        Content::Work(Operation::Fill(_)) => "MEMSET".into(),
        Content::Work(Operation::Host(_)) => "HOST".into(),
        Content::Work(Operation::Empty) => "EMPTY".into(),
        Content::Work(_) => "WORK".into(),
        Content::Child(graph) => format!("GRAPH graph_{}", graph.id),
        Content::Wait(_) => "EVENT_WAIT".into(),
        Content::Record(_) => "EVENT_RECORD".into(),
        Content::Allocate(_) => "MEM_ALLOC".into(),
        Content::Free(_) => "MEM_FREE".into(),
        Content::Conditional(conditional) => {
            let bodies: Vec<String> =
                conditional.bodies.iter().map(|body| format!("graph_{}", body.id)).collect();
            format!("CONDITIONAL {:?} {}", conditional.choice, bodies.join(" "))
        }
    }
}

fn details(content: &Content<Arc<Graph>>) -> String {
    match content {
        Content::Kernel(kernel) => {
            let launch = &kernel.launch;
            format!("\\ngrid: {:?}\\nblock: {:?}\\nshared: {}", launch.grid, launch.block, launch.shared)
        }
        Content::Work(Operation::Copy(copy)) => {
            let (to, from) = (copy.to.place.unified(), copy.from.place.unified());
            format!("\\n{from:#x} -> {to:#x}\\n{} x {} x {} bytes", copy.width, copy.height, copy.depth)
        }
        Content::Work(Operation::Fill(fill)) => {
            let shape = format!("{} x {} elements of {} bytes", fill.width, fill.height, fill.element);
            format!("\\n{:#x} = {:#x}\\n{shape}", fill.address, fill.value)
        }
        Content::Allocate(allocation) => {
            format!("\\n{:#x}: {} bytes", allocation.address, allocation.params.bytesize)
        }
        Content::Free(address) => format!("\\n{address:#x}"),
        _ => String::new(),
    }
}

/// A name that stands between quotes.
fn escape(name: &str) -> String {
    name.replace('\\', "\\\\").replace('"', "\\\"")
}
