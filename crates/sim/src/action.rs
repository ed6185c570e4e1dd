//! Interactive actions with their frames, so that they can be repeated.
//!
//! An action is applied at a frame: when that frame has been reached and before the next one. It is a [`Disturbance`] of
//! the water, or an [`Edit`] of the scene, after which the waters are built anew and restore their state. A scene file lists
//! its actions as `[[act]]`; the studio writes them.

use std::fmt::Write;

use glam::{DVec2, DVec3};
use undine_scene::{Edit, Key, KindEntry, Scene, SceneErrors, Section, SectionEntry, Values};

use crate::Disturbance;

/// `[[act]]`: an action on the scene at a frame.
pub static ACTION: SectionEntry = SectionEntry {
    name: "act",
    summary: "an interactive action, repeated at its frame",
    repeats: true,
    common: &[
        Key::text("kind").help("drop, push, pour, rain, set or remove"),
        Key::integer("frame").within(0.0, 1e15).help("the frame at which it is applied, before the next one"),
    ],
    kinds: &[
        KindEntry::new("drop", "a drop or stone falls in", &[DROP_KEYS]),
        KindEntry::new("push", "water near a point is given a velocity", &[PUSH_KEYS]),
        KindEntry::new("pour", "a source or sink for some time", &[POUR_KEYS]),
        KindEntry::new("rain", "rain on the whole water for some time", &[RAIN_KEYS]),
        KindEntry::new("set", "a key of the scene is set, as by --set", &[SET_KEYS]),
        KindEntry::new("remove", "a key or section of the scene is removed", &[REMOVE_KEYS]),
    ],
};

const FARTHEST: f64 = 1e12;

const fn place(count: usize) -> Key {
    Key::vector("at", count).unit("m").within(-FARTHEST, FARTHEST).help("where")
}

const RADIUS: Key = Key::number("radius").unit("m").within(0.0, FARTHEST).help("how far it reaches");
const DURATION: Key = Key::number("duration").unit("s").within(0.0, FARTHEST).help("for how long");

const DROP_KEYS: &[Key] = &[
    place(2),
    RADIUS,
    Key::number("volume").unit("m³").within(-FARTHEST, FARTHEST).help("what it displaces"),
];
const PUSH_KEYS: &[Key] = &[
    place(3),
    RADIUS,
    Key::vector("velocity", 3).unit("m/s").within(-FARTHEST, FARTHEST).help("the velocity that it gives"),
];
const POUR_KEYS: &[Key] = &[
    place(2),
    RADIUS,
    Key::number("rate")
        .unit("m³/s")
        .within(-FARTHEST, FARTHEST)
        .help("volume per second; negative draws off"),
    DURATION,
];
const RAIN_KEYS: &[Key] =
    &[Key::number("rate").unit("m/s").within(-FARTHEST, FARTHEST).help("depth per second"), DURATION];
const SET_KEYS: &[Key] = &[Key::text("change")
    .help("KEY=VALUE, such as \"water.0.damping=0.1\"; several stand on lines of their own")];
const REMOVE_KEYS: &[Key] = &[Key::text("path").help("what is taken away, such as \"obstacle.2\"")];

/// What was done, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// The frame that had been reached.
    pub frame: u64,
    /// What was done.
    pub kind: ActionKind,
}

/// What can be done.
#[derive(Debug, Clone, PartialEq)]
pub enum ActionKind {
    /// The water is disturbed.
    Disturb(Disturbance),
    /// The scene is changed.
    Edit(Edit),
}

impl Action {
    /// Reads every `[[act]]` of a scene, in the order of their frames and, within a frame, of the file.
    pub fn read_all(scene: &Scene) -> Result<Vec<Action>, SceneErrors> {
        let mut errors = SceneErrors::default();
        let sections = scene.sections("act");
        let mut actions: Vec<Action> =
            sections.iter().filter_map(|section| errors.keep(read(section))).collect();
        actions.sort_by_key(|action| action.frame);
        errors.into_result().map(|()| actions)
    }

    /// The action as a section of a scene file. Numbers are written so that they are read as the same bits.
    ///
    /// ```
    /// use undine_scene::{Edit, LoadOptions, Scene};
    /// use undine_sim::{Action, ActionKind};
    ///
    /// let action = Action { frame: 3, kind: ActionKind::Edit(Edit::set("water.0.name=\"sea\"")) };
    /// let scene = Scene::parse("actions", &format!("[scene]\nduration = 1\n{}", action.to_toml()), &LoadOptions::default())?;
    /// assert_eq!(Action::read_all(&scene)?, [action]);
    /// # Ok::<(), undine_scene::SceneErrors>(())
    /// ```
    pub fn to_toml(&self) -> String {
        let mut text = format!("[[act]]\nframe = {}\n", self.frame);
        // Writing to a string cannot fail
        let _ = match &self.kind {
            ActionKind::Disturb(Disturbance::Drop { at, radius, volume }) => {
                writeln!(
                    text,
                    "kind = \"drop\"\nat = {:?}\nradius = {radius:?}\nvolume = {volume:?}",
                    at.to_array()
                )
            }
            ActionKind::Disturb(Disturbance::Push { at, radius, velocity }) => writeln!(
                text,
                "kind = \"push\"\nat = {:?}\nradius = {radius:?}\nvelocity = {:?}",
                at.to_array(),
                velocity.to_array()
            ),
            ActionKind::Disturb(Disturbance::Source { at, radius, rate, duration }) => writeln!(
                text,
                "kind = \"pour\"\nat = {:?}\nradius = {radius:?}\nrate = {rate:?}\nduration = {duration:?}",
                at.to_array()
            ),
            ActionKind::Disturb(Disturbance::Rain { rate, duration }) => {
                writeln!(text, "kind = \"rain\"\nrate = {rate:?}\nduration = {duration:?}")
            }
            ActionKind::Edit(Edit::Set(change)) => {
                writeln!(text, "kind = \"set\"\nchange = {}", quoted(change))
            }
            ActionKind::Edit(Edit::Remove(path)) => {
                writeln!(text, "kind = \"remove\"\npath = {}", quoted(path))
            }
        };
        text
    }
}

/// A basic TOML string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            control if control.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

fn read(section: &Section<'_>) -> Result<Action, SceneErrors> {
    let (kind, values) = ACTION.read(section, 2)?;
    Ok(Action { frame: values.integer("frame").unsigned_abs(), kind: read_kind(kind.name, &values) })
}

fn read_kind(kind: &str, values: &Values) -> ActionKind {
    let at = || DVec2::from(values.vector::<2>("at"));
    let number = |key: &str| values.number(key);
    ActionKind::Disturb(match kind {
        "drop" => Disturbance::Drop { at: at(), radius: number("radius"), volume: number("volume") },
        "push" => Disturbance::Push {
            at: DVec3::from(values.vector::<3>("at")),
            radius: number("radius"),
            velocity: DVec3::from(values.vector::<3>("velocity")),
        },
        "pour" => Disturbance::Source {
            at: at(),
            radius: number("radius"),
            rate: number("rate"),
            duration: number("duration"),
        },
        "rain" => Disturbance::Rain { rate: number("rate"), duration: number("duration") },
        "set" => return ActionKind::Edit(Edit::set(values.text("change"))),
        _ => return ActionKind::Edit(Edit::remove(values.text("path"))),
    })
}

#[cfg(test)]
mod tests {
    use undine_scene::LoadOptions;

    use super::*;

    #[test]
    fn acts_are_read_as_they_were_written() {
        let third = 1.0 / 3.0;
        let (at, place) = (DVec2::new(third, -1e-9), DVec3::new(0.1, third, 7e30_f64.recip()));
        let kinds = [
            ActionKind::Disturb(Disturbance::Drop { at, radius: 0.1, volume: third * 1e-7 }),
            ActionKind::Disturb(Disturbance::Push { at: place, radius: third, velocity: -place }),
            ActionKind::Disturb(Disturbance::Source { at, radius: 0.0, rate: -third, duration: 1e-3 }),
            ActionKind::Disturb(Disturbance::Rain { rate: 1e-5 * third, duration: 2.0 }),
            ActionKind::Edit(Edit::set(
                "obstacle.0={ kind = \"circle\", at = [0.1, 0.2], name = \"a\\\\b\" }",
            )),
            ActionKind::Edit(Edit::remove("obstacle.0")),
        ];
        let actions: Vec<Action> = (5..).zip(kinds).map(|(frame, kind)| Action { frame, kind }).collect();
        let written: String = actions.iter().rev().map(Action::to_toml).collect();
        let scene = Scene::parse("s", &format!("[scene]\nduration = 1\n{written}"), &LoadOptions::default());
        assert_eq!(Action::read_all(&scene.unwrap()).unwrap(), actions);
    }

    #[test]
    fn a_broken_act_is_refused_with_its_place() {
        let text =
            "[scene]\nduration = 1\n[[act]]\nkind = 'dorp'\nframe = 1\n[[act]]\nkind = 'drop'\nframe = -1\n";
        let scene = Scene::parse("s", text, &LoadOptions::default()).unwrap();
        let errors = Action::read_all(&scene).unwrap_err().to_string();
        assert!(errors.contains("\"drop\"") && errors.contains("s:8"), "{errors}");
    }
}
