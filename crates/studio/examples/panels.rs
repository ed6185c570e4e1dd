//! Draws every panel into pictures, in both themes, wide and narrow, without a window or a GPU.
//!
//! `cargo run -p undine-studio --example panels -- FOLDER`

use std::collections::HashMap;
use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui::epaint::{Mesh, Primitive, Vertex};
use egui::{
    ColorImage, Context, Frame, ImageData, RawInput, Rect, TextureId, TexturesDelta, Theme, Ui, Vec2, pos2,
};
use undine::LoadOptions;
use undine::frame::{FieldScale, Quantity};
use undine::sim::FieldInfo;
use undine_studio::panels::{
    colours, editor::Editor, export::ExportPanel, gallery::Gallery, help, knobs::Knobs, plots::Plots, theme,
    tools, transport, views,
};
use undine_studio::request::SceneSource;
use undine_studio::update::{
    History, HistoryColumn, Message, MessageKind, OpenScene, RunStatus, SessionUpdate,
};
use undine_studio::view::{ColourChoice, PaneView};

/// Both themes, with the suffix of their pictures.
const THEMES: [(Theme, &str); 2] = [(Theme::Dark, "dark"), (Theme::Light, "light")];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| String::from("panels")));
    std::fs::create_dir_all(&folder)?;
    let (update, fluid) = (update("km-spring")?, self::update("karman")?);
    let open = update.open.as_deref();
    let broken = SessionUpdate { message: Some(error_message()), ..update.clone() };
    let filming = SessionUpdate { export: Some((String::from("frame 12 of 240"), 0.05)), ..update.clone() };
    let mut requests = Vec::new();
    let draw = |name: &str, size: [f32; 2], panel: &mut dyn FnMut(&mut Ui)| {
        THEMES.into_iter().try_for_each(|(theme, suffix)| {
            write_png(&drawn(size, theme, panel), &folder.join(format!("{name}-{suffix}.png")))
        })
    };

    let mut knobs = Knobs::default();
    draw("knobs", [320.0, 900.0], &mut |ui| knobs.show(ui, &update, &mut requests))?;
    draw("knobs-fluid", [320.0, 1100.0], &mut |ui| knobs.show(ui, &fluid, &mut requests))?;
    // The textures of a gallery belong to one egui context
    for (theme, suffix) in THEMES {
        for reading in [None, Some(String::from("pond"))] {
            let name = if reading.is_some() { "page" } else { "gallery" };
            let mut gallery = Gallery::default();
            gallery.reading = reading;
            let image = drawn([800.0, 620.0], theme, &mut |ui| _ = gallery.show(ui, &mut requests));
            write_png(&image, &folder.join(format!("{name}-{suffix}.png")))?;
        }
    }
    let mut editor = Editor::default();
    draw("editor", [560.0, 420.0], &mut |ui| editor.show(ui, &broken, &mut requests))?;
    let mut plots = Plots { is_stacked: true, ..Plots::default() };
    draw("plots", [420.0, 640.0], &mut |ui| plots.show(ui, &update))?;
    draw("transport", [900.0, 60.0], &mut |ui| transport::show(ui, &update, &mut requests))?;
    draw("transport-small", [390.0, 130.0], &mut |ui| transport::show(ui, &update, &mut requests))?;
    let (mut tool, mut settings) = (tools::Tool::Push, tools::ToolSettings::default());
    draw("tools", [390.0, 210.0], &mut |ui| tools::show(ui, &mut tool, &mut settings, open))?;
    let mut view = PaneView { vectors: String::from("velocity"), ..PaneView::default() };
    draw("views", [320.0, 300.0], &mut |ui| views::show(ui, &mut view, open, ""))?;
    let mut choice =
        ColourChoice { map: String::from("hsl"), is_automatic: false, ..ColourChoice::default() };
    draw("colours", [320.0, 330.0], &mut |ui| colours::show(ui, &mut choice, FieldScale::Signed, ""))?;
    let mut export = ExportPanel::default();
    draw("export", [390.0, 200.0], &mut |ui| export.show(ui, &filming, false, &mut requests))?;
    draw("help", [460.0, 900.0], &mut help::show)
}

/// The update of a bundled scene that has been running for a while.
fn update(scene: &str) -> Result<SessionUpdate, Box<dyn Error>> {
    let field = |name: &str, quantity| FieldInfo {
        name: name.into(),
        unit: "m".into(),
        quantity,
        components: if quantity == Quantity::Velocity { 2 } else { 1 },
        size: [64, 64, 1],
    };
    let opened = undine::open(scene, &LoadOptions::default())?;
    let open = OpenScene {
        source: SceneSource::Bundled(scene.to_owned()),
        readers: undine::models::section_readers(&opened),
        scene: opened,
        fields: vec![field("height", Quantity::Height), field("velocity", Quantity::Velocity)],
        has_surface: true,
        comparable_models: Vec::new(),
        compared_model: None,
    };
    let column = |plot: &str, name: &str, rate: f64| HistoryColumn {
        plot: plot.into(),
        name: name.into(),
        unit: "J".into(),
        values: (0..900).map(|step| (rate * f64::from(step)).sin().powi(2)).collect(),
    };
    let history = History {
        columns: vec![
            column("volume", "held", 0.001),
            column("energy", "kinetic", 0.02),
            column("energy", "potential", 0.03),
        ],
        times: (0..900).map(|step| f64::from(step) / 24.0).collect(),
        phases: vec![("solve".into(), vec![0.002; 900].into()), ("advect".into(), vec![0.001; 900].into())],
    };
    let mut run = RunStatus {
        model: "kass-miller".into(),
        frame: 120,
        time: 5.0,
        frame_count: 241,
        ..RunStatus::default()
    };
    run.count.cells = 16384;
    (run.compute_seconds, run.frames_per_second, run.steps_per_second) = (0.0042, 23.9, 238.0);
    run.volume_error = 3e-9;
    run.history = Arc::new(history);
    Ok(SessionUpdate {
        open: Some(Arc::new(open)),
        runs: vec![run],
        speed: 1.0,
        undo: 1,
        ..SessionUpdate::default()
    })
}

/// The message of a scene with an error.
fn error_message() -> Message {
    let text = "\n\n[scene]\nduration = -1\n";
    let problems = undine::Scene::parse("slip", text, &LoadOptions::default()).err().unwrap_or_default();
    let places = problems
        .iter()
        .filter_map(|problem| Some((problem.place.clone()?, problem.message.clone())))
        .collect();
    Message { number: 1, kind: MessageKind::Error, text: problems.to_string(), places }
}

/// A panel after a few frames.
fn drawn(size: [f32; 2], theme: Theme, panel: &mut dyn FnMut(&mut Ui)) -> ColorImage {
    let context = Context::default();
    theme::install(&context);
    context.set_theme(theme);
    let mut textures = HashMap::new();
    let mut image = ColorImage::default();
    for frame in 0..16 {
        let screen = Rect::from_min_size(pos2(0.0, 0.0), Vec2::from(size));
        let input =
            RawInput { screen_rect: Some(screen), time: Some(f64::from(frame) * 0.1), ..RawInput::default() };
        let mut output = context.run_ui(input, |ui| {
            Frame::central_panel(ui.style()).show(ui, |ui| {
                ui.set_min_size(ui.available_size());
                panel(ui);
            });
        });
        update_textures(&mut textures, &output.textures_delta);
        output.textures_delta.clear();
        image = ColorImage::filled(
            [size[0] as usize, size[1] as usize],
            context.global_style().visuals.panel_fill,
        );
        for clipped in context.tessellate(output.shapes, output.pixels_per_point) {
            if let Primitive::Mesh(mesh) = &clipped.primitive {
                paint(&mut image, mesh, clipped.clip_rect, textures.get(&mesh.texture_id));
            }
        }
    }
    image
}

fn update_textures(textures: &mut HashMap<TextureId, ColorImage>, delta: &TexturesDelta) {
    for (id, changes) in &delta.set {
        for change in changes {
            let ImageData::Color(patch) = &change.image;
            let Some([left, top]) = change.pos else {
                textures.insert(*id, patch.as_ref().clone());
                continue;
            };
            let Some(texture) = textures.get_mut(id) else { continue };
            for y in 0..patch.size[1] {
                for x in 0..patch.size[0] {
                    texture[(left + x, top + y)] = patch[(x, y)];
                }
            }
        }
    }
}

fn paint(image: &mut ColorImage, mesh: &Mesh, clip: Rect, texture: Option<&ColorImage>) {
    let Some(texture) = texture else { return };
    for corners in mesh.indices.chunks_exact(3) {
        let corners = [0, 1, 2].map(|corner| mesh.vertices[corners[corner] as usize]);
        triangle(image, corners, clip, texture);
    }
}

fn triangle(image: &mut ColorImage, corners: [Vertex; 3], clip: Rect, texture: &ColorImage) {
    let [a, b, c] = corners.map(|corner| corner.pos);
    let area = (b - a).x * (c - a).y - (b - a).y * (c - a).x;
    let bounds = Rect::from_points(&[a, b, c]).intersect(clip);
    if area == 0.0 || !bounds.is_positive() {
        return;
    }
    let [width, height] = image.size;
    for y in bounds.top().floor().max(0.0) as usize..(bounds.bottom().ceil() as usize).min(height) {
        for x in bounds.left().floor().max(0.0) as usize..(bounds.right().ceil() as usize).min(width) {
            let at = pos2(x as f32 + 0.5, y as f32 + 0.5);
            if !clip.contains(at) {
                continue;
            }
            let edge =
                |p: egui::Pos2, q: egui::Pos2| ((q - p).x * (at - p).y - (q - p).y * (at - p).x) / area;
            let weights = [edge(b, c), edge(c, a), edge(a, b)];
            // A pixel on the edge of two triangles belongs to one of them
            if weights.iter().any(|weight| *weight < 0.0)
                || weights.iter().any(|weight| *weight == 0.0 && area < 0.0)
            {
                continue;
            }
            blend(image, (x, y), &corners, weights, texture);
        }
    }
}

fn blend(
    image: &mut ColorImage,
    at: (usize, usize),
    corners: &[Vertex; 3],
    weights: [f32; 3],
    texture: &ColorImage,
) {
    let mix = |value: &dyn Fn(&Vertex) -> f32| {
        (0..3).map(|corner| weights[corner] * value(&corners[corner])).sum::<f32>()
    };
    let (u, v) = (mix(&|corner| corner.uv.x), mix(&|corner| corner.uv.y));
    let texel = sampled(texture, u, v);
    let background = image[at].to_array();
    let light: [f32; 4] =
        std::array::from_fn(|c| mix(&|corner| f32::from(corner.color.to_array()[c])) * texel[c] / 255.0);
    let mixed: [u8; 4] = std::array::from_fn(|c| {
        (light[c] + f32::from(background[c]) * (1.0 - light[3] / 255.0)).clamp(0.0, 255.0) as u8
    });
    image[at] = egui::Color32::from_rgb(mixed[0], mixed[1], mixed[2]);
}

fn sampled(texture: &ColorImage, u: f32, v: f32) -> [f32; 4] {
    let [width, height] = texture.size.map(|size| size as f32);
    let (x, y) = ((u * width - 0.5).clamp(0.0, width - 1.0), (v * height - 0.5).clamp(0.0, height - 1.0));
    let (left, top) = (x as usize, y as usize);
    let (right, below) = ((left + 1).min(texture.size[0] - 1), (top + 1).min(texture.size[1] - 1));
    let (s, t) = (x.fract(), y.fract());
    let texel = |x, y, c: usize| f32::from(texture[(x, y)].to_array()[c]);
    std::array::from_fn(|c| {
        let upper = texel(left, top, c) * (1.0 - s) + texel(right, top, c) * s;
        let lower = texel(left, below, c) * (1.0 - s) + texel(right, below, c) * s;
        upper * (1.0 - t) + lower * t
    })
}

fn write_png(image: &ColorImage, path: &Path) -> Result<(), Box<dyn Error>> {
    let mut encoder = png::Encoder::new(File::create(path)?, image.size[0] as u32, image.size[1] as u32);
    encoder.set_color(png::ColorType::Rgba);
    let bytes: Vec<u8> = image.pixels.iter().flat_map(|pixel| pixel.to_array()).collect();
    encoder.write_header()?.write_image_data(&bytes)?;
    Ok(())
}
