//! Undo and redo by snapshots.
//!
//! A snapshot of all runs is kept before each group of actions. Undo restores it and keeps the state that was left, so
//! that redo restores that one: both are exact, whatever the simulation has done in between.

use std::collections::VecDeque;

use undine::sim::Snapshot;

/// Limit on the memory of all snapshots.
const MAX_BYTES: usize = 512 << 20;
/// Limit on the number of snapshots.
const MAX_GROUPS: usize = 200;

/// The snapshots of all runs of a session, at one time.
pub(super) type Snapshots = Vec<Snapshot>;

/// The undo and redo stacks.
#[derive(Default)]
pub(super) struct UndoStack {
    past: VecDeque<Snapshots>,
    future: Vec<Snapshots>,
    /// Key of the open group: edits of the same keys, as from a slider that is still dragged, join it.
    open_group: Option<String>,
}

impl UndoStack {
    /// Begins a group with the snapshot before it. Clears the redo stack.
    pub fn begin(&mut self, before: Snapshots, key: Option<String>) {
        self.past.push_back(before);
        self.future.clear();
        self.open_group = key;
        while self.past.len() > MAX_GROUPS || (self.past.len() > 1 && self.bytes() > MAX_BYTES) {
            self.past.pop_front();
        }
    }

    /// Whether an action with this key joins the open group.
    pub fn joins(&self, key: &str) -> bool {
        self.open_group.as_deref() == Some(key)
    }

    /// Closes the group: the next action begins another.
    pub fn close_group(&mut self) {
        self.open_group = None;
    }

    /// Removes the group that was just begun, because its action failed.
    pub fn discard_last(&mut self) {
        self.past.pop_back();
        self.open_group = None;
    }

    /// The snapshot before the last group; `now` goes onto the redo stack.
    pub fn undo(&mut self, now: Snapshots) -> Option<Snapshots> {
        let before = self.past.pop_back()?;
        self.future.push(now);
        self.open_group = None;
        Some(before)
    }

    /// The snapshot at which the last undo happened; `now` goes onto the undo stack.
    pub fn redo(&mut self, now: Snapshots) -> Option<Snapshots> {
        let after = self.future.pop()?;
        self.past.push_back(now);
        self.open_group = None;
        Some(after)
    }

    /// Sizes of the undo and the redo stack.
    pub fn counts(&self) -> (usize, usize) {
        (self.past.len(), self.future.len())
    }

    fn bytes(&self) -> usize {
        self.past.iter().flatten().map(Snapshot::bytes).sum()
    }
}
