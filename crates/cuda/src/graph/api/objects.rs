//! The entry points for user objects, for the values of conditional nodes, and for drawings of graphs.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use crate::abi::{CUresult, Host, Out, Text};
use crate::context::CUcontext;
use crate::driver;
use crate::entry::entry;
use crate::graph::conditional::{CUgraphConditionalHandle, Variable};
use crate::graph::definition::CUgraph;
use crate::graph::dot::dot;
use crate::graph::params;
use crate::graph::user_object::{CUuserObject, Held, UserObject};
use crate::handles::Handle;
use crate::work::{CUhostFn, HostCall};

/// `CU_USER_OBJECT_NO_DESTRUCTOR_SYNC`: nobody is told when the destructor has run. The only way there is.
const NO_DESTRUCTOR_SYNC: u32 = 1;
/// `CU_GRAPH_USER_OBJECT_MOVE`
const MOVE: u32 = 1;
/// `CU_GRAPH_COND_ASSIGN_DEFAULT`
const ASSIGN_DEFAULT: u32 = 1;

entry! {
    fn cuUserObjectCreate(
        object: Out<CUuserObject>, data: Host, destroy: Option<CUhostFn>, references: u32, flags: u32,
    ) {
        driver::get()?;
        let function = destroy.ok_or(CUresult::INVALID_VALUE)?;
        if object.is_null() || flags != NO_DESTRUCTOR_SYNC || references == 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        object.set(UserObject::create(HostCall { function, data }, references))
    }

    fn cuUserObjectRetain(object: CUuserObject, count: u32) {
        driver::get()?;
        object.get()?.retain(count)
    }

    fn cuUserObjectRelease(object: CUuserObject, count: u32) {
        driver::get()?;
        object.get()?.release(count)
    }

    fn cuGraphRetainUserObject(graph: CUgraph, object: CUuserObject, count: u32, flags: u32) {
        driver::get()?;
        let (graph, object) = (graph.get()?, object.get()?);
        if flags & !MOVE != 0 || !is_count(count) {
            return Err(CUresult::INVALID_VALUE);
        }
        // References that are moved are the caller's own, which stay what they are and change hands.
        if flags & MOVE == 0 {
            object.retain(count)?;
        }
        let mut state = graph.state();
        let known = state.held.iter_mut().find(|held| held.is_of(&object));
        match known.map(|held| (held.count.checked_add(count), held)) {
            Some((Some(sum), held)) => held.count = sum,
            _ => state.held.push(Held { object, count }),
        }
        Ok(())
    }

    fn cuGraphReleaseUserObject(graph: CUgraph, object: CUuserObject, count: u32) {
        driver::get()?;
        let (graph, object) = (graph.get()?, object.get()?);
        if !is_count(count) {
            return Err(CUresult::INVALID_VALUE);
        }
        let mut state = graph.state();
        let at = state.held.iter().position(|held| held.is_of(&object)).ok_or(CUresult::INVALID_VALUE)?;
        // Who gives back more than the graph has gives back what it has.
        let count = count.min(state.held[at].count);
        state.held[at].count -= count;
        if state.held[at].count == 0 {
            state.held.remove(at);
        }
        // The program's function must find the graph free.
        drop(state);
        object.release(count)
    }

    fn cuGraphConditionalHandleCreate(
        handle: Out<CUgraphConditionalHandle>, graph: CUgraph, context: CUcontext, default: u32, flags: u32,
    ) {
        driver::get()?;
        graph.get()?;
        params::context(context)?;
        if handle.is_null() || flags & !ASSIGN_DEFAULT != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        let default = (flags & ASSIGN_DEFAULT != 0).then_some(default);
        let value = AtomicU32::new(default.unwrap_or(0));
        handle.set(Handle::insert(Arc::new(Variable { graph, value, default })))
    }

    fn cuGraphDebugDotPrint(graph: CUgraph, path: Text, flags: u32) {
        driver::get()?;
        let text = dot(&graph.get()?, flags);
        std::fs::write(path.get()?, text).map_err(|_| CUresult::OPERATING_SYSTEM)
    }
}

/// Whether a number counts references: there is at least one, and a signed number could hold it.
fn is_count(count: u32) -> bool {
    (1..=i32::MAX as u32).contains(&count)
}
