//! Interactive actions with their frames, so that they can be repeated.
//!
//! An action is applied at a frame: when that frame has been reached and before the next one. It is a [`Disturbance`] of
//! the water, or an [`Edit`] of the scene, after which the waters are built anew and restore their state. A scene file lists
//! its actions as `[[act]]`; the studio writes them.

use std::fmt::Write;

use glam::{DVec2, DVec3};
use undine_scene::{Edit, Key, KindEntry, Scene, SceneErrors, Section, SectionEntry, Values};

use crate::{Disturbance, ModelEntry, Water};

/// `[[act]]`: an action on the scene at a frame.
pub static ACTION: SectionEntry = SectionEntry {
    name: "act",
    summary: "an interactive action, repeated at its frame",
    repeats: true,
    common: &[
        Key::text("kind").help("drop, push, pour, rain, raise, dig, dam, set or remove"),
        Key::integer("frame").within(0.0, 1e15).help("the frame at which it is applied, before the next one"),
    ],
    kinds: &[
        KindEntry::new("drop", "a drop or stone falls in", &[DROP_KEYS]),
        KindEntry::new("push", "water near a point is given a velocity", &[PUSH_KEYS]),
        KindEntry::new("pour", "a source or sink for some time", &[POUR_KEYS]),
        KindEntry::new("rain", "rain on the whole water for some time", &[RAIN_KEYS]),
        KindEntry::new("raise", "ground is heaped up, in a point or along a path", &[PATH_KEYS, RAISE_KEYS]),
        KindEntry::new("dig", "ground is dug away, in a point or along a path", &[PATH_KEYS, DIG_KEYS]),
        KindEntry::new("dam", "ground is raised to a level along a line", &[DAM_KEYS]),
        KindEntry::new("set", "a key of the scene is set, as by --set", &[SET_KEYS]),
        KindEntry::new("remove", "a key or section of the scene is removed", &[REMOVE_KEYS]),
    ],
};

const FARTHEST: f64 = 1e12;

/// The greatest level or change of the ground, in metres.
const HIGHEST: f64 = 1e7;

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
const PATH_KEYS: &[Key] = &[
    place(2),
    Key::vector("to", 2)
        .unit("m")
        .optional("a single heap")
        .within(-FARTHEST, FARTHEST)
        .help("the end of a straight path, over which the same volume of ground is spread"),
    Key::number("radius")
        .unit("m")
        .within(0.0, FARTHEST)
        .help("how far it reaches on each side; the edge is smooth"),
];
const RAISE_KEYS: &[Key] = &[Key::number("height")
    .unit("m")
    .within(0.0, HIGHEST)
    .help("rise of the ground in the middle of a heap")];
const DIG_KEYS: &[Key] =
    &[Key::number("depth").unit("m").within(0.0, HIGHEST).help("fall of the ground in the middle of a pit")];
const DAM_KEYS: &[Key] = &[
    Key::vector("from", 2).unit("m").within(-FARTHEST, FARTHEST).help("one end of its crest"),
    Key::vector("to", 2).unit("m").within(-FARTHEST, FARTHEST).help("the other end"),
    Key::number("radius").unit("m").within(0.0, FARTHEST).help("half the width of the crest"),
    Key::number("level").unit("m").within(-HIGHEST, HIGHEST).help("level of the crest; higher ground stays"),
    Key::number("slope")
        .unit("m/m")
        .or(0.5)
        .within(0.01, 1e3)
        .help("fall of its sides, down to where they meet the ground"),
];
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

    /// Every `[[act]]` that changes ground where no water of the scene has ground that can be changed.
    pub(crate) fn check_ground(scene: &Scene, waters: &[Water], models: &[&ModelEntry]) -> SceneErrors {
        let mut errors = SceneErrors::default();
        if waters.iter().any(|water| water.model.answers.ground) {
            return errors;
        }
        let able: Vec<&str> =
            models.iter().filter(|model| model.answers.ground).map(|model| model.name).collect();
        let remedy = format!("leave it out, or use one of {}", able.join(", "));
        for section in scene.sections(ACTION.name) {
            if section.text("kind").is_some_and(|kind| ["raise", "dig", "dam"].contains(&kind)) {
                let message = "no water of this scene has ground that can be changed";
                errors.extend([section.problem("kind", message, remedy.as_str())]);
            }
        }
        errors
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
            ActionKind::Disturb(Disturbance::Ground { path, radius, height }) => {
                text.push_str(&ground_keys(path, *radius, *height));
                Ok(())
            }
            ActionKind::Disturb(Disturbance::Dam { path: [from, to], radius, level, slope }) => writeln!(
                text,
                "kind = \"dam\"\nfrom = {:?}\nto = {:?}\nradius = {radius:?}\nlevel = {level:?}\nslope = {slope:?}",
                from.to_array(),
                to.to_array()
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

/// The keys of ground that is raised or dug away.
fn ground_keys([from, to]: &[DVec2; 2], radius: f64, height: f64) -> String {
    let kind = if height < 0.0 { "dig" } else { "raise" };
    let mut text = format!("kind = \"{kind}\"\nat = {:?}\n", from.to_array());
    if from != to {
        text += &format!("to = {:?}\n", to.to_array());
    }
    let amount = if height < 0.0 { "depth" } else { "height" };
    text + &format!("radius = {radius:?}\n{amount} = {:?}\n", height.abs())
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
        "raise" | "dig" => {
            let to = values.vector_if::<2>("to").map_or_else(at, DVec2::from);
            let height = if kind == "dig" { -number("depth") } else { number("height") };
            Disturbance::Ground { path: [at(), to], radius: number("radius"), height }
        }
        "dam" => Disturbance::Dam {
            path: ["from", "to"].map(|end| DVec2::from(values.vector::<2>(end))),
            radius: number("radius"),
            level: number("level"),
            slope: number("slope"),
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
            ActionKind::Disturb(Disturbance::Ground { path: [at, at], radius: third, height: 0.1 }),
            ActionKind::Disturb(Disturbance::Ground {
                path: [at, -at],
                radius: third,
                height: -third * 1e-7,
            }),
            ActionKind::Disturb(Disturbance::Dam {
                path: [at, -at],
                radius: 0.0,
                level: -third,
                slope: third,
            }),
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
    fn ground_is_changed_by_finite_numbers_within_bounds() {
        let refused = |keys: &str| {
            let text = format!("[scene]\nduration = 1\n[[act]]\nframe = 1\n{keys}\n");
            let scene = Scene::parse("s", &text, &LoadOptions::default()).unwrap();
            Action::read_all(&scene).unwrap_err().to_string()
        };
        for (keys, line, key) in [
            ("kind = 'raise'\nat = [0, 0]\nradius = 1\nheight = inf", 8, "height"),
            ("kind = 'raise'\nat = [0, 0]\nradius = 1\nheight = 'sin(t)'", 8, "height"),
            ("kind = 'raise'\nat = [0, 0]\nradius = 1\nheight = -1", 8, "height"),
            ("kind = 'dig'\nat = [0, nan]\nradius = 1\ndepth = 1", 6, "at"),
            ("kind = 'dig'\nat = [0, 0]\nradius = -1\ndepth = 1", 7, "radius"),
            ("kind = 'dig'\nat = [0, 0]\nradius = 1\ndepth = 1e9", 8, "depth"),
            ("kind = 'dam'\nfrom = [0, 0]\nto = [1, 0]\nradius = 1\nlevel = '2*t'", 9, "level"),
            ("kind = 'dam'\nfrom = [0, 0]\nto = [1, 0]\nradius = 1\nlevel = 1\nslope = 0", 10, "slope"),
        ] {
            let text = refused(keys);
            assert!(text.contains(&format!("s:{line}")) && text.contains(key), "{keys}: {text}");
        }
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
