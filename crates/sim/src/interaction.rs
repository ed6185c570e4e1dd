//! Actions on a running scene: disturbances and live edits, applied at frames and remembered.

use std::io;
use std::sync::Arc;

use undine_scene::{Edit, Scene, SceneErrors};

use crate::{Action, ActionKind, Reader, Runner, StepError, StepFailure, Water, Writer, read_waters};

/// Keys of `[scene]` that may change while the waters run.
pub const LIVE_HEADER: &[&str] = &["name", "summary", "duration", "gravity"];

/// Why an action cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum ActionError {
    /// No water has an answer to the disturbance.
    #[error("this water does not answer to that")]
    NoAnswer,
    /// The waters are on the way from one frame to the next.
    #[error("the water is between two frames")]
    BetweenFrames,
    /// The change would make a scene that is wrong.
    #[error(transparent)]
    Wrong(#[from] SceneErrors),
    /// The change shapes the water at its start.
    #[error("{what} takes effect with a new start: {reason}")]
    NeedsRestart {
        /// The path of the edit.
        what: String,
        /// Why it cannot be changed now.
        reason: String,
    },
}

impl Runner {
    /// The scene as it is now, with the changes that actions have made.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// All actions, those to come among them, in the order in which they are done.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// Number of actions applied.
    pub fn actions_done(&self) -> usize {
        self.done
    }

    /// Whether the waters stand at a frame, where actions can be done, and not between two.
    pub fn is_at_frame(&self) -> bool {
        self.frame_in_progress.is_none()
    }

    /// Applies an action now, and remembers it as one of this frame. After an error everything is as before.
    ///
    /// ```
    /// use undine_scene::{Edit, LoadOptions, Scene};
    /// use undine_sim::{ActionKind, Runner};
    ///
    /// let text = "[scene]\nduration = 1\n[[water]]\nkind = 'kass-miller'\nsize = [4, 4]\nresolution = 16\nlevel = 1";
    /// let scene = Scene::parse("pool", text, &LoadOptions::default())?;
    /// let mut pool = Runner::new(&scene, undine_models::MODELS, None)?;
    /// pool.next_frame()?;
    /// pool.apply_action(ActionKind::Edit(Edit::set("water.0.damping=0.5")))?;
    /// assert!(pool.apply_action(ActionKind::Edit(Edit::set("water.0.resolution=32"))).is_err());
    /// assert!(pool.script().contains("frame = 1"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply_action(&mut self, kind: ActionKind) -> Result<(), ActionError> {
        if !self.is_at_frame() {
            return Err(ActionError::BetweenFrames);
        }
        self.perform(&kind)?;
        Arc::make_mut(&mut self.actions).insert(self.done, Action { frame: self.frame, kind });
        self.done += 1;
        Ok(())
    }

    /// The scene file that does all of this again: the scene as it was read, with every act.
    pub fn script(&self) -> String {
        let without = self.script.edited(&Edit::remove("act"));
        let base = without.as_ref().unwrap_or(&self.script).resolved();
        self.actions.iter().fold(base.to_owned(), |text, action| text + "\n" + &action.to_toml())
    }

    /// Applies the actions of the frame that has been reached.
    pub(crate) fn apply_due_actions(&mut self) -> Result<(), StepFailure> {
        while let Some(action) =
            self.actions.get(self.done).filter(|action| action.frame <= self.frame).cloned()
        {
            match self.perform(&action.kind) {
                // A poke that finds no water is no failure: it found none when it was made, too
                Ok(()) | Err(ActionError::NoAnswer) => {}
                Err(error) => {
                    let water = self.waters.first().map(|water| water.name.clone()).unwrap_or_default();
                    let reason = StepError::Failed(format!(
                        "an action at frame {} cannot be done: {error}",
                        action.frame
                    ));
                    return Err(StepFailure {
                        water,
                        time: self.time,
                        frame: self.frame,
                        dt: 0.0,
                        retakes: 0,
                        reason,
                    });
                }
            }
            self.done += 1;
        }
        Ok(())
    }

    /// Brings the scene and its waters to where the first `done` actions have left them, but for their state.
    pub(crate) fn take_up_changes(&mut self, done: usize) -> io::Result<()> {
        if done > self.actions.len() {
            return Err(invalid("the saved state has seen more actions than the scene has"));
        }
        let changes = |actions: &[Action]| {
            actions.iter().filter(|action| matches!(action.kind, ActionKind::Edit(_))).count()
        };
        if changes(&self.actions[..done]) != changes(&self.actions[..self.done]) || done < self.done {
            let mut scene = self.script.clone();
            for action in &self.actions[..done] {
                if let ActionKind::Edit(edit) = &action.kind {
                    scene = scene.edited(edit).map_err(|errors| invalid(errors.to_string()))?;
                }
            }
            self.rebuild(&Arc::new(scene))?;
        }
        self.done = done;
        Ok(())
    }

    fn perform(&mut self, kind: &ActionKind) -> Result<(), ActionError> {
        match kind {
            ActionKind::Disturb(poke) => self.disturb(poke),
            ActionKind::Edit(edit) => self.change(edit),
        }
    }

    /// Changes the scene; waters that it concerns are built anew and take up the state that they had.
    fn change(&mut self, edit: &Edit) -> Result<(), ActionError> {
        let scene = self.scene.edited(edit)?;
        let mut concerned = Vec::new();
        for path in edit.paths() {
            if self.concerns_waters(&path)? {
                concerned.push(path.join("."));
            }
        }
        if !concerned.is_empty() {
            let waters = self.built_anew(&scene)?;
            let needs_restart = |error: io::Error| ActionError::NeedsRestart {
                what: concerned.join(", "),
                reason: error.to_string(),
            };
            self.waters = self.carried_over(waters).map_err(needs_restart)?;
        }
        self.gravity = scene.gravity;
        self.frame_count = scene.frame_count();
        self.scene = Arc::new(scene);
        Ok(())
    }

    /// Whether waters read what is at the path; an error when it shapes them at their start.
    fn concerns_waters(&self, path: &[&str]) -> Result<bool, ActionError> {
        // By the first step of the path: the action list, the header, a water, or a section that waters read
        let refusal =
            |reason: &str| ActionError::NeedsRestart { what: path.join("."), reason: reason.to_owned() };
        let section = path.first().copied().unwrap_or_default();
        match section {
            "act" => Err(refusal("actions are made by doing")),
            "scene" => match path.get(1) {
                Some(key) if LIVE_HEADER.contains(key) => Ok(*key == "gravity"),
                _ => Err(refusal("it sets the clock")),
            },
            "water" => {
                let number = path.get(1).and_then(|step| step.parse::<usize>().ok());
                let water = number.and_then(|number| self.waters.get(number));
                let key = water
                    .and_then(|water| water.model.keys.iter().find(|key| path.get(2) == Some(&key.name)));
                match key {
                    Some(key) if key.is_live => Ok(true),
                    _ => Err(refusal("it shapes the water at its start")),
                }
            }
            section => {
                let mut readers =
                    self.waters.iter().filter_map(|water| Some((water, water.model.reads(section)?)));
                let is_read = readers.clone().next().is_some();
                match readers.find(|(_, used)| !used.live) {
                    Some((water, _)) => Err(refusal(&format!("{} reads it at its start", water.model.name))),
                    None => Ok(is_read),
                }
            }
        }
    }

    /// The waters of a changed scene. What they need of memory was granted when the first ones were built.
    fn built_anew(&self, scene: &Scene) -> Result<Vec<Water>, SceneErrors> {
        read_waters(&scene.resumed(), &self.models, None)
    }

    /// New waters with the state of the present ones.
    fn carried_over(&self, mut waters: Vec<Water>) -> io::Result<Vec<Water>> {
        let mut state = Vec::new();
        for (old, new) in self.waters.iter().zip(&mut waters) {
            state.clear();
            old.simulation.save(&mut Writer::new(&mut state))?;
            new.simulation.restore(&mut Reader::new(&state))?;
        }
        Ok(waters)
    }

    /// Builds the waters of a scene in place of the present ones, unless it is the present one.
    pub(crate) fn rebuild(&mut self, scene: &Arc<Scene>) -> io::Result<()> {
        if !Arc::ptr_eq(scene, &self.scene) && scene.resolved() != self.scene.resolved() {
            self.waters = self.built_anew(scene).map_err(|errors| invalid(errors.to_string()))?;
            self.gravity = scene.gravity;
            self.frame_count = scene.frame_count();
            self.scene = scene.clone();
        }
        Ok(())
    }
}

fn invalid(reason: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}
