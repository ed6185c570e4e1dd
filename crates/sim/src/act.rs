//! Acts: what a hand did to a scene, and when, so that it can be done again.
//!
//! An act happens at a frame: when that frame has been reached and before the next one is begun. It is a
//! [`Disturbance`] of the water, or an [`Edit`] of the scene, after which the waters are built anew and take up the state
//! that they had. A scene file lists its acts as `[[act]]`; the studio writes them.

use std::fmt::Write;

use glam::{DVec2, DVec3};
use undine_scene::{Edit, Key, Scene, SceneErrors, Section, Values};

use crate::Disturbance;

/// The keys that every `[[act]]` has.
pub static ACT_KEYS: &[Key] = &[
    Key::text("kind").help("drop, push, pour, rain, set or remove"),
    Key::integer("frame").within(0.0, 1e15).help("the frame at which it is done, before the next is begun"),
];

/// The kinds of acts, each with its summary and its keys.
pub static ACT_KINDS: &[(&str, &str, &[Key])] = &[
    ("drop", "something falls in", DROP_KEYS),
    ("push", "water near a point is given a velocity", PUSH_KEYS),
    ("pour", "water is poured in, or drawn off, for a while", POUR_KEYS),
    ("rain", "it rains on everything for a while", RAIN_KEYS),
    ("set", "a key of the scene is changed, as by --set", SET_KEYS),
    ("remove", "a part of the scene is taken away", REMOVE_KEYS),
];

const FARTHEST: f64 = 1e12;

const fn place(count: usize) -> Key {
    Key::vector("at", count).unit("m").within(-FARTHEST, FARTHEST).help("where")
}

const RADIUS: Key = Key::number("radius").unit("m").within(0.0, FARTHEST).help("how far it reaches");
const DURATION: Key = Key::number("duration").unit("s").within(0.0, FARTHEST).help("for how long");

static DROP_KEYS: &[Key] = &[
    place(2),
    RADIUS,
    Key::number("volume").unit("m³").within(-FARTHEST, FARTHEST).help("what it displaces"),
];
static PUSH_KEYS: &[Key] = &[
    place(3),
    RADIUS,
    Key::vector("velocity", 3).unit("m/s").within(-FARTHEST, FARTHEST).help("the velocity that it gives"),
];
static POUR_KEYS: &[Key] = &[
    place(2),
    RADIUS,
    Key::number("rate")
        .unit("m³/s")
        .within(-FARTHEST, FARTHEST)
        .help("volume per second; negative draws off"),
    DURATION,
];
static RAIN_KEYS: &[Key] =
    &[Key::number("rate").unit("m/s").within(-FARTHEST, FARTHEST).help("depth per second"), DURATION];
static SET_KEYS: &[Key] = &[Key::text("change")
    .help("KEY=VALUE, such as \"water.0.damping=0.1\"; several stand on lines of their own")];
static REMOVE_KEYS: &[Key] = &[Key::text("path").help("what is taken away, such as \"obstacle.2\"")];

/// What was done, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct Act {
    /// The frame that had been reached.
    pub frame: u64,
    /// What was done.
    pub deed: Deed,
}

/// What can be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Deed {
    /// The water is disturbed.
    Poke(Disturbance),
    /// The scene is changed.
    Change(Edit),
}

impl Act {
    /// Reads every `[[act]]` of a scene, in the order of their frames and, within a frame, of the file.
    pub fn read_all(scene: &Scene) -> Result<Vec<Act>, SceneErrors> {
        let mut errors = SceneErrors::default();
        let sections = scene.sections("act");
        let mut acts: Vec<Act> = sections.iter().filter_map(|section| errors.keep(read(section))).collect();
        acts.sort_by_key(|act| act.frame);
        errors.into_result().map(|()| acts)
    }

    /// The act as a section of a scene file. Numbers are written so that they are read as the same bits.
    ///
    /// ```
    /// use undine_scene::{Edit, LoadOptions, Scene};
    /// use undine_sim::{Act, Deed};
    ///
    /// let act = Act { frame: 3, deed: Deed::Change(Edit::set("water.0.name=\"sea\"")) };
    /// let scene = Scene::parse("acts", &format!("[scene]\nduration = 1\n{}", act.to_toml()), &LoadOptions::default())?;
    /// assert_eq!(Act::read_all(&scene)?, [act]);
    /// # Ok::<(), undine_scene::SceneErrors>(())
    /// ```
    pub fn to_toml(&self) -> String {
        let mut text = format!("[[act]]\nframe = {}\n", self.frame);
        // Writing to a string cannot fail
        let _ = match &self.deed {
            Deed::Poke(Disturbance::Drop { at, radius, volume }) => {
                writeln!(
                    text,
                    "kind = \"drop\"\nat = {:?}\nradius = {radius:?}\nvolume = {volume:?}",
                    at.to_array()
                )
            }
            Deed::Poke(Disturbance::Push { at, radius, velocity }) => writeln!(
                text,
                "kind = \"push\"\nat = {:?}\nradius = {radius:?}\nvelocity = {:?}",
                at.to_array(),
                velocity.to_array()
            ),
            Deed::Poke(Disturbance::Source { at, radius, rate, duration }) => writeln!(
                text,
                "kind = \"pour\"\nat = {:?}\nradius = {radius:?}\nrate = {rate:?}\nduration = {duration:?}",
                at.to_array()
            ),
            Deed::Poke(Disturbance::Rain { rate, duration }) => {
                writeln!(text, "kind = \"rain\"\nrate = {rate:?}\nduration = {duration:?}")
            }
            Deed::Change(Edit::Set(change)) => writeln!(text, "kind = \"set\"\nchange = {}", quoted(change)),
            Deed::Change(Edit::Remove(path)) => writeln!(text, "kind = \"remove\"\npath = {}", quoted(path)),
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

fn read(section: &Section<'_>) -> Result<Act, SceneErrors> {
    let words = || ACT_KINDS.iter().map(|(name, ..)| *name);
    let Some(kind) = section.text("kind") else {
        let remedy = format!("one of {}", words().collect::<Vec<_>>().join(", "));
        return Err(section.problem("kind", "the act has no kind", remedy).into());
    };
    let Some((name, _, keys)) = ACT_KINDS.iter().find(|(name, ..)| *name == kind) else {
        let remedy = undine_scene::known_words(kind, words());
        return Err(section.problem("kind", format!("unknown kind of act {kind:?}"), remedy).into());
    };
    let values = section.read(&[ACT_KEYS, keys])?;
    Ok(Act { frame: values.integer("frame").unsigned_abs(), deed: deed(name, &values) })
}

fn deed(kind: &str, values: &Values) -> Deed {
    let at = || DVec2::from(values.vector::<2>("at"));
    let number = |key: &str| values.number(key);
    Deed::Poke(match kind {
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
        "set" => return Deed::Change(Edit::set(values.text("change"))),
        _ => return Deed::Change(Edit::remove(values.text("path"))),
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
        let deeds = [
            Deed::Poke(Disturbance::Drop { at, radius: 0.1, volume: third * 1e-7 }),
            Deed::Poke(Disturbance::Push { at: place, radius: third, velocity: -place }),
            Deed::Poke(Disturbance::Source { at, radius: 0.0, rate: -third, duration: 1e-3 }),
            Deed::Poke(Disturbance::Rain { rate: 1e-5 * third, duration: 2.0 }),
            Deed::Change(Edit::set("obstacle.0={ kind = \"circle\", at = [0.1, 0.2], name = \"a\\\\b\" }")),
            Deed::Change(Edit::remove("obstacle.0")),
        ];
        let acts: Vec<Act> = (5..).zip(deeds).map(|(frame, deed)| Act { frame, deed }).collect();
        let written: String = acts.iter().rev().map(Act::to_toml).collect();
        let scene = Scene::parse("s", &format!("[scene]\nduration = 1\n{written}"), &LoadOptions::default());
        assert_eq!(Act::read_all(&scene.unwrap()).unwrap(), acts);
    }

    #[test]
    fn a_broken_act_is_refused_with_its_place() {
        let text =
            "[scene]\nduration = 1\n[[act]]\nkind = 'dorp'\nframe = 1\n[[act]]\nkind = 'drop'\nframe = -1\n";
        let scene = Scene::parse("s", text, &LoadOptions::default()).unwrap();
        let errors = Act::read_all(&scene).unwrap_err().to_string();
        assert!(errors.contains("\"drop\"") && errors.contains("s:8"), "{errors}");
    }
}
