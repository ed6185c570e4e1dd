//! The hand: from what the pointer does to what is done to the water.
//!
//! A [`Hand`] is told once per picture where the pointer touches and what it holds. What it does, it says in orders: pokes
//! of the water once per frame of the simulation, changes of the scene when something is placed, moved or taken away.

mod grip;
pub mod things;

use glam::{DVec2, DVec3};
use undine::models::section_readers;
use undine::scene::{Edit, Gesture, Placement, Placing, Scene};
use undine::sim::{ActionKind, Disturbance};

use crate::order::Order;
use crate::panels::tools::suited;
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
    /// Places a section of the scene, by the tool of this name.
    Place {
        /// The tool.
        tool: &'static str,
        /// What it is set to.
        size: Size,
    },
    /// Takes hold of what stands in the scene; the wheel turns it.
    Move,
    /// Takes away what stands in the scene.
    Erase,
}

/// What a hand that places something is set to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    /// How far it reaches.
    pub radius: f64,
    /// m³/s.
    pub rate: f64,
    /// Seconds between crests.
    pub period: f64,
    /// Height of waves, or of ground per second.
    pub height: f64,
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
    /// The number of the section that the present stroke writes, and how many parts it has.
    stroke: Option<(usize, usize)>,
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
            self.stroke = None;
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
            Grip::Place { tool, size } => {
                if pointer.is_pressed || pointer.is_down || pointer.is_released {
                    let edit = self.place(tool, size, pointer, around);
                    orders.extend(edit.map(|edit| Order::Act(ActionKind::Edit(edit))));
                }
            }
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

    /// The change that places a section, or goes on with one; `None` where no water would read it.
    fn place(&mut self, tool: &str, size: Size, pointer: &Pointer, around: &Around<'_>) -> Option<Edit> {
        let readers = section_readers(around.scene);
        let suited = suited(tool, &readers)?;
        let (tool, name) = (suited.tool, suited.reader.section.name);
        let touched = pointer.at?;
        let [low, high] = around.bounds.map(|corner| corner.to_array());
        let mut placement = Placement {
            at: touched.to_array(),
            outline: &[],
            bounds: [low, high],
            dimension: suited.reader.dimension,
            time: around.time,
            frame_time: 1.0 / around.scene.fps,
            radius: size.radius,
            rate: size.rate,
            period: size.period,
            height: size.height,
        };
        let next = around.scene.sections(name).len();
        match tool.gesture {
            Gesture::Click => {
                let written = pointer.is_pressed.then(|| (tool.write)(&placement))?;
                Some(Edit::set(format!("{name}.{next}={written}")))
            }
            Gesture::Outline => {
                let corners = self.draw(touched.truncate(), pointer, around)?;
                placement.outline = &corners;
                Some(Edit::set(format!("{name}.{next}={}", (tool.write)(&placement))))
            }
            Gesture::Stroke { parts, write_part } => {
                if !(pointer.is_down && self.is_new_frame(around)) {
                    return None;
                }
                let (index, count) = self.stroke.unwrap_or((next, 0));
                self.stroke = Some((index, count + 1));
                Some(Edit::set(match count {
                    0 => format!("{name}.{index}={}", (tool.write)(&placement)),
                    _ => format!("{name}.{index}.{parts}.{count}={}", write_part(&placement)),
                }))
            }
        }
    }

    /// A line drawn around something in one go, or corner after corner until the first is met again; its corners once it
    /// is closed.
    fn draw(&mut self, at: DVec2, pointer: &Pointer, around: &Around<'_>) -> Option<Vec<[f64; 2]>> {
        let is_far = |point: &DVec2, by: f64| point.distance(at) > by * around.slack;
        if pointer.is_pressed {
            self.corners = self.drawn.len();
            let closes = self.drawn.len() >= 3 && self.drawn.first().is_some_and(|first| !is_far(first, 1.5));
            if closes {
                let line = std::mem::take(&mut self.drawn);
                self.corners = 0;
                return polygon(&line, around.slack);
            }
        }
        if pointer.is_down && self.drawn.last().is_none_or(|last| is_far(last, 0.2)) {
            self.drawn.push(at);
        }
        let is_drag = self.drawn.len() > self.corners + 4;
        if pointer.is_released && is_drag {
            let line = self.drawn.split_off(self.corners.min(self.drawn.len()));
            self.drawn.clear();
            return polygon(&line, around.slack);
        }
        if pointer.is_released {
            // A click: one corner, however the hand trembled
            self.drawn.truncate(self.corners + 1);
        }
        None
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
            let thing =
                thing_at(around.scene, at, around.slack).filter(|thing| thing.placing == Placing::Body);
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

/// The corners of a closed line that was drawn by hand; `None` for a line without an inside.
fn polygon(line: &[DVec2], slack: f64) -> Option<Vec<[f64; 2]>> {
    let mut tolerance = 0.3 * slack;
    let mut corners = simplified(line, tolerance);
    while corners.len() > MOST_CORNERS {
        tolerance *= 1.5;
        corners = simplified(line, tolerance);
    }
    if corners.len() > 1 && corners[0].distance(corners[corners.len() - 1]) < slack {
        corners.pop();
    }
    let doubled: f64 = corners.iter().zip(corners.iter().cycle().skip(1)).map(|(a, b)| a.perp_dot(*b)).sum();
    let has_inside = corners.len() >= 3 && doubled.abs() >= slack * slack;
    has_inside.then(|| corners.iter().map(|corner| corner.to_array()).collect())
}

/// The change that brings a thing to another place. A body goes there within a frame, so that it pushes the water;
/// all else is just there.
fn moved(thing: &Thing, to: DVec2, around: &Around<'_>) -> Edit {
    let path = thing.path();
    let place = format!("{path}.at=[{:?}, {:?}]", to.x, to.y);
    if thing.placing != Placing::Body {
        return Edit::set(place);
    }
    let way =
        |along: f64| format!("\"{along:?}*max(0, 1 - {:?}*(t - {:?}))\"", around.scene.fps, around.time);
    let back = thing.at - to;
    Edit::set(format!("{place}\n{path}.move_x={}\n{path}.move_y={}", way(back.x), way(back.y)))
}

#[cfg(test)]
mod tests;
