//! Graphs that lie in graphs that lie in graphs: deep ones are refused, whichever way they are built, and those that
//! are not work.
#![allow(unsafe_code)]

use crate::client::{Context, Handle, answer, call, make, read};
use crate::shapes::*;

/// Deeper than any stack is.
const ABYSS: usize = 10_000;

fn child(graph: Handle, child: Handle) -> Result<Handle, u32> {
    let mut node = 0u64;
    let none = std::ptr::null::<Handle>();
    match answer("cuGraphAddChildGraphNode", (&raw mut node, graph, none, 0usize, child)) {
        0 => Ok(node),
        result => Err(result),
    }
}

fn inside(node: Handle) -> Handle {
    make("the graph of a node", |made| answer("cuGraphChildGraphNodeGetGraph", (node, made)))
}

/// Nests as deep as it is allowed, and says how deep that is.
fn nest(mut add: impl FnMut() -> Result<(), u32>) -> usize {
    for depth in 0..ABYSS {
        match add() {
            Ok(()) => {}
            Err(result) => {
                assert_eq!(result, NOT_SUPPORTED);
                return depth;
            }
        }
    }
    ABYSS
}

/// Whatever can be done with a graph can be done with this one.
fn exercise(graph: &Graph) {
    let clone = make("a clone", |made| answer("cuGraphClone", (made, graph.0)));
    let path = std::env::temp_dir().join(format!("ptxvm-depth-{}-{clone:x}.dot", std::process::id()));
    let name = std::ffi::CString::new(path.to_str().expect("a name")).expect("no zeros");
    call("cuGraphDebugDotPrint", (clone, name.as_ptr(), 1u32));
    std::fs::remove_file(&path).expect("it was written");
    let exec = graph.instantiate();
    run(exec);
    let mut update = [0u64; 4];
    call("cuGraphExecUpdate_v2", (exec, clone, update.as_mut_ptr()));
    call("cuGraphDestroy", (clone,));
    run(exec);
    call("cuGraphExecDestroy", (exec,));
}

#[test]
fn graphs_that_are_put_into_the_innermost_one() {
    let context = Context::new();
    let module = context.module(KERNELS);
    let list = context.memory(64);
    let (graph, leaf) = (Graph::new(), Graph::new());
    let mut innermost = graph.0;
    let depth = nest(|| child(innermost, leaf.0).map(|node| innermost = inside(node)));
    assert!((64..ABYSS).contains(&depth), "{depth}");
    Graph(innermost).append(module.kernel("append"), &[], list, 9);
    exercise(&graph);
    assert_eq!(read(list, 3), [2, 9, 9]);
    call("cuGraphDestroy", (graph.0,));
    assert_eq!(answer("cuGraphGetNodes", (innermost, 0u64, &raw mut innermost)), INVALID_VALUE);
}

#[test]
fn graphs_that_are_cloned_into_the_next() {
    let _context = Context::new();
    let mut graph = Graph::new();
    graph.empty(&[]);
    let depth = nest(|| {
        let outer = Graph::new();
        child(outer.0, graph.0)?;
        // The old one goes; its clone stays.
        graph = outer;
        Ok(())
    });
    assert!((64..ABYSS).contains(&depth), "{depth}");
    exercise(&graph);
    // A graph that is as deep as can be fits into none, nor in the place of another.
    let (top, small) = (Graph::new(), Graph::new());
    let node = child(top.0, small.0).expect("a small one fits");
    let mut said = params(4, &[graph.0, 0]);
    assert_eq!(answer("cuGraphNodeSetParams", (node, &raw mut said)), NOT_SUPPORTED);
}

#[test]
fn graphs_that_are_moved_into_the_next() {
    let _context = Context::new();
    let mut graph = Graph::new();
    let depth = nest(|| {
        let outer = Graph::new();
        let mut node = 0u64;
        let none = std::ptr::null::<Handle>();
        let mut said = params(4, &[graph.0, 1]);
        match answer("cuGraphAddNode_v2", (&raw mut node, outer.0, none, none, 0usize, &raw mut said)) {
            0 => graph = outer,
            result => return Err(result),
        }
        Ok(())
    });
    assert!((64..ABYSS).contains(&depth), "{depth}");
    exercise(&graph);
}

#[test]
fn bodies_of_conditional_nodes_in_bodies_of_conditional_nodes() {
    let context = Context::new();
    let graph = Graph::new();
    let handle = make("a handle", |made| {
        answer("cuGraphConditionalHandleCreate", (made, graph.0, context.0, 1u32, 1u32))
    });
    let mut innermost = graph.0;
    let depth = nest(|| {
        let mut node = 0u64;
        let none = std::ptr::null::<Handle>();
        let mut said = params(13, &[handle, 1 << 32, 0, context.0]);
        match answer("cuGraphAddNode_v2", (&raw mut node, innermost, none, none, 0usize, &raw mut said)) {
            // SAFETY: the library tells where it keeps the handle of the body.
            0 => innermost = unsafe { *(said.words[2] as *const Handle) },
            result => return Err(result),
        }
        Ok(())
    });
    assert!((64..ABYSS).contains(&depth), "{depth}");
    exercise(&graph);
}
