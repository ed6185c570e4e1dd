//! The view settings of a pane: its content, arrows, effects and colours.

use egui::{Button, ComboBox, Slider, Ui};
use undine::frame::{FieldScale, Quantity};
use undine::sim::FieldInfo;

use super::{colours, named};
use crate::pane::has_section;
use crate::update::OpenScene;
use crate::view::{PaneContent, PaneView};

/// Edits the view settings of a pane. `pane` is the prefix of widget names where there are several panes.
pub fn show(ui: &mut Ui, view: &mut PaneView, open: Option<&OpenScene>, pane: &str) {
    let fields = open.map_or(&[] as &[FieldInfo], |open| &open.fields);
    content(ui, view, fields, pane);
    vectors(ui, view, fields, pane);
    ui.horizontal_wrapped(|ui| {
        let response = ui.checkbox(&mut view.shows_grid, "grid").on_hover_text("the grid lines");
        named(ui, response, format!("{pane}grid"));
        let response = ui.checkbox(&mut view.shows_particles, "particles").on_hover_text("particles on top");
        named(ui, response, format!("{pane}particles"));
    });
    let shown = match &view.show {
        PaneContent::Field(name) | PaneContent::Draped(name) => {
            fields.iter().find(|field| field.name == *name)
        }
        PaneContent::Best | PaneContent::Surface | PaneContent::Section | PaneContent::Particles => None,
    };
    if shown.is_none() || matches!(view.show, PaneContent::Draped(_)) {
        ui.separator();
        effects(ui, view, pane);
    }
    ui.separator();
    colours::show(ui, &mut view.colours, shown.map_or(FieldScale::Plain, FieldInfo::scale), pane);
}

/// Chooses the content of the pane.
fn content(ui: &mut Ui, view: &mut PaneView, fields: &[FieldInfo], pane: &str) {
    // The contents that every scene has
    let mut chosen = view.show.clone();
    ui.horizontal_wrapped(|ui| {
        for (show, name, help) in [
            (PaneContent::Best, "best", "the default of the scene: a surface in space, or a 2-D page"),
            (PaneContent::Surface, "surface", "the surface in space"),
            (PaneContent::Particles, "particles", "particles in space, or on a 2-D page"),
        ] {
            pick(ui, &mut chosen, show, name, help, pane);
        }
        if has_section(fields) {
            let help = "a vertical section of the water over its bed";
            pick(ui, &mut chosen, PaneContent::Section, "section", help, pane);
        }
    });
    // A field of the open scene, flat or draped
    let is_draped = matches!(chosen, PaneContent::Draped(_));
    let name = match &chosen {
        PaneContent::Field(name) | PaneContent::Draped(name) => name.clone(),
        _ => String::from("a field …"),
    };
    ui.horizontal_wrapped(|ui| {
        let combo = ComboBox::from_id_salt(format!("{pane}field")).width(120.0).selected_text(name);
        let shown = combo.show_ui(ui, |ui| {
            for field in fields {
                let show = if is_draped {
                    PaneContent::Draped(field.name.clone())
                } else {
                    PaneContent::Field(field.name.clone())
                };
                pick(ui, &mut chosen, show, &field.name, &described(field), pane);
            }
        });
        named(ui, shown.response.on_hover_text("a field in false colours"), format!("{pane}field"));
        drape(ui, &mut chosen, pane);
    });
    view.show = chosen;
}

fn pick(ui: &mut Ui, chosen: &mut PaneContent, show: PaneContent, name: &str, help: &str, pane: &str) {
    let response =
        ui.add(Button::selectable(*chosen == show, name).frame_when_inactive(true)).on_hover_text(help);
    if named(ui, response, format!("{pane}show:{name}")).clicked() {
        *chosen = show;
    }
}

/// Whether the field is shown on a flat page or draped over the surface.
fn drape(ui: &mut Ui, chosen: &mut PaneContent, pane: &str) {
    let (PaneContent::Field(name) | PaneContent::Draped(name)) = chosen.clone() else { return };
    let mut is_draped = matches!(chosen, PaneContent::Draped(_));
    let response =
        ui.checkbox(&mut is_draped, "over the surface").on_hover_text("draped over the surface in space");
    if named(ui, response, format!("{pane}draped")).changed() {
        *chosen = if is_draped { PaneContent::Draped(name) } else { PaneContent::Field(name) };
    }
}

/// Kind, unit and size of a field.
fn described(field: &FieldInfo) -> String {
    let size: Vec<String> = field.size.iter().filter(|samples| **samples > 1).map(usize::to_string).collect();
    let kind = match (field.quantity, field.scale()) {
        (Quantity::Height, _) => "the level of the water",
        (Quantity::Bed, _) => "the level of the bed",
        (_, FieldScale::Plain) => "a scalar",
        (_, FieldScale::Signed) => "a signed scalar",
        (_, FieldScale::Vector) => "a vector, shown by its magnitude",
        (_, FieldScale::Kinds) => "the kind of each cell",
    };
    let unit = if field.unit.is_empty() { String::new() } else { format!(" in {}", field.unit) };
    format!("{kind}{unit}, {} samples", size.join(" × "))
}

fn vectors(ui: &mut Ui, view: &mut PaneView, fields: &[FieldInfo], pane: &str) {
    let mut offered: Vec<&str> = fields
        .iter()
        .filter(|field| field.scale() == FieldScale::Vector)
        .map(|field| field.name.as_str())
        .collect();
    offered.insert(0, "");
    let arrows_label =
        |name: &str| if name.is_empty() { String::from("no arrows") } else { format!("arrows of {name}") };
    ui.horizontal_wrapped(|ui| {
        let combo = ComboBox::from_id_salt(format!("{pane}vectors")).width(120.0);
        let shown = combo.selected_text(arrows_label(&view.vectors)).show_ui(ui, |ui| {
            for name in offered {
                let response = ui.add(Button::selectable(view.vectors == name, arrows_label(name)));
                if named(ui, response, format!("{pane}vectors:{name}")).clicked() {
                    view.vectors = name.to_owned();
                }
            }
        });
        named(ui, shown.response.on_hover_text("arrows on top"), format!("{pane}vectors"));
        if !view.vectors.is_empty() {
            ui.spacing_mut().slider_width = 80.0;
            let slider = Slider::new(&mut view.vector_spacing, 8.0..=80.0).suffix(" px").max_decimals(0);
            let response = ui.add(slider).on_hover_text("distance between arrows");
            named(ui, response, format!("{pane}spacing"));
        }
    });
}

fn effects(ui: &mut Ui, view: &mut PaneView, pane: &str) {
    let effects = &mut view.effects;
    ui.horizontal_wrapped(|ui| {
        for (flag, name, help) in [
            (
                &mut effects.refraction,
                "refraction",
                "the bed is seen through the surface, refracted and absorbed",
            ),
            (&mut effects.caustics, "caustics", "sunlight focused by waves onto the bed"),
            (&mut effects.wetness, "wetness", "wet ground is darker"),
            (&mut effects.foam, "foam", "foam on fast and folding water, and at shores"),
            (&mut effects.bumps, "bumps", "ripples in the normals only"),
            (&mut effects.glitter, "glitter", "glints of the sun on waves smaller than a pixel"),
            (&mut view.is_classic, "classic", "shaded by the formulae of 2007"),
        ] {
            let response = ui.checkbox(flag, name).on_hover_text(help);
            named(ui, response, format!("{pane}effect:{name}"));
        }
    });
}
