//! The panels, pressed and turned as a person would.

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
use undine_studio::news::{Column, History, Message, MessageKind, News, Opened, RunNews};
use undine_studio::order::{Export, Order, Source};
use undine_studio::panels::editor::Editor;
use undine_studio::panels::export::ExportPanel;
use undine_studio::panels::gallery::Gallery;
use undine_studio::panels::help::{self, Command};
use undine_studio::panels::knobs::Knobs;
use undine_studio::panels::plots::Plots;
use undine_studio::panels::tools::{self, Tool, ToolSettings};
use undine_studio::panels::{colours, on_screen, theme, transport, views};
use undine_studio::view::{ColourChoice, PaneView, Show};

/// All panels together, and what they asked for.
#[derive(Default)]
struct Desk {
    news: News,
    orders: Vec<Order>,
    knobs: Knobs,
    gallery: Gallery,
    editor: Editor,
    plots: Plots,
    export: ExportPanel,
    view: PaneView,
    tool: Tool,
    settings: ToolSettings,
    commands: Vec<Command>,
}

fn opened(source: Source, scene: Scene) -> News {
    let field = |name: &str, quantity| FieldInfo {
        name: name.to_owned(),
        unit: String::from("m"),
        quantity,
        components: if quantity == Quantity::Velocity { 2 } else { 1 },
        size: [64, 64, 1],
    };
    let fields = vec![field("height", Quantity::Height), field("velocity", Quantity::Velocity)];
    let open = Opened {
        source,
        readers: undine::models::section_readers(&scene),
        scene,
        fields,
        has_surface: true,
        comparable_models: Vec::new(),
        compared_model: None,
    };
    News { open: Some(Arc::new(open)), runs: vec![run()], speed: 1.0, ..News::default() }
}

fn run() -> RunNews {
    let values: VecDeque<f64> = (0..900).map(|step| f64::from(step).sin()).collect();
    let column = |plot: &str, name: &str| Column {
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
    RunNews {
        model: String::from("kass-miller"),
        frame_count: 240,
        history: Arc::new(history),
        ..RunNews::default()
    }
}

fn bundled(name: &str) -> News {
    let scene = undine::open(name, &LoadOptions::default()).unwrap();
    opened(Source::Bundled(name.to_owned()), scene)
}

/// A window of some size with one panel in it.
fn window<'a>(size: [f32; 2], desk: Desk, show: impl FnMut(&mut Ui, &mut Desk) + 'a) -> Harness<'a, Desk> {
    let builder =
        Harness::builder().with_size(vec2(size[0], size[1])).with_max_steps(40).with_step_dt(1.0 / 60.0);
    builder.with_context_setup(theme::install).build_ui_state(show, desk)
}

fn knobs(news: News) -> Harness<'static, Desk> {
    let desk = Desk { news, ..Desk::default() };
    window([420.0, 2400.0], desk, |ui, desk| desk.knobs.show(ui, &desk.news, &mut desk.orders))
}

/// Whether a widget of this name can be seen.
fn is_seen(window: &Harness<'_, Desk>, name: &str) -> bool {
    on_screen(&window.ctx).iter().any(|widget| widget.name == name && widget.is_visible)
}

fn changes(desk: &Desk) -> Vec<Edit> {
    let change = |order: &Order| if let Order::Change(edit) = order { Some(edit.clone()) } else { None };
    desk.orders.iter().filter_map(change).collect()
}

#[test]
fn a_knob_asks_for_its_value_in_a_stroke_of_its_own() {
    let mut window = knobs(bundled("km-pool"));
    window.get_by_label("knob:water.0.damping").set_value_accesskit(0.25);
    window.run_ok();
    let asked = Order::Change(Edit::set("water.0.damping=0.25"));
    assert_eq!(window.state().orders, [Order::BeginStroke, asked]);
}

#[test]
fn a_slider_that_is_dragged_makes_one_stroke_of_many_changes() {
    let mut window = knobs(bundled("km-pool"));
    window.run_ok();
    let rail = window.get_by_label("slide:scene.gravity").rect();
    window.drag_at(rail.left_center() + vec2(20.0, 0.0));
    window.step();
    for along in [40.0, 60.0, 80.0] {
        window.hover_at(rail.left_center() + vec2(along, 0.0));
        window.step();
    }
    window.drop_at(rail.left_center() + vec2(80.0, 0.0));
    window.run_ok();
    let strokes = window.state().orders.iter().filter(|order| **order == Order::BeginStroke).count();
    let changes = changes(window.state());
    assert!(strokes == 1 && changes.len() >= 3, "{:?}", window.state().orders);
    assert!(changes.iter().all(|edit| edit.paths() == [["scene", "gravity"]]));
}

#[test]
fn keys_that_need_a_new_start_are_marked_and_wait_for_the_slider_to_be_let_go() {
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
fn changed_keys_go_back_and_viscosity_goes_off_and_on() {
    let text = "[scene]\nduration = 1\n[[water]]\nkind = 'stable-fluids'\nviscosity = 0.02\n";
    let scene = Scene::parse("honey", text, &LoadOptions::default()).unwrap();
    let mut window = knobs(opened(Source::Bundled(String::from("honey")), scene));
    window.run_ok();
    assert!(window.query_by_label("default:water.0.density").is_none(), "as it is by itself");
    window.get_by_label("default:water.0.viscosity").click();
    window.run_ok();
    assert_eq!(changes(window.state()), [Edit::remove("water.0.viscosity")]);
    window.get_by_label("switch:water.0.viscosity").click();
    window.run_ok();
    let open = window.state().news.open.clone().unwrap();
    let off = open.scene.edited(&Edit::set("water.0.viscosity=0.0")).unwrap();
    window.state_mut().news = opened(open.source.clone(), off);
    window.run_ok();
    assert!(window.query_by_label("knob:water.0.viscosity").is_none(), "off");
    window.get_by_label("switch:water.0.viscosity").click();
    window.run_ok();
    let wanted = ["water.0.viscosity=0.0", "water.0.viscosity=0.02"].map(Edit::set);
    assert_eq!(changes(window.state())[1..], wanted);
}

#[test]
fn a_wrong_expression_is_told_below_its_line_and_not_handed_in() {
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
fn sections_are_added_and_taken_away_and_the_search_finds_keys() {
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
    let open = window.state().news.open.clone().unwrap();
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
        assert!(window.state().orders.is_empty(), "{} asks for something untouched", scene.name);
    }
}

#[test]
fn the_gallery_lists_every_scene_and_opens_one() {
    let mut window = window([1100.0, 1400.0], Desk::default(), |ui, desk| {
        desk.gallery.show(ui, &mut desk.orders);
    });
    window.run_ok();
    for scene in undine::SCENES {
        window.get_by_label(&format!("scene:{}", scene.name));
    }
    window.get_by_label("scene:pond").click();
    window.run_ok();
    assert_eq!(window.state().orders, [Order::Open(Source::Bundled(String::from("pond")))]);

    window.get_by_label("kind:liquid").click();
    window.run_ok();
    assert!(window.query_by_label("scene:pond").is_none());
    window.get_by_label("scene:honey").focus();
    window.run_ok();
    window.key_press(Key::Enter);
    window.run_ok();
    assert_eq!(window.state().orders.len(), 2, "Enter opens what has the focus");
    window.get_by_label("read:honey").click();
    window.run_ok();
    window.get_by_label("back to gallery");
}

#[test]
fn the_editor_shows_a_problem_at_its_line_and_hands_in_its_text() {
    let text = "[scene]\nduration = -1\n";
    let problems = Scene::parse("slip", text, &LoadOptions::default()).unwrap_err();
    let place = |problem: &undine::scene::Problem| Some((problem.place.clone()?, problem.message.clone()));
    let places = problems.iter().filter_map(place).collect();
    let message = Message { number: 7, kind: MessageKind::Error, text: problems.to_string(), places };
    let desk = Desk { news: News { message: Some(message), ..News::default() }, ..Desk::default() };
    let mut window =
        window([600.0, 500.0], desk, |ui, desk| desk.editor.show(ui, &desk.news, &mut desk.orders));
    window.state_mut().editor.text = text.to_owned();
    window.run_ok();
    assert!(is_seen(&window, "error:0"));
    window.get_by_label_contains("line 2, column 12: duration must be above 0");
    let field = window.get_by_label("scene text").rect();
    assert!(field.height() > 60.0);

    window.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    window.run_ok();
    let source = Source::Text { name: String::from("untitled"), text: text.to_owned(), beside: None };
    assert_eq!(window.state().orders, [Order::Open(source)]);
}

#[test]
fn an_applied_text_stays_when_it_is_refused_and_gives_way_when_it_is_open() {
    let desk = Desk { news: bundled("pond"), ..Desk::default() };
    let mut window =
        window([600.0, 500.0], desk, |ui, desk| desk.editor.show(ui, &desk.news, &mut desk.orders));
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
    let Some(Order::Open(source)) = window.state().orders.last().cloned() else {
        panic!("nothing was asked")
    };
    let Source::Text { beside, .. } = &source else { panic!("no text was handed in") };
    assert_eq!(*beside, Some(Box::new(Source::Bundled(String::from("pond")))));
    let scene = undine::open("pond", &LoadOptions::default()).unwrap();
    window.state_mut().news = opened(source, scene);
    window.run_ok();
    assert!(!window.state().editor.is_changed);
    window.state_mut().news = bundled("swell");
    window.run_ok();
    assert!(window.state().editor.text.contains("gerstner"));
}

#[test]
fn the_transport_runs_steps_and_goes_back() {
    let news = News { undo: 1, actions: 1, ..bundled("km-pool") };
    let desk = Desk { news, ..Desk::default() };
    let mut window =
        window([900.0, 80.0], desk, |ui, desk| transport::show(ui, &desk.news, &mut desk.orders));
    window.run_ok();
    for name in ["play", "step", "reset", "replay", "undo", "redo"] {
        window.get_by_label(name).click();
        window.run_ok();
    }
    let wanted = [Order::Play(true), Order::Step, Order::Reset, Order::Replay, Order::Undo];
    assert_eq!(window.state().orders, wanted, "there is nothing to redo");
    assert_eq!(transport::next_speed(1.0, true), 1.5);
    assert_eq!(transport::next_speed(0.1, false), 0.1);
}

#[test]
fn colours_and_views_are_turned() {
    let desk = Desk { news: bundled("km-pool"), ..Desk::default() };
    let mut window = window([400.0, 900.0], desk, |ui, desk| {
        views::show(ui, &mut desk.view, desk.news.open.as_deref(), "");
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
    assert_eq!(view.show, Show::Field(String::from("height")));
}

#[test]
fn tools_that_the_water_does_not_understand_are_grey() {
    let desk = Desk { news: bundled("swell"), ..Desk::default() };
    let mut window = window([500.0, 300.0], desk, |ui, desk| {
        tools::show(ui, &mut desk.tool, &mut desk.settings, desk.news.open.as_deref());
    });
    window.run_ok();
    window.get_by_label("tool:pour").click();
    window.run_ok();
    assert_eq!(window.state().tool, Tool::Look);
    window.state_mut().news = bundled("km-pool");
    window.run_ok();
    window.get_by_label("tool:pour").click();
    window.run_ok();
    assert_eq!(window.state().tool, Tool::Pour);
    window.get_by_label("setting:rate");
    let karman = bundled("karman").open.unwrap();
    let suits = |name: &'static str, open: &Opened| tools::suits(Tool::named(name).unwrap(), open);
    assert!(suits("obstacle", &karman) && !suits("raise", &karman));
    let smoke = bundled("smoke-3d").open.unwrap();
    assert!(!suits("obstacle", &smoke) && suits("spring", &smoke) && !suits("drain", &smoke));
}

#[test]
fn shortcuts_call_their_commands_unless_somebody_is_typing() {
    let mut window = window([400.0, 900.0], Desk::default(), |ui, desk| {
        desk.commands.extend(help::pressed(ui.ctx()));
        help::show(ui);
        ui.text_edit_singleline(&mut desk.editor.text).accessible_name("line");
    });
    window.run_ok();
    window.key_press(Key::Space);
    window.step();
    window.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    window.step();
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_ok();
    assert_eq!(window.state().commands, [Command::PlayPause, Command::Redo, Command::Undo]);
    window.get_by_label("line").focus();
    window.run_ok();
    window.key_press(Key::Space);
    window.run_ok();
    assert_eq!(window.state().commands.len(), 3);
}

#[test]
fn exports_are_asked_for_and_stopped() {
    let desk = Desk { news: bundled("pond"), ..Desk::default() };
    let mut window = window([400.0, 400.0], desk, |ui, desk| {
        desk.export.show(ui, &desk.news, false, &mut desk.orders);
    });
    window.run_ok();
    window.get_by_label("export:ply").click();
    window.run_ok();
    window.get_by_label("export now").click();
    window.run_ok();
    let wanted = Export::Frame { format: String::from("ply"), to: "pond-000000-ply".into() };
    assert_eq!(window.state().orders, [Order::Export(wanted)]);
    window.state_mut().news.export = Some((String::from("frame 3"), 0.25));
    window.run_ok();
    window.get_by_label("stop export").click();
    window.run_ok();
    assert_eq!(window.state().orders.last(), Some(&Order::StopExport));
}

/// Every panel at once, below each other.
fn everything(ui: &mut Ui, desk: &mut Desk) {
    let open = desk.news.open.clone();
    transport::show(ui, &desk.news, &mut desk.orders);
    tools::show(ui, &mut desk.tool, &mut desk.settings, open.as_deref());
    views::show(ui, &mut desk.view, open.as_deref(), "left ");
    colours::show(
        ui,
        &mut ColourChoice { map: String::from("hsl"), ..Default::default() },
        FieldScale::Signed,
        "",
    );
    desk.export.show(ui, &desk.news, true, &mut desk.orders);
    for panel in 0..4 {
        ui.push_id(panel, |ui| {
            ui.set_max_height(420.0);
            match panel {
                0 => desk.knobs.show(ui, &desk.news, &mut desk.orders),
                1 => desk.plots.show(ui, &desk.news),
                2 => desk.editor.show(ui, &desk.news, &mut desk.orders),
                _ => {
                    desk.gallery.show(ui, &mut desk.orders);
                }
            }
        });
    }
}

#[test]
fn nothing_panics_without_news_and_nothing_leaves_a_small_screen() {
    let news = [News::default(), bundled("km-pool"), bundled("glass-of-water"), bundled("karman")];
    for (news, theme) in news.into_iter().zip([Theme::Dark, Theme::Light].into_iter().cycle()) {
        let runs = vec![run(); 2 * usize::from(news.open.is_some())];
        let desk = Desk { news: News { runs, ..news }, ..Desk::default() };
        let mut window = window([390.0, 3000.0], desk, everything);
        window.ctx.set_theme(theme);
        window.run_ok();
        let shown = on_screen(&window.ctx);
        assert!(shown.len() > 40);
        for widget in shown.iter().filter(|widget| widget.is_visible && widget.name != "scene text") {
            assert!(widget.rect.right() <= 391.0, "{widget:?}");
        }
    }
}
