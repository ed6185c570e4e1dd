//! The hand: from what the pointer does to what is done to the water.
//!
//! A [`Hand`] is told once per picture where the pointer touches and what it holds. What it does, it says in orders: pokes
//! of the water once per frame of the simulation, changes of the scene when something is placed, moved or taken away.

mod grip;
pub mod things;

use std::fmt::Write;

use glam::{DVec2, DVec3};
use undine::scene::{Edit, Scene};
use undine::sim::{ActionKind, Disturbance};

use crate::order::Order;
pub use grip::{grip, reach};
use things::{Thing, simplified, thing_at};

/// The most corners that a polygon drawn by hand keeps.
const MOST_CORNERS: usize = 48;

/// What the hand holds, in metres and seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Grip {
    /// Nothing: it turns the view.
    Nothing,
    /// Drags water along; a strength of 1 makes it as fast as the hand.
    Push {
        /// How far it reaches.
        radius: f64,
        /// Times the speed of the hand.
        strength: f64,
    },
    /// Drops something with a click.
    Drop {
        /// Its radius.
        radius: f64,
        /// Its volume.
        volume: f64,
    },
    /// Pours, or draws off, while it is held.
    Pour {
        /// Radius of the jet.
        radius: f64,
        /// m³/s, negative to draw off.
        rate: f64,
    },
    /// Makes it rain while it is held.
    Rain {
        /// Depth per second.
        rate: f64,
    },
    /// Places a spring, or a drain, that stays.
    Spring {
        /// Radius of its disc.
        radius: f64,
        /// m³/s.
        rate: f64,
        /// Whether it draws off.
        is_drain: bool,
    },
    /// Places a source that gives and takes in turn.
    Wobble {
        /// Radius of its disc.
        radius: f64,
        /// Greatest rate in m³/s.
        rate: f64,
        /// Seconds of a turn.
        period: f64,
    },
    /// Raises the ground, or digs, while it is held.
    Ground {
        /// Radius of the hill.
        radius: f64,
        /// Metres per second, negative to dig.
        speed: f64,
    },
    /// Draws a polygon that the fluid flows around.
    Obstacle,
    /// Takes hold of what stands in the scene; the wheel turns it.
    Move,
    /// Takes away what stands in the scene.
    Erase,
    /// Starts waves at the side that is nearest.
    Waves {
        /// Their amplitude in metres.
        height: f64,
        /// Their period in seconds.
        period: f64,
        /// How many.
        count: f64,
    },
}

/// Where the pointer is and what it does, in the world.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pointer {
    /// Where it touches the water; `None` beside it.
    pub at: Option<DVec3>,
    /// How fast it moves there, in m/s.
    pub velocity: DVec3,
    /// Whether its button went down just now.
    pub is_pressed: bool,
    /// Whether its button is down.
    pub is_down: bool,
    /// Whether its button came up just now.
    pub is_released: bool,
    /// How far the wheel turned, in notches.
    pub wheel: f64,
}

/// What the hand knows of the water.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// The scene as it is now.
    pub scene: &'a Scene,
    /// The frame that is shown.
    pub frame: u64,
    /// Its time.
    pub time: f64,
    /// Whether the water runs.
    pub is_playing: bool,
    /// Lowest and highest corner of the water.
    pub bounds: [DVec2; 2],
    /// Metres within which a thing counts as touched.
    pub slack: f64,
}

/// A hand, and what it is in the middle of.
#[derive(Debug, Default)]
pub struct Hand {
    /// The frame at which it last did something.
    last_frame: Option<u64>,
    /// The line that is being drawn.
    drawn: Vec<DVec2>,
    /// Corners of it that were clicked before the present press.
    corners: usize,
    held: Option<Held>,
    /// The terrain layer and the number of hills of the present stroke.
    ground: Option<(usize, usize)>,
}

/// A thing in the hand.
#[derive(Debug)]
struct Held {
    thing: Thing,
    /// From its origin to where it was taken hold of.
    grip: DVec2,
}

impl Hand {
    /// The line that is being drawn, to be shown.
    pub fn drawn(&self) -> &[DVec2] {
        &self.drawn
    }

    /// The thing in the hand, to be shown.
    pub fn held(&self) -> Option<&Thing> {
        self.held.as_ref().map(|held| &held.thing)
    }

    /// Does with the grip what the pointer says.
    pub fn work(&mut self, grip: Grip, pointer: &Pointer, around: &Around<'_>, orders: &mut Vec<Order>) {
        if pointer.is_pressed {
            orders.push(Order::BeginStroke);
            self.last_frame = None;
            self.ground = None;
        }
        match grip {
            Grip::Nothing => {}
            Grip::Push { .. } | Grip::Pour { .. } | Grip::Rain { .. } => {
                if pointer.is_down && self.is_new_frame(around) {
                    orders.extend(
                        poke(grip, pointer, around).map(|poke| Order::Act(ActionKind::Disturb(poke))),
                    );
                }
            }
            Grip::Drop { radius, volume } => {
                if let (true, Some(at)) = (pointer.is_pressed, pointer.at) {
                    let drop = Disturbance::Drop { at: at.truncate(), radius, volume };
                    orders.push(Order::Act(ActionKind::Disturb(drop)));
                }
            }
            Grip::Spring { .. } | Grip::Wobble { .. } | Grip::Waves { .. } => {
                if let (true, Some(at)) = (pointer.is_pressed, pointer.at) {
                    orders.extend(placed(grip, at, around).map(|edit| Order::Act(ActionKind::Edit(edit))));
                }
            }
            Grip::Ground { radius, speed } => {
                if let (true, Some(at)) = (pointer.is_down && self.is_new_frame(around), pointer.at) {
                    let edit = self.dab(at.truncate(), radius, speed / around.scene.fps, around.scene);
                    orders.push(Order::Act(ActionKind::Edit(edit)));
                }
            }
            Grip::Obstacle => self.draw(pointer, around, orders),
            Grip::Move => self.carry(pointer, around, orders),
            Grip::Erase => {
                let touched = pointer.at.filter(|_| pointer.is_pressed);
                let thing = touched.and_then(|at| thing_at(around.scene, at.truncate(), around.slack));
                orders.extend(thing.map(|thing| Order::Act(ActionKind::Edit(Edit::remove(thing.path())))));
            }
        }
        if pointer.is_released {
            orders.push(Order::BeginStroke);
        }
    }

    /// Whether the water has reached another frame since the hand last did something; one that stands still is touched
    /// with every press only.
    fn is_new_frame(&mut self, around: &Around<'_>) -> bool {
        let is_new = self.last_frame != Some(around.frame);
        self.last_frame = Some(around.frame);
        is_new
    }

    /// One more hill of the stroke: all of them are one layer of the terrain.
    fn dab(&mut self, at: DVec2, radius: f64, height: f64, scene: &Scene) -> Edit {
        let layers = scene.sections("terrain").len();
        let (layer, hills) = self.ground.unwrap_or((layers, 0));
        self.ground = Some((layer, hills + 1));
        let hill = format!(
            "{{ center = [{:?}, {:?}], radius = {radius:?}, height = {height:?}, shape = \"cosine\" }}",
            at.x, at.y
        );
        Edit::set(match hills {
            0 => format!("terrain.{layer}={{ kind = \"hills\", hill = [{hill}] }}"),
            _ => format!("terrain.{layer}.hill.{hills}={hill}"),
        })
    }

    /// A line drawn around something in one go, or corner after corner until the first is met again.
    fn draw(&mut self, pointer: &Pointer, around: &Around<'_>, orders: &mut Vec<Order>) {
        let Some(at) = pointer.at.map(DVec3::truncate) else { return };
        let is_far = |point: &DVec2, by: f64| point.distance(at) > by * around.slack;
        if pointer.is_pressed {
            self.corners = self.drawn.len();
            let closes = self.drawn.len() >= 3 && self.drawn.first().is_some_and(|first| !is_far(first, 1.5));
            if closes {
                let line = std::mem::take(&mut self.drawn);
                self.corners = 0;
                return orders.extend(polygon(&line, around).map(|edit| Order::Act(ActionKind::Edit(edit))));
            }
        }
        if pointer.is_down && self.drawn.last().is_none_or(|last| is_far(last, 0.2)) {
            self.drawn.push(at);
        }
        let is_drag = self.drawn.len() > self.corners + 4;
        if pointer.is_released && is_drag {
            let line = self.drawn.split_off(self.corners.min(self.drawn.len()));
            self.drawn.clear();
            orders.extend(polygon(&line, around).map(|edit| Order::Act(ActionKind::Edit(edit))));
        } else if pointer.is_released {
            // A click: one corner, however the hand trembled
            self.drawn.truncate(self.corners + 1);
        }
    }

    /// Lets go of what it is in the middle of.
    pub fn let_go(&mut self) {
        *self = Hand::default();
    }

    fn carry(&mut self, pointer: &Pointer, around: &Around<'_>, orders: &mut Vec<Order>) {
        let Some(at) = pointer.at.map(DVec3::truncate) else { return };
        if pointer.is_pressed {
            let thing = thing_at(around.scene, at, around.slack);
            self.held = thing.map(|thing| Held { grip: at - thing.at, thing });
        }
        if pointer.wheel != 0.0 && !pointer.is_down {
            let thing = thing_at(around.scene, at, around.slack).filter(|thing| thing.section == "obstacle");
            orders.extend(thing.map(|thing| {
                let turn = thing.turn + 0.15 * pointer.wheel;
                Order::Act(ActionKind::Edit(Edit::set(format!("{}.turn={turn:?}", thing.path()))))
            }));
        }
        let is_new_frame = self.is_new_frame(around);
        if let Some(held) = &mut self.held {
            let to = at - held.grip;
            if to != held.thing.at && (is_new_frame || pointer.is_released) {
                orders.push(Order::Act(ActionKind::Edit(moved(&held.thing, to, around))));
                held.thing.at = to;
            }
        }
        if pointer.is_released {
            self.held = None;
        }
    }
}

/// What a grip that is held does to the water in one frame.
fn poke(grip: Grip, pointer: &Pointer, around: &Around<'_>) -> Option<Disturbance> {
    let duration = 1.0 / around.scene.fps;
    if let Grip::Rain { rate } = grip {
        return Some(Disturbance::Rain { rate, duration });
    }
    let at = pointer.at?;
    match grip {
        Grip::Push { radius, strength } => {
            let velocity = pointer.velocity * strength;
            (velocity.length() > 0.0).then_some(Disturbance::Push { at, radius, velocity })
        }
        Grip::Pour { radius, rate } => {
            Some(Disturbance::Source { at: at.truncate(), radius, rate, duration })
        }
        _ => None,
    }
}

/// The change that places something for good; `None` where no water would read it.
fn placed(grip: Grip, at: DVec3, around: &Around<'_>) -> Option<Edit> {
    let waters = around.scene.sections("water");
    let models: Vec<_> =
        waters.iter().filter_map(|water| undine::models::find(water.text("kind")?)).collect();
    let reads = |section: &str| models.iter().any(|model| model.live_sections.contains(&section));
    let (x, y, since) = (at.x, at.y, around.time);
    let (section, table) = match grip {
        Grip::Spring { radius, rate, is_drain } if reads("source") => {
            let kind = if is_drain { "drain" } else { "spring" };
            (
                "source",
                format!("kind = \"{kind}\", at = [{x:?}, {y:?}], radius = {radius:?}, rate = {rate:?}"),
            )
        }
        // Only liquids have drains of their own; what they emit and drain is a region
        Grip::Spring { radius, rate, is_drain } if reads("drain") => {
            let is_in_space = waters.first().is_some_and(|water| water.has("height"));
            let (kind, place) = match is_in_space {
                true => ("sphere", format!("[{x:?}, {y:?}, {:?}]", at.z)),
                false => ("circle", format!("[{x:?}, {y:?}]")),
            };
            let pours = format!("rate = {rate:?}, speed = {:?}", 4.0 * radius);
            let (section, more) =
                if is_drain { ("drain", format!("rate = {rate:?}")) } else { ("emitter", pours) };
            (section, format!("kind = \"{kind}\", at = {place}, radius = {radius:?}, {more}"))
        }
        Grip::Spring { radius, is_drain: false, .. } if reads("emitter") => {
            let jet = format!("towards = [0, 1], speed = {:?}, colour = \"#2f9fe0\"", 6.0 * radius);
            ("emitter", format!("kind = \"jet\", at = [{x:?}, {y:?}], radius = {radius:?}, {jet}"))
        }
        Grip::Wobble { radius, rate, period } if reads("source") => {
            let turns = format!("{rate:?}*sin(2*pi*(t-{since:?})/{period:?})");
            (
                "source",
                format!("kind = \"spring\", at = [{x:?}, {y:?}], radius = {radius:?}, rate = \"{turns}\""),
            )
        }
        Grip::Wobble { radius, period, .. } if reads("emitter") && !reads("drain") => {
            let push = format!("{:?}*sin(2*pi*(t-{since:?})/{period:?})", 60.0 * radius / period);
            let fan = format!("towards = [1, 0], push = \"{push}\"");
            ("emitter", format!("kind = \"fan\", at = [{x:?}, {y:?}], radius = {radius:?}, {fan}"))
        }
        Grip::Waves { height, period, count } if reads("source") => {
            let side = nearest_side(at.truncate(), around.bounds);
            let during = format!("pulse(t-{since:?}, {:?})", count * period);
            let level = format!("{height:?}*sin(2*pi*(t-{since:?})/{period:?})*{during}");
            ("source", format!("kind = \"waves\", side = \"{side}\", level = \"{level}\""))
        }
        _ => return None,
    };
    let next = around.scene.sections(section).len();
    Some(Edit::set(format!("{section}.{next}={{ {table} }}")))
}

fn nearest_side(at: DVec2, [low, high]: [DVec2; 2]) -> &'static str {
    let sides =
        [("west", at.x - low.x), ("east", high.x - at.x), ("south", at.y - low.y), ("north", high.y - at.y)];
    let nearest = sides.into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
    nearest.map_or("west", |(side, _)| side)
}

/// The obstacle that a closed line makes; `None` for a line without an inside.
fn polygon(line: &[DVec2], around: &Around<'_>) -> Option<Edit> {
    let mut tolerance = 0.3 * around.slack;
    let mut corners = simplified(line, tolerance);
    while corners.len() > MOST_CORNERS {
        tolerance *= 1.5;
        corners = simplified(line, tolerance);
    }
    if corners.len() > 1 && corners[0].distance(corners[corners.len() - 1]) < around.slack {
        corners.pop();
    }
    let middle = corners.iter().sum::<DVec2>() / corners.len().max(1) as f64;
    let doubled: f64 = corners.iter().zip(corners.iter().cycle().skip(1)).map(|(a, b)| a.perp_dot(*b)).sum();
    if corners.len() < 3 || doubled.abs() < around.slack * around.slack {
        return None;
    }
    let mut list = String::new();
    for corner in corners.iter().map(|corner| *corner - middle) {
        // Writing to a string cannot fail
        let _ = write!(list, "{{ at = [{:?}, {:?}] }}, ", corner.x, corner.y);
    }
    let index = around.scene.sections("obstacle").len();
    let at = format!("[{:?}, {:?}]", middle.x, middle.y);
    Some(Edit::set(format!("obstacle.{index}={{ kind = \"polygon\", at = {at}, corner = [{list}] }}")))
}

/// The change that brings a thing to another place. An obstacle goes there within a frame, so that it pushes the water;
/// all else is just there.
fn moved(thing: &Thing, to: DVec2, around: &Around<'_>) -> Edit {
    let path = thing.path();
    let place = format!("{path}.at=[{:?}, {:?}]", to.x, to.y);
    if thing.section != "obstacle" {
        return Edit::set(place);
    }
    let way =
        |along: f64| format!("\"{along:?}*max(0, 1 - {:?}*(t - {:?}))\"", around.scene.fps, around.time);
    let back = thing.at - to;
    Edit::set(format!("{place}\n{path}.move_x={}\n{path}.move_y={}", way(back.x), way(back.y)))
}

#[cfg(test)]
mod tests;
