//! A pane: a picture of the water, its camera, and the interaction with it.

mod bounds;
mod default_view;
mod legend;
mod orbit_camera;
mod overlay;
mod page_camera;
mod pick;
#[cfg(test)]
mod tests;
mod texture;

use std::sync::Arc;

use eframe::egui_wgpu::RenderState;
use egui::{Color32, PointerButton, Rect, Response, Sense, TextureHandle, TextureId, TextureOptions, Ui};
use glam::{DVec3, Vec2};
use undine::Frame;
use undine_gpu::{FlatView, RenderSettings, ShadingModel, SpaceView};

pub use default_view::{DefaultView, has_section};

use crate::interaction::{Interaction, InteractionContext, Pointer, ToolAction, tool_action, tool_radius};
use crate::panels::tools::{Tool, ToolSettings};
use crate::request::{CpuRender, DisplayRequest, Request};
use crate::update::{CpuPicture, OpenScene, SessionUpdate};
use crate::view::{PaneContent, PaneView};
use bounds::{framed, page_bounds, section, world_bounds};
use orbit_camera::OrbitCamera;
use page_camera::PageCamera;
use texture::PaneTexture;

/// Radius in points within which the pointer picks an item.
const PICK_RADIUS: f32 = 10.0;
/// Largest speed of a push, in lengths of the water per second.
const MAX_PUSH_SPEED: f64 = 10.0;
/// Longer side of a picture rendered on the CPU, in pixels.
const CPU_RENDER_SIDE: f32 = 640.0;

/// One pane.
#[derive(Default)]
pub struct Pane {
    orbit: Option<OrbitCamera>,
    page: Option<PageCamera>,
    /// Whether the user has moved the camera; until then it is refitted when the size changes.
    is_moved: bool,
    /// The size of the pane to which the camera was fitted, in points.
    fitted_size: [f32; 2],
    gpu_texture: Option<PaneTexture>,
    /// Why the GPU cannot be used, once that is known.
    gpu_error: Option<String>,
    /// The last picture rendered on the CPU, and its texture.
    picture: Option<TextureHandle>,
    shown_picture: Option<CpuPicture>,
    /// Whether the pane shows that picture, rather than the texture of the GPU.
    shows_cpu_picture: bool,
    texture_key: Option<TextureKey>,
    /// Number of pictures so far.
    pictures: u64,
    interaction: Interaction,
    /// Time and position of the last pick, for the velocity of the pointer.
    last_pick: Option<(f64, DVec3)>,
    cpu_render: Option<CpuRender>,
}

/// Everything the texture depends on, so that it is rendered only when something has changed.
#[derive(PartialEq)]
struct TextureKey {
    frame: usize,
    default_view: usize,
    orbit: Option<OrbitCamera>,
    page: Option<PageCamera>,
    view: PaneView,
    size: [u32; 2],
}

/// What a pane shows, and how.
pub struct PaneContext<'a> {
    /// The GPU; `None` for rendering on the CPU.
    pub gpu: Option<&'a RenderState>,
    /// The latest update of the session.
    pub update: &'a SessionUpdate,
    /// The scene.
    pub opened: &'a OpenScene,
    /// How the scene is shown by default.
    pub default_view: &'a Arc<DefaultView>,
    /// Which of the runs is shown.
    pub run: usize,
    /// View settings of the pane.
    pub view: &'a PaneView,
    /// The active tool.
    pub tool: Tool,
    /// Settings of the tools.
    pub tools: &'a ToolSettings,
    /// Rendered pixels per screen pixel.
    pub resolution_scale: f32,
}

impl Pane {
    /// Resets the camera to fit everything.
    pub fn fit(&mut self) {
        (self.orbit, self.page, self.is_moved) = (None, None, false);
        self.interaction.cancel();
    }

    /// What the pane needs from the session.
    pub fn display_request(&self, default_view: &DefaultView, view: &PaneView) -> DisplayRequest {
        let mut request = default_view.display_request(view);
        request.pictures.extend(self.cpu_render);
        request
    }

    /// Why the GPU cannot be used.
    pub fn gpu_error(&self) -> Option<&str> {
        self.gpu_error.as_deref()
    }

    /// Number of pictures that it has shown.
    pub fn pictures(&self) -> u64 {
        self.pictures
    }

    /// Reads the picture back as RGBA, from the GPU or from the last CPU picture.
    pub fn read_back(
        &self,
        gpu: Option<&RenderState>,
        then: impl FnOnce([u32; 2], Vec<u8>) + Send + 'static,
    ) {
        let gpu_texture = self.gpu_texture.as_ref().filter(|_| !self.shows_cpu_picture);
        match (gpu_texture, gpu, &self.shown_picture) {
            (Some(gpu_texture), Some(gpu), _) => gpu_texture.read_back(gpu, then),
            (_, _, Some(CpuPicture { picture, .. })) => {
                let rgba = picture.rgb.chunks_exact(3).flat_map(|rgb| [rgb[0], rgb[1], rgb[2], 255]);
                then([picture.width, picture.height], rgba.collect());
            }
            _ => {}
        }
    }

    /// Shows the pane in a rectangle and handles its input.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        context: &PaneContext<'_>,
        requests: &mut Vec<Request>,
    ) -> Response {
        let response = ui.allocate_rect(rect, Sense::click_and_drag());
        let Some(frame) = context.update.frames.get(context.run) else { return response };
        let is_page = context.default_view.is_page(context.view);
        self.place_camera(frame, context, is_page, rect);
        self.navigate(ui, &response, context.tool, is_page);
        let size = pixels(ui, rect, context.resolution_scale);
        self.use_tool(ui, &response, frame, context, is_page, requests);
        let texture = self.texture(ui, context, frame, is_page, size);
        let extent = self.picture_rect(rect, is_page);
        if texture.is_none() || extent != rect {
            ui.painter_at(rect).rect_filled(rect, 0.0, ui.visuals().extreme_bg_color);
        }
        if let Some(texture) = texture {
            let uv = Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
            ui.painter_at(rect).image(texture, extent, uv, Color32::WHITE);
        }
        self.draw_overlay(ui, rect, context, frame, is_page);
        response
    }

    /// Fits the camera to the frame, if it has none or the size has changed.
    fn place_camera(&mut self, frame: &Frame, context: &PaneContext<'_>, is_page: bool, rect: Rect) {
        let size = [rect.width(), rect.height()];
        if self.fitted_size != size && !self.is_moved {
            (self.orbit, self.page, self.fitted_size) = (None, None, size);
        }
        if is_page && self.page.is_none() {
            let (corners, margin) = match self.page_window() {
                Some(corners) => (corners, 0.0),
                None => (page_bounds(frame), context.default_view.margin()),
            };
            self.page = Some(PageCamera::fitting(corners, margin, rect.aspect_ratio()));
        }
        if !is_page && self.orbit.is_none() {
            let (width, height) = (rect.width().max(1.0) as usize, rect.height().max(1.0) as usize);
            // A camera without a place at this time is the default one; the film reports it
            let viewpoint = context.default_view.picture.viewpoint(frame.time).unwrap_or_default();
            let camera = viewpoint.eye(&framed(frame), width, height);
            self.orbit = Some(OrbitCamera::from_camera(&camera));
        }
    }

    /// Orbits, pans, zooms and flies the camera.
    fn navigate(&mut self, ui: &Ui, response: &Response, tool: Tool, is_page: bool) {
        // Which buttons and fingers pan, orbit and zoom
        let size = Vec2::new(response.rect.width(), response.rect.height());
        let drag = Vec2::new(response.drag_delta().x, response.drag_delta().y);
        let touches = ui.input(|input| input.multi_touch());
        let by = |button: PointerButton| response.dragged_by(button);
        let is_shifted = ui.input(|input| input.modifiers.shift);
        let is_looking = by(PointerButton::Primary) && tool == Tool::Look && touches.is_none();
        let pans = by(PointerButton::Middle) || (is_looking && is_shifted);
        let turns = by(PointerButton::Secondary) || (is_looking && !is_shifted);
        let factor = match touches {
            Some(touches) => 1.0 / touches.zoom_delta,
            None if response.hovered() && tool != Tool::Move => {
                let scroll =
                    ui.input(|input| input.smooth_scroll_delta().y + 200.0 * (input.zoom_delta() - 1.0));
                (-0.003 * scroll).exp()
            }
            None => 1.0,
        };
        // Apply it to the camera of the page, or to that in space
        let hover = response.hover_pos().unwrap_or(response.rect.center()) - response.rect.min;
        self.is_moved |= pans || turns || touches.is_some() || factor != 1.0;
        if let Some(page) = self.page.as_mut().filter(|_| is_page) {
            if pans || turns {
                page.pan(drag, size);
            }
            if let Some(touches) = touches {
                page.pan(Vec2::new(touches.translation_delta.x, touches.translation_delta.y), size);
            }
            if factor != 1.0 {
                page.zoom(factor, Vec2::new(hover.x, hover.y), size);
            }
        } else if let Some(orbit) = self.orbit.as_mut().filter(|_| !is_page) {
            if turns {
                orbit.orbit(drag);
            }
            if pans {
                orbit.pan(drag, size.y);
            }
            if let Some(touches) = touches {
                orbit.pan(Vec2::new(touches.translation_delta.x, touches.translation_delta.y), size.y);
            }
            if factor != 1.0 {
                orbit.zoom(factor);
            }
            fly(ui, response, orbit);
        }
        if response.double_clicked() && tool == Tool::Look {
            self.fit();
        }
    }

    /// Applies the active tool where the pointer picks the water.
    fn use_tool(
        &mut self,
        ui: &Ui,
        response: &Response,
        frame: &Arc<Frame>,
        context: &PaneContext<'_>,
        is_page: bool,
        requests: &mut Vec<Request>,
    ) {
        let bounds = world_bounds(frame, is_page);
        let action = tool_action(context.tool, context.tools, bounds);
        if action == ToolAction::None || ui.input(|input| input.multi_touch()).is_some() {
            self.last_pick = None;
            return;
        }
        let (is_pressed, is_down, is_released) = buttons(ui, response);
        let position = response.interact_pointer_pos().or(response.hover_pos());
        let picked = position.and_then(|position| self.pick(response.rect, position, frame, is_page));
        let now = ui.input(|input| input.time);
        let length = (bounds[1] - bounds[0]).max_element();
        let velocity =
            self.pointer_velocity(now, picked.map(|(at, _)| at), is_pressed, MAX_PUSH_SPEED * length);
        // The wheel rotates an item that is moved; otherwise it zooms
        let wheel = match action {
            ToolAction::Move if response.hovered() => {
                f64::from(ui.input(|input| input.smooth_scroll_delta().y)) / 50.0
            }
            _ => 0.0,
        };
        let pointer =
            Pointer { at: picked.map(|(at, _)| at), velocity, is_pressed, is_down, is_released, wheel };
        let Some(run) = context.update.runs.get(context.run) else { return };
        let interaction = InteractionContext {
            scene: &context.opened.scene,
            frame: run.frame,
            time: run.time,
            is_playing: context.update.is_playing,
            bounds,
            pick_radius: picked.map_or(0.0, |(_, metres)| f64::from(PICK_RADIUS) * metres),
        };
        self.interaction.handle(action, &pointer, &interaction, requests);
        if is_down {
            // A tool keeps acting while the button is held, even if the pointer rests
            ui.ctx().request_repaint();
        }
    }

    /// The position in the world at a point of the window, and the size of a point there in metres.
    fn pick(&self, rect: Rect, position: egui::Pos2, frame: &Frame, is_page: bool) -> Option<(DVec3, f64)> {
        let offset = Vec2::new(position.x - rect.min.x, position.y - rect.min.y);
        let size = Vec2::new(rect.width(), rect.height());
        if is_page {
            let page = self.page?;
            let metres = f64::from(page.height / size.y.max(1.0));
            let point = page.unproject(offset, size);
            // The vertical axis of a section is z
            let at = match section(frame) {
                Some(heights) => DVec3::new(point.x, heights.origin[1], point.y),
                None => point.extend(0.0),
            };
            return Some((at, metres));
        }
        let camera = self.orbit?.camera([size.x.max(1.0) as u32, size.y.max(1.0) as u32]);
        let hit = pick::pick(frame, &camera, offset)?;
        Some((hit.at, hit.right.length()))
    }

    /// Velocity of the pointer in the world, from the last two picks.
    fn pointer_velocity(&mut self, now: f64, at: Option<DVec3>, is_pressed: bool, fastest: f64) -> DVec3 {
        let before = if is_pressed { None } else { self.last_pick };
        self.last_pick = at.map(|at| (now, at));
        match (before, at) {
            (Some((then, from)), Some(to)) if now > then => {
                ((to - from) / (now - then)).clamp_length_max(fastest)
            }
            _ => DVec3::ZERO,
        }
    }

    /// The texture of the picture, rendered again if something has changed.
    fn texture(
        &mut self,
        ui: &Ui,
        context: &PaneContext<'_>,
        frame: &Arc<Frame>,
        is_page: bool,
        size: [u32; 2],
    ) -> Option<TextureId> {
        let usable = context.gpu.filter(|_| self.gpu_error.is_none());
        let Some(gpu) = usable.filter(|_| !context.default_view.needs_cpu(context.view, frame)) else {
            self.texture_key = None;
            return self.cpu_texture(ui, context, is_page, size);
        };
        (self.shows_cpu_picture, self.cpu_render) = (false, None);
        // Everything the picture depends on
        let texture_key = TextureKey {
            frame: Arc::as_ptr(frame) as usize,
            default_view: Arc::as_ptr(context.default_view) as usize,
            orbit: self.orbit.filter(|_| !is_page),
            page: self.page.filter(|_| is_page),
            view: context.view.clone(),
            size,
        };
        if self.gpu_texture.is_none() {
            match PaneTexture::new(gpu) {
                Ok(gpu_texture) => self.gpu_texture = Some(gpu_texture),
                Err(error) => self.gpu_error = Some(error.to_string()),
            }
        }
        // Render, unless the texture is current
        let settings = self.render_settings(context, frame, is_page, size)?;
        let gpu_texture = self.gpu_texture.as_mut()?;
        if self.texture_key.as_ref() == Some(&texture_key) {
            return gpu_texture.last(size);
        }
        self.texture_key = Some(texture_key);
        self.pictures += 1;
        gpu_texture.render(gpu, frame, &settings, size)
    }

    /// How the GPU renders this frame.
    fn render_settings(
        &self,
        context: &PaneContext<'_>,
        frame: &Frame,
        is_page: bool,
        size: [u32; 2],
    ) -> Option<RenderSettings> {
        let (default_view, view) = (context.default_view, context.view);
        // A page
        if is_page {
            let page = self.page?;
            let layers = default_view.page_layers(view, frame);
            return Some(RenderSettings::Flat(FlatView {
                centre: page.centre.to_array(),
                height: page.height,
                background: default_view.background(),
                layers,
            }));
        }
        // Water in space
        let drape = match &view.show {
            PaneContent::Draped(field) => {
                default_view.colours(field, &view.colours, frame).map(|colours| (field.clone(), colours))
            }
            _ => None,
        };
        Some(RenderSettings::Space(Box::new(SpaceView {
            camera: self.orbit?.camera(size),
            sky: default_view.picture.daylight.at(frame.time).unwrap_or_default(),
            shading: if view.is_classic {
                ShadingModel::Classic(Default::default())
            } else {
                ShadingModel::Water
            },
            materials: default_view.materials(),
            effects: view.effects,
            particles: match (&view.show, view.shows_particles) {
                (PaneContent::Particles, _) => undine_gpu::ParticleStyle::Balls,
                _ if default_view.shows_mesh(view) => undine_gpu::ParticleStyle::Hidden,
                (_, true) => undine_gpu::ParticleStyle::Surface,
                (_, false) => undine_gpu::ParticleStyle::Hidden,
            },
            drape,
            shows_grid: view.shows_grid,
            exposure: default_view.space.exposure,
        })))
    }

    /// Requests a picture rendered on the CPU, and shows the latest.
    fn cpu_texture(
        &mut self,
        ui: &Ui,
        context: &PaneContext<'_>,
        is_page: bool,
        size: [u32; 2],
    ) -> Option<TextureId> {
        let request = self.cpu_request(context, is_page, size);
        self.cpu_render = Some(request);
        self.shows_cpu_picture = true;
        // The picture that was requested, or until it comes another one of the same run
        let pictures = &context.update.pictures;
        let latest = pictures.iter().find(|latest| latest.request == request);
        let latest = latest.or(pictures.iter().find(|latest| latest.request.run == request.run));
        let is_new = |latest: &&CpuPicture| {
            self.shown_picture.as_ref().is_none_or(|shown| !Arc::ptr_eq(&shown.picture, &latest.picture))
        };
        if let Some(latest) = latest.filter(is_new) {
            let picture = &latest.picture;
            let image =
                egui::ColorImage::from_rgb([picture.width as usize, picture.height as usize], &picture.rgb);
            self.picture = Some(ui.ctx().load_texture("water", image, TextureOptions::LINEAR));
            let window_before = self.page_window();
            self.shown_picture = Some(latest.clone());
            if self.page_window() != window_before && !self.is_moved {
                self.page = None;
            }
            self.pictures += 1;
        }
        self.picture.as_ref().map(TextureHandle::id)
    }

    /// The picture to render on the CPU for a pane of this size.
    fn cpu_request(&self, context: &PaneContext<'_>, is_page: bool, size: [u32; 2]) -> CpuRender {
        let longest = CPU_RENDER_SIDE.min(size[0].max(size[1]) as f32);
        let scale = longest / size[0].max(size[1]).max(1) as f32;
        let size = match is_page {
            true => context.default_view.page_picture_size(longest),
            false => size.map(|pixels| ((pixels as f32 * scale) as u32).max(1)),
        };
        let eye = self.orbit.filter(|_| !is_page).map(|orbit| {
            let camera = orbit.camera(size);
            (camera.position.to_array(), orbit.target.to_array(), orbit.field.to_degrees())
        });
        CpuRender { run: context.run, size, eye }
    }

    /// Lowest and highest corner of what the CPU's picture of a page shows, in metres.
    fn page_window(&self) -> Option<[Vec2; 2]> {
        let shown = self.shown_picture.as_ref().filter(|_| self.shows_cpu_picture)?;
        Some(shown.window?.map(|corner| Vec2::from(corner.map(|metres| metres as f32))))
    }

    /// Where the picture lies in the pane: all over it, or, if it is a page rendered on the CPU, where the camera sees it.
    fn picture_rect(&self, rect: Rect, is_page: bool) -> Rect {
        let (Some(page), Some([low, high]), true) = (self.page, self.page_window(), is_page) else {
            return rect;
        };
        let size = Vec2::new(rect.width(), rect.height());
        let corner = |point: Vec2| {
            let [x, y] = page.project(point, size).to_array();
            rect.min + egui::vec2(x, y)
        };
        Rect::from_two_pos(corner(low), corner(high))
    }

    /// Draws the overlay: placed items, the tool, the legend.
    fn draw_overlay(&self, ui: &Ui, rect: Rect, context: &PaneContext<'_>, frame: &Frame, is_page: bool) {
        let action = tool_action(context.tool, context.tools, world_bounds(frame, is_page));
        let projection = overlay::Projection {
            rect,
            page: self.page.filter(|_| is_page),
            camera: self
                .orbit
                .filter(|_| !is_page)
                .map(|orbit| orbit.camera([rect.width() as u32, rect.height() as u32])),
        };
        overlay::draw_placed_items(ui, &projection, context.opened, frame, context.tool);
        overlay::draw_tool(
            ui,
            &projection,
            &self.interaction,
            self.last_pick.map(|(_, at)| at),
            tool_radius(action),
            frame,
        );
        let label = (context.update.runs.len() > 1)
            .then(|| context.update.runs.get(context.run).map(|run| run.model.as_str()))
            .flatten();
        legend::show(ui, rect, context, frame, label);
        if let Some(warning) = self.gpu_texture.as_ref().and_then(PaneTexture::warning) {
            legend::note(ui, rect, warning);
        }
    }
}

/// Flies with W, A, S, D, E and Q while the right button is held.
fn fly(ui: &Ui, response: &Response, orbit: &mut OrbitCamera) {
    if !response.dragged_by(PointerButton::Secondary) {
        return;
    }
    let (directions, dt) = ui.input(|input| {
        let axis = |plus, minus| {
            f32::from(u8::from(input.key_down(plus))) - f32::from(u8::from(input.key_down(minus)))
        };
        let directions = [
            axis(egui::Key::W, egui::Key::S),
            axis(egui::Key::D, egui::Key::A),
            axis(egui::Key::E, egui::Key::Q),
        ];
        (directions, input.stable_dt.min(0.1))
    });
    if directions != [0.0; 3] {
        let [forward, right, up] = directions.map(|direction| 0.8 * direction * dt);
        orbit.fly(forward, right, up);
        ui.ctx().request_repaint();
    }
}

/// Whether the primary button was pressed on the pane, is down, and was released.
fn buttons(ui: &Ui, response: &Response) -> (bool, bool, bool) {
    let (is_pressed, is_down, is_released) = ui.input(|input| {
        let pointer = &input.pointer;
        (pointer.primary_pressed(), pointer.primary_down(), pointer.primary_released())
    });
    let is_on_pane = response.is_pointer_button_down_on() || response.dragged() || response.clicked();
    (is_pressed && is_on_pane, is_down && is_on_pane, is_released && (is_on_pane || response.drag_stopped()))
}

/// Size in pixels of the picture for a rectangle of the window.
fn pixels(ui: &Ui, rect: Rect, resolution_scale: f32) -> [u32; 2] {
    let scale = ui.ctx().pixels_per_point() * resolution_scale.clamp(0.1, 2.0);
    [rect.width(), rect.height()].map(|points| (points * scale).round().clamp(1.0, 4096.0) as u32)
}
