//! Taking back and doing again.
//!
//! Before a stroke of the hand a snapshot is kept. Taking the stroke back returns to it, and keeps the one that
//! was left, so that doing it again returns there: both are exact, whatever the water has done meanwhile.

use std::collections::VecDeque;

use undine::sim::Snapshot;

/// Bytes that kept snapshots may take together.
const MOST_BYTES: usize = 512 << 20;
/// Snapshots that are kept at the most.
const MOST_STROKES: usize = 200;

/// The snapshots of all runs of a session, at one time.
pub(super) type Snapshots = Vec<Snapshot>;

/// What can be taken back and done again.
#[derive(Default)]
pub(super) struct Strokes {
    past: VecDeque<Snapshots>,
    future: Vec<Snapshots>,
    /// What the last stroke changed, while it goes on: a slider that is still being dragged is one stroke.
    going_on: Option<String>,
}

impl Strokes {
    /// Keeps the snapshot before a stroke. What was taken back before can no longer be done again.
    pub fn begin(&mut self, before: Snapshots, what: Option<String>) {
        self.past.push_back(before);
        self.future.clear();
        self.going_on = what;
        while self.past.len() > MOST_STROKES || (self.past.len() > 1 && self.bytes() > MOST_BYTES) {
            self.past.pop_front();
        }
    }

    /// Whether a stroke of the same kind goes on.
    pub fn goes_on(&self, what: &str) -> bool {
        self.going_on.as_deref() == Some(what)
    }

    /// The next action belongs to a new stroke.
    pub fn lift(&mut self) {
        self.going_on = None;
    }

    /// The stroke that just began came to nothing.
    pub fn forget_last(&mut self) {
        self.past.pop_back();
        self.going_on = None;
    }

    /// The snapshot before the last stroke; `now` is kept for doing it again.
    pub fn undo(&mut self, now: Snapshots) -> Option<Snapshots> {
        let before = self.past.pop_back()?;
        self.future.push(now);
        self.going_on = None;
        Some(before)
    }

    /// The snapshot at which the last undo happened; `now` is kept for taking it back.
    pub fn redo(&mut self, now: Snapshots) -> Option<Snapshots> {
        let after = self.future.pop()?;
        self.past.push_back(now);
        self.going_on = None;
        Some(after)
    }

    /// How many strokes can be taken back, and done again.
    pub fn counts(&self) -> (usize, usize) {
        (self.past.len(), self.future.len())
    }

    fn bytes(&self) -> usize {
        self.past.iter().flatten().map(Snapshot::bytes).sum()
    }
}
