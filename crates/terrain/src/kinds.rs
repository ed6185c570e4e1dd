//! The list of shapes that a `[[terrain]]` can have.

use undine_scene::{KindEntry, Scene, SceneErrors, SectionEntry, Values};

use crate::layer::TERRAIN_KEYS;
use crate::shapes::{LandShape, beach, bowl, channel, file, fractal, hills, plane, ridge, rim, steps, walls};

/// `[[terrain]]`: the layers of the ground.
pub static TERRAIN: SectionEntry = SectionEntry {
    name: "terrain",
    summary: "the ground, as layers of shapes, noise and height files",
    repeats: true,
    common: TERRAIN_KEYS,
    kinds: &ENTRIES,
};

/// A kind of `[[terrain]]`, and how its shape is made from the values of a section.
#[derive(Clone, Copy)]
struct TerrainKind {
    entry: KindEntry,
    read: ReadShape,
}

pub(crate) type ReadShape = fn(&Scene, &Values) -> Result<Box<dyn LandShape>, SceneErrors>;

const KINDS: [TerrainKind; 12] = [
    TerrainKind {
        entry: KindEntry::new("plane", "level ground", &[plane::PLANE_KEYS]),
        read: plane::read_plane,
    },
    TerrainKind {
        entry: KindEntry::new("slope", "ground that falls evenly one way", &[plane::SLOPE_KEYS]),
        read: plane::read_slope,
    },
    TerrainKind {
        entry: KindEntry::new("bowl", "a round or oval dish: a paraboloid", &[bowl::KEYS]),
        read: bowl::read,
    },
    TerrainKind {
        entry: KindEntry::new("hills", "hills or hollows, one by one", &[hills::KEYS])
            .with_tools(hills::TOOLS),
        read: hills::read,
    },
    TerrainKind {
        entry: KindEntry::new("ridge", "a hump right across the ground", &[ridge::KEYS]),
        read: ridge::read,
    },
    TerrainKind {
        entry: KindEntry::new(
            "beach",
            "a sea floor that rises to a shore, with berm and cusps",
            &[beach::KEYS],
        ),
        read: beach::read,
    },
    TerrainKind {
        entry: KindEntry::new(
            "channel",
            "a river bed or a whole valley, straight, in meanders or through points",
            &[channel::KEYS],
        ),
        read: channel::read,
    },
    TerrainKind { entry: KindEntry::new("steps", "terraces", &[steps::KEYS]), read: steps::read },
    TerrainKind {
        entry: KindEntry::new("walls", "boxes with steep sides: dams, houses, basins", &[walls::KEYS]),
        read: walls::read,
    },
    TerrainKind { entry: KindEntry::new("rim", "a wall around a rectangle", &[rim::KEYS]), read: rim::read },
    TerrainKind { entry: KindEntry::new("noise", "fractal ground", &[fractal::KEYS]), read: fractal::read },
    TerrainKind {
        entry: KindEntry::new(
            "file",
            "heights from a file: PNG, EXR, ESRI ASCII grid, GeoTIFF or raw samples",
            &[file::KEYS],
        ),
        read: file::read,
    },
];

static ENTRIES: [KindEntry; KINDS.len()] = entries(KINDS);

const fn entries<const N: usize>(kinds: [TerrainKind; N]) -> [KindEntry; N] {
    let mut entries = [kinds[0].entry; N];
    let mut number = 1;
    while number < N {
        entries[number] = kinds[number].entry;
        number += 1;
    }
    entries
}

/// Builder of the shape of a kind.
pub(crate) fn reader(name: &str) -> Option<ReadShape> {
    KINDS.iter().find(|kind| kind.entry.name == name).map(|kind| kind.read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_explained_and_shadows_no_common_key() {
        for (number, kind) in ENTRIES.iter().enumerate() {
            assert!(!kind.summary.is_empty() && reader(kind.name).is_some());
            assert!(ENTRIES[..number].iter().all(|other| other.name != kind.name));
            for key in kind.keys.iter().copied().flatten() {
                assert!(!key.help.is_empty(), "{}.{}", kind.name, key.name);
                let is_common = TERRAIN_KEYS.iter().any(|other| other.name == key.name);
                assert!(!is_common, "{}.{}", kind.name, key.name);
            }
        }
    }

    #[test]
    fn every_tool_writes_what_its_kind_reads() {
        for kind in TERRAIN.kinds {
            for tool in kind.tools {
                assert_eq!(tool.inconsistency(&TERRAIN, kind), None);
            }
        }
    }
}
