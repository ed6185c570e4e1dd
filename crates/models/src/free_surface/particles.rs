//! Particles as a structure of arrays.

use std::io;

use undine_grid::{Grid, par};
use undine_sim::{Reader, Writer};

/// Particles per parallel task of a permutation.
const CHUNK: usize = 1 << 14;

/// Particles, one column per quantity. Positions are in cells from the lowest corner of the box, velocities in m/s, the
/// affine matrix C of APIC in m/s per cell.
#[derive(Debug, Clone)]
pub(crate) struct Particles<const D: usize> {
    pub position: [Vec<f32>; D],
    pub velocity: [Vec<f32>; D],
    /// `affine[a][b]` is ∂u_a/∂x_b; empty unless the transfer is affine.
    pub affine: [[Vec<f32>; D]; D],
    /// Linear red, green and blue; empty while nothing has a colour.
    pub colour: [Vec<f32>; 3],
    /// Identifiers, which stay with the particles when these are sorted.
    pub id: Vec<u32>,
    next_id: u32,
    has_affine: bool,
    has_colour: bool,
}

/// The initial state of a particle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewParticle<const D: usize> {
    pub position: [f32; D],
    pub velocity: [f32; D],
    pub colour: [f32; 3],
}

impl<const D: usize> Particles<D> {
    /// No particles yet.
    pub fn new(has_affine: bool, has_colour: bool) -> Self {
        Particles {
            position: std::array::from_fn(|_| Vec::new()),
            velocity: std::array::from_fn(|_| Vec::new()),
            affine: std::array::from_fn(|_| std::array::from_fn(|_| Vec::new())),
            colour: std::array::from_fn(|_| Vec::new()),
            id: Vec::new(),
            next_id: 0,
            has_affine,
            has_colour,
        }
    }

    /// The number of particles.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// Whether particles carry colours.
    pub fn has_colour(&self) -> bool {
        self.has_colour
    }

    /// The identifier of the next particle.
    pub fn next_id(&self) -> u32 {
        self.next_id
    }

    /// Adds a particle with C = 0.
    pub fn push(&mut self, particle: NewParticle<D>) {
        self.push_affine(particle, [[0.0; D]; D]);
    }

    /// Adds a particle with the affine matrix C, in m/s per cell.
    pub fn push_affine(&mut self, particle: NewParticle<D>, slopes: [[f32; D]; D]) {
        for axis in 0..D {
            self.position[axis].push(particle.position[axis]);
            self.velocity[axis].push(particle.velocity[axis]);
            if self.has_affine {
                let columns = self.affine[axis].iter_mut().zip(slopes[axis]);
                columns.for_each(|(column, slope)| column.push(slope));
            }
        }
        if self.has_colour {
            self.colour.iter_mut().zip(particle.colour).for_each(|(column, value)| column.push(value));
        }
        self.id.push(self.next_id);
        self.next_id = self.next_id.wrapping_add(1);
    }

    /// Position of a particle, in cells.
    #[inline]
    pub fn position_of(&self, index: usize) -> [f32; D] {
        std::array::from_fn(|axis| self.position[axis][index])
    }

    /// Sets the velocity of a particle, and C = 0.
    pub fn set_velocity(&mut self, index: usize, velocity: [f32; D]) {
        for axis in 0..D {
            self.velocity[axis][index] = velocity[axis];
            if self.has_affine {
                self.affine[axis].iter_mut().for_each(|slopes| slopes[index] = 0.0);
            }
        }
    }

    /// Marks a particle as removed, by a NaN position; the next sort drops it.
    pub fn mark_removed(&mut self, index: usize) {
        self.position[0][index] = f32::NAN;
    }

    /// Copies the particles of `from` in this order.
    pub fn reorder_from(&mut self, from: &Self, order: &[u32]) {
        self.next_id = from.next_id;
        for (to, column) in self.float_columns_mut().zip(from.float_columns()) {
            permute(to, column, order);
        }
        permute(&mut self.id, &from.id, order);
    }

    /// All columns of single-precision numbers in use.
    pub fn float_columns(&self) -> impl Iterator<Item = &Vec<f32>> {
        let affine = self.affine.iter().flatten().filter(|_| self.has_affine);
        let colour = self.colour.iter().filter(|_| self.has_colour);
        self.position.iter().chain(&self.velocity).chain(affine).chain(colour)
    }

    /// The same, mutable.
    pub fn float_columns_mut(&mut self) -> impl Iterator<Item = &mut Vec<f32>> {
        let (has_affine, has_colour) = (self.has_affine, self.has_colour);
        let affine = self.affine.iter_mut().flatten().filter(move |_| has_affine);
        let colour = self.colour.iter_mut().filter(move |_| has_colour);
        self.position.iter_mut().chain(&mut self.velocity).chain(affine).chain(colour)
    }

    /// Sets missing colours (NaN) to the mean of the particles nearby, or white: `for_each_nearby` calls its second
    /// argument with ranges of particles near a point.
    pub fn fill_missing_colours(
        &mut self,
        for_each_nearby: impl Fn([f32; D], &mut dyn FnMut(std::ops::Range<usize>)),
    ) {
        if !self.has_colour {
            return;
        }
        for index in (0..self.len()).filter(|&index| self.colour[0][index].is_nan()).collect::<Vec<_>>() {
            let (mut sum, mut count) = ([0.0; 3], 0.0);
            for_each_nearby(self.position_of(index), &mut |range| {
                for other in range.filter(|&other| !self.colour[0][other].is_nan()) {
                    (0..3).for_each(|band| sum[band] += self.colour[band][other]);
                    count += 1.0;
                }
            });
            let mean = |band: usize| if count > 0.0 { sum[band] / count } else { 1.0 };
            let mean: [f32; 3] = std::array::from_fn(mean);
            (0..3).for_each(|band| self.colour[band][index] = mean[band]);
        }
    }

    /// Writes all particles.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.integer("next_id", u64::from(self.next_id))?;
        to.values("ids", &self.id)?;
        to.integer("columns", u64::from(self.has_affine) | u64::from(self.has_colour) << 1)?;
        self.float_columns().try_for_each(|column| to.values("particles", column))
    }

    /// Reads what was written. Columns that were not saved start with C = 0 and `colour`; saved columns that are not in
    /// use any more are skipped.
    pub fn restore(&mut self, from: &mut Reader<'_>, colour: [f32; 3]) -> io::Result<()> {
        let refused = |reason: &str| io::Error::new(io::ErrorKind::InvalidData, reason.to_owned());
        let next_id = u32::try_from(from.integer("next_id")?);
        self.next_id = next_id.map_err(|_| refused("the identifier of the next particle is out of range"))?;
        from.list_into("ids", &mut self.id)?;
        let (count, columns) = (self.id.len(), from.integer("columns")?);
        let mut next = |column: &mut Vec<f32>| {
            from.list_into("particles", column)?;
            let fits = column.len() == count;
            fits.then_some(()).ok_or_else(|| refused("the columns of particles differ in length"))
        };
        for column in self.position.iter_mut().chain(&mut self.velocity) {
            next(column)?;
        }
        let affine =
            self.affine.iter_mut().flatten().map(|column| (column, 0.0, self.has_affine, columns & 1));
        let colour = self.colour.iter_mut().zip(colour);
        let colour = colour.map(|(column, band)| (column, band, self.has_colour, columns & 2));
        for (column, otherwise, is_kept, was_kept) in affine.chain(colour) {
            match was_kept {
                0 => fill(column, count, otherwise),
                _ => next(column)?,
            }
            if !is_kept {
                column.clear();
            }
        }
        Ok(())
    }
}

/// A position in metres from one in cells.
pub(crate) fn to_metres<const D: usize>(grid: &Grid<D>, point: [f32; D]) -> [f64; D] {
    std::array::from_fn(|axis| grid.origin()[axis] + f64::from(point[axis]) * grid.spacing()[axis])
}

fn fill(column: &mut Vec<f32>, count: usize, value: f32) {
    column.clear();
    column.resize(count, value);
}

fn permute<T: Copy + Default + Send + Sync>(to: &mut Vec<T>, from: &[T], order: &[u32]) {
    to.resize(order.len(), T::default());
    par::for_each_chunk(to, CHUNK, |first, chunk| {
        for (value, &index) in chunk.iter_mut().zip(&order[first..]) {
            *value = from[index as usize];
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reordered_particles_keep_their_identifiers() {
        let mut particles = Particles::<2>::new(true, true);
        for n in 0..10 {
            let x = n as f32;
            particles.push(NewParticle { position: [x, 0.0], velocity: [0.0, x], colour: [x; 3] });
        }
        let mut turned = Particles::new(true, true);
        turned.reorder_from(&particles, &[9, 6, 3, 0]);
        assert_eq!((turned.id.clone(), turned.velocity[1][0]), (vec![9, 6, 3, 0], 9.0));
        assert_eq!((turned.next_id(), turned.affine[1][1].len(), turned.colour[2][1]), (10, 4, 6.0));
    }
}
