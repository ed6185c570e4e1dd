//! Colour mapping of a field: a colour map between two limits, or the two-hue ramp of the solver of 2008, with a preview
//! of the ramp.

use egui::{
    Align, Button, Color32, ComboBox, DragValue, Label, Layout, Mesh, Pos2, Rgba, Sense, Shape, Slider,
    Stroke, StrokeKind, Ui, vec2,
};
use undine::frame::FieldScale;
use undine::render::plots::{ColourMap, HslRamp, MAPS};
use undine_gpu::ColourMapping;

use super::{format_number, named};
use crate::view::ColourChoice;

/// Name of the two-hue ramp.
const HSL: &str = "hsl";
/// Strips of the preview of the ramp.
const STRIPS: usize = 96;

/// Edits the colour mapping of a field. `pane` is the prefix of widget names where there are several panes.
pub fn show(ui: &mut Ui, choice: &mut ColourChoice, kind: FieldScale, pane: &str) {
    map(ui, choice, pane);
    ramp(ui, choice, kind);
    if choice.map == HSL {
        hues(ui, choice, pane);
    }
    limits(ui, choice, kind, pane);
}

fn map(ui: &mut Ui, choice: &mut ColourChoice, pane: &str) {
    let name = |map: &str| match map {
        "" => String::from("automatic"),
        HSL => String::from("two hues"),
        map => map.to_owned(),
    };
    ui.horizontal_wrapped(|ui| {
        ui.label("colours");
        let combo =
            ComboBox::from_id_salt(format!("{pane}map")).width(120.0).selected_text(name(&choice.map));
        let shown = combo.show_ui(ui, |ui| {
            let fixed = [("", "the default for the quantity"), (HSL, "a hue for each sign, as in 2008")];
            for (map, help) in fixed.into_iter().chain(MAPS.iter().map(|(map, help, _)| (*map, *help))) {
                let response = ui.add(Button::selectable(choice.map == map, name(map))).on_hover_text(help);
                if named(ui, response, format!("{pane}map:{}", name(map))).clicked() {
                    choice.map = map.to_owned();
                }
            }
        });
        named(ui, shown.response, format!("{pane}map"));
        let response =
            ui.checkbox(&mut choice.is_smooth, "smooth").on_hover_text("interpolated between samples");
        named(ui, response, format!("{pane}smooth"));
    });
}

/// Sliders for the two-hue ramp.
fn hues(ui: &mut Ui, choice: &mut ColourChoice, pane: &str) {
    // One row per parameter: a label of fixed width and a slider over the rest
    let ColourChoice { hue_a, hue_b, saturation, linear, log, light_limit, overflow_limit, .. } = choice;
    let sliders = [
        (hue_a, "hue above zero", 0.0..=360.0, "°"),
        (hue_b, "hue below zero", 0.0..=360.0, "°"),
        (saturation, "saturation", 0.0..=1.0, ""),
        (linear, "linear", 0.0..=4.0, ""),
        (log, "logarithmic", 0.0..=4.0, ""),
        (light_limit, "light limit", 0.0..=1.0, ""),
        (overflow_limit, "overflow limit", 0.0..=20.0, ""),
    ];
    for (value, name, range, unit) in sliders {
        ui.horizontal(|ui| {
            let size = vec2(104.0, ui.spacing().interact_size.y);
            ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
                ui.set_min_width(size.x);
                ui.add(Label::new(name).truncate());
            });
            ui.spacing_mut().slider_width = (ui.available_width() - 70.0).clamp(40.0, 200.0);
            let response = ui.add(Slider::new(value, range).suffix(unit).max_decimals(2));
            named(ui, response, format!("{pane}colour:{name}"));
        });
    }
    // Reset to the default ramp
    let response = ui.small_button("as in 2008").on_hover_text("reset all of these to their defaults");
    if named(ui, response, format!("{pane}colour:default")).clicked() {
        let HslRamp { hue_a, hue_b, saturation, linear, log, light_limit, overflow_limit } =
            HslRamp::default();
        let kept = choice.clone();
        *choice = ColourChoice { hue_a, hue_b, saturation, linear, log, light_limit, overflow_limit, ..kept };
    }
}

fn limits(ui: &mut Ui, choice: &mut ColourChoice, kind: FieldScale, pane: &str) {
    ui.horizontal_wrapped(|ui| {
        let response = ui.checkbox(&mut choice.is_automatic, "automatic limits");
        named(ui, response.on_hover_text("the limits follow the values"), format!("{pane}automatic"));
        if choice.map != HSL && kind != FieldScale::Signed {
            let response = ui.checkbox(&mut choice.is_log, "log scale");
            named(ui, response.on_hover_text("map the logarithm of the values"), format!("{pane}log scale"));
        }
        if choice.is_automatic {
            return;
        }
        let max_abs = choice.limits[0].abs().max(choice.limits[1].abs()).max(1e-6);
        for (limit, name) in choice.limits.iter_mut().zip(["lower limit", "upper limit"]) {
            let drag = DragValue::new(limit)
                .speed(0.01 * max_abs)
                .custom_formatter(|number, _| format_number(number));
            let response = ui.add(drag).on_hover_text(name);
            named(ui, response, format!("{pane}{name}"));
        }
    });
}

/// A preview of the ramp, from the lower to the upper limit.
fn ramp(ui: &mut Ui, choice: &ColourChoice, kind: FieldScale) {
    let width = ui.available_width().clamp(40.0, 420.0);
    let (rect, _) = ui.allocate_exact_size(vec2(width, 18.0), Sense::hover());
    let colours = ramp_colours(choice, kind);
    let mut mesh = Mesh::default();
    for (index, colour) in colours.iter().enumerate() {
        let x = rect.left() + rect.width() * index as f32 / (colours.len() - 1) as f32;
        for y in [rect.top(), rect.bottom()] {
            mesh.colored_vertex(Pos2::new(x, y), *colour);
        }
        if let Some(last) = (2 * index as u32).checked_sub(2) {
            mesh.add_triangle(last, last + 1, last + 2);
            mesh.add_triangle(last + 1, last + 2, last + 3);
        }
    }
    ui.painter().add(Shape::mesh(mesh));
    let line = Stroke::new(1.0, ui.visuals().weak_text_color());
    ui.painter().rect_stroke(rect, 2.0, line, StrokeKind::Inside);
}

/// The colours of equally spaced values over the range.
fn ramp_colours(choice: &ColourChoice, kind: FieldScale) -> Vec<Color32> {
    let shown = ColourChoice { is_automatic: true, ..choice.clone() };
    let range = if kind == FieldScale::Signed || choice.map == HSL { [-1.0, 1.0] } else { [0.0, 1.0] };
    let colours = shown.colours(kind, range);
    let value = |fraction: f32| range[0] + fraction * (range[1] - range[0]);
    let fraction = |index: usize| index as f32 / STRIPS as f32;
    match colours {
        ColourMapping::Hsl { ramp, unit } => {
            (0..=STRIPS).map(|index| srgb(ramp.colour(value(fraction(index)) / unit))).collect()
        }
        ColourMapping::Map { map, .. } => {
            let map = ColourMap::named(&map);
            let colour = |index| map.as_ref().map_or(Color32::GRAY, |map| srgb(map.colour(fraction(index))));
            (0..=STRIPS).map(colour).collect()
        }
    }
}

fn srgb([red, green, blue]: [f32; 3]) -> Color32 {
    Color32::from(Rgba::from_rgb(red, green, blue))
}
