//! The overlay of a pane: items placed in the scene, and the active tool.

use egui::{Color32, Pos2, Rect, Shape, Stroke, Ui};
use glam::{DVec2, DVec3, Vec2};
use undine::Frame;
use undine::render::preview::PinholeCamera;

use super::page_camera::PageCamera;
use super::pick;
use crate::interaction::Interaction;
use crate::interaction::placed_items::{PlacedItem, placed_items};
use crate::panels::theme;
use crate::panels::tools::{Tool, find_section_tool};
use crate::update::OpenScene;

/// Projection from the world to the window.
pub struct Projection {
    /// Rectangle of the pane.
    pub rect: Rect,
    /// Camera of the page, or
    pub page: Option<PageCamera>,
    /// camera in space.
    pub camera: Option<PinholeCamera>,
}

impl Projection {
    /// The window position of a point of the world; `None` behind the camera.
    pub fn project(&self, point: DVec3) -> Option<Pos2> {
        let size = Vec2::new(self.rect.width(), self.rect.height());
        let position = match (&self.page, &self.camera) {
            (Some(page), _) => page.project(point.truncate().as_vec2(), size),
            (None, Some(camera)) => {
                let in_view = camera.to_view_space(point.as_vec3());
                if in_view.z <= 1e-4 {
                    return None;
                }
                camera.project(in_view)
            }
            (None, None) => return None,
        };
        Some(self.rect.min + egui::vec2(position.x, position.y))
    }
}

/// Outlines of springs, drains and obstacles, while a tool is active that positions or moves
/// them.
pub fn draw_placed_items(ui: &Ui, projection: &Projection, opened: &OpenScene, frame: &Frame, tool: Tool) {
    let placed = match tool {
        Tool::Place(name) => find_section_tool(name, &opened.readers).map(|found| found.kind.placing),
        _ => None,
    };
    let concerns = |item: &PlacedItem| match tool {
        Tool::Move | Tool::Erase => true,
        _ => placed == Some(item.placing),
    };
    let accent = theme::accent(ui.visuals());
    for item in placed_items(&opened.scene, &opened.readers).iter().filter(|item| concerns(item)) {
        outline(ui, projection, &item.corners(), frame, accent, true);
        if let Some(position) = projection.project(on_water(item.at, frame)) {
            let painter = ui.painter_at(projection.rect);
            painter.circle_filled(position, 4.0, accent);
            let font = egui::TextStyle::Small.resolve(ui.style());
            painter.text(position + egui::vec2(7.0, 0.0), egui::Align2::LEFT_CENTER, item.kind, font, accent);
        }
    }
}

/// The line that is being drawn, the item that is being moved, and the radius of the tool.
pub fn draw_tool(
    ui: &Ui,
    projection: &Projection,
    interaction: &Interaction,
    at: Option<DVec3>,
    radius: Option<f64>,
    frame: &Frame,
) {
    let accent = theme::accent(ui.visuals());
    outline(ui, projection, interaction.drawn(), frame, accent, false);
    if let Some(item) = interaction.held() {
        outline(ui, projection, &item.corners(), frame, Color32::WHITE, true);
    }
    if let (Some(at), Some(radius)) = (at, radius) {
        let ring: Vec<DVec2> = (0..48)
            .map(|step| {
                at.truncate() + radius * DVec2::from_angle(f64::from(step) * std::f64::consts::TAU / 48.0)
            })
            .collect();
        let is_in_tank = frame.tank().is_some() && frame.heights().next().is_none();
        match is_in_tank {
            true => sphere(ui, projection, at, radius),
            false => outline(ui, projection, &ring, frame, Color32::from_white_alpha(150), true),
        }
    }
}

/// The outline of a sphere in a tank.
fn sphere(ui: &Ui, projection: &Projection, at: DVec3, radius: f64) {
    let Some(camera) = &projection.camera else { return };
    let rim = at + (camera.right * radius as f32).as_dvec3();
    if let (Some(middle), Some(rim)) = (projection.project(at), projection.project(rim)) {
        let stroke = Stroke::new(1.5, Color32::from_white_alpha(150));
        ui.painter_at(projection.rect).circle_stroke(middle, middle.distance(rim), stroke);
    }
}

fn outline(
    ui: &Ui,
    projection: &Projection,
    corners: &[DVec2],
    frame: &Frame,
    colour: Color32,
    is_closed: bool,
) {
    let positions: Vec<Pos2> =
        corners.iter().filter_map(|corner| projection.project(on_water(*corner, frame))).collect();
    if positions.is_empty() {
        return;
    }
    let stroke = Stroke::new(1.5, colour);
    let painter = ui.painter_at(projection.rect);
    if !is_closed {
        painter.extend(positions.iter().map(|position| Shape::circle_filled(*position, 2.5, colour)));
    }
    painter.add(if is_closed {
        Shape::closed_line(positions, stroke)
    } else {
        Shape::line(positions, stroke)
    });
}

/// The point on the water surface above a horizontal position.
fn on_water(at: DVec2, frame: &Frame) -> DVec3 {
    let level = frame.heights().find_map(|(_, heights)| pick::level(heights, at.as_vec2()));
    let tank = frame.tank().map(|[low, high]| 0.5 * (low[2] + high[2]));
    at.extend(level.map(f64::from).or(tank).unwrap_or(0.0))
}
