//! Flat pages: the GPU renderer against the colours of the software renderer.

use undine_frame::{
    Attribute, Body, Cloud, Curves, FieldScale, Frame, Heights, Mesh, Quantity, Raster, Surface, SurfaceRole,
    SurfaceShape,
};
use undine_gpu::{ColourMapping, FlatLayer, FlatView, Headless, RenderSettings};
use undine_render::Picture;
use undine_render::colour::to_bytes;
use undine_render::flat::{DyeLayer, InkKind};
use undine_render::plots::{ColourMap, HslRamp, Scale, Slice};

/// Largest difference of a channel, in steps of a byte: values are rounded twice, in the page texture and in the picture.
const TOLERANCE: u8 = 2;

const CELLS: [u32; 2] = [16, 9];
const SIZE: [u32; 2] = [160, 90];

fn device() -> Headless {
    Headless::new().expect("pictures need a graphics adapter")
}

fn raster(name: &str, components: u32, value: impl Fn(u32, u32, u32) -> f32) -> Raster {
    let cells = (0..CELLS[1]).flat_map(|row| (0..CELLS[0]).map(move |column| (column, row)));
    let values = cells.flat_map(|(column, row)| (0..components).map(move |c| (column, row, c)));
    Raster {
        name: name.into(),
        quantity: Quantity::Custom(FieldScale::Signed),
        size: [CELLS[0], CELLS[1], 1],
        components,
        origin: [0.5, 0.5, 0.0],
        spacing: [1.0; 3],
        values: values.map(|(column, row, component)| value(column, row, component)).collect(),
        ..Raster::default()
    }
}

fn wavy() -> Raster {
    raster("field", 1, |column, row, _| (column as f32 - 7.5) * 0.7 + (row as f32 * 1.3).sin())
}

// A page whose cells are ten pixels wide.
fn page(layers: Vec<FlatLayer>) -> RenderSettings {
    RenderSettings::Flat(FlatView { centre: [8.0, 4.5], height: 9.0, background: [0.0, 0.25, 0.0], layers })
}

fn drawn(device: &mut Headless, raster: Raster, layer: FlatLayer) -> Picture {
    let subject = Frame { fields: vec![raster], ..Frame::default() };
    device.draw(&subject, &page(vec![layer]), SIZE).expect("a picture")
}

fn field(colours: ColourMapping, is_smooth: bool) -> FlatLayer {
    FlatLayer::Field { field: "field".into(), colours, is_smooth, opacity: 1.0 }
}

fn assert_close(seen: [u8; 3], wanted: [u8; 3], at: [u32; 2]) {
    let apart = (0..3).map(|channel| seen[channel].abs_diff(wanted[channel])).max().unwrap();
    assert!(apart <= TOLERANCE, "{seen:?}, not {wanted:?}, at {at:?}");
}

// Compares every pixel with the colour of the value there.
fn assert_coloured(picture: &Picture, raster: &Raster, is_smooth: bool, ink: impl Fn(f32) -> [f32; 3]) {
    let slice = Slice::new(raster, None, None);
    for y in 0..SIZE[1] {
        for x in 0..SIZE[0] {
            let place = [(f64::from(x) + 0.5) / 10.0, 9.0 - (f64::from(y) + 0.5) / 10.0];
            let value =
                if is_smooth { slice.interpolate(place) } else { slice.value(slice.cell(place).unwrap()) };
            assert_close(picture.pixel(x, y).unwrap(), to_bytes(ink(value)), [x, y]);
        }
    }
}

#[test]
fn fields_have_the_colours_of_plots() {
    let mut device = device();
    let ramp = HslRamp { overflow_limit: 1.6, ..HslRamp::default() };
    for is_smooth in [false, true] {
        let picture = drawn(&mut device, wavy(), field(ColourMapping::Hsl { ramp, unit: 1.5 }, is_smooth));
        assert_coloured(&picture, &wavy(), is_smooth, |value| ramp.colour(value / 1.5));
        let colours = ColourMapping::Map { map: "balance".into(), limits: [-4.0, 5.0], is_log: false };
        let picture = drawn(&mut device, wavy(), field(colours, is_smooth));
        let (map, scale) = (ColourMap::named("balance").unwrap(), Scale::new(-4.0, 5.0, false));
        assert_coloured(&picture, &wavy(), is_smooth, |value| map.colour(scale.fraction(value)));
    }
    let steep = raster("field", 1, |column, row, _| 0.001 * 1.9_f32.powi((column + row) as i32));
    let colours = ColourMapping::Map { map: "lagoon".into(), limits: [0.002, 90.0], is_log: true };
    let picture = drawn(&mut device, steep.clone(), field(colours, false));
    let (map, scale) = (ColourMap::named("lagoon").unwrap(), Scale::new(0.002, 90.0, true));
    assert_coloured(&picture, &steep, false, |value| map.colour(scale.fraction(value)));
}

#[test]
fn vectors_are_coloured_by_magnitude_and_missing_values_are_transparent() {
    let mut device = device();
    let vectors =
        raster("field", 3, |column, row, component| [column as f32, row as f32, 2.0][component as usize]);
    let ramp = HslRamp::default();
    let colours = ColourMapping::Hsl { ramp, unit: 10.0 };
    let picture = drawn(&mut device, vectors.clone(), field(colours.clone(), true));
    assert_coloured(&picture, &vectors, true, |value| ramp.colour(value / 10.0));
    let holed = raster("field", 1, |column, _, _| if column < 8 { f32::NAN } else { 1.0 });
    let picture = drawn(&mut device, holed, field(colours, false));
    assert_close(picture.pixel(30, 45).unwrap(), to_bytes([0.0, 0.25, 0.0]), [30, 45]);
    assert_close(picture.pixel(120, 45).unwrap(), to_bytes(ramp.colour(0.1)), [120, 45]);
}

#[test]
fn dye_emits_on_black_and_absorbs_on_paper() {
    let mut device = device();
    let amounts = [0.3, 0.05, 0.7];
    let dye = || raster("dye", 3, |_, _, component| amounts[component as usize]);
    for (is_ink, ink) in [(false, InkKind::Glow), (true, InkKind::Paper)] {
        let layer = FlatLayer::Dye { field: "dye".into(), strength: 1.7, is_ink };
        let picture = drawn(&mut device, dye(), layer);
        let wanted = DyeLayer { ink, strength: 1.7, ..DyeLayer::default() }.colour(amounts);
        assert_close(picture.pixel(80, 45).unwrap(), to_bytes(wanted), [80, 45]);
    }
}

#[test]
fn marks_are_at_their_positions() {
    let mut device = device();
    let colour = Attribute::new("colour", Quantity::Colour, 3, vec![1.0, 0.0, 0.5]);
    let subject = Frame {
        clouds: vec![Cloud {
            positions: vec![[4.0, 4.5, 0.0]],
            radius: 1.0,
            attributes: vec![colour],
            ..Cloud::default()
        }],
        bodies: vec![Body {
            position: [12.0, 3.5, 0.0],
            ..Body::standing(0, Mesh::flat_sheet("plate", [2.0, 2.0], [2, 2]))
        }],
        ..Frame::default()
    };
    let layers = vec![FlatLayer::Particles { size: 1.0 }, FlatLayer::Bodies { colour: [0.0, 0.0, 1.0] }];
    let picture = device.draw(&subject, &page(layers), SIZE).unwrap();
    assert_close(picture.pixel(40, 45).unwrap(), to_bytes([1.0, 0.0, 0.5]), [40, 45]);
    assert_close(picture.pixel(130, 45).unwrap(), [0, 0, 255], [130, 45]);
    assert_close(picture.pixel(90, 20).unwrap(), to_bytes([0.0, 0.25, 0.0]), [90, 20]);
}

#[test]
fn liquids_solids_and_sections_are_filled() {
    let mut device = device();
    let background = to_bytes([0.0, 0.25, 0.0]);
    let below = || raster("distance", 1, |_, row, _| row as f32 - 4.0);
    let water = drawn(&mut device, below(), FlatLayer::Liquid { field: "distance".into() });
    let deep = water.pixel(80, 80).unwrap();
    assert!(deep[2] > deep[0] + 40 && water.pixel(80, 10).unwrap() == background, "{deep:?}");
    let solids = FlatLayer::Solids { field: "distance".into(), colour: [1.0, 0.0, 0.0] };
    let solid = drawn(&mut device, below(), solids);
    assert_eq!((solid.pixel(80, 80).unwrap(), solid.pixel(80, 10).unwrap()), ([255, 0, 0], background));
    let heights = Heights {
        size: [17, 1],
        spacing: [1.0, 1.0],
        level: vec![6.0; 17].into(),
        bed: Some(vec![2.0; 17].into()),
        ..Heights::default()
    };
    let subject = Frame { surfaces: Surface::with_bed("tank", heights), ..Frame::default() };
    let section = device.draw(&subject, &page(vec![FlatLayer::Profile]), SIZE).unwrap();
    let [sky, water, earth] = [10, 50, 85].map(|y| section.pixel(80, y).unwrap());
    assert!(sky == background && water[2] > water[0] && earth[0] > earth[2], "{sky:?} {water:?} {earth:?}");
}

#[test]
fn invalid_and_missing_fields_are_not_drawn() {
    let mut device = device();
    let name = || String::from("field");
    let colours = || ColourMapping::Map { map: "no such map".into(), limits: [f32::NAN, 1.0], is_log: true };
    let layers = vec![
        FlatLayer::Field { field: name(), colours: colours(), is_smooth: true, opacity: f32::NAN },
        FlatLayer::Dye { field: name(), strength: f32::INFINITY, is_ink: true },
        FlatLayer::Cells { field: name() },
        FlatLayer::Vectors { field: name(), spacing: 0.0, colour: [1.0; 3] },
        FlatLayer::Grid { field: name(), colour: [1.0; 4] },
        FlatLayer::Liquid { field: name() },
        FlatLayer::Solids { field: name(), colour: [1.0; 3] },
        FlatLayer::Particles { size: f32::NAN },
        FlatLayer::Bodies { colour: [1.0; 3] },
        FlatLayer::Profile,
    ];
    let empty = Raster { name: name(), size: [0, 4, 1], components: 1, ..Raster::default() };
    let broken = Raster {
        name: name(),
        size: [3, 4, 1],
        components: 2,
        values: vec![1.0].into(),
        ..Raster::default()
    };
    let nowhere =
        Raster { origin: [f64::NAN; 3], spacing: [0.0; 3], ..raster("field", 2, |_, _, _| f32::NAN) };
    let points = Cloud { positions: vec![[f32::NAN; 3]], radius: -1.0, ..Cloud::default() };
    for raster in [empty, broken, nowhere] {
        let subject = Frame { fields: vec![raster], clouds: vec![points.clone()], ..Frame::default() };
        let view =
            FlatView { centre: [f32::NAN; 2], height: 0.0, background: [0.0; 3], layers: layers.clone() };
        for size in [[64, 36], [1, 1], [0, 7]] {
            assert!(device.draw(&subject, &RenderSettings::Flat(view.clone()), size).is_ok());
        }
    }
    let picture = device.draw(&Frame::default(), &page(layers), SIZE).unwrap();
    assert_close(picture.pixel(5, 5).unwrap(), to_bytes([0.0, 0.25, 0.0]), [5, 5]);
}

#[test]
fn an_outline_is_a_line_of_its_colour() {
    let square = [[4.05, 2.05], [12.05, 2.05], [12.05, 7.05], [4.05, 7.05]];
    let shape = SurfaceShape::Curve(Curves::new([square], [[0.0; 2], [16.0, 9.0]], 1.0));
    let surface =
        Surface { name: "drop".into(), water: 0, role: SurfaceRole::Water, shape, attributes: Vec::new() };
    let subject = Frame { surfaces: vec![surface], ..Frame::default() };
    let layer = FlatLayer::Outline { colour: [1.0, 1.0, 0.0] };
    let picture = device().draw(&subject, &page(vec![layer]), SIZE).expect("a picture");
    // A metre is ten pixels; the sides run through the middles of pixels
    let background = to_bytes([0.0, 0.25, 0.0]);
    for at in [[80, 69], [80, 19], [40, 45], [120, 45]] {
        assert_close(picture.pixel(at[0], at[1]).unwrap(), [255, 255, 0], at);
    }
    for at in [[80, 45], [80, 5], [20, 45], [80, 80]] {
        assert_close(picture.pixel(at[0], at[1]).unwrap(), background, at);
    }
}
