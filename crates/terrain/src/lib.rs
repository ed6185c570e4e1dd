//! The ground: height z as a function of x and y.
//!
//! A scene describes it in `[[terrain]]` sections. Each is a layer of a `kind`, which decides on its keys ([`TERRAIN`]);
//! layers are combined in the order of the file. Layers are formulae, fractal noise, or height maps from files
//! ([`FORMATS`]).
//!
//! ```
//! use undine_scene::{LoadOptions, Scene};
//! use undine_terrain::Terrain;
//!
//! let text = "
//!     [scene]
//!     duration = 1
//!     [[terrain]]
//!     kind = 'bowl'
//!     radius = 10
//!     depth = 2
//!     [[terrain]]
//!     kind = 'plane'
//!     level = -1.5
//!     combine = 'max'";
//! let scene = Scene::parse("dish", text, &LoadOptions::default())?;
//! let terrain = Terrain::read(&scene)?.expect("the scene has terrain");
//! assert_eq!(terrain.height(0.0, 0.0), -1.5);
//! assert_eq!(terrain.height(10.0, 0.0), 0.0);
//! # Ok::<(), undine_scene::SceneErrors>(())
//! ```
//!
//! [`HeightMap`] is a height file by itself: decoded, cropped, resampled, encoded.

mod decode;
#[cfg(not(target_arch = "wasm32"))]
mod disk;
mod encode;
mod error;
mod fill;
mod formats;
mod height_map;
mod kinds;
mod layer;
mod mask;
mod noise;
mod resample;
mod shapes;
mod smooth;
mod terrain;
mod units;

pub use decode::{DecodeOptions, RawLayout, SampleType};
#[cfg(not(target_arch = "wasm32"))]
pub use disk::read_bytes;
pub use encode::EncodeOptions;
pub use error::{Fault, FileLocation, TerrainError};
pub use formats::{FORMATS, Format, FormatEntry};
pub use height_map::{HeightMap, MOST_SAMPLES};
pub use kinds::TERRAIN;
pub use resample::Interpolation;
pub use terrain::Terrain;
pub use units::{Unit, metres_per_degree};
