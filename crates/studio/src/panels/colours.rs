//! How values become colours: a colour map between two limits, or two hues as in the solver of 2008, with the ramp
//! shown as it is turned.

use egui::{
    Align, Button, Color32, ComboBox, DragValue, Label, Layout, Mesh, Pos2, Rgba, Sense, Shape, Slider,
    Stroke, StrokeKind, Ui, vec2,
};
use undine::frame::FieldScale;
use undine::render::plots::{ColourMap, HslRamp, MAPS};
use undine_gpu::ColourMapping;

use super::{brief, named};
use crate::view::ColourChoice;

/// Name of the map of two hues.
const HSL: &str = "hsl";
/// Strips of the shown ramp.
const STRIPS: usize = 96;

/// Edits the colours of a field whose values are of a `kind`. `pane` names the pane where there are several.
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
        "" => String::from("suits the field"),
        HSL => String::from("two hues"),
        map => map.to_owned(),
    };
    ui.horizontal_wrapped(|ui| {
        ui.label("colours");
        let combo =
            ComboBox::from_id_salt(format!("{pane}map")).width(120.0).selected_text(name(&choice.map));
        let shown = combo.show_ui(ui, |ui| {
            let fixed =
                [("", "one that suits what the values mean"), (HSL, "a hue for each sign, as in 2008")];
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

fn hues(ui: &mut Ui, choice: &mut ColourChoice, pane: &str) {
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
    let response = ui.small_button("as in 2008").on_hover_text("all of these as they are by themselves");
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
            named(
                ui,
                response.on_hover_text("equal ratios are equally far apart"),
                format!("{pane}log scale"),
            );
        }
        if choice.is_automatic {
            return;
        }
        let reach = choice.limits[0].abs().max(choice.limits[1].abs()).max(1e-6);
        for (limit, name) in choice.limits.iter_mut().zip(["lower limit", "upper limit"]) {
            let drag = DragValue::new(limit).speed(0.01 * reach).custom_formatter(|number, _| brief(number));
            let response = ui.add(drag).on_hover_text(name);
            named(ui, response, format!("{pane}{name}"));
        }
    });
}

/// The ramp as it is now, from the lower to the upper end of what is shown.
fn ramp(ui: &mut Ui, choice: &ColourChoice, kind: FieldScale) {
    let width = ui.available_width().clamp(40.0, 420.0);
    let (rect, _) = ui.allocate_exact_size(vec2(width, 18.0), Sense::hover());
    let inks = inks(choice, kind);
    let mut mesh = Mesh::default();
    for (index, ink) in inks.iter().enumerate() {
        let x = rect.left() + rect.width() * index as f32 / (inks.len() - 1) as f32;
        for y in [rect.top(), rect.bottom()] {
            mesh.colored_vertex(Pos2::new(x, y), *ink);
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

/// The colours of values from one end to the other.
fn inks(choice: &ColourChoice, kind: FieldScale) -> Vec<Color32> {
    let shown = ColourChoice { is_automatic: true, ..choice.clone() };
    let range = if kind == FieldScale::Signed || choice.map == HSL { [-1.0, 1.0] } else { [0.0, 1.0] };
    let colours = shown.colours(kind, range);
    let value = |share: f32| range[0] + share * (range[1] - range[0]);
    let share = |index: usize| index as f32 / STRIPS as f32;
    match colours {
        ColourMapping::Hsl { ramp, unit } => {
            (0..=STRIPS).map(|index| srgb(ramp.colour(value(share(index)) / unit))).collect()
        }
        ColourMapping::Map { map, .. } => {
            let map = ColourMap::named(&map);
            let ink = |index| map.as_ref().map_or(Color32::GRAY, |map| srgb(map.colour(share(index))));
            (0..=STRIPS).map(ink).collect()
        }
    }
}

fn srgb([red, green, blue]: [f32; 3]) -> Color32 {
    Color32::from(Rgba::from_rgb(red, green, blue))
}
