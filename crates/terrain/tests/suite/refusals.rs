//! What a `[[terrain]]` may not say, and the exact words in which it is refused.

use undine_scene::{LoadOptions, Scene};
use undine_terrain::Terrain;

/// Keys of one layer, which start in line 4; line and column of the problem; what is wrong; what would help.
const REFUSED: &[(&str, &str, &str, &str)] = &[
    (
        "level = 3",
        "3:1",
        "the terrain has no kind",
        "one of plane, slope, bowl, hills, ridge, beach, channel, steps, walls, rim, noise, file",
    ),
    (
        "kind = 'plain'",
        "4:8",
        "unknown kind of terrain \"plain\"",
        "one of plane, slope, bowl, hills, ridge, beach, channel, steps, walls, rim, noise, file; \
         did you mean \"plane\"?",
    ),
    (
        "kind = 'plane'; combine = 'plus'",
        "5:11",
        "unknown combine \"plus\"",
        "one of add, max, min, replace, multiply",
    ),
    ("kind = 'bowl'; depth = 1", "3:1", "the bowl has no width", "add radius = …"),
    (
        "kind = 'bowl'; depth = 1; radius = 2; radii = [1, 2]",
        "7:9",
        "both radius and radii say how wide the bowl is",
        "keep one of them",
    ),
    (
        "kind = 'slope'; fall = 1; gradient = [0, 1]",
        "6:12",
        "both gradient and fall say how the ground falls",
        "keep one of them",
    ),
    (
        "kind = 'slope'; fall = 1; direction = [0, 0]",
        "6:13",
        "the direction has no length",
        "give a vector such as [1, 0]",
    ),
    ("kind = 'hills'", "3:1", "there is no hill", "add [[terrain.hill]] with center, radius and height"),
    (
        "kind = 'hills'; hill = [{ center = [0, 0], radius = 0, height = 1 }]",
        "5:37",
        "radius must be above 0 m and at most 1000000000 m, not 0",
        "how wide it is; see shape",
    ),
    (
        "kind = 'beach'; depth = 1; cusps = 20",
        "6:9",
        "cusps of 20 m every 30 m would fold the beach",
        "at most half of cusp_spacing",
    ),
    ("kind = 'channel'; width = 1", "3:1", "the channel has no depth", "add depth = …, or bed_level = …"),
    (
        "kind = 'channel'; width = 1; depth = 1; point = [{ at = [0, 0] }]",
        "7:9",
        "a river runs through two points at least",
        "add [[terrain.point]] with at = [x, y]",
    ),
    ("kind = 'steps'", "3:1", "there is no step", "add count = …, or [[terrain.step]] with at and height"),
    (
        "kind = 'rim'; size = [2, 9]; thickness = 1; height = 3",
        "6:13",
        "the wall is so thick that nothing is inside",
        "keep it below half of the size",
    ),
    (
        "kind = 'noise'; wavelength = 1; amplitude = 1; gain = 2",
        "7:8",
        "gain must be at least 0 and at most 1, not 2",
        "how high each size is, against the one before",
    ),
    ("kind = 'plane'; within_from = [0, 0]", "5:15", "the box has only one corner", "add within_to"),
    ("kind = 'plane'; within_center = [0, 0]", "5:17", "the disc has no radius", "add within_radius"),
    (
        "kind = 'file'; file = 'hill.tif'",
        "5:8",
        "file: \"hill.tif\" cannot be read: this scene has no folder",
        "put the scene into a file to let it read others",
    ),
];

#[test]
fn every_refusal_has_its_place_words_and_remedy() {
    for (keys, at, message, remedy) in REFUSED {
        let text = format!("[scene]\nduration = 1\n[[terrain]]\n{}\n", keys.replace("; ", "\n"));
        let scene = Scene::parse("ground", &text, &LoadOptions::default()).unwrap();
        let errors = Terrain::read(&scene).expect_err(keys);
        let problem = errors.iter().next().unwrap();
        let place = problem.place.as_ref().unwrap();
        assert_eq!(format!("{}:{}", place.line, place.column), *at, "{keys}");
        assert_eq!((problem.message.as_str(), problem.remedy.as_str()), (*message, *remedy), "{keys}");
        assert_eq!(errors.len(), 1, "{errors}");
    }
}

#[test]
fn problems_of_all_layers_are_reported_together() {
    let text = "[scene]\nduration = 1\n[[terrain]]\nkind = 'hills'\n[[terrain]]\nkind = 'steps'\nsoft = -1\n";
    let scene = Scene::parse("ground", text, &LoadOptions::default()).unwrap();
    assert_eq!(Terrain::read(&scene).unwrap_err().len(), 2);
}
