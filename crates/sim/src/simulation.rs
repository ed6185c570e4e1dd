//! The traits that every water implements.

use glam::{DVec2, DVec3};
use undine_scene::Problem;

use crate::{Budget, Counters, Disturbance, Phases, Reader, View, Volume, Writer};

/// A time or a span of time in seconds.
pub type Seconds = f64;

/// Surface and velocity of water at any point, for bodies, gauges, renderers and other waters.
pub trait Sample {
    /// Level of the surface above or below `xy`, in metres; `None` outside the water's domain.
    fn height(&self, xy: DVec2) -> Option<f64>;

    /// Velocity of the water at a point, in metres per second; zero outside the domain.
    fn velocity(&self, at: DVec3) -> DVec3;

    /// Depth of the water at `xy` in metres; `None` outside the domain, and for water that has no bottom.
    fn depth(&self, xy: DVec2) -> Option<f64> {
        let _ = xy;
        None
    }

    /// Upward unit normal of the surface at `xy`; by differences unless the water knows better.
    fn normal(&self, xy: DVec2) -> Option<DVec3> {
        const STEP: f64 = 1e-3;
        let level = |offset: DVec2| self.height(xy + offset);
        let slope_x = (level(DVec2::X * STEP)? - level(-DVec2::X * STEP)?) / (2.0 * STEP);
        let slope_y = (level(DVec2::Y * STEP)? - level(-DVec2::Y * STEP)?) / (2.0 * STEP);
        Some(DVec3::new(-slope_x, -slope_y, 1.0).normalize())
    }
}

/// The environment of a step.
pub struct World<'a> {
    /// Time at the beginning of the step.
    pub time: Seconds,
    /// Gravity, downwards, in m/s².
    pub gravity: f64,
    /// The seed of the scene's random numbers.
    pub seed: u64,
    /// The water named by `driven_by`, already advanced to the end of the step.
    pub driver: Option<&'a dyn Sample>,
}

/// How a step ended.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::large_enum_variant, reason = "a box would be a heap allocation in every step")]
pub enum Step {
    /// Time has advanced by the whole dt; the phases say where the time on the clock went.
    Done(Phases),
    /// The step was too long: the state is untouched, and this dt may work.
    Retry {
        /// A smaller step.
        dt: Seconds,
    },
}

/// Why a step failed. The state is broken then: the runner goes back to the beginning of the frame and takes it again in
/// shorter steps.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A value stopped being a number.
    #[error("{field} is not a finite number at cell {cell:?}")]
    NotFinite {
        /// Which quantity.
        field: &'static str,
        /// Where.
        cell: [usize; 3],
    },
    /// A value of the scene file that cannot be used at a time of the step, with its place: shorter steps do not help.
    #[error("{0}")]
    Scene(Box<Problem>),
    /// Anything else, in the model's own words.
    #[error("{0}")]
    Failed(String),
}

impl From<Problem> for StepError {
    fn from(problem: Problem) -> StepError {
        StepError::Scene(Box::new(problem))
    }
}

/// A message to the user about something that happened during a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// When it happened.
    pub time: Seconds,
    /// What and where it was, and what can be done.
    pub text: String,
}

/// A water. It advances physics and never sees a pixel, a mesh or a file.
pub trait Simulation: Sample + Send + Sync {
    /// The longest stable step from here; infinite for closed forms.
    fn max_dt(&self) -> Seconds;

    /// Advances by `dt`; or returns [`Step::Retry`] with a shorter step, the state unchanged; or fails, with a state
    /// that is restored from a snapshot.
    fn step(&mut self, dt: Seconds, world: &mut World<'_>) -> Result<Step, StepError>;

    /// Whether a frame that failed may succeed in shorter steps. Closed forms say no: they are the same at any length.
    fn retries_frames(&self) -> bool {
        true
    }

    /// Applies a push, a drop, a source or rain; false if this model does not support it.
    fn disturb(&mut self, poke: &Disturbance) -> bool;

    /// The output, borrowed.
    fn view(&self) -> View<'_>;

    /// Volume, momentum and energy now.
    fn budget(&self) -> Budget;

    /// The volume ledger alone. It is read after every step, so a water whose budget takes a pass over all cells
    /// keeps these sums at hand.
    fn volume(&self) -> Volume {
        self.budget().volume
    }

    /// The greatest volume in m³ that the water has room for; `None` where it has no such bound.
    fn capacity(&self) -> Option<f64> {
        None
    }

    /// Counts of the last step, and of the state that it has left; none by default. They are read after every step, so
    /// what takes a pass over all cells is kept at hand. A frame has the sums of its steps: what a step did before the
    /// frame was retaken is not in them. They are reported and never affect a result, so they need not be saved.
    fn counters(&self) -> Counters {
        Counters::NONE
    }

    /// Whether the volume held is a number of particles, so that its ledger is exact whatever the flow does.
    fn counts_particles(&self) -> bool {
        false
    }

    /// What the user should be told of the run so far, each once, in the order of time.
    fn notices(&self) -> Vec<Notice> {
        Vec::new()
    }

    /// Cells, samples or particles that a step works on, for the progress line.
    fn cells(&self) -> u64;

    /// Writes everything that [`restore`](Simulation::restore) needs to go on with the same bits.
    fn save(&self, to: &mut Writer<'_>) -> std::io::Result<()>;

    /// Takes the state that [`save`](Simulation::save) wrote, on a water built from the same scene: one that is new, or
    /// one that has gone on since, whatever has become of it. Fields are read into the memory that they have.
    fn restore(&mut self, from: &mut Reader<'_>) -> std::io::Result<()>;
}
