//! What a group of lanes does after the end of a block: go on, switch, or stop.

/// How a group goes on.
pub(crate) enum After {
    /// The group goes on at its block.
    Go,
    /// The group has been put away.
    Switch,
    /// The worker's fault says what happened. The group is still at the end of the block.
    Fault,
}
