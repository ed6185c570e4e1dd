//! Liquids in a tank, and cuts through them: light fades with depth, edges are smooth, walls and bodies are where they
//! are, and strange input does no harm.

use std::f32::consts::{PI, TAU};

use glam::Vec3;
use undine_frame::{Attribute, Body, Cloud, CloudRole, Frame, Material, Mesh, Quantity, Raster, Triangles};
use undine_render::flat::{
    CellsLayer, ColourBy, FlatSpec, GridLayer, LayerContent, OutlineLayer, ParticleLayer, PictureLayer,
    WaterLayer,
};
use undine_render::preview::{LiquidSpec, PreviewSpec, TankKind, WaterLook};
use undine_render::{Camera, Daylight, Picture, PictureKind, PictureSpec, Pictures, draw};
use undine_scene::{LoadOptions, Scene, Timed};

/// A block between two corners, with two triangles to a side.
fn block(name: &str, material: Material, low: Vec3, high: Vec3) -> Mesh {
    let positions = (0..8).map(|index| [0, 1, 2].map(|axis: usize| [low, high][index >> axis & 1][axis]));
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    Mesh {
        name: name.into(),
        material,
        positions: positions.collect(),
        normals: Vec::new(),
        velocities: Vec::new(),
        uvs: Vec::new(),
        attributes: Vec::new(),
        triangles: Triangles::List(
            faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect(),
        ),
    }
}

/// A ball with smooth normals.
fn ball(name: &str, material: Material, centre: Vec3, radius: f32) -> Mesh {
    let (columns, rows) = (48u32, 24u32);
    let normal = |column: u32, row: u32| {
        let (turn, tilt) = (TAU * column as f32 / columns as f32, PI * row as f32 / rows as f32);
        Vec3::new(turn.cos() * tilt.sin(), turn.sin() * tilt.sin(), -tilt.cos())
    };
    let places = (0..=rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
    let normals: Vec<Vec3> = places.map(|(column, row)| normal(column, row)).collect();
    let vertex = |column: u32, row: u32| row * columns + column % columns;
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
    let triangles = cells.flat_map(|(column, row)| {
        let [a, b] = [vertex(column, row), vertex(column + 1, row)];
        let [c, d] = [vertex(column + 1, row + 1), vertex(column, row + 1)];
        [[a, b, c], [a, c, d]]
    });
    Mesh {
        positions: normals.iter().map(|normal| (centre + *normal * radius).to_array()).collect(),
        normals: normals.iter().map(|normal| normal.to_array()).collect(),
        triangles: Triangles::List(triangles.collect()),
        ..block(name, material, Vec3::ZERO, Vec3::ONE)
    }
}

fn frame(meshes: Vec<Mesh>) -> Frame {
    Frame { meshes, ..Frame::new(0, 0.0) }
}

/// A tank of two by one by one metres with so much water in it.
fn filled(depth: f32) -> Frame {
    frame(vec![block("water", Material::Water, Vec3::ZERO, Vec3::new(2.0, 1.0, depth))])
}

fn spec() -> PreviewSpec {
    let liquid =
        LiquidSpec { corners: Some([Vec3::ZERO, Vec3::new(2.0, 1.0, 1.0)]), ..LiquidSpec::default() };
    PreviewSpec { liquid, bloom: 0.0, ..PreviewSpec::default() }
}

fn preview(spec: PreviewSpec, camera: Camera, frame: &Frame) -> Picture {
    let kind = PictureKind::Preview(spec);
    draw(&PictureSpec { width: 160, height: 90, kind, camera, ..PictureSpec::default() }, frame).unwrap()
}

fn above() -> Camera {
    Camera {
        eye: Some(Vec3::new(1.0, 0.4, 6.0)),
        target: Some(Vec3::new(1.0, 0.5, 0.0)),
        ..Camera::default()
    }
}

fn brightness(picture: &Picture, x: u32, y: u32) -> u32 {
    picture.pixel(x, y).unwrap().iter().map(|&channel| u32::from(channel)).sum()
}

#[test]
fn deeper_water_is_darker_and_bluer() {
    let seen = |depth: f32| {
        let picture = preview(spec(), above(), &filled(depth));
        picture.pixel(80, 45).unwrap()
    };
    let colours = [0.05, 0.2, 0.5, 0.9].map(seen);
    for pair in colours.windows(2) {
        assert!(pair[1][0] < pair[0][0], "{colours:?}");
    }
    let [shallow, .., deep] = colours;
    assert!(deep[2] > deep[0] + 20 && shallow[2] < shallow[0] + 20, "{colours:?}");
}

#[test]
fn no_pixel_is_black_or_burnt_out_by_accident() {
    let mut frame = filled(0.5);
    frame.meshes.push(ball("water", Material::Water, Vec3::new(0.8, 0.5, 0.8), 0.12));
    for azimuth in [-150, -64, 10, 95] {
        let azimuth = format!("{azimuth}");
        let camera = camera(&format!("azimuth = {azimuth}"));
        let picture = preview(spec(), camera, &frame);
        let dark = picture.rgb.chunks(3).filter(|pixel| pixel.iter().all(|&channel| channel < 8)).count();
        assert_eq!(dark, 0, "from {azimuth}");
    }
}

fn camera(text: &str) -> Camera {
    let text = format!("[scene]\nduration = 1\n[camera]\n{text}\n");
    let scene = Scene::parse("tank", &text, &LoadOptions::default()).unwrap();
    Camera::read(&scene).unwrap()
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let mut frame = filled(0.4);
    frame.meshes.push(ball("water", Material::Water, Vec3::new(1.2, 0.5, 0.7), 0.15));
    let glass = ball("glass-ball", Material::Solid, Vec3::ZERO, 0.2);
    frame.bodies.push(Body {
        position: [0.5, 0.5, 0.4],
        rotation: [0.0, 0.0, 0.0, 1.0],
        ..Body::standing(0, glass)
    });
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| preview(spec(), Camera::default(), &frame))
    };
    assert_eq!(on(1), on(2));
    assert_eq!(on(1), on(7));
}

// The outline of a dark ball before a pale wall: between both there are pixels of neither.
#[test]
fn outlines_are_smooth() {
    let mut frame = filled(0.02);
    let shape = ball("ball", Material::Solid, Vec3::ZERO, 0.3);
    frame.bodies.push(Body {
        position: [1.0, 0.5, 0.6],
        rotation: [0.0, 0.0, 0.0, 1.0],
        ..Body::standing(0, shape)
    });
    let dark = PreviewSpec { solid: [0.01; 3], samples: 4, ..spec() };
    let dark = PreviewSpec { liquid: LiquidSpec { tank: TankKind::Bare, ..dark.liquid.clone() }, ..dark };
    let picture = preview(dark, Camera::default(), &frame);
    // Rows in which the ball is before the wall, not before the floor with its shadow.
    let lights: Vec<u32> = (20..44)
        .flat_map(|y| (0..160).map(move |x| (x, y)))
        .map(|(x, y)| brightness(&picture, x, y))
        .collect();
    let (least, most) = (*lights.iter().min().unwrap(), *lights.iter().max().unwrap());
    assert!(most > least + 300, "{least} to {most}");
    let between = lights.iter().filter(|&&light| light > least + 60 && light + 60 < most).count();
    assert!((16..=120).contains(&between), "{between} pixels between {least} and {most}");
}

#[test]
fn the_whole_tank_is_in_the_picture_by_default() {
    for size in [Vec3::new(2.0, 1.0, 1.0), Vec3::splat(0.1), Vec3::new(30.0, 5.0, 8.0)] {
        let low = Vec3::new(3.0, -1.0, 0.5);
        let full = frame(vec![block("water", Material::Water, low, low + size)]);
        let liquid = LiquidSpec { corners: Some([low, low + size]), ..LiquidSpec::default() };
        let kind = PictureKind::Preview(PreviewSpec { liquid, ..spec() });
        // Under a sun straight above no coloured light falls beside the tank.
        let daylight = Daylight { sun_elevation: Timed::constant(90.0), ..Daylight::default() };
        let wanted = PictureSpec { width: 160, height: 90, kind, daylight, ..PictureSpec::default() };
        let picture = draw(&wanted, &full).unwrap();
        let is_water = |x: u32, y: u32| picture.pixel(x, y).is_some_and(|[red, _, blue]| blue > red + 25);
        let rim = (0..160).flat_map(|x| [(x, 0), (x, 89)]).chain((0..90).flat_map(|y| [(0, y), (159, y)]));
        assert!(rim.into_iter().all(|(x, y)| !is_water(x, y)), "{size}");
        let count = (0..160 * 90).filter(|place| is_water(place % 160, place / 160)).count();
        assert!(count > 900, "{size}: {count} pixels");
    }
}

#[test]
fn colours_of_vertices_tint_the_water() {
    let mut dyed = filled(0.5);
    let colours = [[0.9, 0.2, 0.1]; 8].concat();
    dyed.meshes[0].attributes = vec![Attribute::new("colour", Quantity::Colour, 3, colours)];
    let [red, green, blue] = preview(spec(), above(), &dyed).pixel(80, 45).unwrap();
    assert!(red > green + 40 && red > blue + 40, "{red} {green} {blue}");
    let [red, green, blue] = preview(spec(), above(), &filled(0.5)).pixel(80, 45).unwrap();
    assert!(blue > red && green > red, "{red} {green} {blue}");
}

#[test]
fn honey_is_amber_and_hides_what_is_behind_it() {
    let jar = frame(vec![block("water", Material::Water, Vec3::ZERO, Vec3::splat(0.1))]);
    let liquid = LiquidSpec {
        corners: Some([Vec3::ZERO, Vec3::splat(0.1)]),
        fits_tank: false,
        ..LiquidSpec::default()
    };
    let look = WaterLook::named("honey").unwrap();
    let [red, green, blue] =
        preview(PreviewSpec { liquid, look, ..spec() }, Camera::default(), &jar).pixel(80, 50).unwrap();
    assert!(red > green + 15 && green > blue + 40, "{red} {green} {blue}");
}

// A body in the water is seen; one of glass is seen through.
#[test]
fn glass_is_clear_and_solids_are_not() {
    let seen = |name: &str| {
        let mut frame = filled(0.02);
        let shape = block(name, Material::Solid, Vec3::splat(-0.2), Vec3::splat(0.2));
        frame.bodies.push(Body {
            position: [1.0, 0.5, 0.5],
            rotation: [0.0, 0.0, 0.0, 1.0],
            ..Body::standing(0, shape)
        });
        let black = PreviewSpec { solid: [0.0; 3], ..spec() };
        brightness(&preview(black, Camera::default(), &frame), 80, 45)
    };
    assert!(seen("my-glass") > seen("stone") + 150, "{} and {}", seen("my-glass"), seen("stone"));
}

// The bottom of the water lies on the slab: no film of air mirrors there, and the slab is seen through it.
#[test]
fn water_wets_the_floor_and_bodies() {
    let look = WaterLook { absorption: Vec3::ZERO, scattering: Vec3::ZERO };
    let clear = PreviewSpec { look, ..spec() };
    let clear = PreviewSpec { liquid: LiquidSpec { fits_tank: false, ..clear.liquid.clone() }, ..clear };
    let low = camera("elevation = 35");
    let wet = preview(clear.clone(), low.clone(), &filled(0.5));
    let dry = preview(
        clear,
        low,
        &frame(vec![block("water", Material::Water, Vec3::splat(-9.0), Vec3::splat(-8.0))]),
    );
    let (wet, dry) = (brightness(&wet, 80, 58), brightness(&dry, 80, 58));
    assert!(wet.abs_diff(dry) < 170, "{wet} against {dry}");
}

#[test]
fn particles_of_a_liquid_are_drawn_only_when_asked_for() {
    let mut frame = filled(0.4);
    let bare = preview(spec(), Camera::default(), &frame);
    let positions: Vec<[f32; 3]> = (0..200).map(|index| [0.1 + 0.009 * index as f32, 0.5, 0.7]).collect();
    let velocities = (0..200).map(|index| [index as f32, 0.0, 0.0]).collect();
    frame.clouds.push(Cloud {
        role: CloudRole::Liquid,
        positions,
        velocities,
        radius: 0.02,
        ..Cloud::default()
    });
    assert_eq!(preview(spec(), Camera::default(), &frame), bare);
    let dots = ParticleLayer { by: ColourBy::Speed, ..ParticleLayer::default() };
    let layers = vec![
        PictureLayer::new(LayerContent::Particles(dots)),
        PictureLayer::new(LayerContent::Grid(GridLayer::default())),
    ];
    let shown = PreviewSpec { liquid: LiquidSpec { layers, ..spec().liquid }, ..spec() };
    let picture = preview(shown, Camera::default(), &frame);
    let is_dark = |pixel: &[u8]| pixel.iter().any(|&channel| channel < 90);
    assert!(picture.rgb.chunks(3).filter(|pixel| is_dark(pixel)).count() > 30);
    assert_ne!(picture, bare);
}

#[test]
fn strange_meshes_do_no_harm() {
    let mut broken = filled(0.5);
    broken.meshes[0].positions[3] = [f32::NAN, 0.0, 1.0];
    broken.meshes[0].positions[5] = [f32::INFINITY, 0.0, 1.0];
    preview(spec(), Camera::default(), &broken);
    let empty = Mesh {
        triangles: Triangles::List(Vec::new()),
        ..block("water", Material::Water, Vec3::ZERO, Vec3::ONE)
    };
    preview(PreviewSpec::default(), Camera::default(), &frame(vec![empty.clone()]));
    let nothing = Mesh { positions: Vec::new(), ..empty };
    preview(PreviewSpec::default(), Camera::default(), &frame(vec![nothing]));
    let flat = block("water", Material::Water, Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0));
    preview(PreviewSpec::default(), Camera::default(), &frame(vec![flat]));
    let inside = camera("eye = [1, 0.5, 0.2]\ntarget = [0, 0.5, 0.2]");
    preview(spec(), inside, &filled(0.5));
}

/// A pool of a depth with a hump in the middle of a box of two by one metres, a disc in it, and its particles.
fn pool(depth: f64) -> Frame {
    let (size, cell) = ([128u32, 64], 1.0 / 64.0);
    let field = |quantity: Quantity, size: [u32; 2], shift: f64, value: &dyn Fn(f64, f64) -> f64| Raster {
        name: quantity.name().into(),
        water: 0,
        unit: "m".into(),
        quantity,
        size: [size[0], size[1], 1],
        components: 1,
        origin: [shift * cell, shift * cell, 0.0],
        spacing: [cell; 3],
        values: (0..size[0] * size[1])
            .map(|at| [at % size[0], at / size[0]].map(|along| (f64::from(along) + shift) * cell))
            .map(|[x, y]| value(x, y) as f32)
            .collect(),
    };
    let surface = |_: f64, y: f64| (y - depth).clamp(-3.0 * cell, 3.0 * cell);
    let disc = |x: f64, y: f64| (x - 0.5).hypot(y - 0.2) - 0.1;
    let mut frame = Frame::new(0, 0.0);
    frame.fields.push(field(Quantity::SurfaceDistance, size, 0.5, &surface));
    frame.fields.push(field(Quantity::SolidDistance, [129, 65], 0.0, &disc));
    frame
}

fn cut(show: Vec<LayerContent>, frame: &Frame) -> Picture {
    let layers = show.into_iter().map(PictureLayer::new).collect();
    let spec = FlatSpec { layers, background: [0.0; 3], ..FlatSpec::default() };
    let kind = PictureKind::Flat(spec);
    draw(&PictureSpec { width: 400, height: 200, kind, ..PictureSpec::default() }, frame).unwrap()
}

#[test]
fn a_cut_is_filled_to_its_surface_and_darkens_below_it() {
    let picture = cut(vec![LayerContent::Water(WaterLayer::default())], &pool(0.5));
    let at = |y: u32| brightness(&picture, 300, y);
    assert_eq!(at(80), 0, "air");
    assert!(
        at(102) > at(120) && at(120) > at(150) && at(150) > at(190),
        "{:?}",
        [102, 120, 150, 190].map(at)
    );
    assert!(at(190) > 60);
    // The edge lies at a height of half a metre, one pixel wide.
    assert!(at(98) < 30 && at(101) > 450, "{:?}", [97, 98, 99, 100, 101].map(at));
}

#[test]
fn an_outline_is_as_thick_as_asked_and_bodies_have_none() {
    let outline = OutlineLayer { thickness: 4.0, ..OutlineLayer::default() };
    let picture = cut(vec![LayerContent::Outline(outline)], &pool(0.5));
    let column = |x: u32| (0..200).map(|y| f64::from(brightness(&picture, x, y)) / 765.0).sum::<f64>();
    assert!((column(300) - 4.0).abs() < 0.8, "{}", column(300));
    assert_eq!(brightness(&picture, 100, 140), 0, "beside the disc there is no surface");
}

#[test]
fn cells_are_told_apart() {
    let picture = cut(vec![LayerContent::Cells(CellsLayer::default())], &pool(0.5));
    let at = |x: f64, y: f64| picture.pixel((200.0 * x) as u32, (200.0 - 200.0 * y) as u32).unwrap();
    let (empty, surface, full, solid) = (at(1.5, 0.8), at(1.5, 0.495), at(1.5, 0.2), at(0.5, 0.2));
    assert_eq!(empty, [0; 3]);
    assert!(surface != full && full != solid && surface != solid && full != empty);
    let mut lone = pool(0.5);
    lone.clouds.push(Cloud { positions: vec![[1.5, 0.8, 0.0]], radius: 0.01, ..Cloud::default() });
    let picture = cut(vec![LayerContent::Cells(CellsLayer::default())], &lone);
    assert_eq!(picture.pixel(300, 39), Some(surface), "a particle wets its cell");
}

#[test]
fn the_grid_has_a_line_at_every_border() {
    let coarse = Raster {
        size: [4, 2, 1],
        spacing: [0.5; 3],
        origin: [0.25, 0.25, 0.0],
        values: vec![1.0; 8].into(),
        ..pool(0.5).fields[0].clone()
    };
    let frame = Frame { fields: vec![coarse], ..Frame::new(0, 0.0) };
    let look = GridLayer { thickness: 2.0, colour: [1.0; 3], ..GridLayer::default() };
    let picture = cut(vec![LayerContent::Grid(look)], &frame);
    let lit = (0..400).filter(|&x| brightness(&picture, x, 50) > 600).count();
    assert!((7..=9).contains(&lit), "{lit} columns");
}

#[test]
fn dyed_particles_colour_the_cut() {
    let mut dyed = pool(0.5);
    let positions: Vec<[f32; 3]> =
        (0..4000).map(|index| [(index % 100) as f32 * 0.02, (index / 100) as f32 * 0.0125, 0.0]).collect();
    let colours: Vec<f32> =
        positions.iter().flat_map(|at| if at[0] < 1.0 { [1.0, 0.2, 0.1] } else { [0.1, 0.9, 0.2] }).collect();
    let attributes = vec![Attribute::new("colour", Quantity::Colour, 3, colours)];
    dyed.clouds.push(Cloud { positions: positions.clone(), radius: 0.01, attributes, ..Cloud::default() });
    let picture = cut(vec![LayerContent::Water(WaterLayer::default())], &dyed);
    let [red, green, _] = picture.pixel(80, 150).unwrap();
    assert!(red > green + 50, "{red} {green}");
    let [red, green, _] = picture.pixel(330, 150).unwrap();
    assert!(green > red + 50, "{red} {green}");
}

#[test]
fn a_flat_picture_of_a_liquid_shows_its_water_by_itself() {
    let spec = FlatSpec { background: [0.0; 3], ..FlatSpec::default() };
    let kind = PictureKind::Flat(spec);
    let picture =
        draw(&PictureSpec { width: 400, height: 200, kind, ..PictureSpec::default() }, &pool(0.5)).unwrap();
    let [red, _, blue] = picture.pixel(300, 180).unwrap();
    assert!(blue > red + 40 && brightness(&picture, 300, 40) == 0);
    let [red, green, blue] = picture.pixel(100, 160).unwrap();
    assert!(red.abs_diff(blue) < 30 && green > 20, "the disc is grey");
}

#[test]
fn views_are_asked_for_by_the_same_names_in_all_kinds() {
    let words = ["grid", "solid", "particles", "vectors", "outline", "water"];
    let layers: String = words.map(|word| format!("{{ show = '{word}' }}, ")).concat();
    for kind in ["preview", "trace", "flat"] {
        let text = format!("[scene]\nduration = 1\n[[picture]]\nkind = '{kind}'\nlayer = [{layers}]\n");
        let scene = Scene::parse("tank", &text, &LoadOptions::default()).unwrap();
        let picture = &Pictures::read(&scene).unwrap()[0];
        let count = match &picture.kind {
            PictureKind::Preview(preview) => preview.liquid.layers.len(),
            PictureKind::Trace(trace) => trace.scene.liquid.layers.len(),
            PictureKind::Flat(flat) => flat.layers.len(),
            PictureKind::Classic(_) | PictureKind::Plot(_) => 0,
        };
        assert_eq!(count, words.len(), "{kind}");
    }
    let text = "[scene]\nduration = 1\n[[picture]]\nlayer = [{ show = 'dye' }]\n[[picture]]\ntank_low = [0, 0, 0]\n\
                [[picture]]\ntank_low = [0, 0, 0]\ntank_high = [1, 1, 0]\n";
    let scene = Scene::parse("tank", text, &LoadOptions::default()).unwrap();
    assert_eq!(Pictures::read(&scene).unwrap_err().len(), 3);
}
