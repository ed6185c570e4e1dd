//! The panels around the panes. Each shows the last update of the session and sends requests; none of them blocks.
//!
//! Every interactive widget is [`named`]: the name is its accessible name, the label by which the tests find it, and the
//! label in the page's report.

pub mod colours;
pub mod editor;
pub mod export;
#[cfg(not(target_arch = "wasm32"))]
pub mod files;
pub mod gallery;
pub mod help;
pub mod knobs;
pub mod plots;
pub mod theme;
pub mod thumbnails;
mod toml_values;
pub mod tools;
pub mod transport;
pub mod views;

use egui::{Context, Id, Rect, Response, Ui};

/// A named widget on the screen.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedWidget {
    /// Its name, independent of the text that it shows.
    pub name: String,
    /// Its rectangle in points.
    pub rect: Rect,
    /// Whether any of it is inside the clip rectangle.
    pub is_visible: bool,
}

/// The named widgets of two egui passes: the current and the one before it.
#[derive(Clone, Default)]
struct WidgetRegister {
    pass: u64,
    current: Vec<NamedWidget>,
    complete: Vec<NamedWidget>,
}

/// Names a widget and registers it for [`named_widgets`].
pub fn named(ui: &Ui, response: Response, name: impl Into<String>) -> Response {
    let name = name.into();
    let visible = response.rect.intersect(ui.clip_rect());
    let entry = NamedWidget { name: name.clone(), rect: response.rect, is_visible: visible.is_positive() };
    let pass = ui.ctx().cumulative_pass_nr();
    ui.data_mut(|data| {
        let register = data.get_temp_mut_or_default::<WidgetRegister>(register_id());
        if register.pass != pass {
            register.complete = std::mem::take(&mut register.current);
            register.pass = pass;
        }
        register.current.push(entry);
    });
    response.accessible_name(name)
}

/// The named widgets of the last complete pass, in drawing order.
pub fn named_widgets(context: &Context) -> Vec<NamedWidget> {
    let pass = context.cumulative_pass_nr();
    let register = context.data(|data| data.get_temp::<WidgetRegister>(register_id())).unwrap_or_default();
    if register.pass < pass { register.current } else { register.complete }
}

fn register_id() -> Id {
    Id::unique("named widgets")
}

/// A number with four significant digits.
///
/// ```
/// use undine_studio::panels::format_number;
/// assert_eq!(format_number(0.1 + 0.2), "0.3");
/// assert_eq!(format_number(1.5e-7), "1.5e-7");
/// assert_eq!(format_number(123456.7), "123457");
/// ```
pub fn format_number(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 {
        return String::from("0");
    }
    if !number.is_finite() {
        return if number.is_nan() {
            String::from("—")
        } else {
            String::from(if number > 0.0 { "∞" } else { "−∞" })
        };
    }
    if !(1e-3..1e7).contains(&size) {
        let text = format!("{number:.3e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", without_zeros(digits));
    }
    let digits = (3 - size.log10().floor() as i32).clamp(0, 6) as usize;
    without_zeros(&format!("{number:.digits$}")).to_owned()
}

fn without_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}
