//! Graphs as clients build, show, change and copy them.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::client::{Context, Handle, answer, call, make, read};
use crate::shapes::*;

#[test]
fn nodes_run_in_an_order_that_keeps_to_the_edges() {
    let context = Context::new();
    let module = context.module(KERNELS);
    let (append, list) = (module.kernel("append"), context.memory(256));
    let graph = Graph::new();
    // They are made in another order than they run in.
    let last = graph.append(append, &[], list, 3);
    let middle = graph.append(append, &[], list, 2);
    let first = graph.append(append, &[], list, 1);
    let (from, to) = ([first, middle], [middle, last]);
    call("cuGraphAddDependencies", (graph.0, from.as_ptr(), to.as_ptr(), 2usize));
    assert_eq!(graph.list("cuGraphGetNodes"), [last, middle, first]);
    assert_eq!(graph.list("cuGraphGetRootNodes"), [first]);
    let exec = graph.instantiate();
    assert_eq!(read(list, 1), [0], "nothing runs before a launch");
    run(exec);
    run(exec);
    assert_eq!(read(list, 7), [6, 1, 2, 3, 1, 2, 3]);
    // The executable graph needs the graph no more.
    call("cuGraphDestroy", (graph.0,));
    run(exec);
    assert_eq!(read(list, 1), [9]);
    call("cuGraphExecDestroy", (exec,));
    assert_eq!(answer("cuGraphLaunch", (exec, 0u64)), INVALID_VALUE);
    assert_eq!(answer("cuGraphDestroy", (graph.0,)), INVALID_VALUE);
}

#[test]
fn wrong_shapes_are_refused_as_an_h200_refuses_them() {
    let _context = Context::new();
    let (graph, other) = (Graph::new(), Graph::new());
    let a = graph.empty(&[]);
    let b = graph.empty(&[a]);
    let stranger = other.empty(&[]);
    let connect = |from: Handle, to: Handle| {
        answer("cuGraphAddDependencies", (graph.0, &raw const from, &raw const to, 1usize))
    };
    assert_eq!(connect(a, b), INVALID_VALUE, "it is there");
    assert_eq!(connect(a, a), INVALID_VALUE, "to itself");
    assert_eq!(connect(a, stranger), INVALID_VALUE, "to another graph");
    assert_eq!(connect(a, 0), INVALID_VALUE, "to nothing");
    let mut node: Handle = 0;
    let twice = [a, a];
    let added = answer("cuGraphAddEmptyNode", (&raw mut node, graph.0, twice.as_ptr(), 2usize));
    assert_eq!(added, INVALID_VALUE, "the same dependency twice");
    let removed = answer("cuGraphRemoveDependencies", (graph.0, &raw const b, &raw const a, 1usize));
    assert_eq!(removed, INVALID_VALUE, "an edge that is not there");
    assert_eq!(connect(b, a), 0, "a circle is found later");
    let mut exec: Handle = 0;
    assert_eq!(answer("cuGraphInstantiateWithFlags", (&raw mut exec, graph.0, 0u64)), INVALID_VALUE);
    let mut told = [0u64, 0, 0, 7];
    let made = answer("cuGraphInstantiateWithParams", (&raw mut exec, graph.0, told.as_mut_ptr()));
    assert_eq!((made, told[3] as u32), (INVALID_VALUE, 2), "the structure is to blame");
    assert!(told[2] == a || told[2] == b);
    call("cuGraphRemoveDependencies", (graph.0, &raw const b, &raw const a, 1usize));
    assert_eq!(answer("cuGraphInstantiateWithFlags", (&raw mut exec, graph.0, 0x100u64)), INVALID_VALUE);
    assert_eq!(answer("cuGraphInstantiateWithFlags", (&raw mut exec, 0u64, 0u64)), INVALID_VALUE);
    call("cuGraphDestroyNode", (a,));
    assert_eq!(answer("cuGraphDestroyNode", (a,)), INVALID_VALUE);
    let mut count = 9usize;
    call("cuGraphNodeGetDependencies", (b, std::ptr::null_mut::<Handle>(), &raw mut count));
    assert_eq!(count, 0);
    assert_eq!(answer("cuGraphCreate", (&raw mut node, 1u32)), INVALID_VALUE);
    assert_eq!(answer("cuGraphCreate", (std::ptr::null_mut::<Handle>(), 0u32)), INVALID_VALUE);
    // A handle of another kind is no graph.
    assert_eq!(answer("cuGraphDestroy", (b,)), INVALID_VALUE);
    assert_eq!(answer("cuGraphDestroy", (0xdead_beef_u64,)), INVALID_VALUE);
    assert_eq!(answer("cuGraphNodeGetType", (b, std::ptr::null_mut::<u32>())), INVALID_VALUE);
}

#[test]
fn lists_tell_how_many_and_fill_what_room_there_is() {
    let context = Context::new();
    let graph = Graph::new();
    let (append, list) = (context.module(KERNELS).kernel("append"), context.memory(64));
    let a = graph.append(append, &[], list, 1);
    let b = graph.append(append, &[a], list, 2);
    let mut nodes = [7u64; 4];
    let mut count = 4usize;
    call("cuGraphGetNodes", (graph.0, nodes.as_mut_ptr(), &raw mut count));
    assert_eq!((nodes, count), ([a, b, 0, 0], 2));
    count = 1;
    nodes = [7; 4];
    call("cuGraphGetNodes", (graph.0, nodes.as_mut_ptr(), &raw mut count));
    assert_eq!((nodes, count), ([a, 7, 7, 7], 1));
    let (mut from, mut to, mut data) = ([0u64; 2], [0u64; 2], [[9u8; 8]; 2]);
    count = 2;
    let (f, t, d) = (from.as_mut_ptr(), to.as_mut_ptr(), data.as_mut_ptr());
    call("cuGraphGetEdges_v2", (graph.0, f, t, d, &raw mut count));
    assert_eq!((count, from, to, data[0]), (1, [a, 0], [b, 0], [0; 8]));
    // An edge that says more cannot be told to those who do not ask for it.
    let c = graph.append(append, &[], list, 3);
    let special = [1u8, 0, 1, 0, 0, 0, 0, 0];
    call("cuGraphAddDependencies_v2", (graph.0, &raw const a, &raw const c, special.as_ptr(), 1usize));
    count = 2;
    assert_eq!(answer("cuGraphNodeGetDependencies", (c, f, &raw mut count)), 402);
    call("cuGraphNodeGetDependencies_v2", (c, f, d, &raw mut count));
    assert_eq!((count, from[0], data[0]), (1, a, special));
    let add = |from: Handle, to: Handle, data: [u8; 8]| {
        let arguments = (graph.0, &raw const from, &raw const to, data.as_ptr(), 1usize);
        answer("cuGraphAddDependencies_v2", arguments)
    };
    // There is no such port; a port without its kind of edge and the other way round.
    for wrong in [[9, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0, 0]] {
        assert_eq!(add(b, c, wrong), INVALID_VALUE, "{wrong:?}");
    }
    // Only kernels let others go before they have ended, and only kernels go then.
    let nothing = graph.empty(&[]);
    assert_eq!((add(b, nothing, special), add(nothing, b, special)), (INVALID_VALUE, INVALID_VALUE));
    assert_eq!(add(b, c, [2, 0, 1, 0, 0, 0, 0, 0]), 0);
}

#[test]
fn parameters_are_shown_and_changed_in_graphs_and_executable_graphs() {
    let context = Context::new();
    let module = context.module(KERNELS);
    let (append, list, other) = (module.kernel("append"), context.memory(256), context.memory(256));
    let graph = Graph::new();
    let node = graph.append(append, &[], list, 5);
    let exec = graph.instantiate();
    let mut told = kernel(0, &[]);
    call("cuGraphKernelNodeGetParams_v2", (node, &raw mut told));
    assert_eq!((told.function, told.grid, told.block), (append, [1; 3], [1; 3]));
    // SAFETY: the kernel has two parameters, which stay with the node.
    let values = unsafe { [**told.parameters, **told.parameters.add(1)] };
    assert_eq!(values, [list, 5]);

    let changed = [other, 6u64];
    let pointers = [&raw const changed[0], &raw const changed[1]];
    let said = kernel(append, &pointers);
    call("cuGraphExecKernelNodeSetParams_v2", (exec, node, &raw const said));
    run(exec);
    assert_eq!((read(list, 1), read(other, 2)), (vec![0], vec![1, 6]), "the executable graph has changed");
    call("cuGraphKernelNodeGetParams_v2", (node, &raw mut told));
    // SAFETY: as above.
    assert_eq!(unsafe { **told.parameters }, list, "the graph has not");

    let mut wrong = said;
    wrong.block = [2048, 1, 1];
    assert_eq!(answer("cuGraphKernelNodeSetParams_v2", (node, &raw const wrong)), INVALID_VALUE);
    wrong = said;
    wrong.function = 0;
    assert_eq!(answer("cuGraphKernelNodeSetParams_v2", (node, &raw const wrong)), INVALID_VALUE);
    call("cuGraphKernelNodeSetParams_v2", (node, &raw const said));
    call("cuGraphKernelNodeGetParams_v2", (node, &raw mut told));
    // SAFETY: as above.
    assert_eq!(unsafe { [**told.parameters, **told.parameters.add(1)] }, changed);

    // What can be switched off, and what cannot.
    let mut enabled = 9u32;
    call("cuGraphNodeSetEnabled", (exec, node, 0u32));
    call("cuGraphNodeGetEnabled", (exec, node, &raw mut enabled));
    assert_eq!(enabled, 0);
    run(exec);
    assert_eq!(read(other, 1), [1], "a node that is switched off does nothing");
    call("cuGraphNodeSetEnabled", (exec, node, 1u32));
    run(exec);
    assert_eq!(read(other, 1), [2]);
    let late = graph.empty(&[]);
    assert_eq!(answer("cuGraphNodeSetEnabled", (exec, late, 0u32)), INVALID_VALUE, "not in it");

    // Attributes.
    let mut value = [0u64; 8];
    value[0] = 1;
    call("cuGraphKernelNodeSetAttribute", (node, 2u32, value.as_ptr()));
    let twin = graph.append(append, &[], list, 5);
    call("cuGraphKernelNodeCopyAttributes", (twin, node));
    value = [9; 8];
    call("cuGraphKernelNodeGetAttribute", (twin, 2u32, value.as_mut_ptr()));
    assert_eq!(value, [1, 0, 0, 0, 0, 0, 0, 0]);
    value[0] = 2;
    assert_eq!(
        answer("cuGraphKernelNodeSetAttribute", (node, 4u32, value.as_ptr())),
        INVALID_CLUSTER_SIZE,
        "a cluster that the grid is not made of"
    );
    assert_eq!(answer("cuGraphKernelNodeSetAttribute", (late, 2u32, value.as_ptr())), INVALID_VALUE);
    call("cuGraphExecDestroy", (exec,));
}

static CALLS: AtomicU32 = AtomicU32::new(0);

extern "C" fn count_up(by: *mut c_void) {
    CALLS.fetch_add(by as usize as u32, Ordering::Relaxed);
}

#[test]
fn copies_fills_and_calls_are_nodes_too() {
    let context = Context::new();
    let memory = context.memory(64);
    let graph = Graph::new();
    let fill = Fill { to: memory, pitch: 32, value: 0x0102, element: 2, width: 4, height: 2 };
    let none = std::ptr::null::<Handle>();
    let filled = make("a fill", |made| {
        answer("cuGraphAddMemsetNode", (made, graph.0, none, 0usize, &raw const fill, context.0))
    });
    let mut host = [0u32; 16];
    let copy = line(false, memory, host.as_mut_ptr() as u64, 64);
    let copied = make("a copy", |made| {
        answer("cuGraphAddMemcpyNode", (made, graph.0, &raw const filled, 1usize, copy.as_ptr(), context.0))
    });
    let called = (count_up as *const c_void, 3 as *mut c_void);
    let calls = make("a call", |made| {
        answer("cuGraphAddHostNode", (made, graph.0, &raw const copied, 1usize, &raw const called))
    });
    let kinds = [filled, copied, calls].map(|node| {
        let mut kind = 99u32;
        call("cuGraphNodeGetType", (node, &raw mut kind));
        kind
    });
    assert_eq!(kinds, [2, 1, 3]);
    let exec = graph.instantiate();
    let before = CALLS.load(Ordering::Relaxed);
    run(exec);
    assert_eq!(CALLS.load(Ordering::Relaxed) - before, 3);
    let two = 0x0102_0102;
    assert_eq!(host, [two, two, 0, 0, 0, 0, 0, 0, two, two, 0, 0, 0, 0, 0, 0]);

    let mut told = Fill { to: 0, ..fill };
    call("cuGraphMemsetNodeGetParams", (filled, &raw mut told));
    assert_eq!(told, fill);
    let mut shown: Copy = [7; 25];
    call("cuGraphMemcpyNodeGetParams", (copied, shown.as_mut_ptr()));
    assert_eq!(
        (shown[4] as u32, shown[6], shown[15] as u32, shown[16]),
        (2, memory, 1, host.as_ptr() as u64)
    );
    assert_eq!(shown[22..], [64, 1, 1]);
    // One row has no pitch and no height, which is how cuda-core knows a copy that it can change.
    assert_eq!([shown[9], shown[10], shown[20], shown[21]], [0; 4]);

    // A fill of one row may become another; one of two rows keeps its shape.
    let flat = Fill { height: 1, pitch: 0, ..fill };
    let changed = answer("cuGraphExecMemsetNodeSetParams", (exec, filled, &raw const flat, context.0));
    assert_eq!(changed, INVALID_VALUE);
    let nines = Fill { value: 0x0909, ..fill };
    call("cuGraphExecMemsetNodeSetParams", (exec, filled, &raw const nines, context.0));
    run(exec);
    assert_eq!(host[..3], [0x0909_0909, 0x0909_0909, 0]);
    // From the host is another kind of copy than to the host.
    let back = line(true, host.as_ptr() as u64, memory, 64);
    let changed = answer("cuGraphExecMemcpyNodeSetParams", (exec, copied, back.as_ptr(), context.0));
    assert_eq!(changed, INVALID_VALUE);
    for wrong in [
        Fill { element: 3, ..fill },
        Fill { to: 0, ..fill },
        Fill { pitch: 2, ..fill },
        Fill { width: 0, ..fill },
    ] {
        assert_eq!(
            answer("cuGraphMemsetNodeSetParams", (filled, &raw const wrong)),
            INVALID_VALUE,
            "{wrong:?}"
        );
    }
    let nobody = (std::ptr::null::<c_void>(), std::ptr::null_mut::<c_void>());
    assert_eq!(answer("cuGraphHostNodeSetParams", (calls, &raw const nobody)), INVALID_VALUE);
    assert_eq!(
        answer("cuGraphMemsetNodeGetParams", (calls, &raw mut told)),
        INVALID_VALUE,
        "of another kind"
    );
    call("cuGraphExecDestroy", (exec,));
}

#[test]
fn clones_and_children_are_graphs_of_their_own() {
    let context = Context::new();
    let module = context.module(KERNELS);
    let (append, list) = (module.kernel("append"), context.memory(256));
    let graph = Graph::new();
    let node = graph.append(append, &[], list, 1);
    let clone = Graph(make("a clone", |made| answer("cuGraphClone", (made, graph.0))));
    let twin = make("the twin", |made| answer("cuGraphNodeFindInClone", (made, node, clone.0)));
    assert_ne!(twin, node);
    let mut lost: Handle = 0;
    assert_eq!(answer("cuGraphNodeFindInClone", (&raw mut lost, twin, graph.0)), INVALID_VALUE);
    clone.append(append, &[twin], list, 2);
    assert_eq!(graph.list("cuGraphGetNodes").len(), 1);

    let parent = Graph::new();
    let first = parent.append(append, &[], list, 9);
    let child = make("a child", |made| {
        answer("cuGraphAddChildGraphNode", (made, parent.0, &raw const first, 1usize, clone.0))
    });
    drop(clone);
    let inside = Graph(make("its graph", |made| answer("cuGraphChildGraphNodeGetGraph", (child, made))));
    assert_eq!(inside.list("cuGraphGetNodes").len(), 2);
    assert_eq!(answer("cuGraphDestroy", (inside.0,)), INVALID_VALUE, "it is its node's");
    parent.append(append, &[child], list, 3);
    let exec = parent.instantiate();
    run(exec);
    assert_eq!(read(list, 5), [4, 9, 1, 2, 3]);
    // Nodes of the child can be changed by their own handles.
    let third = inside.list("cuGraphGetNodes")[1];
    call("cuGraphNodeSetEnabled", (exec, third, 0u32));
    run(exec);
    assert_eq!(read(list, 8), [7, 9, 1, 2, 3, 9, 1, 3]);
    // A child of the same shape takes its place, one of another does not.
    let (same, different) = (Graph::new(), Graph::new());
    let one = same.append(append, &[], list, 7);
    same.append(append, &[one], list, 8);
    different.append(append, &[], list, 7);
    assert_eq!(answer("cuGraphExecChildGraphNodeSetParams", (exec, child, different.0)), UPDATE_FAILURE);
    call("cuGraphExecChildGraphNodeSetParams", (exec, child, same.0));
    run(exec);
    assert_eq!(read(list, 11)[8..], [9, 7, 3], "and what was off stays off");
    call("cuGraphExecDestroy", (exec,));
    call("cuGraphDestroy", (parent.0,));
    assert_eq!(answer("cuGraphNodeGetType", (third, (&raw mut lost).cast::<u32>())), INVALID_VALUE);
}

#[test]
fn an_update_takes_over_a_graph_of_the_same_shape_and_says_why_not() {
    let context = Context::new();
    let module = context.module(KERNELS);
    let (append, copy) = (module.kernel("append"), module.kernel("copy"));
    let list = context.memory(256);
    let graph = Graph::new();
    let a = graph.append(append, &[], list, 1);
    graph.append(append, &[a], list, 2);
    let exec = graph.instantiate();
    // `CUgraphExecUpdateResultInfo`
    let update = |graph: &Graph| {
        let mut info = [77u64; 3];
        let result = answer("cuGraphExecUpdate_v2", (exec, graph.0, info.as_mut_ptr()));
        (result, info[0] as u32, info[1], info[2])
    };
    let same = Graph::new();
    let x = same.append(append, &[], list, 3);
    same.append(copy, &[x], list + 128, list);
    assert_eq!(update(&same), (0, 0, 0, 0), "also with another kernel");
    run(exec);
    assert_eq!((read(list, 2), read(list + 128, 1)), (vec![1, 3], vec![1]));

    let loose = Graph::new();
    loose.append(append, &[], list, 1);
    let y = loose.append(append, &[], list, 2);
    assert_eq!(update(&loose), (UPDATE_FAILURE, 2, y, 0), "an edge is missing");
    let more = Graph::new();
    let p = more.append(append, &[], list, 1);
    let q = more.append(append, &[p], list, 1);
    let r = more.append(append, &[q], list, 1);
    assert_eq!(update(&more), (UPDATE_FAILURE, 2, r, 0), "a node too many");
    let other = Graph::new();
    let p = other.append(append, &[], list, 1);
    let q = other.empty(&[p]);
    assert_eq!(update(&other), (UPDATE_FAILURE, 3, q, 0), "a node of another kind");
    let (mut node, mut old) = (0u64, 99u32);
    let result = answer("cuGraphExecUpdate", (exec, other.0, &raw mut node, &raw mut old));
    assert_eq!((result, node, old), (UPDATE_FAILURE, q, 3));
    run(exec);
    assert_eq!(read(list, 3), [2, 3, 3], "a refused update changes nothing");
    call("cuGraphExecDestroy", (exec,));
}

static GONE: AtomicU32 = AtomicU32::new(0);

extern "C" fn gone(_: *mut c_void) {
    GONE.fetch_add(1, Ordering::Relaxed);
}

#[test]
fn graphs_keep_user_objects_until_the_last_of_them_is_gone() {
    let _context = Context::new();
    let nothing = std::ptr::null_mut::<c_void>();
    let create = |count: u32, flags: u32| {
        let mut object: Handle = 0;
        let result =
            answer("cuUserObjectCreate", (&raw mut object, nothing, gone as *const c_void, count, flags));
        (result, object)
    };
    assert_eq!(create(1, 0).0, INVALID_VALUE, "the flag is asked for");
    assert_eq!(create(0, 1).0, INVALID_VALUE, "no reference");
    let (result, object) = create(2, 1);
    assert_eq!(result, 0);
    let graph = Graph::new();
    call("cuGraphRetainUserObject", (graph.0, object, 1u32, 1u32));
    call("cuGraphRetainUserObject", (graph.0, object, 1u32, 0u32));
    call("cuUserObjectRelease", (object, 1u32));
    call("cuGraphReleaseUserObject", (graph.0, object, 1u32));
    let exec = graph.instantiate();
    run(exec);
    call("cuGraphDestroy", (graph.0,));
    assert_eq!(GONE.load(Ordering::Relaxed), 0, "the executable graph has it");
    call("cuGraphExecDestroy", (exec,));
    assert_eq!(GONE.load(Ordering::Relaxed), 1);
    assert_eq!(answer("cuUserObjectRetain", (object, 1u32)), INVALID_VALUE);
    // An H200 lets a graph give back more than it has (tests/cudart/answers.jsonl).
    let (other, (_, object)) = (Graph::new(), create(1, 1));
    call("cuGraphRetainUserObject", (other.0, object, 1u32, 1u32));
    call("cuGraphReleaseUserObject", (other.0, object, 3u32));
    assert_eq!(GONE.load(Ordering::Relaxed), 2);
    assert_eq!(answer("cuGraphReleaseUserObject", (other.0, object, 1u32)), INVALID_VALUE, "it has none");
}
