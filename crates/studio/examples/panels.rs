//! Draws every panel into pictures, by day and by night, wide and narrow, without a window or a graphics card.
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
use undine_studio::news::{Column, History, Message, MessageKind, News, Opened, RunNews};
use undine_studio::order::Source;
use undine_studio::panels::{
    colours, editor::Editor, export::ExportPanel, gallery::Gallery, help, knobs::Knobs, plots::Plots, theme,
    tools, transport, views,
};
use undine_studio::view::{ColourChoice, PaneView};

/// Both looks of the window.
const HOURS: [(Theme, &str); 2] = [(Theme::Dark, "night"), (Theme::Light, "day")];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| String::from("panels")));
    std::fs::create_dir_all(&folder)?;
    let (news, fluid) = (news("km-spring")?, self::news("karman")?);
    let open = news.open.as_deref();
    let slipped = News { message: Some(slip()), ..news.clone() };
    let filming = News { export: Some((String::from("frame 12 of 240"), 0.05)), ..news.clone() };
    let mut orders = Vec::new();
    let look = |name: &str, size: [f32; 2], panel: &mut dyn FnMut(&mut Ui)| {
        HOURS.into_iter().try_for_each(|(theme, hour)| {
            write_png(&drawn(size, theme, panel), &folder.join(format!("{name}-{hour}.png")))
        })
    };

    let mut knobs = Knobs::default();
    look("knobs", [320.0, 900.0], &mut |ui| knobs.show(ui, &news, &mut orders))?;
    look("knobs-fluid", [320.0, 1100.0], &mut |ui| knobs.show(ui, &fluid, &mut orders))?;
    // The gallery keeps its pictures on one screen only
    for (theme, hour) in HOURS {
        for reading in [None, Some(String::from("pond"))] {
            let name = if reading.is_some() { "page" } else { "gallery" };
            let mut gallery = Gallery::default();
            gallery.reading = reading;
            let image = drawn([800.0, 620.0], theme, &mut |ui| _ = gallery.show(ui, &mut orders));
            write_png(&image, &folder.join(format!("{name}-{hour}.png")))?;
        }
    }
    let mut editor = Editor::default();
    look("editor", [560.0, 420.0], &mut |ui| editor.show(ui, &slipped, &mut orders))?;
    let mut plots = Plots { is_stacked: true, ..Plots::default() };
    look("plots", [420.0, 640.0], &mut |ui| plots.show(ui, &news))?;
    look("transport", [900.0, 60.0], &mut |ui| transport::show(ui, &news, &mut orders))?;
    look("transport-small", [390.0, 130.0], &mut |ui| transport::show(ui, &news, &mut orders))?;
    let (mut tool, mut settings) = (tools::Tool::Push, tools::ToolSettings::default());
    look("tools", [390.0, 210.0], &mut |ui| tools::show(ui, &mut tool, &mut settings, open))?;
    let mut view = PaneView { vectors: String::from("velocity"), ..PaneView::default() };
    look("views", [320.0, 300.0], &mut |ui| views::show(ui, &mut view, open, ""))?;
    let mut choice =
        ColourChoice { map: String::from("hsl"), is_automatic: false, ..ColourChoice::default() };
    look("colours", [320.0, 330.0], &mut |ui| colours::show(ui, &mut choice, FieldScale::Signed, ""))?;
    let mut export = ExportPanel::default();
    look("export", [390.0, 200.0], &mut |ui| export.show(ui, &filming, false, &mut orders))?;
    look("help", [460.0, 900.0], &mut help::show)
}

/// News of a bundled scene that has been running for a while.
fn news(scene: &str) -> Result<News, Box<dyn Error>> {
    let field = |name: &str, quantity| FieldInfo {
        name: name.into(),
        unit: "m".into(),
        quantity,
        components: if quantity == Quantity::Velocity { 2 } else { 1 },
        size: [64, 64, 1],
    };
    let opened = undine::open(scene, &LoadOptions::default())?;
    let open = Opened {
        source: Source::Bundled(scene.to_owned()),
        readers: undine::models::section_readers(&opened),
        scene: opened,
        fields: vec![field("height", Quantity::Height), field("velocity", Quantity::Velocity)],
        has_surface: true,
        comparable_models: Vec::new(),
        compared_model: None,
    };
    let column = |plot: &str, name: &str, pace: f64| Column {
        plot: plot.into(),
        name: name.into(),
        unit: "J".into(),
        values: (0..900).map(|step| (pace * f64::from(step)).sin().powi(2)).collect(),
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
    let mut run = RunNews {
        model: "kass-miller".into(),
        frame: 120,
        time: 5.0,
        frame_count: 241,
        ..RunNews::default()
    };
    run.count.cells = 16384;
    (run.compute_seconds, run.frames_per_second, run.steps_per_second) = (0.0042, 23.9, 238.0);
    run.volume_error = 3e-9;
    run.history = Arc::new(history);
    Ok(News { open: Some(Arc::new(open)), runs: vec![run], speed: 1.0, undo: 1, ..News::default() })
}

/// A scene with a slip in it.
fn slip() -> Message {
    let text = "\n\n[scene]\nduration = -1\n";
    let problems = undine::Scene::parse("slip", text, &LoadOptions::default()).err().unwrap_or_default();
    let places = problems
        .iter()
        .filter_map(|problem| Some((problem.place.clone()?, problem.message.clone())))
        .collect();
    Message { number: 1, kind: MessageKind::Error, text: problems.to_string(), places }
}

/// A panel as it looks after a few frames.
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
        take_up(&mut textures, &output.textures_delta);
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

fn take_up(textures: &mut HashMap<TextureId, ColorImage>, delta: &TexturesDelta) {
    for (id, changes) in &delta.set {
        for change in changes {
            let ImageData::Color(patch) = &change.image;
            let Some([left, top]) = change.pos else {
                textures.insert(*id, patch.as_ref().clone());
                continue;
            };
            let Some(whole) = textures.get_mut(id) else { continue };
            for y in 0..patch.size[1] {
                for x in 0..patch.size[0] {
                    whole[(left + x, top + y)] = patch[(x, y)];
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
    let around = Rect::from_points(&[a, b, c]).intersect(clip);
    if area == 0.0 || !around.is_positive() {
        return;
    }
    let [wide, tall] = image.size;
    for y in around.top().floor().max(0.0) as usize..(around.bottom().ceil() as usize).min(tall) {
        for x in around.left().floor().max(0.0) as usize..(around.right().ceil() as usize).min(wide) {
            let at = pos2(x as f32 + 0.5, y as f32 + 0.5);
            if !clip.contains(at) {
                continue;
            }
            let part =
                |p: egui::Pos2, q: egui::Pos2| ((q - p).x * (at - p).y - (q - p).y * (at - p).x) / area;
            let shares = [part(b, c), part(c, a), part(a, b)];
            // A pixel on the border of two triangles belongs to one of them
            if shares.iter().any(|share| *share < 0.0)
                || shares.iter().any(|share| *share == 0.0 && area < 0.0)
            {
                continue;
            }
            blend(image, (x, y), &corners, shares, texture);
        }
    }
}

fn blend(
    image: &mut ColorImage,
    at: (usize, usize),
    corners: &[Vertex; 3],
    shares: [f32; 3],
    texture: &ColorImage,
) {
    let mix = |value: &dyn Fn(&Vertex) -> f32| {
        (0..3).map(|corner| shares[corner] * value(&corners[corner])).sum::<f32>()
    };
    let (u, v) = (mix(&|corner| corner.uv.x), mix(&|corner| corner.uv.y));
    let texel = sampled(texture, u, v);
    let ground = image[at].to_array();
    let light: [f32; 4] =
        std::array::from_fn(|c| mix(&|corner| f32::from(corner.color.to_array()[c])) * texel[c] / 255.0);
    let mixed: [u8; 4] = std::array::from_fn(|c| {
        (light[c] + f32::from(ground[c]) * (1.0 - light[3] / 255.0)).clamp(0.0, 255.0) as u8
    });
    image[at] = egui::Color32::from_rgb(mixed[0], mixed[1], mixed[2]);
}

fn sampled(texture: &ColorImage, u: f32, v: f32) -> [f32; 4] {
    let [wide, tall] = texture.size.map(|size| size as f32);
    let (x, y) = ((u * wide - 0.5).clamp(0.0, wide - 1.0), (v * tall - 0.5).clamp(0.0, tall - 1.0));
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
