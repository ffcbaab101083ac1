//! Graphs and their nodes, which a program builds call by call or by a capture.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use super::content::{Content, kind};
use super::params::Shown;
use super::user_object::Held;
use crate::abi::{Answer, CUgraphEdgeData, CUresult};
use crate::handles::{Handle, Object};

/// A handle of a graph.
pub type CUgraph = Handle<Graph>;
/// A handle of a node.
pub type CUgraphNode = Handle<Node>;

/// An edge as seen from one of its nodes: the other one, and what is said of the edge.
pub type Dependency = (CUgraphNode, CUgraphEdgeData);

/// How deep graphs may lie in graphs. Everything that is done to a graph goes down into those in it, on the stack of
/// whatever thread the program calls from; nobody nests by hand, and compilers a few levels.
const MOST_NESTED: usize = 128;

/// Numbers the graphs of the process.
static IDS: AtomicU32 = AtomicU32::new(1);

/// A graph.
pub struct Graph {
    /// Its own handle.
    pub handle: CUgraph,
    /// A number that no other graph of the process has.
    pub id: u32,
    /// Whether it belongs to a node of another graph, which it lives and ends with.
    owned: AtomicBool,
    /// The graph that this node is in.
    owner: OnceLock<Weak<Graph>>,
    state: Mutex<GraphState>,
}

/// A node of a graph.
pub struct Node {
    /// Its own handle.
    pub handle: CUgraphNode,
    /// The graph that it is in.
    pub graph: Weak<Graph>,
    /// Its place in the order in which the graph's nodes were made.
    pub number: u32,
    /// The node that it was cloned from.
    pub origin: CUgraphNode,
}

/// What a graph consists of.
#[derive(Default)]
pub struct GraphState {
    /// The nodes by their numbers, which is the order in which they were made.
    pub nodes: BTreeMap<u32, NodeEntry>,
    /// The number of the next node.
    next: u32,
    /// What the graph keeps alive for the program.
    pub held: Vec<Held>,
    /// The executable graph that has been made of this one, where there may be only one.
    pub instance: Weak<()>,
}

/// A node as its graph knows it.
pub struct NodeEntry {
    pub node: Arc<Node>,
    pub content: Content<Arc<Graph>>,
    /// What it depends on.
    pub before: Vec<(u32, CUgraphEdgeData)>,
    /// What depends on it.
    pub after: Vec<(u32, CUgraphEdgeData)>,
    /// What the program was shown of its parameters and may still look at.
    pub shown: Shown,
}

impl Object for Graph {
    const STALE: CUresult = CUresult::INVALID_VALUE;
}

impl Object for Node {
    const STALE: CUresult = CUresult::INVALID_VALUE;
}

impl Graph {
    /// An empty graph.
    pub fn create() -> Arc<Self> {
        Self::with(GraphState::default())
    }

    fn with(state: GraphState) -> Arc<Self> {
        let mut made = None;
        Handle::insert_with(|handle| {
            let id = IDS.fetch_add(1, Ordering::Relaxed);
            let (owned, owner, state) = (AtomicBool::new(false), OnceLock::new(), Mutex::new(state));
            let graph = Arc::new(Self { handle, id, owned, owner, state });
            Arc::clone(made.insert(graph))
        });
        match made {
            Some(graph) => graph,
            None => unreachable!("a handle is given to what was made"),
        }
    }

    /// Its nodes and edges.
    pub fn state(&self) -> MutexGuard<'_, GraphState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes it a part of a node of another graph.
    pub fn own(&self) {
        self.owned.store(true, Ordering::Relaxed);
    }

    /// Whether it is part of a node of another graph.
    pub fn is_owned(&self) -> bool {
        self.owned.load(Ordering::Relaxed)
    }

    /// How many graphs it lies in.
    fn level(&self) -> usize {
        let mut level = 0;
        let mut owner = self.owner.get().and_then(Weak::upgrade);
        while let Some(graph) = owner {
            level += 1;
            owner = graph.owner.get().and_then(Weak::upgrade);
        }
        level
    }

    /// How deep the graphs in it lie in it.
    fn height(&self) -> usize {
        let state = self.state();
        let inside = state.nodes.values().flat_map(|entry| entry.content.graphs());
        inside.map(|graph| 1 + graph.height()).max().unwrap_or(0)
    }

    /// Whether a graph may become part of a node of this one.
    ///
    /// # Errors
    /// Graphs would lie too deep in each other.
    pub fn check_depth(&self, child: &Graph) -> Answer {
        let deep = self.level() + 1 + child.height() > MOST_NESTED;
        if deep { Err(CUresult::NOT_SUPPORTED) } else { Ok(()) }
    }

    /// Takes a graph into a node of this one.
    pub fn adopt(self: &Arc<Self>, child: &Graph) {
        // A graph is moved once at most.
        let _ = child.owner.set(Arc::downgrade(self));
    }

    /// Whether it is that graph, or has it in it.
    pub fn holds(&self, that: CUgraph) -> bool {
        let inside = |entry: &NodeEntry| entry.content.graphs().iter().any(|graph| graph.holds(that));
        self.handle == that || self.state().nodes.values().any(inside)
    }

    /// Adds a node that comes after others.
    ///
    /// # Errors
    /// One of those is not in this graph, or is named twice; or graphs would lie too deep in each other.
    pub fn add(self: &Arc<Self>, content: Content<Arc<Self>>, after: &[Dependency]) -> Answer<Arc<Node>> {
        content.graphs().iter().try_for_each(|child| self.check_depth(child))?;
        let mut state = self.state();
        let before = state.numbers(self, after, content.kind())?;
        Ok(state.add(self, content, before, CUgraphNode::NULL))
    }

    /// Adds edges.
    ///
    /// # Errors
    /// An edge that is there, is named twice, leads from a node to itself or to a node of another graph; none is
    /// added then.
    pub fn connect(&self, edges: &[(CUgraphNode, CUgraphNode, CUgraphEdgeData)]) -> Answer {
        let mut state = self.state();
        let edges = state.edges(self, edges)?;
        let known = |&(from, to, _): &(u32, u32, CUgraphEdgeData)| state.has_edge(from, to);
        if edges.iter().any(|edge| edge.0 == edge.1 || known(edge)) {
            return Err(CUresult::INVALID_VALUE);
        }
        for (from, to, data) in edges {
            state.connect(from, to, data);
        }
        Ok(())
    }

    /// Removes edges.
    ///
    /// # Errors
    /// One of them is not there; none is removed then.
    pub fn disconnect(&self, edges: &[(CUgraphNode, CUgraphNode, CUgraphEdgeData)]) -> Answer {
        let mut state = self.state();
        if state.has_memory() {
            return Err(CUresult::NOT_SUPPORTED);
        }
        let edges = state.edges(self, edges)?;
        if edges.iter().any(|edge| !state.nodes[&edge.0].after.contains(&(edge.1, edge.2))) {
            return Err(CUresult::INVALID_VALUE);
        }
        for (from, to, data) in edges {
            state.disconnect(from, to, data);
        }
        Ok(())
    }

    /// A graph with the same nodes, edges and references.
    ///
    /// # Errors
    /// It holds memory nodes, whose addresses are in it once.
    pub fn duplicate(&self) -> Answer<Arc<Self>> {
        // Asked once, and not again of each graph in it.
        if self.state().has_memory() {
            return Err(CUresult::NOT_SUPPORTED);
        }
        self.duplicate_all()
    }

    fn duplicate_all(&self) -> Answer<Arc<Self>> {
        let state = self.state();
        let copy = Self::create();
        let mut target = copy.state();
        target.next = state.next;
        for (number, entry) in &state.nodes {
            let content = entry.content.try_map(|child| {
                let child = child.duplicate_all()?;
                child.own();
                Ok(child)
            });
            let content = match content {
                // Another thread may have added it since it was asked.
                Ok(Content::Allocate(_) | Content::Free(_)) => Err(CUresult::NOT_SUPPORTED),
                content => content,
            };
            let content = match content {
                Ok(content) => content,
                Err(result) => {
                    drop(target);
                    copy.release();
                    return Err(result);
                }
            };
            target.insert(&copy, *number, content, entry.node.handle);
        }
        for (number, entry) in &state.nodes {
            if let Some(twin) = target.nodes.get_mut(number) {
                twin.before.clone_from(&entry.before);
                twin.after.clone_from(&entry.after);
            }
        }
        target.held.clone_from(&state.held);
        drop(target);
        Ok(copy)
    }

    /// Makes its handle, and those of all in it, stale.
    pub fn release(&self) {
        let state = std::mem::take(&mut *self.state());
        for entry in state.nodes.values() {
            entry.release();
        }
        // It may have been released by its owner already.
        let _ = self.handle.remove();
    }

    /// The nodes from which others can be reached, those themselves included: the numbers of their handles.
    pub fn ancestors(&self, of: &[CUgraphNode]) -> HashSet<u64> {
        let state = self.state();
        let mut open: Vec<u32> = of.iter().filter_map(|node| node.find()).map(|node| node.number).collect();
        let mut seen: HashSet<u32> = open.iter().copied().collect();
        while let Some(number) = open.pop() {
            for (before, _) in state.nodes.get(&number).map_or(&[][..], |entry| &entry.before) {
                if seen.insert(*before) {
                    open.push(*before);
                }
            }
        }
        seen.iter().filter_map(|number| Some(state.nodes.get(number)?.node.handle.number())).collect()
    }
}

impl Drop for Graph {
    /// A capture may have added nodes after the program had destroyed the graph.
    fn drop(&mut self) {
        self.state().nodes.values().for_each(NodeEntry::release);
    }
}

impl GraphState {
    /// Whether there are nodes that allocate or free memory.
    pub fn has_memory(&self) -> bool {
        self.nodes.values().any(|entry| match &entry.content {
            Content::Allocate(_) | Content::Free(_) => true,
            content => content.graphs().iter().any(|graph| graph.state().has_memory()),
        })
    }

    /// The edges in the order of the nodes that they lead from.
    pub fn all_edges(&self) -> Vec<(CUgraphNode, CUgraphNode, CUgraphEdgeData)> {
        let edges = self.nodes.values().flat_map(|entry| {
            entry.after.iter().map(|(to, data)| (entry.node.handle, self.nodes[to].node.handle, *data))
        });
        edges.collect()
    }

    /// The handles that numbers stand for.
    pub fn named(&self, edges: &[(u32, CUgraphEdgeData)]) -> Vec<Dependency> {
        edges.iter().map(|(number, data)| (self.nodes[number].node.handle, *data)).collect()
    }

    /// Takes a node out, with its edges.
    pub fn remove(&mut self, number: u32) -> Option<NodeEntry> {
        let entry = self.nodes.remove(&number)?;
        for (before, data) in &entry.before {
            if let Some(other) = self.nodes.get_mut(before) {
                other.after.retain(|edge| edge != &(number, *data));
            }
        }
        for (after, data) in &entry.after {
            if let Some(other) = self.nodes.get_mut(after) {
                other.before.retain(|edge| edge != &(number, *data));
            }
        }
        Some(entry)
    }

    fn add(
        &mut self,
        graph: &Arc<Graph>,
        content: Content<Arc<Graph>>,
        before: Vec<(u32, CUgraphEdgeData)>,
        origin: CUgraphNode,
    ) -> Arc<Node> {
        let number = self.next;
        self.next += 1;
        let node = self.insert(graph, number, content, origin);
        for (from, data) in before {
            self.connect(from, number, data);
        }
        node
    }

    fn insert(
        &mut self,
        graph: &Arc<Graph>,
        number: u32,
        content: Content<Arc<Graph>>,
        origin: CUgraphNode,
    ) -> Arc<Node> {
        let mut made = None;
        Handle::insert_with(|handle| {
            let node = Arc::new(Node { handle, graph: Arc::downgrade(graph), number, origin });
            Arc::clone(made.insert(node))
        });
        let Some(node) = made else { unreachable!("a handle is given to what was made") };
        content.graphs().iter().for_each(|child| graph.adopt(child));
        let (before, after) = (Vec::new(), Vec::new());
        let entry = NodeEntry { node: Arc::clone(&node), content, before, after, shown: Shown::default() };
        self.nodes.insert(number, entry);
        node
    }

    fn connect(&mut self, from: u32, to: u32, data: CUgraphEdgeData) {
        if let Some(entry) = self.nodes.get_mut(&from) {
            entry.after.push((to, data));
        }
        if let Some(entry) = self.nodes.get_mut(&to) {
            entry.before.push((from, data));
        }
    }

    fn disconnect(&mut self, from: u32, to: u32, data: CUgraphEdgeData) {
        if let Some(entry) = self.nodes.get_mut(&from) {
            entry.after.retain(|edge| edge != &(to, data));
        }
        if let Some(entry) = self.nodes.get_mut(&to) {
            entry.before.retain(|edge| edge != &(from, data));
        }
    }

    /// What kind of node a number is.
    fn kind(&self, number: u32) -> Option<u32> {
        self.nodes.get(&number).map(|entry| entry.content.kind())
    }

    fn has_edge(&self, from: u32, to: u32) -> bool {
        self.nodes[&from].after.iter().any(|(known, _)| *known == to)
    }

    /// The numbers of nodes of this graph, each named once, that a node of a kind is to depend on.
    fn numbers(&self, graph: &Graph, nodes: &[Dependency], kind: u32) -> Answer<Vec<(u32, CUgraphEdgeData)>> {
        let mut seen = HashSet::new();
        let number = |(handle, data): &Dependency| {
            let number = graph.number(*handle)?;
            let valid = self.kind(number).is_some_and(|from| data.suits(from, kind)) && seen.insert(number);
            if valid { Ok((number, *data)) } else { Err(CUresult::INVALID_VALUE) }
        };
        nodes.iter().map(number).collect()
    }

    fn edges(
        &self,
        graph: &Graph,
        edges: &[(CUgraphNode, CUgraphNode, CUgraphEdgeData)],
    ) -> Answer<Vec<(u32, u32, CUgraphEdgeData)>> {
        let mut seen = HashSet::new();
        let numbered = |(from, to, data): &(CUgraphNode, CUgraphNode, CUgraphEdgeData)| {
            let (from, to) = (graph.number(*from)?, graph.number(*to)?);
            let ends = self.kind(from).zip(self.kind(to));
            let valid = ends.is_some_and(|(from, to)| data.suits(from, to)) && seen.insert((from, to));
            if valid { Ok((from, to, *data)) } else { Err(CUresult::INVALID_VALUE) }
        };
        edges.iter().map(numbered).collect()
    }
}

impl Graph {
    /// The number of a node that must be in this graph.
    fn number(&self, node: CUgraphNode) -> Answer<u32> {
        let node = node.get()?;
        if std::ptr::eq(node.graph.as_ptr(), self) { Ok(node.number) } else { Err(CUresult::INVALID_VALUE) }
    }
}

impl NodeEntry {
    /// Makes the handles of the node and of the graphs in it stale.
    pub fn release(&self) {
        let _ = self.node.handle.remove();
        self.content.graphs().iter().for_each(|graph| graph.release());
    }
}

impl Node {
    /// The graph that it is in.
    ///
    /// # Errors
    /// That has been destroyed.
    pub fn graph(&self) -> Answer<Arc<Graph>> {
        self.graph.upgrade().ok_or(CUresult::INVALID_VALUE)
    }

    /// Looks at what its graph knows of it, or changes that.
    ///
    /// # Errors
    /// The graph or the node has been destroyed, or what `see` says.
    pub fn with<T>(&self, see: impl FnOnce(&mut NodeEntry) -> Answer<T>) -> Answer<T> {
        let graph = self.graph()?;
        let mut state = graph.state();
        see(state.nodes.get_mut(&self.number).ok_or(CUresult::INVALID_VALUE)?)
    }
}

impl CUgraphEdgeData {
    /// Whether there are such ports and such a kind of edge.
    pub fn is_valid(&self) -> bool {
        self.from_port <= 2 && self.to_port == 0 && self.kind <= 1 && self.reserved == [0; 5]
    }

    /// Whether there can be such an edge between nodes of two kinds: only kernels have ports, and only between kernels
    /// are there programmatic edges, which leave at a port.
    fn suits(&self, from: u32, to: u32) -> bool {
        let kernels = (self.from_port == 0 || from == kind::KERNEL) && (self.kind == 0 || to == kind::KERNEL);
        let programmatic = self.kind == Self::PROGRAMMATIC.kind;
        let port =
            if programmatic { self.from_port != 0 } else { self.from_port != Self::PROGRAMMATIC.from_port };
        self.is_valid() && kernels && port
    }
}
