//! Checkpoint of the paper's scheme: its two levels, and the bed for which they hold.

use std::io;

use undine_grid::Real;
use undine_sim::{Reader, Writer};

use super::Paper;
use crate::kass_miller::height_field::HeightField;

/// The saved state.
pub struct SavedLevels {
    dt: f64,
    bed: Vec<f64>,
    level: Vec<f64>,
    last: Vec<f64>,
    written: Vec<f64>,
}

impl SavedLevels {
    /// Reads what [`Paper::save`] wrote.
    pub fn read(from: &mut Reader<'_>) -> io::Result<SavedLevels> {
        Ok(SavedLevels {
            dt: from.number("paper dt")?,
            bed: from.numbers("bed")?,
            level: from.numbers("level")?,
            last: from.numbers("last")?,
            written: from.numbers("shown")?,
        })
    }
}

impl Paper {
    /// Writes the levels.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.number("paper dt", self.dt)?;
        to.numbers("bed", &self.bed)?;
        to.numbers("level", &self.level)?;
        to.numbers("last", &self.last)?;
        to.numbers("shown", &self.written)
    }

    /// Continues from saved levels. Without them, or with those of another bed, it starts from the height field.
    pub fn resumed<T: Real, const W: usize>(
        height_field: &HeightField<T, W>,
        first_dt: f64,
        saved: Option<SavedLevels>,
    ) -> Paper {
        let mut paper = Paper::new(height_field, first_dt);
        let fits = |saved: &SavedLevels| {
            let lists = [&saved.bed, &saved.level, &saved.last, &saved.written];
            lists.iter().all(|list| list.len() == paper.bed.len()) && saved.bed == paper.bed
        };
        if let Some(SavedLevels { dt, level, last, written, .. }) = saved.filter(fits) {
            (paper.dt, paper.level, paper.last, paper.written) = (dt, level, last, written);
        }
        paper
    }
}
