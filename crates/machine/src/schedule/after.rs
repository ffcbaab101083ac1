//! What comes after the end of a block.

/// How a group goes on.
pub(crate) enum After {
    /// The group goes on at its block.
    Go,
    /// The group has been put away.
    Switch,
    /// The worker's fault says what happened. The group is still at the end of the block.
    Fault,
}
