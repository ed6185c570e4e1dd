//! Ground that is raised, dug away or dammed while the water runs: b = b₀ + c, with the bed b₀ that the scene describes
//! and the change c.
//!
//! The change is part of the state, not the bed: when the scene is edited and its terrain is another one, the water goes
//! on over the new terrain with what was dug. Without a change nothing is stored.

use std::io;

use undine_grid::{Condition, Field, FieldError, Grid, Location, Real};
use undine_sim::{Disturbance, Reader, Writer};

use super::ground_shape::GroundShape;

/// The change of a bed of numbers `T`, and the bed without it.
pub struct BedChange<T> {
    /// The level that the bed is counted from, in metres.
    reference: f64,
    /// The change is rounded to multiples of it where it enters the bed; zero if it is not.
    quantum: f64,
    changed: Option<Box<ChangedBed<T>>>,
}

struct ChangedBed<T> {
    /// b₀.
    original: Field<T, 2>,
    /// c in metres, not rounded, so that many small changes add up.
    change: Field<f64, 2>,
}

impl<T: Real> BedChange<T> {
    /// No change yet.
    pub fn new(reference: f64, quantum: f64) -> BedChange<T> {
        BedChange { reference, quantum, changed: None }
    }

    /// Changes the bed. False where the disturbance is no change of the ground or lies beside it, and where the ground
    /// would rise or fall by more than the longer side of the domain, for which shallow-water theory has no meaning.
    pub fn apply(&mut self, disturbance: &Disturbance, bed: &mut Field<T, 2>) -> bool {
        let grid = *bed.grid();
        let lowest = || self.reference + undine_grid::par::min(bed, T::to_f64);
        let Some(shape) = GroundShape::new(&grid, disturbance, lowest) else { return false };
        let reference = self.reference;
        self.set(bed, shape.cells(), |cell, change, original| {
            shape.changed(cell, change, reference + original)
        })
    }

    /// Sets the change of some cells to `changed(cell, change, b₀)`, or does nothing where one would be too great.
    fn set(
        &mut self,
        bed: &mut Field<T, 2>,
        [columns, rows]: [std::ops::Range<usize>; 2],
        changed: impl Fn([usize; 2], f64, f64) -> f64,
    ) -> bool {
        let limit = bed.grid().length().into_iter().fold(0.0, f64::max);
        let Ok(parts) = ChangedBed::of(&mut self.changed, bed) else { return false };
        let cells = || rows.clone().flat_map(|y| columns.clone().map(move |x| [x, y]));
        let new =
            |parts: &ChangedBed<T>, cell| changed(cell, parts.change[cell], parts.original[cell].to_f64());
        if !cells().all(|cell| new(parts, cell).abs() <= limit) {
            return false;
        }
        for cell in cells() {
            parts.change[cell] = new(parts, cell);
            bed[cell] = parts.bed(cell, self.quantum);
        }
        true
    }

    /// Writes the change.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.integer("is ground changed", u64::from(self.changed.is_some()))?;
        self.changed.as_ref().map_or(Ok(()), |parts| to.field("ground change", &parts.change))
    }

    /// Restores a change that was saved, over the bed of the present scene.
    pub fn restore(&mut self, from: &mut Reader<'_>, bed: &mut Field<T, 2>) -> io::Result<()> {
        if from.integer("is ground changed")? == 0 {
            if let Some(parts) = self.changed.take() {
                *bed = parts.original;
            }
            return Ok(());
        }
        let no_memory = |error: FieldError| io::Error::new(io::ErrorKind::OutOfMemory, error);
        let parts = ChangedBed::of(&mut self.changed, bed).map_err(no_memory)?;
        let read = from.field("ground change", &mut parts.change);
        let [columns, rows] = bed.grid().cells();
        for cell in (0..rows).flat_map(|y| (0..columns).map(move |x| [x, y])) {
            bed[cell] = parts.bed(cell, self.quantum);
        }
        read
    }
}

impl<T: Real> ChangedBed<T> {
    /// The parts that there are, or those of a bed without a change.
    fn of<'a>(
        parts: &'a mut Option<Box<ChangedBed<T>>>,
        bed: &Field<T, 2>,
    ) -> Result<&'a mut ChangedBed<T>, FieldError> {
        if parts.is_none() {
            let grid: Grid<2> = *bed.grid();
            let change = Field::new(grid, Location::Center, Condition::Open, 1)?;
            *parts = Some(Box::new(ChangedBed { original: bed.clone(), change }));
        }
        match parts {
            Some(parts) => Ok(parts),
            None => Err(FieldError::Memory { size: bed.grid().cells().to_vec() }),
        }
    }

    /// b = b₀ + c.
    fn bed(&self, cell: [usize; 2], quantum: f64) -> T {
        let change = self.change[cell];
        let rounded = if quantum > 0.0 { (change / quantum).round() * quantum } else { change };
        T::from_f64(self.original[cell].to_f64() + rounded)
    }
}
