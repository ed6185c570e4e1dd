//! The panels, driven through their widgets.

mod files;

use std::collections::VecDeque;
use std::sync::Arc;

use egui::{Key, Modifiers, Theme, Ui, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use undine::LoadOptions;
use undine::frame::{FieldScale, Quantity};
use undine::scene::{Edit, Scene};
use undine::sim::FieldInfo;
use undine_studio::panels::editor::Editor;
use undine_studio::panels::export::ExportPanel;
use undine_studio::panels::gallery::Gallery;
use undine_studio::panels::help::{self, UiCommand};
use undine_studio::panels::knobs::Knobs;
use undine_studio::panels::plots::Plots;
use undine_studio::panels::tools::{self, Tool, ToolSettings};
use undine_studio::panels::{colours, named_widgets, theme, transport, views};
use undine_studio::request::{Export, Request, SceneSource};
use undine_studio::update::{
    History, HistoryColumn, Message, MessageKind, OpenScene, RunStatus, SessionUpdate,
};
use undine_studio::view::{ColourChoice, PaneContent, PaneView};

/// All panels together, and the requests they sent.
#[derive(Default)]
struct Panels {
    update: SessionUpdate,
    requests: Vec<Request>,
    knobs: Knobs,
    gallery: Gallery,
    editor: Editor,
    plots: Plots,
    export: ExportPanel,
    view: PaneView,
    tool: Tool,
    settings: ToolSettings,
    commands: Vec<UiCommand>,
}

fn opened(source: SceneSource, scene: Scene) -> SessionUpdate {
    let field = |name: &str, quantity| FieldInfo {
        name: name.to_owned(),
        unit: String::from("m"),
        quantity,
        components: if quantity == Quantity::Velocity { 2 } else { 1 },
        size: [64, 64, 1],
    };
    let fields = vec![field("height", Quantity::Height), field("velocity", Quantity::Velocity)];
    let open = OpenScene {
        source,
        readers: undine::models::section_readers(&scene),
        scene,
        fields,
        has_surface: true,
        comparable_models: Vec::new(),
        compared_model: None,
    };
    SessionUpdate { open: Some(Arc::new(open)), runs: vec![run()], speed: 1.0, ..SessionUpdate::default() }
}

fn run() -> RunStatus {
    let values: VecDeque<f64> = (0..900).map(|step| f64::from(step).sin()).collect();
    let column = |plot: &str, name: &str| HistoryColumn {
        plot: plot.to_owned(),
        name: name.to_owned(),
        unit: String::from("m³"),
        values: values.clone(),
    };
    let history = History {
        columns: vec![column("volume", "held"), column("energy", "kinetic"), column("energy", "potential")],
        times: (0..900).map(f64::from).collect(),
        phases: vec![(String::from("solve"), values.clone())],
    };
    RunStatus {
        model: String::from("kass-miller"),
        frame_count: 240,
        history: Arc::new(history),
        ..RunStatus::default()
    }
}

fn bundled(name: &str) -> SessionUpdate {
    let scene = undine::open(name, &LoadOptions::default()).unwrap();
    opened(SceneSource::Bundled(name.to_owned()), scene)
}

/// A window of some size with one panel in it.
fn window<'a>(
    size: [f32; 2],
    panels: Panels,
    show: impl FnMut(&mut Ui, &mut Panels) + 'a,
) -> Harness<'a, Panels> {
    let builder =
        Harness::builder().with_size(vec2(size[0], size[1])).with_max_steps(40).with_step_dt(1.0 / 60.0);
    builder.with_context_setup(theme::install).build_ui_state(show, panels)
}

fn knobs(update: SessionUpdate) -> Harness<'static, Panels> {
    let panels = Panels { update, ..Panels::default() };
    window([420.0, 2400.0], panels, |ui, panels| panels.knobs.show(ui, &panels.update, &mut panels.requests))
}

/// Whether a widget of this name is visible.
fn is_seen(window: &Harness<'_, Panels>, name: &str) -> bool {
    named_widgets(&window.ctx).iter().any(|widget| widget.name == name && widget.is_visible)
}

fn changes(panels: &Panels) -> Vec<Edit> {
    let change =
        |request: &Request| if let Request::Edit(edit) = request { Some(edit.clone()) } else { None };
    panels.requests.iter().filter_map(change).collect()
}

#[test]
fn a_knob_requests_its_value_in_an_undo_group_of_its_own() {
    let mut window = knobs(bundled("km-pool"));
    window.get_by_label("knob:water.0.damping").set_value_accesskit(0.25);
    window.run_ok();
    let expected = Request::Edit(Edit::set("water.0.damping=0.25"));
    assert_eq!(window.state().requests, [Request::BeginUndoGroup, expected]);
}

#[test]
fn a_dragged_slider_sends_many_edits_in_one_undo_group() {
    let mut window = knobs(bundled("km-pool"));
    window.run_ok();
    let rail = window.get_by_label("slide:scene.gravity").rect();
    window.drag_at(rail.left_center() + vec2(20.0, 0.0));
    window.step();
    for x in [40.0, 60.0, 80.0] {
        window.hover_at(rail.left_center() + vec2(x, 0.0));
        window.step();
    }
    window.drop_at(rail.left_center() + vec2(80.0, 0.0));
    window.run_ok();
    let groups =
        window.state().requests.iter().filter(|request| **request == Request::BeginUndoGroup).count();
    let changes = changes(window.state());
    assert!(groups == 1 && changes.len() >= 3, "{:?}", window.state().requests);
    assert!(changes.iter().all(|edit| edit.paths() == [["scene", "gravity"]]));
}

#[test]
fn keys_that_need_a_restart_are_marked_and_sent_on_release_of_the_slider() {
    let mut window = knobs(bundled("km-pool"));
    window.run_ok();
    assert!(is_seen(&window, "restart:water.0.resolution") && !is_seen(&window, "restart:scene.gravity"));

    let rail = window.get_by_label("slide:water.0.resolution").rect();
    window.drag_at(rail.center());
    window.step();
    window.hover_at(rail.center() + vec2(30.0, 0.0));
    window.step();
    assert_eq!(changes(window.state()), [], "nothing while it is held");
    window.drop_at(rail.center() + vec2(30.0, 0.0));
    window.run_ok();
    assert_eq!(changes(window.state()).len(), 1);
}

#[test]
fn changed_keys_are_reset_and_viscosity_is_switched_off_and_on() {
    let text = "[scene]\nduration = 1\n[[water]]\nkind = 'stable-fluids'\nviscosity = 0.02\n";
    let scene = Scene::parse("honey", text, &LoadOptions::default()).unwrap();
    let mut window = knobs(opened(SceneSource::Bundled(String::from("honey")), scene));
    window.run_ok();
    assert!(window.query_by_label("default:water.0.density").is_none(), "as it is by itself");
    window.get_by_label("default:water.0.viscosity").click();
    window.run_ok();
    assert_eq!(changes(window.state()), [Edit::remove("water.0.viscosity")]);
    window.get_by_label("switch:water.0.viscosity").click();
    window.run_ok();
    let open = window.state().update.open.clone().unwrap();
    let off = open.scene.edited(&Edit::set("water.0.viscosity=0.0")).unwrap();
    window.state_mut().update = opened(open.source.clone(), off);
    window.run_ok();
    assert!(window.query_by_label("knob:water.0.viscosity").is_none(), "off");
    window.get_by_label("switch:water.0.viscosity").click();
    window.run_ok();
    let wanted = ["water.0.viscosity=0.0", "water.0.viscosity=0.02"].map(Edit::set);
    assert_eq!(changes(window.state())[1..], wanted);
}

#[test]
fn a_wrong_expression_is_reported_below_its_field_and_not_sent() {
    let mut window = knobs(bundled("km-spring"));
    window.run_ok();
    window.get_by_label("open:source.0").click();
    window.run_ok();
    let line = window.get_by_label("knob:source.0.rate");
    line.focus();
    window.run_ok();
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.get_by_label("knob:source.0.rate").type_text("2*sin(");
    window.run_ok();
    assert!(is_seen(&window, "error:source.0.rate"));
    window.key_press(Key::Enter);
    window.run_ok();
    assert_eq!(changes(window.state()), []);
    window.get_by_label("knob:source.0.rate").focus();
    window.run_ok();
    window.get_by_label("knob:source.0.rate").type_text("t)^2");
    window.run_ok();
    window.key_press(Key::Enter);
    window.run_ok();
    assert_eq!(changes(window.state()), [Edit::set("source.0.rate=\"2*sin(t)^2\"")]);
}

#[test]
fn sections_are_added_and_removed_and_the_search_finds_keys() {
    let mut window = knobs(bundled("km-spring"));
    window.run_ok();
    window.get_by_label("remove:source.0").click();
    window.run_ok();
    assert_eq!(changes(window.state()), [Edit::remove("source.0")]);
    window.get_by_label("add:source").click();
    window.run_ok();
    window.get_by_label("add:source=rain").click();
    window.run_ok();
    let added = changes(window.state()).pop().unwrap();
    let open = window.state().update.open.clone().unwrap();
    let edited = open.scene.edited(&added).unwrap();
    assert_eq!(edited.sections("source").last().unwrap().text("kind"), Some("rain"));

    window.state_mut().knobs.search = String::from("damp");
    window.run_ok();
    window.get_by_label("knob:water.0.damping");
    assert!(window.query_by_label("knob:scene.gravity").is_none());
}

#[test]
fn every_key_of_every_bundled_scene_has_a_knob_that_draws() {
    for scene in undine::SCENES {
        let mut window = knobs(bundled(scene.name));
        window.state_mut().knobs.search = String::from("e");
        window.run_ok();
        assert!(window.state().requests.is_empty(), "{} sends requests without input", scene.name);
    }
}

#[test]
fn the_gallery_lists_every_scene_and_opens_one() {
    let mut window = window([1100.0, 1400.0], Panels::default(), |ui, panels| {
        panels.gallery.show(ui, &mut panels.requests);
    });
    window.run_ok();
    for scene in undine::SCENES {
        window.get_by_label(&format!("scene:{}", scene.name));
    }
    window.get_by_label("scene:pond").click();
    window.run_ok();
    assert_eq!(window.state().requests, [Request::Open(SceneSource::Bundled(String::from("pond")))]);

    window.get_by_label("kind:liquid").click();
    window.run_ok();
    assert!(window.query_by_label("scene:pond").is_none());
    window.get_by_label("scene:honey").focus();
    window.run_ok();
    window.key_press(Key::Enter);
    window.run_ok();
    assert_eq!(window.state().requests.len(), 2, "Enter opens what has the focus");
    window.get_by_label("read:honey").click();
    window.run_ok();
    window.get_by_label("back to gallery");
}

#[test]
fn the_editor_shows_a_problem_at_its_line_and_applies_its_text() {
    let text = "[scene]\nduration = -1\n";
    let problems = Scene::parse("slip", text, &LoadOptions::default()).unwrap_err();
    let place = |problem: &undine::scene::Problem| Some((problem.place.clone()?, problem.message.clone()));
    let places = problems.iter().filter_map(place).collect();
    let message = Message { number: 7, kind: MessageKind::Error, text: problems.to_string(), places };
    let panels = Panels {
        update: SessionUpdate { message: Some(message), ..SessionUpdate::default() },
        ..Panels::default()
    };
    let mut window = window([600.0, 500.0], panels, |ui, panels| {
        panels.editor.show(ui, &panels.update, &mut panels.requests)
    });
    window.state_mut().editor.text = text.to_owned();
    window.run_ok();
    assert!(is_seen(&window, "error:0"));
    window.get_by_label_contains("line 2, column 12: duration must be above 0");
    let field = window.get_by_label("scene text").rect();
    assert!(field.height() > 60.0);

    window.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    window.run_ok();
    let source =
        SceneSource::Text { name: String::from("untitled"), text: text.to_owned(), relative_to: None };
    assert_eq!(window.state().requests, [Request::Open(source)]);
}

#[test]
fn an_applied_text_is_kept_until_it_is_open_and_then_replaced_by_other_scenes() {
    let panels = Panels { update: bundled("pond"), ..Panels::default() };
    let mut window = window([600.0, 500.0], panels, |ui, panels| {
        panels.editor.show(ui, &panels.update, &mut panels.requests)
    });
    window.run_ok();
    assert!(window.state().editor.text.contains("kind = \"sine-waves\""), "the scene as it was written");
    window.get_by_label("scene text").focus();
    window.run_ok();
    window.get_by_label("scene text").type_text("# mine\n");
    window.run_ok();
    assert!(window.state().editor.is_changed);
    window.get_by_label("apply").click();
    window.run_ok();
    assert!(window.state().editor.text.contains("# mine"));
    let Some(Request::Open(source)) = window.state().requests.last().cloned() else {
        panic!("no request was sent")
    };
    let SceneSource::Text { relative_to, .. } = &source else { panic!("no text was sent") };
    assert_eq!(*relative_to, Some(Box::new(SceneSource::Bundled(String::from("pond")))));
    let scene = undine::open("pond", &LoadOptions::default()).unwrap();
    window.state_mut().update = opened(source, scene);
    window.run_ok();
    assert!(!window.state().editor.is_changed);
    window.state_mut().update = bundled("swell");
    window.run_ok();
    assert!(window.state().editor.text.contains("gerstner"));
}

#[test]
fn the_transport_buttons_send_their_requests() {
    let update = SessionUpdate { undo: 1, actions: 1, ..bundled("km-pool") };
    let panels = Panels { update, ..Panels::default() };
    let mut window =
        window([900.0, 80.0], panels, |ui, panels| transport::show(ui, &panels.update, &mut panels.requests));
    window.run_ok();
    for name in ["play", "step", "reset", "replay", "undo", "redo"] {
        window.get_by_label(name).click();
        window.run_ok();
    }
    let wanted = [Request::Play(true), Request::Step, Request::Reset, Request::Replay, Request::Undo];
    assert_eq!(window.state().requests, wanted, "there is nothing to redo");
    assert_eq!(transport::next_speed(1.0, true), 1.5);
    assert_eq!(transport::next_speed(0.1, false), 0.1);
}

#[test]
fn colours_and_views_are_edited() {
    let panels = Panels { update: bundled("km-pool"), ..Panels::default() };
    let mut window = window([400.0, 900.0], panels, |ui, panels| {
        views::show(ui, &mut panels.view, panels.update.open.as_deref(), "");
    });
    window.run_ok();
    window.get_by_label("effect:caustics").click();
    window.get_by_label("map").click();
    window.run_ok();
    window.get_by_label("map:two hues").click();
    window.run_ok();
    window.get_by_label("colour:saturation").set_value_accesskit(0.5);
    window.get_by_label("field").click();
    window.run_ok();
    window.get_by_label("show:height").click();
    window.run_ok();
    let view = &window.state().view;
    assert!(!view.effects.caustics && view.effects.foam);
    assert_eq!((view.colours.map.as_str(), view.colours.saturation), ("hsl", 0.5));
    assert_eq!(view.show, PaneContent::Field(String::from("height")));
}

#[test]
fn tools_that_the_water_does_not_support_are_disabled() {
    let panels = Panels { update: bundled("swell"), ..Panels::default() };
    let mut window = window([500.0, 300.0], panels, |ui, panels| {
        tools::show(ui, &mut panels.tool, &mut panels.settings, panels.update.open.as_deref());
    });
    window.run_ok();
    window.get_by_label("tool:pour").click();
    window.run_ok();
    assert_eq!(window.state().tool, Tool::Look);
    window.state_mut().update = bundled("km-pool");
    window.run_ok();
    window.get_by_label("tool:pour").click();
    window.run_ok();
    assert_eq!(window.state().tool, Tool::Pour);
    window.get_by_label("setting:rate");
    let karman = bundled("karman").open.unwrap();
    let suits = |name: &'static str, open: &OpenScene| tools::is_usable(Tool::named(name).unwrap(), open);
    assert!(suits("obstacle", &karman) && !suits("raise", &karman));
    let smoke = bundled("smoke-3d").open.unwrap();
    assert!(!suits("obstacle", &smoke) && suits("spring", &smoke) && !suits("drain", &smoke));
}

#[test]
fn shortcuts_call_their_commands_unless_a_text_field_has_the_focus() {
    let mut window = window([400.0, 900.0], Panels::default(), |ui, panels| {
        panels.commands.extend(help::pressed(ui.ctx()));
        help::show(ui);
        ui.text_edit_singleline(&mut panels.editor.text).accessible_name("line");
    });
    window.run_ok();
    window.key_press(Key::Space);
    window.step();
    window.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    window.step();
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_ok();
    assert_eq!(window.state().commands, [UiCommand::PlayPause, UiCommand::Redo, UiCommand::Undo]);
    window.get_by_label("line").focus();
    window.run_ok();
    window.key_press(Key::Space);
    window.run_ok();
    assert_eq!(window.state().commands.len(), 3);
}

#[test]
fn exports_are_requested_and_stopped() {
    let panels = Panels { update: bundled("pond"), ..Panels::default() };
    let mut window = window([400.0, 400.0], panels, |ui, panels| {
        panels.export.show(ui, &panels.update, false, &mut panels.requests);
    });
    window.run_ok();
    window.get_by_label("export:ply").click();
    window.run_ok();
    window.get_by_label("export now").click();
    window.run_ok();
    let wanted = Export::Frame { format: String::from("ply"), to: "pond-000000-ply".into() };
    assert_eq!(window.state().requests, [Request::Export(wanted)]);
    window.state_mut().update.export = Some((String::from("frame 3"), 0.25));
    window.run_ok();
    window.get_by_label("stop export").click();
    window.run_ok();
    assert_eq!(window.state().requests.last(), Some(&Request::StopExport));
}

/// Every panel at once, below each other.
fn everything(ui: &mut Ui, panels: &mut Panels) {
    let open = panels.update.open.clone();
    transport::show(ui, &panels.update, &mut panels.requests);
    tools::show(ui, &mut panels.tool, &mut panels.settings, open.as_deref());
    views::show(ui, &mut panels.view, open.as_deref(), "left ");
    colours::show(
        ui,
        &mut ColourChoice { map: String::from("hsl"), ..Default::default() },
        FieldScale::Signed,
        "",
    );
    panels.export.show(ui, &panels.update, true, &mut panels.requests);
    for panel in 0..4 {
        ui.push_id(panel, |ui| {
            ui.set_max_height(420.0);
            match panel {
                0 => panels.knobs.show(ui, &panels.update, &mut panels.requests),
                1 => panels.plots.show(ui, &panels.update),
                2 => panels.editor.show(ui, &panels.update, &mut panels.requests),
                _ => {
                    panels.gallery.show(ui, &mut panels.requests);
                }
            }
        });
    }
}

#[test]
fn panels_draw_without_a_scene_and_fit_a_small_screen() {
    let update = [SessionUpdate::default(), bundled("km-pool"), bundled("glass-of-water"), bundled("karman")];
    for (update, theme) in update.into_iter().zip([Theme::Dark, Theme::Light].into_iter().cycle()) {
        let runs = vec![run(); 2 * usize::from(update.open.is_some())];
        let panels = Panels { update: SessionUpdate { runs, ..update }, ..Panels::default() };
        let mut window = window([390.0, 3000.0], panels, everything);
        window.ctx.set_theme(theme);
        window.run_ok();
        let shown = named_widgets(&window.ctx);
        assert!(shown.len() > 40);
        for widget in shown.iter().filter(|widget| widget.is_visible && widget.name != "scene text") {
            assert!(widget.rect.right() <= 391.0, "{widget:?}");
        }
    }
}
