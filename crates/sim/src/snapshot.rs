//! Snapshots of a runner, for undo and for retaking a frame.

use std::io;
use std::sync::Arc;

use undine_scene::Scene;

use crate::kept_state::KeptState;
use crate::{Action, Reader, Runner, Writer};

/// A runner as it was at one time.
///
/// ```
/// use undine_scene::{LoadOptions, Scene};
/// use undine_sim::Runner;
///
/// let text = "[scene]\nduration = 1\n[[water]]\nkind = 'kass-miller'\nsize = [4, 4]\nresolution = 16\nlevel = 1";
/// let scene = Scene::parse("pool", text, &LoadOptions::default())?;
/// let mut pool = Runner::new(&scene, undine_models::MODELS, None)?;
/// let start = pool.snapshot()?;
/// pool.next_frame()?;
/// pool.restore_snapshot(&start)?;
/// assert_eq!(pool.frame(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Snapshot {
    /// The clock and the waters, as [`Runner::save`] writes them.
    state: KeptState,
    scene: Arc<Scene>,
    actions: Arc<Vec<Action>>,
    done: usize,
}

impl Snapshot {
    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.state.capacity() + 4096
    }

    /// The bytes that were copied for it: in the memory of an older one less than its state has, where a water knows which
    /// of its tiles have changed.
    pub fn bytes_copied(&self) -> u64 {
        self.state.copied()
    }
}

impl Runner {
    /// All that is needed to come back to now.
    pub fn snapshot(&self) -> io::Result<Snapshot> {
        self.snapshot_into(None)
    }

    /// A snapshot in the memory of an older one: taken again and again, it does not touch the heap, and copies of waters
    /// that know their tiles only those that have changed.
    pub fn snapshot_into(&self, older: Option<Snapshot>) -> io::Result<Snapshot> {
        let mut state = match older {
            Some(older) => older.state,
            None => KeptState::with_capacity(self.state_bytes()?),
        };
        self.save(&mut Writer::over(&mut state))?;
        state.finish();
        Ok(Snapshot { state, scene: self.scene.clone(), actions: self.actions.clone(), done: self.done })
    }

    /// Size of the state in bytes, by a pass that copies nothing.
    fn state_bytes(&self) -> io::Result<usize> {
        let mut counter = Counter(0);
        self.save(&mut Writer::new(&mut counter))?;
        Ok(counter.0)
    }

    /// Goes back to a snapshot of this runner, or forward to one that it went back from.
    pub fn restore_snapshot(&mut self, snapshot: &Snapshot) -> io::Result<()> {
        self.actions.clone_from(&snapshot.actions);
        self.rebuild(&snapshot.scene)?;
        self.done = snapshot.done;
        self.restore_with(&mut Reader::new(snapshot.state.bytes()), |_, _| Ok(()))
    }
}

/// Counts what is written to it.
struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
