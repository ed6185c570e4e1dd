//! Flat pages: fields, arrows, particles and sections that are looked at straight on.

mod arrows;
mod bodies;
pub mod colours;
mod cut;
mod distance;
mod dots;
mod draw;
mod marks;
mod page;
mod plane;
mod profile;
mod sheet;
pub mod vertices;

use std::collections::HashMap;

use undine_frame::Frame;
use wgpu::{BindGroupLayout, CommandEncoder, Device, Queue, TextureView};

use crate::context::{Context, uniform_entry};
use crate::heights::HeightMap;
use crate::{FlatLayer, FlatView};
use cut::Cut;
pub use dots::Inks;
use draw::Draw;
use marks::Marks;
use page::Page;
use plane::Planes;
use sheet::Sheets;
use vertices::Vertices;

/// Paints flat pages.
pub struct Flat {
    /// What draws; made for the first page.
    brushes: Option<Brushes>,
    cuts: HashMap<String, Cut>,
    clouds: Vec<DrawnDots>,
    bodies: [Vertices; 2],
    profile: [Vertices; 2],
    arrows: Vec<Vertices>,
}

struct Brushes {
    page: BindGroupLayout,
    planes: Planes,
    marks: Marks,
    sheets: Sheets,
}

impl Brushes {
    fn new(context: &Context, device: &Device) -> Brushes {
        let page = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("page"),
            entries: &[uniform_entry(0)],
        });
        Brushes {
            planes: Planes::new(device, &page),
            marks: Marks::new(device, &page),
            sheets: Sheets::new(context, device),
            page,
        }
    }
}

/// The dots of a cloud.
#[derive(Debug, Default)]
struct DrawnDots {
    dots: Vertices,
    radius: f32,
}

impl Flat {
    /// Nothing to show yet.
    pub fn new() -> Flat {
        Flat {
            brushes: None,
            cuts: HashMap::new(),
            clouds: Vec::new(),
            bodies: Default::default(),
            profile: Default::default(),
            arrows: Vec::new(),
        }
    }

    /// Brings a frame to the device; fields follow when a page asks for them.
    pub fn show(&mut self, device: &Device, queue: &Queue, frame: &Frame, heights: &[HeightMap]) {
        let mut earlier = std::mem::take(&mut self.cuts);
        for raster in &frame.fields {
            let earlier = earlier.remove(&raster.name);
            // What has not changed is on the device already
            let (same, earlier) = match earlier {
                Some(earlier) if earlier.is_of(raster) => (Some(earlier), None),
                earlier => (None, earlier),
            };
            let Some(mut cut) = same.or_else(|| Cut::of(raster)) else { continue };
            if let Some(earlier) = earlier {
                cut.succeed(earlier);
            }
            self.cuts.entry(raster.name.clone()).or_insert(cut);
        }
        let first = frame.fields.iter().find_map(|raster| self.cuts.get(&raster.name));
        let axes = first.map_or_else(|| plane_of(frame), |cut| cut.slice.axes);
        self.clouds.resize_with(frame.clouds.len(), DrawnDots::default);
        for (cloud, points) in self.clouds.iter_mut().zip(&frame.clouds) {
            let holds = |at| first.is_none_or(|cut| cut.slice.holds(at));
            cloud.dots.set(device, queue, &dots::dots(points, axes, holds));
            cloud.radius = points.radius;
        }
        let (triangles, outline) = bodies::bodies(&frame.bodies, axes);
        self.bodies[0].set(device, queue, &triangles);
        self.bodies[1].set(device, queue, &outline);
        let (mut triangles, mut lines) = (Vec::new(), Vec::new());
        for heights in heights {
            let section = profile::profile(heights);
            triangles.extend(section.0);
            lines.extend(section.1);
        }
        self.profile[0].set(device, queue, &triangles);
        self.profile[1].set(device, queue, &lines);
    }

    /// Paints a page, every pixel of it, into a texture of this size.
    pub fn paint(
        &mut self,
        context: &Context,
        device: &Device,
        queue: &Queue,
        encoder: &mut CommandEncoder,
        target: &TextureView,
        size: [u32; 2],
        view: &FlatView,
    ) {
        let mut brushes = self.brushes.take().unwrap_or_else(|| Brushes::new(context, device));
        let page = Page::new(view, size);
        self.arrows.resize_with(view.layers.len(), Vertices::default);
        let mut draws = Vec::new();
        for (place, layer) in view.layers.iter().enumerate() {
            self.draw(&mut brushes, context, device, queue, &page, place, layer, &mut draws);
        }
        let block = draw::uniform(device, queue, "page", &page.numbers());
        let bindings = draw::group(device, &brushes.page, &block, None);
        let sheet = brushes.sheets.sheet(device, size);
        let [r, g, b] = view.background.map(f64::from);
        let mut pass = encoder.begin_render_pass(&pass_into(&[over(&sheet.view, [r, g, b])]));
        pass.set_bind_group(0, &bindings, &[]);
        draws.iter().for_each(|draw| draw.record(&mut pass));
        drop(pass);
        let mut pass = encoder.begin_render_pass(&pass_into(&[over(target, [0.0; 3])]));
        brushes.sheets.copy(&mut pass, &sheet);
        drop(pass);
        self.brushes = Some(brushes);
    }

    fn draw(
        &mut self,
        brushes: &mut Brushes,
        context: &Context,
        device: &Device,
        queue: &Queue,
        page: &Page,
        place: usize,
        layer: &FlatLayer,
        draws: &mut Vec<Draw>,
    ) {
        let marks = &brushes.marks;
        match layer {
            FlatLayer::Particles { size } => {
                let dots = |cloud: &DrawnDots| {
                    let radius = (cloud.radius * size).clamp(0.0, 1e9);
                    cloud.dots.filled().map(|filled| marks.dots(device, queue, filled, radius))
                };
                draws.extend(self.clouds.iter().filter_map(dots));
            }
            FlatLayer::Bodies { colour: [red, green, blue] } => {
                let tint = [*red, *green, *blue, 1.0];
                draws.extend(self.bodies[0].filled().map(|filled| marks.fills(device, queue, filled, tint)));
                draws
                    .extend(self.bodies[1].filled().map(|filled| marks.strokes(device, queue, filled, tint)));
            }
            FlatLayer::Profile => {
                draws.extend(
                    self.profile[0].filled().map(|filled| marks.fills(device, queue, filled, [1.0; 4])),
                );
                draws.extend(
                    self.profile[1].filled().map(|filled| marks.strokes(device, queue, filled, [1.0; 4])),
                );
            }
            FlatLayer::Vectors { field, spacing, colour } => {
                let Some(cut) = self.cuts.get(field) else { return };
                let strokes = arrows::arrows(&cut.slice, page, *spacing, *colour);
                let arrows = &mut self.arrows[place];
                arrows.set(device, queue, &strokes);
                draws.extend(arrows.filled().map(|filled| marks.strokes(device, queue, filled, [1.0; 4])));
            }
            FlatLayer::Field { field, .. }
            | FlatLayer::Dye { field, .. }
            | FlatLayer::Cells { field }
            | FlatLayer::Liquid { field }
            | FlatLayer::Solids { field, .. }
            | FlatLayer::Grid { field, .. } => {
                let Some(cut) = self.cuts.get_mut(field) else { return };
                draws.extend(brushes.planes.draw(context, device, queue, page, layer, cut));
            }
        }
    }
}

// Without fields a page is that in which particles lie: seen from above, or from the side if they have heights.
fn plane_of(frame: &Frame) -> [usize; 2] {
    let mut heights = frame.clouds.iter().flat_map(|cloud| &cloud.positions).map(|position| position[2]);
    let first = heights.next();
    if heights.any(|height| Some(height) != first) { [0, 2] } else { [0, 1] }
}

fn over(view: &TextureView, [r, g, b]: [f64; 3]) -> Option<wgpu::RenderPassColorAttachment<'_>> {
    let load = wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a: 1.0 });
    let ops = wgpu::Operations { load, store: wgpu::StoreOp::Store };
    Some(wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops })
}

fn pass_into<'a>(
    colours: &'a [Option<wgpu::RenderPassColorAttachment<'a>>],
) -> wgpu::RenderPassDescriptor<'a> {
    wgpu::RenderPassDescriptor { label: Some("page"), color_attachments: colours, ..Default::default() }
}
