//! Any bytes are read as a mesh or refused with a message, in every format, within bounded memory.

#![no_main]

// Only the readers: the rest of the models crate would take minutes to build
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
    // The binary buffer of a glTF file may hold any bytes, such as those of the file itself
    if let Some(format) = MeshFormat::of("fuzz.gltf") {
        check(format, bytes, Some(bytes));
    }
});

fn check(format: &MeshFormat, bytes: &[u8], buffer: Option<&[u8]>) {
    match format.read(bytes, buffer) {
        Ok(triangles) => {
            assert!(!triangles.is_empty() && triangles.len() <= 1 << 21);
            assert!(triangles.iter().flatten().flatten().all(|coordinate| coordinate.abs() <= 1e30));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
