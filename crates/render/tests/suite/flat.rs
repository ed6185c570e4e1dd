//! Flat pictures: what their layers show, and what strange fields do to them.

use undine_frame::{Attribute, Cloud, FieldRequest, Frame, Quantity, Raster};
use undine_render::flat::{
    ArrowLayer, Blend, DyeLayer, FieldLayer, FlatSpec, GlowLayer, ImageLayer, InkKind, LayerContent,
    MetaballLayer, ParticleLayer, PictureLayer, ReliefLayer, RgbaImage, Seeding, SolidLayer, StreamlineLayer,
};
use undine_render::plots::{ColourMap, MapChoice};
use undine_render::{DrawError, Picture, PictureKind, PictureSpec, Pictures, colour, draw};
use undine_scene::{LoadOptions, Scene, SceneErrors};

/// A field over a box of 2 m × 1 m, by its values at the middles of cells.
fn field(name: &str, quantity: Quantity, components: u32, value: impl Fn(f64, f64) -> Vec<f32>) -> Raster {
    let size = [64, 32, 1];
    let spacing = 1.0 / 32.0;
    let place = |cell: u32| ((cell % 64) as f64 + 0.5, (cell / 64) as f64 + 0.5);
    let values = (0..64 * 32).map(place).flat_map(|(x, y)| value(x * spacing, y * spacing));
    Raster {
        name: name.into(),
        unit: String::new(),
        quantity,
        water: 0,
        size,
        components,
        origin: [0.5 * spacing; 3],
        spacing: [spacing; 3],
        values: values.collect(),
    }
}

/// A fluid that turns about the middle of its box, with a disc in the west.
fn fluid() -> Frame {
    let mut frame = Frame::new(0, 0.0);
    frame.fields = vec![
        field("velocity", Quantity::Velocity, 2, |x, y| vec![(0.5 - y) as f32, (x - 1.0) as f32]),
        field("speed", Quantity::Speed, 1, |x, y| vec![(0.5 - y).hypot(x - 1.0) as f32]),
        field("vorticity", Quantity::Vorticity, 1, |x, _| vec![(4.0 * (x - 1.0)) as f32]),
        field("dye", Quantity::Dye, 3, |x, _| vec![if x < 1.0 { 1.0 } else { 0.0 }, 0.0, 0.2]),
        field("solids", Quantity::SolidDistance, 1, |x, y| vec![((x - 0.4).hypot(y - 0.5) - 0.2) as f32]),
    ];
    let mass = Attribute::new("mass", Quantity::Mass, 1, vec![1.0, 0.25]);
    frame.clouds.push(Cloud {
        positions: vec![[1.2, 0.5, 0.0], [1.7, 0.5, 0.0]],
        velocities: vec![[0.0, 1.0, 0.0], [0.0; 3]],
        radius: 0.02,
        attributes: vec![mass],
        ..Cloud::default()
    });
    frame
}

fn flat(spec: FlatSpec, width: u32, height: u32, frame: &Frame) -> Result<Picture, DrawError> {
    draw(&PictureSpec { width, height, kind: PictureKind::Flat(spec), ..PictureSpec::default() }, frame)
}

/// One layer of the fluid on black, 400 × 200, so that a metre is 200 pixels.
fn one(show: LayerContent) -> Picture {
    let spec =
        FlatSpec { layers: vec![PictureLayer::new(show)], background: [0.0; 3], ..FlatSpec::default() };
    flat(spec, 400, 200, &fluid()).unwrap()
}

/// The pixel at a place of the box in metres.
fn at(picture: &Picture, x: f64, y: f64) -> [u8; 3] {
    picture.pixel((x * 200.0) as u32, (200.0 - y * 200.0) as u32).unwrap()
}

fn light(pixel: [u8; 3]) -> u32 {
    pixel.iter().map(|&channel| u32::from(channel)).sum()
}

fn lit_pixels(picture: &Picture) -> usize {
    picture.rgb.chunks(3).filter(|pixel| pixel.iter().any(|&channel| channel > 100)).count()
}

fn white_field(name: &str, fade: f32) -> FieldLayer {
    FieldLayer { map: MapChoice::One([1.0; 3]), fade, ..FieldLayer::of(name) }
}

fn everything() -> Vec<PictureLayer> {
    let image = RgbaImage::from_pixels(2, [[1.0, 0.0, 0.0, 0.5], [0.0, 1.0, 0.0, 1.0]].into_iter());
    let shows = vec![
        LayerContent::Field(FieldLayer { fade: 0.5, ..FieldLayer::of("speed") }),
        LayerContent::Field(FieldLayer { is_log: true, ..FieldLayer::of("speed") }),
        LayerContent::Dye(DyeLayer::default()),
        LayerContent::Dye(DyeLayer { ink: InkKind::Paper, ..DyeLayer::default() }),
        LayerContent::Relief(ReliefLayer::default()),
        LayerContent::Vectors(ArrowLayer::default()),
        LayerContent::Streamlines(StreamlineLayer { colour: None, ..StreamlineLayer::default() }),
        LayerContent::Streamlines(StreamlineLayer {
            seeding: Seeding::Lattice,
            ..StreamlineLayer::default()
        }),
        LayerContent::Particles(ParticleLayer { streak: 0.2, softness: 0.5, ..ParticleLayer::default() }),
        LayerContent::Metaballs(MetaballLayer::default()),
        LayerContent::Solid(SolidLayer::default()),
        LayerContent::Picture(ImageLayer { image, over: Default::default() }),
        LayerContent::Glow(GlowLayer::default()),
    ];
    shows.into_iter().map(|show| PictureLayer { opacity: 0.8, ..PictureLayer::new(show) }).collect()
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let spec = FlatSpec { layers: everything(), margin: 0.035, ..FlatSpec::default() };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| flat(spec.clone(), 320, 200, &fluid())).unwrap()
    };
    assert_eq!(on(1), on(2));
    assert_eq!(on(1), on(7));
}

#[test]
fn the_box_fills_the_page_and_keeps_its_shape() {
    let layers = vec![PictureLayer::new(LayerContent::Field(white_field("speed", 0.0)))];
    let spec = FlatSpec { layers, margin: 20.0 / 300.0, background: [0.0; 3], ..FlatSpec::default() };
    let picture = flat(spec, 300, 300, &fluid()).unwrap();
    assert_eq!(lit_pixels(&picture), 260 * 130);
    assert_eq!((picture.pixel(20, 85), picture.pixel(19, 150)), (Some([255; 3]), Some([0; 3])));
    assert_eq!((picture.pixel(279, 214), picture.pixel(280, 150)), (Some([255; 3]), Some([0; 3])));
}

#[test]
fn fields_have_the_colours_of_their_map_and_fade_with_their_value() {
    let map = ColourMap::named("ice").unwrap();
    let ice = FieldLayer {
        map: MapChoice::Named("ice".into()),
        limits: Some([-4.0, 4.0]),
        ..FieldLayer::of("vorticity")
    };
    let picture = one(LayerContent::Field(ice));
    for x in [0.2, 1.0, 1.7] {
        let wanted = colour::to_bytes(map.colour((x / 2.0) as f32));
        let found = at(&picture, x, 0.5);
        assert!(
            (0..3).all(|channel| wanted[channel].abs_diff(found[channel]) < 4),
            "{x}: {found:?}, not {wanted:?}"
        );
    }
    let faded = one(LayerContent::Field(white_field("speed", 1.0)));
    assert_eq!(at(&faded, 1.0, 0.5), [0; 3], "clear in the middle, where it stands still");
    let outwards: Vec<u32> = (0..9).map(|step| light(at(&faded, 1.0 + 0.1 * f64::from(step), 0.5))).collect();
    assert!(outwards.windows(2).all(|pair| pair[0] < pair[1]), "{outwards:?}");
}

#[test]
fn dye_glows_or_lies_on_paper() {
    let glow = one(LayerContent::Dye(DyeLayer::default()));
    assert!(at(&glow, 0.5, 0.5)[0] > 200 && at(&glow, 1.5, 0.5)[0] < 5);
    let paper = one(LayerContent::Dye(DyeLayer { ink: InkKind::Paper, ..DyeLayer::default() }));
    let (red, pale) = (at(&paper, 0.5, 0.5), at(&paper, 1.5, 0.5));
    assert!(red[0] > 2 * red[1] && light(pale) > light(red), "{red:?} {pale:?}");
    // Between samples it is smooth: no step is as large as that between two cells.
    let row: Vec<u8> = (150..250).map(|x| glow.pixel(x, 100).unwrap()[0]).collect();
    let step = row.windows(2).map(|pair| pair[0].abs_diff(pair[1])).max().unwrap();
    assert!(step < 100, "{step}");
}

#[test]
fn arrows_point_along_the_field() {
    // One arrow each right and left of the middle: the flow turns against the clock, so they point up and down.
    let arrows = ArrowLayer { spacing: 60.0, thickness: 3.0, ..ArrowLayer::default() };
    let picture = one(LayerContent::Vectors(arrows));
    let half = |columns: std::ops::Range<u32>| {
        // A head is wider than a shaft: the heavier end of each column of arrows is where they point.
        let count = |rows: std::ops::Range<u32>| {
            let pixels = rows.flat_map(|y| columns.clone().map(move |x| [x, y]));
            pixels.filter(|&[x, y]| light(picture.pixel(x, y).unwrap()) > 300).count()
        };
        (count(67..100), count(100..133))
    };
    let (above, below) = half(340..400);
    assert!(above > below, "up in the east: {above} {below}");
    let (above, below) = half(0..60);
    assert!(above < below, "down in the west: {above} {below}");
}

#[test]
fn streamlines_go_around_and_spare_obstacles() {
    for seeding in [Seeding::Even, Seeding::Lattice] {
        let picture = one(LayerContent::Streamlines(StreamlineLayer {
            seeding,
            spacing: 10.0,
            ..StreamlineLayer::default()
        }));
        let share = lit_pixels(&picture) as f32 / (400.0 * 200.0);
        assert!((0.03..0.4).contains(&share), "{share}");
        for turn in 0..16 {
            let angle = f64::from(turn) * std::f64::consts::FRAC_PI_8;
            let inside = at(&picture, 0.4 + 0.17 * angle.cos(), 0.5 + 0.17 * angle.sin());
            assert_eq!(inside, [0; 3], "no line enters the disc");
        }
    }
}

#[test]
fn particles_are_dots_and_streaks_where_they_are() {
    let dots = one(LayerContent::Particles(ParticleLayer::default()));
    assert_eq!(
        (at(&dots, 1.2, 0.5), at(&dots, 1.7, 0.5), at(&dots, 1.45, 0.5)),
        ([255; 3], [255; 3], [0; 3])
    );
    assert!((lit_pixels(&dots) as f32 / (2.0 * 50.3) - 1.0).abs() < 0.25);
    let streaks = one(LayerContent::Particles(ParticleLayer { streak: 0.2, ..ParticleLayer::default() }));
    assert!(
        light(at(&streaks, 1.2, 0.4)) > 0 && light(at(&streaks, 1.2, 0.6)) == 0,
        "the streak is behind it"
    );
}

#[test]
fn metaballs_shrink_with_their_mass_and_have_soft_edges() {
    let balls = |softness| MetaballLayer {
        radius: Some(0.1),
        softness,
        map: MapChoice::One([1.0; 3]),
        ..MetaballLayer::default()
    };
    let crisp = one(LayerContent::Metaballs(balls(0.0)));
    let width =
        |from: u32, to: u32| (from..to).filter(|&x| light(crisp.pixel(x, 100).unwrap()) > 380).count();
    let (whole, quarter) = (width(180, 300), width(300, 380));
    assert!((37..=41).contains(&whole) && (18..=21).contains(&quarter), "{whole} {quarter}");
    let soft = one(LayerContent::Metaballs(balls(1.0)));
    let grey =
        |picture: &Picture| picture.rgb.chunks(3).filter(|pixel| (20..235).contains(&pixel[0])).count();
    assert!(grey(&soft) > 5 * grey(&crisp));
}

#[test]
fn a_relief_is_brighter_towards_its_lamp_and_level_where_it_is_level() {
    let grey = PictureLayer::new(LayerContent::Field(FieldLayer {
        map: MapChoice::One(colour::from_hex(0x7c7c7c)),
        ..FieldLayer::of("speed")
    }));
    let relief = |depth: f32| {
        let relief = ReliefLayer { field: "speed".into(), depth, gloss: 0.0, ..ReliefLayer::default() };
        let layers = vec![grey.clone(), PictureLayer::new(LayerContent::Relief(relief))];
        flat(FlatSpec { layers, ..FlatSpec::default() }, 400, 200, &fluid()).unwrap()
    };
    let flat_grey = light(at(&relief(0.0), 1.3, 0.5));
    assert_eq!(flat_grey, 3 * 0x7c);
    // Speed is a funnel about the middle. The lamp stands in the north-west, so the south-eastern slope faces it.
    let picture = relief(0.3);
    assert!(light(at(&picture, 1.2, 0.3)) > flat_grey && light(at(&picture, 0.8, 0.7)) < flat_grey);
}

#[test]
fn solids_have_a_crisp_edge_and_can_be_cut_out() {
    let plain = SolidLayer { rim: 0.0, shadow: 0.0, colour: [1.0; 3], ..SolidLayer::default() };
    let picture = one(LayerContent::Solid(plain.clone()));
    let area = lit_pixels(&picture) as f32;
    assert!((area / (std::f32::consts::PI * 40.0 * 40.0) - 1.0).abs() < 0.02, "{area}");
    let background = [0.0, 0.5, 0.0];
    let layers = vec![
        PictureLayer::new(LayerContent::Field(white_field("speed", 0.0))),
        PictureLayer::new(LayerContent::Solid(SolidLayer { is_cut: true, ..plain.clone() })),
    ];
    let cut = flat(FlatSpec { layers, background, ..FlatSpec::default() }, 400, 200, &fluid()).unwrap();
    assert_eq!(at(&cut, 0.4, 0.5), colour::to_bytes(background));
    assert_eq!(at(&cut, 1.5, 0.5), [255; 3]);
    // Behind a wall of 20 pixels the disc is open.
    let cup = SolidLayer { wall: Some(0.1), ..plain.clone() };
    let layers = vec![
        PictureLayer::new(LayerContent::Field(white_field("speed", 0.0))),
        PictureLayer::new(LayerContent::Solid(cup)),
    ];
    let cup = flat(FlatSpec { layers, background, ..FlatSpec::default() }, 400, 200, &fluid()).unwrap();
    assert_eq!((at(&cup, 0.4, 0.5), at(&cup, 0.4, 0.63)), (colour::to_bytes(background), [255; 3]));
    // Cells that are solid do nearly as well as distances.
    let mut frame = fluid();
    frame.fields.pop();
    let inside = |x: f64, y: f64| (x - 0.4).hypot(y - 0.5) < 0.2;
    frame.fields.push(field("solid", Quantity::SolidMask, 1, |x, y| vec![f32::from(u8::from(inside(x, y)))]));
    let spec =
        FlatSpec { layers: vec![PictureLayer::new(LayerContent::Solid(plain))], ..FlatSpec::default() };
    let cells = lit_pixels(&flat(spec, 400, 200, &frame).unwrap()) as f32;
    assert!((cells / area - 1.0).abs() < 0.06, "{cells} {area}");
}

#[test]
fn glow_spreads_light_and_blends_add_up() {
    let dots = PictureLayer::new(LayerContent::Particles(ParticleLayer::default()));
    let glow =
        PictureLayer::new(LayerContent::Glow(GlowLayer { radius: 0.1, threshold: 0.0, strength: 2.0 }));
    let spec = FlatSpec { layers: vec![dots, glow], background: [0.0; 3], ..FlatSpec::default() };
    let picture = flat(spec, 400, 200, &fluid()).unwrap();
    assert!(light(at(&picture, 1.25, 0.5)) > 0 && light(at(&picture, 0.3, 0.5)) == 0);
    let grey = |blend| {
        PictureLayer::new(LayerContent::Field(FieldLayer {
            map: MapChoice::One([0.25; 3]),
            ..FieldLayer::of("speed")
        }))
        .blended(blend)
    };
    let layers = vec![grey(Blend::Over), grey(Blend::Add)];
    let sum = flat(FlatSpec { layers, ..FlatSpec::default() }, 40, 20, &fluid()).unwrap();
    let (found, wanted) = (sum.pixel(5, 5).unwrap(), colour::to_bytes([0.5; 3]));
    assert!(found[0].abs_diff(wanted[0]) <= 1, "{found:?}");
}

#[test]
fn without_layers_the_picture_suits_the_frame() {
    let plain = |frame: &Frame| flat(FlatSpec::default(), 200, 100, frame).unwrap();
    let mut frame = fluid();
    assert!(plain(&frame).pixel(80, 20).unwrap()[0] > 150, "red dye");
    frame.fields.remove(3);
    let mix = plain(&frame);
    assert!(mix.pixel(195, 60).unwrap()[0] > mix.pixel(5, 60).unwrap()[0], "positive vorticity is warm");
    frame.fields.truncate(1);
    assert_ne!(plain(&frame).pixel(100, 50), plain(&frame).pixel(190, 50));
    frame.fields.clear();
    frame.fields.push(field("heat", Quantity::default(), 1, |x, _| vec![x as f32]));
    assert!(plain(&frame).pixel(190, 50) > plain(&frame).pixel(10, 50));
}

#[test]
fn a_cut_through_a_solid_box_is_shown() {
    let values: Vec<f32> = (0..10 * 8 * 6).map(|cell| (cell / 80) as f32).collect();
    let mut frame = Frame::new(0, 0.0);
    let (size, origin, spacing) = ([10, 8, 6], [0.5; 3], [1.0; 3]);
    frame.fields.push(Raster {
        name: "heat".into(),
        size,
        components: 1,
        origin,
        spacing,
        values: values.into(),
        ..Raster::default()
    });
    let look = FieldLayer {
        map: MapChoice::Named("grey".into()),
        limits: Some([0.0, 5.0]),
        ..FieldLayer::of("heat")
    };
    let spec = |across, position| FlatSpec {
        layers: vec![PictureLayer::new(LayerContent::Field(look.clone()))],
        across,
        position,
        ..FlatSpec::default()
    };
    let level = |position| flat(spec(None, Some(position)), 100, 80, &frame).unwrap().pixel(50, 40);
    assert!(level(0.5) < level(2.5) && level(2.5) < level(5.5));
    let upright = flat(spec(Some(1), None), 100, 60, &frame).unwrap();
    assert!(upright.pixel(50, 5) > upright.pixel(50, 55), "z is up");
}

#[test]
fn strange_fields_are_drawn() {
    let values: [fn(usize) -> f32; 5] = [
        |_| 0.0,
        |_| f32::NAN,
        |index| if index.is_multiple_of(3) { f32::INFINITY } else { -1e38 },
        |index| if index.is_multiple_of(2) { f32::NAN } else { index as f32 },
        |_| f32::MAX,
    ];
    for size in [[0, 0, 0], [1, 1, 1], [1, 7, 1], [9, 1, 1], [4, 3, 2]] {
        for value in values {
            let mut frame = Frame::new(0, 0.0);
            let samples = size.iter().product::<u32>() as usize;
            for (name, quantity, components) in [
                ("velocity", Quantity::Velocity, 2),
                ("speed", Quantity::Speed, 1),
                ("vorticity", Quantity::Vorticity, 1),
                ("dye", Quantity::Dye, 3),
                ("solids", Quantity::SolidDistance, 1),
            ] {
                frame.fields.push(Raster {
                    name: name.into(),
                    quantity,
                    size,
                    components,
                    spacing: [0.0, f64::NAN, 1.0],
                    values: (0..samples * components as usize).map(value).collect(),
                    ..Raster::default()
                });
            }
            frame.clouds.push(Cloud {
                positions: (0..40).map(|index| [value(index), 0.5, value(index + 1)]).collect(),
                velocities: (0..20).map(|index| [value(index); 3]).collect(),
                radius: value(1),
                ..Cloud::default()
            });
            for (width, height) in [(1, 1), (90, 40)] {
                let spec = FlatSpec { layers: everything(), margin: 0.225, ..FlatSpec::default() };
                assert!(flat(spec, width, height, &frame).is_ok(), "{size:?}");
                assert!(flat(FlatSpec::default(), width, height, &frame).is_ok(), "{size:?}");
            }
        }
    }
}

#[test]
fn missing_fields_are_named() {
    let spec = |show| FlatSpec { layers: vec![PictureLayer::new(show)], ..FlatSpec::default() };
    let mut frame = fluid();
    let error = flat(spec(LayerContent::Field(FieldLayer::of("heat"))), 40, 20, &frame).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no field \"heat\"; one of velocity, speed, vorticity, dye, solids"
    );
    frame.fields.truncate(1);
    let error = flat(spec(LayerContent::Solid(SolidLayer::default())), 40, 20, &frame).unwrap_err();
    assert_eq!(error.to_string(), "there is no field \"distance from solids\"; one of velocity");
    assert!(flat(FlatSpec::default(), 40, 20, &Frame::new(0, 0.0)).is_err());
    frame.fields.clear();
    assert!(
        flat(spec(LayerContent::Particles(ParticleLayer::default())), 40, 20, &frame).is_ok(),
        "particles alone have a box"
    );
}

fn read(text: &str) -> Result<Vec<PictureSpec>, SceneErrors> {
    let text = format!("[scene]\nduration = 4\n[[picture]]\nkind = 'flat'\n{text}");
    Scene::parse("ink", &text, &LoadOptions::default()).and_then(|scene| Pictures::read(&scene))
}

#[test]
fn layers_are_read_from_a_scene() {
    let PictureKind::Flat(spec) = &read("").unwrap()[0].kind else { panic!("no flat picture") };
    assert_eq!(*spec, FlatSpec::default());
    let text = "layer = [{ show = 'dye' }, { show = 'vectors', thickness = 1.6 }, { show = 'streamlines' }, \
                { show = 'particles' }, { show = 'metaballs' }, { show = 'relief' }, { show = 'solid' }, \
                { show = 'glow' }, { show = 'field', field = 'speed', blend = 'add', opacity = 0.5 }]";
    let pictures = read(text).unwrap();
    let PictureKind::Flat(spec) = &pictures[0].kind else { panic!("no flat picture") };
    let plain = [
        LayerContent::Dye(DyeLayer::default()),
        LayerContent::Vectors(ArrowLayer::default()),
        LayerContent::Streamlines(StreamlineLayer::default()),
        LayerContent::Particles(ParticleLayer::default()),
        LayerContent::Metaballs(MetaballLayer::default()),
        LayerContent::Relief(ReliefLayer::default()),
        LayerContent::Solid(SolidLayer::default()),
        LayerContent::Glow(GlowLayer::default()),
    ];
    for (layer, show) in spec.layers.iter().zip(plain) {
        assert_eq!(*layer, PictureLayer::new(show));
    }
    let speed = PictureLayer {
        opacity: 0.5,
        ..PictureLayer::new(LayerContent::Field(FieldLayer::of("speed"))).blended(Blend::Add)
    };
    assert_eq!(spec.layers.last(), Some(&speed));
    assert_eq!(pictures[0].name, "flat");
    let request = pictures[0].request();
    assert!(request.clouds && request.fields == FieldRequest::All && !request.meshes);
    assert!(!read("layer = [{ show = 'dye' }]").unwrap()[0].request().clouds);
}

#[test]
fn layers_that_make_no_sense_are_refused() {
    for (text, complaint) in [
        ("layer = [{ show = 'dye', spacing = 3 }]", "a layer that shows \"dye\" does not read spacing"),
        ("layer = [{ show = 'field' }]", "does not say which"),
        ("layer = [{ show = 'picture' }]", "does not say which"),
        ("layer = [{ show = 'dyes' }]", "dye"),
        ("layer = [{ show = 'dye', opacity = 2 }]", "opacity"),
        ("layer = [{}]", "show"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(complaint), "{text}: {error}");
    }
}
