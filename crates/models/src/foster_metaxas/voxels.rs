//! `[[voxels]]`: solids, fluid and ports drawn cell by cell, as text or as an image (fig. 8 of [foster1996]).
//!
//! A map covers the box, or a part of it, whatever its size in cells: each cell of the grid takes the letter at its centre.
//! In the plane its first line is the top. In space it has layers, the lowest first, each with its north at the top.

use undine_grid::Grid;
use undine_scene::{Absent, Key, KindEntry, Scene, SceneErrors, SectionEntry, Values};

use crate::solids::read_kind;

/// The largest file of a map, in bytes.
const LARGEST_MAP: u64 = 1 << 26;

/// A solid cell.
pub(super) const SOLID: char = '#';
/// A cell of fluid at the start.
pub(super) const FLUID: char = '~';
/// A cell without fluid at the start.
pub(super) const EMPTY: char = '.';
/// A cell about which the map says nothing.
pub(super) const UNSAID: char = '?';

/// The colours of images, sRGB, and the letters that they stand for.
const COLOURS: [([u8; 3], char); 5] = [
    ([0, 0, 0], SOLID),
    ([0, 0, 255], FLUID),
    ([255, 255, 255], EMPTY),
    ([0, 255, 0], 'i'),
    ([255, 0, 0], 'o'),
];

/// `[[voxels]]`: obstacles, fluid and ports cell by cell.
pub(super) static VOXELS: SectionEntry = SectionEntry {
    name: "voxels",
    summary: "solids, fluid and ports drawn cell by cell",
    repeats: true,
    common: &[
        Key::text("kind").help("text or image"),
        Key::text("water")
            .optional("every water with voxels")
            .help("the name of the water that it belongs to"),
        Key::flag("no_slip")
            .default(Absent::Flag(false))
            .help("whether the fluid sticks to its solids, rather than slide along them"),
    ],
    kinds: &[
        KindEntry::new("text", "lines of letters", &[TEXT_KEYS, PLACE_IN_PLANE]).only_in(&[2]),
        KindEntry::new("text", "lines of letters, a layer after a blank line", &[TEXT_KEYS, PLACE_IN_SPACE])
            .only_in(&[3]),
        KindEntry::new("image", "a PNG image", &[IMAGE_KEYS, PLACE_IN_PLANE]).only_in(&[2]),
        KindEntry::new("image", "a PNG image, its layers one below the other", &[IMAGE_KEYS, PLACE_IN_SPACE])
            .only_in(&[3]),
    ],
};

const TEXT_KEYS: &[Key] = &[
    Key::text("map").optional("read from the file").help(
        "a letter per cell: # solid, ~ fluid, . empty, ? as it is without the map, any other letter a port",
    ),
    Key::file("file").optional("none").help("a text file with the map"),
];

const IMAGE_KEYS: &[Key] = &[
    Key::file("file").help(
        "a PNG file with a pixel per cell: black solid, blue fluid, white empty, green i, red o, transparent as it is \
         without the map",
    ),
    Key::integer("layers")
        .default(Absent::Integer(1))
        .within(1.0, 4096.0)
        .help("layers of equal height in the image, the lowest of the box first"),
];

const PLACE_IN_PLANE: &[Key] = &[
    Key::vector("corner", 2)
        .unit("m")
        .optional("that of the box")
        .within(-1e6, 1e6)
        .help("lowest corner of the map"),
    Key::vector("size", 2).unit("m").optional("that of the box").positive_to(1e6).help("extent of the map"),
];

const PLACE_IN_SPACE: &[Key] = &[
    Key::vector("corner", 3)
        .unit("m")
        .optional("that of the box")
        .within(-1e6, 1e6)
        .help("lowest corner of the map"),
    Key::vector("size", 3).unit("m").optional("that of the box").positive_to(1e6).help("extent of the map"),
];

/// The letter of every cell of a grid.
#[derive(Debug, Clone)]
pub(super) struct Voxels<const D: usize> {
    letters: Vec<char>,
    is_no_slip: Vec<bool>,
}

/// Letters on a lattice, x fastest, the last axis up.
#[derive(Debug, Clone, PartialEq)]
struct LetterMap {
    size: [usize; 3],
    letters: Vec<char>,
}

impl<const D: usize> Voxels<D> {
    /// Reads the maps of the water with these values, later ones over earlier ones.
    pub fn read(scene: &Scene, water: &Values, grid: &Grid<D>) -> Result<Voxels<D>, SceneErrors> {
        let mut errors = SceneErrors::default();
        let count = grid.cell_count();
        let mut voxels = Voxels { letters: vec![UNSAID; count], is_no_slip: vec![false; count] };
        for section in scene.sections(VOXELS.name) {
            let read = read_kind(scene, &section, water, &VOXELS, D);
            let Some((kind, values)) = errors.keep(read).flatten() else { continue };
            let map = match kind.name {
                "image" => image_map::<D>(&values),
                _ => text_map::<D>(&values),
            };
            if let Some(map) = errors.keep(map) {
                voxels.draw(&map, &values, grid);
            }
        }
        errors.into_result().map(|()| voxels)
    }

    fn draw(&mut self, map: &LetterMap, values: &Values, grid: &Grid<D>) {
        let corner: [f64; D] = values.vector_if("corner").unwrap_or(grid.origin());
        let size: [f64; D] = values.vector_if("size").unwrap_or(grid.length());
        let counts = grid.cells();
        for index in 0..self.letters.len() {
            let mut rest = index;
            let mut inside = Some([0; 3]);
            for axis in 0..D {
                let cell = rest % counts[axis];
                rest /= counts[axis];
                let centre = grid.origin()[axis] + (cell as f64 + 0.5) * grid.spacing()[axis];
                // The last axis of the map is up, also in the plane
                let along = if D == 2 && axis == 1 { 2 } else { axis };
                let at = ((centre - corner[axis]) / size[axis] * map.size[along] as f64).floor();
                let is_inside = (0.0..map.size[along] as f64).contains(&at);
                inside = inside.filter(|_| is_inside).map(|mut place: [usize; 3]| {
                    place[along] = at as usize;
                    place
                });
            }
            let Some([x, y, z]) = inside else { continue };
            let letter = map.letters[x + map.size[0] * (y + map.size[1] * z)];
            if letter != UNSAID {
                self.letters[index] = letter;
                self.is_no_slip[index] = values.flag("no_slip");
            }
        }
    }

    /// The letter of a cell.
    pub fn letter(&self, index: usize) -> char {
        self.letters[index]
    }

    /// Whether the fluid sticks to a solid cell.
    pub fn is_no_slip(&self, index: usize) -> bool {
        self.is_no_slip[index]
    }

    /// The cells with a letter.
    pub fn cells_of(&self, letter: &str) -> Vec<usize> {
        let mut letters = letter.chars();
        let (Some(letter), None) = (letters.next(), letters.next()) else { return Vec::new() };
        (0..self.letters.len()).filter(|&index| self.letters[index] == letter).collect()
    }
}

/// The map of a section with text.
fn text_map<const D: usize>(values: &Values) -> Result<LetterMap, SceneErrors> {
    let text = match (values.text_if("map"), values.file_if("file")) {
        (Some(text), _) => text.to_owned(),
        (None, Some(file)) => {
            let bytes = file
                .read(LARGEST_MAP)
                .map_err(|error| values.problem("file", error.to_string(), "name another file"))?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
        (None, None) => {
            return Err(values
                .problem("kind", "there is neither a map nor a file", "give one of them")
                .into());
        }
    };
    let key = if values.text_if("map").is_some() { "map" } else { "file" };
    parse_map::<D>(&text).map_err(|(message, remedy)| values.problem(key, message, remedy).into())
}

/// Letters from lines of text; in space layers are divided by blank lines.
fn parse_map<const D: usize>(text: &str) -> Result<LetterMap, (String, &'static str)> {
    let mut layers: Vec<Vec<Vec<char>>> = vec![Vec::new()];
    for line in text.trim_matches(['\n', '\r']).lines() {
        let line = line.trim_end();
        match (line.is_empty(), layers.last_mut()) {
            (true, Some(layer)) if !layer.is_empty() => layers.push(Vec::new()),
            (false, Some(layer)) => {
                layer.push(line.chars().map(|c| if c == ' ' { EMPTY } else { c }).collect())
            }
            _ => {}
        }
    }
    layers.retain(|layer| !layer.is_empty());
    let Some(first) = layers.first() else {
        return Err(("this map is empty".into(), "write a letter per cell"));
    };
    let (rows, columns) = (first.len(), first[0].len());
    if D == 2 && layers.len() > 1 {
        return Err(("a map of a 2-D water has one layer".into(), "leave out blank lines"));
    }
    for (number, layer) in layers.iter().enumerate() {
        let is_even = layer.len() == rows && layer.iter().all(|row| row.len() == columns);
        if !is_even {
            let message = format!("layer {} of this map is not {columns} × {rows} letters", number + 1);
            return Err((message, "give all lines the same length, and all layers as many lines"));
        }
    }
    let letters = layers.iter().flat_map(|layer| layer.iter().rev().flatten().copied()).collect();
    Ok(LetterMap { size: map_size::<D>(columns, rows, layers.len()), letters })
}

/// In the plane rows are levels; in space layers are.
fn map_size<const D: usize>(columns: usize, rows: usize, layers: usize) -> [usize; 3] {
    if D == 2 { [columns, 1, rows] } else { [columns, rows, layers] }
}

/// The map of a section with an image.
fn image_map<const D: usize>(values: &Values) -> Result<LetterMap, SceneErrors> {
    let refuse = |message: String, remedy: &str| SceneErrors::from(values.problem("file", message, remedy));
    let bytes = values
        .file("file")
        .read(LARGEST_MAP)
        .map_err(|error| refuse(error.to_string(), "name another file"))?;
    let ([columns, height], letters) = decode_image(&bytes)
        .map_err(|message| refuse(message, "write it as a PNG image of 8 bits a channel"))?;
    let layers = values.integer("layers").max(1) as usize;
    if height % layers != 0 || D == 2 && layers > 1 {
        let message = format!("{height} rows of pixels are not {layers} layers");
        return Err(values.problem("layers", message, "give the number of layers in the image").into());
    }
    let rows = height / layers;
    let letters =
        letters.chunks(columns * rows).flat_map(|layer| layer.chunks(columns).rev().flatten().copied());
    Ok(LetterMap { size: map_size::<D>(columns, rows, layers), letters: letters.collect() })
}

/// Size and letters of a PNG image, each pixel by the nearest colour.
fn decode_image(bytes: &[u8]) -> Result<([usize; 2], Vec<char>), String> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let size = reader.output_buffer_size().ok_or_else(|| "the image is too large".to_owned())?;
    if size as u64 > LARGEST_MAP {
        return Err("the image is too large".into());
    }
    let mut pixels = vec![0; size];
    let info = reader.next_frame(&mut pixels).map_err(|error| error.to_string())?;
    let channels = info.color_type.samples();
    let letter = |pixel: &[u8]| {
        let (colour, alpha) = match *pixel {
            [grey, alpha] => ([grey; 3], alpha),
            [r, g, b, alpha] => ([r, g, b], alpha),
            [r, g, b] => ([r, g, b], 255),
            _ => ([pixel.first().copied().unwrap_or(0); 3], 255),
        };
        let distance = |known: &[u8; 3]| -> i32 {
            (0..3).map(|i| (i32::from(known[i]) - i32::from(colour[i])).pow(2)).sum()
        };
        let nearest =
            COLOURS.iter().min_by_key(|(known, _)| distance(known)).map_or(UNSAID, |(_, letter)| *letter);
        if alpha < 128 { UNSAID } else { nearest }
    };
    let letters = pixels[..info.buffer_size()].chunks_exact(channels).map(letter).collect();
    Ok(([info.width as usize, info.height as usize], letters))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_the_top() {
        let map = parse_map::<2>("\n..\n~#\n").unwrap();
        assert_eq!(map, LetterMap { size: [2, 1, 2], letters: "~#..".chars().collect() });
        let map = parse_map::<3>("ab\ncd\n\nef\ngh").unwrap();
        assert_eq!(map, LetterMap { size: [2, 2, 2], letters: "cdabghef".chars().collect() });
    }

    #[test]
    fn uneven_maps_are_refused() {
        assert!(parse_map::<2>("...\n..").is_err());
        assert!(parse_map::<2>("..\n\n..").is_err());
        assert!(parse_map::<3>("..\n..\n\n..").is_err());
        assert!(parse_map::<3>(" \n").is_err());
    }

    #[test]
    fn a_map_is_stretched_over_the_box() {
        let grid = Grid::new([4, 4], [0.25; 2], [0.0; 2]).unwrap();
        let mut voxels = Voxels::<2> { letters: vec![UNSAID; 16], is_no_slip: vec![false; 16] };
        let options = undine_scene::LoadOptions::default();
        let scene =
            Scene::parse("map", "[scene]\nduration = 1\n[[voxels]]\nkind = 'text'\nmap = 'x'", &options)
                .unwrap();
        let (_, values) = VOXELS.read(&scene.sections("voxels")[0], 2).unwrap();
        voxels.draw(&parse_map::<2>("#.\n~i").unwrap(), &values, &grid);
        let letters: String = voxels.letters.iter().collect();
        assert_eq!(letters, "~~ii~~ii##..##..");
        assert_eq!(voxels.cells_of("i"), [2, 3, 6, 7]);
    }
}
