//! Checkpoint of the paper's scheme: its two levels, and the bed for which they hold.

use std::io;

use undine_grid::Real;
use undine_sim::{Reader, Writer};

use super::Paper;
use crate::kass_miller::height_field::HeightField;

impl Paper {
    /// Writes the levels.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.number("paper dt", self.dt)?;
        to.values("bed", &self.bed)?;
        to.values("level", &self.level)?;
        to.values("last", &self.last)?;
        to.values("shown", &self.written)
    }

    /// Goes on with levels that were saved. When they stood over another bed, it begins with the height_field as it is.
    pub fn restore<T: Real, const W: usize>(
        &mut self,
        height_field: &HeightField<T, W>,
        first_dt: f64,
        from: &mut Reader<'_>,
    ) -> io::Result<()> {
        self.dt = from.number("paper dt")?;
        self.load_bed(height_field);
        // The next level is not begun yet: it has room for a bed
        from.list_into("bed", &mut self.next)?;
        if self.next != self.bed {
            *self = Paper::new(height_field, first_dt);
            return skip_levels(from);
        }
        from.values_into("level", &mut self.level)?;
        from.values_into("last", &mut self.last)?;
        from.values_into("shown", &mut self.written)
    }

    /// Passes over levels that were saved.
    pub fn skip(from: &mut Reader<'_>) -> io::Result<()> {
        from.number("paper dt")?;
        from.skip::<f64>("bed")?;
        skip_levels(from)
    }
}

fn skip_levels(from: &mut Reader<'_>) -> io::Result<()> {
    ["level", "last", "shown"].into_iter().try_for_each(|name| from.skip::<f64>(name))
}
