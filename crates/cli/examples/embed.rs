//! Undine as a library: steps a pond and samples heights and normals.
//!
//! `cargo run -p undine --no-default-features --example embed`
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use undine::glam::DVec2;
use undine::{Disturbance, LoadOptions, MODELS, Runner, Sample};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = undine::open("pond", &LoadOptions { scale: 0.25, ..LoadOptions::default() })?;
    let mut pond = Runner::new(&scene, MODELS, None)?;
    pond.disturb(&Disturbance::Drop { at: DVec2::new(1.0, 0.0), radius: 0.1, volume: 0.004 })?;

    let leaf = DVec2::new(0.5, 0.5);
    for _ in 0..48 {
        pond.next_frame()?;
        let (height, normal) = (pond.height(leaf).unwrap_or(0.0), pond.normal(leaf).unwrap_or_default());
        println!("t = {:5.3} s  height {height:+.4} m  normal {normal:.3}", pond.time());
    }
    Ok(())
}
