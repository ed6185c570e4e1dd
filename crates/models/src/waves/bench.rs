//! Speed of the closed-form waves relative to writing their vertices.

use undine_checks::{Bench, Figures, best_of};
use undine_grid::bench::copy_bandwidth;

use crate::checks::build;

/// Every benchmark of sine waves.
pub static SINE: &[Bench] = &[Bench { name: "sine-waves/step", run: sine_waves }];

/// Every benchmark of Gerstner waves.
pub static GERSTNER: &[Bench] = &[Bench { name: "gerstner/step", run: gerstner }];

/// Vertices per second of a 512² sheet with five straight waves, beside writing them.
pub fn sine_waves(figures: &mut Figures) -> anyhow::Result<()> {
    sheet(figures, "sine-waves")
}

/// Vertices per second of a 512² sheet with five trains, beside writing them.
pub fn gerstner(figures: &mut Figures) -> anyhow::Result<()> {
    sheet(figures, "gerstner")
}

fn sheet(figures: &mut Figures, kind: &str) -> anyhow::Result<()> {
    const RESOLUTION: usize = 511;
    let text = format!(
        "[scene]\nduration = 3600\n[[water]]\nkind = '{kind}'\nsize = [60, 60]\nresolution = {RESOLUTION}\nwave = [\n\
         {{ amplitude = 0.3, wavelength = 15 }}, {{ amplitude = 0.2, wavelength = 9, direction = [1, 1] }},\n\
         {{ amplitude = 0.1, wavelength = 5, direction = [1, -1] }}, {{ amplitude = 0.05, wavelength = 3 }},\n\
         {{ amplitude = 0.02, wavelength = 2, direction = [0, 1] }}]\n"
    );
    let mut runner = build(&text, &[])?;
    let mut failure = None;
    let seconds = best_of(10, || failure = runner.next_frame().err());
    if let Some(failure) = failure {
        return Err(failure.into());
    }
    let vertices = ((RESOLUTION + 1) * (RESOLUTION + 1)) as f64;
    // 36 bytes a vertex must be written; a copy moves each byte twice.
    let limit = 0.5 * copy_bandwidth() / 36.0;
    figures.rate(
        "step of 512² with five waves",
        vertices / seconds / 1e6,
        "M vertices/s",
        limit / 1e6,
        "M/s written",
    );
    Ok(())
}
