//! Classic pictures: what they show, and that it does not depend on threads.

use glam::Vec3;
use undine_frame::{Attribute, Frame, Material, Mesh, Quantity};
use undine_render::caustics::{CausticsKind, CausticsSpec};
use undine_render::classic::{self, ClassicSpec, CubeMap, CubeMapShading, Shading};
use undine_render::preview::{Beyond, GroundKind, Viewpoint};
use undine_render::sky::SkySpec;
use undine_render::{Picture, PictureKind, Pictures};
use undine_scene::{LoadOptions, Scene};

fn sheet(height: impl Fn(f32, f32) -> f32, material: Material) -> Mesh {
    let mut mesh = Mesh::flat_sheet("sheet", [4.0, 4.0], [65, 65]);
    mesh.material = material;
    for (position, normal) in mesh.positions.iter_mut().zip(&mut mesh.normals) {
        let [x, y, _] = *position;
        position[2] = height(x, y);
        let slope =
            |east: f32, north: f32| (height(x + east, y + north) - height(x - east, y - north)) / 0.02;
        *normal = Vec3::new(-slope(0.01, 0.0), -slope(0.0, 0.01), 1.0).normalize().to_array();
    }
    mesh
}

/// A level pond on level ground, with waves of this slope.
fn pond(slope: f32, wetness: f32) -> Frame {
    let mut frame = Frame::new(0, 0.0);
    frame.meshes.push(sheet(|x, y| slope / 6.0 * (6.0 * x + 2.0 * y).sin(), Material::Water));
    let mut ground = sheet(|_, _| -0.7, Material::Ground);
    ground.attributes.push(Attribute::new("wetness", Quantity::Wetness, 1, vec![wetness; 65 * 65]));
    frame.meshes.push(ground);
    frame
}

fn draw(spec: &ClassicSpec, frame: &Frame) -> Picture {
    let sky = SkySpec { sun_elevation: 60.0, clouds: 0.0, ..SkySpec::default() };
    let view = Viewpoint { elevation: Some(60.0), ..Viewpoint::default() };
    classic::draw(spec, &sky, &view, [120, 90], frame).unwrap()
}

fn land() -> ClassicSpec {
    ClassicSpec { beyond: Beyond::Nothing, ground: GroundKind::Sand, ..ClassicSpec::default() }
}

// Brightness of the pixels in the middle: their mean, and how much they differ.
fn middle(picture: &Picture) -> (f32, f32) {
    let pixels = (40..80).flat_map(|x| (35..55).map(move |y| (x, y)));
    let values: Vec<f32> = pixels.map(|(x, y)| f32::from(picture.pixel(x, y).unwrap()[1])).collect();
    let mean = values.iter().sum::<f32>() / values.len() as f32;
    (mean, (values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / values.len() as f32).sqrt())
}

#[test]
fn waves_draw_a_pattern_of_light_on_the_bed() {
    let spread = |kind: CausticsKind| {
        let caustics = CausticsSpec { kind, ..land().caustics };
        middle(&draw(&ClassicSpec { caustics, ..land() }, &pond(0.15, 0.0))).1
    };
    let (without, paper, beams) =
        (spread(CausticsKind::Nothing), spread(CausticsKind::IlluminationMap), spread(CausticsKind::Beams));
    assert!(paper > 2.0 * without && beams > 2.0 * without, "{without}, {paper}, {beams}");
}

#[test]
fn wet_ground_is_darker() {
    let bare = |wetness: f32| {
        let mut frame = pond(0.0, wetness);
        frame.meshes.remove(0);
        middle(&draw(&land(), &frame)).0
    };
    assert!(bare(1.0) < 0.9 * bare(0.0), "{} and {}", bare(1.0), bare(0.0));
}

#[test]
fn a_cube_map_of_ones_own_is_mirrored() {
    let mut frame = Frame::new(0, 0.0);
    frame.meshes.push(sheet(|_, _| 0.0, Material::Water));
    let shine = CubeMapShading {
        underwater: 0.0,
        specular: 0.0,
        ambient: 1.0,
        sky: 0.0,
        ..CubeMapShading::default()
    };
    let red = CubeMap::new(8, |direction| if direction.z > 0.0 { Vec3::X } else { Vec3::Y });
    let spec = ClassicSpec { shading: Shading::CubeMap, shine, cube: Some(red), ..ClassicSpec::default() };
    assert_eq!(draw(&spec, &frame).pixel(60, 45), Some([255, 0, 0]));
}

fn png(colour: [u8; 3], side: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side, side);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&colour.repeat((side * side) as usize)).unwrap();
    writer.finish().unwrap();
    bytes
}

#[test]
fn a_cube_map_has_six_equal_faces() {
    let (small, large) = (png([10, 20, 30], 4), png([10, 20, 30], 8));
    let read = |faces: &[(&str, &str)]| {
        let lines: String = faces.iter().map(|(face, file)| format!("cube_{face} = '{file}'\n")).collect();
        let text = format!("[scene]\nduration = 1\n[[picture]]\nkind = 'classic'\n{lines}");
        let files: Vec<(&str, &[u8])> = vec![("small.png", &small), ("large.png", &large)];
        let scene = Scene::parse_with_files("pond", &text, &files, &LoadOptions::default()).unwrap();
        Pictures::read(&scene).map_err(|errors| errors.to_string())
    };
    let six = ["east", "west", "north", "south", "up", "down"].map(|face| (face, "small.png"));
    let pictures = read(&six).unwrap();
    let PictureKind::Classic(classic) = &pictures[0].kind else { panic!("no classic picture") };
    let colour = classic.cube.as_ref().unwrap().at(Vec3::new(0.2, 0.9, 0.1));
    assert!((colour.z - 0.012_983).abs() < 1e-5, "30 of 255 in linear light, not {colour}");
    assert!(read(&six[..5]).unwrap_err().contains("six faces"));
    let mut unequal = six;
    unequal[3].1 = "large.png";
    assert!(read(&unequal).unwrap_err().contains("not squares of one size"));
}

#[test]
fn every_number_of_threads_gives_the_same_bits() {
    let mut sea = Frame::new(0, 2.0);
    sea.meshes.push(sheet(|x, y| 0.05 * (5.0 * x + 2.0 * y).sin(), Material::Water));
    for (spec, frame) in [(land(), pond(0.2, 0.5)), (ClassicSpec::default(), sea)] {
        let drawn = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| draw(&spec, &frame))
        };
        let alone = drawn(1);
        assert_eq!(alone, drawn(2));
        assert_eq!(alone, drawn(5));
    }
}

#[test]
fn strange_frames_are_drawn() {
    let mut broken = pond(0.1, f32::NAN);
    broken.meshes[0].positions[100] = [f32::NAN; 3];
    for frame in [Frame::new(0, f64::INFINITY), broken] {
        for shading in [Shading::Auto, Shading::CubeMap, Shading::Caustic] {
            assert_eq!(draw(&ClassicSpec { shading, ..land() }, &frame).rgb.len(), 3 * 120 * 90);
        }
    }
}
