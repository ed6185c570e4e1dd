//! Everything that a key can do, in one list: the window acts on it, and the help sheet is printed from it.

use egui::{Context, Grid, Key, KeyboardShortcut, ModifierNames, Modifiers, RichText, ScrollArea, Ui};

use super::named;

/// What a person can ask of the window by a key or a button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Runs, or stands still.
    PlayPause,
    /// Goes on by one frame.
    Step,
    /// Begins again, without what was done by hand.
    Reset,
    /// Begins again, with everything done by hand.
    Replay,
    /// Runs faster by a half.
    Faster,
    /// Runs slower by a third.
    Slower,
    /// Takes back the last stroke.
    Undo,
    /// Does it again.
    Redo,
    /// Takes up a tool, by its number in the palette.
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
    /// Asks for a scene file and opens it.
    Open,
    /// Saves a scene file that does everything again.
    Save,
    /// Opens or closes what can be exported.
    Export,
    /// Shows all of the water.
    FitView,
    /// One pane or two.
    SplitView,
    /// Opens or closes this help.
    Help,
    /// Closes what lies on top.
    Close,
    /// Day or night.
    Theme,
    /// The water alone, without panels.
    Bare,
}

/// A command and the keys that call it.
#[derive(Debug)]
pub struct Shortcut {
    /// The command.
    pub command: Command,
    /// The keys; any of them will do.
    pub keys: &'static [KeyboardShortcut],
    /// What it does, in a few words.
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
const fn key(command: Command, keys: &'static [KeyboardShortcut], what: &'static str) -> Shortcut {
    Shortcut { command, keys, what }
}

/// Every shortcut. Those with more modifiers stand before those with fewer, since the first that fits is taken.
pub static SHORTCUTS: &[Shortcut] = &[
    key(Command::Redo, &[with_shift(Key::Z), with_command(Key::Y)], "do again what was taken back"),
    key(Command::Undo, &[with_command(Key::Z)], "take back"),
    key(Command::Open, &[with_command(Key::O)], "open a scene file"),
    key(Command::Save, &[with_command(Key::S)], "save a scene file that does everything again"),
    key(Command::Export, &[with_command(Key::E)], "export a still, a film, meshes or maps"),
    key(Command::PlayPause, &[plain(Key::Space)], "run, or stand still"),
    key(Command::Step, &[plain(Key::ArrowRight)], "one frame"),
    key(Command::Reset, &[plain(Key::R)], "begin again"),
    key(Command::Replay, &[plain(Key::A)], "begin again and do everything again"),
    key(Command::Faster, &[plain(Key::Period)], "faster"),
    key(Command::Slower, &[plain(Key::Comma)], "slower"),
    key(Command::Tool(0), &[plain(Key::Num1)], "look around"),
    key(Command::Tool(1), &[plain(Key::Num2)], "push"),
    key(Command::Tool(2), &[plain(Key::Num3)], "drop"),
    key(Command::Tool(3), &[plain(Key::Num4)], "pour"),
    key(Command::Tool(4), &[plain(Key::Num5)], "draw off"),
    key(Command::Tool(5), &[plain(Key::Num6)], "rain"),
    key(Command::Tool(6), &[plain(Key::Num7)], "place a spring"),
    key(Command::Tool(7), &[plain(Key::Num8)], "place a drain"),
    key(Command::Tool(8), &[plain(Key::Num9)], "place something that wobbles"),
    key(Command::Gallery, &[plain(Key::G)], "the gallery of scenes"),
    key(Command::Knobs, &[plain(Key::K)], "the knobs"),
    key(Command::Views, &[plain(Key::V)], "what is shown, and how"),
    key(Command::Plots, &[plain(Key::P)], "the plots"),
    key(Command::Editor, &[plain(Key::E)], "the scene file"),
    key(Command::FitView, &[plain(Key::F)], "show all of the water"),
    key(Command::SplitView, &[plain(Key::D)], "one pane or two"),
    key(Command::Bare, &[plain(Key::H)], "hide the panels"),
    key(Command::Theme, &[plain(Key::T)], "day or night"),
    key(Command::Help, &[plain(Key::F1), plain(Key::Questionmark)], "this help"),
    key(Command::Close, &[plain(Key::Escape)], "close what lies on top"),
];

/// What the hand does that is no key: shown below the keys.
static GESTURES: &[(&str, &str)] = &[
    ("drag with the right button", "turn around the water, whatever the tool"),
    ("W A S D Q E, right button held", "fly"),
    ("drag with the middle button", "move aside"),
    ("wheel, or two fingers", "nearer and farther"),
    ("double click", "show all of the water"),
];

/// The commands whose keys were pressed since the last frame, with the keys taken out of the input. Keys that also
/// mean something to a text or a button leave it alone while it has the focus.
pub fn pressed(context: &Context) -> Vec<Command> {
    let is_busy = context.egui_wants_keyboard_input();
    let mut commands = Vec::new();
    for shortcut in SHORTCUTS {
        let mut keys = shortcut.keys.iter().filter(|keys| {
            !is_busy || !keys.conflicts_with_text_editing() || shortcut.command == Command::Close
        });
        if keys.any(|keys| context.input_mut(|input| input.consume_shortcut(keys))) {
            commands.push(shortcut.command);
        }
    }
    commands
}

/// The keys of a command as they are printed: `Ctrl+Z`; empty when it has none.
pub fn keys_of(context: &Context, command: Command) -> String {
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
