//! A pane: one picture of the water, the eye that looks at it and the hand that reaches into it.

mod default_view;
mod legend;
mod orbit_camera;
mod overlay;
mod page_camera;
mod pick;
mod texture;

use std::sync::Arc;

use eframe::egui_wgpu::RenderState;
use egui::{Color32, PointerButton, Rect, Response, Sense, TextureHandle, TextureId, TextureOptions, Ui};
use glam::{DVec2, DVec3, Vec2};
use undine::Frame;
use undine::frame::Heights;
use undine_gpu::{FlatView, RenderSettings, ShadingModel, SpaceView};

pub use default_view::DefaultView;

use crate::interaction::{Interaction, InteractionContext, Pointer, ToolAction, tool_action, tool_radius};
use crate::panels::tools::{Tool, ToolSettings};
use crate::request::{CpuRender, DisplayRequest, Request};
use crate::update::{OpenScene, SessionUpdate};
use crate::view::{PaneContent, PaneView};
use orbit_camera::OrbitCamera;
use page_camera::PageCamera;
use texture::PaneTexture;

/// Points of the pointer within which a thing counts as touched.
const PICK_RADIUS: f32 = 10.0;
/// The fastest that a hand pushes, in lengths of the water per second.
const MAX_PUSH_SPEED: f64 = 10.0;
/// Pixels along the longer side of a picture that the processor draws.
const CPU_RENDER_SIDE: f32 = 640.0;

/// One picture of the water.
#[derive(Default)]
pub struct Pane {
    orbit: Option<OrbitCamera>,
    page: Option<PageCamera>,
    /// Whether a person has moved the eye; until then it fits whatever room there is.
    is_moved: bool,
    /// The room that the eye was fitted to, in points.
    fitted: [f32; 2],
    gpu_texture: Option<PaneTexture>,
    /// Why the graphics card does not paint, once that is known.
    gpu_error: Option<String>,
    picture: Option<TextureHandle>,
    shown_picture: Option<Arc<undine::render::Picture>>,
    texture_key: Option<TextureKey>,
    /// Pictures so far.
    pictures: u64,
    interaction: Interaction,
    /// Where the pointer last touched, for its speed.
    last: Option<(f64, DVec3)>,
    cpu_render: Option<CpuRender>,
}

/// What the texture shows, so that nothing is painted twice.
#[derive(PartialEq)]
struct TextureKey {
    subject: usize,
    default_view: usize,
    orbit: Option<OrbitCamera>,
    page: Option<PageCamera>,
    view: PaneView,
    size: [u32; 2],
}

/// What a pane is given to work with.
pub struct PaneContext<'a> {
    /// The graphics card; `None` where the processor draws.
    pub gpu: Option<&'a RenderState>,
    /// What the water tells.
    pub update: &'a SessionUpdate,
    /// The scene.
    pub opened: &'a OpenScene,
    /// How it is best looked at.
    pub default_view: &'a Arc<DefaultView>,
    /// Which of the runs is shown.
    pub run: usize,
    /// What is shown of it.
    pub view: &'a PaneView,
    /// What the pointer does.
    pub tool: Tool,
    /// How.
    pub tools: &'a ToolSettings,
    /// Pixels of the picture per pixel of the screen.
    pub resolution_scale: f32,
}

impl Pane {
    /// Looks at everything again, as at the start.
    pub fn fit(&mut self) {
        (self.orbit, self.page, self.is_moved) = (None, None, false);
        self.interaction.cancel();
    }

    /// What the pane needs to be told by the water.
    pub fn display_request(&self, default_view: &DefaultView, view: &PaneView) -> DisplayRequest {
        let mut request = default_view.display_request(view);
        request.pictures.extend(self.cpu_render);
        request
    }

    /// Why the graphics card does not paint.
    pub fn gpu_error(&self) -> Option<&str> {
        self.gpu_error.as_deref()
    }

    /// Pictures of water that it has shown.
    pub fn pictures(&self) -> u64 {
        self.pictures
    }

    /// Reads the picture back from the graphics card, or from the processor.
    pub fn read_back(
        &self,
        gpu: Option<&RenderState>,
        then: impl FnOnce([u32; 2], Vec<u8>) + Send + 'static,
    ) {
        match (&self.gpu_texture, gpu, &self.shown_picture) {
            (Some(gpu_texture), Some(gpu), _) => gpu_texture.read_back(gpu, then),
            (_, _, Some(picture)) => {
                let rgba = picture.rgb.chunks_exact(3).flat_map(|rgb| [rgb[0], rgb[1], rgb[2], 255]);
                then([picture.width, picture.height], rgba.collect());
            }
            _ => {}
        }
    }

    /// Shows the pane in a rectangle and lets the hand work.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        context: &PaneContext<'_>,
        requests: &mut Vec<Request>,
    ) -> Response {
        let response = ui.allocate_rect(rect, Sense::click_and_drag());
        let Some(subject) = context.update.frames.get(context.run) else { return response };
        let is_page = context.default_view.is_page(context.view);
        self.place_camera(subject, context, is_page, rect);
        self.navigate(ui, &response, context.tool, is_page);
        let size = pixels(ui, rect, context.resolution_scale);
        self.use_tool(ui, &response, subject, context, is_page, requests);
        match self.texture(ui, context, subject, is_page, size) {
            Some(texture) => {
                let whole = Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
                ui.painter_at(rect).image(texture, rect, whole, Color32::WHITE);
            }
            None => {
                ui.painter_at(rect).rect_filled(rect, 0.0, ui.visuals().extreme_bg_color);
            }
        }
        self.draw_overlay(ui, rect, context, subject, is_page);
        response
    }

    fn place_camera(&mut self, subject: &Frame, context: &PaneContext<'_>, is_page: bool, rect: Rect) {
        let room = [rect.width(), rect.height()];
        if self.fitted != room && !self.is_moved {
            (self.orbit, self.page, self.fitted) = (None, None, room);
        }
        if is_page && self.page.is_none() {
            let [low, high] = page_bounds(subject);
            self.page = Some(PageCamera::fitting(low, high, rect.aspect_ratio()));
        }
        if !is_page && self.orbit.is_none() {
            let (width, height) = (rect.width().max(1.0) as usize, rect.height().max(1.0) as usize);
            let viewpoint = context.default_view.picture.viewpoint(subject.time);
            let eye = viewpoint.eye(&default_view::framed(subject), width, height);
            self.orbit = Some(OrbitCamera::from_camera(&eye));
        }
    }

    /// Turns, moves and zooms the view.
    fn navigate(&mut self, ui: &Ui, response: &Response, tool: Tool, is_page: bool) {
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
                orbit.turn(drag);
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

    /// Lets the hand work where the pointer touches.
    fn use_tool(
        &mut self,
        ui: &Ui,
        response: &Response,
        subject: &Arc<Frame>,
        context: &PaneContext<'_>,
        is_page: bool,
        requests: &mut Vec<Request>,
    ) {
        let bounds = world_bounds(subject, is_page);
        let held = tool_action(context.tool, context.tools, bounds);
        if held == ToolAction::None || ui.input(|input| input.multi_touch()).is_some() {
            self.last = None;
            return;
        }
        let (is_pressed, is_down, is_released) = buttons(ui, response);
        let place = response.interact_pointer_pos().or(response.hover_pos());
        let touched = place.and_then(|place| self.touch(response.rect, place, subject, is_page));
        let now = ui.input(|input| input.time);
        let long = (bounds[1] - bounds[0]).max_element();
        let velocity = self.speed(now, touched.map(|(at, _)| at), is_pressed, MAX_PUSH_SPEED * long);
        // The wheel is read only where it means something to the hand
        let wheel = match held {
            ToolAction::Move if response.hovered() => {
                f64::from(ui.input(|input| input.smooth_scroll_delta().y)) / 50.0
            }
            _ => 0.0,
        };
        let pointer =
            Pointer { at: touched.map(|(at, _)| at), velocity, is_pressed, is_down, is_released, wheel };
        let Some(run) = context.update.runs.get(context.run) else { return };
        let around = InteractionContext {
            scene: &context.opened.scene,
            frame: run.frame,
            time: run.time,
            is_playing: context.update.is_playing,
            bounds,
            pick_radius: touched.map_or(0.0, |(_, metres)| f64::from(PICK_RADIUS) * metres),
        };
        self.interaction.handle(held, &pointer, &around, requests);
        if is_down {
            // What is held goes on without the pointer moving
            ui.ctx().request_repaint();
        }
    }

    /// Where a place of the window touches the water, and how many metres a point of the window is there.
    fn touch(&self, rect: Rect, place: egui::Pos2, subject: &Frame, is_page: bool) -> Option<(DVec3, f64)> {
        let offset = Vec2::new(place.x - rect.min.x, place.y - rect.min.y);
        let size = Vec2::new(rect.width(), rect.height());
        if is_page {
            let page = self.page?;
            let metres = f64::from(page.height / size.y.max(1.0));
            let under = page.under(offset, size);
            // In a section the page's height is the world's
            let at = match section(subject) {
                Some(heights) => DVec3::new(under.x, heights.origin[1], under.y),
                None => under.extend(0.0),
            };
            return Some((at, metres));
        }
        let eye = self.orbit?.camera([size.x.max(1.0) as u32, size.y.max(1.0) as u32]);
        let touched = pick::pick(subject, &eye, offset)?;
        Some((touched.at, touched.right.length()))
    }

    /// How fast the pointer goes, from one picture to the next.
    fn speed(&mut self, now: f64, at: Option<DVec3>, is_pressed: bool, fastest: f64) -> DVec3 {
        let before = if is_pressed { None } else { self.last };
        self.last = at.map(|at| (now, at));
        match (before, at) {
            (Some((then, from)), Some(to)) if now > then => {
                ((to - from) / (now - then)).clamp_length_max(fastest)
            }
            _ => DVec3::ZERO,
        }
    }

    /// The texture with the picture, painted anew where something has changed.
    fn texture(
        &mut self,
        ui: &Ui,
        context: &PaneContext<'_>,
        subject: &Arc<Frame>,
        is_page: bool,
        size: [u32; 2],
    ) -> Option<TextureId> {
        let Some(gpu) = context.gpu.filter(|_| self.gpu_error.is_none()) else {
            return self.cpu_texture(ui, context, is_page, size);
        };
        let texture_key = TextureKey {
            subject: Arc::as_ptr(subject) as usize,
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
        let settings = self.render_settings(context, subject, is_page, size)?;
        let gpu_texture = self.gpu_texture.as_mut()?;
        if self.texture_key.as_ref() == Some(&texture_key) {
            return gpu_texture.last(size);
        }
        self.texture_key = Some(texture_key);
        self.pictures += 1;
        gpu_texture.paint(gpu, subject, &settings, size)
    }

    fn render_settings(
        &self,
        context: &PaneContext<'_>,
        subject: &Frame,
        is_page: bool,
        size: [u32; 2],
    ) -> Option<RenderSettings> {
        let (default_view, view) = (context.default_view, context.view);
        if is_page {
            let page = self.page?;
            let layers = default_view.page_layers(view, subject);
            return Some(RenderSettings::Flat(FlatView {
                centre: page.centre.to_array(),
                height: page.height,
                background: [0.006, 0.008, 0.011],
                layers,
            }));
        }
        let drape = match &view.show {
            PaneContent::Draped(field) => {
                default_view.colours(field, &view.colours, subject).map(|colours| (field.clone(), colours))
            }
            _ => None,
        };
        Some(RenderSettings::Space(Box::new(SpaceView {
            eye: self.orbit?.camera(size),
            sky: default_view.picture.daylight.at(subject.time),
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

    /// The picture that the water's own thread has drawn, without a graphics card.
    fn cpu_texture(
        &mut self,
        ui: &Ui,
        context: &PaneContext<'_>,
        is_page: bool,
        size: [u32; 2],
    ) -> Option<TextureId> {
        let shrink = (CPU_RENDER_SIDE / size[0].max(size[1]) as f32).min(1.0);
        let size = size.map(|pixels| ((pixels as f32 * shrink) as u32).max(1));
        let eye = self.orbit.filter(|_| !is_page).map(|orbit| {
            let eye = orbit.camera(size);
            (eye.position.to_array(), orbit.target.to_array(), orbit.field.to_degrees())
        });
        self.cpu_render = Some(CpuRender { run: context.run, size, eye });
        let latest = context.update.pictures.get(context.run).or(context.update.pictures.first());
        if let Some(Some(picture)) = latest
            && self.shown_picture.as_ref().is_none_or(|shown| !Arc::ptr_eq(shown, picture))
        {
            let image =
                egui::ColorImage::from_rgb([picture.width as usize, picture.height as usize], &picture.rgb);
            self.picture = Some(ui.ctx().load_texture("water", image, TextureOptions::LINEAR));
            self.shown_picture = Some(picture.clone());
            self.pictures += 1;
        }
        self.picture.as_ref().map(TextureHandle::id)
    }

    /// What is drawn over the picture: things in the scene, the hand, the legend.
    fn draw_overlay(&self, ui: &Ui, rect: Rect, context: &PaneContext<'_>, subject: &Frame, is_page: bool) {
        let action = tool_action(context.tool, context.tools, world_bounds(subject, is_page));
        let projection = overlay::Projection {
            rect,
            page: self.page.filter(|_| is_page),
            eye: self
                .orbit
                .filter(|_| !is_page)
                .map(|orbit| orbit.camera([rect.width() as u32, rect.height() as u32])),
        };
        overlay::draw_placed_items(ui, &projection, context.opened, subject, context.tool);
        overlay::draw_tool(
            ui,
            &projection,
            &self.interaction,
            self.last.map(|(_, at)| at),
            tool_radius(action),
            subject,
        );
        let label = (context.update.runs.len() > 1)
            .then(|| context.update.runs.get(context.run).map(|run| run.model.as_str()))
            .flatten();
        legend::show(ui, rect, context, subject, label);
        if let Some(warning) = self.gpu_texture.as_ref().and_then(PaneTexture::warning) {
            legend::note(ui, rect, warning);
        }
    }
}

/// Flies with W, A, S, D, E and Q while the right button is held, as games have it.
fn fly(ui: &Ui, response: &Response, orbit: &mut OrbitCamera) {
    if !response.dragged_by(PointerButton::Secondary) {
        return;
    }
    let (ways, dt) = ui.input(|input| {
        let along = |plus, minus| {
            f32::from(u8::from(input.key_down(plus))) - f32::from(u8::from(input.key_down(minus)))
        };
        let ways = [
            along(egui::Key::W, egui::Key::S),
            along(egui::Key::D, egui::Key::A),
            along(egui::Key::E, egui::Key::Q),
        ];
        (ways, input.stable_dt.min(0.1))
    });
    if ways != [0.0; 3] {
        let [ahead, right, up] = ways.map(|way| 0.8 * way * dt);
        orbit.fly(ahead, right, up);
        ui.ctx().request_repaint();
    }
}

/// Whether the button for the hand went down on the pane, is down, and came up.
fn buttons(ui: &Ui, response: &Response) -> (bool, bool, bool) {
    let (is_pressed, is_down, is_released) = ui.input(|input| {
        let pointer = &input.pointer;
        (pointer.primary_pressed(), pointer.primary_down(), pointer.primary_released())
    });
    let is_here = response.is_pointer_button_down_on() || response.dragged() || response.clicked();
    (is_pressed && is_here, is_down && is_here, is_released && (is_here || response.drag_stopped()))
}

/// Pixels of a picture for a rectangle of the window.
fn pixels(ui: &Ui, rect: Rect, resolution_scale: f32) -> [u32; 2] {
    let scale = ui.ctx().pixels_per_point() * resolution_scale.clamp(0.1, 2.0);
    [rect.width(), rect.height()].map(|points| (points * scale).round().clamp(1.0, 4096.0) as u32)
}

/// Lowest and highest corner of what a page shows.
fn page_bounds(subject: &Frame) -> [Vec2; 2] {
    if let Some(raster) = subject.fields.first().filter(|_| section(subject).is_none()) {
        // A cut through a box stands upright: x and z
        let axes = if raster.size[2] > 1 { [0, 2] } else { [0, 1] };
        let low = Vec2::from(axes.map(|axis| (raster.origin[axis] - 0.5 * raster.spacing[axis]) as f32));
        let size = Vec2::from(axes.map(|axis| (raster.spacing[axis] * f64::from(raster.size[axis])) as f32));
        return [low, low + size];
    }
    if let Some((_, heights)) = subject.heights().next() {
        let values =
            heights.level.iter().chain(heights.bed.iter().flatten()).filter(|value| value.is_finite());
        let (low, high) = values.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), value| {
            (low.min(*value), high.max(*value))
        });
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let left = heights.origin[0] - 0.5 * heights.spacing[0];
        let right = left + heights.spacing[0] * f64::from(heights.size[0]);
        let (left, right) = (left as f32, right as f32);
        let room = 0.4 * (high - low).max(1e-3);
        return [Vec2::new(left, low - room), Vec2::new(right, high + room)];
    }
    [Vec2::ZERO, Vec2::ONE]
}

/// The height field of which a page shows a section: one that is a single row.
fn section(subject: &Frame) -> Option<&Heights> {
    subject.heights().next().map(|(_, heights)| heights).filter(|heights| heights.size[1] == 1)
}

/// Lowest and highest corner of the water in the world, along x and y.
fn world_bounds(subject: &Frame, is_page: bool) -> [DVec2; 2] {
    if let Some(corners) = subject.tank() {
        return corners.map(|corner| DVec2::new(corner[0], corner[1]));
    }
    if let (false, Some((_, heights))) = (is_page, subject.heights().next()) {
        let along = |axis: usize| heights.spacing[axis] * f64::from(heights.size[axis]);
        let low = DVec2::from([0, 1].map(|axis| heights.origin[axis] - 0.5 * heights.spacing[axis]));
        return [low, low + DVec2::new(along(0), along(1))];
    }
    if is_page {
        return page_bounds(subject).map(|corner| corner.as_dvec2());
    }
    match default_view::framed(subject) {
        undine::render::preview::Subject::Sheet(Some((low, high))) => {
            [low, high].map(|corner| DVec2::new(f64::from(corner[0]), f64::from(corner[1])))
        }
        _ => [DVec2::ZERO, DVec2::ONE],
    }
}
