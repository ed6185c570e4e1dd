//! The panels around the water. Each takes a place in the window, reads what the water tells, and answers with orders;
//! none of them waits for anything.
//!
//! Every widget that a person may want to press is [`named`]: the name is what screen readers say, what the tests look
//! for, and what the page tells to whoever drives it from outside.

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
pub mod tools;
pub mod transport;
mod typed;
pub mod views;

use egui::{Context, Id, Rect, Response, Ui};

/// A widget on the screen that has a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// Its name, the same in every language and look.
    pub name: String,
    /// Where it is, in points.
    pub rect: Rect,
    /// Whether any of it can be seen, rather than being scrolled away.
    pub is_visible: bool,
}

/// The named widgets of two passes: one that is under way and the one before it.
#[derive(Clone, Default)]
struct Register {
    pass: u64,
    under_way: Vec<Named>,
    complete: Vec<Named>,
}

/// Gives a widget a name, and enters it into the list of what is on the screen.
pub fn named(ui: &Ui, response: Response, name: impl Into<String>) -> Response {
    let name = name.into();
    let seen = response.rect.intersect(ui.clip_rect());
    let entry = Named { name: name.clone(), rect: response.rect, is_visible: seen.is_positive() };
    let pass = ui.ctx().cumulative_pass_nr();
    ui.data_mut(|data| {
        let register = data.get_temp_mut_or_default::<Register>(register_id());
        if register.pass != pass {
            register.complete = std::mem::take(&mut register.under_way);
            register.pass = pass;
        }
        register.under_way.push(entry);
    });
    response.accessible_name(name)
}

/// The named widgets of the last pass that is complete, in the order in which they were drawn.
pub fn on_screen(context: &Context) -> Vec<Named> {
    let pass = context.cumulative_pass_nr();
    let register = context.data(|data| data.get_temp::<Register>(register_id())).unwrap_or_default();
    if register.pass < pass { register.under_way } else { register.complete }
}

fn register_id() -> Id {
    Id::unique("named widgets")
}

/// A number with as many digits as a person reads at a glance.
///
/// ```
/// use undine_studio::panels::brief;
/// assert_eq!(brief(0.1 + 0.2), "0.3");
/// assert_eq!(brief(1.5e-7), "1.5e-7");
/// assert_eq!(brief(123456.7), "123457");
/// ```
pub fn brief(number: f64) -> String {
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
