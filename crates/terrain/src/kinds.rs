//! The list of shapes that a `[[terrain]]` can have.

use undine_scene::{Key, Scene, SceneErrors, Values};

use crate::shapes::{LandShape, beach, bowl, channel, file, fractal, hills, plane, ridge, rim, steps, walls};

/// A kind of `[[terrain]]`.
#[derive(Debug)]
pub struct TerrainKind {
    /// The `kind` in the scene file.
    pub name: &'static str,
    /// One line that says what it is.
    pub summary: &'static str,
    /// Its own keys, beside [`TERRAIN_KEYS`](crate::TERRAIN_KEYS).
    pub keys: &'static [Key],
    /// Makes the shape from the values of a section.
    pub(crate) read: ReadShape,
}

pub(crate) type ReadShape = fn(&Scene, &Values) -> Result<Box<dyn LandShape>, SceneErrors>;

/// Every kind of `[[terrain]]`.
pub static KINDS: &[TerrainKind] = &[
    TerrainKind { name: "plane", summary: "level ground", keys: plane::PLANE_KEYS, read: plane::read_plane },
    TerrainKind {
        name: "slope",
        summary: "ground that falls evenly one way",
        keys: plane::SLOPE_KEYS,
        read: plane::read_slope,
    },
    TerrainKind {
        name: "bowl",
        summary: "a round or oval dish: a paraboloid",
        keys: bowl::KEYS,
        read: bowl::read,
    },
    TerrainKind {
        name: "hills",
        summary: "hills or hollows, one by one",
        keys: hills::KEYS,
        read: hills::read,
    },
    TerrainKind {
        name: "ridge",
        summary: "a hump right across the ground",
        keys: ridge::KEYS,
        read: ridge::read,
    },
    TerrainKind {
        name: "beach",
        summary: "a sea floor that rises to a shore, with berm and cusps",
        keys: beach::KEYS,
        read: beach::read,
    },
    TerrainKind {
        name: "channel",
        summary: "a river bed or a whole valley, straight, in meanders or through points",
        keys: channel::KEYS,
        read: channel::read,
    },
    TerrainKind { name: "steps", summary: "terraces", keys: steps::KEYS, read: steps::read },
    TerrainKind {
        name: "walls",
        summary: "boxes with steep sides: dams, houses, basins",
        keys: walls::KEYS,
        read: walls::read,
    },
    TerrainKind { name: "rim", summary: "a wall around a rectangle", keys: rim::KEYS, read: rim::read },
    TerrainKind { name: "noise", summary: "fractal ground", keys: fractal::KEYS, read: fractal::read },
    TerrainKind {
        name: "file",
        summary: "heights from a file: PNG, EXR, ESRI ASCII grid, GeoTIFF or raw samples",
        keys: file::KEYS,
        read: file::read,
    },
];

pub(crate) fn find(name: &str) -> Option<&'static TerrainKind> {
    KINDS.iter().find(|kind| kind.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TERRAIN_KEYS;

    #[test]
    fn every_kind_is_explained_and_shadows_no_common_key() {
        for (number, kind) in KINDS.iter().enumerate() {
            assert!(!kind.summary.is_empty());
            assert!(KINDS[..number].iter().all(|other| other.name != kind.name));
            for key in kind.keys {
                assert!(!key.help.is_empty(), "{}.{}", kind.name, key.name);
                assert!(
                    TERRAIN_KEYS.iter().all(|other| other.name != key.name),
                    "{}.{}",
                    kind.name,
                    key.name
                );
            }
        }
    }
}
