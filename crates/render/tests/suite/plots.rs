//! Plots of strange and simple fields.

use undine_frame::{Cloud, CounterHistory, Frame, Quantity, Raster, RegionState};
use undine_render::plots::{
    ColourMap, CounterChoice, HslRamp, MAPS, MapChoice, PlotSpec, PlotView, kind_colour,
};
use undine_render::{DrawError, Picture, PictureKind, PictureSpec, colour, draw};

const QUANTITIES: [Quantity; 7] = [
    Quantity::Depth,
    Quantity::Vorticity,
    Quantity::Velocity,
    Quantity::Height,
    Quantity::Bed,
    Quantity::CellKind,
    Quantity::SolidMask,
];

fn field(quantity: Quantity, size: [u32; 3], value: impl Fn(u32) -> f32) -> Frame {
    let components = if quantity == Quantity::Velocity { 2 } else { 1 };
    let values = (0..size.iter().product::<u32>() * components).map(value).collect();
    let (origin, spacing) = ([0.0; 3], [0.25; 3]);
    let mut frame = Frame::new(2, 0.5);
    frame.fields.push(Raster {
        name: "depth".into(),
        unit: "m".into(),
        water: 0,
        quantity,
        size,
        components,
        origin,
        spacing,
        values,
    });
    frame
}

fn plot(spec: PlotSpec, width: u32, height: u32, frame: &Frame) -> Result<Picture, DrawError> {
    draw(&PictureSpec { width, height, kind: PictureKind::Plot(spec), ..PictureSpec::default() }, frame)
}

fn everything() -> PlotSpec {
    PlotSpec {
        contours: 6,
        shows_grid: true,
        shows_particles: true,
        arrows: Some("depth".into()),
        streamlines: Some("depth".into()),
        ..PlotSpec::default()
    }
}

#[test]
fn counters_are_curves_below_a_plot_of_any_kind_and_size() {
    let history = |name: &str, counts: &[u64]| {
        let mut history = CounterHistory::new(name.into(), "updates".into(), 0.1);
        counts.iter().for_each(|count| history.push(*count));
        history
    };
    let choice = |unit: &str| Some(CounterChoice { unit: unit.into(), duration: 4.0 });
    let spec = |unit: &str| PlotSpec { counters: choice(unit), ..PlotSpec::default() };
    for size in [[40, 1, 1], [8, 6, 1]] {
        let mut frame = field(Quantity::Depth, size, |at| at as f32);
        frame.counters =
            vec![history("flow updates", &[0, 900, 400]), history("volume updates", &[0, 70, 0])];
        for [width, height] in [[640, 360], [96, 54], [3, 2], [1, 1]] {
            plot(spec("updates"), width, height, &frame).unwrap();
        }
        let picture = plot(spec("updates"), 640, 360, &frame).unwrap();
        assert_ne!(picture, plot(PlotSpec::default(), 640, 360, &frame).unwrap());
        // The curves are drawn from all frames, not from the last one only
        frame.counters[0] = history("flow updates", &[0, 500, 400]);
        assert_ne!(picture, plot(spec("updates"), 640, 360, &frame).unwrap());
        let error = plot(spec("tiles"), 640, 360, &frame).unwrap_err().to_string();
        assert!(error.contains("tiles") && error.contains("updates"), "{error}");
        frame.counters.clear();
        assert!(plot(spec("updates"), 640, 360, &frame).is_err());
    }
}

#[test]
fn a_profile_of_water_is_coloured_by_its_regions() {
    let profile = |regions: &[u32]| {
        let mut frame = field(Quantity::Height, [40, 1, 1], |_| 1.0_f32);
        frame.fields[0].name = "height".into();
        for (name, quantity, value) in [
            ("bed", Quantity::Bed, &(|_| 0.0_f32) as &dyn Fn(u32) -> f32),
            ("regions", Quantity::Region, &|x| regions[x as usize / 20] as f32),
        ] {
            let mut raster = field(quantity, [40, 1, 1], value).fields.remove(0);
            raster.name = name.into();
            frame.fields.push(raster);
        }
        plot(PlotSpec::default(), 320, 200, &frame).unwrap()
    };
    let code = |state: RegionState| u32::from(state.code());
    let [none, pool, asleep] =
        [RegionState::None, RegionState::Pooling, RegionState::PoolingAsleep].map(code);
    let plain = profile(&[none, none]);
    let (awake, half) = (profile(&[pool, pool]), profile(&[pool, asleep]));
    // The legend takes room from the right, so pictures are compared with one that has it too
    assert!(plain != awake && awake != half && profile(&[none, pool]) != awake);
}

#[test]
fn a_map_of_regions_has_the_colours_of_a_profile() {
    // Left half pooling, right half flowing
    let frame = field(Quantity::Region, [40, 20, 1], |index| if index % 40 < 20 { 1.0 } else { 2.0 });
    let picture = plot(PlotSpec::default(), 640, 360, &frame).unwrap();
    let ink = |state: RegionState| colour::to_bytes(kind_colour(Quantity::Region, state.code().into()));
    assert_eq!(picture.pixel(150, 180), Some(ink(RegionState::Pooling)));
    assert_eq!(picture.pixel(430, 180), Some(ink(RegionState::Flowing)));
    assert_ne!(ink(RegionState::Pooling), ink(RegionState::PoolingAsleep));
    assert_ne!(ink(RegionState::None), ink(RegionState::Pooling));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let frame = field(Quantity::Vorticity, [40, 30, 1], |index| (index as f32 * 0.13).sin());
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| plot(everything(), 320, 200, &frame)).unwrap()
    };
    assert_eq!(on(1), on(2));
    assert_eq!(on(1), on(7));
}

#[test]
fn a_field_fills_its_window_with_the_ends_of_the_map() {
    // Left half at the low limit, right half at the high one.
    let frame = field(Quantity::Depth, [40, 20, 1], |index| if index % 40 < 20 { 2.0 } else { 5.0 });
    for (name, ..) in MAPS {
        let spec = PlotSpec { map: MapChoice::Named((*name).into()), ..PlotSpec::default() };
        let picture = plot(spec, 640, 360, &frame).unwrap();
        let map = ColourMap::named(name).unwrap();
        assert_eq!(picture.pixel(150, 180), Some(colour::to_bytes(map.colour(0.0))), "{name}");
        assert_eq!(picture.pixel(450, 180), Some(colour::to_bytes(map.colour(1.0))), "{name}");
    }
}

#[test]
fn the_colour_bar_runs_from_limit_to_limit() {
    let frame = field(Quantity::Depth, [64, 36, 1], |_| 3.0);
    let spec = PlotSpec { limits: Some([0.0, 10.0]), ..PlotSpec::default() };
    let picture = plot(spec, 640, 360, &frame).unwrap();
    let map = ColourMap::named("lagoon").unwrap();
    let near = |place: f32, pixel: [u8; 3]| {
        let ink = colour::to_bytes(map.colour(place));
        (0..3).all(|channel| ink[channel].abs_diff(pixel[channel]) < 6)
    };
    assert!(near(0.3, picture.pixel(300, 180).unwrap()), "the field");
    // Somewhere right of the field, a column of pixels is dark at the bottom and pale at the top.
    let column = (560..640).find(|&x| {
        let inked: Vec<u32> = (0..360).filter(|&y| near(0.5, picture.pixel(x, y).unwrap())).collect();
        inked.iter().any(|&y| y.abs_diff(172) < 12)
    });
    let x = column.expect("a colour bar") + 3;
    let rows: Vec<u32> = (0..360).filter(|&y| near(0.0, picture.pixel(x, y).unwrap())).collect();
    let tops: Vec<u32> = (0..360).filter(|&y| near(1.0, picture.pixel(x, y).unwrap())).collect();
    assert!(rows.iter().min() > tops.iter().max() && !tops.is_empty());
}

#[test]
fn dye_is_seen_in_its_own_colours() {
    let mut frame = field(Quantity::Depth, [40, 20, 1], |_| 0.0);
    let dye = |cell: u32| if cell % 40 < 20 { [1.0, 0.0, 0.0] } else { [0.0, 0.2, 1.0] };
    frame.fields[0].name = "dye".into();
    frame.fields[0].quantity = Quantity::Dye;
    frame.fields[0].components = 3;
    frame.fields[0].values = (0..800).flat_map(dye).collect();
    let picture = plot(PlotSpec::default(), 640, 360, &frame).unwrap();
    let (red, blue) = (picture.pixel(150, 180).unwrap(), picture.pixel(450, 180).unwrap());
    assert_eq!((red, blue), ([255, 0, 0], colour::to_bytes([0.0, 0.2, 1.0])));
    let by_map = PlotSpec { map: MapChoice::Named("grey".into()), ..PlotSpec::default() };
    let [red, green, blue] = plot(by_map, 640, 360, &frame).unwrap().pixel(150, 180).unwrap();
    assert!(red == green && green == blue, "a map shows how much there is");
}

#[test]
fn streamlines_run_along_the_field() {
    // A stream to the east: rows are either line or field, from side to side.
    let mut frame = field(Quantity::Velocity, [40, 20, 1], |index| if index % 2 == 0 { 3.0 } else { 0.0 });
    frame.fields[0].name = "velocity".into();
    let spec = PlotSpec { streamlines: Some("velocity".into()), ..PlotSpec::default() };
    let picture = plot(spec.clone(), 640, 360, &frame).unwrap();
    let bare = plot(PlotSpec::default(), 640, 360, &frame).unwrap().pixel(300, 180).unwrap();
    let inked = |x: u32| (90..270).map(|y| picture.pixel(x, y).unwrap() != bare).collect::<Vec<bool>>();
    let lines = inked(300).iter().filter(|&&is_line| is_line).count();
    assert!((8..60).contains(&lines), "{lines}");
    assert_eq!(inked(250), inked(350));
    let missing = PlotSpec { streamlines: Some("wind".into()), ..spec };
    assert_eq!(
        plot(missing, 64, 64, &frame).unwrap_err().to_string(),
        "there is no field \"wind\"; one of velocity"
    );
}

#[test]
fn strange_fields_are_drawn() {
    let sizes = [[0, 0, 0], [1, 1, 1], [1, 7, 1], [9, 1, 1], [5, 4, 1], [4, 3, 2], [300, 2, 1]];
    let values: [fn(u32) -> f32; 6] = [
        |_| 0.0,
        |_| -7.5,
        |_| f32::NAN,
        |index| if index % 3 == 0 { f32::INFINITY } else { -1e38 },
        |index| if index % 2 == 0 { f32::NAN } else { index as f32 },
        |_| f32::MAX,
    ];
    for quantity in QUANTITIES {
        for size in sizes {
            for value in values {
                let mut frame = field(quantity, size, value);
                frame.clouds.push(Cloud {
                    positions: vec![[0.1, f32::NAN, 0.0], [0.3, 0.2, 0.0]],
                    ..Cloud::default()
                });
                for view in [PlotView::Auto, PlotView::Map, PlotView::Profile] {
                    for is_log in [false, true] {
                        let spec = PlotSpec { view, is_log, ..everything() };
                        assert!(plot(spec, 200, 120, &frame).is_ok(), "{quantity:?} {size:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn strange_specs_are_drawn() {
    let frame = field(Quantity::Depth, [8, 6, 1], |index| index as f32);
    let ramp = HslRamp { linear: f32::INFINITY, log: f32::NAN, hue_a: -1e9, ..HslRamp::default() };
    let specs = [
        PlotSpec { limits: Some([f32::NAN, 1.0]), ..PlotSpec::default() },
        PlotSpec { limits: Some([5.0, -5.0]), is_log: true, ..PlotSpec::default() },
        PlotSpec { across: Some(9), position: Some(f64::NAN), ..PlotSpec::default() },
        PlotSpec { across: Some(0), is_smooth: false, ..PlotSpec::default() },
        PlotSpec { map: MapChoice::Named("no such map".into()), ..PlotSpec::default() },
        PlotSpec { map: MapChoice::Hsl(ramp), ..PlotSpec::default() },
        PlotSpec { title: Some("a very long title that no page can hold ".repeat(9)), ..PlotSpec::default() },
    ];
    for spec in specs {
        for (width, height) in [(1, 1), (16, 16), (16, 600), (700, 40), (320, 240)] {
            assert!(plot(spec.clone(), width, height, &frame).is_ok());
        }
    }
}

#[test]
fn missing_and_broken_fields_are_named() {
    let mut frame = field(Quantity::Depth, [8, 6, 1], |_| 1.0);
    let spec = PlotSpec { field: Some("speed".into()), ..PlotSpec::default() };
    let error = plot(spec, 64, 64, &frame).unwrap_err();
    assert_eq!(error.to_string(), "there is no field \"speed\"; one of depth");
    frame.fields[0].values.pop();
    let error = plot(PlotSpec::default(), 64, 64, &frame).unwrap_err();
    assert_eq!(error.to_string(), "field \"depth\" is broken: 47 values for [8, 6, 1] samples of 1");
    let error = plot(PlotSpec::default(), 64, 64, &Frame::new(0, 0.0)).unwrap_err();
    assert_eq!(error.to_string(), "there is nothing to plot: the frame has no fields");
}
