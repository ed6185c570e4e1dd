//! Keyboard shortcuts: one list, which the window acts on and the help sheet shows.

use egui::{Context, Grid, Key, KeyboardShortcut, ModifierNames, Modifiers, RichText, ScrollArea, Ui};

use super::named;

/// A command of the user interface, by a key or a button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UiCommand {
    /// Runs or pauses.
    PlayPause,
    /// Advances by one frame.
    Step,
    /// Restarts without the actions.
    Reset,
    /// Restarts and repeats all actions.
    Replay,
    /// Next higher speed of the list.
    Faster,
    /// Next lower speed of the list.
    Slower,
    /// Undoes the last group of actions.
    Undo,
    /// Redoes it.
    Redo,
    /// Activates a tool, by its number in the palette.
    Tool(usize),
    /// Opens or closes the gallery.
    Gallery,
    /// Opens or closes the editor.
    Editor,
    /// Opens or closes the plots.
    Plots,
    /// Opens or closes the knobs.
    Knobs,
    /// Opens or closes the views.
    Views,
    /// Opens a scene file.
    Open,
    /// Saves the scene file including all actions.
    Save,
    /// Opens or closes the export panel.
    Export,
    /// Fits the view to the water.
    FitView,
    /// Switches between one pane and two.
    SplitView,
    /// Opens or closes this help.
    Help,
    /// Closes the topmost dialog or message.
    Close,
    /// Switches between the light and the dark theme.
    Theme,
    /// Hides or shows all panels.
    HidePanels,
}

/// A command and its keyboard shortcuts.
#[derive(Debug)]
pub struct Shortcut {
    /// The command.
    pub command: UiCommand,
    /// The alternative key combinations.
    pub keys: &'static [KeyboardShortcut],
    /// Its help text.
    pub what: &'static str,
}

const fn plain(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::NONE, key)
}

const fn with_command(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND, key)
}

const fn with_shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key)
}

/// A command and its keys.
const fn key(command: UiCommand, keys: &'static [KeyboardShortcut], what: &'static str) -> Shortcut {
    Shortcut { command, keys, what }
}

/// All shortcuts. Those with more modifiers come first, since the first match consumes the key.
pub static SHORTCUTS: &[Shortcut] = &[
    key(UiCommand::Redo, &[with_shift(Key::Z), with_command(Key::Y)], "redo"),
    key(UiCommand::Undo, &[with_command(Key::Z)], "undo"),
    key(UiCommand::Open, &[with_command(Key::O)], "open a scene file"),
    key(UiCommand::Save, &[with_command(Key::S)], "save the scene file including all actions"),
    key(UiCommand::Export, &[with_command(Key::E)], "export a still, a film, meshes or maps"),
    key(UiCommand::PlayPause, &[plain(Key::Space)], "run or pause"),
    key(UiCommand::Step, &[plain(Key::ArrowRight)], "advance by one frame"),
    key(UiCommand::Reset, &[plain(Key::R)], "restart"),
    key(UiCommand::Replay, &[plain(Key::A)], "restart and repeat all actions"),
    key(UiCommand::Faster, &[plain(Key::Period)], "faster"),
    key(UiCommand::Slower, &[plain(Key::Comma)], "slower"),
    key(UiCommand::Tool(0), &[plain(Key::Num1)], "look around"),
    key(UiCommand::Tool(1), &[plain(Key::Num2)], "push"),
    key(UiCommand::Tool(2), &[plain(Key::Num3)], "drop"),
    key(UiCommand::Tool(3), &[plain(Key::Num4)], "pour"),
    key(UiCommand::Tool(4), &[plain(Key::Num5)], "draw off"),
    key(UiCommand::Tool(5), &[plain(Key::Num6)], "rain"),
    key(UiCommand::Tool(6), &[plain(Key::Num7)], "place a spring"),
    key(UiCommand::Tool(7), &[plain(Key::Num8)], "place a drain"),
    key(UiCommand::Tool(8), &[plain(Key::Num9)], "place an oscillating source"),
    key(UiCommand::Gallery, &[plain(Key::G)], "the gallery of scenes"),
    key(UiCommand::Knobs, &[plain(Key::K)], "the knobs"),
    key(UiCommand::Views, &[plain(Key::V)], "the view settings"),
    key(UiCommand::Plots, &[plain(Key::P)], "the plots"),
    key(UiCommand::Editor, &[plain(Key::E)], "the scene file"),
    key(UiCommand::FitView, &[plain(Key::F)], "fit the view to the water"),
    key(UiCommand::SplitView, &[plain(Key::D)], "one or two panes"),
    key(UiCommand::HidePanels, &[plain(Key::H)], "hide the panels"),
    key(UiCommand::Theme, &[plain(Key::T)], "light or dark theme"),
    key(UiCommand::Help, &[plain(Key::F1), plain(Key::Questionmark)], "this help"),
    key(UiCommand::Close, &[plain(Key::Escape)], "close the topmost dialog or message"),
];

/// Mouse and touch gestures, shown below the keys.
static GESTURES: &[(&str, &str)] = &[
    ("drag with the right button", "orbit, with any tool"),
    ("W A S D Q E, right button held", "fly"),
    ("drag with the middle button", "pan"),
    ("wheel, or two fingers", "zoom"),
    ("double click", "fit the view to the water"),
];

/// The commands whose keys were pressed since the last frame; their keys are consumed. Keys that a focused text field
/// needs are left to it.
pub fn pressed(context: &Context) -> Vec<UiCommand> {
    let is_busy = context.egui_wants_keyboard_input();
    let mut commands = Vec::new();
    for shortcut in SHORTCUTS {
        let mut keys = shortcut.keys.iter().filter(|keys| {
            !is_busy || !keys.conflicts_with_text_editing() || shortcut.command == UiCommand::Close
        });
        if keys.any(|keys| context.input_mut(|input| input.consume_shortcut(keys))) {
            commands.push(shortcut.command);
        }
    }
    commands
}

/// The keys of a command as text: `Ctrl+Z`; empty when it has none.
pub fn keys_of(context: &Context, command: UiCommand) -> String {
    let shortcut = SHORTCUTS.iter().find(|shortcut| shortcut.command == command);
    shortcut.map_or_else(String::new, |shortcut| printed(context, shortcut))
}

fn printed(context: &Context, shortcut: &Shortcut) -> String {
    let is_mac = context.os().is_mac();
    let keys = shortcut.keys.iter().map(|keys| match keys.logical_key {
        Key::Questionmark => String::from("?"),
        _ => keys.format(&ModifierNames::NAMES, is_mac),
    });
    keys.collect::<Vec<_>>().join(" or ")
}

/// The help sheet.
pub fn show(ui: &mut Ui) {
    ScrollArea::vertical().id_salt("help").show(ui, |ui| {
        let grid = Grid::new("shortcuts").num_columns(2).spacing([16.0, 4.0]).striped(true);
        grid.show(ui, |ui| {
            for shortcut in SHORTCUTS {
                ui.label(RichText::new(printed(ui.ctx(), shortcut)).monospace());
                let response = ui.add(egui::Label::new(shortcut.what).wrap());
                named(ui, response, format!("help:{:?}", shortcut.command));
                ui.end_row();
            }
            for (gesture, what) in GESTURES {
                ui.add(egui::Label::new(*gesture).wrap());
                ui.add(egui::Label::new(*what).wrap());
                ui.end_row();
            }
        });
    });
}
