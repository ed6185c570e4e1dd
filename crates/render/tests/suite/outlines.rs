//! Outlines of 2-D liquids: as lines on a page, as cells, as markers, and as bodies of revolution in space.

use undine_frame::{
    CellKind, Cloud, CloudRole, Curves, Frame, FrameRequest, Quantity, Raster, Surface, SurfaceRole,
    SurfaceShape,
};
use undine_render::flat::{CellsLayer, FlatSpec, LayerContent, OutlineLayer, PictureLayer, WaterLayer};
use undine_render::{Picture, PictureKind, PictureSpec, Pictures, draw};
use undine_scene::{LoadOptions, Scene};
use undine_surface::{Tessellation, tessellate};

/// A box of 2 m × 1 m, on a page of 400 × 200 pixels.
const BOUNDS: [[f64; 2]; 2] = [[0.0; 2], [2.0, 1.0]];

fn raster(quantity: Quantity, size: [u32; 2], value: impl Fn(f64, f64) -> f32) -> Raster {
    let spacing = 2.0 / f64::from(size[0]);
    let at = |n: u32| [n % size[0], n / size[0]].map(|cell| (f64::from(cell) + 0.5) * spacing);
    Raster {
        name: quantity.name().into(),
        quantity,
        size: [size[0], size[1], 1],
        components: 1,
        origin: [0.5 * spacing; 3],
        spacing: [spacing; 3],
        values: (0..size[0] * size[1]).map(|n| value(at(n)[0], at(n)[1])).collect(),
        ..Raster::default()
    }
}

/// Water up to the height `level`, and its outline.
fn pool(level: f32) -> Frame {
    let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, level], [0.0, level]];
    let surface = Surface {
        name: "pool".into(),
        water: 0,
        role: SurfaceRole::Water,
        shape: SurfaceShape::Curve(Curves::new([outline], BOUNDS, 0.05)),
        attributes: Vec::new(),
    };
    let level = f64::from(level);
    let kind = |y: f64| match y - level {
        above if above > 0.0 => CellKind::Empty,
        above if above > -0.05 => CellKind::Surface,
        _ => CellKind::Full,
    };
    let mut frame = Frame { surfaces: vec![surface], ..Frame::new(0, 0.0) };
    frame.fields = vec![
        raster(Quantity::CellKind, [40, 20], |x, y| {
            let kind = if x < 0.1 {
                CellKind::Inflow
            } else if x > 1.9 {
                CellKind::Outflow
            } else {
                kind(y)
            };
            f32::from(kind.code())
        }),
        raster(Quantity::SurfaceDistance, [160, 80], |_, y| ((y - level) as f32).clamp(-0.15, 0.15)),
    ];
    frame
}

fn page(layers: Vec<LayerContent>, frame: &Frame) -> Picture {
    let layers = layers.into_iter().map(PictureLayer::new).collect();
    let spec = FlatSpec { layers, background: [0.0; 3], ..FlatSpec::default() };
    let kind = PictureKind::Flat(spec);
    draw(&PictureSpec { width: 400, height: 200, kind, ..PictureSpec::default() }, frame).unwrap()
}

fn at(picture: &Picture, x: f64, y: f64) -> [u8; 3] {
    picture.pixel((200.0 * x) as u32, (200.0 - 200.0 * y) as u32).unwrap()
}

fn brightness(picture: &Picture, x: u32, y: u32) -> f64 {
    f64::from(picture.pixel(x, y).unwrap().iter().map(|&channel| u32::from(channel)).sum::<u32>()) / 765.0
}

#[test]
fn an_outline_is_drawn_where_the_curve_is_and_as_thick_as_asked() {
    // The field says something else, and is not asked
    let mut frame = pool(0.5);
    frame.fields[1] = raster(Quantity::SurfaceDistance, [160, 80], |_, y| (y - 0.8) as f32);
    let outline = OutlineLayer { thickness: 4.0, ..OutlineLayer::default() };
    let picture = page(vec![LayerContent::Outline(outline.clone())], &frame);
    let column: f64 = (20..180).map(|y| brightness(&picture, 200, y)).sum();
    assert!((column - 4.0).abs() < 0.3, "{column}");
    assert!(brightness(&picture, 200, 99) > 0.99 && brightness(&picture, 200, 40) == 0.0);
    // Along the wall half of it lies on the page
    assert!(brightness(&picture, 0, 150) > 0.9 && brightness(&picture, 0, 50) == 0.0);
    // Without outlines it is that of the field
    frame.surfaces.clear();
    let picture = page(vec![LayerContent::Outline(outline)], &frame);
    assert!(brightness(&picture, 200, 99) == 0.0 && brightness(&picture, 200, 40) > 0.9);
}

#[test]
fn a_picture_of_an_outline_asks_for_it() {
    let read = |layer: &str| {
        let text =
            format!("[scene]\nduration = 1\n[[picture]]\nkind = 'flat'\nlayer = [{{ show = '{layer}' }}]");
        Pictures::read(&Scene::parse("pool", &text, &LoadOptions::default()).unwrap()).unwrap().remove(0)
    };
    assert!(read("outline").request().surfaces);
    assert!(!read("water").request().surfaces);
}

#[test]
fn water_fills_the_inside() {
    let picture = page(vec![LayerContent::Water(WaterLayer::default())], &pool(0.5));
    assert_eq!(at(&picture, 1.0, 0.55), [0; 3]);
    let [_, green, blue] = at(&picture, 1.0, 0.3);
    assert!(blue > green && blue > 80, "{green} {blue}");
}

#[test]
fn cells_are_those_of_the_solver_where_the_distance_is_finer() {
    let picture = page(vec![LayerContent::Cells(CellsLayer::default())], &pool(0.5));
    let places = [(1.0, 0.7), (1.0, 0.47), (1.0, 0.2), (0.05, 0.5), (1.95, 0.5)];
    let colours = places.map(|(x, y)| at(&picture, x, y));
    assert_eq!(colours[0], [0; 3], "empty");
    for (i, colour) in colours.iter().enumerate() {
        assert!(!colours[..i].contains(colour), "{colours:?}");
    }
    // One colour all over a cell, five hundredths of a metre high
    assert_eq!(at(&picture, 1.0, 0.495), at(&picture, 1.0, 0.455));
}

#[test]
fn markers_without_a_surface_are_shown_in_their_cells() {
    let mut frame = pool(0.5);
    frame.fields.truncate(1);
    frame.surfaces.clear();
    let marker =
        Cloud { role: CloudRole::Marker, positions: vec![[1.0, 0.3, 0.0]], radius: 0.02, ..Cloud::default() };
    frame.clouds.push(marker);
    let picture = page(Vec::new(), &frame);
    assert_eq!(at(&picture, 1.0, 0.3), [255; 3]);
    let full = page(vec![LayerContent::Cells(CellsLayer::default())], &frame);
    assert_eq!(at(&picture, 1.0, 0.2), at(&full, 1.0, 0.2));
}

#[test]
fn a_frame_of_outlines_alone_has_no_page_but_says_why() {
    let mut frame = pool(0.5);
    frame.fields.clear();
    let spec = PictureSpec { kind: PictureKind::Flat(FlatSpec::default()), ..PictureSpec::default() };
    assert!(draw(&spec, &frame).unwrap_err().to_string().contains("no fields"));
}

/// A preview of a frame whose outlines are revolved.
fn preview(frame: &Frame) -> Picture {
    let text = "[scene]\nduration = 1\n[camera]\nelevation = 20\n[[surface]]\nrevolve = true\n\
                [[picture]]\nkind = 'preview'\ntank = 'none'\nsize = [160, 90]\nsamples = 1\n";
    let scene = Scene::parse("pool", text, &LoadOptions::default()).unwrap();
    let mut frame = frame.clone();
    let request = FrameRequest { meshes: true, liquid_meshes: true, ..FrameRequest::default() };
    tessellate(&mut frame, &request, &Tessellation::read(&scene).unwrap());
    draw(&Pictures::read(&scene).unwrap()[0], &frame).unwrap()
}

#[test]
fn a_revolved_outline_is_a_liquid_in_the_box_of_its_domain() {
    let [low, high] = [preview(&pool(0.2)), preview(&pool(0.7))];
    // The body is in the middle, and the camera does not move with its level
    let apart = |x: u32, y: u32| {
        let [one, other] = [&low, &high].map(|picture| picture.pixel(x, y).unwrap());
        (0..3).map(|channel| one[channel].abs_diff(other[channel])).max().unwrap()
    };
    assert!(apart(80, 30) > 20, "the higher level covers what was behind the lower one");
    assert!((0..160).step_by(8).all(|x| apart(x, 0) < 4), "the backdrop stays where it was");
}
