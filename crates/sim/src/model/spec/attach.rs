//! Joining models: copying a subtree of one spec into another, and replicating subtrees.
