//! The pane of every bundled scene shows what the scene's film shows.

use std::sync::Arc;

use egui::{Rect, pos2};
use undine::render::Picture;
use undine::render::colour::{decode, to_oklab};
use undine_gpu::Headless;

use super::*;
use crate::request::SceneSource;
use crate::session::Session;

/// Frames that are simulated before pane and film are compared.
const FRAMES: usize = 8;
/// Longer side of both pictures, in pixels.
const SIDE: f32 = 320.0;
/// Blocks along a row and a column in which colours are averaged before they are compared.
const BLOCKS: [usize; 2] = [16, 9];
/// Bound of the mean difference of the blocks in OKLab, a tenth of that between black and white: renderers differ in
/// shading, but not in what they show.
const BOUND: f32 = 0.1;
/// Bound of the difference of a single block: nothing of its size is missing or of another colour.
const BLOCK_BOUND: f32 = 0.3;

/// The picture of a pane that a scene has just been opened in, and the scene's own picture of the same frame.
fn pane_and_film(scene: &str, gpu: &mut Headless) -> (Picture, Arc<Picture>) {
    // Open the scene as the window does: the first frame comes before any display request
    let mut session = Session::new(None);
    session.handle(Request::Play(false));
    session.handle(Request::Open(SceneSource::Bundled(scene.to_owned())));
    let mut update = session.update();
    let opened = update.open.clone().expect("the scene opens");
    let default_view = Arc::new(DefaultView::new(&opened));
    let view = PaneView::default();
    let size = default_view.page_picture_size(SIDE);
    let rect = Rect::from_min_max(pos2(0.0, 0.0), pos2(size[0] as f32, size[1] as f32));
    let is_page = default_view.is_page(&view);
    let mut pane = Pane::default();
    let tools = ToolSettings::default();
    let place_camera = |pane: &mut Pane, update: &SessionUpdate| {
        let context = PaneContext {
            gpu: None,
            update,
            opened: &opened,
            default_view: &default_view,
            run: 0,
            view: &view,
            tool: Tool::default(),
            tools: &tools,
            resolution_scale: 1.0,
        };
        pane.place_camera(&update.frames[0], &context, is_page, rect);
        (
            pane.cpu_request(&context, is_page, size),
            pane.render_settings(&context, &update.frames[0], is_page, size),
        )
    };
    let (request, _) = place_camera(&mut pane, &update);
    // Then the pane requests what it shows
    let mut display = default_view.display_request(&view);
    let film_request = CpuRender { run: 0, size, eye: None };
    display.pictures = vec![film_request, request];
    session.handle(Request::Display(display));
    (0..FRAMES).for_each(|_| session.handle(Request::Step));
    update = session.update();
    let (request, settings) = place_camera(&mut pane, &update);
    let picture_of = |request: CpuRender| {
        let found = update.pictures.iter().find(|picture| picture.request == request);
        found.map(|found| found.picture.clone()).expect("the picture is rendered")
    };
    let film = picture_of(film_request);
    if default_view.needs_cpu(&view, &update.frames[0]) {
        return ((*picture_of(request)).clone(), film);
    }
    let settings = settings.expect("the camera is placed");
    (gpu.draw(&update.frames[0], &settings, size).expect("the GPU renders"), film)
}

/// Mean colour of each block, in OKLab.
fn block_colours(picture: &Picture) -> Vec<[f32; 3]> {
    let (width, height) = (picture.width as usize, picture.height as usize);
    let mut sums = vec![([0.0_f32; 3], 0.0_f32); BLOCKS[0] * BLOCKS[1]];
    for (index, rgb) in picture.rgb.chunks_exact(3).enumerate() {
        let (x, y) = (index % width, index / width);
        let (sum, count) = &mut sums[y * BLOCKS[1] / height * BLOCKS[0] + x * BLOCKS[0] / width];
        let lab = to_oklab([rgb[0], rgb[1], rgb[2]].map(|level| decode(f32::from(level) / 255.0)));
        *sum = std::array::from_fn(|channel| sum[channel] + lab[channel]);
        *count += 1.0;
    }
    sums.into_iter().map(|(sum, count)| sum.map(|channel| channel / count)).collect()
}

/// Differences of two pictures: the mean over the blocks, and the greatest.
fn difference(one: &Picture, other: &Picture) -> [f32; 2] {
    let (one, other) = (block_colours(one), block_colours(other));
    let distance = |one: &[f32; 3], other: &[f32; 3]| {
        (0..3).map(|channel| (one[channel] - other[channel]).powi(2)).sum::<f32>().sqrt()
    };
    let distances: Vec<f32> = one.iter().zip(&other).map(|(one, other)| distance(one, other)).collect();
    let worst = distances.iter().copied().max_by(f32::total_cmp).unwrap_or(f32::NAN);
    [distances.iter().sum::<f32>() / distances.len() as f32, worst]
}

fn is_same([mean, worst]: [f32; 2]) -> bool {
    mean <= BOUND && worst <= BLOCK_BOUND
}

/// Scenes whose panes are short of a bound, with what the GPU renderer shows otherwise. A test fails when one of them
/// reaches the bounds, too: it is removed from the list then.
const SHORT: &[(&str, &str)] = &[
    ("km-pool", "walls that cast no shadow into the pool: 0.32 in a block"),
    ("swimming-pool", "walls that cast no shadow into the pool: 0.32 in a block"),
];

/// Compares every second scene, so that two tests share the work.
fn compare_scenes(first: usize) {
    let mut gpu = Headless::new().expect("a graphics adapter, at least in software");
    let mut failures = Vec::new();
    for scene in undine::SCENES.iter().skip(first).step_by(2) {
        let (pane, film) = pane_and_film(scene.name, &mut gpu);
        let difference = difference(&pane, &film);
        let is_known = SHORT.iter().any(|(name, _)| *name == scene.name);
        if is_known && is_same(difference) {
            failures.push(format!("{}: {difference:?}, no longer short", scene.name));
        }
        if !is_known && !is_same(difference) {
            let folder = std::env::temp_dir();
            for (name, picture) in [("pane", &pane), ("film", &*film)] {
                let file = folder.join(format!("undine-{}-{name}.png", scene.name));
                let _ = undine::export::png::write_rgb8(&file, picture.width, picture.height, &picture.rgb);
            }
            failures.push(format!(
                "{}: {difference:?}; see undine-{0}-*.png in {}",
                scene.name,
                folder.display()
            ));
        }
    }
    assert!(failures.is_empty(), "panes that show something else than their film:\n{}", failures.join("\n"));
}

#[test]
fn panes_show_what_films_show() {
    compare_scenes(0);
}

#[test]
fn panes_of_the_other_scenes_show_what_their_films_show() {
    compare_scenes(1);
}

#[test]
fn a_page_that_is_framed_elsewhere_is_noticed() {
    let picture = |dark_columns: usize| Picture {
        width: 64,
        height: 36,
        rgb: (0..64 * 36).flat_map(|index| [if index % 64 < dark_columns { 20 } else { 220 }; 3]).collect(),
    };
    assert_eq!(difference(&picture(16), &picture(16)), [0.0; 2]);
    assert!(!is_same(difference(&picture(16), &picture(40))));
    // A single column of blocks is little on average
    let [mean, worst] = difference(&picture(16), &picture(20));
    assert!(mean <= BOUND && worst > BLOCK_BOUND);
}

#[test]
fn only_a_single_row_has_a_section() {
    let is_page = |scene: &str, show: PaneContent| {
        let mut session = Session::new(None);
        session.handle(Request::Open(SceneSource::Bundled(scene.to_owned())));
        let opened = session.update().open.expect("the scene opens");
        DefaultView::new(&opened).is_page(&PaneView { show, ..PaneView::default() })
    };
    assert!(is_page("km-hump", PaneContent::Section) && !is_page("km-hump", PaneContent::Best));
    assert!(!is_page("km-pool", PaneContent::Section));
}
