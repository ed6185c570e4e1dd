//! The light and the dark theme: neutral greys and one accent colour.

use egui::style::{HandleShape, Selection, WidgetVisuals};
use egui::{
    Color32, Context, CornerRadius, FontDefinitions, FontFamily, FontId, Margin, Stroke, Style, TextStyle,
    Theme, Visuals, vec2,
};

/// Width in points below which the layout is for small screens, such as a telephone held upright.
pub const SMALL: f32 = 600.0;

/// Accent colour of the dark theme.
const DARK_ACCENT: Color32 = Color32::from_rgb(86, 172, 222);
/// Accent colour of the light theme.
const LIGHT_ACCENT: Color32 = Color32::from_rgb(17, 108, 158);

/// Installs both themes and the fonts; once, at the start.
pub fn install(context: &Context) {
    // At a low frame rate the two clicks of a double click are seen late
    context.options_mut(|options| options.input_options.max_double_click_delay = 0.5);
    context.style_mut_of(Theme::Dark, |style| apply_style(style, dark()));
    context.style_mut_of(Theme::Light, |style| apply_style(style, light()));
    context.set_fonts(fonts());
}

/// The fonts of egui. Only the monospace font has symbols such as arrows, so it is the fallback of the other.
fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    let code = fonts.families.get(&FontFamily::Monospace).cloned().unwrap_or_default();
    let plain = fonts.families.entry(FontFamily::Proportional).or_default();
    for name in code {
        if !plain.contains(&name) {
            plain.push(name);
        }
    }
    fonts
}

/// The accent colour.
pub fn accent(visuals: &Visuals) -> Color32 {
    if visuals.dark_mode { DARK_ACCENT } else { LIGHT_ACCENT }
}

/// Colours of lines in plots.
pub fn line_colour(visuals: &Visuals, index: usize) -> Color32 {
    const DARK: [Color32; 6] = [
        DARK_ACCENT,
        Color32::from_rgb(240, 160, 80),
        Color32::from_rgb(126, 205, 140),
        Color32::from_rgb(226, 118, 138),
        Color32::from_rgb(178, 150, 230),
        Color32::from_rgb(214, 206, 120),
    ];
    const LIGHT: [Color32; 6] = [
        LIGHT_ACCENT,
        Color32::from_rgb(194, 96, 14),
        Color32::from_rgb(42, 130, 66),
        Color32::from_rgb(178, 44, 74),
        Color32::from_rgb(106, 70, 170),
        Color32::from_rgb(126, 112, 10),
    ];
    let lines = if visuals.dark_mode { DARK } else { LIGHT };
    lines[index % lines.len()]
}

/// Whether the layout is for a small screen.
pub fn is_small(context: &Context) -> bool {
    context.content_rect().width() < SMALL
}

/// Spacing and text sizes, which both themes share.
fn apply_style(style: &mut Style, visuals: Visuals) {
    style.visuals = visuals;
    style.spacing.item_spacing = vec2(6.0, 5.0);
    style.spacing.button_padding = vec2(8.0, 4.0);
    style.spacing.interact_size = vec2(36.0, 24.0);
    style.spacing.window_margin = Margin::same(10);
    style.spacing.menu_margin = Margin::same(8);
    style.spacing.indent = 14.0;
    style.spacing.slider_rail_height = 5.0;
    style.spacing.tooltip_width = 320.0;
    style.text_styles.insert(TextStyle::Small, FontId::new(11.0, FontFamily::Proportional));
    style.text_styles.insert(TextStyle::Body, FontId::new(14.0, FontFamily::Proportional));
    style.text_styles.insert(TextStyle::Button, FontId::new(14.0, FontFamily::Proportional));
    style.text_styles.insert(TextStyle::Heading, FontId::new(18.0, FontFamily::Proportional));
    style.text_styles.insert(TextStyle::Monospace, FontId::new(13.0, FontFamily::Monospace));
}

fn dark() -> Visuals {
    let mut visuals = Visuals::dark();
    visuals.panel_fill = Color32::from_rgb(27, 31, 35);
    visuals.window_fill = Color32::from_rgb(32, 37, 42);
    visuals.extreme_bg_color = Color32::from_rgb(18, 21, 24);
    visuals.faint_bg_color = Color32::from_rgb(36, 41, 46);
    visuals.warn_fg_color = Color32::from_rgb(240, 180, 90);
    visuals.error_fg_color = Color32::from_rgb(242, 112, 108);
    visuals.selection = Selection {
        bg_fill: Color32::from_rgb(28, 92, 130),
        stroke: Stroke::new(1.0, Color32::from_rgb(226, 244, 255)),
    };
    with_shared_visuals(visuals, DARK_ACCENT)
}

fn light() -> Visuals {
    let mut visuals = Visuals::light();
    visuals.panel_fill = Color32::from_rgb(246, 248, 249);
    visuals.window_fill = Color32::from_rgb(252, 253, 253);
    visuals.extreme_bg_color = Color32::from_rgb(255, 255, 255);
    visuals.faint_bg_color = Color32::from_rgb(236, 240, 242);
    visuals.warn_fg_color = Color32::from_rgb(158, 92, 0);
    visuals.error_fg_color = Color32::from_rgb(190, 32, 38);
    visuals.selection = Selection {
        bg_fill: Color32::from_rgb(176, 218, 242),
        stroke: Stroke::new(1.0, Color32::from_rgb(8, 52, 80)),
    };
    with_shared_visuals(visuals, LIGHT_ACCENT)
}

/// Visuals that both themes share: rounded corners, filled sliders, the accent on hovered and active widgets.
fn with_shared_visuals(mut visuals: Visuals, accent: Color32) -> Visuals {
    visuals.hyperlink_color = accent;
    visuals.slider_trailing_fill = true;
    visuals.handle_shape = HandleShape::Circle;
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.menu_corner_radius = CornerRadius::same(6);
    let widgets = &mut visuals.widgets;
    for state in [&mut widgets.inactive, &mut widgets.hovered, &mut widgets.active, &mut widgets.open] {
        round(state);
    }
    visuals.widgets.hovered.bg_stroke = Stroke::new(1.0, accent);
    visuals.widgets.active.bg_stroke = Stroke::new(1.5, accent);
    visuals
}

fn round(state: &mut WidgetVisuals) {
    state.corner_radius = CornerRadius::same(5);
    state.expansion = 0.0;
}
