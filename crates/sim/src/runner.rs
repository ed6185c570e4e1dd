//! The clock of a scene: its waters, advanced one frame at a time.

use std::io;
use std::sync::{Arc, Mutex};

use glam::{DVec2, DVec3};
use undine_scene::{Problem, Scene, SceneErrors};

use crate::capture::CaptureMemory;
use crate::count_record::CountRecord;
use crate::{
    Action, ActionError, Budget, Count, Counters, Disturbance, Estimate, ModelEntry, Phases, Reader, Sample,
    Seconds, Simulation, Snapshot, Step, StepError, Stopwatch, World, Writer, read_waters,
};

/// Maximum number of retries of a step.
const MOST_RETRIES: u32 = 40;

/// Maximum number of retakes of a frame with shorter steps.
const MOST_RETAKES: u64 = 4;

/// The most steps that one frame may take. More means that dt has collapsed.
const MOST_STEPS: u64 = 10_000_000;

/// Why a frame fails whose stable step does not move the clock.
const VANISHED: &str = "the stable step has shrunk to nothing";

/// One water of a scene.
pub struct Water {
    /// Its name in the scene.
    pub name: String,
    /// Which model it is.
    pub model: &'static ModelEntry,
    /// Its estimate of memory and time.
    pub estimate: Estimate,
    /// Warnings of its builder.
    pub warnings: Vec<Problem>,
    /// The water itself.
    pub simulation: Box<dyn Simulation>,
    /// The number of the water that drives it.
    pub driver: Option<usize>,
}

/// Statistics of a frame.
#[derive(Debug, Clone, Default)]
pub struct FrameStats {
    /// Steps that all waters took together.
    pub steps: u64,
    /// Steps that had to be shortened.
    pub retries: u64,
    /// How often the frame was taken again from its beginning, with shorter steps, because a water failed. Steps and
    /// retries are those of the last take; phases and seconds are those of all of them.
    pub retakes: u64,
    /// Wall-clock time of the phases.
    pub phases: Phases,
    /// Seconds on the clock that the steps took, and the snapshot before them.
    pub seconds: f64,
    /// The largest relative error of a volume ledger at any step.
    pub volume_error: f64,
    /// The budgets of the waters at the frame, in the order of the file.
    pub budgets: Vec<Budget>,
    /// The counters of the waters over the steps of the last take, in the order of the file.
    pub counters: Vec<Counters>,
}

/// A step that failed for good, with its place.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "water {water:?} failed at t = {time} s on the way to frame {frame}, step length {dt:e} s{again}: {reason}",
    again = again(*retakes)
)]
pub struct StepFailure {
    /// The water.
    pub water: String,
    /// Time at which the step began.
    pub time: Seconds,
    /// The frame that could not be reached.
    pub frame: u64,
    /// Length of the last try.
    pub dt: Seconds,
    /// Number of retakes of the frame with shorter steps.
    pub retakes: u64,
    /// Why.
    pub reason: StepError,
}

/// The text about retakes in an error message.
fn again(retakes: u64) -> String {
    match retakes {
        0 => String::new(),
        1 => String::from(", after a retake of the frame with shorter steps"),
        more => format!(", after {more} retakes of the frame with shorter steps"),
    }
}

/// Step lengths of a water in the frame in progress.
#[derive(Debug, Clone, Copy)]
struct FrameSteps {
    /// The longest step that it may take; infinite unless it has failed in this frame.
    limit: Seconds,
    /// Its last step in this frame, if any.
    last: Option<Seconds>,
}

impl FrameSteps {
    const FREE: FrameSteps = FrameSteps { limit: f64::INFINITY, last: None };
}

/// A step that failed: the number of the water, and half of the step that did it, where shorter steps may help.
struct BrokenStep {
    water: usize,
    shorter: Option<Seconds>,
    failure: Box<StepFailure>,
}

/// A running scene. `run` advances it to the end; the studio advances it frame by frame.
///
/// A `Runner` is itself a [`Sample`]: heights and velocities are the sum over its waters in the order of the file.
///
/// ```
/// use glam::DVec2;
/// use undine_scene::{LoadOptions, Scene};
/// use undine_sim::{Runner, Sample};
///
/// let text = "[scene]\nduration = 1\nfps = 10\n[[water]]\nkind = 'gerstner'\nwave = [{ amplitude = 0.2, wavelength = 6 }]";
/// let scene = Scene::parse("swell", text, &LoadOptions::default())?;
/// let mut sea = Runner::new(&scene, undine_models::MODELS, None)?;
/// sea.next_frame()?;
/// assert_eq!(sea.time(), 0.1);
/// assert!(sea.height(DVec2::ZERO).unwrap().abs() <= 0.2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Runner {
    pub(crate) waters: Vec<Water>,
    pub(crate) frame: u64,
    pub(crate) time: Seconds,
    fps: f64,
    pub(crate) frame_count: u64,
    pub(crate) gravity: f64,
    seed: u64,
    /// Statistics of the frame in progress.
    pub(crate) frame_in_progress: Option<FrameStats>,
    /// The waters at the beginning of the frame in progress; its memory is used for every frame.
    frame_start: Option<Snapshot>,
    /// One for each water.
    paces: Vec<FrameSteps>,
    /// The counts of all frames so far.
    pub(crate) count_record: CountRecord,
    /// The scene as it was read.
    pub(crate) script: Scene,
    /// The scene as actions have left it.
    pub(crate) scene: Arc<Scene>,
    pub(crate) models: Vec<&'static ModelEntry>,
    /// The actions, in order.
    pub(crate) actions: Arc<Vec<Action>>,
    /// Number of actions applied.
    pub(crate) done: usize,
    /// What captures have given out.
    pub(crate) captured: Mutex<CaptureMemory>,
}

impl Runner {
    /// Builds the waters of a scene; see [`read_waters`].
    pub fn new(
        scene: &Scene,
        models: &[&'static ModelEntry],
        memory: Option<u64>,
    ) -> Result<Runner, SceneErrors> {
        let mut errors = SceneErrors::default();
        let actions = errors.keep(Action::read_all(scene)).unwrap_or_default();
        let waters = errors.keep(read_waters(scene, models, memory)).unwrap_or_default();
        errors.into_result()?;
        Action::check_ground(scene, &waters, models).into_result()?;
        Ok(Runner {
            count_record: CountRecord::new(&waters, scene.fps),
            waters,
            frame: 0,
            time: 0.0,
            fps: scene.fps,
            frame_count: scene.frame_count(),
            gravity: scene.gravity,
            seed: scene.seed,
            frame_in_progress: None,
            frame_start: None,
            paces: Vec::new(),
            script: scene.clone(),
            scene: Arc::new(scene.clone()),
            models: models.to_vec(),
            actions: Arc::new(actions),
            done: 0,
            captured: Mutex::default(),
        })
    }

    /// Number of the frame that has been reached.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Its time.
    pub fn time(&self) -> Seconds {
        self.time
    }

    /// Number of frames of the whole scene.
    pub fn frame_count(&self) -> u64 {
        self.frame_count
    }

    /// The waters in the order of the file.
    pub fn waters(&self) -> &[Water] {
        &self.waters
    }

    /// Cells and particles of all waters together.
    pub fn count(&self) -> Count {
        let counts = self.waters.iter().map(|water| water.simulation.view().count());
        counts.fold(Count::default(), |sum, one| Count {
            cells: sum.cells + one.cells,
            particles: sum.particles + one.particles,
        })
    }

    /// Number of cells of all waters together; see [`Simulation::cells`].
    pub fn cells(&self) -> u64 {
        self.waters.iter().map(|water| water.simulation.cells()).sum()
    }

    /// The budgets of the waters in the order of the file.
    pub fn budgets(&self) -> impl Iterator<Item = (&str, Budget)> {
        self.waters.iter().map(|water| (water.name.as_str(), water.simulation.budget()))
    }

    /// Hands a disturbance to every water. Refused when none of them answers it or when it is not made of finite numbers,
    /// and between frames, where a retake of the frame would lose it.
    pub fn disturb(&mut self, poke: &Disturbance) -> Result<(), ActionError> {
        if !self.is_at_frame() {
            return Err(ActionError::BetweenFrames);
        }
        if !poke.is_finite() {
            return Err(ActionError::NoAnswer);
        }
        let answers = self.waters.iter_mut().map(|water| water.simulation.disturb(poke));
        // Every water is disturbed, whatever the others return
        let is_answered = answers.fold(false, |any, one| any | one);
        is_answered.then_some(()).ok_or(ActionError::NoAnswer)
    }

    /// Advances to the next frame, exactly onto its time, after applying the actions that are due.
    ///
    /// When a water fails on the way, all waters go back to the beginning of the frame and take it again, the one that
    /// failed with steps of half the length; at most four times. After a failure the runner stands at the last frame that
    /// was reached, as it was after its actions.
    pub fn next_frame(&mut self) -> Result<FrameStats, StepFailure> {
        loop {
            if let Some(stats) = self.next_step()? {
                return Ok(stats);
            }
        }
    }

    /// Takes one step towards the next frame, for callers that cannot block for a whole frame. With the step that
    /// reaches the frame comes what all of them took. A step that fails may send the waters back to the beginning of the
    /// frame: the next ones take it again.
    pub fn next_step(&mut self) -> Result<Option<FrameStats>, StepFailure> {
        let mut stats = match self.frame_in_progress.take() {
            Some(stats) => stats,
            None => self.begin_frame()?,
        };
        match self.step_within_frame(&mut stats) {
            Ok(true) => Ok(Some(stats)),
            Ok(false) => {
                self.frame_in_progress = Some(stats);
                Ok(None)
            }
            Err(broken) => self.retake_frame(broken, &stats).map(|()| None),
        }
    }

    /// Applies the actions of the frame and keeps a snapshot of what they leave. No limit outlives its frame, so that a
    /// run that is resumed here takes the same steps.
    fn begin_frame(&mut self) -> Result<FrameStats, StepFailure> {
        self.apply_due_actions()?;
        let mut stats = self.empty_stats();
        let watch = Stopwatch::start();
        let kept = self.frame_start.take();
        let taken = self.snapshot_into(kept);
        let snapshot = taken.map_err(|error| {
            let water = self.waters.first().map(|water| water.name.clone()).unwrap_or_default();
            let reason = StepError::Failed(format!("the state cannot be kept: {error}"));
            StepFailure { water, time: self.time, frame: self.frame + 1, dt: 0.0, retakes: 0, reason }
        })?;
        self.frame_start = Some(snapshot);
        self.paces.clear();
        self.paces.resize(self.waters.len(), FrameSteps::FREE);
        stats.seconds = watch.seconds();
        stats.phases.add("snapshot", stats.seconds);
        Ok(stats)
    }

    /// Takes one step of all waters; true when the frame has been reached.
    fn step_within_frame(&mut self, stats: &mut FrameStats) -> Result<bool, BrokenStep> {
        let target = (self.frame + 1) as f64 / self.fps;
        if self.time < target {
            let dt = even_step(target - self.time, self.max_dt()?);
            // The last step ends on the frame's own time, not on a sum of rounded steps.
            let end = if self.time + 1.5 * dt > target { target } else { self.time + dt };
            for index in 0..self.waters.len() {
                self.advance(index, end, stats)?;
            }
            self.time = end;
        }
        if self.time < target {
            return Ok(false);
        }
        // A frame is sound when its sums are finite and a step can be taken from it
        stats.budgets = self.checked_budgets()?;
        self.max_dt()?;
        self.count_record.add(&stats.counters);
        self.frame += 1;
        Ok(true)
    }

    /// Goes back to the beginning of the frame, to take it again with shorter steps of the water that failed. The failure
    /// is final when that cannot help, or has not helped often enough.
    fn retake_frame(&mut self, broken: BrokenStep, stats: &FrameStats) -> Result<(), StepFailure> {
        let BrokenStep { water, shorter, failure } = broken;
        let mut failure = StepFailure { retakes: stats.retakes, ..*failure };
        if let Some(snapshot) = self.frame_start.take() {
            let restored = self.restore_snapshot(&snapshot);
            self.frame_start = Some(snapshot);
            if let Err(error) = restored {
                let reason = format!("{}; and the last frame cannot be restored: {error}", failure.reason);
                failure.reason = StepError::Failed(reason);
                return Err(failure);
            }
        }
        let may_help = stats.retakes < MOST_RETAKES && self.waters[water].simulation.retries_frames();
        let Some(limit) = shorter.filter(|_| may_help) else { return Err(failure) };
        self.paces.iter_mut().for_each(|pace| pace.last = None);
        self.paces[water].limit = limit;
        let FrameStats { retakes, phases, seconds, .. } = *stats;
        self.frame_in_progress =
            Some(FrameStats { retakes: retakes + 1, phases, seconds, ..self.empty_stats() });
        Ok(())
    }

    /// The statistics of a frame before its first step. The first frame has no others: none led to it.
    pub fn empty_stats(&self) -> FrameStats {
        let counters = self.waters.iter().map(|water| water.simulation.counters().at_start()).collect();
        FrameStats { counters, ..FrameStats::default() }
    }

    /// Writes the clock and the state of every water.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.integer("frame", self.frame)?;
        to.number("time", self.time)?;
        to.integer("actions", self.done as u64)?;
        for water in &self.waters {
            to.text("water", &water.name)?;
            water.simulation.save(to)?;
        }
        self.count_record.save(to)
    }

    /// Restores a saved state; the runner must have been built from the same scene.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.restore_with(from, Runner::take_up_changes)
    }

    /// Restores the clock and the state of every water; `prepare` rebuilds the waters after this number of actions.
    pub(crate) fn restore_with(
        &mut self,
        from: &mut Reader<'_>,
        prepare: impl FnOnce(&mut Runner, usize) -> io::Result<()>,
    ) -> io::Result<()> {
        self.frame = from.integer("frame")?;
        self.time = from.number("time")?;
        let done = usize::try_from(from.integer("actions")?).unwrap_or(usize::MAX);
        prepare(self, done)?;
        self.frame_in_progress = None;
        for water in &mut self.waters {
            let name = from.text("water")?;
            if name != water.name {
                let message = format!("the saved state is of water {name:?}, not of {:?}", water.name);
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            water.simulation.restore(from)?;
        }
        self.count_record.restore(from)?;
        from.finish()
    }

    /// The budgets; the last guard against a NaN that a step let through.
    fn checked_budgets(&self) -> Result<Vec<Budget>, BrokenStep> {
        let checked = |(index, water): (usize, &Water)| {
            let budget = water.simulation.budget();
            if budget.is_finite() {
                return Ok(budget);
            }
            let reason = StepError::Failed(format!("the budget is not finite: {budget:?}"));
            Err(self.broken(index, self.time, self.paces[index].last.unwrap_or_default(), reason))
        };
        self.waters.iter().enumerate().map(checked).collect()
    }

    /// The longest step that all waters can take together; a failure when the clock would not move by it.
    fn max_dt(&self) -> Result<Seconds, BrokenStep> {
        let mut shortest = f64::INFINITY;
        for (index, water) in self.waters.iter().enumerate() {
            let dt = water.simulation.max_dt();
            if dt.is_nan() || self.time + dt <= self.time {
                let reason = StepError::Failed(VANISHED.into());
                return Err(self.broken(index, self.time, dt, reason));
            }
            shortest = shortest.min(dt);
        }
        Ok(shortest)
    }

    /// A failure that shows after the last step of a water, if it took any.
    fn broken(&self, water: usize, time: Seconds, dt: Seconds, reason: StepError) -> BrokenStep {
        let (name, frame) = (self.waters[water].name.clone(), self.frame + 1);
        let failure = Box::new(StepFailure { water: name, time, frame, dt, retakes: 0, reason });
        BrokenStep { water, shorter: self.paces[water].last.map(|last| 0.5 * last), failure }
    }

    /// Advances one water to `end`. Retries with shorter steps apply to this water only.
    fn advance(&mut self, index: usize, end: Seconds, stats: &mut FrameStats) -> Result<(), BrokenStep> {
        let (frame, gravity, seed) = (self.frame + 1, self.gravity, self.seed);
        let (earlier, rest) = self.waters.split_at_mut(index);
        let water = &mut rest[0];
        let pace = &mut self.paces[index];
        let driver = water.driver.map(|above| &*earlier[above].simulation as &dyn Sample);
        let mut time = self.time;
        let mut limit = pace.limit;
        // The step that was tried before any that was shortened
        let mut wanted = None;
        let mut retries = 0;
        while time < end {
            let stable = water.simulation.max_dt();
            let dt = even_step(end - time, limit.min(stable));
            let start = time;
            let broken = |shorter: Option<Seconds>, reason| BrokenStep {
                water: index,
                shorter,
                failure: Box::new(StepFailure {
                    water: water.name.clone(),
                    time: start,
                    frame,
                    dt,
                    retakes: 0,
                    reason,
                }),
            };
            // A step before this one has broken the state
            if stable.is_nan() || time + stable <= time {
                let reason = StepError::Failed(VANISHED.into());
                return Err(broken(pace.last.map(|last| 0.5 * last), reason));
            }
            let mut world = World { time, gravity, seed, driver };
            let watch = Stopwatch::start();
            let outcome = water.simulation.step(dt, &mut world);
            stats.seconds += watch.seconds();
            match outcome {
                Ok(Step::Done(phases)) => {
                    stats.steps += 1;
                    stats.phases.absorb(&phases);
                    stats.counters[index].add_step(&water.simulation.counters());
                    pace.last = Some(dt);
                    time = if time + 1.5 * dt > end { end } else { time + dt };
                    (retries, wanted) = (0, None);
                    if stats.steps > MOST_STEPS {
                        let reason = format!("more than {MOST_STEPS} steps in one frame");
                        return Err(broken(None, StepError::Failed(reason)));
                    }
                }
                // The state is untouched: only this water, from here on, takes shorter steps
                Ok(Step::Retry { dt: shorter }) => {
                    stats.retries += 1;
                    retries += 1;
                    let wanted = *wanted.get_or_insert(dt);
                    limit = shorter.min(0.9 * dt);
                    if retries > MOST_RETRIES || limit.is_nan() || time + limit <= time {
                        let reason = StepError::Failed("no step is short enough".into());
                        return Err(broken(Some(0.5 * wanted), reason));
                    }
                }
                // A value of the scene file is the same in steps of any length
                Err(reason @ StepError::Scene(_)) => return Err(broken(None, reason)),
                Err(reason) => return Err(broken(Some(0.5 * dt), reason)),
            }
        }
        let volume = water.simulation.volume();
        let error = volume.relative_error().abs();
        stats.volume_error = stats.volume_error.max(error);
        if error.is_finite() && volume.held.is_finite() {
            return Ok(());
        }
        let reason = StepError::Failed(format!("the volume is not finite: {volume:?}"));
        let dt = self.paces[index].last.unwrap_or_default();
        Err(self.broken(index, end, dt, reason))
    }
}

impl Sample for Runner {
    fn height(&self, xy: DVec2) -> Option<f64> {
        let levels = self.waters.iter().filter_map(|water| water.simulation.height(xy));
        levels.fold(None, |sum, level| Some(sum.unwrap_or(0.0) + level))
    }

    fn velocity(&self, at: DVec3) -> DVec3 {
        self.waters.iter().map(|water| water.simulation.velocity(at)).sum()
    }

    fn depth(&self, xy: DVec2) -> Option<f64> {
        let depths = self.waters.iter().filter_map(|water| water.simulation.depth(xy));
        depths.fold(None, |sum, depth| Some(sum.unwrap_or(0.0) + depth))
    }

    fn normal(&self, xy: DVec2) -> Option<DVec3> {
        // Slopes add where levels add: (−∂x, −∂y, 1) of each water, without the ones.
        let normals = self.waters.iter().filter_map(|water| water.simulation.normal(xy));
        let slopes = normals.map(|normal| normal.truncate() / normal.z);
        let sum: Option<DVec2> = slopes.fold(None, |sum, slope| Some(sum.unwrap_or(DVec2::ZERO) + slope));
        sum.map(|slope| slope.extend(1.0).normalize())
    }
}

/// The longest equal steps, none above `limit`, that fill `span`: no sliver is left for the end.
fn even_step(span: Seconds, limit: Seconds) -> Seconds {
    let count = (span / limit - 1e-9).ceil().max(1.0);
    span / count
}

#[cfg(test)]
mod tests {
    use super::even_step;

    #[test]
    fn steps_are_even_and_within_the_limit() {
        assert_eq!(even_step(1.0, f64::INFINITY), 1.0);
        assert_eq!(even_step(1.0, 0.4), 1.0 / 3.0);
        assert_eq!(even_step(0.3, 0.1), 0.3 / 3.0);
    }
}
