//! Pointer interaction: from the pointer and the active tool to requests.
//!
//! An [`Interaction`] receives the state of the pointer once per picture. It sends disturbances of the water at most once
//! per frame of the simulation, and edits of the scene when a section is placed, moved or removed.

pub mod placed_items;
mod tool_action;

use glam::{DVec2, DVec3};
use undine::models::section_readers;
use undine::scene::{Edit, Gesture, Placement, Placing, Scene};
use undine::sim::{ActionKind, Disturbance};

use crate::panels::knobs::models;
use crate::panels::tools::find_section_tool;
use crate::request::Request;
use placed_items::{PlacedItem, item_at, simplified};
pub use tool_action::{tool_action, tool_radius};

/// Fall of the sides of a dam per metre: what heaped earth and stones bear.
const DAM_SLOPE: f64 = 0.6;

/// Most corners of a polygon drawn freehand.
const MAX_CORNERS: usize = 48;

/// The active tool with its settings, in metres and seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ToolAction {
    /// Only navigates: the view takes the pointer.
    None,
    /// Accelerates water towards a multiple of the pointer's velocity.
    Push {
        /// Radius of the affected region.
        radius: f64,
        /// Multiple of the pointer's velocity.
        strength: f64,
    },
    /// Adds a drop with a click.
    Drop {
        /// Its radius.
        radius: f64,
        /// Its volume.
        volume: f64,
    },
    /// A source, or a sink, while the button is held.
    Pour {
        /// Its radius.
        radius: f64,
        /// m³/s, negative for a sink.
        rate: f64,
    },
    /// Rain on the whole water while the button is held.
    Rain {
        /// Depth per second.
        rate: f64,
    },
    /// Heaps up ground or digs it away along the path of the pointer, while the button is held.
    Ground {
        /// Whether it is heaped up.
        is_raised: bool,
        /// Its radius, and its height per second.
        size: PlacementSize,
    },
    /// Builds a dam along the straight line from where the button is pressed to where it is released.
    Dam {
        /// Half the width of its crest.
        radius: f64,
        /// Height of the crest above the surface where the line begins.
        crest: f64,
    },
    /// Places a section of the scene.
    Place {
        /// Name of the section tool.
        tool: &'static str,
        /// Its settings.
        size: PlacementSize,
    },
    /// Drags a placed item; the wheel rotates it.
    Move,
    /// Removes a placed item.
    Erase,
}

/// Settings of a tool that places a section.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlacementSize {
    /// Radius in metres.
    pub radius: f64,
    /// m³/s.
    pub rate: f64,
    /// Wave period in seconds.
    pub period: f64,
    /// Height of waves in metres, or of ground per second.
    pub height: f64,
}

/// The state of the pointer, in world coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pointer {
    /// The point of the water below it; `None` beside the water.
    pub at: Option<DVec3>,
    /// The velocity of that point, in m/s.
    pub velocity: DVec3,
    /// Whether the button was pressed since the last picture.
    pub is_pressed: bool,
    /// Whether the button is down.
    pub is_down: bool,
    /// Whether the button was released since the last picture.
    pub is_released: bool,
    /// Notches by which the wheel was turned.
    pub wheel: f64,
}

/// The state of the simulation that an interaction refers to.
#[derive(Clone, Copy)]
pub struct InteractionContext<'a> {
    /// The scene including all edits.
    pub scene: &'a Scene,
    /// The frame that is shown.
    pub frame: u64,
    /// Its time.
    pub time: f64,
    /// Whether the simulation runs.
    pub is_playing: bool,
    /// Bounding box of the water in the plane.
    pub bounds: [DVec2; 2],
    /// Pick radius in metres.
    pub pick_radius: f64,
}

/// The interaction in progress: a freehand outline, an item that is dragged, a stroke.
#[derive(Debug, Default)]
pub struct Interaction {
    /// The frame of the last disturbance or edit.
    last_frame: Option<u64>,
    /// Points of the outline that is being drawn.
    drawn: Vec<DVec2>,
    /// Points of it that were clicked before the current press.
    corners: usize,
    held: Option<DraggedItem>,
    /// Index of the section that the current stroke writes, and how many parts it has.
    stroke: Option<(usize, usize)>,
    /// Where the current stroke over the ground was at its last frame.
    ground: Option<DVec2>,
    /// Both ends of the dam that is being drawn.
    dam: Option<[DVec3; 2]>,
}

/// An item that is being dragged.
#[derive(Debug)]
struct DraggedItem {
    item: PlacedItem,
    /// From its origin to the point where it was picked.
    offset: DVec2,
}

impl Interaction {
    /// The outline that is being drawn, for the overlay.
    pub fn drawn(&self) -> &[DVec2] {
        &self.drawn
    }

    /// The item that is being dragged, for the overlay.
    pub fn held(&self) -> Option<&PlacedItem> {
        self.held.as_ref().map(|held| &held.item)
    }

    /// Applies the tool at the pointer; a press begins an undo group and a release ends it.
    pub fn handle(
        &mut self,
        action: ToolAction,
        pointer: &Pointer,
        context: &InteractionContext<'_>,
        requests: &mut Vec<Request>,
    ) {
        if pointer.is_pressed {
            requests.push(Request::BeginUndoGroup);
            self.last_frame = None;
            self.stroke = None;
            self.ground = None;
            self.dam = None;
        }
        match action {
            ToolAction::None => {}
            // Continuous disturbances: one per frame of the simulation
            ToolAction::Push { .. } | ToolAction::Pour { .. } | ToolAction::Rain { .. } => {
                if pointer.is_down && self.is_new_frame(context) {
                    let disturbance = disturbance(action, pointer, context);
                    requests.extend(disturbance.map(|poke| Request::Apply(ActionKind::Disturb(poke))));
                }
            }
            ToolAction::Drop { radius, volume } => {
                if let (true, Some(at)) = (pointer.is_pressed, pointer.at) {
                    let drop = Disturbance::Drop { at: at.truncate(), radius, volume };
                    requests.push(Request::Apply(ActionKind::Disturb(drop)));
                }
            }
            ToolAction::Ground { is_raised, size } if has_changing_ground(context.scene) => {
                let is_due = pointer.is_down && self.is_new_frame(context);
                let path = if is_due { self.ground_path(pointer) } else { None };
                let sign = if is_raised { 1.0 } else { -1.0 };
                let (radius, height) = (size.radius, sign * size.height / context.scene.fps);
                let heap = path.map(|path| Disturbance::Ground { path, radius, height });
                requests.extend(heap.map(|heap| Request::Apply(ActionKind::Disturb(heap))));
            }
            ToolAction::Dam { radius, crest } => {
                let dam = self.draw_dam(radius, crest, pointer);
                requests.extend(dam.map(|dam| Request::Apply(ActionKind::Disturb(dam))));
            }
            // Edits of the scene
            ToolAction::Ground { is_raised, size } => {
                if pointer.is_down {
                    let edit = self.place(if is_raised { "raise" } else { "dig" }, size, pointer, context);
                    requests.extend(edit.map(|edit| Request::Apply(ActionKind::Edit(edit))));
                }
            }
            ToolAction::Place { tool, size } => {
                if pointer.is_pressed || pointer.is_down || pointer.is_released {
                    let edit = self.place(tool, size, pointer, context);
                    requests.extend(edit.map(|edit| Request::Apply(ActionKind::Edit(edit))));
                }
            }
            ToolAction::Move => self.drag(pointer, context, requests),
            ToolAction::Erase => {
                let touched = pointer.at.filter(|_| pointer.is_pressed);
                let item = touched.and_then(|at| item_at(context.scene, at.truncate(), context.pick_radius));
                let remove = item.map(|item| Edit::remove(item.path()));
                requests.extend(remove.map(|edit| Request::Apply(ActionKind::Edit(edit))));
            }
        }
        if pointer.is_released {
            requests.push(Request::BeginUndoGroup);
        }
    }

    /// Whether the simulation has reached another frame since the last disturbance. While it is paused, only a press
    /// counts, since that resets `last_frame`.
    fn is_new_frame(&mut self, context: &InteractionContext<'_>) -> bool {
        let is_new = self.last_frame != Some(context.frame);
        self.last_frame = Some(context.frame);
        is_new
    }

    /// The path of a stroke over the ground since its last frame; `None` beside the water, where the stroke is broken off.
    fn ground_path(&mut self, pointer: &Pointer) -> Option<[DVec2; 2]> {
        let last = std::mem::replace(&mut self.ground, pointer.at.map(DVec3::truncate));
        self.ground.map(|at| [last.unwrap_or(at), at])
    }

    /// Draws the line of a dam; the dam when the button is released. Beside the water the line ends where it left it.
    fn draw_dam(&mut self, radius: f64, crest: f64, pointer: &Pointer) -> Option<Disturbance> {
        if pointer.is_pressed {
            self.dam = pointer.at.map(|at| [at, at]);
        }
        if let (Some([_, end]), Some(at)) = (&mut self.dam, pointer.at) {
            *end = at;
        }
        self.drawn = self.dam.iter().flatten().map(|end| end.truncate()).collect();
        if !pointer.is_released {
            return None;
        }
        self.drawn.clear();
        let [from, to] = self.dam.take()?;
        let (path, level) = ([from.truncate(), to.truncate()], from.z + crest);
        Some(Disturbance::Dam { path, radius, level, slope: DAM_SLOPE })
    }

    /// The edit that places a section or extends the one of the current stroke; `None` where no water reads it.
    fn place(
        &mut self,
        tool: &str,
        size: PlacementSize,
        pointer: &Pointer,
        context: &InteractionContext<'_>,
    ) -> Option<Edit> {
        let readers = section_readers(context.scene);
        let found = find_section_tool(tool, &readers)?;
        let (tool, name) = (found.tool, found.reader.section.name);
        // What the tool writes from: the pointer and the settings
        let touched = pointer.at?;
        let [low, high] = context.bounds.map(|corner| corner.to_array());
        let mut placement = Placement {
            at: touched.to_array(),
            outline: &[],
            bounds: [low, high],
            dimension: found.reader.dimension,
            time: context.time,
            frame_time: 1.0 / context.scene.fps,
            radius: size.radius,
            rate: size.rate,
            period: size.period,
            height: size.height,
        };
        // A click and a closed outline append a section; a stroke appends one, then a part per frame
        let next = context.scene.sections(name).len();
        match tool.gesture {
            Gesture::Click => {
                let written = pointer.is_pressed.then(|| (tool.write)(&placement))?;
                Some(Edit::set(format!("{name}.{next}={written}")))
            }
            Gesture::Outline => {
                let corners = self.draw(touched.truncate(), pointer, context)?;
                placement.outline = &corners;
                Some(Edit::set(format!("{name}.{next}={}", (tool.write)(&placement))))
            }
            Gesture::Stroke { parts, write_part } => {
                if !(pointer.is_down && self.is_new_frame(context)) {
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

    /// Draws an outline: freehand in one drag, or by clicked corners until the first is clicked again. Returns the
    /// corners once it is closed.
    fn draw(
        &mut self,
        at: DVec2,
        pointer: &Pointer,
        context: &InteractionContext<'_>,
    ) -> Option<Vec<[f64; 2]>> {
        let is_far = |point: &DVec2, by: f64| point.distance(at) > by * context.pick_radius;
        if pointer.is_pressed {
            self.corners = self.drawn.len();
            let closes = self.drawn.len() >= 3 && self.drawn.first().is_some_and(|first| !is_far(first, 1.5));
            if closes {
                let line = std::mem::take(&mut self.drawn);
                self.corners = 0;
                return polygon(&line, context.pick_radius);
            }
        }
        if pointer.is_down && self.drawn.last().is_none_or(|last| is_far(last, 0.2)) {
            self.drawn.push(at);
        }
        let is_drag = self.drawn.len() > self.corners + 4;
        if pointer.is_released && is_drag {
            let line = self.drawn.split_off(self.corners.min(self.drawn.len()));
            self.drawn.clear();
            return polygon(&line, context.pick_radius);
        }
        if pointer.is_released {
            // A click adds one corner, even if the pointer moved a little
            self.drawn.truncate(self.corners + 1);
        }
        None
    }

    /// Cancels the interaction in progress.
    pub fn cancel(&mut self) {
        *self = Interaction::default();
    }

    /// Drags the item that was picked by the press, once per frame; without a button the wheel rotates a body.
    fn drag(&mut self, pointer: &Pointer, context: &InteractionContext<'_>, requests: &mut Vec<Request>) {
        let Some(at) = pointer.at.map(DVec3::truncate) else { return };
        if pointer.is_pressed {
            let item = item_at(context.scene, at, context.pick_radius);
            self.held = item.map(|item| DraggedItem { offset: at - item.at, item });
        }
        if pointer.wheel != 0.0 && !pointer.is_down {
            let item =
                item_at(context.scene, at, context.pick_radius).filter(|item| item.placing == Placing::Body);
            requests.extend(item.map(|item| {
                let turn = item.turn + 0.15 * pointer.wheel;
                Request::Apply(ActionKind::Edit(Edit::set(format!("{}.turn={turn:?}", item.path()))))
            }));
        }
        let is_new_frame = self.is_new_frame(context);
        if let Some(held) = &mut self.held {
            let to = at - held.offset;
            if to != held.item.at && (is_new_frame || pointer.is_released) {
                requests.push(Request::Apply(ActionKind::Edit(move_edit(&held.item, to, context))));
                held.item.at = to;
            }
        }
        if pointer.is_released {
            self.held = None;
        }
    }
}

/// Whether a water of the scene takes changes of its ground while it runs. Others read the ground anew from the scene.
fn has_changing_ground(scene: &Scene) -> bool {
    models(scene).iter().any(|model| model.answers.ground)
}

/// The disturbance of a continuous tool in one frame.
fn disturbance(
    action: ToolAction,
    pointer: &Pointer,
    context: &InteractionContext<'_>,
) -> Option<Disturbance> {
    let duration = 1.0 / context.scene.fps;
    if let ToolAction::Rain { rate } = action {
        return Some(Disturbance::Rain { rate, duration });
    }
    let at = pointer.at?;
    match action {
        ToolAction::Push { radius, strength } => {
            let velocity = pointer.velocity * strength;
            (velocity.length() > 0.0).then_some(Disturbance::Push { at, radius, velocity })
        }
        ToolAction::Pour { radius, rate } => {
            Some(Disturbance::Source { at: at.truncate(), radius, rate, duration })
        }
        _ => None,
    }
}

/// A freehand line as a polygon of at most [`MAX_CORNERS`] corners; `None` if its area is about zero.
fn polygon(line: &[DVec2], pick_radius: f64) -> Option<Vec<[f64; 2]>> {
    let mut tolerance = 0.3 * pick_radius;
    let mut corners = simplified(line, tolerance);
    while corners.len() > MAX_CORNERS {
        tolerance *= 1.5;
        corners = simplified(line, tolerance);
    }
    if corners.len() > 1 && corners[0].distance(corners[corners.len() - 1]) < pick_radius {
        corners.pop();
    }
    // Shoelace formula: twice the signed area
    let doubled: f64 = corners.iter().zip(corners.iter().cycle().skip(1)).map(|(a, b)| a.perp_dot(*b)).sum();
    let has_area = corners.len() >= 3 && doubled.abs() >= pick_radius * pick_radius;
    has_area.then(|| corners.iter().map(|corner| corner.to_array()).collect())
}

/// The edit that moves an item. A body moves there in the course of one frame, so that it has a velocity and pushes the
/// water; other items change their position at once.
fn move_edit(item: &PlacedItem, to: DVec2, context: &InteractionContext<'_>) -> Edit {
    let path = item.path();
    let position = format!("{path}.at=[{:?}, {:?}]", to.x, to.y);
    if item.placing != Placing::Body {
        return Edit::set(position);
    }
    // The remaining displacement falls linearly from `from − to` to zero within 1/fps
    let displacement =
        |start: f64| format!("\"{start:?}*max(0, 1 - {:?}*(t - {:?}))\"", context.scene.fps, context.time);
    let back = item.at - to;
    Edit::set(format!(
        "{position}\n{path}.move_x={}\n{path}.move_y={}",
        displacement(back.x),
        displacement(back.y)
    ))
}

#[cfg(test)]
mod tests;
