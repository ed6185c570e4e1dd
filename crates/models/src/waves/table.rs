//! Sines of a straight wave on the sheet without a sine per vertex: sin(a + b) = sin a cos b + cos a sin b, where a
//! depends on the column only and b on the row.

use glam::DVec2;

use super::sheet::{Sheet, Spot};

/// The phase of one straight wave along each axis, and how much of the wave the lattice can carry there.
pub(super) struct PhaseTable {
    /// (sin, cos) of kx x.
    columns: Vec<(f64, f64)>,
    /// (sin, cos) of ky y + clock.
    rows: Vec<(f64, f64)>,
    column_fade: Vec<f64>,
    row_fade: Vec<f64>,
    wave_vector: DVec2,
}

impl PhaseTable {
    /// For a wave with this wave vector, in rad/m.
    pub fn new(wave_vector: DVec2, sheet: &Sheet) -> PhaseTable {
        let wavelength = |k: f64| std::f64::consts::TAU / k.abs().max(1e-12);
        PhaseTable {
            columns: sheet.columns.at.iter().map(|x| (wave_vector.x * x).sin_cos()).collect(),
            rows: vec![(0.0, 1.0); sheet.rows.at.len()],
            column_fade: sheet.columns.fade(wavelength(wave_vector.x)).collect(),
            row_fade: sheet.rows.fade(wavelength(wave_vector.y)).collect(),
            wave_vector,
        }
    }

    /// Turns the rows to the present time; `clock` is the part of the phase that is the same everywhere.
    pub fn turn(&mut self, sheet: &Sheet, clock: f64) {
        for (row, y) in self.rows.iter_mut().zip(&sheet.rows.at) {
            *row = (self.wave_vector.y * y + clock).sin_cos();
        }
    }

    /// (sin, cos) of the phase at a vertex.
    pub fn sin_cos(&self, spot: &Spot) -> (f64, f64) {
        let ((sin_x, cos_x), (sin_y, cos_y)) = (self.columns[spot.column], self.rows[spot.row]);
        (sin_x * cos_y + cos_x * sin_y, cos_x * cos_y - sin_x * sin_y)
    }

    /// How much of the wave the lattice can carry at a vertex.
    pub fn fade(&self, spot: &Spot) -> f64 {
        self.column_fade[spot.column] * self.row_fade[spot.row]
    }

    /// The same in the middle of the sheet, where the lattice is even.
    pub fn fade_inside(&self) -> f64 {
        self.column_fade[self.columns.len() / 2] * self.row_fade[self.rows.len() / 2]
    }
}
