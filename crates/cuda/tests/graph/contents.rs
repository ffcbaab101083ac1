//! What nodes can be besides kernels and copies: memory, child graphs, conditions, events; and how launches of them end.
#![allow(unsafe_code)]

use std::ffi::CString;

use crate::client::{Context, Handle, answer, call, launch, make, read};
use crate::shapes::*;

#[test]
fn memory_of_a_graph_is_there_while_its_nodes_say_so() {
    let context = Context::new();
    let used = || {
        let mut value = 0u64;
        call("cuDeviceGetGraphMemAttribute", (0i32, 0u32, &raw mut value));
        value
    };
    let module = context.module(KERNELS);
    let append = module.kernel("append");
    let result = context.memory(8);
    let graph = Graph::new();
    let mut said = params(10, &allocation(4096));
    let taken = add(&graph, &[], &mut said);
    let address = said.words[14];
    assert_ne!(address, 0);
    let fill = Fill { to: address, pitch: 0, value: 0, element: 4, width: 16, height: 1 };
    let filled = make("a fill", |made| {
        answer("cuGraphAddMemsetNode", (made, graph.0, &raw const taken, 1usize, &raw const fill, 0u64))
    });
    let appended = graph.append(append, &[filled], address, 42);
    let values = [result, address + 4];
    let pointers = [&raw const values[0], &raw const values[1]];
    let copied = kernel(module.kernel("copy"), &pointers);
    let copied = make("a kernel", |made| {
        answer("cuGraphAddKernelNode_v2", (made, graph.0, &raw const appended, 1usize, &raw const copied))
    });
    let exec = graph.instantiate();
    let mut second: Handle = 0;
    let again = answer("cuGraphInstantiateWithFlags", (&raw mut second, graph.0, 0u64));
    assert_eq!(again, NOT_SUPPORTED, "the address is there once");
    assert_eq!(answer("cuGraphClone", (&raw mut second, graph.0)), NOT_SUPPORTED);
    assert_eq!(answer("cuGraphDestroyNode", (copied,)), NOT_SUPPORTED);
    let before = used();
    run(exec);
    assert_eq!(read(result, 1), [42]);
    assert_eq!(read(address, 2), [1, 42], "it is the program's until it is freed");
    assert_eq!(used() - before, 4096);
    assert_eq!(answer("cuGraphLaunch", (exec, 0u64)), INVALID_VALUE, "it has not been freed");
    call("cuMemFree_v2", (address,));
    assert_eq!(answer("cuMemFree_v2", (address,)), INVALID_VALUE);
    assert_eq!(used(), before);
    run(exec);
    call("cuMemFree_v2", (address,));
    call("cuGraphExecDestroy", (exec,));
    // Freed by the graph itself it can be launched at once again.
    make("a free", |made| {
        answer("cuGraphAddMemFreeNode", (made, graph.0, &raw const copied, 1usize, address))
    });
    let exec = graph.instantiate();
    run(exec);
    run(exec);
    assert_eq!(used(), before);
    assert_eq!(answer("cuMemFree_v2", (address,)), INVALID_VALUE);
    call("cuGraphExecDestroy", (exec,));
    let mut told = [0u64; 15];
    call("cuGraphMemAllocNodeGetParams", (taken, told.as_mut_ptr()));
    assert_eq!((told[13], told[14]), (4096, address));
    call("cuDeviceGraphMemTrim", (0i32,));

    // What one launch leaves is freed by the next where that is asked for.
    let graph = Graph::new();
    let mut said = params(10, &allocation(64));
    add(&graph, &[], &mut said);
    let exec =
        make("an executable graph", |made| answer("cuGraphInstantiateWithFlags", (made, graph.0, 1u64)));
    run(exec);
    run(exec);
    assert_eq!(used() - before, 64);
    call("cuMemFree_v2", (said.words[14],));
    call("cuGraphExecDestroy", (exec,));
    managed_memory_of_a_graph(&context);
}

/// Memory that the host sees too. Part of the test above: they ask for the same counts.
fn managed_memory_of_a_graph(context: &Context) {
    let graph = Graph::new();
    let mut words = allocation(64);
    // `CU_MEM_ALLOCATION_TYPE_MANAGED`
    words[0] = 2;
    let mut said = params(10, &words);
    let taken = add(&graph, &[], &mut said);
    let address = said.words[14];
    let append = context.module(KERNELS).kernel("append");
    let fill = Fill { to: address, pitch: 0, value: 0, element: 4, width: 16, height: 1 };
    let filled = make("a fill", |made| {
        answer("cuGraphAddMemsetNode", (made, graph.0, &raw const taken, 1usize, &raw const fill, 0u64))
    });
    graph.append(append, &[filled], address, 42);
    let exec = graph.instantiate();
    run(exec);
    // `CU_POINTER_ATTRIBUTE_IS_MANAGED`
    let mut managed = 9u32;
    call("cuPointerGetAttribute", (&raw mut managed, 8u32, address));
    assert_eq!(managed, 1);
    // SAFETY: managed memory is the host's too, and the launch is over.
    let seen = unsafe { std::slice::from_raw_parts(address as *const u32, 2) };
    assert_eq!(seen, [1, 42]);
    call("cuMemFree_v2", (address,));
    call("cuGraphExecDestroy", (exec,));
}

#[test]
fn a_node_can_be_given_another_child_graph() {
    let context = Context::new();
    let (append, list) = (context.module(KERNELS).kernel("append"), context.memory(64));
    call("cuMemsetD32_v2", (list, 0u32, 16usize));
    let (first, second, graph) = (Graph::new(), Graph::new(), Graph::new());
    first.append(append, &[], list, 1);
    let two = second.append(append, &[], list, 2);
    second.append(append, &[two], list, 3);
    let none = std::ptr::null::<Handle>();
    let node =
        make("a child", |made| answer("cuGraphAddChildGraphNode", (made, graph.0, none, 0usize, first.0)));
    let inside = || {
        let mut child: Handle = 0;
        call("cuGraphChildGraphNodeGetGraph", (node, &raw mut child));
        child
    };
    let before = inside();
    let said = params(4, &[second.0, 0]);
    call("cuGraphNodeSetParams", (node, &raw const said));
    assert_ne!(inside(), before);
    assert_ne!(inside(), second.0, "it is a clone");
    let mut count = 0usize;
    let stale = answer("cuGraphGetNodes", (before, std::ptr::null_mut::<Handle>(), &raw mut count));
    assert_eq!(stale, INVALID_VALUE, "the graph that was replaced is gone");
    let exec = graph.instantiate();
    run(exec);
    assert_eq!(read(list, 3), [2, 2, 3]);
    call("cuGraphExecDestroy", (exec,));
    let empty = graph.empty(&[]);
    assert_eq!(answer("cuGraphNodeSetParams", (empty, &raw const said)), INVALID_VALUE, "of another kind");
    // The graph that the node is in is no exception.
    let own = params(4, &[graph.0, 0]);
    call("cuGraphNodeSetParams", (node, &raw const own));
}

/// Counts a number down to zero, and gives a conditional node what is left.
const COUNT_DOWN: &str = "
.version 8.0
.target sm_80
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry count_down(.param .u64 at, .param .u64 handle)
{
    .reg .u64 %at, %handle;
    .reg .u32 %n;
    .param .b64 first;
    .param .b32 second;
    ld.param.u64 %at, [at];
    ld.param.u64 %handle, [handle];
    ld.global.u32 %n, [%at];
    sub.u32 %n, %n, 1;
    st.global.u32 [%at], %n;
    st.param.b64 [first], %handle;
    st.param.b32 [second], %n;
    call.uni cudaGraphSetConditional, (first, second);
    ret;
}
";

#[test]
fn conditional_nodes_run_what_a_kernel_says() {
    let context = Context::new();
    let module = context.module(KERNELS);
    let down = context.module(COUNT_DOWN).kernel("count_down");
    let (append, list, counter) = (module.kernel("append"), context.memory(256), context.memory(4));
    let graph = Graph::new();
    let variable = |graph: &Graph, default: u32| {
        make("a handle", |made| {
            answer("cuGraphConditionalHandleCreate", (made, graph.0, context.0, default, 1u32))
        })
    };
    // `CUDA_CONDITIONAL_NODE_PARAMS`: the handle, kind and number of bodies, where they are, the context.
    let conditional = |graph: &Graph, after: &[Handle], handle: Handle, kind: u64, size: u64| {
        let mut said = params(13, &[handle, kind | size << 32, 0, context.0]);
        let node = add(graph, after, &mut said);
        // SAFETY: the library tells where it keeps the handles of so many bodies.
        let bodies = unsafe { std::slice::from_raw_parts(said.words[2] as *const Handle, size as usize) };
        (node, bodies.iter().map(|body| Graph(*body)).collect::<Vec<_>>())
    };
    let again = variable(&graph, 1);
    let (loop_node, bodies) = conditional(&graph, &[], again, 1, 1);
    let one = bodies[0].append(append, &[], list, 1);
    let values = [counter, again];
    let pointers = [&raw const values[0], &raw const values[1]];
    let said = kernel(down, &pointers);
    make("a kernel", |made| {
        answer("cuGraphAddKernelNode_v2", (made, bodies[0].0, &raw const one, 1usize, &raw const said))
    });

    let (choice, zero) = (variable(&graph, 2), variable(&graph, 0));
    let (switch, cases) = conditional(&graph, &[loop_node], choice, 2, 3);
    for (value, case) in (10..).zip(&cases) {
        case.append(append, &[], list, value);
    }
    let (_, branches) = conditional(&graph, &[switch], zero, 0, 2);
    branches[0].append(append, &[], list, 20);
    branches[1].append(append, &[], list, 21);
    let exec = graph.instantiate();
    for turn in 1..=2u32 {
        call("cuMemsetD32_v2", (list, 0u32, 64usize));
        call("cuMemsetD32_v2", (counter, 3 * turn, 1usize));
        run(exec);
        let turns = 3 * turn as usize;
        let expected: Vec<u32> =
            [turns as u32 + 2].into_iter().chain(vec![1; turns]).chain([12, 21]).collect();
        assert_eq!(read(list, turns + 3), expected);
    }
    let mut node: Handle = 0;
    let mut wrong = params(13, &[again, 1 | 2 << 32, 0, context.0]);
    let none = (std::ptr::null::<Handle>(), std::ptr::null::<u8>());
    let added = answer("cuGraphAddNode_v2", (&raw mut node, graph.0, none.0, none.1, 0usize, &raw mut wrong));
    assert_eq!(added, INVALID_VALUE, "a loop has one body");
    let stranger = Graph::new();
    let mut wrong = params(13, &[again, 1 | 1 << 32, 0, context.0]);
    let added =
        answer("cuGraphAddNode_v2", (&raw mut node, stranger.0, none.0, none.1, 0usize, &raw mut wrong));
    assert_eq!(added, INVALID_VALUE, "the value is another graph's");
    call("cuGraphExecDestroy", (exec,));
}

#[test]
fn a_graph_cannot_be_moved_into_itself() {
    let context = Context::new();
    let graph = Graph::new();
    let handle = make("a handle", |made| {
        answer("cuGraphConditionalHandleCreate", (made, graph.0, context.0, 0u32, 1u32))
    });
    let mut said = params(13, &[handle, 1 << 32, 0, context.0]);
    add(&graph, &[], &mut said);
    // SAFETY: the library tells where it keeps the handle of the body.
    let body = unsafe { *(said.words[2] as *const Handle) };
    let (mut node, none) = (0u64, std::ptr::null::<Handle>());
    // `CUDA_CHILD_GRAPH_NODE_PARAMS`: the graph, to be moved.
    let mut said = params(4, &[graph.0, 1]);
    let moved = answer("cuGraphAddNode_v2", (&raw mut node, body, none, none, 0usize, &raw mut said));
    assert_eq!(moved, INVALID_VALUE);
    run(graph.instantiate());
}

#[test]
fn a_copy_of_memory_that_is_nobodys_is_a_fault_of_its_launch() {
    const ILLEGAL_ADDRESS: u32 = 700;
    const UNIFIED: u64 = 4;
    let context = Context::new();
    let graph = Graph::new();
    let mut copy = line(false, 0xdead_0000, context.memory(4), 4);
    (copy[4], copy[6]) = (UNIFIED, 0xdead_0000);
    (copy[15], copy[17]) = (UNIFIED, context.memory(4));
    let none = std::ptr::null::<Handle>();
    make("a copy", |made| {
        answer("cuGraphAddMemcpyNode", (made, graph.0, none, 0usize, copy.as_ptr(), context.0))
    });
    call("cuGraphLaunch", (graph.instantiate(), 0u64));
    assert_eq!(answer("cuCtxSynchronize", ()), ILLEGAL_ADDRESS);
}

#[test]
fn event_nodes_tell_those_outside_and_wait_for_them() {
    let context = Context::new();
    let module = context.module(KERNELS);
    let (slow, copy) = (module.kernel("slow_write"), module.kernel("copy"));
    let (from, to) = (context.memory(4), context.memory(4));
    let (inside, outside) = (context.event(0), context.event(0));
    let (stream, other) = (context.stream(1), context.stream(1));
    let graph = Graph::new();
    let none = std::ptr::null::<Handle>();
    let wait =
        make("a wait", |made| answer("cuGraphAddEventWaitNode", (made, graph.0, none, 0usize, outside)));
    let values = [to, from];
    let pointers = [&raw const values[0], &raw const values[1]];
    let said = kernel(copy, &pointers);
    let copied = make("a kernel", |made| {
        answer("cuGraphAddKernelNode_v2", (made, graph.0, &raw const wait, 1usize, &raw const said))
    });
    let record = make("a record", |made| {
        answer("cuGraphAddEventRecordNode", (made, graph.0, &raw const copied, 1usize, inside))
    });
    let mut told: Handle = 0;
    call("cuGraphEventRecordNodeGetEvent", (record, &raw mut told));
    assert_eq!(told, inside);
    let exec = graph.instantiate();
    assert_eq!(launch(slow, [1; 3], [1; 3], other, &[from, 20_000, 17]), 0);
    call("cuEventRecord", (outside, other));
    call("cuGraphLaunch", (exec, stream));
    call("cuEventSynchronize", (inside,));
    let mut value = 0u32;
    call("cuMemcpyDtoH_v2", (&raw mut value, to, 4usize));
    assert_eq!(value, 17);
    assert_eq!(answer("cuGraphEventWaitNodeSetEvent", (wait, 0u64)), INVALID_VALUE);
    call("cuGraphExecDestroy", (exec,));
}

#[test]
fn a_fault_in_a_graph_reaches_the_program_and_lets_those_who_wait_go_on() {
    let context = Context::new();
    let module = context.module(KERNELS);
    let (event, stream) = (context.event(0), context.stream(1));
    let graph = Graph::new();
    let said = kernel(module.kernel("fault"), &[]);
    let none = std::ptr::null::<Handle>();
    let fault = make("a kernel", |made| {
        answer("cuGraphAddKernelNode_v2", (made, graph.0, none, 0usize, &raw const said))
    });
    make("a record", |made| {
        answer("cuGraphAddEventRecordNode", (made, graph.0, &raw const fault, 1usize, event))
    });
    let exec = graph.instantiate();
    call("cuGraphLaunch", (exec, stream));
    assert_eq!(answer("cuEventSynchronize", (event,)), 700);
    assert_eq!(answer("cuGraphLaunch", (exec, stream)), 700);
}

#[test]
fn a_graph_can_be_drawn() {
    let context = Context::new();
    let module = context.module(KERNELS);
    let (append, list) = (module.kernel("append"), context.memory(64));
    let graph = Graph::new();
    let a = graph.append(append, &[], list, 1);
    graph.empty(&[a]);
    let path = std::env::temp_dir().join(format!("ptxvm-graph-{}.dot", std::process::id()));
    let text = CString::new(path.to_str().expect("a name")).expect("no zeros");
    call("cuGraphDebugDotPrint", (graph.0, text.as_ptr(), 1u32));
    let drawn = std::fs::read_to_string(&path).expect("it was written");
    std::fs::remove_file(&path).expect("it is ours");
    assert!(drawn.starts_with("digraph dot {") && drawn.ends_with("}\n"), "{drawn}");
    assert!(drawn.contains("KERNEL append") && drawn.contains("EMPTY") && drawn.contains(" -> "), "{drawn}");
}
