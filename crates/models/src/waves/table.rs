//! Phases of a plane wave on the sheet without a sine per vertex: sin(a + b) = sin a cos b + cos a sin b, where a
//! depends on the column only and b on the row.

use glam::DVec2;

use super::sheet::{SheetPoint, WaveSheet};

/// Phase factors of one plane wave along each axis, and the amplitude factors of the lattice.
pub(super) struct PhaseTable {
    /// (sin, cos) of kx x.
    columns: Vec<(f64, f64)>,
    /// (sin, cos) of ky y + φ(t).
    rows: Vec<(f64, f64)>,
    column_fade: Vec<f64>,
    row_fade: Vec<f64>,
    wave_vector: DVec2,
}

impl PhaseTable {
    /// The table of a wave vector (kx, ky) in rad/m.
    pub fn new(wave_vector: DVec2, sheet: &WaveSheet) -> PhaseTable {
        let wavelength = |k: f64| std::f64::consts::TAU / k.abs().max(1e-12);
        PhaseTable {
            columns: sheet.columns.at.iter().map(|x| (wave_vector.x * x).sin_cos()).collect(),
            rows: vec![(0.0, 1.0); sheet.rows.at.len()],
            column_fade: sheet.columns.fade(wavelength(wave_vector.x)).collect(),
            row_fade: sheet.rows.fade(wavelength(wave_vector.y)).collect(),
            wave_vector,
        }
    }

    /// Sets the rows to the phase φ(t) = `clock`, which is the same at all points.
    pub fn set_time(&mut self, sheet: &WaveSheet, clock: f64) {
        for (row, y) in self.rows.iter_mut().zip(&sheet.rows.at) {
            *row = (self.wave_vector.y * y + clock).sin_cos();
        }
    }

    /// (sin, cos) of the phase at a point.
    pub fn sin_cos(&self, point: &SheetPoint) -> (f64, f64) {
        let ((sin_x, cos_x), (sin_y, cos_y)) = (self.columns[point.column], self.rows[point.row]);
        (sin_x * cos_y + cos_x * sin_y, cos_x * cos_y - sin_x * sin_y)
    }

    /// Amplitude factor at a point.
    pub fn fade(&self, point: &SheetPoint) -> f64 {
        self.column_fade[point.column] * self.row_fade[point.row]
    }

    /// Amplitude factor in the domain, where the lattice is uniform.
    pub fn fade_inside(&self) -> f64 {
        self.column_fade[self.columns.len() / 2] * self.row_fade[self.rows.len() / 2]
    }
}
