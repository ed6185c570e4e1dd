//! What a pane shows.

use egui::{Button, ComboBox, Slider, Ui};
use undine::frame::{FieldScale, Quantity};
use undine::sim::FieldInfo;

use super::{colours, named};
use crate::news::Opened;
use crate::view::{PaneView, Show};

/// Edits what a pane shows, and how. `pane` names it where there are several.
pub fn show(ui: &mut Ui, view: &mut PaneView, open: Option<&Opened>, pane: &str) {
    let fields = open.map_or(&[] as &[FieldInfo], |open| &open.fields);
    what(ui, view, fields, pane);
    vectors(ui, view, fields, pane);
    ui.horizontal_wrapped(|ui| {
        let response = ui.checkbox(&mut view.shows_grid, "grid").on_hover_text("the lines between cells");
        named(ui, response, format!("{pane}grid"));
        let response = ui.checkbox(&mut view.shows_particles, "particles").on_hover_text("particles on top");
        named(ui, response, format!("{pane}particles"));
    });
    let shown = match &view.show {
        Show::Field(name) | Show::Draped(name) => fields.iter().find(|field| field.name == *name),
        Show::Best | Show::Surface | Show::Particles => None,
    };
    if shown.is_none() || matches!(view.show, Show::Draped(_)) {
        ui.separator();
        effects(ui, view, pane);
    }
    ui.separator();
    colours::show(ui, &mut view.colours, shown.map_or(FieldScale::Plain, FieldInfo::scale), pane);
}

fn what(ui: &mut Ui, view: &mut PaneView, fields: &[FieldInfo], pane: &str) {
    let mut chosen = view.show.clone();
    ui.horizontal_wrapped(|ui| {
        for (show, name, help) in [
            (Show::Best, "best", "what suits the scene: water in space, or ink on a page"),
            (Show::Surface, "surface", "the surface in space"),
            (Show::Particles, "particles", "particles in space, or on the page"),
        ] {
            pick(ui, &mut chosen, show, name, help, pane);
        }
    });
    let is_draped = matches!(chosen, Show::Draped(_));
    let name = match &chosen {
        Show::Field(name) | Show::Draped(name) => name.clone(),
        _ => String::from("a field …"),
    };
    ui.horizontal_wrapped(|ui| {
        let combo = ComboBox::from_id_salt(format!("{pane}field")).width(120.0).selected_text(name);
        let shown = combo.show_ui(ui, |ui| {
            for field in fields {
                let show = if is_draped {
                    Show::Draped(field.name.clone())
                } else {
                    Show::Field(field.name.clone())
                };
                pick(ui, &mut chosen, show, &field.name, &described(field), pane);
            }
        });
        named(ui, shown.response.on_hover_text("a field in colours"), format!("{pane}field"));
        drape(ui, &mut chosen, pane);
    });
    view.show = chosen;
}

fn pick(ui: &mut Ui, chosen: &mut Show, show: Show, name: &str, help: &str, pane: &str) {
    let response =
        ui.add(Button::selectable(*chosen == show, name).frame_when_inactive(true)).on_hover_text(help);
    if named(ui, response, format!("{pane}show:{name}")).clicked() {
        *chosen = show;
    }
}

/// Whether the field lies flat on a page or over the surface.
fn drape(ui: &mut Ui, chosen: &mut Show, pane: &str) {
    let (Show::Field(name) | Show::Draped(name)) = chosen.clone() else { return };
    let mut is_draped = matches!(chosen, Show::Draped(_));
    let response =
        ui.checkbox(&mut is_draped, "over the surface").on_hover_text("laid over the water in space");
    if named(ui, response, format!("{pane}draped")).changed() {
        *chosen = if is_draped { Show::Draped(name) } else { Show::Field(name) };
    }
}

/// A field with its unit and its size.
fn described(field: &FieldInfo) -> String {
    let size: Vec<String> = field.size.iter().filter(|samples| **samples > 1).map(usize::to_string).collect();
    let kind = match (field.quantity, field.scale()) {
        (Quantity::Height, _) => "the level of the water",
        (Quantity::Bed, _) => "the level of the ground",
        (_, FieldScale::Plain) => "a quantity",
        (_, FieldScale::Signed) => "a quantity of two signs",
        (_, FieldScale::Vector) => "a vector, shown by its length",
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
    let named_field =
        |name: &str| if name.is_empty() { String::from("no arrows") } else { format!("arrows of {name}") };
    ui.horizontal_wrapped(|ui| {
        let combo = ComboBox::from_id_salt(format!("{pane}vectors")).width(120.0);
        let shown = combo.selected_text(named_field(&view.vectors)).show_ui(ui, |ui| {
            for name in offered {
                let response = ui.add(Button::selectable(view.vectors == name, named_field(name)));
                if named(ui, response, format!("{pane}vectors:{name}")).clicked() {
                    view.vectors = name.to_owned();
                }
            }
        });
        named(ui, shown.response.on_hover_text("arrows on top"), format!("{pane}vectors"));
        if !view.vectors.is_empty() {
            ui.spacing_mut().slider_width = 80.0;
            let slider = Slider::new(&mut view.vector_spacing, 8.0..=80.0).suffix(" px").max_decimals(0);
            let response = ui.add(slider).on_hover_text("between arrows");
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
                "what is below is seen through the surface, bent and tinted",
            ),
            (&mut effects.caustics, "caustics", "sunlight gathered by waves on the bed"),
            (&mut effects.wetness, "wetness", "ground that was under water is darker"),
            (&mut effects.foam, "foam", "white on fast and folding water, and at shores"),
            (&mut effects.bumps, "bumps", "small ripples that only bend the light"),
            (&mut effects.glitter, "glitter", "the sun on waves smaller than a pixel"),
            (&mut view.is_classic, "classic", "coloured by the formulae of 2007"),
        ] {
            let response = ui.checkbox(flag, name).on_hover_text(help);
            named(ui, response, format!("{pane}effect:{name}"));
        }
    });
}
