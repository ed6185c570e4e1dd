//! Any bytes are read as a mesh or refused with a message, in every format, without vast memory.

#![no_main]

// The readers alone: the waters around them would take minutes to build.
#[allow(dead_code, unused_imports, reason = "the readers are shared with the obstacles of the models crate")]
#[path = "../../crates/models/src/solids"]
mod solids {
    pub mod formats;

    pub mod triangle {
        pub type Triangle = [[f64; 3]; 3];
    }
}

use libfuzzer_sys::fuzz_target;
use solids::formats::{MESH_FORMATS, MeshFormat};

fuzz_target!(|bytes: &[u8]| {
    for format in MESH_FORMATS {
        check(format, bytes, None);
    }
    // What a glTF file has beside it may be anything, such as itself
    if let Some(format) = MeshFormat::of("fuzz.gltf") {
        check(format, bytes, Some(bytes));
    }
});

fn check(format: &MeshFormat, bytes: &[u8], numbers: Option<&[u8]>) {
    match format.read(bytes, numbers) {
        Ok(triangles) => {
            assert!(!triangles.is_empty() && triangles.len() <= 1 << 21);
            assert!(triangles.iter().flatten().flatten().all(|along| along.abs() <= 1e30));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
