//! The two levels as they are saved, with the bed that they stand over.

use std::io;

use undine_grid::Real;
use undine_sim::{Reader, Writer};

use super::Paper;
use crate::kass_miller::basin::Basin;

/// What the paper's algorithm keeps from step to step.
pub struct Levels {
    dt: f64,
    bed: Vec<f64>,
    level: Vec<f64>,
    last: Vec<f64>,
    shown: Vec<f64>,
}

impl Levels {
    /// Reads what [`Paper::save`] wrote.
    pub fn read(from: &mut Reader<'_>) -> io::Result<Levels> {
        Ok(Levels {
            dt: from.number("paper dt")?,
            bed: from.numbers("bed")?,
            level: from.numbers("level")?,
            last: from.numbers("last")?,
            shown: from.numbers("shown")?,
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
        to.numbers("shown", &self.shown)
    }

    /// Goes on with levels that were saved. Without them, or when they stood over another bed, it begins with the basin
    /// as it is.
    pub fn resumed<T: Real, const W: usize>(
        basin: &Basin<T, W>,
        first_dt: f64,
        saved: Option<Levels>,
    ) -> Paper {
        let mut paper = Paper::new(basin, first_dt);
        let fits = |saved: &Levels| {
            let lists = [&saved.bed, &saved.level, &saved.last, &saved.shown];
            lists.iter().all(|list| list.len() == paper.bed.len()) && saved.bed == paper.bed
        };
        if let Some(Levels { dt, level, last, shown, .. }) = saved.filter(fits) {
            (paper.dt, paper.level, paper.last, paper.shown) = (dt, level, last, shown);
        }
        paper
    }
}
